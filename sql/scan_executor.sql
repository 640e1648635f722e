-- The scan tier: the node beside other nodes of the executor, and under the rules
-- that hold for those that it replaces.
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
CREATE TABLE exec_rows WITH (autovacuum_enabled = off)
    AS SELECT i AS id, i % 10 AS k, i AS v FROM generate_series(1, 20000) i;
ANALYZE exec_rows;

-- A cursor over groups stands on no row of the table.
BEGIN;
DECLARE exec_sums CURSOR FOR SELECT sum(v) FROM exec_rows;
FETCH exec_sums;
SAVEPOINT before;
UPDATE exec_rows SET v = 0 WHERE CURRENT OF exec_sums;
ROLLBACK TO before;
DELETE FROM exec_rows WHERE CURRENT OF exec_sums;
ROLLBACK;

-- Without privileges for what compares keys there are no groups.
CREATE ROLE exec_user;
GRANT SELECT ON exec_rows TO exec_user;
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4eq(integer, integer) FROM PUBLIC;
SET LOCAL ROLE exec_user;
SELECT sum(v) FROM exec_rows;
EXPLAIN (COSTS OFF) SELECT k, count(*) FROM exec_rows GROUP BY k;
SELECT k, count(*) FROM exec_rows GROUP BY k;
ROLLBACK;
DROP OWNED BY exec_user;
DROP ROLE exec_user;

-- Who wants no sequential scans gets no node where there is another way.
SELECT sum(v) FROM exec_rows WHERE id < 15000;
CREATE INDEX exec_ids ON exec_rows (id);
SET enable_seqscan = off;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT sum(v) FROM exec_rows WHERE id < 15000;
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT sum(v) FROM exec_rows WHERE id < 15000;
RESET max_parallel_workers_per_gather;
DROP INDEX exec_ids;

-- A node that has no workers is computed by those of the nodes above.
CREATE TABLE exec_many WITH (autovacuum_enabled = off, parallel_workers = 2)
    AS SELECT i AS id, i % 25 AS k FROM generate_series(1, 50000) i;
ANALYZE exec_many;
ALTER TABLE exec_rows SET (parallel_workers = 0);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF)
SELECT sum(id::float8) FROM exec_many
WHERE k NOT IN (SELECT k FROM exec_rows WHERE v > 5 GROUP BY k HAVING sum(v) > 19990000);
EXPLAIN (COSTS OFF)
SELECT k, count(*) FROM exec_rows GROUP BY k
UNION ALL SELECT k + 100, sum(v) FROM exec_rows GROUP BY k;
-- Returns a line for each query whose result the node changes.
CREATE FUNCTION exec_differences(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    "with" text;
    without text;
    line text;
    is_in_worker boolean := false;
    has_node boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        is_in_worker := is_in_worker OR line LIKE '%Gather%';
        has_node := has_node OR (is_in_worker AND line LIKE '%WarpAgg%');
    END LOOP;
    IF NOT has_node THEN
        RETURN NEXT 'no node in workers: ' || query;
    END IF;
    query := format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query);
    EXECUTE query INTO "with";
    SET LOCAL warpagg.enable_scan = off;
    EXECUTE query INTO without;
    SET LOCAL warpagg.enable_scan = on;
    IF "with" IS DISTINCT FROM without OR "with" IS NULL THEN
        RETURN NEXT format('%s: %s instead of %s', query, "with", without);
    END IF;
END
$$;
SELECT exec_differences(query) FROM (VALUES
    ('SELECT sum(id) FROM exec_many WHERE k NOT IN (SELECT k FROM exec_rows WHERE v > 5 GROUP BY k HAVING sum(v) > 19990000) AND id::text <> ''0'''),
    ('SELECT sum(id) FROM exec_many WHERE k NOT IN (SELECT k + 9 FROM exec_rows GROUP BY k ORDER BY count(*) DESC, k LIMIT 4) AND id::text <> ''0'''),
    ('SELECT sum(id) FROM exec_many WHERE k NOT IN (SELECT max(v) % 10 FROM exec_rows WHERE now() > ''2020-01-01'' GROUP BY v / 3000) AND id::text <> ''0'''),
    ('SELECT k, count(*) FROM exec_rows GROUP BY k UNION ALL SELECT k + 100, sum(v) FROM exec_rows GROUP BY k'),
    ('SELECT gpu_sum(v) FILTER (WHERE k > 2), gpu_avg(v), k FROM exec_rows GROUP BY k UNION ALL SELECT sum(v), avg(v), k / 2 FROM exec_rows WHERE k < 7 GROUP BY 3'),
    ('SELECT count(*) FROM exec_many m JOIN (SELECT k, count(*) AS n, min(v) AS v FROM exec_rows GROUP BY k) r ON r.k = m.k AND m.id > r.v')
) AS queries (query);
-- All of it, with parameters, and groups beyond the memory.
SET force_parallel_mode = on;
SET plan_cache_mode = force_generic_plan;
PREPARE exec_first(integer, bigint) AS
    SELECT id % 10000 AS k, sum(v + $1), count(*) FROM exec_rows WHERE v > $1 GROUP BY 1 HAVING sum(v) > $1 ORDER BY 2 DESC LIMIT $2;
EXPLAIN (COSTS OFF) EXECUTE exec_first(5, 3);
EXECUTE exec_first(5, 3);
SET work_mem = '64kB';
SELECT exec_differences('SELECT id % 15000 AS k, sum(v), max(v), count(*) FROM exec_rows GROUP BY 1');
-- An error in a worker is that of the query.
SELECT sum(1 / (v - 777)) FROM exec_rows;
RESET force_parallel_mode;
DROP FUNCTION exec_differences;
DROP TABLE exec_rows, exec_many;
