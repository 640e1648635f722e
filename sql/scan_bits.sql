--
-- Aggregates over booleans and over bits: bool_and, every, bool_or, bit_and, bit_or, bit_xor.
--
\pset null '(null)'
SET client_min_messages = error;
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;

CREATE TABLE bits_rows (id integer PRIMARY KEY, k integer, t text COLLATE "C", i2 smallint, i4 integer, i8 bigint, b boolean, always boolean NOT NULL, n numeric, filler text)
    WITH (autovacuum_enabled = off);
INSERT INTO bits_rows
SELECT i, i % 9, CASE WHEN i % 7 > 0 THEN 'text ' || i % 5 END,
       CASE WHEN i % 9 < 8 THEN (h % 65536 - 32768)::smallint END,
       CASE WHEN i % 11 > 0 THEN (h - 2147483648)::integer END,
       CASE WHEN i % 13 > 0 THEN (h - 2147483648) * 4000000007 | 5 END,
       -- of some keys all are true, or false, or NULL
       CASE i % 9 WHEN 0 THEN true WHEN 1 THEN false WHEN 2 THEN NULL WHEN 3 THEN i % 2 = 0
                  WHEN 4 THEN nullif(i % 4 > 0, false) WHEN 5 THEN nullif(i % 4 = 0, true) ELSE nullif(h % 1000, 7) > 0 END,
       i % 9 < 8, (h % 1000) / 8.0, repeat('x', 60)
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h FROM generate_series(1, 20000) i) s;
CREATE TABLE bits_dims (k integer PRIMARY KEY, name text COLLATE "C", flag boolean, mask integer) WITH (autovacuum_enabled = off);
INSERT INTO bits_dims SELECT i, 'name ' || i % 3, nullif(i % 4, 2) = 1, 1 << i FROM generate_series(0, 6) i;
-- Several rows for a key, which are counted before they are joined.
CREATE TABLE bits_many (k integer, mask bigint, flag boolean, bad integer) WITH (autovacuum_enabled = off);
INSERT INTO bits_many SELECT i % 5, nullif(i * 3, 9), i % 4 > 1, i % 2 FROM generate_series(1, 24) i;
CREATE TABLE bits_parts (id integer, k integer, i4 integer, i8 bigint, b boolean) PARTITION BY RANGE (id);
CREATE TABLE bits_low PARTITION OF bits_parts FOR VALUES FROM (0) TO (10000);
CREATE TABLE bits_high (b boolean, i8 bigint, gone text, k integer, id integer, i4 integer);
ALTER TABLE bits_high DROP COLUMN gone;
ALTER TABLE bits_parts ATTACH PARTITION bits_high FOR VALUES FROM (10000) TO (30000);
INSERT INTO bits_parts SELECT id, k, i4, i8, b FROM bits_rows;
VACUUM (FREEZE, ANALYZE) bits_rows;
VACUUM (FREEZE, ANALYZE) bits_dims;
VACUUM (FREEZE, ANALYZE) bits_many;
VACUUM (FREEZE, ANALYZE) bits_parts;

