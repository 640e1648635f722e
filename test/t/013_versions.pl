
# Files are replaced under a running server: by others of the same version, and of
# another one.  The device process of the test is a script in front of the real one,
# so that it can be replaced; one of another version is asked for that.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my ($libdir) = run_command([ 'pg_config', '--pkglibdir' ]);
my $program = PostgreSQL::Test::Utils::tempdir() . '/program';

# Puts a program in place.  If it is to be of another version it is asked for one that
# it does not speak, at the end of the command line, where that counts.
sub install_program
{
	my ($comment, $asked) = @_;
	put_daemon($program, "# $comment", $asked ? "--protocol=$asked" : '');
	return;
}

my $sum = 'SELECT gpu_sum(x) FROM generate_series(1, 1000) x';
install_program('the first', 0);
my $node = make_node('versions', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0', "warpagg.daemon_path = '$program'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'device process is ready');
is(logged($node, 'has been replaced'), 0, 'a program that stays is not remarked on');

# --- Another of the same version: it takes over when there is nothing to do, which
# no session notices and is no failure.
my ($daemon) = daemon_pid($node);
my $idle = start_query($node, "$sum; SELECT pg_sleep(25); $sum");
ok(wait_asleep($node, 1), 'a session that has used it is idle');
my $busy = start_query($node,
	"SET warpagg.debug_delay = '14s'; SET warpagg.device_timeout = '60s'; $sum");
install_program('the second', 0);
ok(wait_until(20, sub { logged($node, 'has been replaced') == 1 }),
	'a new program is noticed');
my ($ok, $out, $err) = finish_query($busy);
is("$out$err", '500500', 'a request that is under way is answered');
ok( wait_until(
		60, sub { !exists processes()->{$daemon} && defined daemon_pid($node) }),
	'the new program is started');
ok(wait_ready($node), 'and is ready');
($ok, $out, $err) = finish_query($idle);
is("$out$err", "500500\n\n500500", 'an idle session goes on');
is(stat_value($node, 'failures'), 0, 'that was no failure');
is(status($node, 'state, last_failure'), 'up|', 'nor is one shown');
is(logged($node, 'has been replaced'), 1, 'it is said once');

# --- Another version: the running one goes on, and it is said once what to do.
($daemon) = daemon_pid($node);
install_program('the third', 4711);
ok( wait_until(
		20, sub { logged($node, 'has been replaced by what cannot be used') == 1 }),
	'a program of another version is noticed');
sleep 12;
is(daemon_pid($node), $daemon, 'the running one goes on');
is($node->safe_psql('postgres', $sum), '500500', 'and answers');
like(slurp_file($node->logfile), qr/HINT:  Restart the server\./, 'with a hint');

# --- Once it has ended there is none, which is said once, until there is one of
# our version.
kill 'KILL', $daemon;
ok( wait_until(
		30,
		sub { logged($node, 'is of another version than the library') == 1 }),
	'the other version is not used');
is($node->safe_psql('postgres', $sum), '500500', 'queries go on');
like(
	status($node, 'state, version, last_failure_reason, next_start > now()'),
	qr/^down\|\|exited with code 3: protocol \d+ is spoken here, and 4711 was asked for\|t$/,
	'status says why');
sleep 3;
is(logged($node, 'is of another version than the library'), 1, 'said once');
install_program('the fourth', 0);
ok(wait_ready($node), 'a program of our version is started at once');
is(status($node, 'state'), 'up', 'status says so');
$node->stop;

# --- Without preload the supervisor's library can be replaced, too.  It has one of
# its own here, so that the test may do that.
my $libraries = PostgreSQL::Test::Utils::tempdir();

sub install_library
{
	system('cp', "$libdir/warpagg.so", "$libraries/new.so") == 0 or die;
	rename "$libraries/new.so", "$libraries/warpagg.so" or die $!;
	return;
}

install_library();
my $loose = make_node(
	'loose',
	'warpagg.min_device_rows = 0',
	"warpagg.daemon_path = '$program'",
	"dynamic_library_path = '$libraries:\$libdir'");
$loose->start;
$loose->safe_psql('postgres', "CREATE EXTENSION warpagg; $sum");
ok(wait_ready($loose), 'device process is ready, without preload');
($daemon) = daemon_pid($loose);
my ($supervisor) = supervisor_pid($loose);
like(slurp_file("/proc/$supervisor/maps"), qr/\Q$libraries\E/,
	'the supervisor has its own library');
install_library();
install_program('the fifth', 4711);
ok( wait_until(
		20, sub { logged($loose, 'has been replaced by another version') == 1 }),
	'both are replaced');
is($loose->safe_psql('postgres', $sum), '500500', 'the running one answers');
ok( wait_until(
		60,
		sub {
			!exists processes()->{$daemon}
			  && (supervisor_pid($loose) // $supervisor) != $supervisor;
		}),
	'the supervisor is started anew when there is nothing to do');
ok( wait_until(
		30, sub { logged($loose, 'is of another version than the library') == 1 }),
	'which has the same library again here');
like(slurp_file($loose->logfile),
	qr/HINT:  Install library and program of the same version\./, 'with a hint');
install_program('the sixth', 0);
ok(wait_ready($loose), 'a program of its version is started at once');
$loose->stop;

# --- A session meets a device process of another version: it says so once, and does
# without it.  Here an answer to its greeting that nobody understands.
my $session = make_node('session', 'warpagg.min_device_rows = 0',
	'max_worker_processes = 0');
$session->start;
$session->safe_psql('postgres', 'CREATE EXTENSION warpagg');
my $server = IPC::Run::start(
	[
		'perl', '-e', q{
use IO::Socket::UNIX; use Socket;
chdir $ARGV[0] or die;
my $listener = IO::Socket::UNIX->new(Type => SOCK_SEQPACKET,
	Local => 'pg_stat_tmp/warpagg.sock', Listen => 5) or die $!;
while (my $peer = $listener->accept) {
	$peer->recv(my $hello, 10000);
	$peer->send('x' x 100);
}}, $session->data_dir
	]);
ok(wait_until(20, sub { -S $session->data_dir . '/pg_stat_tmp/warpagg.sock' }),
	'a strange device process listens');
is($session->safe_psql('postgres', "$sum; $sum; $sum"),
	"500500\n500500\n500500", 'a session does without it');
is(logged($session, 'is of another version than the library of this session'),
	1, 'which it says once');
$server->kill_kill;
$session->stop;

done_testing();
