--
-- Aggregates that their own functions compute: PostgreSQL's other ones, and users' own.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;
-- Rows come to PostgreSQL's own plan in the order of the heap, too.
SET enable_sort = off;
SET enable_indexscan = off;

CREATE DOMAIN called_text AS text CHECK (VALUE <> 'wrong');
CREATE TABLE called_rows (id integer PRIMARY KEY, k integer, small smallint, t text COLLATE "C", c char(8), n numeric, f float8, g float4, b boolean, d date, ts timestamptz, i interval, u uuid, j jsonb, a integer[], name name, ip inet, dt called_text)
    WITH (autovacuum_enabled = off);
INSERT INTO called_rows SELECT i, i % 7, nullif(i % 300, 1), CASE WHEN i % 11 > 0 THEN 'text ' || i % 1300 END, chr(97 + i % 5), (i % 400)::numeric / 2 + CASE WHEN i % 3 = 0 THEN 0.00 ELSE 0.1000 END, i / 7.0, i / 9.0, i % 6 > 2,
    date '2024-01-01' + i % 300, timestamptz '2024-01-01 12:00' + i % 4000 * interval '1 hour', i * interval '1 second', md5(i::text)::uuid, jsonb_build_object('a', i % 3), ARRAY[i, i % 2], 'n' || i % 5, '10.0.0.1'::inet + i % 100, 'd' || i % 4
