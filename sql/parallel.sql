--
-- Parallel plans: partial states travel from the workers and are combined.
--
\pset null '(null)'
SET timezone = 'UTC';
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT gpu_sum(i4), gpu_min(i4) FROM wa_values;
SELECT sum(i2), gpu_sum(i2), sum(i4), gpu_sum(i4), sum(i8), gpu_sum(i8) FROM wa_values;
SELECT sum(m), gpu_sum(m), sum(f8), gpu_sum(f8), sum(f4), gpu_sum(f4) FROM wa_values;
SELECT min(i2), gpu_min(i2), min(i4), gpu_min(i4), min(i8), gpu_min(i8) FROM wa_values;
SELECT min(f4), gpu_min(f4), min(f8), gpu_min(f8), min(m), gpu_min(m) FROM wa_values;
SELECT min(d), gpu_min(d), min(t), gpu_min(t), min(o), gpu_min(o) FROM wa_values;
SELECT min(ts), gpu_min(ts), min(tz), gpu_min(tz) FROM wa_values;

-- No rows, or only NULLs, in some or all of the workers.
SELECT sum(i4), gpu_sum(i4), min(f8), gpu_min(f8), gpu_sum(f8) FROM wa_values WHERE id < 0;
SELECT sum(i4), gpu_sum(i4), min(f8), gpu_min(f8), gpu_sum(f8) FROM wa_values WHERE id = 17;
SELECT sum(i8), gpu_sum(i8), gpu_min(f8), gpu_sum(f8) FROM wa_values WHERE i8 IS NULL AND f8 IS NULL;

-- Groups.
EXPLAIN (COSTS OFF) SELECT grp, gpu_sum(i4) FROM wa_values GROUP BY grp;
SELECT count(*) AS groups, count(*) FILTER (WHERE s IS DISTINCT FROM g OR m IS DISTINCT FROM gm
                                            OR sf IS DISTINCT FROM gf) AS differences
FROM (SELECT grp, sum(i8) AS s, gpu_sum(i8) AS g, min(tz) AS m, gpu_min(tz) AS gm,
             sum(f8) AS sf, gpu_sum(f8) AS gf
      FROM wa_values GROUP BY grp) s;

-- The exact float sum is the same whatever the workers read.
CREATE TABLE wa_floats AS
SELECT exp((i % 1400 - 700)::float8) * (1 - i % 2 * 2) AS x FROM generate_series(1, 30000) i;
ANALYZE wa_floats;
SELECT gpu_sum(x) AS parallel FROM wa_floats \gset
SET max_parallel_workers_per_gather = 0;
SELECT gpu_sum(x) AS serial FROM wa_floats \gset
SELECT :'parallel'::float8 = :'serial'::float8 AS same, :'parallel'::float8 <> 0 AS not_zero;
DROP TABLE wa_floats;
