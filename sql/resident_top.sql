-- Which groups travel where a query over resident columns wants the first of many.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
\set VERBOSITY terse
SET work_mem = '64MB';

CREATE TABLE wa_top (id integer, k bigint, d date, ts timestamptz, b boolean, f double precision,
    n numeric(12, 2), o oid, t text, v integer, w numeric(14, 3), x double precision, r real, m money)
    WITH (autovacuum_enabled = off);
INSERT INTO wa_top
    SELECT i, i::bigint * 7919 % 40009 - 20000, date '2024-01-01' + i % 900, timestamptz '2024-01-01 00:00+00' + i * interval '7 minutes',
           CASE i % 5 WHEN 0 THEN true WHEN 1 THEN NULL ELSE false END,
           CASE i % 4001 WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' WHEN 3 THEN '0' WHEN 4 THEN 'Infinity' WHEN 5 THEN '-Infinity' WHEN 6 THEN NULL
               ELSE (i * 31 % 40009 - 20000) / 8.0 END,
           CASE WHEN i % 3001 > 0 THEN (i * 17 % 40009 - 20000) / 100.0 END, i, 't' || i % 1000,
           CASE WHEN i % 7 > 0 THEN i * 13 % 501 - 250 END, CASE WHEN i % 11 > 0 THEN (i * 29 % 601 - 300) / 1000.0 END,
           CASE i % 997 WHEN 1 THEN 'NaN' WHEN 2 THEN NULL WHEN 3 THEN '-0' ELSE (i * 3 % 701) / 8.0 END, i % 313 / 3.0, (i * 7 % 1009)::money
    FROM generate_series(1, 40000) i;
INSERT INTO wa_top SELECT * FROM wa_top WHERE id % 10 = 0;
INSERT INTO wa_top SELECT * FROM wa_top WHERE id % 1000 = 0;
INSERT INTO wa_top (v) SELECT 1 FROM generate_series(1, 3);
VACUUM (FREEZE, ANALYZE) wa_top;
SELECT warpagg_load('wa_top') > 0 AS loaded;

-- Compares a query with resident columns, from the heap, and with the built-ins;
-- tells whether so many groups came at most, more, or none.
CREATE FUNCTION wa_top_check(query text, most integer DEFAULT 8000) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    resident bigint;
    compared bigint;
    accelerate text := current_setting('warpagg.accelerate');
    ours text[] := wa_rows(query, 'on', 'on', accelerate, true);
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    resident := (regexp_match(plan::text, '"Resident Blocks": (\d+)'))[1];
    compared := (regexp_match(plan::text, '"Groups Compared": (\d+)'))[1];
    RETURN CASE WHEN ours IS DISTINCT FROM wa_rows(query, 'on', 'off', accelerate, true) OR ours IS DISTINCT FROM wa_rows(query, 'off', 'off', 'off', true)
                THEN 'different' WHEN ours IS NULL THEN 'no rows' ELSE 'same' END
        || CASE WHEN compared IS NULL THEN ', not the node' WHEN resident = 0 THEN ', heap' WHEN compared > most THEN ', all' ELSE ', first' END;
END
$$;

-- Orders of keys and aggregates, with all keys behind them.
SELECT wa_top_check(format('SELECT id, %s AS a, count(*), sum(v) FROM wa_top GROUP BY id ORDER BY a %s %s, id LIMIT 20', a, direction, nulls)) AS result,
    count(*)
FROM unnest('{count(*), count(v), count(b) FILTER (WHERE b), sum(v), sum(w), sum(k), min(v), max(w), max(x), min(x), min(r), max(d), min(ts), max(o)}'::text[]) a,
    unnest('{ASC, DESC}'::text[]) direction, unnest('{NULLS FIRST, NULLS LAST}'::text[]) nulls
