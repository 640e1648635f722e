-- Groups of queries in the device process keep to the memory that the session may use,
-- whatever the planner expects of them; beyond that they come from the heap.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'exact';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
\set VERBOSITY terse

CREATE TABLE wa_memory_groups (id bigint, a integer, b integer, c integer, x smallint, p numeric(12, 3), t text)
    WITH (autovacuum_enabled = off);
INSERT INTO wa_memory_groups
    SELECT CASE WHEN x % 1009 > 0 THEN x * 1000003::bigint % 98765431 END, x, x % 1000, x % 7, nullif(x % 3, 1), (x * 7 % 300007) / 1000.0, 't' || x % 23
    FROM generate_series(1, 300000) x;
ALTER TABLE wa_memory_groups ALTER id SET (n_distinct = 10);
VACUUM (FREEZE, ANALYZE) wa_memory_groups;
SELECT warpagg_load('wa_memory_groups') AS loaded;

-- What is counted.
SELECT kind, current_bytes BETWEEN 0 AND peak_bytes AS has_peak, peak_bytes <= limit_bytes AS has_limit
    FROM warpagg_memory;
SELECT kind FROM warpagg_memory WHERE current_bytes > 0 AND kind <> 'parcels';
SELECT sum(current_bytes) FILTER (WHERE kind <> 'all') = sum(current_bytes) FILTER (WHERE kind = 'all') AS adds_up,
       sum(limit_bytes) FILTER (WHERE kind NOT IN ('parcels', 'all')) = sum(limit_bytes) FILTER (WHERE kind = 'all') AS limits_add_up
    FROM warpagg_memory;

-- Whether a query's result is PostgreSQL's; where it comes from, and what is counted then.
CREATE FUNCTION pg_temp.look(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    collect text := format('SELECT count(*), sum(hashtext(r::text)) FROM (%s OFFSET 0) r', query);
    ours record;
    theirs record;
    before record;
    after record;
    plan jsonb;
    node jsonb;
BEGIN
    SELECT fallback_query_memory, fallback_device_error + fallback_resting AS others INTO before FROM warpagg_stats;
    EXECUTE collect INTO ours;
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    SELECT fallback_query_memory, fallback_device_error + fallback_resting AS others INTO after FROM warpagg_stats;
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    EXECUTE collect INTO theirs;
    PERFORM set_config('warpagg.enable_scan', 'on', true);
    node := jsonb_path_query_first(plan, '$.** ? (@."Custom Plan Provider" == "WarpAgg")');
    RETURN CASE WHEN ours = theirs THEN 'same' ELSE 'DIFFERENT' END
        || CASE WHEN (node ->> 'Resident Blocks')::bigint > 0 THEN ', resident' ELSE '' END
        || CASE WHEN (node ->> 'Blocks Read')::bigint > 0 THEN ', heap' ELSE '' END
        || CASE WHEN (node ->> 'Rows Spilled')::bigint > 0 THEN ', spilled' ELSE '' END
        || CASE WHEN (node ->> 'Resident Memory Exceeded')::bigint > 0
                THEN format(', exceeded %s', node ->> 'Resident Memory Exceeded') ELSE '' END
        || CASE WHEN after.fallback_query_memory > before.fallback_query_memory
                THEN format(', counted %s', after.fallback_query_memory - before.fallback_query_memory) ELSE '' END
        || CASE WHEN after.others > before.others THEN ', FAILED' ELSE '' END;
END $$;

SET work_mem = '64kB';
SELECT pg_temp.look('SELECT id, sum(a), avg(b) FROM wa_memory_groups GROUP BY id');
-- which is no reason to leave the device process alone
SELECT pg_temp.look('SELECT c, sum(a), avg(b) FROM wa_memory_groups GROUP BY c');
SELECT pg_temp.look('SELECT sum(a), avg(b) FROM wa_memory_groups WHERE id % 2 = 0');
-- Of groups of which only some are wanted, or other ones that they are rolled up to, a slice is
-- looked at at a time, so that little memory suffices.
SELECT pg_temp.look('SELECT id, sum(a) AS s FROM wa_memory_groups GROUP BY id ORDER BY s DESC LIMIT 3');
SELECT pg_temp.look('SELECT id, x, count(*) AS n, sum(b), avg(c), min(p), max(t) FROM wa_memory_groups GROUP BY id, x ORDER BY n, id DESC NULLS LAST, x LIMIT 20');
SELECT pg_temp.look('SELECT id, count(*), sum(p) FROM wa_memory_groups WHERE b % 3 = 1 AND t <> ''t7'' GROUP BY id ORDER BY sum(p) DESC NULLS LAST, id LIMIT 50');
SELECT pg_temp.look('SELECT a / 2 AS half, t, max(id) AS m FROM wa_memory_groups GROUP BY half, t ORDER BY m DESC NULLS FIRST, half, t LIMIT 7');
SELECT pg_temp.look('SELECT c, count(DISTINCT id), sum(DISTINCT a), count(*), avg(b) FROM wa_memory_groups GROUP BY c');
SELECT pg_temp.look('SELECT count(DISTINCT a), sum(b), min(p) FROM wa_memory_groups WHERE c > 1');
-- (of a key that no slices are made by all groups are needed, but GPUs choose in memory of their own)
SELECT split_part(pg_temp.look('SELECT p, sum(a) AS s FROM wa_memory_groups GROUP BY p ORDER BY s DESC LIMIT 3'), ',', 1) AS look;
-- a node asks once, however often it runs
SELECT pg_temp.look('SELECT g, n FROM generate_series(1, 3) g,
    LATERAL (SELECT count(*) AS n FROM (SELECT id, sum(a + g) FROM wa_memory_groups GROUP BY id OFFSET 0) y) z');
SET work_mem = '64MB';
SELECT pg_temp.look('SELECT id, sum(a), avg(b) FROM wa_memory_groups GROUP BY id');
SELECT pg_temp.look('SELECT id, sum(a) AS s FROM wa_memory_groups GROUP BY id ORDER BY s DESC LIMIT 3');

-- All of it is given back.
SELECT warpagg_unload('wa_memory_groups');
SELECT current_bytes, peak_bytes > 0 AS has_peak FROM warpagg_memory WHERE kind = 'queries';
DROP TABLE wa_memory_groups;

-- Whoever may connect may look.
CREATE ROLE wa_memory_reader;
SET ROLE wa_memory_reader;
SELECT count(*) FROM warpagg_memory;
RESET ROLE;
DROP ROLE wa_memory_reader;
