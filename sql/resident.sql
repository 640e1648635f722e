-- Resident columns: what can be loaded, by whom, and what is said of the rest.
-- test/t/006_resident_load.pl looks at more.
SET client_min_messages = error;

CREATE TABLE resident_facts (
    a smallint, b integer, c bigint, d real, e double precision, f numeric,
    g money, h oid, i boolean, j date, k time, l timestamp, m timestamptz,
    n text, o varchar(10), p character(5), q interval, r integer[]);
INSERT INTO resident_facts
    SELECT x % 10, x, x, x, x, x, x::text::money, x, x % 2 = 0,
           date '2024-01-01' + x, time '00:00' + x * interval '1 s',
           timestamp '2024-01-01' + x * interval '1 s',
           timestamptz '2024-01-01' + x * interval '1 s', x, x, x,
           x * interval '1 s', ARRAY[x]
    FROM generate_series(1, 1000) x;

SELECT warpagg_load('resident_facts');
SELECT warpagg_load('resident_facts');
SELECT count(*)
FROM warpagg_resident WHERE relation = 'resident_facts'::regclass
    AND NOT (column_name BETWEEN 'a' AND 'p' AND rows = 1000 AND blocks > 0
             AND extents = 1 AND bytes > 0 AND database = current_database()
             AND fresh_share = 1);

-- Blocks with rows of transactions that have not ended come later; VACUUM plays no part.
SET client_min_messages = notice;
CREATE TABLE resident_flux WITH (fillfactor = 10, autovacuum_enabled = off) AS SELECT x AS id FROM generate_series(1, 1000) x;
SELECT warpagg_load('resident_flux');
BEGIN;
UPDATE resident_flux SET id = -id WHERE id = 1;
SELECT warpagg_load('resident_flux');
INSERT INTO resident_flux VALUES (2000);
SAVEPOINT before;
DELETE FROM resident_flux WHERE id = 500;
SELECT warpagg_load('resident_flux') >= 0 AS loaded;
ROLLBACK TO before;
SELECT warpagg_load('resident_flux') >= 0 AS loaded;
SELECT fresh_share < 1 AS not_all_fresh FROM warpagg_resident WHERE relation = 'resident_flux'::regclass;
COMMIT;
SELECT warpagg_load('resident_flux') BETWEEN 1 AND 100 AS loaded;
SELECT rows, fresh_share FROM warpagg_resident WHERE relation = 'resident_flux'::regclass;
VACUUM (FREEZE) resident_flux;
SELECT warpagg_load('resident_flux');
SELECT count(*), sum(id) FROM resident_flux;
DROP TABLE resident_flux;
SET client_min_messages = error;

-- Columns that there are not, or that cannot be.
SELECT warpagg_load('resident_facts', '{b, nothing}');
SELECT warpagg_load('resident_facts', '{xmin}');
SELECT warpagg_load('resident_facts', '{q}');
SELECT warpagg_load('resident_facts', '{b, r}');
SELECT warpagg_load('resident_facts', '{}');
SELECT warpagg_load('resident_facts', '{NULL}');
SELECT warpagg_load('resident_facts', '{b, b}') >= 0 AS loaded;
SELECT warpagg_load(NULL);
SELECT warpagg_load(0);
SELECT warpagg_unload(NULL);
SELECT warpagg_unload('resident_facts', '{b, nothing}');
SELECT warpagg_unload('resident_facts', '{b, c}');
SELECT count(*) FROM warpagg_resident
WHERE relation = 'resident_facts'::regclass AND column_name IN ('b', 'c');
CREATE TABLE resident_nothing (a interval);
SELECT warpagg_load('resident_nothing');

-- Relations that cannot be.
CREATE TEMP TABLE resident_temp (a integer);
CREATE UNLOGGED TABLE resident_unlogged (a integer);
CREATE TABLE resident_parent (a integer) PARTITION BY RANGE (a);
CREATE TABLE resident_empty (a integer) PARTITION BY RANGE (a);
CREATE TABLE resident_child PARTITION OF resident_parent DEFAULT;
CREATE VIEW resident_view AS SELECT 1 AS a;
CREATE SEQUENCE resident_sequence;
CREATE INDEX resident_index ON resident_facts (b);
CREATE MATERIALIZED VIEW resident_matview AS SELECT 1 AS a;
SELECT warpagg_load('pg_class');
SELECT warpagg_load('resident_temp');
SELECT warpagg_load('resident_unlogged');
SELECT warpagg_load('resident_parent');
SELECT warpagg_load('resident_empty');
SELECT warpagg_load('resident_view');
SELECT warpagg_load('resident_sequence');
SELECT warpagg_load('resident_index');
SELECT warpagg_unload('resident_view');
SELECT warpagg_load('resident_child') AS rows;
SELECT warpagg_load('resident_matview') >= 0 AS loaded;

