
# Loading resident columns: what is loaded, what is read again after changes, what
# is forgotten, and what happens when memory or the device process is missing.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('resident', 'autovacuum = off', 'fsync = off',
	'warpagg.load_workers = 0', 'max_prepared_transactions = 1');
$node->start;

# Returns a table's resident columns: name, blocks, rows and fresh share of each.
sub resident
{
	my ($table) = @_;
	return value($node,
		"SELECT column_name, blocks, rows, round(fresh_share::numeric, 3) "
		  . "FROM warpagg_resident WHERE relation = '$table'::regclass "
		  . 'ORDER BY 1');
}

# Returns how many blocks a table has; some may be empty, as it may be extended by many.
sub count_blocks
{
	my ($table) = @_;
	return value($node,
		"SELECT pg_relation_size('$table') / current_setting('block_size')::int");
}

value($node, 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');

# 3 extents of 512 blocks, with few rows a block.
value($node,
	q{
	CREATE TABLE facts (k int, v bigint, n numeric(8, 2), t text, d date,
						i interval) WITH (fillfactor = 10);
	INSERT INTO facts SELECT i % 7, i, i / 4.0, 'text ' || i % 9,
		date '2024-01-01' + i % 365, '1 day' FROM generate_series(1, 13000) i;
	VACUUM facts;
	});
my $blocks = value($node, q{SELECT pg_relation_size('facts') / 8192});
cmp_ok($blocks, '>', 1024, 'there are three extents');

is(value($node, q{SELECT warpagg_load('facts', '{k, v}')}),
	'13000', 'all rows are loaded');
is(resident('facts'), "k|$blocks|13000|1.000\nv|$blocks|13000|1.000",
	'two columns are resident');
is(value($node, q{SELECT warpagg_load('facts', '{v}')}),
	'0', 'what is resident is not read again');
is(value($node, q{SELECT warpagg_load('facts')}), '13000', 'the others are added');
is( resident('facts'),
	join("\n", map { "$_|$blocks|13000|1.000" } qw(d k n t v)),
	'an interval cannot be resident, the others are');
is(value($node, q{SELECT sum(rows) FROM warpagg_resident WHERE bytes > 0}),
	65000, 'they take memory');
is( value($node,
		q{SELECT count(*) FROM warpagg_resident WHERE database <> 'postgres'
		  OR queries <> 0 OR hit_share IS NOT NULL OR extents <> 3}),
	'0', 'and nothing has used them');

# A change makes its blocks stale, that of the row and that of its new version.  VACUUM
# makes none.
value($node, 'UPDATE facts SET v = -v WHERE v = 1');
like(resident('facts'), qr/v\|$blocks\|13000\|0\.99/, 'a block is stale');
value($node, 'VACUUM facts');
like(resident('facts'), qr/v\|$blocks\|13000\|0\.99/,
	'after VACUUM there are no more');
my $read = value($node, q{SELECT warpagg_load('facts')});
cmp_ok($read, '>', 0, 'what has changed is read again');
cmp_ok($read, '<', 100, 'and nothing else');
is(resident('facts'),
	join("\n", map { "$_|$blocks|13000|1.000" } qw(d k n t v)),
	'all is fresh again');

# What a transaction changes that has not ended is left out, and comes later.
value($node, q{BEGIN; UPDATE facts SET v = -v WHERE v IN (-1, 5, 7000);
	PREPARE TRANSACTION 'p'});
like(
	messages($node, q{SELECT warpagg_load('facts')}),
	qr/[2-5] blocks of "facts" have rows of transactions that have not ended/,
	'blocks in flux are left out');
like(resident('facts'), qr/v\|$blocks\|13000\|0\.99/, 'they are stale');
value($node, q{COMMIT PREPARED 'p'});
is(messages($node, q{SELECT warpagg_load('facts')}), '', 'and come later');
is(resident('facts'),
	join("\n", map { "$_|$blocks|13000|1.000" } qw(d k n t v)),
	'all is fresh again');
value($node, 'UPDATE facts SET v = -v WHERE v IN (-5, -7000)');

# Loading one column keeps the others, and brings them up to date.
value($node, 'DELETE FROM facts WHERE v = 10');
value($node, 'VACUUM facts');
value($node, q{SELECT warpagg_load('facts', '{k}')});
is( resident('facts'),
	join("\n", map { "$_|$blocks|12999|1.000" } qw(d k n t v)),
	'loading one column refreshes the others of its extents');

# Rows that come and go at the end of the table.
value($node,
	q{
	INSERT INTO facts SELECT i % 7, -1, i / 4.0, 'text ' || i % 9,
		date '2024-01-01' + i % 365, '1 day' FROM generate_series(1, 6000) i;
	VACUUM facts;
	});
$read = value($node, q{SELECT warpagg_load('facts')});
cmp_ok($read, '<', 18999, 'not all of the table is read');
is( value($node,
		q{SELECT count(*) FROM warpagg_resident
		  WHERE rows = 18999 AND fresh_share = 1}),
	'5', 'new rows are resident');
value($node, "DELETE FROM facts WHERE ctid >= '($blocks,0)'");
value($node, 'VACUUM facts');
is(value($node, q{SELECT pg_relation_size('facts') / 8192}),
	$blocks, 'the table has become shorter');
value($node, q{SELECT warpagg_load('facts')});
is( value($node, q{SELECT count(*) FROM facts}),
	value($node, q{SELECT min(rows) FROM warpagg_resident WHERE fresh_share = 1}),
	'a table that was truncated at its end is resident');

# Changes of the table itself.
value($node, 'ALTER TABLE facts DROP COLUMN d');
value($node, q{SELECT warpagg_load('facts', '{k}')});
is(value($node, q{SELECT string_agg(column_name, ',' ORDER BY column_name)
		   FROM warpagg_resident}),
	'k,n,t,v', 'a dropped column is forgotten by the next load');
value($node, q{ALTER TABLE facts ADD COLUMN w int DEFAULT 42});
is( value($node, q{SELECT warpagg_load('facts', '{w}')}),
	value($node, 'SELECT count(*) FROM facts'),
	'a column that old rows do not have can be loaded');
value($node, 'ALTER TABLE facts ALTER COLUMN k TYPE bigint');
is( value($node,
		q{SELECT count(*) FROM warpagg_resident WHERE relation IS NOT NULL}),
	'0', 'after a rewrite nothing is resident');
value($node, 'VACUUM facts');
value($node, q{SELECT warpagg_load('facts', '{k}')});
is(value($node, q{SELECT count(*), count(relation) FROM warpagg_resident}),
	'1|1', 'and the old storage is forgotten by the next load');

# Forgetting.
value($node, q{SELECT warpagg_load('facts')});
value($node, q{SELECT warpagg_unload('facts', '{n, t}')});
is(value($node, q{SELECT string_agg(column_name, ',' ORDER BY column_name)
		   FROM warpagg_resident}),
	'k,v,w', 'columns can be unloaded');
value($node, q{SELECT warpagg_unload('facts')});
is(value($node, q{SELECT count(*) FROM warpagg_resident}),
	'0', 'tables can be unloaded');
value($node, q{SELECT warpagg_load('facts', '{k}')});
value($node, 'DROP TABLE facts');
value($node, 'CREATE TABLE other AS SELECT i FROM generate_series(1, 10) i');
value($node, 'VACUUM other');
value($node, q{SELECT warpagg_load('other')});
is(value($node, q{SELECT relation FROM warpagg_resident}),
	'other', 'a dropped table is forgotten by the next load');

# Values that no vector holds.
value($node,
	q{
	CREATE TABLE odd WITH (fillfactor = 10) AS
		SELECT i AS a, i::numeric AS b, i * 1e38 AS c, 'x' AS t
		FROM generate_series(1, 7000) i;
	ALTER TABLE odd ALTER COLUMN t SET STORAGE EXTERNAL;
	INSERT INTO odd VALUES (1, 'NaN', 1, 'x');
	INSERT INTO odd VALUES (1, 1, 1, repeat('x', 5000));
	VACUUM odd;
	});
my $notices = messages($node, q{SELECT warpagg_load('odd')});
like($notices, qr/left out of some blocks: "c"/,
	'a column of forty digits is left out');
like($notices, qr/[12] blocks of "odd" have values that cannot be resident/,
	'and others lack blocks with odd values');
my $rows = value($node,
	q{SELECT string_agg(column_name, ',' ORDER BY column_name), min(rows),
			 max(rows)
	  FROM warpagg_resident WHERE relation = 'odd'::regclass});
like($rows, qr/^a,b,t\|(69\d\d|7000)\|7002$/, 'the others are resident');
is(value($node, q{SELECT warpagg_load('odd')}),
	'0', 'what cannot be resident is not read in vain');

# A column with such values takes no blocks from others.
value($node,
	q{
	CREATE TABLE shared WITH (fillfactor = 10) AS
		SELECT i AS a, i AS b, 'x' AS t FROM generate_series(1, 7000) i;
	ALTER TABLE shared ALTER COLUMN t SET STORAGE EXTERNAL;
	INSERT INTO shared VALUES (1, 1, repeat('x', 5000));
	VACUUM shared;
	});
value($node, q{SELECT warpagg_load('shared', '{a}')});
my $all = count_blocks('shared');
my $fewer = $all - 1;
like(messages($node, q{SELECT warpagg_load('shared', '{b,t}')}),
	qr/1 blocks of "shared" have values that cannot be resident/,
	'a column lacks a block');
like(resident('shared'),
	qr/^a\|$all\|7001\|1.000\nb\|$all\|7001\|1.000\nt\|$fewer\|/,
	'and the others have all');
is(value($node, q{SELECT warpagg_load('shared')}),
	'0', 'and are not read in vain');
value($node, q{SELECT warpagg_unload('shared')});

# So it does if they are loaded together.
value($node, q{SELECT warpagg_load('shared')});
like(resident('shared'),
	qr/^a\|$all\|7001\|1.000\nb\|$all\|7001\|1.000\nt\|$fewer\|/,
	'columns that are loaded together lack what they have to');
value($node, q{SELECT warpagg_unload('shared', '{t}')});
is(value($node, q{SELECT warpagg_load('shared', '{b}')}),
	'0', 'without the column nothing is read again');
value($node, 'DROP TABLE shared');

# Columns that one session asks for, one after the other, are loaded for it.
value($node,
	q{
	CREATE TABLE asked WITH (fillfactor = 10) AS
		SELECT i AS a, i AS b FROM generate_series(1, 40000) i;
	VACUUM ANALYZE asked;
	});
# On a busy machine a query may go without the device process, and then asks for nothing.
ok( wait_until(
		120,
		sub {
			value($node,
				q{SELECT warpagg_unload('asked');
				  SET warpagg.autoload = on;
				  SET warpagg.enable_scan = on;
				  SET warpagg.accelerate = exact;
				  SELECT count(*) FROM warpagg_resident;
				  SELECT sum(a) FROM asked;
				  SELECT sum(b) FROM asked});
			return wait_until(
				20,
				sub {
					return value($node,
						q{SELECT string_agg(column_name, ',' ORDER BY column_name)
						  FROM warpagg_resident WHERE relation = 'asked'::regclass})
					  eq 'a,b';
				});
		}),
	'both columns that were asked for are loaded');

# So is what the first rows are found by, with their places.
my $first = 'SELECT a, b FROM asked ORDER BY b DESC LIMIT 3';
ok( wait_until(
		120,
		sub {
			value($node,
				qq{SELECT warpagg_unload('asked');
				  SET warpagg.autoload = on;
				  SET warpagg.enable_scan = on;
				  SELECT count(*) FROM warpagg_resident;
				  $first});
			return wait_until(
				20,
				sub {
					return value($node,
						q{SELECT string_agg(column_name, ',' ORDER BY column_name)
						  FROM warpagg_resident WHERE relation = 'asked'::regclass})
					  eq 'b,ctid';
				});
		}),
	'what first rows are found by is loaded');
like(
	value($node, qq{LOAD 'warpagg'; SET warpagg.enable_scan = on;
		EXPLAIN (ANALYZE, COSTS OFF) $first}),
	qr/WarpAgg Rows.*Resident Rows: 40000/s,
	'and used');
value($node, 'DROP TABLE asked');

# A query without columns has the narrowest loaded, but not that of a small table.
value($node,
	q{
	CREATE TABLE counted WITH (fillfactor = 10) AS
		SELECT i AS a, i::bigint AS b, i::text AS t, i::smallint AS narrow,
			i / 3.0 AS n
		FROM generate_series(1, 4500) i;
	CREATE TABLE small WITH (fillfactor = 10) AS
		SELECT i AS a FROM generate_series(1, 4000) i;
	VACUUM ANALYZE counted, small;
	});
cmp_ok(value($node, q{SELECT pg_relation_size('counted') / 8192}),
	'<', 1024, 'a table of less than 8 MB');
cmp_ok(value($node, q{SELECT pg_relation_size('small') / 8192}),
	'<', 256, 'and one of less than 2 MB');
my $counting = q{SET warpagg.enable_scan = on;
	  SET warpagg.accelerate = exact;
	  SELECT count(*) FROM warpagg_resident;};
value($node,
	qq{SET warpagg.autoload = on;
	  $counting
	  SELECT count(*) FROM small;
	  SELECT sum(a) FROM small;
	  SELECT count(*) FROM counted});
ok( wait_until(
		30,
		sub {
			return value($node,
				q{SELECT string_agg(column_name, ',' ORDER BY column_name)
				  FROM warpagg_resident WHERE relation = 'counted'::regclass})
			  eq 'narrow';
		}),
	'the narrowest column is loaded for count(*)');
is( value($node,
		q{SELECT count(*) FROM warpagg_resident
		  WHERE relation = 'small'::regclass}),
	'0', 'nothing of a small table');
like(
	value($node, qq{$counting EXPLAIN (ANALYZE, COSTS OFF)
		SELECT count(*) FROM counted}),
	qr/Resident Rows: 4500/,
	'and counts its rows');
value($node, 'DROP TABLE counted, small');

# More columns than a message names: 100 integers, 50 booleans and, last, a text.
my $definitions = join(', ',
	(map { "i + $_ AS c$_" } 1 .. 100),
	(map { "i % $_ = 0 AS c$_" } 101 .. 150));
value($node,
	qq{
	CREATE TABLE many AS
		SELECT $definitions, 'x' AS c151 FROM generate_series(1, 10000) i;
	ALTER TABLE many ALTER COLUMN c151 SET STORAGE EXTERNAL;
	VACUUM many;
	});
$all = count_blocks('many');

# Returns how many columns have so many rows in all blocks, and are fresh.
sub complete_columns
{
	my ($nrows) = @_;
	return value($node,
		"SELECT count(*) FROM warpagg_resident WHERE blocks = $all "
		  . "AND relation = 'many'::regclass AND rows = $nrows "
		  . 'AND fresh_share = 1');
}

# Queries of columns near both ends, over what is resident and from the heap.
sub check_columns
{
	my ($name) = @_;
	my $query =
	  'SELECT count(*), sum(c1), sum(c64), sum(c65), sum(c100), count(c151), '
	  . 'count(*) FILTER (WHERE c128), count(*) FILTER (WHERE c129 OR c150) '
	  . 'FROM many';
	my $settings = q{LOAD 'warpagg'; SET warpagg.enable_scan = on;
		SET warpagg.accelerate = exact; SET warpagg.autoload = off;};
	like(
		value($node, "$settings EXPLAIN (ANALYZE, COSTS OFF) $query"),
		qr/Resident Blocks: [1-9]/,
		"$name: a query uses what is resident");
	is( value($node, "$settings $query"),
		value($node, "SET warpagg.enable_resident = off; $query"),
		"$name: with the right result");
}

cmp_ok($all, '>', 512, 'a table of many columns has two extents');
is(value($node, q{SELECT warpagg_load('many')}), '10000', 'it is loaded');
is(complete_columns(10000), '151', 'with all columns');
check_columns('loaded');
is(value($node, q{SELECT warpagg_load('many')}), '0', 'and is not read again');
value($node, 'UPDATE many SET c1 = -c1, c128 = NOT c128 WHERE c2 % 900 = 0');
value($node, 'VACUUM many');
$all = count_blocks('many');
value($node, q{SELECT warpagg_load('many', '{c70}')});
is(complete_columns(10000), '151',
	'loading one brings all of them up to date');
check_columns('changed');
is(value($node, q{SELECT warpagg_load('many')}), '0', 'and none is read in vain');
value($node, q{SET warpagg.load_workers = 2;
		SELECT warpagg_unload('many', '{c3, c64, c100, c130}');
		SELECT warpagg_load('many')});
is(complete_columns(10000), '151', 'those that are missing are added');
value($node,
	q{
	INSERT INTO many (c1, c65, c150, c151)
		VALUES (-5, 7, true, repeat('x', 5000));
	VACUUM many;
	});
$all = count_blocks('many');
like(
	messages($node, q{SELECT warpagg_load('many')}),
	qr/1 blocks of "many" have values that cannot be resident/,
	'a column that cannot have a block lacks it, ...');
is(complete_columns(10001), '150', '... and takes it from no other');
is(value($node, q{SELECT warpagg_load('many')}), '0', 'again in vain');
value($node, q{SELECT warpagg_unload('many'); SELECT warpagg_load_later('many')});
ok( wait_until(60, sub { return complete_columns(10001) eq '150' }),
	'the same is loaded in the background');
check_columns('in the background');
value($node, 'DROP TABLE many');

# In another database.
value($node, 'CREATE DATABASE elsewhere');
$node->safe_psql(
	'elsewhere', q{
	CREATE EXTENSION warpagg;
	CREATE TABLE far AS SELECT i FROM generate_series(1, 10) i;});
$node->safe_psql('elsewhere', 'VACUUM far');
is($node->safe_psql('elsewhere', q{SELECT warpagg_load('far')}),
	'10', 'another database has resident columns');
is( value($node,
		q{SELECT database, relation, column_name, rows FROM warpagg_resident
		  WHERE database <> 'postgres'}),
	'elsewhere|||10', 'which are seen without their names');
value($node, 'DROP DATABASE elsewhere');
value($node, q{SELECT warpagg_load('other')});
is(value($node, q{SELECT count(*) FROM warpagg_resident WHERE database IS NULL}),
	'0', 'those of a dropped database are forgotten');

# Who wants a database does not wait for what is loaded there.
value($node, 'CREATE DATABASE busy');
value($node, q{ALTER DATABASE busy SET warpagg.debug_load_delay = 1000});
$node->safe_psql(
	'busy', q{
	CREATE EXTENSION warpagg;
	CREATE TABLE slow WITH (fillfactor = 10) AS
		SELECT i FROM generate_series(1, 160000) i;});
$node->safe_psql('busy', 'CREATE TABLE quick AS SELECT 1 AS a');
$node->safe_psql('busy', 'VACUUM slow, quick');
$node->safe_psql('busy',
	q{SELECT warpagg_load_later('slow'), warpagg_load_later('quick')});
ok( wait_until(
		30,
		sub {
			return value($node,
				q{SELECT coalesce(sum(extents), 0) FROM warpagg_resident
				  WHERE database = 'busy'}) > 0;
		}),
	'a slow load has begun');
value($node,
	q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
	  WHERE backend_type = 'warpagg loader'});
