-- The scan tier over tables that are joined, against PostgreSQL's own plan: which joins
-- there are, what is used of the relations, and when these are read.
LOAD 'warpagg';
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET warpagg.explain_refusals = explain;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
-- From 19 on PostgreSQL may aggregate before it joins; the node is to join first.
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
\set VERBOSITY terse

-- Rows, most of which have partners in each relation below, and NULL keys.
CREATE TABLE join_facts (
    id integer, k integer, k2 integer, big bigint, a integer, b smallint, gone text,
    d date, d2 date, v bigint, n numeric(12, 2), f double precision, t text COLLATE "C")
    WITH (autovacuum_enabled = off, fillfactor = 40);
INSERT INTO join_facts
    SELECT i, NULLIF(i % 251 - 30, 7), CASE WHEN i % 9 > 0 THEN i % 180 END,
           (ARRAY[-9223372036854775808, 9223372036854775807, 0, 5, -5, 1099511627776, NULL, 77])[1 + i % 8],
           NULLIF(i % 40 - 10, 3), NULLIF(i % 7, 5), 'gone', date '2024-01-01' + i % 400, date '2024-06-01' - i % 300,
           i * 1000003::bigint % 65537, i / 100.0, CASE i % 101 WHEN 1 THEN 'NaN' ELSE i / 8.0 END, 'text ' || i % 50
    FROM generate_series(1, 12000) i;
ALTER TABLE join_facts DROP COLUMN gone;
ALTER TABLE join_facts ADD COLUMN late integer DEFAULT 3;

-- Keys of both signs; x is 0 in rows of which no fact's, and of one to which some are.
CREATE TABLE join_dims (
    id integer PRIMARY KEY, parent smallint, other integer, x integer, big bigint, n numeric, name text COLLATE "C",
    day date, flag boolean, w double precision, ts timestamptz, r real);
INSERT INTO join_dims
    SELECT i, CASE WHEN i % 5 > 0 THEN i % 13 END, NULLIF(i % 8, 4), CASE WHEN i IN (-40, 7, 300) THEN 0 ELSE i % 17 + 1 END, i * 3000000000,
           (ARRAY['1', '1.0', '1.00', '2.50', 'NaN', '-3', NULL, '123456789012345678901.5'])[1 + abs(i) % 8]::numeric,
           'name ' || i % 6, CASE WHEN i % 11 <> 2 THEN date '2024-01-01' + i END, NULLIF(i % 3, 0) = 1,
           (ARRAY['NaN', '-0', '0', '0.5', '1e300', NULL])[1 + abs(i) % 6]::float8,
           timestamptz '2024-03-30 12:00+00' + i * interval '7 hours', i / 4.0
    FROM generate_series(-40, 190) i WHERE i % 10 <> 3;
CREATE TABLE join_groups (id smallint PRIMARY KEY, region bigint, label varchar(20) COLLATE "C", x integer);
INSERT INTO join_groups SELECT i, NULLIF(i % 4, 3), 'label ' || i % 3, i % 2 FROM generate_series(0, 10) i;
CREATE TABLE join_regions (id bigint PRIMARY KEY, name text COLLATE "C", x integer);
INSERT INTO join_regions VALUES (0, 'north', 1), (1, 'south', 0), (2, NULL, 2), (9, 'nowhere', 0);
CREATE TABLE join_days (day date PRIMARY KEY, week integer, month text COLLATE "C", open boolean);
INSERT INTO join_days SELECT d, extract(week FROM d), to_char(d, 'YYYY-MM'), NULLIF(extract(isodow FROM d), 3) < 6
    FROM generate_series(date '2023-09-01', date '2024-12-31', '1 day') d WHERE extract(day FROM d) <> 13;
CREATE TABLE join_pairs (a integer, b smallint, x integer, t text COLLATE "C", PRIMARY KEY (b, a));
INSERT INTO join_pairs SELECT a, b, a * b, 'pair ' || abs(a + b) % 4 FROM generate_series(-20, 20) a, generate_series(-1, 6) b WHERE (a + b) % 5 <> 0;
CREATE TABLE join_sparse (key bigint PRIMARY KEY, x integer, t text COLLATE "C");
INSERT INTO join_sparse VALUES (-9223372036854775808, 1, 'least'), (9223372036854775807, 2, 'most'), (0, 3, NULL), (-5, NULL, 'minus'), (1099511627776, 5, 'far'), (6, 6, 'none');
-- Several rows have a key, or none.
CREATE TABLE join_many (k integer, y integer, d date);
INSERT INTO join_many SELECT NULLIF(i % 60 - 10, 5), i % 4, date '2024-02-01' + i % 30 FROM generate_series(1, 300) i;
CREATE TABLE join_none (id integer PRIMARY KEY, x integer, t text COLLATE "C", b boolean, n numeric, d date);
CREATE TABLE join_no_facts (LIKE join_facts);
CREATE TABLE join_set_nulls (id integer, w text COLLATE "C", c char(9), big bigint);
INSERT INTO join_set_nulls VALUES (3, 'text 3', 'text 4', 5), (NULL, NULL, NULL, NULL), (3, 'text 7', 'text 3', 77);
CREATE TABLE join_set_null (id integer);
INSERT INTO join_set_null VALUES (NULL);
-- Keys of several columns of other types, some of which are NULL.
CREATE TABLE join_wide (big bigint, a integer, x integer, t text COLLATE "C", UNIQUE (a, big));
INSERT INTO join_wide
    SELECT NULLIF((ARRAY[-9223372036854775808, 9223372036854775807, 0, 5, -5, 1099511627776, 77])[1 + i % 7], 77), NULLIF(i / 7 - 15, 2), i % 11, 'wide ' || i % 5
    FROM generate_series(0, 300) i;
CREATE TABLE join_long (w text COLLATE "C", d date, a integer, x integer, t text COLLATE "C", UNIQUE (w, d, a));
INSERT INTO join_long SELECT t, d, a, id % 11, 'long ' || id % 5 FROM join_facts WHERE id < 300 AND id % 5 <> 1;
CREATE TABLE join_full (k integer, a bigint, b smallint, t text COLLATE "C", x integer, PRIMARY KEY (t, k, b));
INSERT INTO join_full SELECT i % 30, i % 13, i % 7, 'text ' || i % 49, i % 8 FROM generate_series(1, 5000) i ON CONFLICT DO NOTHING;
VACUUM (ANALYZE) join_wide, join_long, join_full, join_set_nulls, join_set_null, join_facts, join_dims, join_groups, join_regions, join_days, join_pairs, join_sparse, join_many, join_none, join_no_facts;

-- Plans: chains, trees, two roles of a relation, other joins than inner ones.
SELECT wa_plan('SELECT d.name, count(*), sum(f.v) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1');
SELECT wa_plan('SELECT r.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent JOIN join_regions r ON r.id = g.region WHERE d.x > 3 AND f.v + r.x > 9 GROUP BY 1');
SELECT wa_plan('SELECT x.month, y.week, count(*) FROM join_facts f LEFT JOIN join_days x ON x.day = f.d JOIN join_days y ON y.day = f.d2 WHERE y.open GROUP BY 1, 2');
SELECT wa_plan('SELECT count(*) FROM join_facts f WHERE k IN (SELECT k FROM join_many WHERE y > 1) AND NOT EXISTS (SELECT FROM join_none n WHERE n.id = f.k)');
SELECT wa_plan('SELECT count(*), sum(p.x) FROM join_facts f JOIN join_pairs p USING (a, b)');
SELECT wa_plan('SELECT w.t, count(*), sum(w.x) FROM join_facts f LEFT JOIN join_long w ON w.w = f.t AND w.d = f.d AND w.a = f.a AND w.x > f.b GROUP BY 1');
SELECT wa_plan('SELECT d.name, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > f.b WHERE NOT EXISTS (SELECT FROM join_groups g WHERE g.id = f.a AND g.x < f.b) GROUP BY 1');
SELECT line FROM wa_plan('SELECT d.name, count(*) FILTER (WHERE d.x IN (SELECT y FROM join_many)) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE f.k2 NOT IN (SELECT id FROM join_groups) GROUP BY 1') line WHERE line !~ 'SubPlan';

