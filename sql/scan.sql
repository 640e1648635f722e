--
-- The scan tier: one node instead of an aggregate over a sequential scan.
--
\pset null '(null)'
SET warpagg.enable_scan = on;
SET timezone = 'Europe/Berlin';
SET max_parallel_workers_per_gather = 0;

CREATE TABLE wa_scan (
    id integer,
    gone text,
    i2 smallint,
    i4 integer,
    i8 bigint,
    f4 real,
    f8 double precision,
    n numeric,
    p numeric(12,2),
    b boolean,
    d date,
    ts timestamp,
    tz timestamptz,
    m money,
    s text,
    c char(3)
);
INSERT INTO wa_scan
SELECT i, 'dropped', h % 1000, (h - 2147483648)::integer, (h - 2000000000) * 1000003,
       (h % 2000 - 1000) / 4.0, (h % 100000 - 50000) / 8.0,
       CASE h % 4 WHEN 0 THEN 1.50 WHEN 1 THEN 1.5 ELSE (h % 1000)::numeric / 1000 END,
       (h % 100000)::numeric / 100, h % 3 = 0,
       date '2026-01-01' + (h % 400)::integer,
       timestamp '2026-01-01' + h * interval '1 second' / 100,
       timestamptz '2026-01-01' + h * interval '1 second' / 100,
       (h % 10000)::integer::money, 'text ' || h % 7, chr(65 + (h % 5)::integer)
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h
      FROM generate_series(1, 10000) i) s;
UPDATE wa_scan SET i2 = NULL, f8 = NULL, p = NULL, s = NULL, c = NULL, tz = NULL WHERE id % 11 = 3;
DELETE FROM wa_scan WHERE id % 13 = 5;
ALTER TABLE wa_scan DROP COLUMN gone;
ALTER TABLE wa_scan ADD COLUMN late integer DEFAULT 42;
ALTER TABLE wa_scan ADD COLUMN later numeric;
INSERT INTO wa_scan (id, i4, late, later) SELECT i, i, i % 3, i / 8.0 FROM generate_series(10001, 10100) i;
ANALYZE wa_scan;

SET client_min_messages = warning;

-- The plan.
SELECT wa_plan($$SELECT c, sum(i8) / count(*), gpu_avg(p) FILTER (WHERE b) FROM wa_scan
WHERE i4 > 0 AND s <> 'text 3' GROUP BY c HAVING count(*) > 1 ORDER BY c$$, 'COSTS OFF, VERBOSE');
SELECT wa_plan($$SELECT gpu_sum(i4) FROM wa_scan WHERE i2 = 1$$, 'COSTS OFF, FORMAT JSON');

-- Every aggregate over every type, with and without groups.
SELECT d.* FROM unnest(ARRAY['i2', 'i4', 'i8', 'n', 'p', 'later']) x,
    wa_scan_differences(format('SELECT count(*), count(%1$s), sum(%1$s), avg(%1$s), min(%1$s), max(%1$s), '
        'var_pop(%1$s), var_samp(%1$s), stddev_pop(%1$s), stddev(%1$s) FROM wa_scan', x)) d;
SELECT d.* FROM unnest(ARRAY[
    'i2',
    'i4',
    'i8',
    'n',
    'p',
    'late'
]) x, unnest(ARRAY[
    'c',
    'b',
    'i2 % 10, s',
    'd',
    'n',
    'f8'
]) k,
    wa_scan_differences(format('SELECT %3$s, count(*), sum(%1$s), avg(%1$s), wa_value_text(min(%1$s)), '
        'wa_value_text(max(%1$s)), stddev(%1$s) FROM wa_scan GROUP BY %2$s',
        x, k, replace(k, 'n', 'wa_value_text(n)'))) d;
SELECT d.* FROM unnest(ARRAY['f4', 'f8', 'd', 'ts', 'tz', 's', 'm']) x, unnest(ARRAY['', 'b', 'c']) k,
    wa_scan_differences(format('SELECT count(%1$s), min(%1$s), max(%1$s) FROM wa_scan ', x)
        || CASE k WHEN '' THEN '' ELSE 'GROUP BY ' || k END) d;
