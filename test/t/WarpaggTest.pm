
# WarpaggTest.pm: what the TAP tests of the device process share.

package WarpaggTest;

use strict;
use warnings;

use Exporter 'import';
use File::Basename;
use File::Temp;
use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

our @EXPORT = qw(make_node make_node_of processes supervisor_pid daemon_pid is_up
  wait_until wait_asleep wait_ready start_query finish_query value messages stat_value
  status logged waiting change_setting device_setting put_daemon
  extension_members is_members install_with_first_release
);

# A device that every machine has, unless the tests are told to use another.
my $device = $ENV{WARPAGG_TEST_DEVICE} // 'auto';

# Returns the value of warpagg.device that the tests run with.
sub device_setting
{
	return $device;
}

# Puts a program in place that is the device process, after lines of a shell and with
# arguments at the end.  As updates do: it is written beside its place and renamed.
sub put_daemon
{
	my ($path, $lines, $arguments) = @_;
	my ($libraries) = run_command([ 'pg_config', '--pkglibdir' ]);
	my $program = $ENV{WARPAGG_TEST_DAEMON} // "$libraries/warpaggd";

	append_to_file("$path.new",
		"#!/bin/sh\n$lines\nexec '$program' \"\$@\" $arguments\n");
	chmod 0755, "$path.new" or die $!;
	rename "$path.new", $path or die $!;
	return;
}

# Makes a cluster with settings on top of the usual ones; not yet started.
sub make_node
{
	my ($name, @settings) = @_;
	return make_node_of($name, undef, @settings);
}

# Makes one of the PostgreSQL that is installed at a path.
sub make_node_of
{
	my ($name, $install_path, @settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name,
		defined $install_path ? (install_path => $install_path) : ());
	$node->init;
	$node->append_conf('postgresql.conf', "max_worker_processes = 16");
	$node->append_conf('postgresql.conf', "log_line_prefix = '%m [%p] %b '");
	$node->append_conf('postgresql.conf', "warpagg.device = '$device'");
	$node->append_conf('postgresql.conf', 'warpagg.enable_scan = off');
	$node->append_conf('postgresql.conf', 'warpagg.autoload = off');
	if (defined $ENV{WARPAGG_TEST_DAEMON})
	{
		$node->append_conf('postgresql.conf',
			"warpagg.daemon_path = '$ENV{WARPAGG_TEST_DAEMON}'");
	}
	$node->append_conf('postgresql.conf', $_) foreach @settings;
	return $node;
}

# Returns { pid => [parent's pid, state, command line] } of all processes.
sub processes
{
	my %found;
	foreach my $dir (glob '/proc/[0-9]*')
	{
		my ($pid) = $dir =~ m{/(\d+)$};
		open(my $stat, '<', "$dir/stat") or next;
		my $line = <$stat> // '';
		close $stat;
		my ($name, $state, $parent) = $line =~ /\((.*)\) (\S) (\d+)/ or next;
		open(my $file, '<', "$dir/cmdline") or next;
		my $command = <$file> // '';
		close $file;
		$command =~ s/\0/ /g;
		$found{$pid} = [ $parent, $state, $command || $name ];
	}
	return \%found;
}

# Returns the children of a process whose command line matches and that live.
sub children
{
	my ($parent, $pattern) = @_;
	my $all = processes();
	return grep {
		$all->{$_}[0] == $parent
		  && $all->{$_}[1] ne 'Z'
		  && $all->{$_}[2] =~ $pattern
	} keys %$all;
}

# Returns the pid of the postmaster.
sub postmaster_pid
{
	my ($node) = @_;
	my ($pid) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');
	return $pid;
}

# Returns the pids of the supervisors of the cluster; there should be one.
sub supervisor_pid
{
	my ($node) = @_;
	my @pids = children(postmaster_pid($node), qr/warpagg supervisor/);
	return wantarray ? @pids : $pids[0];
}

# Returns the pids of the device processes of the cluster.
sub daemon_pid
{
	my ($node) = @_;
	my @pids;
	push @pids, children($_, qr/warpaggd/) foreach supervisor_pid($node);
	return wantarray ? @pids : $pids[0];
}

# Waits until the condition holds; returns whether it did in so many seconds.
sub wait_until
{
	my ($seconds, $condition) = @_;
	my $end = time() + $seconds;
	while (time() < $end)
	{
		return 1 if $condition->();
		usleep(50_000);
	}
	return 0;
}

# Waits until so many sessions are in pg_sleep(); tells whether they are.
sub wait_asleep
{
	my ($node, $sessions) = @_;
	return $node->poll_query_until('postgres',
		"SELECT count(*) = $sessions FROM pg_stat_activity "
		  . "WHERE wait_event = 'PgSleep'");
}

