--
-- Resident columns: expressions that PostgreSQL evaluates over several columns, or of
-- types that there are no tables for, once for each combination of their values.
--
\pset null '(null)'
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';

CREATE TABLE wa_combined (
    id integer, a text, b varchar(10), c char(6), n numeric(8,2), m numeric, f double precision, r real, y boolean,
    i integer, k smallint, d date, ts timestamp, mixed numeric, zero double precision, p bpchar, many integer) WITH (autovacuum_enabled = off);
INSERT INTO wa_combined
SELECT g, 'a' || g % 5, 'B' || g % 3, 'c' || g % 4, g % 13 / 4.0, g % 9 * 1.5, g % 6 / 4.0, g % 5 / 8.0, g % 3 = 0,
       g % 7 - 3, g % 10, date '2024-01-01' + g % 9, timestamp '2024-01-01' + g % 48 * interval '31 minutes',
       CASE WHEN g % 2 = 0 THEN 1.0 ELSE 1.00 END, CASE WHEN g % 2 = 0 THEN 0 ELSE '-0'::double precision END, CASE WHEN g % 2 = 0 THEN 'p' ELSE 'p ' END, g
FROM generate_series(1, 40000) g;
UPDATE wa_combined SET a = NULL, b = NULL, c = NULL, n = NULL, m = NULL, f = NULL, r = NULL, y = NULL, i = NULL, k = NULL, d = NULL, ts = NULL
WHERE id % 17 = 5;
VACUUM ANALYZE wa_combined;
SELECT warpagg_load('wa_combined') > 0 AS loaded;

