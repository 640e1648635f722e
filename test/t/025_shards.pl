
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
	my $same = "$settings; $query" =~ s/\b(readings|far|odd)\b/${1}_here/gr;
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

# What is grouped otherwise, too, if it is merged exactly: the node here puts it together.
my $sums = 'count(*), count(t), sum(v), avg(v), sum(n), avg(n), max(t), min(at), max(n),
	bit_and(v), bit_xor(v), bool_and(v < 999), bool_or(n > 2400)';
my $merged = qr/Custom Scan \(WarpAgg\) on .*Relations: Aggregate on/s;
foreach my $settings ($whole, $by_partition)
{
	foreach my $table ('far', 'readings')
	{
		is_as_here("$settings, $table by sensor", $settings,
			"SELECT sensor, $sums FROM $table GROUP BY sensor ORDER BY 1",
			$merged, 4, 0);
		is_as_here("$settings, $table, all", $settings,
			"SELECT $sums FROM $table WHERE v < 500", $merged, 4, 0);
	}
}
is_as_here('by expressions', $whole,
	"SELECT at::date, v % 3, $sums FROM readings GROUP BY at::date, v % 3 ORDER BY 1, 2",
	$merged, 4, 0);
is_as_here('HAVING, not by site', $whole,
	'SELECT sensor, sum(v) FROM readings GROUP BY sensor HAVING min(v) > 5 AND count(*) > 9
	 ORDER BY 1', $merged, 4, 0);
is_as_here('FILTER', $whole,
	"SELECT sensor, count(*) FILTER (WHERE v > 900), sum(n) FILTER (WHERE t = 't4'),
		max(t) FILTER (WHERE v > 5000) FROM readings GROUP BY sensor ORDER BY 1",
	$merged, 4, 0);
is_as_here('LIMIT', $whole,
	'SELECT v, sum(n), count(*) FROM readings GROUP BY v ORDER BY sum(n) DESC, v LIMIT 5',
	$merged, 4, 0);
is_as_here('shifted', $whole,
	'SELECT sensor, sum(v), sum(v + 3), min(v - 7), avg(v * 1) FROM readings
	 GROUP BY sensor ORDER BY 1', $merged, 4, 0);
is_as_here('no rows', $whole,
	'SELECT count(*), sum(v), min(t), avg(n) FROM readings WHERE v < 0', $merged, 4, 0);
is_as_here('no groups', $whole,
	"SELECT 'none', count(c) FROM (SELECT sensor, count(*) AS c FROM readings WHERE v < 0
	 GROUP BY sensor) s", $merged, 4, 0);
is_as_here('more groups than there is memory for', "$whole; SET work_mem = '64kB';
	SET hash_mem_multiplier = 1; SET enable_hashagg = off; SET enable_sort = off",
	"SELECT count(*), sum(c), sum(s * sensor), sum(n * v), count(t)
	 FROM (SELECT v, sensor, count(*) AS c, sum(v) AS s, sum(n) AS n, max(t) AS t FROM readings
		 GROUP BY v, sensor) x",
	$merged, 4, 0);

# A query names what it asks the servers for.
like(value($coordinator, "EXPLAIN (VERBOSE, COSTS OFF)
	SELECT sensor, avg(v), max(t) FILTER (WHERE v > 1) FROM far WHERE n > 2 GROUP BY sensor"),
	qr/Remote\ SQL:\ SELECT\ sensor,\ count\(v\),\ sum\(v\),
		.*max\(t\)\ FILTER\ \(WHERE\ \(v\ >\ 1\)\)
		\ FROM\ public\.plain\ WHERE\ \(\(n\ >\ 2::numeric\)\)\ GROUP\ BY\ 1/x,
	'aggregates are in the remote query');

# Rows are read where an aggregate has to see them.
is_as_here('lists', $whole,
	"SELECT sensor, count(*), sum(v), string_agg(DISTINCT t, ','), array_agg(v ORDER BY v)
	 FROM readings GROUP BY sensor ORDER BY sensor",
	qr/Custom Scan \(WarpAgg\).*string_agg/s, 0, 6);

# Otherwise rows are fetched.
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

# Servers have fulfilled what is said of the rows that come from there, and do not send what it
# was said of.
$coordinator->safe_psql('postgres',
	'CREATE TABLE few AS SELECT x AS sensor FROM generate_series(0, 6) x');
is_as_here('a set', $whole,
	"SELECT count(*), sum(n) FROM readings
	 WHERE (sensor IN (SELECT sensor FROM few) OR at < '2026-01-02') AND v < 500",
	qr/Custom Scan \(WarpAgg\) on readings.*Foreign Scan/s, 0, 6);

# Numbers that are not finite, and those that show more digits on one server than on others.
foreach my $i (1, 2)
{
	my $infinity = $i == 1 ? 'Infinity' : '-Infinity';
	value($shards[ $i - 1 ], "CREATE TABLE odd (site integer, k integer, n numeric, b bigint, s smallint);
		INSERT INTO odd SELECT ${i}0, x % 10, CASE x % 10 WHEN 0 THEN NULL
			WHEN 1 THEN '$infinity' WHEN 2 THEN CASE WHEN x = 42 THEN numeric '$infinity' END
			WHEN 3 THEN CASE WHEN x = 43 AND $i = 2 THEN numeric 'NaN' ELSE 1.5 END
			WHEN 4 THEN CASE WHEN $i = 1 THEN 1.000000 ELSE 2.00 END
			ELSE x * 1e20 END, 9223372036854775807 - x, x
		FROM generate_series(1, 1000) x; ANALYZE odd");
	value($coordinator, ($i == 1 ? '
		CREATE TABLE odd (site integer, k integer, n numeric, b bigint, s smallint)
			PARTITION BY LIST (site);
		CREATE TABLE odd_home PARTITION OF odd FOR VALUES IN (1);
		INSERT INTO odd_home SELECT 1, x % 10, x / 7.0, 9223372036854775807, -x
		FROM generate_series(1, 1000) x WHERE x % 10 IN (2, 3, 5);' : '') . "
		CREATE FOREIGN TABLE odd_$i PARTITION OF odd FOR VALUES IN (${i}0)
			SERVER shard$i OPTIONS (schema_name 'public', table_name 'odd')");
}
value($coordinator, 'ANALYZE odd; SET warpagg.enable_scan = off;
	CREATE TABLE odd_here AS SELECT * FROM odd');
foreach my $query (
	'SELECT k, sum(n), avg(n), count(n), min(n), max(n), sum(b), avg(b), sum(s)
		FROM odd GROUP BY k ORDER BY k',
	'SELECT sum(n), avg(n), min(n), max(n), sum(b), sum(s) FROM odd WHERE site > 1',
	'SELECT sum(n), avg(n), max(s) FROM odd WHERE k > 3',
	"SELECT sum(n) FILTER (WHERE n < 'Infinity') FROM odd")
{
	is_as_here('odd, ' . substr($query, 0, 20), $whole, $query, $merged, 2, 0);
}

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
is_as_here('gpu_, but floats, by sensor', $whole,
	'SELECT sensor, gpu_count(*), gpu_sum(v), gpu_avg(n), gpu_max(t) FROM readings
	 GROUP BY sensor ORDER BY 1', $merged, 4, 0);

# Several shards work at the same time.
value($coordinator, "ALTER SERVER shard$_ OPTIONS (ADD async_capable 'true')") foreach 1, 2;
is_as_here('at the same time', $by_partition,
	"SELECT site, $built_in FROM far GROUP BY site ORDER BY 1",
	qr/Async Foreign Scan/, 4, 0);
is_as_here('at the same time, below a node', $whole,
	"SELECT sensor, $twins FROM readings GROUP BY sensor ORDER BY 1",
	qr/Custom Scan \(WarpAgg\) on readings.*->  Foreign Scan/s, 0, 6);
is_as_here('at the same time, merged', $whole,
	"SELECT sensor, $sums FROM readings GROUP BY sensor ORDER BY 1",
	qr/Custom Scan \(WarpAgg\) on readings.*Async Foreign Scan.*Relations: Aggregate/s, 4, 0);

# Partitions are pruned while a query runs: shards are not asked.
foreach my $site (2, 11, 24)
{
	my $one = 'SELECT count(*), sum(v) FROM readings WHERE site =';
	my $two = 'SELECT count(*), stddev(v) FROM readings WHERE site =';
	my $generic = "$whole; SET plan_cache_mode = force_generic_plan";
	# Two partitions of a shard's own are two scans.
	my $scans = $site == 2 ? 0 : $site == 11 ? 1 : 2;
	my $nodes = $site == 2 ? 0 : 1;
	is_as_here("site $site of a subselect", $whole, "$one (SELECT $site + length(''))",
		$merged, $nodes, 0);
	is_as_here("site $site of a prepared statement",
		"$generic; PREPARE one(integer) AS $one \$1", "EXECUTE one($site)",
		$site == 2 ? qr/Subplans Removed: 4/ : qr/Subplans Removed: 1.*Subplans Removed: 3/s,
		$nodes, 0);
	is_as_here("rows of site $site of a subselect", $whole,
		"$two (SELECT $site + length(''))",
		qr/Custom Scan \(WarpAgg\) on readings/, 0, $scans);
	is_as_here("rows of site $site of a prepared statement",
		"$generic; PREPARE two(integer) AS $two \$1", "EXECUTE two($site)",
		qr/Subplans Removed: 4/, 0, $scans);
}
is_as_here('a site for each row', $whole,
	'SELECT s, (SELECT sum(v) FROM readings WHERE site = s AND sensor < 5)
	 FROM generate_series(0, 12) s ORDER BY s', $merged, 3, 0);

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


# A shard that is lost fails those queries that ask it.
(pop @shards)->stop;
($rc, $out, $err) = $coordinator->psql('postgres',
	'SELECT sensor, sum(v) FROM readings GROUP BY sensor');
is($out, '', 'without a shard there are no results');
like($err, qr/could not connect to server "shard2"/, 'but an error that names it');
like(value($coordinator, 'SELECT sum(v) FROM readings WHERE site < 20'),
	qr/^\d+$/, 'the others are asked');

$_->stop foreach $coordinator, @shards;
done_testing();
