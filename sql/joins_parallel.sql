--
-- Joins with the scan tier's own workers: these get the tables of the rows that are joined.
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
-- PostgreSQL's own joins, and what it has by an index, are not what is tested.
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_nestloop = off;

CREATE TABLE wa_sale AS
SELECT i AS id, CASE WHEN i % 19 <> 0 THEN i % 613 END AS item, i % 11 AS place,
       (i % 997) * 1000000000000 AS code, i % 50 AS day,
       CASE WHEN i % 13 <> 0 THEN (i % 1000)::numeric / 8 END AS amount, 'note ' || i % 5 AS note
FROM generate_series(1, 60000) i;
-- Prices of several scales, some of which no table can hold.
CREATE TABLE wa_item AS
SELECT i AS id, CASE WHEN i % 9 <> 0 THEN 'item ' || i % 40 END AS name, i % 7 AS sort,
       CASE WHEN i % 3 = 0 THEN 1.5 WHEN i % 3 = 1 THEN i::numeric / 8 WHEN i % 17 <> 0 THEN 'NaN' END AS price,
       (i % 100)::numeric(10, 2) AS weight, i % 4 = 1 AS is_new, date '2001-01-01' + i % 30 AS since,
       i * 0.5::float8 AS size, (i % 20)::text::char(6) AS tag
FROM generate_series(1, 600) i;
ALTER TABLE wa_item ADD PRIMARY KEY (id);
CREATE TABLE wa_sort AS SELECT i AS id, 'sort ' || i AS name FROM generate_series(0, 5) i;
ALTER TABLE wa_sort ADD PRIMARY KEY (id);
-- Keys that lie far apart, so that rows are computed singly.
CREATE TABLE wa_code AS
SELECT i * 1000000000000 AS id, 'code ' || i % 30 AS name, i AS number FROM generate_series(1, 800) i;
ALTER TABLE wa_code ADD PRIMARY KEY (id);
CREATE TABLE wa_place AS SELECT i AS id, i % 3 AS region FROM generate_series(0, 8) i;
ALTER TABLE wa_place ADD PRIMARY KEY (id);
CREATE TABLE wa_both AS SELECT 'note ' || i % 5 AS note, i % 11 AS place, i AS number FROM generate_series(0, 48) i;
ALTER TABLE wa_both ADD PRIMARY KEY (note, place);
CREATE TABLE wa_empty (id integer PRIMARY KEY, name text, price numeric);
ANALYZE wa_sale, wa_item, wa_sort, wa_code, wa_place, wa_both, wa_empty;

-- How many workers a query has, and how many rows have been joined, by EXPLAIN (ANALYZE).
CREATE FUNCTION wa_workers(query text, OUT planned integer, OUT launched integer, OUT scanned bigint,
                           OUT kept bigint)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || query INTO plan;
    plan := plan -> 0 -> 'Plan';
    planned := plan ->> 'Workers Planned';
    launched := plan ->> 'Workers Launched';
    scanned := plan ->> 'Rows Scanned';
    kept := plan ->> 'Rows Kept';
END
$$;
-- Beside workers of PostgreSQL's that read what is joined, and without.
SELECT * FROM wa_workers('SELECT name, count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id GROUP BY name');
SELECT count(*) FROM wa_sale s WHERE EXISTS (SELECT FROM wa_item i WHERE s.item = i.id);
ALTER TABLE wa_item SET (parallel_workers = 0);
SELECT * FROM wa_workers('SELECT name, count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id GROUP BY name');
SELECT wa_plan('SELECT name, count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id GROUP BY name');
ALTER TABLE wa_item RESET (parallel_workers);

-- Workers do take part: the leader is too slow for all rows.
SELECT set_config('wa.leader', pg_backend_pid()::text, false) IS NOT NULL AS has_leader;
CREATE FUNCTION wa_process(id integer, name text) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS
$$
BEGIN
    IF pg_backend_pid()::text <> current_setting('wa.leader') THEN
        RETURN true;
    END IF;
    IF id % 100 = 0 THEN
        PERFORM pg_sleep(0.02);
    END IF;
    RETURN false;
