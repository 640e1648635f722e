
# Tables beyond a quarter of shared_buffers, whose blocks are read by streams: all of
# them and some, by one process and by several, again, and not to the end.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FreshnessTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $rows = 60000;

my $node = make_fresh_node(
	'large',
	"shared_buffers = '4MB'",
	'max_connections = 20',
	"shared_preload_libraries = 'warpagg'",
	'parallel_setup_cost = 0',
	'parallel_tuple_cost = 0',
	'min_parallel_table_scan_size = 0',
	'max_parallel_workers_per_gather = 0');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');

# Returns a count that EXPLAIN ANALYZE gives for a query over a table.
sub explained
{
	my ($session, $table, $name) = @_;
	my $plan = by_node($session,
		'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) '
		  . "SELECT count(*), sum(v), min(id) FROM $table");
	die "no node: $plan" if $plan !~ /WarpAgg/;
	return $plan =~ /$name: (\d+)/ ? $1 : 0;
}

# Fills shared buffers with another table, but for each fifth block of one if warm.
sub cool
{
	my ($session, $table, $warm) = @_;
	my $blocks = block_count($session, $table);
	ask($session, 'SET enable_seqscan = on; SELECT count(*) FROM others');
	ask($session,
		"SELECT count(*) FROM $table WHERE ctid = ANY (ARRAY(SELECT "
		  . "format('(%s,1)', i)::tid FROM generate_series(0, $blocks - 1, 5) i))")
	  if $warm;
	return;
}

# Compares answers where blocks are in shared buffers and where they are not.
sub look_warm_and_cold
{
	my ($session, $table, $name) = @_;
	foreach my $warm (0, 1)
	{
		cool($session, $table, $warm);
		look($session, $table, "$name, " . ($warm ? 'some warm' : 'cold'));
	}
	return;
}

# Compares what a query gives with the node and without.
sub same
{
	my ($session, $query, $name) = @_;
	my $ours = by_node($session, $query);
	ask($session,
		"SET warpagg.enable_scan = off; SET warpagg.accelerate = 'off'");
	return is($ours, ask($session, $query), $name);
}

# Ends queries early, in subtransactions, and asks again in the same transaction.
sub end_early
{
	my ($session, $table) = @_;
	my $tries = by_node($session, qq{
		CREATE OR REPLACE FUNCTION try(query text) RETURNS boolean LANGUAGE plpgsql AS \$\$
		BEGIN
			EXECUTE query;
			RETURN true;
		EXCEPTION WHEN division_by_zero THEN
			RETURN false;
		END \$\$;
		SELECT count(*) FILTER (WHERE NOT try(format(
			'SELECT sum(100 / (id - %s)) FROM $table', x)))
		FROM generate_series(2000, $rows, 5003) x});
	is($tries, int(($rows - 2000) / 5003) + 1, 'errors in the middle are raised');
	foreach my $ms (1 .. 5)
	{
		try_ask($session, qq{SET statement_timeout = '${ms}ms';
			SELECT sum(f * v), max(n), min(s) FROM $table});
		# That may run out of time itself.
		1 while (try_ask($session, 'RESET statement_timeout'))[1] ne '';
	}
	return look($session, $table, 'after what ended early');
}

# All of it with the settings that there are.
sub look_at_all
{
	my ($name) = @_;
	my $session = open_session($node);
	my $table = 'large';

	make_large($session, $table);
	foreach my $workers (0, 2)
	{
		ask($session, "SET max_parallel_workers_per_gather = $workers");
		look_warm_and_cold($session, $table, "$name, $workers workers");
		foreach my $warm (0, 1)
		{
			cool($session, $table, $warm);
			is( explained($session, $table, 'Blocks Read'),
				block_count($session, $table),
				"$name, $workers workers: each block is read once");
		}
		same(
			$session,
			"SELECT * FROM (VALUES (10), (-5), (7)) o (x), "
			  . "LATERAL (SELECT sum(v + o.x), count(*) FROM $table WHERE k < o.x) l",
			"$name, $workers workers: again and again");
		end_early($session, $table);
	}
	look_at_gaps($session, $table, $name);
	look_at_empty($session, $table, $name);
	end_session($session);
	return;
}

# Makes a table beyond shared_buffers.
sub make_large
{
	my ($session, $table) = @_;
	make_table($session, $table);
	ask($session, fill($table, 20001, $rows));
	ask($session, "VACUUM (FREEZE, ANALYZE) $table");
	ask($session, "SELECT warpagg_unload('$table')");
	cmp_ok(block_count($session, $table), '>', 512, 'it is beyond shared buffers');
	return;
}

# Reads blocks between those that are resident.
sub look_at_gaps
{
	my ($session, $table, $name) = @_;
	my $blocks = block_count($session, $table);

	cmp_ok(load($session, $table), '>', 0, "$name: loaded");
	ask($session,
		"UPDATE $table SET v = v + 1 WHERE id % 3001 < 2 OR id % 20000 < 3000");
	foreach my $workers (0, 2)
	{
		ask($session, "SET max_parallel_workers_per_gather = $workers");
		look_warm_and_cold($session, $table, "$name, $workers workers, gaps");
		cool($session, $table, 1);
		my $resident = explained($session, $table, 'Resident Blocks');
		my $read = explained($session, $table, 'Blocks Read');
		cmp_ok($resident, '>', $blocks / 2, "$name: most are resident");
		cmp_ok($read, '>', $blocks / 20, "$name: some are read");
		cmp_ok($read + $resident, '>=', block_count($session, $table),
			"$name: none is left out");
	}
	return;
}

# Reads past a beginning, and an end, without rows.
sub look_at_empty
{
	my ($session, $table, $name) = @_;

	ask($session, "SELECT warpagg_unload('$table'); "
		  . "DELETE FROM $table WHERE id < 30000");
	look_warm_and_cold($session, $table, "$name, deleted");
	ask($session, "VACUUM (TRUNCATE off) $table");
	look_warm_and_cold($session, $table, "$name, an empty beginning");
	ask($session, "DELETE FROM $table");
	look_warm_and_cold($session, $table, "$name, no rows");
	return;
}

my $maker = open_session($node);
make_large($maker, 'others');
my $methods = ask($maker,
	q{SELECT string_agg(m, ' ') FROM pg_settings, unnest(enumvals) m
		WHERE name = 'io_method' AND m IN ('sync', 'worker')}) || 'usual';
end_session($maker);
foreach my $method (split / /, $methods)
{
	if ($method ne 'usual')
	{
		$node->append_conf('postgresql.conf', "io_method = '$method'");
		$node->restart;
		ok(wait_ready($node), "$method: the device process is ready");
	}
	look_at_all($method);
}
my $log = slurp_file($node->logfile);
unlike($log, qr/refcount leak|PANIC|still referenced/, 'nothing is left pinned');
$node->stop;

done_testing();
