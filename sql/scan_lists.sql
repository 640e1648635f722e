--
-- Aggregates with DISTINCT that their own functions compute of what finer groups have.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;

CREATE COLLATION listed_upper (provider = icu, locale = 'en-u-kf-upper');
CREATE TYPE listed_pair AS (a integer, b text);
CREATE TABLE listed_rows (id integer, k integer, day date, name text COLLATE "C", word text COLLATE listed_upper, short varchar(8) COLLATE "C", small smallint, big bigint, b boolean, ts timestamptz, f float8, n numeric, c char(4), price numeric, secret text)
    WITH (autovacuum_enabled = off);
INSERT INTO listed_rows SELECT i, nullif(i * 31 % 40, 3), date '2026-01-01' + i % 50, CASE WHEN i % 13 > 0 THEN 'name ' || i * 7919 % 700 END,
    CASE WHEN i % 2 = 0 THEN 'Word ' ELSE 'word ' END || i % 30, chr(97 + i % 20), nullif(i % 90, 1), i * 7919::bigint % 1000 * 10000000000, nullif(i % 3, 2) = 1,
    timestamptz '2026-01-01' + i % 70 * interval '7 hours', i % 40 / 3.0, i % 30 / 4.0, chr(97 + i % 3), i % 1000 / 100.0, 'x' || i % 3