-- Whether a query has the rows of PostgreSQL's plan, and in its order, and whether the node
-- computes them, of resident rows, with workers, or in several batches.
CREATE FUNCTION bits_check(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    BEGIN
        EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    EXCEPTION WHEN data_exception THEN
    END;
    RETURN regexp_replace(wa_compare_order(query), ', (no node|heap|partly|combined)', '', 'g')
        || CASE WHEN plan IS NULL THEN '' WHEN plan::text LIKE '%"WarpAgg"%' THEN ', the node' ELSE ', not the node' END
        || CASE WHEN plan @? '$.**."Resident Blocks" ? (@ > 0)' THEN ', resident' ELSE '' END
        || CASE WHEN plan @? '$.**."Workers Launched" ? (@ > 0)' THEN ', workers' ELSE '' END
        || CASE WHEN plan @? '$.**."Batches" ? (@ > 1)' THEN ', spilled' ELSE '' END;
END
$$;

SELECT k, bool_and(b), every(b), bool_or(b), bool_and(always) AS always, bit_and(i2), bit_or(i4), bit_xor(i8), pg_typeof(bool_or(b)) AS boolean, pg_typeof(bit_or(i2)) AS type
FROM bits_rows WHERE id < 100 GROUP BY k ORDER BY k;
SELECT wa_plan('SELECT k, bool_and(b), bit_or(i4) FROM bits_rows GROUP BY k');

CREATE TABLE bits_queries AS SELECT query FROM unnest(ARRAY[
    'SELECT bool_and(b), bool_or(b), every(always), bool_or(NOT always) FROM bits_rows',
    'SELECT bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4), bit_and(i8), bit_or(i8), bit_xor(i8) FROM bits_rows',
    'SELECT k, bool_and(b), bool_or(b), every(b), count(b), bool_and(b IS NULL), bool_or(i4 > 0), every(t LIKE ''text%'') FROM bits_rows GROUP BY k',
    'SELECT k, bit_and(i2), bit_or(i2), bit_xor(i2) FROM bits_rows GROUP BY k',
    'SELECT k, bit_and(i4), bit_xor(i4) FROM bits_rows GROUP BY k',
    'SELECT t, bit_or(i8), bit_xor(i8), bool_or(b) FROM bits_rows GROUP BY t',
    'SELECT t, k, bit_and(i8), bit_or(i8) FROM bits_rows WHERE id % 3 = 0 GROUP BY 1, 2',
    -- beside other aggregates over the same values
    'SELECT k, count(i4), sum(i4), bit_xor(i4), min(i4), bit_and(i4), avg(i4), max(i4), bit_or(i4), variance(i4) FROM bits_rows GROUP BY k',
    'SELECT bit_or(i4 / 2), sum(i4 / 2 + 1), bit_or(i4 / 2 + 1), min(i4 / 2 + 1), sum(i4 / 2), bit_xor(i4 / 2 - 1) FROM bits_rows',
    'SELECT sum(CASE WHEN b THEN 1 ELSE 0 END), bool_and(b), bool_or(b), count(*), count(b) FROM bits_rows',
    'SELECT k, min(i4), bool_and(b AND i4 > i2), max(i4), bool_or(NOT b), min(i2) FROM bits_rows GROUP BY k',
    -- conditions
    'SELECT k, bool_and(b) FILTER (WHERE i4 > 0), bool_or(b) FILTER (WHERE i4 < 0), bit_and(i4) FILTER (WHERE b), bit_or(i4) FILTER (WHERE NOT b), bit_xor(i2) FILTER (WHERE t IS NULL) FROM bits_rows GROUP BY k',
    'SELECT bool_and(b) FILTER (WHERE id < 0), bit_and(i4) FILTER (WHERE id < 0), bit_xor(i4) FILTER (WHERE id < 0) FROM bits_rows',
    'SELECT bool_and(b), bit_and(i4), bit_or(i4), bit_xor(i4), count(*) FROM bits_rows WHERE k < 0',
    'SELECT k, bit_or(i4), bool_and(b) FROM bits_rows WHERE k < 0 GROUP BY k',
    'SELECT bool_or(b AND i4 > i2), bool_and(CASE WHEN k > 0 THEN 10 / k > 1 END), bit_or(CASE WHEN b THEN i4 ELSE -1 END) FROM bits_rows',
    -- expressions, with instructions, without, and with errors
    'SELECT k, bit_and(i4 & 4095), bit_or(id | 8), bit_xor(i4 # i2), bit_or(~i8), bit_and(i4 >> 3) FROM bits_rows GROUP BY k',
    'SELECT bit_xor(id * 3 - k), bit_and(length(t)), bit_or(1), bit_and(NULL::integer), bool_and(NULL), bool_or(true) FROM bits_rows',
    'SELECT bit_or(hashtext(t)), bool_and(t ~ ''[0-4]''), bool_or(t > ''text 3'') FROM bits_rows',
    'SELECT bool_and(n > 3), bit_and(n::integer), bit_xor(n::bigint * 7) FROM bits_rows',
    'SELECT bit_or(i4 + 2147483647) FROM bits_rows',
    'SELECT bool_and(10 / k > 0) FROM bits_rows',
    -- HAVING, ORDER BY and LIMIT
    'SELECT k, count(*) FROM bits_rows GROUP BY k HAVING bool_and(b)',
    'SELECT k, bit_or(i2) FROM bits_rows GROUP BY k HAVING NOT bool_or(b) OR bit_and(i4) < 0',
    'SELECT k, bool_or(b) FROM bits_rows GROUP BY k ORDER BY bool_and(b) DESC NULLS LAST, k LIMIT 4',
    'SELECT k, t, bool_or(b) FROM bits_rows GROUP BY k, t ORDER BY bool_or(b) NULLS FIRST, k DESC, t LIMIT 7 OFFSET 2',
    'SELECT k, t, bit_xor(i4) FROM bits_rows GROUP BY k, t ORDER BY bit_xor(i4) LIMIT 5',
    'SELECT k, t, bit_xor(i8) FROM bits_rows GROUP BY 1, 2 ORDER BY bit_xor(i8) DESC NULLS LAST, k, t',
    'SELECT id % 1000, bit_xor(i8) FROM bits_rows GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20',
    'SELECT k, bit_and(i4) + 1, bool_and(b) AND bool_or(b), bit_or(i4)::text FROM bits_rows GROUP BY k ORDER BY 2, 1',
    'SELECT count(*), bool_and(x), bit_xor(y) FROM (SELECT k, bool_or(b) AS x, bit_or(i4) AS y FROM bits_rows GROUP BY k) AS inside',
    -- joins
    'SELECT d.name, bool_and(r.b), bool_or(d.flag), bit_or(d.mask), bit_xor(r.i4 + d.mask), bit_and(r.i2) FROM bits_rows r JOIN bits_dims d ON d.k = r.k GROUP BY 1',
    'SELECT d.name, bool_or(r.b AND d.flag), bool_and(d.flag), bit_xor(d.mask), count(*) FROM bits_rows r LEFT JOIN bits_dims d ON d.k = r.k GROUP BY 1',
    'SELECT bit_or(d.mask), bool_and(d.flag IS NOT NULL) FROM bits_rows r LEFT JOIN bits_dims d ON d.k = r.k WHERE r.i4 > 0',
    'SELECT r.t, bool_and(r.b), bool_or(m.flag), bit_and(m.mask), bit_or(m.mask), bit_or(r.i4) FROM bits_rows r JOIN bits_many m ON m.k = r.k GROUP BY 1',
    'SELECT r.t, bit_xor(r.i4), bit_xor(m.mask) FROM bits_rows r JOIN bits_many m ON m.k = r.k GROUP BY 1',
    'SELECT r.t, bool_or(m.mask > 40) FROM bits_rows r JOIN bits_many m ON m.k = r.k GROUP BY 1',
    -- partitions
    'SELECT bool_and(b), bool_or(b), bit_and(i4), bit_or(i8), bit_xor(i8), bit_xor(i4) FROM bits_parts',
    'SELECT k, bool_and(b), bit_xor(i4), bit_or(i8) FROM bits_parts WHERE id > 3000 GROUP BY k ORDER BY bit_xor(i4) LIMIT 5'
]) AS q (query);
SELECT bits_check(query), query FROM bits_queries;

-- Workers.
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT bits_check(query), query FROM bits_queries
WHERE query ~ '^SELECT (bool_and|bit_and|k|t|d.name),? ' AND query !~ '/ k' AND query ~ 'b\)';
SET max_parallel_workers_per_gather = 0;

-- More groups than there is memory for.
SET work_mem = '64kB';
SELECT bits_check(query), query FROM unnest(ARRAY[
    'SELECT id % 7001, bool_and(b), bool_or(b), bit_and(i2), bit_or(i4), bit_xor(i8) FROM bits_rows GROUP BY 1',
    'SELECT id, t, bool_or(b) FILTER (WHERE i4 > 0), bit_xor(i4), sum(i4) FROM bits_rows GROUP BY 1, 2 HAVING bit_xor(i4) > 0'
]) AS q (query);
SET max_parallel_workers_per_gather = 2;
SELECT bits_check('SELECT id % 7001, bool_and(b), bool_or(b), bit_and(i2), bit_or(i4), bit_xor(i8) FROM bits_rows GROUP BY 1');
SET max_parallel_workers_per_gather = 0;
RESET work_mem;

-- Resident columns, all of them and with blocks that have changed.
SELECT warpagg_load('bits_rows') > 0 AND warpagg_load('bits_low') > 0 AND warpagg_load('bits_high') > 0 AS loaded;
SELECT bits_check(query), query FROM bits_queries;
UPDATE bits_rows SET b = NOT b, i4 = i4 # 77, i8 = NULL WHERE id IN (7, 12000);
SELECT bits_check(query), query FROM bits_queries LIMIT 9;

-- Prepared statements, with plans for a parameter and for any.
PREPARE bits_of(integer, boolean) AS
    SELECT k, bit_or(i4 & $1), bool_and(b IS DISTINCT FROM $2), bit_xor(i4) FILTER (WHERE id > $1) FROM bits_rows WHERE k < $1 GROUP BY k ORDER BY k;
CREATE FUNCTION bits_prepared(scan text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    all_rows text[] := '{}';
    row record;
    mode text;
BEGIN
    PERFORM set_config('warpagg.enable_scan', scan, true);
    FOREACH mode IN ARRAY '{force_custom_plan,force_generic_plan}'::text[] LOOP
        PERFORM set_config('plan_cache_mode', mode, true);
        FOR row IN EXECUTE 'EXECUTE bits_of(5, NULL)' LOOP all_rows := all_rows || row::text; END LOOP;
        FOR row IN EXECUTE 'EXECUTE bits_of(3, true)' LOOP all_rows := all_rows || row::text; END LOOP;
    END LOOP;
    RETURN all_rows;
END
$$;
SET plan_cache_mode = force_generic_plan;
SELECT line FROM wa_plan('EXECUTE bits_of(5, true)') line WHERE line ~ 'WarpAgg|Aggregates';
RESET plan_cache_mode;
SELECT bits_prepared('on') = bits_prepared('off') AS same, array_length(bits_prepared('on'), 1) AS rows;

-- What has no bits of integers, or rows in an order, is computed by PostgreSQL's functions.
SELECT wa_compare_order(query), query FROM unnest(ARRAY[
    'SELECT bit_and(i4::bit(32)) FROM bits_rows',
    'SELECT bit_xor(i4::bit(32)::bit varying::bit(7)) FROM bits_rows',
    'SELECT bool_and(DISTINCT b) FROM bits_rows',
    'SELECT bit_or(i4 ORDER BY id) FROM bits_rows'
]) AS q (query);
DROP TABLE bits_rows, bits_dims, bits_many, bits_parts, bits_queries;