SELECT * FROM wa_scan_differences('SELECT gpu_sum(f4), gpu_avg(f8), gpu_stddev(f8), gpu_sum(m) FROM wa_scan');
SELECT * FROM wa_scan_differences('SELECT b, gpu_sum(f4), gpu_avg(f8), gpu_variance(f4), sum(m) FROM wa_scan GROUP BY b');

-- Conditions and expressions.
SELECT d.* FROM unnest(ARRAY[
    'i4 BETWEEN -1000000000 AND 1000000000',
    'i2 IN (1, 5, 17, NULL)',
    'i2 NOT IN (1, 5)',
    's IS NULL OR b',
    'NOT (b AND i4 > 0)',
    'c = ''A''',
    'c > ''B'' COLLATE "C"',
    's >= ''text 3'' COLLATE "C"',
    'd < ts',
    'ts >= d',
    'd >= date ''2026-06-01'' AND d < date ''2026-06-01'' + interval ''1 month''',
    'b IS NOT TRUE',
    'b IS UNKNOWN',
    'p * 2 > 500.001',
    'n = 1.500',
    'f8 > 0.1 AND f4 < 100',
    'f8::real = f4',
    'i8 % 7 = 3',
    'abs(i4) > 1000',
    'CASE WHEN i2 = 0 THEN 0 ELSE i4 / i2 END > 1000',
    'i2 <> 0 AND i4 / i2 > 1000',
    'coalesce(i2, -1) < 0',
    'date_trunc(''month'', ts) = timestamp ''2026-03-01''',
    'tz::date = date ''2026-03-29''',
    'extract(hour FROM tz) = 2',
    'm > 50::money',
    'late = 42',
    'later > 1252',
    'id = any(ARRAY[1, 2, 3])'
]) w,
    wa_scan_differences('SELECT count(*), sum(id), min(s), max(p) FROM wa_scan WHERE ' || w) d;
SELECT d.* FROM unnest(ARRAY[
    'i4 / 1000',
    'i8 % 1000',
    '-i4',
    'i2 + i4',
    'i4::bigint * i2',
    'p * p - n',
    'round(p, 1)',
    'p::integer',
    'n::numeric(10,1)',
    'floor(p)',
    'ceil(n)',
    'CASE WHEN b THEN p ELSE 0 END',
    'CASE i2 % 3 WHEN 0 THEN 1 WHEN 1 THEN 2 END',
    'coalesce(p, n, 0)',
    'i4::numeric',
    'p::bigint',
    'extract(epoch FROM ts)',
    'extract(dow FROM tz)'
]) e,
    wa_scan_differences(format('SELECT sum(%1$s), avg(%1$s), min(%1$s), max(%1$s), count(%1$s) FROM wa_scan', e)) d;
SELECT d.* FROM unnest(ARRAY[
    'date_trunc(''hour'', ts)',
    'date_trunc(''day'', tz)',
    'date_trunc(''week'', tz)',
    'date_trunc(''quarter'', ts)',
    'ts::date',
    'tz::date',
    'floor(extract(epoch FROM tz) / 3600)',
    'i4 / 100000000',
    'i2 % 10',
    'upper(s)',
    'extract(month FROM d)',
    'n',
    'p - p % 10',
    'floor((p - 500) / 0.37)',
    'floor(n / 3)',
    'floor(extract(epoch FROM tz) / 300) * 300',
    'floor(date_part(''epoch'', ts) / 60)',
    'f8',
    'coalesce(s, ''none'')',
    'i4 > 0',
    'CASE WHEN p > 500 THEN ''high'' ELSE ''low'' END',
    'floor(f8 / 1000)'
]) e,
    wa_scan_differences(format('SELECT wa_value_text(%1$s), count(*), sum(i8) FROM wa_scan GROUP BY %1$s', e)) d
WHERE side <> 'no node';

-- FILTER, HAVING, expressions over aggregates, the order above.
SELECT * FROM wa_scan_differences('SELECT count(*) FILTER (WHERE b), sum(p) FILTER (WHERE i4 > 0), sum(p) FROM wa_scan');
SELECT * FROM wa_scan_differences('SELECT s, sum(i4) + count(*) AS x FROM wa_scan GROUP BY s HAVING max(p) > 999 AND s IS NOT NULL');
SELECT * FROM wa_scan_differences('SELECT c, rank() OVER (ORDER BY sum(i8) DESC) FROM wa_scan GROUP BY c');
SELECT * FROM wa_scan_differences('SELECT c, count(*) FROM wa_scan GROUP BY c ORDER BY 2 DESC, 1 LIMIT 3 OFFSET 1');
SELECT count(*), sum(i4), min(s) FROM wa_scan WHERE false OR i4 IS NULL AND id < 0;
SELECT c, count(*) FROM wa_scan WHERE id < 0 GROUP BY c;

