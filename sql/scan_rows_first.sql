-- The first rows of a table by ORDER BY and LIMIT, without aggregates: the device process chooses
-- them, and they are read where they lie.
LOAD 'warpagg';
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET random_page_cost = 1.1;
SET max_parallel_workers_per_gather = 0;
\set VERBOSITY terse

CREATE TABLE wa_first (id integer, k bigint, d date, ts timestamptz, b boolean, f double precision, n numeric(12, 2), wide numeric,
    o oid, t text, v integer, r real, m money, long text) WITH (autovacuum_enabled = off, fillfactor = 90);
INSERT INTO wa_first
    SELECT i, i::bigint * 7919 % 40009 - 20000, CASE i % 1013 WHEN 1 THEN date 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN NULL ELSE date '2024-01-01' + i % 900 END,
           timestamptz '2024-01-01 00:00+00' + i * interval '7 minutes', CASE i % 5 WHEN 0 THEN true WHEN 1 THEN NULL ELSE false END,
           CASE i % 4001 WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' WHEN 3 THEN '0' WHEN 4 THEN 'Infinity' WHEN 5 THEN '-Infinity' WHEN 6 THEN NULL
               ELSE (i * 31 % 40009 - 20000) / 8.0 END,
           CASE WHEN i % 3001 > 0 THEN (i * 17 % 40009 - 20000) / 100.0 END, CASE WHEN i % 2003 > 0 THEN (i * 37 % 40009) * 0.001 END,
           i, 't' || i % 1000, CASE WHEN i % 7 > 0 THEN i * 13 % 501 - 250 END, i % 313 / 3.0, (i * 7 % 1009)::money,
           CASE WHEN i % 1000 = 0 THEN repeat(md5(i::text), 400) ELSE 'short ' || i END
    FROM generate_series(1, 40000) i;
INSERT INTO wa_first SELECT * FROM wa_first WHERE id % 100 = 0;
INSERT INTO wa_first (v) SELECT 1 FROM generate_series(1, 3);
VACUUM (FREEZE, ANALYZE) wa_first;
SELECT warpagg_load('wa_first', NULL) > 0 AND warpagg_load('wa_first', '{ctid}') > 0 AS loaded;

