--
-- The scan tier: what does not depend on rows is computed once, but not before a
-- row needs it.
--
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;

CREATE TABLE wa_once AS
SELECT i AS id, i % 10 AS k, i::bigint AS v, 'text ' || i % 7 AS s, timestamptz '2024-01-01' + i * interval '1 hour' AS ts FROM generate_series(1, 9000) i;
CREATE TABLE wa_once_none (LIKE wa_once);
-- What subselects read: nothing else does.
CREATE TABLE wa_zero AS SELECT 0 AS z;
VACUUM (FREEZE, ANALYZE) wa_once;
ANALYZE wa_once_none, wa_zero;
CREATE FUNCTION wa_once_stable(i integer) RETURNS integer LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN 10 / i;
END
$$;
CREATE FUNCTION wa_once_zero() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT z FROM wa_zero';

-- Returns what a query returns, or the error that it ends with, and whether its
-- subselects over wa_zero, if any, have been run.
CREATE FUNCTION wa_once_outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    line text;
BEGIN
    EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO result;
    IF query LIKE '%FROM wa_zero%' THEN
        FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
            IF line LIKE '%on wa_zero%' THEN
                result := COALESCE(result, 'nothing') || CASE WHEN line LIKE '%never executed%' THEN ', not run' ELSE ', run' END;
            END IF;
        END LOOP;
    END IF;
    RETURN COALESCE(result, 'nothing');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- The same with the node, whose settings are those of the session.  Some errors are
-- raised when the query is planned.
CREATE FUNCTION wa_once_node(query text, OUT has_node boolean, OUT with_node text) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    BEGIN
        FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
            has_node := COALESCE(has_node, false) OR line LIKE '%WarpAgg) on wa_once%';
        END LOOP;
    EXCEPTION WHEN OTHERS THEN
        has_node := NULL;
    END;
    with_node := wa_once_outcome(query);
END
$$;

-- And without it, in one process.
CREATE FUNCTION wa_once_compare(query text, OUT has_node boolean, OUT with_node text, OUT without_node text) LANGUAGE plpgsql AS $$
DECLARE
    workers text := current_setting('max_parallel_workers_per_gather');
BEGIN
    SELECT x.* INTO has_node, with_node FROM wa_once_node(query) x;
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    PERFORM set_config('max_parallel_workers_per_gather', '0', true);
    without_node := wa_once_outcome(query);
    PERFORM set_config('max_parallel_workers_per_gather', workers, true);
    PERFORM set_config('warpagg.enable_scan', 'on', true);
END
$$;

