--
-- Tables of joined relations that the device process makes, where rows of some blocks have
-- changed: those a session reads, and sends along.
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

CREATE TABLE rest_facts (id integer, k integer, far bigint, c integer) WITH (autovacuum_enabled = off);
INSERT INTO rest_facts SELECT i, i * 7 % 50000, (i * 7 % 50000) * 10000000019, i % 11 FROM generate_series(1, 60000) i;
CREATE TABLE rest_dims (id integer PRIMARY KEY, far bigint NOT NULL UNIQUE, parent integer, day date, kind char(10), note text COLLATE "C",
    price numeric(12, 2), mixed numeric, ratio float8, flag boolean, opt integer, filler text)
    WITH (autovacuum_enabled = off, fillfactor = 80);
INSERT INTO rest_dims SELECT i, i * 10000000019, i % 3000, date '2020-01-01' + i % 400, (ARRAY['low', 'mid', 'high'])[i % 3 + 1],
    CASE WHEN i % 17 > 0 THEN 'note ' || i % 23 END, i % 1000 / 100.0, i % 9, sqrt(i), i % 2 = 0, nullif(i % 7, 3), repeat('x', 40)
FROM generate_series(1, 45000) i ORDER BY hashint4(i);
CREATE TABLE rest_parents (id integer PRIMARY KEY, name text COLLATE "C", filler text) WITH (autovacuum_enabled = off, fillfactor = 80);
INSERT INTO rest_parents SELECT i, CASE WHEN i % 29 > 0 THEN 'parent ' || i % 6 END, repeat('y', 300) FROM generate_series(0, 2900) i;
CREATE TABLE rest_sets (k integer, c integer, filler text) WITH (autovacuum_enabled = off);
INSERT INTO rest_sets SELECT i % 20000, nullif(i % 13, 5), repeat('y', 40) FROM generate_series(1, 50000) i;
VACUUM (FREEZE, ANALYZE) rest_facts;
VACUUM (FREEZE, ANALYZE) rest_dims;
VACUUM (FREEZE, ANALYZE) rest_parents;
VACUUM (FREEZE, ANALYZE) rest_sets;
SELECT warpagg_load('rest_facts') > 0 AS facts, warpagg_load('rest_dims') > 0 AS dims, warpagg_load('rest_dims', '{ctid}') > 0 AS places,
    warpagg_load('rest_parents') > 0 AS parents, warpagg_load('rest_sets') > 0 AS sets;

-- Whether a query has the same rows as PostgreSQL's plan, and of each join how many rows there
-- were, where they came from, and whether rows of some blocks were read here.
CREATE FUNCTION rest(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT split_part(wa_compare(query), ',', 1) || coalesce(string_agg(format(', %s%s%s', t ->> 'Rows',
                CASE WHEN (t ->> 'Made by Device Process')::boolean THEN ' made' WHEN t ->> 'Rows' IS NULL THEN 'kept' WHEN (t ->> 'Reused')::boolean THEN ' reused' ELSE ' read' END,
                CASE WHEN (t ->> 'Changed Blocks')::integer > 0 THEN ' but for some' END), '' ORDER BY t ->> 'Rows'), '')
            FROM jsonb_path_query(plan, 'strict $.**."Join Tables"[*]') AS j (t));
END
$$;

-- Rows that are gone, that are others now, that have come, to blocks that are new, too; values of
-- all types, NULL, and texts that nobody has had.
DELETE FROM rest_dims WHERE id % 9000 = 1;
UPDATE rest_dims SET parent = 2999, kind = 'other', note = 'fresh ' || id % 2, price = -7.25, ratio = '-0', flag = NULL, opt = NULL, day = '1999-12-31' WHERE id % 9000 = 2;
UPDATE rest_dims SET note = NULL, kind = 'mid', price = NULL, ratio = NULL, day = NULL, far = far + 1 WHERE id % 9000 = 3;
INSERT INTO rest_dims SELECT i, i * 10000000019, i % 3000, date '2020-01-01' + i % 400, 'new', 'note ' || i % 40, 12.5, 1, 'NaN', true, 1, repeat('z', 40) FROM generate_series(45001, 45400) i;
SELECT rest('SELECT d.parent, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k GROUP BY 1');
SELECT rest('SELECT d.parent % 7, count(*) FROM rest_facts f JOIN rest_dims d ON d.far = f.far GROUP BY 1');
SELECT rest('SELECT d.kind, d.note, count(*), sum(f.id) FROM rest_facts f JOIN rest_dims d ON d.id = f.k WHERE d.day < ''2020-06-01'' GROUP BY 1, 2');
SELECT rest('SELECT d.kind, d.note, count(*) FROM rest_facts f JOIN rest_dims d ON d.far = f.far WHERE d.kind <> ''low'' GROUP BY 1, 2');
SELECT rest('SELECT d.day, sum(d.price), min(d.ratio), max(d.opt), count(d.note), count(*) FILTER (WHERE d.flag) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.opt IS DISTINCT FROM 2 GROUP BY 1');
SELECT rest('SELECT d.ratio, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.id > 44000 GROUP BY 1');
SELECT rest('SELECT upper(d.note), d.flag, count(*) FROM rest_facts f LEFT JOIN rest_dims d ON d.id = f.k AND d.note LIKE ''%1%'' GROUP BY 1, 2');
-- No row of those that were read has a part in it.
SELECT rest('SELECT count(*), sum(d.price) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.id BETWEEN 1000 AND 2000 AND d.kind = ''low''');
SELECT rest('SELECT count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.day < ''1970-01-01''');
-- Places of rows, by which groups are the same.
SELECT rest('SELECT d.id, d.kind, d.filler, sum(f.c) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.day > ''2020-03-02'' GROUP BY d.id');
-- What no table can hold, or raises an error, leaves all to PostgreSQL's plan.
UPDATE rest_dims SET mixed = 1.50 WHERE id = 5;
SELECT rest('SELECT d.mixed, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k GROUP BY 1');
SELECT rest('SELECT d.mixed, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.id <> 5 GROUP BY 1');
UPDATE rest_dims SET opt = 0, parent = 2998 WHERE id = 6;
SELECT wa_outcome('count(*)', 'rest_facts f JOIN rest_dims d ON d.id = f.k AND d.parent = 2998 AND 100 / d.opt > 2');
SELECT rest('SELECT d.kind, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.opt <> 0 AND 100 / d.opt > 2 GROUP BY 1');