# Returns whether the server answers.  The query is no input of psql's: one that ends
# before it reads its input would end the test ("Broken pipe").
sub is_up
{
	my ($node) = @_;
	return IPC::Run::run(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', 'SELECT 1' ],
		'<', '/dev/null', '&>', '/dev/null');
}

# Waits until the device process is ready.
sub wait_ready
{
	my ($node) = @_;
	return wait_until(
		60,
		sub {
			$node->safe_psql('postgres',
				"SELECT count(*) FROM warpagg_devices WHERE state = 'ready'")
			  > 0;
		});
}

# Runs SQL in a session of its own, in the background.
sub start_query
{
	my ($node, $sql) = @_;
	my %query = (out => '', err => '', begin => time());

	# From a file: IPC::Run would feed a pipe only when it is next looked at.
	my $file = File::Temp->new(SUFFIX => '.sql');
	print $file "$sql\n";
	close $file;
	$query{file} = $file;
	$query{run} = IPC::Run::start(
		[
			'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1',
			'-d', $node->connstr('postgres'),
			'-f', $file->filename
		],
		'<', '/dev/null',
		'>', \$query{out},
		'2>', \$query{err});
	return \%query;
}

# Waits for the SQL's end; returns (success, output, errors, seconds).
sub finish_query
{
	my ($query) = @_;
	$query->{run}->finish;
	chomp $query->{out};
	return (
		$query->{run}->result(0) == 0, $query->{out},
		$query->{err}, time() - $query->{begin});
}

# Returns what belongs to the extension in a database, with all that the catalogs say
# about it and what it depends on, but without the schema's name; a line for each.
sub extension_members
{
	my ($node, $database, $schema) = @_;
	my $members = $node->safe_psql($database,
		slurp_file("$FindBin::RealBin/members.sql"));
	my $escaped = $schema =~ s/"/\\"/gr;
	$members =~ s/\Q$_\E\.//g foreach $escaped, $schema;
	$members =~ s/\|schema .*$/|schema/mg;
	return join "\n", sort split /\n/, $members;
}

# Tests that members are those that are expected; shows only the lines that differ.
sub is_members
{
	my ($members, $expected, $name) = @_;
	my %lines;
	$lines{$_}++ foreach split /\n/, $members;
	$lines{$_}-- foreach split /\n/, $expected;
	return is(
		join("\n",
			map { ($lines{$_} > 0 ? '+ ' : '- ') . $_ }
			  sort grep { $lines{$_} != 0 } keys %lines),
		'', $name);
}

# Makes a PostgreSQL of the test's own that has the script of the extension's first
# release, too; returns its path, for PostgreSQL::Test::Cluster.  It finds its files by
# where its programs are.
sub install_with_first_release
{
	my $root = PostgreSQL::Test::Utils::tempdir();
	my ($bin, $lib, $share) =
	  map { (run_command([ 'pg_config', $_ ]))[0] }
	  qw(--bindir --pkglibdir --sharedir);

	system('cp', '-LR', '--parents', $bin, $lib, $share, $root) == 0 or die;
	system('cp', "$FindBin::RealBin/../data/warpagg--0.1.0.sql",
		"$root$share/extension") == 0
	  or die;
	return dirname("$root$bin");
}

# Returns what SQL in a session of its own prints.
sub value
{
	my ($node, $sql) = @_;
	return $node->safe_psql('postgres', $sql);
}

# Returns the notices and errors of SQL, with their SQLSTATEs.
sub messages
{
	my ($node, $sql) = @_;
	my ($rc, $out, $err) = $node->psql('postgres', $sql,
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $err;
}

# Returns columns of warpagg_stats.
sub stat_value
{
	my ($node, $columns) = @_;
	return value($node, "SELECT $columns FROM warpagg_stats");
}

# Returns columns of warpagg_status.
sub status
{
	my ($node, $columns) = @_;
	return value($node, "SELECT $columns FROM warpagg_status");
}

# Counts lines of the server's log that match.
sub logged
{
	my ($node, $pattern) = @_;
	my @lines = slurp_file($node->logfile) =~ /^.*$pattern.*$/mg;
	return scalar @lines;
}

# Returns how many columns wait to be loaded, or are being loaded; -1: none ever have.
sub waiting
{
	my ($node) = @_;
	my $database = value($node,
		q{SELECT oid FROM pg_database WHERE datname = current_database()});
	my $file = $node->data_dir . "/pg_stat_tmp/warpagg.wanted.$database";
	return -e $file ? (-s $file) / 8 - 2 : -1;
}

# Changes a setting of the server.
sub change_setting
{
	my ($node, $name, $setting) = @_;
	value($node, "LOAD 'warpagg'; ALTER SYSTEM SET $name = '$setting'");
	$node->reload;
	return ok(
		wait_until(
			10,
			sub {
				value($node, "LOAD 'warpagg'; SHOW $name") eq $setting;
			}),
		"$name = $setting");
}

1;