-- Errors are PostgreSQL's, and only for rows that it would evaluate.
SELECT sum(i4 / (i2 - i2)) FROM wa_scan;
SELECT sum(i4 * i4) FROM wa_scan;
SELECT sum((i8 * 1000000000000)::numeric) FROM wa_scan;
SELECT sum(1 / (i2 - 5)) FROM wa_scan WHERE i2 <> 5 AND id < 1000;
SELECT sum(CASE WHEN i2 = 5 THEN 0 ELSE 1000 / (i2 - 5) END) FROM wa_scan;
SELECT count(*) FILTER (WHERE i2 <> 5 AND 1000 / (i2 - 5) > 3) FROM wa_scan;
SELECT max(f8 * 1e308) FROM wa_scan;
SELECT count(*) FROM wa_scan WHERE date_trunc('eon', ts) IS NULL;

-- Row by row, too, nothing behind a clause that is NULL is evaluated.
SELECT count(*) FROM wa_scan WHERE later > 1 AND 1 / coalesce(later, 0)::integer >= 0
    AND CASE WHEN id = 10002 THEN true ELSE 1 / (id - 10002) < 5 END;

-- What has no vector goes row by row.
CREATE TABLE wa_odd (k numeric, n numeric, s text);
INSERT INTO wa_odd VALUES (1, 1, 'a'), (1.0, 'NaN', repeat('long', 3000)), ('NaN', 1e100, 'a'),
    (1.00, 12345678901234567890.123456789, 'b'), (1e30, 2, 'b'), ('Infinity', 3, NULL), (10^30::numeric, 0.1, 'c');
INSERT INTO wa_odd SELECT i % 3, i, repeat(md5(i::text), 200) FROM generate_series(1, 20) i;
SELECT * FROM wa_scan_differences('SELECT sum(n), avg(n), min(n), max(n), count(*) FROM wa_odd');
SELECT * FROM wa_scan_differences('SELECT wa_value_text(k), count(*), sum(n), max(n) FROM wa_odd GROUP BY k');
SELECT * FROM wa_scan_differences('SELECT md5(s), count(*) FROM wa_odd GROUP BY s');
SELECT * FROM wa_scan_differences('SELECT min(s), max(s), count(s) FROM wa_odd WHERE n < 1000');

