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
    RETURN (SELECT split_part(wa_compare(query), ',', 1) || string_agg(format(', %s %s', t ->> 'Rows',
                CASE WHEN (t ->> 'Reused')::boolean THEN 'reused' ELSE 'read' END), '' ORDER BY t ->> 'Rows')
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
    RETURN QUERY SELECT t || jsonb_build_object('Memory Usage', CASE WHEN (t ->> 'Memory Usage')::integer > 0 THEN 'some' ELSE 'none' END)
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
DROP TABLE kept_facts, kept_others, kept_dims, kept_groups, kept_days, kept_unloaded;
DROP FUNCTION kept, kept_use, kept_lines;
