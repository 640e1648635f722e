/* sql/warpagg--0.1.0--0.2.0.sql: what ALTER EXTENSION warpagg UPDATE makes of 0.1.0 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION warpagg UPDATE" to load this file. \quit

-- Names are written as in warpagg--0.2.0.sql, for the same reason.  What users have
-- built on the aggregates and on the views stays.  It may also be run on what the
-- project had between the two releases, and then makes anew what that had of 0.2.0.

DO $check_schema$
BEGIN
    IF EXISTS (
        SELECT
        FROM pg_catalog.pg_proc AS p
        JOIN pg_catalog.pg_namespace AS n
            ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
        WHERE n.nspname OPERATOR(pg_catalog.=) pg_catalog.current_schema()
            AND pg_catalog.starts_with(p.proname, 'warpagg_')
            AND NOT EXISTS (
                SELECT
                FROM pg_catalog.pg_depend AS d
                JOIN pg_catalog.pg_extension AS e
                    ON e.oid OPERATOR(pg_catalog.=) d.refobjid
                WHERE d.classid OPERATOR(pg_catalog.=)
                        'pg_catalog.pg_proc'::pg_catalog.regclass
                    AND d.objid OPERATOR(pg_catalog.=) p.oid
                    AND d.refclassid OPERATOR(pg_catalog.=)
                        'pg_catalog.pg_extension'::pg_catalog.regclass
                    AND d.deptype OPERATOR(pg_catalog.=) 'e'
                    AND e.extname OPERATOR(pg_catalog.=) 'warpagg')
    ) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_function',
            MESSAGE = pg_catalog.format(
                'schema "%s" has functions of another origin whose names '
                'begin with "warpagg_"', pg_catalog.current_schema()),
            HINT = 'Drop them, then update the extension.';
    END IF;
END
$check_schema$;

DO $drop_unreleased$
DECLARE
    member pg_catalog.record;
BEGIN
    FOR member IN
        SELECT o.type, o.identity
        FROM pg_catalog.pg_extension AS e
        JOIN pg_catalog.pg_depend AS d
            ON d.refobjid OPERATOR(pg_catalog.=) e.oid
        LEFT JOIN pg_catalog.pg_class AS rel
            ON d.classid OPERATOR(pg_catalog.=)
                'pg_catalog.pg_class'::pg_catalog.regclass
            AND rel.oid OPERATOR(pg_catalog.=) d.objid
        LEFT JOIN pg_catalog.pg_proc AS p
            ON d.classid OPERATOR(pg_catalog.=)
                'pg_catalog.pg_proc'::pg_catalog.regclass
            AND p.oid OPERATOR(pg_catalog.=) d.objid
        CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, 0) AS o
        WHERE e.extname OPERATOR(pg_catalog.=) 'warpagg'
            AND d.refclassid OPERATOR(pg_catalog.=)
                'pg_catalog.pg_extension'::pg_catalog.regclass
            AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND COALESCE(rel.relname, p.proname) OPERATOR(pg_catalog.=) ANY (
                ARRAY['warpagg_status', 'warpagg_memory', 'warpagg_pin',
                      'warpagg_unpin', 'warpagg_explain'])
        ORDER BY rel.relname
    LOOP
        EXECUTE pg_catalog.format('DROP %s %s', member.type, member.identity);
    END LOOP;
END
$drop_unreleased$;

-- The twins that are missing: pg_upgrade keeps those of the old server, and the new
-- one may have more.
--
--  function    C final function, whose SQL twins differ in their result type
--  space       bytes that a state takes, with what palloc adds to it
--  is_extreme  rows cannot be taken away again, and an index may have the result

DO $make_twins$
DECLARE
    twin pg_catalog.record;
    final_arguments pg_catalog.text;
    options pg_catalog.text;
BEGIN
    FOR twin IN
        SELECT overload.*,
               pg_catalog.format('warpagg_%s_%s', overload.function,
                                 overload.final_result) AS final,
               pg_catalog.row_number() OVER (
                   PARTITION BY overload.function, overload.final_result
                   ORDER BY overload.name, overload.oid
               ) OPERATOR(pg_catalog.=) 1 AS is_first_of_final
        FROM (SELECT family.*,
                     p.oid,
                     argument.typname AS argument,
                     -- those of min and max return what they are asked for
                     CASE WHEN family.is_extreme
                               AND result.typname OPERATOR(pg_catalog.<>)
                                   ALL (ARRAY['anyarray', 'anyenum'])
                          THEN 'anyelement'
                          ELSE result.typname END AS final_result,
                     o.oprname AS sort_operator,
                     d.description,
                     EXISTS (
                         SELECT
                         FROM pg_catalog.pg_proc AS g
                         JOIN pg_catalog.pg_depend AS m
                             ON m.objid OPERATOR(pg_catalog.=) g.oid
                         JOIN pg_catalog.pg_extension AS e
                             ON e.oid OPERATOR(pg_catalog.=) m.refobjid
                         WHERE g.proname OPERATOR(pg_catalog.=)
                                 pg_catalog.format('gpu_%s', family.name)
                             AND g.proargtypes OPERATOR(pg_catalog.=) p.proargtypes
                             AND m.classid OPERATOR(pg_catalog.=)
                                 'pg_catalog.pg_proc'::pg_catalog.regclass
                             AND m.deptype OPERATOR(pg_catalog.=) 'e'
                             AND e.extname OPERATOR(pg_catalog.=) 'warpagg'
                     ) AS is_there
              FROM (VALUES
                      ('count', 'count', false, 80),
                      ('sum', 'sum', false, 80),
                      ('avg', 'avg', false, 80),
                      ('min', 'min', true, 80),
                      ('max', 'max', true, 80),
                      ('var_pop', 'var_pop', false, 144),
                      ('var_samp', 'var_samp', false, 144),
                      ('variance', 'var_samp', false, 144),
                      ('stddev_pop', 'stddev_pop', false, 144),
                      ('stddev_samp', 'stddev_samp', false, 144),
                      ('stddev', 'stddev_samp', false, 144)
                   ) AS family(name, function, is_extreme, space)
              JOIN pg_catalog.pg_proc AS p
                  ON p.proname OPERATOR(pg_catalog.=) family.name
              JOIN pg_catalog.pg_aggregate AS a
                  ON a.aggfnoid OPERATOR(pg_catalog.=) p.oid
              JOIN pg_catalog.pg_type AS argument
                  ON argument.oid OPERATOR(pg_catalog.=) p.proargtypes[0]
              JOIN pg_catalog.pg_type AS result
                  ON result.oid OPERATOR(pg_catalog.=) p.prorettype
              LEFT JOIN pg_catalog.pg_operator AS o
                  ON o.oid OPERATOR(pg_catalog.=) a.aggsortop
              LEFT JOIN pg_catalog.pg_description AS d
                  ON d.objoid OPERATOR(pg_catalog.=) p.oid
                  AND d.classoid OPERATOR(pg_catalog.=)
                      'pg_catalog.pg_proc'::pg_catalog.regclass
                  AND d.objsubid OPERATOR(pg_catalog.=) 0
              WHERE p.pronamespace OPERATOR(pg_catalog.=)
                    'pg_catalog'::pg_catalog.regnamespace
                  AND p.pronargs OPERATOR(pg_catalog.=) 1) AS overload
        ORDER BY overload.name, overload.oid
    LOOP
        final_arguments := 'pg_catalog.internal';
        IF twin.is_extreme THEN
            final_arguments := pg_catalog.format(
                'pg_catalog.internal, pg_catalog.%I', twin.final_result);
            options := pg_catalog.format(
                'FINALFUNC_EXTRA, SORTOP = OPERATOR(pg_catalog.%s)',
                twin.sort_operator);
        ELSE
            options := pg_catalog.format(
                'MSFUNC = warpagg_moving_transition, '
                'MINVFUNC = warpagg_moving_inverse, '
                'MSTYPE = pg_catalog.internal, MSSPACE = %s, '
                'MFINALFUNC = %I', twin.space, twin.final);
        END IF;
        IF twin.is_first_of_final AND NOT EXISTS (
            SELECT
            FROM pg_catalog.pg_proc AS f
            JOIN pg_catalog.pg_namespace AS n
                ON n.oid OPERATOR(pg_catalog.=) f.pronamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) pg_catalog.current_schema()
                AND f.proname OPERATOR(pg_catalog.=) twin.final
        ) THEN
            EXECUTE pg_catalog.format(
                'CREATE FUNCTION %I(%s) RETURNS pg_catalog.%I '
                'AS ''MODULE_PATHNAME'', ''warpagg_%s_final'' '
                'LANGUAGE C IMMUTABLE PARALLEL SAFE',
                twin.final, final_arguments, twin.final_result, twin.function);
        END IF;
        IF NOT twin.is_there THEN
            EXECUTE pg_catalog.format(
                'CREATE AGGREGATE gpu_%s(pg_catalog.%I) ('
                'SFUNC = warpagg_transition, STYPE = pg_catalog.internal, '
                'SSPACE = %s, FINALFUNC = %I, '
                'COMBINEFUNC = warpagg_combine, '
                'SERIALFUNC = warpagg_serialize, '
                'DESERIALFUNC = warpagg_deserialize, PARALLEL = SAFE, %s)',
                twin.name, twin.argument, twin.space, twin.final, options);
        END IF;
        -- What it is for, in the built-in's words.
        EXECUTE pg_catalog.format(
            'COMMENT ON AGGREGATE gpu_%s(pg_catalog.%I) IS %L',
            twin.name, twin.argument, twin.description);
    END LOOP;

    -- CREATE AGGREGATE declares the result over enums as anyelement, which is
    -- the same enum, but no twin's.
    UPDATE pg_catalog.pg_proc AS p
    SET prorettype = 'pg_catalog.anyenum'::pg_catalog.regtype
    FROM pg_catalog.pg_namespace AS n
    WHERE n.oid OPERATOR(pg_catalog.=) p.pronamespace
        AND n.nspname OPERATOR(pg_catalog.=) pg_catalog.current_schema()
        AND p.proname OPERATOR(pg_catalog.=) ANY (ARRAY['gpu_min', 'gpu_max'])
        AND p.pronargs OPERATOR(pg_catalog.=) 1
        AND p.proargtypes[0] OPERATOR(pg_catalog.=)
            'pg_catalog.anyenum'::pg_catalog.regtype;
END
$make_twins$;

-- Functions with more columns than they had.  Their views, and what users have built
-- on these, go over to the new ones.

ALTER FUNCTION warpagg_stats() RENAME TO warpagg_stats_0_1;

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
    OUT fallback_resting bigint,
    OUT fallback_no_memory bigint,
    OUT fallback_query_memory bigint
) RETURNS SETOF pg_catalog.record
    AS 'MODULE_PATHNAME', 'warpagg_stats_0_2' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE OR REPLACE VIEW warpagg_stats AS SELECT * FROM warpagg_stats();

DROP FUNCTION warpagg_stats_0_1();

ALTER FUNCTION warpagg_resident() RENAME TO warpagg_resident_0_1;

CREATE FUNCTION warpagg_resident(
    OUT database pg_catalog.text,
    OUT relation pg_catalog.regclass,
    OUT column_name pg_catalog.text,
    OUT extents bigint,
    OUT blocks bigint,
    OUT rows bigint,
    OUT bytes bigint,
    OUT device_bytes bigint,
    OUT queries bigint,
    OUT hit_share double precision,
    OUT fresh_share double precision,
    OUT last_use pg_catalog.timestamptz,
    OUT asked boolean,
    OUT pinned boolean
) RETURNS SETOF pg_catalog.record
    AS 'MODULE_PATHNAME', 'warpagg_resident_0_2' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE OR REPLACE VIEW warpagg_resident AS
    SELECT resident.*,
           coalesce(pg_catalog.pg_partition_root(relation), relation) AS root
    FROM warpagg_resident() AS resident;

DROP FUNCTION warpagg_resident_0_1();

-- New functions and views.

CREATE FUNCTION warpagg_status(
    OUT state pg_catalog.text,
    OUT pid pg_catalog.int4,
    OUT version pg_catalog.int4,
    OUT library_version pg_catalog.int4,
    OUT supervisor_pid pg_catalog.int4,
    OUT up_since pg_catalog.timestamptz,
    OUT last_failure pg_catalog.timestamptz,
    OUT last_failure_reason pg_catalog.text,
    OUT next_start pg_catalog.timestamptz,
    OUT loads_running pg_catalog.int8,
    OUT loads_queued pg_catalog.int8,
    OUT release pg_catalog.text
) RETURNS SETOF pg_catalog.record
    AS 'MODULE_PATHNAME', 'warpagg_status_0_2' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

COMMENT ON FUNCTION warpagg_status() IS
    'how the device process is, and what became of the last one';

CREATE VIEW warpagg_status AS SELECT * FROM warpagg_status();

COMMENT ON VIEW warpagg_status IS
    'how the device process is, and what became of the last one';

CREATE FUNCTION warpagg_memory(
    OUT kind pg_catalog.text,
    OUT current_bytes bigint,
    OUT peak_bytes bigint,
    OUT limit_bytes bigint
) RETURNS SETOF pg_catalog.record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_memory AS SELECT * FROM warpagg_memory();

GRANT SELECT ON warpagg_memory, warpagg_status TO PUBLIC;

COMMENT ON VIEW warpagg_memory IS
    'memory of the device process, by what it is for, since that was started';

CREATE FUNCTION warpagg_pin(relation pg_catalog.regclass)
    RETURNS pg_catalog.void
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION warpagg_pin(pg_catalog.regclass) IS
    'has what is resident of a table stay';

CREATE FUNCTION warpagg_unpin(relation pg_catalog.regclass)
    RETURNS pg_catalog.void
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION warpagg_unpin(pg_catalog.regclass) IS
    'lets what is resident of a table make room for others';

-- What is pinned is lost to others.
REVOKE EXECUTE ON FUNCTION warpagg_pin(pg_catalog.regclass) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION warpagg_unpin(pg_catalog.regclass) FROM PUBLIC;

-- Why a query is not computed by a node of the extension.

CREATE FUNCTION warpagg_explain(
    query pg_catalog.text,
    OUT level pg_catalog.text,
    OUT used boolean,
    OUT reason pg_catalog.text
) RETURNS SETOF pg_catalog.record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION warpagg_explain(pg_catalog.text) IS
    'tells which aggregates of a query the node WarpAgg computes, and why not the others';

-- Percentiles and modes are PostgreSQL's own, by other names, so that a node of the extension
-- computes them whatever warpagg.accelerate says; where there is none, PostgreSQL does.

CREATE AGGREGATE gpu_percentile_disc(pg_catalog.float8 ORDER BY pg_catalog.anyelement) (
    SFUNC = pg_catalog.ordered_set_transition,
    STYPE = pg_catalog.internal,
    FINALFUNC = pg_catalog.percentile_disc_final,
    FINALFUNC_EXTRA,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_percentile_disc(pg_catalog.float8[] ORDER BY pg_catalog.anyelement) (
    SFUNC = pg_catalog.ordered_set_transition,
    STYPE = pg_catalog.internal,
    FINALFUNC = pg_catalog.percentile_disc_multi_final,
    FINALFUNC_EXTRA,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_percentile_cont(pg_catalog.float8 ORDER BY pg_catalog.float8) (
    SFUNC = pg_catalog.ordered_set_transition,
    STYPE = pg_catalog.internal,
    FINALFUNC = pg_catalog.percentile_cont_float8_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_percentile_cont(pg_catalog.float8[] ORDER BY pg_catalog.float8) (
    SFUNC = pg_catalog.ordered_set_transition,
    STYPE = pg_catalog.internal,
    FINALFUNC = pg_catalog.percentile_cont_float8_multi_final,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_mode(ORDER BY pg_catalog.anyelement) (
    SFUNC = pg_catalog.ordered_set_transition,
    STYPE = pg_catalog.internal,
    FINALFUNC = pg_catalog.mode_final,
    FINALFUNC_EXTRA,
    FINALFUNC_MODIFY = SHAREABLE,
    PARALLEL = SAFE
);

COMMENT ON AGGREGATE gpu_percentile_disc(pg_catalog.float8 ORDER BY pg_catalog.anyelement) IS
    'the value at a fraction of the rows';
COMMENT ON AGGREGATE gpu_percentile_disc(pg_catalog.float8[] ORDER BY pg_catalog.anyelement) IS
    'the values at fractions of the rows';
COMMENT ON AGGREGATE gpu_percentile_cont(pg_catalog.float8 ORDER BY pg_catalog.float8) IS
    'the value at a fraction of the rows, between two of these';
COMMENT ON AGGREGATE gpu_percentile_cont(pg_catalog.float8[] ORDER BY pg_catalog.float8) IS
    'the values at fractions of the rows, between two of these each';
COMMENT ON AGGREGATE gpu_mode(ORDER BY pg_catalog.anyelement) IS
    'the value that most rows have';

-- Of pairs of numbers: PostgreSQL's, computed exactly and rounded once.

CREATE FUNCTION warpagg_pair_moving_transition(pg_catalog.internal, pg_catalog.float8, pg_catalog.float8) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_pair_moving_inverse(pg_catalog.internal, pg_catalog.float8, pg_catalog.float8) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_pair_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_pair_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_pair_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- What a node sums up for them: y, x, or a part of their product.
CREATE FUNCTION warpagg_pair_part(y pg_catalog.float8, x pg_catalog.float8, part pg_catalog.int4) RETURNS pg_catalog.float8
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

DO $make_pairs$
DECLARE
    twin pg_catalog.record;
BEGIN
    EXECUTE 'CREATE FUNCTION warpagg_pair_transition(pg_catalog.internal, '
        'pg_catalog.float8, pg_catalog.float8) RETURNS pg_catalog.internal '
        'AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE '
        'SUPPORT warpagg_support';
    FOR twin IN
        SELECT p.proname AS name, result.typname AS result, d.description
        FROM pg_catalog.pg_proc AS p
        JOIN pg_catalog.pg_type AS result
            ON result.oid OPERATOR(pg_catalog.=) p.prorettype
        LEFT JOIN pg_catalog.pg_description AS d
            ON d.objoid OPERATOR(pg_catalog.=) p.oid
            AND d.classoid OPERATOR(pg_catalog.=)
                'pg_catalog.pg_proc'::pg_catalog.regclass
            AND d.objsubid OPERATOR(pg_catalog.=) 0
        WHERE p.pronamespace OPERATOR(pg_catalog.=)
                'pg_catalog'::pg_catalog.regnamespace
            AND p.prokind OPERATOR(pg_catalog.=) 'a'
            AND p.proname OPERATOR(pg_catalog.=) ANY (ARRAY[
                'corr', 'covar_pop', 'covar_samp', 'regr_count', 'regr_avgx',
                'regr_avgy', 'regr_sxx', 'regr_syy', 'regr_sxy', 'regr_slope',
                'regr_intercept', 'regr_r2'])
        ORDER BY p.proname
    LOOP
        EXECUTE pg_catalog.format(
            'CREATE FUNCTION warpagg_%s_final(pg_catalog.internal) '
            'RETURNS pg_catalog.%I '
            'AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE',
            twin.name, twin.result);
        EXECUTE pg_catalog.format(
            'CREATE AGGREGATE gpu_%s(pg_catalog.float8, pg_catalog.float8) ('
            'SFUNC = warpagg_pair_transition, STYPE = pg_catalog.internal, '
            'SSPACE = 600, FINALFUNC = warpagg_%s_final, '
            'COMBINEFUNC = warpagg_pair_combine, '
            'SERIALFUNC = warpagg_pair_serialize, '
            'DESERIALFUNC = warpagg_pair_deserialize, '
            'MSFUNC = warpagg_pair_moving_transition, '
            'MINVFUNC = warpagg_pair_moving_inverse, '
            'MSTYPE = pg_catalog.internal, MSSPACE = 6000, '
            'MFINALFUNC = warpagg_%s_final, PARALLEL = SAFE)',
            twin.name, twin.name, twin.name);
        EXECUTE pg_catalog.format(
            'COMMENT ON AGGREGATE gpu_%s(pg_catalog.float8, pg_catalog.float8) IS %L',
            twin.name, twin.description);
    END LOOP;
END
$make_pairs$;