-- Compares the rows of a query, in their order, with those of PostgreSQL's plan; tells what
-- has found them: the device process ("first"), with blocks of the heap ("partly"), the heap
-- alone, or PostgreSQL's plan ("not the node").
CREATE FUNCTION wa_first_check(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
    ours text[] := wa_rows(query, 'on', 'on', 'all', true);
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN CASE WHEN ours IS DISTINCT FROM wa_rows(query, 'off', 'off', 'off', true) THEN 'different' WHEN ours IS NULL THEN 'no rows' ELSE 'same' END
        || CASE WHEN NOT plan @? '$.**."Custom Plan Provider" ? (@ == "WarpAgg Rows")' THEN ', not the node'
           WHEN NOT plan @? '$.**."Resident Blocks" ? (@ > 0)' THEN ', heap'
           WHEN plan @? '$.**."Blocks Read" ? (@ > 0)' THEN ', partly' ELSE ', first' END;
END
$$;

SELECT * FROM wa_plan('SELECT t, n FROM wa_first WHERE v > 3 AND t LIKE ''t1%'' ORDER BY ts DESC, id LIMIT 5 OFFSET 2');
SELECT * FROM wa_plan('SELECT id, t, n FROM wa_first WHERE v > 3 ORDER BY ts DESC, id LIMIT 5 OFFSET 2', 'VERBOSE, COSTS OFF');

-- Orders of all kinds, with a key behind them that no two rows share but by all columns.
SELECT wa_first_check(format('SELECT id, %s AS a, t, long FROM wa_first ORDER BY a %s %s, id, k LIMIT 30', a, direction, nulls)) AS result,
    count(*), array_agg(DISTINCT a) AS orders
FROM unnest('{id,k,d,ts,b,f,n,wide,o,v,r,m,v + 1,-id,abs(k),v > 100,ts::date,n * 2,k / 3}'::text[]) a,
    unnest('{ASC,DESC}'::text[]) direction, unnest('{NULLS FIRST,NULLS LAST}'::text[]) nulls
GROUP BY 1 ORDER BY 1;
SELECT wa_first_check(format('SELECT id, v, b, f FROM wa_first ORDER BY %s, id LIMIT %s OFFSET %s', o, count, skip)) AS result, count(*)
FROM unnest('{"v, b","b DESC NULLS LAST, v DESC","b, f DESC, v","v DESC NULLS LAST, n, f","d, b NULLS FIRST, o"}'::text[]) o,
    unnest('{1,10,700}'::int[]) count, unnest('{0,1,150}'::int[]) skip
GROUP BY 1 ORDER BY 1;

-- Texts are compared by their ranks among those that are resident; blocks with long ones are read.
SELECT wa_first_check(format('SELECT id, %s AS a, v FROM wa_first ORDER BY a %s %s, id, k LIMIT 30', a, direction, nulls)) AS result,
    count(*), array_agg(DISTINCT a) AS orders
FROM unnest(ARRAY['t', 'upper(t)', 't COLLATE "C"', 't::varchar', 'long', 'left(long, 3)']) a,
    unnest('{ASC,DESC}'::text[]) direction, unnest('{NULLS FIRST,NULLS LAST}'::text[]) nulls
GROUP BY 1 ORDER BY 1;
SELECT wa_first_check(format('SELECT id, t FROM wa_first WHERE v > 3 ORDER BY %s LIMIT 12 OFFSET 3', o))
FROM unnest('{"b DESC, t, id","t DESC, upper(t), ts, id","v, t DESC NULLS LAST, id"}'::text[]) o;
CREATE COLLATION wa_either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT wa_first_check('SELECT id, t FROM wa_first ORDER BY t COLLATE wa_either_case, id LIMIT 3');
DROP COLLATION wa_either_case;

-- What rows have beside: all columns, expressions, system columns, long values.
SELECT wa_first_check('SELECT * FROM wa_first ORDER BY k, ts LIMIT 20');
SELECT wa_first_check('SELECT x, x.id FROM wa_first x WHERE id % 1000 = 0 ORDER BY ts DESC NULLS LAST LIMIT 7');
SELECT wa_first_check('SELECT ctid, tableoid, xmin, upper(long) FROM wa_first WHERE id % 100 > 0 ORDER BY ts DESC NULLS LAST, id LIMIT 20');
SELECT wa_first_check('SELECT CASE WHEN v > 0 THEN t END, n IS NULL, COALESCE(v, 7), upper(t) FROM wa_first ORDER BY k, id LIMIT 20');
SELECT wa_first_check('SELECT 1, random() < 2 FROM wa_first ORDER BY k LIMIT 3');
SELECT wa_first_check('SELECT k FROM wa_first ORDER BY k USING >, (SELECT 1), 2 > 1 LIMIT 3');
SELECT wa_first_check('SELECT FROM wa_first ORDER BY k LIMIT 3');
SELECT wa_first_check('SELECT id, id AS same FROM wa_first ORDER BY same DESC NULLS LAST, id, same LIMIT 3');

-- WHERE: of all that the device process computes, and of constants.
SELECT wa_first_check(format('SELECT id, k, t FROM wa_first WHERE %s ORDER BY k DESC NULLS LAST, ts DESC LIMIT 12', w)) AS result, count(*), array_agg(w) AS wheres
FROM unnest(ARRAY['v = 100', 'v IS NULL', 't = ''t17''', 't LIKE ''%77''', 'b', 'f > 100 AND n < 5', 'id IN (5, 7, 40000)', 'v = 9999', 'd > date ''2025-01-01'' OR b IS NULL',
    'v > (SELECT count(*) FROM generate_series(1, 90))', 'false', 'upper(t) = ''T3''', 'k = 7', 'ts::date = date ''2024-02-02''', 'n = 7.5']) w
GROUP BY 1 ORDER BY 1;

-- LIMIT that is none, of no rows, or of all, and what is wrong.
SELECT wa_first_check('SELECT id FROM wa_first ORDER BY k, id LIMIT 0');
SELECT wa_first_check('SELECT id FROM wa_first ORDER BY k, id LIMIT NULL');
SELECT wa_first_check('SELECT count(*), sum(id) FROM (SELECT id FROM wa_first ORDER BY k, id LIMIT 100000 OFFSET 5) x');
SELECT wa_first_check('SELECT count(*), sum(id) FROM (SELECT id FROM wa_first ORDER BY k, id LIMIT 5000) x');
SELECT id FROM wa_first ORDER BY k, id LIMIT -1;
SELECT wa_first_check('SELECT id FROM wa_first ORDER BY k, id OFFSET 40300');

-- Parameters, in plans made for all values.
PREPARE first(integer, bigint, bigint) AS SELECT id, v, ts FROM wa_first WHERE v < $1 ORDER BY ts DESC NULLS LAST, id LIMIT $2 OFFSET $3;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SELECT v, count, skip, wa_first_check(format('EXECUTE first(%L, %L, %L)', v, count, skip))
FROM (VALUES (100, 10, 0), (-249, 5, 3), (NULL, 5, 0), (100, NULL, NULL), (100, 30000, 39), (1000, 20, NULL), (0, 9223372036854775807, 9223372036854775807)) x (v, count, skip);
EXECUTE first(100, -1, 0);
EXECUTE first(100, 1, -1);
-- A plan that finds nothing resident any more chooses the rows by itself, if need be on disk.
SET warpagg.enable_resident = off;
SET work_mem = '64kB';
SELECT v, count, array_length(rows, 1), rows = wa_rows(replace(format('SELECT id, v, ts FROM wa_first WHERE v < %L ORDER BY ts DESC NULLS LAST, id LIMIT %L', v, count), 'E''', ''''), 'off', 'off', 'off', true)
FROM (VALUES (100, 10), (-100, 700), (100, 2000), (1000, 30000)) x (v, count), wa_rows(format('EXECUTE first(%L, %L, 0)', v, count), 'on', 'off', 'all', true) rows;
RESET work_mem;
RESET warpagg.enable_resident;
RESET enable_seqscan;
RESET plan_cache_mode;
DEALLOCATE first;

-- In other queries: several times, with a limit that changes, as a source of rows.
SELECT wa_first_check('SELECT i, (SELECT array_agg(id) FROM (SELECT id FROM wa_first WHERE v < i * 100 - 200 ORDER BY k, id LIMIT i) x) FROM generate_series(1, 4) i');
SELECT wa_first_check('SELECT a.id, b.id FROM (SELECT id FROM wa_first ORDER BY k, id LIMIT 5) a JOIN (SELECT id FROM wa_first ORDER BY k DESC NULLS LAST, id LIMIT 20000) b ON a.id < b.id ORDER BY 1, 2 LIMIT 30');
SELECT wa_first_check('(SELECT id FROM wa_first ORDER BY k, id LIMIT 3) UNION ALL (SELECT id FROM wa_first ORDER BY ts DESC NULLS LAST, id LIMIT 3)');
CREATE TEMP TABLE wa_copy AS SELECT * FROM wa_first ORDER BY ts DESC NULLS LAST, id LIMIT 50;
SELECT count(*), min(id), max(id) FROM wa_copy;
BEGIN;
DECLARE two SCROLL CURSOR FOR SELECT id, t FROM wa_first ORDER BY k DESC NULLS LAST, ts LIMIT 6;
FETCH 4 FROM two;
UPDATE wa_first SET t = 'other' WHERE k > 20000;
FETCH BACKWARD 2 FROM two;
FETCH ALL FROM two;
ROLLBACK;

-- Rows that have changed since, here and there, are read from the heap.
BEGIN;
INSERT INTO wa_first (id, k, ts, t) VALUES (-1, 999999, '2030-01-01', 'new'), (-2, -999999, '2030-01-02', 'new');
UPDATE wa_first SET t = 'changed', v = 7 WHERE id IN (39999, 39990);
DELETE FROM wa_first WHERE id IN (39998, 1, 5);
SELECT wa_first_check(format('SELECT id, k, t, v FROM wa_first ORDER BY %s NULLS LAST, id LIMIT 10', o)) FROM unnest('{ts DESC,k,k DESC,v,t,t DESC}'::text[]) o;
SAVEPOINT one;
DELETE FROM wa_first WHERE id > 39000 OR id < 0;
SELECT wa_first_check(format('SELECT id, k, t, v FROM wa_first ORDER BY %s NULLS LAST, id LIMIT 10', o)) FROM unnest('{ts DESC,k,k DESC,v,t,t DESC}'::text[]) o;
ROLLBACK TO one;
SELECT id, k, t, v FROM wa_first ORDER BY ts DESC NULLS LAST, id LIMIT 6;
SELECT warpagg_load('wa_first', NULL) >= 0 AND warpagg_load('wa_first', '{ctid}') >= 0 AS confirmed;
SELECT wa_first_check(format('SELECT id, k, t, v FROM wa_first ORDER BY %s NULLS LAST, id LIMIT 10', o)) FROM unnest('{ts DESC,k,k DESC,v,t,t DESC}'::text[]) o;
ROLLBACK;
SELECT wa_first_check('SELECT id, k, t, v FROM wa_first ORDER BY ts DESC NULLS LAST, id LIMIT 10');
-- In their pages, and to others; then vacuumed, and loaded.
UPDATE wa_first SET t = 'hot' WHERE id % 500 = 3;
UPDATE wa_first SET t = 'hot again' WHERE id % 500 = 3;
UPDATE wa_first SET long = repeat('x', 1500) WHERE id % 4000 = 7;
DELETE FROM wa_first WHERE id % 4000 = 8;
SELECT wa_first_check(format('SELECT id, k, t, v, long FROM wa_first ORDER BY %s NULLS LAST, id LIMIT 600', o)) FROM unnest('{ts DESC,k,k DESC,v,t,t DESC}'::text[]) o;
VACUUM wa_first;
SELECT wa_first_check(format('SELECT id, k, t, v, long FROM wa_first ORDER BY %s NULLS LAST, id LIMIT 600', o)) FROM unnest('{ts DESC,k,k DESC,v,t,t DESC}'::text[]) o;
SELECT warpagg_load('wa_first', NULL) >= 0 AND warpagg_load('wa_first', '{ctid}') >= 0 AS loaded;
SELECT wa_first_check(format('SELECT id, k, t, v, long FROM wa_first ORDER BY %s NULLS LAST, id LIMIT 600', o)) FROM unnest('{ts DESC,k,k DESC,v,t,t DESC}'::text[]) o;

-- Numerics of many digits: the device process compares 64 bits.
INSERT INTO wa_first (id, wide, n, ts) SELECT i, 12345678901234567890.123 + i, 3, '2031-01-01' FROM generate_series(50001, 50003) i;
INSERT INTO wa_first (id, n, wide) SELECT i, 9999999999.99, 8999999999999999.25 + i FROM generate_series(40001, 40300) i;
VACUUM wa_first;
SELECT warpagg_load('wa_first', NULL) >= 0 AND warpagg_load('wa_first', '{ctid}') >= 0 AS loaded;
SELECT split_part(wa_first_check(format('SELECT id, wide FROM wa_first ORDER BY n DESC NULLS LAST, wide %s, id LIMIT 20', direction)), ',', 1)
FROM unnest('{ASC,DESC,DESC NULLS LAST}'::text[]) direction;
INSERT INTO wa_first (id, wide) VALUES (50004, 'NaN'), (50005, 1e60);
VACUUM wa_first;
SELECT warpagg_load('wa_first', NULL) >= 0 AND warpagg_load('wa_first', '{ctid}') >= 0 AS loaded;
SELECT split_part(wa_first_check(format('SELECT id, wide FROM wa_first ORDER BY wide %s, id LIMIT 20', direction)), ',', 1)
FROM unnest('{ASC,DESC,DESC NULLS LAST}'::text[]) direction;

-- Rows that WHERE selects, without LIMIT, are found and read likewise, in the order of their pages.
SELECT * FROM wa_plan('SELECT t, n FROM wa_first WHERE v = 100 AND b ORDER BY ts');
SELECT wa_first_check(format('SELECT id, k, t, long FROM wa_first WHERE %s ORDER BY id, k, ts', w)) AS result, count(*), array_agg(w) AS wheres
FROM unnest(ARRAY['v = 100', 't = ''t17''', 't LIKE ''%77''', 'f > 2400', 'id IN (5, 7, 40000)', 'v = 9999', 'k = 7', 'ts IS NULL', 'id = (SELECT 77)', 'false']) w
GROUP BY 1 ORDER BY 1;
SELECT wa_first_check(format('SELECT %s', q)) FROM unnest(ARRAY[
    'id, rank() OVER (ORDER BY ts, id) FROM wa_first WHERE v = 100 ORDER BY 1', 'DISTINCT ON (t) t, id FROM wa_first WHERE v = 100 ORDER BY 1, 2 DESC',
    'id, generate_series(1, 2) AS g FROM wa_first WHERE t = ''t17'' ORDER BY 1, 2', 'i, (SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM wa_first WHERE v = i - 200 ORDER BY t, id) x) FROM generate_series(1, 3) i',
    'id FROM wa_first WHERE v = 7 UNION ALL SELECT id FROM wa_first WHERE v = 9 ORDER BY 1', 'ctid, xmin, tableoid FROM wa_first WHERE v = 11 ORDER BY 1', '1000 / (v + 1), id FROM wa_first WHERE v = 100 ORDER BY k, id LIMIT 3']) q;
BEGIN;
UPDATE wa_first SET t = 'moved', v = 100 WHERE id IN (39999, 20000);
DELETE FROM wa_first WHERE v = 100 AND id % 7 = 0;
SELECT wa_first_check('SELECT id, k, t FROM wa_first WHERE v = 100 ORDER BY id');
DECLARE selected CURSOR FOR SELECT id FROM wa_first WHERE v = 101;
FETCH 3 FROM selected;
DELETE FROM wa_first WHERE v = 101;
SELECT id FROM wa_first WHERE v = 101;
MOVE ALL IN selected;
ROLLBACK;
VACUUM wa_first;
SELECT warpagg_load('wa_first', NULL) >= 0 AND warpagg_load('wa_first', '{ctid}') >= 0 AS loaded;
SET work_mem = '64kB';
SET random_page_cost = 0;
SELECT wa_first_check('SELECT id, t FROM wa_first WHERE id % 2 = 0 AND v % 2 = 0 ORDER BY id, k, ts');
RESET work_mem;
SET random_page_cost = 1.1;
-- They are not locked so, and nothing else is read.
SELECT bool_or(line ~ 'WarpAgg Rows') AS has_node, query
FROM unnest(ARRAY['SELECT id FROM wa_first WHERE v = 100 FOR SHARE', 'DELETE FROM wa_first WHERE v = 100', 'UPDATE wa_first SET t = t WHERE v = 100',
    'SELECT a.id FROM wa_first a JOIN wa_first b ON a.id = b.k WHERE a.v = 100', 'SELECT id FROM wa_first WHERE v <> 100', 'SELECT id FROM wa_first WHERE wa_first IS NULL']) query, wa_plan(query) line
GROUP BY 2 ORDER BY 1, 2;

-- DISTINCT ON: the first row of each part.
SELECT * FROM wa_plan('SELECT DISTINCT ON (v, b) v, b, t, ts FROM wa_first WHERE id > 5 ORDER BY v, b DESC, ts DESC, id');
SELECT wa_first_check(format('SELECT DISTINCT ON (%s) id, k, t, f FROM wa_first ORDER BY %s', parts, orders)) AS result, parts, orders
FROM (VALUES ('v', 'v, ts, id'), ('v', 'v DESC NULLS LAST, t DESC, id, k'), ('b', 'b NULLS FIRST, k, id'), ('v, b', 'b, v DESC, f, id, ts'), ('t', 't DESC, n NULLS FIRST, id, ts'),
    ('f > 0', 'f > 0, wide DESC NULLS LAST, id, ts'), ('upper(t)', 'upper(t), id, ts'), ('d', 'd, ts DESC, id'), ('n', 'n NULLS FIRST, id, ts'), ('long', 'long, id, ts'), ('1', '1, k')) q (parts, orders);
SELECT wa_first_check('SELECT DISTINCT ON (v) id, v FROM wa_first WHERE t LIKE ''t1%'' ORDER BY v DESC, k, id LIMIT 7 OFFSET 3');
SELECT wa_first_check('SELECT count(*), sum(id) FROM (SELECT DISTINCT ON (v) id, v FROM wa_first ORDER BY v, k DESC, id) x');
SELECT wa_first_check('SELECT i, (SELECT array_agg(id) FROM (SELECT DISTINCT ON (b) id FROM wa_first WHERE v < i * 100 - 200 ORDER BY b, k, id) x) FROM generate_series(1, 4) i');
PREPARE parts(integer) AS SELECT DISTINCT ON (v, b) id, v, b FROM wa_first WHERE v > $1 ORDER BY v, b, k, id;
SET plan_cache_mode = force_generic_plan;
SELECT wa_first_check('EXECUTE parts(200)');
SET warpagg.enable_resident = off;
SET work_mem = '64kB';
SELECT wa_first_check('EXECUTE parts(-300)');
RESET work_mem;
RESET warpagg.enable_resident;
RESET plan_cache_mode;
DEALLOCATE parts;
BEGIN;
UPDATE wa_first SET k = k + 50000, t = 'part' WHERE id % 4000 = 9;
DELETE FROM wa_first WHERE id % 3000 = 8;
SELECT wa_first_check(format('SELECT DISTINCT ON (%s) id, k, t FROM wa_first ORDER BY %1$s, k DESC, id', parts)) FROM unnest('{v,b,t}'::text[]) parts;
ROLLBACK;
VACUUM wa_first;
SELECT warpagg_load('wa_first', NULL) >= 0 AND warpagg_load('wa_first', '{ctid}') >= 0 AS loaded;
-- Not where the order does not begin with them, or they are too many.
SELECT bool_or(line ~ 'WarpAgg Rows') AS has_node, query
FROM unnest(ARRAY['SELECT DISTINCT ON (v, b) id FROM wa_first ORDER BY v', 'SELECT DISTINCT ON (v) id FROM wa_first', 'SELECT DISTINCT ON (id) id, k FROM wa_first ORDER BY id, k',
    'SELECT DISTINCT ON (v) id, rank() OVER (ORDER BY k) FROM wa_first ORDER BY v, k', 'SELECT DISTINCT ON (v) 1 / v FROM wa_first ORDER BY v, k']) query, wa_plan(query) line
GROUP BY 2 ORDER BY 1, 2;

-- An error in an expression of ORDER BY, or of WHERE, is seen whatever comes first.
SELECT id FROM wa_first ORDER BY id, 1 / (k - 7) LIMIT 3;
SELECT id FROM wa_first WHERE 1 / (k - 7) < 5 ORDER BY ts DESC NULLS LAST LIMIT 3;

-- Rights to columns, and row security with a function that tells what it is given.
CREATE ROLE wa_first_reader;
GRANT SELECT (id, k, ts) ON wa_first TO wa_first_reader;
SET ROLE wa_first_reader;
SELECT wa_first_check('SELECT id, k FROM wa_first ORDER BY ts DESC NULLS LAST, id LIMIT 5');
SELECT id, k FROM wa_first ORDER BY v, id LIMIT 5;
SELECT id, t FROM wa_first ORDER BY ts, id LIMIT 5;
SELECT id, ctid FROM wa_first ORDER BY ts, id LIMIT 5;
RESET ROLE;
-- Groups are compared, but rows are only sorted.
BEGIN;
REVOKE EXECUTE ON FUNCTION int8eq(bigint, bigint), int4eq(integer, integer) FROM PUBLIC;
SET LOCAL ROLE wa_first_reader;
SELECT id, k FROM wa_first ORDER BY k, id LIMIT 2;
SELECT k, id FROM wa_first GROUP BY k, id ORDER BY k, id LIMIT 2;
ROLLBACK;
GRANT SELECT ON wa_first TO wa_first_reader;
ALTER TABLE wa_first ENABLE ROW LEVEL SECURITY;
CREATE POLICY wa_some ON wa_first USING (k % 2 = 0 AND v < 100);
CREATE FUNCTION wa_tells(integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN IF $1 >= 100 THEN RAISE EXCEPTION ''told %'', $1; END IF; RETURN true; END';
SET ROLE wa_first_reader;
SELECT wa_first_check('SELECT id, k, v FROM wa_first ORDER BY ts DESC NULLS LAST, id LIMIT 5');
SELECT wa_first_check('SELECT id, k, v FROM wa_first WHERE 1000 / (v - 200) < 0 ORDER BY ts DESC NULLS LAST, id LIMIT 5');
SELECT wa_first_check('SELECT id, k, v FROM wa_first WHERE wa_tells(v) ORDER BY ts DESC NULLS LAST, id LIMIT 5');
RESET ROLE;
ALTER TABLE wa_first DISABLE ROW LEVEL SECURITY;

-- What is left to PostgreSQL: locks, ties, other orders, sets, errors and chance in what is
-- computed, parts of tables, joins; and what an index has sooner.
SELECT bool_or(line ~ 'WarpAgg') AS has_node, query
FROM unnest(ARRAY[
    'SELECT id FROM wa_first ORDER BY k LIMIT 3 FOR UPDATE', 'SELECT id FROM wa_first ORDER BY k FETCH FIRST 3 ROWS WITH TIES',
    'SELECT id FROM wa_first ORDER BY random() LIMIT 3',
    'SELECT 1 / v FROM wa_first ORDER BY k LIMIT 3', 'SELECT generate_series(1, 2) FROM wa_first ORDER BY k LIMIT 3',
    'SELECT id, rank() OVER (ORDER BY k) FROM wa_first ORDER BY k LIMIT 3', 'SELECT DISTINCT ON (k) id FROM wa_first ORDER BY k LIMIT 3',
    'SELECT id FROM wa_first TABLESAMPLE SYSTEM (50) ORDER BY k LIMIT 3', 'SELECT id FROM wa_first ORDER BY k', 'SELECT id FROM wa_first LIMIT 3',
    'SELECT a.id FROM wa_first a, wa_first b WHERE a.id = b.k ORDER BY a.k LIMIT 3', 'SELECT id FROM wa_first WHERE random() > 2 ORDER BY k LIMIT 3']) query, wa_plan(query) line
GROUP BY 2 ORDER BY 1, 2;
CREATE INDEX ON wa_first (k);
SELECT * FROM wa_plan('SELECT id, t FROM wa_first ORDER BY k LIMIT 3');
SELECT wa_first_check('SELECT id, t FROM wa_first ORDER BY k, id LIMIT 3');

-- Of a small table nothing is asked.
CREATE TABLE wa_first_small AS SELECT i, -i AS j FROM generate_series(1, 1000) i;
SELECT wa_first_check('SELECT * FROM wa_first_small ORDER BY j LIMIT 3');

DROP OWNED BY wa_first_reader;
DROP ROLE wa_first_reader;
DROP TABLE wa_first, wa_first_small;