FROM generate_series(1, 20000) i;
INSERT INTO listed_rows (id, k) VALUES (20001, 77);
INSERT INTO listed_rows VALUES (20002, 78, '2026-01-01', '', '', '', 0, 0, true, 'infinity', 0, 0, '', 0, '');
CREATE TABLE listed_names (k integer PRIMARY KEY, title text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO listed_names SELECT i, 'title ' || i % 7 FROM generate_series(0, 39) i;
CREATE TABLE listed_parts (LIKE listed_rows) PARTITION BY RANGE (id);
CREATE TABLE listed_parts_1 PARTITION OF listed_parts FOR VALUES FROM (0) TO (9000) WITH (autovacuum_enabled = off);
CREATE TABLE listed_parts_2 PARTITION OF listed_parts FOR VALUES FROM (9000) TO (30000) WITH (autovacuum_enabled = off);
INSERT INTO listed_parts SELECT * FROM listed_rows;
VACUUM (FREEZE, ANALYZE) listed_rows, listed_names, listed_parts;

-- Functions that take NULL, that do not, of results of several kinds, and with what is there of no rows.
CREATE FUNCTION listed_step(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT right($1 || coalesce($2, '-'), 60)$$;
CREATE AGGREGATE listed_all(text) (SFUNC = listed_step, STYPE = text, INITCOND = 'of: ');
CREATE FUNCTION listed_strict(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$SELECT right($1 || $2, 60)$$;
CREATE AGGREGATE listed_strictly(text) (SFUNC = listed_strict, STYPE = text);
CREATE FUNCTION listed_mean(float8, integer) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$SELECT ($1 + coalesce($2, 1000)) / 1.5$$;
CREATE AGGREGATE listed_means(integer) (SFUNC = listed_mean, STYPE = float8, INITCOND = '1.25');
CREATE FUNCTION listed_odd(float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT nullif($1::bigint % 5, 0) % 2 = 1$$;
CREATE AGGREGATE listed_odds(integer) (SFUNC = listed_mean, STYPE = float8, INITCOND = '1.25', FINALFUNC = listed_odd);
CREATE FUNCTION listed_row(listed_pair, integer, text) RETURNS listed_pair LANGUAGE sql IMMUTABLE AS $$SELECT ROW(coalesce($1.a, 0) + coalesce($2, 1), $3)::listed_pair$$;
CREATE AGGREGATE listed_rows_of(integer, text) (SFUNC = listed_row, STYPE = listed_pair);
CREATE FUNCTION listed_point(point, integer) RETURNS point LANGUAGE sql IMMUTABLE AS $$SELECT $1 + point($2, 1)$$;
CREATE AGGREGATE listed_points(integer) (SFUNC = listed_point, STYPE = point, INITCOND = '(0,0)');

CREATE FUNCTION listed_check(query text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(wa_compare_order(query), ', (heap|in another order|combined)', '', 'g')
$$;
-- Tells whether the node sees rows for a query's lists, or groups.
CREATE FUNCTION listed_by(query text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN bool_or(line ~ 'not used: .* its own functions') THEN 'rows' ELSE 'groups' END
    FROM wa_plan(query, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line
$$;
CREATE VIEW listed_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT k, string_agg(DISTINCT name, '', ''), count(*), sum(price) FROM listed_rows GROUP BY k',
    'SELECT k, string_agg(DISTINCT name, '', '' ORDER BY name DESC), array_agg(DISTINCT name ORDER BY name NULLS FIRST) FROM listed_rows GROUP BY k',
    'SELECT k, string_agg(DISTINCT word, '', ''), array_agg(DISTINCT word ORDER BY word DESC), json_agg(DISTINCT word) FROM listed_rows GROUP BY k',
    'SELECT day, array_agg(DISTINCT small), array_agg(DISTINCT big), jsonb_agg(DISTINCT b), array_agg(DISTINCT ts) FROM listed_rows GROUP BY day',
    'SELECT k, day, array_agg(DISTINCT day + small), array_agg(DISTINCT short), string_agg(DISTINCT short, '' '') FROM listed_rows GROUP BY k, day',
    'SELECT array_agg(DISTINCT k), string_agg(DISTINCT name, ''''), listed_all(DISTINCT name), listed_means(DISTINCT k) FROM listed_rows',
    'SELECT array_agg(DISTINCT k), string_agg(DISTINCT name, ''''), listed_all(DISTINCT name), listed_strictly(DISTINCT name), listed_means(DISTINCT k), listed_odds(DISTINCT k), count(*) FROM listed_rows WHERE id < 0',
    'SELECT k, array_agg(DISTINCT k), listed_all(DISTINCT name) FROM listed_rows WHERE id < 0 GROUP BY k',
    'SELECT k, listed_all(DISTINCT name), listed_strictly(DISTINCT name), listed_means(DISTINCT small), listed_odds(DISTINCT small) FROM listed_rows GROUP BY k',
    'SELECT k, listed_rows_of(DISTINCT small, ''x''), listed_rows_of(DISTINCT 7, name) FROM listed_rows GROUP BY k',
    'SELECT k, array_agg(DISTINCT name) FILTER (WHERE name > ''name 3''), listed_all(DISTINCT name) FILTER (WHERE name IS NOT NULL AND b), string_agg(DISTINCT name, '','') FILTER (WHERE b) FROM listed_rows GROUP BY k',
    'SELECT k, array_agg(DISTINCT name) FILTER (WHERE b), listed_strictly(DISTINCT name) FILTER (WHERE day > ''2026-02-01'') FROM listed_rows GROUP BY k',
    'SELECT k, array_agg(DISTINCT CASE WHEN b THEN name END), string_agg(DISTINCT name, '','') FILTER (WHERE b) FROM listed_rows GROUP BY k',
    'SELECT k, string_agg(DISTINCT name, '','') FILTER (WHERE false), array_agg(DISTINCT small) FILTER (WHERE small > 1000), count(*) FROM listed_rows GROUP BY k',
    'SELECT k, count(DISTINCT small), sum(DISTINCT small), array_agg(DISTINCT small), percentile_disc(0.4) WITHIN GROUP (ORDER BY small), mode() WITHIN GROUP (ORDER BY small), max(id) FROM listed_rows GROUP BY k',
    'SELECT k, percentile_cont(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY name), percentile_disc(0.5) WITHIN GROUP (ORDER BY word DESC), string_agg(DISTINCT word, ''-'') FROM listed_rows GROUP BY k',
    'SELECT k, day, string_agg(DISTINCT name, '',''), listed_all(DISTINCT name), count(DISTINCT small), sum(id), grouping(k, day) FROM listed_rows GROUP BY CUBE (k, day)',
    'SELECT k, listed_all(DISTINCT name), array_agg(DISTINCT small), count(*) FROM listed_rows WHERE id < 0 GROUP BY ROLLUP (k)',
    'SELECT listed_all(DISTINCT name), count(*) FROM listed_rows WHERE id < 0 GROUP BY GROUPING SETS ((), (), (k))',
    'SELECT k, array_agg(DISTINCT small) FROM listed_rows GROUP BY k HAVING listed_odds(DISTINCT small) ORDER BY k DESC LIMIT 5',
    'SELECT k, array_agg(DISTINCT small) FROM listed_rows GROUP BY k ORDER BY array_agg(DISTINCT small) DESC, k LIMIT 5',
    'SELECT k, listed_means(DISTINCT small) FROM listed_rows GROUP BY k ORDER BY listed_means(DISTINCT small), k',
    'SELECT k, listed_means(DISTINCT small), count(*) FROM listed_rows GROUP BY k ORDER BY 3 DESC, k LIMIT 3',
    'SELECT t.title, string_agg(DISTINCT r.name, ''|''), count(*) FROM listed_rows r JOIN listed_names t ON t.k = r.k GROUP BY t.title',
    'SELECT r.day, string_agg(DISTINCT t.title, ''|'') FILTER (WHERE r.b), sum(r.id) FROM listed_rows r LEFT JOIN listed_names t ON t.k = r.small GROUP BY r.day',
    'SELECT k, string_agg(DISTINCT name, '', ''), count(*), sum(price) FROM listed_parts GROUP BY k',
    'SELECT k, array_agg(DISTINCT small ORDER BY small DESC NULLS LAST) FROM listed_parts WHERE id < 8000 GROUP BY k',
    -- Values that look different and are the same, or are no keys, several, and results that cannot be kept: rows are seen.
    'SELECT k, listed_points(DISTINCT small)::text FROM listed_rows GROUP BY k',
    'SELECT k, array_length(array_agg(DISTINCT f), 1), array_agg(DISTINCT n::integer), array_agg(DISTINCT c) FROM listed_rows GROUP BY k',
    'SELECT k, array_length(array_agg(DISTINCT n), 1), string_agg(DISTINCT name, short) FROM listed_rows GROUP BY k',
    'SELECT k, array_agg(DISTINCT name) FROM listed_rows WHERE length(repeat(name, 300)) > 2500 GROUP BY k',
    'SELECT k, string_agg(DISTINCT (10 / small)::text, '','') FROM listed_rows GROUP BY k',
    'SELECT k, string_agg(DISTINCT (10 / small)::text, '','') FILTER (WHERE small <> 0) FROM listed_rows GROUP BY k'
]) AS q (query);
SELECT listed_check(query), query FROM listed_queries;
SET work_mem = '64kB';
SELECT listed_check(query), count(*) FROM listed_queries GROUP BY 1;
SET warpagg.debug_spill_groups = 3;
SELECT listed_check(query), count(*) FROM listed_queries GROUP BY 1;
RESET work_mem;
SET warpagg.debug_spill_groups = 300;
SELECT listed_check(query), count(*) FROM listed_queries GROUP BY 1;
RESET warpagg.debug_spill_groups;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT replace(listed_check(query), ', no node', '') AS listed_check, count(*) FROM listed_queries GROUP BY 1;
SET max_parallel_workers_per_gather = 0;
-- Of all rows that are resident, and of some.
SELECT warpagg_load('listed_rows') > 0 AS loaded, warpagg_load('listed_parts') > 0 AS parts, warpagg_load('listed_names') > 0 AS names;
SELECT listed_check(query), count(*) FROM listed_queries GROUP BY 1;
SELECT listed_by(query), query FROM listed_queries WHERE query !~ '10 / small';
UPDATE listed_rows SET name = name || ' x' WHERE id % 97 = 0;
UPDATE listed_parts SET name = name || ' x' WHERE id % 97 = 0;
SELECT listed_check(query), count(*) FROM listed_queries GROUP BY 1;
SET warpagg.debug_spill_groups = 30;
SELECT listed_check(query), count(*) FROM listed_queries GROUP BY 1;
RESET warpagg.debug_spill_groups;

-- Parameters, and rows that are read again.
SET plan_cache_mode = 'force_generic_plan';
PREPARE listed(integer, text) AS SELECT k, string_agg(DISTINCT name, $2), array_agg(DISTINCT small) FROM listed_rows WHERE id < $1 GROUP BY k ORDER BY k LIMIT 2;
EXECUTE listed(200, '+');
EXECUTE listed(90, NULL);
DEALLOCATE listed;
RESET plan_cache_mode;
SELECT n.k, l.* FROM listed_names n, LATERAL (SELECT listed_all(DISTINCT short), array_agg(DISTINCT small) FROM listed_rows r WHERE r.k = n.k AND r.id < n.k * 20) l WHERE n.k < 5 ORDER BY n.k;

-- Whose functions they are.
CREATE ROLE listed_reader;
GRANT SELECT ON listed_rows TO listed_reader;
CREATE ROLE listed_owner;
ALTER AGGREGATE listed_all(text) OWNER TO listed_owner;
REVOKE EXECUTE ON FUNCTION listed_step(text, text) FROM PUBLIC;
SELECT k, listed_all(DISTINCT name) FROM listed_rows GROUP BY k;
GRANT EXECUTE ON FUNCTION listed_step(text, text) TO PUBLIC;
SET ROLE listed_reader;
SELECT listed_check('SELECT k, listed_all(DISTINCT name) FROM listed_rows GROUP BY k');
RESET ROLE;
SET warpagg.accelerate = off;
SET warpagg.explain_refusals = explain;
SELECT wa_refusal('SELECT k, string_agg(DISTINCT name, '','') FROM listed_rows GROUP BY k');
RESET warpagg.explain_refusals;
RESET warpagg.accelerate;

-- The plan.
EXPLAIN (COSTS OFF) SELECT k, sum(id), string_agg(DISTINCT name, ',') FILTER (WHERE b), array_agg(DISTINCT small) FROM listed_rows GROUP BY k ORDER BY k;

RESET cpu_tuple_cost;
DROP VIEW listed_queries;
DROP TABLE listed_rows, listed_names, listed_parts;
DROP FUNCTION listed_check(text), listed_by(text);
DROP AGGREGATE listed_all(text), listed_strictly(text), listed_means(integer), listed_odds(integer), listed_rows_of(integer, text), listed_points(integer);
DROP FUNCTION listed_step(text, text), listed_strict(text, text), listed_mean(float8, integer), listed_odd(float8), listed_row(listed_pair, integer, text), listed_point(point, integer);
DROP TYPE listed_pair;
DROP COLLATION listed_upper;
DROP ROLE listed_reader, listed_owner;
