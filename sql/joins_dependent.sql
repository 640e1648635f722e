-- Keys of groups that other keys tell, over rows that are joined: groups are the same by the
-- rows, which are read where they lie.
LOAD 'warpagg';
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET warpagg.explain_refusals = explain;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = off;

CREATE TABLE dep_lines (
    id integer, ord integer, a smallint, b integer, code text COLLATE "C", cust integer, v numeric(12, 2))
    WITH (autovacuum_enabled = off);
INSERT INTO dep_lines
SELECT i, NULLIF(i % 3200, 9), i % 13, NULLIF(i % 17, 3), 'code ' || i % 120, i % 450, (i * 7919::bigint % 10007) / 100.0
FROM generate_series(1, 15000) i;
CREATE TABLE dep_orders (ord integer PRIMARY KEY, cust bigint, day date, priority text COLLATE "C")
    WITH (autovacuum_enabled = off);
INSERT INTO dep_orders
SELECT i, NULLIF(i * 7 % 420, 5), date '2024-01-01' + i % 90, 'priority ' || i % 5 FROM generate_series(3000, 0, -1) i;
-- Names that look alike, numerics of several scales, NULLs, and texts out of line.
CREATE TABLE dep_customers (
    cust integer PRIMARY KEY, name varchar(30) COLLATE "C", nation smallint, balance numeric, since timestamptz,
    tag char(8), is_old boolean, note text COLLATE "C", list integer[], facts json)
    WITH (autovacuum_enabled = off);
INSERT INTO dep_customers
SELECT i, CASE WHEN i % 9 > 0 THEN 'name ' || i / 3 END, NULLIF(i % 24, 7),
       (ARRAY['1', '1.0', '1.00', 'NaN', NULL, '123456789012345678901.5'])[1 + i % 6]::numeric,
       timestamptz '2024-03-30 12:00+00' + i * interval '7 hours', 'tag ' || i % 3, NULLIF(i % 3, 0) = 1,
       CASE WHEN i % 50 = 1 THEN (SELECT string_agg(md5(i::text || j), '') FROM generate_series(1, 200) j) ELSE 'note ' || i % 4 END,
       CASE WHEN i % 7 > 0 THEN ARRAY[i, i % 2] END, CASE WHEN i % 5 > 0 THEN json_build_object('a', i) END
FROM generate_series(400, 1, -1) i;
CREATE TABLE dep_nations (nation integer PRIMARY KEY, name text COLLATE "C", region integer, x integer)
    WITH (autovacuum_enabled = off);
INSERT INTO dep_nations SELECT i, 'nation ' || i % 11, i % 6, i % 3 FROM generate_series(0, 20) i;
CREATE TABLE dep_regions (region integer PRIMARY KEY, name text COLLATE "C", note text COLLATE "C")
    WITH (autovacuum_enabled = off);
INSERT INTO dep_regions SELECT i, 'region ' || i % 2, 'note ' || i FROM generate_series(0, 4) i;
CREATE TABLE dep_pairs (a smallint, b integer, label text COLLATE "C", x integer, PRIMARY KEY (a, b))
    WITH (autovacuum_enabled = off);
INSERT INTO dep_pairs SELECT i % 12, i / 12, 'label ' || i % 4, i % 5 FROM generate_series(0, 179) i;
CREATE TABLE dep_codes (code text COLLATE "C" PRIMARY KEY, label text COLLATE "C", x numeric)
    WITH (autovacuum_enabled = off);
INSERT INTO dep_codes SELECT 'code ' || i, 'label ' || i % 7, i / 4.0 FROM generate_series(0, 99) i;
VACUUM (FREEZE, ANALYZE) dep_lines, dep_orders, dep_customers, dep_nations, dep_regions, dep_pairs, dep_codes;

