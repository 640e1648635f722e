
# Resident columns after crashes and restarts, and where a new table gets the file
# of an old one.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FreshnessTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_fresh_node('restart', 'restart_after_crash = on',
	'wal_writer_delay = 10s');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');

# Makes a table with resident columns, and changes it, the last of which a crash may
# lose: then other WAL gets the positions that the blocks' LSNs were.
sub prepare
{
	my ($name) = @_;
	my $session = open_session($node);
	make_table($session, 't');
	uses($session, 't', "$name, before");
	ask($session, 'DELETE FROM t WHERE id % 900 = 1');
	ask($session, 'SET synchronous_commit = off');
	ask($session, 'VACUUM t');
	load($session, 't');
	look($session, 't', "$name, changed");
	uses($session, 't', "$name, changed");
	ask($session, 'UPDATE t SET v = v + 1 WHERE id % 900 = 2');
	look($session, 't', "$name, changed again");
	end_session($session);
	return;
}

# Looks when the server is there again: nothing is resident until it is loaded.
sub look_after
{
	my ($name) = @_;
	ok(wait_ready($node), "$name: the device process is ready again");
	my $session = open_session($node);
	is(ask($session, 'SELECT count(*) FROM warpagg_resident'),
		'0', "$name: nothing is resident");
	no_use($session, 't', $name);
	look($session, 't', $name);
	ask($session, 'UPDATE t SET v = v - 2 WHERE id % 900 = 3');
	ask($session, 'VACUUM t');
	look($session, 't', "$name, changed");
	cmp_ok(load($session, 't'), '>', 10000, "$name: all is loaded again");
	look($session, 't', "$name, loaded again");
	uses($session, 't', "$name, loaded again");
	end_session($session);
	return;
}

prepare('immediate stop');
$node->stop('immediate');
$node->start;
look_after('immediate stop');

prepare('restart');
$node->restart;
look_after('restart');

# A backend that crashes takes all others with it, but not the postmaster.
prepare('backend killed');
my $victim = open_session($node);
my $old_daemon = daemon_pid($node);
kill 'KILL', ask($victim, 'SELECT pg_backend_pid()');
$victim->{run}->finish;
ok( wait_until(
		60,
		sub {
			my $daemon = daemon_pid($node);
			return defined $daemon && $daemon != $old_daemon && is_up($node);
		}),
	'backend killed: the server is there again, with another device process');
look_after('backend killed');

