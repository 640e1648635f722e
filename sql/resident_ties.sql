-- Equal values that look different: whatever the order in which threads of the device
-- process take rows, what is shown is what reading the heap shows.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = exact;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET synchronize_seqscans = off;

CREATE TABLE resident_ties (
    id integer, n numeric, cents numeric(10, 2), f double precision, b bpchar);
INSERT INTO resident_ties
    SELECT i, CASE WHEN i = 1 THEN 1.0 WHEN i < 60000 THEN 1.00 ELSE 1.000 END,
           1 + i % 2, CASE WHEN i < 60000 THEN '0' ELSE '-0' END::float8,
           CASE WHEN i < 60000 THEN 'a ' ELSE 'a' END::bpchar
    FROM generate_series(1, 120000) i;
VACUUM (FREEZE, ANALYZE) resident_ties;
SELECT warpagg_load('resident_ties') BETWEEN 0 AND 120000 AS loaded;

-- What a query shows, as one text.
CREATE FUNCTION resident_ties_shown(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    shown text;
BEGIN
    EXECUTE 'SELECT string_agg(r::text, '' '') FROM (' || query || ') AS r' INTO shown;
    RETURN shown;
END $$;

CREATE TABLE resident_ties_queries (query text);
INSERT INTO resident_ties_queries VALUES
    ('SELECT n, count(*), min(n), max(n) FROM resident_ties GROUP BY n'),
    ('SELECT min(n), max(n), min(f), max(f) FROM resident_ties'),
    ('SELECT min(n) FROM resident_ties WHERE id > 10'),
    ('SELECT id % 3, max(f), min(n) FROM resident_ties GROUP BY 1 ORDER BY 1'),
    ('SELECT f, count(*) FROM resident_ties GROUP BY f'),
    ('SELECT n + cents, f, count(*) FROM resident_ties GROUP BY 1, 2 ORDER BY 1'),
    ('SELECT octet_length(b) FROM (SELECT b, count(*) FROM resident_ties GROUP BY b) AS g'),
    ('SELECT CASE WHEN id % 2 = 0 THEN cents ELSE n + 1 END, count(*) FROM resident_ties GROUP BY 1'),
    ('SELECT cents, min(cents), sum(n), max(id) FROM resident_ties GROUP BY 1 ORDER BY 1');
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

DROP FUNCTION resident_ties_shown;
DROP TABLE resident_ties, resident_ties_queries, resident_ties_expected;
