--
-- The scan tier's own workers: their groups are merged with the leader's, and
-- results are those of a scan without workers.
--
\pset null '(null)'
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;

CREATE TABLE wa_scanned AS
SELECT i AS id, (i * 7919::bigint % 100003)::integer AS i4,
       CASE WHEN i % 7 <> 0 THEN i * 4000000007::bigint END AS i8,
       CASE WHEN i % 5 <> 0 THEN (i % 97)::smallint END AS grp,
       CASE WHEN i % 11 <> 0 THEN exp((i % 1400 - 700)::float8) * (1 - i % 2 * 2) END AS f8,
       CASE WHEN i % 13 <> 0 THEN (i % 1000)::numeric / 8 END AS n,
       CASE WHEN i % 3 <> 0 THEN 'text ' || i % 50 END AS t,
       (i % 20)::text::char(6) AS bp,
       date '2001-01-01' + i % 500 AS d,
       i % 4 = 1 AS b
FROM generate_series(1, 60000) i;
ALTER TABLE wa_scanned ADD COLUMN added integer DEFAULT 5;
INSERT INTO wa_scanned (id, i4, n, added) VALUES
    (60001, 1, 'NaN', 7), (60002, 2, 1e30, NULL), (60003, 3, 123456789012345678901234567890.5, 8);
DELETE FROM wa_scanned WHERE id % 101 = 0;
ANALYZE wa_scanned;

SELECT wa_plan($$SELECT sum(i8) FROM wa_scanned$$);
SELECT wa_plan($$SELECT grp, count(*) FROM wa_scanned WHERE i4 > 10 GROUP BY grp$$);
-- Not where workers cost more than they save, nor where there may be none.
SET parallel_setup_cost = 1000000;
SELECT wa_plan($$SELECT sum(i8) FROM wa_scanned$$);
SET parallel_setup_cost = 0;
SET max_parallel_workers_per_gather = 0;
SELECT wa_plan($$SELECT sum(i8) FROM wa_scanned$$);
SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION wa_unsafe(x bigint) RETURNS bigint LANGUAGE sql STABLE PARALLEL UNSAFE
AS $$ SELECT max(x) $$;
SELECT wa_plan($$SELECT wa_unsafe(sum(i4)) FROM wa_scanned$$);

-- How many workers there were, and what all processes have done.
CREATE FUNCTION wa_run(query text) RETURNS TABLE (planned bigint, launched boolean,
                                                  blocks boolean, scanned bigint, kept bigint)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    counted bigint := pg_relation_size('wa_scanned') / current_setting('block_size')::bigint;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT json) ' || query INTO plan;
    plan := plan -> 0 -> 'Plan';
    RETURN QUERY SELECT (plan ->> 'Workers Planned')::bigint,
                        (plan ->> 'Workers Launched')::bigint = (plan ->> 'Workers Planned')::bigint,
                        (plan ->> 'Blocks Read')::bigint = counted AND
                        (plan ->> 'Shared Hit Blocks')::bigint + (plan ->> 'Shared Read Blocks')::bigint >= counted,
                        (plan ->> 'Rows Scanned')::bigint, (plan ->> 'Rows Kept')::bigint;
END
$$;
SELECT * FROM wa_run('SELECT sum(i8) FROM wa_scanned WHERE i4 < 50000');
SELECT count(*) AS scanned, count(*) FILTER (WHERE i4 < 50000) AS kept FROM wa_scanned;
-- What it took, of all processes, unless times are not wanted.
CREATE FUNCTION wa_times(options text, OUT reading float8, OUT device float8)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, %s, FORMAT json) SELECT grp, sum(n) FROM wa_scanned GROUP BY grp', options) INTO plan;
    reading := plan -> 0 -> 'Plan' ->> 'Heap Reading Time';
    device := plan -> 0 -> 'Plan' ->> 'Device Time';
END
$$;
SELECT reading > 0 AS reading, device > 0 AS device FROM wa_times('TIMING');
SELECT * FROM wa_times('TIMING OFF');

-- Runs a query with workers and without, and returns the rows by which the
-- results differ, as text.
CREATE FUNCTION wa_parallel_differences(query text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    serial text[];
    parallel text[];
    plan text;
    ours boolean := false;
BEGIN
    FOR plan IN EXECUTE 'EXPLAIN (FORMAT json) ' || query LOOP
        ours := plan ~ '"WarpAgg".*"Workers Planned": [1-9]';
    END LOOP;
    IF NOT ours THEN
        RETURN NEXT 'no workers of ours: ' || query;
    END IF;
    EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) q', query) INTO parallel;
    SET LOCAL max_parallel_workers_per_gather = 0;
    EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) q', query) INTO serial;
    SET LOCAL max_parallel_workers_per_gather = 2;
    IF cardinality(serial) IS NULL THEN
        RETURN NEXT 'it has no rows';
    END IF;
    RETURN QUERY (SELECT 'serial ' || unnest(serial) EXCEPT ALL SELECT 'serial ' || unnest(parallel))
        UNION ALL (SELECT 'parallel ' || unnest(parallel) EXCEPT ALL SELECT 'parallel ' || unnest(serial));
