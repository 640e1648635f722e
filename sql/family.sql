--
-- The family is complete: every overload of the built-ins has its twin, declared
-- as the built-in is.  Everything is read from the catalogs, so this holds for
-- whatever overloads the server's version has.
--
CREATE VIEW wa_aggregates AS
SELECT p.oid::regprocedure AS aggregate, substr(p.proname, 5) AS builtin,
       p.proargtypes, p.proargtypes::regtype[] AS arguments, p.prorettype AS result,
       p.proparallel, p.proisstrict, p.provolatile, a.*
FROM pg_proc p JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE p.proname LIKE 'gpu\_%' AND a.aggkind = 'n';
CREATE VIEW wa_builtins AS
SELECT p.oid::regprocedure AS aggregate, p.proname AS builtin,
       p.proargtypes, p.proargtypes::regtype[] AS arguments, p.prorettype AS result,
       a.*
FROM pg_proc p JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE p.pronamespace = 'pg_catalog'::regnamespace
      AND p.proname IN ('sum', 'avg', 'min', 'max', 'count', 'var_pop', 'var_samp',
                        'variance', 'stddev_pop', 'stddev_samp', 'stddev',
                        'corr', 'covar_pop', 'covar_samp', 'regr_count', 'regr_avgx',
                        'regr_avgy', 'regr_sxx', 'regr_syy', 'regr_sxy', 'regr_slope',
                        'regr_intercept', 'regr_r2');

-- Built-ins without a twin, and twins without a built-in.
SELECT b.aggregate AS without_twin FROM wa_builtins b
WHERE NOT EXISTS (SELECT FROM wa_aggregates g
                  WHERE g.builtin = b.builtin AND g.proargtypes = b.proargtypes
                        AND g.result = b.result)
ORDER BY 1;
SELECT g.aggregate AS without_builtin FROM wa_aggregates g
WHERE NOT EXISTS (SELECT FROM wa_builtins b
                  WHERE b.builtin = g.builtin AND b.proargtypes = g.proargtypes
                        AND b.result = g.result)
ORDER BY 1;
SELECT builtin, count(*) >= 6 OR builtin = 'count' AND count(*) = 2
       OR builtin ~ '^corr|^covar|^regr' AND count(*) = 1 AS enough
FROM wa_aggregates GROUP BY builtin ORDER BY builtin;

-- Percentiles and modes are the built-ins by other names.
SELECT g.aggfnoid::regprocedure AS ranked, b.aggfnoid::regprocedure AS like_builtin
FROM pg_aggregate g JOIN pg_proc p ON p.oid = g.aggfnoid
    LEFT JOIN pg_proc q ON q.pronamespace = 'pg_catalog'::regnamespace AND 'gpu_' || q.proname = p.proname
        AND q.proargtypes = p.proargtypes AND q.prorettype = p.prorettype AND q.proparallel = p.proparallel
    LEFT JOIN pg_aggregate b ON b.aggfnoid = q.oid AND b.aggtransfn = g.aggtransfn AND b.aggfinalfn = g.aggfinalfn
        AND b.aggfinalextra = g.aggfinalextra AND b.aggfinalmodify = g.aggfinalmodify AND b.aggnumdirectargs = g.aggnumdirectargs
WHERE p.proname LIKE 'gpu\_%' AND g.aggkind = 'o'
ORDER BY 1;

-- Parallel plans.
SELECT aggregate AS not_parallel FROM wa_aggregates
WHERE proparallel <> 's' OR aggcombinefn = 0
      OR aggtranstype = 'internal'::regtype AND (aggserialfn = 0 OR aggdeserialfn = 0)
ORDER BY 1;
SELECT DISTINCT f AS not_parallel_safe
FROM wa_aggregates,
     unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn,
                  aggmtransfn, aggminvtransfn, aggmfinalfn]) f
JOIN pg_proc p ON p.oid = f
WHERE p.proparallel <> 's' OR p.provolatile <> 'i'
ORDER BY 1;

-- Windows: final functions leave the state as it is, and frames that move have
-- inverse transitions wherever the built-in's have, and over floats.
SELECT aggregate AS modifies_state FROM wa_aggregates
WHERE aggfinalmodify <> 'r' OR aggmtransfn <> 0 AND aggmfinalmodify <> 'r'
ORDER BY 1;
SELECT g.aggregate AS without_inverse
FROM wa_aggregates g JOIN wa_builtins b USING (builtin, proargtypes)
WHERE g.aggminvtransfn = 0
      AND (b.aggminvtransfn <> 0
           OR g.builtin NOT IN ('min', 'max')
              AND g.arguments[0] IN ('float4'::regtype, 'float8'::regtype))
ORDER BY 1;

-- Indexes: the sort operators are the built-ins'.
SELECT g.aggregate AS other_sort_operator
FROM wa_aggregates g JOIN wa_builtins b USING (builtin, proargtypes)
WHERE g.aggsortop <> b.aggsortop
ORDER BY 1;

-- One state serves all aggregates of a column, minimum and maximum aside.
SELECT g.aggregate AS other_state
FROM wa_aggregates g JOIN wa_aggregates c
    ON c.builtin = 'count' AND cardinality(c.arguments) = 1
WHERE g.builtin NOT IN ('min', 'max') AND cardinality(g.arguments) = 1
      AND (g.aggtransfn, g.aggcombinefn, g.aggserialfn, g.aggdeserialfn,
           g.aggtranstype, coalesce(g.agginitval, ''))
          IS DISTINCT FROM (c.aggtransfn, c.aggcombinefn, c.aggserialfn, c.aggdeserialfn,
                            c.aggtranstype, coalesce(c.agginitval, ''))
ORDER BY 1;
DROP VIEW wa_aggregates, wa_builtins;

-- The index of a column serves gpu_min and gpu_max as it serves min and max.
CREATE TABLE wa_indexed AS SELECT id, i4, s, e, a, n FROM wa_values WHERE id <= 3000;
CREATE INDEX ON wa_indexed (i4);
CREATE INDEX ON wa_indexed (s);
CREATE INDEX ON wa_indexed (e);
CREATE INDEX ON wa_indexed (a);
ANALYZE wa_indexed;
SELECT wa_plan($$SELECT gpu_min(i4), gpu_max(i4) FROM wa_indexed$$);
SELECT wa_plan($$SELECT gpu_min(s) FROM wa_indexed$$);
SELECT wa_plan($$SELECT gpu_max(e) FROM wa_indexed$$);
SELECT wa_plan($$SELECT gpu_max(a) FROM wa_indexed$$);
SELECT wa_plan($$SELECT gpu_max(n) FROM wa_indexed$$);
SELECT wa_plan($$SELECT gpu_max(i4) FROM wa_indexed WHERE id > 100$$);
SELECT c.name, d.* FROM wa_columns c, LATERAL wa_differences('min max', name, 'wa_indexed') d
WHERE c.name IN ('i4', 's', 'e', 'a', 'n');
SELECT max(i4), gpu_max(i4), min(s), gpu_min(s) FROM wa_indexed WHERE id > 1000;
SELECT i4 = (SELECT gpu_min(i4) FROM wa_indexed) AS smallest
FROM wa_indexed ORDER BY i4 LIMIT 1;
-- NULLs at either end, and nothing else
DELETE FROM wa_indexed WHERE i4 IS NOT NULL;
SELECT min(i4), gpu_min(i4), max(i4), gpu_max(i4), max(e), gpu_max(e) FROM wa_indexed;
DROP TABLE wa_indexed;
