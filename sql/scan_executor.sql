-- The scan tier: the node beside other nodes of the executor, and under the rules
-- that hold for those that it replaces.
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
CREATE TABLE exec_rows WITH (autovacuum_enabled = off)
    AS SELECT i AS id, i % 10 AS k, i AS v FROM generate_series(1, 20000) i;
VACUUM ANALYZE exec_rows;

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
SELECT wa_plan($$SELECT k, count(*) FROM exec_rows GROUP BY k$$);
SELECT k, count(*) FROM exec_rows GROUP BY k;
ROLLBACK;
DROP OWNED BY exec_user;
DROP ROLE exec_user;

-- Who wants no sequential scans gets no node where there is another way.
SELECT sum(v) FROM exec_rows WHERE id < 15000;
CREATE INDEX exec_ids ON exec_rows (id);
SET enable_seqscan = off;
SET max_parallel_workers_per_gather = 0;
SELECT wa_plan($$SELECT sum(v) FROM exec_rows WHERE id < 15000$$);
RESET enable_seqscan;
SELECT wa_plan($$SELECT sum(v) FROM exec_rows WHERE id < 15000$$);
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
SELECT wa_plan($$SELECT sum(id::float8) FROM exec_many
WHERE k NOT IN (SELECT k FROM exec_rows WHERE v > 5 GROUP BY k HAVING sum(v) > 19990000)$$);
SELECT wa_plan($$SELECT k, count(*) FROM exec_rows GROUP BY k
UNION ALL SELECT k + 100, sum(v) FROM exec_rows GROUP BY k$$);
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
    ('SELECT sum(id) FROM exec_many WHERE k + 0 NOT IN (SELECT k FROM exec_rows WHERE v > 5 GROUP BY k HAVING sum(v) > 19990000) AND id::text <> ''0'''),
    ('SELECT sum(id) FROM exec_many WHERE k + 0 NOT IN (SELECT k + 9 FROM exec_rows GROUP BY k ORDER BY count(*) DESC, k LIMIT 4) AND id::text <> ''0'''),
    ('SELECT sum(id) FROM exec_many WHERE k + 0 NOT IN (SELECT max(v) % 10 FROM exec_rows WHERE now() > ''2020-01-01'' GROUP BY v / 3000) AND id::text <> ''0'''),
    ('SELECT k, count(*) FROM exec_rows GROUP BY k UNION ALL SELECT k + 100, sum(v) FROM exec_rows GROUP BY k'),
    ('SELECT gpu_sum(v) FILTER (WHERE k > 2), gpu_avg(v), k FROM exec_rows GROUP BY k UNION ALL SELECT sum(v), avg(v), k / 2 FROM exec_rows WHERE k < 7 GROUP BY 3'),
    ('SELECT count(*) FROM exec_many m JOIN (SELECT k, count(*) AS n, min(v) AS v FROM exec_rows GROUP BY k) r ON r.k + 0 = m.k + 0 AND m.id > r.v')
) AS queries (query);
-- EXPLAIN ANALYZE counts what workers did, as often as they did it: exec_counts returns
-- the sums over the nodes of a plan.
CREATE FUNCTION exec_counts(query text) RETURNS TABLE (item text, total numeric) LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, FORMAT json) ' || query INTO plan;
    RETURN QUERY SELECT key, sum(value::numeric) FROM jsonb_path_query(plan, '$.**?(@."Custom Plan Provider" == "WarpAgg")') node, jsonb_each_text(node)
        WHERE key IN ('Blocks Read', 'Rows Scanned', 'Rows Kept', 'Rows Computed Singly', 'Groups Compared', 'Batches', 'Memory Usage', 'Disk Usage', 'Rows Spilled', 'Resident Rows') GROUP BY key;
END
$$;
-- Returns a line for each query of which workers count something else, than one process
-- does: what they compute so many times, where they do it all.  The memory of what is
-- spilled may be another one from 18 on, within a factor of two.
CREATE FUNCTION exec_count_differences(query text, runs integer DEFAULT 1, repeated text DEFAULT NULL) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    serial jsonb;
    workers jsonb;
    memory numeric;
    has_gather boolean := false;
    line text;
