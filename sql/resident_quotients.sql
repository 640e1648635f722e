-- Quotients, remainders and what else has up to 38 digits, of resident columns,
-- against PostgreSQL's own plan; where there is a GPU it computes them.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET work_mem = '64MB';
\set VERBOSITY terse

CREATE TABLE resident_quotients (
    k integer, i bigint, a numeric(12, 2), b numeric(10, 3), m numeric, w numeric(30, 10),
    o numeric(12, 2), tiny numeric(18, 16));
INSERT INTO resident_quotients
    SELECT x % 7, x, (x - 9000) * 1.37, 0.001 + x % 911,
           -- shown with different numbers of digits
           CASE x % 4 WHEN 0 THEN x WHEN 1 THEN x * 0.5 WHEN 2 THEN -x * 0.0625 END,
           CASE WHEN x % 13 > 0 THEN (x - 15000) * 12345678901.0123456789 END,
           -- 0 in the last rows alone
           CASE WHEN x > 19900 THEN 0 ELSE x % 50 + 1 END,
           x * 0.0000000000000123
    FROM generate_series(1, 20000) x;
VACUUM (FREEZE, ANALYZE) resident_quotients;
SELECT warpagg_load('resident_quotients') AS loaded;
CREATE TABLE resident_epochs (k integer, ms bigint, n numeric, v numeric, l numeric(18, 3));
INSERT INTO resident_epochs
    SELECT x % 5, 1700000000123 + x * 471100::bigint, 1700000000123.5 + x * 86399.25,
           -- of some, quotients are at a whole number or next to it
           CASE x % 3 WHEN 0 THEN 300 * x WHEN 1 THEN 300.0 * x - 0.0000000000000000001
                WHEN 2 THEN -x * 1000000000000.1 END,
           -- beyond what doubles have room for, and between two of them
           9007199254740.993 + x * 31
    FROM generate_series(1, 15000) x;
VACUUM (FREEZE, ANALYZE) resident_epochs;
SELECT warpagg_load('resident_epochs') AS loaded;

-- Quotients of 16, 20, 24 and more digits after the point.
SELECT wa_compare('SELECT sum(a / b), avg(a / b), count(a / b) FROM resident_quotients');
SELECT wa_compare('SELECT sum(a / 7), sum(a / 0.00003), sum(7 / b) FROM resident_quotients');
SELECT wa_compare('SELECT sum(m / b), avg(b / w), sum(w / a) FROM resident_quotients WHERE a <> 0 AND w <> 0');
SELECT wa_compare('SELECT sum(tiny / 1000000), sum(tiny / b) FROM resident_quotients');
SELECT wa_compare('SELECT k, sum(a / b), avg(w / 3), count(*) FROM resident_quotients GROUP BY k');
SELECT wa_compare('SELECT i / 100, sum(a / b) FROM resident_quotients WHERE a / b > 10 GROUP BY 1');
SELECT wa_compare('SELECT sum(a / b * 3 - m / 7) FROM resident_quotients');
SELECT wa_compare('SELECT sum(round(a / b, 2)), max(round(w / a, 5)), min(floor(w / b)) FROM resident_quotients WHERE a <> 0');
SELECT wa_compare('SELECT max((w / 3)::float8), min((w * b)::float8), sum((a * b)::bigint) FROM resident_quotients');

-- Rows whose divisor is 0 are PostgreSQL's business, where they are reached at all.
SELECT wa_compare('SELECT sum(a / o) FROM resident_quotients WHERE o <> 0');
SELECT wa_compare('SELECT sum(CASE WHEN o <> 0 THEN a / o END) FROM resident_quotients');
SELECT wa_compare('SELECT sum(a / o), sum(a % o) FROM resident_quotients');

-- Remainders and whole quotients, also as keys.
SELECT wa_compare('SELECT sum(a % b), sum(div(a, b)), sum(w % b), max(div(w, b)) FROM resident_quotients');
SELECT wa_compare('SELECT a % 5, count(*), sum(div(w, 1000)) FROM resident_quotients GROUP BY 1');
SELECT wa_compare('SELECT div(a, 1000), sum(a / b), min(a) FROM resident_quotients GROUP BY 1');
SELECT wa_compare('SELECT m % 3, sum(i) FROM resident_quotients GROUP BY 1');
SELECT wa_compare('SELECT a / 4, count(*) FROM resident_quotients WHERE i < 3000 GROUP BY 1');

-- What has more than 64 bits on the way, or in the end.
SELECT wa_compare('SELECT sum(w * a), sum(w + m), sum(abs(w) - b), max(-w) FROM resident_quotients');
SELECT wa_compare('SELECT sum(a * a * b * b * a), max(a * a * a * a) FROM resident_quotients');
SELECT wa_compare('SELECT k, sum(w), min(w * 1.5), max(w) FILTER (WHERE w > m) FROM resident_quotients GROUP BY k');
SELECT wa_compare('SELECT count(*), sum(i) FROM resident_quotients WHERE w BETWEEN -5000000000000.5 AND m * 1000000000');
SELECT wa_compare('SELECT sum(CASE WHEN w > 0 THEN w ELSE m END), sum(round(w, -3)) FROM resident_quotients');
SELECT wa_compare('SELECT variance(a / 7), stddev(div(w, 1000000)) FROM resident_quotients');

