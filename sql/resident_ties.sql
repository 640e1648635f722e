-- Equal values that look different: whatever the order in which threads of the device
-- process take rows, what is shown is what reading the heap shows.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = exact;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET synchronize_seqscans = off;

CREATE COLLATION resident_ties_any_case (
    provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE resident_ties (
    id integer, n numeric, cents numeric(10, 2), f double precision, b bpchar,
    t text COLLATE resident_ties_any_case);
INSERT INTO resident_ties
    SELECT i, CASE WHEN i = 1 THEN 1.0 WHEN i < 60000 THEN 1.00 ELSE 1.000 END,
           1 + i % 2, CASE WHEN i < 60000 THEN '0' ELSE '-0' END::float8,
           CASE WHEN i < 60000 THEN 'a ' ELSE 'a' END::bpchar,
           CASE WHEN i < 60000 THEN 'T' ELSE 't' END
    FROM generate_series(1, 120000) i;
VACUUM (FREEZE, ANALYZE) resident_ties;
SELECT warpagg_load('resident_ties') BETWEEN 0 AND 120000 AS loaded;

-- What a query shows, as one text.
CREATE FUNCTION resident_ties_shown(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    shown text;
BEGIN
    EXECUTE 'SELECT string_agg(r::text, '' '' ORDER BY r::text) FROM (' || query || ') AS r' INTO shown;
    RETURN shown;
END $$;

CREATE TABLE resident_ties_queries (query text);
INSERT INTO resident_ties_queries VALUES
    ('SELECT n, count(*), min(n), max(n) FROM resident_ties GROUP BY n'),
    ('SELECT min(n), max(n), min(f), max(f) FROM resident_ties'),
    ('SELECT min(n) FROM resident_ties WHERE id > 10'),
    ('SELECT id % 3, max(f), min(n) FROM resident_ties GROUP BY 1'),
    ('SELECT f, count(*) FROM resident_ties GROUP BY f'),
    ('SELECT n + cents, f, count(*) FROM resident_ties GROUP BY 1, 2'),
    ('SELECT octet_length(b) FROM (SELECT b, count(*) FROM resident_ties GROUP BY b) AS g'),
    ('SELECT min(t), max(t) FROM resident_ties'),
    ('SELECT CASE WHEN id % 2 = 0 THEN cents ELSE n + 1 END, count(*) FROM resident_ties GROUP BY 1'),
    ('SELECT cents, min(cents), sum(n), max(id) FROM resident_ties GROUP BY 1');
SET warpagg.enable_resident = off;
CREATE TABLE resident_ties_expected AS
    SELECT query, resident_ties_shown(query) AS shown FROM resident_ties_queries;
SET warpagg.enable_resident = on;
SELECT e.query, e.shown AS expected, count(*)
    FROM resident_ties_expected AS e, generate_series(1, 8) AS i
    WHERE resident_ties_shown(e.query) || repeat('', i) IS DISTINCT FROM e.shown
    GROUP BY 1, 2;

-- What is not shown may look different.
SELECT shown FROM resident_ties_expected
    WHERE query LIKE 'SELECT cents%' OR query LIKE 'SELECT n, count%';

-- Rows of the heap come before what the device process has, and behind it: PostgreSQL's
-- own plan, which reads them in order, tells what is to be shown.
CREATE TABLE resident_ties_part (LIKE resident_ties) WITH (fillfactor = 50);
INSERT INTO resident_ties_part
    SELECT i, CASE WHEN i <= 20 THEN 1.0 ELSE 1.00 END, 1 + i % 2,
           CASE WHEN i <= 20 THEN '-0' ELSE '0' END::float8,
           CASE WHEN i <= 20 THEN 'a' ELSE 'a ' END::bpchar,
           CASE WHEN i <= 20 THEN 'T' ELSE 't' END
    FROM generate_series(1, 60000) i;
VACUUM (FREEZE, ANALYZE) resident_ties_part;
BEGIN;
UPDATE resident_ties_part SET id = id WHERE id = 10;
SELECT warpagg_load('resident_ties_part') BETWEEN 1 AND 59999 AS loaded_in_part;
INSERT INTO resident_ties_part SELECT 60001, 1.000, 1, '-0', 'a  ', 'T' FROM generate_series(1, 3);
SELECT warpagg_load('resident_ties_part') >= 0 AS confirmed;

UPDATE resident_ties_queries SET query = replace(query, 'resident_ties', 'resident_ties_part');
INSERT INTO resident_ties_queries VALUES
    ('SELECT octet_length(min(b)), octet_length(max(b)) FROM resident_ties_part'),
    ('SELECT octet_length(min(b)) FROM resident_ties_part WHERE id < 50000'),
    ('SELECT min(t), max(t) FROM resident_ties_part WHERE id < 50000'),
    ('SELECT min(n), max(n), min(f), max(f) FROM resident_ties_part WHERE id < 50000'),
    ('SELECT min(f + id % 2), max(n * (id % 2)) FROM resident_ties_part WHERE id % 50 = 0'),
    ('SELECT n, id % 5000, count(*) FROM resident_ties_part GROUP BY 1, 2'),
    ('SELECT n::text::numeric, min(f::text::float8), max(n::text::numeric) FROM resident_ties_part GROUP BY 1'),
    ('SELECT min(ARRAY[n]), max(ARRAY[f, id % 2 * 0]), min(ARRAY[id % 9]) FROM resident_ties_part WHERE id < 50000'),
    ('SELECT min(CASE WHEN id % 2 = 0 THEN interval ''1 day'' ELSE ''24 hours'' END) FROM resident_ties_part'),
    ('SELECT cents, max(id % 9 * interval ''1 hour''), max(ARRAY[id % 5]) FROM resident_ties_part GROUP BY 1'),
    ('SELECT id % 3, max(CASE WHEN id > 60000 THEN interval ''24 hours'' ELSE ''1 day'' END) FROM resident_ties_part GROUP BY 1'),
    ('SELECT max(ARRAY[CASE WHEN id > 60000 THEN 1.0 ELSE 1.00 END]), min((id % 9 || repeat('' '', id / 60000))::bpchar) FROM resident_ties_part'),
    ('SELECT min(CASE WHEN id > 60000 THEN ''A'' ELSE ''a'' END COLLATE resident_ties_any_case) FROM resident_ties_part');
SET warpagg.enable_scan = off;
SET enable_sort = off;
TRUNCATE resident_ties_expected;
INSERT INTO resident_ties_expected
    SELECT query, resident_ties_shown(query) FROM resident_ties_queries;
RESET enable_sort;
SET warpagg.enable_scan = on;
SELECT e.query, left(e.shown, 100) AS expected, left(resident_ties_shown(e.query), 100) AS shown
    FROM resident_ties_expected AS e
    WHERE resident_ties_shown(e.query) IS DISTINCT FROM e.shown;
-- Likewise where groups are spilled.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT e.query, left(e.shown, 100) AS expected, left(resident_ties_shown(e.query), 100) AS shown
    FROM resident_ties_expected AS e
    WHERE resident_ties_shown(e.query) IS DISTINCT FROM e.shown;
RESET work_mem;
RESET hash_mem_multiplier;

-- What the device process has is used where there are no ties, and the table is read
-- where there are.
CREATE FUNCTION resident_ties_reads(query text, OUT resident boolean, OUT all_read boolean)
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
                >= pg_relation_size('resident_ties_part') / current_setting('block_size')::integer;
        END IF;
    END LOOP;
END $$;
SELECT query, r.* FROM (VALUES
    ('SELECT cents, count(*), min(cents) FROM resident_ties_part GROUP BY 1'),
    ('SELECT n, count(*) FROM resident_ties_part WHERE id > 20 AND id <= 60000 GROUP BY 1'),
    ('SELECT n, count(*) FROM resident_ties_part GROUP BY 1'),
    ('SELECT min(f) FROM resident_ties_part'),
    ('SELECT min(f), count(n) FROM resident_ties_part WHERE id BETWEEN 21 AND 60000'),
    ('SELECT min(id % 9 * interval ''1 hour''), max(age(date ''2026-01-01'' + id % 3)) FROM resident_ties_part'),
    ('SELECT max(CASE WHEN id > 60000 THEN interval ''24 hours'' ELSE ''1 day'' END) FROM resident_ties_part'),
    ('SELECT min(CASE WHEN id > 60000 THEN interval ''25 hours'' ELSE ''1 day'' END) FROM resident_ties_part'),
    ('SELECT min(CASE WHEN id = 10 THEN interval ''25 hours'' ELSE ''1 day'' END) FROM resident_ties_part'),
    ('SELECT min(CASE WHEN id = 10 THEN interval ''24 hours'' ELSE ''1 day'' END) FROM resident_ties_part'),
    ('SELECT max(ARRAY[id % 5, cents]) FROM resident_ties_part'),
    ('SELECT max(ARRAY[CASE WHEN id > 60000 THEN ''-0''::float8 ELSE 0 END]) FROM resident_ties_part'),
    ('SELECT max(ARRAY[CASE WHEN id > 60000 THEN ''-0''::float8 ELSE 1 END]) FROM resident_ties_part'),
    ('SELECT max((cents || repeat('' '', id % 2))::bpchar) FROM resident_ties_part'),
    ('SELECT min((cents || repeat('' '', id / 60001))::bpchar) FROM resident_ties_part'),
    ('SELECT min((id % 9)::text COLLATE resident_ties_any_case) FROM resident_ties_part'),
    ('SELECT min(CASE WHEN id > 60000 THEN ''A'' ELSE ''a'' END COLLATE resident_ties_any_case) FROM resident_ties_part')) AS q (query),
    resident_ties_reads(query) AS r;
COMMIT;

DROP FUNCTION resident_ties_shown, resident_ties_reads;
DROP TABLE resident_ties, resident_ties_part, resident_ties_queries, resident_ties_expected;
DROP COLLATION resident_ties_any_case;