BEGIN
    FOREACH line IN ARRAY CASE WHEN runs = 1 THEN '{on,off}' ELSE '{off}' END::text[] LOOP
        PERFORM set_config('parallel_leader_participation', line, true);
        FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || COALESCE(repeated, query) LOOP
            has_gather := has_gather OR line LIKE '%Gather%';
        END LOOP;
        SELECT jsonb_object_agg(item, total) INTO workers FROM exec_counts(COALESCE(repeated, query));
        SET LOCAL max_parallel_workers_per_gather = 0;
        PERFORM set_config(wa_parallel_mode(), 'off', true);
        SELECT jsonb_object_agg(item, total * CASE WHEN item ~ '^(Rows|Blocks|Groups)' THEN runs ELSE 1 END) INTO serial FROM exec_counts(query);
        SET LOCAL max_parallel_workers_per_gather = 2;
        PERFORM set_config(wa_parallel_mode(), 'on', true);
        memory := (workers->>'Memory Usage')::numeric / (serial->>'Memory Usage')::numeric;
        IF (serial->>'Disk Usage')::numeric > 0 AND memory BETWEEN 0.5 AND 2 THEN
            workers := workers || jsonb_build_object('Memory Usage', serial->'Memory Usage');
        END IF;
        IF NOT has_gather OR serial IS NULL OR serial <> workers THEN
            RETURN NEXT format('%s: %s instead of %s', query, workers, serial);
        END IF;
    END LOOP;
END
$$;
SET max_parallel_workers_per_gather = 2;
SELECT wa_parallel_mode() AS parallel_mode \gset
SET :parallel_mode = on;
SELECT exec_count_differences(query) FROM (VALUES
    ('SELECT k, count(*) FROM exec_rows GROUP BY k UNION ALL SELECT k + 100, sum(v) FROM exec_rows WHERE v < 5000 GROUP BY k'),
    ('SELECT k, count(*) FROM exec_rows GROUP BY k UNION ALL SELECT k, sum(v / k) FROM exec_rows WHERE k > 0 AND 10 % (v % 7 + 1) < 3 GROUP BY k UNION ALL SELECT k, sum(length(v::text || k)) FROM exec_rows GROUP BY k'),
    ('SELECT k, sum(v::numeric * 1e35 * v) FROM exec_rows GROUP BY k UNION ALL SELECT k, count(*) FROM exec_rows GROUP BY k'),
    ('SELECT v % 3000, count(*), sum(1 / (v + k)) FROM exec_rows WHERE k = 0 OR 10 / k > 1 GROUP BY 1 ORDER BY 2, 1 LIMIT 3')
) AS queries (query);
-- The Gather above is run again; and left before its end.
SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT exec_count_differences('SELECT k, count(*) AS c FROM exec_rows GROUP BY k UNION ALL SELECT k, sum(v) FROM exec_rows WHERE v < 5000 GROUP BY k', 3,
    format('SELECT * FROM (VALUES (1), (2), (3)) v (x) LEFT JOIN (SELECT k, count(*) AS c FROM exec_rows GROUP BY k UNION ALL SELECT k, sum(v) FROM exec_rows WHERE v < 5000 GROUP BY k %s) q ON c > x', rest))
FROM (VALUES (''), ('LIMIT 11'), ('OFFSET 3')) AS rests (rest);
-- Groups that are spilled, in each of the runs.
SET warpagg.debug_spill_groups = 1000;
SELECT item FROM exec_counts('SELECT v, count(*), sum(v::numeric * 1e35 * v) FROM exec_rows GROUP BY v UNION ALL SELECT k, sum(v), 1 FROM exec_rows WHERE v < 5000 GROUP BY k') WHERE total > 0 ORDER BY item;
SELECT exec_count_differences(query), exec_count_differences(query, 3, format('SELECT * FROM (VALUES (1), (2), (3)) v (x) LEFT JOIN (%s) q ON v > x', query)) FROM (VALUES
    ('SELECT v, count(*) FROM exec_rows GROUP BY v UNION ALL SELECT k, sum(v) FROM exec_rows WHERE v < 5000 GROUP BY k')
) AS queries (query);
RESET :parallel_mode;
RESET max_parallel_workers_per_gather;
RESET warpagg.debug_spill_groups;
-- A scan that is run again counts all runs, without workers too.
SELECT item, total FROM exec_counts('SELECT x, s FROM (VALUES (10), (5000), (19000), (10)) AS v (x), LATERAL (SELECT sum(v / (k + 1)) AS s FROM exec_rows WHERE v <= x) q')
    WHERE item LIKE 'Rows%' ORDER BY item;
