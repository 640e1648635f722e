--
-- Grouping sets: groups by all keys, which are merged with those of each set.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;

CREATE TABLE sets_rows (id integer PRIMARY KEY, k integer, small smallint, t text COLLATE "C", c char(8), n numeric, f float8, b boolean, d date, r int4range)
    WITH (autovacuum_enabled = off);
INSERT INTO sets_rows SELECT i, i % 7, nullif(i % 3, 1), CASE WHEN i % 11 > 0 THEN 'text ' || i % 13 END, chr(97 + i % 5) || repeat(' ', i % 3), (i % 4)::numeric / 2 + (i % 2 * 0.00)::numeric(5, 2), CASE i % 5 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN -0.0 ELSE i % 2 END, i % 6 > 2,
    date '2024-01-01' + i % 30, int4range(i % 3, 9)
FROM generate_series(1, 20000) i;
CREATE TABLE sets_names (k integer PRIMARY KEY, name text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO sets_names SELECT i, 'name ' || i % 4 FROM generate_series(0, 5) i;
VACUUM (FREEZE, ANALYZE) sets_rows;
VACUUM (FREEZE, ANALYZE) sets_names;

-- Whether a query has the rows of PostgreSQL's plan, and whether the node computes them, of
-- resident rows or of the heap's.
CREATE FUNCTION sets_check(query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(wa_compare(query), 'same values', 'same')
$$;

CREATE VIEW sets_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT k, small, count(*), sum(id), avg(n) FROM sets_rows GROUP BY ROLLUP (k, small)',
    'SELECT k, b, t, count(*), max(t), stddev(k) FROM sets_rows GROUP BY CUBE (k, b, t)',
    'SELECT k, b, grouping(k), grouping(b, k), grouping(k, b) * 2 + 1, count(f), max(f) FROM sets_rows GROUP BY GROUPING SETS ((k), (b), (k, b), ())',
    'SELECT k, count(*) FROM sets_rows GROUP BY GROUPING SETS ((k), (k), (), ())',
    'SELECT k, t, count(*) FROM sets_rows GROUP BY DISTINCT ROLLUP (k), ROLLUP (k, t)',
    'SELECT k, t, b, sum(id) FROM sets_rows GROUP BY k, ROLLUP (t, b)',
    'SELECT c, n, f, count(*) FROM sets_rows GROUP BY ROLLUP (c, n, f)',
    'SELECT date_trunc(''month'', d), small + 1, coalesce(small + 1, -1), count(*) FROM sets_rows GROUP BY ROLLUP (1, 2)',
    'SELECT k, small, count(*) FROM sets_rows GROUP BY ROLLUP (k, small) HAVING grouping(small) = 1 OR count(*) > 500',
    'SELECT k, small, sum(id) FROM sets_rows GROUP BY ROLLUP (k, small) ORDER BY grouping(k, small), sum(id) DESC LIMIT 5',
    'SELECT k, small, sum(id) FROM sets_rows GROUP BY CUBE (k, small) ORDER BY 1 NULLS FIRST, 2 DESC, 3',
    'SELECT k, sum(id) FILTER (WHERE b), count(*) FILTER (WHERE small > 0) FROM sets_rows WHERE id % 3 = 0 GROUP BY ROLLUP (k)',
    'SELECT k, count(*), sum(id) FROM sets_rows WHERE id < 0 GROUP BY GROUPING SETS ((k), (), (k, small), ())',
    'SELECT count(*), min(t) FROM sets_rows WHERE id > 10 GROUP BY GROUPING SETS ((), ())',
    'SELECT count(*) FROM sets_rows WHERE 1 > (SELECT max(k) FROM sets_names) GROUP BY ROLLUP (k)',
    'SELECT k FROM sets_rows GROUP BY ROLLUP (k)',
    'SELECT k, grouping(k) FROM sets_rows GROUP BY GROUPING SETS ((k), (b))',
    'SELECT gpu_sum(n), k, gpu_avg(f) FROM sets_rows GROUP BY CUBE (k)',
    'SELECT sum(small + 2), sum(small), k FROM sets_rows GROUP BY CUBE (k)',
    'SELECT n.name, r.b, count(*), sum(r.id) FROM sets_rows r JOIN sets_names n ON n.k = r.k GROUP BY ROLLUP (n.name, r.b)',
    'SELECT n.name, n.k, count(*) FROM sets_rows r LEFT JOIN sets_names n ON n.k = r.k GROUP BY ROLLUP (n.k, n.name)',
    'SELECT k, b, count(*), sum(k) FROM sets_rows WHERE k > 2 AND b IS NOT NULL GROUP BY ROLLUP (k, b)',
    'SELECT k, b, count(DISTINCT t), sum(k) FROM sets_rows WHERE k > 2 AND b IS NOT NULL GROUP BY ROLLUP (k, b)',
    'SELECT n.k, count(*), sum(n.k) FROM sets_rows r JOIN sets_names n ON n.k = r.k WHERE n.k <> 3 AND r.k < 5 GROUP BY ROLLUP (n.k)',
    'SELECT k, b, count(DISTINCT t), count(*) FROM sets_rows GROUP BY ROLLUP (k, b)',
    'SELECT k, b, grouping(b, k), count(DISTINCT t), sum(DISTINCT id) FILTER (WHERE small > 0), count(DISTINCT c), sum(id) FROM sets_rows GROUP BY CUBE (k, b) ORDER BY 3, 1, 2',
    'SELECT count(DISTINCT t), count(DISTINCT id) FROM sets_rows GROUP BY GROUPING SETS ((), ())',
    'SELECT t, count(DISTINCT n), avg(DISTINCT k) FROM sets_rows GROUP BY GROUPING SETS ((t), (t, k), ()) HAVING count(DISTINCT n) > 2 ORDER BY count(DISTINCT n) DESC, 1, 3 LIMIT 6',
    'SELECT k, count(DISTINCT t) FROM sets_rows WHERE id < 0 GROUP BY ROLLUP (k)',
    'SELECT count(DISTINCT t) FROM sets_rows WHERE 1 > (SELECT max(k) FROM sets_names) GROUP BY ROLLUP (k)',
    'SELECT count(*), max(s) FROM (SELECT k, t, sum(id) AS s FROM sets_rows GROUP BY ROLLUP (k, t)) AS inside',
    'SELECT DISTINCT k, count(*) > 100 FROM sets_rows GROUP BY ROLLUP (k, t)',
    'SELECT k, rank() OVER (ORDER BY sum(id)) FROM sets_rows GROUP BY ROLLUP (k)'
]) AS q (query);
SELECT sets_check(query), query FROM sets_queries;
SELECT warpagg_load('sets_rows') > 0 AS loaded;
SELECT sets_check(query), query FROM sets_queries;
UPDATE sets_rows SET k = 100, t = 'another', small = 5000 WHERE id IN (7, 15000);
DELETE FROM sets_rows WHERE id = 8;
SELECT sets_check(query), query FROM sets_queries LIMIT 5;

