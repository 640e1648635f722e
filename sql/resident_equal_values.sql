-- Equal values that look different: what is shown is the same whatever the order in which
-- rows are taken, and who takes them.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = exact;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET synchronize_seqscans = off;

CREATE COLLATION resident_equal_values_any_case (
    provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE resident_equal_values (
    id integer, n numeric, cents numeric(10, 2), f double precision, b bpchar,
    t text COLLATE resident_equal_values_any_case);
INSERT INTO resident_equal_values
    SELECT i, CASE WHEN i = 1 THEN 1.0 WHEN i < 60000 THEN 1.00 ELSE 1.000 END,
           1 + i % 2, CASE WHEN i < 60000 THEN '0' ELSE '-0' END::float8,
           CASE WHEN i < 60000 THEN 'a ' ELSE 'a' END::bpchar,
           CASE WHEN i < 60000 THEN 'T' ELSE 't' END
    FROM generate_series(1, 120000) i;
VACUUM (FREEZE, ANALYZE) resident_equal_values;
SELECT warpagg_load('resident_equal_values') BETWEEN 0 AND 120000 AS loaded;

-- What a query shows, as one text.
CREATE FUNCTION resident_equal_values_shown(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    shown text;
BEGIN
    EXECUTE 'SELECT string_agg(r::text, '' '' ORDER BY r::text) FROM (' || query || ') AS r' INTO shown;
    RETURN shown;
END $$;

CREATE TABLE resident_equal_values_queries (query text);
INSERT INTO resident_equal_values_queries VALUES
    ('SELECT n, count(*), min(n), max(n) FROM resident_equal_values GROUP BY n'),
    ('SELECT min(n), max(n), min(f), max(f) FROM resident_equal_values'),
    ('SELECT min(n) FROM resident_equal_values WHERE id > 10'),
    ('SELECT id % 3, max(f), min(n) FROM resident_equal_values GROUP BY 1'),
    ('SELECT f, count(*) FROM resident_equal_values GROUP BY f'),
    ('SELECT n + cents, f, count(*) FROM resident_equal_values GROUP BY 1, 2'),
    ('SELECT octet_length(b) FROM (SELECT b, count(*) FROM resident_equal_values GROUP BY b) AS g'),
    ('SELECT min(t), max(t) FROM resident_equal_values'),
    ('SELECT CASE WHEN id % 2 = 0 THEN cents ELSE n + 1 END, count(*) FROM resident_equal_values GROUP BY 1'),
    ('SELECT cents, min(cents), sum(n), max(id) FROM resident_equal_values GROUP BY 1');
SET warpagg.enable_resident = off;
CREATE TABLE resident_equal_values_expected AS
    SELECT query, resident_equal_values_shown(query) AS shown FROM resident_equal_values_queries;
SET warpagg.enable_resident = on;
SELECT e.query, e.shown AS expected, count(*)
    FROM resident_equal_values_expected AS e, generate_series(1, 8) AS i
    WHERE resident_equal_values_shown(e.query) || repeat('', i) IS DISTINCT FROM e.shown
    GROUP BY 1, 2;

-- It is the value that comes first by an order of its own, as PostgreSQL sorts it.
SELECT n = 1.000 AND scale(n) = scale(o) AND f::text = '0' AS first, b.*
    FROM (SELECT min(n) AS n, max(f) AS f FROM resident_equal_values) AS q,
         (SELECT n AS o FROM resident_equal_values ORDER BY n, scale(n) DESC LIMIT 1) AS p,
         (SELECT octet_length(b) AS b FROM resident_equal_values GROUP BY b) AS b;
SELECT shown FROM resident_equal_values_expected
    WHERE query LIKE 'SELECT cents%' OR query LIKE 'SELECT n, count%';

-- Rows of the heap come before what the device process has, and behind it; in another
-- table they come the other way around.
CREATE TABLE resident_equal_values_part (LIKE resident_equal_values) WITH (fillfactor = 50);
INSERT INTO resident_equal_values_part
    SELECT i, CASE WHEN i <= 20 THEN 1.0 ELSE 1.00 END, 1 + i % 2,
           CASE WHEN i <= 20 THEN '-0' ELSE '0' END::float8,
           CASE WHEN i <= 20 THEN 'a' ELSE 'a ' END::bpchar,
           CASE WHEN i <= 20 THEN 'T' ELSE 't' END
    FROM generate_series(1, 60000) i;
VACUUM (FREEZE, ANALYZE) resident_equal_values_part;
BEGIN;
UPDATE resident_equal_values_part SET id = id WHERE id = 10;
SELECT warpagg_load('resident_equal_values_part') BETWEEN 1 AND 59999 AS loaded_in_part;
INSERT INTO resident_equal_values_part SELECT 60001, 1.000, 1, '-0', 'a  ', 'T' FROM generate_series(1, 3);
SELECT warpagg_load('resident_equal_values_part') >= 0 AS confirmed;

UPDATE resident_equal_values_queries SET query = replace(query, 'resident_equal_values', 'resident_equal_values_part');
INSERT INTO resident_equal_values_queries VALUES
    ('SELECT octet_length(min(b)), octet_length(max(b)) FROM resident_equal_values_part'),
    ('SELECT octet_length(min(b)) FROM resident_equal_values_part WHERE id < 50000'),
    ('SELECT min(t), max(t) FROM resident_equal_values_part WHERE id < 50000'),
    ('SELECT min(n), max(n), min(f), max(f) FROM resident_equal_values_part WHERE id < 50000'),
    ('SELECT min(f + id % 2), max(n * (id % 2)) FROM resident_equal_values_part WHERE id % 50 = 0'),
    ('SELECT n, id % 5000, count(*) FROM resident_equal_values_part GROUP BY 1, 2'),
    ('SELECT n::text::numeric, min(f::text::float8), max(n::text::numeric) FROM resident_equal_values_part GROUP BY 1'),
    ('SELECT gpu_min(ARRAY[n]), gpu_max(ARRAY[f, id % 2 * 0]), gpu_min(ARRAY[id % 9]) FROM resident_equal_values_part WHERE id < 50000'),
    ('SELECT min(CASE WHEN id % 2 = 0 THEN interval ''1 day'' ELSE ''24 hours'' END) FROM resident_equal_values_part'),
    ('SELECT cents, max(id % 9 * interval ''1 hour''), max(ARRAY[id % 5]) FROM resident_equal_values_part GROUP BY 1'),
    ('SELECT id % 3, max(CASE WHEN id > 60000 THEN interval ''24 hours'' ELSE ''1 day'' END) FROM resident_equal_values_part GROUP BY 1'),
    ('SELECT gpu_max(ARRAY[CASE WHEN id > 60000 THEN 1.0 ELSE 1.00 END]), gpu_min((id % 9 || repeat('' '', id / 60000))::bpchar) FROM resident_equal_values_part'),
    ('SELECT min(CASE WHEN id > 60000 THEN ''A'' ELSE ''a'' END COLLATE resident_equal_values_any_case) FROM resident_equal_values_part');
CREATE TABLE resident_equal_values_turned AS SELECT * FROM resident_equal_values_part ORDER BY id DESC;
ANALYZE resident_equal_values_turned;
TRUNCATE resident_equal_values_expected;
INSERT INTO resident_equal_values_expected
    SELECT query, resident_equal_values_shown(replace(query, 'resident_equal_values_part', 'resident_equal_values_turned'))
    FROM resident_equal_values_queries;
CREATE VIEW resident_equal_values_differences AS
    SELECT query, left(shown, 100) AS expected, left(found, 100) AS found
    FROM resident_equal_values_expected, resident_equal_values_shown(query) AS found
    WHERE found IS DISTINCT FROM shown;
SELECT * FROM resident_equal_values_differences;
SET warpagg.enable_resident = off;
SELECT * FROM resident_equal_values_differences;
RESET warpagg.enable_resident;
-- Likewise where groups are spilled, and by workers.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM resident_equal_values_differences;
RESET work_mem;
RESET hash_mem_multiplier;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM resident_equal_values_differences;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;
-- As numbers they are PostgreSQL's.
SET warpagg.enable_scan = off;
SELECT query, shown FROM resident_equal_values_expected
    WHERE query ~ 'n|f' AND query !~ 't\)|interval|octet|COLLATE'
      AND wa_same_looks(string_to_array(shown, ' '))
          IS DISTINCT FROM wa_same_looks(string_to_array(resident_equal_values_shown(query), ' '));
SET warpagg.enable_scan = on;

-- What the device process has is used all the same.
CREATE FUNCTION resident_equal_values_reads(query text, OUT resident boolean, OUT all_read boolean)
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    resident := false;
    all_read := false;
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        IF line LIKE '%Resident Blocks: %' THEN
            resident := substring(line, '\d+')::integer > 0;
        ELSIF line LIKE '%Blocks Read: %' THEN
            all_read := substring(line, '\d+')::integer
                >= pg_relation_size('resident_equal_values_part') / current_setting('block_size')::integer;
        END IF;
    END LOOP;
END $$;
SELECT query, r.* FROM (VALUES
    ('SELECT n, count(*) FROM resident_equal_values_part GROUP BY 1'),
    ('SELECT min(f) FROM resident_equal_values_part'),
    ('SELECT max(CASE WHEN id > 60000 THEN interval ''24 hours'' ELSE ''1 day'' END) FROM resident_equal_values_part'),
    ('SELECT max(ARRAY[CASE WHEN id > 60000 THEN ''-0''::float8 ELSE 0 END]) FROM resident_equal_values_part'),
    ('SELECT min((cents || repeat('' '', id / 60001))::bpchar) FROM resident_equal_values_part'),
    ('SELECT min(CASE WHEN id > 60000 THEN ''A'' ELSE ''a'' END COLLATE resident_equal_values_any_case) FROM resident_equal_values_part')) AS q (query),
    resident_equal_values_reads(query) AS r;
COMMIT;

DROP VIEW resident_equal_values_differences;
DROP FUNCTION resident_equal_values_shown, resident_equal_values_reads;
DROP TABLE resident_equal_values, resident_equal_values_part, resident_equal_values_turned, resident_equal_values_queries, resident_equal_values_expected;
DROP COLLATION resident_equal_values_any_case;
