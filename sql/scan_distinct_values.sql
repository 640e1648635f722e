--
-- Aggregates that take each value once: with DISTINCT.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;

CREATE TABLE values_rows (id integer PRIMARY KEY, k integer, small smallint, t text COLLATE "C", c char(8), n numeric, f float8, b boolean, d date, ts timestamptz, r int4range, big bigint)
    WITH (autovacuum_enabled = off);
INSERT INTO values_rows SELECT i, i % 7, nullif(i % 300, 1), CASE WHEN i % 11 > 0 THEN 'text ' || i % 1300 END, chr(97 + i % 5) || repeat(' ', i % 3), (i % 400)::numeric / 2 + (i % 2 * 0.00)::numeric(5, 2), CASE i % 50 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN -0.0 ELSE i % 20 END, i % 6 > 2,
    date '2024-01-01' + i % 300, timestamptz '2024-01-01 12:00' + i % 4000 * interval '1 hour', int4range(i % 3, 9), (i % 1000)::bigint * 9007199254740993
FROM generate_series(1, 20000) i;
INSERT INTO values_rows VALUES (20001, 8, NULL, NULL, NULL, 'NaN', 'Infinity', NULL, 'infinity', '-infinity', 'empty', NULL), (20002, 9, 5, 'x', 'x', 1e40, 1, true, '-infinity', 'infinity', NULL, -9223372036854775808);
CREATE TABLE values_names (k integer PRIMARY KEY, name text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO values_names SELECT i, 'name ' || i % 4 FROM generate_series(0, 5) i;
VACUUM (FREEZE, ANALYZE) values_rows;
VACUUM (FREEZE, ANALYZE) values_names;

-- Whether a query has the rows of PostgreSQL's plan, and whether the node computes them, of
-- resident rows or of the heap's.
CREATE FUNCTION values_check(query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(wa_compare_order(query), 'same values', 'same')
$$;

CREATE VIEW values_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT count(DISTINCT k) FROM values_rows',
    'SELECT count(DISTINCT big), sum(DISTINCT big), avg(DISTINCT big), min(DISTINCT big), max(DISTINCT big) FROM values_rows',
    'SELECT count(DISTINCT t), min(DISTINCT t), max(DISTINCT t) FROM values_rows',
    'SELECT count(DISTINCT c) FROM values_rows',
    'SELECT count(DISTINCT n), sum(DISTINCT n), avg(DISTINCT n), stddev(DISTINCT n) FROM values_rows WHERE n < 1e30',
    'SELECT count(DISTINCT n), sum(DISTINCT n) FROM values_rows',
    'SELECT count(DISTINCT f), count(f), max(f) FROM values_rows',
    'SELECT sum(DISTINCT f), avg(DISTINCT f) FROM values_rows WHERE f < 100',
    'SELECT count(DISTINCT b), count(DISTINCT b) + 1, sum(k), avg(n), count(*) FROM values_rows WHERE n < 1e30',
    'SELECT count(DISTINCT ts), min(ts), max(d) FROM values_rows',
    'SELECT variance(DISTINCT small), sum(DISTINCT small), sum(small), avg(small), count(small) FROM values_rows',
    'SELECT k, count(DISTINCT t) FROM values_rows GROUP BY k',
    'SELECT k, b, count(DISTINCT small), sum(DISTINCT small), sum(small), avg(f), min(t), stddev(k) FROM values_rows GROUP BY b, k',
    'SELECT t, count(DISTINCT k) FROM values_rows GROUP BY t',
    'SELECT n, count(DISTINCT k), sum(id) FROM values_rows GROUP BY n',
    'SELECT k, count(DISTINCT k), sum(DISTINCT k) FROM values_rows GROUP BY k',
    'SELECT date_trunc(''month'', ts), count(DISTINCT small) FROM values_rows GROUP BY 1 ORDER BY 1',
    'SELECT k, count(DISTINCT small) FILTER (WHERE b), count(*) FROM values_rows GROUP BY k',
    'SELECT k, count(DISTINCT small) FILTER (WHERE b), sum(DISTINCT small) FILTER (WHERE b), count(*) FILTER (WHERE NOT b) FROM values_rows GROUP BY k',
    'SELECT count(DISTINCT 10 / small) FILTER (WHERE small <> 0) FROM values_rows',
    'SELECT count(DISTINCT upper(t) || k) FROM values_rows',
    'SELECT count(DISTINCT small + 1), sum(DISTINCT small + 1), sum(small + 2) FROM values_rows',
    'SELECT k, count(DISTINCT t) FROM values_rows GROUP BY k HAVING count(DISTINCT t) > 1000 AND sum(small) > 0',
    'SELECT k, count(DISTINCT t) FROM values_rows GROUP BY k ORDER BY count(DISTINCT t) DESC, k LIMIT 3',
    'SELECT t, count(DISTINCT small) AS c FROM values_rows GROUP BY t ORDER BY c DESC, t LIMIT 5 OFFSET 1',
    'SELECT count(DISTINCT k) FROM values_rows WHERE id < 0',
    'SELECT k, count(DISTINCT k) FROM values_rows WHERE id < 0 GROUP BY k',
    'SELECT count(DISTINCT k) FROM values_rows WHERE 1 > (SELECT max(k) FROM values_names)',
    'SELECT gpu_count(DISTINCT small), gpu_sum(DISTINCT small), gpu_avg(DISTINCT n), gpu_sum(k) FROM values_rows',
    'SELECT count(DISTINCT small ORDER BY small DESC) FROM values_rows',
    'SELECT n.name, count(DISTINCT r.small), sum(r.id) FROM values_rows r JOIN values_names n ON n.k = r.k GROUP BY n.name',
    'SELECT r.b, count(DISTINCT n.name) FROM values_rows r LEFT JOIN values_names n ON n.k = r.k GROUP BY r.b',
    'SELECT n.k, n.name, count(DISTINCT r.small) FROM values_rows r JOIN values_names n ON n.k = r.k GROUP BY n.k ORDER BY 3 DESC, 1 LIMIT 2',
    'SELECT count(DISTINCT k), count(DISTINCT t), count(DISTINCT n), sum(DISTINCT small), avg(DISTINCT small), count(*) FROM values_rows',
    'SELECT b, count(DISTINCT k), sum(DISTINCT small) FILTER (WHERE k > 2), count(DISTINCT small) FILTER (WHERE k < 2), count(DISTINCT small), max(t), sum(f) FROM values_rows WHERE f < 100 GROUP BY b',
    'SELECT t, count(DISTINCT k) AS c, count(DISTINCT small) AS d FROM values_rows GROUP BY t ORDER BY d DESC, c, t LIMIT 7',
    'SELECT count(DISTINCT k), count(DISTINCT t) FROM values_rows WHERE id < 0',
    'SELECT count(DISTINCT k), count(DISTINCT t) FROM values_rows WHERE 1 > (SELECT max(k) FROM values_names)',
    'SELECT k, count(DISTINCT id), sum(id), count(*), max(t) FROM values_rows GROUP BY k ORDER BY 2 DESC, 1 LIMIT 3',
    'SELECT count(DISTINCT id), sum(DISTINCT id), sum(id), avg(k), stddev(small) FROM values_rows WHERE k < 6',
    'SELECT k, bool_and(DISTINCT b), bit_and(DISTINCT small), bit_or(DISTINCT small), bit_xor(DISTINCT small), count(DISTINCT small) FROM values_rows GROUP BY k',
    'SELECT max(c) FROM (SELECT k, count(DISTINCT t) AS c FROM values_rows GROUP BY k) AS inside'
]) AS q (query);
SELECT values_check(query), query FROM values_queries;
SELECT warpagg_load('values_rows') > 0 AS loaded;
SELECT values_check(query), query FROM values_queries;
-- Other aggregates are computed apart where that takes few groups.
EXPLAIN (COSTS OFF) SELECT k, count(DISTINCT id), sum(id), count(*) FROM values_rows GROUP BY k;
UPDATE values_rows SET k = 100, t = 'another', small = 5000 WHERE id IN (7, 15000);
DELETE FROM values_rows WHERE id = 8;
SELECT values_check(query), query FROM values_queries WHERE query ~ 'GROUP BY';