CREATE FUNCTION wa_combined_used(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || statement INTO plan;
    RETURN plan::text ~ '"Resident Distinct Inputs": [1-9]';
END
$$;

-- Keys.
SELECT wa_compare(format('SELECT %s AS key, count(*), sum(id), avg(n), min(d), max(a), count(b), stddev(k), sum(f), min(m), max(f) FROM wa_combined GROUP BY 1', e)), e
FROM unnest(ARRAY[
    'a || b',
    'lower(a) || upper(c)',
    'concat(a, k)',
    'y::text',
    'n::text',
    'm::text',
    'f::text',
    'r::text',
    'n % 2',
    'n / 3',
    'm * n / 7',
    'i + n % 3',
    'lower(a) = lower(b)',
    'f + n::float8 / 3',
    'coalesce(a || b, ''none'')',
    'CASE WHEN a || b = ''a1B1'' THEN n::text ELSE c END',
    'to_char(ts, ''HH24:MI'')',
    'ts::text',
    'd + k',
    '(a || b) COLLATE "C"',
    'i::text || k',
    'length(a || c)',
    'c || a',
    'mixed::text',
    'zero::text',
    'mixed / 3',
    'format(''%s-%s'', a, b)',
    'a || many'
]) e;
-- What the device process computes of an expression makes fewer distinct inputs.
SELECT wa_compare(format('SELECT %1$s AS key, count(*), sum(length((%1$s)::text)) FROM wa_combined WHERE (%1$s)::text || k <> ''x'' GROUP BY 1', e)), e
FROM unnest(ARRAY[
    'many % 5 || a',
    '(many > 20000)::text || b',
    'concat(date_trunc(''day'', ts + many * interval ''1 second''), b)',
    'to_char(d + many / 8000, ''YYYY-MM-DD'') || a',
    'CASE k % 3 WHEN 0 THEN a WHEN 1 THEN b ELSE c END || b',
    'CASE a || b WHEN ''a1B1'' THEN many % 3 WHEN a || 1 THEN 7 ELSE k END',
    'CASE many % 3 WHEN length(a || b) THEN 1 WHEN k THEN 2 END',
    'CASE WHEN many % 2 = 0 THEN 10 / (1 - many % 2) ELSE length(a || b) END',
    'n * (many % 3) / 7',
    'NOT (many > 30000 AND a || b = ''a1B1'')',
    'COALESCE(nullif(many % 4, 1)::text, a || b)',
    'round(n, 1) || b',
    '(many / 7000.0)::integer || a',
    '(many % 3 = 1) IS NOT TRUE AND a || b > ''a2''',
    '(f * (many % 2))::text || b',
    'many / (many % 2) || a'
]) e;
SELECT wa_compare('SELECT many % 5 AS key, (many % 5) || a, sum(length((many % 5 + 1) || b)) FROM wa_combined GROUP BY 1, 2');
SELECT wa_compare('SELECT a || b AS key, k, y, sum(id) FROM wa_combined GROUP BY 1, 2, 3');
SELECT wa_compare('SELECT n AS key, a || b, count(*) FROM wa_combined GROUP BY 1, 2');
SELECT wa_compare('SELECT lower(a), d, a || b, date_trunc(''day'', ts), max(id) FROM wa_combined GROUP BY 1, 2, 3, 4');
SELECT wa_compare('SELECT a || b AS key, count(*) FROM wa_combined GROUP BY 1 HAVING sum(id) > 50000000');
SELECT wa_compare('SELECT a || b AS key, count(*) FROM wa_combined GROUP BY 1 ORDER BY key DESC LIMIT 3');
SELECT wa_compare('SELECT a || b AS key, sum(id) AS s FROM wa_combined GROUP BY 1 ORDER BY s DESC, key LIMIT 3 OFFSET 1');

-- Clauses of WHERE, and conditions of aggregates.
SELECT wa_compare(format('SELECT count(*), sum(id), max(d), avg(f) FROM wa_combined WHERE %s', e)) AS clause,
       wa_compare(format('SELECT count(*) FILTER (WHERE %1$s), sum(CASE WHEN %1$s THEN k ELSE -1 END), max(id) FROM wa_combined', e)) AS condition,
       wa_compare(format('SELECT k, count(*), sum(id) FROM wa_combined WHERE id > 1000 AND (%s) AND i < 3 GROUP BY 1', e)) AS grouped, e
FROM unnest(ARRAY[
    'a || b = ''a1B1''',
    'lower(a) < lower(b)',
    'a || c LIKE ''%c1%''',
    'n / 3 > 0.5',
    'n % 2 = 1',
    'y::text = ''true''',
    'f::text LIKE ''%5''',
    'm / nullif(n, 0) > 2',
    'a || b = ''a1B1'' OR k = 3',
    'NOT (a || b > ''a2'')',
    '(a || b) IS NULL',
    'to_char(ts, ''HH24:MI'') > ''12''',
    'a || b = ''none''',
    'concat(a, b, k) ~ ''1$'''
]) e;

-- Arguments.
SELECT wa_compare(format('SELECT %s FROM wa_combined', e)) AS plain,
       wa_compare(format('SELECT k, a, %s, count(*) FROM wa_combined GROUP BY 1, 2', e)) AS grouped,
       wa_compare(format('SELECT a || c, %s, sum(id) FROM wa_combined WHERE b || c <> ''B1c1'' GROUP BY 1', e)) AS all, e
FROM unnest(ARRAY[
    'sum(length(a || b)), avg(length(a || b)), stddev(length(a || b))',
    'min(a || b), max(a || b), count(a || b)',
    'max(CASE WHEN y THEN a ELSE b END)',
    'min(CASE WHEN k > 5 THEN a ELSE b END), max(f)',
    'sum(n / 3), avg(n / 3)',
    'sum(n % 2), min(n % 2), max(n % 2), variance(n % 2)',
    'sum(f * n::float8)',
    'sum(power(2, k)), avg(power(2, i))',
    'sum((n * 4)::text::float8), min((f * -1)::text::float8)',
    'sum(m / 7) FILTER (WHERE a || b > ''a2'')',
    'count(y::text), count(nullif(a || b, ''a1B1''))',
    'gpu_sum(n / 3), gpu_max(a || b)',
    'min(to_char(ts, ''HH24:MI''))',
    'min(n / 3), max(n / 3)',
    'max(c || '' '')',
    'max(d + k)',
    'max(ts - d), min(d - ts)',
    'max(CASE WHEN a || b = ''a1B1'' THEN c ELSE ''z'' END)',
    'sum(n) FILTER (WHERE a || b > ''a2'')',
    'sum((n / 2)::float8)',
    'sum(length(a || b) + 1), max(length(a || b) + 2)',
    'sum(ln(n + 1))'
]) e;

-- What looks different although it is equal is told apart.
SELECT wa_compare('SELECT mixed::text || a AS key, count(*) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT zero::text || a AS key, count(*) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT concat(p, a) AS key, count(*) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT a || b AS key, rtrim(max(p)), min(concat(p, ''x'')::bpchar) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT k % 2 AS key, mixed::text || a, sum(mixed) FROM wa_combined GROUP BY 1, 2');
SELECT wa_compare('SELECT a || b AS key, max(mixed), min(zero) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT CASE WHEN k % 2 = 0 THEN 1.0 + length(a || b) ELSE 1.00 + length(a || b) END AS key, count(*) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT max(CASE WHEN k % 2 = 0 THEN 1.0 + length(a || b) ELSE 1.00 + length(a || b) END) FROM wa_combined');
SELECT wa_compare('SELECT max(CASE WHEN a || b > ''a2'' THEN 0::float8 ELSE -0.0::float8 END) FROM wa_combined');

-- What a filter takes, or a branch of CASE, is aggregated by the device process if the
-- condition is one of a distinct input, however many different values it has.
SELECT wa_compare(format('SELECT %s FROM wa_combined', e)) AS plain,
       wa_compare(format('SELECT k, %s FROM wa_combined GROUP BY 1', e)) AS grouped,
       wa_compare(format('SELECT a || c, %s FROM wa_combined WHERE id > 9 GROUP BY 1', e)) AS all, e
FROM unnest(ARRAY[
    'sum(id) FILTER (WHERE a || b > ''a2'')',
    'sum(id) FILTER (WHERE ARRAY[k, i] && ARRAY[3, 4]), max(id)',
    'count(id) FILTER (WHERE a || b > ''a2''), count(*) FILTER (WHERE a || c > ''a2'')',
    'sum(CASE WHEN a || b > ''a2'' THEN id END)',
    'sum(CASE WHEN a || b > ''a2'' THEN id ELSE k END), avg(CASE WHEN a || c > ''a3c'' THEN many ELSE 0 END)',
    'sum(CASE a || b WHEN ''a1B1'' THEN id WHEN ''a2B2'' THEN -id ELSE length(a || c) END)',
    'sum(CASE WHEN k > 5 THEN length(a || b) ELSE id END)',
    'min(CASE WHEN a || b > ''a2'' THEN id * 1.5 END), max(CASE WHEN a || b > ''a2'' THEN id * 1.5 ELSE n END) FILTER (WHERE b || c < ''B2'')',
    'gpu_sum(CASE WHEN a || b > ''a2'' THEN id / 7.0::float8 ELSE f END), stddev(CASE WHEN a || b > ''a2'' THEN id ELSE k END)',
    'count(CASE WHEN a || b > ''a2'' THEN id ELSE k END)',
    'sum(CASE WHEN a || b > ''a2'' THEN CASE WHEN k > 3 THEN id ELSE many + 1 END ELSE 0 END)',
    'gpu_sum(CASE WHEN a || b > ''a2'' THEN id::bigint * id END)',
    'sum(CASE WHEN a || b > ''a2'' THEN id END::numeric)',
    'sum(n * CASE WHEN a || b > ''a2'' THEN many ELSE 2 END), avg(coalesce(CASE a || c WHEN ''a1c1'' THEN many WHEN ''a2c2'' THEN k END, id))',
    'sum(CASE k WHEN CASE WHEN a || b > ''a2'' THEN 3 ELSE 4 END THEN id ELSE many END)',
    'sum(CASE WHEN a || b > ''a2'' THEN id ELSE 0 END + CASE WHEN a || c > ''a2'' THEN 1 ELSE 2 END)',
    'sum(CASE WHEN k = 3 THEN id ELSE length(a || b) END) FILTER (WHERE a || c > ''a2''), sum(id) FILTER (WHERE a || c > ''a2'')',
    'sum(CASE WHEN a || b > ''a2'' THEN id END), sum(CASE WHEN a || b <= ''a2'' THEN id ELSE id END), sum(id), max(id) FILTER (WHERE a || c > ''a2'')',
    'sum(coalesce(id, CASE WHEN (a || b)::integer = 1 THEN many END))',
    'count(id > 3 AND CASE WHEN a || b = ''a1B1'' THEN many > 5 ELSE k > 3 END)',
    'max(CASE WHEN a || b > ''a2'' THEN a ELSE b END), max(CASE WHEN a || b > ''a2'' THEN f ELSE id END)',
    'sum(CASE WHEN a || b > ''a2'' AND k <> 3 THEN id / (k - 3) END)',
    'sum(id / (k - 3)) FILTER (WHERE a || b > ''a2'' AND k <> 3)',
    'sum(id / (k - 3)) FILTER (WHERE a || b > ''a2'')',
    'max(mixed) FILTER (WHERE a || b > ''a2'')',
    'min(CASE WHEN a || b > ''a2'' THEN f ELSE id END)'
]) e;

-- Blocks left to the heap because of errors are no reason not to ask for them again.
SELECT wa_combined_used('SELECT sum(id / (k - 3)) FILTER (WHERE a || b > ''a2'' AND k <> 3) FROM wa_combined') AS before,
       wa_combined_used('SELECT a || ''-'' || b, count(*), sum(length(a || ''-'') + id) FROM wa_combined WHERE a || b > ''a2'' AND k > 5 GROUP BY 1 ORDER BY 1 LIMIT 4') AS then;

-- Of the smallest and the largest value all equal ones have to look the same, whatever
-- others do: of intervals, arrays, texts with blanks and with a collation that ignores case.
CREATE COLLATION wa_any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT wa_compare(format('SELECT %s FROM wa_combined', e)) AS plain,
       wa_compare(format('SELECT k, a, %s, count(*) FROM wa_combined GROUP BY 1, 2', e)) AS grouped,
       wa_compare(format('SELECT a || c, %s FROM wa_combined WHERE id > 100 GROUP BY 1', e)) AS all, e
FROM unnest(ARRAY[
    'min(k * interval ''1 hour''), max(k * interval ''1 hour'')',
    'max(ts - d), min(justify_days(k * interval ''20 days''))',
    'max(age(ts, d)), max(-(ts - d)), sum(id)',
    'min(ARRAY[n, k]), max(ARRAY[n, k])',
    'min(ARRAY[f, r]), max(ARRAY[f, NULL])',
    'max(ARRAY[a, b]), min(ARRAY[c])',
    'max(ARRAY[ts - d])',
    'max((a || b)::bpchar), min((a || b || '' '')::bpchar)',
    'min((a || b) COLLATE wa_any_case), max(lower(a || b) COLLATE wa_any_case)',
    'min(concat(k, ''.0'')::numeric), max(f::text::float8)',
    'gpu_max(ARRAY[n]), gpu_min(k * interval ''1 hour'')',
    'max((right(a, 1) || '' hours'')::interval), min(ARRAY[lower(a)])',
    'min(rpad(b, k)::bpchar), max(CASE WHEN k = 3 THEN interval ''1 day'' ELSE ts - d END)'
]) e;
SELECT wa_compare(format('SELECT k, %s FROM wa_combined GROUP BY 1', e)), e
FROM unnest(ARRAY[
    'min(CASE WHEN k < 9 THEN interval ''1 day'' WHEN i = 1 THEN ''24 hours'' ELSE ''1 day'' END)',
    'max(CASE WHEN k < 9 THEN interval ''1 day'' WHEN i = 1 THEN ''23 hours'' ELSE ''1 day'' END)',
    'max(CASE WHEN i = 1 THEN interval ''1 month'' ELSE ''30 days'' END) FILTER (WHERE a || b > ''a2'') = interval ''1 month''',
    'max(CASE WHEN i = 1 THEN interval ''1 month'' ELSE ''29 days'' END) FILTER (WHERE a || b > ''a2'')',
    'gpu_max(ARRAY[CASE WHEN i = 1 THEN 1.0 ELSE 1.00 END, k])',
    'max(ARRAY[CASE WHEN i = 1 THEN 1.1 ELSE 1.00 END, k])',
    'min(ARRAY[CASE WHEN i = 1 THEN 0::float8 ELSE ''-0'' END])',
    'rtrim(max(CASE WHEN i = 1 THEN a || '' '' ELSE a END::bpchar))',
    'max(CASE WHEN i = 1 THEN ''b '' || a ELSE a END::bpchar)',
    'lower(min((CASE WHEN i = 1 THEN upper(a) ELSE a END || 1) COLLATE wa_any_case))',
    'min((CASE WHEN i = 1 THEN upper(a) ELSE a || b END || 1) COLLATE wa_any_case)'
]) e;
DROP COLLATION wa_any_case;

-- Errors are those of PostgreSQL, and raised where it raises them.
SELECT wa_compare(e), e FROM unnest(ARRAY[
    'SELECT n / (k - 3) AS key, count(*) FROM wa_combined GROUP BY 1',
    'SELECT n / (k - 3) AS key, count(*) FROM wa_combined WHERE k > 3 GROUP BY 1',
    'SELECT CASE WHEN k <> 3 THEN n / (k - 3) END AS key, count(*) FROM wa_combined GROUP BY 1',
    'SELECT sum(m / (n - 1)) FROM wa_combined',
    'SELECT sum(m / (n - 1)) FROM wa_combined WHERE n > 1',
    'SELECT sum(m / (n - 1)) FILTER (WHERE n <> 1) FROM wa_combined',
    'SELECT count(*) FROM wa_combined WHERE m / (n - 1) > 1',
    'SELECT count(*) FROM wa_combined WHERE m / (n - 1) > 1 AND n <> 1',
    'SELECT count(*) FROM wa_combined WHERE n <> 1 AND m / (n - 1) > 1',
    'SELECT count(*) FROM wa_combined WHERE n <> 1 AND m / (n - 1) > 1 AND a || b = ''a1B1''',
    'SELECT (a || b)::integer AS key, count(*) FROM wa_combined GROUP BY 1',
    'SELECT sum(((k || ''0'') || CASE WHEN id = 39990 THEN ''x'' ELSE '''' END)::integer) FROM wa_combined',
    'SELECT a || b AS key, sum(1 / (id - 39990)) FROM wa_combined GROUP BY 1',
    'SELECT a || b AS key, count(*) FROM wa_combined WHERE 1 / (n - n) > 0 GROUP BY 1',
    'SELECT a || b AS key, sum(n / (1 - 1)) FROM wa_combined WHERE k > 100 GROUP BY 1']) e;

-- Parameters and subselects.
SET plan_cache_mode = force_generic_plan;
PREPARE wa_combined_by(text, integer) AS SELECT a || $1 || b AS key, count(*), sum(length(a || $1) + id) FROM wa_combined WHERE a || b > $1 AND k > $2 GROUP BY 1 ORDER BY 1 LIMIT 4;
SELECT wa_combined_used('EXECUTE wa_combined_by(''a2'', 5)');
EXECUTE wa_combined_by('a2', 5);
EXECUTE wa_combined_by('-', 3);
SET warpagg.enable_scan = off;
EXECUTE wa_combined_by('a2', 5);
EXECUTE wa_combined_by('-', 3);
SET warpagg.enable_scan = on;
RESET plan_cache_mode;
SELECT wa_compare('SELECT a || (SELECT max(b) FROM wa_combined) AS key, count(*) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT a || b AS key, count(*) FROM wa_combined WHERE a || b > (SELECT min(c) FROM wa_combined WHERE k = 3) AND k > 2 GROUP BY 1');
SELECT wa_compare('SELECT k, (SELECT sum(length(x.a || x.b)) FROM wa_combined x WHERE x.k = g.k) FROM generate_series(1, 3) g(k)');

-- Many distinct inputs are read from the heap.
SELECT wa_compare('SELECT length(many || a) AS key, count(*) FROM wa_combined GROUP BY 1');

CREATE TABLE wa_many (x integer, t text) WITH (autovacuum_enabled = off);
INSERT INTO wa_many SELECT g % 4, g % 5 FROM generate_series(1, 150000) g;
ANALYZE wa_many;
TRUNCATE wa_many;
INSERT INTO wa_many SELECT g, g % 5 FROM generate_series(1, 150000) g;
VACUUM wa_many;
SELECT warpagg_load('wa_many') > 0 AS loaded;
SELECT wa_compare('SELECT length(x || t) AS key, count(*), sum(x) FROM wa_many GROUP BY 1');
SELECT wa_compare('SELECT length(x % 5 || t) AS key, count(*), sum(x) FROM wa_many GROUP BY 1');
DROP TABLE wa_many;

-- Numerics that look different are different inputs, and may be one key in the end.
-- Not filled by CREATE TABLE, which may extend a table by blocks that stay empty.
CREATE TABLE wa_looks (x integer, k integer, a numeric, b numeric);
INSERT INTO wa_looks
SELECT x, x % 5 AS k, round(x % 20 / 4.0, x % 3 + 2) AS a, CASE x % 4 WHEN 0 THEN 0 WHEN 1 THEN 0.000 WHEN 2 THEN x % 30 * 1000000000000000000.5 END AS b
FROM generate_series(1, 20000) x;
VACUUM ANALYZE wa_looks;
SELECT warpagg_load('wa_looks') > 0 AS loaded;
SELECT wa_compare(query), query FROM unnest(ARRAY[
    'SELECT a::text AS key, count(*), sum(x) FROM wa_looks GROUP BY 1',
    'SELECT k, a::text || b, min(x), sum(a), avg(b) FROM wa_looks GROUP BY 1, 2',
    'SELECT (a * 2)::text AS key, sum(length((a + b)::text)) FROM wa_looks GROUP BY 1',
    'SELECT count(*), sum(x) FROM wa_looks WHERE a::text LIKE ''%.2500''',
    'SELECT (a::text)::numeric AS key, count(*) FROM wa_looks GROUP BY 1',
    'SELECT a, b::text, count(*) FROM wa_looks GROUP BY 1, 2',
    'SELECT length(a::text) AS key, min(b), max(a) FROM wa_looks GROUP BY 1',
    'SELECT scale(a) AS key, count(*), sum(scale(b)), max(scale(a * b)) FROM wa_looks GROUP BY 1',
    'SELECT k, scale(CASE WHEN k > 2 THEN a ELSE b END), scale(a / 3), count(*) FROM wa_looks GROUP BY 1, 2, 3'
]) query;
-- This is worth a GPU, but no processor.
SELECT split_part(wa_compare('SELECT sqrt(abs(a)) AS key, sum(x) FROM wa_looks GROUP BY 1'), ',', 1) AS compared;
DROP TABLE wa_looks;

-- Tables of times and dates that are too far apart for them.
CREATE TABLE wa_far AS
SELECT x % 7 AS k, x, CASE WHEN x % 10 = 0 THEN date '9999-12-31' WHEN x % 11 > 0 THEN date '2020-01-01' + x % 1500 END AS d,
       CASE WHEN x % 10 = 0 THEN timestamp '9999-12-31' ELSE timestamp '1020-01-01' + x % 99 * interval '1 day 1 hour' END AS ts,
       CASE WHEN x % 9 = 0 THEN timestamptz '0001-01-01 UTC' ELSE timestamptz '2020-03-29 00:30 UTC' + x % 400 * interval '17 min' END AS tz
FROM generate_series(1, 30000) x;
VACUUM (FREEZE, ANALYZE) wa_far;
SELECT warpagg_load('wa_far') > 0 AS loaded;
SET timezone = 'Europe/Berlin';
SELECT wa_compare(query), query FROM unnest(ARRAY[
    'SELECT date_trunc(''month'', d) AS key, count(*), sum(x) FROM wa_far GROUP BY 1',
    'SELECT extract(year FROM d) AS key, k, count(*) FROM wa_far GROUP BY 1, 2',
    'SELECT to_char(ts, ''YYYY-MM'') || k AS key, min(x) FROM wa_far GROUP BY 1',
    'SELECT date_trunc(''hour'', tz) AS key, tz::date, count(*) FROM wa_far GROUP BY 1, 2',
    'SELECT count(*), sum(x) FROM wa_far WHERE extract(year FROM d) = 2021',
    'SELECT k, max(extract(doy FROM ts)), count(*) FILTER (WHERE tz::date < ''2020-03-30'') FROM wa_far GROUP BY 1',
    'SELECT date_trunc(''month'', ts + interval ''1 month''), (x % 3)::text, count(d) FROM wa_far GROUP BY 1, 2'
]) query;
-- Infinity has no month.
UPDATE wa_far SET d = 'infinity', ts = '-infinity' WHERE x % 500 = 3;
VACUUM (FREEZE, ANALYZE) wa_far;
SELECT warpagg_load('wa_far') > 0 AS loaded;
SELECT wa_compare(query), query FROM unnest(ARRAY[
    'SELECT date_trunc(''month'', d) AS key, count(*), sum(x) FROM wa_far GROUP BY 1',
    'SELECT extract(year FROM d) AS key, k, count(*) FROM wa_far GROUP BY 1, 2',
    'SELECT to_char(ts, ''YYYY-MM'') || k AS key, min(x) FROM wa_far GROUP BY 1',
    'SELECT count(*), sum(x) FROM wa_far WHERE extract(year FROM d) = 2021 AND extract(month FROM ts) > 2'
]) query;
SET timezone = 'UTC';
DROP TABLE wa_far;

-- Changes.
-- What this transaction has changed is in flux.
BEGIN;
UPDATE wa_combined SET a = 'new' WHERE id = 77;
SELECT warpagg_load('wa_combined') >= 0 AS confirmed;
SELECT wa_compare('SELECT a || b AS key, count(*), sum(n), sum(length(a || b)) FROM wa_combined GROUP BY 1');
DELETE FROM wa_combined WHERE id BETWEEN 30000 AND 31000;
INSERT INTO wa_combined (id, a, b, n) VALUES (1, 'a', 'b', 1.5), (2, NULL, 'b', NULL);
SELECT warpagg_load('wa_combined') >= 0 AS confirmed;
SELECT wa_compare('SELECT a || b AS key, count(*), sum(n), sum(length(a || b)) FROM wa_combined WHERE n / 3 > 0.1 GROUP BY 1');
COMMIT;
VACUUM wa_combined;
SELECT warpagg_load('wa_combined') > 0 AS loaded;
SELECT wa_compare('SELECT a || b AS key, count(*), sum(n), sum(length(a || b)) FROM wa_combined WHERE n / 3 > 0.1 GROUP BY 1');

-- Groups are spilled after distinct inputs have come.
BEGIN;
UPDATE wa_combined SET k = k WHERE id < 10000;
INSERT INTO wa_combined (id, a, b, m) SELECT g, 'z' || g % 40, 'y', 1.50 FROM generate_series(1, 1000) g;
SELECT warpagg_load('wa_combined') >= 0 AS confirmed;
SET warpagg.debug_spill_groups = 3;
SELECT wa_compare('SELECT m, a || b AS key, count(*) FROM wa_combined GROUP BY 1, 2');
SELECT wa_compare('SELECT a || b AS key, count(*), sum(length(a || b)), max(n) FROM wa_combined GROUP BY 1');
SELECT wa_compare('SELECT n, y, a || b AS key, count(*) FROM wa_combined GROUP BY 1, 2, 3');
COMMIT;
RESET warpagg.debug_spill_groups;

-- Processes beside this one, for what is not resident.
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET cpu_tuple_cost = 0.1;
SELECT wa_compare('SELECT a || b AS key, count(*), sum(n), sum(length(a || b)) FROM wa_combined WHERE n / 3 > 0.1 GROUP BY 1');

DROP TABLE wa_combined;
DROP FUNCTION wa_combined_used;
