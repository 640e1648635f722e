--
-- Aggregates over values in an order: percentiles and modes.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;

CREATE TABLE ranked_rows (id integer PRIMARY KEY, k integer, small smallint, t text COLLATE "C", c char(8), n numeric, f float8, g float4, b boolean, d date, ts timestamptz, i interval, m money, big bigint)
    WITH (autovacuum_enabled = off);
INSERT INTO ranked_rows SELECT i, i % 7, nullif(i % 300, 1), CASE WHEN i % 11 > 0 THEN 'text ' || i % 1300 END, chr(97 + i % 5), (i % 400)::numeric / 2, CASE i % 50 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN -1.5 ELSE i % 20 / 3.0 END, i % 90 / 7.0, i % 6 > 2,
    date '2024-01-01' + i % 300, timestamptz '2024-01-01 12:00' + i % 4000 * interval '1 hour', i % 9 * interval '1 hour', (i % 77)::numeric::money, (i * 7919::bigint % 10007) * 9007199254740
FROM generate_series(1, 20000) i;
INSERT INTO ranked_rows VALUES (20001, 8, NULL, NULL, NULL, 'NaN', 'Infinity', NULL, NULL, 'infinity', '-infinity', NULL, NULL, NULL), (20002, 9, 5, 'x', 'x', 1e40, 1, '-Infinity', true, '-infinity', 'infinity', '1 day', 7, -9223372036854775808), (20003, 9, 7, 'y', 'x', 2, 'Infinity', 'Infinity', true, '2024-01-01', 'infinity', '1 day', 7, 5);
CREATE TABLE ranked_names (k integer PRIMARY KEY, name text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO ranked_names SELECT i, 'name ' || i % 4 FROM generate_series(0, 5) i;
VACUUM (FREEZE, ANALYZE) ranked_rows;
VACUUM (FREEZE, ANALYZE) ranked_names;

-- Whether a query has the rows of PostgreSQL's plan, and whether the node computes them, of
-- resident rows or of the heap's.
CREATE FUNCTION ranked_check(query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(wa_compare_order(query), 'same values', 'same'), ', in another order', '')
$$;

CREATE VIEW ranked_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY small) FROM ranked_rows',
    'SELECT percentile_cont(0.37) WITHIN GROUP (ORDER BY big), count(*) FROM ranked_rows',
    'SELECT percentile_disc(0.37) WITHIN GROUP (ORDER BY big), sum(small) FROM ranked_rows',
    'SELECT percentile_cont(0) WITHIN GROUP (ORDER BY f), percentile_cont(1) WITHIN GROUP (ORDER BY f) FROM ranked_rows',
    'SELECT percentile_disc(0) WITHIN GROUP (ORDER BY f), percentile_disc(1) WITHIN GROUP (ORDER BY f) FROM ranked_rows',
    'SELECT percentile_cont(ARRAY[0.1, 0.5, 0.99]) WITHIN GROUP (ORDER BY g) FROM ranked_rows',
    'SELECT percentile_disc(ARRAY[0.99, 0.5, 0.1, 0, 1]) WITHIN GROUP (ORDER BY t) FROM ranked_rows',
    'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY n DESC) FROM ranked_rows',
    'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY d), percentile_disc(0.25) WITHIN GROUP (ORDER BY ts DESC NULLS LAST), mode() WITHIN GROUP (ORDER BY m) FROM ranked_rows',
    'SELECT mode() WITHIN GROUP (ORDER BY t), mode() WITHIN GROUP (ORDER BY t DESC), mode() WITHIN GROUP (ORDER BY c) FROM ranked_rows',
    'SELECT mode() WITHIN GROUP (ORDER BY b), percentile_disc(0.3) WITHIN GROUP (ORDER BY b), percentile_disc(ARRAY[0.3, 0.9]) WITHIN GROUP (ORDER BY b) FROM ranked_rows',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY small) FROM ranked_rows GROUP BY k',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY small), percentile_cont(0.95) WITHIN GROUP (ORDER BY small), percentile_disc(0.95) WITHIN GROUP (ORDER BY small), mode() WITHIN GROUP (ORDER BY small), count(*), sum(n), min(t) FROM ranked_rows GROUP BY k',
    'SELECT b, t, percentile_disc(0.5) WITHIN GROUP (ORDER BY id), max(f) FROM ranked_rows GROUP BY b, t',
    'SELECT n, mode() WITHIN GROUP (ORDER BY k) FROM ranked_rows GROUP BY n',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY k), k + percentile_disc(0.5) WITHIN GROUP (ORDER BY k) FROM ranked_rows GROUP BY k',
    'SELECT date_trunc(''month'', ts), percentile_cont(0.9) WITHIN GROUP (ORDER BY f) FROM ranked_rows GROUP BY 1 ORDER BY 1',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY small) FILTER (WHERE b), count(*) FROM ranked_rows GROUP BY k',
    'SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY small) FILTER (WHERE b), percentile_disc(0.5) WITHIN GROUP (ORDER BY small) FILTER (WHERE NOT b), mode() WITHIN GROUP (ORDER BY small) FILTER (WHERE id < 0) FROM ranked_rows GROUP BY k',
    'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY 10 / small) FILTER (WHERE small <> 0) FROM ranked_rows',
    'SELECT mode() WITHIN GROUP (ORDER BY upper(t) || k) FROM ranked_rows',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY small) FROM ranked_rows GROUP BY k HAVING percentile_cont(0.5) WITHIN GROUP (ORDER BY small) > 149 AND sum(small) > 0',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY big) FROM ranked_rows GROUP BY k ORDER BY 2 DESC NULLS LAST, k LIMIT 3',
    'SELECT t, mode() WITHIN GROUP (ORDER BY small) AS c FROM ranked_rows GROUP BY t ORDER BY c DESC, t LIMIT 5 OFFSET 1',
    'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY k), percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY k), mode() WITHIN GROUP (ORDER BY k) FROM ranked_rows WHERE id < 0',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY k) FROM ranked_rows WHERE id < 0 GROUP BY k',
    'SELECT percentile_cont(NULL) WITHIN GROUP (ORDER BY k), count(*) FROM ranked_rows',
    'SELECT k, percentile_disc((SELECT 0.25::float8)) WITHIN GROUP (ORDER BY small) FROM ranked_rows GROUP BY k',
    'SELECT n.name, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.small), sum(r.id) FROM ranked_rows r JOIN ranked_names n ON n.k = r.k GROUP BY n.name',
    'SELECT r.b, mode() WITHIN GROUP (ORDER BY n.name) FROM ranked_rows r LEFT JOIN ranked_names n ON n.k = r.k GROUP BY r.b',
    'SELECT k, count(DISTINCT t), count(DISTINCT n), percentile_disc(0.1) WITHIN GROUP (ORDER BY t), mode() WITHIN GROUP (ORDER BY n), count(*) FROM ranked_rows GROUP BY k',
    'SELECT k, b, percentile_disc(0.5) WITHIN GROUP (ORDER BY small), count(DISTINCT small), sum(small), grouping(k, b) FROM ranked_rows GROUP BY CUBE (k, b)',
    'SELECT k, t, percentile_cont(0.75) WITHIN GROUP (ORDER BY g), mode() WITHIN GROUP (ORDER BY d) FROM ranked_rows GROUP BY GROUPING SETS ((k), (t), ())',
    'SELECT max(c) FROM (SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY t) AS c FROM ranked_rows GROUP BY k) AS inside'
]) AS q (query);
SELECT ranked_check(query), query FROM ranked_queries;
SELECT warpagg_load('ranked_rows') > 0 AS loaded;
SELECT ranked_check(query), query FROM ranked_queries;
UPDATE ranked_rows SET k = 100, t = 'another', small = 5000 WHERE id IN (7, 15000);
DELETE FROM ranked_rows WHERE id = 8;
SELECT ranked_check(query), query FROM ranked_queries WHERE query ~ 'GROUP BY';