END
$$;
SELECT count(*), sum(CASE WHEN wa_process(s.id, i.name) THEN 1 ELSE 0 END) > 0 AS workers
FROM wa_sale s JOIN wa_item i ON s.item = i.id;
SELECT count(*), sum(CASE WHEN wa_process(s.id, c.name) THEN 1 ELSE 0 END) > 0 AS workers
FROM wa_sale s JOIN wa_code c ON s.code = c.id;

-- Runs a query with workers, without, and without the node, and returns the rows by which
-- results differ.
CREATE FUNCTION wa_join_differences(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    parallel text[];
    serial text[];
    other text[];
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    plan := plan -> 0 -> 'Plan';
    IF plan ->> 'Custom Plan Provider' IS DISTINCT FROM 'WarpAgg' OR plan -> 'Workers Planned' IS NULL THEN
        RETURN NEXT 'no workers of ours: ' || query;
    END IF;
    EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) q', query) INTO parallel;
    PERFORM set_config('max_parallel_workers_per_gather', '0', true);
    EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) q', query) INTO serial;
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) q', query) INTO other;
    PERFORM set_config('warpagg.enable_scan', 'on', true), set_config('max_parallel_workers_per_gather', '2', true);
    IF cardinality(serial) IS NULL THEN
        RETURN NEXT 'it has no rows: ' || query;
    END IF;
    RETURN QUERY (SELECT 'PostgreSQL ' || unnest(other) EXCEPT ALL SELECT 'PostgreSQL ' || unnest(parallel))
        UNION ALL (SELECT 'parallel ' || unnest(parallel) EXCEPT ALL SELECT 'parallel ' || unnest(other))
        UNION ALL (SELECT 'serial ' || unnest(serial) EXCEPT ALL SELECT 'serial ' || unnest(other));
END
$$;

