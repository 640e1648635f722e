-- Numerics of 19 to 38 digits in resident columns, against PostgreSQL's own plan.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET work_mem = '64MB';
\set VERBOSITY terse

CREATE TABLE resident_wide (
    k integer, t text, i bigint, w numeric(30, 10), h numeric(38, 20), n numeric(38, 0),
    m numeric, s numeric(12, 2), z numeric(38, 4));
INSERT INTO resident_wide
    SELECT x % 7, 't' || x % 11, x,
           -- more than 64 bits from the start, and both signs
           CASE WHEN x % 13 > 0 THEN (x - 15000) * 12345678901.0123456789 END,
           -- more digits after the point than 64 bits have room for
           x / 3.0::numeric(38, 20) - 5000,
           -- the largest that there are: sums have more than 128 bits
           CASE x % 3 WHEN 0 THEN 99999999999999999999999999999999999999
                WHEN 1 THEN -9999999999999999999999999999999999999 + x ELSE x END,
           -- narrow and wide extents, shown with different numbers of digits
           CASE WHEN x < 14000 OR x % 5 > 0 THEN (x % 1000)::numeric(20, 3)
                ELSE x * 1000000000000000000000.5 END,
           x / 100.0,
           CASE WHEN x > 20000 THEN NULLIF(x % 4, 0) * 100000000000000000000 END
    FROM generate_series(1, 30000) x;
VACUUM (FREEZE, ANALYZE) resident_wide;
SELECT warpagg_load('resident_wide') AS loaded;

-- Columns as they lie.
SELECT wa_compare('SELECT count(w), sum(w), avg(w), min(w), max(w) FROM resident_wide');
SELECT wa_compare('SELECT count(h), sum(h), avg(h), min(h), max(h) FROM resident_wide');
SELECT wa_compare('SELECT count(n), sum(n), avg(n), min(n), max(n) FROM resident_wide');
SELECT wa_compare('SELECT count(m), sum(m), avg(m), max(m) FROM resident_wide');
SELECT wa_compare('SELECT count(z), sum(z), avg(z), min(z), max(z) FROM resident_wide');
SELECT wa_compare('SELECT gpu_sum(w), gpu_avg(h), gpu_min(n), gpu_max(w), gpu_count(z) FROM resident_wide');

-- Grouped and filtered by other columns.
SELECT wa_compare('SELECT k, count(w), sum(w), avg(w), min(w), max(w) FROM resident_wide GROUP BY k');
SELECT wa_compare('SELECT t, sum(h), max(h), sum(n), min(n), sum(s) FROM resident_wide GROUP BY t');
SELECT wa_compare('SELECT i / 100, sum(w), max(n), avg(m), sum(z) FROM resident_wide GROUP BY 1');
SELECT wa_compare('SELECT i, sum(n), min(w) FROM resident_wide WHERE k = 3 GROUP BY i');
SELECT wa_compare($$SELECT sum(w), avg(n), max(h), sum(m) FROM resident_wide WHERE t = 't3' AND i < 20000$$);
SELECT wa_compare($$SELECT k, sum(n), min(w) FILTER (WHERE s > 100), count(*) FROM resident_wide WHERE i % 3 = 0 GROUP BY k$$);
SELECT wa_compare('SELECT sum(n), min(n), avg(n) FROM resident_wide WHERE i < 0');

-- IS NULL, comparisons, and as keys of groups.
SELECT wa_compare('SELECT count(*), sum(i) FROM resident_wide WHERE w IS NULL AND z IS NOT NULL');
SELECT wa_compare('SELECT count(*), sum(w) FROM resident_wide WHERE w > 1000000 AND h < 1.5 AND n <> 7');
SELECT wa_compare('SELECT count(*), sum(w), min(n) FROM resident_wide WHERE n > w OR m <= h');
SELECT wa_compare('SELECT z, count(*), sum(i), sum(w) FROM resident_wide GROUP BY z');
SELECT wa_compare('SELECT h, n, count(*) FROM resident_wide WHERE k < 2 GROUP BY h, n');
SELECT wa_compare('SELECT w, sum(i) FROM resident_wide GROUP BY w ORDER BY sum(n) DESC, w LIMIT 20');

-- What is computed from them comes from memory, too.
SELECT wa_compare('SELECT sum(w + 1), sum(w * 2), sum(-n), sum(abs(h)) FROM resident_wide');
SELECT wa_compare('SELECT k, variance(w), stddev(h), variance(s) FROM resident_wide GROUP BY k');
SELECT wa_compare('SELECT min(m), k FROM resident_wide GROUP BY k');