-- All that follows is of tables in the heap, and then again of resident columns.
CREATE TEMPORARY TABLE join_queries (number serial, query text);
INSERT INTO join_queries (query) VALUES
-- inner joins, with NULL keys and keys without partners
('SELECT count(*), sum(f.v), sum(d.x), min(d.x), max(d.id), avg(d.big) FROM join_facts f JOIN join_dims d ON d.id = f.k'),
('SELECT d.id, count(*), sum(f.n) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT f.k, count(*), sum(d.x + f.v) FROM join_facts f, join_dims d WHERE d.id = f.k AND d.x BETWEEN 3 AND 9 AND f.v % 2 = 0 GROUP BY 1'),
('SELECT count(*), sum(s.x), max(s.t), min(s.key), max(s.key) FROM join_facts f JOIN join_sparse s ON s.key = f.big'),
('SELECT s.t, s.key, count(*), sum(f.v) FROM join_facts f JOIN join_sparse s ON s.key = f.big GROUP BY 1, 2'),
('SELECT s.t, s.x + f.b, count(*) FROM join_facts f LEFT JOIN join_sparse s ON s.key = f.big AND s.x > 1 WHERE f.v > 100 GROUP BY 1, 2'),
('SELECT count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_sparse s WHERE s.key = f.big)'),
('SELECT count(*), sum(g.x) FROM join_facts f JOIN join_groups g ON g.id = f.big'),
('SELECT count(*), sum(r.x) FROM join_facts f JOIN join_regions r ON r.id = f.b'),
('SELECT j.week, j.open, count(*), min(f.d) FROM join_facts f JOIN join_days j ON j.day = f.d GROUP BY 1, 2'),
('SELECT count(*) FROM join_facts f JOIN join_days j ON j.day = f.d WHERE j.month = ''2024-05'' AND f.d2 < j.day'),
-- values of relations: texts, numerics whose scales differ, floats
('SELECT d.name, count(*), sum(f.v), max(f.t) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT d.n, count(*), min(d.n), max(d.n) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT d.name, sum(d.n), avg(d.n), min(d.n), max(d.n), sum(d.n * f.n), stddev(d.n) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.n <> ''NaN'' GROUP BY 1'),
('SELECT d.name, sum(d.n) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT d.w, count(*), min(d.w), max(d.w), count(d.w) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT d.flag, count(*), min(d.r), max(d.r), sum(f.v) FILTER (WHERE d.flag) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT d.day, count(*), max(d.day - f.d), min(f.d + d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT date_trunc(''week'', d.ts), extract(hour FROM d.ts), count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2'),
('SELECT upper(d.name), length(d.name) + f.b, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2'),
('SELECT d.name || f.t, count(*), min(d.name), max(d.name || f.t) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE f.v < 3000 GROUP BY 1'),
('SELECT CASE WHEN d.flag THEN d.name WHEN f.b > 3 THEN f.t ELSE ''-'' END, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT sum(f.v) FILTER (WHERE d.name = ''name 2''), sum(CASE WHEN d.x > f.b THEN f.v ELSE d.x END), count(d.n) FILTER (WHERE d.n > 1 AND f.v > 5) FROM join_facts f JOIN join_dims d ON d.id = f.k'),
('SELECT COALESCE(d.n, f.n, 0) > 2, NULLIF(d.x, f.b) IS NULL, GREATEST(d.x, f.b) % 3, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2, 3'),
('SELECT d.name LIKE ''%2'', d.name IN (''name 1'', ''name 3''), d.x = ANY (ARRAY[1, 2, f.b]), count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2, 3'),
('SELECT gpu_sum(d.w), gpu_avg(f.f), gpu_variance(d.r) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.w < 1 AND f.f < 5000'),
-- chains, folded or not, of left joins too, and values of all their relations
('SELECT g.label, count(*), sum(d.x), sum(g.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent GROUP BY 1'),
('SELECT r.name, g.label, d.flag, count(*), sum(f.v + d.x + g.x + r.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent JOIN join_regions r ON r.id = g.region GROUP BY 1, 2, 3'),
('SELECT r.name, g.label, d.flag, count(*), sum(f.v + d.x + g.x + r.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent LEFT JOIN join_regions r ON r.id = g.region GROUP BY 1, 2, 3'),
('SELECT r.id, g.id, count(*), count(r.id), count(g.id), count(d.id) FROM join_facts f JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent LEFT JOIN join_regions r ON r.id = g.region AND r.x > 0 GROUP BY 1, 2'),
('SELECT COALESCE(r.name, ''none''), count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent LEFT JOIN join_regions r ON r.id = g.region WHERE r.id IS NULL OR d.x > 5 GROUP BY 1'),
('SELECT g.label, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.other WHERE d.x < g.id + 4 AND g.x = d.x % 2 GROUP BY 1'),
('SELECT d.x, e.x, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_dims e ON e.id = d.x GROUP BY 1, 2'),
('SELECT count(*), sum(e.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k2 LEFT JOIN join_dims e ON e.id = d.other WHERE d.flag IS NOT TRUE'),
('SELECT count(*), sum(p.x), max(p.t) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_pairs p ON p.a = d.x AND p.b = f.b'),
('SELECT p.t, count(*), sum(p.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_pairs p ON p.a = d.x AND p.b = d.other GROUP BY 1'),
-- roles
('SELECT x.month, y.open, count(*) FROM join_facts f JOIN join_days x ON x.day = f.d JOIN join_days y ON y.day = f.d2 GROUP BY 1, 2'),
('SELECT x.month, y.month, count(*) FROM join_facts f LEFT JOIN join_days x ON x.day = f.d AND x.open LEFT JOIN join_days y ON y.day = f.d2 AND NOT y.open WHERE x.week > y.week OR y.day IS NULL GROUP BY 1, 2'),
('SELECT d.name, e.name, count(*), sum(d.x - e.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_dims e ON e.id = f.k2 WHERE d.x <> e.x GROUP BY 1, 2'),
('SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_dims e ON e.id = f.k AND e.x < 9'),
-- left joins: of rows without partners all values are NULL, whatever is computed of them
('SELECT d.name, count(*), count(d.id), count(d.n) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT COALESCE(d.x, -1), COALESCE(d.name, ''none''), d.id IS NULL, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > 4 GROUP BY 1, 2, 3'),
('SELECT count(*), sum(COALESCE(d.x, 100)) FILTER (WHERE d.flag IS NULL) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k WHERE d.x IS NULL OR d.x > 3'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k WHERE d.x > 3'),
('SELECT f.b, count(*), sum(d.x) FROM join_dims d RIGHT JOIN join_facts f ON d.id = f.k GROUP BY 1'),
-- anti joins, by a left join too, whose values are NULL
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d WHERE d.id = f.k)'),
('SELECT f.b, count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND m.y > 1) GROUP BY 1'),
('SELECT f.b, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k WHERE d.id IS NULL GROUP BY 1'),
('SELECT d.x, COALESCE(d.x, 5), d.x IS NULL, COALESCE(d.name, ''none''), count(*), count(d.x), sum(COALESCE(d.x, 2)) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k WHERE d.id IS NULL GROUP BY 1, 2, 3, 4'),
('SELECT count(*), min(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k WHERE d.id IS NULL AND d.flag IS NOT TRUE AND COALESCE(d.x, 1) = 1'),
('SELECT count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent WHERE d.id IS NULL'),
('SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE NOT EXISTS (SELECT FROM join_groups g WHERE g.id = d.parent AND g.x = 1) GROUP BY 1'),
('SELECT d.name, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent WHERE g.id IS NULL GROUP BY 1'),
('SELECT d.name, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k WHERE NOT EXISTS (SELECT FROM join_groups g WHERE g.id = d.parent) GROUP BY 1'),
('SELECT count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d JOIN join_groups g ON g.id = d.parent WHERE d.id = f.k)'),
('SELECT count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_pairs p WHERE p.a = f.a AND p.b = f.b)'),
('SELECT count(*) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_dims)'),
-- semi joins
('SELECT count(*), sum(v) FROM join_facts WHERE k IN (SELECT k FROM join_many)'),
('SELECT f.b, count(*), sum(f.v) FROM join_facts f WHERE EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND m.y = 2) AND f.v > 10 GROUP BY 1'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND m.d = f.d)'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_many m WHERE m.k = f.a AND m.y = f.b)'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND m.y < f.b)'),
('SELECT count(*) FROM join_facts WHERE d IN (SELECT d FROM join_many)'),
('SELECT count(*) FROM join_facts WHERE (a, b) IN (SELECT a, b FROM join_pairs WHERE x > 2)'),
('SELECT count(*) FROM join_facts WHERE k IN (SELECT d.id FROM join_dims d JOIN join_groups g ON g.id = d.parent WHERE g.x = 1)'),
('SELECT count(*) FROM join_facts WHERE k IN (SELECT max(k) FROM join_many GROUP BY y)'),
('SELECT count(*) FROM join_facts WHERE k IN (SELECT x FROM generate_series(1, 30) x)'),
('SELECT count(*) FROM join_facts WHERE k IN (VALUES (1), (2), (2), (NULL), (50))'),
('SELECT d.name, count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.parent IN (SELECT id FROM join_groups WHERE x = 1) AND f.k2 IN (SELECT k FROM join_many) GROUP BY 1'),
('SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE EXISTS (SELECT FROM join_pairs p WHERE p.a = d.x AND p.b = f.b) GROUP BY 1'),
-- two keys, of which both may be NULL
('SELECT p.t, count(*), sum(p.x), max(p.a), min(p.b) FROM join_facts f JOIN join_pairs p ON p.a = f.a AND p.b = f.b GROUP BY 1'),
('SELECT p.t, count(*), count(p.x) FROM join_facts f LEFT JOIN join_pairs p ON p.a = f.a AND p.b = f.b AND p.x <> 4 GROUP BY 1'),
('SELECT count(*) FROM join_facts f JOIN join_pairs p ON p.a = f.b AND p.b = f.a'),
-- nothing to join, and nothing to be joined
('SELECT count(*), sum(n.x) FROM join_facts f JOIN join_none n ON n.id = f.k'),
('SELECT n.t, count(*), sum(n.x), sum(f.v) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k GROUP BY 1'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_none n WHERE n.id = f.k)'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_none n WHERE n.id = f.k)'),
('SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k LEFT JOIN join_none n ON n.id = d.other GROUP BY 1'),
('SELECT n.b, n.n, n.t, n.d, f.b, count(n.b), count(*) FILTER (WHERE n.b IS NULL) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k WHERE n.b IS NOT TRUE GROUP BY 1, 2, 3, 4, 5'),
('SELECT count(*), sum(d.x) FROM join_no_facts f JOIN join_dims d ON d.id = f.k'),
('SELECT d.name, count(*) FROM join_no_facts f LEFT JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x > 1000'),
('SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE now() < ''2000-01-01'''),
-- what raises errors does so for rows that count
('SELECT sum(f.v / d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k'),
('SELECT sum(10 / (d.x - 1)) FROM join_facts f JOIN join_dims d ON d.id = f.k'),
('SELECT sum(10 / (d.x - 1)) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x > 1'),
('SELECT sum(10 / (d.x - 1)) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x + f.b > 100'),
('SELECT 10 / (d.x - 1), count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x > 1 GROUP BY 1'),
('SELECT 10 / (d.x - 1), count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT sum(10 / (d.x - 1)) FILTER (WHERE d.x > 1) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k'),
('SELECT sum(1 / r.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent JOIN join_regions r ON r.id = g.region WHERE r.name <> ''south'''),
('SELECT sum(1 / r.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent JOIN join_regions r ON r.id = g.region'),
('SELECT sum((d.big * 4000000)::integer) FROM join_facts f JOIN join_dims d ON d.id = f.k'),
('SELECT sum(substr(d.name, 6)::integer), max(d.name::integer) FILTER (WHERE f.v < 0) FROM join_facts f JOIN join_dims d ON d.id = f.k'),
-- what is done with groups
('SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1 HAVING sum(f.v) > 50000000 AND max(d.x) > 3'),
('SELECT d.id, d.name, sum(f.v) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT 7'),
('SELECT d.id, d.name, sum(f.v) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2 ORDER BY 2 DESC, 1 LIMIT 7 OFFSET 2'),
('SELECT d.id, d.name, d.x + 1, sum(f.v) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY d.id ORDER BY 1'),
('SELECT DISTINCT d.name FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY d.name, d.x HAVING count(*) > 1'),
('SELECT count(DISTINCT d.name) FROM join_facts f JOIN join_dims d ON d.id = f.k'),
('SELECT d.name, sum(f.v), rank() OVER (ORDER BY sum(f.v)) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY ROLLUP (1)'),
('WITH c AS (SELECT f.v, d.name FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x > 3) SELECT name, sum(v) FROM c GROUP BY 1'),
('WITH c AS MATERIALIZED (SELECT id FROM join_dims WHERE x > 3) SELECT count(*) FROM join_facts WHERE k IN (SELECT id FROM c)'),
('SELECT sum(s) FROM (SELECT d.name, sum(f.v) AS s FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1) q'),
('SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1 UNION ALL SELECT g.label, count(*) FROM join_facts f JOIN join_groups g ON g.id = f.b GROUP BY 1'),
-- subselects and what is outside
('SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x > (SELECT avg(x) FROM join_groups)'),
('SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x + f.b > (SELECT max(x) + 3 FROM join_groups)'),
('SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x > (SELECT min(g.id) FROM join_groups g WHERE g.x = d.x % 2)'),
('SELECT count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > (SELECT avg(x) FROM join_groups) WHERE d.id IS NULL OR f.v > 9'),
('SELECT o.x, l.* FROM generate_series(0, 4) o (x), LATERAL (SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x > o.x) l'),
('SELECT o.x, l.* FROM generate_series(0, 4) o (x), LATERAL (SELECT d.name, count(*), sum(d.x + o.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x % 5 = o.x WHERE f.b = o.x GROUP BY 1) l'),
('SELECT o.x, l.* FROM generate_series(0, 3) o (x), LATERAL (SELECT g.label, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent AND g.x = o.x GROUP BY 1) l'),
('SELECT o.x, (SELECT count(*) FROM join_facts f WHERE f.k IN (SELECT k FROM join_many WHERE y = o.x)) FROM generate_series(0, 4) o (x)'),
('SELECT g.label, (SELECT sum(d.x * g.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.parent = g.id) FROM join_groups g'),
-- conditions beside keys
('SELECT d.name, count(*), count(d.id), sum(d.x), sum(f.v) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > f.b GROUP BY 1'),
('SELECT count(*), count(d.id), sum(d.x), max(d.n) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.v % 3 = 1'),
('SELECT count(*), count(d.id), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.b IS NULL AND d.day > f.d2'),
('SELECT d.x IS NULL, d.flag, COALESCE(d.name, f.t), count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND length(d.name) > f.b + 3 WHERE f.v > 100 GROUP BY 1, 2, 3'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND d.x < f.b)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND f.b > 3)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND f.b > 3 AND m.y > 1)'),
('SELECT f.b, count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND d.x < f.b) GROUP BY 1'),
('SELECT f.b, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > f.b WHERE d.id IS NULL GROUP BY 1'),
('SELECT f.b, d.x, count(*), count(d.name) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > f.b WHERE d.id IS NULL GROUP BY 1, 2'),
('SELECT p.t, count(*), sum(p.x), sum(f.v) FROM join_facts f LEFT JOIN join_pairs p ON p.a = f.a AND p.b = f.b AND p.x < f.v GROUP BY 1'),
('SELECT n.t, count(*), sum(n.x) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k AND n.x > f.v GROUP BY 1'),
-- of which others go on
('SELECT g.label, count(*), sum(d.x), sum(g.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > f.b LEFT JOIN join_groups g ON g.id = d.parent GROUP BY 1'),
('SELECT g.label, count(*), sum(d.x), sum(g.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent AND g.x < d.x GROUP BY 1'),
('SELECT g.label, r.name, count(*), sum(d.x), sum(g.x + r.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.b <> 2 LEFT JOIN join_groups g ON g.id = d.parent AND g.id + d.x > f.b LEFT JOIN join_regions r ON r.id = g.region AND r.x < f.b GROUP BY 1, 2'),
('SELECT d.name, e.name, count(*), sum(d.x - e.x) FROM join_facts f LEFT JOIN join_dims e ON e.id = f.k2 LEFT JOIN join_dims d ON d.id = f.k AND d.x < e.x GROUP BY 1, 2'),
('SELECT d.name, e.name, count(*), sum(d.x - e.x) FROM join_facts f JOIN join_dims e ON e.id = f.k2 LEFT JOIN join_dims d ON d.id = f.k AND d.x < e.x AND e.flag GROUP BY 1, 2'),
('SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE NOT EXISTS (SELECT FROM join_groups g WHERE g.id = d.parent AND g.x < f.b) GROUP BY 1'),
-- which are evaluated where there is a partner only, and raise errors there
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND 10 / d.x > f.b'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND 10 / (d.x - 3) > f.b'),
('SELECT count(*), sum(d.x) FILTER (WHERE f.v < 0) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND 10 / (d.x - 3) > f.b'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.v / f.b > 3 WHERE f.b <> 0'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.v / f.b > 3'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.v / (f.k - 13) > 3'),
('SELECT count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND 10 / d.x < f.b)'),
('SELECT count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND 10 / (d.x - 3) < f.b)'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND f.v / (f.k - 13) < d.x)'),
('SELECT g.label, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND 10 / d.x > f.b LEFT JOIN join_groups g ON g.id = d.parent GROUP BY 1'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > (SELECT avg(x) FROM join_groups) + f.b'),
('SELECT o.x, l.* FROM generate_series(0, 4) o (x), LATERAL (SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > f.b + o.x) l'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND random() < 2'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND m.y <> f.b)'),
-- NOT IN, of which PostgreSQL makes a join from 19 on where it can
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_dims WHERE id IS NOT NULL)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_set_nulls)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_set_nulls WHERE id IS NOT NULL)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_set_null)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_none)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT (k NOT IN (SELECT id FROM join_none))'),
('SELECT count(*) FROM join_facts f WHERE t NOT IN (SELECT w FROM join_set_nulls WHERE w > ''text'')'),
('SELECT count(*) FROM join_facts f WHERE big NOT IN (SELECT key FROM join_sparse)'),
('SELECT count(*) FROM join_facts f WHERE big NOT IN (SELECT id FROM join_groups) AND b NOT IN (SELECT big FROM join_set_nulls WHERE big > 0)'),
('SELECT count(*) FROM join_facts f WHERE d NOT IN (SELECT day FROM join_days WHERE open)'),
('SELECT g.label, count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent WHERE d.x NOT IN (SELECT y FROM join_many) AND f.k2 NOT IN (SELECT id FROM join_set_nulls WHERE big > 0) GROUP BY 1'),
('SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > f.b WHERE d.x NOT IN (SELECT k FROM join_many WHERE k IS NOT NULL)'),
('SELECT count(*) FROM join_facts f WHERE k NOT IN (SELECT max(k) FROM join_many GROUP BY y)'),
('SELECT count(*) FROM join_facts f WHERE k NOT IN (SELECT 10 / y FROM join_many)'),
('SELECT count(*) FROM join_facts f WHERE k + 1 NOT IN (SELECT id FROM join_dims)'),
('SELECT count(*) FROM join_facts f WHERE (a, b) NOT IN (SELECT a, b FROM join_pairs)'),
('SELECT count(*) FROM join_facts f WHERE k NOT IN (SELECT y FROM join_many m WHERE m.k = f.b)'),
('SELECT count(*) FROM join_facts f WHERE n NOT IN (SELECT n FROM join_dims)'),
('SELECT count(*) FROM join_facts f WHERE k <> ALL (SELECT id FROM join_dims)'),
('SELECT count(*) FROM join_facts f WHERE k < ANY (SELECT id FROM join_dims)'),
-- IN where it is no clause of WHERE
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k IN (SELECT id FROM join_dims WHERE x > 3) OR f.b = 2'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k IN (SELECT id FROM join_dims WHERE x > 3) OR k2 NOT IN (SELECT id FROM join_set_nulls)'),
('SELECT f.b, count(*) FILTER (WHERE k IN (SELECT id FROM join_dims)), count(*) FILTER (WHERE (k IN (SELECT id FROM join_set_nulls)) IS NULL), max(f.v) FILTER (WHERE k NOT IN (SELECT id FROM join_dims)) FROM join_facts f GROUP BY 1'),
('SELECT k IN (SELECT id FROM join_set_nulls), k2 IN (SELECT id FROM join_none), count(*) FROM join_facts f GROUP BY 1, 2'),
('SELECT sum(CASE WHEN f.b > 3 THEN 1 WHEN t IN (SELECT w FROM join_set_nulls) THEN f.v END), count(*) FROM join_facts f'),
('SELECT d.name, count(*) FILTER (WHERE d.x IN (SELECT y FROM join_many)) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1 HAVING count(*) > 10'),
('SELECT count(*) FROM join_facts f WHERE f.b = 2 OR EXISTS (SELECT FROM join_dims d WHERE d.id = f.k)'),
('SELECT count(*) FROM join_facts f WHERE f.b = 100 AND (f.a IS NULL OR k IN (SELECT 10 / y FROM join_many))'),
('SELECT count(*) FROM join_no_facts f WHERE k NOT IN (SELECT id FROM join_dims)'),
('SELECT b, count(*) FROM join_facts f GROUP BY 1 HAVING max(k) NOT IN (SELECT id FROM join_groups)'),
('SELECT o.x, l.* FROM generate_series(0, 4) o (x), LATERAL (SELECT count(*), sum(f.v) FROM join_facts f WHERE k NOT IN (SELECT k FROM join_many WHERE k IS NOT NULL) AND f.b > o.x) l'),
('SELECT o.x, l.* FROM generate_series(0, 4) o (x), LATERAL (SELECT count(*), count(*) FILTER (WHERE f.b IN (SELECT y FROM join_many WHERE k > o.x)) FROM join_facts f WHERE k NOT IN (SELECT k FROM join_many WHERE y = o.x AND k IS NOT NULL)) l'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_dims WHERE x > (SELECT avg(y) FROM join_many))'),
('SELECT count(*) FROM join_facts f WHERE k NOT IN (SELECT id FROM join_dims) ORDER BY 1 LIMIT 1'),
-- several columns of any types, which are numbered
('SELECT w.t, count(*), sum(w.x), sum(f.v), min(w.big) FROM join_facts f JOIN join_wide w ON w.big = f.big AND w.a = f.a GROUP BY 1'),
('SELECT w.t, count(*), count(w.x), sum(f.v) FROM join_facts f LEFT JOIN join_wide w ON w.a = f.a AND w.big = f.big GROUP BY 1'),
('SELECT w.t, f.b, count(*), sum(w.x) FROM join_facts f LEFT JOIN join_wide w ON w.a = f.a AND w.big = f.big AND w.x > f.b GROUP BY 1, 2'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_wide w WHERE w.big = f.big AND w.a = f.a)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE EXISTS (SELECT FROM join_long w WHERE w.d = f.d AND w.w = f.t)'),
('SELECT count(*), sum(f.v) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_long w WHERE w.d = f.d AND w.a = f.a)'),
('SELECT count(*), sum(f.v), max(w.t) FROM join_facts f JOIN join_long w ON w.w = f.t AND w.d = f.d AND w.a = f.a'),
('SELECT w.x, count(*), sum(f.v), max(w.t) FROM join_facts f LEFT JOIN join_long w ON w.w = f.t AND w.d = f.d AND w.a = f.a GROUP BY 1'),
('SELECT f.b, count(*) FROM join_facts f LEFT JOIN join_long w ON w.w = f.t AND w.d = f.d AND w.a = f.a WHERE w.a IS NULL GROUP BY 1'),
('SELECT d.name, count(*), sum(w.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_wide w ON w.a = d.x AND w.big = f.big GROUP BY 1'),
('SELECT w.t, count(*), sum(w.x) FROM join_facts f JOIN join_dims d ON d.id = f.k LEFT JOIN join_wide w ON w.a = d.x AND w.big = d.other GROUP BY 1'),
('SELECT g.label, count(*), sum(w.x) FROM join_facts f JOIN join_wide w ON w.a = f.a AND w.big = f.big JOIN join_groups g ON g.id = w.x GROUP BY 1'),
('SELECT g.label, count(*), sum(w.x) FROM join_facts f LEFT JOIN join_wide w ON w.a = f.a AND w.big = f.big LEFT JOIN join_groups g ON g.id = w.x AND g.x < f.b GROUP BY 1'),
('SELECT count(*), count(o.x), sum(o.x) FROM join_facts f LEFT JOIN join_full o ON o.k = f.a AND o.b = f.b AND o.t = f.t'),
('SELECT o.x, count(*), sum(f.v) FROM join_facts f JOIN join_full o ON o.k = f.big AND o.b = f.b AND o.t = f.t GROUP BY 1'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_full o WHERE o.k = f.a AND o.b = f.b AND o.a = f.big AND o.x < 5)'),
('SELECT count(*) FROM join_facts f WHERE (big, a, b) IN (SELECT big, a, x FROM join_wide)'),
('SELECT count(*), sum(n.x) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k AND n.t = f.t AND n.d = f.d'),
('SELECT count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_none n WHERE n.id = f.k AND n.t = f.t AND n.d = f.d)'),
('SELECT count(*), sum(q.s) FROM join_facts f JOIN (SELECT w, d, sum(x) AS s FROM join_long GROUP BY 1, 2) q ON q.w = f.t AND q.d = f.d'),
('SELECT count(*), sum(w.x) FROM join_facts f JOIN join_wide w ON w.big = f.big AND w.a = f.a AND w.x = f.b AND w.t < f.t'),
('SELECT o.x, l.* FROM generate_series(0, 4) o (x), LATERAL (SELECT count(*), sum(w.x) FROM join_facts f JOIN join_wide w ON w.big = f.big AND w.a = f.a WHERE w.x > o.x) l');
-- What has no node says why.
SELECT number, wa_compare_order(query) FROM join_queries ORDER BY 1;
SELECT number, wa_refusal(query), query FROM join_queries WHERE wa_refusal(query) <> 'none' ORDER BY 1;

