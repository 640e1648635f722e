
# Queries over resident columns: what the planner makes of them, what EXPLAIN and
# the views show, the memory that columns take, and a device process that is silent.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('resident_query', 'autovacuum = off', 'fsync = off',
	"shared_preload_libraries = 'warpagg'",
	'warpagg.enable_scan = on', 'max_parallel_workers_per_gather = 0');
$node->start;

# Returns a psql command that runs SQL in another session.
sub elsewhere
{
	my ($sql) = @_;
	my $connection = $node->connstr('postgres');
	return "\\! psql -X -q -A -t -d \"$connection\" -c \"$sql\" >/dev/null\n";
}

value($node, 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');
value($node,
	q{
	CREATE TABLE facts AS SELECT i AS id, i % 10 AS k, i::bigint AS v
		FROM generate_series(1, 200000) i;
	CREATE INDEX facts_id ON facts (id);
	VACUUM ANALYZE facts;
	});

# What there is changes plans.
my $narrow = 'SELECT count(*), sum(v) FROM facts WHERE id BETWEEN 100 AND 20000';
my $grouped = 'SELECT k, count(*), sum(v) FROM facts GROUP BY k ORDER BY k';
my $expected =
  join("\n", map { "$_|20000|" . (($_ || 10) * 20000 + 1999900000) } 0 .. 9);
like(value($node, "EXPLAIN (COSTS OFF) $narrow"),
	qr/Index/, 'with nothing resident an index is used');
unlike(value($node, "EXPLAIN (ANALYZE, COSTS OFF) $grouped"),
	qr/Resident/, 'and no query uses what is not there');
is(value($node, q{SELECT warpagg_load('facts')}), '200000', 'a table is loaded');
like(value($node, "EXPLAIN (COSTS OFF) $narrow"),
	qr/\(WarpAgg\)/, 'what is resident is cheaper than the index');
like(value($node, "SET warpagg.enable_resident = off; EXPLAIN (COSTS OFF) $narrow"),
	qr/Index/, 'unless it is not to be used');
like(
	value($node,
		'EXPLAIN (COSTS OFF) '
		  . 'SELECT count(*), sum(v) FROM facts WHERE id BETWEEN 7 AND 9'),
	qr/Index/,
	'for a few rows the index is cheaper');
is(value($node, $grouped), $expected, 'results are right');

# EXPLAIN.
my $text = value($node, "EXPLAIN (ANALYZE, COSTS OFF) $grouped");
like(
	$text,
	qr/Blocks\ Read:\ \d+\n\s+
	   Resident\ Blocks:\ \d{3,}\n\s+
	   Resident\ Rows:\ \d{6}\n\s+
	   Resident\ Device:\ (CPU|GPU)\n\s+
	   Resident\ Time:\ \d+\.\d+\ ms\n/x,
	'EXPLAIN shows what was resident');
unlike(
	value($node, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $grouped"),
	qr/Resident Time/,
	'but no time without TIMING');
my $json = "EXPLAIN (ANALYZE, COSTS OFF, FORMAT JSON) $grouped";
like(
	value($node, $json),
	qr/"Resident\ Blocks":\ \d{3,},\s+
	   "Resident\ Rows":\ \d{6},\s+
	   "Resident\ Distinct\ Inputs":\ 0,\s+
	   "Resident\ Device":\ "(CPU|GPU)",\s+
	   "Resident\ Time":\ \d+\.\d+,/x,
	'in JSON, too');
like(
	value($node, "SET warpagg.enable_resident = off; $json"),
	qr/"Resident\ Blocks":\ 0,\s+
	   "Resident\ Rows":\ 0,\s+
	   "Resident\ Distinct\ Inputs":\ 0,\s+
	   "Resident\ Time":\ 0\.0/x,
	'also if nothing was');

# A session that has found nothing notices what is loaded.
value($node, q{SELECT warpagg_unload('facts')});
$text = value($node, "EXPLAIN ANALYZE $grouped; EXPLAIN ANALYZE $grouped;\n"
	  . elsewhere(q{SELECT warpagg_load('facts')})
	  . "EXPLAIN ANALYZE $grouped");
is(() = $text =~ /Resident Blocks/g, 1, 'what another session loads is used');
value($node, q{SELECT warpagg_unload('facts')});
$text = value($node, "EXPLAIN ANALYZE $grouped; SELECT warpagg_load('facts');\n"
	  . "EXPLAIN ANALYZE $grouped");
is(() = $text =~ /Resident Blocks/g, 1, 'and what it loads itself');

# A query that comes again takes one request, also one with tables of steps, until
# something is loaded that these do not have.
value($node,
	q{
	CREATE TABLE stamped AS SELECT timestamp '2024-01-01' + i * interval '1 min' AS t,
		i AS v FROM generate_series(1, 100000) i;
	VACUUM ANALYZE stamped;
	SELECT warpagg_load('stamped');
	});
my $daily =
  q{SELECT count(*), sum(d - date '2024-01-01'), sum(s)
	FROM (SELECT date_trunc('month', t)::date AS d, sum(v) AS s
		  FROM stamped GROUP BY date_trunc('month', t)) x};
my $more = q{INSERT INTO stamped }
  . q{SELECT timestamp '2031-01-01' + i * interval '1 min', i }
  . q{FROM generate_series(1, 50000) i};
my ($rc, $out, $err) = $node->psql(
	'postgres',
	"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $daily;\n"
	  . "SET client_min_messages = debug3;\n"
	  . "SELECT pg_sleep(1.2);\n$daily;\nSELECT pg_sleep(1.2);\n$daily;\n"
	  . "RESET client_min_messages;\n\\warn then\n"
	  . elsewhere($more)
	  . elsewhere('VACUUM stamped')
	  . elsewhere(q{SELECT warpagg_load('stamped')})
	  . "SET client_min_messages = debug3;\n$daily;\n"
	  . "RESET client_min_messages;\n"
	  . "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $daily;\n"
	  . "SET warpagg.enable_resident = off;\n$daily");
is($rc, 0, 'a session asks again and again');
my ($before, $after) = split /^then$/m, $err;
is(() = $before =~ /warpagg asks warpaggd/g, 2, 'by one request a query');
cmp_ok(() = $after =~ /warpagg asks warpaggd/g,
	'>=', 2, 'by more when something was loaded');
like(
	$out,
	qr/Resident Rows: 100000\n.*Resident Rows: 150000\n/s,
	'and all that is resident is used');
my @daily = $out =~ /^(\d+\|\d+\|\d+)$/mg;
is(scalar(@daily), 4, 'four times');
ok($daily[0] eq $daily[1] && $daily[1] ne $daily[2] && $daily[2] eq $daily[3],
	'with the right results');
value($node, 'DROP TABLE stamped');

# The views.
my ($queries, $rows, $ms) = map { stat_value($node, $_) }
  qw(queries query_rows query_ms);
is(value($node, "$grouped;\n$grouped"), "$expected\n$expected", 'two queries');
is(stat_value($node, 'queries'), $queries + 2, 'are two in warpagg_stats');
cmp_ok(stat_value($node, 'query_rows') - $rows,
	'>', 390000, 'with most of their rows');
cmp_ok(stat_value($node, 'query_ms'), '>', $ms, 'and some time');
is(stat_value($node, 'loaded_bytes >= 3 * 200000 * (4 + 2 + 4)'),
	't', 'what was loaded three times is counted');
cmp_ok(stat_value($node, 'loads'), '>=', 6, 'and its extents');
is(stat_value($node, 'restarts'), 0, 'nothing was started again');
is( value($node,
		q{SELECT count(*) FROM warpagg_resident
		  WHERE relation = 'facts'::regclass AND rows = 200000
			AND extents > 1 AND fresh_share = 1 AND bytes > 0
			AND (column_name = 'id') = (queries = 0)
			AND (column_name = 'id' OR (hit_share BETWEEN 0.9 AND 1
				AND last_use BETWEEN now() - interval '1 minute' AND now()))}),
	3,
	'warpagg_resident shows who was used');
value($node, 'UPDATE facts SET v = v WHERE id = 1');
my $share = qr/0\.99\d/;
like(
	value($node,
		q{SELECT string_agg(round(fresh_share::numeric, 3)::text, ' ')
		  FROM warpagg_resident}),
	qr/^($share ){2}$share$/,
	'a change makes a block of each column stale');
value($node, q{SELECT warpagg_load('facts')});

# The memory of columns, as docs/resident.md has it; many blocks have no rows any more.
value($node,
	q{
	CREATE TABLE sizes AS SELECT
		i::bigint % 100 AS two, i::bigint AS four, i + 10 ^ 12::bigint AS eight,
		(4000000000 + i % 10)::oid AS four_oid, i::float4 AS four_real,
		i::float8 AS eight_real, (i % 1000)::numeric(12, 2) AS four_numeric,
		(i * 10 ^ 9)::numeric(18, 2) AS eight_numeric,
		(i * 10::numeric ^ 20)::numeric(38, 2) AS sixteen_numeric, i % 2 = 0 AS eighth,
		CASE WHEN i % 7 <> 0 THEN i % 7 END AS three_null,
		CASE WHEN i % 2 = 0 THEN i % 10 + 0.5 ELSE i % 10 + 0.25 END
			AS five_digits,
		lpad((i % 5000)::text, 20, 'x') AS four_text
	FROM generate_series(1, 60000) i;
	ALTER TABLE sizes ALTER COLUMN eight TYPE bigint;
	DELETE FROM sizes WHERE ctid >= '(100, 0)' AND ctid < '(400, 0)';
	VACUUM ANALYZE sizes;
	SELECT warpagg_load('sizes');
	});
my %width = (
	eighth => 1 / 8, two => 2, three => 3, four => 4, five => 5, eight => 8,
	sixteen => 16);
my $seen = 0;
foreach my $line (
	split /\n/,
	value($node,
		q{SELECT column_name, rows, extents, bytes FROM warpagg_resident
		  WHERE relation = 'sizes'::regclass ORDER BY 1}))
{
	my ($name, $nrows, $extents, $bytes) = split /\|/, $line;
	my ($word) = $name =~ /^([a-z]+)/;
	my $least = $nrows * $width{$word};
	my $most = $least * 1.01 + 448 * $extents;
	if ($name eq 'four_text')
	{
		$least += 5000 * (20 + 32);
		$most += 5000 * (2 * 20 + 64) + 32768;
	}
	$seen++;
	cmp_ok($bytes, '>=', $least, "$name takes its bytes");
	cmp_ok($bytes, '<=', $most, "$name does not take more");
}
is($seen, 13, 'all columns are resident');

# A table with partitions is asked about by one question, and the planner's is about a
# sample of them.  What has been answered since something was loaded is known.
value($node,
	q{
	CREATE TABLE parts (id int, t text, v bigint) PARTITION BY RANGE (id);
	SELECT format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES FROM (%s) TO (%s)',
		i, i * 10000, i * 10000 + 10000) FROM generate_series(0, 23) i \gexec
	INSERT INTO parts SELECT i, 'text ' || i % 7, i FROM generate_series(0, 239999) i;
	VACUUM ANALYZE parts;
	SELECT warpagg_load('parts');
	});
my $by_text = 'SELECT upper(t), count(*), sum(v) FROM parts GROUP BY 1 ORDER BY 1';
my $load = 'UPDATE parts_7 SET v = v WHERE id = 70000;'
  . " SELECT warpagg_load('parts_7')";
my $phase = "DO 'BEGIN RAISE NOTICE ''next phase''; END';";
my ($status, $printed, $told) = $node->psql('postgres',
	"SET client_min_messages = debug2; SET plan_cache_mode = force_generic_plan;\n"
	  . "PREPARE q AS $by_text;\n"
	  . "$phase\nEXECUTE q;\n$phase\n$by_text;\n$phase\n"
	  . "SELECT pg_sleep(1.1);\n$load;\n$phase\nEXECUTE q;\n$phase\n$by_text;\n");
my @asked = map { [/asks what is resident of (\d+) relations/g] }
  split(/NOTICE:  next phase/, $told);
is($status, 0, 'queries over partitions');
is("@{$asked[1]}", '12 24', 'the planner asks of a sample, the node of all');
is("@{$asked[2]}", '', 'and a second query of none');
is("@{$asked[4]}", '24', 'what has been loaded is asked for by one question');
is("@{$asked[5]}", '', 'after which the planner knows of its sample, too');
is(() = $printed =~ /^TEXT 3\|/mg, 4, 'with results');
like(value($node, "EXPLAIN (ANALYZE, COSTS OFF) $by_text"),
	qr/Blocks Read: 0\b/, 'for which nothing is read');
value($node, 'DROP TABLE parts');

# A device process that says nothing, to the planner or to a query.
my $pid = daemon_pid($node);
foreach my $pause (0, 1.1)
{
	my ($explain, $said) =
	  $pause > 0
	  ? ("EXPLAIN (COSTS OFF) $narrow", qr/Index Cond/)
	  : (
		"EXPLAIN (ANALYZE, COSTS OFF) $grouped",
		qr/Resident Columns: not used: the device process failed: \S/);
	my ($rc, $out, $err) = $node->psql(
		'postgres',
		"SET warpagg.device_timeout = '1500ms';\n"
		  . "$grouped;\n\\! kill -STOP $pid\nSELECT pg_sleep($pause);\n"
		  . "$explain;\n$grouped;\n$grouped;\n"
		  . "EXPLAIN (ANALYZE, COSTS OFF) $grouped;\n"
		  . "\\! kill -CONT $pid\n");
	is($rc, 0, "queries outlive a silent device process, after $pause s")
	  or diag($err);
	is(() = $out =~ /\Q$expected\E/g, 3, 'with the same results');
	is(() = $err =~ /WARNING:  device process of warpagg failed/g,
		1, 'and one warning');
	like(
		$out,
		qr/Resident Columns: not used: the device is left alone after a failure/,
		'and EXPLAIN says why the heap is read');
	like($out, $said, 'who comes first says so, or the planner does without it');
	ok(wait_ready($node), 'it goes on');
}
cmp_ok(stat_value($node, 'fallback_timeout'), '>=', 2, 'which is counted');

# What a session counts that never hears from the device process.
my $timeouts = stat_value($node, 'fallback_timeout');
kill('STOP', $pid);
$node->psql('postgres', "SET warpagg.device_timeout = '1500ms';\n$grouped");
my $counted = $node->safe_psql('postgres',
	"SET warpagg.device_timeout = '1500ms';\n"
	  . 'SELECT fallback_timeout FROM warpagg_stats');
kill('CONT', $pid);
cmp_ok($counted, '>', $timeouts,
	'a session that has ended is counted, and seen while all is silent');
$node->stop;

done_testing();
