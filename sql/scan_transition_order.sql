--
-- Aggregates that see rows in an order, or each value once, by their own functions.
--
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;

CREATE COLLATION ordered_alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE ordered_rows (id integer PRIMARY KEY, k integer, small smallint, t text COLLATE "C", c char(8), n numeric, f float8, b boolean, ts timestamptz, i interval, u uuid, a integer[], alike text COLLATE ordered_alike)
    WITH (autovacuum_enabled = off);
INSERT INTO ordered_rows SELECT i, i % 7, nullif(i * 7919 % 300, 1), CASE WHEN i % 11 > 0 THEN 'text ' || i * 31 % 1300 END, chr(97 + i % 5), CASE i % 3 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 ELSE i % 40 / 2.0 END,
    CASE i % 9 WHEN 0 THEN '-0' WHEN 1 THEN 0 WHEN 2 THEN 'NaN' ELSE (i * 31 % 4000) / 7.0 END, nullif(i % 3, 2) = 1, timestamptz '2024-01-01 12:00' + i * 7919 % 4000 * interval '1 hour', i * 31 % 500 * interval '1 second',
    md5((i % 900)::text)::uuid, ARRAY[i % 13, i % 2], CASE WHEN i % 2 = 0 THEN 'Text ' ELSE 'text ' END || i % 20
FROM generate_series(1, 4000) i;
INSERT INTO ordered_rows (id, k) VALUES (4001, 8);
INSERT INTO ordered_rows VALUES (4002, 9, 5, 'x', 'x', 1e40, 'Infinity', true, 'infinity', '1 day', NULL, NULL, NULL);
CREATE TABLE ordered_names (k integer PRIMARY KEY, name text) WITH (autovacuum_enabled = off);
INSERT INTO ordered_names SELECT i, 'name ' || i % 4 FROM generate_series(0, 5) i;
VACUUM (FREEZE, ANALYZE) ordered_rows;
VACUUM (FREEZE, ANALYZE) ordered_names;
CREATE FUNCTION ordered_step(text, text, integer) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS 'SELECT right($1 || $2 || $3, 100)';
CREATE AGGREGATE ordered_steps(text, integer) (SFUNC = ordered_step, STYPE = text, INITCOND = '');

-- Arrays as PL/pgSQL has them while it works with them.
CREATE FUNCTION ordered_array(x integer) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE AS $$ DECLARE a integer[] := ARRAY[x]; BEGIN FOR i IN 1..3 LOOP a := array_append(a, x + i); END LOOP; RETURN a; END $$;
CREATE FUNCTION ordered_both(integer[], integer[]) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE STRICT AS $$ BEGIN RETURN $1 || $2; END $$;
CREATE AGGREGATE ordered_all(integer[]) (SFUNC = ordered_both, STYPE = integer[]);

CREATE FUNCTION ordered_check(query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(wa_compare(query), ', heap', ''), ', partly', '')
$$;

