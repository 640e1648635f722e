--
-- EXPLAIN says why aggregates have no node.
--
LOAD 'warpagg';
RESET warpagg.explain_refusals;
SET warpagg.explain_refusals = explain;
SET warpagg.enable_scan = on;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE why AS
    SELECT i AS id, i % 10 AS k, i / 4.0::float8 AS f, i / 4.0 AS n, 'text ' || i % 7 AS s,
        i * interval '1 day' AS span, ARRAY[i] AS list
    FROM generate_series(1, 20000) i;
CREATE INDEX why_id ON why (id);
VACUUM ANALYZE why;
CREATE TABLE why_other AS SELECT id, k AS g FROM why WHERE id <= 1000;
ANALYZE why_other;
CREATE TABLE why_parent (x integer);
CREATE TABLE why_child () INHERITS (why_parent);
CREATE TABLE why_parts (x integer) PARTITION BY RANGE (x);
CREATE TABLE why_part PARTITION OF why_parts FOR VALUES FROM (0) TO (100);
CREATE TEMP TABLE why_temporary (x integer);
CREATE SEQUENCE why_sequence;
CREATE COLLATION why_caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE AGGREGATE why_total (integer) (SFUNC = int4pl, STYPE = integer);
CREATE ACCESS METHOD why_method TYPE TABLE HANDLER heap_tableam_handler;
CREATE TABLE why_stored (x integer) USING why_method;

-- Returns what EXPLAIN says of the node, and of why there is none.
CREATE FUNCTION pg_temp.why(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
        IF line ~ 'WarpAgg' THEN
            RETURN NEXT btrim(line, '-> ');
        END IF;
    END LOOP;
END
$$;

-- What EXPLAIN itself shows.
EXPLAIN (COSTS OFF) SELECT sum(k) FROM why;
EXPLAIN (COSTS OFF) SELECT sum(k) FROM why JOIN why_other USING (id);

-- What is grouped.
SELECT query, pg_temp.why(query) FROM unnest(ARRAY[
    'SELECT count(*) FROM why a CROSS JOIN why_other b CROSS JOIN why_other c',
    'SELECT max(a.k + b.id) FROM why a LEFT JOIN why_other b ON a.k = b.g',
    'SELECT count(*)',
    'SELECT count(*) FROM generate_series(1, 3)',
    'SELECT sum(x) FROM (VALUES (1), (2)) AS v (x)',
    'SELECT count(*) FROM (SELECT id FROM why LIMIT 10) q',
    'WITH w AS MATERIALIZED (SELECT id FROM why) SELECT sum(id) FROM w',
    'WITH RECURSIVE w AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM w WHERE x < 5) SELECT sum(x) FROM w',
    'SELECT count(*) FROM pg_class',
    'SELECT count(*) FROM why WHERE false',
    'SELECT count(*) FROM why_part',
    'SELECT count(*) FROM why_temporary',
    'SELECT count(*) FROM why_sequence',
    'SELECT count(*) FROM why_stored',
    'SELECT count(*) FROM why TABLESAMPLE SYSTEM (10)',
    'SELECT sum(k) FROM (SELECT k FROM why UNION ALL SELECT g FROM why_other) u',
    'SELECT count(*) FROM why_other o, LATERAL (SELECT sum(o.id + why.id) FROM why) q']) query;

-- A foreign table takes a wrapper of PostgreSQL's contrib, which a server may lack: its log
-- has it then.
DO $$
DECLARE
    line text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'file_fdw') THEN
        RAISE LOG 'why: not tested over a foreign table, as there is no file_fdw';
        RETURN;
    END IF;
    CREATE EXTENSION file_fdw;
    CREATE SERVER why_files FOREIGN DATA WRAPPER file_fdw;
    CREATE FOREIGN TABLE why_foreign (x integer) SERVER why_files OPTIONS (filename '/dev/null');
    SELECT pg_temp.why('SELECT sum(x) FROM why_foreign') INTO line;
    IF line IS DISTINCT FROM 'WarpAgg: not used: it is over a foreign table' THEN
        RAISE WARNING 'over a foreign table: %', line;
    END IF;
    SET LOCAL client_min_messages = warning;
    DROP EXTENSION file_fdw CASCADE;
END
$$;

