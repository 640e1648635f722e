
# Whose columns make room for whose: what was used lately, what somebody has asked for and
# what is pinned, the share of what queries have loaded, and who may load at all.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('evict', 'autovacuum = off', 'fsync = off',
	'warpagg.load_workers = 0', "warpagg.memory_limit = '4MB'");
$node->start;

# Returns the share of a table's blocks that is resident, of all its columns.
sub share
{
	my ($table) = @_;
	return value($node,
		"SELECT coalesce(min(r.blocks) / (pg_relation_size('$table') / 8192.0), 0)"
		  . '::numeric(3, 2) FROM pg_attribute a LEFT JOIN warpagg_resident r '
		  . 'ON r.relation = a.attrelid AND r.column_name = a.attname '
		  . "WHERE a.attrelid = '$table'::regclass AND a.attnum > 0");
}

# What a dashboard asks, with what can be loaded for it.
my $as_dashboard = q{SET warpagg.enable_scan = on;
	SET warpagg.accelerate = exact; SET warpagg.autoload = on;
	SELECT count(*) FROM warpagg_devices;};

# A table of 4 bytes a row and column takes 1.6 MB a column.
value($node, 'CREATE EXTENSION warpagg');
ok(wait_ready($node), 'the device process is ready');
value($node,
	q{
	CREATE ROLE other;
	GRANT CREATE ON SCHEMA public TO other;
	CREATE TABLE facts (a int, b int);
	INSERT INTO facts SELECT i, -i FROM generate_series(1, 400000) i;
	SET ROLE other;
	CREATE TABLE hog (a int, b int, c int);
	INSERT INTO hog SELECT i, i, i FROM generate_series(1, 400000) i;});
value($node, 'VACUUM ANALYZE facts, hog');

# What has just been loaded, or used, stays: whoever asks.
is(value($node, q{SELECT warpagg_load('facts')}), '400000', 'a table is loaded');
is(value($node, q{SELECT bool_and(asked) AND NOT bool_or(pinned)
		   FROM warpagg_resident}), 't', 'as somebody has asked for it');
like(
	messages($node, q{SET ROLE other; SELECT warpagg_load('hog')}),
	qr/memory for resident columns is full.*300 s \(warpagg.keep_used\)/s,
	'another does not find room for his');
is(share('facts'), '1.00', 'and takes none');
value($node, "SET ROLE other; $as_dashboard SELECT sum(a), sum(b), max(c) FROM hog");
ok(wait_until(60, sub { return waiting($node) == 0 }), 'nor do his queries');
is(share('facts'), '1.00', 'which take none either');

# What has not been used for a while makes room for what is asked for, not for queries.
change_setting($node, 'warpagg.keep_used', '0');
value($node, q{SELECT warpagg_unload('hog')});
value($node, "SET ROLE other; $as_dashboard SELECT sum(a), sum(b), max(c) FROM hog");
ok(wait_until(60, sub { return waiting($node) == 0 }), 'something was loaded');
is(share('facts'), '1.00', 'queries do not take what was asked for');
is( value($node, q{SELECT count(*) FROM warpagg_resident
			WHERE relation = 'hog'::regclass AND asked}),
	'0', 'what there was room for nobody has asked for');
messages($node, q{SET ROLE other; SELECT warpagg_load('hog')});
cmp_ok(share('facts'), '<', 1, 'who asks takes what was not used lately');
value($node, q{SELECT warpagg_unload('hog'); SELECT warpagg_unload('facts')});

# The share of what nobody has asked for.
change_setting($node, 'warpagg.autoload_share', '0.25');
value($node, "$as_dashboard SELECT sum(a), sum(b) FROM facts");
ok(wait_until(60, sub { return waiting($node) == 0 }), 'a query has columns loaded');
my $bytes = value($node,
	q{SELECT coalesce(sum(bytes), 0) FROM warpagg_resident WHERE NOT asked});
cmp_ok($bytes, '>', 0, 'some of them');
cmp_ok($bytes, '<=', 0.25 * 4 * 1024 * 1024, 'as far as their share goes');
value($node, q{SELECT warpagg_load('facts')});
is(share('facts'), '1.00', 'who asks is not bound to it');
value($node, q{SELECT warpagg_unload('facts')});
is(waiting($node), 0, 'nothing waits');
change_setting($node, 'warpagg.autoload_share', '0');
value($node, "$as_dashboard SELECT sum(a), sum(b) FROM facts");
is(waiting($node), 0, 'without a share queries ask for nothing');
is(value($node, q{SELECT count(*) FROM warpagg_resident}), '0', 'and get nothing');
change_setting($node, 'warpagg.autoload_share', '0.5');