ok( wait_until(
		30,
		sub {
			return $node->safe_psql('busy',
				q{SELECT count(*) FROM warpagg_resident
				  WHERE relation = 'quick'::regclass}) eq '1';
		}),
	'it is cancelled, and the next one is loaded');
cmp_ok(
	$node->safe_psql(
		'busy',
		q{SELECT coalesce(sum(extents), 0) FROM warpagg_resident
		  WHERE relation = 'slow'::regclass}),
	'<', 12, 'without the rest of the first');
foreach my $statement (
	'CREATE DATABASE copy TEMPLATE busy',
	'ALTER DATABASE busy RENAME TO engaged',
	'DROP DATABASE engaged')
{
	my ($database) = $statement =~ /(busy$|busy|engaged$)/;
	my $loaders = 'SELECT count(*) FROM pg_stat_activity '
	  . "WHERE backend_type = 'warpagg loader' AND datname = '$database'";
	$node->safe_psql($database,
		q{SELECT warpagg_unload('slow'); SELECT warpagg_load_later('slow')});
	ok(wait_until(30, sub { return value($node, $loaders) eq '1' }),
		"somebody loads in $database");
	is(messages($node, $statement), '', $statement);
	is(value($node, $loaders), '0', 'and has made room');
}
value($node, 'DROP DATABASE copy');

