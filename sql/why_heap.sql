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
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT json) ' || query INTO plan;
    RETURN NEXT plan->0->'Plan'->>'Resident Columns';
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
-- In some versions a change of one block puts its neighbours in doubt, too.
UPDATE why SET k = k WHERE id = 1;
SELECT regexp_replace(pg_temp.heap('SELECT sum(k) FROM why'), '^(used in part: the other|not used: the) ', '');
UPDATE why SET k = k WHERE id % 20 = 0;
SELECT pg_temp.heap('SELECT sum(k) FROM why');
SELECT warpagg_load('why_other');
SELECT pg_temp.heap('SELECT sum(g) FROM why_other');
SELECT warpagg_unload('why'), warpagg_unload('why_other');
SELECT pg_temp.heap('SELECT sum(k) FROM why');

DROP TABLE why, why_other;
