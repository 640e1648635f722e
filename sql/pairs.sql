--
-- Correlation, covariances and linear regression: of pairs (y, x), exact and rounded
-- once, beside the built-ins, which are neither.
--
\pset null '(null)'
CREATE TABLE pairs (id integer, g integer, y float8, x float8, i smallint, n numeric, t text);
INSERT INTO pairs
SELECT id, id % 7, CASE WHEN id % 11 <> 0 THEN id % 100 + (id % 13) * 0.3 END,
       CASE WHEN id % 17 <> 0 THEN id % 83 - 41.5 END, id % 50, (id % 29) * 0.01, id % 5
FROM generate_series(1, 40000) id;
ANALYZE pairs;
SET warpagg.enable_scan = on;

-- Beside sums of integers, and what numerics of 40 digits behind the point make of them.
CREATE VIEW pairs_exact AS
SELECT g, gpu_regr_count(y, x) AS count, gpu_regr_sxx(y, x) AS sxx, gpu_regr_syy(y, x) AS syy,
       gpu_regr_sxy(y, x) AS sxy, gpu_regr_avgx(y, x) AS avgx, gpu_regr_avgy(y, x) AS avgy,
       gpu_covar_pop(y, x) AS covar_pop, gpu_covar_samp(y, x) AS covar_samp,
       gpu_corr(y, x) AS corr, gpu_regr_slope(y, x) AS slope,
       gpu_regr_intercept(y, x) AS intercept, gpu_regr_r2(y, x) AS r2
FROM (SELECT g, (id % 100)::float8 AS y, (id % 83)::float8 AS x FROM pairs) whole
GROUP BY g;
EXPLAIN (COSTS OFF) SELECT g, gpu_corr(y, x) FROM pairs GROUP BY g;
CREATE FUNCTION pairs_wrong() RETURNS TABLE (g integer, wrong text) LANGUAGE sql AS $$
    SELECT e.g, w.name
    FROM pairs_exact e
    JOIN (SELECT p.g, count(*)::numeric(60, 40) AS n, sum(a) AS a, sum(b) AS b, sum(a * a) AS aa,
                 sum(b * b) AS bb, sum(a * b) AS ab
          FROM (SELECT g, (id % 83)::numeric AS a, (id % 100)::numeric AS b FROM pairs) p
          GROUP BY p.g) s USING (g),
    LATERAL (SELECT n * ab - a * b AS c, n * aa - a * a AS x, n * bb - b * b AS y) m,
    LATERAL (VALUES
        ('count', e.count::float8, n), ('avgx', e.avgx, a / n), ('avgy', e.avgy, b / n),
        ('sxx', e.sxx, x / n), ('syy', e.syy, y / n), ('sxy', e.sxy, c / n),
        ('covar_pop', e.covar_pop, c / (n * n)), ('covar_samp', e.covar_samp, c / (n * (n - 1))),
        ('slope', e.slope, c / x), ('intercept', e.intercept, (b * aa - a * ab) / x),
        ('r2', e.r2, c * c / (x * y)), ('corr', e.corr, c / sqrt(x * y))
    ) w(name, ours, exact)
    WHERE w.ours IS DISTINCT FROM w.exact::float8
$$;
-- By the node, by PostgreSQL's executor, by its workers, and from resident columns.
SELECT * FROM pairs_wrong();
SET warpagg.enable_scan = off;
SELECT * FROM pairs_wrong();
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM pairs_wrong();
SET enable_hashagg = off;
SELECT * FROM pairs_wrong();
RESET enable_hashagg;
SET warpagg.min_device_rows = 0;
SELECT * FROM pairs_wrong();
RESET warpagg.min_device_rows;
SET warpagg.enable_scan = on;
SELECT * FROM pairs_wrong();
SET warpagg.debug_spill_groups = 2;
SELECT * FROM pairs_wrong();
RESET warpagg.debug_spill_groups;
SET max_parallel_workers_per_gather = 0;
VACUUM (FREEZE, ANALYZE) pairs;
SELECT warpagg_load('pairs');
SELECT * FROM pairs_wrong();

