-- Partitions of a table share dictionaries of texts, whatever the order of their columns;
-- who leaves the table, or comes to it, is loaded anew.
LOAD 'warpagg';
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE wa_family (day date, name text, value integer) PARTITION BY RANGE (day);
CREATE TABLE wa_family_1 PARTITION OF wa_family FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
CREATE TABLE wa_family_2 (gone integer, value integer, gone_too text, name text, day date);
ALTER TABLE wa_family_2 DROP COLUMN gone, DROP COLUMN gone_too;
ALTER TABLE wa_family ATTACH PARTITION wa_family_2 FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
CREATE TABLE wa_family_rest PARTITION OF wa_family DEFAULT PARTITION BY LIST (day);
CREATE TABLE wa_family_3 PARTITION OF wa_family_rest DEFAULT;
INSERT INTO wa_family (day, name, value)
SELECT date '2024-01-01' + x % 90, repeat(md5((x % 500)::text), 8), x FROM generate_series(1, 18000) x;
VACUUM (ANALYZE) wa_family_1, wa_family_2, wa_family_3;

-- What a column of texts takes, with its part of the dictionary.
CREATE VIEW wa_family_bytes AS
SELECT relation, bytes FROM warpagg_resident
WHERE relation::text LIKE 'wa\_family%' AND column_name = 'name';
CREATE FUNCTION wa_family_bytes(regclass) RETURNS bigint
RETURN (SELECT bytes FROM wa_family_bytes WHERE relation = $1);
CREATE FUNCTION wa_family_queries(target regclass)
RETURNS TABLE (total text, by_name text, chosen text, measured text) LANGUAGE sql AS $$
SELECT wa_compare(format('SELECT count(*), sum(value), min(name), max(day) FROM %s', target)),
       wa_compare(format('SELECT name, count(*), sum(value) FROM %s GROUP BY name', target)),
       wa_compare(format('SELECT count(*), sum(value) FROM %s WHERE name LIKE ''a%%''', target)),
       wa_compare(format('SELECT left(upper(name), 2), count(*), sum(value) FROM %s GROUP BY 1', target))
$$;

SELECT warpagg_load('wa_family_1') AS rows;
CREATE TEMP TABLE alone AS SELECT wa_family_bytes('wa_family_1') AS bytes;
SELECT warpagg_load('wa_family_2') AS rows;
SELECT wa_family_bytes('wa_family_1') < 0.7 * bytes AS shares_with_another FROM alone;
SELECT warpagg_load('wa_family_3') AS rows;
SELECT wa_family_bytes('wa_family_1') < 0.5 * bytes AS shares_with_two FROM alone;
SELECT relation, column_name, rows, blocks > 0 AS has_blocks, bytes > 0 AS has_bytes
FROM warpagg_resident WHERE relation::text LIKE 'wa\_family%' ORDER BY 1, 2;
SELECT target, q.* FROM unnest('{wa_family_1,wa_family_2,wa_family_3}'::regclass[]) target, wa_family_queries(target) q;

-- What has been resident stays so, in a dictionary of its own, when it is loaded again.
SELECT warpagg_pin('wa_family_2');
ALTER TABLE wa_family DETACH PARTITION wa_family_2;
SELECT * FROM wa_family_queries('wa_family_2');
SELECT warpagg_load('wa_family_2', '{day}') AS rows;
SELECT wa_family_bytes('wa_family_2') > 0.8 * bytes AS is_alone FROM alone;
SELECT column_name, rows, pinned FROM warpagg_resident WHERE relation = 'wa_family_2'::regclass ORDER BY 1;
SELECT * FROM wa_family_queries('wa_family_2');
SELECT warpagg_load('wa_family_2') AS rows;

-- It comes back, by another name of the column.
ALTER TABLE wa_family RENAME COLUMN name TO title;
ALTER TABLE wa_family_2 RENAME COLUMN name TO title;
ALTER TABLE wa_family ATTACH PARTITION wa_family_2 FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
ALTER TABLE wa_family RENAME COLUMN title TO name;
SELECT warpagg_load('wa_family_2') AS rows;
SELECT wa_family_bytes('wa_family_2') < 0.5 * bytes AS shares_with_two FROM alone;
SELECT target, q.* FROM unnest('{wa_family_1,wa_family_2,wa_family_3}'::regclass[]) target, wa_family_queries(target) q;

-- The dictionary is there for as long as one of them is.
SELECT warpagg_unload('wa_family_1');
SELECT warpagg_unload('wa_family_3');
SELECT wa_family_bytes('wa_family_2') > 0.8 * bytes AS has_all FROM alone;
SELECT * FROM wa_family_queries('wa_family_2');
SELECT warpagg_unload('wa_family_2');
DROP TABLE wa_family CASCADE;
DROP FUNCTION wa_family_queries, wa_family_bytes;
DROP VIEW wa_family_bytes;

-- So do tables that inherit from one, in columns that they have from it; who inherits from
-- several does not.
CREATE TABLE wa_parent (id integer, name text);
CREATE TABLE wa_child_1 (own text) INHERITS (wa_parent);
CREATE TABLE wa_child_2 (own text) INHERITS (wa_parent);
CREATE TABLE wa_other (more integer);
CREATE TABLE wa_child_3 () INHERITS (wa_parent, wa_other);
CREATE FUNCTION wa_child_bytes(child regclass, name text) RETURNS bigint
RETURN (SELECT bytes FROM warpagg_resident WHERE relation = child AND column_name = name);
INSERT INTO wa_parent SELECT x, repeat(md5((x % 500)::text), 8) FROM generate_series(1, 6000) x;
INSERT INTO wa_child_1 SELECT id, name, name FROM wa_parent;
INSERT INTO wa_child_2 SELECT id, name, name FROM ONLY wa_parent;
INSERT INTO wa_child_3 SELECT id, name, id FROM ONLY wa_parent;
VACUUM (ANALYZE) wa_parent, wa_child_1, wa_child_2, wa_child_3;
SELECT warpagg_load(relation) AS rows FROM unnest('{wa_parent,wa_child_1,wa_child_2,wa_child_3}'::regclass[]) relation;
SELECT relation, wa_child_bytes(relation, 'name') < 0.6 * wa_child_bytes('wa_child_3', 'name') AS name_is_shared,
       wa_child_bytes(relation, 'own') < 0.6 * wa_child_bytes('wa_child_3', 'name') AS own_is_shared
FROM unnest('{wa_parent,wa_child_1,wa_child_2,wa_child_3}'::regclass[]) relation;
SELECT wa_compare('SELECT name, own, count(*), sum(id) FROM ' || relation || ' GROUP BY 1, 2')
FROM unnest('{wa_child_1,wa_child_2}'::regclass[]) relation;
SELECT wa_compare('SELECT name, count(*), sum(id) FROM ' || relation || ' GROUP BY 1')
FROM unnest('{"only wa_parent",wa_child_3}'::text[]) relation;
DROP FUNCTION wa_child_bytes;
DROP TABLE wa_parent, wa_other CASCADE;
