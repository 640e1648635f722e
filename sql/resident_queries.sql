-- Queries over resident columns against PostgreSQL's own plan.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
\set VERBOSITY terse

CREATE TABLE resident_rows (
    k smallint, i integer, v bigint, n numeric(12, 2), w numeric(30, 2),
    f double precision, b boolean, t text, c character(4), d date, s text);
INSERT INTO resident_rows
    SELECT x % 50, x - 20000, (x::bigint << 30) - 7, x / 100.0,
           CASE x % 4001 WHEN 1 THEN 123456789012 ELSE x % 100 END,
           CASE x % 997 WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' ELSE x / 8.0 END,
           x % 3 = 0, 'text ' || x % 20, x % 9 || repeat(' ', x % 2),
           date '2024-01-01' + x % 700, CASE WHEN x % 11 > 0 THEN 's' || x % 7 END
    FROM generate_series(1, 40000) x;
UPDATE resident_rows SET k = NULL, i = NULL, n = NULL, f = NULL, b = NULL
    WHERE v % 5 = 0;
VACUUM (FREEZE, ANALYZE) resident_rows;
SELECT warpagg_load('resident_rows') > 0 AS loaded;

-- What differs is noticed.
SELECT wa_compare('SELECT current_setting(''warpagg.enable_resident'')'),
       wa_compare('SELECT current_setting(''warpagg.enable_scan'') > current_setting(''warpagg.enable_resident'')'),
       wa_compare('SELECT 1 / CASE current_setting(''warpagg.enable_scan'') WHEN ''on'' THEN 0 ELSE 1 END');

-- Columns as they lie.
SELECT wa_compare('SELECT count(*), count(k), count(t), count(s), count(b) FROM resident_rows');
SELECT wa_compare('SELECT sum(i), min(i), max(i), variance(i), avg(k) FROM resident_rows');
SELECT wa_compare('SELECT sum(v), min(v), max(v), variance(v) FROM resident_rows');
SELECT wa_compare('SELECT sum(n), min(n), max(w), stddev(n), avg(w) FROM resident_rows');
SELECT wa_compare('SELECT min(f), max(f), count(f), min(d), max(d) FROM resident_rows');

-- Rows are counted as read, wherever they come from.
CREATE FUNCTION pg_temp.counted(resident text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint[] := ARRAY[pg_stat_get_xact_numscans('resident_rows'::regclass),
                             pg_stat_get_xact_tuples_returned('resident_rows'::regclass)];
BEGIN
    PERFORM set_config('warpagg.enable_resident', resident, true);
    EXECUTE query;
    RETURN format('%s scan, %s rows', pg_stat_get_xact_numscans('resident_rows'::regclass) - before[1],
                  pg_stat_get_xact_tuples_returned('resident_rows'::regclass) - before[2]);
END $$;
SELECT pg_temp.counted('off', q) AS heap, pg_temp.counted('on', q) AS resident
FROM unnest(ARRAY[
    'SELECT sum(v), count(i) FROM resident_rows',
    'SELECT count(*) FROM resident_rows',
    'SELECT sum(v) FROM resident_rows WHERE v < -100',
    'SELECT t || c, sum(v) FROM resident_rows GROUP BY 1'
]) q;

-- Clauses, some of which keep all rows or none.
SELECT wa_compare('SELECT count(*), sum(v), sum(n) FROM resident_rows WHERE k < 20 AND i > 5');
SELECT wa_compare('SELECT count(*), sum(v) FROM resident_rows WHERE v > -100 AND b');
SELECT wa_compare('SELECT count(*), sum(v) FROM resident_rows WHERE f > 1e9 OR s IS NULL');
SELECT wa_compare('SELECT count(*), sum(v) FROM resident_rows WHERE v < -100');
SELECT wa_compare($$SELECT count(*), sum(i) FROM resident_rows WHERE t = 'text 7' OR s <> 's3'$$);
SELECT wa_compare($$SELECT sum(i) FILTER (WHERE t = 'text 1'), sum(v) FILTER (WHERE s = 's1') FROM resident_rows$$);

-- Few groups, many groups, and keys of several kinds.
SELECT wa_compare('SELECT k, count(*), sum(i), sum(n), avg(v), max(f) FROM resident_rows GROUP BY k');
SELECT wa_compare('SELECT t, s, count(*), sum(v), count(s) FROM resident_rows GROUP BY t, s');
SELECT wa_compare('SELECT c, b, sum(v), sum(w) FROM resident_rows GROUP BY c, b');
SELECT wa_compare('SELECT b, count(*), sum(i), count(*) FILTER (WHERE NOT b) FROM resident_rows WHERE b IS NOT FALSE OR k > 3 GROUP BY b');
SELECT wa_compare('SELECT i < 0 AND b, b OR k = 7, count(*), count(b) FROM resident_rows GROUP BY 1, 2');
SELECT wa_compare('SELECT i, sum(v), count(*) FROM resident_rows GROUP BY i');
SELECT wa_compare('SELECT f, n, sum(v) FROM resident_rows GROUP BY f, n');
SELECT wa_compare('SELECT s, sum(n) FROM resident_rows WHERE k IN (1, 5, 30) GROUP BY s');

-- What is told from a sum, the smallest and the largest value.
SELECT wa_compare('SELECT sum(k), sum(k + 1), sum(k + 89), avg(5 - k), min(-i), max(i + 7), sum(v - 3), count(v + 1) FROM resident_rows');
SELECT wa_compare('SELECT t, sum(k + 1), sum(9 - i) FILTER (WHERE b), max(v - 3) FROM resident_rows WHERE i > 5 GROUP BY t');
SELECT wa_compare('SELECT * FROM (VALUES (1), (-2)) o (x), LATERAL (SELECT sum(i + o.x), min(v - o.x) FROM resident_rows) l');

-- Products that have no room in a vector: their blocks are read otherwise.
SELECT wa_compare('SELECT sum(w * w * w), count(*) FROM resident_rows');
SELECT wa_compare('SELECT k, sum(w * w * n) FROM resident_rows GROUP BY k');

-- Where PostgreSQL raises an error so do we.
SELECT wa_compare('SELECT sum(v * v) FROM resident_rows');
SELECT wa_compare('SELECT t, sum(i + 2147483640) FROM resident_rows GROUP BY t');

DROP TABLE resident_rows;