FROM generate_series(1, 3000) i;
INSERT INTO called_rows (id, k) VALUES (3001, 8);
INSERT INTO called_rows VALUES (3002, 9, 5, 'x', 'x', 1e40, 'NaN', '-0', true, 'infinity', '-infinity', '1 day', NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE called_names (k integer PRIMARY KEY, name text) WITH (autovacuum_enabled = off);
INSERT INTO called_names SELECT i, 'name ' || i % 4 FROM generate_series(0, 5) i;
CREATE TABLE called_parts (LIKE called_rows) PARTITION BY RANGE (id);
CREATE TABLE called_part_1 PARTITION OF called_parts FOR VALUES FROM (0) TO (1500) WITH (autovacuum_enabled = off);
CREATE TABLE called_part_2 PARTITION OF called_parts FOR VALUES FROM (1500) TO (4000) WITH (autovacuum_enabled = off);
INSERT INTO called_parts SELECT * FROM called_rows;
VACUUM (FREEZE, ANALYZE) called_rows;
VACUUM (FREEZE, ANALYZE) called_names;
ANALYZE called_parts;

-- Users' own: strict with and without a first value, of states by reference and by value, of
-- expanded arrays, with final functions that see arguments, or change the state, or are strict.
CREATE FUNCTION called_product(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN abs($1 * $2) > 1e100 THEN 1 ELSE $1 * $2 END';
CREATE AGGREGATE called_product(float8) (SFUNC = called_product, STYPE = float8);
CREATE FUNCTION called_longer(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN length($2) > length(coalesce($1, '')) THEN $2 ELSE $1 END; END $$;
CREATE AGGREGATE called_longest(text) (SFUNC = called_longer, STYPE = text);
CREATE AGGREGATE called_list(anycompatible) (SFUNC = array_append, STYPE = anycompatiblearray, INITCOND = '{}');
CREATE FUNCTION called_keep(anycompatible, anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $1';
CREATE AGGREGATE called_one(anycompatible) (SFUNC = called_keep, STYPE = anycompatible);
CREATE AGGREGATE called_rows_seen(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
CREATE FUNCTION called_pair(int8[], integer, integer) RETURNS int8[] LANGUAGE sql IMMUTABLE AS 'SELECT ARRAY[$1[1] + coalesce($2, -1), $1[2] + coalesce($3, -1)]';
CREATE FUNCTION called_pair_text(int8[], integer, integer) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1::text || coalesce($2, 0)';
CREATE AGGREGATE called_pairs(integer, integer) (SFUNC = called_pair, STYPE = int8[], INITCOND = '{0,0}', FINALFUNC = called_pair_text, FINALFUNC_EXTRA, FINALFUNC_MODIFY = READ_WRITE);
CREATE FUNCTION called_null(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN $2 > ''text 5'' THEN NULL ELSE $1 || $2 END';
CREATE FUNCTION called_size(text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS 'SELECT length($1)';
CREATE AGGREGATE called_sizes(text) (SFUNC = called_null, STYPE = text, INITCOND = '', FINALFUNC = called_size);
CREATE FUNCTION called_many(text, VARIADIC text[]) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, '''') || array_length($2, 1)';
CREATE AGGREGATE called_variadic(VARIADIC text[]) (SFUNC = called_many, STYPE = text);

-- Versions have other words for an error.
CREATE FUNCTION called_check(query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(wa_compare_order(query), ', heap', ''), 'null value not allowed for object key', 'field name must not be null')
$$;

CREATE VIEW called_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT k, sum(small), string_agg(t, '','') FROM called_rows GROUP BY k',
    'SELECT string_agg(t, k::text), count(*) FROM called_rows',
    'SELECT k, array_agg(small), array_agg(t), array_agg(c), array_agg(n), array_agg(f), array_agg(g), array_agg(b), array_agg(d), array_agg(ts) FROM called_rows GROUP BY k',
    'SELECT k, array_agg(i), array_agg(u), array_agg(j), array_agg(name), array_agg(ip), array_agg(dt), count(*) FROM called_rows GROUP BY k',
    'SELECT k, array_agg(a), count(*) FROM called_rows WHERE a IS NOT NULL GROUP BY k',
    'SELECT json_agg(t), jsonb_agg(n), json_object_agg(id, t), jsonb_object_agg(id, n) FROM called_rows',
    'SELECT k, called_product(f), called_longest(t), called_rows_seen(*), count(*), sum(n) FROM called_rows GROUP BY k',
    'SELECT k, called_list(small), called_one(t), called_one(n), called_pairs(id, small), called_sizes(t), called_variadic(t, c::text) FROM called_rows GROUP BY k',
    'SELECT b, called_pairs(id, small), called_pairs(id, small) || k FROM called_rows WHERE id < 50 GROUP BY b, k HAVING called_pairs(id, small) <> ''x''',
    'SELECT k, string_agg(t, '','') FILTER (WHERE small > 100), called_rows_seen(*) FILTER (WHERE b) FROM called_rows GROUP BY k HAVING count(*) > 3',
    'SELECT t, array_agg(id), sum(id) FROM called_rows GROUP BY t',
    'SELECT id, array_agg(t), sum(k) FROM called_rows GROUP BY id',
    'SELECT array_agg(t), called_rows_seen(*), called_product(f), string_agg(t, '','') FROM called_rows WHERE small = -1',
    'SELECT k, array_agg(10 / small) FILTER (WHERE small <> 0) FROM called_rows GROUP BY k',
    'SELECT k, array_agg(10 / small) FROM called_rows GROUP BY k',
    'SELECT json_agg(json_build_object(''a'', k, ''b'', t)), json_agg(ROW(k, t)), xmlagg(xmlelement(NAME x, c))::text FROM called_rows WHERE id < 500',
    'SELECT k, corr(f, id), regr_slope(f, id), covar_pop(g, f), regr_count(f, n::float8) FROM called_rows GROUP BY k',
    'SELECT k, range_agg(int4range(id, id + 1)), range_intersect_agg(int4range(0, id)), bit_or(small::integer::bit(9)) FROM called_rows GROUP BY k',
    'SELECT k, string_agg(t, '','') FROM called_rows GROUP BY k ORDER BY string_agg(t, '','') DESC, k LIMIT 2',
    'SELECT k, called_rows_seen(*) FROM called_rows GROUP BY k ORDER BY 2 DESC, 1',
    'SELECT date_trunc(''month'', ts), json_object_agg(id, c) FROM called_rows GROUP BY 1',
    'SELECT n.name, array_agg(r.t), array_agg(n.k), sum(r.id) FROM called_rows r JOIN called_names n ON n.k = r.k GROUP BY n.name',
    'SELECT r.b, array_agg(upper(n.name)), array_agg(n.k + r.id) FROM called_rows r LEFT JOIN called_names n ON n.k = r.k GROUP BY r.b',
    'SELECT k, array_agg(t), sum(small) FROM called_parts GROUP BY k',
    'SELECT array_agg(id), min(id) FROM called_parts WHERE id > 1400 AND id < 1600',
    'SELECT length(s) FROM (SELECT string_agg(t, '','') AS s FROM called_rows) AS inside',
    'SELECT (SELECT string_agg(t, o.k::text) FROM called_rows r WHERE r.k = o.k) FROM called_names o',
    'SELECT json_object_agg(t, id) FROM called_rows'
]) AS q (query);
SELECT called_check(query), query FROM called_queries;
-- Few groups beside the memory, so that rows of others are spilled.
SET warpagg.debug_spill_groups = 3;
SELECT called_check(query), query FROM called_queries WHERE query ~ 'GROUP BY';
RESET warpagg.debug_spill_groups;
SET work_mem = '64kB';
SELECT called_check(query), query FROM called_queries WHERE query ~ 'GROUP BY (id|t)';
RESET work_mem;
-- Where processes would share the rows there is one.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT called_check(query), query FROM called_queries WHERE query ~ 'GROUP BY [kt]';
SET max_parallel_workers_per_gather = 0;
-- Resident columns do not help.
SELECT warpagg_load('called_rows') > 0 AS loaded;
SELECT called_check(query), query FROM called_queries WHERE query ~ 'GROUP BY k$';

-- What is left to PostgreSQL.
SET warpagg.explain_refusals = explain;
SELECT wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT k, rank(k) WITHIN GROUP (ORDER BY small), count(*) FROM called_rows GROUP BY k',
    'SELECT json_agg(r) FROM called_rows r',
    'SELECT string_agg(t, random()::text) FROM called_rows',
    'SELECT k, b, string_agg(t, '','') FROM called_rows GROUP BY ROLLUP (k, b)'
]) AS q;
SET warpagg.accelerate = off;
SELECT wa_refusal('SELECT string_agg(t, '','') FROM called_rows');
SELECT wa_refusal('SELECT string_agg(t, '',''), gpu_sum(id) FROM called_rows');
RESET warpagg.accelerate;
RESET warpagg.explain_refusals;

-- The plan.
EXPLAIN (COSTS OFF) SELECT k, sum(id), string_agg(t, ',') FILTER (WHERE b), called_rows_seen(*) FROM called_rows GROUP BY k;
SELECT line FROM wa_plan('SELECT k, string_agg(t, '','') FROM called_rows GROUP BY k', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ 'Resident Columns';

-- Functions are called with the rights of who owns the aggregate.
CREATE ROLE called_owner;
CREATE ROLE called_user;
GRANT SELECT ON called_rows TO called_user;
ALTER AGGREGATE called_longest(text) OWNER TO called_owner;
REVOKE EXECUTE ON FUNCTION called_longer(text, text) FROM public;
SET ROLE called_user;
SELECT called_longest(t) FROM called_rows;
RESET ROLE;
GRANT EXECUTE ON FUNCTION called_longer(text, text) TO called_owner;
SET ROLE called_user;
SELECT called_longest(t) FROM called_rows;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION called_longest(text) FROM public;
SET ROLE called_user;
SELECT called_longest(t) FROM called_rows;
RESET ROLE;
-- The same plan, with settings and parameters that change.
PREPARE called(text, integer) AS SELECT string_agg(t, $1), count(*) FROM called_rows WHERE id < $2;
SET plan_cache_mode = force_generic_plan;
EXECUTE called(', ', 4);
SET warpagg.accelerate = off;
EXECUTE called('; ', 5);
RESET warpagg.accelerate;
EXPLAIN (COSTS OFF) EXECUTE called(', ', 4);

DROP VIEW called_queries;
DROP TABLE called_rows, called_names, called_parts;
DROP FUNCTION called_check(text);
DROP AGGREGATE called_product(float8), called_longest(text), called_list(anycompatible), called_one(anycompatible), called_rows_seen(*), called_pairs(integer, integer), called_sizes(text), called_variadic(VARIADIC text[]);
DROP FUNCTION called_product(float8, float8), called_longer, called_keep, called_pair, called_pair_text, called_null, called_size, called_many;
DROP DOMAIN called_text;
DROP ROLE called_owner, called_user;