-- What wa_compare says, whether the order is another where there is one, and of the plan
-- the keys that groups are the same by, and those that these tell.
CREATE FUNCTION dep_same(query text) RETURNS text LANGUAGE sql AS $$
    SELECT split_part(wa_compare(query), ',', 1)
        || CASE WHEN query ~ 'ORDER BY'
                AND wa_rows(query, 'on', 'on', 'all', true) IS DISTINCT FROM wa_rows(query, 'off', 'off', 'off', true)
           THEN ', in another order' ELSE '' END
        || COALESCE((SELECT string_agg(', ' || trim(line), '' ORDER BY line DESC) FROM wa_plan(query) line
                     WHERE line ~ 'Group Key: .*ctid|Dependent'), ', none depends')
$$;

-- The shape of TPC-H's tenth query: a chain, and few groups of those that there are.
SELECT wa_plan('SELECT c.cust, c.name, sum(l.v) AS sum, c.balance, n.name, c.tag, c.note FROM dep_lines l JOIN dep_orders o ON o.ord = l.ord JOIN dep_customers c ON c.cust = o.cust JOIN dep_nations n ON n.nation = c.nation WHERE o.day > ''2024-02-01'' GROUP BY c.cust, c.name, c.balance, n.name, c.tag, c.note ORDER BY sum DESC, c.cust LIMIT 20');
SELECT dep_same('SELECT c.cust, c.name, sum(l.v) AS sum, c.balance, n.name, c.tag, c.note FROM dep_lines l JOIN dep_orders o ON o.ord = l.ord JOIN dep_customers c ON c.cust = o.cust JOIN dep_nations n ON n.nation = c.nation WHERE o.day > ''2024-02-01'' GROUP BY c.cust, c.name, c.balance, n.name, c.tag, c.note ORDER BY sum DESC, c.cust LIMIT 20');
SELECT dep_same('SELECT c.cust, c.name, c.note, sum(l.v), count(*) FROM dep_lines l JOIN dep_orders o ON o.ord = l.ord JOIN dep_customers c ON c.cust = o.cust GROUP BY c.cust, c.name, c.note');
SELECT dep_same('SELECT o.ord, o.day, o.priority, c.name, n.name, r.name, r.note, count(*), min(c.name) FROM dep_lines l JOIN dep_orders o ON o.ord = l.ord JOIN dep_customers c ON c.cust = o.cust JOIN dep_nations n ON n.nation = c.nation JOIN dep_regions r ON r.region = n.region GROUP BY 1, 2, 3, 4, 5, 6, 7');
-- by a column of the table that equals the key, of another type too
SELECT dep_same('SELECT l.ord, o.day, o.priority, sum(l.v) AS s FROM dep_lines l JOIN dep_orders o ON o.ord = l.ord GROUP BY 1, 2, 3 ORDER BY s DESC, o.day LIMIT 10');
SELECT dep_same('SELECT o.cust, c.name, c.since, c.is_old, count(*) FROM dep_lines l JOIN dep_orders o ON o.ord = l.ord JOIN dep_customers c ON c.cust = o.cust GROUP BY 1, 2, 3, 4');
SELECT dep_same('SELECT l.code, c.label, c.x, count(*) FROM dep_lines l JOIN dep_codes c ON c.code = l.code GROUP BY 1, 2, 3');
SELECT dep_same('SELECT l.cust, d.name, d.x, c.name, c.note, count(*) FROM dep_lines l LEFT JOIN dep_nations d ON d.nation = l.cust JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3, 4, 5 ORDER BY count(*) DESC, 1, 2, 3, 4, 5 LIMIT 40');
SELECT dep_same('SELECT l.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3 ORDER BY 1 LIMIT 9');
SELECT dep_same('SELECT l.cust, l.cust + count(*), c.name, c.note FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 3, 4 HAVING l.cust + count(*) < 150 ORDER BY 2, 1 LIMIT 9');
-- columns that PostgreSQL knows to depend on a primary key, and expressions over columns
SELECT dep_same('SELECT c.cust, c.name, upper(c.note) || c.name, c.balance, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY c.cust');
SELECT dep_same('SELECT c.cust, c.name || ''!'' AS shown, length(c.note) + count(*), n.name || c.name FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust JOIN dep_nations n ON n.nation = c.nation GROUP BY c.cust, c.name, c.note, n.name');
SELECT dep_same('SELECT c.cust, upper(c.name), lower(c.note), count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY c.cust, upper(c.name), lower(c.note)');
-- types that no vector holds
SELECT dep_same('SELECT c.cust, c.list, c.facts ->> ''a'', c.facts, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY c.cust');
SELECT dep_same('SELECT c.cust, c.list, max(l.v) FROM dep_lines l LEFT JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2 ORDER BY 3 DESC, 2 DESC, 1 LIMIT 20');
SELECT wa_refusal('SELECT l.a, c.list, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2');
SELECT wa_refusal('SELECT c.cust, c.list, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2 ORDER BY 2 LIMIT 3');
-- ORDER BY of a few by what is told, first and later; HAVING of it
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3 ORDER BY c.name DESC, c.cust LIMIT 7 OFFSET 3');
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3 ORDER BY count(*) DESC, c.name, c.note DESC, c.cust LIMIT 25');
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3 ORDER BY count(*) DESC, c.name || c.note, 1 LIMIT 25');
SELECT dep_same('SELECT c.cust, c.name, c.note, sum(l.v) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3 HAVING c.name = ''name 7'' OR sum(l.v) > 1900 OR c.note ~ ''^[0-9a-f]+$''');
SELECT dep_same('SELECT c.cust, c.name, c.note, sum(l.v) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3 HAVING c.name > ''name 4'' OR sum(l.v) > 1900 ORDER BY 4 DESC, 1 LIMIT 12');
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust WHERE c.name <> ''name 7'' AND l.v > c.cust GROUP BY 1, 2, 3 ORDER BY 4, 1 FETCH FIRST 5 ROWS WITH TIES');
-- HAVING of few groups, what is told in it and not
SELECT dep_same('SELECT c.cust, c.name, n.name, n.x, sum(l.v) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust LEFT JOIN dep_nations n ON n.nation = c.nation GROUP BY 1, 2, 3, 4 HAVING sum(l.v) > 1700');
SELECT dep_same('SELECT c.cust, c.name, n.name, n.x, sum(l.v) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust LEFT JOIN dep_nations n ON n.nation = c.nation GROUP BY 1, 2, 3, 4 HAVING sum(l.v) > 1850 OR n.name IS NULL AND c.cust > count(*)');
-- left joins: rows without a partner, at the first, a second and a third step
SELECT dep_same('SELECT c.cust, c.name, c.note, c.balance, count(*) FROM dep_lines l LEFT JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3, 4');
SELECT dep_same('SELECT l.cust, c.name, c.note, count(*) FROM dep_lines l LEFT JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3');
SELECT dep_same('SELECT c.cust, c.name, n.name, n.x, r.name, r.note, count(*) FROM dep_lines l LEFT JOIN dep_orders o ON o.ord = l.ord LEFT JOIN dep_customers c ON c.cust = o.cust LEFT JOIN dep_nations n ON n.nation = c.nation LEFT JOIN dep_regions r ON r.region = n.region GROUP BY 1, 2, 3, 4, 5, 6');
SELECT dep_same('SELECT c.cust, c.name, n.name, n.x, sum(l.v) AS s FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust LEFT JOIN dep_nations n ON n.nation = c.nation GROUP BY 1, 2, 3, 4 ORDER BY s DESC, c.cust LIMIT 30');
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l LEFT JOIN (SELECT * FROM dep_customers WHERE nation > 9) c ON c.cust = l.cust GROUP BY 1, 2, 3');
-- keys of several columns
SELECT dep_same('SELECT p.a, p.b, p.label, p.x, count(*) FROM dep_lines l JOIN dep_pairs p ON p.a = l.a AND p.b = l.b GROUP BY 1, 2, 3, 4');
SELECT dep_same('SELECT l.a, p.b, p.label, p.x, count(*) FROM dep_lines l LEFT JOIN dep_pairs p ON p.a = l.a AND p.b = l.b GROUP BY 1, 2, 3, 4 ORDER BY count(*) DESC, 1, 2, 3, 4 LIMIT 300');
-- more groups than rows, whose values are read less often in tables; and few of them
SELECT dep_same('SELECT l.id, c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3, 4');
SELECT dep_same('SELECT l.id, c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3, 4 ORDER BY 5, 1 LIMIT 5000');
SELECT dep_same('SELECT l.id, c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3, 4 ORDER BY 5, 1 LIMIT 50 OFFSET (SELECT 3)');
-- keys that do not tell a row, or not which of two; relations in two roles, and keys of each
SELECT dep_same('SELECT p.a, p.label, p.x, count(*) FROM dep_lines l JOIN dep_pairs p ON p.a = l.a AND p.b = l.b GROUP BY 1, 2, 3');
SELECT dep_same('SELECT l.a, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3');
SELECT dep_same('SELECT n.nation, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust JOIN dep_nations n ON n.nation = c.nation GROUP BY 1, 2, 3');
SELECT dep_same('SELECT c.cust, c.name, c.note, d.name, d.note, d.tag, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust JOIN dep_customers d ON d.cust = l.b GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY count(*) DESC, 1, 2, 3, 4, 5, 6 LIMIT 300');
SELECT dep_same('SELECT c.cust, c.name, d.cust, d.name, l.a, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust LEFT JOIN dep_customers d ON d.cust = l.b GROUP BY 1, 2, 3, 4, 5 ORDER BY count(*) DESC, 1, 2, 3, 4, 5 LIMIT 300');
-- conditions of joins, grouping sets, rows that are no heap table's
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l LEFT JOIN dep_customers c ON c.cust = l.cust AND c.nation > l.a GROUP BY 1, 2, 3');
SELECT wa_plan('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust GROUP BY GROUPING SETS ((1, 2, 3), (1))') LIMIT 1;
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN (SELECT DISTINCT ON (cust) * FROM dep_customers) c ON c.cust = l.cust GROUP BY 1, 2, 3');
-- by an index, and by a bitmap
SET enable_indexscan = on;
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust WHERE c.cust < 9 GROUP BY 1, 2, 3');
SELECT wa_plan('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust WHERE c.cust < 9 GROUP BY 1, 2, 3');
SET enable_indexscan = off;
SET enable_bitmapscan = on;
SELECT dep_same('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust WHERE c.cust < 9 GROUP BY 1, 2, 3');
SELECT wa_plan('SELECT c.cust, c.name, c.note, count(*) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust WHERE c.cust < 9 GROUP BY 1, 2, 3');
SET enable_bitmapscan = off;