-- How it is grouped, and what is computed.
SELECT query, pg_temp.why(query) FROM unnest(ARRAY[
    'SELECT count(*) FROM why GROUP BY ROLLUP (k)',
    'SELECT count(*), generate_series(1, 2) FROM why',
    'SELECT sum(k + random()::integer) FROM why',
    'SELECT sum(k + random()::integer) FROM why',
    'SELECT string_agg(s, '','') FROM why',
    'SELECT rank(5) WITHIN GROUP (ORDER BY k) FROM why',
    'SELECT why_total(k) FROM why',
    'SELECT sum(f) FROM why',
    'SELECT sum(span) FROM why',
    'SELECT count(*) FROM why WHERE random() < 2',
    'SELECT sum(k) FROM why WHERE k > (SELECT g FROM why_other WHERE why_other.id = why.id)',
    'SELECT k, (SELECT g FROM why_other WHERE why_other.id = why.k) FROM why GROUP BY k HAVING count(*) > 1',
    'SELECT count(*) FROM why WHERE ctid <> ''(0,1)''',
    'SELECT max(why::text) FROM why',
    'SELECT span, count(*) FROM why GROUP BY span',
    'SELECT list, count(*) FROM why GROUP BY list',
    'SELECT s COLLATE why_caseless, count(*) FROM why GROUP BY 1']) query;
SELECT pg_temp.why('SELECT sum(why.id) FROM why HAVING (SELECT sum(why.id) FROM why_other) > 0');

-- Settings.
SET warpagg.accelerate = off;
SELECT pg_temp.why('SELECT sum(k) FROM why');
SET warpagg.accelerate = 'all';
SELECT pg_temp.why('SELECT sum(f) FROM why');
RESET warpagg.accelerate;
SET warpagg.enable_scan = off;
SELECT pg_temp.why('SELECT sum(k) FROM why');
SET warpagg.enable_scan = on;
SET enable_seqscan = off;
SELECT pg_temp.why('SELECT sum(k) FROM why WHERE id > 0');
RESET enable_seqscan;

-- What costs less.
SELECT query, pg_temp.why(query) FROM unnest(ARRAY[
    'SELECT max(id) FROM why',
    'SELECT sum(k) FROM why WHERE id = 5',
    'SELECT sum(k) FROM why WHERE id < 20 OR id BETWEEN 90 AND 95',
    'SELECT id, count(*) FROM why GROUP BY id ORDER BY id LIMIT 1',
    'SELECT id, count(*) FROM why GROUP BY id ORDER BY id']) query;
SET seq_page_cost = 0;
SET cpu_tuple_cost = 0.0001;
SET cpu_operator_cost = 0.0001;
SELECT pg_temp.why('SELECT sum(k) FROM why');
SET work_mem = '64kB';
SELECT pg_temp.why('SELECT f, count(*) FROM why GROUP BY f');
RESET work_mem;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT pg_temp.why('SELECT sum(k) FROM why');
SELECT pg_temp.why('SELECT k, count(*) FROM why GROUP BY k');
SET max_parallel_workers_per_gather = 0;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
RESET min_parallel_table_scan_size;
RESET cpu_operator_cost;
RESET cpu_tuple_cost;
RESET seq_page_cost;
-- Costs are told where EXPLAIN has costs.
SELECT regexp_replace(pg_temp.why('SELECT max(id) FROM why', 'COSTS ON'), '[0-9.]+', 'C', 'g');

-- Several levels.
SELECT query, pg_temp.why(query) FROM unnest(ARRAY[
    'SELECT sum(total) FROM (SELECT sum(k) AS total FROM why GROUP BY ROLLUP (k)) AS inside',
    'SELECT sum(total) FROM (SELECT sum(k) AS total FROM why GROUP BY k) AS inside',
    'SELECT sum(k), (SELECT count(*) FROM why_other JOIN why USING (id)) FROM why',
    'SELECT * FROM (SELECT sum(f) FROM why) AS "two words", (SELECT sum(k) FROM why) AS b, (SELECT max(span) FROM why) AS c',
    'WITH "W" AS MATERIALIZED (SELECT sum(f) AS x FROM why) SELECT count(*) FROM "W" a JOIN "W" b USING (x)',
    'WITH w AS (SELECT sum(f) AS x FROM why) SELECT * FROM w',
    'SELECT id, (SELECT sum(o.g) FROM why_other o JOIN why USING (id) WHERE o.id = x.id) FROM why_other x',
    'SELECT * FROM (SELECT count(*) OVER () AS c, sum(k + random()::integer) FROM why GROUP BY id % 2) AS q WHERE c > (SELECT max(k) FROM why)',
    E'SELECT * FROM (SELECT sum(f) FROM why) AS "a\tb\nc"'
]) query;

-- The names that subqueries have without an alias differ by version.
SELECT query, regexp_replace(pg_temp.why(query), 'subquery .*:', 'subquery:') FROM unnest(ARRAY[
    'INSERT INTO why_temporary SELECT sum(k + random()::integer) FROM why',
    'SELECT sum(k + random()::integer) FROM why UNION ALL SELECT sum(k) FROM why',
    'SELECT sum(k + random()::integer) FROM why EXCEPT SELECT sum(k + random()::integer) FROM why']) query;
