
# What is said between backends and the device process is damaged on its way: by an
# accident, which the checksums show, and by a process gone astray, which computes
# them anew.  After an accident each result is right; after the other no session and
# no server ends, waits without end, or tells of what it did not expect.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use File::Temp;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $root = "$FindBin::RealBin/../..";
my $folder = File::Temp->newdir();
my $library = "$folder/damage.so";
my @core = map { "$root/src/core/$_.c" } qw(checksum protocol resident types);
my @build = (
	$ENV{CC} // 'cc', qw(-std=gnu11 -O1 -D_GNU_SOURCE -fPIC -shared),
	'-fvisibility=hidden', "-I$root/src", "-I$root", '-o', $library,
	"$FindBin::RealBin/damage.c", @core, qw(-ldl -lpthread));
system(@build) == 0 or BAIL_OUT('cannot build damage.c');
chmod 0755, $folder;

# Errors that say that something was not expected.
my $surprise =
  qr/unexpected|internal|cache lookup|invalid memory alloc|could not find/i;

# Writes a program that starts the device process with damage of a kind, or none.
sub write_wrapper
{
	my ($name, $how) = @_;
	my $lines = 'unset LD_PRELOAD WA_DAMAGE';
	$lines .= "\nexport LD_PRELOAD='$library' WA_DAMAGE=$how" if $how ne '';
	put_daemon("$folder/$name", $lines, '');
	return "$folder/$name";
}

my @queries = (
	'SELECT count(*), sum(v), min(v), max(n), sum(n) FROM facts',
	'SELECT k, count(*), sum(v), avg(n) FROM facts GROUP BY k ORDER BY k',
	'SELECT sum(v), count(*) FROM facts WHERE id BETWEEN 100 AND 50000',
	'SELECT t, sum(v) FROM facts GROUP BY t ORDER BY t',
	'SELECT count(*), sum(v) FROM facts WHERE upper(t) LIKE \'%7\'',
	'SELECT id % 7, sum(k * 2) FROM facts GROUP BY 1 ORDER BY 1',
	'SELECT count(*), sum(id), sum(s), sum(c) FROM (SELECT id, sum(v) AS s, '
	  . 'count(*) AS c FROM facts WHERE id <= 20000 GROUP BY id) g',
	'SELECT sum(v) FROM facts WHERE f > 0.25',
	'SELECT gpu_sum(v), gpu_min(v), gpu_max(n) FROM facts f '
	  . 'CROSS JOIN (VALUES (1)) x');

my $node = make_node('damage', 'autovacuum = off', 'fsync = off',
	"shared_preload_libraries = 'warpagg'",
	'warpagg.enable_scan = on', 'warpagg.accelerate = exact',
	'max_parallel_workers_per_gather = 0', 'warpagg.min_device_rows = 0',
	'warpagg.device_timeout = 2s', "statement_timeout = '60s'",
	'log_min_messages = debug1');
$ENV{WA_DAMAGE_PERCENT} = 20;
$ENV{WA_DAMAGE_SEED} = $ENV{WA_DAMAGE_SEED} // 1;
my $switch = $node->data_dir . '/damage_off';

# Turns damage on or off.
sub turn
{
	my ($on) = @_;
	unlink $switch if $on;
	append_to_file($switch, '') if !$on;
}

# Starts the server with damage by backends of a kind, or none, and by the device process.
sub start_with
{
	my ($backends, $process) = @_;
	my $wrapper = write_wrapper("warpaggd$backends$process", $process);
	$node->append_conf('postgresql.conf', "warpagg.daemon_path = '$wrapper'");
	turn(0);
	{
		local %ENV = %ENV;
		$ENV{LD_PRELOAD} = $library if $backends ne '';
		$ENV{WA_DAMAGE} = $backends;
		$node->start;
	}
	$node->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS warpagg');
	ok(wait_ready($node), 'the device process is ready');
}

# Runs SQL in a session of its own; returns (output, errors).
sub try_sql
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');
	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err);
	return ($out, join("\n", grep { /ERROR|FATAL|PANIC|server closed/ } split(/\n/, $err)));
}

# Loads the table anew, which may fail.
sub load
{
	my ($out, $err) =
	  try_sql("SELECT warpagg_unload('facts'); SELECT warpagg_load('facts')");
	return $err;
}

# Runs all queries some times while there is damage; returns how many results were
# wrong, and all errors, those of queries and those of loads and views.
sub run_rounds
{
	my ($rounds, $expected) = @_;
	my ($wrong, @of_queries, @of_loads) = (0);
	turn(1);
	foreach my $round (1 .. $rounds)
	{
		push @of_loads, load();
		if ($of_loads[-1] ne '')
		{
			turn(0);
			load();
			turn(1);
		}
		foreach my $i (0 .. $#queries)
		{
			my ($out, $err) = try_sql($queries[$i]);
			push @of_queries, $err;
			if ($err eq '' && $out ne $expected->[$i])
			{
				$wrong++;
				note("$queries[$i]:\n", substr($out, 0, 500)) if $wrong < 5;
			}
		}
		my ($out, $err) = try_sql('SELECT * FROM warpagg_resident');
		push @of_loads, $err;
	}
	turn(0);
	@of_queries = grep { $_ ne '' } @of_queries;
	@of_loads = grep { $_ ne '' } @of_loads;
	note("error: $_") foreach @of_queries, @of_loads;
	return ($wrong, \@of_queries, \@of_loads);
}

# Without damage all is as ever.
sub is_well
{
	my ($what, $expected) = @_;
	is(load(), '', "$what: the table is loaded");
	like($node->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF) $queries[0]"),
		qr/Resident Blocks: \d{3}/, "$what: a query uses it");
	my @results = map { $node->safe_psql('postgres', $_) } @queries;
	is_deeply(\@results, $expected, "$what: results are right");
	is($node->safe_psql('postgres',
			'SELECT count(*) > 0 FROM warpagg_resident WHERE relation IS NOT NULL'),
		't', "$what: the view shows it");
}