SELECT wa_join_differences(query) FROM (VALUES
    ('SELECT count(*), sum(amount), min(name), max(name), sum(price), max(weight) FROM wa_sale s JOIN wa_item i ON s.item = i.id'),
    ('SELECT name, count(*), sum(amount) FROM wa_sale s JOIN wa_item i ON s.item = i.id GROUP BY name'),
    ('SELECT price, count(*), sum(weight) FROM wa_sale s JOIN wa_item i ON s.item = i.id WHERE price > 1.4 GROUP BY price'),
    ('SELECT is_new, since, tag, count(*), sum(size::numeric), sum(amount * weight) FROM wa_sale s JOIN wa_item i ON s.item = i.id GROUP BY is_new, since, tag'),
    ('SELECT o.name, i.name, sum(price), count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id JOIN wa_sort o ON i.sort = o.id GROUP BY 1, 2'),
    ('SELECT o.name, i.name, count(*), count(price) FROM wa_sale s LEFT JOIN wa_item i ON s.item = i.id LEFT JOIN wa_sort o ON i.sort = o.id GROUP BY 1, 2'),
    ('SELECT i.name, count(*), sum(weight) FROM wa_sale s LEFT JOIN wa_item i ON s.item = i.id GROUP BY 1'),
    ('SELECT day, count(*) FROM wa_sale s WHERE EXISTS (SELECT FROM wa_item i WHERE s.item = i.id AND i.is_new) GROUP BY day'),
    ('SELECT day, count(*), sum(amount) FROM wa_sale s WHERE NOT EXISTS (SELECT FROM wa_item i WHERE s.item = i.id AND i.is_new) GROUP BY day'),
    ('SELECT c.name, count(*), sum(c.number), sum(amount) FROM wa_sale s JOIN wa_code c ON s.code = c.id GROUP BY 1'),
    ('SELECT c.name, i.name, count(*) FROM wa_sale s JOIN wa_code c ON s.code = c.id LEFT JOIN wa_item i ON s.item = i.id GROUP BY 1, 2'),
    ('SELECT region, i.name, count(*), sum(price) FROM wa_sale s JOIN wa_place p ON s.place = p.id JOIN wa_item i ON s.item = i.id WHERE s.day < p.region * 20 AND note <> ''note 3'' GROUP BY 1, 2'),
    ('SELECT upper(i.name) || s.note, max(i.name || note) FROM wa_sale s JOIN wa_item i ON s.item = i.id WHERE length(i.name) + s.day > 20 GROUP BY 1'),
    ('SELECT e.name, count(*), sum(e.price) FROM wa_sale s LEFT JOIN wa_empty e ON s.item = e.id GROUP BY 1'),
    ('SELECT count(*), sum(e.price), min(e.name) FROM wa_sale s JOIN wa_empty e ON s.item = e.id'),
    ('SELECT sum(amount) FILTER (WHERE is_new), count(*) FILTER (WHERE price = 1.5) FROM wa_sale s JOIN wa_item i ON s.item = i.id'),
    ('SELECT i.name, count(*), sum(weight), sum(price) FROM wa_sale s LEFT JOIN wa_item i ON s.item = i.id AND i.sort < s.place AND s.amount / (s.place + 1) > 3 GROUP BY 1'),
    ('SELECT day, count(*), sum(amount) FROM wa_sale s WHERE NOT EXISTS (SELECT FROM wa_item i WHERE s.item = i.id AND i.sort < s.place) GROUP BY day'),
    ('SELECT b.number, count(*), sum(amount) FROM wa_sale s LEFT JOIN wa_both b ON b.note = s.note AND b.place = s.place AND b.number <> s.day GROUP BY 1'),
    ('SELECT count(*) FROM wa_sale s WHERE item NOT IN (SELECT id FROM wa_empty)')
) AS queries (query);
-- Of subqueries that PostgreSQL does not read with workers of its own.
ALTER TABLE wa_item SET (parallel_workers = 0);
ALTER TABLE wa_sort SET (parallel_workers = 0);
SELECT wa_join_differences(query) FROM (VALUES
    ('SELECT day, count(*), count(*) FILTER (WHERE place IN (SELECT sort FROM wa_item WHERE sort > 3)) FROM wa_sale s WHERE item NOT IN (SELECT sort * 2 FROM wa_item) GROUP BY day'),
    ('SELECT count(*) FROM wa_sale s WHERE place NOT IN (SELECT NULLIF(id, 3) FROM wa_sort) OR item IN (SELECT id FROM wa_item)')
) v (query);
ALTER TABLE wa_item RESET (parallel_workers);
ALTER TABLE wa_sort RESET (parallel_workers);

