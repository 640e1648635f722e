
# CREATE EXTENSION and ALTER EXTENSION UPDATE run nothing of what somebody has put
# into the extension's schema before.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Test::More;
use WarpaggTest;

my $path = install_with_first_release();
my $node = make_node_of('install', $path);
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE mallory LOGIN');

# The words of the scripts: what there is of these names in pg_catalog is what a trap
# may be mistaken for.
my ($share) = run_command([ "$path/bin/pg_config", '--sharedir' ]);
my @files = grep { !/--0\.1\.0\.sql$/ } glob "$share/extension/warpagg--*.sql";
is(@files, 2, 'there are an install script and an update script');
my %words = map { $_ => 1 } map { slurp_file($_) =~ /\b([a-z_]\w*)\b/g } @files;
my $words = join ',', sort keys %words;
ok(exists $words{pg_proc} && exists $words{pg_identify_object}, 'which are read');

# Puts mallory's traps into a schema.  A trap that is called moves a sequence, which no
# rollback undoes, and makes mallory a superuser if it can.
sub set_traps
{
	my ($database, $schema) = @_;
	$node->safe_psql(
		$database, qq{
SET client_min_messages = error;
SET search_path = pg_catalog;
CREATE SEQUENCE $schema.sprung;
CREATE FUNCTION $schema.spring() RETURNS boolean LANGUAGE plpgsql
    SET search_path = pg_catalog AS \$\$
BEGIN
    PERFORM nextval('$schema.sprung');
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        ALTER ROLE mallory SUPERUSER;
    END IF;
    RETURN true;
END \$\$;
DO \$traps\$
DECLARE
    types text[] := '{text,name,oid,int2,int4,int8,bool,"char",regtype,regclass,'
        'regproc,regprocedure,regnamespace,oidvector,_text,_name}';
    few text[] := '{text,name,oid,int4,bool}';
    arguments text;
    this record;
BEGIN
    -- operators
    FOR this IN SELECT o, l, r, row_number() OVER () AS n
        FROM unnest('{=,<>,<,>,||,~~,+}'::text[]) o, unnest(types) l, unnest(types) r
    LOOP
        EXECUTE format('CREATE FUNCTION $schema.trap_%s(pg_catalog.%s, pg_catalog.%s) '
            'RETURNS %s LANGUAGE plpgsql AS \$f\$ BEGIN PERFORM $schema.spring(); '
            'RETURN NULL; END \$f\$', this.n, this.l, this.r,
            CASE WHEN this.o IN ('||', '+') THEN 'text' ELSE 'boolean' END);
        EXECUTE format('CREATE OPERATOR $schema.%s (LEFTARG = pg_catalog.%s, '
            'RIGHTARG = pg_catalog.%s, FUNCTION = $schema.trap_%s)',
            this.o, this.l, this.r, this.n);
    END LOOP;
    -- functions
    FOR this IN SELECT DISTINCT proname
        FROM pg_proc JOIN unnest('{$words}'::text[]) word ON proname = word
        WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind <> 'p'
    LOOP
        FOR arguments IN SELECT ''
            UNION ALL SELECT format('pg_catalog.%s', a) FROM unnest(types) a
            UNION ALL SELECT format('pg_catalog.%s, pg_catalog.%s', a, b)
                FROM unnest(few) a, unnest(few) b
            UNION ALL SELECT format('pg_catalog.text, pg_catalog.%s, pg_catalog.%s', a, b)
                FROM unnest(few) a, unnest(few) b
            UNION ALL SELECT format('pg_catalog.text, VARIADIC pg_catalog._%s', a)
                FROM unnest(few) a
        LOOP
            EXECUTE format('CREATE FUNCTION $schema.%I(%s) RETURNS text LANGUAGE plpgsql AS '
                '\$f\$ BEGIN PERFORM $schema.spring(); RETURN NULL; END \$f\$',
                this.proname, arguments);
        END LOOP;
    END LOOP;
    -- types
    FOR this IN SELECT DISTINCT typname
        FROM pg_type JOIN unnest('{$words,any,char}'::text[]) word ON typname = word
        WHERE typnamespace = 'pg_catalog'::regnamespace AND typrelid = 0
    LOOP
        EXECUTE format('CREATE DOMAIN $schema.%I AS pg_catalog.text CHECK ($schema.spring())',
            this.typname);
    END LOOP;
    -- relations
    FOR this IN SELECT relname
        FROM pg_class JOIN unnest('{$words}'::text[]) word ON relname = word
        WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
    LOOP
        EXECUTE format('CREATE VIEW $schema.%I AS SELECT * FROM pg_catalog.%1\$I '
            'WHERE $schema.spring()', this.relname);
    END LOOP;
END \$traps\$;
}, extra_params => [ '-U', 'mallory' ]);
}

