/* sql/warpagg--0.1.0.sql: what CREATE EXTENSION warpagg makes */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION warpagg" to load this file. \quit

-- Support functions of all aggregates of the family.  Those over the same
-- column share one state; its final functions tell what they need of it.

-- Called when a query with one of the aggregates is planned, before anything
-- else of the extension is.
CREATE FUNCTION warpagg_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION warpagg_transition(internal, "any") RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE
    SUPPORT warpagg_support;

CREATE FUNCTION warpagg_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- For window frames whose start moves: takes rows in, and away again.

CREATE FUNCTION warpagg_moving_transition(internal, "any") RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_moving_inverse(internal, "any") RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

-- gpu_count(*): every row, whatever is in it.

CREATE AGGREGATE gpu_count(*) (
    SFUNC = pg_catalog.int8inc,
    STYPE = bigint,
    INITCOND = '0',
    COMBINEFUNC = pg_catalog.int8pl,
    MSFUNC = pg_catalog.int8inc,
    MINVFUNC = pg_catalog.int8dec,
    MSTYPE = bigint,
    MINITCOND = '0',
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_count(*) IS 'number of input rows';

-- For each overload of the built-in aggregates below that this server has, a
-- twin with the same arguments and result, so that whatever a newer server
-- adds is there too.  What each of them computes, and where a result differs
-- from the built-in's, is said in the README, under "Functions".
--
--  function    C final function, whose SQL twins differ in their result type
--  space       bytes that a state takes, with what palloc adds to it
--  moving      rows can be taken away again

DO $make_twins$
DECLARE
    twin record;
    final text;
    definition text;
BEGIN
    FOR twin IN
        SELECT family.*,
               t.typname AS result,
               pg_get_function_identity_arguments(p.oid) AS argument,
               -- what the final functions of min and max return
               CASE WHEN t.typname IN ('anyarray', 'anyenum') THEN t.typname
                    ELSE 'anyelement' END AS polymorph,
               o.oprname AS sort_operator
        FROM (VALUES
                ('count', 'count', false, 80, true),
                ('sum', 'sum', false, 80, true),
                ('avg', 'avg', false, 80, true),
                ('min', 'min', true, 80, false),
                ('max', 'max', true, 80, false),
                ('var_pop', 'var_pop', false, 144, true),
                ('var_samp', 'var_samp', false, 144, true),
                ('variance', 'var_samp', false, 144, true),
                ('stddev_pop', 'stddev_pop', false, 144, true),
                ('stddev_samp', 'stddev_samp', false, 144, true),
                ('stddev', 'stddev_samp', false, 144, true)
             ) AS family(name, function, is_extreme, space, moving)
        JOIN pg_catalog.pg_proc p ON p.proname = family.name
        JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = p.oid
        JOIN pg_catalog.pg_type t ON t.oid = p.prorettype
        LEFT JOIN pg_catalog.pg_operator o ON o.oid = a.aggsortop
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.pronargs = 1
        ORDER BY family.name, p.oid
    LOOP
        IF twin.is_extreme THEN
            final := format('warpagg_%s_%s', twin.function, twin.polymorph);
            definition := format('%I(internal, %s) RETURNS %2$s',
                                 final, twin.polymorph);
        ELSE
            final := format('warpagg_%s_%s', twin.function, twin.result);
            definition := format('%I(internal) RETURNS %I',
                                 final, twin.result);
        END IF;
        IF to_regproc(quote_ident(final)) IS NULL THEN
            EXECUTE format(
                'CREATE FUNCTION %s AS ''MODULE_PATHNAME'', %L '
                'LANGUAGE C IMMUTABLE PARALLEL SAFE',
                definition, format('warpagg_%s_final', twin.function));
        END IF;

        definition := format(
            'SFUNC = warpagg_transition, STYPE = internal, '
            'SSPACE = %s, FINALFUNC = %I, '
            'COMBINEFUNC = warpagg_combine, '
            'SERIALFUNC = warpagg_serialize, '
            'DESERIALFUNC = warpagg_deserialize, PARALLEL = SAFE',
            twin.space, final);
        IF twin.is_extreme THEN
            definition := definition || format(
                ', FINALFUNC_EXTRA, SORTOP = operator(pg_catalog.%s)',
                twin.sort_operator);
        END IF;
        IF twin.moving THEN
            definition := definition || format(
                ', MSFUNC = warpagg_moving_transition, '
                'MINVFUNC = warpagg_moving_inverse, '
                'MSTYPE = internal, MSSPACE = %s, '
                'MFINALFUNC = %I', twin.space, final);
        END IF;
        EXECUTE format('CREATE AGGREGATE %I(%s) (%s)',
                       'gpu_' || twin.name, twin.argument, definition);
    END LOOP;

    -- CREATE AGGREGATE declares the result over enums as anyelement, which is
    -- the same enum, but no twin's.
    UPDATE pg_catalog.pg_proc SET prorettype = 'anyenum'::regtype
    WHERE proname IN ('gpu_min', 'gpu_max') AND prokind = 'a'
        AND pronamespace = current_schema()::regnamespace
        AND proargtypes[0] = 'anyenum'::regtype;

    -- What each of them is for, in the built-in's words.
    FOR twin IN
        SELECT g.oid::regprocedure AS aggregate,
               obj_description(b.oid, 'pg_proc') AS description
        FROM pg_catalog.pg_proc g
        JOIN pg_catalog.pg_proc b
            ON g.proname = 'gpu_' || b.proname
            AND g.proargtypes = b.proargtypes
        WHERE g.prokind = 'a' AND b.prokind = 'a' AND g.pronargs = 1
            AND g.pronamespace = current_schema()::regnamespace
            AND b.pronamespace = 'pg_catalog'::regnamespace
    LOOP
        EXECUTE format('COMMENT ON AGGREGATE %s IS %L',
                       twin.aggregate, twin.description);
    END LOOP;
END
$make_twins$;

CREATE FUNCTION warpagg_devices(
    OUT kind text,
    OUT ordinal integer,
    OUT name text,
    OUT compute_capability text,
    OUT memory_bytes bigint,
    OUT free_bytes bigint,
    OUT multiprocessors integer,
    OUT driver text,
    OUT state text
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_devices AS SELECT * FROM warpagg_devices();

CREATE FUNCTION warpagg_stats(
    OUT starts bigint,
    OUT restarts bigint,
    OUT failures bigint,
    OUT connections bigint,
    OUT requests bigint,
    OUT bytes bigint,
    OUT device_ms double precision,
    OUT queries bigint,
    OUT query_rows bigint,
    OUT query_ms double precision,
    OUT loads bigint,
    OUT loaded_bytes bigint,
    OUT fallback_starting bigint,
    OUT fallback_no_slot bigint,
    OUT fallback_lost bigint,
    OUT fallback_timeout bigint,
    OUT fallback_device_error bigint,
    OUT fallback_resting bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_stats AS SELECT * FROM warpagg_stats();

CREATE FUNCTION warpagg_reductions(
    OUT device text,
    OUT operation text,
    OUT type text,
    OUT runs bigint,
    OUT rows bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_reductions AS SELECT * FROM warpagg_reductions();

GRANT SELECT ON warpagg_devices, warpagg_stats, warpagg_reductions TO PUBLIC;

-- Resident columns.

CREATE FUNCTION warpagg_load(relation regclass, columns text[] DEFAULT NULL)
    RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION warpagg_load(regclass, text[]) IS
    'makes columns of a table resident; returns the rows that had to be read';

CREATE FUNCTION warpagg_load_later(
    relation regclass, columns text[] DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION warpagg_load_later(regclass, text[]) IS
    'makes columns of a table resident in the background';

CREATE FUNCTION warpagg_unload(relation regclass, columns text[] DEFAULT NULL)
    RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION warpagg_unload(regclass, text[]) IS
    'has resident columns of a table forgotten';

CREATE FUNCTION warpagg_resident(
    OUT database text,
    OUT relation regclass,
    OUT column_name text,
    OUT extents bigint,
    OUT blocks bigint,
    OUT rows bigint,
    OUT bytes bigint,
    OUT device_bytes bigint,
    OUT queries bigint,
    OUT hit_share double precision,
    OUT fresh_share double precision,
    OUT last_use timestamptz
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_resident AS SELECT * FROM warpagg_resident();

GRANT SELECT ON warpagg_resident TO PUBLIC;
