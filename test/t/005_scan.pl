
# The scan tier on a hot standby, after a crash, when cancelled, and in sessions
# that have not loaded the library yet.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $query = 'SELECT k, count(*), gpu_sum(v), gpu_min(n) FROM facts '
  . 'WHERE v % 10 <> 3 GROUP BY k ORDER BY k';

# Returns whether a session that has done nothing else gets the node.
sub has_node
{
	my ($node, $sql) = @_;
	return $node->safe_psql('postgres', "EXPLAIN (COSTS OFF) $sql") =~
	  /\(WarpAgg\)/;
}

# Compares the query with the node and without, in one snapshot.
sub same_results
{
	my ($node, $name) = @_;
	my %rows;
	foreach my $enabled ('on', 'off')
	{
		$rows{$enabled} = $node->safe_psql('postgres',
			"SET warpagg.enable_scan = $enabled; $query");
	}
	ok(length($rows{on}) > 20, "$name: there are results");
	return is($rows{on}, $rows{off}, "$name: the same results");
}

my $primary = make_node('primary', 'warpagg.enable_scan = on',
	'autovacuum = off', 'hot_standby_feedback = on');
$primary->append_conf('postgresql.conf', 'max_wal_senders = 5');
$primary->append_conf('postgresql.conf', 'wal_level = replica');
$primary->start;
$primary->safe_psql('postgres', q{
	CREATE EXTENSION warpagg;
	CREATE TABLE facts AS
		SELECT i % 7 AS k, i::bigint AS v, i / 8.0 AS n
		FROM generate_series(1, 30000) i;
	ANALYZE facts;
});
ok(has_node($primary, $query), 'the first query of a session gets the node');
ok(!has_node($primary, 'SELECT sum(v) FROM facts'),
	'a built-in does not load the library');
same_results($primary, 'primary');

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
ok(has_node($standby, $query), 'a standby uses the node');
same_results($standby, 'standby');

# Pages that are all visible on the primary, and changed again.
my @changes = (
	'UPDATE facts SET v = v + 1 WHERE k = 3',
	'VACUUM facts',
	'DELETE FROM facts WHERE v % 5 = 0',
	'VACUUM (FREEZE) facts',
	'INSERT INTO facts SELECT 9, 1, 2 FROM generate_series(1, 5000)');
foreach my $change (@changes)
{
	$primary->safe_psql('postgres', $change);
	$primary->wait_for_catchup($standby);
	same_results($standby, "standby after $change");
	is( $standby->safe_psql('postgres', $query),
		$primary->safe_psql('postgres', $query),
		'standby and primary agree');
}

# An open transaction of the primary is not seen.
my $before = $standby->safe_psql('postgres', $query);
my $handle = start_query($primary,
	'BEGIN; DELETE FROM facts; SELECT pg_sleep(3); ROLLBACK');
ok(wait_asleep($primary, 1), 'a transaction is open');
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', $query),
	$before, 'standby: what is not committed is not seen');
finish_query($handle);

# Cancelled in the middle, and after a crash.
$primary->safe_psql('postgres',
	'INSERT INTO facts SELECT i % 7, i, i FROM generate_series(1, 1000000) i');
my ($rc, $out, $err) = $primary->psql('postgres',
	"SET statement_timeout = '1ms'; "
	  . 'SELECT n, v, count(*), gpu_stddev(n) FROM facts GROUP BY n, v');
like($err, qr/statement timeout/, 'the node can be cancelled');
is($primary->safe_psql('postgres', 'SELECT 1'), '1', 'and nothing else ends');
$primary->stop('immediate');
$primary->start;
same_results($primary, 'after a crash');

$standby->promote;
same_results($standby, 'after promotion');
$standby->stop;
$primary->stop;

done_testing();
