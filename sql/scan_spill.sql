--
-- Groups beyond the memory: they are spilled, and results are those of
-- PostgreSQL.
--
\pset null '(null)'
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET enable_sort = off;
SET enable_hashagg = off;
SET work_mem = '64kB';
-- Groups have a few rows each, and there are many.
SET warpagg.min_device_rows = 1000;

-- Runs a query with the node and without it, and returns what differs; a query
-- that does not spill is a difference, too.
CREATE FUNCTION wa_spill_differences(query text, OUT side text, OUT result text)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
    memory text := current_setting('work_mem');
BEGIN
    DROP TABLE IF EXISTS pg_temp.side_on, pg_temp.side_off;
    EXECUTE format('EXPLAIN (ANALYZE, FORMAT json) CREATE TEMP TABLE side_on AS SELECT q::text AS r FROM (%s) q', query) INTO plan;
    IF NOT plan @? '$.**."Batches" ? (@ > 1)' THEN
        side := 'not spilled'; result := query; RETURN NEXT;
    END IF;
    PERFORM set_config('warpagg.enable_scan', 'off', true), set_config('enable_hashagg', 'on', true);
    EXECUTE format('CREATE TEMP TABLE side_off AS SELECT q::text AS r FROM (%s) q', query);
    PERFORM set_config('work_mem', '256MB', true);
    -- What is as many rows, and none of them others, is the same.
    IF (SELECT count(*) FROM pg_temp.side_on) <> (SELECT count(*) FROM pg_temp.side_off)
        OR EXISTS (TABLE pg_temp.side_on EXCEPT ALL TABLE pg_temp.side_off) THEN
        UPDATE pg_temp.side_on SET r = wa_same_look(r);
        UPDATE pg_temp.side_off SET r = wa_same_look(r);
        RETURN QUERY SELECT 'with', r FROM (TABLE pg_temp.side_on EXCEPT ALL TABLE pg_temp.side_off) x
            UNION ALL SELECT 'without', r FROM (TABLE pg_temp.side_off EXCEPT ALL TABLE pg_temp.side_on) x LIMIT 10;
    END IF;
    RETURN QUERY SELECT 'nothing was compared', query WHERE NOT EXISTS (TABLE pg_temp.side_on);
    PERFORM set_config('work_mem', memory, true), set_config('enable_hashagg', 'off', true), set_config('warpagg.enable_scan', 'on', true);
END
$$;
SET client_min_messages = warning;

-- Columns that are not used stand before, between and behind those that are.
CREATE TABLE wa_wide AS
SELECT repeat('unused ', i % 5) AS u1,
       (i * 7919::bigint % 55001)::integer AS i4,
       CASE WHEN i % 9973 > 0 THEN i % 30011 * 4000000007 END AS i8,
       CASE WHEN i % 3 > 0 THEN i END AS u2,
       CASE WHEN i % 10007 > 0 THEN 'a text of some length, number ' || i % 28001 END AS t,
       (i % 25013) / 8.0 AS n,
       exp((i % 1400 - 700)::float8) * (1 - i % 2 * 2) AS f8,
       i % 24007 / 3::float8 AS k8,
       i % 4 = 1 AS b,
       (i % 30)::text::char(5) AS bp,
       now() AS u3,
       i::bigint AS id
FROM generate_series(1, 60000) i;
ALTER TABLE wa_wide ADD COLUMN added integer DEFAULT 7;
INSERT INTO wa_wide (i4, i8, t, n, f8, k8, b, bp, id, added)
SELECT i4, i8, t, n::numeric(30,8), f8, CASE WHEN k8 = 0 THEN -k8 ELSE k8 END, NULL, bp || '  ', -id, id FROM wa_wide WHERE id % 20 = 0;
DELETE FROM wa_wide WHERE id % 31 = 0;
-- What has no vector, and so goes row by row.
INSERT INTO wa_wide (i4, i8, t, n, f8, k8, id, added)
SELECT i * 700, 1, repeat(md5(i::text), 200), CASE i % 4 WHEN 0 THEN 'NaN' WHEN 1 THEN 1e40 + i WHEN 2 THEN '-Infinity' ELSE 1.50 END,
       'NaN', -0.0, i, NULL
FROM generate_series(1, 200) i;
ANALYZE wa_wide;

-- All kinds of keys and of aggregates.
SELECT d.* FROM unnest(ARRAY[
    'i4',
    'i8',
    't',
    'n',
    'k8',
    't, i8',
    'n, b, bp',
    'i4, n, t, k8, added',
    'i8 % 27001'
]) k,
    wa_spill_differences(format('SELECT %1$s, count(*), sum(i8), max(t), min(n), count(added) FROM wa_wide GROUP BY %1$s', k)) d;