-- What is left to PostgreSQL.
SELECT sets_check('SELECT n.name, count(DISTINCT t) FROM sets_rows r JOIN sets_names n ON n.k = r.k GROUP BY ROLLUP (1)');
SELECT sets_check('SELECT r, count(*) FROM sets_rows GROUP BY ROLLUP (r)');
SELECT sets_check('SELECT k, (SELECT max(n.k) FROM sets_names n WHERE n.k < r.k), count(*) FROM sets_rows r GROUP BY ROLLUP (k)');
SELECT level, used, reason FROM warpagg_explain('SELECT n.name, count(DISTINCT t) FROM sets_rows r JOIN sets_names n ON n.k = r.k GROUP BY ROLLUP (1)') WHERE level IS NULL;

-- The plan.
EXPLAIN (COSTS OFF) SELECT k, b, grouping(k), sum(id) FROM sets_rows GROUP BY k, ROLLUP (b), CUBE (t) HAVING grouping(b) = 0;
EXPLAIN (COSTS OFF) SELECT k, count(DISTINCT t), sum(id) FROM sets_rows GROUP BY ROLLUP (k);
-- Few groups beside the memory.
SET warpagg.debug_spill_groups = 20;
SELECT sets_check(query), query FROM sets_queries WHERE query !~ 'FROM sets_rows r' LIMIT 25;
RESET warpagg.debug_spill_groups;
-- Several processes.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SET warpagg.enable_resident = off;
SELECT sets_check(query), query FROM sets_queries WHERE query !~ 'FROM sets_rows r' LIMIT 25;
RESET warpagg.enable_resident;
SET max_parallel_workers_per_gather = 0;
-- Prepared statements, and a cursor.
PREPARE sets_before (date, integer) AS SELECT k + $2, b, count(*) FROM sets_rows WHERE d < $1 GROUP BY ROLLUP (k + $2, b) ORDER BY 3 DESC, 1, 2 LIMIT 4;
EXECUTE sets_before ('2024-01-05', 1);
SET plan_cache_mode = force_generic_plan;
EXECUTE sets_before ('2024-01-03', 2);
RESET plan_cache_mode;
BEGIN;
DECLARE sets_cursor CURSOR FOR SELECT k, grouping(k), count(*) FROM sets_rows GROUP BY ROLLUP (k) ORDER BY 2 DESC, 1;
FETCH 2 FROM sets_cursor;
FETCH ALL FROM sets_cursor;
COMMIT;
SELECT sets_check('SELECT n.k, s.* FROM sets_names n, LATERAL (SELECT b, sum(id) FROM sets_rows r WHERE r.k = n.k GROUP BY ROLLUP (b)) s');
-- Errors are PostgreSQL's.
SELECT wa_outcome('count(*)', '(SELECT 10 / k, count(*) FROM sets_rows GROUP BY ROLLUP (10 / k)) AS divided');

DROP TABLE sets_rows, sets_names CASCADE;
DROP FUNCTION sets_check(text);