-- Chains, of which one or the other has changed, with texts of a table.
SELECT rest('SELECT p.name, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k JOIN rest_parents p ON p.id = d.parent GROUP BY 1');
UPDATE rest_parents SET name = 'another ' || id % 3 WHERE id % 1000 = 7;
INSERT INTO rest_parents SELECT i, 'parent ' || i % 9, repeat('y', 300) FROM generate_series(2950, 2999) i;
SELECT rest('SELECT p.name, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k JOIN rest_parents p ON p.id = d.parent GROUP BY 1');
SELECT rest('SELECT p.name, d.kind, count(*) FROM rest_facts f LEFT JOIN rest_dims d ON d.id = f.k AND d.flag LEFT JOIN rest_parents p ON p.id = d.parent GROUP BY 1, 2');
SELECT warpagg_load('rest_dims') > 0 AS dims, warpagg_load('rest_dims', '{ctid}') > 0 AS places;
SELECT rest('SELECT p.name, d.note, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k JOIN rest_parents p ON p.id = d.parent AND p.name > ''b'' GROUP BY 1, 2');

-- Sets, in which a key is found more than once.
UPDATE rest_sets SET c = 1 WHERE k % 4000 = 11;
INSERT INTO rest_sets SELECT i, 2, repeat('y', 40) FROM generate_series(30000, 30100) i;
SELECT rest('SELECT f.c, count(*) FROM rest_facts f WHERE EXISTS (SELECT FROM rest_sets s WHERE s.k = f.k AND s.c < 6) GROUP BY 1');
SELECT rest('SELECT f.c, count(*) FROM rest_facts f WHERE NOT EXISTS (SELECT FROM rest_sets s WHERE s.k = f.k AND s.c > 2) GROUP BY 1');
SELECT rest('SELECT f.c, count(*) FROM rest_facts f WHERE f.k IN (SELECT s.c FROM rest_sets s) GROUP BY 1');

-- A transaction that has changed rows sees its own.
BEGIN;
DELETE FROM rest_dims WHERE id = 78;
UPDATE rest_dims SET note = 'mine' WHERE id = 79;
SELECT rest('SELECT d.note, d.flag, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k GROUP BY 1, 2');
ROLLBACK;
SELECT rest('SELECT d.note, d.flag, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k GROUP BY 1, 2');
-- Rows of both sides have changed.
UPDATE rest_facts SET c = 12 WHERE id < 10;
SELECT rest('SELECT d.note, f.c, count(*), max(d.price) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.parent < 2800 GROUP BY 1, 2');
-- There is no room for their rows here.
SET warpagg.debug_spill_groups = 1;
SELECT rest('SELECT d.note, d.opt, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.parent < 2750 GROUP BY 1, 2');
SELECT rest('SELECT d.id, d.kind, d.filler, sum(f.c) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.day > ''2020-03-05'' GROUP BY d.id');
RESET warpagg.debug_spill_groups;
-- Too many blocks have changed.
UPDATE rest_dims SET parent = parent WHERE id % 50 = 0;
SELECT rest('SELECT d.opt, count(*) FROM rest_facts f JOIN rest_dims d ON d.id = f.k AND d.parent < 2700 GROUP BY 1');

DROP TABLE rest_facts, rest_dims, rest_parents, rest_sets;
DROP FUNCTION rest(text);
