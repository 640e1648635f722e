--
-- What is promised where PostgreSQL's own plans differ from each other: which error is
-- raised, whether one is raised for a group that LIMIT leaves out, and how a group's key
-- looks if equal values look different.  The node gives what one of these plans gives.
--
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64kB';

CREATE TABLE wa_promise (id integer, k integer, n numeric) WITH (autovacuum_enabled = off);
INSERT INTO wa_promise SELECT i, i % 20000, (i * 37 % 10000)::numeric / 100 FROM generate_series(1, 60000) i;
VACUUM ANALYZE wa_promise;

-- Returns the first rows of a query, in their order, or its error.
CREATE FUNCTION wa_promise_answer(query text, scan text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    row record;
    rows text[];
BEGIN
    PERFORM set_config('warpagg.enable_scan', scan, true);
    FOR row IN EXECUTE query LOOP
        IF coalesce(cardinality(rows), 0) < 10 THEN
            rows := rows || row::text;
        END IF;
    END LOOP;
    RETURN rows::text;
EXCEPTION WHEN OTHERS THEN
    RETURN 'error: ' || SQLERRM;
END
$$;
-- Tells whether the node's answer is among those of PostgreSQL's plans, by hash tables and
-- by sorting, and how many different ones these give.
CREATE FUNCTION wa_promise_kept(query text) RETURNS TABLE (has_node boolean, is_kept boolean, answers bigint) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    theirs text[];
    setting record;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    FOR setting IN SELECT hash, sort, step FROM unnest('{on,off}'::text[]) hash, unnest('{on,off}'::text[]) sort, unnest('{on,off}'::text[]) step LOOP
        PERFORM set_config('enable_hashagg', setting.hash, true), set_config('enable_sort', setting.sort, true),
            set_config('enable_incremental_sort', setting.step, true);
        theirs := theirs || wa_promise_answer(query, 'off');
    END LOOP;
    PERFORM set_config(name, 'on', true) FROM unnest('{enable_hashagg,enable_sort,enable_incremental_sort}'::text[]) name;
    RETURN QUERY SELECT plan::text LIKE '%WarpAgg%', wa_promise_answer(query, 'on') = ANY (theirs), count(DISTINCT a) FROM unnest(theirs) a;
END
$$;

-- An error of a group that is not among the first ones.
SELECT x.*, q FROM unnest(ARRAY[
    'SELECT id, sum(1 / (id - 50000)) AS s FROM wa_promise GROUP BY id ORDER BY id, s LIMIT 3',
    'SELECT id, sum(1 / (id - 50000)) AS s FROM wa_promise GROUP BY id ORDER BY id LIMIT 3'
]) q, wa_promise_kept(q) x;
-- Two errors, of WHERE and of an aggregate's argument.
SELECT x.*, q FROM unnest(ARRAY[
    'SELECT k, sum(1 / (id - 16)) FROM wa_promise WHERE id * 100000 > 0 GROUP BY k',
    'SELECT k / (id - 59000), sum(id * 100000) FROM wa_promise WHERE id > 0 GROUP BY 1',
    'SELECT sum(1 / (id - 16)) FROM wa_promise WHERE id * 100000 > 0']) q, wa_promise_kept(q) x;
-- There is an error if PostgreSQL has one whatever its plan, and none if no row that counts has.
SELECT x.*, q FROM unnest(ARRAY[
    'SELECT k, sum(1 / (id - 16)) FROM wa_promise GROUP BY k',
    'SELECT k, sum(1 / (id - 16)) FROM wa_promise WHERE id <> 16 GROUP BY k ORDER BY k LIMIT 5',
    'SELECT k, sum(1 / (id - 16)) FILTER (WHERE id > 16) FROM wa_promise GROUP BY k ORDER BY k LIMIT 5',
    'SELECT k, sum(CASE WHEN id <> 16 THEN 1 / (id - 16) END) FROM wa_promise GROUP BY k ORDER BY k LIMIT 5'
]) q, wa_promise_kept(q) x;

-- Equal keys: PostgreSQL shows another one by sorting than by hashing.
SET warpagg.enable_scan = off;
SELECT n % 7 AS key, count(*) FROM wa_promise WHERE n % 7 IN (0.13, 0.37) GROUP BY 1 ORDER BY 1;
SET enable_hashagg = off;
SELECT n % 7 AS key, count(*) FROM wa_promise WHERE n % 7 IN (0.13, 0.37) GROUP BY 1 ORDER BY 1;
CREATE TEMPORARY TABLE wa_promise_theirs AS SELECT n % 7 AS key, count(*) AS rows FROM wa_promise GROUP BY 1;
RESET enable_hashagg;
SET warpagg.enable_scan = on;
EXPLAIN (COSTS OFF) SELECT n % 7 AS key, count(*) AS rows FROM wa_promise GROUP BY 1;
CREATE TEMPORARY TABLE wa_promise_ours AS SELECT n % 7 AS key, count(*) AS rows FROM wa_promise GROUP BY 1;
-- Our groups are PostgreSQL's, and each key looks like one of the rows'.
SELECT count(*) > 100 AS many, count(*) FILTER (WHERE o.rows IS DISTINCT FROM t.rows) AS different
    FROM wa_promise_ours o FULL JOIN wa_promise_theirs t USING (key);
SELECT key FROM wa_promise_ours WHERE key::text NOT IN (SELECT (n % 7)::text FROM wa_promise);

DROP TABLE wa_promise;
DROP FUNCTION wa_promise_answer, wa_promise_kept;