# The device process alone; the session goes on.
prepare('device process killed');
my $session = open_session($node);
load($session, 't');
uses($session, 't', 'device process killed, before');
ask($session, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
look($session, 't', 'device process killed, before');
$old_daemon = daemon_pid($node);
kill 'KILL', $old_daemon;
look($session, 't', 'device process killed, in the same snapshot');
ask($session, 'COMMIT');
ok( wait_until(
		60,
		sub {
			my $daemon = daemon_pid($node);
			return defined $daemon && $daemon != $old_daemon;
		}),
	'device process killed: there is another');
end_session($session);
look_after('device process killed');

# Makes a database that has the number and the files of the one made before.
sub make_twin
{
	my ($strategy) = @_;
	$node->safe_psql('postgres',
		"CREATE DATABASE twin OID = 90000 TEMPLATE model STRATEGY $strategy");
	return open_session($node, 'twin');
}

# Drops it, and changes what the next will be a copy of.
sub drop_twin
{
	my ($twin, $name) = @_;
	end_session($twin);
	$node->safe_psql('postgres', 'DROP DATABASE twin');
	my $model = open_session($node, 'model');
	ask($model,
		'DELETE FROM t WHERE id = (SELECT min(id) FROM t WHERE id > 9000)');
	look($model, 't', "$name, the model");
	end_session($model);
	return;
}

# Tables that get all names that resident columns of others have: tablespace,
# database, file number, and the LSNs of the blocks where files were copied.
SKIP:
{
	skip 'CREATE DATABASE has no OID before 15', 1
	  if $node->pg_version < 15;
	$node->safe_psql('postgres', 'CREATE DATABASE model');
	$node->safe_psql('model', 'CREATE EXTENSION warpagg');
	my $model = open_session($node, 'model');
	make_table($model, 't');
	end_session($model);

	my $twin = make_twin('file_copy');
	load($twin, 't');
	look($twin, 't', 'the first twin');
	uses($twin, 't', 'the first twin');
	drop_twin($twin, 'the first twin');

	$twin = make_twin('file_copy');
	no_use($twin, 't', 'the second twin');
	look($twin, 't', 'the second twin');
	load($twin, 't');
	look($twin, 't', 'the second twin, loaded');
	uses($twin, 't', 'the second twin, loaded');
	ask($twin, 'UPDATE t SET v = -v WHERE id % 500 = 4');
	ask($twin, 'VACUUM t');
	load($twin, 't');
	look($twin, 't', 'the second twin, changed');
	uses($twin, 't', 'the second twin, changed');
	drop_twin($twin, 'the second twin');

	foreach my $strategy ('file_copy', 'wal_log')
	{
		$twin = make_twin($strategy);
		no_use($twin, 't', "$strategy after a change");
		look($twin, 't', "$strategy after a change");
		load($twin, 't');
		look($twin, 't', "$strategy after a change, loaded");
		uses($twin, 't', "$strategy after a change, loaded");
		ask($twin, 'UPDATE t SET v = -v WHERE id % 500 = 5');
		ask($twin, 'VACUUM t');
		load($twin, 't');
		drop_twin($twin, $strategy);
	}
}

# Has the next transaction have a number that is less than 2^31 from the one now, and all
# rows be frozen.
sub jump
{
	my ($xid) = @_;
	$node->stop;
	command_ok([ 'pg_resetwal', '-x', $xid, $node->data_dir ],
		"next is transaction $xid");
	my $segment = sprintf('%s/pg_xact/%04X', $node->data_dir, $xid >> 20);
	open(my $file, '>:raw', $segment) or die "could not make $segment: $!";
	print $file "\0" x (32 * 8192);
	close $file or die "could not write $segment: $!";
	$node->start;
	foreach my $database (
		split /\n/,
		$node->safe_psql('postgres', 'SELECT datname FROM pg_database'))
	{
		$node->safe_psql($database, 'SET client_min_messages = error; VACUUM FREEZE');
	}
	return;
}

# Numbers of transactions that wrap around, with rows and snapshots from before.
$node->safe_psql('postgres', 'ALTER DATABASE template0 ALLOW_CONNECTIONS true');
jump($_) foreach 2000000000, 4000000000, 4294965248;
ok(wait_ready($node), 'wraparound: the device process is ready');
my $before = open_session($node);
my $reader = open_session($node);
my $writer = open_session($node);
make_table($writer, 't');
ask($writer, 'UPDATE t SET v = v + 1 WHERE id % 300 = 1');
ask($before, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
look($before, 't', 'wraparound, before');
ask($writer, 'UPDATE t SET v = v + 1 WHERE id % 300 = 2');
load($writer, 't');
look($before, 't', 'wraparound, loaded before');
ask($writer, 'CREATE TABLE burnt (i int)');
ask($writer, q{DO $$ BEGIN FOR i IN 1 .. 3000 LOOP
	BEGIN
		INSERT INTO burnt VALUES (i);
	EXCEPTION WHEN division_by_zero THEN NULL;
	END; END LOOP; END $$});
cmp_ok(ask($writer, 'SELECT pg_current_xact_id()::text::numeric'),
	'>', 2**32, 'wraparound: numbers have wrapped around');
look($reader, 't', 'wraparound, behind');
look($before, 't', 'wraparound, a snapshot of before');
uses($reader, 't', 'wraparound, behind');
ask($writer, 'UPDATE t SET v = v + 1 WHERE id % 300 = 3');
load($writer, 't');
look($reader, 't', 'wraparound, loaded');
look($before, 't', 'wraparound, loaded, a snapshot of before');
uses($reader, 't', 'wraparound, loaded');
cmp_ok(resident_blocks($before, 't'), '>', 0,
	'wraparound, a snapshot of before uses some');
ask($before, 'COMMIT');
end_session($_) foreach $before, $reader, $writer;

$node->stop;

done_testing();
