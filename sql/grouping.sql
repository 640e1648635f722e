--
-- GROUP BY, hashed and sorted, few groups and many, with and without spilling.
--
\pset null '(null)'
SET max_parallel_workers_per_gather = 0;
CREATE VIEW wa_differences AS
SELECT count(*) AS groups,
       count(*) FILTER (WHERE s2 IS DISTINCT FROM g2 OR s4 IS DISTINCT FROM g4
                        OR s8 IS DISTINCT FROM g8 OR sf IS DISTINCT FROM gf
                        OR sm IS DISTINCT FROM gm OR md IS DISTINCT FROM gd
                        OR mf IS DISTINCT FROM gmf) AS differences
FROM (SELECT grp,
             sum(i2) AS s2, gpu_sum(i2) AS g2, sum(i4) AS s4, gpu_sum(i4) AS g4,
             sum(i8) AS s8, gpu_sum(i8) AS g8, sum(f8) AS sf, gpu_sum(f8) AS gf,
             sum(m) AS sm, gpu_sum(m) AS gm, min(d) AS md, gpu_min(d) AS gd,
             min(f4) AS mf, gpu_min(f4) AS gmf
      FROM wa_values GROUP BY grp) s;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT grp, gpu_sum(i4) FROM wa_values GROUP BY grp;
SELECT * FROM wa_differences;
RESET enable_sort;
SET enable_hashagg = off;
EXPLAIN (COSTS OFF) SELECT grp, gpu_sum(i4) FROM wa_values GROUP BY grp;
SELECT * FROM wa_differences;
RESET enable_hashagg;

-- As many groups as rows, and groups that are all NULL.
SELECT count(*), count(*) FILTER (WHERE s IS DISTINCT FROM g OR m IS DISTINCT FROM gm)
FROM (SELECT id, sum(i8) AS s, gpu_sum(i8) AS g, min(f8) AS m, gpu_min(f8) AS gm
      FROM wa_values WHERE id <= 4000 GROUP BY id) s;
-- Spilling.
SET work_mem = '64kB';
SET enable_sort = off;
SELECT count(*), count(*) FILTER (WHERE s IS DISTINCT FROM g OR m IS DISTINCT FROM gm)
FROM (SELECT id % 3000, sum(f8) AS s, gpu_sum(f8) AS g, min(i8) AS m, gpu_min(i8) AS gm
      FROM wa_values WHERE id <= 6000 GROUP BY id % 3000) s;
RESET enable_sort;
RESET work_mem;

-- Grouping sets keep a state in each of several contexts.
SELECT count(*), count(*) FILTER (WHERE s IS DISTINCT FROM g OR m IS DISTINCT FROM gm)
FROM (SELECT grp, id % 3, sum(i8) AS s, gpu_sum(i8) AS g, min(tz) AS m, gpu_min(tz) AS gm
      FROM wa_values GROUP BY CUBE (grp, id % 3)) s;

-- A buffer budget that is far too small costs time, nothing else.
SET warpagg.buffer_memory = '64kB';
SELECT * FROM wa_differences;
SELECT sum(x) = gpu_sum(x) FROM generate_series(1, 100000) x;
RESET warpagg.buffer_memory;

-- Rescans start afresh.
SELECT v.n, s.*
FROM (VALUES (10), (100), (1000)) v(n),
     LATERAL (SELECT sum(i4), gpu_sum(i4), min(ts) = gpu_min(ts) AS min_equal
              FROM wa_values WHERE id <= v.n) s;
DROP VIEW wa_differences;

-- The budget holds, seen while the groups of a cursor are still there, and all
-- of it comes back.  (Here nothing goes to a device, which would take larger
-- buffers of fewer groups.)  In a new session, whose memory has no history.
\c -
SET max_parallel_workers_per_gather = 0;
SET warpagg.buffer_memory = '256kB';
SET warpagg.min_device_rows = 1000000;
SET enable_sort = off;
BEGIN;
DECLARE wa_groups CURSOR FOR
SELECT x % 100, gpu_sum(x::float8), gpu_min(x) FROM generate_series(1, 1000000) x GROUP BY 1;
FETCH 1 FROM wa_groups \g /dev/null
SELECT sum(used_bytes) BETWEEN 100000 AND 300000 AS within_budget,
       sum(total_bytes) < 400000 AS little_waste
FROM pg_backend_memory_contexts WHERE name = 'warpagg buffers';
COMMIT;
SELECT sum(used_bytes) < 10000 AS returned
FROM pg_backend_memory_contexts WHERE name = 'warpagg buffers';
RESET enable_sort;
RESET warpagg.min_device_rows;
RESET warpagg.buffer_memory;