-- Integers that are computed once: some fail.
CREATE TABLE wa_once_values AS SELECT * FROM unnest(ARRAY[
    'to_char(now(), ''"x"'')::integer',
    'to_char(now(), ''"3"'')::integer',
    '(SELECT 1 / z FROM wa_zero)',
    '(SELECT z + 3 FROM wa_zero)',
    '(7 / (SELECT z FROM wa_zero))',
    'wa_once_stable(extract(year FROM now())::integer * 0)',
    'wa_once_stable(3 + extract(year FROM now())::integer * 0)',
    '(10 / wa_once_zero())',
    '(wa_once_zero() + 3)'
]) WITH ORDINALITY v (e, number);
-- Queries of them: where no row, or one of the second batch, needs them.
CREATE TABLE wa_once_queries AS SELECT * FROM unnest(ARRAY[
    'SELECT sum(v) FROM wa_once WHERE id < 0 AND k + %1$s = 5',
    'SELECT sum(v) FROM wa_once WHERE id > 2000 AND k + %1$s = 5',
    'SELECT sum(v) FROM wa_once WHERE k + %1$s = 5 AND id < 0',
    'SELECT sum(v) FROM wa_once WHERE id > 2000 AND k > 10 AND k + %1$s = 5',
    'SELECT sum(v), count(*) FROM wa_once WHERE id > 2000 AND k > 8 AND k + %1$s > 5',
    'SELECT sum(v) FROM wa_once WHERE id < 0 OR k + %1$s = 5',
    'SELECT sum(v) FROM wa_once WHERE id > 0 OR k + %1$s = 5',
    'SELECT sum(v) FROM wa_once WHERE 1 / (id - 2000) > 5 AND k + %1$s = 5',
    'SELECT sum(v) FROM wa_once WHERE id > 1990 AND 1 / (id - 2000) < 5 AND k + %1$s = 5',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND k IN (1, %1$s)',
    'SELECT count(*) FROM wa_once WHERE id > 2000 AND k IN (1, %1$s)',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND k = ANY (ARRAY[%1$s, 2, k])',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND s < chr(%1$s + 100)',
    'SELECT count(*) FROM wa_once WHERE id > 2000 AND s < chr(%1$s + 100)',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND s || %1$s = ''text 13''',
    'SELECT count(*) FROM wa_once WHERE id > 2000 AND s || %1$s = ''text 13''',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND ts + %1$s * interval ''1 hour'' > ''2024-02-01''',
    'SELECT count(*) FROM wa_once WHERE id > 2000 AND ts + %1$s * interval ''1 hour'' > ''2024-05-01''',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND date_trunc(''day'', ts) < timestamptz ''2024-02-01'' + %1$s * interval ''1 hour''',
    'SELECT count(*) FROM wa_once WHERE id > 2000 AND date_trunc(''day'', ts) < timestamptz ''2024-05-01'' + %1$s * interval ''1 hour''',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND extract(hour FROM ts) > %1$s',
    'SELECT count(*) FROM wa_once WHERE id > 2000 AND extract(hour FROM ts) > %1$s',
    'SELECT count(*) FROM wa_once WHERE id < 0 AND ts > date ''2024-02-01'' + %1$s',
    'SELECT count(*) FROM wa_once WHERE id > 2000 AND ts > date ''2024-05-01'' + %1$s',
    'SELECT sum(k + %1$s) FROM wa_once WHERE id < 0',
    'SELECT sum(k + %1$s), sum(1 / (id - 2001)) FROM wa_once WHERE id > 2000',
    'SELECT sum(k + %1$s), max(k), sum(k) FROM wa_once WHERE id > 2000',
    'SELECT sum(k * %1$s) FROM wa_once WHERE id < 0',
    'SELECT sum(k * %1$s) FROM wa_once WHERE id > 2000',
    'SELECT sum(1 / (id - 2001)), sum(k * %1$s) FROM wa_once WHERE id > 2000',
    'SELECT sum(k + %1$s) FILTER (WHERE id < 0) FROM wa_once',
    'SELECT sum(k + %1$s) FILTER (WHERE id > 2000) FROM wa_once',
    'SELECT count(*), sum(k * %1$s) FILTER (WHERE id < 0) FROM wa_once',
    'SELECT count(*), sum(k * %1$s) FILTER (WHERE id > 2000) FROM wa_once',
    'SELECT count(*), sum(k) FILTER (WHERE id < 0 AND k + %1$s > 3) FROM wa_once',
    'SELECT count(*), sum(k) FILTER (WHERE k + %1$s > 3) FROM wa_once WHERE id < 0',
    'SELECT count(*), sum(k) FILTER (WHERE k + %1$s > 3) FROM wa_once WHERE id > 2000',
    'SELECT sum(CASE WHEN id < 0 THEN k * %1$s ELSE k END) FROM wa_once',
    'SELECT sum(CASE WHEN id > 2000 THEN k * %1$s ELSE k END) FROM wa_once',
    'SELECT sum(CASE WHEN id > 0 THEN k WHEN k = %1$s THEN 3 END) FROM wa_once',
    'SELECT sum(CASE WHEN k = %1$s THEN 3 END) FROM wa_once WHERE id < 0',
    'SELECT sum(COALESCE(id, %1$s)) FROM wa_once',
    'SELECT sum(COALESCE(NULLIF(id, 2000), %1$s)) FROM wa_once',
    'SELECT max(CASE WHEN id < 0 THEN s || %1$s ELSE s END) FROM wa_once',
    'SELECT max(CASE WHEN id > 2000 THEN s || %1$s ELSE s END) FROM wa_once',
    'SELECT max(CASE WHEN id < 0 THEN ts > date ''2024-05-01'' + %1$s END::text) FROM wa_once',
    'SELECT max(CASE WHEN id < 0 THEN k / (%1$s)::numeric END) FROM wa_once',
    'SELECT max(CASE WHEN id > 2000 THEN k / (%1$s)::numeric END) FROM wa_once',
    'SELECT sum(CASE WHEN id < 0 THEN date_part(''day'', ts) + %1$s ELSE 1 END) FROM wa_once',
    'SELECT count(*) FILTER (WHERE id < 0 AND ts > date ''2024-05-01'' + %1$s) FROM wa_once',
    'SELECT count(*) FILTER (WHERE id > 2000 AND ts > date ''2024-05-01'' + %1$s) FROM wa_once',
    'SELECT k + %1$s, count(*) FROM wa_once WHERE id < 0 GROUP BY 1',
    'SELECT k + %1$s, count(*) FROM wa_once WHERE id > 2000 GROUP BY 1',
    'SELECT k, count(*) FROM wa_once WHERE id < 0 GROUP BY 1 HAVING count(*) > %1$s',
    'SELECT k, count(*) FROM wa_once GROUP BY 1 HAVING count(*) > %1$s',
    'SELECT count(*) FROM wa_once HAVING count(*) < 0 AND sum(k) > %1$s',
    'SELECT sum(k + %1$s), count(*) FROM wa_once_none WHERE k > %1$s',
    'SELECT k + %1$s, count(*) FROM wa_once_none GROUP BY 1',
    'SELECT s, k * %1$s AS e, count(*) FROM wa_once WHERE id %% 2 = 3 GROUP BY 1, 2 ORDER BY count(*), 1, 2 LIMIT 2',
    'SELECT s, k * %1$s AS e, count(*) FROM wa_once WHERE id > 2000 GROUP BY 1, 2 ORDER BY count(*), 1, 2 LIMIT 2',
    'SELECT x.i, y.* FROM (VALUES (0), (-5), (2000)) x (i), LATERAL (SELECT sum(v), count(*) FROM wa_once WHERE id > 0 AND id < x.i AND k + %1$s > 3) y',
    'SELECT x.i, y.* FROM (VALUES (0), (-5)) x (i), LATERAL (SELECT sum(v), count(*) FROM wa_once WHERE id > 0 AND id < x.i AND k + %1$s > 3) y'
]) WITH ORDINALITY q (query, number);