-- More groups than the memory holds (more in scan_spill.sql).
CREATE TABLE wa_many AS
SELECT i % 40000 AS k, CASE WHEN i % 7 > 0 THEN 'key ' || i % 30000 END AS s, (i % 50000) / 100.0 AS n, i % 20000 / 3::float8 AS f, i::bigint AS v
FROM generate_series(1, 60000) i;
INSERT INTO wa_many SELECT i % 40000, 'key ' || i % 30000, (i % 50000)::numeric(20,6) / 100, i % 20000 / 3::float8, -1
FROM generate_series(1, 5000) i;
INSERT INTO wa_many VALUES (1, NULL, 'NaN', 'NaN', 1), (1, NULL, 'NaN', '-NaN', 2), (1, repeat('x', 5000), 1e50, -0.0, 3);
ANALYZE wa_many;
CREATE FUNCTION wa_spills(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN (plan->0->'Plan'->>'Batches')::integer > 1;
END
$$;
SET work_mem = '64kB';
SET enable_hashagg = off;
SET enable_sort = off;
SELECT k, wa_spills('SELECT count(*), sum(v) FROM wa_many GROUP BY ' || k) AS spills
FROM unnest(ARRAY['k, s', 's, n', 'n, f']) k;
SELECT d.* FROM unnest(ARRAY['k, s', 's, n', 'n, f']) k,
    wa_scan_differences(format('SELECT %1$s, count(*), sum(v), min(n) FROM wa_many GROUP BY %1$s', k)) d;
SELECT x, sum(c) FROM generate_series(1, 2) x, LATERAL (SELECT k, s, count(*) + x - x AS c FROM wa_many GROUP BY k, s) y GROUP BY x ORDER BY x;
RESET work_mem;
RESET enable_hashagg;
RESET enable_sort;

-- Columns are gathered clause by clause, for the rows that are left.  First all
-- rows have the same NULLs, then few kinds of NULLs alternate, then many do.
CREATE TABLE wa_steps (
    id integer, t1 text, n1 numeric, gone text, t2 text, d date, n2 numeric(12,2),
    x1 smallint, x2 integer, x3 bigint, x4 boolean, x5 real, x6 text, c char(3), v bigint, t3 text, last numeric
);
ALTER TABLE wa_steps ALTER t2 SET STORAGE EXTERNAL, ALTER t3 SET STORAGE PLAIN;
INSERT INTO wa_steps
SELECT i, CASE WHEN i > 4000 AND i % 3 = 0 THEN NULL ELSE repeat('t', i % 9 + CASE i % 50 WHEN 7 THEN 200 ELSE 0 END) END,
    CASE i WHEN 6500 THEN 'NaN' WHEN 6501 THEN 1e40 ELSE (i % 1000)::numeric / 8 END, 'dropped',
    CASE i WHEN 7500 THEN repeat('long', 3000) ELSE 'u' || i % 5 END, date '2026-01-01' + i % 300,
    CASE WHEN i % 7 > 0 OR i < 4000 THEN (i % 3000)::numeric / 100 END, i % 11,
    CASE WHEN i > 2000 THEN i END, CASE WHEN i < 8000 OR i % 2 = 0 THEN i END, CASE WHEN i < 8000 OR i % 3 = 0 THEN i % 4 = 1 END,
    CASE WHEN i < 8000 OR i % 5 = 0 THEN i / 4 END, CASE WHEN i < 8000 OR i % 11 = 0 THEN repeat('x', i % 200) END,
    chr(65 + i % 5), i * 1000, repeat('p', i % 300), i / 16.0
FROM generate_series(1, 12000) i;
ALTER TABLE wa_steps DROP COLUMN gone;
ALTER TABLE wa_steps ADD COLUMN late integer DEFAULT 42, ADD COLUMN later text DEFAULT 'later', ADD COLUMN latest numeric;
INSERT INTO wa_steps (id, n1, n2, v, late, later, latest) SELECT i, i, 1.5, i, i % 3, 'new', 0.5 FROM generate_series(12001, 12500) i;
ANALYZE wa_steps;
SELECT d.* FROM unnest(ARRAY[
    'd < ''2026-03-01'' AND n2 > 5 AND x1 = 3',
    'n2 > 5 AND d < ''2026-03-01'' AND n2 < 20',
    'last > 100 AND t1 <> ''tt'' AND n2 < 10',
    'id = 5000',
    'id = 5000 AND d > ''2026-01-01'' AND last > 0',
    'id > 0 AND last > 0',
    'd < ''2020-01-01'' AND n1 = 3',
    'd > ''2020-01-01'' AND n2 > 1',
    'x2 IS NULL AND n2 > 3',
    'x2 IS NOT NULL AND x3 IS NULL AND x5 IS NULL',
    'x4 AND x6 > ''xx'' COLLATE "C"',
    't1 IS NULL AND t2 = ''u3''',
    't2 <> ''u1'' AND c = ''B''',
    'd < ''2026-02-01'' AND t2 <> ''u1'' AND n1 > 7',
    'n1 > 3 AND d = ''2026-05-05''',
    'id < 6000 AND n1 > 3',
    'id BETWEEN 6490 AND 6510 AND n1 > 3 AND last > 0',
    'late = 42 AND later = ''later'' AND n2 > 9',
    'later = ''new'' OR x1 = 2',
    'latest IS NULL AND x1 = 2',
    'latest = 0.5',
    'late < 2 AND v > 0 AND latest < 1',
    't3 > ''pppp'' COLLATE "C" AND last > 10 AND x5 < 900',
    'x5 < 900 AND late = 42',
    'id % 2 = 0 AND id % 3 = 0 AND d > ''2026-02-01'' AND id % 5 = 0 AND last > 50 AND n2 > 4 AND v > 3',
    'true',
    'x1 IN (2, 3) AND x2 % 2 = 1 AND c <> ''C'''
]) w, unnest(ARRAY[
    'count(*), sum(v), sum(last), min(t1), max(t3)',
    'c, sum(n2), count(x5), max(x6), sum(id) FILTER (WHERE x4)',
    'x1, sum(n2 * last) FILTER (WHERE n2 > 7), count(late), sum(latest), min(later)',
    'count(*)'
]) a,
    wa_scan_differences(format('SELECT %s FROM wa_steps WHERE %s', a, w)
        || CASE WHEN a ~ '^(c|x1),' THEN ' GROUP BY 1' ELSE '' END) d
WHERE side <> 'nothing was compared';
-- Seven values of variable length follow one another, with any alignment; each of
-- them has a long header in some rows, is compressed in others and out of line in
-- others.  Columns of fixed length, of any alignment, come behind them.
CREATE TABLE wa_walk (
    id integer, b boolean, v1 text, v2 numeric, v3 bigint[], v4 varchar, v5 bytea, v6 text, v7 float8[],
    x1 boolean, x8 bigint, v8 text, x2 smallint, v9 text, x4 integer, u uuid, v10 text, last bigint
);
ALTER TABLE wa_walk ALTER v1 SET STORAGE EXTERNAL, ALTER v4 SET STORAGE EXTERNAL, ALTER v8 SET STORAGE EXTERNAL;
INSERT INTO wa_walk
SELECT i, i % 3 = 0, repeat('a', n[1]), i % 100 + CASE WHEN n[2] > 100 THEN 1e300 ELSE 0.25 END, array_fill(i::bigint, ARRAY[1 + n[3] / 10]),
    repeat('d', n[4]), decode(repeat('ee', n[5]), 'hex'), repeat(md5(i::text), 1 + n[6] / 32), array_fill(i / 4.0::float8, ARRAY[1 + n[7] / 10]),
    i % 5 = 0, i * 3, repeat('h', n[8]), i % 7, repeat('i', n[9]), i % 1000, md5(i::text)::uuid, repeat('j', n[10]), i * 7
FROM (SELECT i, ARRAY(SELECT CASE WHEN (i * 7 + k) % 13 <> 0 THEN (i + k) % 5 ELSE (ARRAY[150, 3000, 9000])[1 + (i + k) % 3] END
          FROM generate_series(1, 10) k) AS n
      FROM generate_series(1, 4000) i) s;
ANALYZE wa_walk;
SELECT d.* FROM unnest(ARRAY[
    'true',
    'id % 3 = 1',
    'v2 < 1000',
    'x1',
    'v9 < ''iii''',
    'v2 < 50 AND x8 > 300 AND x2 = 3',
    'x4 < 500 AND v6 > ''8'' COLLATE "C"',
    'v8 = ''hh'' AND v10 > ''j'' COLLATE "C"',
    'b AND v1 < ''aaaa'' COLLATE "C" AND v4 = ''d'''
]) w,
    unnest(ARRAY[
    'sum(last)',
    'sum(x8), sum(x2), sum(x4), count(*)',
    'min(v10), max(v9), sum(last)',
    'min(v4), sum(v2), sum(x4)',
    'max(v6), max(v1), count(v3), count(v7), sum(x2)'
]) a,
    wa_scan_differences(format('SELECT %s FROM wa_walk WHERE %s', a, w)) d
WHERE side <> 'nothing was compared';
-- A clause that fails, behind one that leaves out its row, and before it.
SELECT count(*), sum(last) FROM wa_steps WHERE id <> 500 AND 100 / (id - 500) < 2 AND n2 > 5;
SELECT count(*), sum(last) FROM wa_steps WHERE 100 / (id - 500) < 2 AND abs(abs(id - 500)) + 0 > 0 AND c >= 'A';
SELECT count(*), sum(last) FROM wa_steps WHERE d < '2020-01-01' AND 100 / (id - id) < 2;
SELECT count(*), sum(last) FROM wa_steps WHERE n2 > 5 AND id > 600 AND 100 / (id - 500) < 2;
SELECT sum(100 / (id - 500)) FROM wa_steps WHERE n2 > 5 AND id <> 500 AND x1 = 500 % 11;
SELECT sum(100 / (id - 500)) FROM wa_steps WHERE n2 < 20 AND x1 = 500 % 11;
SELECT count(*), sum(100 / (id - 500)) FILTER (WHERE id <> 500) FROM wa_steps WHERE d > '2020-01-01' AND n2 < 20;
-- Many groups, in several passes, of filtered rows; more columns than a word has bits.
SET work_mem = '64kB';
SET enable_hashagg = off;
SET enable_sort = off;
SELECT * FROM wa_scan_differences('SELECT id, t1, count(*), sum(n2) FROM wa_steps WHERE d > ''2026-01-02'' AND n2 > 0.5 AND t2 <> ''u1'' GROUP BY id, t1');
RESET work_mem;
RESET enable_hashagg;
RESET enable_sort;
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE wa_wide (%s)', string_agg(format('c%s %s', i,
        CASE i % 3 WHEN 0 THEN 'integer' WHEN 1 THEN 'text' ELSE 'numeric' END), ', ')) FROM generate_series(1, 80) i);
    EXECUTE (SELECT format('INSERT INTO wa_wide SELECT %s FROM generate_series(1, 3000) g',
        string_agg(format('CASE WHEN g > 1500 AND g %% %s = 0 THEN NULL ELSE %s END', i + 1,
            CASE i % 3 WHEN 0 THEN 'g' WHEN 1 THEN format('repeat(''x'', g %% %s)', i) ELSE format('g %% %s / 4.0', i) END), ', '))
        FROM generate_series(1, 80) i);
