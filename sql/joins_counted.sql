-- Joins to tables that have several rows for one: they are counted, by a subquery that groups
-- them, where that is the same to the letter, against PostgreSQL's own plan.
LOAD 'warpagg';
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET warpagg.explain_refusals = explain;
SET max_parallel_workers_per_gather = 0;
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 10;
-- From 19 on PostgreSQL may aggregate before it joins; the node is to join first.
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
\set VERBOSITY terse

-- Facts and rows of which several have a key; each has keys that the other has not, and NULL.
CREATE TABLE counted_facts (
    id integer, k integer, k2 smallint, big bigint, g integer, i2 smallint, i4 integer, i8 bigint, n numeric,
    f double precision, m money, s text COLLATE "C", w text COLLATE "C", c char(6), day date, dim integer) WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO counted_facts
    SELECT i, NULLIF(i % 40 - 3, 7), NULLIF(i % 9, 4), i % 40 * 3000000000, i % 5, NULLIF(i % 11, 3) - 5, NULLIF(i % 101, 50) * 20000000,
           (i % 7 - 3) * 1200000000000000000, (ARRAY['1', '1.0', '-2.500', NULL, '12345678901234567890.12', '0.00'])[1 + i % 6]::numeric,
           i / 8.0, i % 13, 's' || i % 17, 'w' || i % 23, 'c' || i % 23, date '2024-01-01' + i % 60, i % 6
    FROM generate_series(1, 3000) i;
CREATE TABLE counted_many (
    k integer, k2 smallint, big bigint, z2 smallint, z4 integer, z8 bigint, zn numeric, zf double precision, zm money,
    zv interval, zt text COLLATE "C", zd date, zb boolean, za integer[], w text COLLATE "C", c char(6), day date) WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO counted_many
    SELECT NULLIF(i % 60 - 10, 5), NULLIF(i % 12, 2), i % 50 * 3000000000, NULLIF(i % 9, 4) - 3, NULLIF(i % 77, 5) * 27000000, (i % 9 - 4) * 1000000000000000000,
           (ARRAY['3', '3.10', NULL, '-0.00001', '98765432109876543210'])[1 + i % 5]::numeric,
           (ARRAY['NaN', '-0', '0', '0.5', '1e300', NULL])[1 + i % 6]::float8, i % 8, i * interval '1 hour', NULLIF('t' || i % 31, 't3'),
           NULLIF(date '2024-01-01' + i % 90, '2024-02-02'), NULLIF(i % 3, 2) = 1, ARRAY[i % 3, NULL], NULLIF('w' || i % 30, 'w5'), 'c' || i % 30, date '2024-01-20' + i % 70
    FROM generate_series(1, 600) i;
-- A key with other numbers than those of before, without facts, and one whose numbers are special.
CREATE TABLE counted_special (k integer, x numeric, i8 bigint, i4 integer);
INSERT INTO counted_special VALUES (1, 'NaN', 1, 1), (1, '1', NULL, 2), (2, 'Infinity', 9223372036854775807, 2147483647), (2, '-1.5', 9223372036854775807, 2147483647),
    (3, 'Infinity', -9223372036854775808, NULL), (3, '-Infinity', -1, NULL), (4, NULL, NULL, NULL), (4, NULL, NULL, NULL), (99, '1e300', 5, 5);
CREATE TABLE counted_dims (id integer PRIMARY KEY, name text COLLATE "C", x integer);
INSERT INTO counted_dims SELECT i, 'name ' || i % 4, NULLIF(i % 3, 1) FROM generate_series(0, 4) i;
CREATE TABLE counted_none (k integer, z4 integer, zn numeric);
VACUUM (ANALYZE) counted_facts, counted_many, counted_special, counted_dims, counted_none;

