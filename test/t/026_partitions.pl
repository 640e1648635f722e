
# Partitions that come and go once their table has been loaded: new ones are loaded for
# queries of the table that ask for them, and those that are gone leave the memory.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('partitions', 'autovacuum = off', 'fsync = off',
	'warpagg.load_workers = 0', 'warpagg.autoload = on',
	'warpagg.debug_follow_time = 3600', 'deadlock_timeout = 200ms');
$node->start;

my $as_dashboard = q{LOAD 'warpagg'; SET warpagg.enable_scan = on;
	SET max_parallel_workers_per_gather = 0;};
my $query = 'SELECT count(*), sum(v) FROM facts';

# Tests that a query answers as PostgreSQL's own plan does, in one snapshot.
sub is_right
{
	my ($name) = @_;
	my ($ours, $theirs) = split /\n/, value($node,
		"$as_dashboard BEGIN ISOLATION LEVEL REPEATABLE READ; $query;
		 SET LOCAL warpagg.enable_scan = off; $query; COMMIT");
	is($ours, $theirs, $name);
	return;
}

# Tells whether a query over so many partitions reads no block of the heap.
sub is_complete
{
	my ($partitions) = @_;
	my $plan = value($node, "$as_dashboard EXPLAIN (ANALYZE, COSTS OFF) $query");
	my $rows = value($node, 'SELECT count(*) FROM facts');
	return
	     $plan =~ /Partitions: $partitions of $partitions\n/
	  && $plan =~ /Blocks Read: 0\n/
	  && $plan =~ /Resident Rows: $rows\n/;
}

# Waits until queries have had all of so many partitions be loaded.
sub becomes_complete
{
	my ($partitions, $name) = @_;
	ok(wait_until(60, sub { return is_complete($partitions) }), $name);
	is_right("$name, and right");
	is( sums(),
		value($node, "SELECT $partitions, count(*) FROM facts"),
		"$name, as sums by the table say");
	return;
}

# Returns how many partitions of the table are resident, and with how many rows.
sub sums
{
	return value($node, q{SELECT count(DISTINCT relation),
			coalesce(sum(rows) FILTER (WHERE column_name = 'v'), 0)
		FROM warpagg_resident WHERE root = 'facts'::regclass});
}

# Returns how many columns of a table are resident.
sub columns
{
	my ($table) = @_;
	return value($node, "SELECT count(*) FROM warpagg_resident
		WHERE relation = '$table'::regclass");
}

# Waits until nothing is being loaded; what queries gain from has been loaded then.
sub rests
{
	my ($name) = @_;
	ok(wait_until(60, sub { return waiting($node) <= 0 }), $name);
	return;
}

# Returns SQL that fills a partition with rows of so many thousands from one on.
sub fill
{
	my ($first, $count) = @_;
	return qq{INSERT INTO facts (id, k, v) SELECT i, i % 10, i
		FROM generate_series(${first}000, ${first}000 + ${count}000 - 1) i};
}

# Returns SQL that makes a partition of a hundred thousand rows, without these.
sub partition
{
	my ($number) = @_;
	return "CREATE TABLE facts_$number PARTITION OF facts
		FOR VALUES FROM (${number}00000) TO (${number}99999 + 1) WITH (fillfactor = 50);";
}

value($node, 'CREATE EXTENSION warpagg;
	CREATE TABLE facts (id int, k int, v bigint) PARTITION BY RANGE (id)');
ok(wait_ready($node), 'the device process is ready');
value($node, partition(0) . partition(1) . fill(0, 200) . '; ANALYZE facts');
is(value($node, q{SELECT warpagg_load('facts', '{v}')}), '200000', 'a table is loaded');
becomes_complete(2, 'it is complete');

# One that is made later: nobody loads it before a query asks for it.
value($node, partition(2) . fill(200, 100));
value($node, "$as_dashboard $query WHERE id < 200000") foreach 1 .. 3;
rests('nothing waits for queries that leave it out');
is(columns('facts_2'), '0', 'for which it is not loaded');
becomes_complete(3, 'a new partition is loaded for queries that want it');

# A small one is loaded for queries that read others, too.
value($node, 'CREATE TABLE facts_9 PARTITION OF facts DEFAULT;' . fill(900, 1));
value($node, "$as_dashboard $query WHERE id >= 900000") foreach 1 .. 3;
rests('nothing waits for queries of a small one alone');
is(columns('facts_9'), '0', 'for which it is not loaded');
becomes_complete(4, 'it is for queries of all');
value($node, 'DROP TABLE facts_9');
becomes_complete(3, 'one is dropped');

# One that is attached with rows, and has its columns in another order.
value($node, q{CREATE TABLE extra (gone int, v bigint, k int, id int NOT NULL)
		WITH (fillfactor = 50);
	ALTER TABLE extra DROP COLUMN gone;
	INSERT INTO extra SELECT i, i % 10, i FROM generate_series(300000, 399999) i;
	ALTER TABLE facts ATTACH PARTITION extra FOR VALUES FROM (300000) TO (400000)});
is_right('right beside one that was attached');
becomes_complete(4, 'one that is attached is loaded');

# One that was loaded by itself is read again for its table.
value($node, q{CREATE TABLE own (LIKE facts) WITH (fillfactor = 50);
	INSERT INTO own SELECT i, i % 10, i FROM generate_series(400000, 499999) i;
	SELECT warpagg_load('own', '{v}')});
is(columns('own'), '1', 'a table is loaded by itself');
value($node,
	'ALTER TABLE facts ATTACH PARTITION own FOR VALUES FROM (400000) TO (500000)');
is_right('right when it has become a partition');
becomes_complete(5, 'and then it is one of the table');

# Partitions of a partition.
value($node, q{CREATE TABLE tree PARTITION OF facts FOR VALUES FROM (500000) TO (700000)
		PARTITION BY LIST (k);
	CREATE TABLE tree_few PARTITION OF tree FOR VALUES IN (0, 1, 2) WITH (fillfactor = 50);
	CREATE TABLE tree_rest PARTITION OF tree DEFAULT WITH (fillfactor = 50);}
	  . fill(500, 200));
becomes_complete(7, 'partitions of a new partition are loaded');

# Rows that go from one to another, and one that becomes empty.
value($node, 'UPDATE facts SET id = id + 100000 WHERE id BETWEEN 100000 AND 101999');
becomes_complete(7, 'rows go to another partition');
value($node, 'BEGIN; TRUNCATE facts_1; ROLLBACK');
becomes_complete(7, 'one is made empty, and not at last');
value($node, 'TRUNCATE facts_1;' . fill(120, 50));
becomes_complete(7, 'one is made empty, and filled again');

# Who leaves the table is no part of its sum, and leaves the memory when it is dropped.
my $bytes = value($node, q{SELECT sum(bytes) FROM warpagg_resident});
value($node, 'ALTER TABLE facts DETACH PARTITION extra');
becomes_complete(6, 'one is detached');
is( value($node, q{SELECT count(*) FROM warpagg_resident
		WHERE relation = 'extra'::regclass AND root <> 'extra'::regclass}),
	'0', 'it is counted by itself, if at all');
value($node, 'ALTER TABLE facts DETACH PARTITION own CONCURRENTLY');
becomes_complete(5, 'one is detached concurrently');
value($node, 'BEGIN; ALTER TABLE facts DETACH PARTITION tree; ROLLBACK');
becomes_complete(5, 'one is not detached at last');
value($node, 'ALTER TABLE facts DETACH PARTITION tree');
becomes_complete(3, 'one is detached with its partitions');
is( value($node, q{SELECT count(*) FROM warpagg_resident
		WHERE relation IN ('tree_few'::regclass, 'tree_rest'::regclass)
		AND root <> 'tree'::regclass}),
	'0', 'which are counted by the table that they are of');
value($node, 'DROP TABLE facts_2, extra, own, tree');
becomes_complete(2, 'some are dropped');
ok( wait_until(
		60,
		sub {
			return value($node, qq{SELECT count(DISTINCT relation) = 2 AND
				count(*) FILTER (WHERE relation IS NULL) = 0 AND
				sum(bytes) < $bytes / 2 FROM warpagg_resident}) eq 't';
		}),
	'which leave the memory');

# Without autoload nobody loads what is new.
change_setting($node, 'warpagg.autoload', 'off');
value($node, partition(7) . fill(700, 100));
value($node, "$as_dashboard $query") foreach 1 .. 3;
is_right('right beside a new partition without autoload');
is(columns('facts_7'), '0', 'which is not loaded then');
value($node, q{SELECT warpagg_load('facts', '{v}')});
becomes_complete(3, 'but with the table');

change_setting($node, 'warpagg.autoload', 'on');
value($node, 'UPDATE facts SET v = v + 1 WHERE id % 5000 = 7');
becomes_complete(3, 'with autoload it is followed again');

value($node, 'DROP TABLE facts');
ok( wait_until(
		60, sub { return value($node, 'SELECT count(*) FROM warpagg_resident') eq '0' }),
	'a table is dropped, and all of it leaves the memory');
is(logged($node, 'warpagg loader ERROR: '), 0, 'no loader has failed');
$node->stop;
done_testing();
