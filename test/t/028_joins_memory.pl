
# Memory of a session whose joins have many more rows than the planner thinks: it stays
# within what they may take, beside what PostgreSQL's own plan takes.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node(
	'join_memory', 'autovacuum = off', 'fsync = off',
	'shared_buffers = 16MB', 'jit = off',
	'max_parallel_workers_per_gather = 0', 'work_mem = 1MB', 'hash_mem_multiplier = 1');
$node->start;

# Of all rows x is y, which statistics do not tell; names are different, and long.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE facts AS SELECT i AS id, i % 400000 AS k FROM generate_series(1, 600000) i;
	CREATE TABLE wide AS SELECT i AS id, i % 10000 AS x, i % 10000 AS y,
		'the name of a row, which is ' || i AS name FROM generate_series(0, 399999) i;
	ALTER TABLE wide ADD PRIMARY KEY (id);
	ANALYZE facts, wide;});

my $query = 'SELECT max(w.name), count(*) FROM facts f JOIN wide w ON w.id = f.k WHERE w.x = w.y';
my $expected = value($node, $query);

# Returns the result of the query, how it was joined, and by how many megabytes the most
# memory that a session has had has grown, with so much memory for what it joins.
sub run_query
{
	my ($memory) = @_;
	my $most = q{SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+) kB')};
	my $settings = qq{LOAD 'warpagg'; SET warpagg.enable_scan = on; SET cpu_tuple_cost = 1;
		SET warpagg.enable_resident = off; SET warpagg.buffer_memory = '$memory';};
	my ($before, $result, $after) = split /\n/,
	  value($node, "$settings $most; $query; $most");
	my $plan = value($node, "$settings EXPLAIN (ANALYZE, COSTS OFF) $query");
	my ($joined) = $plan =~ /Joined By: (.*)/;
	return ($result, $joined // 'the node', ($after - $before) / 1024);
}

my ($result, $joined, $megabytes) = run_query('1GB');
is($result, $expected, 'the result is right with much memory');
is($joined, 'the node', 'and the node has joined');
note("$megabytes MB");
cmp_ok($megabytes, '>', 70, 'for which it takes as much');

($result, $joined, $megabytes) = run_query('4MB');
is($result, $expected, 'the result is right with little memory');
is($joined, q{PostgreSQL's plan, as rows of w take more than 12288 kB},
	q{and PostgreSQL's plan has joined});
# The rows, PostgreSQL's hash tables, and the server's buffers.
note("$megabytes MB");
cmp_ok($megabytes, '<', 45, 'so that it takes little');

# Where PostgreSQL's plan cannot be made beside the node's, there is an error: a partition is
# on a server of another wrapper.
SKIP:
{
	skip 'there is no file_fdw', 3
	  if value($node, q{SELECT count(*) FROM pg_available_extensions WHERE name = 'file_fdw'}) == 0;
	$node->safe_psql(
		'postgres', q{
		CREATE EXTENSION file_fdw;
		CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
		CREATE TABLE parts (id integer, k integer) PARTITION BY RANGE (id);
		CREATE FOREIGN TABLE far PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (1)
			SERVER files OPTIONS (filename '/dev/null');
		CREATE TABLE near PARTITION OF parts FOR VALUES FROM (1) TO (MAXVALUE);
		INSERT INTO near SELECT * FROM facts;
		ANALYZE parts;});
	$query =~ s/facts/parts/;
	my ($status, $output, $error) = $node->psql('postgres',
		qq{LOAD 'warpagg'; SET warpagg.enable_scan = on; SET cpu_tuple_cost = 1;
		SET warpagg.buffer_memory = '4MB'; $query});
	isnt($status, 0, 'else there is an error');
	like(
		$error,
		qr/ERROR:  what a query joins takes more memory than it may\nDETAIL:  The rows of w take more than 12288 kB\.\nHINT: /,
		'which says so');
	is(value($node, "SET warpagg.enable_scan = off; $query"),
		$expected, 'and none without the node');
}

$node->stop;
done_testing();