-- Plans.
SELECT wa_plan('SELECT f.g, count(*), sum(f.i4), min(f.n), count(d.zn), sum(d.z4), max(d.zt), avg(d.zn) FROM counted_facts f JOIN counted_many d ON d.k = f.k WHERE d.z4 > 3 GROUP BY f.g');
SELECT wa_plan('SELECT g, count(*), avg(i8), sum(z8) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k AND d.k2 = f.k2 GROUP BY 1 HAVING count(z4) > 5');
SELECT wa_plan('SELECT count(*) FROM counted_dims a JOIN counted_facts b ON b.dim = a.id');
SELECT wa_plan('SELECT n, count(*) FROM (SELECT f.id, count(d.z4) AS n FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k AND d.z4 > 3 GROUP BY 1) q GROUP BY 1');

CREATE TEMPORARY TABLE counted_queries (number serial, query text);
INSERT INTO counted_queries (query)
SELECT replace(replace(query, 'JOIN M', joined || ' counted_many d'), 'FROM F', 'FROM counted_facts f')
FROM (VALUES
-- every aggregate of each side
('SELECT count(*), count(f.k), count(f.n), count(1), count(NULL::integer), sum(1) FROM F JOIN M ON d.k = f.k'),
('SELECT f.g, count(*), count(d.k), count(d.zn), count(d.za), count(d.zb), count(d.zv) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, sum(f.i2), sum(f.i4), sum(f.i8), sum(f.n), sum(f.i4 + f.i2), sum(f.n * 2) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, avg(f.i2), avg(f.i4), avg(f.i8), avg(f.n), avg(f.id) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, sum(d.z2), sum(d.z4), sum(d.z8), sum(d.zn) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, avg(d.z2), avg(d.z4), avg(d.z8), avg(d.zn), avg(d.k) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, min(f.i2), max(f.n), min(f.f), max(f.s), min(f.day), max(f.m), min(f.c) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, min(d.z2), max(d.zn), min(d.zf), max(d.zt), min(d.zd), max(d.zm), min(d.c), max(d.za), min(d.zv) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.w, sum(d.k), avg(d.k), count(d.k), min(d.k), sum(d.k + f.g) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT sum(f.i4), avg(f.n), sum(d.z4), avg(d.zn), max(d.zt), count(d.zt), count(*) FROM F JOIN M ON d.k = f.k WHERE f.g > 100'),
('SELECT sum(f.i4), avg(f.n), sum(d.z4), avg(d.zn), max(d.zt), count(d.zt), count(*) FROM F JOIN M ON d.k = f.k AND d.z4 > 2000000000'),
-- keys of each type, several of them, and those of the table as keys of groups
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.big = f.big GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON f.k2 = d.k2 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k2 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.day = f.day GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.w = f.w GROUP BY 1'),
('SELECT d.c, count(*), sum(d.z4) FROM F JOIN M ON d.c = f.c GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND d.k2 = f.k2 GROUP BY 1'),
('SELECT d.k, f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k GROUP BY 1, 2'),
('SELECT d.w || ''!'', count(*), sum(f.i4) FROM F JOIN M ON d.w = f.w GROUP BY 1'),
('SELECT d.k % 5, count(*), count(*) FILTER (WHERE d.k > f.g), sum(d.z4) FILTER (WHERE f.g > 2) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT k, g, count(*), sum(z4) FROM F JOIN M USING (k) GROUP BY 1, 2'),
('SELECT k, k2, count(*), sum(z4) FROM F JOIN M USING (k, k2) GROUP BY 1, 2'),
-- conditions of each side
('SELECT f.g, count(*), sum(d.z4), sum(f.i4) FROM F JOIN M ON d.k = f.k AND d.z4 > 300000000 AND d.zt LIKE ''t1%'' GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4), sum(f.i4) FROM F JOIN M ON d.k = f.k WHERE f.i4 > 300000000 AND f.k < 20 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND f.g > 2 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k WHERE d.k IS NULL OR d.k > 3 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND d.k + f.g > 9 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND (d.z4 > 9 AND d.zb) WHERE (f.g = 2 OR f.g = 3) GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND d.z4 IN (SELECT z4 FROM counted_many WHERE k2 = 3) GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND d.z4 > (SELECT avg(z4) FROM counted_many) GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND EXISTS (SELECT FROM counted_dims x WHERE x.id = d.k2) GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k WHERE f.dim IN (SELECT id FROM counted_dims WHERE x = 2) GROUP BY 1'),
-- FILTER, HAVING, order, and what is above
('SELECT f.g, count(*) FILTER (WHERE f.i4 > 0), count(f.n) FILTER (WHERE f.i4 > 0), sum(f.n) FILTER (WHERE f.i2 < 2), avg(f.i4) FILTER (WHERE f.i2 < 2), avg(d.zn) FILTER (WHERE f.i2 < 2), max(d.zt) FILTER (WHERE f.i2 < -1) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(1 / (f.id % 101 - 50)) FILTER (WHERE f.i4 > 0), sum(f.id / (f.id % 101 - 50)) FILTER (WHERE f.i4 > 0) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.w, count(*) FROM F JOIN M ON d.k = f.k GROUP BY 1 HAVING sum(d.z4) > 5000000000 AND avg(f.n) > 1'),
('SELECT f.w, count(*) + sum(d.z4) AS x FROM F JOIN M ON d.k = f.k GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 7'),
('SELECT DISTINCT count(*) > 900 FROM F JOIN M ON d.k = f.k GROUP BY f.w'),
('SELECT f.w, sum(count(*)) OVER (ORDER BY f.w), rank() OVER (ORDER BY avg(d.z4)) FROM F JOIN M ON d.k = f.k GROUP BY 1 ORDER BY 1'),
('SELECT n, count(*), sum(z) FROM (SELECT f.id, count(d.z4) AS n, sum(d.z4) AS z FROM F JOIN M ON d.k = f.k AND d.z4 > 3 GROUP BY 1) q GROUP BY 1'),
('WITH c AS MATERIALIZED (SELECT 3 AS x) SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND d.z2 > (SELECT x - 4 FROM c) GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k = f.k GROUP BY 1 UNION ALL SELECT f.g, sum(d.z4) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT o.x, l.* FROM generate_series(1, 3) o (x), LATERAL (SELECT count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k AND d.z2 = o.x WHERE f.g > o.x) l'),
('SELECT (SELECT sum(d.z4) FROM F JOIN M ON d.k = f.k AND d.z2 = o.x) FROM counted_dims o'),
('SELECT o.name, o.x FROM counted_dims o WHERE o.id * 3000 > (SELECT count(d.z4) FROM F JOIN M ON d.k = f.k WHERE f.g = o.x)'),
-- other joins beside
('SELECT x.name, count(*), sum(d.z4), sum(x.x), avg(f.i4) FROM F JOIN M ON d.k = f.k JOIN counted_dims x ON x.id = f.dim GROUP BY 1'),
('SELECT x.name, count(*), sum(d.z4), sum(x.x), count(x.x) FROM F JOIN M ON d.k = f.k LEFT JOIN counted_dims x ON x.id = f.dim GROUP BY 1'),
('SELECT x.name, count(*), sum(d.z4), sum(x.x) FROM F JOIN counted_dims x ON x.id = f.dim JOIN M ON d.k = f.k AND d.k2 = x.x GROUP BY 1'),
('SELECT x.name, count(*), sum(d.z4), sum(x.x) FROM F LEFT JOIN counted_dims x ON x.id = f.dim JOIN M ON d.k = x.x GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM F JOIN M ON d.k = f.k WHERE NOT EXISTS (SELECT FROM counted_dims x WHERE x.id = f.g AND x.x = 2) GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4), sum(e.z4), avg(e.zn), sum(f.i4) FROM F JOIN M ON d.k = f.k JOIN counted_special q ON q.k = f.g LEFT JOIN counted_none e ON e.k = f.k GROUP BY 1'),
-- what is refused
('SELECT d.zb, count(*) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*) FILTER (WHERE d.zb) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, sum(d.z4 + f.i4) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, sum(d.z4 / 2) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, sum(d.zf) FROM F JOIN M ON d.k = f.k WHERE d.zf < 1 GROUP BY 1'),
('SELECT f.g, sum(f.f) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, sum(f.m) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, avg(d.zv) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, stddev(f.i4) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, variance(d.z4) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(DISTINCT d.z4) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k = f.k WHERE d.z4 > f.i4 GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k = f.k WHERE d.z4 IS NULL OR f.g > 2 GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k < f.k AND f.id < 50 AND d.z2 = 1 GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.zn = f.n GROUP BY 1'),
('SELECT f.g, count(d) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k = f.k WHERE d.ctid <> f.ctid GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k = f.k AND random() >= 0 GROUP BY 1'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k = f.k GROUP BY ROLLUP (1)'),
('SELECT f.g, count(*) FROM F JOIN M ON d.k = f.k WHERE EXISTS (SELECT FROM counted_dims x WHERE x.id = d.k2 AND x.x = f.i2) GROUP BY 1'),
('SELECT f.g, (SELECT x.name FROM counted_dims x WHERE x.id = f.g), sum(d.z4) FROM F JOIN M ON d.k = f.k GROUP BY 1'),
('SELECT f.g, (SELECT max(x.id) FROM counted_dims x WHERE x.id < count(d.z4)) FROM F JOIN M ON d.k = f.k GROUP BY 1')
) q (query), (VALUES ('JOIN'), ('LEFT JOIN')) kinds (joined);
INSERT INTO counted_queries (query) VALUES
-- special numbers, and those that are out of range
('SELECT f.g, sum(d.x), avg(d.x), min(d.x), max(d.x), count(d.x), count(*) FROM counted_facts f JOIN counted_special d ON d.k = f.g GROUP BY 1'),
('SELECT f.g, sum(d.i8), avg(d.i8), sum(d.i4), avg(d.i4) FROM counted_facts f LEFT JOIN counted_special d ON d.k = f.g GROUP BY 1'),
('SELECT f.k, sum(f.x), avg(f.x), sum(f.i8), avg(f.i8), sum(f.i4), avg(f.i4) FROM counted_special f JOIN counted_many d ON d.k = f.k GROUP BY 1'),
('SELECT sum(f.x), avg(f.x), sum(f.i8), avg(f.i8), sum(f.i4), avg(f.i4) FROM counted_special f JOIN counted_many d ON d.k = f.k WHERE f.x < 5'),
('SELECT sum(f.i4 * 3) FROM counted_special f JOIN counted_many d ON d.k = f.k'),
('SELECT sum(1 / f.g) FROM counted_facts f JOIN counted_many d ON d.k = f.k'),
('SELECT sum(1 / (f.k + 3)) FROM counted_facts f JOIN counted_many d ON d.k = f.k WHERE f.k > -4'),
('SELECT sum(1 / (f.k + 3)) FROM counted_facts f JOIN counted_many d ON d.k = f.k AND d.k > 0'),
('SELECT f.g, count(*) FROM counted_facts f JOIN counted_many d ON d.k = f.k AND 10 / d.z2 > 2 GROUP BY 1'),
-- nothing on one side
('SELECT count(*), sum(d.z4), avg(d.zn), sum(f.i4) FROM counted_facts f JOIN counted_none d ON d.k = f.k'),
('SELECT f.g, count(*), count(d.k), sum(d.z4), avg(d.zn), sum(f.i4), avg(f.n) FROM counted_facts f LEFT JOIN counted_none d ON d.k = f.k GROUP BY 1'),
('SELECT count(*), sum(d.z4), avg(d.zn), sum(f.z4) FROM counted_none f LEFT JOIN counted_many d ON d.k = f.k'),
-- forms of FROM
('SELECT f.g, count(*), sum(d.z4) FROM counted_many d RIGHT JOIN counted_facts f ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f, counted_many d WHERE d.k = f.k AND d.z4 > 5 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_many d CROSS JOIN counted_facts f WHERE d.k = f.k GROUP BY 1'),
('SELECT g, count(*), sum(z4) FROM (SELECT g, k AS y FROM counted_facts) f JOIN counted_many ON k = y GROUP BY 1'),
('SELECT j.g, count(*), sum(j.z4) FROM (counted_facts f JOIN counted_many d USING (k)) AS j GROUP BY 1'),
('SELECT a, count(*), sum(h) FROM counted_facts f (i, a, b) JOIN counted_many d (a1, b1, c1, d1, h) ON a1 = a GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4), count(x.x) FROM counted_facts f LEFT JOIN (counted_many d JOIN counted_dims x ON x.id = d.k2) ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4), count(x.x) FROM counted_facts f LEFT JOIN (counted_dims x LEFT JOIN counted_many d ON d.k2 = x.id) ON x.id = f.g GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k AND d.z4 > 3 WHERE d.z4 > 9 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k WHERE d.k IS NULL GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k AND f.g > 2 AND d.z4 > 0 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f FULL JOIN counted_many d ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k LEFT JOIN counted_dims x ON x.id = f.g AND d.z4 > 0 GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f JOIN counted_many d TABLESAMPLE system (100) ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*), sum(l.x) FROM counted_facts f JOIN counted_many d ON d.k = f.k, LATERAL (SELECT d.z4 + 1 AS x) l GROUP BY 1'),
-- either of two tables may be counted, or both have to be
('SELECT count(*) FROM counted_facts f JOIN counted_many d ON d.k = f.k'),
('SELECT count(*), sum(f.z4), sum(d.z4) FROM counted_many f JOIN counted_many d ON d.k = f.k2'),
('SELECT d.zt, count(*), sum(f.i4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1'),
('SELECT f.g, count(*), sum(d.z4), sum(e.i4) FROM counted_facts f JOIN counted_many d ON d.k = f.k JOIN counted_special e ON e.k = f.g GROUP BY 1'),
('SELECT f.g, count(*), avg(f.n), sum(e.i4), avg(e.x), sum(f.i4), max(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k JOIN counted_special e ON e.k = f.g GROUP BY 1'),
('SELECT f.g, count(*), avg(f.n), sum(e.i4), avg(e.x), sum(f.i4), max(d.z4), count(e.x) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k LEFT JOIN counted_special e ON e.k = f.g AND e.x <> ''NaN'' GROUP BY 1');
SELECT number, wa_compare_order(query) FROM counted_queries ORDER BY 1;
SELECT number, wa_refusal(query), query FROM counted_queries WHERE wa_refusal(query) <> 'none' ORDER BY 1;

-- The same of resident columns, for both tables.
SELECT count(warpagg_load(t)) > 0 AS loaded FROM unnest('{counted_facts,counted_many,counted_special,counted_dims,counted_none}'::regclass[]) t;
SELECT wa_compare_order(query), count(*), min(number) FROM counted_queries GROUP BY 1 ORDER BY 3;
-- The extension's own aggregates, whose sums of floats are exact.
SELECT wa_compare_order(q), wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT f.g, gpu_count(*), gpu_count(d.zn), gpu_sum(f.i4), gpu_avg(f.n), gpu_sum(d.z8), gpu_avg(d.z4), gpu_min(d.zt), gpu_max(f.s) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k GROUP BY 1',
    'SELECT f.g, gpu_sum(f.f) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1',
    'SELECT f.g, gpu_avg(d.zf) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1']) q;