# Several processes.
value($node,
	q{
	CREATE TABLE wide WITH (fillfactor = 10) AS
		SELECT i AS a, i % 10 AS b FROM generate_series(1, 200000) i;
	VACUUM wide;
	});
is( value($node,
		q{SET warpagg.load_workers = 2;
		  SELECT warpagg_load('wide', '{a}')}),
	'200000', 'workers load as well');
is(value($node, q{SELECT rows, fresh_share FROM warpagg_resident
		   WHERE relation = 'wide'::regclass}),
	'200000|1', 'and all is there');

# Too little memory, then enough.
$node->append_conf('postgresql.conf', "warpagg.memory_limit = '1MB'");
$node->reload;
ok( wait_until(
		10,
		sub {
			return value($node, q{SELECT coalesce(sum(bytes), 0) <= 1048576
						   FROM warpagg_resident}) eq 't';
		}),
	'a smaller limit takes memory away');
foreach my $workers (0, 2)
{
	like(
		messages($node,
			"SET warpagg.load_workers = $workers; "
			  . q{SELECT warpagg_load('wide')}),
		qr/memory for resident columns is full.*blocks of "wide" are resident/s,
		"too little memory is no error, with $workers workers");
}
cmp_ok(
	value($node, q{SELECT min(rows) FROM warpagg_resident
			WHERE relation = 'wide'::regclass}),
	'>', 1000, 'some of the table is resident');
