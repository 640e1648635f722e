
# A partitioned table whose partitions are on other servers, by postgres_fdw: what these
# are asked, what their nodes take, and that results are those of the same rows in a table.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my ($share) = run_command([ 'pg_config', '--sharedir' ]);
my ($libraries) = run_command([ 'pg_config', '--pkglibdir' ]);
plan skip_all => 'this PostgreSQL has no postgres_fdw or no auto_explain'
  unless -e "$share/extension/postgres_fdw.control"
  && -e "$libraries/auto_explain.so";

my $columns = 'site integer, sensor integer, at timestamp, v integer, '
  . 'n numeric, f float8, t text';

# Returns SQL that inserts rows of three sites.
sub insert
{
	my ($table, $first_site) = @_;
	return "INSERT INTO $table (site, sensor, at, v, n, f, t)
		SELECT $first_site + x % 3, x % 20, timestamp '2026-01-01' + x * interval '5 minutes',
			x % 1000, x / 8.0, x / 7.0, 't' || x % 11
		FROM generate_series(1, 20000) x;";
}

# Makes a server with two tables of rows, one of them with partitions of its own, whose
# columns are in another order.
sub make_shard
{
	my ($name, $first_site) = @_;
	my $node = make_node($name, 'warpagg.enable_scan = on',
		"shared_preload_libraries = 'warpagg,auto_explain'",
		'auto_explain.log_min_duration = 0');
	$node->start;
	value($node, "CREATE EXTENSION warpagg;
		CREATE TABLE plain ($columns);
		CREATE TABLE parts (t text, f float8, n numeric, v integer, at timestamp,
			sensor integer, site integer) PARTITION BY RANGE (at);
		CREATE TABLE parts_1 PARTITION OF parts DEFAULT;
		CREATE TABLE parts_2 PARTITION OF parts
			FOR VALUES FROM ('2026-01-15') TO ('2026-02-15');"
		  . insert('plain', $first_site)
		  . insert('parts', $first_site + 3)
		  . 'ANALYZE');
	return $node;
}

my @shards = (make_shard('shard1', 10), make_shard('shard2', 20));
my $coordinator = make_node('coordinator', 'warpagg.enable_scan = on',
	"shared_preload_libraries = 'warpagg'");
$coordinator->start;
my ($user) = value($coordinator, 'SELECT current_user');

value($coordinator, "CREATE EXTENSION warpagg; CREATE EXTENSION postgres_fdw;
	CREATE TABLE readings ($columns) PARTITION BY LIST (site);
	CREATE TABLE far ($columns) PARTITION BY LIST (site);
	CREATE TABLE home PARTITION OF readings FOR VALUES IN (1, 2, 3);"
	  . insert('home', 1));
