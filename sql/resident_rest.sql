-- What is left to read beside resident blocks is shared with as many workers as it is
-- worth, a small rest with none.
LOAD 'warpagg';
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;

-- Blocks with a value that no vector holds stay on the heap: two of the columns', many of
-- half of the columns'.
CREATE TABLE wa_rest (id integer, k integer, few numeric, half numeric)
    WITH (autovacuum_enabled = off, parallel_workers = 2);
INSERT INTO wa_rest
SELECT i AS id, i % 40 AS k,
       CASE WHEN i IN (20000, 70000) THEN 1e40 ELSE i END AS few,
       CASE WHEN i > 50000 AND i % 50 = 0 THEN 1e40 ELSE i END AS half
FROM generate_series(1, 100000) i;
VACUUM (FREEZE, ANALYZE) wa_rest;
SELECT warpagg_load('wa_rest') > 0 AS loaded;

-- How many workers there were to be and were, which part of the table came from the heap,
-- and whether the result is PostgreSQL's.
CREATE FUNCTION pg_temp.rest(query text, OUT planned text, OUT launched text, OUT heap text, OUT result text)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || query INTO plan;
    plan := plan -> 0 -> 'Plan';
    planned := plan ->> 'Workers Planned';
    launched := plan ->> 'Workers Launched';
    heap := CASE WHEN (plan ->> 'Blocks Read')::bigint = 0 THEN 'none'
                 WHEN (plan ->> 'Resident Blocks')::bigint = 0 THEN 'all'
                 WHEN (plan ->> 'Blocks Read')::bigint < 10 THEN 'little'
                 ELSE 'much' END;
    result := regexp_replace(wa_compare(query), ', .*', '');
END
$$;
CREATE TABLE wa_rest_queries AS
SELECT row_number() OVER () AS number, query FROM unnest(ARRAY[
    'SELECT sum(id) FROM wa_rest',
    'SELECT sum(few) FROM wa_rest',
    'SELECT k, sum(few), count(*) FROM wa_rest GROUP BY k',
    'SELECT sum(few) FROM wa_rest WHERE id > (SELECT count(*) FROM pg_class WHERE relname = ''wa_rest'')',
    'SELECT sum(half) FROM wa_rest',
    'SELECT k, sum(half), count(*) FROM wa_rest GROUP BY k']) query;

-- The rest is worth what it costs to start workers, or it is not.
SET parallel_setup_cost = 20;
SET parallel_tuple_cost = 0;
SELECT number, (pg_temp.rest(query)).* FROM wa_rest_queries ORDER BY number;
-- If they cost nothing, each rest is worth some.
SET parallel_setup_cost = 0;
SELECT number, (pg_temp.rest(query)).* FROM wa_rest_queries ORDER BY number;
-- Groups that workers have to send make them dearer.
SET parallel_tuple_cost = 2;
SELECT number, (pg_temp.rest(query)).* FROM wa_rest_queries ORDER BY number;
-- A rest is large by its blocks, too: as PostgreSQL has it.
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = '1MB';
SELECT number, (pg_temp.rest(query)).* FROM wa_rest_queries ORDER BY number;
-- All of a table is worth the workers of the plan.
SET parallel_setup_cost = 20;
SET warpagg.enable_resident = off;
SELECT number, (pg_temp.rest(query)).launched FROM wa_rest_queries ORDER BY number;

RESET warpagg.enable_resident;

-- What no workers are worth is read while the device process computes, and read again if
-- that leaves out more than it has announced: here rows whose product no vector holds.
SET parallel_setup_cost = 1000;
CREATE TABLE wa_rest_meanwhile AS
SELECT number, query FROM unnest(ARRAY[
    'SELECT sum(few), count(*) FROM wa_rest',
    'SELECT k, sum(few), count(*) FROM wa_rest GROUP BY k',
    'SELECT k, sum(few * 1000000000000000000 * id * 20000000000), count(*) FROM wa_rest GROUP BY k',
    'SELECT id % 1000 AS m, sum(few), min(half) FROM wa_rest GROUP BY m',
    'SELECT k, sum(id) FROM wa_rest WHERE few > 0 GROUP BY k ORDER BY sum(id) DESC LIMIT 3'
]) WITH ORDINALITY q (query, number);
SELECT number, (pg_temp.rest(query)).* FROM wa_rest_meanwhile ORDER BY number;
SET client_min_messages = debug1;
SELECT sum(few) FROM wa_rest;
SELECT sum(id) FROM wa_rest;
SET client_min_messages = error;
-- Groups that have no room in memory.
SET warpagg.debug_spill_groups = 10;
SELECT number, (pg_temp.rest(query)).* FROM wa_rest_meanwhile ORDER BY number;
RESET warpagg.debug_spill_groups;

DROP TABLE wa_rest, wa_rest_queries, wa_rest_meanwhile;