-- Where rows are the same to ORDER BY any of them may come first, so ids make them differ.
CREATE VIEW ordered_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT k, string_agg(t, '','' ORDER BY t), sum(small) FROM ordered_rows GROUP BY k',
    'SELECT k, string_agg(t, '','' ORDER BY n DESC, id), count(*) FROM ordered_rows GROUP BY k',
    'SELECT array_agg(t ORDER BY t DESC NULLS LAST), array_agg(DISTINCT t), array_agg(id ORDER BY small NULLS FIRST, id DESC) FROM ordered_rows',
    'SELECT k, array_agg(DISTINCT small), count(DISTINCT small), string_agg(DISTINCT t, '','') FROM ordered_rows GROUP BY k',
    'SELECT k, string_agg(DISTINCT t, '','' ORDER BY t DESC), sum(DISTINCT small), avg(DISTINCT n), json_agg(small ORDER BY id) FROM ordered_rows GROUP BY k',
    'SELECT k, array_length(array_agg(DISTINCT n), 1), array_length(array_agg(DISTINCT f), 1), array_agg(DISTINCT b) FILTER (WHERE id > 1000) FROM ordered_rows GROUP BY k',
    'SELECT k, array_length(array_agg(DISTINCT alike), 1), array_length(array_agg(DISTINCT alike COLLATE "C"), 1) FROM ordered_rows GROUP BY k',
    'SELECT t, array_agg(id ORDER BY f, id), sum(id) FROM ordered_rows GROUP BY t',
    'SELECT id, array_agg(t ORDER BY k), sum(k) FROM ordered_rows GROUP BY id',
    'SELECT array_agg(t ORDER BY t), array_agg(DISTINCT id), count(DISTINCT id), json_agg(id) FROM ordered_rows WHERE small = -1',
    'SELECT k, ordered_steps(t, id ORDER BY id DESC), ordered_steps(DISTINCT t, small), ordered_steps(DISTINCT t, small ORDER BY small, t) FROM ordered_rows GROUP BY k',
    'SELECT k, rank(5) WITHIN GROUP (ORDER BY small), dense_rank(5) WITHIN GROUP (ORDER BY small DESC), percent_rank(10, ''a'') WITHIN GROUP (ORDER BY small, t), cume_dist(10) WITHIN GROUP (ORDER BY small) FROM ordered_rows GROUP BY k',
    'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY i), percentile_disc(ARRAY[[0.5, 0.1], [NULL, 0.2]]) WITHIN GROUP (ORDER BY t), mode() WITHIN GROUP (ORDER BY c), array_agg(id ORDER BY id) FROM ordered_rows GROUP BY k',
    'SELECT percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY i) FILTER (WHERE id < 3000), percentile_disc(0.3) WITHIN GROUP (ORDER BY t USING ~<~) FROM ordered_rows',
    'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i), rank(7) WITHIN GROUP (ORDER BY k) FROM ordered_rows WHERE small = -1',
    'SELECT k, sum(small ORDER BY id), max(t ORDER BY id), avg(f ORDER BY f, id) FILTER (WHERE f < 1000) FROM ordered_rows GROUP BY k',
    'SELECT k, gpu_sum(small ORDER BY id), gpu_avg(n ORDER BY id) FILTER (WHERE n < 1000), gpu_count(DISTINCT t), string_agg(t, '','' ORDER BY id) FROM ordered_rows GROUP BY k',
    'SELECT k, json_object_agg(id, t ORDER BY id DESC), corr(DISTINCT small, k) FROM ordered_rows GROUP BY k',
    'SELECT k, array_agg(DISTINCT 1), array_agg(DISTINCT NULL::integer), string_agg(DISTINCT ''x'', '',''), array_agg(7 ORDER BY 1) FROM ordered_rows WHERE id < 100 GROUP BY k',
    'SELECT k, array_length(array_agg(id ORDER BY 1), 1), array_agg(DISTINCT 1 ORDER BY 1) FROM ordered_rows GROUP BY k',
    'SELECT array_length(array_agg(id ORDER BY 1), 1), array_agg(DISTINCT 1 ORDER BY 1), array_agg(t ORDER BY t), array_agg(DISTINCT small), array_agg(u ORDER BY u) FROM ordered_rows WHERE id < 1000',
    'SELECT k, count(*), array_agg(id ORDER BY id) FROM ordered_rows GROUP BY k ORDER BY 2 DESC, 1',
    'SELECT k, array_agg(id ORDER BY id) FROM ordered_rows GROUP BY k HAVING array_length(array_agg(id ORDER BY id), 1) > 2 ORDER BY k DESC LIMIT 3',
    'SELECT k, array_agg(id ORDER BY id) FROM ordered_rows GROUP BY k ORDER BY array_agg(id ORDER BY id) DESC LIMIT 3',
    'SELECT b, array_agg(a ORDER BY a, id) FILTER (WHERE a IS NOT NULL), array_agg(DISTINCT u ORDER BY u), array_agg(ts ORDER BY ts DESC, id) FROM ordered_rows GROUP BY b',
    'SELECT n.name, string_agg(r.t, n.name ORDER BY n.k, r.id), array_agg(DISTINCT n.k) FROM ordered_rows r JOIN ordered_names n ON n.k = r.k GROUP BY n.name',
    'SELECT k, array_agg(id ORDER BY 10 / small, id) FROM ordered_rows WHERE small <> 0 GROUP BY k',
    'SELECT k, array_agg(id ORDER BY 10 / small) FROM ordered_rows GROUP BY k',
    'SELECT o.k, (SELECT string_agg(t, '','' ORDER BY r.id) FROM ordered_rows r WHERE r.k = o.k) FROM ordered_names o',
    'SELECT k, array_length(array_agg(DISTINCT ordered_array(k + id % 3)), 1), ordered_all(DISTINCT ordered_array(id % 4)), array_length(ordered_all(ordered_array(id) ORDER BY ordered_array(k), id), 1), sum(n * n * n) FROM ordered_rows GROUP BY k',
    'SELECT k, count(DISTINCT u), count(DISTINCT (t, small)), count(DISTINCT i), array_length(array_agg(DISTINCT a), 1), mode() WITHIN GROUP (ORDER BY u) FROM ordered_rows WHERE a IS NOT NULL GROUP BY k',
    'SELECT k, length(string_agg(DISTINCT repeat(t, 1500), '','')), sum(n * n * n) FROM ordered_rows WHERE id < 2000 GROUP BY k',
    'SELECT k, bit_and(small::integer::bit(9)), bit_or(small::integer::bit(9)), max(t) FROM ordered_rows GROUP BY k'
]) AS q (query);
SELECT ordered_check(query), query FROM ordered_queries;
-- Rows beyond work_mem come group by group.
SET work_mem = '64kB';
SELECT ordered_check(query), query FROM ordered_queries;
-- Few groups beside the memory, so that rows of others are spilled.
SET warpagg.debug_spill_groups = 3;
SELECT ordered_check(query), query FROM ordered_queries WHERE query ~ 'GROUP BY';
RESET work_mem;
SELECT ordered_check(query), query FROM ordered_queries WHERE query ~ 'GROUP BY';
RESET warpagg.debug_spill_groups;