-- Values for which the node has no vectors, whole rows, and columns of the system.
CREATE TYPE join_pair AS (a integer, b text);
CREATE DOMAIN join_domain AS integer CHECK (VALUE <> 6);
CREATE TABLE join_odd (id integer PRIMARY KEY, list integer[], j jsonb, pair join_pair, span interval, key uuid, bits bit(3), dom join_domain, m money, doubled integer GENERATED ALWAYS AS (seed * 2) STORED, seed integer, gone integer);
CREATE TABLE join_domains (id join_domain PRIMARY KEY, x integer);
INSERT INTO join_domains VALUES (1, 1), (2, 5);
INSERT INTO join_odd (id, list, j, pair, span, key, bits, dom, m, seed, gone)
    SELECT i, ARRAY[i % 3, NULL], jsonb_build_object('a', i % 4), ROW(i % 2, 'x')::join_pair, i % 5 * interval '1 day', md5((i % 3)::text)::uuid, (i % 8)::bit(3), i % 5, i % 4, i % 6, i FROM generate_series(-5, 90) i;
ALTER TABLE join_odd DROP COLUMN gone;
ALTER TABLE join_odd ADD COLUMN later text COLLATE "C" DEFAULT 'later';
UPDATE join_odd SET later = 'now' WHERE id % 4 = 1;
ANALYZE join_odd;
SELECT wa_compare_order(q), wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT count(o.list), count(o.j), count(o.pair), max(o.span), sum(o.span) FROM join_facts f JOIN join_odd o ON o.id = f.k',
    'SELECT o.list[1], count(*) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT o.j ->> ''a'', count(*) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT (o.pair).a, count(*) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT o.key, count(*) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT o.bits, max(o.key::text) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT o.dom, o.doubled, count(*), sum(o.dom), min(o.m) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1, 2',
    'SELECT o.dom + f.b, count(*) FROM join_facts f LEFT JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT o.later, count(*), max(o.later || f.late) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT count(o), count(o.*) FROM join_facts f LEFT JOIN join_odd o ON o.id = f.k',
    'SELECT o.tableoid::regclass::text, count(*) FROM join_facts f JOIN join_odd o ON o.id = f.k GROUP BY 1',
    'SELECT count(*) FROM join_facts f JOIN join_odd o ON o.id = f.k WHERE o.ctid > ''(0,5)''',
    'SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_odd o ON o.id = d.x',
    'SELECT count(*) FROM join_facts f WHERE f.k IN (SELECT dom FROM join_odd)',
    'SELECT d.x, count(*) FROM join_facts f JOIN join_domains d ON d.id = f.k GROUP BY 1']) q;