foreach my $i (1, 2)
{
	my ($host, $port) = ($shards[ $i - 1 ]->host, $shards[ $i - 1 ]->port);
	value($coordinator, "
		CREATE SERVER shard$i FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'postgres', fetch_size '1000',
				fdw_tuple_cost '0.2');
		CREATE USER MAPPING FOR CURRENT_USER SERVER shard$i OPTIONS (user '$user');");
	foreach my $table ('readings', 'far')
	{
		value($coordinator, "
			CREATE FOREIGN TABLE ${table}_${i}_plain PARTITION OF $table
				FOR VALUES IN (${i}0, ${i}1, ${i}2)
				SERVER shard$i OPTIONS (schema_name 'public', table_name 'plain');
			CREATE FOREIGN TABLE ${table}_${i}_parts PARTITION OF $table
				FOR VALUES IN (${i}3, ${i}4, ${i}5)
				SERVER shard$i OPTIONS (schema_name 'public', table_name 'parts');");
	}
}
value($coordinator, 'SET warpagg.enable_scan = off;
	CREATE TABLE readings_here AS SELECT * FROM readings;
	CREATE TABLE far_here AS SELECT * FROM far;
	ANALYZE');

# Counts the plans with a node that the shards have run, and those without.
sub shard_plans
{
	my ($pattern) = @_;
	my $count = 0;
	$count += logged($_, $pattern) foreach @shards;
	return $count;
}

# Tests that a query has the same results over a partitioned table as over a table with
# its rows, that its plan here is as expected, and how many queries the nodes and how many
# scans of PostgreSQL's the shards have run for it.
sub is_as_here
{
	my ($name, $settings, $query, $plan, $nodes, $scans) = @_;
	my $same = "$settings; $query" =~ s/\b(readings|far)\b/${1}_here/gr;
	my $before_nodes = shard_plans(qr/Custom Scan \(WarpAgg\)/);
	my $before_scans = shard_plans(qr/Seq Scan/);
	my $rows = value($coordinator, "$settings; $query");

	is($rows, value($coordinator, "SET warpagg.enable_scan = off; $same"),
		"$name: the same rows");
	isnt($rows, '', "$name: there are rows");
	is(shard_plans(qr/Custom Scan \(WarpAgg\)/) - $before_nodes,
		$nodes, "$name: nodes on shards");
	is(shard_plans(qr/Seq Scan/) - $before_scans, $scans, "$name: scans on shards");
	like(value($coordinator, "$settings; EXPLAIN (COSTS OFF) $query"),
		$plan, "$name: the plan");
	return;
}

my $built_in = 'count(*), sum(v), avg(v), sum(n), avg(n), max(t), min(at), stddev(n)';
my $twins = 'gpu_count(*), gpu_sum(v), gpu_avg(f), gpu_sum(f), gpu_max(t), gpu_var_pop(f)';
my $whole = 'SET enable_partitionwise_aggregate = off';
my $by_partition = 'SET enable_partitionwise_aggregate = on';
my $pushed = qr/Foreign Scan\n\s+Relations: Aggregate on/;

# What is grouped by the key of the partitions is computed where they are.
foreach my $more ('', ', sensor', ", at::date")
{
	is_as_here("by site$more", $by_partition,
		"SELECT site$more, $built_in FROM far
		 WHERE v % 7 <> 3 GROUP BY site$more ORDER BY 1, 2, 3",
		$pushed, 4, 0);
}
is_as_here('HAVING', $by_partition,
	'SELECT site, count(*) FROM far WHERE sensor < 9 GROUP BY site
	 HAVING sum(v) > 1000 ORDER BY 1', $pushed, 4, 0);
is_as_here('two levels', $by_partition,
	'SELECT sensor, sum(rows), sum(total), max(most) FROM
		(SELECT site, sensor, count(*) AS rows, sum(v) AS total, max(t) AS most
		 FROM far GROUP BY site, sensor) s
	 GROUP BY sensor ORDER BY sensor', $pushed, 4, 0);

# Otherwise rows are fetched: PostgreSQL has no way to ask for partial states.
foreach my $settings ($whole, $by_partition)
{
	is_as_here("$settings, by sensor", $settings,
		"SELECT sensor, $built_in FROM far GROUP BY sensor ORDER BY 1",
		qr/^(?!.*Custom Scan).*WarpAgg: not used: it is over a foreign table/s, 0, 6);
	is_as_here("$settings, mixed, by sensor", $settings,
		"SELECT sensor, $built_in FROM readings GROUP BY sensor ORDER BY 1",
		qr/Custom Scan \(WarpAgg\) on readings.*Partitions: 5 of 5.*Foreign Scan/s, 0, 6);
	is_as_here("$settings, mixed, all", $settings,
		"SELECT $built_in FROM readings WHERE v < 500",
		qr/Custom Scan \(WarpAgg\) on readings.*Foreign Scan/s, 0, 6);
}

# Mixed partitions, by their key: each where it is, or all rows here.
is_as_here('mixed, by site', $by_partition,
	"SELECT site, $built_in FROM readings GROUP BY site ORDER BY 1",
	$pushed, 4, 0);
is_as_here('mixed, by site, as a whole', $whole,
	"SELECT site, $built_in FROM readings GROUP BY site ORDER BY 1",
	qr/Custom Scan \(WarpAgg\) on readings/, 0, 6);

# Aggregates of the extension are asked for where servers are said to have it.
is_as_here('gpu_, not told', $by_partition,
	"SELECT site, $twins FROM far GROUP BY site ORDER BY 1",
	qr/^(?!.*Relations: Aggregate)/s, 0, 6);
value($coordinator, "ALTER SERVER shard$_ OPTIONS (ADD extensions 'warpagg')") foreach 1, 2;
is_as_here('gpu_', $by_partition,
	"SELECT site, $twins FROM far GROUP BY site ORDER BY 1", $pushed, 4, 0);
is_as_here('gpu_, mixed', $by_partition,
	"SELECT site, sensor, $twins FROM readings GROUP BY site, sensor ORDER BY 1, 2",
	$pushed, 4, 0);
is_as_here('gpu_, by sensor', $by_partition,
	"SELECT sensor, $twins FROM readings GROUP BY sensor ORDER BY 1",
	qr/Custom Scan \(WarpAgg\) on readings/, 0, 6);

# Several shards work at the same time.
value($coordinator, "ALTER SERVER shard$_ OPTIONS (ADD async_capable 'true')") foreach 1, 2;
is_as_here('at the same time', $by_partition,
	"SELECT site, $built_in FROM far GROUP BY site ORDER BY 1",
	qr/Async Foreign Scan/, 4, 0);
is_as_here('at the same time, below a node', $whole,
	"SELECT sensor, $twins FROM readings GROUP BY sensor ORDER BY 1",
	qr/Custom Scan \(WarpAgg\) on readings.*->  Foreign Scan/s, 0, 6);

# Partitions are pruned while a query runs: shards are not asked.
my $one = 'SELECT count(*), sum(v) FROM readings WHERE site =';
foreach my $site (2, 11, 24)
{
	# Two partitions of a shard's own are two scans.
	my $scans = $site == 2 ? 0 : $site == 11 ? 1 : 2;
	is_as_here("site $site of a subselect", $whole,
		"$one (SELECT $site + length(''))",
		qr/Custom Scan \(WarpAgg\) on readings/, 0, $scans);
	is_as_here("site $site of a prepared statement",
		"$whole; SET plan_cache_mode = force_generic_plan;
		 PREPARE one(integer) AS $one \$1", "EXECUTE one($site)",
		qr/Subplans Removed: 4/, 0, $scans);
}
is_as_here('a site for each row', $whole,
	'SELECT s, (SELECT sum(v) FROM readings WHERE site = s AND sensor < 5)
	 FROM generate_series(0, 12) s ORDER BY s',
	qr/Custom Scan \(WarpAgg\) on readings/, 0, 3);

# Rows that have changed on a shard, and a shard that fails.
value($shards[0], 'UPDATE plain SET v = v + 1 WHERE sensor = 3; DELETE FROM parts
	WHERE sensor = 4');
is( value($coordinator, 'SELECT sum(v), count(*) FROM readings WHERE site < 20'),
	value($coordinator, 'SELECT sum(v + (sensor = 3 AND site IN (10, 11, 12))::integer), count(*)
		FROM readings_here WHERE site < 20 AND (sensor <> 4 OR site NOT IN (13, 14, 15))'),
	'changes of a shard are seen');
value($shards[0], 'ALTER TABLE plain RENAME COLUMN v TO w');
my ($rc, $out, $err) = $coordinator->psql('postgres',
	'SELECT sensor, sum(v) FROM readings GROUP BY sensor');
like($err, qr/column "v" does not exist/, 'an error of a shard is the query\'s');
value($shards[0], 'ALTER TABLE plain RENAME COLUMN w TO v');
like(value($coordinator, 'SELECT sum(v) FROM readings'), qr/^\d+$/, 'and no longer');

$_->stop foreach $coordinator, @shards;
done_testing();
