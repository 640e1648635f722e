
# warpagg.device in its three values, with a GPU and without one.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('device', 'warpagg.min_device_rows = 0');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
$node->safe_psql('postgres', 'SET warpagg.device = auto; SELECT gpu_sum(1)');
ok(wait_ready($node), 'device process is ready');
my $gpus = $node->safe_psql('postgres',
	"SELECT count(*) FROM warpagg_devices WHERE kind = 'gpu'");
my $sum = 'SELECT gpu_sum(x) FROM generate_series(1, 1000) x';

# Returns how many reductions ran on a kind of device.
sub runs
{
	my ($kind) = @_;
	return $node->safe_psql('postgres',
		"SELECT sum(runs) FROM warpagg_reductions WHERE device = '$kind'");
}

# cpu
my ($cpu, $gpu) = (runs('cpu'), runs('gpu'));
is($node->safe_psql('postgres', "SET warpagg.device = cpu; $sum"),
	'500500', 'cpu: result');
cmp_ok(runs('cpu'), '>', $cpu, 'cpu: the CPU device ran');
is(runs('gpu'), $gpu, 'cpu: no GPU ran');

# auto
($cpu, $gpu) = (runs('cpu'), runs('gpu'));
is($node->safe_psql('postgres', "SET warpagg.device = auto; $sum"),
	'500500', 'auto: result');
if ($gpus > 0)
{
	cmp_ok(runs('gpu'), '>', $gpu, 'auto: the GPU ran');
}
else
{
	cmp_ok(runs('cpu'), '>', $cpu, 'auto: the CPU device ran');
}

# gpu
my ($status, $out, $err) =
  $node->psql('postgres', "SET warpagg.device = gpu; $sum");
if ($gpus > 0)
{
	is($out, '500500', 'gpu: result');
	cmp_ok(runs('gpu'), '>', $gpu, 'gpu: the GPU ran');
}
else
{
	like($err, qr/ERROR:  no GPU is available/, 'gpu: clear error');
	like($err, qr/HINT:  Set warpagg.device to "auto" or "cpu"/,
		'gpu: with a hint');
	# so too for input that is too small for a device, but not for none
	($status, $out, $err) = $node->psql('postgres',
		'SET warpagg.device = gpu; SET warpagg.min_device_rows = 1000; SELECT gpu_sum(1)');
	like($err, qr/no GPU is available/, 'gpu: also for small input');
	($status, $out, $err) = $node->psql('postgres',
		'SET warpagg.device = gpu; SELECT gpu_sum(x) FROM generate_series(1, 0) x');
	is("$out$err", '', 'gpu: nothing to reduce, nothing to complain of');

	# asked for while a reduction by the CPU device is under way
	my $changing = start_query($node, qq{
\\set ON_ERROR_STOP 0
SELECT gpu_sum(CASE WHEN x = 200000
                    THEN length(set_config('warpagg.device', 'gpu', false))
                    ELSE x END::float8) FROM generate_series(1, 300000) x;
SET warpagg.device = auto; $sum});
	(undef, $out, $err) = finish_query($changing);
	like($err, qr/no GPU is available/, 'gpu: in the middle of a query');
	unlike($err, qr/WARNING/, 'gpu: which is no failure of the device');
	is($out, '500500', 'gpu: and the session goes on');
}

# gpu, while the device process is down: an error, not a wrong answer
if ($gpus > 0)
{
	my $running = start_query($node,
		"SET warpagg.device = gpu; SET warpagg.debug_delay = '20s'; $sum");
	sleep 2;
	kill 'KILL', daemon_pid($node);
	my ($ok, undef, $error) = finish_query($running);
	like($error, qr/ERROR:  device process of warpagg failed/,
		'gpu: a lost device process is an error');
	is($node->safe_psql('postgres', "SET warpagg.device = gpu; $sum"),
		'500500', 'gpu: the next query waits for the new one');
}

# cpu for the whole cluster: the device process never opens a GPU
$node->append_conf('postgresql.conf', "warpagg.device = 'cpu'");
$node->restart;
$node->safe_psql('postgres', $sum);
ok(wait_ready($node), 'device process without GPUs is ready');
is( $node->safe_psql('postgres',
		"SELECT string_agg(DISTINCT kind, ',') FROM warpagg_devices"),
	'cpu', 'cluster-wide cpu: no GPU is opened');
$node->stop;

done_testing();
