-- What dashboards ask of resident columns that is large: many columns and aggregates, many
-- and long keys, and sums of more than 128 bits, against PostgreSQL's own plan.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
\set VERBOSITY terse

-- Waits until the columns of a table are in the memory of a GPU, if there is one.
CREATE FUNCTION pg_temp.wait_for_copies(wanted regclass) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. 600 LOOP
        EXIT WHEN NOT EXISTS (SELECT FROM warpagg_devices WHERE kind = 'gpu')
            OR NOT EXISTS (SELECT FROM warpagg_resident r WHERE r.relation = wanted AND r.device_bytes = 0);
        PERFORM pg_sleep(0.1);
    END LOOP;
    RETURN true;
END $$;

-- The same rows, text for text; whether blocks came from the heap, and if the GPU, where
-- there is one, has not taken part.
CREATE FUNCTION pg_temp.same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN wa_compare(query)
        || CASE WHEN EXISTS (SELECT FROM warpagg_devices WHERE kind = 'gpu')
           AND plan @? '$.**."Resident Device" ? (@ == "CPU")'
           THEN ', by the processors' ELSE '' END;
END $$;

-- A hundred measures of three kinds.
DO $$
DECLARE
    types text[] := ARRAY['integer', 'bigint', 'numeric(10, 2)'];
BEGIN
    EXECUTE (SELECT format('CREATE TABLE resident_measures (id integer, k integer, %s)',
                string_agg(format('m%s %s', i, types[i % 3 + 1]), ', ' ORDER BY i))
             FROM generate_series(1, 100) i);
    EXECUTE (SELECT format('INSERT INTO resident_measures SELECT g, g %% 23, %s FROM generate_series(1, 6000) g',
                string_agg(format('CASE WHEN (g + %1$s) %% 11 > 0 THEN (g * %1$s %% 1009 - 400) END', i), ', ' ORDER BY i))
             FROM generate_series(1, 100) i);
END $$;
VACUUM (FREEZE, ANALYZE) resident_measures;
SELECT warpagg_load('resident_measures') > 0 AS loaded;
SELECT pg_temp.wait_for_copies('resident_measures') AS waited;

-- Two hundred aggregates over all of them: of columns as they lie, of expressions, with
-- filters, and with more conditions than a launch takes.
SELECT what, over, pg_temp.same(format('SELECT ARRAY[%s]::text[], ARRAY[%s]::text[] FROM resident_measures %s', sums, others, rest))
FROM (SELECT 'columns' AS what,
             string_agg(format('sum(m%s)', i), ', ' ORDER BY i) AS sums,
             string_agg(format('max(m%s)', i), ', ' ORDER BY i) AS others
      FROM generate_series(1, 100) i
      UNION ALL
      SELECT 'expressions',
             string_agg(format('sum(m%s + m%s)', i, i % 100 + 1), ', ' ORDER BY i),
             string_agg(format('count(*) FILTER (WHERE m%s > %s)', i, i), ', ' ORDER BY i)
      FROM generate_series(1, 100) i
      UNION ALL
      SELECT 'filters',
             string_agg(format('avg(m%s) FILTER (WHERE k < %s)', i, i % 20 + 1), ', ' ORDER BY i),
             string_agg(format('sum(CASE WHEN m%s > 7 THEN m%s * 3 END)', i, i), ', ' ORDER BY i)
      FROM generate_series(1, 100) i) AS asked,
    (VALUES ('all', ''), ('few', 'WHERE id % 3 = 1 AND m5 <> 17'), ('groups', 'GROUP BY k'),
            ('conditions', (SELECT 'WHERE ' || string_agg(format('(m%s + %s > -300 OR m%s IS NULL)', i, i, i), ' AND ' ORDER BY i)
                            FROM generate_series(1, 60) i))) AS rests (over, rest)
ORDER BY what COLLATE "C", over COLLATE "C";

-- Single expressions, keys and clauses of hundreds of instructions, constants and columns,
-- and of many values at once.
SELECT what, pg_temp.same(format('SELECT %s FROM resident_measures %s', asked, rest))
FROM (SELECT 'columns' AS what, 'sum(' || string_agg(format('coalesce(m%s, 0)', i), ' + ' ORDER BY i) || '), count(*)' AS asked, '' AS rest
      FROM generate_series(1, 100) i
      UNION ALL
      SELECT 'constants', 'sum(CASE ' || string_agg(format('WHEN id %% 251 = %s THEN %s', i, i * i % 97), ' ' ORDER BY i) || ' ELSE -1 END), count(*)', ''
      FROM generate_series(1, 250) i
      UNION ALL
      SELECT 'key', 'CASE ' || string_agg(format('WHEN id < %s THEN %L', i * 20, 'part ' || i % 50), ' ' ORDER BY i) || ' END AS key, count(*), sum(m1)', 'GROUP BY 1'
      FROM generate_series(1, 299) i
      UNION ALL
      SELECT 'clause', 'count(*), sum(m5)', 'WHERE ' || string_agg(format('(m%s > %s AND m%s < %s)', i, 390 + i % 200, i % 100 + 1, i), ' OR ' ORDER BY i)
      FROM generate_series(1, 100) i
      UNION ALL
      SELECT 'values', 'sum(' || string_agg(format('(coalesce(m%s, 1) * %s', i, i), ' + ' ORDER BY i) || repeat(')', 90) || '), max(id)', ''
      FROM generate_series(1, 90) i
      UNION ALL
      SELECT 'quotients', 'sum(' || string_agg(format('(coalesce(m%s, 1) / %s.0', i, i % 7 + 3), ' + ' ORDER BY i) || repeat(')', 90) || '), max(id)', ''
      FROM generate_series(1, 90) i) AS asked
