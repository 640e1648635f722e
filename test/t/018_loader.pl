
# The loader in the background: what waits for it, and that nothing of that is lost
# whatever ends in the middle.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $node = make_node('loader', 'autovacuum = off', 'fsync = off',
	'warpagg.load_workers = 0');
$node->start;

# Returns the path of a file of a database.
sub file_of
{
	my ($name, $database) = @_;
	return $node->data_dir . "/pg_stat_tmp/warpagg.$name.$database";
}

my $database = value($node,
	q{SELECT oid FROM pg_database WHERE datname = current_database()});
my $wanted = file_of('wanted', $database);

# Returns which tables are resident as a whole.
sub resident
{
	return value($node,
		q{SELECT coalesce(string_agg(DISTINCT relation::text, ',' ORDER BY
			relation::text), '') FROM warpagg_resident
		  WHERE blocks = pg_relation_size(relation) / 8192});
}

# Returns how many tables are being loaded and wait, as anybody is told.
sub loads
{
	return value($node, q{SET ROLE looker;
		SELECT loads_running, loads_queued FROM warpagg_status});
}

# Waits until a loader has begun.
sub wait_for_loader
{
	return wait_until(
		60,
		sub {
			return value($node,
				q{SELECT coalesce(sum(extents), 0) FROM warpagg_resident}) > 0;
		});
}

value($node, 'CREATE EXTENSION warpagg; CREATE ROLE looker');
ok(wait_ready($node), 'the device process is ready');
foreach my $table (qw(a b c))
{
	# CREATE TABLE AS may extend it by blocks that stay empty.
	value($node, "CREATE TABLE $table (i int) WITH (fillfactor = 10);
		INSERT INTO $table SELECT i FROM generate_series(1, 40000) i");
}
value($node, 'VACUUM a, b, c');

# The device process ends in the middle of a load.
change_setting($node, 'warpagg.debug_load_delay', '300ms');
value($node, q{SELECT warpagg_load_later('a'), warpagg_load_later('b'),
		warpagg_load_later('c')});
ok(wait_for_loader(), 'a load has begun');
is(waiting($node), 3, 'what is being loaded waits until it is done');
kill 'KILL', daemon_pid($node);
ok(wait_until(120, sub { return resident() eq 'a,b,c' }),
	'all is loaded, though the device process ended in the middle');
ok(wait_until(30, sub { return waiting($node) == 0 }), 'and nothing waits');

# A load is cancelled.
value($node, q{SELECT warpagg_unload(t) FROM unnest('{a,b,c}'::regclass[]) t});
value($node, q{SELECT warpagg_load_later('a'), warpagg_load_later('b'),
		warpagg_load_later('c')});
ok(wait_for_loader(), 'a load has begun');
value($node, q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
		WHERE backend_type = 'warpagg loader'});
ok(wait_until(120, sub { return resident() eq 'b,c' }),
	'one is cancelled, the others are loaded');

# Somebody needs the table for himself for a moment.
value($node, q{SELECT warpagg_load_later('a')});
ok( wait_until(
		60,
		sub {
			return value($node, q{SELECT count(*) FROM pg_locks
				JOIN pg_stat_activity USING (pid)
				WHERE backend_type = 'warpagg loader'
				AND relation = 'a'::regclass}) ne '0';
		}),
	'a table is being loaded');
value($node, 'BEGIN; LOCK TABLE a; COMMIT');
ok( wait_until(
		120, sub { return resident() eq 'a,b,c' && waiting($node) == 0 }),
	'who locks it ends the load, which is done later');

# The loader ends in the middle: the next one goes on.
value($node, q{SELECT warpagg_unload(t) FROM unnest('{a,b,c}'::regclass[]) t});
value($node, q{SELECT warpagg_load_later('a'), warpagg_load_later('b')});
ok(wait_for_loader(), 'a load has begun');
value($node, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE backend_type = 'warpagg loader'});
ok( wait_until(
		30,
		sub {
			return value($node, q{SELECT count(*) FROM pg_stat_activity
				WHERE backend_type = 'warpagg loader'}) eq '0';
		}),
	'the loader is ended');
is(waiting($node), 2, 'what it was at waits');
value($node, q{SELECT warpagg_load_later('c')});
ok(wait_until(120, sub { return resident() eq 'a,b,c' }),
	'the next loader does that, too');