-- With constants of up to 38 digits, whatever zeros they end with.
SELECT wa_compare('SELECT count(*), sum(w) FROM resident_wide WHERE n > 12345678901234567890');
SELECT wa_compare('SELECT count(*), min(n) FROM resident_wide WHERE n BETWEEN -9999999999999999999999999999999999990 AND 99999999999999999999999999999999999999');
SELECT wa_compare('SELECT count(*), sum(i) FROM resident_wide WHERE n <> 99999999999999999999999999999999999999');
SELECT wa_compare('SELECT sum(s + 123456789012345678901234567890.5), min(s - 0.0000000000000000000000000001) FROM resident_wide');
SELECT wa_compare('SELECT s + 0.0000000000000000000000, max(s * 1.00000000000000000000), sum(z + 100000000000000000000000000000000.0000) FROM resident_wide WHERE i < 300 GROUP BY 1');
SELECT wa_compare('SELECT k, sum(CASE WHEN h > 0.12345678901234567891 THEN h ELSE 70000000000000000.00000000000000000007 END) FROM resident_wide GROUP BY k');
SELECT wa_compare('SELECT COALESCE(w, -98765432109876543210.0123456789), count(*) FROM resident_wide WHERE i % 100 = 0 GROUP BY 1');
SELECT wa_compare('SELECT count(*) FILTER (WHERE z = 200000000000000000000.00), count(*) FILTER (WHERE z IN (100000000000000000000, 300000000000000000000)) FROM resident_wide');
SELECT wa_compare('SELECT sum(w / 123456789012345678901234567890), max(w % 10000000000000000000000) FROM resident_wide WHERE i <> 15000');
SELECT wa_compare('SELECT sum(i + (SELECT max(n) FROM resident_wide WHERE i < 2)) FROM resident_wide');
-- Products and sums of more than 38 digits, and longer constants, are PostgreSQL's.
SELECT wa_compare('SELECT sum(n * 12345678901234567890) FROM resident_wide');
SELECT wa_compare('SELECT count(*) FROM resident_wide WHERE n < 123456789012345678901234567890123456789012345');

-- Squares of up to 76 digits.
SELECT wa_compare('SELECT variance(n), stddev(w), var_pop(h), stddev_pop(m), variance(z) FROM resident_wide');
SELECT wa_compare('SELECT t, variance(n), stddev(m), var_samp(w) FILTER (WHERE i > 50), stddev(n - 1) FROM resident_wide GROUP BY t');
SELECT wa_compare('SELECT i, variance(n), stddev_pop(w) FROM resident_wide WHERE k = 3 GROUP BY i');
SELECT wa_compare('SELECT variance(w * 3), stddev(w - h), sum(w * 3) FROM resident_wide');

-- The first groups by what has more than 64 bits.
SELECT wa_compare('SELECT i / 2, sum(w), sum(n) FROM resident_wide GROUP BY 1 ORDER BY sum(w) DESC NULLS LAST, 1 LIMIT 10');
SELECT wa_compare('SELECT i / 2, sum(n), max(w) FROM resident_wide GROUP BY 1 ORDER BY sum(n), 1 DESC LIMIT 10 OFFSET 3');
SELECT wa_compare('SELECT i / 2, max(h), min(n) FROM resident_wide GROUP BY 1 ORDER BY min(n), max(h) DESC LIMIT 10');
SELECT wa_compare('SELECT w, count(*) FROM resident_wide GROUP BY w ORDER BY w DESC LIMIT 10');

DROP TABLE resident_wide;

-- A value that no column can hold takes its block from queries over its column, and
-- from no others, whatever was loaded together.
CREATE TABLE resident_odd (
    id integer, n numeric, m numeric(30, 2), t text, b boolean);
ALTER TABLE resident_odd ALTER COLUMN t SET STORAGE EXTERNAL;
INSERT INTO resident_odd
    SELECT x, CASE x WHEN 5000 THEN 'NaN' WHEN 9000 THEN 'Infinity' WHEN 15000 THEN '-Infinity'
                WHEN 20000 THEN 1e40 ELSE x / 4.0 END,
           CASE WHEN x % 4 > 0 THEN x * 10000000000000000000.25 END,
           CASE x WHEN 700 THEN repeat('long ', 2000) WHEN 200 THEN NULL ELSE 't' || x % 5 END,
           x % 2 = 0
    FROM generate_series(1, 30000) x;
VACUUM (FREEZE, ANALYZE) resident_odd;
SELECT warpagg_load('resident_odd') AS loaded;
SELECT column_name, blocks = pg_relation_size('resident_odd') / 8192 AS has_all_blocks,
    pg_relation_size('resident_odd') / 8192 - blocks AS odd_blocks
    FROM warpagg_resident WHERE relation = 'resident_odd'::regclass ORDER BY 1;
SELECT wa_compare('SELECT count(*), sum(id), sum(m), min(m), max(m) FROM resident_odd WHERE b');
SELECT wa_compare('SELECT id % 10, avg(m), count(m) FROM resident_odd GROUP BY 1');
SELECT wa_compare('SELECT sum(n), count(n), max(n) FROM resident_odd');
SELECT wa_compare('SELECT sum(n), min(n), max(n) FROM resident_odd WHERE id < 1000');
SELECT wa_compare('SELECT t, count(*), sum(m) FROM resident_odd GROUP BY t');
SELECT wa_compare('SELECT t, sum(n), sum(m) FROM resident_odd WHERE b GROUP BY t');
SELECT wa_compare('SELECT count(*) FROM resident_odd WHERE n IS NULL OR t IS NULL');
-- A column that is loaded later has what it can; others do not change.
SELECT warpagg_unload('resident_odd', '{n}');
SELECT warpagg_load('resident_odd', '{n}') AS loaded;
SELECT wa_compare('SELECT count(*), sum(id), sum(m) FROM resident_odd');
SELECT wa_compare('SELECT count(n), sum(id), max(n) FROM resident_odd');
SELECT warpagg_load('resident_odd') AS loaded_again;
DROP TABLE resident_odd;
