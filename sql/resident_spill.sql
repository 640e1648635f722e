-- Answers with more groups than the memory has room for: groups that have none are
-- spilled, as those of rows are, and nothing is read from the heap that need not be.  The
-- device process always has room for a few thousand.
SET client_min_messages = error;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;
SET hash_mem_multiplier = 2;
\set VERBOSITY terse

CREATE TABLE spilled (i integer, k bigint, n numeric(20, 3), f float8, t text, s text);
INSERT INTO spilled
SELECT i, i % 2999 * 1000003::bigint, (i % 997) / 7.0, sqrt(i), 't' || i % 17, repeat('x', 300)
FROM generate_series(1, 60000) i;
VACUUM (FREEZE, ANALYZE) spilled;
SELECT warpagg_load('spilled', '{i,k,n,f,t}') AS loaded;

-- Whether the results are PostgreSQL's; and what EXPLAIN ANALYZE shows.
CREATE FUNCTION pg_temp.look(query text, memory text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    collect text := format('SELECT count(*), md5(string_agg(r::text, chr(10) ORDER BY r::text)) FROM (%s) r', query);
    ours record;
    theirs record;
    plan jsonb;
    node jsonb;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    PERFORM set_config('warpagg.accelerate', 'all', true);
    PERFORM set_config('warpagg.enable_scan', 'on', true);
    EXECUTE collect INTO ours;
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    PERFORM set_config('warpagg.accelerate', 'off', true);
    EXECUTE collect INTO theirs;
    node := jsonb_path_query_first(plan, '$.** ? (@."Custom Plan Provider" == "WarpAgg")');
    RETURN CASE WHEN ours = theirs THEN 'same' ELSE 'DIFFERENT' END
        || CASE WHEN (node ->> 'Resident Blocks')::bigint > 0 THEN ', resident' ELSE ', not resident' END
        || CASE WHEN (node ->> 'Blocks Read')::bigint > 0 THEN ', heap' ELSE '' END
        || CASE WHEN (node ->> 'Disk Usage')::bigint > 0 THEN ', spilled' ELSE '' END;
END $$;

SELECT memory, pg_temp.look('SELECT k, count(*), sum(i), max(f) FROM spilled GROUP BY k', memory)
FROM unnest('{64kB,1MB,64MB}'::text[]) memory;
SELECT pg_temp.look('SELECT n, sum(n), avg(n), variance(n), stddev(i), max(f) FROM spilled GROUP BY n', '64kB');
SELECT pg_temp.look('SELECT t, k, count(*), min(n) FROM spilled WHERE i % 20 = 0 GROUP BY t, k', '64kB');
-- min and max of texts come as ranks, and are spilled as texts
SELECT pg_temp.look('SELECT k, min(t), max(t) FROM spilled GROUP BY k', '64kB');
-- with blocks of the heap behind the answer, also by workers
BEGIN;
DELETE FROM spilled WHERE i % 5000 = 1;
INSERT INTO spilled SELECT i, i, i, i, 'new', '' FROM generate_series(1, 3000) i;
SELECT warpagg_load('spilled', '{i,k,n,f,t}') >= 0 AS confirmed;
SELECT memory, pg_temp.look('SELECT k, count(*), sum(i), sum(n), max(f) FROM spilled GROUP BY k', memory)
FROM unnest('{64kB,1MB,64MB}'::text[]) memory;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT memory, pg_temp.look('SELECT k, count(*), sum(i), sum(n), max(n) FROM spilled GROUP BY k', memory)
FROM unnest('{64kB,1MB,64MB}'::text[]) memory;
-- of more it may have none: how many threads it has decides
SELECT memory, split_part(pg_temp.look('SELECT i, n, count(*), sum(n), max(f) FROM spilled GROUP BY i, n', memory), ',', 1)
FROM unnest('{64kB,1MB,64MB}'::text[]) memory;
COMMIT;
DROP TABLE spilled;