-- Groups that outgrow the memory: rows are spilled by workers, and joined again.
ALTER TABLE wa_sale ALTER id SET (n_distinct = 100);
ANALYZE wa_sale;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT wa_join_differences('SELECT s.id, i.name, sum(weight), count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id WHERE s.id < 50000 AND is_new GROUP BY 1, 2');
SELECT wa_join_differences('SELECT s.id, min(p.region) FROM wa_sale s LEFT JOIN wa_place p ON s.place = p.id GROUP BY 1');
-- Tables that workers have no memory for, as there are more rows than was planned: none.
CREATE TABLE wa_many AS SELECT i AS id, 'one of many: ' || i AS name, i * 7 AS number FROM generate_series(1, 20000) i;
ALTER TABLE wa_many ADD PRIMARY KEY (id);
ANALYZE wa_many;
SET warpagg.buffer_memory = '230kB';
SELECT * FROM wa_workers('SELECT max(m.number) FROM wa_sale s JOIN wa_many m ON s.id = m.id WHERE m.id % 1 = 0');
SELECT wa_join_differences('SELECT max(m.number), count(*) FROM wa_sale s JOIN wa_many m ON s.id = m.id WHERE m.id % 1 = 0');
-- Tables that the planner sees to take too much, and what they may take.
SET warpagg.buffer_memory = '64kB';
SET warpagg.explain_refusals = explain;
SELECT wa_refusal('SELECT max(m.name) FROM wa_sale s JOIN wa_many m ON s.id = m.id');
SELECT wa_refusal('SELECT count(*) FROM wa_sale s WHERE s.id NOT IN (SELECT id FROM wa_many)');
RESET warpagg.buffer_memory;
SELECT wa_refusal('SELECT max(m.name) FROM wa_sale s JOIN wa_many m ON s.id = m.id');
RESET warpagg.explain_refusals;
RESET work_mem;
RESET hash_mem_multiplier;
SELECT * FROM wa_workers('SELECT max(m.name) FROM wa_sale s JOIN wa_many m ON s.id = m.id WHERE m.id % 1 = 0');
-- None where rows are joined by what runs in one process only, nor where none is to be had.
CREATE FUNCTION wa_unsafe(x integer) RETURNS integer LANGUAGE plpgsql STABLE PARALLEL UNSAFE
AS $$ BEGIN RETURN x; END $$;
SELECT * FROM wa_workers('SELECT count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id WHERE wa_unsafe(i.sort) > 2');
SET max_parallel_workers = 0;
SELECT * FROM wa_workers('SELECT name, count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id GROUP BY name');
RESET max_parallel_workers;

-- Errors in any process, of rows that are joined only.
\set VERBOSITY terse
SELECT sum(1 / (i.sort + s.id - 45000)) FROM wa_sale s JOIN wa_item i ON s.item = i.id;
SELECT c.name, sum(1 / (c.number + s.id - 59000)) FROM wa_sale s JOIN wa_code c ON s.code = c.id GROUP BY c.name;
SELECT count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id WHERE 1 / (s.item - 605 + i.sort * 0) < 2;
DO $$
BEGIN
    PERFORM sum(1 / (i.sort + s.id - 45000)) FROM wa_sale s JOIN wa_item i ON s.item = i.id;
EXCEPTION WHEN division_by_zero THEN
    RAISE NOTICE 'caught %', SQLSTATE;
END
$$;

-- Parameters: of a generic plan, and of a query around, whose joined rows change.
SET plan_cache_mode = force_generic_plan;
PREPARE wa_joined(integer, numeric, text) AS
SELECT count(*), sum(s.day + $1), sum(weight + $2), max(i.name || $3)
FROM wa_sale s JOIN wa_item i ON s.item = i.id AND i.sort <> $1 WHERE price + s.day > $2;
SELECT wa_plan($$EXECUTE wa_joined(3, 5.5, 'x')$$) ~ 'Workers Planned: 2' AS has_workers ORDER BY 1 DESC LIMIT 1;
EXECUTE wa_joined(3, 5.5, 'x');
EXECUTE wa_joined(4, 47, repeat('y', 30));
EXECUTE wa_joined(NULL, 5.5, 'x');
SET warpagg.enable_scan = off;
EXECUTE wa_joined(3, 5.5, 'x');
EXECUTE wa_joined(4, 47, repeat('y', 30));
EXECUTE wa_joined(NULL, 5.5, 'x');
SET warpagg.enable_scan = on;
RESET plan_cache_mode;
SELECT x, (SELECT count(*) + sum(s.day) + max(i.sort) FROM wa_sale s JOIN wa_item i ON s.item = i.id WHERE i.sort = x)
FROM generate_series(0, 3) x;
SELECT x, (SELECT count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id WHERE s.day + i.sort = x)
FROM generate_series(0, 3) x;

