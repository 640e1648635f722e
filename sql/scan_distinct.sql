--
-- Groups without aggregates: DISTINCT, and GROUP BY alone.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;

CREATE TABLE distinct_rows (id integer PRIMARY KEY, k integer, small smallint, t text COLLATE "C", c char(8), n numeric, f float8, b boolean, d date, ts timestamptz, r int4range, filler text)
    WITH (autovacuum_enabled = off);
INSERT INTO distinct_rows SELECT i, i % 7, nullif(i % 3, 1), CASE WHEN i % 11 > 0 THEN 'text ' || i % 13 END, chr(97 + i % 5), (i % 4)::numeric / 2, CASE i % 5 WHEN 0 THEN 'NaN'::float8 ELSE i % 2 END, i % 6 > 2,
    date '2024-01-01' + i % 30, timestamptz '2024-01-01 12:00' + i * interval '1 hour', int4range(i % 3, 9), repeat('x', 60)
FROM generate_series(1, 20000) i;
CREATE TABLE distinct_names (k integer PRIMARY KEY, name text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO distinct_names SELECT i, 'name ' || i % 4 FROM generate_series(0, 5) i;
VACUUM (FREEZE, ANALYZE) distinct_rows;
VACUUM (FREEZE, ANALYZE) distinct_names;

-- Whether a query has the rows of PostgreSQL's plan, and whether the node computes them, of how
-- many resident rows.
CREATE FUNCTION distinct_check(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN split_part(wa_compare(query), ',', 1)
        || CASE WHEN plan::text LIKE '%"WarpAgg"%' THEN ', the node' ELSE ', not the node' END
        || CASE WHEN (regexp_match(plan::text, '"Resident Rows": (\d+)'))[1]::integer > 0 THEN ', resident' ELSE '' END;
END
$$;

CREATE VIEW distinct_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT DISTINCT k FROM distinct_rows',
    'SELECT k FROM distinct_rows GROUP BY k',
    'SELECT DISTINCT small, t FROM distinct_rows WHERE k < 4',
    'SELECT DISTINCT c, b FROM distinct_rows ORDER BY b DESC, c LIMIT 3',
    'SELECT DISTINCT n FROM distinct_rows ORDER BY n DESC NULLS LAST',
    'SELECT DISTINCT f FROM distinct_rows',
    'SELECT DISTINCT date_trunc(''month'', ts), extract(dow FROM d) FROM distinct_rows ORDER BY 1 DESC, 2 LIMIT 5 OFFSET 2',
    'SELECT DISTINCT upper(t) FROM distinct_rows WHERE t LIKE ''text 1%''',
    'SELECT k, t FROM distinct_rows GROUP BY t, k HAVING k > 3 ORDER BY t NULLS FIRST, k LIMIT 4',
    'SELECT 1 FROM distinct_rows GROUP BY k',
    'SELECT DISTINCT k FROM distinct_rows WHERE id < 0',
    'SELECT DISTINCT n.name FROM distinct_rows r JOIN distinct_names n ON n.k = r.k',
    'SELECT DISTINCT r.b, n.name FROM distinct_rows r LEFT JOIN distinct_names n ON n.k = r.k WHERE r.id % 3 = 0',
    'SELECT count(*), min(k) FROM (SELECT DISTINCT k, d FROM distinct_rows) AS inside',
    'SELECT k FROM distinct_names WHERE k IN (SELECT DISTINCT small FROM distinct_rows)',
    'SELECT DISTINCT k FROM distinct_rows UNION ALL SELECT small FROM distinct_rows GROUP BY small',
    'SELECT DISTINCT count(*) FROM distinct_rows GROUP BY k'
]) AS q (query);
SELECT distinct_check(query), query FROM distinct_queries;
SELECT warpagg_load('distinct_rows') > 0 AS loaded;
SELECT distinct_check(query), query FROM distinct_queries;
UPDATE distinct_rows SET k = 100, t = 'another' WHERE id = 7;
SELECT distinct_check(query), query FROM distinct_queries LIMIT 3;

-- What is left to PostgreSQL.
SELECT distinct_check('SELECT DISTINCT ON (k) k, id FROM distinct_rows ORDER BY k, id');
SELECT distinct_check('SELECT DISTINCT r FROM distinct_rows');
SELECT distinct_check('SELECT DISTINCT k, row_number() OVER (PARTITION BY k ORDER BY id) % 2 FROM distinct_rows');
SELECT distinct_check('SELECT DISTINCT k, generate_series(1, 2) FROM distinct_rows');
SELECT distinct_check('SELECT DISTINCT k, (SELECT max(n.k) FROM distinct_names n WHERE n.k < r.k) FROM distinct_rows r');
SELECT count(*) FROM (SELECT DISTINCT k, random() < 2 FROM distinct_rows) AS drawn;
SELECT level, used, reason FROM warpagg_explain('SELECT DISTINCT r FROM distinct_rows') WHERE level IS NULL;

-- Few groups beside the memory, and more.
SET warpagg.debug_spill_groups = 100;
SELECT wa_compare('SELECT DISTINCT id / 4, t FROM distinct_rows');
RESET warpagg.debug_spill_groups;
-- Several processes.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SET warpagg.enable_resident = off;
SELECT distinct_check('SELECT DISTINCT k, t, d FROM distinct_rows');
RESET warpagg.enable_resident;
SET max_parallel_workers_per_gather = 0;
-- Prepared statements, and a cursor.
PREPARE distinct_before (date) AS SELECT DISTINCT k, d FROM distinct_rows WHERE d < $1 ORDER BY 2, 1 LIMIT 3;
EXECUTE distinct_before ('2024-01-05');
SET plan_cache_mode = force_generic_plan;
EXECUTE distinct_before ('2024-01-03');
EXPLAIN (COSTS OFF) EXECUTE distinct_before ('2024-01-03');
RESET plan_cache_mode;
BEGIN;
DECLARE distinct_cursor CURSOR FOR SELECT DISTINCT k FROM distinct_rows ORDER BY k;
FETCH 2 FROM distinct_cursor;
FETCH ALL FROM distinct_cursor;
COMMIT;
-- Errors are PostgreSQL's.
SELECT wa_outcome('count(*)', '(SELECT DISTINCT 10 / small FROM distinct_rows) AS divided');
-- A view, whose owner's rights count, and rows that a user may not see.
ALTER TABLE distinct_rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY distinct_few ON distinct_rows USING (k < 3);
CREATE ROLE regress_distinct_user;
GRANT SELECT ON distinct_rows TO regress_distinct_user;
SET ROLE regress_distinct_user;
SELECT DISTINCT k FROM distinct_rows ORDER BY k;
RESET ROLE;
DROP OWNED BY regress_distinct_user;
DROP ROLE regress_distinct_user;

DROP TABLE distinct_rows, distinct_names CASCADE;
DROP FUNCTION distinct_check(text);
