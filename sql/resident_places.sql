-- The column ctid as a resident one: it is loaded where it is named, as the places of the
-- rows, and follows what becomes of these.  test/t/027_places.pl looks at the places.
LOAD 'warpagg';
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE wa_places (id integer, v integer, note text)
    WITH (autovacuum_enabled = off, parallel_workers = 0, fillfactor = 90);
INSERT INTO wa_places SELECT x, x % 10, 'note ' || x FROM generate_series(1, 60000) x;
VACUUM ANALYZE wa_places;

-- What is resident of a table: the bytes of a value are those of the narrowest form.
CREATE FUNCTION wa_places_resident(target regclass)
RETURNS TABLE (column_name text, all_rows boolean, width numeric, is_fresh boolean, is_pinned boolean) LANGUAGE plpgsql AS $$
DECLARE
    count bigint;
BEGIN
    SET LOCAL warpagg.enable_scan = off;
    EXECUTE format('SELECT count(*) FROM ONLY %s', target) INTO count;
    RETURN QUERY SELECT r.column_name, r.rows = count,
                        CASE WHEN r.column_name <> 'note' THEN round(r.bytes / r.rows::numeric) END, r.fresh_share = 1, r.pinned
                 FROM warpagg_resident r WHERE r.relation = target ORDER BY 1;
END
$$;

-- It has to be named, and is the only system column that can be.
SELECT warpagg_load('wa_places');
SELECT * FROM wa_places_resident('wa_places');
SELECT warpagg_load('wa_places', '{xmin}');
SELECT warpagg_load('wa_places', '{tableoid, ctid}');
SELECT warpagg_load('wa_places', '{id, ctid, id, ctid}');
SELECT warpagg_load('wa_places', '{ctid}');
SELECT * FROM wa_places_resident('wa_places');
SELECT warpagg_unload('wa_places', '{id, v, note}');
SELECT * FROM wa_places_resident('wa_places');
SELECT wa_compare('SELECT count(*) FROM wa_places');

-- Rows that are changed, in their pages or to others, deleted, and removed.
UPDATE wa_places SET v = 11 WHERE id % 1000 = 1;
SELECT wa_compare('SELECT count(*) FROM wa_places');
SELECT warpagg_load('wa_places', '{ctid}') BETWEEN 1 AND 59999 AS loads_a_part;
SELECT * FROM wa_places_resident('wa_places');
DELETE FROM wa_places WHERE id % 1000 = 2;
UPDATE wa_places SET note = repeat(note, 30) WHERE id % 1000 = 3;
SELECT wa_compare('SELECT count(*) FROM wa_places');
SELECT warpagg_load('wa_places', '{ctid}') BETWEEN 1 AND 59999 AS loads_a_part;
SELECT * FROM wa_places_resident('wa_places');
VACUUM wa_places;
INSERT INTO wa_places SELECT x, x % 10, 'new ' || x FROM generate_series(1, 2000) x;
SELECT warpagg_load('wa_places', '{ctid}') BETWEEN 1 AND 61000 AS loads_a_part;
SELECT * FROM wa_places_resident('wa_places');
SELECT wa_compare('SELECT count(*) FROM wa_places');
VACUUM FULL wa_places;
SELECT wa_compare('SELECT count(*) FROM wa_places');
SELECT warpagg_load('wa_places', '{ctid}') = count(*) AS loads_all FROM wa_places;
SELECT * FROM wa_places_resident('wa_places');
SELECT wa_compare('SELECT count(*) FROM wa_places');

-- What users say of ctid is left to PostgreSQL.
SELECT warpagg_load('wa_places') > 0 AS loaded;
SELECT q, wa_compare(q) FROM unnest(ARRAY[
    'SELECT max(ctid) FROM wa_places WHERE id < 9',
    'SELECT min(ctid), max(ctid) FROM wa_places',
    'SELECT sum(v) FROM wa_places WHERE ctid <> ''(0,1)''',
    'SELECT sum(v) FROM wa_places WHERE ctid IS DISTINCT FROM ''(0,1)''',
    'SELECT ctid, sum(v) FROM wa_places WHERE id < 10 GROUP BY ctid',
    'SELECT count(*) FILTER (WHERE ctid < ''(5,1)'') FROM wa_places'
]) q;