-- What is left to PostgreSQL.
SELECT ranked_check('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i) FROM ranked_rows');
SELECT ranked_check('SELECT k, percentile_cont(k / 10.0) WITHIN GROUP (ORDER BY small) FROM ranked_rows GROUP BY k');
SELECT ranked_check('SELECT percentile_cont(ARRAY[0.5, NULL]) WITHIN GROUP (ORDER BY small) FROM ranked_rows');
SELECT ranked_check('SELECT percentile_cont(ARRAY[[0.5, 0.6], [0.7, 0.8]]) WITHIN GROUP (ORDER BY small) FROM ranked_rows');
SELECT ranked_check('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY t USING ~<~) FROM ranked_rows');
SELECT ranked_check('SELECT rank(5) WITHIN GROUP (ORDER BY small) FROM ranked_rows');
SET warpagg.explain_refusals = explain;
SELECT wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT k, percentile_cont(k / 10.0) WITHIN GROUP (ORDER BY small) FROM ranked_rows GROUP BY k',
    'SELECT percentile_cont(ARRAY[0.5, NULL]) WITHIN GROUP (ORDER BY small) FROM ranked_rows',
    'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY t USING ~<~) FROM ranked_rows',
    'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i) FROM ranked_rows',
    'SELECT rank(5) WITHIN GROUP (ORDER BY small) FROM ranked_rows'
]) AS q;
RESET warpagg.explain_refusals;

