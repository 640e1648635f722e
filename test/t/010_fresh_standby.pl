
# Resident columns of a hot standby, which has its own device process: right while
# WAL is replayed, and when the standby has become a primary.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FreshnessTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $primary = make_fresh_node('primary', 'wal_level = replica',
	'max_wal_senders = 5', 'hot_standby_feedback = off',
	'max_standby_streaming_delay = 0');
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($primary), 'the device process of the primary is ready');
my $writer = open_session($primary);
make_table($writer, 't');
uses($writer, 't', 'the primary');

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
my $reader = open_session($standby);
look($reader, 't', 'the standby, at first');
ok(wait_ready($standby), 'the device process of the standby is ready');
isnt(daemon_pid($standby), daemon_pid($primary), 'it is another one');
is(ask($reader, 'SELECT pg_is_in_recovery()'), 't', 'it is a standby');
no_use($reader, 't', 'the standby, before it has loaded anything');
is(load($reader, 't'), '20000', 'a standby can load columns');
look($reader, 't', 'the standby, loaded');
uses($reader, 't', 'the standby, loaded');

# Waits until all WAL of the primary's is replayed; VACUUM leaves some unflushed.
sub catch_up
{
	$primary->safe_psql('postgres',
		q{SELECT pg_logical_emit_message(true, '', '')});
	$primary->wait_for_catchup($standby);
	return;
}

# Replays a change of the primary's and looks.
sub replay
{
	my ($statement) = @_;
	my $name = 'replayed ' . substr($statement, 0, 30);
	ask($writer, $statement);
	catch_up();
	look($reader, 't', $name);
	is( ask($reader, 'SELECT count(*), sum(v), sum(n) FROM t'),
		ask($writer, 'SELECT count(*), sum(v), sum(n) FROM t'),
		"$name: the same as on the primary");
	return;
}

# Loads what has changed, and sees to it that it is used.
sub load_again
{
	my ($name) = @_;
	load($reader, 't');
	look($reader, 't', "$name, loaded again");
	uses($reader, 't', "$name, loaded again");
	return;
}

foreach my $change (
	'UPDATE t SET v = v + 1 WHERE id % 900 = 3',
	'DELETE FROM t WHERE id % 900 = 4',
	fill('t', 20001, 20500))
{
	replay($change);
	replay('VACUUM t');
	load_again($change);
	replay('VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) t');
	load_again('VACUUM FREEZE');
}

# Changes that have not ended, and those that never do.
ask($writer, 'BEGIN; DELETE FROM t WHERE id % 900 = 5');
ask($writer, 'SAVEPOINT a; UPDATE t SET v = 0 WHERE id % 900 = 6');
catch_up();
look($reader, 't', 'a transaction under way');
ask($writer, 'ROLLBACK TO a');
replay(q{PREPARE TRANSACTION 'p'});
replay(q{COMMIT PREPARED 'p'});
replay('VACUUM t');
load_again('prepared');

# A snapshot that is older than what is replayed: a row that it does not see can
# become all-visible only once the snapshot is gone.
foreach my $sql ('DELETE FROM t WHERE id % 900 = 7', fill('t', 20501, 20900))
{
	my $old = open_session($standby);
	ask($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
	look($old, 't', 'an old snapshot, at first');
	uses($old, 't', 'an old snapshot, at first');
	replay($sql);
	look($old, 't', 'an old snapshot, rows have changed');
	replay('VACUUM t');
	load_again('beside an old snapshot');
	$old->{gone} = 1
	  if (try_ask($old, 'SELECT count(*) FROM t'))[1] =~
	  /conflict with recovery|terminat|server closed/;
	ok($old->{gone}, 'the old snapshot is in conflict with VACUUM');
	$old->{run}->kill_kill;
}

# Files that change.
foreach my $change ('VACUUM FULL t',
	'TRUNCATE t; ' . fill('t', 1, 9000),
	'ALTER TABLE t ADD COLUMN x int DEFAULT 5',
	q{DELETE FROM t WHERE ctid >= '(60,0)'}, 'VACUUM t', fill('t', 1, 9000))
{
	replay($change);
}
replay('VACUUM t');
load_again('files that change');

# Sets the flag PD_ALL_VISIBLE of all pages of a file.
sub mark_pages
{
	my ($path) = @_;
	open(my $file, '+<:raw', $path) or die "could not open $path: $!";
	for (my $page = 0; $page < -s $path; $page += 8192)
	{
		my $flags;
		seek($file, $page + 10, 0);
		read($file, $flags, 2) == 2 or die "could not read $path: $!";
		seek($file, $page + 10, 0);
		print $file pack('S', unpack('S', $flags) | 4);
	}
	close $file or die "could not write $path: $!";
	return;
}

# Rows that nobody may see yet, in pages that say otherwise: a standby may have the
# flag of a page before it may rely on it.
SKIP:
{
	skip 'pages have checksums', 1
	  if ask($reader, 'SHOW data_checksums') eq 'on';
	my $expected = ask($reader, 'SELECT count(*), sum(v) FROM t');
	my $path = $standby->data_dir . '/'
	  . ask($reader, q{SELECT pg_relation_filepath('t')});
	ask($writer, 'BEGIN');
	ask($writer, fill('t', 30001, 39000));
	$primary->safe_psql('postgres', 'CHECKPOINT');
	catch_up();
	ask($reader, 'CHECKPOINT');
	end_session($reader);
	$standby->stop;
	mark_pages($path);
	$standby->start;
	$reader = open_session($standby);
	look($reader, 't', 'pages that claim to be all-visible');
	is(ask($reader, 'SELECT count(*), sum(v) FROM t'),
		$expected, 'rows of a transaction under way are not seen');
	is(by_node($reader, 'SELECT count(*), sum(v) FROM t'),
		$expected, 'nor does the node see them');
	ask($writer, 'ROLLBACK');
	replay('VACUUM t');
}

# The standby's server and its device process, restarted.
end_session($reader);
$standby->restart;
ok(wait_ready($standby), 'the standby is ready after a restart');
$reader = open_session($standby);
no_use($reader, 't', 'the standby, restarted');
look($reader, 't', 'the standby, restarted');
load_again('the standby, restarted');

# Promotion: the same device process goes on with what it has.
my $daemon = daemon_pid($standby);
ask($writer, 'UPDATE t SET v = v - 5 WHERE id % 900 = 1');
catch_up();
$primary->stop('immediate');
$standby->promote;
is(ask($reader, 'SELECT pg_is_in_recovery()'), 'f', 'the standby is promoted');
is(daemon_pid($standby), $daemon, 'it has the same device process');
look($reader, 't', 'promoted');
uses($reader, 't', 'promoted');
foreach my $change (
	'UPDATE t SET v = v + 1 WHERE id % 900 = 3',
	'DELETE FROM t WHERE id % 900 = 8',
	'VACUUM t', fill('t', 20901, 21000), 'VACUUM FREEZE t')
{
	ask($reader, $change);
	look($reader, 't', 'promoted: ' . substr($change, 0, 30));
}
load_again('promoted');

end_session($reader);
$standby->stop;

done_testing();