-- What is left to PostgreSQL.
SELECT values_check('SELECT count(DISTINCT r) FROM values_rows');
SELECT values_check('SELECT string_agg(DISTINCT t, '','') FROM values_rows');
SELECT values_check('SELECT count(DISTINCT (k, b)) FROM values_rows');
SELECT values_check('SELECT bit_xor(DISTINCT small), sum(DISTINCT small) FROM values_rows');
SELECT values_check('SELECT count(DISTINCT r.t), count(DISTINCT n.name) FROM values_rows r JOIN values_names n ON n.k = r.k');
SELECT values_check('SELECT count(DISTINCT k + random()) FILTER (WHERE false) FROM values_rows');

-- The plan.
EXPLAIN (COSTS OFF) SELECT b, count(DISTINCT k) FILTER (WHERE small > 3), sum(small) FROM values_rows GROUP BY b HAVING count(DISTINCT k) > 2;
-- Few groups beside the memory: those that are rolled up, and those that are returned.
SET warpagg.debug_spill_groups = 100;
SELECT values_check(query), query FROM values_queries WHERE query ~ 'GROUP BY';
SET warpagg.enable_resident = off;
SELECT values_check('SELECT id / 4, count(DISTINCT t), sum(n) FROM values_rows WHERE n < 1e30 GROUP BY 1');
SELECT values_check('SELECT t, n, count(DISTINCT k), min(t), avg(f) FROM values_rows GROUP BY t, n');
RESET warpagg.enable_resident;
RESET warpagg.debug_spill_groups;
-- Several processes, which spill or do not.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SET warpagg.enable_resident = off;
SELECT values_check(query), query FROM values_queries WHERE query ~ 'GROUP BY [kt]';
SET warpagg.debug_spill_groups = 100;
SELECT values_check(query), query FROM values_queries WHERE query ~ 'GROUP BY [kt]';
RESET warpagg.debug_spill_groups;
RESET warpagg.enable_resident;
SET max_parallel_workers_per_gather = 0;

