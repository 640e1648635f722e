
# Whatever happens to the device process costs a query nothing but time.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('failures', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0');
$node->start;
$node->safe_psql(
	'postgres', q{
CREATE EXTENSION warpagg;
CREATE TABLE numbers AS SELECT x, x::float8 / 8 AS f FROM generate_series(1, 200000) x;
ANALYZE numbers;
});
ok(wait_ready($node), 'device process is ready');
my $query = q{SELECT gpu_sum(x) = sum(x), gpu_min(f) = min(f),
gpu_sum(f) = sum(f) FROM numbers;};
my $postmaster = WarpaggTest::postmaster_pid($node);
my $started =
  $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

# Waits until a request is under way, seen by its waiting on the socket.
sub wait_busy
{
	return wait_until(
		20,
		sub {
			$node->safe_psql(
				'postgres', q{
SELECT count(*) FROM pg_stat_activity
WHERE wait_event_type = 'Extension' AND query LIKE '%gpu_sum%'
AND pid <> pg_backend_pid()}) > 0;
		});
}

# --- SIGKILL in the middle of a query.
my $before = stat_value($node, 'failures');
my ($daemon) = daemon_pid($node);
my $running = start_query($node,
	"SET warpagg.debug_delay = '20s'; SET max_parallel_workers_per_gather = 0; $query $query");