SELECT d.* FROM unnest(ARRAY['i4', 'i8', 'added', 'n', 'n * 3']) v,
    wa_spill_differences(format('SELECT i8, count(%1$s), sum(%1$s), avg(%1$s), min(%1$s), max(%1$s), var_pop(%1$s), stddev(%1$s), '
        'sum(%1$s) FILTER (WHERE b), count(*) FILTER (WHERE n > 100) FROM wa_wide GROUP BY i8', v)) d;
SELECT * FROM wa_spill_differences('SELECT n, gpu_sum(f8), gpu_avg(f8), gpu_stddev(f8) FROM wa_wide GROUP BY n');
SELECT * FROM wa_spill_differences('SELECT t, gpu_sum(f8), gpu_variance(k8::real), min(bp), max(bp), min(n), max(n) FROM wa_wide GROUP BY t');
SELECT * FROM wa_spill_differences('SELECT i4, count(*), max(k8), min(k8), max(id) FROM wa_wide WHERE k8 >= 5 AND u1 IS NOT NULL AND u3 IS NOT NULL AND id <> 17 GROUP BY i4 HAVING count(*) = 1');
-- Groups whose states outgrow the memory when no more are made.
SET work_mem = '512kB';
SELECT * FROM wa_spill_differences('SELECT i4 % 12000, gpu_sum(f8), gpu_stddev(f8) FROM wa_wide GROUP BY 1');
SET work_mem = '1MB';
SELECT * FROM wa_spill_differences('SELECT i4, t, sum(n), count(*) FROM wa_wide GROUP BY i4, t');
SET work_mem = '64kB';

-- More groups, and partitions that are divided again.
CREATE TABLE wa_long AS SELECT (i * 7919::bigint % 300007) AS k, i % 1000 AS v FROM generate_series(1, 400000) i;
ANALYZE wa_long;
SELECT * FROM wa_spill_differences('SELECT k, sum(v), count(*), avg(v) FROM wa_long GROUP BY k');
SELECT count(*), sum(c), sum(s) FROM (SELECT k, count(*) AS c, sum(v) AS s FROM wa_long GROUP BY k) x;

-- What EXPLAIN says of it.
CREATE FUNCTION wa_spill_plan(query text) RETURNS TABLE (planned boolean, batches boolean, memory boolean, disk boolean, spilled boolean)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
    plan := plan->0->'Plan';
    RETURN QUERY SELECT (plan->>'Planned Batches')::bigint > 1, (plan->>'Batches')::bigint > 4, (plan->>'Memory Usage')::bigint BETWEEN 70 AND 200,
        (plan->>'Disk Usage')::bigint BETWEEN 2000 AND 20000, (plan->>'Rows Spilled')::bigint BETWEEN 200000 AND 2000000;
