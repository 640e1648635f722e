--
-- What a session keeps of joined relations: each join's tables by themselves, for all queries
-- that have them alike.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
-- Plans of what is joined are to be the same with and without statistics.
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = off;

CREATE TABLE kept_facts (id integer, k integer, m integer, c integer) WITH (autovacuum_enabled = off);
INSERT INTO kept_facts SELECT i, i % 120, i % 35, i % 11 FROM generate_series(1, 20000) i;
CREATE TABLE kept_others (m integer, day integer, k integer) WITH (autovacuum_enabled = off);
INSERT INTO kept_others SELECT i % 30, i % 7, i % 110 FROM generate_series(1, 20000) i;
CREATE TABLE kept_dims (id integer PRIMARY KEY, x integer, parent integer, name text COLLATE "C", note text COLLATE "C")
    WITH (autovacuum_enabled = off);
INSERT INTO kept_dims SELECT i, i % 10, i % 6, 'name ' || i % 4, (ARRAY['a', 'a $2=25:b', 'b $2=25:c', 'c'])[i % 4 + 1]
FROM generate_series(1, 100) i;
CREATE TABLE kept_groups (id integer PRIMARY KEY, label text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO kept_groups SELECT i, 'group ' || i % 3 FROM generate_series(0, 4) i;
CREATE TABLE kept_days (id integer PRIMARY KEY, month integer) WITH (autovacuum_enabled = off);
INSERT INTO kept_days SELECT i, i / 10 FROM generate_series(0, 33) i;
VACUUM (FREEZE) kept_facts;
VACUUM (FREEZE) kept_others;
VACUUM (FREEZE) kept_dims;
VACUUM (FREEZE) kept_groups;
VACUUM (FREEZE) kept_days;
SELECT warpagg_load('kept_dims') AS dims, warpagg_load('kept_groups') AS groups, warpagg_load('kept_days') AS days;

-- Whether a query has the same rows as PostgreSQL's plan; of each join how many
-- rows there were, and whether tables of an earlier query had them.
CREATE FUNCTION kept(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT split_part(wa_compare(query), ',', 1) || coalesce(string_agg(format(', %s %s', t ->> 'Rows',
                CASE WHEN (t ->> 'Reused')::boolean THEN 'reused' ELSE 'read' END)
                || CASE WHEN (t ->> 'Changed Blocks')::integer > 0 THEN ' but for blocks: ' || (t ->> 'Changed Blocks') ELSE '' END, '' ORDER BY t ->> 'Rows'), '')
            FROM jsonb_path_query(plan, 'strict $.**."Join Tables"[*]') AS j (t));
END
$$;

-- One query, and others that have a join like it: over another table, in another place, as a
-- left one, by another name, and with its values in another order.
SELECT kept('SELECT d.name, count(*), sum(d.x) FROM kept_facts f JOIN kept_dims d ON d.id = f.k GROUP BY 1');
SELECT kept('SELECT d.name, count(*), sum(d.x) FROM kept_facts f JOIN kept_dims d ON d.id = f.k GROUP BY 1');
SELECT kept('SELECT y.month, sum(e.x), min(e.name) FROM kept_others o JOIN kept_days y ON y.id = o.m LEFT JOIN kept_dims e ON o.k = e.id GROUP BY 1');
SELECT kept('SELECT x, min(name), min(month) FROM kept_days JOIN kept_facts f USING (id) JOIN kept_dims d ON d.id = f.k WHERE f.id < 25 GROUP BY 1');
-- Others have other values, rows or keys.
SELECT kept('SELECT d.name, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k GROUP BY 1');
SELECT kept('SELECT d.name, count(*), sum(d.x) FROM kept_facts f JOIN kept_dims d ON d.id = f.k AND d.x > 3 GROUP BY 1');
SELECT kept('SELECT d.name, count(*), sum(d.x) FROM kept_facts f JOIN kept_dims d ON d.id = f.k AND d.x > 4 GROUP BY 1');
SELECT kept('SELECT d.name, count(*), sum(d.id) FROM kept_facts f JOIN kept_dims d ON d.id = f.k GROUP BY 1');
SELECT kept('SELECT f.c, count(*) FROM kept_facts f WHERE k IN (SELECT x FROM kept_dims) GROUP BY 1');
SELECT kept('SELECT f.c, count(*) FROM kept_facts f WHERE k IN (SELECT id FROM kept_dims) GROUP BY 1');
SELECT kept('SELECT f.c, count(*) FROM kept_facts f WHERE NOT EXISTS (SELECT FROM kept_dims d WHERE d.id = f.m) GROUP BY 1');
-- A table in two roles.
SELECT kept('SELECT a.month, b.month, count(*) FROM kept_facts f JOIN kept_days a ON a.id = f.m JOIN kept_days b ON b.id = f.c GROUP BY 1, 2');
SELECT kept('SELECT a.month, b.month, count(*) FROM kept_facts f JOIN kept_days a ON a.id = f.m JOIN kept_days b ON b.id = f.k GROUP BY 1, 2');
-- What is folded into another one belongs to it.
SELECT kept('SELECT g.label, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_groups g ON g.id = d.parent GROUP BY 1');
SELECT kept('SELECT g.label, sum(o.day) FROM kept_groups g JOIN kept_dims d ON g.id = d.parent JOIN kept_others o ON o.k = d.id GROUP BY 1');
SELECT kept('SELECT g.label, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k LEFT JOIN kept_groups g ON g.id = d.parent GROUP BY 1');
SELECT kept('SELECT g.label, count(*) FROM kept_facts f JOIN kept_groups g ON g.id = f.m GROUP BY 1');
SELECT kept('SELECT g.label, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_groups g ON g.id = d.x GROUP BY 1');

-- Statistics change what plans cost, and nothing else.
\set counted '''SELECT d.name, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k AND d.x > 6 AND d.note <> ''''c'''' GROUP BY 1'''
SELECT kept(:counted);
EXPLAIN (COSTS OFF) SELECT d.name, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k AND d.x > 6 AND d.note <> 'c' GROUP BY 1;
ANALYZE kept_facts, kept_dims, kept_days, kept_groups;
SELECT kept(:counted);
SELECT kept('SELECT g.label, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_groups g ON g.id = d.parent GROUP BY 1');

-- Rows that change, or have no stamp, are those of one join.
\set both '''SELECT d.name, y.month, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_days y ON y.id = f.m GROUP BY 1, 2'''
SELECT kept(:both);
UPDATE kept_days SET month = 9 WHERE id = 5;
SELECT kept(:both);
CREATE TABLE kept_unloaded AS SELECT * FROM kept_days;
ALTER TABLE kept_unloaded ADD PRIMARY KEY (id);
SELECT kept('SELECT d.name, y.month, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_unloaded y ON y.id = f.m GROUP BY 1, 2');
SELECT kept('SELECT d.name, y.month, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_unloaded y ON y.id = f.m GROUP BY 1, 2');
-- Some depend on what is outside, and are read again and again, beside others that are not.
SELECT y.id, (SELECT sum(d.x + g.id) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_groups g ON g.id = f.c AND g.id <> y.month), (SELECT count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k AND d.x > y.id)
FROM kept_days y WHERE y.id BETWEEN 4 AND 12 ORDER BY 1;
SET warpagg.enable_scan = off;
SELECT y.id, (SELECT sum(d.x + g.id) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_groups g ON g.id = f.c AND g.id <> y.month), (SELECT count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k AND d.x > y.id)
FROM kept_days y WHERE y.id BETWEEN 4 AND 12 ORDER BY 1;
SET warpagg.enable_scan = on;

-- Parameters that look alike one after the other are others.
SET plan_cache_mode = force_generic_plan;
PREPARE kept_named (text, text) AS
SELECT d.note, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k AND (d.note = $1 OR d.note = $2) GROUP BY 1 ORDER BY 1;
EXECUTE kept_named ('a', 'b $2=25:c');
EXECUTE kept_named ('a $2=25:b', 'c');
EXECUTE kept_named ('a', NULL);
CREATE FUNCTION kept_use(query text) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, FORMAT JSON) ' || query INTO plan;
    RETURN QUERY SELECT t - 'Made by Device Process' || jsonb_build_object('Memory Usage', CASE WHEN (t ->> 'Memory Usage')::integer > 0 THEN 'some' ELSE 'none' END)
                 FROM jsonb_path_query(plan, 'strict $.**."Join Tables"[*]') t;