GROUP BY 1 ORDER BY 1;
SELECT wa_top_check(format('SELECT id, %s AS a, count(*) FROM wa_top GROUP BY id, a ORDER BY a %s %s, id LIMIT 30', a, direction, nulls)) AS result,
    count(*), array_agg(DISTINCT a) AS keys
FROM unnest('{k, d, ts, b, f, n, o, id + 1, r}'::text[]) a,
    unnest('{ASC, DESC}'::text[]) direction, unnest('{NULLS FIRST, NULLS LAST}'::text[]) nulls
GROUP BY 1 ORDER BY 1;

-- Several orders, of which some cannot be told; OFFSET; WITH TIES.
SELECT wa_top_check('SELECT id, b, count(*), sum(v) FROM wa_top GROUP BY id, b ORDER BY b DESC NULLS LAST, count(*) DESC, sum(v), id LIMIT 40');
SELECT wa_top_check('SELECT id, t, count(*) FROM wa_top GROUP BY id, t ORDER BY count(*) DESC, t, id LIMIT 7');
SELECT wa_top_check('SELECT id, count(*) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id % 10, id LIMIT 7 OFFSET 5');
SELECT wa_top_check('SELECT id, avg(v) FROM wa_top GROUP BY id ORDER BY max(v) DESC NULLS LAST, avg(v), id LIMIT 7');
SELECT wa_top_check('SELECT count(*), id FROM wa_top GROUP BY id ORDER BY 1 DESC, 2 LIMIT 30 OFFSET 100');
SELECT wa_top_check('SELECT id FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 1 OFFSET 30000');
SELECT wa_top_check('SELECT count(*), max(v) FROM wa_top GROUP BY id ORDER BY count(*) DESC, max(v) LIMIT 50');
SELECT wa_top_check('SELECT count(*) FROM wa_top GROUP BY id ORDER BY 1 DESC LIMIT 300');
SELECT wa_top_check('SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM wa_top GROUP BY id ORDER BY count(*) DESC FETCH FIRST 2 ROWS WITH TIES) x');
SELECT wa_top_check('SELECT count(*), sum(id), sum(k) FROM (SELECT id, k FROM wa_top GROUP BY id, k ORDER BY count(*) DESC FETCH FIRST 50 ROWS WITH TIES) x');
SELECT wa_top_check('SELECT id, f, n, count(*) FROM wa_top WHERE v > 0 GROUP BY id, f, n ORDER BY f DESC NULLS LAST, n, id LIMIT 25');

-- What cannot be told, first of all: text, floats' sums, money's, averages, HAVING.
SELECT wa_top_check(format('SELECT id, t, %s AS a FROM wa_top GROUP BY id, t ORDER BY a DESC, id LIMIT 5', a)) AS result, count(*)
FROM unnest('{t, sum(x), sum(m), avg(v), count(*) + 0, stddev(v)}'::text[]) a GROUP BY 1;
SELECT wa_top_check('SELECT id, count(*) FROM wa_top GROUP BY id HAVING sum(v) > 0 ORDER BY count(*) DESC, id LIMIT 5');
SELECT wa_top_check('SELECT id / 4, count(*) FROM wa_top GROUP BY 1 HAVING sum(v) > 0 ORDER BY count(*) DESC, 1 LIMIT 5', 1000);
-- An error in the target list is seen, whichever groups are wanted: none is chosen.
SELECT id, 1 / (id - 1) FROM wa_top GROUP BY id ORDER BY id DESC LIMIT 1;
SELECT wa_top_check('SELECT id / 4, 1 / (count(*) + 1), count(*) FROM wa_top GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 5', 1000);
SELECT wa_top_check('SELECT id / 4, sum(v) / count(*), count(*) FROM wa_top GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 5', 1000);
SELECT wa_top_check('SELECT id, t FROM wa_top GROUP BY id, t ORDER BY t COLLATE "C", id LIMIT 5');