-- What is dropped and added besides changes nothing of it; nor does what a transaction adds.
ALTER TABLE wa_places DROP COLUMN v, ADD COLUMN w integer DEFAULT 5;
SELECT warpagg_load('wa_places', '{ctid, w}') > 0 AS loaded;
SELECT * FROM wa_places_resident('wa_places');
BEGIN;
ALTER TABLE wa_places ADD COLUMN x integer;
SELECT warpagg_load('wa_places', '{ctid}');
SELECT warpagg_load('wa_places', '{ctid, x}');
ROLLBACK;
SELECT warpagg_unload('wa_places');
SELECT * FROM wa_places_resident('wa_places');

-- Pinned columns, and what is unloaded of them.
SELECT warpagg_load('wa_places', '{ctid, id}') > 0 AS loaded;
SELECT warpagg_pin('wa_places');
SELECT * FROM wa_places_resident('wa_places');
SELECT warpagg_unload('wa_places', '{ctid}');
SELECT * FROM wa_places_resident('wa_places');
SELECT warpagg_unpin('wa_places');
SELECT warpagg_unload('wa_places', '{ctid}');

-- Who may select from all columns may load it, and who may from it.
CREATE ROLE regress_warpagg_places;
GRANT SELECT (id) ON wa_places TO regress_warpagg_places;
SET ROLE regress_warpagg_places;
SELECT warpagg_load('wa_places', '{ctid, id}');
RESET ROLE;
GRANT SELECT (ctid) ON wa_places TO regress_warpagg_places;
SET ROLE regress_warpagg_places;
SELECT warpagg_load('wa_places', '{ctid, id}') > 0 AS loaded;
RESET ROLE;
SELECT * FROM wa_places_resident('wa_places');
DROP OWNED BY regress_warpagg_places;
DROP ROLE regress_warpagg_places;

-- Partitions have it by the same number, whatever those of other columns are, and share
-- nothing of it.
CREATE TABLE wa_places_parts (id integer, v integer) PARTITION BY RANGE (id);
CREATE TABLE wa_places_1 PARTITION OF wa_places_parts FOR VALUES FROM (0) TO (10000);
CREATE TABLE wa_places_2 (gone text, v integer, id integer);
ALTER TABLE wa_places_2 DROP COLUMN gone;
ALTER TABLE wa_places_parts ATTACH PARTITION wa_places_2 FOR VALUES FROM (10000) TO (50000);
INSERT INTO wa_places_parts SELECT x, x % 10 FROM generate_series(1, 49999) x;
VACUUM ANALYZE wa_places_1, wa_places_2;
SELECT warpagg_load('wa_places_parts', '{ctid, v}');
SELECT r.* FROM unnest('{wa_places_1,wa_places_2}'::regclass[]) target, wa_places_resident(target) r;
SELECT wa_compare('SELECT count(*), sum(v) FROM wa_places_parts');
ALTER TABLE wa_places_parts DETACH PARTITION wa_places_2;
SELECT warpagg_load('wa_places_2', '{ctid}');
SELECT * FROM wa_places_resident('wa_places_2');
SELECT warpagg_unload('wa_places_parts', '{ctid}');
SELECT r.* FROM unnest('{wa_places_1,wa_places_2}'::regclass[]) target, wa_places_resident(target) r;

-- It is no more to be had where nothing is.
CREATE TEMPORARY TABLE wa_places_temporary AS SELECT 1 AS x;
SELECT warpagg_load('wa_places_temporary', '{ctid}');
SELECT warpagg_load('pg_class', '{ctid}');

DROP TABLE wa_places, wa_places_parts, wa_places_2;
DROP FUNCTION wa_places_resident(regclass);
