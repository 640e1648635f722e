
# What goes wrong is told as what it is, once, and nobody waits for what is known:
# a device process that sleeps, memory and descriptors that run out.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $program = PostgreSQL::Test::Utils::tempdir() . '/program';
my $sum = 'SELECT gpu_sum(x) FROM generate_series(1, 1000) x';

# Runs SQL in a new session; returns its output and its messages.
sub run_sql
{
	my ($node, $sql) = @_;
	my ($ok, $out, $err) = finish_query(start_query($node, $sql));
	return ($out, $err);
}

# --- A device process that sleeps: the first session waits, others know by then.
my $node = make_node('sleeping', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'device process is ready');
my ($daemon) = daemon_pid($node);
kill 'STOP', $daemon;
ok(wait_until(12, sub { status($node, 'state') eq 'silent' }),
	'it is seen to be silent');
my $timeouts = stat_value($node, 'fallback_timeout');
my $rests = stat_value($node, 'fallback_resting');
my ($out, $err) = run_sql($node, "$sum; $sum;");
is("$out$err", "500500\n500500", 'a new session answers, with no warning');
($out, $err) = run_sql($node,
	"SET warpagg.device_timeout = '1h'; $sum; SELECT count(*) FROM warpagg_devices");
is("$out$err", "500500\n0", 'one that would wait for an hour does not');
is(stat_value($node, 'fallback_timeout'), $timeouts, 'none has waited');
is(stat_value($node, 'fallback_resting'), $rests + 3, 'all have left it alone');
kill 'CONT', $daemon;
ok( wait_until(
		30, sub { status($node, 'state') eq 'up' }),
	'one that wakes up, or its successor, is no longer silent');
ok(wait_ready($node), 'and is ready');
my $requests = stat_value($node, 'requests');
is($node->safe_psql('postgres', $sum), '500500', 'a query after that');
is(stat_value($node, 'requests'), $requests + 1, 'is answered by it');

# --- A supervisor that sleeps, too, knows nothing: sessions find out themselves.
($daemon) = daemon_pid($node);
my ($supervisor) = supervisor_pid($node);
kill 'STOP', $supervisor;
kill 'STOP', $daemon;
ok( wait_until(20, sub { status($node, 'state') eq 'not supervised' }),
	'a supervisor that is not at work');
($out, $err) = run_sql($node, "SET warpagg.device_timeout = '2s'; $sum");
is($out, '500500', 'the query is answered');
like($err, qr/DETAIL:  It did not answer in time\./, 'with a warning why late');
kill 'CONT', $daemon;
kill 'CONT', $supervisor;
ok(wait_until(30, sub { status($node, 'state') eq 'up' }), 'both are back');
$node->stop;

# --- No memory for staging: each session that needs it is told so, the log once.
put_daemon($program, 'ulimit -f 1024', '');
my $poor = make_node(
	'poor', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0', "warpagg.daemon_path = '$program'");
$poor->start;
$poor->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($poor), 'device process with little memory is ready');
foreach my $i (1 .. 5)
{
	($out, $err) = run_sql($poor, $sum);
	is($out, '500500', 'a query without staging memory');
	like(
		$err,
		qr/WARNING:  device process of warpagg failed\nDETAIL:  could not allocate \d+ bytes of staging memory: File too large\./,
		'is told that there is none');
}
is(logged($poor, 'warpaggd: could not allocate'), 1, 'the log says so once');
is(stat_value($poor, 'fallback_no_memory'), 5, 'and it is counted as such');
is(stat_value($poor, 'fallback_lost'), 0, 'nothing was lost');
$poor->stop;

# --- No descriptors in the device process: sessions are told so.
put_daemon($program, 'ulimit -n 24', '');
my $full = make_node(
	'full', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0', "warpagg.daemon_path = '$program'");
$full->start;
$full->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($full), 'device process with few descriptors is ready');
my @sessions = map { start_query($full, "$sum; SELECT pg_sleep(20)") } 1 .. 24;
ok(wait_asleep($full, 24), 'many sessions are connected, or were refused');
($out, $err) = run_sql($full, $sum);
is($out, '500500', 'a session beyond them');
like($err,
	qr/DETAIL:  connections are refused: too many files are open\./,
	'is told that there are too many');