# Who may load.  A query says what it would have loaded in the file, or does not.
value($node, q{REVOKE EXECUTE ON FUNCTION warpagg_load(regclass, text[]) FROM PUBLIC});
like(messages($node, q{SET ROLE other; SELECT warpagg_load('hog')}),
	qr/permission denied for function warpagg_load/, 'a user may not load');
value($node, "SET ROLE other; $as_dashboard SELECT sum(a) FROM hog");
is(waiting($node), 0, 'nor may his queries');
is(value($node, q{SELECT count(*) FROM warpagg_resident}), '0', 'which load nothing');
value($node, q{GRANT EXECUTE ON FUNCTION warpagg_load(regclass, text[]) TO other});
value($node, "SET ROLE other; $as_dashboard SELECT sum(a) FROM hog");
ok( wait_until(
		60,
		sub {
			return value($node, q{SELECT count(*) FROM warpagg_resident
				WHERE relation = 'hog'::regclass}) > 0;
		}),
	'until he is allowed to');
ok(wait_until(60, sub { return waiting($node) == 0 }), 'nothing waits');
value($node, q{SELECT warpagg_unload('hog')});

# Pins: of what is resident, by its owner, with the privilege, up to half of the memory.
like(messages($node, q{SELECT warpagg_pin('facts')}),
	qr/no column of "facts" is resident/, 'nothing cannot be pinned');
value($node, q{SELECT warpagg_load('facts')});
like(messages($node, q{SET ROLE other; SELECT warpagg_pin('hog')}),
	qr/permission denied for function warpagg_pin/, 'pins take a privilege');
value($node, q{GRANT EXECUTE ON FUNCTION warpagg_pin(regclass), warpagg_unpin(regclass)
		TO other});
like(messages($node, q{SET ROLE other; SELECT warpagg_pin('facts')}),
	qr/must be owner of table facts/, 'and the table');
like(messages($node, q{SELECT warpagg_pin('facts')}),
	qr/could not pin "facts".*more than half of the memory/s,
	'not everything can be pinned');
value($node, q{SELECT warpagg_unload('facts', '{b}'); SELECT warpagg_pin('facts')});
is( value($node, q{SELECT string_agg(column_name, ',') FROM warpagg_resident
			WHERE pinned}),
	'a', 'a column is pinned');
messages($node, q{SELECT warpagg_load('hog')});
cmp_ok(share('hog'), '>', 0, 'another table is loaded with keep_used = 0');

# Returns how much of the pinned column is resident, if it is pinned.
sub pinned_share
{
	return value($node,
		q{SELECT coalesce(min(blocks) / (pg_relation_size('facts') / 8192.0), 0)
			::numeric(3, 2)
		  FROM warpagg_resident
		  WHERE relation = 'facts'::regclass AND column_name = 'a' AND pinned});
}
is(pinned_share(), '1.00', 'and takes nothing of what is pinned');
like(messages($node, q{SELECT warpagg_load('facts', '{b}')}),
	qr/memory for resident columns is full/,
	'a pinned table does not grow beyond half of the memory');

# The device process, and the server, start with nothing, and pins come back.
kill 'KILL', daemon_pid($node);
ok(wait_until(30, sub { return defined daemon_pid($node) }) && wait_ready($node),
	'the device process is started again');
ok( wait_until(
		60,
		sub {
			value($node, "$as_dashboard SELECT sum(a) FROM facts");
			return pinned_share() eq '1.00';
		}),
	'what was pinned is loaded and pinned again');
$node->restart;
ok(wait_ready($node), 'ready after a restart');
ok( wait_until(
		60,
		sub {
			value($node, "$as_dashboard SELECT sum(a) FROM facts");
			return pinned_share() eq '1.00';
		}),
	'so it is after a restart of the server');

# A table that is rewritten.
value($node, 'VACUUM FULL facts');
value($node, 'VACUUM facts');
value($node, q{SELECT warpagg_load('facts', '{a}')});
is(pinned_share(), '1.00', 'a pinned table that was rewritten is pinned');

# Unpinned it makes room, and so does what is unloaded.
value($node, q{SELECT warpagg_unpin('facts')});
is(value($node, q{SELECT bool_or(pinned) FROM warpagg_resident}), 'f', 'unpinned');
messages($node, q{SELECT warpagg_load('hog')});
is(pinned_share(), '0.00', 'and not pinned again');
value($node, q{SELECT warpagg_load('facts', '{a}'); SELECT warpagg_pin('facts');
		SELECT warpagg_unload('facts'); SELECT warpagg_load('facts', '{a}')});
is(value($node, q{SELECT bool_or(pinned) FROM warpagg_resident}),
	'f', 'what was unloaded is not pinned any more');

$node->stop;
done_testing();