END
$$;

SELECT wa_parallel_differences(query) FROM (VALUES
    ('SELECT count(*), count(i8), sum(i8), avg(i8), min(i8), max(i8), stddev(i8) FROM wa_scanned'),
    ('SELECT sum(i4), avg(i4), var_pop(i4), min(i4), max(i4), sum(grp), avg(grp) FROM wa_scanned'),
    ('SELECT sum(f8), avg(f8), min(f8), max(f8), count(f8) FROM wa_scanned'),
    ('SELECT gpu_sum(f8), gpu_avg(f8), gpu_variance(i4::float8), gpu_max(f8) FROM wa_scanned'),
    ('SELECT variance(i4::float8), stddev_pop(i4::float4), sum(i4::float4) FROM wa_scanned'),
    ('SELECT sum(n), avg(n), count(n), min(n), max(n), variance(n) FROM wa_scanned'),
    ('SELECT sum(n), avg(n), min(n), max(n), variance(n) FROM wa_scanned WHERE id <= 60000'),
    ('SELECT min(t), max(t), count(t), min(d), max(d), min(bp), max(bp) FROM wa_scanned'),
    ('SELECT sum(added), count(added) FROM wa_scanned'),
    ('SELECT sum(i8), min(t), count(*) FROM wa_scanned WHERE id < 0'),
    ('SELECT sum(i8), min(t), count(*), sum(f8) FROM wa_scanned WHERE id = 59990'),
    ('SELECT grp, count(*), sum(i8), sum(f8), min(n), max(t) FROM wa_scanned GROUP BY grp'),
    ('SELECT i4, count(*), sum(i8) FROM wa_scanned GROUP BY i4'),
    ('SELECT i8, count(*), sum(f8), avg(n) FROM wa_scanned GROUP BY i8'),
    ('SELECT t, count(*), sum(n), variance(n) FROM wa_scanned GROUP BY t'),
    ('SELECT bp, count(*), max(t), min(t) FROM wa_scanned GROUP BY bp'),
    ('SELECT n, count(*), sum(i4), sum(f8) FROM wa_scanned GROUP BY n'),
    ('SELECT f8, count(*), sum(i4) FROM wa_scanned GROUP BY f8'),
    ('SELECT b, d, count(*), sum(i4) FROM wa_scanned GROUP BY b, d'),
    ('SELECT grp, t, n, b, count(*), sum(i8), min(d) FROM wa_scanned GROUP BY grp, t, n, b'),
    ('SELECT date_trunc(''month'', d::timestamp), sum(i4) FROM wa_scanned GROUP BY 1'),
    ('SELECT grp, sum(i8) FROM wa_scanned WHERE t IS NULL AND b AND n > 3.5 GROUP BY grp'),
    ('SELECT sum(i8) FILTER (WHERE b), count(*) FILTER (WHERE n > 100), min(t) FILTER (WHERE grp = 3) FROM wa_scanned'),
    ('SELECT grp, sum(i8) FILTER (WHERE b), count(*) FILTER (WHERE n > 100) FROM wa_scanned GROUP BY grp'),
    ('SELECT grp, sum(i8) FROM wa_scanned GROUP BY grp HAVING count(*) > 500 AND min(i4) < 20'),
    ('SELECT sum(i4 + CASE WHEN n > 50 THEN 1 ELSE grp END) FROM wa_scanned'),
    ('SELECT count(*) FROM wa_scanned WHERE t IN (''text 1'', ''text 7'', ''text 44'') AND d > date ''2001-03-01'' + 5'),
    ('SELECT sum(i4) FROM wa_scanned WHERE d < (now() AT TIME ZONE ''UTC'')::date')
) AS queries (query);