END
$$;
SELECT q, kept_use(q) FROM unnest(ARRAY[$$EXECUTE kept_named ('a', 'b $2=25:c')$$, $$EXECUTE kept_named ('a $2=25:b', 'c')$$, $$EXECUTE kept_named ('a', NULL)$$, $$EXECUTE kept_named ('a', '')$$]) q;
DEALLOCATE kept_named;
RESET plan_cache_mode;

-- EXPLAIN of it.
CREATE FUNCTION kept_lines(query text, options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
        IF line ~ 'Joins:|^ +(Rows:|Reused)|WarpAgg' THEN
            RETURN NEXT regexp_replace(regexp_replace(line, '\d+kB', 'NkB'), 'Scan \(WarpAgg\).*', 'Scan (WarpAgg)');
        END IF;
    END LOOP;
END
$$;
\set folded '''SELECT g.label, y.month, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k JOIN kept_groups g ON g.id = d.parent JOIN kept_days y ON y.id = f.m GROUP BY 1, 2'''
SELECT kept_lines(:folded, 'COSTS OFF');
SELECT kept_lines(:folded, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT kept_lines(:folded, 'ANALYZE');
SELECT kept_use(:folded);
-- nothing is joined where no row is wanted
PREPARE kept_none (boolean) AS SELECT d.name, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k WHERE $1 GROUP BY 1;
SET plan_cache_mode = force_generic_plan;
SELECT kept_lines('EXECUTE kept_none (false)', 'ANALYZE, COSTS OFF, TIMING OFF');
SELECT kept_lines('EXECUTE kept_none (true)', 'ANALYZE, COSTS OFF, TIMING OFF');
RESET plan_cache_mode;
DEALLOCATE kept_none;

-- Another session reads nothing that the device process has, until rows are not resident.
VACUUM (FREEZE) kept_facts;
VACUUM (FREEZE) kept_dims;
VACUUM (FREEZE) kept_groups;
SELECT warpagg_load('kept_facts') AS facts, warpagg_load('kept_dims') AS dims, warpagg_load('kept_groups') AS groups;
\set lent '''SELECT d.name, g.label, count(*), sum(d.x) FROM kept_facts f JOIN kept_dims d ON d.id = f.k LEFT JOIN kept_groups g ON g.id = f.m AND g.label <> d.name WHERE f.m NOT IN (SELECT id FROM kept_days WHERE id > 30) GROUP BY 1, 2'''
SELECT kept(:lent);
\set settings 'SET client_min_messages = error; SET timezone = ''UTC''; LOAD ''warpagg''; SET warpagg.enable_scan = on; SET warpagg.accelerate = ''all''; SET warpagg.autoload = off; SET max_parallel_workers_per_gather = 0; SET cpu_tuple_cost = 1; SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;'
\connect -
:settings
SELECT kept(:lent);
SELECT kept_lines(:lent, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
-- a cursor, and each row of another query
BEGIN;
DECLARE kept_cursor CURSOR FOR SELECT d.x, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k GROUP BY 1 ORDER BY 1;
FETCH 2 FROM kept_cursor;
FETCH 2 FROM kept_cursor;
COMMIT;
SELECT wa_compare('SELECT m, (SELECT sum(d.x) FROM kept_facts f JOIN kept_dims d ON d.id = f.k WHERE f.c = o.m) FROM (VALUES (1), (2), (3)) AS o (m)');
UPDATE kept_facts SET c = c + 1 WHERE id = 77;
SELECT kept(:lent);
SELECT kept(:lent);

-- rows of blocks that have been looked into before it is known who answers
CREATE TABLE kept_few (k integer) WITH (autovacuum_enabled = off);
INSERT INTO kept_few SELECT i * 7 FROM generate_series(1, 120) i;
VACUUM (FREEZE, ANALYZE) kept_few;
\set few '''SELECT d.x, count(*) FROM kept_few f JOIN kept_dims d ON d.id = f.k GROUP BY 1'''
\connect -
:settings
SELECT kept('SELECT d.x, count(*) FROM kept_facts f JOIN kept_dims d ON d.id = f.k GROUP BY 1');
\connect -
:settings
SELECT kept(:few);
SELECT kept(:few);

DROP TABLE kept_few;

-- Of a relation that has changed only changed blocks are read again, by a session that has read
-- it: not all of its columns are resident.
CREATE TABLE kept_large (id integer PRIMARY KEY, x integer, y integer, name text COLLATE "C", parent integer)
    WITH (autovacuum_enabled = off, fillfactor = 20);
ALTER TABLE kept_large ALTER name SET STORAGE PLAIN;
INSERT INTO kept_large SELECT i, i % 10, i % 7, 'name ' || i % 4, i % 6 FROM generate_series(1, 1000) i;
VACUUM (FREEZE, ANALYZE) kept_large;
SELECT pg_relation_size('kept_large') / current_setting('block_size')::integer AS blocks, warpagg_load('kept_large', '{id}') AS rows, warpagg_load('kept_groups') AS groups;
\set large '''SELECT d.name, count(*), sum(d.x) FROM kept_facts f JOIN kept_large d ON d.id = f.k GROUP BY 1'''
SELECT kept(:large);
SELECT kept(:large);
-- a column that is used, one that is not, a key, rows that go and come
UPDATE kept_large SET x = 77 WHERE id = 5;
SELECT kept(:large);
UPDATE kept_large SET y = 77 WHERE id = 90;
SELECT kept(:large);
UPDATE kept_large SET id = 2000 WHERE id = 7;
SELECT kept(:large);
DELETE FROM kept_large WHERE id IN (45, 46);
SELECT kept(:large);
INSERT INTO kept_large SELECT i, 5, 5, 'new', 5 FROM generate_series(45, 46) i;
SELECT kept(:large);
-- they are known again, but tables are others
SELECT count(warpagg_load('kept_large', '{id}'));
SELECT kept(:large);
SELECT kept(:large);
-- a row that goes to a new block, which then is empty
UPDATE kept_large SET name = repeat('long', 1900) WHERE id = 6;
SELECT kept(:large);
UPDATE kept_large SET name = 'short' WHERE id = 6;
SELECT kept(:large);
VACUUM kept_large;
SELECT pg_relation_size('kept_large') / current_setting('block_size')::integer AS blocks;
SELECT kept(:large);
SELECT count(warpagg_load('kept_large', '{id}'));
SELECT kept(:large);
-- values in another order, of another table
UPDATE kept_large SET x = 78 WHERE id = 5;
SELECT kept('SELECT sum(e.x), e.name FROM kept_others o JOIN kept_large e ON o.k = e.id GROUP BY 2');
-- what was changed by a transaction that is under way, or has failed
BEGIN;
UPDATE kept_large SET x = 100 WHERE id = 30;
SELECT kept(:large);
SAVEPOINT a;
UPDATE kept_large SET x = 1000 WHERE id = 30;
DELETE FROM kept_large WHERE id = 100;
SELECT kept(:large);
ROLLBACK TO a;
SELECT kept(:large);
ROLLBACK;
SELECT kept(:large);
-- too much
UPDATE kept_large SET x = x + 1 WHERE id % 40 = 0;
SELECT kept(:large);
SELECT count(warpagg_load('kept_large', '{id}'));
SELECT kept(:large);
-- sets, which may have NULLs, and presence alone
CREATE TABLE kept_set (v integer, w integer) WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO kept_set SELECT i % 90, i FROM generate_series(1, 400) i WHERE i % 90 <> 0;
VACUUM (FREEZE, ANALYZE) kept_set;
SELECT warpagg_load('kept_set', '{v}') AS rows;
\set not_in '''SELECT f.c, count(*) FROM kept_facts f WHERE k NOT IN (SELECT v FROM kept_set) GROUP BY 1'''
\set semi '''SELECT f.c, count(*) FROM kept_facts f WHERE EXISTS (SELECT FROM kept_set s WHERE s.v = f.k AND s.w > 4) GROUP BY 1'''
SELECT kept(:not_in), kept(:semi);
UPDATE kept_set SET v = NULL WHERE w = 200;
SELECT kept(:not_in), kept(:semi);
UPDATE kept_set SET v = 20 WHERE w = 200;
SELECT kept(:not_in), kept(:semi);
DELETE FROM kept_set WHERE v = 22 AND w < 100;
SELECT kept(:not_in), kept(:semi);
-- keys that are texts, and of several columns
CREATE TABLE kept_pairs (a integer, b text COLLATE "C", c integer, label text COLLATE "C" NOT NULL, PRIMARY KEY (a, b, c))
    WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO kept_pairs SELECT i % 20, 'name ' || i / 20 % 5, i / 100, 'label ' || i % 13 FROM generate_series(0, 999) i;
CREATE TABLE kept_texts (name text COLLATE "C" PRIMARY KEY, x integer) WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO kept_texts SELECT 'name ' || i, i FROM generate_series(0, 299) i;
CREATE TABLE kept_named AS SELECT i AS id, i % 23 AS a, ('name ' || i % 7) COLLATE "C" AS b, i % 4 AS c FROM generate_series(1, 20000) i;
VACUUM (FREEZE, ANALYZE) kept_pairs;
VACUUM (FREEZE, ANALYZE) kept_texts;
VACUUM (FREEZE, ANALYZE) kept_named;
SELECT warpagg_load('kept_pairs') AS pairs, warpagg_load('kept_texts') AS texts;
\set pairs '''SELECT p.label, count(*) FROM kept_named f LEFT JOIN kept_pairs p ON p.a = f.a AND p.b = f.b AND p.c = f.c GROUP BY 1'''
\set texts '''SELECT t.x, count(*) FROM kept_named f JOIN kept_texts t ON t.name = f.b GROUP BY 1'''
SELECT kept(:pairs), kept(:texts);
UPDATE kept_pairs SET b = 'name 6', label = repeat(label, 9) WHERE a = 7 AND c = 1 AND b = 'name 2';
DELETE FROM kept_texts WHERE name = 'name 3';
UPDATE kept_texts SET x = -1 WHERE name = 'name 4';
SELECT kept(:pairs), kept(:texts);
INSERT INTO kept_texts VALUES ('name', 3), ('', 4), ('name 3', 5);
DELETE FROM kept_pairs WHERE a = 7 AND c = 1 AND b < 'name 2';
INSERT INTO kept_pairs VALUES (30, 'name 0', 0, 'new');
SELECT kept(:pairs), kept(:texts);
-- what is folded stays, or all is read
\set under '''SELECT g.label, count(*), sum(d.x) FROM kept_facts f JOIN kept_large d ON d.id = f.k JOIN kept_groups g ON g.id = d.parent GROUP BY 1'''
SELECT kept(:under);
UPDATE kept_large SET parent = 3 WHERE id = 5;
UPDATE kept_large SET parent = 0 WHERE id = 11;
SELECT kept(:under);
UPDATE kept_groups SET label = 'another' WHERE id = 2;
SELECT kept(:under);
SELECT count(warpagg_load('kept_groups'));
SELECT kept(:under);
-- a column that this transaction has made
SELECT kept(:large);
BEGIN;
ALTER TABLE kept_large ADD COLUMN added integer DEFAULT 3;
SELECT kept(:large);
SELECT kept('SELECT d.added, count(*) FROM kept_facts f JOIN kept_large d ON d.id = f.k GROUP BY 1');
ROLLBACK;
SELECT kept(:large);
ALTER TABLE kept_large ADD COLUMN added integer DEFAULT 4;
SELECT kept('SELECT d.added, count(*) FROM kept_facts f JOIN kept_large d ON d.id = f.k GROUP BY 1');
UPDATE kept_large SET added = 9 WHERE id = 5;
SELECT kept('SELECT d.added, count(*) FROM kept_facts f JOIN kept_large d ON d.id = f.k GROUP BY 1');
-- no room
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT kept('SELECT d.y, count(*) FROM kept_facts f JOIN kept_large d ON d.id = f.k GROUP BY 1');
UPDATE kept_large SET y = 0 WHERE id = 5;
SELECT kept('SELECT d.y, count(*) FROM kept_facts f JOIN kept_large d ON d.id = f.k GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;
-- other files
SELECT count(warpagg_load('kept_large', '{id}'));
SELECT kept(:large);
CLUSTER kept_large USING kept_large_pkey;
SELECT kept(:large);
SELECT count(warpagg_load('kept_large', '{id}'));
SELECT kept(:large);
BEGIN;
TRUNCATE kept_large;
INSERT INTO kept_large SELECT i, i % 3, i % 7, 'other ' || i % 4, i % 6 FROM generate_series(1, 1000) i;
SELECT kept(:large);
COMMIT;
SELECT kept(:large);
SELECT count(warpagg_load('kept_large', '{id}'));
SELECT kept(:large);
UPDATE kept_large SET x = 77 WHERE id = 5;
SELECT kept(:large);
-- a serializable transaction reads all
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT kept(:large);
COMMIT;

DROP TABLE kept_large, kept_set, kept_pairs, kept_texts, kept_named;
DROP TABLE kept_facts, kept_others, kept_dims, kept_groups, kept_days, kept_unloaded;
DROP FUNCTION kept, kept_use, kept_lines;
