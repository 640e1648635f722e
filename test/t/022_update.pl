
# A database of the first release, 0.1.0: under this library, updated, dumped and
# restored; and this release's extension under a library that is older.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $first = "CREATE EXTENSION warpagg VERSION '0.1.0'";
my $update = 'ALTER EXTENSION warpagg UPDATE';
my $release = "SELECT extversion FROM pg_extension WHERE extname = 'warpagg'";

my $node = make_node_of('update', install_with_first_release());
$node->start;

# Runs SQL in a database.
sub sql
{
	my ($database, $sql) = @_;
	return $node->safe_psql($database, $sql);
}

# Returns the errors of SQL that fails.
sub failure
{
	my ($database, $sql) = @_;
	my ($rc, $out, $err) = $node->psql($database, $sql);
	return $rc == 0 ? "no error: $out" : $err;
}

# Makes a database with the extension of the first release.
sub make_first
{
	my ($database) = @_;
	sql('postgres', "CREATE DATABASE $database");
	sql($database, $first);
	return;
}

# Restores what pg_dump writes of a database into another one.
sub dump_and_restore
{
	my ($from, $to) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$to.sql";
	sql('postgres', "CREATE DATABASE $to");
	$node->command_ok([ 'pg_dump', '-f', $file, $from ], "$from is dumped");
	$node->command_ok(
		[ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $file, $to ],
		"$from is restored");
	return;
}

# What users have: views over aggregates, and over the views of the extension, with
# privileges of their own.
my $users = q{
CREATE TABLE flights AS
    SELECT x AS delay, 'c' || x % 3 AS carrier, x / 8.0::float8 AS distance
    FROM generate_series(1, 3000) x;
CREATE VIEW sums AS
    SELECT carrier, gpu_sum(delay), gpu_count(*), gpu_max(carrier), gpu_avg(distance)
    FROM flights GROUP BY carrier;
CREATE MATERIALIZED VIEW kept AS
    SELECT gpu_min(delay), gpu_sum(distance ORDER BY delay) FROM flights;
CREATE VIEW moving AS
    SELECT delay, gpu_sum(delay) OVER (ORDER BY delay ROWS 2 PRECEDING) FROM flights;
CREATE FUNCTION total() RETURNS bigint LANGUAGE sql
    BEGIN ATOMIC SELECT gpu_sum(delay) FROM flights; END;
CREATE VIEW starts AS SELECT s.starts, s.fallback_resting FROM warpagg_stats s;
CREATE VIEW columns AS SELECT column_name, rows, last_use FROM warpagg_resident;
GRANT SELECT ON warpagg_stats TO dashboards;
};

# Says what these show.
sub shown
{
	my ($database) = @_;
	return sql(
		$database, q{
SELECT * FROM sums ORDER BY 1; REFRESH MATERIALIZED VIEW kept; SELECT * FROM kept;
SELECT sum(gpu_sum) FROM moving; SELECT total(), gpu_stddev(delay) FROM flights;
SELECT has_table_privilege('dashboards', 'warpagg_stats', 'SELECT');
SELECT count(*) FROM starts; SELECT count(*) >= 0 FROM columns});
}

sql('postgres', 'CREATE ROLE dashboards');
sql('postgres', 'CREATE DATABASE fresh');
sql('fresh', 'CREATE EXTENSION warpagg');
my $fresh = extension_members($node, 'fresh', 'public');
like($fresh, qr/gpu_sum.*\n.*gpu_sum/, 'the members of the extension are read');
is( sql('fresh', $release),
	sql('fresh', 'SELECT release FROM warpagg_status'),
	'warpagg_status shows the release');

# --- This library serves the first release's SQL.
make_first('first');
isnt(extension_members($node, 'first', 'public'),
	$fresh, 'the first release has other members');
sql('first', $users);
ok(wait_ready_in('first'), 'device process is ready');
my $shown = shown('first');
like($shown, qr/^c0\|1501500\|1000\|c2?/m, 'its aggregates work');
like(sql('first',
		'SET warpagg.enable_scan = on; EXPLAIN SELECT gpu_sum(delay) FROM flights'),
	qr/WarpAgg/, 'and have the node');
sql('first', 'VACUUM flights');
is(sql('first', "SELECT warpagg_load('flights')"), 3000, 'its functions work');
is( sql(
		'first', q{
SELECT count(*), count(*) FILTER (WHERE rows = 3000) FROM warpagg_resident;
SELECT count(*) FROM warpagg_stats; SELECT count(*) > 9 FROM warpagg_reductions;
SELECT warpagg_unload('flights')}),
	"3|3\n1\nt\n", 'its views work');

# Waits for the device process in a database.
sub wait_ready_in
{
	my ($database) = @_;
	return wait_until(
		60,
		sub {
			sql($database, "SELECT count(*) FROM warpagg_devices WHERE state = 'ready'")
			  > 0;
		});
}