($out, $err) = run_sql($full, "SET warpagg.device = gpu; $sum");
like($err, qr/ERROR:  device process of warpagg failed\nDETAIL:  connections are refused/,
	'which is an error at once if it must be a GPU');
is(logged($full, 'warpaggd: connections are refused'), 1, 'the log says so once');
foreach my $session (@sessions)
{
	my ($ok, $rows, $messages) = finish_query($session);
	is($rows, "500500\n", 'one of many sessions');
}
$full->stop;

# --- No descriptors in the session: what the device process sends does not arrive.
# The session is connected by its first query, and has one left then.
my $few = make_node('few', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 1000000');
$few->start;
$few->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($few), 'device process is ready');
my $leave_one = q{
my $pid = shift;
my %taken = map { m{(\d+)$} => 1 } glob "/proc/$pid/fd/*";
my ($limit, $free) = (0, 0);
while ($free < 1) { $free++ unless $taken{$limit}; $limit++; }
exec 'prlimit', "--pid=$pid", "--nofile=$limit:$limit";
};
my $script = PostgreSQL::Test::Utils::tempdir() . '/leave_one';
append_to_file($script, $leave_one);
SKIP:
{
	skip 'there is no prlimit', 2
	  if system('prlimit --version > /dev/null 2>&1') != 0;
	($out, $err) = run_sql($few, "$sum;
SELECT pg_backend_pid() AS pid \\gset
\\setenv SESSION :pid
\\! perl $script \$SESSION
SET warpagg.min_device_rows = 0; $sum; $sum");
	is($out, "500500\n500500\n500500", 'a session without descriptors');
	like(
		$err,
		qr/DETAIL:  A file that it sent could not be received: too many files are open\./,
		'is told so');
}
$few->stop;

# --- No memory in the session: it is told so, not that anything was lost.
my $tight = make_node('tight', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0', "warpagg.staging_memory = '1GB'");
$tight->start;
$tight->safe_psql('postgres', q{CREATE EXTENSION warpagg;
CREATE TABLE numbers AS SELECT x FROM generate_series(1, 10000) x;});
ok(wait_ready($tight), 'device process is ready');
$tight->safe_psql('postgres', $sum);
$tight->safe_psql('postgres', 'VACUUM numbers');
SKIP:
{
	skip 'there is no prlimit', 4
	  if system('prlimit --version > /dev/null 2>&1') != 0;

	# Sessions are children of the postmaster, so they have its limits.
	my $postmaster = WarpaggTest::postmaster_pid($tight);
	my ($size) = slurp_file("/proc/$postmaster/status") =~ /VmSize:\s+(\d+)/;
	my $limit = ($size + 512 * 1024) * 1024;
	system('prlimit', "--pid=$postmaster", "--as=$limit:$limit") == 0 or die;
	($out, $err) = run_sql($tight, $sum);
	is($out, '500500', 'a session that has no memory to map');
	like(
		$err,
		qr/DETAIL:  Memory that it shares could not be mapped: Cannot allocate memory\./,
		'is told so');

	# Nor to share: files cannot grow beyond a few bytes.
	$tight->restart;
	ok(wait_ready($tight), 'device process is ready');
	$postmaster = WarpaggTest::postmaster_pid($tight);
	my ($ok, $rows, $messages) = finish_query(
		start_query($tight, "\\! prlimit --pid=$postmaster --fsize=1000:1000\n"
			  . '\\c' . "\nSELECT warpagg_load('numbers')"));
	like($messages,
		qr/DETAIL:  Memory to share with it could not be allocated: File too large\./,
		'a load that has no memory to share is told so');
}
$tight->stop('immediate');

done_testing();