ORDER BY what COLLATE "C";
DROP TABLE resident_measures;

-- Keys: many, of more digits than 64 bits have room for, floats, and numerics that show
-- different numbers of digits, which are the same in all rows of a group, or not.
CREATE TABLE resident_keys (
    i integer, a integer, b smallint, c text, d date, n numeric(38, 10), w numeric(30, 0), m numeric, o numeric,
    f double precision, r real, z double precision, p bpchar, big numeric(38, 0), v numeric(12, 4));
INSERT INTO resident_keys
    SELECT x, x % 3, x % 2, 't' || x % 5, date '2026-01-01' + x % 4,
           CASE WHEN x % 17 > 0 THEN (x % 6) * 123456789012345678.0123456789 END,
           (x % 4 - 2) * 100000000000000000000000001,
           CASE x % 4 WHEN 0 THEN 1.50 WHEN 1 THEN 2.5 WHEN 2 THEN 3 ELSE 4.000 END,
           CASE WHEN x % 2 = 0 THEN 1.0 ELSE 1.00 END,
           x % 7 / 4.0, CASE WHEN x % 13 > 0 THEN x % 5 / 8.0 ELSE 'NaN' END,
           CASE WHEN x % 2 = 0 THEN 0 ELSE '-0'::double precision END,
           CASE WHEN x % 2 = 0 THEN 'p' ELSE 'p  ' END,
           99999999999999999999999999999999999999 - x, x % 100 / 16.0
    FROM generate_series(1, 20000) x;
