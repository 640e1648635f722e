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
EXPLAIN (COSTS OFF)
SELECT date_trunc('day', ts) AS day, sum(v), count(*)
FROM plan_times GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF)
SELECT date_trunc('day', ts) AS day, v % 10, count(*)
FROM plan_times GROUP BY 1, 2 ORDER BY 1, 2;
DROP TABLE plan_times;