-- Times that raise errors in rows to which no fact counts, or some.
CREATE TABLE join_times (id integer PRIMARY KEY, ts timestamp, tz timestamptz, d date);
INSERT INTO join_times SELECT i, timestamp '2024-01-31' + i * interval '1 hour', timestamptz '2024-01-31 00:00+00' + i * interval '1 hour', date '2024-01-31' + i FROM generate_series(1, 50) i;
UPDATE join_times SET ts = '294276-12-31 23:59:59', tz = '294276-12-31 23:59:59+00', d = '5874897-12-31' WHERE id IN (7, 9);
UPDATE join_times SET ts = 'infinity', tz = '-infinity', d = 'infinity' WHERE id IN (10);
ANALYZE join_times;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT max(t.ts + interval ''36 hours''), min(t.tz - interval ''1 month''), max(t.d + interval ''1 day'') FROM join_facts f JOIN join_times t ON t.id = f.k WHERE f.k <> 9',
    'SELECT max(t.ts + interval ''36 hours'') FILTER (WHERE f.k <> 9), max(t.d::timestamp) FILTER (WHERE f.k NOT IN (7, 9)) FROM join_facts f JOIN join_times t ON t.id = f.k',
    'SELECT max(t.ts + interval ''36 hours'') FROM join_facts f JOIN join_times t ON t.id = f.k',
    'SELECT date_trunc(''month'', t.d), count(*) FROM join_facts f JOIN join_times t ON t.id = f.k WHERE f.k < 6 GROUP BY 1',
    'SELECT date_trunc(''month'', t.ts), extract(year FROM t.d), extract(dow FROM t.ts), t.tz::date, count(*) FROM join_facts f JOIN join_times t ON t.id = f.k GROUP BY 1, 2, 3, 4',
    'SELECT count(*) FROM join_facts f JOIN join_times t ON t.id = f.k WHERE t.d > ''2024-02-20'' AND extract(month FROM t.d) = 3']) q;