-- Queries without aggregates or groups have a line if they are asked for all that there is to say.
SELECT pg_temp.why('SELECT k FROM why');
SELECT pg_temp.why('SELECT k FROM why', 'VERBOSE, COSTS OFF');
SELECT pg_temp.why('SELECT 1', 'VERBOSE, COSTS OFF');
SELECT pg_temp.why('DELETE FROM why', 'VERBOSE, COSTS OFF');
SELECT pg_temp.why('SELECT sum(k) FROM why', 'VERBOSE, COSTS OFF');

-- The formats for programs have a list, in the group of the query.
CREATE FUNCTION pg_temp.plan(options text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (COSTS OFF, SUMMARY OFF, %s) %s', options, query) LOOP
        plan := plan || line || E'\n';
    END LOOP;
    RETURN plan;
END
$$;
SELECT options, plan::jsonb->0->'WarpAgg' AS "WarpAgg", jsonb_array_length(plan::jsonb), plan::jsonb->0 ? 'Plan' AS has_plan
FROM unnest(ARRAY[
    'FORMAT json',
    'FORMAT json, ANALYZE',
    'FORMAT json, ANALYZE, SUMMARY, COSTS, BUFFERS'
]) options,
    pg_temp.plan(options, 'SELECT sum(total) FROM (SELECT sum(k + random()::integer) AS total FROM why) AS "a""b"') plan;
SELECT pg_temp.plan('FORMAT json', 'SELECT sum(k) FROM why')::jsonb->0 ? 'WarpAgg' AS has_line;
SELECT regexp_replace(pg_temp.plan('FORMAT xml', 'SELECT sum(k) FROM why a JOIN why_other b ON a.id < b.id'), '^.*</Plan>', '');
SELECT regexp_replace(pg_temp.plan('FORMAT yaml', 'SELECT sum(k) FROM why a JOIN why_other b ON a.id < b.id'), '^.*(?=WarpAgg)', '');

-- EXPLAIN of other statements that have a query.
SELECT pg_temp.why('CREATE TABLE why_made AS SELECT sum(f) FROM why');
SELECT pg_temp.why('DECLARE c CURSOR FOR SELECT sum(f) FROM why');
SELECT pg_temp.why('SELECT sum(f) FROM why', 'ANALYZE, COSTS OFF, TIMING OFF');

-- What is aggregated may be a transition table.
CREATE FUNCTION why_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXPLAIN (COSTS OFF) SELECT sum(x) FROM new_rows LOOP
        RAISE WARNING '%', line;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER why_transition AFTER INSERT ON why_child REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION why_transition();
INSERT INTO why_child VALUES (1);

-- The reason is that of this plan: not of what functions run meanwhile, nor of one that
-- failed.
CREATE FUNCTION why_constant() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sum(k + random()::integer) FROM why;
    PERFORM sum(1 / (k - k)) FROM why JOIN why_other USING (id);
    RETURN 2;
EXCEPTION WHEN division_by_zero THEN
    RETURN 1;
END
$$;
SELECT pg_temp.why('SELECT sum(f) FROM why WHERE k > why_constant()');
SELECT pg_temp.why('SELECT sum(k) FROM why WHERE k > why_constant()');
CREATE FUNCTION why_fails() RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1 / (count(*) - count(*))::integer FROM why';
\set VERBOSITY terse
SELECT pg_temp.why('SELECT sum(f) FROM why WHERE k > why_fails()');
\set VERBOSITY default
SELECT pg_temp.why('SELECT sum(f), count((SELECT count(*) FROM pg_temp.why(''SELECT sum(k + random()::integer) FROM why'') x WHERE x <> id::text)) FROM why_other JOIN why USING (id) WHERE id < 3', 'ANALYZE, COSTS OFF, TIMING OFF');
SELECT pg_temp.why('SELECT pg_temp.why(''SELECT sum(k + random()::integer) FROM why''), sum(f) FROM why', 'ANALYZE, COSTS OFF, TIMING OFF');
SELECT pg_temp.why('SELECT sum(k) FROM why');

-- A plan that is kept has the reason of when it was made.  Before PostgreSQL 18 there is
-- no line.
CREATE FUNCTION pg_temp.is_told(query text, reason text) RETURNS boolean LANGUAGE sql AS $$
    SELECT CASE WHEN current_setting('server_version_num')::integer < 180000 THEN bool_and(line IS NULL)
        ELSE bool_and(line = 'WarpAgg: not used: ' || reason) AND count(*) = 1 END
    FROM (SELECT NULL) one LEFT JOIN pg_temp.why(query) line ON true
$$;
SET plan_cache_mode = force_generic_plan;
PREPARE why_kept (integer) AS SELECT sum(k) FROM why WHERE k > $1;
SET warpagg.enable_scan = off;
EXECUTE why_kept (8);
SET warpagg.enable_scan = on;
SELECT pg_temp.is_told('EXECUTE why_kept (1)', 'warpagg.enable_scan is off');
DISCARD PLANS;
SELECT pg_temp.why('EXECUTE why_kept (1)');
PREPARE why_generic (integer) AS SELECT sum(k + random()::integer) FROM why WHERE k > $1;
SELECT pg_temp.is_told('EXECUTE why_generic (1)', 'an expression is volatile') FROM generate_series(1, 3);
SET plan_cache_mode = force_custom_plan;
SELECT pg_temp.is_told('EXECUTE why_generic (1)', 'an expression is volatile') FROM generate_series(1, 3);
RESET plan_cache_mode;
DEALLOCATE ALL;

-- It can be told as a NOTICE instead, or nowhere.
SET warpagg.explain_refusals = notice;
SET client_min_messages = notice;
SELECT pg_temp.why('SELECT sum(f) FROM why');
SET warpagg.explain_refusals = off;
SELECT pg_temp.why('SELECT sum(f) FROM why');
SET warpagg.explain_refusals = on;
SHOW warpagg.explain_refusals;
SET warpagg.explain_refusals = explain;

-- The function.
CREATE FUNCTION pg_temp.told(query text) RETURNS TABLE (level text, used boolean, reason text) LANGUAGE sql AS $$
    SELECT level, used, regexp_replace(reason, '[0-9]+\.[0-9]+', 'C', 'g') FROM warpagg_explain(query)
    WHERE level IS DISTINCT FROM 'other sessions'
$$;
SELECT pg_temp.told('SELECT sum(k) FROM why');
SELECT pg_temp.told('SELECT sum(k) FROM why WHERE k > $1 AND s = $2');
SELECT pg_temp.told('SELECT sum(total) FROM (SELECT sum(k) AS total FROM why WHERE k > $1 GROUP BY k) AS inside');
SELECT pg_temp.told('SELECT max(id) FROM why; SELECT k FROM why; TRUNCATE why');
SELECT pg_temp.told('');
SELECT count(*) = CASE WHEN current_setting('shared_preload_libraries') ~ 'warpagg' THEN 0 ELSE 1 END AS is_told
FROM warpagg_explain('SELECT 1') WHERE level = 'other sessions' AND NOT used AND reason ~ '^the library is in none of ';
SELECT * FROM warpagg_explain('SELECT sum(nothing) FROM why');
SELECT * FROM warpagg_explain('SELECT sum(k FROM why');
SET warpagg.explain_refusals = off;
SELECT pg_temp.told('SELECT sum(f) FROM why');
SET warpagg.explain_refusals = explain;
SELECT count(*) FROM why;
CREATE ROLE why_reader;
GRANT SELECT (k) ON why TO why_reader;
SET ROLE why_reader;
SELECT level, used, reason FROM warpagg_explain('SELECT sum(k) FROM why') LIMIT 1;
SELECT level, used, reason FROM warpagg_explain('SELECT sum(n) FROM why') LIMIT 1;
RESET ROLE;
REVOKE ALL ON why FROM why_reader;
DROP ROLE why_reader;

-- Nor is anything known of a plan that is older than the library in its session.
CREATE FUNCTION why_early() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) EXECUTE why_early' LOOP
        IF line ~ 'WarpAgg' THEN
            RETURN NEXT line;
        END IF;
    END LOOP;
END
$$;
\c -
SET plan_cache_mode = force_generic_plan;
PREPARE why_early AS SELECT sum(f) FROM why;
EXECUTE why_early;
LOAD 'warpagg';
SET warpagg.explain_refusals = explain;
SELECT array_agg(line) IS NOT DISTINCT FROM CASE
    WHEN current_setting('server_version_num')::integer < 180000 THEN NULL
    WHEN current_setting('shared_preload_libraries') ~ 'warpagg' THEN ARRAY['WarpAgg: not used: warpagg.enable_scan is off']
    ELSE ARRAY['WarpAgg: not used: the plan was made before the library was loaded'] END AS is_told
FROM why_early() line;
SET client_min_messages = warning;
DROP FUNCTION why_early();
DROP FUNCTION why_constant(), why_fails();
DROP AGGREGATE why_total(integer);
DROP COLLATION why_caseless;
DROP SEQUENCE why_sequence;
DROP TRIGGER why_transition ON why_child;
DROP FUNCTION why_transition();
DROP TABLE why, why_other, why_child, why_parent, why_parts, why_stored;
DROP ACCESS METHOD why_method;
