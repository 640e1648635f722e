
# Resident columns stay right when the pages, files and columns of a table change,
# with WAL of all of it and where wal_level = minimal leaves some out.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FreshnessTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my ($level, $writer, $reader);

# Makes a table with resident columns.
sub begin_case
{
	my ($name, $options) = @_;
	make_table($writer, 't', $options);
	uses($reader, 't', "$level, $name, before");
	return;
}

# Changes rows; looks then, after a VACUUM, and when all is resident again.
sub end_case
{
	my ($name) = @_;
	ask($writer, 'UPDATE t SET v = v + 1 WHERE id % 400 = 1');
	look($reader, 't', "$level, $name, updated");
	load($writer, 't');
	look($reader, 't', "$level, $name, loaded");
	ask($writer, 'VACUUM t');
	look($reader, 't', "$level, $name, vacuumed");
	load($writer, 't');
	look($reader, 't', "$level, $name, loaded again");
	uses($reader, 't', "$level, $name, loaded again");
	return;
}

# Runs statements and looks after each.
sub steps
{
	my ($name, @statements) = @_;
	foreach my $statement (@statements)
	{
		ask($writer, $statement);
		look($reader, 't', "$level, $name: " . substr($statement, 0, 30));
	}
	return;
}

# Has statements change a table whose columns are resident.
sub change
{
	my ($name, @statements) = @_;
	begin_case($name);
	steps($name, @statements);
	end_case($name);
	return;
}

# The same, after which nothing that was resident may be used.
sub rewrite
{
	my ($name, @statements) = @_;
	begin_case($name);
	steps($name, @statements);
	no_use($reader, 't', "$level, $name");
	end_case($name);
	return;
}

# Returns COPY of so many rows, frozen; psql shows what it has printed when a
# statement with an answer follows.
sub copy_freeze
{
	my ($count) = @_;
	return "COPY t FROM STDIN (FREEZE);\n"
	  . join('', map { "$_\t3\t$_\t1.5\t2021-01-01\t9.25\tx\n" } 1 .. $count)
	  . "\\.\nSELECT 1";
}

# VACUUM in its kinds.
sub test_vacuum
{
	change('VACUUM', 'VACUUM t', 'DELETE FROM t WHERE id < 300', 'VACUUM t');
	change('VACUUM FREEZE', 'VACUUM FREEZE t',
		'UPDATE t SET v = 7 WHERE id % 90 = 0', 'VACUUM FREEZE t');
	rewrite('VACUUM FULL', 'VACUUM FULL t');
	rewrite('CLUSTER', 'CREATE INDEX ON t (k, id)', 'CLUSTER t USING t_k_id_idx');
	begin_case('FREEZE of what was loaded');
	ask($writer, 'UPDATE t SET v = v + 1 WHERE id % 5 = 0');
	load($writer, 't');
	steps('FREEZE of what was loaded', 'VACUUM (FREEZE) t');
	uses($reader, 't', "$level, FREEZE of what was loaded");
	end_case('FREEZE of what was loaded');
	change('a tail cut off and grown again',
		q{DELETE FROM t WHERE ctid >= '(100,0)'},
		'VACUUM t', fill('t', 50, 9000), 'VACUUM t');
	return;
}

# Pages that are written whole, with other rows.  What does so is no change of a
# transaction's, but has to be flushed to be seen, as with one's commit.
sub test_whole_pages
{
	ask($writer, 'CREATE EXTENSION pg_surgery');
	begin_case('rows killed');
	ask($writer, q{SELECT pg_current_xact_id(), heap_force_kill('t', ARRAY['(3,1)', '(150,2)']::tid[])});
	look($reader, 't', "$level, rows killed");
	end_case('rows killed');
	begin_case('rows frozen by force');
	ask($writer, 'BEGIN; DELETE FROM t WHERE id < 50');
	ask($writer, 'COMMIT');
	load($writer, 't');
	ask($writer, q{SELECT pg_current_xact_id(), heap_force_freeze('t', ARRAY['(0,1)', '(0,3)']::tid[])});
	look($reader, 't', "$level, rows frozen by force");
	end_case('rows frozen by force');
	return;
}

# Blocks that are frozen after they were all-visible.
sub test_only_frozen
{
	begin_case('only frozen is set');
	steps('only frozen is set', 'UPDATE t SET v = v + 1 WHERE id < 5000',
		'VACUUM t');
	load($writer, 't');
	my $before = ask($writer, 'SELECT relallvisible FROM pg_class '
		  . q{WHERE oid = 't'::regclass});
	steps('only frozen is set', 'VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) t');
	is( ask($writer, 'SELECT relallvisible FROM pg_class '
			  . q{WHERE oid = 't'::regclass}),
		$before, "$level, the blocks were all-visible before");
	end_case('only frozen is set');
	return;
}

