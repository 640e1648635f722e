--
-- Joins whose tables turn out to take more memory than was planned: PostgreSQL's own plan has
-- the rows then.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET warpagg.enable_resident = off;
SET max_parallel_workers_per_gather = 0;
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
\set VERBOSITY terse

CREATE TABLE memory_facts (id integer, k integer, p integer, s text COLLATE "C", m integer, v integer) WITH (autovacuum_enabled = off);
INSERT INTO memory_facts SELECT i, i % 25000, i % 11, 'key ' || i % 21000, i % 400, i % 1000 FROM generate_series(1, 30000) i;
-- Of most rows x is y, which statistics do not tell.
CREATE TABLE memory_wide (id integer PRIMARY KEY, s text COLLATE "C" UNIQUE, x integer, y integer, name text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO memory_wide SELECT i, 'key ' || i, i % 500, CASE WHEN i % 100 > 0 THEN i % 500 END, 'name ' || i % 20 FROM generate_series(0, 19999) i;
CREATE TABLE memory_small (id integer PRIMARY KEY, label text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO memory_small SELECT i, 'label ' || i % 3 FROM generate_series(0, 9) i;
-- Of the keys of these there seem to be few.
CREATE TABLE memory_many (k integer, z integer) WITH (autovacuum_enabled = off);
INSERT INTO memory_many SELECT i % 15000, i % 77 FROM generate_series(1, 30000) i;
ALTER TABLE memory_many ALTER k SET (n_distinct = 20);
CREATE TABLE memory_parts (id integer, k integer, v integer) PARTITION BY RANGE (id);
CREATE TABLE memory_part_1 PARTITION OF memory_parts FOR VALUES FROM (0) TO (10000) WITH (autovacuum_enabled = off);
CREATE TABLE memory_part_2 PARTITION OF memory_parts FOR VALUES FROM (10000) TO (20001) WITH (autovacuum_enabled = off);
INSERT INTO memory_parts SELECT i, i % 23000, i % 13 FROM generate_series(1, 20000) i;
ANALYZE memory_facts, memory_wide, memory_small, memory_many, memory_parts;

SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET warpagg.buffer_memory = '64kB';

-- Whether a query has the same rows as PostgreSQL's plan, and what EXPLAIN ANALYZE says of what
-- has joined them.
CREATE FUNCTION memory(query text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(wa_compare(query), ', (heap|partly)', '') || coalesce((SELECT string_agg(', ' || (j #>> '{}'), '')
        FROM (SELECT jsonb_path_query(string_agg(line, ' ')::jsonb, 'strict $.**."Joined By"') FROM wa_plan(query, 'ANALYZE, TIMING OFF, FORMAT JSON') line) p (j)), '')
$$;

-- What is shown.
SELECT wa_plan('SELECT w.name, count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1');
SELECT regexp_replace(line, ' \(actual.*|(Hash|Group)(?=Aggregate)', '', 'g') AS line
FROM wa_plan('SELECT w.name, count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line
WHERE line ~ '^(Custom|  ->|  Join)';
-- With more memory, or fewer rows.
SET warpagg.buffer_memory = '16MB';
SELECT memory('SELECT w.name, count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1');
SET warpagg.buffer_memory = '64kB';
SELECT memory('SELECT w.name, count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = 3 AND w.y = 3 GROUP BY 1');

-- Kinds of joins, of keys, and what groups have.
SELECT memory('SELECT count(*), sum(v), avg(w.x), gpu_sum(v), gpu_max(w.x) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y');
SELECT memory('SELECT w.name, gpu_sum(v), gpu_avg(w.x + v), gpu_count(*), min(w.s), stddev(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1 HAVING count(*) > 1000 AND gpu_sum(v) > 500000');
SELECT memory('SELECT w.x, l.label, sum(v) FILTER (WHERE w.x > 100), max(w.name || l.label) FROM memory_facts f JOIN memory_wide w ON w.s = f.s JOIN memory_small l ON l.id = f.p WHERE w.x = w.y GROUP BY 1, 2');
SELECT memory('SELECT w.name, count(*), count(w.id), sum(v) FROM memory_facts f LEFT JOIN memory_wide w ON w.id = f.k AND w.x = w.y GROUP BY 1');
SELECT memory('SELECT f.m, count(*), sum(v) FROM memory_facts f WHERE EXISTS (SELECT FROM memory_wide w WHERE w.id = f.k AND w.x = w.y) GROUP BY 1');
SELECT memory('SELECT f.m, count(*), sum(v) FROM memory_facts f WHERE NOT EXISTS (SELECT FROM memory_wide w WHERE w.id = f.k AND w.x = w.y) GROUP BY 1');
SELECT memory('SELECT f.m, count(*) FROM memory_facts f WHERE f.k IN (SELECT id FROM memory_wide w WHERE w.x = w.y) OR f.p = 3 GROUP BY 1');
SELECT memory('SELECT f.m, count(*) FROM memory_facts f WHERE f.k NOT IN (SELECT id FROM memory_wide w WHERE w.x = w.y) GROUP BY 1');
SELECT memory('SELECT l.label, max(w.name), count(*) FROM memory_facts f JOIN memory_wide w ON w.id = f.k LEFT JOIN memory_small l ON l.id = w.x WHERE w.x = w.y AND f.m < 300 GROUP BY 1');
SELECT memory('SELECT w.id, w.name, w.s, sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY w.id');
SELECT memory('SELECT w.name, date_trunc(''day'', now()) IS NULL, 7, sum(v) * 2 FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1, 2, 3');
SELECT memory('SELECT count(*) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y AND (SELECT count(*) FROM memory_small) > 20');
SELECT memory('SELECT count(*), max(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y AND v > (SELECT count(*) FROM memory_small)');
-- Tables with several rows for one are counted, in a subquery with a node of its own.
SELECT memory('SELECT f.m, count(*), sum(z), sum(v) FROM memory_facts f JOIN memory_many d ON d.k = f.k GROUP BY 1');
SELECT memory('SELECT f.m, n, count(*) FROM memory_facts f JOIN (SELECT k, count(*) AS n FROM memory_many GROUP BY k) q ON q.k = f.k GROUP BY 1, 2');
-- Order and limits.
SELECT wa_compare_order('SELECT w.name, sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3 OFFSET 2');
SELECT w.name, sum(v), row_number() OVER (ORDER BY sum(v)) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1 ORDER BY 2 LIMIT 3;
-- Partitions, of which one may be pruned.
SELECT memory('SELECT w.name, count(*), sum(v) FROM memory_parts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1');
SELECT memory('SELECT w.name, count(*), sum(v) FROM memory_parts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y AND f.id >= 10000 GROUP BY 1');
SET enable_partitionwise_aggregate = on;
SELECT memory('SELECT f.id % 3, count(*), sum(v) FROM memory_parts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1');
RESET enable_partitionwise_aggregate;
-- Stars that PostgreSQL has not looked for the best order of.
SET random_page_cost = 400;
SELECT memory('SELECT l.label, w.name, count(*) FROM memory_facts f JOIN memory_wide w ON w.id = f.k JOIN memory_small l ON l.id = f.p JOIN memory_small n ON n.id = f.m WHERE w.x = w.y GROUP BY 1, 2');
SET client_min_messages = debug2;
EXPLAIN SELECT l.label, w.name, count(*) FROM memory_facts f JOIN memory_wide w ON w.id = f.k JOIN memory_small l ON l.id = f.p JOIN memory_small n ON n.id = f.m WHERE w.x = w.y GROUP BY 1, 2 \g /dev/null
SET client_min_messages = error;
RESET random_page_cost;
-- Workers.
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT memory('SELECT w.name, count(*), sum(v), gpu_avg(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1');
SELECT memory('SELECT count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.s = f.s WHERE w.x = w.y');
SELECT memory('SELECT w.name, count(*), sum(v) FROM memory_parts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;

-- Runs again: in a subquery for each row of another table, with a join that depends on it, and
-- with one that does not.
SELECT memory('SELECT l.id, q.* FROM memory_small l, LATERAL (SELECT count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y AND f.p = l.id OFFSET 0) q');
SELECT memory('SELECT l.id, q.* FROM memory_small l, LATERAL (SELECT count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y + l.id OFFSET 0) q');
SELECT memory('SELECT l.id, (SELECT max(w.name) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y AND f.v > 10 * l.id) FROM memory_small l');
SELECT memory('SELECT l.id, q.* FROM memory_small l LEFT JOIN (SELECT w.x, count(*) AS n FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1 OFFSET 0) q ON q.n + l.id = 60');

-- Prepared statements, whose plans are kept.
SET plan_cache_mode = force_generic_plan;
PREPARE memory_prepared (integer) AS
SELECT w.name, count(*), sum(v) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x % $1 = w.y % $1 GROUP BY 1 ORDER BY 1 LIMIT 2;
SELECT wa_plan('EXECUTE memory_prepared (7)');
EXECUTE memory_prepared (7);
EXECUTE memory_prepared (11);
SET warpagg.buffer_memory = '16MB';
EXECUTE memory_prepared (7);
SET warpagg.buffer_memory = '64kB';
EXECUTE memory_prepared (7);
RESET plan_cache_mode;
-- Cursors, read in pieces, one beside another.
BEGIN;
DECLARE one SCROLL CURSOR FOR SELECT w.x, count(*) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y AND w.x < 20 GROUP BY 1 ORDER BY 1;
DECLARE other CURSOR WITH HOLD FOR SELECT w.name, count(*) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1 ORDER BY 2, 1;
FETCH 3 FROM one;
FETCH 2 FROM other;
FETCH 2 FROM one;
FETCH BACKWARD 2 FROM one;
MOVE ABSOLUTE 0 IN one;
FETCH 1 FROM one;
COMMIT;
FETCH 2 FROM other;
CLOSE other;
-- Rows that change while they are read, in a function, and with an error in the middle.
CREATE TABLE memory_result AS SELECT w.name, count(*) AS n FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1;
UPDATE memory_result r SET n = r.n - q.n FROM (SELECT w.name, count(*) AS n FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1) q WHERE q.name = r.name;
SELECT count(*), sum(n) FROM memory_result;
SELECT wa_compare('SELECT w.name, sum(1000 / (v - 999 + w.x * 0)) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1');
SELECT wa_compare('SELECT w.name, count(*) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y AND 100 / (w.id - 150) < 200 GROUP BY 1');

-- What is not planned twice is read again: subqueries, with initial plans, queries of WITH, or
-- partitions, and joins of them; also for each row of another table.
\set subquery '(SELECT k, count(*) AS n FROM memory_many WHERE z >= (SELECT min(id) FROM memory_small) GROUP BY k OFFSET 0)'
SELECT memory('SELECT f.m, sum(n) FROM memory_facts f JOIN ' || :'subquery' || ' q ON q.k = f.k GROUP BY 1');
SELECT memory('SELECT f.m, sum(n) FROM memory_facts f JOIN (WITH few AS MATERIALIZED (SELECT 1 AS x) SELECT k, count(*) AS n FROM memory_many, few GROUP BY k OFFSET 0) q ON q.k = f.k GROUP BY 1');
SELECT memory('SELECT f.m, sum(n) FROM memory_facts f LEFT JOIN (SELECT DISTINCT ON (k) k, z AS n FROM memory_many ORDER BY k, z) q ON q.k = f.k GROUP BY 1');
ALTER TABLE memory_parts ALTER k SET (n_distinct_inherited = 20);
ANALYZE memory_parts;
SELECT memory('SELECT f.m, sum(n) FROM memory_facts f JOIN (SELECT k, count(*) AS n FROM memory_parts GROUP BY k OFFSET 0) q ON q.k = f.k GROUP BY 1');
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT memory('SELECT f.m, sum(n) FROM memory_facts f JOIN (SELECT k, count(*) AS n FROM memory_parts GROUP BY k OFFSET 0) q ON q.k = f.k GROUP BY 1');
SET enable_mergejoin = off;
SET enable_nestloop = on;
SELECT memory('SELECT f.m, sum(n) FROM memory_facts f JOIN (SELECT k, count(*) AS n FROM memory_parts GROUP BY k OFFSET 0) q ON q.k = f.k WHERE f.id < 40 GROUP BY 1');
RESET enable_hashjoin;
RESET enable_mergejoin;
SELECT memory('SELECT f.m, count(*) FROM memory_facts f WHERE EXISTS (SELECT FROM (SELECT k, count(*) AS n FROM memory_parts GROUP BY k OFFSET 0) q JOIN memory_small l ON l.id = q.n WHERE q.k = f.k) GROUP BY 1');
SELECT memory('SELECT l.id, q.* FROM memory_small l, LATERAL (SELECT f.m, sum(n) AS c FROM memory_facts f JOIN (SELECT k, count(*) AS n FROM memory_many WHERE z > l.id GROUP BY k OFFSET 0) q ON q.k = f.k GROUP BY 1 OFFSET 0) q WHERE l.id < 4');
SELECT memory('SELECT l.id, q.* FROM memory_small l, LATERAL (SELECT f.m, sum(n) AS c FROM memory_facts f JOIN (SELECT k, count(*) AS n FROM memory_many GROUP BY k OFFSET 0) q ON q.k = f.k WHERE f.v > 300 * l.id GROUP BY 1 OFFSET 0) q WHERE l.id < 4');
-- WITH of the query itself is no obstacle, nor is a function.
SELECT memory('WITH wide AS MATERIALIZED (SELECT * FROM memory_wide WHERE x = y), keys AS (SELECT DISTINCT id FROM wide) SELECT f.m, count(*) FROM memory_facts f JOIN keys w ON w.id = f.k GROUP BY 1');
SELECT memory('SELECT f.m, count(*) FROM memory_facts f JOIN (SELECT DISTINCT x FROM generate_series(1, 20000) x WHERE x % 1 = 0) w ON w.x = f.k GROUP BY 1');


-- Tables that another session has made, and the device process keeps.
SET warpagg.enable_resident = on;
VACUUM (FREEZE) memory_facts;
VACUUM (FREEZE) memory_wide;
SELECT warpagg_load('memory_facts') AS facts, warpagg_load('memory_wide') AS wide;
RESET work_mem;
RESET warpagg.buffer_memory;
\set query 'SELECT w.name, count(*), sum(v), sum(w.x), max(w.y) FROM memory_facts f JOIN memory_wide w ON w.id = f.k WHERE w.x = w.y GROUP BY 1'
SELECT wa_compare(:'query'), wa_compare(:'query') AS again;
\c
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
SET cpu_tuple_cost = 1;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET warpagg.buffer_memory = '64kB';
SELECT line FROM wa_plan(:'query', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ '(Reused|Joined By)';
SELECT memory(:'query');
-- Rows that are not resident need them here.
BEGIN;
INSERT INTO memory_facts SELECT i, i, i, 'new', i, i FROM generate_series(1, 3) i;
SELECT memory(:'query');
ROLLBACK;

DROP TABLE memory_facts, memory_wide, memory_small, memory_many, memory_parts, memory_result;
DROP FUNCTION memory;
