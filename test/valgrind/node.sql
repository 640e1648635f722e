-- Statements of the node; statements.sql includes them several times.
SELECT count(*), sum(id), min(b), max(b), avg(n), sum(w), min(t), max(t), avg(f) FROM vg;
SELECT k, count(*), sum(id + 1), min(2 - s), sum(n), max(d), min(ts), sum(r) FROM vg
    GROUP BY k ORDER BY k;
SELECT t, c, flag, count(*), sum(w), stddev(n), var_pop(id) FROM vg
    GROUP BY t, c, flag ORDER BY 1, 2, 3 LIMIT 5;
SELECT n % 7 AS key, count(*), sum(n * n), max(n / 3) FROM vg GROUP BY 1
    ORDER BY 2 DESC, 1 LIMIT 7 OFFSET 2;
SELECT date_trunc('day', tz), extract(hour FROM ts), count(*), sum(id) FROM vg
    GROUP BY 1, 2 HAVING count(*) > 2 ORDER BY 3 DESC, 1, 2 LIMIT 4;
SELECT to_char(ts, 'YYYY-MM') AS month, upper(t), max(length(t)), min(n) FROM vg
    WHERE d > date '2024-01-15' AND t LIKE 't1%' GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 5;
SELECT CASE WHEN k < 3 THEN 'few' WHEN k IS NULL THEN 'none' ELSE t END AS key,
       sum(CASE WHEN flag THEN n WHEN s > 50 THEN 1 ELSE 0 END),
       count(*) FILTER (WHERE flag), sum(id / NULLIF(k, 0)),
       sum(COALESCE(k, added)) FROM vg GROUP BY 1 ORDER BY 1 LIMIT 6;
SELECT sum(CASE WHEN k > 0 THEN 1000 / k ELSE 0 END) FROM vg WHERE s IN (1, 2, 3, 50);
SELECT u, count(*), min(m), max(a) FROM vg GROUP BY u ORDER BY u LIMIT 3;
SELECT added, i, count(*) FROM vg GROUP BY added, i ORDER BY 1, 2;
SELECT DISTINCT t FROM vg ORDER BY t LIMIT 3;
SELECT sum(id) FROM vg WHERE false;
SELECT k, sum(id) FROM vg WHERE id < 0 GROUP BY k;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
    SELECT t, sum(id + 1), avg(n) FROM vg WHERE f > 10 GROUP BY t;

-- Errors, of a row, of a constant and of a row that does not count.
SELECT sum(1 / (id - 500)) FROM vg;
SELECT k, sum(id * 1000000) FROM vg GROUP BY k;
SELECT sum(id) FROM vg WHERE id > 1 / 0;
SELECT sum(t::integer) FROM vg WHERE id < 0;
SELECT substr(t, 2)::integer / (k - 3) AS key, count(*) FROM vg WHERE k <> 3
    GROUP BY 1 ORDER BY 1 LIMIT 3;

-- More groups than there is memory for.
SET work_mem = '64kB';
SELECT count(*), sum(c), max(m) FROM (
    SELECT g, count(*) AS c, max(n) AS m FROM vg_many GROUP BY g) q;
SELECT count(*), sum(c) FROM (
    SELECT h, sum(v + 1) AS c FROM vg_many GROUP BY h) q;
RESET work_mem;

-- Aggregates that their own functions compute, with rows in an order, and beyond the memory.
SELECT k, sum(id), length(string_agg(t, ',')), array_length(array_agg(a ORDER BY s, id), 1),
       count(*) FILTER (WHERE flag), json_agg(u) FILTER (WHERE id < 9) FROM vg GROUP BY k ORDER BY k;
SELECT length(string_agg(DISTINCT t, ',')), array_agg(DISTINCT s % 9 ORDER BY s % 9 DESC),
       rank(3) WITHIN GROUP (ORDER BY s), percentile_cont(0.5) WITHIN GROUP (ORDER BY i),
       corr(f, r) FROM vg WHERE id > 5;
SET work_mem = '64kB';
SELECT count(*), sum(length(c)), sum(array_length(d, 1)) FROM (
    SELECT g, string_agg(h, ',' ORDER BY v DESC) AS c, array_agg(DISTINCT v) AS d
    FROM vg_many GROUP BY g) q;
RESET work_mem;

-- Parameters, subselects and rescans.
PREPARE vg_prepared(integer, text) AS
    SELECT k, sum(id + $1), count(*) FROM vg WHERE t > $2 GROUP BY k ORDER BY k;
SET plan_cache_mode = force_generic_plan;
EXECUTE vg_prepared(1, 't2');
EXECUTE vg_prepared(NULL, 't1');
DEALLOCATE vg_prepared;
RESET plan_cache_mode;
SELECT sum(id), count(*) FROM vg WHERE k = (SELECT max(k) - 1 FROM vg_small);
SELECT name, (SELECT sum(id + vg_small.k) FROM vg WHERE vg.k = vg_small.k)
    FROM vg_small ORDER BY 1;
SELECT count(*) FROM vg_small, LATERAL (
    SELECT s, count(*) FROM vg WHERE id % 7 = vg_small.k GROUP BY s) q;
BEGIN;
DECLARE vg_cursor CURSOR FOR SELECT t, sum(id) FROM vg GROUP BY t;
FETCH 3 FROM vg_cursor;
CLOSE vg_cursor;
COMMIT;

-- Rows that have changed since they were loaded.
SELECT k, t, count(*), sum(n), max(id) FROM vg_changed GROUP BY k, t ORDER BY 1, 2 LIMIT 4;
SELECT count(*), min(t), sum(id + 1) FROM vg_changed WHERE n > 3;