-- Keys that are texts, with blanks, and NULL.
CREATE TABLE join_words (word text COLLATE "C" UNIQUE, short char(4) UNIQUE, x integer);
INSERT INTO join_words VALUES ('a', 'a', 1), ('a ', 'b', 2), ('', '', 3), (NULL, NULL, 4), (NULL, 'e', 5), ('text 7', 'B', 6), ('é', 'zzzz', 7);
CREATE TABLE join_word_facts (t text COLLATE "C", v varchar(9), c char(4), n integer);
INSERT INTO join_word_facts SELECT w, w, w, i FROM generate_series(1, 300) i, unnest(ARRAY['a', 'a ', 'A', '', ' ', NULL, 'é', 'zzzz', 'none']) w;
CREATE TABLE join_word_pairs (c char(4), v varchar(9), x integer, PRIMARY KEY (v, c));
INSERT INTO join_word_pairs SELECT c, v, row_number() OVER (ORDER BY c, v) FROM unnest(ARRAY['a', 'A', '', 'zzzz']) c, unnest(ARRAY['a', 'a ', '', 'zzzz']) v WHERE c || v <> 'a';
ANALYZE join_words, join_word_facts, join_word_pairs;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT w.x, count(*), max(w.word) FROM join_word_facts f JOIN join_words w ON w.word = f.t GROUP BY 1',
    'SELECT w.x, count(*) FROM join_word_facts f LEFT JOIN join_words w ON w.word = f.v GROUP BY 1',
    'SELECT w.x, count(*), max(w.short) FROM join_word_facts f JOIN join_words w ON w.short = f.c GROUP BY 1',
    'SELECT w.x, count(*) FROM join_word_facts f LEFT JOIN join_words w ON w.short = f.t::bpchar GROUP BY 1',
    'SELECT w.x, count(*) FROM join_word_facts f JOIN join_words w ON w.word = f.c GROUP BY 1',
    'SELECT count(*) FROM join_word_facts f WHERE t IN (SELECT word FROM join_words)',
    'SELECT count(*) FROM join_word_facts f WHERE NOT EXISTS (SELECT FROM join_words w WHERE w.short = f.c)',
    'SELECT p.x, count(*) FROM join_word_facts f JOIN join_word_pairs p ON p.c = f.c AND p.v = f.v GROUP BY 1',
    'SELECT p.x, count(*) FROM join_word_facts f LEFT JOIN join_word_pairs p ON p.c = f.c AND p.v = f.v AND p.x < f.n GROUP BY 1',
    'SELECT count(*) FROM join_word_facts f WHERE t NOT IN (SELECT v FROM join_word_pairs) OR c IN (SELECT c FROM join_word_pairs)',
    'SELECT v.x, count(*) FROM join_word_facts f JOIN join_words w ON w.word = f.t LEFT JOIN join_words v ON v.word = w.short::text GROUP BY 1']) q;

-- What is refused.
SELECT wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT variance(m.y) FROM join_facts f JOIN join_many m ON m.k = f.k',
    'SELECT count(*) FILTER (WHERE m.y = 1) FROM join_facts f LEFT JOIN join_many m ON m.k = f.k',
    'SELECT count(*) FROM join_facts f FULL JOIN join_dims d ON d.id = f.k',
    'SELECT count(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.v > 5',
    'SELECT count(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k + 1',
    'SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id < f.k',
    'SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE f.k = 5',
    'SELECT count(*) FROM join_facts f, join_dims d',
    'SELECT count(*) FROM join_facts f JOIN (SELECT k, count(*) AS y FROM join_many GROUP BY 1) m ON m.k = f.k',
    'SELECT count(*) FROM join_facts f LEFT JOIN (SELECT id, 5 AS five FROM join_dims) d ON d.id = f.k WHERE COALESCE(d.five, 1) = 1',
    'SELECT g.b, count(*) FROM join_facts f JOIN join_facts g ON g.id = f.k GROUP BY 1',
    'SELECT count(*) FROM join_facts f LEFT JOIN (join_dims d JOIN join_groups g ON g.id = d.parent) ON d.id = f.k',
    'SELECT sum(f.v + d.x) FROM join_dims d LEFT JOIN join_facts f ON d.id = f.k',
    'SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE random() >= 0 * d.x * f.b',
    'SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k::numeric',
    'SELECT count(*) FROM join_facts f TABLESAMPLE SYSTEM (50) JOIN join_dims d ON d.id = f.k']) q;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE f.k = 5',
    'SELECT count(*), sum(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND f.v > 5',
    'SELECT count(*), sum(d.x) FROM join_facts f JOIN (SELECT id, x FROM join_dims OFFSET 0) d ON d.id = f.k',
    'SELECT count(*), sum(m.y) FROM join_facts f LEFT JOIN join_many m ON m.k = f.k']) q;
-- A unique index that says nothing of all rows, or only at the end of a transaction.
CREATE TABLE join_partly (id integer, x integer, late integer UNIQUE DEFERRABLE INITIALLY DEFERRED, often integer);
INSERT INTO join_partly SELECT i % 89, i % 3, i, i % 80 FROM generate_series(1, 180) i;
CREATE UNIQUE INDEX ON join_partly (id) WHERE x = 1;
CREATE UNIQUE INDEX ON join_partly ((id * 1000 + late));
CREATE INDEX ON join_partly (often);
ANALYZE join_partly;
SELECT wa_compare_order(q), wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT count(*), sum(p.x) FROM join_facts f JOIN join_partly p ON p.id = f.k',
    'SELECT count(*), sum(p.x) FROM join_facts f JOIN join_partly p ON p.id = f.k AND p.x = 1',
    'SELECT count(*), sum(p.x) FROM join_facts f JOIN join_partly p ON p.id = f.k AND p.x = 2',
    'SELECT count(*), sum(p.x) FROM join_facts f JOIN join_partly p ON p.late = f.k',
    'SELECT count(*), sum(p.x) FROM join_facts f JOIN join_partly p ON p.often = f.k']) q;
BEGIN;
UPDATE join_partly SET late = 40 WHERE late < 60;
SELECT wa_compare_order('SELECT count(*), sum(p.x) FROM join_facts f JOIN join_partly p ON p.late = f.k');
ROLLBACK;

-- Two keys at the ends of their types.
CREATE TABLE join_ends (a integer, b integer, x integer, PRIMARY KEY (a, b));
INSERT INTO join_ends SELECT a, b, row_number() OVER () FROM unnest(ARRAY[-2147483648, -2147483647, -1, 0, 1, 2147483647]) a, unnest(ARRAY[-2147483648, -1, 0, 1, 2147483647]) b WHERE a - b::bigint <> 1;
CREATE TABLE join_end_facts AS SELECT a, b FROM unnest(ARRAY[-2147483648, -2147483647, -1, 0, 1, 2147483647, NULL]) a, unnest(ARRAY[-2147483648, -1, 0, 1, 2147483647, NULL]) b, generate_series(1, 60);
ANALYZE join_ends, join_end_facts;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT count(*), sum(e.x) FROM join_end_facts f JOIN join_ends e ON e.a = f.a AND e.b = f.b',
    'SELECT e.a, f.b, count(*), sum(e.x) FROM join_end_facts f LEFT JOIN join_ends e ON e.a = f.a AND e.b = f.b GROUP BY 1, 2',
    'SELECT count(*), sum(e.x) FROM join_end_facts f JOIN join_ends e ON e.a = f.b AND e.b = f.a',
    'SELECT a, count(*) FROM join_end_facts f WHERE NOT EXISTS (SELECT FROM join_ends e WHERE e.a = f.a AND e.b = f.b) GROUP BY 1']) q;

-- Groups that do not fit the memory, whose rows are joined again.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT d.name || f.id, d.x, count(*), sum(f.v + d.x), max(d.name) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2',
    'SELECT f.id, d.name, g.label, count(*), max(d.n) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent GROUP BY 1, 2, 3',
    'SELECT f.id, s.t, sum(s.x) FROM join_facts f JOIN join_sparse s ON s.key = f.big GROUP BY 1, 2',
    'SELECT f.id, d.name, p.t, count(*) FROM join_facts f JOIN join_pairs p ON p.a = f.a AND p.b = f.b LEFT JOIN join_dims d ON d.id = f.k GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT 50']) q;