-- The plan.
EXPLAIN (COSTS OFF) SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY small) FILTER (WHERE b), mode() WITHIN GROUP (ORDER BY t), count(*) FROM ranked_rows GROUP BY k;
-- Ours, whatever warpagg.accelerate says.
SET warpagg.accelerate = off;
SELECT ranked_check('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY small) FROM ranked_rows');
SELECT ranked_check('SELECT k, gpu_percentile_cont(0.5) WITHIN GROUP (ORDER BY small), gpu_percentile_disc(0.5) WITHIN GROUP (ORDER BY t), gpu_mode() WITHIN GROUP (ORDER BY d), gpu_percentile_cont(ARRAY[0.5, 0.6]) WITHIN GROUP (ORDER BY small), gpu_percentile_disc(ARRAY[0.5, 0.6]) WITHIN GROUP (ORDER BY t), gpu_sum(small) FROM ranked_rows GROUP BY k');
RESET warpagg.accelerate;
-- Few groups beside the memory: those that are rolled up, and those that are returned.
SET warpagg.debug_spill_groups = 100;
SELECT ranked_check(query), query FROM ranked_queries WHERE query ~ 'GROUP BY';
SET warpagg.enable_resident = off;
SET work_mem = '64kB';
SELECT ranked_check('SELECT id / 4, percentile_disc(0.5) WITHIN GROUP (ORDER BY t), sum(n) FROM ranked_rows WHERE n < 1e30 GROUP BY 1');
SELECT ranked_check('SELECT t, n, percentile_cont(0.5) WITHIN GROUP (ORDER BY k), min(t), mode() WITHIN GROUP (ORDER BY b) FROM ranked_rows GROUP BY t, n');
SELECT ranked_check('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id), percentile_disc(0.7) WITHIN GROUP (ORDER BY id) FROM ranked_rows');
RESET work_mem;
RESET warpagg.enable_resident;
RESET warpagg.debug_spill_groups;
-- Several processes, which spill or do not.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SET warpagg.enable_resident = off;
SELECT ranked_check(query), query FROM ranked_queries WHERE query ~ 'GROUP BY [kt]';
SET warpagg.debug_spill_groups = 100;
SELECT ranked_check(query), query FROM ranked_queries WHERE query ~ 'GROUP BY [kt]';
RESET warpagg.debug_spill_groups;
RESET warpagg.enable_resident;
SET max_parallel_workers_per_gather = 0;