# A visibility map that loses its pages, which are of no concern.
sub test_truncated_map
{
	ask($writer, 'CREATE EXTENSION pg_visibility');
	begin_case('map truncated');
	is( ask($writer,
			q{SELECT all_visible > 200 FROM pg_visibility_map_summary('t')}),
		't', "$level, map truncated: there was one");
	ask($writer, q{SELECT pg_truncate_visibility_map('t')});
	look($reader, 't', "$level, map truncated");
	uses($reader, 't', "$level, map truncated");
	ask($writer, 'DELETE FROM t WHERE id < 300');
	look($reader, 't', "$level, map truncated, rows deleted");
	end_case('map truncated');
	return;
}

# TRUNCATE, alone, in transactions that fill the table, and taken back.
sub test_truncate
{
	rewrite('TRUNCATE', 'TRUNCATE t', fill('t', 5, 9000));
	begin_case('TRUNCATE under way');
	ask($writer, 'BEGIN; TRUNCATE t');
	foreach my $statement (fill('t', 1, 9000), 'SAVEPOINT a',
		'TRUNCATE t', fill('t', 3, 9000), 'ROLLBACK TO a')
	{
		ask($writer, $statement);
		look($writer, 't', "$level, TRUNCATE under way");
		no_use($writer, 't', "$level, TRUNCATE under way");
	}
	ask($writer, 'ROLLBACK');
	look($reader, 't', "$level, TRUNCATE rolled back");
	uses($reader, 't', "$level, TRUNCATE rolled back");
	end_case('TRUNCATE rolled back');

	ask($writer, 'DROP TABLE t');
	ask($writer, 'BEGIN');
	ask($writer,
		'CREATE TABLE t (id int, k int, v bigint, f float8, d date, '
		  . 'n numeric, s text)');
	foreach my $statement (
		fill('t', 1, 9000),
		'TRUNCATE t', copy_freeze(9000))
	{
		ask($writer, $statement);
		look($writer, 't', "$level, created in the transaction");
		my ($out, $err) = try_ask($writer,
			q{SAVEPOINT a; SELECT warpagg_load('t')});
		like($err, qr/created, rewritten or truncated/,
			"$level, it cannot be loaded there");
		ask($writer, 'ROLLBACK TO a; RELEASE a');
	}
	ask($writer, 'COMMIT');
	look($reader, 't', "$level, created and committed");
	return;
}

# COPY FREEZE twice, the second time into a page that is frozen.
sub test_copy_freeze
{
	begin_case('COPY FREEZE');
	ask($writer, 'BEGIN; TRUNCATE t');
	ask($writer, copy_freeze(9050));
	look($writer, 't', "$level, the first COPY FREEZE");
	no_use($writer, 't', "$level, the first COPY FREEZE");
	ask($writer, copy_freeze(3));
	look($writer, 't', "$level, the second COPY FREEZE");
	ask($writer, 'COMMIT');
	look($reader, 't', "$level, COPY FREEZE committed");
	my ($rows, $notices) = load_with_notices();
	is($notices, '', "$level, COPY FREEZE, no block is left out");
	is($rows, 9053, "$level, COPY FREEZE, all rows are loaded");
	look($reader, 't', "$level, COPY FREEZE loaded");
	uses($reader, 't', "$level, COPY FREEZE loaded");
	ask($writer, 'DELETE FROM t WHERE id = 9050');
	look($reader, 't', "$level, COPY FREEZE, some deleted");
	load($writer, 't');
	end_case('COPY FREEZE');
	return;
}

# Loads the table; returns the rows that were read, and what was said.
sub load_with_notices
{
	ask($writer, 'SET client_min_messages = notice');
	my @result = try_ask($writer, q{SELECT warpagg_load('t')});
	ask($writer, 'SET client_min_messages = warning');
	return @result;
}

# A column whose transaction is rolled back, and one that gets its number and type.
sub test_added_in_vain
{
	my $sum = 'SELECT sum(x), count(x) FROM t';
	begin_case('added in vain');
	foreach my $end ('ROLLBACK', 'ROLLBACK TO a; COMMIT')
	{
		ask($writer, 'BEGIN; SAVEPOINT a');
		ask($writer, 'ALTER TABLE t ADD COLUMN x int DEFAULT 5');
		load($writer, 't');
		is(by_node($writer, $sum), '100000|20000', "$level, added under way");
		ask($writer, 'SAVEPOINT b');
		my ($out, $err) =
		  try_ask($writer, q{SELECT warpagg_load('t', '{x}')});
		like($err, qr/"x" cannot be resident.*in this transaction/s,
			"$level, and cannot be loaded");
		ask($writer, 'ROLLBACK TO b');
		ask($writer, $end);
	}
	steps('added in vain', 'ALTER TABLE t ADD COLUMN x int DEFAULT 6');
	is(by_node($reader, $sum), '120000|20000', "$level, added after all");
	load($writer, 't');
	is(by_node($reader, $sum), '120000|20000',
		"$level, added after all, and loaded");
	uses($reader, 't', "$level, added after all");
	end_case('added in vain');
	return;
}