SET warpagg.debug_spill_groups = 3;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT d.name, d.flag, count(*), sum(f.v + d.x), max(d.n) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1, 2',
    'SELECT r.name, g.label, x.month, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent LEFT JOIN join_regions r ON r.id = g.region LEFT JOIN join_days x ON x.day = f.d GROUP BY 1, 2, 3',
    'SELECT s.t, s.x, f.b, count(*) FROM join_facts f LEFT JOIN join_sparse s ON s.key = f.big GROUP BY 1, 2, 3',
    'SELECT o.x, l.* FROM generate_series(0, 2) o (x), LATERAL (SELECT d.name, count(*), sum(d.x + o.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND d.x % 3 = o.x GROUP BY 1) l']) q;
RESET warpagg.debug_spill_groups;
RESET work_mem;
RESET hash_mem_multiplier;

-- Parameters on either side.
PREPARE joined (integer, text, integer) AS SELECT d.name, count(*), sum(d.x + $3) FROM join_facts f JOIN join_dims d ON d.id = f.k AND d.x > $1 WHERE f.t <> $2 AND d.x + f.b > $3 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
SELECT wa_plan('EXECUTE joined (3, ''text 4'', 2)');
SELECT q, wa_rows(q, 'on', 'on', 'all') IS NOT DISTINCT FROM wa_rows(q, 'off', 'off', 'off') AS same FROM unnest(ARRAY['EXECUTE joined (3, ''text 4'', 2)', 'EXECUTE joined (16, ''text 5'', 9)', 'EXECUTE joined (NULL, '''', 1)', 'EXECUTE joined (1, '''', NULL)', 'EXECUTE joined (-1, '''', 2147483647)']) q;
RESET plan_cache_mode;
DEALLOCATE joined;
-- The node runs again where what is joined has changed, and only then.
CREATE FUNCTION join_seen(integer) RETURNS integer LANGUAGE plpgsql STABLE COST 10000 AS $$BEGIN RAISE WARNING 'seen %', $1; RETURN $1; END$$;
CREATE TABLE join_few (id integer PRIMARY KEY, x integer);
INSERT INTO join_few VALUES (1, 10), (2, 20);
ANALYZE join_few;
SET client_min_messages = warning;
SELECT o.x, l.* FROM generate_series(9, 11) o (x), LATERAL (SELECT count(*), sum(w.x) FROM join_facts f JOIN join_few w ON w.id = f.b AND w.x > o.x AND join_seen(w.id) > 0) l;
SELECT o.x, l.* FROM generate_series(9, 11) o (x), LATERAL (SELECT count(*), sum(w.x) FROM join_facts f JOIN join_few w ON w.id = f.b AND join_seen(w.id) > 0 WHERE f.v > o.x OFFSET 0) l;
SELECT count(*), sum(w.x) FROM join_facts f JOIN join_few w ON w.id = f.b AND join_seen(w.id) > 0 WHERE now() < '2000-01-01';
SET client_min_messages = error;

-- Cursors.
BEGIN;
DECLARE joined CURSOR FOR SELECT d.id, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1 ORDER BY 1;
FETCH 2 FROM joined;
DECLARE joined_again CURSOR WITH HOLD FOR SELECT g.label, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent GROUP BY 1 ORDER BY 1;
FETCH 1 FROM joined;
CLOSE joined;
DECLARE joined SCROLL CURSOR FOR SELECT d.flag, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1 ORDER BY 1;
FETCH LAST FROM joined;
FETCH FIRST FROM joined;
COMMIT;
FETCH ALL FROM joined_again;
CLOSE joined_again;
BEGIN;
-- what a cursor reads it reads as of when it was opened
DECLARE joined_late CURSOR FOR SELECT n.t, count(*) FROM join_facts f JOIN join_none n ON n.id = f.k GROUP BY 1 ORDER BY 1;
INSERT INTO join_none VALUES (1, 1, 'one'), (2, 2, 'two');
FETCH ALL FROM joined_late;
SELECT n.t, count(*) FROM join_facts f JOIN join_none n ON n.id = f.k GROUP BY 1 ORDER BY 1;
-- changes of the same transaction, undone changes, and those of the same command
UPDATE join_none SET t = 'changed', id = 3 WHERE id = 2;
SAVEPOINT a;
DELETE FROM join_none;
SELECT wa_compare_order('SELECT n.t, count(*) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k GROUP BY 1');
ROLLBACK TO a;
SELECT n.t, count(*) FROM join_facts f JOIN join_none n ON n.id = f.k GROUP BY 1 ORDER BY 1;
WITH changed AS (UPDATE join_none SET t = 'again' RETURNING id) SELECT n.t, count(*), (SELECT count(*) FROM changed) FROM join_facts f JOIN join_none n ON n.id = f.k GROUP BY 1 ORDER BY 1;
WITH added AS (INSERT INTO join_none VALUES (4, 4, 'four') RETURNING id) SELECT n.t, count(*), max(added.id) FROM join_facts f JOIN join_none n ON n.id = f.k CROSS JOIN added GROUP BY 1 ORDER BY 1;
SELECT wa_compare_order('SELECT n.t, count(*) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k GROUP BY 1');
UPDATE join_facts SET k = 4 WHERE id % 100 = 5;
SELECT wa_compare_order('SELECT n.t, count(*) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k GROUP BY 1');
ROLLBACK;
-- results that become rows
CREATE TABLE join_results AS SELECT d.name, count(*) AS c, sum(d.x) AS s FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1;
INSERT INTO join_none (id, x, t) SELECT d.id, count(*), max(d.name) FROM join_facts f LEFT JOIN join_none n ON n.id = f.k JOIN join_dims d ON d.id = f.k WHERE n.id IS NULL GROUP BY 1;
SELECT (SELECT sum(c) FROM join_results) = (SELECT sum(x) FROM join_none) AS same, count(*) FROM join_none;
TRUNCATE join_none;

-- Clauses without columns are evaluated once, before anything is read.
SELECT wa_compare_order(q), wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE now() > ''2001-01-01'' GROUP BY 1',
    'SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k AND now() < ''2001-01-01'' GROUP BY 1',
    'SELECT count(*), max(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k WHERE now() < ''2001-01-01''',
    'SELECT count(*), max(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent WHERE (SELECT max(id) > 0 FROM join_regions)',
    'SELECT count(*), max(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent WHERE (SELECT count(*) = 0 FROM join_regions)',
    'SELECT f.b, count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND now() > ''2001-01-01'') GROUP BY 1',
    'SELECT f.b, count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND now() > ''2001-01-01'') GROUP BY 1',
    'SELECT f.b, count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_many m WHERE m.k = f.k AND now() < ''2001-01-01'') GROUP BY 1',
    'SELECT f.b, count(*) FROM join_facts f WHERE k IN (SELECT id FROM join_dims d) AND NOT EXISTS (SELECT FROM join_groups g WHERE g.id = f.b) AND now() > ''2001-01-01'' GROUP BY 1',
    'SELECT d.name, count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE false GROUP BY 1',
    'SELECT count(*) FROM join_facts f JOIN (SELECT * FROM join_dims WHERE id > 3 AND NULL) d ON d.id = f.k']) q;
-- In an outer join they are of its partners.
SELECT split_part(wa_compare_order(q), ',', 1) AS wa_compare_order, q FROM unnest(ARRAY[
    'SELECT count(*), count(d.x) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND now() < ''2001-01-01''',
    'SELECT f.b, count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND now() < ''2001-01-01'') GROUP BY 1']) q;

-- Views, and rows that a user may not see.
CREATE VIEW join_view AS SELECT f.*, d.name, d.x, g.label FROM join_facts f JOIN join_dims d ON d.id = f.k LEFT JOIN join_groups g ON g.id = d.parent;
CREATE VIEW join_barrier WITH (security_barrier) AS SELECT id, x, name FROM join_dims WHERE x > 5;
SELECT wa_compare_order(q), wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT label, name, count(*), sum(v) FROM join_view GROUP BY 1, 2',
    'SELECT b.name, count(*), sum(b.x) FROM join_facts f JOIN join_barrier b ON b.id = f.k GROUP BY 1',
    'SELECT count(*) FROM join_facts f WHERE k IN (SELECT id FROM join_barrier)']) q;
-- Tells of rows that the policies below keep from it.
CREATE FUNCTION join_leak(x bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 0.0001 AS $$BEGIN IF x >= 9 THEN RAISE NOTICE 'leaked %', x; END IF; RETURN true; END$$;
CREATE ROLE regress_join_user;
GRANT SELECT ON join_facts, join_dims, join_groups, join_results, join_few, join_view TO regress_join_user;
ALTER TABLE join_dims ENABLE ROW LEVEL SECURITY;
CREATE POLICY join_policy ON join_dims USING (x < 9);
ALTER TABLE join_facts ENABLE ROW LEVEL SECURITY;
CREATE POLICY join_policy ON join_facts USING (v % 2 = 0 AND id > 5);
SET SESSION AUTHORIZATION regress_join_user;
SET client_min_messages = notice;
SELECT wa_plan('SELECT d.name, count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1');
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT d.name, count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1',
    'SELECT d.x, count(*), sum(f.v) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k GROUP BY 1',
    'SELECT d.x, count(*), sum(f.v) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE d.x + f.b > 3 AND d.x > f.b GROUP BY 1',
    'SELECT label, count(*) FROM join_view GROUP BY 1']) q;
