-- EXPLAIN (ANALYZE) says why a node has read the heap although its table is resident.
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE why AS
    SELECT i AS id, i % 10 AS k, i / 4.0 AS n, 'text ' || i % 7 AS s, i * interval '1 day' AS span
    FROM generate_series(1, 20000) i;
CREATE TABLE why_other AS SELECT id, k AS g FROM why WHERE id <= 1000;
VACUUM ANALYZE why, why_other;
CREATE FUNCTION pg_temp.heap(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT json) ' || query INTO plan;
    RETURN NEXT jsonb_path_query_first(plan, '$.**."Resident Columns"') #>> '{}';
END
$$;
SELECT pg_temp.heap('SELECT sum(id) FROM why');
SELECT warpagg_load('why', '{id,k,s}');
SELECT query, pg_temp.heap(query) FROM unnest(ARRAY[
    'SELECT sum(k) FROM why',
    'SELECT sum(n) FROM why',
    'SELECT sum(n), sum(k) FROM why',
    'SELECT k, max(span) FROM why GROUP BY k']) query;
SET warpagg.enable_resident = off;
SELECT pg_temp.heap('SELECT sum(k) FROM why');
SELECT pg_temp.heap('SELECT count(*) FROM why');
SELECT pg_temp.heap('SELECT sum(n) FROM why');
RESET warpagg.enable_resident;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT pg_temp.heap('SELECT sum(k) FROM why');
COMMIT;
BEGIN;
ALTER TABLE why ADD COLUMN late integer DEFAULT 1;
SELECT pg_temp.heap('SELECT sum(k), sum(late) FROM why');
ROLLBACK;
-- Rows that a transaction has changed are not resident.  It may leave blocks without any.
BEGIN;
DELETE FROM why WHERE ctid < '(1,0)';
SET LOCAL client_min_messages = warning;
SELECT warpagg_load('why', '{k}') >= 0 AS loaded_in_part;
SELECT pg_temp.heap('SELECT sum(k) FROM why');
ROLLBACK;
BEGIN;
UPDATE why SET k = k WHERE id = 1;
SET LOCAL client_min_messages = warning;
SELECT warpagg_load('why', '{k}') >= 0 AS loaded_in_part;
SELECT query, pg_temp.heap(query) FROM unnest(ARRAY[
    'SELECT sum(k) FROM why']) query;
COMMIT;
UPDATE why SET k = k WHERE id % 20 = 0;
SELECT pg_temp.heap('SELECT sum(k) FROM why');
SELECT warpagg_load('why_other');
SELECT pg_temp.heap('SELECT sum(g) FROM why_other');

-- Parallel workers do not ask the device process.
SELECT count(set_config(name, 'on', false)) FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
SET max_parallel_workers_per_gather = 2;
SELECT pg_temp.heap('SELECT sum(k) FROM why');
SET max_parallel_workers_per_gather = 0;

-- What is not computed there, or has to wait.
VACUUM why;
SELECT warpagg_load('why', '{id,k,n}');
SELECT query, pg_temp.heap(query) FROM unnest(ARRAY[
    'SELECT count(*) FROM why WHERE n <> ''NaN''',
    'SELECT sum(k * (SELECT g FROM why_other WHERE id = 1)) FILTER (WHERE id < 0) FROM why',
    'SELECT sum(k) FROM why WHERE id < 0 AND k + to_char(now(), ''"x"'')::integer > 8']) query;
CREATE TABLE why_wide (id integer);
SELECT format('ALTER TABLE why_wide %s', string_agg(format('ADD c%s integer DEFAULT 1', c), ', ')) AS add_columns
FROM generate_series(1, 128) c \gset
:add_columns;
INSERT INTO why_wide SELECT i FROM generate_series(1, 2000) i;
VACUUM ANALYZE why_wide;
SELECT warpagg_load('why_wide', '{id}');
SELECT pg_temp.heap(format('SELECT max(id), %s FROM why_wide', string_agg(format('max(c%s)', c), ', '))) FROM generate_series(1, 128) c;

-- Groups, of which the planner expects many, or few.
CREATE TABLE why_many AS SELECT i AS id, i % 7 AS k FROM generate_series(1, 40000) i;
VACUUM ANALYZE why_many;
SELECT warpagg_load('why_many');
SELECT pg_temp.heap('SELECT id, sum(k) FROM why_many GROUP BY id');
ALTER TABLE why_many ALTER id SET (n_distinct = 10);
ANALYZE why_many;
SELECT pg_temp.heap('SELECT id, sum(k) FROM why_many GROUP BY id');
-- Each thread of the device process may take a megabyte.
INSERT INTO why_many SELECT i AS id, i % 7 AS k FROM generate_series(40001, 1000000) i;
VACUUM ANALYZE why_many;
SELECT warpagg_load('why_many') > 0 AS loaded;
SET work_mem = '64kB';
SELECT pg_temp.heap('SELECT id, sum(k) FROM why_many GROUP BY id');
RESET work_mem;
-- What is not computed there, of more values than are worth being sent.
ALTER TABLE why_many ALTER id RESET (n_distinct);
ANALYZE why_many;
SELECT pg_temp.heap('SELECT count(*) FROM why_many WHERE width_bucket(id * 0.5, 0, 1000, k + 1) = 1');

SELECT warpagg_unload('why'), warpagg_unload('why_other');
SELECT pg_temp.heap('SELECT sum(k) FROM why');

DROP TABLE why, why_other, why_many, why_wide;