# Returns what the log tells since an offset; no process crashed.
sub check_log
{
	my ($what, $offset) = @_;
	my $log = substr(slurp_file($node->logfile), $offset);
	unlike($log, qr/was terminated by signal|PANIC|TRAP/, "$what: nothing crashed");
	return $log;
}

start_with('', '');
$node->safe_psql('postgres', q{
	CREATE TABLE facts AS SELECT i AS id, i % 10 AS k, i::bigint * 3 AS v,
		(i % 1000)::numeric / 8 AS n, 'text ' || i % 50 AS t, i % 100 / 100.0::float8 AS f
		FROM generate_series(1, 60000) i;
	VACUUM ANALYZE facts;
});
my $expected = [
	map {
		$node->safe_psql('postgres',
			"SET warpagg.enable_scan = off; SET warpagg.device = cpu; $_")
	} @queries ];
is_well('before', $expected);

# A file's number that a temporary relation has as well.
like(
	$node->safe_psql('postgres', q{
		SET allow_system_table_mods = on;
		CREATE TEMPORARY TABLE other (i integer);
		BEGIN;
		UPDATE pg_class SET relfilenode = (SELECT relfilenode FROM pg_class WHERE
			oid = 'facts'::regclass) WHERE oid = 'other'::regclass;
		SELECT count(*) > 0 FROM warpagg_resident WHERE relation = 'facts'::regclass;
		ROLLBACK;
	}),
	qr/^t$/m, 'a temporary relation with the same file does not matter');
$node->stop;

# The device process has accidents.
my $offset = -s $node->logfile;
start_with('', 'bits');
my ($wrong, $of_queries, $of_loads) = run_rounds(10, $expected);
is($wrong, 0, 'damaged answers: results are right');
is_deeply($of_queries, [], 'damaged answers: no query fails');
is(scalar(grep { !/device process of warpagg failed|"facts" cannot be resident/ } @$of_loads),
	0, 'damaged answers: loads fail in their own way');
my $log = check_log('damaged answers', $offset);
like(
	$log,
	qr/LOG:  what the device process of warpagg has sent was damaged/,
	'damaged answers: the log tells of it');
like(
	$log,
	qr/could not use resident columns: What it sent was damaged/,
	'damaged answers: groups were, too');
cmp_ok(stat_value($node, 'fallback_lost'),
	'>', 0, 'damaged answers: they are counted');
is_well('after damaged answers', $expected);
$node->stop;

# The device process goes astray.
$offset = -s $node->logfile;
start_with('', 'sealed');
($wrong, $of_queries, $of_loads) = run_rounds(10, $expected);
is(scalar(grep { /$surprise/ } @$of_queries, @$of_loads),
	0, 'wrong answers: nothing is told of what was unexpected');
is(scalar(grep { /statement timeout|server closed/ } @$of_queries, @$of_loads),
	0, 'wrong answers: nothing waits without end');
like(
	check_log('wrong answers', $offset),
	qr/could not use resident columns: Its reply could not be understood/,
	'wrong answers: there were some');
is_well('after wrong answers', $expected);
$node->stop;

# Backends have accidents.
$offset = -s $node->logfile;
start_with('bits', '');
my $pid = daemon_pid($node);
($wrong, $of_queries, $of_loads) = run_rounds(10, $expected);
is($wrong, 0, 'damaged requests: results are right');
is_deeply($of_queries, [], 'damaged requests: no query fails');
is(scalar(grep { !/device process of warpagg failed|"facts" cannot be resident/ } @$of_loads),
	0, 'damaged requests: loads fail in their own way');
$log = check_log('damaged requests', $offset);
like(
	$log,
	qr/closing connection .* what it sent was damaged/,
	'damaged requests: the log tells of it');
like(
	$log,
	qr/could not use resident columns: the query was damaged/,
	'damaged requests: queries were, too');
is(daemon_pid($node), $pid, 'damaged requests: the device process lives');
is_well('after damaged requests', $expected);
$node->stop;

# Backends go astray.
$offset = -s $node->logfile;
start_with('sealed', '');
$pid = daemon_pid($node);
($wrong, $of_queries, $of_loads) = run_rounds(10, $expected);
is(scalar(grep { /$surprise/ } @$of_queries, @$of_loads),
	0, 'wrong requests: nothing is told of what was unexpected');
check_log('wrong requests', $offset);
is(daemon_pid($node), $pid, 'wrong requests: the device process lives');
is_well('after wrong requests', $expected);
$node->stop;

done_testing();
