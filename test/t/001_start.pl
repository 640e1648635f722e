
# The device process starts at first use, or by preload, once per cluster, and
# ends with the server.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $sum = 'SELECT gpu_sum(x) FROM generate_series(1, 1000) x';

# --- First use, on a server that knows nothing of us.
my $node = make_node('first_use');
$node->start;
is(scalar supervisor_pid($node), undef, 'no supervisor without a use');
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
is($node->safe_psql('postgres', $sum), '500500', 'first query is answered');
ok(wait_until(30, sub { defined daemon_pid($node) }),
	'first use starts the device process');
ok(wait_ready($node), 'device process gets ready');

# --- One for all: sessions that come together do not start more.
my @queries =
  map { start_query($node, "SET warpagg.min_device_rows = 0; $sum") } 1 .. 20;
foreach my $query (@queries)
{
	my ($ok, $out, $err) = finish_query($query);
	is("$out$err", '500500', 'one of many sessions');
}
is(scalar(my @supervisors = supervisor_pid($node)), 1, 'one supervisor');
is(scalar(my @daemons = daemon_pid($node)), 1, 'one device process');

# --- The socket is ours alone.
my $socket = $node->data_dir . '/pg_stat_tmp/warpagg.sock';
ok(-S $socket, 'socket is in the data directory');
is((stat $socket)[2] & 0777, 0600, 'socket is private');

# --- CUDA stays out of PostgreSQL.
my ($libdir) = run_command([ 'pg_config', '--pkglibdir' ]);
my ($symbols) = run_command([ 'nm', '-D', "$libdir/warpagg.so" ]);
like($symbols, qr/_PG_init/, 'symbols of the library are read');
unlike($symbols, qr/\bcu(da)?[A-Z]/, 'library has no CUDA symbol');
my $holder = start_query($node,
	"SET warpagg.min_device_rows = 0; $sum; SELECT pg_sleep(2)");
ok(wait_asleep($node, 1), 'a session that has used the device');
my $postmaster = WarpaggTest::postmaster_pid($node);
my ($read, @mapping) = (0);
foreach my $pid ($postmaster, WarpaggTest::children($postmaster, qr/./))
{
	my $maps = eval { slurp_file("/proc/$pid/maps") } // '';
	$read++ if $maps ne '';
	push @mapping, $pid if $maps =~ /libcuda|libnv/;
}
cmp_ok($read, '>', 3, 'memory maps of the server are read');
is("@mapping", '', 'no process of PostgreSQL maps libcuda');
finish_query($holder);

# --- Shutdown takes the device process along; a stale socket does no harm.
my ($daemon) = daemon_pid($node);
$node->stop('fast');
ok(wait_until(10, sub { !exists processes()->{$daemon} }),
	'fast shutdown ends the device process');
ok(-S $socket, 'a stale socket is left behind');
$node->start;
is($node->safe_psql('postgres', $sum), '500500', 'query after the restart');
ok(wait_ready($node), 'device process starts over the stale socket');
($daemon) = daemon_pid($node);
$node->stop('immediate');
ok(wait_until(10, sub { !exists processes()->{$daemon} }),
	'immediate shutdown ends the device process');

# --- Preload: it is there before the first query.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'warpagg'");
$node->start;
ok(wait_until(30, sub { defined daemon_pid($node) }),
	'preloaded, the device process starts with the server');
is($node->safe_psql('postgres', $sum), '500500', 'query with preload');
ok(wait_ready($node), 'device process gets ready with preload');
is(scalar(@supervisors = supervisor_pid($node)), 1, 'still one supervisor');
$node->stop;

# --- A data directory whose path is longer than a socket address can be.
my $long = make_node('long_path_' . 'x' x 110);
cmp_ok(length $long->data_dir, '>', 108, 'path is longer than sun_path');
$long->start;
$long->safe_psql('postgres', 'CREATE EXTENSION warpagg');
$long->safe_psql('postgres', $sum);
ok(wait_ready($long), 'device process starts in a long path');
is( $long->safe_psql('postgres', "SET warpagg.min_device_rows = 0; $sum"),
	'500500', 'query in a long path');
cmp_ok(stat_value($long, 'requests'), '>', 0, 'device has answered it');
$long->stop;

# --- No free worker slot: the CPU answers.
my $full = make_node('no_slot', 'max_worker_processes = 0');
$full->start;
$full->safe_psql('postgres', 'CREATE EXTENSION warpagg');
is($full->safe_psql('postgres', "SET warpagg.device = auto; $sum"),
	'500500', 'query without a worker slot');
is(scalar supervisor_pid($full), undef, 'no supervisor there');
$full->stop;

done_testing();