-- Whole quotients, rounded in every way, of numbers of any size and either sign.
SELECT wa_compare('SELECT floor(w / 300), count(*), min(ceil(w / 300)), max(round(w / 300)), min(trunc(w / 300)) FROM resident_quotients WHERE i % 50 = 0 GROUP BY 1');
SELECT wa_compare('SELECT sum(floor(m / 300)), sum(floor(m * 1000000000000000000 / 7)), sum(floor(m / -0.07)), min(floor(w / 0.0001)) FROM resident_quotients');
SELECT wa_compare('SELECT floor(v / 300), count(*), sum(ceil(v / 7)), sum(round(v / 7, 3)), sum(trunc(v / 7)) FROM resident_epochs WHERE k < 2 GROUP BY 1');
SELECT wa_compare('SELECT sum(floor(v / 99999999999)), sum(floor(v / 0.3)), sum(floor(v / 12345678901234567890)) FROM resident_epochs');

-- Numbers of many digits as floats, and times from milliseconds.
SELECT wa_compare('SELECT max((ms / 1000.0)::float8), max((n / 1000.0)::float8), min((n / 7)::float4) FROM resident_epochs');
SELECT wa_compare('SELECT min(f), max(f), sum(f::bigint) FROM (SELECT n::float8 AS f FROM resident_epochs) q');
SELECT wa_compare('SELECT l::float8, l::float4, count(*) FROM resident_epochs GROUP BY 1, 2');
SELECT wa_compare($$SELECT date_trunc('day', to_timestamp(ms / 1000.0)), count(*) FROM resident_epochs GROUP BY 1$$);
SELECT wa_compare('SELECT min(to_timestamp(ms / 1000.0)), max(to_timestamp(n / 1000)), count(to_timestamp(ms / 1000.0)) FROM resident_epochs');


-- The smallest and the largest of what shows different numbers of digits.
SELECT wa_compare('SELECT min(a / b), max(a / b), count(*) FROM resident_quotients');
SELECT wa_compare('SELECT k, min(a / b), max(b / 7), sum(m / b) FROM resident_quotients GROUP BY k');
SELECT wa_compare('SELECT i / 100, min(tiny / 1000000), max(w / b), min(m) FROM resident_quotients GROUP BY 1');
SELECT wa_compare('SELECT k, min(m), max(m + a), max(m) FILTER (WHERE i > 7) FROM resident_quotients GROUP BY k');
SELECT wa_compare('SELECT min(m / o), max(w / o) FROM resident_quotients WHERE o <> 0 AND i % 3 = 0');
-- Where equal ones look different the order of rows tells.
SELECT wa_compare('SELECT min(m * 0), max(a) FROM resident_quotients');
SELECT wa_compare('SELECT k, max(CASE WHEN i % 2 = 0 THEN 99999999.50 ELSE m / 7 END) FROM resident_quotients GROUP BY k');
SELECT wa_compare('SELECT k, max(CASE i % 3 WHEN 0 THEN 99999999.50 WHEN 1 THEN 99999999.500 ELSE m / 7 END) FROM resident_quotients GROUP BY k');
SELECT wa_compare('SELECT (m + i) * 0 / b, count(*) FROM resident_quotients GROUP BY 1');

-- GROUP BY quotients, and what has more than 64 bits.
SELECT wa_compare('SELECT a / b, count(*), sum(i) FROM resident_quotients GROUP BY 1');
SELECT wa_compare('SELECT b / 3, max(a / 7), sum(w) FROM resident_quotients GROUP BY 1');
SELECT wa_compare('SELECT w * 1000, w % 1000, count(*) FROM resident_quotients WHERE i % 3 > 0 GROUP BY 1, 2');
SELECT wa_compare('SELECT div(w, 1000000) * 1000000, min(a / b), sum(i) FROM resident_quotients GROUP BY 1');
SELECT wa_compare('SELECT m / 4, b, count(*) FROM resident_quotients WHERE i > 15000 GROUP BY 1, 2');

-- Their first groups.
SELECT wa_compare('SELECT i, sum(w * a) FROM resident_quotients GROUP BY i ORDER BY 2 DESC NULLS LAST, 1 LIMIT 10');
SELECT wa_compare('SELECT i, min(a / b) FROM resident_quotients GROUP BY i ORDER BY 2, 1 LIMIT 10');
SELECT wa_compare('SELECT w * 3, count(*) FROM resident_quotients GROUP BY 1 ORDER BY 1 LIMIT 10');

DROP TABLE resident_quotients, resident_epochs;
