-- The scan tier over tables that have partitions or children, against PostgreSQL's own
-- plan: which are left out, when, and how partitions differ from their parent.
SET client_min_messages = error;
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
\set VERBOSITY terse

-- What wa_compare says, and whether the order is another where there is one.
CREATE FUNCTION part_same(query text) RETURNS text LANGUAGE sql AS $$
    SELECT wa_compare(query)
        || CASE WHEN query ~ 'ORDER BY'
                AND wa_rows(query, 'on', 'on', 'all', true) IS DISTINCT FROM wa_rows(query, 'off', 'off', 'off', true)
           THEN ', in another order' ELSE '' END
$$;

-- Runs a prepared statement, and its text with the arguments in place of parameters by
-- PostgreSQL's own plan, and says whether they have the same rows.
CREATE FUNCTION part_executed(name text, arguments text[], mode text DEFAULT 'force_generic_plan') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    call text := format('EXECUTE %I (%s)', name, array_to_string(arguments, ', '));
    query text := (SELECT regexp_replace(statement, '^PREPARE .* AS\s+SELECT', 'SELECT') FROM pg_prepared_statements p WHERE p.name = $1);
    plan jsonb;
BEGIN
    FOR i IN 1 .. cardinality(arguments) LOOP
        query := replace(query, '$' || i, format('(%s)', arguments[i]));
    END LOOP;
    PERFORM set_config('plan_cache_mode', mode, true);
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || call INTO plan;
    RETURN CASE WHEN wa_rows(call, 'on', 'on', 'all') IS DISTINCT FROM wa_rows(rtrim(query, ';'), 'off', 'off', 'off')
           THEN 'rows differ' ELSE 'same' END
        || CASE WHEN plan @? '$.**."Custom Plan Provider"' THEN '' ELSE ', no node' END;
END $$;