-- The same of rows of another relation: these are new for each of its rows.
CREATE TABLE wa_once_outer AS SELECT 'SELECT x.i, y.* FROM (VALUES (1), (0), (2), (1)) x (i), LATERAL ' || q AS query, number FROM unnest(ARRAY[
    '(SELECT sum(v), count(*) FROM wa_once WHERE id < x.i * 3000 AND k * 2 >= (SELECT 1 / (z + x.i) FROM wa_zero)) y',
    '(SELECT sum(v), count(*) FROM wa_once WHERE id <= x.i * 3000 + 1 AND k * 2 >= (SELECT 1 / (z + x.i) FROM wa_zero)) y',
    '(SELECT sum(v), count(*) FILTER (WHERE id < x.i * 3000 AND k >= (SELECT 1 / (z + x.i) FROM wa_zero)) FROM wa_once) y',
    '(SELECT sum(v), sum(k + (SELECT 7 / (z + x.i) FROM wa_zero)) FROM wa_once WHERE id < x.i * 3000) y',
    '(SELECT sum(v), sum(k + 7 / x.i) FROM wa_once WHERE id < x.i * 3000) y',
    '(SELECT sum(v), sum(k + 7 / x.i) FROM wa_once WHERE id <= x.i * 3000 + 1) y',
    '(SELECT sum(v), sum(CASE WHEN id > 2000 AND x.i > 0 THEN k + 7 / x.i END) FROM wa_once) y',
    '(SELECT sum(v) FROM wa_once WHERE id < x.i * 3000 AND k > 3 / x.i) y',
    '(SELECT k * (SELECT 7 / (z + x.i) FROM wa_zero), count(*) FROM wa_once WHERE id < x.i * 3000 GROUP BY 1) y'
]) WITH ORDINALITY q (q, number);