-- LIMIT as a parameter, and one that is NULL.
PREPARE top(bigint, bigint) AS SELECT id, count(*) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT $1 OFFSET $2;
SET plan_cache_mode = force_generic_plan;
SELECT count, skip, wa_top_check(format('EXECUTE top(%L, %L)', count, skip)) FROM (VALUES (10, 0), (1, NULL), (500, 3), (NULL, 0), (2000000, 39990)) x (count, skip);
EXECUTE top(-1, 0);
RESET plan_cache_mode;
DEALLOCATE top;

-- A limit that changes from one execution to the next.
SELECT wa_top_check('SELECT i, (SELECT array_agg(id) FROM (SELECT id FROM wa_top WHERE v < i * 100 GROUP BY id ORDER BY count(*) DESC, id LIMIT i) x) FROM generate_series(1, 4) i');

-- Errors of constants are those of the built-ins: none where there is no row.
CREATE TABLE wa_top_none (LIKE wa_top);
SELECT id, count(*) FROM wa_top_none WHERE v < (SELECT 1 / count(*) FROM wa_top_none) GROUP BY id ORDER BY 2, 1 LIMIT 3;
SELECT id, count(*) FROM wa_top WHERE v < (SELECT 1 / count(*) FROM wa_top_none) GROUP BY id ORDER BY 2, 1 LIMIT 3;

-- A block with a row that traps is left out, so that others may be the first.
INSERT INTO wa_top (id, d, w) VALUES (40001, '2024-01-05', 99999999999);
VACUUM wa_top;
SELECT warpagg_load('wa_top') > 0 AS loaded;
SELECT wa_top_check('SELECT id, max(w * w * w) FROM wa_top GROUP BY id ORDER BY count(*) DESC, 1 LIMIT 5');
SELECT wa_top_check('SELECT d, max(w * w * w), count(*) FROM wa_top GROUP BY d ORDER BY count(*) DESC, 1 LIMIT 5', 800);
SELECT wa_top_check('SELECT d, max(w + w), count(*) FROM wa_top GROUP BY d ORDER BY count(*) DESC, 1 LIMIT 5', 800);

-- Some blocks are not fresh: rows of any group may be there.
BEGIN;
INSERT INTO wa_top (id, v) SELECT 77, i FROM generate_series(1, 5) i;
SELECT warpagg_load('wa_top') >= 0 AS confirmed;
SELECT wa_top_check('SELECT id, count(*), sum(v) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 4');
ROLLBACK;
BEGIN;
DELETE FROM wa_top WHERE id % 2000 = 0;
SELECT warpagg_load('wa_top') >= 0 AS confirmed;
SELECT wa_top_check('SELECT id, count(*), sum(v) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 4');
SELECT wa_top_check('SELECT d, count(*), sum(v) FROM wa_top GROUP BY d ORDER BY count(*) DESC, d LIMIT 4', 800);
COMMIT;
VACUUM wa_top;
SELECT warpagg_load('wa_top') >= 0 AS loaded;
SELECT wa_top_check('SELECT id, count(*), sum(v) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 4');
SELECT wa_top_check('SELECT d, count(*), sum(v) FROM wa_top GROUP BY d ORDER BY count(*) DESC, d LIMIT 4', 800);

-- Results that are told from those of another expression are not compared by
-- others; one that has an error has it in a group that is not among the first, too.
SELECT wa_top_check('SELECT id, count(*), sum(v::bigint + 3) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 4');
SELECT wa_top_check('SELECT id, count(*), sum(v + 3) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 4');
SELECT wa_top_check('SELECT id, sum(v - 3) AS a, min(7 - v) FROM wa_top GROUP BY id ORDER BY a, id LIMIT 4');
SELECT id, count(*), max(v + 2147483398) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 4;
SELECT wa_top_check('SELECT id, count(*), max(v + 2147483397) FROM wa_top GROUP BY id ORDER BY count(*) DESC, id LIMIT 4');

DROP FUNCTION wa_top_check;
DROP TABLE wa_top, wa_top_none;
