
# The loader that follows: what has changed of tables that queries use is read again,
# without VACUUM and without being asked for, and the loader ends when they use nothing.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('follow', 'autovacuum = off', 'fsync = off',
	'warpagg.load_workers = 0', 'warpagg.autoload = on',
	'warpagg.debug_follow_time = 3600', 'deadlock_timeout = 200ms',
	'wal_level = replica', 'max_wal_senders = 5');
$node->start;

# What a dashboard asks.
my $as_dashboard = q{LOAD 'warpagg'; SET warpagg.enable_scan = on;
	SET max_parallel_workers_per_gather = 0;};

# Runs a query over a table, as a dashboard does.
sub ask
{
	my ($table) = @_;
	return value($node, "$as_dashboard SELECT count(*), sum(v) FROM $table");
}

# Tests that a query answers as PostgreSQL's own plan does, in one snapshot.
sub is_right
{
	my ($table, $name) = @_;
	my $query = "SELECT count(*), sum(v) FROM $table";
	my ($ours, $theirs) = split /\n/, value($node,
		"$as_dashboard BEGIN ISOLATION LEVEL REPEATABLE READ; $query;
		 SET LOCAL warpagg.enable_scan = off; $query; COMMIT");
	is($ours, $theirs, $name);
	return;
}

# Tells whether a query reads no block of the heap, and answers right.
sub is_complete
{
	my ($table) = @_;
	my $plan = value($node,
		"$as_dashboard EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*), sum(v) FROM $table");
	my $rows = value($node, "SELECT count(*) FROM $table");
	return $plan =~ /Blocks Read: 0\n/ && $plan =~ /Resident Rows: $rows\n/;
}

# Waits until all of a table is resident and fresh; nobody but the loader does something.
sub becomes_complete
{
	my ($table, $name) = @_;
	ok(wait_until(30, sub { return is_complete($table) }), $name);
	is_right($table, "$name, and right");
	return;
}

# Returns the pid of the loader of a database, '' if there is none.
sub loader
{
	my ($database) = @_;
	return value($node, q{SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'warpagg loader' AND datname = '}
		  . ($database // 'postgres') . q{'});
}

# Makes a table.
sub make_table
{
	my ($table, $rows) = @_;
	value($node,
		"CREATE TABLE $table (id int, k int, v bigint) WITH (fillfactor = 50);
		 INSERT INTO $table SELECT i, i % 10, i FROM generate_series(1, $rows) i;
		 ANALYZE $table");
	return;
}

value($node, 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');

# A table that nobody vacuums is loaded for a query, and followed.
make_table('facts', 100000);
ok( wait_until(
		60,
		sub {
			ask('facts');
			return value($node, q{SELECT count(*) FROM warpagg_resident
				WHERE relation = 'facts'::regclass}) eq '1';
		}),
	'a query has its column loaded');
becomes_complete('facts', 'all of it is resident');
my $loader = loader();
isnt($loader, '', 'the loader stays');
ok( wait_until(
		10,
		sub {
			return value($node, "SELECT query FROM pg_stat_activity WHERE pid = $loader")
			  eq 'following resident columns';
		}),
	'and says what it does');

# Changes of all kinds, each of which is read again.
my @changes = (
	[ 'an update', 'UPDATE facts SET v = -v WHERE id % 5000 = 7' ],
	[ 'a deletion', 'DELETE FROM facts WHERE id % 3000 = 11' ],
	[
		'new rows',
		'INSERT INTO facts SELECT i, i % 10, i FROM generate_series(1, 30000) i'
	],
	[
		'rows of transactions that were rolled back',
		'BEGIN; UPDATE facts SET v = 0 WHERE id % 2000 = 3;
		 INSERT INTO facts SELECT i, 1, 1 FROM generate_series(1, 5000) i; ROLLBACK'
	],
	[
		'rows of a subtransaction',
		'BEGIN; SAVEPOINT a; UPDATE facts SET v = 1 WHERE id % 2500 = 9;
		 ROLLBACK TO a; UPDATE facts SET v = 2 WHERE id % 2500 = 8; COMMIT'
	],
	[ 'VACUUM', 'VACUUM facts' ]);
foreach my $change (@changes)
{
	value($node, $change->[1]);
	is_right('facts', "right after $change->[0]");
	becomes_complete('facts', "after $change->[0] all is resident again");
}

# A table that becomes a partition, or is one no more, is read again as a whole: it stays
# pinned, and what is known of its use begins anew.
sub is_read_anew
{
	my ($change, $name) = @_;
	my $queries = value($node, q{SELECT queries FROM warpagg_resident
		WHERE relation = 'facts'::regclass});
	value($node, $change);
	ok( wait_until(
			30,
			sub {
				return value($node, qq{SELECT pinned AND queries < $queries
					FROM warpagg_resident WHERE relation = 'facts'::regclass}) eq
				  't';
			}),
		$name);
	becomes_complete('facts', "$name, and then complete");
	return;
}
value($node, q{SELECT warpagg_pin('facts');
	CREATE TABLE years (v bigint, id int, k int) PARTITION BY RANGE (id)});
is_read_anew('ALTER TABLE years ATTACH PARTITION facts DEFAULT',
	'what becomes a partition is read again');
is_read_anew('ALTER TABLE years DETACH PARTITION facts',
	'what is a partition no more is read again');
value($node, q{SELECT warpagg_unpin('facts'); DROP TABLE years});
is(loader(), $loader, 'by the same loader');

# A change that is not committed for a while.
my $open = start_query($node,
	'BEGIN; UPDATE facts SET v = 5 WHERE id % 4000 = 1; SELECT pg_sleep(2); COMMIT');
ok(wait_asleep($node, 1), 'a transaction is open');
is_right('facts', 'right beside it');
ok(!is_complete('facts'), 'what it has changed is read from the heap');
finish_query($open);
becomes_complete('facts', 'once it has ended all is resident');

# Beside writers the share stays high.
my @writers = map {
	start_query($node, join(';', map {
		"INSERT INTO facts SELECT i, 3, i FROM generate_series(1, 20) i;"
		  . "UPDATE facts SET v = v + 1 WHERE id = 100 * $_; SELECT pg_sleep(0.01)"
	} 1 .. 200))
} 1 .. 3;
is_right('facts', 'right beside writers') foreach 1 .. 10;
finish_query($_) foreach @writers;
becomes_complete('facts', 'behind writers all is resident');

# Columns of a query that PostgreSQL answers by an index.
make_table('indexed', 200000);
value($node, 'CREATE INDEX ON indexed (id); VACUUM ANALYZE indexed');
my $narrow = 'EXPLAIN (COSTS OFF) SELECT count(*), sum(v) FROM indexed WHERE id';
like(value($node, "$as_dashboard $narrow BETWEEN 7 AND 900"), qr/Index/, 'an index is used');
ok(wait_until(30, sub { return waiting($node) <= 0 }), 'nothing waits');
my $columns = q{SELECT coalesce(string_agg(column_name, ',' ORDER BY column_name), '')
	FROM warpagg_resident WHERE relation = 'indexed'::regclass};
is(value($node, $columns), '', 'for a few rows nothing is loaded');
like(value($node, "$as_dashboard $narrow BETWEEN 100 AND 20000"), qr/Index/,
	'an index is used for more rows');
ok( wait_until(30, sub { return value($node, $columns) eq 'id,v' }),
	'for which the columns are loaded');
ok( wait_until(
		30,
		sub {
			return value($node, "$as_dashboard $narrow BETWEEN 100 AND 20000") =~ /\(WarpAgg\)/;
		}),
	'and then used');
value($node, q{CREATE ROLE other; GRANT SELECT (id) ON indexed TO other;
	SELECT warpagg_unload('indexed')});
like(
	messages($node, "$as_dashboard SET ROLE other; $narrow BETWEEN 100 AND 20000"),
	qr/permission denied/,
	'who may not select from a column plans a query');
ok(wait_until(30, sub { return waiting($node) <= 0 }), 'nothing waits');
is(value($node, $columns), '', 'but not for who may not select from them');

# Tables that change their storage, or go, while it follows.
foreach my $statement (
	'ALTER TABLE facts ADD COLUMN w int DEFAULT 1',
	'ALTER TABLE facts ALTER COLUMN k TYPE bigint',
	'BEGIN; LOCK TABLE facts; SELECT pg_sleep(1); COMMIT',
	'TRUNCATE facts; INSERT INTO facts SELECT i, 1, i FROM generate_series(1, 90000) i',
	'VACUUM FULL facts')
{
	my $start = time();
	value($node, $statement);
	cmp_ok(time() - $start, '<', 20, $statement);
	is_right('facts', 'right after it');
	ok( wait_until(
			30,
			sub {
				ask('facts');
				return is_complete('facts');
			}),
		'and all is resident again');
}
is(value($node, q{SELECT count(*) FROM warpagg_resident WHERE relation IS NULL}),
	'0', 'old storages are forgotten');
value($node, 'DROP TABLE indexed, facts');
ok( wait_until(
		30,
		sub { return value($node, q{SELECT count(*) FROM warpagg_resident}) eq '0' }),
	'so are tables that are dropped');

# The device process ends while it follows.
make_table('facts', 100000);
ok(wait_until(60, sub { ask('facts'); return is_complete('facts') }),
	'a table is resident');
kill 'KILL', daemon_pid($node);
ok(wait_until(60, sub { ask('facts'); return is_complete('facts') }),
	'and again, after the device process has ended');

# Another database, with a loader of its own, which makes room.
value($node, 'CREATE DATABASE elsewhere');
$node->safe_psql('elsewhere', "CREATE EXTENSION warpagg;
	CREATE TABLE far AS SELECT i AS v FROM generate_series(1, 200000) i");
ok( wait_until(
		60,
		sub {
			$node->safe_psql('elsewhere', "$as_dashboard SELECT sum(v) FROM far");
			return $node->safe_psql('elsewhere',
				'SELECT count(*) FROM warpagg_resident WHERE relation IS NOT NULL') eq '1';
		}),
	'a table of another database is resident');
isnt(loader('elsewhere'), '', 'followed by a loader of its own');
is(messages($node, 'DROP DATABASE elsewhere'), '', 'which makes room');

# It ends when nothing is used, and a query that finds changes has it start again.
change_setting($node, 'warpagg.debug_follow_time', '2s');
ok(wait_until(30, sub { return loader() eq '' }), 'the loader ends when nothing is used');
value($node, 'UPDATE facts SET v = 7 WHERE id % 1000 = 1');
ask('facts');
ok(wait_until(30, sub { return loader() ne '' }), 'a query starts one');
becomes_complete('facts', 'and all is resident again');

# Without autoload it does not follow.
change_setting($node, 'warpagg.debug_follow_time', '1h');
ask('facts');
change_setting($node, 'warpagg.autoload', 'off');
ok(wait_until(30, sub { return loader() eq '' }), 'without autoload it ends');
value($node, 'UPDATE facts SET v = 8 WHERE id % 1000 = 1');
ask('facts') foreach 1 .. 3;
is(loader(), '', 'and no query starts one');

# A standby has a loader of its own, which follows what is replayed.
change_setting($node, 'warpagg.autoload', 'on');
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
my $primary = $node;
$node = $standby;
ok(wait_ready($node), 'the device process of a standby is ready');
ok(wait_until(60, sub { ask('facts'); return is_complete('facts') }),
	'a table is resident there');
value($primary, 'UPDATE facts SET v = 9 WHERE id % 700 = 1;
	INSERT INTO facts SELECT i, 2, i FROM generate_series(1, 9000) i');
$primary->wait_for_catchup($standby);
becomes_complete('facts', 'and again, when changes were replayed');
is($primary->safe_psql('postgres', 'SELECT count(*), sum(v) FROM facts'),
	ask('facts'), 'as on the primary');
$standby->stop;

is(logged($primary, 'warpagg loader ERROR: '), 0, 'no loader has failed');
is(logged($standby, 'warpagg loader ERROR: '), 0, 'nor on the standby');
$primary->stop;
done_testing();