$node->append_conf('postgresql.conf', 'warpagg.memory_limit = 0');
$node->reload;
ok( wait_until(
		10,
		sub {
			return messages($node, q{SELECT warpagg_load('wide')}) eq '';
		}),
	'with more memory the rest is loaded');
is( value($node,
		q{SELECT count(*) FROM warpagg_resident
		  WHERE relation = 'wide'::regclass AND rows = 200000}),
	'2', 'all of it');

# In the background.
value($node, q{SELECT warpagg_unload('wide')});
value($node, q{SELECT warpagg_load_later('wide', '{b}')});
value($node, q{SELECT warpagg_load_later('odd', '{a}')});
ok( wait_until(
		60,
		sub {
			return value($node,
				q{SELECT coalesce(sum(rows), 0) FROM warpagg_resident
				  WHERE relation = 'wide'::regclass}) eq '200000';
		}),
	'a background worker loads what it is asked for');
ok( wait_until(
		30,
		sub {
			return value($node,
				q{SELECT count(*) FROM pg_stat_activity
				  WHERE backend_type = 'warpagg loader'}) eq '0';
		}),
	'and ends');
is(value($node, q{SELECT string_agg(DISTINCT column_name, ',') FROM warpagg_resident
		   WHERE relation = 'wide'::regclass}),
	'b', 'and loads nothing else');
