
# Where the postmaster is process 1, as in containers, it adopts orphans: a
# device process that dies must not look to it like a crashed backend.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my @unshare = ('unshare', '--user', '--map-current-user', '--pid', '--fork');
@unshare = ('unshare', '--pid', '--fork') if $> == 0;
if (!IPC::Run::run([ @unshare, 'true' ], '>', '/dev/null', '2>', '/dev/null'))
{
	plan skip_all => 'this machine allows no process namespace';
}

my $node = make_node('process_one', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0');
my ($bindir) = run_command([ 'pg_config', '--bindir' ]);
my $log = $node->logfile;
my $server = IPC::Run::start(
	[ @unshare, "$bindir/postgres", '-D', $node->data_dir ],
	'<', '/dev/null', '>', $log, '2>&1');
ok(wait_until(30, sub { is_up($node) }), 'server runs');
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');

# The processes as seen from outside: the child of unshare is the postmaster.
my ($unshare) = $server->{KIDS}[0]{PID};
my ($postmaster) = WarpaggTest::children($unshare, qr/postgres/);
my $pidfile = slurp_file($node->data_dir . '/postmaster.pid');
like($pidfile, qr/^1\n/, 'postmaster is process 1');
my ($supervisor) =
  WarpaggTest::children($postmaster, qr/warpagg supervisor/);
ok(wait_ready($node), 'device process is ready');
my ($daemon) = WarpaggTest::children($supervisor, qr/warpaggd/);
ok(defined $daemon, 'device process is seen');

my $started =
  $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $query = start_query($node,
	"SET warpagg.debug_delay = '20s'; SELECT gpu_sum(x) FROM generate_series(1, 1000) x"
);
sleep 2;
kill 'KILL', $daemon;
my ($ok, $out, $err) = finish_query($query);
is($out, '500500', 'killed in the middle of a query: the result is right');
ok( wait_until(
		30,
		sub {
			my ($new) = WarpaggTest::children($supervisor, qr/warpaggd/);
			defined $new && $new != $daemon;
		}),
	'the same supervisor starts a new device process');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'),
	$started, 'server was not restarted');
unlike(slurp_file($log), qr/terminating any other active server processes/,
	'postmaster saw no crash');

# It ends with the server, and leaves nothing behind.
($daemon) = WarpaggTest::children($supervisor, qr/warpaggd/);
kill 'INT', $postmaster;
$server->finish;
ok(wait_until(10, sub { !exists processes()->{$daemon} }),
	'device process ends with the server');

done_testing();
