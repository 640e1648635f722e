--
-- GROUP BY of one group, two, a thousand, a million; hashed and sorted, in
-- memory and spilling.
--
\pset null '(null)'
SET max_parallel_workers_per_gather = 0;
-- A request to the device process for each of so many groups would take long.
SET warpagg.min_device_rows = 100;
CREATE TABLE wa_groups AS
SELECT id, 0 AS one, id % 2 AS two, id % 1000 AS thousand, id % 19000 AS many,
       i2, i4, i8, f4, f8, d, t, ts, tz, m, o, n, v, tt, s, bp, a, e, ti, ip, lsn, x
FROM wa_values;
ANALYZE wa_groups;
CREATE FUNCTION wa_group_differences()
RETURNS TABLE (groups text, name text, function text, grp text, builtin text, gpu text)
LANGUAGE sql AS $$
    SELECT g.groups, c.name, d.*
    FROM (VALUES ('one'), ('two'), ('thousand'), ('many')) g(groups), wa_columns c,
         LATERAL wa_differences(c.functions, c.name, 'wa_groups', g.groups) d
    WHERE c.name IN ('i4', 'n', 'f8', 'v', 's', 'x')
$$;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT thousand, gpu_avg(n) FROM wa_groups GROUP BY thousand;
SELECT * FROM wa_group_differences();
-- spilling to disk, which the states of text and numeric reach sooner
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM wa_group_differences();
RESET hash_mem_multiplier;
RESET work_mem;
RESET enable_sort;
SET enable_hashagg = off;
EXPLAIN (COSTS OFF) SELECT thousand, gpu_avg(n) FROM wa_groups GROUP BY thousand;
SELECT * FROM wa_group_differences();
RESET enable_hashagg;
SET warpagg.min_device_rows = 0;
SELECT g.groups, c.name, d.*
FROM (VALUES ('one'), ('two'), ('id % 5')) g(groups), wa_columns c,
     LATERAL wa_differences(c.functions, c.name, 'wa_groups', g.groups) d;
SET warpagg.min_device_rows = 100;
-- many columns at once
SELECT count(*) AS groups, count(*) FILTER (WHERE b IS DISTINCT FROM g) AS differences
FROM (SELECT thousand,
             ROW(sum(i4), avg(i8), max(n), count(s), stddev(i4), max(v), min(a), sum(m), max(e))::text AS b,
             ROW(gpu_sum(i4), gpu_avg(i8), gpu_max(n), gpu_count(s), gpu_stddev(i4), gpu_max(v),
                 gpu_min(a), gpu_sum(m), gpu_max(e))::text AS g
      FROM wa_groups GROUP BY thousand) s;
-- grouping sets: several states at a time, hashed and sorted
SELECT count(*) AS groups, count(*) FILTER (WHERE b IS DISTINCT FROM g) AS differences
FROM (SELECT ROW(sum(i4), avg(n), max(s), count(v), stddev(i8), min(a))::text AS b,
             ROW(gpu_sum(i4), gpu_avg(n), gpu_max(s), gpu_count(v), gpu_stddev(i8), gpu_min(a))::text AS g
      FROM wa_groups GROUP BY GROUPING SETS ((), (two), (thousand), (two, thousand), ROLLUP (one, many))) s;

-- A thousand groups in parallel.
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT thousand, gpu_avg(n) FROM wa_groups GROUP BY thousand;
SELECT g.groups, c.name, d.*
FROM (VALUES ('one'), ('two'), ('thousand'), ('many')) g(groups), wa_columns c,
     LATERAL wa_differences(c.functions, c.name, 'wa_groups', g.groups) d
WHERE c.name IN ('i8', 'f4', 'm', 'a', 'e');
SELECT g.groups, d.*
FROM (VALUES ('one'), ('two'), ('thousand'), ('many')) g(groups),
     LATERAL wa_differences('sum avg count variance', 'n', 'wa_groups', g.groups) d;
SET max_parallel_workers_per_gather = 0;
DROP FUNCTION wa_group_differences;
DROP TABLE wa_groups;

-- A million groups of one row or two, with little memory; what differs would be
-- counted, and that all of them were there is seen from the sum of the counts.
SET work_mem = '4MB';
CREATE TABLE wa_million AS
SELECT i % 1000000 AS grp, i % 777 - 388 AS x, (i % 1001 - 500) * 0.25::float8 AS f
FROM generate_series(1, 1100000) i;
ANALYZE wa_million;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT grp, gpu_sum(x) FROM wa_million GROUP BY grp;
SELECT count(*) AS groups, sum(rows) AS rows,
       count(*) FILTER (WHERE b1 IS DISTINCT FROM g1 OR b2 IS DISTINCT FROM g2
                        OR b3 IS DISTINCT FROM g3 OR rows <> grows) AS differences
FROM (SELECT grp, sum(x) AS b1, gpu_sum(x) AS g1, sum(f) AS b2, gpu_sum(f) AS g2,
             max(f) AS b3, gpu_max(f) AS g3, count(x) AS rows, gpu_count(x) AS grows
      FROM wa_million GROUP BY grp) s;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*) AS groups, sum(rows) AS rows,
       count(*) FILTER (WHERE b1 IS DISTINCT FROM g1 OR b2 IS DISTINCT FROM g2 OR rows <> grows) AS differences
FROM (SELECT grp, avg(x) AS b1, gpu_avg(x) AS g1, min(f) AS b2, gpu_min(f) AS g2,
             count(x) AS rows, gpu_count(x) AS grows
      FROM wa_million GROUP BY grp) s;
RESET enable_hashagg;
DROP TABLE wa_million;
