
# The column ctid, where it is resident: the places that the device process has are those
# of the rows that the snapshot sees, whatever becomes of the table.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use File::Temp;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my ($version) = run_command([qw(pg_config --version)]);
my ($major) = $version =~ /PostgreSQL (\d+)/;

# What the library calls is in warpagg.so, by names that later versions hide.
plan skip_all => 'PostgreSQL 16 and later hide what an extension does not export'
  if $major >= 16;

my $root = "$FindBin::RealBin/../..";
my $folder = File::Temp->newdir();
my ($include) = run_command([qw(pg_config --includedir-server)]);
my @build = (
	$ENV{CC} // 'cc', qw(-std=gnu11 -O1 -D_GNU_SOURCE -fPIC -shared),
	"-I$root/src", "-I$include", '-o', "$folder/places.so",
	"$FindBin::RealBin/places.c");
system(@build) == 0 or BAIL_OUT('cannot build places.c');
chmod 0755, $folder;

my $node = make_node('places', 'autovacuum = off', 'fsync = off',
	"shared_preload_libraries = 'warpagg'", 'max_prepared_transactions = 1');
$node->start;
value($node, 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');
value($node, qq{
	CREATE FUNCTION resident_places(regclass) RETURNS bigint[]
		AS '$folder/places.so' LANGUAGE C;
	CREATE FUNCTION place_of(tid) RETURNS bigint LANGUAGE sql AS \$\$
		SELECT (\$1::text::point)[0]::bigint * 291 + (\$1::text::point)[1]::bigint - 1
	\$\$;
	CREATE TABLE facts (id int, v int, t text) WITH (fillfactor = 85);
	INSERT INTO facts SELECT x, x % 7, repeat('x', x % 50)
		FROM generate_series(1, 150000) x;
	VACUUM ANALYZE facts;
	SELECT setseed(0.5);});

# How many rows there are, and places; how many of these are wrong, or missing.
my $compare = q{
	WITH has AS (SELECT unnest(resident_places('facts')) AS place),
		 seen AS (SELECT place_of(ctid) AS place FROM facts)
	SELECT (SELECT count(*) FROM seen), (SELECT count(*) FROM has),
		(SELECT count(*) FROM (SELECT * FROM has EXCEPT SELECT * FROM seen) x),
		(SELECT count(*) FROM (SELECT * FROM seen EXCEPT SELECT * FROM has) x)};

# Tells whether the places are those of all rows.
sub is_right
{
	my ($what) = @_;
	my ($seen, $has, $wrong, $missing) = split /\|/, value($node, $compare);
	cmp_ok($seen, '>', 0, "$what: there are rows");
	return is("$has $wrong $missing", "$seen 0 0", "$what: all places are right");
}

# Loads what has changed, and tells so.
sub is_complete
{
	my ($what) = @_;
	value($node, q{SELECT warpagg_load('facts', '{ctid}')});
	return is_right($what);
}

# Tells whether there are places of some rows, and none of others.
sub is_partial
{
	my ($what) = @_;
	my ($seen, $has, $wrong, $missing) = split /\|/, value($node, $compare);
	ok($has > 0 && $missing > 0, "$what: some rows have places");
	return is($wrong, 0, "$what: no place is wrong");
}

is(value($node, q{SELECT resident_places('facts') IS NULL}),
	't', 'at first there are no places');
is_complete('loaded');
value($node, 'UPDATE facts SET v = -v WHERE id % 1000 = 7');
is_partial('updated');
is_complete('updated, and loaded');
value($node, 'VACUUM facts');
is_right('updated in the pages, and vacuumed behind the load');
value($node, q{UPDATE facts SET t = repeat('y', 900) WHERE id % 1000 = 8});
is_partial('updated beyond the pages');
is_complete('updated beyond the pages, and loaded');
value($node, 'VACUUM (FREEZE) facts');
is_right('updated beyond the pages, and vacuumed behind the load');
value($node, 'DELETE FROM facts WHERE id % 1000 < 20');
is_partial('deleted');
value($node, 'VACUUM facts');
is_complete('vacuumed');
value($node, q{INSERT INTO facts SELECT x, 1, repeat('z', 20)
	FROM generate_series(1, 20000) x});
is_partial('inserted');
is_complete('inserted, and loaded');

# An open transaction: others go on to see the rows where they were.
value($node, q{BEGIN; UPDATE facts SET v = -1 WHERE id BETWEEN 1000 AND 1100;
	PREPARE TRANSACTION 'p'});
value($node, q{SELECT warpagg_load('facts', '{ctid}')});
is_partial('in progress');
value($node, q{COMMIT PREPARED 'p'});
is_partial('committed');
is_complete('committed, and loaded');

# Pages that are pruned while they are read, and rows that come to free places.
foreach my $round (1 .. 6)
{
	value($node, qq{
		UPDATE facts SET v = v + 1 WHERE (id + $round) % 97 = 0;
		DELETE FROM facts WHERE (id + $round * 31) % 89 = 0;
		UPDATE facts SET t = t || 'x' WHERE (id + $round) % 61 = 0;});
	value($node, 'VACUUM facts') if $round % 2 == 0;
	value($node, qq{INSERT INTO facts SELECT x, $round, repeat('w', x % 100)
		FROM generate_series(1, 3000) x});
	is_complete("round $round");
}
value($node, 'ALTER TABLE facts DROP COLUMN v, ADD COLUMN w int DEFAULT 5');
is_complete('columns came and went');
value($node, q{DELETE FROM facts WHERE ctid >= '(500,0)'});
value($node, 'VACUUM facts');
is_complete('truncated at its end');
value($node, 'VACUUM FULL facts');
is(value($node, q{SELECT resident_places('facts') IS NULL}),
	't', 'a new storage has none');
is_complete('rewritten');

# It is loaded in the background, and again if it was pinned.
my $is_there = q{SELECT count(*) FROM warpagg_resident
	WHERE column_name = 'ctid' AND fresh_share = 1 AND pinned = };
value($node, q{SELECT warpagg_unload('facts');
	SELECT warpagg_load_later('facts', '{ctid}')});
ok(wait_until(60, sub { value($node, $is_there . 'false') == 1 }),
	'it is loaded in the background');
is_right('loaded in the background');
value($node, q{SELECT warpagg_pin('facts')});
$node->restart;
ok(wait_ready($node), 'ready after a restart');
ok( wait_until(
		60,
		sub {
			value($node, q{SET warpagg.enable_scan = on;
				SELECT count(*) FROM facts});
			return value($node, $is_there . 'true') == 1;
		}),
	'what was pinned is loaded again');
is_right('loaded again');
value($node, q{SELECT warpagg_unload('facts', '{ctid}')});
is(value($node, q{SELECT resident_places('facts') IS NULL}),
	't', 'places are forgotten');

$node->stop;
done_testing();