RESET enable_material;
RESET enable_hashjoin;
RESET enable_mergejoin;
-- In every format, times too; nothing else has become a node of the plan.
SET parallel_leader_participation = off;
SELECT wa_plan($$SELECT k, count(*) FROM exec_rows GROUP BY k UNION ALL SELECT k, sum(v) FROM exec_rows GROUP BY k$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF');
CREATE FUNCTION exec_numbers(format text, label text) RETURNS TABLE (number numeric) LANGUAGE plpgsql AS $$
DECLARE
    plan text := '';
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (ANALYZE, FORMAT %s) SELECT k, count(*) FROM exec_rows GROUP BY k UNION ALL SELECT k, sum(v) FROM exec_rows GROUP BY k', format) LOOP
        plan := plan || line;
    END LOOP;
    RETURN QUERY SELECT m[1]::numeric FROM regexp_matches(plan, replace(label, ' ', '[ -]') || '"?[:>] ?([0-9.]+)', 'g') m;
END
$$;
SELECT f, array_agg(n.number) AS scanned, (SELECT bool_and(t.number > 0) FROM exec_numbers(f, 'Heap Reading Time') t) AS reading, (SELECT count(*) FROM exec_numbers(f, 'Device Time') t WHERE t.number > 0) AS device
FROM unnest(ARRAY['text', 'json', 'yaml', 'xml']) f, exec_numbers(f, 'Rows Scanned') n GROUP BY f ORDER BY f;
RESET parallel_leader_participation;
DROP FUNCTION exec_counts(text), exec_count_differences(text, integer, text), exec_numbers(text, text);
-- All of it, with parameters, and groups beyond the memory.
SET :parallel_mode = on;
SET plan_cache_mode = force_generic_plan;
PREPARE exec_first(integer, bigint) AS
    SELECT id % 10000 AS k, sum(v + $1), count(*) FROM exec_rows WHERE v > $1 GROUP BY 1 HAVING sum(v) > $1 ORDER BY 2 DESC LIMIT $2;
SELECT wa_plan($$EXECUTE exec_first(5, 3)$$);
EXECUTE exec_first(5, 3);
SET work_mem = '64kB';
SELECT exec_differences('SELECT id % 15000 AS k, sum(v), max(v), count(*) FROM exec_rows GROUP BY 1');
-- An error in a worker is that of the query.
SELECT sum(1 / (v - 777)) FROM exec_rows;
RESET :parallel_mode;
DROP FUNCTION exec_differences;
DROP TABLE exec_rows, exec_many;

-- Aggregates of others that are made of what has the names of ours, or that count
-- from another number, are not taken for ours.
CREATE TABLE exec_forged AS SELECT x::bigint AS x FROM generate_series(1, 1000) x;
ANALYZE exec_forged;
SET check_function_bodies = off;
CREATE FUNCTION exec_transition(bigint, bigint) RETURNS bigint
    LANGUAGE sql AS 'warpagg_transition';
CREATE FUNCTION exec_final(bigint) RETURNS text LANGUAGE sql AS 'warpagg_max_final';
CREATE AGGREGATE exec_max(bigint) (SFUNC = exec_transition, STYPE = bigint, FINALFUNC = exec_final);
CREATE AGGREGATE exec_count(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = '5');
RESET check_function_bodies;
SELECT wa_plan($$SELECT exec_max(x) FROM exec_forged$$);
SELECT length(exec_max(x)) FROM exec_forged;
SELECT exec_count(*) FROM exec_forged;
DROP TABLE exec_forged;
DROP AGGREGATE exec_max(bigint), exec_count(*);
DROP FUNCTION exec_transition, exec_final;
