-- What the planner counts for what is resident: GPUs, where there are any, take less for many
-- rows than processors do, and nobody takes a request for few.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE resident_costs (id integer, k integer, v integer) WITH (autovacuum_enabled = off);
INSERT INTO resident_costs SELECT x, x % 10, x % 1000 FROM generate_series(1, 100000) x;
CREATE INDEX ON resident_costs (id);
VACUUM (FREEZE, ANALYZE) resident_costs;
SELECT warpagg_load('resident_costs') AS rows;

-- What a query costs in all, and whether that is with the node.
CREATE FUNCTION pg_temp.cost(query text, resident text, OUT cost float8, OUT has_node boolean)
LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    PERFORM set_config('warpagg.enable_resident', resident, true);
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    cost := plan -> 0 -> 'Plan' ->> 'Total Cost';
    has_node := plan::text ~ 'WarpAgg';
END $$;
-- By how much a query costs less where its rows are resident.
CREATE FUNCTION pg_temp.gain(query text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE
        WHEN NOT h.has_node OR NOT r.has_node THEN 'no node'
        WHEN h.cost / r.cost BETWEEN 3 AND 6 THEN 'processors'
        WHEN h.cost / r.cost BETWEEN 50 AND 120 THEN 'GPUs'
        ELSE (h.cost / r.cost)::text END
    FROM pg_temp.cost(query, 'off') h, pg_temp.cost(query, 'on') r
$$;
-- As many rows as the planner is told: a hundred million.
UPDATE pg_class SET reltuples = 1e8 WHERE relname = 'resident_costs';
SELECT query, pg_temp.gain(query) = CASE WHEN EXISTS (SELECT FROM warpagg_devices WHERE kind = 'gpu')
    THEN 'GPUs' ELSE 'processors' END AS by_device
FROM unnest(ARRAY[
    'SELECT sum(v) FROM resident_costs',
    'SELECT k, count(*), sum(v) FROM resident_costs WHERE v > 500 GROUP BY k',
    'SELECT k, count(*), avg(v) FROM resident_costs GROUP BY k ORDER BY 2 LIMIT 3']) query;
-- Few rows are had sooner by an index.
SELECT query, (pg_temp.cost(query, 'on')).has_node FROM unnest(ARRAY[
    'SELECT sum(v) FROM resident_costs WHERE id < 5']) query;
-- What is not resident costs what it costs without.
CREATE TABLE resident_costs_heap AS SELECT * FROM resident_costs;
VACUUM (FREEZE, ANALYZE) resident_costs_heap;
UPDATE pg_class SET reltuples = 1e8 WHERE relname = 'resident_costs_heap';
SELECT pg_temp.gain('SELECT k, sum(v) FROM resident_costs_heap GROUP BY k');
DROP TABLE resident_costs, resident_costs_heap;