END
$$;
ANALYZE wa_wide;
SELECT d.* FROM unnest(ARRAY[
    'c3 > 100 AND c80 > 3',
    'c80 > 3 AND c2 < 100',
    'c66 > 1000 AND c63 > 1200',
    'c64 <> ''xx'' AND c3 < 2000'
]) w,
    wa_scan_differences('SELECT count(*), sum(c80), sum(c2), sum(c65), max(c79), sum(c63) FROM wa_wide WHERE ' || w) d;
DROP TABLE wa_steps, wa_wide;

-- Parameters, rescans and cursors.
SET plan_cache_mode = force_generic_plan;
PREPARE wa_above(integer, text) AS SELECT count(*), sum(i4) FROM wa_scan WHERE i4 > $1 AND s = $2;
SELECT wa_plan($$EXECUTE wa_above(5, 'text 1')$$);
EXECUTE wa_above(0, 'text 1');
EXECUTE wa_above(1000000000, 'text 2');
EXECUTE wa_above(NULL, 'text 2');
RESET plan_cache_mode;
SELECT wa_plan($$SELECT x, (SELECT sum(i4) FROM wa_scan WHERE i2 = x) FROM generate_series(1, 3) x$$);
SELECT x, (SELECT sum(i4) FROM wa_scan WHERE i2 = x) AS total,
       (SELECT sum(i4 + x) FROM wa_scan WHERE id < 100) AS moved FROM generate_series(1, 3) x;