# --- A dump of it is restored as this release.
dump_and_restore('first', 'restored_first');
is(sql('restored_first', $release), '0.2.0', 'as this release');
is_members(extension_members($node, 'restored_first', 'public') =~
	  s/(\{|,)dashboards=r\/\w+//gr,
	$fresh, 'with its members');
is(shown('restored_first'), $shown, "users' objects are as they were");

# --- An update makes of it what a new installation has.
my $session = start_query($node,
	"\\c first\nPREPARE p AS SELECT gpu_sum(delay), (SELECT count(*) FROM starts) "
	  . 'FROM flights; EXECUTE p; SELECT pg_sleep(5); EXECUTE p');
ok(wait_asleep($node, 1), 'a session is connected');
sql('first', $update);
is(sql('first', $release), '0.2.0', 'the extension is updated');
is_members(extension_members($node, 'first', 'public') =~
	  s/(\{|,)dashboards=r\/\w+//gr,
	$fresh, 'its members are those of a new one');
is(shown('first'), $shown, "users' objects are as they were");
is(sql('first', 'SELECT release, state FROM warpagg_status'),
	'0.2.0|up', 'its new views work');
my ($ok, $out, $err) = finish_query($session);
is("$out$err", "4501500|1\n\n4501500|1",
	'a session goes on with what it has prepared');
sql('first', $update);
is(sql('first', $release), '0.2.0', 'another update does nothing');

# --- With all that this release has, a dump.  Pins are no part of that.
sql(
	'first', q{
GRANT EXECUTE ON FUNCTION warpagg_pin(regclass) TO dashboards;
SELECT warpagg_load('flights'), warpagg_pin('flights')});
dump_and_restore('first', 'restored');
is(shown('restored'), $shown, "users' objects are as they were");
is( sql(
		'restored', q{
SELECT has_function_privilege('dashboards', 'warpagg_pin(regclass)', 'EXECUTE'),
    has_function_privilege('dashboards', 'warpagg_unpin(regclass)', 'EXECUTE')}),
	't|f', "users' privileges are restored");
my $pinned = q{SELECT count(*) FROM warpagg_resident
    WHERE pinned AND relation = 'flights'::regclass};
is(sql('restored', $pinned), 0, 'what is restored is not pinned');
is(sql('first', $pinned), 3, 'what was dumped is');

# --- A server that has more aggregates than the one whose pg_upgrade kept the database.
make_first('less');
sql(
	'less', q{
ALTER EXTENSION warpagg DROP AGGREGATE gpu_max(inet);
DROP AGGREGATE gpu_max(inet);
ALTER EXTENSION warpagg DROP AGGREGATE gpu_min(anyenum);
DROP AGGREGATE gpu_min(anyenum);
ALTER EXTENSION warpagg DROP FUNCTION warpagg_min_anyenum(internal, anyenum);
DROP FUNCTION warpagg_min_anyenum(internal, anyenum);
ALTER EXTENSION warpagg DROP AGGREGATE gpu_sum(money);
DROP AGGREGATE gpu_sum(money);
ALTER EXTENSION warpagg DROP FUNCTION warpagg_sum_money(internal);
DROP FUNCTION warpagg_sum_money(internal);
COMMENT ON AGGREGATE gpu_sum(integer) IS 'in other words'});
sql('less', $update);
is_members(extension_members($node, 'less', 'public'), $fresh, 'gets those that it has not');

# --- What an update cannot replace is an error that changes nothing.
make_first('occupied');
my $before = extension_members($node, 'occupied', 'public');
my %obstacles = (
	'a view over a function' => [
		'CREATE VIEW mine AS SELECT starts FROM warpagg_stats()',
		qr/cannot drop function .* because other objects depend on it/,
		'DROP VIEW mine'
	],
	'a function of another origin' => [
		'CREATE FUNCTION warpagg_memory() RETURNS bigint LANGUAGE sql RETURN 1',
		qr/functions of another origin/,
		'DROP FUNCTION warpagg_memory()'
	],
	'a view of another origin' => [
		'CREATE VIEW warpagg_status AS SELECT 1 AS state', qr/already exists/,
		'DROP VIEW warpagg_status'
	]);
foreach my $what (sort keys %obstacles)
{
	my ($make, $error, $remove) = @{ $obstacles{$what} };
	sql('occupied', $make);
	like(failure('occupied', $update), $error, "$what is an obstacle");
	is_members(extension_members($node, 'occupied', 'public'),
		$before, 'nothing has changed');
	sql('occupied', $remove);
}
sql('occupied', $update);
is_members(extension_members($node, 'occupied', 'public'),
	$fresh, 'and without them it is updated');

# --- A library that is older than the SQL says so.
my ($function) = sql('fresh', q{
SELECT pg_get_functiondef('warpagg_stats'::regproc)});
$function =~ s/warpagg_stats\(OUT/newer(OUT more bigint, OUT/;
sql('fresh', $function);
like(
	failure('fresh', 'SELECT * FROM newer()'),
	qr/ERROR:  library "warpagg" is older than the extension in this database/,
	'columns that the library does not have');
$function =~ s/newer\(/newest(/;
$function =~ s/warpagg_stats_0_2/warpagg_stats_9_9/;
like(failure('fresh', $function),
	qr/could not find function "warpagg_stats_9_9"/, 'a function, likewise');
is(sql('fresh', 'SELECT gpu_sum(x) FROM generate_series(1, 10) x'),
	55, 'the server goes on');
$node->stop;

done_testing();
