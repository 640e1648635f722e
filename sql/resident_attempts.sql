--
-- Resident columns: expressions that raise errors for values that no row of the query has,
-- or that one has.  They are evaluated in subtransactions.
--
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE wa_tried (id integer, k integer, t text, a text, v integer)
    WITH (autovacuum_enabled = off, parallel_workers = 0);
INSERT INTO wa_tried
    SELECT x, CASE WHEN x % 2 = 0 THEN 1259 ELSE 5 END,
           CASE WHEN x % 3 = 0 THEN 'pg_class' ELSE 'nowhere ' || x % 4 END,
           CASE WHEN x % 5 = 0 THEN 'x' ELSE (x % 5)::text END, x % 100
    FROM generate_series(1, 20000) x;
VACUUM ANALYZE wa_tried;
SELECT warpagg_load('wa_tried') > 0 AS loaded;

-- Errors of all kinds for rows that WHERE leaves out: of arguments, of names, of privileges
-- and internal ones.
SELECT wa_compare(q), q FROM unnest(ARRAY[
    'SELECT pg_describe_object(k::oid, 1259, 0) AS key, count(*) FROM wa_tried WHERE k = 1259 GROUP BY 1',
    'SELECT has_table_privilege(t, ''select'') AS key, count(*) FROM wa_tried WHERE t LIKE ''pg%'' GROUP BY 1',
    'SELECT has_table_privilege(t || k, ''select'') AS key, count(*) FROM wa_tried WHERE id < 0 GROUP BY 1',
    'SELECT a::integer AS key, count(*) FROM wa_tried WHERE a <> ''x'' GROUP BY 1',
    'SELECT (a || k)::integer AS key, sum(id) FROM wa_tried WHERE a <> ''x'' GROUP BY 1',
    'SELECT sum(a::integer / (k - 5)) FROM wa_tried WHERE a <> ''x'' AND k <> 5'
]) q;

-- The same for rows that count: PostgreSQL's error is raised, and a block of PL/pgSQL that
-- catches it, or a savepoint, goes on as before.
CREATE FUNCTION wa_tried_error(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wa_tried_log VALUES (query);
    EXECUTE query;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    -- Versions word internal errors differently.
    RETURN SQLSTATE || CASE WHEN SQLSTATE <> 'XX000' THEN ': ' || SQLERRM ELSE '' END;
END
$$;
CREATE TEMPORARY TABLE wa_tried_log (query text);
BEGIN;
INSERT INTO wa_tried_log VALUES ('before');
SELECT wa_tried_error(q), q FROM unnest(ARRAY[
    'SELECT pg_describe_object(k::oid, 1259, 0) AS key, count(*) FROM wa_tried GROUP BY 1',
    'SELECT has_table_privilege(t, ''select'') AS key, count(*) FROM wa_tried GROUP BY 1',
    'SELECT has_table_privilege(t || ''x'', ''select'') AS key, count(*) FROM wa_tried WHERE t LIKE ''pg%'' GROUP BY 1',
    'SELECT a::integer AS key, count(*) FROM wa_tried GROUP BY 1',
    'SELECT (a || k)::integer AS key, sum(id) FROM wa_tried WHERE k = 5 GROUP BY 1',
    'SELECT count(*) FROM wa_tried WHERE has_table_privilege(''nowhere '' || k, ''select'')',
    'SELECT sum(v) FROM wa_tried WHERE v > 1 / 0'
]) q;
SAVEPOINT s;
INSERT INTO wa_tried_log VALUES ('taken back');
SELECT (a || k)::integer AS key, sum(id) FROM wa_tried WHERE k = 5 GROUP BY 1;
ROLLBACK TO s;
SELECT a::integer AS key, count(*) FROM wa_tried WHERE a <> 'x' GROUP BY 1 ORDER BY 1 LIMIT 1;
COMMIT;
SELECT * FROM wa_tried_log;

-- In parallel mode nothing is tried: without tables that have been made before the rows
-- come from the heap, and errors of distinct inputs are raised at once.
CREATE TABLE wa_tried_many WITH (autovacuum_enabled = off, parallel_workers = 2)
    AS SELECT i AS id, i % 25 AS k FROM generate_series(1, 50000) i;
ANALYZE wa_tried_many;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT wa_plan($$SELECT sum(id::float8) FROM wa_tried_many WHERE k NOT IN (
    SELECT substr(a, 1, 1)::integer FROM wa_tried WHERE a <> 'x' GROUP BY 1 HAVING sum(v) > 5)$$);
SELECT sum(id::float8) FROM wa_tried_many WHERE k NOT IN (
    SELECT substr(a, 1, 1)::integer FROM wa_tried WHERE a <> 'x' GROUP BY 1 HAVING sum(v) > 5);
SELECT sum(id::float8) FROM wa_tried_many WHERE k NOT IN (
    SELECT (a || v)::integer FROM wa_tried WHERE a <> 'x' GROUP BY 1 HAVING sum(v) > 5);
SELECT wa_tried_error($$SELECT sum(id::float8) FROM wa_tried_many WHERE k NOT IN (
    SELECT (a || v)::integer FROM wa_tried WHERE a <> 'x' OR v = 5 GROUP BY 1 HAVING sum(v) > 5)$$);
SET warpagg.enable_scan = off;
SELECT sum(id::float8) FROM wa_tried_many WHERE k NOT IN (
    SELECT substr(a, 1, 1)::integer FROM wa_tried WHERE a <> 'x' GROUP BY 1 HAVING sum(v) > 5);
SELECT sum(id::float8) FROM wa_tried_many WHERE k NOT IN (
    SELECT (a || v)::integer FROM wa_tried WHERE a <> 'x' GROUP BY 1 HAVING sum(v) > 5);

DROP TABLE wa_tried, wa_tried_many;
DROP FUNCTION wa_tried_error;