-- Values that hardly any two rows have: the device process lists them.
CREATE TABLE ranked_many (id integer PRIMARY KEY, k integer, t text COLLATE "C", f float8, big bigint, g real, d timestamp) WITH (autovacuum_enabled = off);
INSERT INTO ranked_many SELECT i, CASE WHEN i % 3 > 0 THEN 1 ELSE i % 50 END, 't' || i % 400, CASE i % 1000 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN 0 WHEN 3 THEN '-Infinity' ELSE (i * 7919::bigint % 100003 - 50000) / 7.0 END,
    (i * 104729::bigint % 99991) * 92233720368547 * (i % 2 * 2 - 1), nullif(i % 90000, 5) / 3.0, timestamp '2024-01-01' + i * 7919::bigint % 100003 * interval '1 second'
FROM generate_series(1, 100000) i;
INSERT INTO ranked_many SELECT i, 60 + i, 'rare', NULL, NULL, 'Infinity', NULL FROM generate_series(100001, 100010) i;
VACUUM (FREEZE, ANALYZE) ranked_many;
SELECT warpagg_load('ranked_many') > 0 AS loaded;
SELECT ranked_check(query), query FROM unnest(ARRAY[
    'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_disc(0.001) WITHIN GROUP (ORDER BY f), percentile_cont(0.9999) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY f) FROM ranked_many',
    'SELECT percentile_cont(ARRAY[0, 0.25, 0.5, 1]) WITHIN GROUP (ORDER BY f DESC), count(*), sum(k) FROM ranked_many WHERE f < 1e9',
    'SELECT percentile_disc(ARRAY[0, 0.25, 0.5, 1]) WITHIN GROUP (ORDER BY big), mode() WITHIN GROUP (ORDER BY big DESC) FROM ranked_many WHERE id > 10',
    'SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY big), percentile_disc(0.95) WITHIN GROUP (ORDER BY big), mode() WITHIN GROUP (ORDER BY big), count(*), max(id) FROM ranked_many GROUP BY k ORDER BY k',
    'SELECT t, percentile_cont(0.1) WITHIN GROUP (ORDER BY g), sum(k) FROM ranked_many GROUP BY t ORDER BY t',
    'SELECT id / 10, percentile_disc(0.3) WITHIN GROUP (ORDER BY d DESC) FROM ranked_many GROUP BY 1 ORDER BY 1',
    'SELECT k, t, percentile_disc(0.3) WITHIN GROUP (ORDER BY id), mode() WITHIN GROUP (ORDER BY f) FROM ranked_many GROUP BY k, t ORDER BY k, t',
    'SELECT count(DISTINCT f), count(DISTINCT id), count(DISTINCT g), count(DISTINCT t) FROM ranked_many',
    'SELECT k, count(DISTINCT f), count(*), sum(id) FROM ranked_many GROUP BY k ORDER BY 2 DESC, 1 LIMIT 5',
    'SELECT sum(DISTINCT big), avg(DISTINCT id), bit_xor(DISTINCT id % 70000), max(f) FROM ranked_many',
    'SELECT t, sum(DISTINCT id % 90), count(DISTINCT d) FROM ranked_many GROUP BY t ORDER BY 3 DESC, 1 LIMIT 5'
]) AS q (query);
-- Groups of the blocks that have changed come with the query, with texts that are new.
UPDATE ranked_many SET t = 'another', f = f + 1, big = -big WHERE id % 30000 = 7;
DELETE FROM ranked_many WHERE id = 50000;
SET work_mem = '64MB';
SELECT wa_compare(query), query FROM unnest(ARRAY[
    'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY f), max(big), sum(k) FROM ranked_many',
    'SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY big), count(DISTINCT id), count(*) FROM ranked_many GROUP BY k ORDER BY k',
    'SELECT t, count(DISTINCT f), sum(DISTINCT big), min(id), avg(k) FROM ranked_many GROUP BY t ORDER BY t',
    'SELECT f, t, count(*) FROM ranked_many GROUP BY f, t ORDER BY 3 DESC, f, t LIMIT 5',
    'SELECT big, sum(k), avg(f), count(t) FROM ranked_many GROUP BY big ORDER BY big LIMIT 4',
    'SELECT count(DISTINCT t || id), count(DISTINCT upper(t)) FROM ranked_many',
    'SELECT count(DISTINCT f) FROM ranked_many WHERE t = ''another''',
    'SELECT count(DISTINCT d), percentile_cont(0.9) WITHIN GROUP (ORDER BY g) FROM ranked_many WHERE t <> ''another'''
]) AS q (query);
-- Groups that no record holds, and too many blocks.
SELECT wa_compare('SELECT big, min(t), max(t) FROM ranked_many GROUP BY big ORDER BY big LIMIT 4');
UPDATE ranked_many SET f = f - 1 WHERE id % 300 = 1;
SELECT wa_compare('SELECT count(DISTINCT id) FROM ranked_many');
RESET work_mem;
DROP TABLE ranked_many;