-- Both tables may consist of partitions.
CREATE TABLE counted_parts (k integer, z4 integer, g integer) PARTITION BY RANGE (k);
CREATE TABLE counted_parts_1 PARTITION OF counted_parts FOR VALUES FROM (MINVALUE) TO (10);
CREATE TABLE counted_parts_2 (g integer, gone text, z4 integer, k integer);
ALTER TABLE counted_parts_2 DROP COLUMN gone;
ALTER TABLE counted_parts ATTACH PARTITION counted_parts_2 DEFAULT;
INSERT INTO counted_parts SELECT i % 40, i, i % 3 FROM generate_series(1, 500) i;
ANALYZE counted_parts;
SELECT wa_compare_order(q), wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT f.g, count(*), sum(d.z4), avg(f.i4) FROM counted_facts f JOIN counted_parts d ON d.k = f.k AND d.z4 % 2 = 0 GROUP BY 1',
    'SELECT f.g, count(*), sum(d.z4), avg(f.z4), count(d.k) FROM counted_parts f LEFT JOIN counted_many d ON d.k = f.k GROUP BY 1',
    'SELECT f.g, count(*), sum(d.z4), avg(f.z4) FROM counted_parts f JOIN counted_parts d ON d.k = f.k WHERE f.g > 0 GROUP BY 1']) q;