SELECT join_leak(9) AS told;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE join_leak(d.x) AND join_leak(f.v % 2 + 8)',
    'SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE join_leak(d.x + (f.v % 2) * 9)',
    'SELECT d.name, count(*) FILTER (WHERE join_leak(d.x)), bool_and(join_leak(f.v % 2 * 9)) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1',
    'SELECT join_leak(d.x), join_leak(f.v % 2 * 9), count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k GROUP BY 1, 2']) q;
SELECT count(*) FROM join_facts f JOIN join_regions r ON r.id = f.b;
SELECT count(*) FROM join_facts f WHERE f.b IN (SELECT id FROM join_regions);
SELECT count(*) FROM join_facts f WHERE f.b NOT IN (SELECT id FROM join_regions);
-- a policy that is a subquery comes before all that may tell of rows
RESET SESSION AUTHORIZATION;
ALTER POLICY join_policy ON join_facts USING (b IN (SELECT id FROM join_groups WHERE x = 1));
SET SESSION AUTHORIZATION regress_join_user;
SELECT wa_plan('SELECT count(*) FROM join_facts f') ~ 'WarpAgg' AS has_node LIMIT 1;
SELECT wa_compare_order(q), q FROM unnest(ARRAY[
    'SELECT count(*) FROM join_facts f WHERE join_leak(CASE WHEN f.b % 2 = 1 THEN 0 ELSE 9 END)',
    'SELECT count(*) FROM join_facts f WHERE NOT EXISTS (SELECT FROM join_dims d WHERE d.id = f.k AND join_leak(d.x * 0 + CASE WHEN f.b % 2 = 1 THEN 0 ELSE 9 END))',
    'SELECT d.name, count(*) FROM join_facts f LEFT JOIN join_dims d ON d.id = f.k AND join_leak(CASE WHEN f.b % 2 = 1 THEN d.x % 9 ELSE 9 END) GROUP BY 1',
    'SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k WHERE join_leak(d.x * 0 + CASE WHEN f.b % 2 = 1 THEN 0 ELSE 9 END)']) q;
SET client_min_messages = error;
RESET SESSION AUTHORIZATION;
ALTER TABLE join_facts DISABLE ROW LEVEL SECURITY;
-- functions that a user may not call: of the join's comparison, of a value
REVOKE EXECUTE ON FUNCTION int4eq(integer, integer), upper(text) FROM PUBLIC;
SET SESSION AUTHORIZATION regress_join_user;
SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k;
SELECT upper(g.label), count(*) FROM join_facts f JOIN join_groups g ON g.id = f.b GROUP BY 1;
SET warpagg.enable_scan = off;
SELECT count(*) FROM join_facts f JOIN join_dims d ON d.id = f.k;
SELECT upper(g.label), count(*) FROM join_facts f JOIN join_groups g ON g.id = f.b GROUP BY 1;
SET warpagg.enable_scan = on;
RESET SESSION AUTHORIZATION;
GRANT EXECUTE ON FUNCTION int4eq(integer, integer), upper(text) TO PUBLIC;
ALTER TABLE join_dims DISABLE ROW LEVEL SECURITY;