-- Control returns to the client with groups left, and not in parallel mode.
BEGIN;
DECLARE wa_cursor CURSOR FOR
SELECT count(*) > 0 FROM wa_sale s JOIN wa_item i ON s.item = i.id GROUP BY name;
FETCH 2 FROM wa_cursor;
INSERT INTO wa_item (id, name) VALUES (700, 'new');
FETCH 1 FROM wa_cursor;
SELECT count(*), max(i.id) FROM wa_sale s RIGHT JOIN wa_item i ON s.id = i.id WHERE s.place = 1;
SAVEPOINT s;
DELETE FROM wa_item WHERE sort = 2;
SELECT count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id;
ROLLBACK TO s;
SELECT count(*) FROM wa_sale s JOIN wa_item i ON s.item = i.id;
ROLLBACK;

-- Partitions that the node reads, and such that PostgreSQL reads by an index: their rows
-- are joined too, and fulfil what WHERE says of these.
CREATE TABLE wa_part (junk integer, id integer, item integer, day integer, amount numeric, code bigint, place integer)
    PARTITION BY RANGE (id);
CREATE TABLE wa_part_1 PARTITION OF wa_part FOR VALUES FROM (0) TO (20000);
CREATE TABLE wa_part_2 (place integer, gone text, code bigint, junk integer, id integer, amount numeric, item integer, day integer);
ALTER TABLE wa_part_2 DROP gone;
ALTER TABLE wa_part ATTACH PARTITION wa_part_2 FOR VALUES FROM (20000) TO (40000);
CREATE TABLE wa_part_3 PARTITION OF wa_part FOR VALUES FROM (40000) TO (70000);
INSERT INTO wa_part SELECT 0, id, item, day, amount, code, place FROM wa_sale;
ANALYZE wa_part;
SELECT wa_join_differences(query) FROM (VALUES
    ('SELECT i.name, count(*), sum(amount), sum(price) FROM wa_part s JOIN wa_item i ON s.item = i.id GROUP BY 1'),
    ('SELECT c.name, p.region, count(*) FROM wa_part s LEFT JOIN wa_code c ON s.code = c.id JOIN wa_place p ON s.place = p.id WHERE s.id > 10000 GROUP BY 1, 2'),
    ('SELECT count(*), sum(s.amount) FROM wa_part s WHERE NOT EXISTS (SELECT FROM wa_item i WHERE s.item = i.id)')
) AS queries (query);
CREATE INDEX ON wa_part_3 (day);
ANALYZE wa_part;
SELECT DISTINCT line FROM wa_plan('SELECT i.name, count(*) FROM wa_part s JOIN wa_item i ON s.item = i.id WHERE day = 7 GROUP BY 1') line
WHERE line ~ 'WarpAgg|Partitions|Bitmap Heap|Index Scan using wa_part' ORDER BY 1;
SELECT wa_join_differences(query) FROM (VALUES
    ('SELECT i.name, count(*), sum(amount), sum(price) FROM wa_part s JOIN wa_item i ON s.item = i.id WHERE s.day = 7 GROUP BY 1'),
    ('SELECT count(*), sum(amount), max(s.id), count(s.code) FROM wa_part s JOIN wa_item i ON s.item = i.id WHERE s.day = 7 AND i.is_new'),
    ('SELECT c.name, o.name, count(*) FROM wa_part s LEFT JOIN wa_code c ON s.code = c.id JOIN wa_item i ON s.item = i.id JOIN wa_sort o ON i.sort = o.id WHERE s.day = 7 AND s.place < i.sort GROUP BY 1, 2'),
    ('SELECT s.place, count(*) FROM wa_part s WHERE NOT EXISTS (SELECT FROM wa_item i WHERE s.item = i.id AND i.sort <> 2) AND s.day = 8 GROUP BY 1'),
    ('SELECT s.place, count(*) FROM wa_part s WHERE EXISTS (SELECT FROM wa_code c WHERE s.code = c.id AND c.number < 300) AND s.day = 8 GROUP BY 1')
) AS queries (query);

DROP TABLE wa_sale, wa_item, wa_sort, wa_code, wa_place, wa_both, wa_empty, wa_many, wa_part;
DROP FUNCTION wa_workers, wa_process, wa_join_differences, wa_unsafe;