-- again and again, with parameters, and by a cursor while rows change
SELECT wa_compare('SELECT r, (SELECT string_agg(name || sum, '','' ORDER BY cust) FROM (SELECT c.cust, c.name, c.note, sum(l.v) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust AND c.nation = r GROUP BY 1, 2, 3) q) FROM generate_series(1, 4) r');
PREPARE dep_prepared (integer) AS
SELECT c.cust, c.name, c.tag, sum(l.v) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust WHERE c.nation = $1 GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1 LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE dep_prepared (3);
EXECUTE dep_prepared (4);
BEGIN;
DECLARE dep_cursor CURSOR FOR SELECT c.cust, c.name, c.tag, sum(l.v) FROM dep_lines l JOIN dep_customers c ON c.cust = l.cust WHERE c.nation = 5 GROUP BY 1, 2, 3 ORDER BY 1;
FETCH 2 FROM dep_cursor;
UPDATE dep_customers SET name = 'changed', tag = 'changed' WHERE nation = 5;
DELETE FROM dep_customers WHERE nation = 4;
FETCH 2 FROM dep_cursor;
EXECUTE dep_prepared (5);
ROLLBACK;
EXECUTE dep_prepared (5);
DEALLOCATE dep_prepared;
RESET plan_cache_mode;