-- The plan if it has the node, less on which device resident columns are.
CREATE FUNCTION part_plan(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    lines text[] := ARRAY(SELECT wa_plan(query, options));
BEGIN
    IF array_to_string(lines, ' ') LIKE '%WarpAgg%' THEN
        RETURN QUERY SELECT line FROM unnest(lines) line WHERE line !~ '^ *"?Resident Device';
    ELSE
        RETURN NEXT 'no node';
    END IF;
END $$;

-- Readings of two years, a partition each month, with few rows a block, so that each is
-- large enough to be resident; the last two are not.
CREATE TABLE part_readings (
    id integer, ts timestamptz NOT NULL, device integer, region text COLLATE "C", v bigint,
    n numeric(12, 2), f double precision, ok boolean) PARTITION BY RANGE (ts);
DO $$
BEGIN
    FOR m IN 0 .. 23 LOOP
        EXECUTE format('CREATE TABLE part_%s PARTITION OF part_readings FOR VALUES FROM (%L) TO (%L) WITH (autovacuum_enabled = off, fillfactor = 10)',
            to_char(timestamptz '2024-01-01' + m * interval '1 month', 'YYYY_MM'),
            timestamptz '2024-01-01' + m * interval '1 month', timestamptz '2024-01-01' + (m + 1) * interval '1 month');
    END LOOP;
END $$;
INSERT INTO part_readings
    SELECT i, timestamptz '2024-01-01' + i * interval '1 hour', i * 7919 % 53,
           CASE WHEN i % 13 > 0 THEN 'region ' || i * 31 % 5 END, CASE WHEN i % 17 > 0 THEN (i::bigint * 104729) % 100003 - 40000 END,
           (i * 7 % 10007) / 100.0, (i % 401 - 100) / 4.0, i % 7 > 1
    FROM generate_series(0, 17543) i;
VACUUM (FREEZE, ANALYZE) part_readings;
CREATE TABLE part_whole AS TABLE part_readings;
VACUUM (FREEZE, ANALYZE) part_whole;
SELECT warpagg_load('part_readings') AS rows;
SELECT warpagg_load('part_readings') AS rows;
SELECT warpagg_unload('part_2025_11'), warpagg_unload('part_2025_12');
SELECT root, count(DISTINCT relation) AS partitions, count(*) AS columns, sum(rows) FILTER (WHERE column_name = 'ts') AS rows
FROM warpagg_resident WHERE root = 'part_readings'::regclass GROUP BY root;

-- Sixteen that dashboards have; {} is the table, which PostgreSQL has in one piece, too.
CREATE TABLE part_shapes (number integer, name text, query text);
INSERT INTO part_shapes VALUES
    (1, 'total', 'SELECT count(*), sum(v), min(v), max(f), avg(n) FROM {}'),
    (2, 'hours', 'SELECT date_trunc(''hour'', ts) AS time, avg(f), max(v) FROM {} WHERE ts BETWEEN ''2025-03-30'' AND ''2025-03-31'' GROUP BY 1 ORDER BY 1'),
    (3, 'days', 'SELECT floor(extract(epoch FROM ts) / 86400) * 86400 AS time, sum(v), count(*) FROM {} WHERE ts >= ''2025-04-15'' AND ts < ''2025-05-15'' GROUP BY 1 ORDER BY 1'),
    (4, 'months', 'SELECT date_trunc(''month'', ts) AS month, sum(v), count(*) FROM {} GROUP BY 1 ORDER BY 1'),
    (5, 'last days', 'SELECT count(*), sum(n) FROM {} WHERE ts >= timestamptz ''2026-01-01'' - interval ''7 days'''),
    (6, 'devices of a month', 'SELECT device, sum(v), avg(n) FROM {} WHERE ts >= ''2025-11-01'' AND ts < ''2025-12-01'' GROUP BY device ORDER BY 2 DESC, 1'),
    (7, 'top ten', 'SELECT device, sum(n) AS total FROM {} GROUP BY device ORDER BY total DESC, device LIMIT 10'),
    (8, 'percent', 'SELECT region, sum(v), round(100 * sum(v) / sum(sum(v)) OVER (), 2) AS percent FROM {} WHERE ts >= ''2025-01-01'' GROUP BY region ORDER BY 1'),
    (9, 'month over month', 'SELECT date_trunc(''month'', ts) AS month, sum(v) - lag(sum(v)) OVER (ORDER BY date_trunc(''month'', ts)) AS change FROM {} GROUP BY 1 ORDER BY 1'),
    (10, 'one device', 'SELECT date_trunc(''day'', ts) AS day, min(f), max(f), avg(f) FROM {} WHERE device = 17 AND ts >= ''2025-06-01'' GROUP BY 1 ORDER BY 1'),
    (11, 'latest', 'SELECT device, max(ts) FROM {} GROUP BY device ORDER BY device'),
    (12, 'filters', 'SELECT region, count(*) FILTER (WHERE ok), count(*) FILTER (WHERE NOT ok), sum(v) FILTER (WHERE v > 0) FROM {} WHERE ts >= ''2025-10-01'' GROUP BY region ORDER BY 1'),
    (13, 'heat map', 'SELECT extract(isodow FROM ts) AS day, extract(hour FROM ts) AS hour, count(*), avg(n) FROM {} GROUP BY 1, 2 ORDER BY 1, 2'),
    (14, 'year over year', 'SELECT extract(month FROM ts) AS month, sum(v) FILTER (WHERE ts < ''2025-01-01''), sum(v) FILTER (WHERE ts >= ''2025-01-01'') FROM {} GROUP BY 1 ORDER BY 1'),
    (15, 'having', 'SELECT device, region, count(*) FROM {} GROUP BY device, region HAVING count(*) > 55 AND sum(v) > 0 ORDER BY 1, 2'),
    (16, 'running total', 'SELECT day, sum(total) OVER (ORDER BY day) FROM (SELECT ts::date AS day, sum(n) AS total FROM {} WHERE ts >= ''2025-12-01'' GROUP BY 1) d ORDER BY day');
SELECT number, name, part_same(replace(query, '{}', 'part_readings')),
       wa_rows(replace(query, '{}', 'part_readings'), 'on', 'on', 'all', true)
       = wa_rows(replace(query, '{}', 'part_whole'), 'off', 'off', 'off', true) AS as_one_table
FROM part_shapes ORDER BY number;
-- The same with groups by partition, with workers, and by what the heap has.
SET enable_partitionwise_aggregate = on;
SELECT number, part_same(replace(query, '{}', 'part_readings')) FROM part_shapes ORDER BY number;
RESET enable_partitionwise_aggregate;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT number, part_same(replace(query, '{}', 'part_readings')) FROM part_shapes ORDER BY number;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;
SET warpagg.enable_resident = off;
SELECT number, part_same(replace(query, '{}', 'part_readings')) FROM part_shapes ORDER BY number;
RESET warpagg.enable_resident;

-- Partitions that are left out, when it is planned or when it runs: all, some or none.
SELECT part_same(format('SELECT count(*), sum(v), max(ts) FROM part_readings WHERE %s', clause)), clause
FROM unnest(ARRAY[
    'ts >= ''2025-01-01'' AND ts < ''2025-02-01''',
    'ts > ''2025-01-31 23:30'' AND ts <= ''2025-02-01''',
    'ts = ''2024-07-04 12:30''',
    'ts IN (''2024-07-04 12:30'', ''2025-08-01'', ''2031-01-01'')',
    'ts < ''2024-02-01'' OR ts >= ''2025-12-01''',
    'ts < ''2024-01-01''',
    'ts >= ''2030-01-01'' AND v > 0',
    'ts IS NULL',
    'false',
    'ts >= date ''2025-12-24''',
    'ts >= timestamp ''2025-12-24 18:00''',
    'ts < now() + interval ''100 years''',
    'ts > now() + interval ''100 years''',
    'ts >= to_timestamp(''2025-11-30'', ''YYYY-MM-DD'')',
    'ts >= to_timestamp(''2025-11-30'', ''YYYY-MM-DD'') AND ts < now() + interval ''100 years'' AND device < 9',
    'ts >= (SELECT w.ts - interval ''40 days'' FROM part_whole w ORDER BY w.ts DESC LIMIT 1)',
    'ts >= (SELECT w.ts FROM part_whole w WHERE w.id < 0)',
    'ts BETWEEN (SELECT timestamptz ''2024-05-05'') AND (SELECT timestamptz ''2024-06-06'')',
    'ts = ANY (ARRAY(SELECT w.ts FROM part_whole w WHERE w.id % 9999 = 3))',
    'date_trunc(''month'', ts) = ''2025-03-01''',
    'ts::date = ''2025-03-01''',
    '(ts, id) > (''2025-12-31'', 17500)',
    'NOT (ts < ''2025-12-01'')'
]) AS clauses (clause);
SET enable_partition_pruning = off;
SELECT part_same('SELECT device, count(*), sum(v) FROM part_readings WHERE ts >= ''2025-12-24'' GROUP BY device ORDER BY device');
RESET enable_partition_pruning;

-- Prepared statements: one plan for all values of parameters, which leave partitions out
-- each time it runs, and a plan for each.
PREPARE part_range(timestamptz, timestamptz) AS SELECT count(*), sum(v), min(ts), max(ts) FROM part_readings WHERE ts >= $1 AND ts < $2;
PREPARE part_groups(timestamptz, integer) AS SELECT device % $2, count(*), sum(n) FROM part_readings WHERE ts >= $1 AND device <> $2 GROUP BY 1;
PREPARE part_limit(timestamptz, integer) AS SELECT device, sum(n) FROM part_readings WHERE ts >= $1 GROUP BY device ORDER BY 2 DESC, 1 LIMIT $2;
SELECT mode, part_executed(name, arguments, mode), name, arguments FROM (VALUES
    ('part_range', ARRAY['timestamptz ''2025-01-01''', 'timestamptz ''2025-02-01''']),
    ('part_range', ARRAY['timestamptz ''2025-01-15''', 'timestamptz ''2025-04-01''']),
    ('part_range', ARRAY['timestamptz ''2020-01-01''', 'timestamptz ''2030-01-01''']),
    ('part_range', ARRAY['timestamptz ''2030-01-01''', 'timestamptz ''2020-01-01''']),
    ('part_range', ARRAY['NULL::timestamptz', 'timestamptz ''2020-01-01''']),
    ('part_range', ARRAY['now() - interval ''100 years''', 'now()']),
    ('part_groups', ARRAY['timestamptz ''2025-12-01''', '5']),
    ('part_groups', ARRAY['timestamptz ''2024-06-01''', '7']),
    ('part_groups', ARRAY['timestamptz ''2030-01-01''', '7']),
    ('part_limit', ARRAY['timestamptz ''2025-12-01''', '3']),
    ('part_limit', ARRAY['timestamptz ''2024-01-01''', '100'])
) AS executions (name, arguments), unnest(ARRAY['force_generic_plan', 'force_custom_plan']) AS mode
ORDER BY mode DESC, name, arguments::text COLLATE "C";
DEALLOCATE ALL;

-- Rescans, with other partitions each time.
SELECT part_same('SELECT m.month, s.* FROM (VALUES (timestamptz ''2024-03-01''), (''2025-12-01''), (''2031-01-01''), (NULL)) m (month)
    CROSS JOIN LATERAL (SELECT count(*), sum(v), max(f) FROM part_readings WHERE ts >= m.month AND ts < m.month + interval ''1 month'') s');
SELECT part_same('SELECT m.month, s.* FROM generate_series(timestamptz ''2025-06-01'', ''2026-02-01'', ''1 month'') m (month)
    CROSS JOIN LATERAL (SELECT device, sum(n) FROM part_readings WHERE ts >= m.month AND ts < m.month + interval ''1 month'' AND device < 20
        GROUP BY device ORDER BY 2 DESC, 1 LIMIT 3) s');
SELECT part_same('SELECT w.id, (SELECT count(*) FROM part_readings r WHERE r.ts > w.ts AND r.device = w.device) FROM part_whole w WHERE w.id % 5003 = 1');

-- What a partition may be: divided again, with columns in another order or dropped, or
-- added later, kept another way, not logged, empty, of a default, and with an index.
CREATE TABLE part_mixed (a integer, gone text, k integer, b bigint, t text COLLATE "C", n numeric) PARTITION BY LIST (k);
CREATE TABLE part_mixed_1 PARTITION OF part_mixed FOR VALUES IN (1) PARTITION BY RANGE (a);
CREATE TABLE part_mixed_1_low PARTITION OF part_mixed_1 FOR VALUES FROM (MINVALUE) TO (1000) WITH (fillfactor = 10);
CREATE TABLE part_mixed_1_high (k integer, gone text, a integer, other date, b bigint, n numeric, t text COLLATE "C") WITH (fillfactor = 10);
ALTER TABLE part_mixed_1_high DROP COLUMN other;
ALTER TABLE part_mixed_1_high ALTER t SET STORAGE EXTERNAL;
ALTER TABLE part_mixed_1 ATTACH PARTITION part_mixed_1_high FOR VALUES FROM (1000) TO (MAXVALUE);
CREATE TABLE part_mixed_2 PARTITION OF part_mixed FOR VALUES IN (2, 3) PARTITION BY HASH (a);
CREATE TABLE part_mixed_2_even PARTITION OF part_mixed_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0) WITH (fillfactor = 10);
CREATE TABLE part_mixed_2_odd PARTITION OF part_mixed_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1) WITH (fillfactor = 10);
CREATE UNLOGGED TABLE part_mixed_unlogged PARTITION OF part_mixed FOR VALUES IN (4) WITH (fillfactor = 10);
CREATE TABLE part_mixed_empty PARTITION OF part_mixed FOR VALUES IN (5);
CREATE TABLE part_mixed_rest PARTITION OF part_mixed DEFAULT WITH (fillfactor = 10);
INSERT INTO part_mixed SELECT i, 'gone', i % 8, i * 37 % 1009, 'text ' || i % 50, i % 100 / 8.0 FROM generate_series(1, 16000) i WHERE i % 8 <> 5;
ALTER TABLE part_mixed DROP COLUMN gone;
ALTER TABLE part_mixed ADD COLUMN late integer DEFAULT 11, ADD COLUMN late_t text COLLATE "C" DEFAULT 'late';
INSERT INTO part_mixed SELECT i, i % 8, NULL, repeat(md5(i::text), 90), 1.50, i, NULL FROM generate_series(16001, 16100) i WHERE i % 8 <> 5;
INSERT INTO part_mixed VALUES (17000, NULL, 1, 't', NULL, NULL, NULL);
CREATE INDEX ON part_mixed_rest (a);
VACUUM (ANALYZE) part_mixed;
-- Some of the columns of those that can be resident, by their names.
SET client_min_messages = notice;
SELECT warpagg_load('part_mixed', '{a,k,b}') > 0 AS loaded;
SELECT warpagg_load('part_mixed_1', '{t}') > 0 AS loaded;
SELECT warpagg_load('part_mixed', '{a,none}');
SET client_min_messages = error;
SELECT relation, string_agg(column_name, ' ' ORDER BY column_name COLLATE "C") AS columns FROM warpagg_resident
WHERE root = 'part_mixed'::regclass GROUP BY relation ORDER BY relation::text COLLATE "C";
SELECT warpagg_load('part_mixed_1_high') AS rows;
CREATE TABLE part_queries (query text);
INSERT INTO part_queries VALUES
    ('SELECT count(*), sum(a), sum(b), sum(n), min(t), max(late), count(late_t) FROM part_mixed'),
    ('SELECT k, count(*), sum(b), max(t) FROM part_mixed GROUP BY k'),
    ('SELECT late_t, late, count(*), sum(n) FROM part_mixed GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 5'),
    ('SELECT count(*), sum(length(t)) FROM part_mixed WHERE k = 1'),
    ('SELECT count(*), sum(b) FROM part_mixed WHERE k = 1 AND a < 900'),
    ('SELECT count(*), sum(b) FROM part_mixed WHERE k IN (2, 3) AND a = 1234'),
    ('SELECT count(*), sum(b) FROM part_mixed WHERE k IS NULL'),
    ('SELECT count(*), sum(b) FROM part_mixed WHERE k = 5'),
    ('SELECT a, count(*) FROM part_mixed WHERE k = 5 GROUP BY a'),
    ('SELECT count(*), sum(b) FROM part_mixed WHERE k > 5 AND a = 4711'),
    ('SELECT t, sum(a) FROM part_mixed WHERE t < ''text 3'' GROUP BY t ORDER BY t DESC LIMIT 4'),
    ('SELECT k % 3, count(*) FILTER (WHERE late = 11), avg(n) FROM part_mixed GROUP BY 1 HAVING count(*) > 4000'),
    ('SELECT count(*), sum(a) FROM part_mixed WHERE late_t IS NULL OR late > 16050'),
    ('SELECT tableoid::regclass::text COLLATE "C", count(*) FROM part_mixed GROUP BY 1 ORDER BY 1'),
    ('SELECT count(*) FROM part_mixed WHERE tableoid = ''part_mixed_rest''::regclass'),
    ('SELECT count(m), max(m::text) FROM part_mixed m'),
    ('SELECT count(*), sum(b) FROM part_mixed WHERE ctid > ''(3,4)'''),
    ('SELECT sum(a) FROM part_mixed TABLESAMPLE SYSTEM (100) REPEATABLE (1)'),
    ('SELECT sum(1000 / (k - 5)) FROM part_mixed'),
    ('SELECT sum(1000 / (k - 4)) FROM part_mixed'),
    ('SELECT sum(1000 / (k - 4)) FROM part_mixed WHERE k <> 4'),
    ('SELECT k, sum(1000 / (k - 4)) FROM part_mixed WHERE k IN (1, 2, 7) GROUP BY k'),
    ('SELECT count(*) FROM (SELECT k FROM part_mixed GROUP BY k, a % 10) g'),
    ('SELECT m.k, count(*), sum(o.b) FROM part_mixed m JOIN part_mixed_2 o ON o.a = m.a GROUP BY m.k'),
    ('SELECT count(*), sum(b) FROM part_mixed_2'),
    ('SELECT count(*), sum(b), min(t) FROM part_mixed_1 WHERE a > 2000'),
    ('SELECT count(*), sum(a), sum(b), max(k) FROM part_mixed WHERE k = 1 AND a >= 1000'),
    ('SELECT a % 10, count(*), sum(b), max(k) FROM part_mixed WHERE k = 1 AND a >= 1000 GROUP BY 1');
SELECT part_same(query), query FROM part_queries ORDER BY query COLLATE "C";
SET enable_partitionwise_aggregate = on;
SELECT part_same(query), query FROM part_queries ORDER BY query COLLATE "C";
RESET enable_partitionwise_aggregate;
SET enable_seqscan = off;
SELECT part_same(query), query FROM part_queries WHERE query LIKE '%k > 5 AND a = %' ORDER BY query COLLATE "C";
RESET enable_seqscan;

-- After changes of rows: rows that move from one to another, too.
UPDATE part_mixed SET k = k + 1 WHERE a % 10 = 3 AND k < 3;
SELECT part_same(query), query FROM part_queries WHERE query LIKE '%sum(b)%' ORDER BY query COLLATE "C";
DELETE FROM part_mixed WHERE a % 7 = 2;
INSERT INTO part_mixed SELECT i, 5, i, 'new', 2.25 FROM generate_series(1, 20) i;
VACUUM part_mixed;
SELECT part_same(query), query FROM part_queries WHERE query LIKE '%sum(b)%' ORDER BY query COLLATE "C";
BEGIN;
TRUNCATE part_mixed_2_odd;
INSERT INTO part_mixed SELECT i, 2, i, 'mine', 2.25 FROM generate_series(1, 20) i;
SELECT part_same(query), query FROM part_queries WHERE query LIKE '%sum(b)%' ORDER BY query COLLATE "C";
ROLLBACK;

-- After changes of tables, a prepared statement takes what there is then.
PREPARE part_all(integer) AS SELECT count(*), sum(a), sum(n) FROM part_mixed WHERE a > $1;
SELECT part_executed('part_all', '{0}');
ALTER TABLE part_mixed DETACH PARTITION part_mixed_unlogged;
SELECT part_executed('part_all', '{0}');
ALTER TABLE part_mixed ATTACH PARTITION part_mixed_unlogged FOR VALUES IN (4);
SELECT part_executed('part_all', '{10}');
DROP TABLE part_mixed_2;
SELECT part_executed('part_all', '{10}');
CREATE TABLE part_mixed_2 PARTITION OF part_mixed FOR VALUES IN (2);
INSERT INTO part_mixed SELECT i, 2, i, 'back', i / 4.0 FROM generate_series(1, 3000) i;
SELECT part_executed('part_all', '{10}');
ALTER TABLE part_mixed ALTER n TYPE numeric(12, 3);
SELECT part_executed('part_all', '{2000}');
ALTER TABLE part_mixed ADD COLUMN b2 integer DEFAULT 3;
SELECT part_executed('part_all', '{2000}');
TRUNCATE part_mixed;
SELECT part_executed('part_all', '{0}');
DEALLOCATE ALL;

-- A partition of a server that cannot be read, which is an error unless it is left out.
CREATE FOREIGN DATA WRAPPER part_nowhere;
CREATE SERVER part_nowhere FOREIGN DATA WRAPPER part_nowhere;
CREATE FOREIGN TABLE part_mixed_far PARTITION OF part_mixed FOR VALUES IN (90) SERVER part_nowhere;
INSERT INTO part_mixed SELECT i, i % 9, i FROM generate_series(1, 2000) i;
SELECT part_same('SELECT k, count(*), sum(b) FROM part_mixed WHERE k < 50 GROUP BY k');
SELECT count(*) FROM part_mixed;
SELECT count(*) FROM part_mixed WHERE a > (SELECT 3);
DROP FOREIGN DATA WRAPPER part_nowhere CASCADE;
DROP TABLE part_mixed, part_queries;

-- Inheritance: a parent that has rows, children with more columns, of two parents, one
-- that is temporary, and those that constraints leave out.
CREATE TABLE part_family (a integer, b bigint, t text COLLATE "C") WITH (fillfactor = 10);
CREATE TABLE part_family_1 (extra integer, CHECK (a BETWEEN 1000 AND 1999)) INHERITS (part_family) WITH (fillfactor = 10);
CREATE TABLE part_family_2 (b bigint, a integer, CHECK (a >= 2000)) INHERITS (part_family);
CREATE TABLE part_family_3 () INHERITS (part_family_1, part_family_2);
CREATE TEMPORARY TABLE part_family_t () INHERITS (part_family);
INSERT INTO part_family SELECT i, i % 77, 'p' FROM generate_series(1, 999) i;
INSERT INTO part_family_1 SELECT i, i % 77, 'q', i FROM generate_series(1000, 1999) i;
INSERT INTO part_family_2 SELECT i, i % 77, 'r' FROM generate_series(2000, 2999) i;
INSERT INTO part_family_t SELECT i, i % 77, 's' FROM generate_series(3000, 3999) i;
VACUUM (ANALYZE) part_family, part_family_1, part_family_2, part_family_3;
ANALYZE part_family_t;
CREATE TABLE part_queries AS SELECT * FROM unnest(ARRAY[
    'SELECT count(*), sum(a), sum(b), max(t) FROM part_family',
    'SELECT count(*), sum(a), sum(b), max(t) FROM ONLY part_family',
    'SELECT t, count(*), sum(b) FROM part_family GROUP BY t',
    'SELECT count(*), sum(a) FROM part_family WHERE a < 500',
    'SELECT count(*), sum(a) FROM part_family WHERE a BETWEEN 1500 AND 2500',
    'SELECT count(*), sum(a) FROM part_family WHERE a >= (SELECT 2900)',
    'SELECT b % 5, sum(a) FROM part_family WHERE a <> 7 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3',
    'SELECT count(*), sum(extra) FROM part_family_1',
    'SELECT count(*), sum(a) FROM part_family f WHERE EXISTS (SELECT FROM part_family_2 g WHERE g.a = f.a)'
]) AS queries (query);
SELECT part_same(query), query FROM part_queries ORDER BY query COLLATE "C";
SELECT warpagg_load('part_family') AS rows;
SELECT relation, root, count(*) FROM warpagg_resident WHERE relation::text LIKE 'part_family%' GROUP BY relation, root ORDER BY relation::text COLLATE "C";
SELECT part_same(query), query FROM part_queries ORDER BY query COLLATE "C";
UPDATE part_family SET b = b + 1 WHERE a % 3 = 0;
DELETE FROM part_family WHERE a % 500 = 1;
DROP TABLE part_family_t;
SELECT part_same(query), query FROM part_queries ORDER BY query COLLATE "C";
ALTER TABLE part_family_2 NO INHERIT part_family;
SELECT part_same(query), query FROM part_queries ORDER BY query COLLATE "C";
DROP TABLE part_family, part_family_1, part_family_2, part_family_3, part_queries;

-- Privileges, those of columns too, and policies are those of the table that is named.
CREATE ROLE part_user;
GRANT SELECT (ts, v, device) ON part_readings TO part_user;
SET ROLE part_user;
SELECT part_same('SELECT date_trunc(''month'', ts), sum(v) FROM part_readings GROUP BY 1 ORDER BY 1');
SELECT part_same('SELECT device, max(ts) FROM part_readings WHERE ts >= ''2025-12-01'' GROUP BY device ORDER BY 1');
SELECT sum(n) FROM part_readings;
SELECT count(*) FROM part_readings WHERE ok AND ts > '2025-12-01';
SELECT sum(v) FROM part_2025_12;
SELECT warpagg_load('part_readings', '{ts,v}') >= 0 AS loaded;
SELECT warpagg_load('part_readings', '{n}');
SELECT warpagg_load('part_2025_12', '{v}');
RESET ROLE;
SELECT warpagg_unload('part_2025_11'), warpagg_unload('part_2025_12');
GRANT SELECT ON part_2025_12 TO part_user;
REVOKE SELECT (ts, v, device) ON part_readings FROM part_user;
SET ROLE part_user;
SELECT count(*), sum(v) FROM part_2025_12;
SELECT sum(v) FROM part_readings;
RESET ROLE;
GRANT SELECT ON part_readings TO part_user;
CREATE FUNCTION part_seen(bigint) RETURNS boolean LANGUAGE plpgsql COST 0.0001
    AS $$BEGIN IF $1 <= 0 THEN RAISE EXCEPTION 'seen'; END IF; RETURN true; END$$;
ALTER TABLE part_readings ENABLE ROW LEVEL SECURITY;
ALTER TABLE part_2025_12 ENABLE ROW LEVEL SECURITY;
CREATE POLICY part_some ON part_readings FOR SELECT TO part_user USING (v > 0 AND device % 2 = 0);
SET ROLE part_user;
SELECT part_same('SELECT count(*), sum(v), min(device) FROM part_readings');
SELECT part_same('SELECT device, count(*) FROM part_readings WHERE ts >= ''2025-12-01'' GROUP BY device ORDER BY 1');
SELECT part_same('SELECT count(*) FROM part_readings WHERE part_seen(v) AND ts >= ''2025-12-01''');
SELECT part_same('SELECT count(*) FROM part_2025_12');
RESET ROLE;
SELECT part_same('SELECT count(*), sum(v) FROM part_readings');
DROP POLICY part_some ON part_readings;
ALTER TABLE part_readings DISABLE ROW LEVEL SECURITY;
ALTER TABLE part_2025_12 DISABLE ROW LEVEL SECURITY;
CREATE VIEW part_barrier WITH (security_barrier) AS SELECT ts, device, v FROM part_readings WHERE v > 0;
CREATE VIEW part_plain AS SELECT date_trunc('month', ts) AS month, device, n FROM part_readings;
GRANT SELECT ON part_barrier, part_plain TO part_user;
SET ROLE part_user;
SELECT part_same('SELECT device, count(*), sum(v) FROM part_barrier WHERE ts < ''2024-03-01'' GROUP BY device ORDER BY 1');
SELECT part_same('SELECT count(*), sum(v) FROM part_barrier WHERE part_seen(v)');
SELECT part_same('SELECT month, sum(n) FROM part_plain GROUP BY month ORDER BY month');
RESET ROLE;
DROP VIEW part_barrier, part_plain;
DROP FUNCTION part_seen;
DROP OWNED BY part_user;
DROP ROLE part_user;

-- With other queries: several of these tables, and above, beside and below other nodes.
SELECT part_same('SELECT ''a'' AS part, count(*), sum(v) FROM part_readings WHERE ts < ''2024-02-01'' UNION ALL SELECT ''b'', count(*), sum(v) FROM part_readings WHERE ts >= ''2025-11-15''');
SELECT part_same('SELECT count(*), sum(v) FROM (SELECT v FROM part_readings WHERE ts < ''2024-02-01'' UNION ALL SELECT v FROM part_whole WHERE id < 100) u');
SELECT part_same('SELECT a.month, a.total, b.total FROM (SELECT date_trunc(''month'', ts) AS month, sum(v) AS total FROM part_readings GROUP BY 1) a
    JOIN (SELECT date_trunc(''month'', ts) + interval ''1 month'' AS month, sum(v) AS total FROM part_readings GROUP BY 1) b USING (month) ORDER BY a.month');
SELECT part_same('WITH m AS MATERIALIZED (SELECT device, sum(v) AS total FROM part_readings GROUP BY device) SELECT count(*), max(total) FROM m WHERE total > (SELECT avg(total) FROM m)');
SELECT part_same('SELECT device, (SELECT max(v) FROM part_readings) - max(v) FROM part_readings WHERE ts < ''2024-02-10'' GROUP BY device ORDER BY 1');
SELECT part_same('SELECT region, device, grouping(region), count(*) FROM part_readings WHERE ts > ''2025-12-20'' GROUP BY ROLLUP (region, device) ORDER BY 1, 2, 3');
SELECT part_same('SELECT count(DISTINCT device), sum(DISTINCT v) FROM part_readings WHERE ts > ''2025-12-20''');
SELECT part_same('SELECT string_agg(id::text, '','' ORDER BY id) FROM part_readings WHERE ts > ''2025-12-31''');
SELECT part_same('SELECT gpu_sum(v), gpu_avg(f), gpu_max(n) FROM part_readings WHERE ts > ''2025-10-31''');

-- A cursor keeps its snapshot, whatever is written in between.
BEGIN;
DECLARE part_ours CURSOR FOR SELECT date_trunc('month', ts) AS month, count(*), sum(v) FROM part_readings WHERE ts >= '2025-09-01' GROUP BY 1 ORDER BY 1;
SET LOCAL warpagg.enable_scan = off;
DECLARE part_theirs CURSOR FOR SELECT date_trunc('month', ts) AS month, count(*), sum(v) FROM part_readings WHERE ts >= '2025-09-01' GROUP BY 1 ORDER BY 1;
SET LOCAL warpagg.enable_scan = on;
FETCH part_ours;
FETCH part_theirs;
DELETE FROM part_readings WHERE id % 3 = 0;
INSERT INTO part_readings (ts, v) VALUES ('2025-10-10', 1000000);
FETCH ALL FROM part_ours;
FETCH ALL FROM part_theirs;
SELECT part_same('SELECT date_trunc(''month'', ts), count(*), sum(v) FROM part_readings GROUP BY 1 ORDER BY 1');
ROLLBACK;

-- Under SERIALIZABLE the partitions that are read are locked, and no others.
CREATE FUNCTION part_locked(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN (SELECT string_agg(DISTINCT relation::regclass::text, ' ' ORDER BY relation::regclass::text) FROM pg_locks
            WHERE mode = 'SIReadLock' AND pid = pg_backend_pid() AND relation::regclass::text LIKE 'part\_20%');
END $$;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT part_locked('SELECT sum(v) FROM part_readings WHERE ts >= ''2025-11-05''');
COMMIT;
SET warpagg.enable_scan = off;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT part_locked('SELECT sum(v) FROM part_readings WHERE ts >= ''2025-11-05''');
COMMIT;
SET warpagg.enable_scan = on;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT part_same('SELECT device, sum(v) FROM part_readings GROUP BY device ORDER BY 1');
COMMIT;
DROP FUNCTION part_locked;

-- Rows by an index beside workers that spill.
CREATE TABLE part_indexed (id integer, k integer, v integer) PARTITION BY RANGE (id);
CREATE TABLE part_indexed_1 PARTITION OF part_indexed FOR VALUES FROM (0) TO (20000) WITH (fillfactor = 10);
CREATE TABLE part_indexed_2 PARTITION OF part_indexed FOR VALUES FROM (20000) TO (40000) WITH (fillfactor = 10);
INSERT INTO part_indexed SELECT x, x % 1000, x % 77 FROM generate_series(0, 39999) x;
CREATE INDEX ON part_indexed_1 (k);
VACUUM ANALYZE part_indexed;
SET cpu_tuple_cost = 0.01;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET warpagg.enable_resident = off;
SET warpagg.debug_spill_groups = 3;
SELECT part_plan('SELECT id, k, sum(v) FROM part_indexed WHERE k < 30 GROUP BY id, k');
SELECT part_same('SELECT id, k, sum(v) FROM part_indexed WHERE k < 30 GROUP BY id, k');
SELECT part_same('SELECT k, count(*), sum(v) FROM part_indexed WHERE k < 30 GROUP BY k ORDER BY sum(v), k LIMIT 7');
RESET warpagg.debug_spill_groups;
RESET warpagg.enable_resident;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;
DROP TABLE part_indexed;

-- Plans: of the heap, then with what is resident.
SET warpagg.enable_resident = off;
SELECT part_plan('SELECT count(*), sum(v) FROM part_readings');
SELECT part_plan('SELECT count(*), sum(v) FROM part_readings WHERE ts >= ''2025-11-15''');
SELECT part_plan('SELECT count(*), sum(v) FROM part_readings WHERE ts >= ''2025-12-15''');
SELECT part_plan('SELECT count(*), sum(v) FROM part_readings WHERE ts >= ''2031-01-01''');
SELECT part_plan('SELECT device, sum(v) FROM part_readings WHERE ts >= to_timestamp(''2025-11-15'', ''YYYY-MM-DD'') GROUP BY device ORDER BY 2 DESC LIMIT 5', 'COSTS OFF, ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF');
SELECT part_plan('SELECT device, sum(v) FROM part_readings WHERE ts >= ''2025-11-15'' GROUP BY device', 'COSTS OFF, VERBOSE');
SELECT part_plan('SELECT count(*), sum(v) FROM part_readings WHERE ts >= (SELECT ts - interval ''1 day'' FROM part_whole ORDER BY ts DESC LIMIT 1)', 'COSTS OFF, ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF');
SET plan_cache_mode = force_generic_plan;
PREPARE part_since(timestamptz) AS SELECT count(*), sum(v) FROM part_readings WHERE ts >= $1;
SELECT part_plan('EXECUTE part_since (''2025-10-15'')', 'COSTS OFF, ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF');
SELECT part_plan('EXECUTE part_since (''2031-01-01'')', 'COSTS OFF, ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF');
DEALLOCATE part_since;
RESET plan_cache_mode;
SET enable_partitionwise_aggregate = on;
SELECT part_plan('SELECT ts, sum(v) FROM part_readings WHERE ts >= ''2025-11-15'' GROUP BY ts');
RESET enable_partitionwise_aggregate;
SELECT part_plan('SELECT count(*) FROM part_readings WHERE ts >= ''2025-11-15''', 'FORMAT JSON, COSTS OFF');
RESET warpagg.enable_resident;
SELECT part_plan('SELECT max(v) FROM part_readings WHERE ts >= ''2025-10-15''', 'COSTS OFF, ANALYZE, BUFFERS OFF, TIMING OFF, SUMMARY OFF');

-- They are forgotten, as they have been loaded, by the table that is named.
SELECT warpagg_unload('part_readings', '{v,n}');
SELECT count(DISTINCT relation) AS partitions, string_agg(DISTINCT column_name, ' ') AS columns FROM warpagg_resident WHERE root = 'part_readings'::regclass;
SELECT part_same('SELECT date_trunc(''month'', ts), count(*), sum(v) FROM part_readings GROUP BY 1 ORDER BY 1');
SELECT warpagg_unload('part_readings');
SELECT count(*) FROM warpagg_resident WHERE root = 'part_readings'::regclass;

DROP TABLE part_readings, part_whole, part_shapes;
DROP FUNCTION part_same, part_executed, part_plan;
