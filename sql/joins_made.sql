--
-- Tables of joined relations that the device process makes of resident columns, and that it
-- gives to sessions.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '32MB';
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';

CREATE TABLE made_facts (id integer, k integer, far bigint, c integer) WITH (autovacuum_enabled = off);
INSERT INTO made_facts SELECT i, i * 7 % 50000, (i * 7 % 50000) * 10000000019, i % 11 FROM generate_series(1, 60000) i;
CREATE TABLE made_dims (id integer PRIMARY KEY, far bigint NOT NULL UNIQUE, parent integer, day date, kind char(10), note text COLLATE "C",
    price numeric(12, 2), mixed numeric, ratio float8, flag boolean, opt integer, filler text)
    WITH (autovacuum_enabled = off);
INSERT INTO made_dims SELECT i, i * 10000000019, i % 30, date '2020-01-01' + i % 400, (ARRAY['low', 'mid', 'high'])[i % 3 + 1],
    CASE WHEN i % 17 > 0 THEN 'note ' || i % 23 END, i % 1000 / 100.0, (i % 9)::numeric / power(10, i % 3)::integer, sqrt(i), i % 2 = 0, nullif(i % 7, 3), repeat('x', 40)
FROM generate_series(1, 45000) i ORDER BY hashint4(i);
CREATE TABLE made_parents (id integer PRIMARY KEY, name text COLLATE "C", grand integer) WITH (autovacuum_enabled = off);
INSERT INTO made_parents SELECT i, 'parent ' || i % 6, i % 4 FROM generate_series(0, 24) i;
CREATE TABLE made_grands (id integer PRIMARY KEY, label text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO made_grands SELECT i, 'grand ' || i FROM generate_series(0, 2) i;
CREATE TABLE made_sets (k integer, c integer, filler text) WITH (autovacuum_enabled = off);
INSERT INTO made_sets SELECT i % 20000, nullif(i % 13, 5), repeat('y', 40) FROM generate_series(1, 50000) i;
VACUUM (FREEZE, ANALYZE) made_facts;
VACUUM (FREEZE, ANALYZE) made_dims;
VACUUM (FREEZE, ANALYZE) made_parents;
VACUUM (FREEZE, ANALYZE) made_grands;
VACUUM (FREEZE, ANALYZE) made_sets;
SELECT warpagg_load('made_facts') > 0 AS facts, warpagg_load('made_dims') > 0 AS dims, warpagg_load('made_parents') > 0 AS parents,
    warpagg_load('made_grands') > 0 AS grands, warpagg_load('made_sets') > 0 AS sets;

-- Whether a query has the same rows as PostgreSQL's plan, and of each join how many rows there
-- were, and where they came from.
CREATE FUNCTION made(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT split_part(wa_compare(query), ',', 1) || coalesce(string_agg(format(', %s%s', t ->> 'Rows',
                CASE WHEN (t ->> 'Made by Device Process')::boolean THEN ' made' || CASE WHEN (t ->> 'Memory Usage')::integer > 0 THEN ', and fetched' ELSE '' END WHEN t ->> 'Rows' IS NULL THEN 'kept' WHEN (t ->> 'Reused')::boolean THEN ' reused' ELSE ' read' END), '' ORDER BY t ->> 'Rows'), '')
            FROM jsonb_path_query(plan, 'strict $.**."Join Tables"[*]') AS j (t));
END
$$;

-- Values of all types, keys that lie close together and far apart, and clauses.
SELECT made('SELECT d.parent, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY 1');
SELECT made('SELECT d.parent, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY 1');
SELECT made('SELECT d.parent, count(*) FROM made_facts f JOIN made_dims d ON d.far = f.far GROUP BY 1');
SELECT made('SELECT d.kind, d.note, count(*), sum(f.id) FROM made_facts f JOIN made_dims d ON d.id = f.k WHERE d.day < ''2020-06-01'' GROUP BY 1, 2');
SELECT made('SELECT d.day, sum(d.price), min(d.ratio), max(d.opt), count(d.note), count(*) FILTER (WHERE d.flag) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.opt IS DISTINCT FROM 2 GROUP BY 1');
SELECT made('SELECT d.flag, d.opt, sum(d.price * f.c), max(d.ratio) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.kind IN (''low'', ''high'') GROUP BY 1, 2');
SELECT made('SELECT extract(year FROM d.day), upper(d.note), count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.note LIKE ''%1%'' GROUP BY 1, 2');
SELECT made('SELECT count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.day < ''1999-01-01''');
SELECT made('SELECT d.kind, count(*) FROM made_facts f LEFT JOIN made_dims d ON d.id = f.k AND d.parent < 7 GROUP BY 1');
-- Chains: what is folded has tables of its own then.
SELECT made('SELECT p.name, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k JOIN made_parents p ON p.id = d.parent GROUP BY 1');
SELECT made('SELECT g.label, d.kind, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.flag JOIN made_parents p ON p.id = d.parent JOIN made_grands g ON g.id = p.grand GROUP BY 1, 2');
SELECT made('SELECT p.name, count(*) FROM made_facts f LEFT JOIN made_dims d ON d.id = f.k AND d.flag LEFT JOIN made_parents p ON p.id = d.parent GROUP BY 1');
-- Sets, in which a key is found more than once.
SELECT made('SELECT f.c, count(*) FROM made_facts f WHERE EXISTS (SELECT FROM made_sets s WHERE s.k = f.k AND s.c < 6) GROUP BY 1');
SELECT made('SELECT f.c, count(*) FROM made_facts f WHERE NOT EXISTS (SELECT FROM made_sets s WHERE s.k = f.k AND s.c > 2) GROUP BY 1');
SELECT made('SELECT f.c, count(*) FROM made_facts f WHERE f.k IN (SELECT s.c FROM made_sets s) GROUP BY 1');
-- Parameters, of which each has tables of its own.
SET plan_cache_mode = force_generic_plan;
PREPARE made_before (date) AS SELECT d.kind, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.day < $1 GROUP BY 1 ORDER BY 1;
SELECT made('EXECUTE made_before (''2020-03-01'')');
SELECT made('EXECUTE made_before (''2020-04-01'')');
DEALLOCATE made_before;
RESET plan_cache_mode;

-- What no table can hold, and what raises an error, PostgreSQL's plan reads.
SELECT made('SELECT d.mixed, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY 1');
SELECT wa_outcome('count(*)', 'made_facts f JOIN made_dims d ON d.id = f.k AND 100 / (d.parent - 3) > 2');
SELECT made('SELECT d.kind, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.parent > 3 AND 100 / (d.parent - 3) > 2 GROUP BY 1');

-- Once a row has changed, those of its block come from here (joins_rest has more of that).
UPDATE made_dims SET parent = 29 WHERE id = 77;
SELECT made('SELECT d.parent, d.kind, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY 1, 2');
SELECT warpagg_load('made_dims') > 0 AS dims;
SELECT made('SELECT d.parent, d.kind, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY 1, 2');
-- A transaction that has changed it sees its own.
BEGIN;
DELETE FROM made_dims WHERE id = 78;
SELECT made('SELECT d.parent, d.flag, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY 1, 2');
ROLLBACK;
SELECT made('SELECT d.parent, d.flag, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY 1, 2');

-- Rows of the table that have changed are joined here, with tables that the device process has.
SELECT warpagg_load('made_dims') > 0 AS dims;
UPDATE made_facts SET c = 12 WHERE id < 10;
SELECT made('SELECT d.kind, d.note, f.c, count(*), min(d.ratio), max(d.price), count(*) FILTER (WHERE d.flag) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.parent < 28 GROUP BY 1, 2, 3');
SELECT made('SELECT d.note, f.c, count(*) FROM made_facts f JOIN made_dims d ON d.far = f.far GROUP BY 1, 2');
SELECT made('SELECT p.name, f.c, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.opt > 1 JOIN made_parents p ON p.id = d.parent GROUP BY 1, 2');
-- A function that a user may not call, of a value that another one's query has had computed.
CREATE ROLE regress_made_user;
GRANT SELECT ON made_facts, made_dims TO regress_made_user;
SELECT made('SELECT upper(d.note), count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.parent < 27 GROUP BY 1');
REVOKE EXECUTE ON FUNCTION upper(text) FROM PUBLIC;
SET ROLE regress_made_user;
SELECT upper(d.note), count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.parent < 27 GROUP BY 1;
RESET ROLE;
GRANT EXECUTE ON FUNCTION upper(text) TO PUBLIC;
DROP OWNED BY regress_made_user;
DROP ROLE regress_made_user;

-- Places of rows, by which groups are the same.
SELECT made('SELECT d.id, d.filler, d.mixed, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k GROUP BY d.id');
SELECT warpagg_load('made_dims', '{ctid}') > 0 AS places;
SELECT made('SELECT d.id, d.kind, d.filler, sum(f.c) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.day > ''2020-03-01'' GROUP BY d.id ORDER BY 4 DESC, 1 LIMIT 7');
UPDATE made_dims SET filler = 'other' WHERE id % 1000 = 7;
SELECT made('SELECT d.id, d.kind, d.filler, sum(f.c) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.day > ''2020-03-02'' GROUP BY d.id');
SELECT warpagg_load('made_dims', '{ctid,id,day,kind}') > 0 AS places;
SELECT made('SELECT d.id, d.kind, d.filler, sum(f.c) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.day > ''2020-03-03'' GROUP BY d.id');
-- There may be no room for them here: rows are read, or PostgreSQL's plan is.
SET work_mem = '64kB';
SET warpagg.buffer_memory = '64kB';
SELECT split_part(wa_compare('SELECT d.opt, f.c, count(*) FROM made_facts f JOIN made_dims d ON d.id = f.k AND d.parent < 3 GROUP BY 1, 2'), ',', 1);
RESET warpagg.buffer_memory;
SET work_mem = '32MB';

-- The only partition of a table, whose columns are in another order than its parent's.
CREATE TABLE made_whole (id integer, k integer, filler text) PARTITION BY RANGE (id);
CREATE TABLE made_part (gone integer, filler text, id integer, k integer) WITH (autovacuum_enabled = off);
ALTER TABLE made_part DROP COLUMN gone;
ALTER TABLE made_whole ATTACH PARTITION made_part FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
INSERT INTO made_whole SELECT i, i % 10, repeat('z', 40) FROM generate_series(1, 20000) i;
VACUUM (FREEZE, ANALYZE) made_part;
ANALYZE made_whole;
SELECT warpagg_load('made_part') > 0 AS part;
SELECT made('SELECT count(*), sum(f.id) FROM made_facts f WHERE f.k IN (SELECT w.k FROM made_whole w)');
SELECT made('SELECT count(*), sum(f.id) FROM made_facts f WHERE f.k IN (SELECT p.k FROM made_part p)');

DROP TABLE made_facts, made_dims, made_parents, made_grands, made_sets, made_whole;
DROP FUNCTION made(text);
