-- What is planned and run under valgrind.  What it returns is shown, not compared: that
-- is what the other tests are for.  Its last line says that it has been run to its end.
\set ON_ERROR_STOP 0
\timing off
SET max_parallel_workers_per_gather = 0;
SET warpagg.explain_refusals = on;

-- Aggregates of unusual form, which planning looks at before it refuses them.
EXPLAIN SELECT count(DISTINCT k), sum(id + 1) FROM vg;
EXPLAIN SELECT sum(id + 1), count(DISTINCT k) FROM vg;
EXPLAIN SELECT sum(id + 1 ORDER BY k), sum(id + 2) FROM vg;
EXPLAIN SELECT array_agg(t ORDER BY id), sum(2 - id) FROM vg;
EXPLAIN SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f), sum(id + 1) FROM vg;
EXPLAIN SELECT rank(3) WITHIN GROUP (ORDER BY k), max(1 - id) FROM vg;
EXPLAIN SELECT sum(id + 1) FILTER (WHERE k > 2), string_agg(t, ',') FROM vg;
EXPLAIN SELECT jsonb_object_agg(t, k), min(id - 1) FROM vg WHERE k IS NOT NULL;
EXPLAIN SELECT corr(f, r), sum(s + 1) FROM vg;
EXPLAIN SELECT sum(id + 1), max(a), min(i) FROM vg;
EXPLAIN SELECT k, s, sum(id + 1) FROM vg GROUP BY GROUPING SETS ((k), (s), ());
EXPLAIN SELECT k, sum(id + 1) FROM vg GROUP BY ROLLUP (k);
EXPLAIN SELECT sum(id + 1), (SELECT sum(v.k) FROM vg_small v WHERE v.k > sum(vg.id + 1)) FROM vg;
EXPLAIN SELECT (SELECT count(DISTINCT vg_small.k) FROM vg) FROM vg_small;
EXPLAIN SELECT sum(sum(id + 1)) OVER (ORDER BY k) FROM vg GROUP BY k;
EXPLAIN SELECT sum(id + 1) OVER (PARTITION BY k) FROM vg;
EXPLAIN SELECT DISTINCT sum(id + 1) FROM vg GROUP BY k;
EXPLAIN SELECT k, generate_series(1, 2), sum(id + 1) FROM vg GROUP BY k;
EXPLAIN SELECT sum(id + random()) FROM vg;
CREATE FUNCTION vg_last(VARIADIC integer[]) RETURNS integer
    LANGUAGE sql IMMUTABLE AS 'SELECT $1[array_length($1, 1)]';
CREATE AGGREGATE vg_variadic(VARIADIC integer[]) (
    SFUNC = array_cat, STYPE = integer[]);
EXPLAIN SELECT vg_variadic(VARIADIC a), sum(id + 1) FROM vg;
EXPLAIN SELECT vg_variadic(k, s), sum(id + 1) FROM vg;
EXPLAIN SELECT sum(vg_last(k, id)), sum(id + 1) FROM vg;
SET warpagg.accelerate = off;
EXPLAIN SELECT sum(f), sum(id + 1) FROM vg;
SET warpagg.accelerate = 'all';
EXPLAIN SELECT sum(f), sum(id + 1) FROM vg;
SELECT count(DISTINCT k), sum(id + 1), sum(b ORDER BY id), min(2 - id) FROM vg;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY k), sum(id + 1) FROM vg;

-- The statements that follow are run by the node, with the columns in the heap and then
-- resident; vg_run calls them from a second file.
\ir node.sql
SELECT warpagg_load('vg') > 0 AS loaded, warpagg_load('vg_many') > 0 AS loaded,
       warpagg_load('vg_changed') > 0 AS loaded;
UPDATE vg_changed SET n = n + 1 WHERE id < 300;
DELETE FROM vg_changed WHERE id % 400 = 1;
\ir node.sql
SELECT relation, column_name, rows > 0 AS has_rows FROM warpagg_resident
    ORDER BY relation, column_name;
SELECT gpu_sum(id), gpu_avg(f), gpu_min(t), gpu_count(*), gpu_stddev(n) FROM vg
    JOIN vg_small USING (k);
SELECT k, gpu_sum(b), gpu_max(ts) FROM vg JOIN vg_small USING (k) GROUP BY k;

-- Workers are under valgrind, too.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET warpagg.enable_resident = off;
\ir node.sql
SELECT gpu_sum(id), gpu_avg(n) FROM vg JOIN vg_small USING (k);
SELECT warpagg_unload('vg');
SELECT 'the end';