-- Groups that nobody fetches.
BEGIN;
DECLARE groups_of CURSOR FOR SELECT k, array_agg(id ORDER BY id DESC) FROM ordered_rows WHERE id < 20 GROUP BY k;
FETCH 2 FROM groups_of;
CLOSE groups_of;
COMMIT;

-- What is left to PostgreSQL.
SET warpagg.explain_refusals = explain;
SELECT wa_refusal(q), q FROM unnest(ARRAY[
    'SELECT k, rank(k) WITHIN GROUP (ORDER BY small) FROM ordered_rows GROUP BY k',
    'SELECT k, b, string_agg(DISTINCT t, c) FROM ordered_rows GROUP BY CUBE (k, b)',
    'SELECT k, array_agg(id ORDER BY random()) FROM ordered_rows GROUP BY k'
]) AS q;
RESET warpagg.explain_refusals;

-- The plan.
EXPLAIN (COSTS OFF) SELECT k, sum(id), string_agg(DISTINCT t, ',') FILTER (WHERE b), array_agg(id ORDER BY ts) FROM ordered_rows GROUP BY k ORDER BY k;

DROP VIEW ordered_queries;
DROP TABLE ordered_rows, ordered_names;
DROP FUNCTION ordered_check(text);
DROP AGGREGATE ordered_steps(text, integer), ordered_all(integer[]);
DROP FUNCTION ordered_step(text, text, integer), ordered_array(integer), ordered_both(integer[], integer[]);
DROP COLLATION ordered_alike;
