# Memory of the device process: what queries take together, and what it has in all,
# stays within the limits whatever the planner expects of them.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use WarpaggTest;

my $mb = 1024 * 1024;

# Of a process without queries: its program, its threads, what allocators keep.
my $process = 64 * $mb;

my $node = make_node(
	'memory',
	'shared_buffers = 256MB',
	'autovacuum = off',
	"shared_preload_libraries = 'warpagg'",
	"warpagg.memory_limit = '100MB'",
	'warpagg.enable_scan = on',
	"warpagg.accelerate = 'exact'",
	'max_parallel_workers_per_gather = 0');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is there');

# Returns a column of warpagg_memory for a kind.
sub memory
{
	my ($kind, $column) = @_;
	return $node->safe_psql('postgres',
		"SELECT ${column}_bytes FROM warpagg_memory WHERE kind = '$kind'");
}

# Returns the most memory that the device process has had, in bytes.
sub most_memory
{
	my $pid = daemon_pid($node);
	my $status = slurp_file("/proc/$pid/status");
	my ($kilobytes) = $status =~ /^VmHWM:\s*(\d+) kB/m or die 'no VmHWM';
	return $kilobytes * 1024;
}

# An owner who is no superuser may have the planner expect ten groups of a million.
$node->safe_psql('postgres',
	'CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner');
$node->safe_psql(
	'postgres', q{
	SET ROLE owner;
	CREATE TABLE many AS SELECT (i::bigint * 1000003) % 98765431 AS id, i AS a, i AS b, i % 7 AS c
		FROM generate_series(1, 1000000) i;
	ALTER TABLE many ALTER id SET (n_distinct = 10);
	ANALYZE many;});
$node->safe_psql('postgres', 'VACUUM many');
is( $node->safe_psql(
		'postgres', q{SET ROLE owner; SELECT warpagg_load('many')}),
	'1000000',
	'the table is resident');

my $before = most_memory();
my $resident = memory('resident', 'current');
cmp_ok($resident, '>', 10 * $mb, 'its columns are counted');
cmp_ok(memory('staging', 'current'), '>', 0, 'and so is staging');

my $groups = 'SELECT count(*), sum(s), sum(v) FROM '
  . '(SELECT id, sum(a) AS s, avg(b) AS v FROM many GROUP BY id OFFSET 0) y';
my $few = 'SELECT c, sum(a), avg(b) FROM many GROUP BY c ORDER BY c';
my $expected = $node->safe_psql('postgres', "SET warpagg.enable_scan = off; $groups");

# One query, and several at once, with little memory each and with much.
foreach my $case ([ '64kB', 1 ], [ '64kB', 8 ], [ '1GB', 8 ])
{
	my ($work_mem, $sessions) = @$case;
	my @queries =
	  map { start_query($node, "SET work_mem = '$work_mem'; $groups") }
	  1 .. $sessions;
	my @results = map { [ finish_query($_) ] } @queries;

	is_deeply(
		[ map { $_->[1] } @results ],
		[ ($expected) x $sessions ],
		"results of $sessions sessions are right, work_mem $work_mem");
	is(join('', map { $_->[2] } @results), '', 'and nothing is said');
	cmp_ok(memory('queries', 'peak'), '<=', memory('queries', 'limit'),
		'queries have kept to their limit together');
	cmp_ok(memory('all', 'peak'), '<=', memory('all', 'limit'),
		'and all to that of the process');
	cmp_ok(most_memory() - $before, '<', memory('queries', 'limit') + $process,
		'which is what the system sees');
}
cmp_ok(stat_value($node, 'fallback_query_memory'), '>=', 9, 'it is counted');
is(stat_value($node, 'fallback_device_error'), 0, 'not as an error');
is(stat_value($node, 'fallback_resting'), 0, 'nor is the device left alone');
unlike(slurp_file($node->logfile), qr/WARNING/, 'there is no warning');

# What has room is answered as before.
my $queries = stat_value($node, 'queries');
$node->safe_psql('postgres', "SET work_mem = '64kB'; $few");
is(stat_value($node, 'queries'), $queries + 1, 'a query with few groups');

# A session counts on tables that the device process has had when it was asked.  Where they
# had to go meanwhile, for those of other queries, they are made, and given anew.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE few_facts AS SELECT i AS id, i % 1000 AS a, i % 7 AS b FROM generate_series(1, 200000) i;
	CREATE TABLE small AS SELECT i AS id, i % 10 AS x FROM generate_series(0, 900) i;
	ALTER TABLE small ADD PRIMARY KEY (id);
	CREATE TABLE large AS SELECT i AS id, i * 1000003::bigint AS x FROM generate_series(0, 500000) i;
	ALTER TABLE large ADD PRIMARY KEY (id);});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) few_facts, small, large');
$node->safe_psql('postgres',
	q{SELECT warpagg_load(name::regclass) FROM unnest(ARRAY['few_facts', 'small', 'large']) name});
my $settings = q{SET cpu_tuple_cost = 1; SET enable_indexscan = off; SET enable_bitmapscan = off;
	SET work_mem = '64MB';};
my $joined = 'SELECT x, count(*), sum(b) FROM few_facts JOIN small ON small.id = a GROUP BY 1 ORDER BY 1';
my $explained = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $joined";
# Each has tables of its own, of some megabytes.
my $others = join '',
  map { "SELECT count(*), sum(x + $_) FROM few_facts JOIN large ON large.id = few_facts.id AND x > $_;" }
  1 .. 8;
$expected = $node->safe_psql('postgres', "SET warpagg.enable_scan = off; $joined");
is($node->safe_psql('postgres', "$settings $joined"), $expected, 'tables are given');
my ($rc, $out, $err) = $node->psql(
	'postgres', "$settings $explained; $explained; SET client_min_messages = debug2; $joined;
	SET client_min_messages = error; $others SET client_min_messages = debug2; $joined; $explained");
is($rc, 0, 'a session runs all');
is(scalar(() = $out =~ /Reused by Device Process/g), 2, 'it has read nothing of them');
is(scalar(() = $out =~ /^\Q$expected\E$/mg), 2, 'nor other results, before and after they had to go');
is(scalar(() = $err =~ /does not keep any more/g), 1, 'it has made them once');
is(scalar(() = $err =~ /gives tables to its device process/g), 1, 'and given them');
like($out, qr/Reused\n.*Resident Rows: 200000/s, 'for all queries to come');
# Where nothing happens meanwhile a session is told once that all is as it was; what the server
# writes by itself may come between.
($rc, $out, $err) = $node->psql('postgres',
	"$settings SET client_min_messages = debug2;" . " $joined;" x 6 . " UPDATE small SET x = x; $joined;");
is(scalar(() = $out =~ /^\Q$expected\E$/mg), 7, 'results are the same again and again');
my @asked = $err =~ /asks for stamps/g;
cmp_ok(scalar(@asked), '>=', 2, 'it asks what has changed, again after an update');
cmp_ok(scalar(@asked), '<=', 4, 'and not each time');

# Another process begins anew.
my $pid = daemon_pid($node);
kill('KILL', $pid);
ok( wait_until(
		60,
		sub {
			my $now = daemon_pid($node);
			return defined $now && $now != $pid;
		}),
	'another device process is there');
ok(wait_ready($node), 'and ready');
is(memory('resident', 'current'), 0, 'which has nothing');
is(memory('queries', 'peak'), 0, 'and never had');
$node->stop;

done_testing();