-- Prepared, for any values and for those that are given.
PREPARE counted_prepared (integer, integer) AS
    SELECT f.g, count(*), sum(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k AND d.z2 > $1 WHERE f.i2 < $2 GROUP BY 1 ORDER BY 1;
EXECUTE counted_prepared (0, 3);
SET plan_cache_mode = force_generic_plan;
EXECUTE counted_prepared (0, 3);
EXECUTE counted_prepared (1, NULL);
EXPLAIN (COSTS OFF) EXECUTE counted_prepared (1, 2);
RESET plan_cache_mode;
-- The table may get a unique key, or other rows.
BEGIN;
DELETE FROM counted_many WHERE k > 3;
EXECUTE counted_prepared (-9, 99);
ROLLBACK;
SET warpagg.enable_scan = off;
EXECUTE counted_prepared (0, 3);
SET warpagg.enable_scan = on;

-- What of it is made into a table, and a cursor.
CREATE TABLE counted_made AS SELECT f.g, count(*) AS rows, avg(d.zn) AS average FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1;
SELECT * FROM counted_made ORDER BY 1;
INSERT INTO counted_made SELECT f.g + 100, sum(d.z2), NULL FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k GROUP BY 1 ORDER BY 1 RETURNING g, rows - rows AS zero;
BEGIN;
DECLARE counted_cursor SCROLL CURSOR FOR SELECT f.g, count(*), sum(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1 ORDER BY 1;
FETCH 3 FROM counted_cursor;
FETCH BACKWARD 1 FROM counted_cursor;
COMMIT;

-- Rights are those of who asks, on tables and columns, and rows are those that he may see.
CREATE ROLE counted_user;
GRANT SELECT (k, g, i4) ON counted_facts TO counted_user;
GRANT SELECT (k, z4) ON counted_many TO counted_user;
CREATE VIEW counted_view AS SELECT f.g, count(*) AS rows, sum(d.zn) AS sum FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1;
GRANT SELECT ON counted_view TO counted_user;
CREATE FUNCTION counted_look(x integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$BEGIN RAISE NOTICE 'saw %', x; RETURN true; END$$ STABLE;
SET ROLE counted_user;
SELECT wa_plan('SELECT f.g, count(*), sum(d.z4), sum(f.i4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1');
SELECT f.g, count(*), sum(d.z4), sum(f.i4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1 ORDER BY 1 LIMIT 1;
SELECT f.g, count(*), sum(d.zn) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1;
SELECT f.g, count(*), sum(f.n) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1;
SELECT f.g, count(*) FROM counted_facts f JOIN counted_many d ON d.k = f.k AND d.zb GROUP BY 1;
SELECT g, rows, sum FROM counted_view WHERE g = 2;
RESET ROLE;
ALTER TABLE counted_many ENABLE ROW LEVEL SECURITY;
CREATE POLICY counted_policy ON counted_many TO counted_user USING (z4 < 500000000 AND z2 IN (SELECT i4 FROM counted_special WHERE k = 1));
GRANT SELECT ON counted_special, counted_many TO counted_user;
SET ROLE counted_user;
SELECT wa_plan('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1');
SELECT wa_compare_order('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1');
SELECT wa_compare_order('SELECT f.g, count(*), sum(d.z4) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k AND d.z2 < 2 GROUP BY 1');
-- A function that tells what it is called for is not called for other rows.
SET client_min_messages = notice;
SELECT f.g, count(*), max(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k AND counted_look(d.z4) AND d.z4 BETWEEN 470000000 AND 520000000 WHERE f.g = 1 GROUP BY 1;
SET client_min_messages = error;
RESET ROLE;
-- Who may not call an aggregate may not have it told from others.
ALTER TABLE counted_many DISABLE ROW LEVEL SECURITY;
REVOKE EXECUTE ON FUNCTION avg(numeric) FROM PUBLIC;
SELECT wa_refusal('SELECT f.g, avg(f.n) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1');
SET ROLE counted_user;
SELECT avg(d.zn) FROM counted_facts f JOIN counted_many d ON d.k = f.k;
RESET ROLE;
GRANT EXECUTE ON FUNCTION avg(numeric) TO PUBLIC;
DROP OWNED BY counted_user;
DROP ROLE counted_user;

-- Of the plans that are made, what is said is said of the one that is taken.
SET client_min_messages = notice;
SET warpagg.explain_refusals = notice;
SELECT count(*) FROM (SELECT f.g, count(*), sum(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1 OFFSET 0) q;
SELECT f.g, count(d.z4) FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1 ORDER BY 1;
SELECT f.g, variance(d.z4) > 1 AS large FROM counted_facts f JOIN counted_many d ON d.k = f.k GROUP BY 1 ORDER BY 1 LIMIT 1;
SET warpagg.explain_refusals = explain;
SET client_min_messages = error;

-- What a session keeps of counts is not used once rows have changed.
CREATE TEMPORARY TABLE counted_kept (query text);
INSERT INTO counted_kept VALUES ('SELECT f.g, count(*), sum(d.z4), max(d.zt) FROM counted_facts f LEFT JOIN counted_many d ON d.k = f.k GROUP BY 1');
SELECT wa_compare_order(query) FROM counted_kept;
UPDATE counted_many SET z4 = z4 + 1 WHERE k = 3;
SELECT wa_compare_order(query) FROM counted_kept;
INSERT INTO counted_many (k, z4) VALUES (3, 5), (31, 6), (NULL, 7);
SELECT wa_compare_order(query) FROM counted_kept;
BEGIN;
DELETE FROM counted_many WHERE k IN (4, 31);
SELECT wa_compare_order(query) FROM counted_kept;
ROLLBACK;
SELECT wa_compare_order(query) FROM counted_kept;
DELETE FROM counted_many WHERE k = 31;
SELECT wa_compare_order(query) FROM counted_kept;

-- What costs little is not planned again, and what costs more so is left alone.
RESET cpu_tuple_cost;
SELECT wa_refusal('SELECT f.g, count(*) FROM counted_facts f JOIN counted_many d ON d.k = f.k WHERE f.id < 3 GROUP BY 1');
CREATE TABLE counted_large AS SELECT i AS id, i % 5000 AS k, i % 7 AS g, i AS x FROM generate_series(1, 100000) i;
CREATE INDEX ON counted_large (k);
CREATE INDEX ON counted_large (id);
VACUUM ANALYZE counted_large;
SELECT wa_plan('SELECT f.g, count(*), sum(d.x) FROM counted_large f JOIN counted_large d ON d.k = f.k GROUP BY 1');
SET enable_bitmapscan = off;
SELECT wa_plan('SELECT f.g, count(*), sum(d.x) FROM counted_large f JOIN counted_large d ON d.k = f.k WHERE f.id = 77 GROUP BY 1');
RESET enable_bitmapscan;
SELECT wa_compare_order('SELECT f.g, count(*), sum(d.x), avg(f.x) FROM counted_large f JOIN counted_large d ON d.k = f.k GROUP BY 1');
DROP TABLE counted_facts, counted_many, counted_special, counted_dims, counted_none, counted_parts, counted_made, counted_large CASCADE;
DROP FUNCTION counted_look;
