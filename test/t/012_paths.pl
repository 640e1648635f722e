
# What others look for stays where it is: the socket, the lock, the link to the
# counters, and their directory; and warpagg_status tells how the device process is.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use IO::Socket::UNIX;
use PostgreSQL::Test::Utils;
use Socket qw(SOCK_SEQPACKET SOMAXCONN);
use Test::More;
use WarpaggTest;

# Tells whether new sessions find the device process.
sub is_found
{
	my ($node) = @_;
	return $node->safe_psql('postgres', 'SELECT count(*) FROM warpagg_devices') > 0;
}

my $node = make_node('paths', "shared_preload_libraries = 'warpagg'",
	'warpagg.min_device_rows = 0');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg; CREATE ROLE somebody LOGIN');
ok(wait_ready($node), 'device process is ready');

my $dir = $node->data_dir . '/pg_stat_tmp';
my $socket = "$dir/warpagg.sock";
my ($daemon) = daemon_pid($node);
my ($supervisor) = supervisor_pid($node);

# --- The status of a device process that is well.
ok( wait_until(
		20, sub { status($node, 'version = library_version') eq 't' }),
	'version is known once it has answered');
is( status($node, 'state, pid, supervisor_pid, last_failure, next_start'),
	"up|$daemon|$supervisor||", 'status');
is(status($node, 'up_since BETWEEN pg_postmaster_start_time() AND now()'),
	't', 'it is up since it was started');
is(status($node, 'loads_running, loads_queued'), '0|0', 'no loads');
is( $node->safe_psql(
		'postgres', 'SET ROLE somebody; SELECT state FROM warpagg_status'),
	'up', 'anybody may see that');

# --- A session that is connected; it goes on whatever becomes of the socket.
my $sum = 'SELECT gpu_sum(x) FROM generate_series(1, 1000) x';
$node->safe_psql(
	'postgres', q{
CREATE TABLE flag ();
CREATE FUNCTION wait_for_flag() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        EXIT WHEN EXISTS (SELECT FROM flag);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;});
my $holder = start_query($node, "$sum; SELECT wait_for_flag(); $sum");

# Does something to the files, and sees that new sessions find what they need and
# that it is said once.
sub mended
{
	my ($name, $harm, $pattern) = @_;
	my $before = logged($node, $pattern);
	ok(is_found($node), "$name: the device process was found before");
	$harm->();
	ok(wait_until(30, sub { logged($node, $pattern) > $before }),
		"$name: the log says so");
	ok(wait_until(30, sub { is_found($node) }), "$name: sessions find it again");
	sleep 2;
	is(logged($node, $pattern), $before + 1, "$name: the log says so once");
	is(join(' ', daemon_pid($node)), $daemon, "$name: the device process is the same");
	is(join(' ', supervisor_pid($node)), $supervisor, "$name: so is the supervisor");
	ok(-S $socket && ((stat $socket)[2] & 0777) == 0600,
		"$name: the socket is private");
	return;
}

my $remade = qr{socket "pg_stat_tmp/warpagg.sock" of the device process was removed};
mended('socket removed', sub { unlink $socket or die $! }, $remade);
mended(
	'a file in its place',
	sub { unlink $socket or die $!; append_to_file($socket, 'x'); },
	qr/"pg_stat_tmp\/warpagg.sock" was no socket/);
mended(
	'a directory in its place',
	sub { unlink $socket or die $!; mkdir $socket or die $!; },
	qr/"pg_stat_tmp\/warpagg.sock" was no socket/);

# Somebody's socket, from a directory whose path is short enough.
my $strange = PostgreSQL::Test::Utils::tempdir_short() . '/s';
mended(
	"somebody else's socket in its place",
	sub {
		IO::Socket::UNIX->new(
			Type => SOCK_SEQPACKET,
			Local => $strange,
			Listen => SOMAXCONN) or die $!;
		system('mv', $strange, $socket) == 0 or die;
	},
	$remade);
mended(
	'the whole directory removed',
	sub { system('rm', '-rf', $dir) == 0 or die; },
	qr/directory "pg_stat_tmp" was missing/);
mended(
	'the directory made anew',
	sub { system('rm', '-rf', $dir) == 0 or die; mkdir $dir, 0700 or die $!; },
	$remade);
mended(
	'the lock removed',
	sub { unlink "$dir/warpagg.lock" or die $!; },
	qr/lock file "pg_stat_tmp\/warpagg.lock" was missing/);
mended(
	'the link to the counters removed',
	sub { unlink "$dir/warpagg.counters" or die $!; },
	qr/link "pg_stat_tmp\/warpagg.counters" was missing/);
mended(
	'the link leads elsewhere',
	sub {
		unlink "$dir/warpagg.counters" or die $!;
		symlink '/dev/null', "$dir/warpagg.counters" or die $!;
	},
	qr/link "pg_stat_tmp\/warpagg.counters" was missing/);