SELECT x, y.* FROM generate_series(1, 3) x, LATERAL (SELECT b, count(*) FROM wa_scan WHERE i2 < x GROUP BY b) y ORDER BY 1, 2;
BEGIN;
DECLARE wa_cursor SCROLL CURSOR FOR SELECT c, count(*) FROM wa_scan GROUP BY c ORDER BY c;
FETCH 2 FROM wa_cursor;
FETCH BACKWARD 1 FROM wa_cursor;
FETCH ALL FROM wa_cursor;
COMMIT;

-- The transaction's own changes.
BEGIN;
SELECT count(*) FROM wa_scan;
DELETE FROM wa_scan WHERE id <= 100;
INSERT INTO wa_scan (id) VALUES (0);
SELECT count(*), min(id) FROM wa_scan;
SAVEPOINT before;
UPDATE wa_scan SET id = id + 100000;
SELECT count(*), min(id) FROM wa_scan;
ROLLBACK TO before;
SELECT count(*), min(id) FROM wa_scan;
ROLLBACK;
SELECT count(*), min(id) FROM wa_scan;

-- Which built-ins are taken.
SET warpagg.explain_refusals = on;
SET client_min_messages = notice;
SELECT wa_plan($$SELECT sum(f8) FROM wa_scan$$);
SET warpagg.accelerate = 'all';
SELECT wa_plan($$SELECT sum(f8) FROM wa_scan$$);
SET warpagg.accelerate = off;
SELECT wa_plan($$SELECT sum(i4) FROM wa_scan$$);
SELECT wa_plan($$SELECT gpu_sum(i4) FROM wa_scan$$);
RESET warpagg.accelerate;