-- Nothing differs from PostgreSQL's own plan.
CREATE VIEW wa_once_all AS SELECT q.number, v.e, format(q.query, v.e) AS query FROM wa_once_queries q, wa_once_values v
UNION ALL SELECT 1000 + number, 'outer', query FROM wa_once_outer;
CREATE TABLE wa_once_serial AS SELECT a.*, x.* FROM wa_once_all a, LATERAL wa_once_compare(a.query) x;
SELECT query, with_node, without_node FROM wa_once_serial WHERE with_node <> without_node ORDER BY query;
SELECT has_node, count(*), count(*) FILTER (WHERE with_node ~ '^[0-9P]{5} '), count(*) FILTER (WHERE with_node LIKE '%, run'), count(*) FILTER (WHERE with_node LIKE '%, not run') FROM wa_once_serial GROUP BY has_node ORDER BY has_node;
SELECT DISTINCT number FROM wa_once_serial WHERE NOT has_node ORDER BY 1;
-- Which errors there are, and how many of the queries end with each.
SELECT without_node, count(*) FROM wa_once_serial WHERE without_node ~ '^[0-9P]{5} ' GROUP BY 1 ORDER BY 1;

-- In several processes; subselects are not run in vain there either.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE wa_once_parallel AS SELECT a.number, a.e, a.query, x.*, a.without_node FROM wa_once_serial a, LATERAL wa_once_node(a.query) x WHERE a.number % 3 = 1 OR a.e LIKE '(SELECT%' OR a.e = 'outer';
SELECT query, with_node, without_node FROM wa_once_parallel WHERE with_node <> without_node ORDER BY query;
SELECT has_node, count(*), count(*) FILTER (WHERE with_node ~ '^[0-9P]{5} ') FROM wa_once_parallel GROUP BY has_node ORDER BY has_node;
SET max_parallel_workers_per_gather = 0;

-- With resident columns: then the device process tells whether there is a row that
-- needs a subselect, and answers if it has been run or nobody needs it.
SELECT warpagg_load('wa_once') BETWEEN 0 AND 9000 AS loaded;
CREATE TABLE wa_once_resident AS SELECT a.number, a.e, a.query, x.*, a.without_node FROM wa_once_serial a, LATERAL wa_once_node(a.query) x;
SELECT query, with_node, without_node FROM wa_once_resident WHERE with_node <> without_node ORDER BY query;
SELECT has_node, count(*), count(*) FILTER (WHERE with_node ~ '^[0-9P]{5} ') FROM wa_once_resident GROUP BY has_node ORDER BY has_node;

-- Tells whether a query has used resident columns, and whether the subselect over
-- wa_zero was run.
CREATE FUNCTION wa_once_source(query text, OUT resident boolean, OUT run boolean) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    resident := false;
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        resident := resident OR line ~ 'Resident Blocks: [1-9]';
        run := COALESCE(run, CASE WHEN line LIKE '%on wa_zero%' THEN line NOT LIKE '%never executed%' END);
    END LOOP;
END
$$;
SELECT q, x.* FROM unnest(ARRAY[
    'sum(v) FROM wa_once WHERE k > (SELECT z FROM wa_zero) AND id > 2000',
    'sum(v) FROM wa_once WHERE id > 2000 AND k > (SELECT z FROM wa_zero)',
    'sum(v) FROM wa_once WHERE id < 0 AND k > (SELECT z FROM wa_zero)',
    'sum(v * (SELECT z FROM wa_zero)) FROM wa_once WHERE id > 2000',
    'sum(v * (SELECT z FROM wa_zero)) FROM wa_once WHERE id < 0',
    'sum(v * (SELECT z FROM wa_zero)) FILTER (WHERE id > 0) FROM wa_once',
    'sum(v * (SELECT z FROM wa_zero)) FILTER (WHERE id < 0) FROM wa_once',
    'sum(v) FROM wa_once WHERE id > 2000 AND k > 8 AND k > (SELECT z FROM wa_zero)',
    'sum(v) FROM wa_once WHERE id > 2000 AND k + to_char(now(), ''"3"'')::integer > 8',
    'sum(v) FROM wa_once WHERE id < 0 AND k + to_char(now(), ''"x"'')::integer > 8',
    'sum(v) FROM wa_once WHERE id > 2000 AND ts < now() - interval ''1 day''',
    'count(*) FROM wa_once WHERE id > 2000 AND date_trunc(''day'', ts) < timestamptz ''2024-05-01'' + (SELECT z FROM wa_zero) * interval ''1 hour''',
    'sum(v) FROM wa_once WHERE id > 2000 AND k > wa_once_stable(1 + extract(year FROM now())::integer * 0)'
]) q, wa_once_source('SELECT ' || q) x;