# Returns how many traps of a schema have been called.
sub sprung
{
	my ($database, $schema) = @_;
	return $node->safe_psql($database,
		"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM $schema.sprung");
}

# Says whether mallory is a superuser.
sub is_super
{
	return $node->safe_psql('postgres',
		"SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'");
}

# --- Traps of every kind.
$node->safe_psql('postgres', 'CREATE EXTENSION warpagg');
my $expected = extension_members($node, 'postgres', 'public');
like($expected, qr/gpu_sum/, 'the members of the extension are read');
foreach my $case (
	[ 'open', 'public' ],
	[ 'closed', q{"Mallory ""M"""} ],
	[ 'update', 'public' ])
{
	my ($database, $schema) = @$case;
	my $is_update = $database eq 'update';

	# The script of the first release was not proof against this.
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER mallory");
	$node->safe_psql($database,
		"CREATE SCHEMA IF NOT EXISTS $schema; GRANT ALL ON SCHEMA $schema TO mallory"
		  . ($is_update
			? "; CREATE EXTENSION warpagg SCHEMA $schema VERSION '0.1.0'"
			: ''));
	set_traps($database, $schema);
	$node->safe_psql(
		$database,
		"SET search_path = $schema; SELECT 'a'::name || 'b'::name, "
		  . "format('%s'::text, 'a'::name), p.oid FROM $schema.pg_proc p LIMIT 1",
		extra_params => [ '-U', 'mallory' ]);
	my $sprung = sprung($database, $schema);
	cmp_ok($sprung, '>=', 3, "$database: traps work");

	$node->safe_psql($database,
		$is_update
		? 'ALTER EXTENSION warpagg UPDATE'
		: "CREATE EXTENSION warpagg SCHEMA $schema");
	is(sprung($database, $schema), $sprung, "$database: no trap was called");
	is(is_super(), 'f', "$database: mallory is no superuser");
	is_members(extension_members($node, $database, $schema),
		$expected, "$database: the extension is as in any schema");
	is( $node->safe_psql(
			$database, qq{
SET search_path = '';
SELECT $schema.gpu_sum(x), $schema.gpu_min(x::numeric), $schema.gpu_count(*)
FROM generate_series(1, 3) x;
SELECT count(*) >= 0 FROM $schema.warpagg_stats}),
		"6|1|3\nt", "$database: it works");
	is(sprung($database, $schema), $sprung, "$database: nor was one then");
}

# --- Objects that could be taken for the extension's are an error.
my %foreign = (
	'a function' =>
	  'CREATE FUNCTION warpagg_sum_numeric(integer) RETURNS integer '
	  . 'LANGUAGE sql RETURN 1',
	'a function with defaults' =>
	  'CREATE FUNCTION warpagg_stats(integer DEFAULT 1) RETURNS integer '
	  . 'LANGUAGE sql RETURN 1',
	'an aggregate' =>
	  'CREATE AGGREGATE gpu_sum(integer) (SFUNC = int4pl, STYPE = integer)',
	'a view' => 'CREATE VIEW warpagg_stats AS SELECT 1 AS starts',
	'a type' => 'CREATE DOMAIN warpagg_resident AS integer');
foreach my $what (sort keys %foreign)
{
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS occupied');
	$node->safe_psql('postgres', 'CREATE DATABASE occupied OWNER mallory');
	$node->safe_psql('occupied', 'GRANT ALL ON SCHEMA public TO mallory');
	$node->safe_psql('occupied', $foreign{$what},
		extra_params => [ '-U', 'mallory' ]);
	my ($rc, $out, $err) =
	  $node->psql('occupied', 'CREATE EXTENSION warpagg');
	like(
		$err,
		qr/ERROR:  .*(already exists|functions of another origin)/,
		"$what of the same name is not taken over");
	is($node->safe_psql('occupied',
			"SELECT count(*) FROM pg_extension WHERE extname = 'warpagg'"),
		0, "$what: there is no extension");
}
$node->stop;

done_testing();