# Columns that come, go and change.
sub test_columns
{
	change('ADD COLUMN', 'ALTER TABLE t ADD COLUMN x int DEFAULT 5');
	is(by_node($reader, 'SELECT sum(x), count(x) FROM t'),
		'100000|20000', "$level, the new column has its default");
	test_added_in_vain();
	change('DROP COLUMN', 'ALTER TABLE t ADD COLUMN x int DEFAULT 5',
		'ALTER TABLE t DROP COLUMN x');
	change('a column replaced',
		'BEGIN; ALTER TABLE t DROP COLUMN v; '
		  . 'ALTER TABLE t ADD COLUMN v bigint DEFAULT 17; COMMIT');
	change('type change without rewriting',
		'ALTER TABLE t ALTER COLUMN n TYPE numeric(20, 2)');
	rewrite('type change',
		'ALTER TABLE t ALTER COLUMN v TYPE numeric USING -v',
		'ALTER TABLE t ALTER COLUMN k TYPE bigint');
	return;
}

# Other places, there and back.
sub test_tablespace
{
	rewrite('SET TABLESPACE', 'ALTER TABLE t SET TABLESPACE elsewhere');
	rewrite('SET TABLESPACE and back',
		'ALTER TABLE t SET TABLESPACE elsewhere',
		'UPDATE t SET v = 0 WHERE id < 700',
		'ALTER TABLE t SET TABLESPACE pg_default');
	return;
}

# A table that has no WAL for a while.
sub test_without_wal
{
	begin_case('unlogged and back');
	steps('unlogged', 'ALTER TABLE t SET UNLOGGED',
		'UPDATE t SET v = 1 WHERE id < 500', 'VACUUM t',
		'DELETE FROM t WHERE id < 100', 'VACUUM t');
	no_use($reader, 't', "$level, unlogged");
	steps('logged again', 'ALTER TABLE t SET LOGGED');
	no_use($reader, 't', "$level, logged again");
	end_case('unlogged and back');
	return;
}

# A materialized view, filled anew and changed.
sub test_view
{
	begin_case('materialized view');
	ask($writer, 'CREATE MATERIALIZED VIEW m AS SELECT * FROM t');
	ask($writer, 'CREATE UNIQUE INDEX ON m (id)');
	foreach my $refresh ('VACUUM m', 'REFRESH MATERIALIZED VIEW CONCURRENTLY m',
		'VACUUM m', 'REFRESH MATERIALIZED VIEW m', 'VACUUM m')
	{
		ask($writer, $refresh);
		look($reader, 'm', "$level, $refresh");
		load($writer, 'm');
		look($reader, 'm', "$level, $refresh, loaded");
		ask($writer, 'UPDATE t SET v = v + 1 WHERE id % 400 = 2');
	}
	uses($reader, 'm', "$level, materialized view");
	ask($writer, 'DROP MATERIALIZED VIEW m');
	return;
}

# What cannot be resident at all.
sub test_refused
{
	foreach my $kind ('unlogged', 'temporary')
	{
		ask($writer, 'CREATE ' . uc($kind) . ' TABLE refused AS SELECT * FROM t');
		ask($writer, 'VACUUM FREEZE refused');
		my ($out, $err) = try_ask($writer, q{SELECT warpagg_load('refused')});
		like($err, qr/ERROR:.*it is $kind/s, "$level, $kind: refused");
		ask($writer, 'DROP TABLE refused');
	}
	return;
}

foreach my $wal_level ('minimal', 'replica')
{
	$level = $wal_level;
	my $node = make_fresh_node("storage_$level", "wal_level = $level",
		'max_wal_senders = 0', 'wal_skip_threshold = 0');
	$node->start;
	my $place = PostgreSQL::Test::Utils::tempdir_short();
	$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
	$node->safe_psql('postgres',
		"CREATE TABLESPACE elsewhere LOCATION '$place'");
	ok(wait_ready($node), "$level, the device process is ready");
	$writer = open_session($node);
	$reader = open_session($node);
	test_vacuum();
	test_only_frozen();
	test_truncate();
	test_copy_freeze();
	test_columns();
	test_tablespace();
	test_without_wal();
	test_view();
  SKIP:
	{
		skip 'there is no pg_surgery', 1
		  if ask($writer, 'SELECT count(*) FROM pg_available_extensions '
			  . q{WHERE name = 'pg_surgery'}) eq '0';
		test_whole_pages();
	}
	test_refused();
  SKIP:
	{
		skip 'there is no pg_visibility', 1
		  if ask($writer, 'SELECT count(*) FROM pg_available_extensions '
			  . q{WHERE name = 'pg_visibility'}) eq '0';
		test_truncated_map();
	}
	end_session($_) foreach $writer, $reader;
	$node->stop;
}

done_testing();