-- Where rows have errors, too, one of them is raised.  The planner orders clauses by their
-- cost.
CREATE TABLE wa_once_turns AS SELECT row_number() OVER () AS number, v.e, format(q.query, v.e) AS query FROM unnest(ARRAY[
    'SELECT sum(v) FROM wa_once WHERE 1 / (id - 2500) < 5 AND (id > 5000 OR id > 6000 OR id > 7000 OR id > 8000) AND k + %1$s - 0 - 0 - 0 - 0 = 5',
    'SELECT sum(v) FROM wa_once WHERE 1 / (id - 6500) < 5 AND (id > 5000 OR id > 6000 OR id > 7000 OR id > 8000) AND k + %1$s - 0 - 0 - 0 - 0 = 5',
    'SELECT sum(v) FROM wa_once WHERE 1 / (id - 2500) < 5 AND (id < 0 OR id < -1 OR id < -2 OR id < -3) AND k + %1$s - 0 - 0 - 0 - 0 = 5',
    'SELECT sum(v) FROM wa_once WHERE 1 / (id + 1) < 5 AND (id > 5000 OR id > 6000 OR id > 7000 OR id > 8000) AND k + %1$s - 0 - 0 - 0 - 0 = 5',
    'SELECT sum(v) FROM wa_once WHERE id > 5000 AND 1 / (id - 5001) = %1$s',
    'SELECT sum(v) FROM wa_once WHERE id > 5000 AND 1 / (id - 5002) = %1$s',
    'SELECT sum(v) FROM wa_once WHERE id > 5000 AND %1$s = 1 / (id - 5001)',
    'SELECT sum(v) FROM wa_once WHERE id > 5000 AND k + %1$s = 5 AND 1 / (id - 5001) > -5 AND id <> 3',
    'SELECT sum(1 / (id - 5001)), sum(k * %1$s) FROM wa_once WHERE id > 5000',
    'SELECT sum(k * %1$s), sum(1 / (id - 5001)) FROM wa_once WHERE id > 5000',
    'SELECT sum(k), sum(1 / (id - 5001)), sum(k + %1$s) FROM wa_once WHERE id > 5000',
    'SELECT sum(k), sum(k + %1$s), sum(1 / (id - 5001)) FROM wa_once WHERE id > 5000',
    'SELECT 1 / (id - 5001) AS a, sum(k * %1$s) FROM wa_once WHERE id > 5000 GROUP BY 1',
    'SELECT sum(v) FILTER (WHERE 1 / (id - 5001) = 0), sum(k * %1$s) FROM wa_once WHERE id > 5000',
    'SELECT sum(k * %1$s), sum(v * %1$s) FROM wa_once WHERE id > 5000',
    'SELECT sum(v) FROM wa_once WHERE id > 5000 AND s > chr(id - 5001) AND (k + %1$s) * 2 > 7'
]) q (query), unnest(ARRAY[
    '(SELECT (''x'' || z)::integer FROM wa_zero)',
    '(SELECT z FROM wa_zero UNION ALL SELECT 1)',
    '(SELECT z + 3 FROM wa_zero)',
    '(''x'' || wa_once_zero())::integer',
    '(wa_once_zero() + 3)'
]) v (e);
CREATE FUNCTION wa_once_differs(with_node text, without_node text) RETURNS boolean LANGUAGE sql AS $$
    SELECT with_node <> without_node AND NOT (with_node ~ '^(22012|22P02|21000) ' AND without_node ~ '^(22012|22P02|21000) ')