# Nothing waits twice, nor too much.
my @many = map { "many$_" } 1 .. 12;
my $columns = join(', ', map { "c$_ int" } 1 .. 1500);
value($node, "CREATE TABLE $_ ($columns)") foreach @many;
value($node, q{SELECT warpagg_unload(t) FROM unnest('{a,b,c}'::regclass[]) t});
change_setting($node, 'warpagg.debug_load_delay', '2s');
value($node, q{SELECT warpagg_load_later('a'), warpagg_load_later('many1')});
ok(wait_until(30, sub { return waiting($node) == 1501 }), 'columns wait');
ok(wait_until(30, sub { return loads() eq '1|1' }),
	'of a table that is being loaded, and one that waits');
value($node,
	q{SELECT count(warpagg_load_later('many1')), count(warpagg_load_later('a'))
	  FROM generate_series(1, 500)});
is(waiting($node), 1501, 'each of them once');
my $refused = 0;
foreach my $table (@many)
{
	my $error = messages($node, "SELECT warpagg_load_later('$table')");
	next if $error eq '';
	like($error, qr/53400: too many loads are waiting/,
		'more than there is room for is refused');
	$refused++;
}
is($refused, 2, 'some are');
is(waiting($node), 15001, 'and all others wait');
change_setting($node, 'warpagg.debug_load_delay', '0');
ok(wait_until(180, sub { return waiting($node) == 0 }), 'all of them are loaded');
is(loads(), '0|0', 'nothing is being loaded, nor waits');
is(resident(), 'a', 'and so is the first');

# What is in the file may be anything.
foreach my $garbage ("\0" x 5000, "\xff" x 5000, 'x', join('', 'a' .. 'zzz'))
{
	value($node, q{SELECT warpagg_unload('a')});
	open(my $file, '>>', $wanted) or die "could not open $wanted: $!";
	print $file $garbage;
	close $file;
	value($node, q{SELECT warpagg_load_later('a')});
	ok( wait_until(60, sub { return resident() eq 'a' && waiting($node) == 0 }),
		'garbage in the file is no harm');
	open($file, '>', $wanted) or die "could not open $wanted: $!";
	print $file $garbage;
	close $file;
	value($node, q{SELECT warpagg_load_later('b')});
	ok( wait_until(60, sub { return resident() eq 'a,b' && waiting($node) == 0 }),
		'nor is it as the whole file');
	value($node, q{SELECT warpagg_unload('b')});
}

# Tables that are dropped meanwhile.
value($node, 'CREATE TABLE gone AS SELECT 1 AS i');
my $gone = value($node, q{SELECT 'gone'::regclass::oid});
value($node, 'DROP TABLE gone');
foreach my $function (qw(load load_later unload pin unpin))
{
	like(
		messages($node, "SELECT warpagg_$function($gone)"),
		qr/42P01: relation with OID $gone does not exist/,
		"warpagg_$function of a table that is gone");
}
change_setting($node, 'warpagg.debug_load_delay', '500ms');
value($node, 'CREATE TABLE gone AS SELECT 1 AS i');
value($node, q{SELECT warpagg_unload('a'); SELECT warpagg_load_later('a'),
		warpagg_load_later('gone'), warpagg_load_later('c'); DROP TABLE gone});
change_setting($node, 'warpagg.debug_load_delay', '0');
ok( wait_until(60, sub { return resident() eq 'a,c' && waiting($node) == 0 }),
	'one that is dropped while it waits is left out');

# Files of dropped databases.
value($node, 'CREATE DATABASE elsewhere');
my $elsewhere =
  value($node, q{SELECT oid FROM pg_database WHERE datname = 'elsewhere'});
$node->safe_psql('elsewhere', 'CREATE EXTENSION warpagg');
$node->safe_psql('elsewhere', 'CREATE TABLE far AS SELECT 1 AS i');
$node->safe_psql('elsewhere', 'VACUUM far');
$node->safe_psql('elsewhere', q{SELECT warpagg_load_later('far')});
ok( wait_until(
		60,
		sub {
			return $node->safe_psql('elsewhere',
				q{SELECT count(*) FROM warpagg_resident
				  WHERE relation = 'far'::regclass}) eq '1';
		}),
	'something is loaded in another database');
$node->safe_psql('elsewhere', q{SELECT warpagg_pin('far')});
my @files = map { file_of($_, $elsewhere) } qw(wanted worker pinned);
is(scalar(grep { -e $_ } @files), 3, 'which has its files');
value($node, 'DROP DATABASE elsewhere');
value($node, q{SELECT warpagg_load('a')});
is(scalar(grep { -e $_ } @files), 0, 'that go with it');
ok(-e $wanted, 'unlike those of others');

$node->stop;
done_testing();