ok(wait_busy(), 'a request is under way');
kill 'KILL', $daemon;
my ($ok, $out, $err, $seconds) = finish_query($running);
ok($ok, 'killed: the query succeeds');
is($out, "t|t|t\nt|t|t", 'killed: the results are right');
my @warnings = $err =~ /WARNING:  device process of warpagg failed/g;
is(scalar @warnings, 1, 'killed: one warning');
like($err, qr/HINT:  The query goes on on the CPU/, 'killed: with a hint');
cmp_ok($seconds, '<', 15, 'killed: the query does not wait for long');
ok(wait_until(30, sub { (daemon_pid($node) // $daemon) != $daemon }),
	'killed: a new device process is started');
ok(wait_ready($node), 'killed: it gets ready');
cmp_ok(stat_value($node, 'failures'), '==', $before + 1,
	'killed: the failure is counted');
is(WarpaggTest::postmaster_pid($node), $postmaster, 'same postmaster');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'),
	$started, 'server was not restarted');
unlike(slurp_file($node->logfile), qr/terminating any other active/,
	'postmaster saw no crash');

# --- A session that was idle when the device process was replaced just goes on.
my $begin = stat_value($node, 'requests');
$running = start_query($node, "$query SELECT pg_sleep(4); $query");
ok(wait_asleep($node, 1), 'a session is idle');
cmp_ok(stat_value($node, 'requests'), '>', $begin, 'and has used the device');
kill 'KILL', daemon_pid($node);
$begin = stat_value($node, 'requests');
($ok, $out, $err) = finish_query($running);
is("$out$err", "t|t|t\n\nt|t|t", 'no warning after a change while idle');
cmp_ok(stat_value($node, 'requests'), '>', $begin, 'it uses the new device');

# --- SIGKILL under a parallel query: only the leader warns.
($daemon) = daemon_pid($node);
$running = start_query($node, qq{
SET warpagg.debug_delay = '20s'; SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2; $query});
ok(wait_busy(), 'a parallel query is under way');
kill 'KILL', $daemon;
($ok, $out, $err) = finish_query($running);
is($out, 't|t|t', 'killed under a parallel query: the results are right');
@warnings = $err =~ /WARNING:/g;
cmp_ok(scalar @warnings, '<=', 1, 'killed under a parallel query: one warning');
ok(wait_ready($node), 'device process is back');

# --- Cancel and timeout: at once, and the next query works.
my $sleeper = start_query($node, qq{
SET warpagg.debug_delay = '300s'; SET statement_timeout = '1s'; $query});
($ok, $out, $err, $seconds) = finish_query($sleeper);
like($err, qr/canceling statement due to statement timeout/, 'timeout');
cmp_ok($seconds, '<', 10, 'timeout: at once');
$sleeper = start_query($node, "SET warpagg.debug_delay = '300s'; $query");
ok(wait_busy(), 'a request to be cancelled is under way');
$node->safe_psql('postgres',
	q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
WHERE query LIKE '%gpu_sum%' AND pid <> pg_backend_pid()});
($ok, $out, $err, $seconds) = finish_query($sleeper);
like($err, qr/canceling statement due to user request/, 'cancel');
cmp_ok($seconds, '<', 10, 'cancel: at once');
$sleeper = start_query($node, qq{
\\set ON_ERROR_STOP 0
BEGIN; SAVEPOINT s; SET LOCAL warpagg.debug_delay = '300s';
SET LOCAL statement_timeout = '500ms'; $query
ROLLBACK TO s; SET LOCAL warpagg.debug_delay = 0; $query COMMIT; $query});
($ok, $out, $err) = finish_query($sleeper);
is($out, "t|t|t\nt|t|t", 'same session goes on after a timeout');
unlike($err, qr/WARNING/, 'a timeout is no failure of the device');

# --- While a reduction is under way the query may run anything: here functions
# that reduce by themselves and whose subtransactions fail.
$node->safe_psql(
	'postgres', q{
CREATE FUNCTION quarter(x integer) RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
    inner_sum double precision;
BEGIN
    IF x % 30000 <> 0 THEN
        RETURN x / 4.0;
    END IF;
    BEGIN
        SELECT gpu_sum(1 / (500 - g)::float8) INTO inner_sum
        FROM generate_series(1, 1000) g;
    EXCEPTION WHEN division_by_zero THEN
        SELECT gpu_sum(g::float8) INTO inner_sum FROM generate_series(1, 1000) g;
    END;
    RETURN x / 4.0 + inner_sum - 500500;
END $$;
CREATE FUNCTION impatient_quarter(x integer) RETURNS double precision LANGUAGE plpgsql AS $$
BEGIN
    IF x = 200000 THEN
        BEGIN
            PERFORM gpu_sum(g::float8) FROM generate_series(1, 1000) g;
        EXCEPTION WHEN query_canceled THEN
            PERFORM set_config('warpagg.debug_delay', '0', false);
        END;
    END IF;
    RETURN x / 4.0;
END $$;
});
$running = start_query($node, q{
SELECT gpu_sum(quarter(x)) = sum(x / 4.0::float8), gpu_min(quarter(x)) = 0.25
FROM generate_series(1, 300000) x;});
($ok, $out, $err) = finish_query($running);
is("$out$err", 't|t', 'functions that reduce, inside a reduction');

# The first batch is under way, and held up, when the function's own reduction
# has to wait for it; the timeout that ends this wait is caught.
$running = start_query($node, q{
SET warpagg.debug_delay = '60s'; SET statement_timeout = '5s';
SELECT gpu_sum(impatient_quarter(x)) = sum(x / 4.0::float8),
       current_setting('warpagg.debug_delay')
FROM generate_series(1, 300000) x;});
($ok, $out, $err, $seconds) = finish_query($running);
is("$out$err", 't|0', 'a wait that ends in a caught error loses nothing');
cmp_ok($seconds, '<', 30, 'and does not last');

# --- Heartbeats: a long request is not a hang.
my $requests = stat_value($node, 'requests');
$sleeper = start_query($node, qq{
SET warpagg.device_timeout = '1500ms'; SET warpagg.debug_delay = '4s';
SELECT gpu_sum(x) FROM generate_series(1, 10) x});
($ok, $out, $err, $seconds) = finish_query($sleeper);
is("$out$err", '55', 'a long request is waited for');
cmp_ok($seconds, '>', 3.9, 'it took its time');
cmp_ok(stat_value($node, 'requests'), '==', $requests + 1,
	'the device answered it');

# --- A device process that hangs is given up, then ended and replaced.
($daemon) = daemon_pid($node);
$running = start_query($node, qq{
SET warpagg.device_timeout = '2s'; SET warpagg.debug_delay = '1s'; $query $query});
ok(wait_busy(), 'a request is under way');
kill 'STOP', $daemon;
($ok, $out, $err, $seconds) = finish_query($running);
is($out, "t|t|t\nt|t|t", 'hang: the results are right');
@warnings = $err =~ /WARNING:/g;
is(scalar @warnings, 1, 'hang: one warning');
cmp_ok($seconds, '<', 12, 'hang: given up in time');
ok( wait_until(
		40,
		sub {
			!exists processes()->{$daemon}
			  && (daemon_pid($node) // $daemon) != $daemon;
		}),
	'hang: the supervisor replaces it');
ok(wait_ready($node), 'hang: the new one gets ready');

# --- Reloading the settings loses no request.
$running =
  start_query($node, "SET warpagg.debug_delay = '2s'; "
	  . 'SELECT gpu_sum(x) FROM generate_series(1, 10) x');
sleep 1;
$node->reload;
($ok, $out, $err) = finish_query($running);
is("$out$err", '55', 'reload in the middle of a request');

# --- The supervisor may be terminated; a new one comes.
my ($supervisor) = supervisor_pid($node);
($daemon) = daemon_pid($node);
kill 'TERM', $supervisor;
ok( wait_until(
		30,
		sub {
			!exists processes()->{$daemon}
			  && (supervisor_pid($node) // $supervisor) != $supervisor;
		}),
	'a terminated supervisor takes its device process along and comes back');
ok(wait_ready($node), 'with a new device process');
is($node->safe_psql('postgres', $query), 't|t|t', 'queries go on');
$node->stop;

# --- All slots taken: the buffer is folded in the backend.
$node->append_conf('postgresql.conf', "warpagg.staging_memory = '2MB'");
$node->start;
ok(wait_ready($node), 'device process with few slots is ready');
my @running =
  map { start_query($node, "SET warpagg.debug_delay = '3s'; $query") } 1 .. 8;
foreach my $one (@running)
{
	($ok, $out, $err) = finish_query($one);
	is("$out$err", 't|t|t', 'one of many sessions over few slots');
}
cmp_ok(stat_value($node, 'fallback_no_slot'), '>', 0,
	'lack of slots is counted');

# --- An idle cursor holds no slot: here there is only one or two of them.
my $fallbacks = stat_value($node, 'fallback_no_slot');
my @idle = map {
	start_query($node, q{BEGIN; DECLARE c CURSOR FOR
SELECT x % 2, gpu_sum(f), gpu_sum(CASE WHEN x % 2 = 1 THEN f END)
FROM numbers GROUP BY 1; FETCH 1 FROM c; SELECT pg_sleep(4); COMMIT});
} 1 .. 3;
ok(wait_asleep($node, 3), 'idle cursors');
is($node->safe_psql('postgres', $query), 't|t|t', 'query beside idle cursors');
cmp_ok(stat_value($node, 'fallback_no_slot') - $fallbacks,
	'<=', 3, 'idle cursors hold no slots');
finish_query($_) foreach @idle;
is($node->safe_psql('postgres', $query), 't|t|t', 'slots are free again');
$node->stop;

done_testing();