-- Tables with partitions and children on either side, temporary and unlogged ones.
CREATE TABLE join_parts (id integer, k integer, v bigint, gone integer, t text COLLATE "C", d date) PARTITION BY RANGE (id);
ALTER TABLE join_parts DROP COLUMN gone;
CREATE TABLE join_part_1 PARTITION OF join_parts FOR VALUES FROM (MINVALUE) TO (5000);
CREATE TABLE join_part_2 (t text COLLATE "C", other integer, d date, v bigint, k integer, id integer);
ALTER TABLE join_part_2 DROP COLUMN other;
ALTER TABLE join_parts ATTACH PARTITION join_part_2 FOR VALUES FROM (5000) TO (9000);
CREATE TABLE join_part_3 PARTITION OF join_parts DEFAULT PARTITION BY LIST ((k % 2));
CREATE TABLE join_part_3_odd (k integer, d date, v bigint, id integer, t text COLLATE "C");
ALTER TABLE join_part_3 ATTACH PARTITION join_part_3_odd FOR VALUES IN (1, -1);
CREATE TABLE join_part_3_rest PARTITION OF join_part_3 DEFAULT;
INSERT INTO join_parts SELECT id, k, v, t, d FROM join_facts;
CREATE TABLE join_divided (id integer PRIMARY KEY, x integer, name text COLLATE "C") PARTITION BY RANGE (id);
CREATE TABLE join_divided_1 PARTITION OF join_divided FOR VALUES FROM (MINVALUE) TO (40);
CREATE TABLE join_divided_2 (name text COLLATE "C", x integer, id integer NOT NULL);
ALTER TABLE join_divided ATTACH PARTITION join_divided_2 FOR VALUES FROM (40) TO (MAXVALUE);
INSERT INTO join_divided SELECT id, x, name FROM join_dims;
CREATE TABLE join_parent (id integer PRIMARY KEY, x integer);
CREATE TABLE join_child (id integer PRIMARY KEY) INHERITS (join_parent);
INSERT INTO join_parent VALUES (1, 1), (2, 2);
INSERT INTO join_child VALUES (2, 3), (4, 4);
CREATE TABLE join_fact_parent (id integer, k integer, v bigint);
-- PostgreSQL reads this one, for the node.
CREATE TEMPORARY TABLE join_fact_near () INHERITS (join_fact_parent);
INSERT INTO join_fact_near (id, k, v) SELECT id, k, v FROM join_facts WHERE id BETWEEN 3000 AND 3500;
CREATE TABLE join_fact_child (more text, v bigint, k integer) INHERITS (join_fact_parent);
INSERT INTO join_fact_parent SELECT id, k, v FROM join_facts WHERE id < 3000;
INSERT INTO join_fact_child (id, k, v) SELECT id, k, v FROM join_facts WHERE id > 7000;
CREATE TEMPORARY TABLE join_temporary (id integer PRIMARY KEY, x integer);
INSERT INTO join_temporary SELECT id, x FROM join_dims WHERE id % 2 = 0;
CREATE UNLOGGED TABLE join_unlogged (id integer PRIMARY KEY, x integer);
INSERT INTO join_unlogged SELECT id, x FROM join_dims WHERE id % 3 = 0;
VACUUM (ANALYZE) join_parts, join_divided, join_parent, join_child, join_fact_parent, join_fact_child, join_fact_near, join_temporary, join_unlogged;
SELECT wa_plan('SELECT d.name, count(*) FROM join_parts f JOIN join_dims d ON d.id = f.k WHERE f.id < 8000 GROUP BY 1');
SELECT wa_plan('SELECT f.b, count(*) FROM join_facts f WHERE k IN (SELECT x FROM join_divided WHERE id < 60) GROUP BY 1');
CREATE TEMPORARY TABLE join_part_queries (number serial, query text);
INSERT INTO join_part_queries (query) VALUES
('SELECT d.name, count(*), sum(f.v + d.x) FROM join_parts f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT d.name, count(*), max(f.t) FROM join_parts f LEFT JOIN join_dims d ON d.id = f.k AND d.x > 3 WHERE f.id BETWEEN 3000 AND 6000 GROUP BY 1'),
('SELECT g.label, x.month, count(*) FROM join_parts f JOIN join_dims d ON d.id = f.k JOIN join_groups g ON g.id = d.parent LEFT JOIN join_days x ON x.day = f.d GROUP BY 1, 2'),
('SELECT f.t, count(*) FROM join_parts f WHERE k IN (SELECT k FROM join_many) AND NOT EXISTS (SELECT FROM join_groups g WHERE g.id = f.k) AND f.id > 8000 GROUP BY 1'),
('SELECT sum(10 / (d.x - 1)) FROM join_parts f JOIN join_dims d ON d.id = f.k WHERE f.id > 100'),
('SELECT d.name, count(*), sum(f.v + d.x) FROM join_parts f LEFT JOIN join_dims d ON d.id = f.k AND d.x < f.v % 9 GROUP BY 1'),
('SELECT f.t, count(*) FROM join_parts f WHERE k NOT IN (SELECT id FROM join_dims) OR f.v % 9 IN (1, 2) GROUP BY 1'),
('SELECT count(*), sum(d.x) FROM join_parts f JOIN join_divided d ON d.id = f.k'),
('SELECT d.name, count(*), sum(d.x) FROM join_facts f JOIN join_divided d ON d.id = f.k WHERE d.id < 60 GROUP BY 1'),
('SELECT d.name, count(*) FROM join_facts f LEFT JOIN join_divided d ON d.id = f.k GROUP BY 1'),
('SELECT count(*) FROM join_facts f WHERE k IN (SELECT id FROM join_divided WHERE x > 4)'),
('SELECT count(*), sum(p.x) FROM join_facts f JOIN join_parent p ON p.id = f.b'),
('SELECT count(*), sum(p.x) FROM join_facts f JOIN ONLY join_parent p ON p.id = f.b'),
('SELECT count(*) FROM join_facts f WHERE EXISTS (SELECT FROM join_parent p WHERE p.id = f.b)'),
('SELECT d.name, count(*), sum(f.v) FROM join_fact_parent f JOIN join_dims d ON d.id = f.k GROUP BY 1'),
('SELECT count(*), sum(f.v) FROM join_fact_parent f WHERE f.id > 3000 AND k NOT IN (SELECT id FROM join_dims ORDER BY id LIMIT 100)'),
('SELECT d.name, count(*), sum(f.v) FROM join_fact_parent f LEFT JOIN join_dims d ON d.id = f.k AND d.x < f.v % 9 WHERE f.k NOT IN (SELECT id FROM join_groups) OR f.id % 3 = 0 GROUP BY 1'),
('SELECT o.x, l.* FROM generate_series(0, 3) o (x), LATERAL (SELECT count(*), sum(f.v) FROM join_fact_parent f WHERE f.k NOT IN (SELECT id FROM join_dims d WHERE d.x > o.x)) l'),
('SELECT count(*), sum(d.x) FROM join_facts f JOIN join_temporary d ON d.id = f.k'),
('SELECT u.x, count(*) FROM join_facts f JOIN join_unlogged u ON u.id = f.k LEFT JOIN join_temporary t ON t.id = u.x GROUP BY 1'),
('SELECT d.id, count(*), sum(e.x) FROM join_facts f JOIN join_dims d ON d.id = f.k JOIN join_dims e ON e.id = d.x GROUP BY 1'),
('SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d TABLESAMPLE SYSTEM (100) ON d.id = f.k');
SELECT number, wa_compare_order(query), wa_refusal(query) FROM join_part_queries ORDER BY 1;
SET enable_partitionwise_join = on;
SET enable_partitionwise_aggregate = on;
SELECT number, wa_compare_order(query), wa_refusal(query) FROM join_part_queries WHERE number <= 8 ORDER BY 1;
RESET enable_partitionwise_join;
RESET enable_partitionwise_aggregate;
-- Of orders of joins that PostgreSQL has not thought of there are no plans.
SET join_collapse_limit = 1;
SELECT number, wa_compare_order(query) FROM join_queries WHERE number BETWEEN 27 AND 33 ORDER BY 1;
RESET join_collapse_limit;
SET geqo_threshold = 2;
SELECT number, split_part(wa_compare_order(query), ',', 1) FROM join_queries WHERE number BETWEEN 27 AND 33 ORDER BY 1;
RESET geqo_threshold;
-- Other plans of what is joined.
SET enable_seqscan = off;
SELECT number, split_part(wa_compare_order(query), ',', 1) FROM join_queries WHERE number BETWEEN 27 AND 45 ORDER BY 1;
RESET enable_seqscan;
SELECT 0 * count(set_config(name, 'on', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
SELECT number, split_part(wa_compare_order(query), ',', 1) FROM join_queries WHERE number BETWEEN 1 AND 60 ORDER BY 1;
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';

-- One snapshot, and what the transaction itself has changed.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k;
UPDATE join_dims SET x = x + 1 WHERE id % 2 = 0;
SELECT count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k;
SELECT wa_compare_order('SELECT d.name, count(*), sum(d.x) FROM join_facts f JOIN join_dims d ON d.id = f.k GROUP BY 1');
ROLLBACK;

-- All the same of resident columns; what is joined is read from the heap.
SELECT warpagg_load('join_facts') > 0 AS loaded;
SELECT warpagg_load('join_parts') > 0 AS loaded;
SELECT number, wa_compare_order(query) FROM join_queries ORDER BY 1;
SELECT number, wa_compare_order(query) FROM join_part_queries ORDER BY 1;
UPDATE join_dims SET x = x + 1, name = 'new ' || x % 3 WHERE id % 3 = 0;
DELETE FROM join_dims WHERE id % 7 = 1;
UPDATE join_facts SET k = k + 1 WHERE id % 50 = 3;
SELECT number, wa_compare_order(query) FROM join_queries WHERE number IN (1, 12, 15, 28, 33, 39, 45, 49, 58) ORDER BY 1;

-- What a session keeps of joined relations is not used once they have changed, whoever has
-- changed them, nor where settings are others.
CREATE FUNCTION join_kept(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN wa_compare(query) || CASE WHEN plan @? '$.**.Plans[*] ? (@."Parent Relationship" == "child" || @."Parent Relationship" == "SubPlan")."Actual Loops" ? (@ > 0)'
        THEN ', read' ELSE ', kept' END;
END $$;
CREATE TABLE join_lasting (id integer PRIMARY KEY, x integer, name text COLLATE "C", w double precision, bytes bytea, gone integer)
    WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO join_lasting SELECT i, i % 5, 'name ' || i % 3, i / 3.0, decode(lpad((i % 100)::text, 4, '0'), 'hex'), 1 FROM generate_series(1, 2000) i;
VACUUM (FREEZE, ANALYZE) join_lasting;
SELECT warpagg_load('join_lasting', '{id}') AS rows;
\set lasting '''SELECT l.name, count(*), sum(l.x + f.b) FROM join_facts f JOIN join_lasting l ON l.id = f.k GROUP BY 1'''
SELECT join_kept(:lasting);
SELECT join_kept(:lasting);
UPDATE join_lasting SET name = 'changed' WHERE id = 5;
SELECT join_kept(:lasting);
BEGIN;
UPDATE join_lasting SET name = 'in between' WHERE id = 6;
SELECT join_kept(:lasting);
SAVEPOINT a;
DELETE FROM join_lasting WHERE id < 20;
SELECT join_kept(:lasting);
ROLLBACK TO a;
SELECT join_kept(:lasting);
ROLLBACK;
SELECT join_kept(:lasting);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT join_kept(:lasting);
INSERT INTO join_lasting VALUES (-5, 1, 'new');
SELECT join_kept(:lasting);
COMMIT;
SELECT join_kept(:lasting);
PREPARE lasting (integer) AS SELECT l.name, count(*) FROM join_facts f JOIN join_lasting l ON l.id = f.k AND l.x > $1 GROUP BY 1;
SET plan_cache_mode = force_generic_plan;
SELECT q, wa_rows(q, 'on', 'on', 'all') IS NOT DISTINCT FROM wa_rows(q, 'off', 'off', 'off') AS same FROM unnest(ARRAY['EXECUTE lasting (1)', 'EXECUTE lasting (3)', 'EXECUTE lasting (1)', 'EXECUTE lasting (NULL)']) q;
RESET plan_cache_mode;
DEALLOCATE lasting;
ALTER TABLE join_lasting DROP COLUMN gone;
SELECT join_kept(:lasting);
ALTER TABLE join_lasting ALTER x TYPE bigint USING x + 1;
SELECT join_kept(:lasting);
TRUNCATE join_lasting;
SELECT split_part(join_kept(:lasting), ',', 1);
INSERT INTO join_lasting SELECT i, i % 7, 'again ' || i % 3, i / 3.0, decode(lpad((i % 100)::text, 4, '0'), 'hex') FROM generate_series(1, 2000) i;
VACUUM (FREEZE, ANALYZE) join_lasting;
SELECT warpagg_load('join_lasting', '{id}') AS rows;
SELECT join_kept(:lasting);
SELECT join_kept(:lasting);
VACUUM FULL join_lasting;
SELECT split_part(join_kept(:lasting), ',', 1);
SELECT warpagg_load('join_lasting', '{id}') AS rows;
-- of the same values there are other texts
\set floats '''SELECT count(*) FROM join_facts f JOIN join_lasting l ON l.id = f.k WHERE l.w::text LIKE ''''%333333333'''''''
\set bytes '''SELECT count(*) FROM join_facts f JOIN join_lasting l ON l.id = f.k WHERE l.bytes::text LIKE ''''%x00%'''''''
SELECT join_kept(:floats), join_kept(:bytes);
SELECT join_kept(:floats), join_kept(:bytes);
SET extra_float_digits = -5;
SET bytea_output = escape;
SELECT join_kept(:floats), join_kept(:bytes);
RESET extra_float_digits;
RESET bytea_output;
-- what a subquery returns is kept, too
\set set '''SELECT count(*), sum(f.v) FROM join_facts f WHERE f.k NOT IN (SELECT l.x FROM join_lasting l) AND (f.b = 1 OR f.a IN (SELECT l.id FROM join_lasting l WHERE l.x < 4))'''
SELECT join_kept(:set);
SELECT join_kept(:set);
UPDATE join_lasting SET x = 77 WHERE id IN (10, 20);
SELECT warpagg_load('join_lasting', '{id}') > 0 AS loaded;
SELECT join_kept(:set);
SELECT join_kept(:set);
BEGIN;
INSERT INTO join_lasting VALUES (-7, NULL, 'none');
SELECT join_kept(:set);
ROLLBACK;
SELECT join_kept(:set);
-- of subselects and functions nothing is known
SELECT join_kept('SELECT count(*) FROM join_facts f JOIN join_lasting l ON l.id = f.k AND l.x > (SELECT min(x) FROM join_groups)');
SELECT join_kept('SELECT count(*) FROM join_facts f JOIN join_lasting l ON l.id = f.k AND join_leak(l.x)');
DROP TABLE join_lasting;
CREATE TABLE join_lasting (id integer PRIMARY KEY, x integer, name text COLLATE "C") WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO join_lasting SELECT i, 1, 'other' FROM generate_series(1, 2000) i;
VACUUM (FREEZE, ANALYZE) join_lasting;
SELECT warpagg_load('join_lasting', '{id}') AS rows;
SELECT join_kept(:lasting);

DROP VIEW join_view, join_barrier;
DROP TABLE join_wide, join_long, join_full, join_word_pairs, join_set_nulls, join_set_null, join_facts, join_no_facts, join_dims, join_groups, join_regions, join_days, join_pairs, join_sparse, join_many, join_none, join_odd, join_domains, join_partly, join_ends, join_end_facts, join_few, join_results, join_parts, join_divided, join_child, join_parent, join_fact_child, join_fact_near, join_fact_parent, join_unlogged, join_lasting, join_times, join_words, join_word_facts;
DROP FUNCTION join_kept(text), join_seen(integer), join_leak(bigint);
DROP DOMAIN join_domain;
DROP TYPE join_pair;
DROP ROLE regress_join_user;