foreach my $i (1 .. 20)
{
	value($node, q{SELECT warpagg_load_later('wide', '{a}')});
}
ok( wait_until(
		60,
		sub {
			return value($node,
				q{SELECT coalesce(sum(rows), 0) FROM warpagg_resident
				  WHERE relation = 'wide'::regclass}) eq '400000';
		}),
	'however often it is asked for');

# Errors in the middle.
value($node, q{SELECT warpagg_unload('wide')});
like(
	messages($node,
		q{SET warpagg.debug_load_delay = '500ms'; SET statement_timeout = '100ms';
		  SELECT warpagg_load('wide')}),
	qr/statement timeout/,
	'loading can be cancelled');
is( value($node,
		q{
		CREATE FUNCTION load_in_vain() RETURNS bigint LANGUAGE plpgsql AS $$
		BEGIN
			PERFORM set_config('statement_timeout', '0', false);
			RETURN warpagg_load('wide', '{nothing}');
		EXCEPTION WHEN undefined_column THEN
			RETURN warpagg_load('wide');
		END $$;
		SELECT load_in_vain() > 0;}),
	't', 'a session goes on after an error');
kill 'KILL', daemon_pid($node);
ok(wait_until(30, sub { return defined daemon_pid($node) }),
	'the device process is started again');
ok(wait_ready($node), 'and ready');
is(value($node, q{SELECT count(*) FROM warpagg_resident}), '0', 'with nothing');
is(value($node, q{SELECT warpagg_load('wide')}), '200000', 'and loads again');

# The server starts with nothing.
$node->restart;
ok(wait_ready($node), 'ready after a restart');
is(value($node, q{SELECT count(*) FROM warpagg_resident}),
	'0', 'nothing is resident after a restart');
$node->stop;

done_testing();