SELECT wa_compare(format('SELECT %1$s, gpu_corr(y, x), gpu_regr_slope(n, i), gpu_covar_samp(x + i, y)
                        FROM pairs GROUP BY %2$s', v.column1, v.column2))
FROM (VALUES ('1', '()'), ('g', 'g'), ('t, g', 'ROLLUP (t, g)'), ('i', 'i HAVING count(*) > 3'),
             ('count(DISTINCT t)', 'g'), ('array_agg(id ORDER BY id)', 't')) v;

-- The built-ins are near, with NULLs, other types, FILTER and expressions.
CREATE FUNCTION pairs_differ(query text) RETURNS TABLE (place bigint, ours text, theirs text)
LANGUAGE plpgsql AS $$
DECLARE
    mine text[];
    its text[];
BEGIN
    EXECUTE format('SELECT array_agg(r) FROM (%s) q(r)', replace(query, '@', 'gpu_')) INTO mine;
    EXECUTE format('SELECT array_agg(r) FROM (%s) q(r)', replace(query, '@', '')) INTO its;
    RETURN QUERY SELECT o.n, o.r, t.r
        FROM unnest(mine) WITH ORDINALITY o(r, n)
        FULL JOIN unnest(its) WITH ORDINALITY t(r, n) USING (n)
        WHERE NOT coalesce(o.r = t.r OR (o.r ~ '^[-0-9.e+]+$' AND t.r ~ '^[-0-9.e+]+$'
                               AND abs(o.r::float8 - t.r::float8) <= 1e-9 * greatest(1, abs(t.r::float8))),
                           o.r IS NULL AND t.r IS NULL);
END
$$;
SELECT f.name, d.* FROM unnest('{corr,covar_pop,covar_samp,regr_count,regr_avgx,regr_avgy,regr_sxx,
    regr_syy,regr_sxy,regr_slope,regr_intercept,regr_r2}'::text[]) AS f(name),
    unnest(ARRAY['SELECT @%s(y, x) FROM pairs', 'SELECT @%s(y, x) FROM pairs GROUP BY g ORDER BY g',
                 'SELECT @%s(x, i) FILTER (WHERE id %% 3 = 1) FROM pairs GROUP BY g ORDER BY g',
                 'SELECT @%s(n, y) FROM pairs GROUP BY t, g ORDER BY t, g',
                 'SELECT @%s(y + 1, x * 2) FROM pairs WHERE id < 3000 GROUP BY i ORDER BY i',
                 'SELECT @%s(y, x) FROM pairs GROUP BY ROLLUP (g, t) ORDER BY g, t',
                 'SELECT @%s(y, x) FROM pairs GROUP BY g HAVING @%1$s(y, x) > 0.1 ORDER BY g',
                 'SELECT @%s(y, x) FROM pairs GROUP BY g ORDER BY @%1$s(y, x) DESC, g LIMIT 3',
                 'SELECT @%s(DISTINCT i, i %% 3) FROM pairs',
                 'SELECT @%s(y, x ORDER BY x DESC) FROM pairs',
                 'SELECT @%s(y, x) FROM pairs WHERE false', 'SELECT @%s(y, NULL) FROM pairs',
                 'SELECT @%s(y, x) FROM pairs WHERE id = 1', 'SELECT @%s(y, 3) FROM pairs',
                 'SELECT @%s(2, x) FROM pairs', 'SELECT @%s(2, 3) FROM pairs WHERE id < 3',
                 'SELECT @%s(''NaN'', x) FROM pairs', 'SELECT @%s(y, ''Infinity'') FROM pairs',
                 'SELECT @%s(''Infinity'', 3) FROM pairs', 'SELECT @%s(7, ''NaN'') FROM pairs',
                 'SELECT @%s(y, x) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)
                  FROM pairs WHERE id < 300 ORDER BY id',
                 'SELECT @%s(y, x) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
                  FROM pairs WHERE id < 300 ORDER BY id',
                 'SELECT @%s(a.y, b.x) FROM pairs a JOIN pairs b ON b.id = a.g + 1']) AS q(form),
    LATERAL pairs_differ(format(form, name)) d;

-- Beside other aggregates, and those that their own functions compute.
SELECT round(gpu_corr(y, x)::numeric, 12) AS corr, count(DISTINCT g) AS groups, sum(i), max(t),
       percentile_disc(0.5) WITHIN GROUP (ORDER BY i) AS median, gpu_regr_count(y, x)
FROM pairs;
SELECT g, round(gpu_regr_slope(y, x)::numeric, 12) AS slope, length(string_agg(t, ''))
FROM pairs GROUP BY g ORDER BY g LIMIT 2;

-- The built-in ones depend on the order of rows, so they are PostgreSQL's, but the count.
EXPLAIN (COSTS OFF) SELECT corr(y, x) FROM pairs;
EXPLAIN (COSTS OFF) SELECT regr_count(y, x) FROM pairs;
SET warpagg.accelerate = 'all';
EXPLAIN (COSTS OFF) SELECT corr(y, x) FROM pairs;
SELECT corr(y, x) = gpu_corr(y, x) AS corr, regr_slope(y, x) = gpu_regr_slope(y, x) AS slope,
       regr_intercept(y, x) = gpu_regr_intercept(y, x) AS intercept
FROM pairs;
SET warpagg.accelerate = 'off';
EXPLAIN (COSTS OFF) SELECT regr_count(y, x) FROM pairs;
RESET warpagg.accelerate;

-- Products that no double is: too large, too small, and beside others.
CREATE TABLE pairs_far (id integer, y float8, x float8);
INSERT INTO pairs_far VALUES (1, 1e300, 1e-300), (2, 1e-200, 1e-200), (3, 5e-324, 5e-324),
    (4, 1.7e308, 2), (5, -1.7e308, 3), (6, 1e200, 1e-320), (7, 3, 7);
SELECT gpu_covar_pop(y, x), gpu_regr_sxy(y, x) FROM pairs_far;
SELECT gpu_regr_sxy(y, x) FROM pairs_far WHERE id IN (2, 3);
SELECT gpu_regr_sxy(y, x), gpu_corr(y, x), gpu_regr_r2(y, x) FROM pairs_far WHERE id IN (2, 3, 6);
SELECT gpu_regr_slope(y, x) FROM pairs_far WHERE id IN (2, 6);
SELECT gpu_regr_sxy(y, y) FROM pairs_far;
SET warpagg.enable_scan = off;
SELECT gpu_covar_pop(y, x), gpu_regr_sxy(y, x) FROM pairs_far;
SELECT gpu_regr_sxy(y, x) FROM pairs_far WHERE id IN (2, 3);
SELECT gpu_regr_sxy(y, y) FROM pairs_far;
SET warpagg.enable_scan = on;

SELECT id, gpu_regr_sxy(y, x) OVER w AS sxy, gpu_covar_pop(y, x) OVER w AS covar_pop, gpu_regr_count(y, x) OVER w
FROM (SELECT * FROM pairs_far WHERE id <> 5 UNION ALL VALUES (8, 'NaN'::float8, 1), (9, NULL, 2), (10, 1, 2), (11, 3, 8), (12, 4, 1)) v
WINDOW w AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);

-- Both arguments are evaluated, as by the built-in, even where one is NULL.
SELECT gpu_corr(y, 1 / (id % 11 - id % 11)) FROM pairs;
SELECT gpu_regr_avgx(y, 1 / (CASE WHEN y IS NULL THEN 0 ELSE 1 END)) FROM pairs;
SELECT gpu_regr_avgy(y, x) FROM (VALUES (1::float8, NULL::float8), (NULL, 2), (NULL, NULL)) v(y, x);
SELECT gpu_regr_count(y, x) FROM (VALUES (1::float8, NULL::float8), (NULL, 2), (NULL, NULL)) v(y, x);
DROP TABLE pairs, pairs_far CASCADE;
DROP FUNCTION pairs_differ;
DROP FUNCTION pairs_wrong;
