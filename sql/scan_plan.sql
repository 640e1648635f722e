-- Which plans are chosen, by statistics that are made up: nothing is computed.
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET max_parallel_workers_per_gather = 15;
SET min_parallel_table_scan_size = '64kB';

-- Millions of times of some years, by day: PostgreSQL takes days to be as many as
-- times, and a sort of what the node returns would cost more than its own plan.
CREATE TABLE plan_times (ts timestamptz, v bigint)
    WITH (autovacuum_enabled = off, parallel_workers = 15);
ALTER TABLE plan_times ALTER COLUMN ts SET (n_distinct = -1);
INSERT INTO plan_times
    SELECT timestamptz '2020-01-01' + i * interval '1 hour', i
    FROM generate_series(1, 20000) i;
ANALYZE plan_times;
UPDATE pg_class SET reltuples = 48000000
WHERE oid = 'plan_times'::regclass;
SELECT wa_plan($$SELECT date_trunc('day', ts) AS day, sum(v), count(*)
FROM plan_times GROUP BY 1 ORDER BY 1$$);
SELECT wa_plan($$SELECT date_trunc('day', ts) AS day, v % 10, count(*)
FROM plan_times GROUP BY 1, 2 ORDER BY 1, 2$$);
DROP TABLE plan_times;

-- The plans above the node are as without it: it is said to return as many groups
-- as PostgreSQL expects.
CREATE TABLE plan_groups WITH (autovacuum_enabled = off)
    AS SELECT i AS id, i % 100 AS v FROM generate_series(1, 5000) i;
ALTER TABLE plan_groups ALTER COLUMN id SET (n_distinct = -1);
ANALYZE plan_groups;
UPDATE pg_class SET reltuples = 1000000 WHERE oid = 'plan_groups'::regclass;
CREATE TABLE plan_others WITH (autovacuum_enabled = off) AS TABLE plan_groups;
ANALYZE plan_others;
UPDATE pg_class SET reltuples = 200000 WHERE oid = 'plan_others'::regclass;
SET max_parallel_workers_per_gather = 0;
SET hash_mem_multiplier = 1;
SET work_mem = '4MB';

-- Returns the nodes of a plan, with the rows of those between which there is none
-- of grouping; the node of the scan tier goes by the name of PostgreSQL's.
CREATE FUNCTION plan_nodes(node json, OUT name text, OUT rows text)
RETURNS SETOF record LANGUAGE sql AS $$
    WITH RECURSIVE nodes (node) AS (
        SELECT node UNION ALL
        SELECT child FROM nodes, json_array_elements(nodes.node->'Plans') child
        WHERE nodes.node->>'Node Type' NOT IN ('Aggregate', 'Custom Scan'))
    SELECT replace(node->>'Node Type', 'Custom Scan', 'Aggregate') || coalesce(' ' || (node->>'Subplan Name'), ''), node->>'Plan Rows'
    FROM nodes
$$;
-- Returns how a plan with the node differs from that without, but for the order of nodes
-- if some of them are left out.
CREATE FUNCTION plan_differences(query text, left_out text DEFAULT NULL) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    "with" text[];
    without text[];
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    SELECT array_agg(n::text ORDER BY CASE WHEN left_out IS NOT NULL THEN n::text END) INTO "with" FROM plan_nodes(plan->0->'Plan') n WHERE (n::text ~ left_out) IS NOT TRUE;
    IF plan::text !~ 'WarpAgg' THEN
        RETURN NEXT 'the node is not in the plan: ' || query;
    END IF;
    SET LOCAL warpagg.enable_scan = off;
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    SELECT array_agg(n::text ORDER BY CASE WHEN left_out IS NOT NULL THEN n::text END) INTO without FROM plan_nodes(plan->0->'Plan') n WHERE (n::text ~ left_out) IS NOT TRUE;
    SET LOCAL warpagg.enable_scan = on;
    IF "with" IS DISTINCT FROM without THEN
        RETURN NEXT format('%s: %s instead of %s', query, "with", without);
    END IF;
END
$$;
SELECT plan_differences(query) FROM (VALUES
    ('SELECT id % 1000000 AS k, count(*) FROM plan_groups GROUP BY 1'),
    ('SELECT id % 1000000 AS k, count(*) FROM plan_groups GROUP BY 1 HAVING count(*) > 2'),
    ('SELECT id % 1000000 AS k, count(*) FROM plan_groups GROUP BY 1 ORDER BY 2'),
    ('SELECT v, count(*) FROM plan_groups GROUP BY 1 ORDER BY 2'),
    ('SELECT count(*) FROM plan_groups'),
    ('SELECT * FROM plan_others WHERE id NOT IN (SELECT id % 1000000 FROM plan_groups GROUP BY 1 HAVING count(*) > 0)'),
    ('SELECT * FROM plan_others WHERE id NOT IN (SELECT v + 0 FROM plan_groups GROUP BY 1 HAVING count(*) > 0)'),
    ('SELECT * FROM plan_others o JOIN (SELECT id % 1000000 AS k, count(*) FROM plan_groups GROUP BY 1 ORDER BY 2) s ON s.k = o.v + 1')
) AS queries (query);
-- For a merge join 19 has its groups sorted as it makes them.
SELECT plan_differences('SELECT * FROM plan_others o JOIN (SELECT id % 1000000 AS k, count(*) FROM plan_groups GROUP BY 1) s ON s.k = o.v + 1', 'Sort|Materialize');
SELECT wa_plan($$SELECT * FROM plan_others WHERE id NOT IN (SELECT id % 1000000 FROM plan_groups GROUP BY 1 HAVING count(*) > 0)$$);
-- Of a hundred thousand groups a few have no room; PostgreSQL takes a multiple of the
-- time.  A key with as many values as its column has as many groups.
RESET hash_mem_multiplier;
SET enable_sort = off;
ALTER TABLE plan_groups ALTER COLUMN v SET (n_distinct = 95000);
ANALYZE plan_groups;
UPDATE pg_class SET reltuples = 1000000 WHERE oid = 'plan_groups'::regclass;
SELECT wa_plan($$SELECT v, sum(id), max(v), count(v % 7) FROM plan_groups GROUP BY v$$);
CREATE FUNCTION plan_batches(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan->0->'Plan'->>'Planned Batches';
END
$$;
SELECT key, plan_batches(format('SELECT %s, count(*) FROM plan_groups GROUP BY 1', key))
FROM (VALUES ('id'), ('id + 1'), ('md5(id::text)'), ('upper(id::text || ''x'')'), ('id % 1000'), ('left(id::text, 2)'), ('date_trunc(''day'', to_timestamp(id))')) AS keys (key);
DROP FUNCTION plan_batches;
RESET enable_sort;
-- A LIMIT that is not known yet takes its share of them once.
SET plan_cache_mode = force_generic_plan;
PREPARE plan_first(bigint) AS SELECT id, count(*) FROM plan_groups GROUP BY 1 ORDER BY 2 LIMIT $1;
SELECT plan_differences('EXECUTE plan_first(1)');
DEALLOCATE plan_first;
DROP FUNCTION plan_nodes, plan_differences;
DROP TABLE plan_groups, plan_others;