VACUUM (FREEZE, ANALYZE) resident_keys;
SELECT warpagg_load('resident_keys') > 0 AS loaded;
SELECT pg_temp.wait_for_copies('resident_keys') AS waited;
SELECT pg_temp.same('SELECT n, count(*), sum(i) FROM resident_keys GROUP BY n');
SELECT pg_temp.same('SELECT w, n, a, min(i), max(v) FROM resident_keys GROUP BY w, n, a');
SELECT pg_temp.same('SELECT w, sum(i) FROM resident_keys WHERE i % 7 < 3 GROUP BY w ORDER BY sum(i) DESC LIMIT 2');
SELECT pg_temp.same('SELECT m, a, count(*), sum(v) FROM resident_keys GROUP BY m, a');
SELECT pg_temp.same('SELECT m + 1, c, sum(i) FROM resident_keys GROUP BY 1, 2');
SELECT pg_temp.same('SELECT f, r, count(*), sum(i) FROM resident_keys GROUP BY f, r');
SELECT pg_temp.same('SELECT f, sum(i) FROM resident_keys GROUP BY f ORDER BY f DESC LIMIT 3');
SELECT pg_temp.same('SELECT a, b, c, d, n, w, m, f, r, a + 1, a + 2, a + 3, a + 4, b + 1, b + 2, b + 3, b + 4, i % 2, i % 3, i % 4, count(*), sum(i)
    FROM resident_keys GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20');

-- Sums of more than 128 bits.
SELECT pg_temp.same('SELECT sum(big), avg(big), max(big) FROM resident_keys');
SELECT pg_temp.same('SELECT sum(big) FILTER (WHERE i % 3 = 0), avg(n), count(*) FROM resident_keys WHERE b = 1');
SELECT pg_temp.same('SELECT a, c, sum(big), min(big), sum(n), avg(w) FROM resident_keys GROUP BY a, c');
SELECT pg_temp.same('SELECT n, sum(big), count(big) FROM resident_keys GROUP BY n ORDER BY sum(big) DESC LIMIT 3');

-- Distinct inputs with floats.
SELECT pg_temp.same('SELECT max(sqrt(f + a)), sum(floor(sqrt(f + a))::integer), min(f::text || r::text) FROM resident_keys');
SELECT pg_temp.same('SELECT a, max(to_char(f, ''9.99'')), count(*) FROM resident_keys GROUP BY a');

-- A group shows 0 rather than -0, the most digits and the fewest blanks.
SELECT pg_temp.same('SELECT z, count(*), sum(i) FROM resident_keys GROUP BY z');
SELECT pg_temp.same('SELECT o, sum(i) FROM resident_keys GROUP BY o ORDER BY sum(i) LIMIT 1');
SELECT pg_temp.same('SELECT z, f, count(*) FROM resident_keys GROUP BY z, f ORDER BY count(*) DESC, f LIMIT 2');
SELECT pg_temp.same('SELECT rtrim(p), count(*), sum(i) FROM resident_keys GROUP BY p ORDER BY sum(i) DESC LIMIT 1');
SELECT pg_temp.same('SELECT min(z::text) FROM resident_keys');
DROP TABLE resident_keys;

-- Texts of several columns, tables and constants that come together: in CASE and
-- COALESCE, in comparisons of columns, and trimmed.
CREATE TABLE resident_names (
    i integer, a text, b varchar(20), c char(6), d char(9), e text COLLATE "C", t timestamp, many text COLLATE "C");
INSERT INTO resident_names
    SELECT x, CASE WHEN x % 11 > 0 THEN 'name ' || x % 40 END, CASE WHEN x % 7 > 0 THEN 'name ' || x % 25 ELSE '' END,
           CASE WHEN x % 13 > 0 THEN 'c' || x % 9 END, 'c' || x % 6, CASE x % 5 WHEN 0 THEN 'name ' || x % 40 WHEN 1 THEN 'äöü' ELSE 'c' || x % 9 END,
           timestamp '2026-01-01' + x * interval '1 hour', 'text ' || x % 6000
    FROM generate_series(1, 20000) x;
VACUUM (FREEZE, ANALYZE) resident_names;
SELECT warpagg_load('resident_names') > 0 AS loaded;
SELECT pg_temp.wait_for_copies('resident_names') AS waited;
SELECT pg_temp.same(format('SELECT %1$s AS key, count(*), sum(i), count(%1$s) FROM resident_names GROUP BY 1', key)), key
FROM unnest(ARRAY[
    $$CASE WHEN i > 9000 THEN 'large' ELSE 'small' END$$,
    $$CASE WHEN i > 15000 THEN 'large' WHEN i > 9000 THEN 'middle' END$$,
    $$CASE WHEN i % 3 = 0 THEN a WHEN i % 3 = 1 THEN b::text ELSE e END$$,
    $$coalesce(a, b)$$,
    $$coalesce(a, 'none')$$,
    $$nullif(a, b)$$,
    $$CASE WHEN i % 2 = 0 THEN upper(a) ELSE lower(e) END$$,
    $$rtrim(CASE WHEN i % 2 = 0 THEN c ELSE d END)$$,
    $$CASE WHEN i % 4 = 0 THEN a ELSE to_char(t, 'YYYY-MM') END$$,
    $$coalesce(nullif(b, ''), a, 'neither')$$,
    $$CASE WHEN a LIKE '%1' THEN 'one' WHEN a LIKE '%2' THEN b::text ELSE a END$$,
    $$CASE a WHEN 'name 1' THEN 'first' WHEN b THEN 'same' ELSE e END$$,
    $$CASE WHEN i % 9 = 0 THEN NULL ELSE many END$$,
    $$CASE WHEN c = d THEN 'same' ELSE c::text END$$
]) AS keys (key);
SELECT pg_temp.same(format('SELECT count(*), sum(i), count(*) FILTER (WHERE i %% 3 = 0) FROM resident_names WHERE %s', clause)), clause
FROM unnest(ARRAY[
    'a = b',
    'a <> b',
    'a = e',
    $$e < many$$,
    $$e >= 'c3' AND many > e$$,
    'c = d',
    'c <> d',
    $$c = 'c1'$$,
    $$d <> 'c3'$$,
    $$coalesce(a, b) = 'name 3'$$,
    $$CASE WHEN i % 2 = 0 THEN a ELSE b::text END <> 'name 7'$$,
    $$a IS DISTINCT FROM b$$,
    $$a IN (b, 'name 5', e)$$,
    $$many BETWEEN 'text 2' AND 'text 45'$$,
    $$many > 'text 30'$$,
    $$upper(a) = upper(b)$$,
    $$lower(a) = b$$,
    $$coalesce(upper(a), 'x') <> 'NAME 9'$$
]) AS clauses (clause);
SELECT pg_temp.same('SELECT CASE WHEN i % 2 = 0 THEN a ELSE ''odd'' END AS key, c, sum(i) FROM resident_names GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 4');
SELECT pg_temp.same('SELECT max(CASE WHEN i % 2 = 0 THEN a ELSE e END), min(coalesce(b, a)) FROM resident_names');
SELECT pg_temp.same('SELECT count(CASE WHEN i % 2 = 0 THEN ''x'' END), count(coalesce(a, e)) FROM resident_names WHERE i % 5 = 0');
DROP TABLE resident_names;
