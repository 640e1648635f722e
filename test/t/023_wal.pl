
# What is read of WAL: the changes that its records make, by comparison with what
# pg_walinspect shows; commits that are not flushed; WAL that is gone; and a device
# process that has been started anew.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FreshnessTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_fresh_node('main', 'wal_level = replica', 'max_wal_senders = 4',
	'wal_log_hints = on',
	'wal_writer_delay = 10s', 'max_wal_size = 128MB', 'min_wal_size = 32MB',
	'checkpoint_timeout = 1h', 'wal_keep_size = 64MB');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');
my $session = open_session($node);
make_table($session, 't');
uses($session, 't', 'loaded');

# Numbers that order positions of WAL.
sub position
{
	my ($high, $low) = map { hex } split m{/}, $_[0];
	return $high * 2**32 + $low;
}

# Notes the last change of its kind of a block; PostgreSQL 19 pads positions with zeros.
sub note_change
{
	my ($changes, $what, $lsn) = @_;
	$changes->{$what} = $lsn =~ s{/0+(?=.)}{/}r
	  if position($lsn) > position($changes->{$what} // '0/0');
	return;
}

# Returns the numbers of a file whose path a record's description has.
sub file_of_path
{
	my ($path) = @_;
	return "1663/$1/$2" if $path =~ m{^base/(\d+)/(\d+)$};
	return;
}

# Adds what a record changes, by what pg_walinspect says of it.
sub add_expected
{
	my ($changes, $end, $manager, $type, $description, $blocks) = @_;
	my %keeps = map { $_ => 1 }
	  qw(LOCK LOCK_UPDATED VISIBLE PRUNE VACUUM FREEZE_PAGE FPI_FOR_HINT),
	  qw(PRUNE_ON_ACCESS PRUNE_VACUUM_SCAN PRUNE_VACUUM_CLEANUP);

	if ($manager =~ /^(Heap2?|XLOG|Generic)$/ && !$keeps{ $type =~ s/\+.*//r })
	{
		note_change($changes, "0 $1 $2", $end)
		  while $blocks =~
		  m{rel (\d+/[1-9]\d*/\d+)(?: fork main)?,? blk (\d+)}g;
	}
	elsif ($manager eq 'Storage')
	{
		my $file = file_of_path($description =~ s/ .*//r);
		my $block = $description =~ / to (\d+) blocks/ ? $1 : 0;
		note_change($changes, "1 $file $block", $end) if defined $file;
	}
	elsif ($manager eq 'Transaction' && $description =~ /; rels: ([^;]*)/)
	{
		my @files = grep { defined } map { file_of_path($_) } split / /, $1;
		@files = map { s{^\d+(/\d+/)\d+$}{0${1}0}r } @files if @files > 256;
		my $kind = @files > 256 ? 2 : 1;
		note_change($changes, "$kind $_ 0", $end) foreach @files;
	}
	return;
}

# Returns the changes between two positions that pg_walinspect knows of.
sub expected
{
	my ($from, $to) = @_;
	my %changes;

	foreach my $line (split /\n/, value($node,
			"SELECT concat_ws('|', end_lsn, resource_manager, record_type, "
			. "translate(coalesce(description, ''), '|', ' '), block_ref) "
			. "FROM pg_get_wal_records_info('$from', '$to')"))
	{
		add_expected(\%changes, split /\|/, "$line| ", -1);
	}
	return \%changes;
}

# Returns the changes between two positions that warpagg has read, as the log has them.
sub followed
{
	my ($from, $to) = @_;
	my %changes;
	my $log = slurp_file($node->logfile);

	while ($log =~
		m{warpagg follows WAL: change (\d) of (\S+) block (\d+) at (\S+)}g)
	{
		note_change(\%changes, "$1 $2 $3", $4)
		  if position($4) > position($from) && position($4) <= position($to);
	}
	return \%changes;
}

# Tells whether the log says that WAL has been followed to a position.
sub has_followed
{
	my ($to) = @_;
	my $log = slurp_file($node->logfile);

	while ($log =~ m{warpagg follows WAL from \S+ to (\S+)}g)
	{
		return 1 if position($1) >= position($to);
	}
	return 0;
}

# Returns a statement that runs others, for the numbers up to one.
sub for_each
{
	my ($count, $statement) = @_;
	return "DO \$\$ BEGIN FOR i IN 1..$count LOOP "
	  . "EXECUTE format('$statement', i); END LOOP; END \$\$";
}

# Statements, each a transaction, whose records differ.
my @writes = (
	'CREATE TABLE w(id int PRIMARY KEY, v int, s text)',
	'CREATE SEQUENCE q',
	q{INSERT INTO w SELECT i, nextval('q'), repeat('x', i % 900)
		FROM generate_series(1, 3000) i},
	"COPY t TO '/dev/null'",
	'UPDATE w SET v = v + 1 WHERE id % 5 = 0',
	'UPDATE w SET id = -id WHERE id % 7 = 0',
	'DELETE FROM w WHERE id % 11 = 0',
	'SELECT count(*) FROM (SELECT 1 FROM w FOR UPDATE) x',
	q{INSERT INTO w VALUES (1, 0, 'x') ON CONFLICT (id) DO UPDATE SET v = 0},
	"BEGIN; SAVEPOINT a; UPDATE w SET v = 0 WHERE id < 100; ROLLBACK TO a; COMMIT",
	"BEGIN; UPDATE w SET s = 'y' WHERE id < 50; CREATE TABLE p2(i int);\n"
	  . "PREPARE TRANSACTION 'p'",
	q{COMMIT PREPARED 'p'},
	'BEGIN; CREATE TABLE gone(i int); INSERT INTO gone VALUES (1); ROLLBACK',
	'CHECKPOINT',
	'SELECT count(*) FROM w',
	'UPDATE w SET v = v WHERE id = 3',
	'VACUUM w',
	'VACUUM (FREEZE) w',
	'DELETE FROM w WHERE ctid >= $$(10,0)$$',
	'VACUUM w',
	'VACUUM FULL w',
	'CLUSTER w USING w_pkey',
	"ALTER TABLE w ALTER v TYPE bigint",
	'CREATE INDEX ON w (v)',
	'BEGIN; CREATE TABLE x(i int); INSERT INTO x SELECT generate_series(1, 9999); COMMIT',
	'TRUNCATE w',
	for_each(200, 'CREATE TABLE m%s ()'),
	for_each(300, 'CREATE TABLE n%s ()'),
	for_each(200, 'DROP TABLE m%s'),
	for_each(300, 'DROP TABLE n%s'),
	'DROP TABLE w, x, p2');

SKIP:
{
	skip 'pg_walinspect is not installed', 3
	  if value($node,
		q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_walinspect'}
	  ) == 0;
	value($node, 'CREATE EXTENSION pg_walinspect');
	change_setting($node, 'log_min_messages', 'debug3');
	my $from = value($node, 'SELECT pg_current_wal_insert_lsn()');
	ask($session, $_) foreach @writes;
	ask($session, q{SELECT pg_logical_emit_message(true, '', '')});
	my $to = value($node, 'SELECT pg_current_wal_flush_lsn()');
	value($node, q{SELECT pg_logical_emit_message(true, '', '')});
	ok(wait_until(30, sub { has_followed($to) }), 'WAL has been followed');
	my ($expected, $followed) = (expected($from, $to), followed($from, $to));
	cmp_ok(scalar keys %$expected, '>', 500, 'there are many changes');
	is( join("\n",
			map { "$_: " . ($followed->{$_} // 'none') }
			  grep { ($followed->{$_} // '') ne $expected->{$_} }
			  sort keys %$expected),
		'', 'all changes were found that pg_walinspect shows');
	is( join("\n", grep { !defined $expected->{$_} } sort keys %$followed),
		'', 'and no others');
	change_setting($node, 'log_min_messages', 'debug1');
}

# Only what changes rows makes blocks unusable.
load($session, 't');
my $all = resident_blocks($session, 't');
ask($session, 'SELECT count(*) FROM (SELECT 1 FROM t FOR UPDATE) x');
ask($session, 'CHECKPOINT');
ask($session, 'VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) t');
is(resident_blocks($session, 't'),
	$all, 'locks and VACUUM leave blocks as they are');
ask($session, 'UPDATE t SET v = v + 1 WHERE id = 15000');
my $left = resident_blocks($session, 't');
cmp_ok($left, '<', $all, 'a changed block is not used');
cmp_ok($left, '>', $all - 5, 'others are');
look($session, 't', 'a change');

# Commits that others see before they are flushed.
my $writer = open_session($node);
ask($writer, 'SET synchronous_commit = off');
my $reader = open_session($node);
look($reader, 't', 'before commits that are not flushed');
foreach my $round (1 .. 20)
{
	my $id = 500 * $round;
	ask($writer, "UPDATE t SET v = v + 1000000 WHERE id = $id");
	ask($writer,
		"BEGIN; SAVEPOINT a; DELETE FROM t WHERE id = $id + 1; COMMIT")
	  if $round % 3 == 0;
	look($reader, 't', "commit $round that is not flushed");
	load($session, 't') if $round % 5 == 0;
}

# A transaction's own changes, and what was under way when it was last looked.
ask($writer, 'BEGIN; UPDATE t SET v = 7 WHERE id = 12000');
look($writer, 't', 'own changes');
look($reader, 't', 'beside a transaction under way');
ask($writer, 'COMMIT');
look($reader, 't', 'a transaction that was under way');
ask($writer, q{UPDATE t SET v = 8 WHERE id = 12001});
look($writer, 't', 'changes of the transaction before');

# Its own COMMIT, after it has seen another's that began later.
my $other = open_session($node);
ask($other, 'SET synchronous_commit = off');
foreach my $round (1 .. 5)
{
	load($session, 't');
	ask($writer, "BEGIN; UPDATE t SET v = v + 9 WHERE id = 13000 + $round");
	ask($other, "UPDATE t SET v = v + 9 WHERE id = 14000 + $round");
	by_node($writer, 'SELECT count(*), sum(v) FROM t');
	ask($writer, "UPDATE t SET v = v + 9 WHERE id = 16000 + $round; COMMIT");
	look($writer, 't', "own commit $round that is not flushed");
	look($other, 't', "another's commit $round that is not flushed");
}
end_session($other);

# WAL that is gone before it has been read.
sub recycle
{
	foreach my $round (1 .. 4)
	{
		ask($session, "UPDATE t SET v = v - 1 WHERE id = 100 * $round");
		ask($session, 'SELECT pg_switch_wal()');
	}
	ask($session, 'CHECKPOINT');
	return;
}

change_setting($node, 'wal_keep_size', '0');
load($session, 't');
uses($reader, 't', 'loaded again');
my $supervisor = supervisor_pid($node);
kill 'STOP', $supervisor;
recycle();
look($reader, 't', 'WAL that is gone');
no_use($reader, 't', 'WAL that is gone');
kill 'CONT', $supervisor;
ok( wait_until(
		10, sub { logged($node, 'warpagg does not follow WAL from') > 0 }),
	'the supervisor leaves out what is gone');
look($reader, 't', 'behind a gap');
load($session, 't');
look($reader, 't', 'loaded behind a gap');
uses($reader, 't', 'loaded behind a gap');

# A device process that has been started anew.
my $pid = daemon_pid($node);
kill 'KILL', $pid;
look($reader, 't', 'the device process is gone');
ok( wait_until(
		30,
		sub { my $new = daemon_pid($node); defined $new && $new != $pid }),
	'another device process is started');
ok(wait_ready($node), 'it is ready');
ask($session, 'UPDATE t SET v = v + 2 WHERE id = 200');
look($reader, 't', 'another device process');
load($session, 't');
look($reader, 't', 'another device process, loaded');
uses($reader, 't', 'another device process, loaded');

end_session($_) foreach $session, $writer, $reader;

# A standby that is promoted, with WAL of both timelines to be read behind that.
sub replay
{
	my ($standby, @statements) = @_;

	value($node, $_)
	  foreach @statements, q{SELECT pg_logical_emit_message(true, '', '')};
	$node->wait_for_catchup($standby);
	return;
}

change_setting($node, 'wal_keep_size', '64MB');
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
ok(wait_ready($standby), 'the device process of the standby is ready');
$session = open_session($standby);
replay($standby);
load($session, 't');
uses($session, 't', 'a standby');
$supervisor = supervisor_pid($standby);
kill 'STOP', $supervisor;
replay(
	$standby,
	'UPDATE t SET v = v + 3 WHERE id = 300',
	'SELECT pg_switch_wal()',
	'UPDATE t SET v = v + 3 WHERE id = 400');
$standby->promote;
ask($session, 'UPDATE t SET v = v + 3 WHERE id = 500');
ask($session, 'SELECT pg_switch_wal()');
ask($session, 'UPDATE t SET v = v + 3 WHERE id = 600');
look($session, 't', 'a standby that was promoted');
uses($session, 't', 'a standby that was promoted');
kill 'CONT', $supervisor;
end_session($session);
$standby->stop;
$node->stop;

done_testing();