END
$$;
SELECT * FROM wa_spill_plan('SELECT k, sum(v) FROM wa_long GROUP BY k');
-- The memory, with the buffers of files: no more than 1.2 times what PostgreSQL's hash aggregate takes for the same, or
-- what it may take, of which it leaves some from 18 on.
CREATE FUNCTION wa_spill_memory(query text, memory text, workers text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    ours json;
    theirs json;
BEGIN
    PERFORM set_config('work_mem', memory, true), set_config('hash_mem_multiplier', '2', true),
        set_config('max_parallel_workers_per_gather', workers, true);
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO ours;
    PERFORM set_config('warpagg.enable_scan', 'off', true), set_config('enable_hashagg', 'on', true),
        set_config('max_parallel_workers_per_gather', '0', true);
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO theirs;
    PERFORM set_config('warpagg.enable_scan', 'on', true), set_config('enable_hashagg', 'off', true);
    IF NOT coalesce((ours->0->'Plan'->>'Memory Usage')::bigint <= greatest(1.2 * (theirs->0->'Plan'->>'Peak Memory Usage')::bigint, 2 * pg_size_bytes(memory) / 1024)
            AND (ours->0->'Plan'->>'Batches')::integer > 1 AND (theirs->0->'Plan'->>'HashAgg Batches')::integer > 1, false) THEN
        RETURN NEXT format('%s: %s; %s', query, ours->0->'Plan', theirs->0->'Plan');
    END IF;
END
$$;
SELECT r FROM (VALUES ('64kB', '0', ''), ('64kB', '2', '^k, (sum|max)|^k %'), ('256kB', '0', '^k, (sum|max)'), ('1MB', '0', '^k, (sum|max)')) settings (m, w, which)
    JOIN (VALUES ('k, sum(v), count(*)'), ('k::text, stddev(v)'), ('k / 100.0, sum(v), count(*)'), ('k % 100000, v, count(*), sum(v), max(k)'),
            ('k, avg(v), min(v), max(v)'), ('k, min(v::text)'), ('k, max(v::text), sum(v::numeric), stddev(k::numeric)'),
            ('repeat(k::text, 30), count(*)'), ('k, variance(v::float8)'), ('k, variance(exp((v - 500) / 40::float8))')) expressions (e) ON e ~ which,
    LATERAL wa_spill_memory(format('SELECT %s FROM wa_long WHERE k < 100000 GROUP BY 1%s', e, CASE WHEN e ~ '^k % ' THEN ', 2' END), m, w) r;
DROP FUNCTION wa_spill_memory;
-- It competes with PostgreSQL's hash aggregate.
SET enable_hashagg = on;
SELECT wa_plan($$SELECT k, sum(v) FROM wa_long GROUP BY k$$);
SET enable_hashagg = off;

-- So few groups a batch that everything is spilled many times.
SET warpagg.debug_spill_groups = 3;
SELECT d.* FROM unnest(ARRAY['v', 'v, k % 3', 'v / 10.0', 'v::text', 'v / 2::float8']) k,
    wa_spill_differences(format('SELECT %1$s, count(*), sum(k), min(v), max(k) FROM wa_long WHERE k < 20000 GROUP BY %1$s', k)) d
WHERE side <> 'not spilled';
SELECT * FROM wa_spill_differences('SELECT b, bp, count(*), max(bp), min(n), max(n), sum(n) FROM wa_wide GROUP BY b, bp');
-- Of equal values that which is returned is the same.
SELECT * FROM wa_spill_differences('SELECT i4 % 100, min(n), max(n), min(k8), max(k8), min(bp), max(bp) FROM wa_wide WHERE n BETWEEN 1 AND 1.5 OR k8 = 0 GROUP BY 1');
RESET warpagg.debug_spill_groups;

-- Rows that trap are spilled like others, and raise their errors.
SELECT * FROM wa_spill_differences('SELECT i4, count(*), sum(CASE WHEN i4 % 1000 = 0 THEN 0 ELSE 100000 / (i4 % 1000) END) FROM wa_wide GROUP BY i4');
SELECT count(*), max(s) FROM (SELECT i4, sum(1 / (i4 - 54000)) AS s FROM wa_wide GROUP BY i4) x;
SELECT count(*) FROM (SELECT k / (k - 299999), count(*) FROM wa_long GROUP BY 1) x;
SELECT count(*), max(s) FROM (SELECT k, count(*) / (k - 299999) AS s FROM wa_long GROUP BY k) x;

-- With workers.
SET max_parallel_workers_per_gather = 2;
SELECT d.* FROM unnest(ARRAY['i8', 't']) k,
    wa_spill_differences(format('SELECT %1$s, count(*), sum(i8), max(t), count(added), gpu_sum(f8), avg(n), stddev(id) FILTER (WHERE id > 1000) '
        'FROM wa_wide WHERE id <> 5 GROUP BY %1$s', k)) d;
-- Which of equal keys a group shows depends on who is first.
SELECT d.* FROM unnest(ARRAY['n', 'n, b, bp', 'k8']) k,
    wa_spill_differences(format('SELECT hash_record(row(%2$s)), c, s, m, f FROM (SELECT %1$s, count(*) AS c, sum(i8) AS s, max(t) AS m, gpu_sum(f8) AS f FROM wa_wide GROUP BY %1$s) x', k,
        replace(k, 'bp', 'rtrim(bp)'))) d;
SELECT * FROM wa_spill_differences('SELECT k, sum(v), count(*), avg(v) FROM wa_long GROUP BY k');
SET max_parallel_workers_per_gather = 1;
SET warpagg.debug_spill_groups = 30;
SELECT * FROM wa_spill_differences('SELECT k % 5003, sum(v), count(*), avg(k) FROM wa_long GROUP BY k % 5003');
SET max_parallel_workers_per_gather = 2;
SELECT * FROM wa_spill_differences('SELECT k % 2003, sum(k), count(*), avg(k) FROM wa_long GROUP BY k % 2003');
-- Errors in whatever process.
\set SHOW_CONTEXT never
SELECT count(*), max(s) FROM (SELECT v, sum(1 / (k - 299999)) AS s FROM wa_long GROUP BY v) x;
RESET warpagg.debug_spill_groups;
SELECT count(*), max(s) FROM (SELECT i4, sum(1 / (i4 - 54000)) AS s FROM wa_wide GROUP BY i4) x;

-- Rescans, with and without other parameters, of results that were not all read.
SET max_parallel_workers_per_gather = 0;
SELECT x, sum(c), count(*) FROM generate_series(1, 3) x, LATERAL (SELECT k, count(*) + x - x AS c FROM wa_long GROUP BY k) y GROUP BY x ORDER BY x;
SELECT x, sum(c), count(*) FROM generate_series(1, 3) x, LATERAL (SELECT k, count(*) AS c FROM wa_long WHERE k % 3 < x GROUP BY k) y GROUP BY x ORDER BY x;
SELECT x, count(*) FROM generate_series(1, 3) x, LATERAL (SELECT k, count(*) AS c FROM wa_long WHERE v <> x GROUP BY k LIMIT 50000 * x) y GROUP BY x ORDER BY x;
SET max_parallel_workers_per_gather = 2;
SELECT x, sum(c), count(*) FROM generate_series(1, 3) x, LATERAL (SELECT k, count(*) AS c FROM wa_long WHERE k % 3 < x GROUP BY k) y GROUP BY x ORDER BY x;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT x, count(*), sum(c) FROM generate_series(1, 2) x LEFT JOIN (SELECT k, count(*) AS c FROM wa_long GROUP BY k) y ON k % 2 = x - 1 GROUP BY x ORDER BY x;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;

-- Files are there only for as long as they are needed.
CREATE FUNCTION wa_spill_files() RETURNS bigint LANGUAGE sql AS
$$ SELECT count(*) FROM pg_ls_dir('base/pgsql_tmp', true, false) f WHERE f LIKE 'pgsql_tmp' || pg_backend_pid() || '.%' $$;
BEGIN;
DECLARE wa_cursor CURSOR FOR SELECT k, count(*) FROM wa_long GROUP BY k;
MOVE 1000 IN wa_cursor;
SELECT wa_spill_files();
SAVEPOINT inner_one;
MOVE 30000 IN wa_cursor;
ROLLBACK TO inner_one;
SELECT wa_spill_files();
MOVE ALL IN wa_cursor;
CLOSE wa_cursor;
SELECT wa_spill_files();
DECLARE wa_cursor CURSOR FOR SELECT k, count(*) FROM wa_long GROUP BY k;
MOVE 1000 IN wa_cursor;
COMMIT;
SELECT wa_spill_files();
DECLARE wa_held CURSOR WITH HOLD FOR SELECT k FROM wa_long GROUP BY k HAVING count(*) > 1;
MOVE ALL IN wa_held;
CLOSE wa_held;
SELECT wa_spill_files();
DO $$
DECLARE
    row record;
    n bigint := 0;
BEGIN
    FOR row IN SELECT k, count(*) AS c FROM wa_long GROUP BY k LOOP
        n := n + row.c;
        BEGIN
            IF row.k % 50000 = 7 THEN
                PERFORM 1 / (row.k - row.k);
            END IF;
        EXCEPTION WHEN division_by_zero THEN
            n := n - row.c;
        END;
    END LOOP;
    RAISE WARNING '% rows', n;
END
$$;
SELECT wa_spill_files();

-- Errors end everything.
\set VERBOSITY sqlstate
SET temp_file_limit = '1MB';
SELECT count(*) FROM (SELECT k, count(*) FROM wa_long GROUP BY k) x;
SELECT wa_spill_files();
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM (SELECT k, count(*) FROM wa_long GROUP BY k) x;
RESET temp_file_limit;
\set VERBOSITY default
SELECT wa_spill_files();
BEGIN;
SAVEPOINT inner_one;
SELECT count(*), max(s) FROM (SELECT k, count(*) / (k - 299999) AS s FROM wa_long GROUP BY k) x;
SELECT 1;
ROLLBACK TO inner_one;
SELECT wa_spill_files();
SELECT count(*), sum(c) FROM (SELECT k, count(*) AS c FROM wa_long GROUP BY k) x;
COMMIT;
SET statement_timeout = '300ms';
SELECT count(pg_sleep(c / 1000.0)) FROM (SELECT k, count(*) AS c FROM wa_long GROUP BY k) x;
RESET statement_timeout;
SELECT wa_spill_files();

DROP TABLE wa_wide, wa_long;
DROP FUNCTION wa_spill_differences, wa_spill_plan, wa_spill_files;