-- What is left to PostgreSQL, and why.
CREATE TEMP TABLE wa_temporary (x integer);
SELECT wa_plan($$SELECT sum(x) FROM wa_temporary$$);
SELECT wa_plan($$SELECT count(*) FROM pg_class$$);
SELECT wa_plan($$SELECT sum(i4) FROM wa_scan TABLESAMPLE SYSTEM (10)$$);
SELECT wa_plan($$SELECT sum(i4) FROM wa_scan GROUP BY ROLLUP (c)$$);
SELECT regexp_replace(line, '^[ >-]+', '') AS line FROM wa_plan($$SELECT sum(DISTINCT i4) FROM wa_scan$$) line WHERE line ~ 'Aggregate|Scan';
SELECT regexp_replace(line, '^[ >-]+', '') AS line FROM wa_plan($$SELECT sum(i4 ORDER BY i4) FROM wa_scan$$) line WHERE line ~ 'Aggregate|Scan';
SELECT wa_plan($$SELECT rank(5) WITHIN GROUP (ORDER BY i4) FROM wa_scan$$);
SELECT wa_plan($$SELECT sum(i4) FROM wa_scan WHERE random() < 0.5$$);
SELECT wa_plan($$SELECT sum(i4) FROM wa_scan WHERE i4 = (SELECT max(id) FROM wa_odd LEFT JOIN wa_scan ON i4 = id)$$);
SELECT wa_plan($$SELECT count(*) FROM wa_scan WHERE ctid > '(0,1)'$$);
SELECT wa_plan($$SELECT tz - timestamptz '2026-01-01', count(*) FROM wa_scan GROUP BY 1$$);
SELECT wa_plan($$SELECT variance(a.i4) FROM wa_scan a JOIN wa_odd USING (s)$$);
SET warpagg.enable_scan = off;
SELECT wa_plan($$SELECT sum(i4) FROM wa_scan$$);
SET warpagg.enable_scan = on;
RESET warpagg.explain_refusals;

-- An index that is much better is used.
CREATE INDEX wa_scan_id ON wa_scan (id);
ANALYZE wa_scan;
SELECT wa_plan($$SELECT gpu_sum(i4) FROM wa_scan WHERE id = 7$$);

-- Permissions and row security.
CREATE ROLE wa_reader;
SET ROLE wa_reader;
SELECT sum(i4) FROM wa_scan;
RESET ROLE;
GRANT SELECT (i4, c) ON wa_scan TO wa_reader;
SET ROLE wa_reader;
SELECT sum(i4) FROM wa_scan;
SELECT sum(i4) FROM wa_scan WHERE i8 > 0;
RESET ROLE;
CREATE POLICY wa_some ON wa_scan TO wa_reader USING (c = 'A');
ALTER TABLE wa_scan ENABLE ROW LEVEL SECURITY;
SET ROLE wa_reader;
SELECT wa_plan($$SELECT c, sum(i4) FROM wa_scan WHERE i4 > 0 GROUP BY c$$);
SELECT c, sum(i4) FROM wa_scan WHERE i4 > 0 GROUP BY c;
-- The policy comes first: what it hides raises no errors.
SELECT count(*) FROM wa_scan WHERE 1 / (i4 - i4 + (c = 'A')::integer) = 1;
RESET ROLE;
CREATE FUNCTION wa_total() RETURNS numeric LANGUAGE sql SECURITY DEFINER AS 'SELECT sum(i8) FROM wa_scan';
SET ROLE wa_reader;
SELECT wa_total() = 0 AS zero;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION gpu_sum(integer) FROM public;
SET ROLE wa_reader;
SELECT gpu_sum(i4) FROM wa_scan;
RESET ROLE;
GRANT EXECUTE ON FUNCTION gpu_sum(integer) TO public;
DROP FUNCTION wa_total();
DROP POLICY wa_some ON wa_scan;
ALTER TABLE wa_scan DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON wa_scan FROM wa_reader;
DROP ROLE wa_reader;
DROP FUNCTION wa_spills(text);
DROP TABLE wa_scan, wa_many, wa_odd, wa_temporary;