-- Prepared statements, cursors, and a node that begins anew.
PREPARE ranked_before (date, float8) AS SELECT k, percentile_cont($2) WITHIN GROUP (ORDER BY small) FROM ranked_rows WHERE d < $1 GROUP BY k ORDER BY 2 DESC, 1 LIMIT 3;
EXECUTE ranked_before ('2024-01-05', 0.5);
SET plan_cache_mode = force_generic_plan;
EXECUTE ranked_before ('2024-01-05', 0.5);
EXECUTE ranked_before ('2024-01-03', 1);
EXECUTE ranked_before ('2024-01-03', NULL);
EXECUTE ranked_before ('2024-01-03', 1.5);
EXECUTE ranked_before ('-infinity', 1.5);
RESET plan_cache_mode;
BEGIN;
DECLARE ranked_cursor CURSOR FOR SELECT k, mode() WITHIN GROUP (ORDER BY c) FROM ranked_rows GROUP BY k ORDER BY k;
FETCH 2 FROM ranked_cursor;
FETCH ALL FROM ranked_cursor;
COMMIT;
SELECT ranked_check('SELECT n.k, (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.small) FROM ranked_rows r WHERE r.k = n.k) FROM ranked_names n');
SELECT ranked_check('SELECT n.k, (SELECT percentile_cont(n.k / 10.0) WITHIN GROUP (ORDER BY r.small) FROM ranked_rows r WHERE r.k = 2) FROM ranked_names n');
-- Errors are PostgreSQL's.
SELECT wa_outcome('percentile_disc(0.5) WITHIN GROUP (ORDER BY 10 / small)', 'ranked_rows');
SELECT wa_outcome('percentile_cont(-0.5) WITHIN GROUP (ORDER BY small)', 'ranked_rows');
SELECT wa_outcome('percentile_cont(1.5) WITHIN GROUP (ORDER BY small)', 'ranked_rows WHERE id < 0');
SELECT wa_outcome('percentile_disc(''NaN'') WITHIN GROUP (ORDER BY small)', 'ranked_rows');
SELECT wa_outcome('percentile_disc(ARRAY[0.1, 2]) WITHIN GROUP (ORDER BY small)', 'ranked_rows');

-- Rows are counted with nobody's right to call count.
CREATE ROLE regress_ranked_user;
GRANT SELECT ON ranked_rows TO regress_ranked_user;
REVOKE EXECUTE ON FUNCTION count() FROM PUBLIC;
SET ROLE regress_ranked_user;
SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY small) FROM ranked_rows WHERE k < 2 GROUP BY k ORDER BY k;
SELECT count(*) FROM ranked_rows;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION mode(anyelement) FROM PUBLIC;
SET ROLE regress_ranked_user;
SELECT mode() WITHIN GROUP (ORDER BY small) FROM ranked_rows;
RESET ROLE;
GRANT EXECUTE ON FUNCTION count(), mode(anyelement) TO PUBLIC;
DROP OWNED BY regress_ranked_user;
DROP ROLE regress_ranked_user;

DROP TABLE ranked_rows, ranked_names CASCADE;
DROP FUNCTION ranked_check(text);
