
# FreshnessTest.pm: what the TAP tests of the freshness of resident columns share.
#
# A session is a psql that stays connected.  look() compares what the node answers
# over resident columns with PostgreSQL's own plan, in one snapshot.

package FreshnessTest;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

our @EXPORT = qw(make_fresh_node open_session ask try_ask end_session fill
  make_table load look by_node resident_blocks uses no_use block_count);

my $columns = 'id int, k int, v bigint, f float8, d date, n numeric(12,2), s text';
my @queries = (
	'SELECT count(*), sum(v), min(id), max(k), sum(f), max(d) FROM %s',
	'SELECT s, count(*), sum(n), min(v) FROM %s GROUP BY s ORDER BY s',
	'SELECT count(*), sum(v - id) FROM %s WHERE k = 3 AND f > 100');
my $mark = '-- end of answer --';

# Makes a cluster whose tables change only when a test says so; not yet started.
sub make_fresh_node
{
	my ($name, @settings) = @_;
	return make_node($name, 'autovacuum = off', 'fsync = off',
		'max_prepared_transactions = 4',
		'max_parallel_maintenance_workers = 0', @settings);
}

# Connects to a database.
sub open_session
{
	my ($node, $database) = @_;
	my %session = (in => '', out => '', err => '');
	$session{timer} = IPC::Run::timeout(60);
	$session{run} = IPC::Run::start(
		[
			'psql', '-XAtq', '-d',
			$node->connstr($database // 'postgres')
		],
		'<', \$session{in}, '>', \$session{out}, '2>', \$session{err},
		$session{timer});
	ask(\%session, q{SET client_min_messages = warning; LOAD 'warpagg'});
	return \%session;
}

# Ends a session.
sub end_session
{
	my ($session) = @_;
	$session->{run}->finish;
	return;
}

# Runs SQL; returns what it prints and the errors, '' if there were none.
sub try_ask
{
	my ($session, $sql) = @_;
	@{$session}{qw(out err)} = ('', '');
	$session->{timer}->start;
	$session->{in} .= "$sql\n;\n\\echo $mark\n\\warn $mark\n";
	foreach my $stream ('out', 'err')
	{
		$session->{run}->pump
		  while $session->{run}->pumpable
		  && $session->{$stream} !~ /\Q$mark\E\n/;
		$session->{$stream} =~ s/\Q$mark\E\n.*//s;
		chomp $session->{$stream};
	}
	return @{$session}{qw(out err)};
}

# Runs SQL that must succeed; returns what it prints.
sub ask
{
	my ($session, $sql) = @_;
	my ($out, $err) = try_ask($session, $sql);
	die "$err\n$sql" if $err =~ /ERROR|FATAL|connection/;
	return $out;
}

# Returns what fills a table with the rows of so many numbers.
sub fill
{
	my ($table, $first, $last) = @_;
	return "INSERT INTO $table SELECT i, i % 7, i * 3, i / 8.0, "
	  . "date '2020-01-01' + i % 400, i / 4.0, 's' || i % 11 FROM generate_series($first, $last) i";
}

# Makes a table of 20000 rows in some 200 blocks, all of them resident.
sub make_table
{
	my ($session, $table, $options) = @_;
	ask($session, "DROP TABLE IF EXISTS $table");
	ask($session,
		"CREATE TABLE $table ($columns) WITH (fillfactor = 70) "
		  . ($options // ''));
	ask($session, fill($table, 1, 20000));
	ask($session, "VACUUM (FREEZE, ANALYZE) $table");
	return load($session, $table);
}

# Loads all columns; returns the rows that were read.
sub load
{
	my ($session, $table) = @_;
	return ask($session, "SELECT warpagg_load('$table')");
}

# Returns how many blocks of a table have rows: it may have been extended by others.
sub block_count
{
	my ($session, $table) = @_;
	return ask($session,
		"SELECT count(DISTINCT (ctid::text::point)[0]) FROM $table");
}

# Returns the answers to all queries about a table.
sub answers
{
	my ($session, $table, $scan, $accelerate) = @_;
	ask($session,
		"SET warpagg.enable_scan = $scan; SET warpagg.accelerate = '$accelerate'"
	);
	return
	  join("\n", map { ask($session, sprintf($_, $table)) } @queries);
}

# Compares the node's answers with PostgreSQL's own, in the transaction that the
# session is in, or one of its own.
sub look
{
	my ($session, $table, $name) = @_;
	my $is_idle = ask($session, 'SELECT now() = statement_timestamp()') eq 't';
	ask($session, 'BEGIN ISOLATION LEVEL REPEATABLE READ') if $is_idle;
	my $node = answers($session, $table, 'on', 'all');
	my $postgres = answers($session, $table, 'off', 'off');
	ask($session, 'COMMIT') if $is_idle;
	return is($node, $postgres, "$name: the same answers");
}

# Returns what a query, or EXPLAIN of one, gives when the node may be used.
sub by_node
{
	my ($session, $sql) = @_;
	ask($session,
		q{SET warpagg.enable_scan = on; SET warpagg.accelerate = 'all'});
	return ask($session, $sql);
}

# Returns how many blocks of a table the node takes from memory.
sub resident_blocks
{
	my ($session, $table) = @_;
	my $plan = by_node($session,
		'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) '
		  . "SELECT count(*), sum(v), min(id) FROM $table");
	die "no node: $plan" if $plan !~ /\(WarpAgg\)/;
	return $plan =~ /Resident Blocks: (\d+)/ ? $1 : 0;
}

# Checks that most of a table comes from memory; a scan reads its first rows before
# it asks for the others.
sub uses
{
	my ($session, $table, $name) = @_;
	my $resident = resident_blocks($session, $table);
	my $blocks = block_count($session, $table);
	return cmp_ok($resident, '>', $blocks * 0.75,
		"$name: most of $blocks blocks are resident");
}

# Checks that nothing does.
sub no_use
{
	my ($session, $table, $name) = @_;
	return is(resident_blocks($session, $table),
		0, "$name: no resident block is used");
}

1;