-- Groups that outgrow the memory, which the planner did not see coming.
ALTER TABLE wa_scanned ALTER id SET (n_distinct = 100);
ANALYZE wa_scanned;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT wa_parallel_differences('SELECT id, count(*), sum(i8) FROM wa_scanned GROUP BY id');
SELECT wa_parallel_differences('SELECT id::numeric, count(*), min(t) FROM wa_scanned GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;

-- Errors in any process.
\set VERBOSITY terse
SELECT sum(1 / (id - 45000)) FROM wa_scanned;
SELECT grp, sum(1 / (id - 59000)) FROM wa_scanned GROUP BY grp;
SELECT sum(i4) FROM wa_scanned WHERE 1 / (id - 30001) > 2;
DO $$
BEGIN
    PERFORM sum(1 / (id - 45000)) FROM wa_scanned;
EXCEPTION WHEN division_by_zero THEN
    RAISE NOTICE 'caught %', SQLSTATE;
END
$$;
SELECT sum(i8 * 4611686018427387904) FROM wa_scanned;
SELECT sum(id) FROM wa_scanned;

-- Parameters: of a generic plan, of an outer query, of an initplan.
SET plan_cache_mode = force_generic_plan;
PREPARE wa_query(integer, numeric, text, date) AS
SELECT count(*), sum(i4 + $1), sum(i4 + $1 + 1) FILTER (WHERE n > $2), max(t), sum(i4 * $1), sum(i4 * ($1 + 0))
FROM wa_scanned WHERE t <> $3 AND d < $4;
SELECT wa_plan($$EXECUTE wa_query(3, 5.5, 'text 3', '2002-01-01')$$);
EXECUTE wa_query(3, 5.5, 'text 3', '2002-01-01');
EXECUTE wa_query(-7, 1e30, repeat('x', 10000), '2001-02-01');
EXECUTE wa_query(NULL, NULL, 'text 3', '2002-01-01');
SET max_parallel_workers = 0;
EXECUTE wa_query(3, 5.5, 'text 3', '2002-01-01');
EXECUTE wa_query(-7, 1e30, repeat('x', 10000), '2001-02-01');
EXECUTE wa_query(NULL, NULL, 'text 3', '2002-01-01');
-- Two columns that are the same with these values, but not as planned.
RESET max_parallel_workers;
PREPARE wa_same(integer, integer) AS
SELECT sum(i4 + $1), sum(i4 + $2), min(i4 + $1), max(i4 + $2) FROM wa_scanned;
EXECUTE wa_same(1, 1);
EXECUTE wa_same(1, 2);
RESET plan_cache_mode;
SELECT x, s FROM (VALUES (10), (5000), (59000), (10)) AS v (x),
    LATERAL (SELECT sum(i8) AS s FROM wa_scanned WHERE id < x) AS q;
SELECT x, (SELECT count(*) + sum(i4) FROM wa_scanned WHERE id % 50 = x) FROM generate_series(1, 3) x;
SELECT wa_plan($$SELECT count(*) FROM wa_scanned WHERE i4 > (SELECT avg(id) FROM wa_scanned)$$);
SELECT count(*) FROM wa_scanned WHERE i4 > (SELECT avg(id)::integer FROM wa_scanned);
SET warpagg.enable_scan = off;
SELECT count(*) FROM wa_scanned WHERE i4 > (SELECT avg(id)::integer FROM wa_scanned);
SET warpagg.enable_scan = on;

-- No worker to be had, although the plan has some.
SET max_parallel_workers = 0;
SELECT planned, launched, blocks, scanned, kept FROM wa_run('SELECT sum(i8) FROM wa_scanned');
SELECT wa_parallel_differences('SELECT grp, count(*), sum(i8) FROM wa_scanned GROUP BY grp');
RESET max_parallel_workers;

-- Control returns to the client with groups left.
SELECT grp, count(*) FROM wa_scanned GROUP BY grp HAVING grp = 3 LIMIT 1;
BEGIN;
DECLARE wa_cursor CURSOR FOR
SELECT count(*) > 0 FROM wa_scanned GROUP BY grp;
FETCH 2 FROM wa_cursor;
-- Not in parallel mode: this writes.
INSERT INTO wa_scanned (id, i4) VALUES (70000, 9);
FETCH 1 FROM wa_cursor;
-- The transaction's own rows are seen, and a savepoint's.
SELECT count(*), max(id) FROM wa_scanned;
SAVEPOINT s;
DELETE FROM wa_scanned WHERE id % 2 = 0;
SELECT count(*), max(id), sum(i4) FROM wa_scanned;
ROLLBACK TO s;
SELECT count(*), max(id), sum(i4) FROM wa_scanned;
SELECT sum(1 / (id - 45000)) FROM wa_scanned;
ROLLBACK;
SELECT count(*), max(id), sum(i4) FROM wa_scanned;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*), max(id), sum(i4) FROM wa_scanned;
COMMIT;

-- In a function that a parallel query calls, in workers and leader.
CREATE FUNCTION wa_inner(x integer) RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS
$$ BEGIN RETURN (SELECT sum(i4) FROM wa_scanned WHERE id % 1000 = x); END $$;
CREATE TABLE wa_outer AS SELECT i % 3 AS x FROM generate_series(1, 30) i;
ALTER TABLE wa_outer SET (parallel_workers = 2);
SET warpagg.enable_scan = on;
SELECT wa_plan($$SELECT * FROM wa_outer WHERE wa_inner(x) > 0$$);
SELECT x, count(*), min(wa_inner(x)), max(wa_inner(x)) FROM (SELECT x, wa_inner(x) FROM wa_outer OFFSET 0) s
GROUP BY x ORDER BY x;
SELECT x, (SELECT sum(i4) FROM wa_scanned WHERE id % 1000 = x) FROM generate_series(0, 2) x;

-- Beside a Gather of PostgreSQL's in one plan.
SELECT * FROM (SELECT sum(i4) FROM wa_scanned UNION ALL
               SELECT sum(length(t)) FROM wa_scanned WHERE t LIKE '%1%') s ORDER BY 1;

DROP TABLE wa_scanned, wa_outer;
DROP FUNCTION wa_unsafe, wa_run, wa_times, wa_parallel_differences, wa_inner;