-- Tables that are kept: in the session, and in another one by the device process.
SELECT warpagg_load('dep_lines') AS lines, warpagg_load('dep_orders') AS orders, warpagg_load('dep_customers') AS customers, warpagg_load('dep_nations') AS nations;
CREATE FUNCTION dep_kept(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT split_part(wa_compare(query), ',', 1) || string_agg(format(', %s %s', t ->> 'Rows',
                CASE WHEN (t ->> 'Reused')::boolean THEN 'reused' ELSE 'read' END), '' ORDER BY t ->> 'Rows')
            FROM jsonb_path_query(plan, 'strict $.**."Join Tables"[*]') AS j (t));
END
$$;
\set query '''SELECT c.cust, c.name, sum(l.v) AS sum, c.balance, n.name, c.tag, c.note FROM dep_lines l JOIN dep_orders o ON o.ord = l.ord JOIN dep_customers c ON c.cust = o.cust LEFT JOIN dep_nations n ON n.nation = c.nation GROUP BY c.cust, c.name, c.balance, n.name, c.tag, c.note ORDER BY sum DESC, c.cust LIMIT 20'''
SELECT dep_kept(:query);
SELECT dep_kept(:query);
\set settings 'SET client_min_messages = error; SET timezone = ''UTC''; LOAD ''warpagg''; SET warpagg.enable_scan = on; SET warpagg.accelerate = ''all''; SET warpagg.autoload = off; SET max_parallel_workers_per_gather = 0; SET cpu_tuple_cost = 1; SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;'
\connect -
:settings
SELECT dep_kept(:query);
-- rows that change, and others in their places
UPDATE dep_customers SET name = 'new ' || cust, note = 'new' WHERE cust % 3 = 1;
UPDATE dep_nations SET name = 'new ' || nation WHERE nation % 2 = 1;
SELECT dep_kept(:query);
SELECT warpagg_load('dep_customers') AS customers, warpagg_load('dep_nations') AS nations;
SELECT dep_kept(:query);
SELECT dep_kept(:query);
DELETE FROM dep_customers WHERE cust % 5 = 2;
VACUUM dep_customers;
INSERT INTO dep_customers SELECT i, 'again ' || i, i % 20, i, now(), 'again', true, 'again', NULL, NULL FROM generate_series(1, 400) i WHERE i % 5 = 2;
SELECT dep_kept(:query);
SELECT warpagg_load('dep_customers') AS customers;
SELECT dep_kept(:query);
SELECT dep_kept(:query);
VACUUM (FULL, FREEZE) dep_customers;
SELECT warpagg_load('dep_customers') AS customers;
SELECT dep_kept(:query);
\connect -
:settings
SELECT dep_kept(:query);
BEGIN;
UPDATE dep_customers SET name = 'mine' WHERE cust < 200;
SELECT dep_kept(:query);
ROLLBACK;
SELECT dep_kept(:query);

-- Groups that are spilled.
SET work_mem = '64kB';
SET hash_mem_multiplier = 4;
SELECT dep_same('SELECT l.id, c.cust, c.name, c.note, count(*), sum(l.v) FROM dep_lines l LEFT JOIN dep_customers c ON c.cust = l.cust GROUP BY 1, 2, 3, 4 ORDER BY count(*) DESC, 1, 2, 3, 4 LIMIT 300');
RESET work_mem;
RESET hash_mem_multiplier;

-- Workers.
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET warpagg.enable_resident = off;
SELECT dep_same(:query);
SELECT dep_same('SELECT l.a, c.cust, c.name, c.note, n.name, n.x, count(*), sum(l.v) FROM dep_lines l LEFT JOIN dep_customers c ON c.cust = l.cust LEFT JOIN dep_nations n ON n.nation = c.nation GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY count(*) DESC, 1, 2, 3, 4, 5, 6 LIMIT 40');

DROP TABLE dep_lines, dep_orders, dep_customers, dep_nations, dep_regions, dep_pairs, dep_codes;
DROP FUNCTION dep_same, dep_kept;