# A directory that nothing can be put into: the old socket stays in use.
unlink $socket or die $!;
chmod 0500, $dir or die $!;
ok( wait_until(
		30, sub { logged($node, 'warpaggd: could not listen on socket') == 1 }),
	'no way to make the socket');
sleep 3;
is(logged($node, 'warpaggd: could not listen on socket'), 1, 'said once');
chmod 0700, $dir or die $!;
ok(wait_until(90, sub { is_found($node) }), 'made as soon as it can be');
ok( wait_until(
		20, sub { logged($node, 'socket "pg_stat_tmp/warpagg.sock" has been made anew') }),
	'which is said, too');

my $requests = stat_value($node, 'requests');
$node->safe_psql('postgres', 'INSERT INTO flag DEFAULT VALUES');
my ($ok, $out, $err) = finish_query($holder);
is("$out$err", "500500\n\n500500", 'a session that was connected goes on');
is(stat_value($node, 'requests'), $requests + 1, 'with the device process');

# --- A failure is kept, with its reason, while the next one is up.
kill 'KILL', $daemon;
ok( wait_until(
		30, sub { status($node, 'last_failure_reason') =~ /ended by signal 9/ }),
	'the reason of a failure is kept');
ok(wait_until(30, sub { (daemon_pid($node) // $daemon) != $daemon }),
	'the next device process is started');
ok(wait_ready($node), 'and gets ready');
is(status($node, 'state, last_failure > up_since - interval \'1 min\', next_start'),
	'up|t|', 'the failure is still shown');

# --- A program that is not there: the reason and the next start are told, once, and
# it is started when it is there.
my $program = PostgreSQL::Test::Utils::tempdir() . '/program';
$node->append_conf('postgresql.conf', "warpagg.daemon_path = '$program'");
$node->restart;
ok( wait_until(
		30,
		sub {
			status($node, 'state, pid, last_failure_reason, next_start > now()') eq
			  "down||could not start \"$program\": No such file or directory|t";
		}),
	'a program that is missing');
is($node->safe_psql('postgres', $sum), '500500', 'queries go on');
put_daemon("$program.later", '', '');
chmod 0644, "$program.later";
rename "$program.later", $program;
sleep 2;
is(status($node, 'state'), 'down', 'one that may not be run');
chmod 0755, $program;
ok(wait_until(30, sub { status($node, 'state') eq 'up' }), 'one that may');
is(stat_value($node, 'starts'), 1, 'is started in time');
$node->stop;

# Holds the lock of a file until it is ended.
sub hold_lock
{
	my ($file) = @_;
	my $out = '';
	my $holder = IPC::Run::start(
		[
			'perl', '-e', q{
use Fcntl ':flock';
open(my $file, '>>', $ARGV[0]) or die;
flock($file, LOCK_EX) and syswrite STDOUT, "held\n" and sleep 600;}, $file
		],
		'>',
		\$out);
	$holder->pump until $out =~ /held/;
	return $holder;
}

# --- Preloaded, a supervisor waits for a lock that somebody else has.
my $thief = hold_lock("$dir/warpagg.lock");
$node->start;
ok( wait_until(
		20, sub { logged($node, 'another process holds the lock') == 1 }),
	'somebody else has the lock');
is($node->safe_psql('postgres', $sum), '500500', 'queries go on');
sleep 3;
is(logged($node, 'another process holds the lock'), 1, 'said once');
is(status($node, 'state'), 'not supervised', 'status without a supervisor');
$thief->kill_kill;
ok(wait_ready($node), 'the supervisor goes on when it gets the lock');
$node->stop;

# --- A lock that is taken by another supervisor ends this one.
my $other = make_node('other_lock');
$other->start;
$other->safe_psql('postgres', "CREATE EXTENSION warpagg; $sum");
ok(wait_ready($other), 'device process is ready, without preload');
($daemon) = daemon_pid($other);
($supervisor) = supervisor_pid($other);
my $lock = $other->data_dir . '/pg_stat_tmp/warpagg.lock';
kill 'STOP', $supervisor;
unlink $lock or die $!;
$thief = hold_lock($lock);
kill 'CONT', $supervisor;
ok(wait_until(30, sub { !exists processes()->{$supervisor} }),
	'a supervisor without its lock ends');
ok(!exists processes()->{$daemon}, 'and its device process with it');
$thief->kill_kill;
ok(wait_ready($other), 'another supervisor comes at need');
$other->stop;

# --- No worker slot: said once, by whoever finds out first.
my $full = make_node('no_slot', 'max_worker_processes = 0');
$full->start;
$full->safe_psql('postgres', 'CREATE EXTENSION warpagg');
$full->safe_psql('postgres', $sum) foreach 1 .. 3;
is(logged($full, 'no background worker slot is free'), 1, 'no worker slot');
is( status($full, 'state, pid, last_failure_reason'),
	'not supervised||', 'status without a supervisor');
$full->stop;

done_testing();