$$;
CREATE TABLE wa_once_turned AS SELECT t.*, x.* FROM wa_once_turns t, LATERAL wa_once_compare(t.query) x;
SELECT query, with_node, without_node FROM wa_once_turned WHERE wa_once_differs(with_node, without_node) ORDER BY query;
SELECT has_node, without_node ~ '^22012' AS rows, without_node ~ '^(22P02|21000)' AS once, count(*) FROM wa_once_turned GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT q, x.* FROM unnest(ARRAY[
    'sum(v) FROM wa_once WHERE 1 / (id + 1) < 5 AND (id > 5000 OR id > 6000 OR id > 7000 OR id > 8000) AND k + (SELECT z + 3 FROM wa_zero) - 0 - 0 - 0 - 0 = 5',
    'sum(v * (SELECT z + 3 FROM wa_zero)), sum(k * (SELECT z + 3 FROM wa_zero)) FROM wa_once WHERE id > 5000',
    'sum(1 / (id - 7000)), sum(k * (SELECT z + 3 FROM wa_zero)) FROM wa_once WHERE id > 8000'
]) q, wa_once_source('SELECT ' || q) x;

-- Rows that have changed since they were loaded are read, and may need it.
UPDATE wa_once SET k = k WHERE id = 7000;
SELECT warpagg_load('wa_once') >= 0 AS confirmed;
SELECT q, x.* FROM unnest(ARRAY[
    'sum(v) FROM wa_once WHERE id > 6999 AND id < 7001 AND k > (SELECT z - 1 FROM wa_zero)',
    'sum(v) FROM wa_once WHERE id < -7000 AND k > (SELECT z FROM wa_zero)'
]) q, wa_once_source('SELECT ' || q) x;
SELECT x.* FROM wa_once_compare('SELECT sum(v) FROM wa_once WHERE id > 6999 AND id < 7001 AND k > (SELECT z - 1 FROM wa_zero)') x;
SELECT x.* FROM wa_once_compare('SELECT sum(v) FROM wa_once WHERE id > 6999 AND id < 7001 AND k > (SELECT 1 / z FROM wa_zero)') x;

SELECT t.query, x.with_node, x.without_node FROM wa_once_turns t, LATERAL wa_once_compare(t.query) x WHERE wa_once_differs(x.with_node, x.without_node) ORDER BY 1;

-- Groups that are spilled.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT a, x.* FROM unnest(ARRAY[
    'max(id + (SELECT z + 3 FROM wa_zero))',
    'sum(v * (SELECT z + 3 FROM wa_zero))',
    'sum(v * (SELECT z + 3 FROM wa_zero)) FILTER (WHERE id = 8000)',
    'sum(v * (SELECT 1 / z FROM wa_zero)) FILTER (WHERE id = 8000)',
    'sum(v * (SELECT 1 / z FROM wa_zero)) FILTER (WHERE id < 0)',
    'sum(CASE WHEN id > 8000 THEN v * wa_once_zero() ELSE v END)',
    'sum(v + to_char(now(), ''"x"'')::integer)',
    'sum(v + to_char(now(), ''"x"'')::integer) FILTER (WHERE id = 8000)'
]) a,
    wa_once_compare(format('SELECT sum(c), max(a), count(*) FROM (SELECT s, id, count(*) AS c, %s AS a FROM wa_once GROUP BY s, id OFFSET 0) g', a)) x;
RESET work_mem;
RESET hash_mem_multiplier;

-- Parameters of prepared statements.
SET plan_cache_mode = force_generic_plan;
PREPARE wa_once_prepared (integer, text) AS SELECT count(*), sum(v) FROM wa_once WHERE id > $1 AND k = $2::integer AND k + 10 / $2::integer > 1;
SELECT wa_plan($$EXECUTE wa_once_prepared (20000, 'x')$$);
EXECUTE wa_once_prepared (20000, 'x');
EXECUTE wa_once_prepared (2000, 'x');
EXECUTE wa_once_prepared (2000, '0');
EXECUTE wa_once_prepared (2000, '3');
SET warpagg.enable_scan = off;
EXECUTE wa_once_prepared (20000, 'x');
EXECUTE wa_once_prepared (2000, 'x');
EXECUTE wa_once_prepared (2000, '0');
EXECUTE wa_once_prepared (2000, '3');

DROP VIEW wa_once_all;
DROP TABLE wa_once, wa_once_none, wa_zero, wa_once_values, wa_once_queries, wa_once_outer, wa_once_serial, wa_once_parallel, wa_once_resident, wa_once_turns, wa_once_turned;
DROP FUNCTION wa_once_source(text), wa_once_differs(text, text), wa_once_compare(text), wa_once_node(text), wa_once_outcome(text), wa_once_stable(integer), wa_once_zero();