-- Made or emptied in the same transaction, also in a subtransaction that was
-- rolled back.
BEGIN;
CREATE TABLE resident_new (a integer);
SELECT warpagg_load('resident_new');
ROLLBACK;
BEGIN;
TRUNCATE resident_facts;
SELECT warpagg_load('resident_facts');
ROLLBACK;
BEGIN;
SAVEPOINT before;
TRUNCATE resident_facts;
ROLLBACK TO before;
SELECT warpagg_load('resident_facts') >= 0 AS loaded;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT warpagg_load('resident_facts');
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT warpagg_load('resident_facts') >= 0 AS loaded;
COMMIT;

-- Privileges: to select from what is loaded, and to own what is unloaded.
CREATE ROLE regress_warpagg_reader;
GRANT SELECT (b, c) ON resident_facts TO regress_warpagg_reader;
SET ROLE regress_warpagg_reader;
SELECT warpagg_load('resident_facts', '{b, c}') >= 0 AS loaded;
SELECT warpagg_load('resident_facts') >= 0 AS loaded;
SELECT warpagg_load('resident_facts', '{b, d}');
SELECT warpagg_load('resident_child');
SELECT warpagg_unload('resident_facts');
SELECT warpagg_unload('resident_facts', '{b}');
SELECT count(*) >= 0 AS seen FROM warpagg_resident
WHERE relation = 'resident_facts'::regclass;
RESET ROLE;

-- The privilege to load can be revoked; that to pin has to be granted, and is its
-- owner's.  What is gone is told as such.
SET ROLE regress_warpagg_reader;
SELECT warpagg_pin('resident_facts');
SELECT warpagg_unpin('resident_facts');
RESET ROLE;
GRANT EXECUTE ON FUNCTION warpagg_pin(regclass), warpagg_unpin(regclass)
    TO regress_warpagg_reader;
REVOKE EXECUTE ON FUNCTION warpagg_load(regclass, text[]),
    warpagg_load_later(regclass, text[]) FROM PUBLIC;
SET ROLE regress_warpagg_reader;
SELECT warpagg_pin('resident_facts');
SELECT warpagg_unpin('resident_facts');
SELECT warpagg_load('resident_facts', '{b, c}');
SELECT warpagg_load_later('resident_facts', '{b, c}');
RESET ROLE;
GRANT EXECUTE ON FUNCTION warpagg_load(regclass, text[]),
    warpagg_load_later(regclass, text[]) TO PUBLIC;
REVOKE EXECUTE ON FUNCTION warpagg_pin(regclass), warpagg_unpin(regclass)
    FROM regress_warpagg_reader;
SELECT warpagg_pin('resident_nothing');
SELECT warpagg_pin('resident_view');
SELECT warpagg_unpin('resident_view');
SELECT warpagg_pin(NULL), warpagg_unpin(NULL);
\set VERBOSITY sqlstate
SELECT warpagg_load(0);
SELECT warpagg_load_later(0);
SELECT warpagg_unload(0);
SELECT warpagg_pin(0);
SELECT warpagg_unpin(0);
\set VERBOSITY default

-- An empty table, and rows that are longer than the columns that are loaded.
SELECT warpagg_load('resident_parent');
CREATE TABLE resident_wide (a integer, b text);
SELECT warpagg_load('resident_wide');
INSERT INTO resident_wide
    SELECT x, string_agg(md5(x::text || y), '')
    FROM generate_series(1, 50) x, generate_series(1, 200) y GROUP BY x;
SELECT warpagg_load('resident_wide');
SELECT count(*) FROM warpagg_resident
WHERE relation = 'resident_wide'::regclass AND column_name = 'b';

-- The settings of the tier.
SHOW warpagg.memory_limit;
SHOW warpagg.enable_resident;
SET warpagg.memory_limit = '1GB';
SET warpagg.debug_skip_rule = 1;
SET ROLE regress_warpagg_reader;
SET warpagg.debug_load_delay = 1;
SET warpagg.debug_spill_groups = 1;
RESET ROLE;

SELECT warpagg_unload('resident_facts');
DROP TABLE resident_facts, resident_nothing, resident_unlogged, resident_parent,
    resident_empty, resident_wide CASCADE;
DROP VIEW resident_view;
DROP MATERIALIZED VIEW resident_matview;
DROP SEQUENCE resident_sequence;
DROP ROLE regress_warpagg_reader;