-- Prepared statements, cursors, and a node that begins anew.
PREPARE values_before (date, integer) AS SELECT k, count(DISTINCT small) FILTER (WHERE small > $2) FROM values_rows WHERE d < $1 GROUP BY k ORDER BY 2 DESC, 1 LIMIT 3;
EXECUTE values_before ('2024-01-05', 0);
SET plan_cache_mode = force_generic_plan;
EXECUTE values_before ('2024-01-03', 100);
RESET plan_cache_mode;
BEGIN;
DECLARE values_cursor CURSOR FOR SELECT k, count(DISTINCT t) FROM values_rows GROUP BY k ORDER BY k;
FETCH 2 FROM values_cursor;
FETCH ALL FROM values_cursor;
COMMIT;
SELECT values_check('SELECT n.k, (SELECT count(DISTINCT r.small) FROM values_rows r WHERE r.k = n.k) FROM values_names n');
SELECT values_check('SELECT n.k, (SELECT count(DISTINCT r.small) + count(DISTINCT r.t) FROM values_rows r WHERE r.k = n.k) FROM values_names n');
-- Errors are PostgreSQL's.
SELECT wa_outcome('count(DISTINCT 10 / small)', 'values_rows');
SELECT wa_outcome('sum(DISTINCT big * 4)', 'values_rows');
-- A function that the user may not call, and rows that a user may not see.
CREATE ROLE regress_values_user;
GRANT SELECT ON values_rows TO regress_values_user;
REVOKE EXECUTE ON FUNCTION count("any") FROM PUBLIC;
SET ROLE regress_values_user;
SELECT count(DISTINCT k) FROM values_rows;
RESET ROLE;
GRANT EXECUTE ON FUNCTION count("any") TO PUBLIC;
ALTER TABLE values_rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY values_few ON values_rows USING (k < 3);
SET ROLE regress_values_user;
SELECT count(DISTINCT k), sum(DISTINCT k) FROM values_rows;
RESET ROLE;
DROP OWNED BY regress_values_user;
DROP ROLE regress_values_user;

DROP TABLE values_rows, values_names CASCADE;
DROP FUNCTION values_check(text);
