-- What later versions of PostgreSQL brought, in words that all of them take, with the
-- same results.
LOAD 'warpagg';
SET client_min_messages = error;
SET max_parallel_workers_per_gather = 0;
SET warpagg.enable_scan = on;
SELECT current_setting('server_version_num')::integer / 10000 AS version \gset

-- Generated columns: virtual from 18 on, so that rows hold nothing for them.
SELECT CASE WHEN :version >= 18 THEN 'VIRTUAL' ELSE 'STORED' END AS kind \gset
CREATE TABLE versions_generated (
    a integer,
    twice integer GENERATED ALWAYS AS (a * 2) :kind,
    b integer,
    label text GENERATED ALWAYS AS ('g' || b) :kind);
INSERT INTO versions_generated (a, b) SELECT x, x % 3 FROM generate_series(1, 3000) x;
VACUUM ANALYZE versions_generated;
SELECT count(*), count(twice), sum(twice), max(b) FROM versions_generated;
SELECT b, count(twice), sum(twice), min(label) FROM versions_generated WHERE twice > 10 GROUP BY b ORDER BY b;
SELECT label, count(*), sum(b) FROM versions_generated GROUP BY label ORDER BY label;
SELECT twice % 4 AS k, count(*) FROM versions_generated GROUP BY k ORDER BY k;
SELECT count(g), max(g.twice) FROM versions_generated g WHERE g IS NOT NULL;
SELECT * FROM wa_scan_differences('SELECT b, count(twice) AS n, sum(twice) AS s FROM versions_generated WHERE twice > 10 GROUP BY b');
SELECT * FROM wa_scan_differences('SELECT twice % 4 AS k, sum(b) AS s FROM versions_generated GROUP BY k');
SELECT gpu_sum(twice), gpu_max(label) FROM versions_generated;

-- Only what rows hold can be resident.
SELECT warpagg_load('versions_generated') >= 0 AS loaded;
SELECT string_agg(column_name, ' ' ORDER BY column_name) FILTER (WHERE column_name IN ('twice', 'label')) IS NULL
       = (:version >= 18) AS as_expected,
       count(*) FILTER (WHERE column_name IN ('a', 'b')) AS stored
FROM warpagg_resident WHERE relation = 'versions_generated'::regclass;
SELECT wa_outcome('warpagg_load(''versions_generated'', ''{twice}'') >= 0', 'pg_am LIMIT 1')
       = CASE WHEN :version >= 18 THEN 'ERROR 0A000: column "twice" cannot be resident' ELSE 'true' END AS as_expected;
SELECT wa_compare('SELECT sum(twice), count(twice), sum(a) FROM versions_generated') LIKE 'same%' AS same;
SELECT wa_compare('SELECT b, sum(twice), count(*) FROM versions_generated WHERE twice BETWEEN 7 AND 4000 GROUP BY b') LIKE 'same%' AS same;
SELECT wa_compare('SELECT label, sum(a) FROM versions_generated GROUP BY label') LIKE 'same%' AS same;

-- min and max of every type that the server has them for: bytea and record from 18 on.
SELECT b.proname, b.proargtypes
FROM pg_proc b
WHERE b.proname IN ('min', 'max', 'sum', 'avg', 'count') AND b.prokind = 'a' AND b.pronamespace = 'pg_catalog'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_proc t WHERE t.proname = 'gpu_' || b.proname AND t.proargtypes = b.proargtypes
                        AND t.prorettype = b.prorettype);
CREATE TABLE versions_others AS
    SELECT x AS id, x % 4 AS k, decode(md5(x::text), 'hex') AS bytes FROM generate_series(1, 2000) x;
CREATE TYPE versions_pair AS (a integer, b text);
CREATE FUNCTION versions_extremes(argument text, "from" integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    differences bigint := 0;
BEGIN
    IF current_setting('server_version_num')::integer / 10000 >= "from" THEN
        SELECT count(*) INTO differences
        FROM wa_differences('min max', argument, 'versions_others', 'k');
    END IF;
    RETURN differences;
END
$$;
SELECT versions_extremes('bytes', 18), versions_extremes('nullif(bytes, ''\x'')', 18),
       versions_extremes('row(k, id)', 18);
-- To PL/pgSQL records of all types have one type, by which it keeps plans.
DISCARD PLANS;
SELECT versions_extremes('row(id % 7, id::text)::versions_pair', 18);

-- Compares a query that there is from a version on, as wa_compare does; returns what was
-- not expected.
CREATE FUNCTION versions_unexpected(query text, expected text, "from" integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('server_version_num')::integer / 10000 >= "from" THEN
        RETURN nullif(wa_compare(query), expected);
    END IF;
    RETURN NULL;
END
$$;
SELECT versions_unexpected('SELECT k, count(*), min(bytes), max(bytes) FROM versions_others GROUP BY k', 'same, heap', 18) AS bytes,
       versions_unexpected('SELECT min(bytes), max(bytes), sum(id) FROM versions_others WHERE k > 0', 'same, heap', 18) AS some,
       versions_unexpected('SELECT k, min(row(k, id)), max(row(id % 7, id::text)::versions_pair) FROM versions_others GROUP BY k', 'same, no node', 18) AS records;

-- any_value, which 16 brought: of groups whose values are the same, and of a type without an order.
SELECT versions_unexpected('SELECT any_value(k), sum(id), count(*) FROM versions_others WHERE k = 2', 'same, heap', 16) AS alone,
       versions_unexpected('SELECT k, any_value(k + 1), any_value(k::text), any_value(k > 1), sum(id) FROM versions_others GROUP BY k', 'same, heap', 16) AS grouped,
       versions_unexpected('SELECT k, any_value(point(k, 1)), sum(id) FROM versions_others GROUP BY k', 'same, no node', 16) AS without_order;

-- Intervals, which may be infinite from 17 on, and a sum of both infinities fails then.
SELECT CASE WHEN :version >= 17 THEN 'infinity' ELSE '1 year' END AS much \gset
CREATE TABLE versions_intervals AS
    SELECT x % 3 AS k, CASE x % 3 WHEN 0 THEN :'much'::interval WHEN 1 THEN -(:'much'::interval) ELSE x * interval '1 s' END AS v
    FROM generate_series(1, 3000) x;
ANALYZE versions_intervals;
SELECT * FROM wa_differences('sum avg min max', 'v', 'versions_intervals', 'k');
SELECT function FROM wa_outcomes('sum avg min max', 'v', 'versions_intervals') WHERE builtin IS DISTINCT FROM gpu;
SELECT * FROM wa_scan_differences('SELECT k, min(v) AS a, max(v) AS b, count(v) AS c FROM versions_intervals GROUP BY k');
SET warpagg.accelerate = 'all';
SELECT * FROM wa_scan_differences('SELECT k, sum(v) AS a, avg(v) AS b FROM versions_intervals GROUP BY k');
SELECT * FROM wa_scan_differences('SELECT sum(v) AS a, avg(v) AS b FROM versions_intervals WHERE k <> 1');
SELECT versions_unexpected(query, 'same error: interval out of range', 17) AS unexpected, query
FROM unnest(ARRAY[
    'SELECT sum(v) FROM versions_intervals',
    'SELECT avg(v) FROM versions_intervals',
    'SELECT k / 2, sum(v) FROM versions_intervals GROUP BY 1',
    'SELECT sum(CASE WHEN v > ''0'' THEN v ELSE -v END - v) FROM versions_intervals'
]) query;
RESET warpagg.accelerate;

-- What is computed with infinite ones, and with those that differences of times are.
CREATE TABLE versions_times AS
    SELECT x AS id, x % 3 AS k, timestamp '2024-02-28 12:30' + x * interval '1 h' AS ts,
           timestamptz '2024-02-28 12:30+00' + x * interval '1 h' AS tz, date '2024-02-28' + x % 40 AS d,
           CASE WHEN x % 500 = 0 THEN 'infinity' WHEN x % 501 = 0 THEN '-infinity' ELSE timestamp '2024-03-01' + x * interval '1 s' END AS far,
           CASE x % 3 WHEN 0 THEN :'much'::interval WHEN 1 THEN -(:'much'::interval) ELSE x * interval '1 s' END AS v
    FROM generate_series(1, 20000) x;
VACUUM ANALYZE versions_times;
SELECT warpagg_load('versions_times') > 0 AS loaded;
SELECT wa_compare(query) AS unexpected, query FROM unnest(ARRAY[
    'min(ts + %1$s)',
    'max(tz + %1$s)',
    'min(ts - %1$s)',
    'max(d + %1$s)',
    'max(d - %1$s)',
    'count(*) FILTER (WHERE ts < ts + %1$s)',
    'count(*) FILTER (WHERE ts - timestamp ''2024-03-01'' < %1$s)',
    'count(*) FILTER (WHERE tz > now() - %1$s)',
    'sum(%1$s)',
    'avg(-(%1$s))',
    'min(extract(epoch FROM %1$s))',
    'max(date_part(''day'', %1$s))',
    'count(*) FILTER (WHERE isfinite(%1$s))',
    'min(date_trunc(''hour'', %1$s))',
    'max(date_bin(''1 day'', ts, ts + %1$s))',
    'min(to_char(%1$s, ''DD''))',
    'max(%1$s * 0.5)',
    'min(%1$s + (ts - timestamp ''2024-03-01''))',
    'min(timestamp ''2024-03-01'' - far - %1$s)',
    'max(time ''12:00'' + %1$s)',
    'min(justify_hours(%1$s))',
    'max((%1$s)::text)',
    'count(*) FILTER (WHERE ts IS NOT NULL AND (%1$s) = :v)'
]) a,
    unnest(ARRAY[format('%L::interval', :'much'), format('-%L::interval', :'much'), 'v']) i,
    LATERAL (SELECT format('SELECT k, ' || replace(a, ':v', format('%L::interval', :'much')) || ' FROM versions_times GROUP BY k', i)) q (query)
WHERE wa_compare(query) !~ '^same';
SELECT wa_compare(query) AS unexpected, query FROM unnest(ARRAY[
    'min(far - ts)',
    'max(far - ts)',
    'sum(far - ts)',
    'avg(ts - far)',
    'max(age(far, ts))',
    'min(extract(epoch FROM far - ts))',
    'max(date_part(''hour'', far - ts))',
    'count(*) FILTER (WHERE far - ts > interval ''1 h'')',
    'min(ts + (far - ts))',
    'max(far + (ts - far))',
    'min(far - far)',
    'max((far - ts) * 2)'
]) a,
    unnest(ARRAY['', ' WHERE id % 500 = 0', ' WHERE id % 501 = 0', ' WHERE id % 501 > 0']) w,
    LATERAL (SELECT format('SELECT k, %s FROM versions_times%s GROUP BY k', a, w)) q (query)
WHERE wa_compare(query) !~ '^same';
SELECT wa_compare(query), a FROM unnest(ARRAY[
    'max(ts + much)',
    'min(tz - much)',
    'count(*) FILTER (WHERE d + much > ts)',
    'count(*) FILTER (WHERE tz > now() - much)',
    'max(extract(epoch FROM ts - timestamp ''2024-03-01''))',
    'max(v)'
]) a,
    LATERAL (SELECT format('SELECT k, %s FROM versions_times GROUP BY k', replace(a, 'much', format('%L::interval', :'much')))) q (query);
DROP TABLE versions_times;

-- DISTINCT and ORDER BY in aggregates, whose rows may come sorted from 16 on.
CREATE INDEX ON versions_others (id);
ANALYZE versions_others;
SELECT * FROM wa_differences('sum avg count min max', 'DISTINCT id % 10', 'versions_others', 'k');
SELECT * FROM wa_differences('sum avg min max', 'id ORDER BY id', 'versions_others', 'k');
SET enable_hashagg = off;
SELECT * FROM wa_differences('sum avg count min max', 'DISTINCT id', 'versions_others', 'k', 'FILTER (WHERE id > 5)');
SET enable_hashagg = on;

-- Aggregates below a join, which there are from 19 on: the node has their states where these are
-- ours, or as simple as results; others are PostgreSQL's.
CREATE TABLE versions_keys AS SELECT x AS k, 'key ' || x AS name FROM generate_series(0, 3) x;
ANALYZE versions_keys;
SELECT query, CASE WHEN :version >= 19 THEN string_agg(line, '') ~ ('Finalize.*Join.*' || below) ELSE true END AS as_expected
FROM (VALUES ('gpu_sum(o.id), gpu_count(*), gpu_avg(o.id)', 'WarpAgg'), ('sum(o.id), count(*), avg(o.id)', 'WarpAgg'),
          ('gpu_stddev(o.id::float8), max(o.bytes::text)', 'WarpAgg'), ('sum(o.id), sum(o.id::bigint)', 'Partial')) q (query, below),
    wa_plan(format('SELECT b.name, %s FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name', query)) line
GROUP BY query, below ORDER BY query;
SELECT b.name, gpu_sum(o.id), gpu_count(*), gpu_avg(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name ORDER BY b.name;
SELECT b.name, sum(o.id), count(*), avg(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name ORDER BY b.name;
SELECT b.name, gpu_sum(o.id), gpu_max(o.id::numeric), gpu_stddev(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name
EXCEPT
SELECT b.name, sum(o.id), max(o.id::numeric), stddev(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name;

SELECT string_agg(left(wa_compare(query), 4), ' ') AS compared FROM unnest(ARRAY[
    'SELECT b.name, sum(o.id::bigint), avg(o.id::numeric), min(o.bytes::text), stddev(o.id) FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name HAVING count(*) > 1',
    'SELECT b.name, gpu_sum(o.id::float8), gpu_max(o.bytes::text), gpu_variance(o.id::numeric), gpu_avg(o.id * interval ''1 s'') FROM versions_others o LEFT JOIN versions_keys b USING (k) GROUP BY b.name',
    'SELECT sum(o.s), count(*) FROM (SELECT k, sum(id) AS s FROM versions_others GROUP BY k) o JOIN versions_keys b USING (k)'
]) query;

-- States of NULLs alone, of no row, with FILTER, with values that look different, in a node with
-- workers, in one that is run again for each row of another table, and of resident columns.
CREATE TABLE versions_states AS
    SELECT x % 5 AS k, CASE WHEN x % 5 <> 3 THEN x END AS i, CASE WHEN x % 5 <> 3 THEN x % 100 * 0.10 END AS n,
        CASE x % 1000 WHEN 0 THEN 'NaN' WHEN 5 THEN '-0' ELSE x / 3.0 END::float8 AS f, 't' || x % 40 AS t, (x % 30) * interval '1 hour' AS d
    FROM generate_series(1, 20000) x;
INSERT INTO versions_states (k, n) VALUES (1, 1.00), (1, 1.000), (NULL, 7);
ANALYZE versions_states;
-- Both families below a join, against PostgreSQL's own plan; of floats, whose exact sums are ours,
-- against the gpu_ aggregates above it.
CREATE FUNCTION versions_below("from" text) RETURNS TABLE (aggregates text, differences bigint) LANGUAGE plpgsql AS $$
DECLARE
    query text;
    ours text;
    found bigint;
BEGIN
    FOR aggregates IN VALUES ('sum(i), avg(i), count(i), min(i)'), ('sum(n), avg(n), max(n), var_samp(n)'),
        ('sum(f), min(f), stddev(f), avg(f + 1)'), ('min(t), max(t), count(t), count(*)'), ('sum(d), avg(d), max(d), count(d)'),
        ('sum(i + 1), max(7 - i), avg(i + 3), sum(i) FILTER (WHERE i % 2 = 0)'),
        ('count(*) FILTER (WHERE k < 2), avg(i) FILTER (WHERE false), sum(n * 2), min(f)')
    LOOP
        query := format('SELECT * FROM (SELECT b.name, %s FROM versions_states s JOIN %s GROUP BY b.name) x (name, a, b, c, d)', aggregates, "from");
        ours := regexp_replace(query, '\m(sum|avg|count|min|max|var_samp|stddev)\(', 'gpu_\1(', 'g');
        IF aggregates ~ '^sum.f' THEN
            query := ours;
        END IF;
        SET LOCAL warpagg.enable_scan = off;
        EXECUTE 'CREATE TEMP TABLE theirs AS ' || query;
        SET LOCAL warpagg.enable_scan = on;
        differences := 0;
        FOR query IN VALUES (query), (ours) LOOP
            EXECUTE 'CREATE TEMP TABLE ours AS ' || query;
            SELECT count(*) INTO found FROM ((TABLE ours EXCEPT TABLE theirs) UNION ALL (TABLE theirs EXCEPT TABLE ours)) x;
            differences := differences + found;
            DROP TABLE ours;
        END LOOP;
        DROP TABLE theirs;
        RETURN NEXT;
    END LOOP;
END
$$;
SELECT * FROM versions_below('versions_keys b USING (k)');
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT sum(differences) FROM versions_below('versions_keys b USING (k)');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT sum(differences) FROM versions_below('versions_keys b USING (k) WHERE s.i > 0');
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
VACUUM versions_states;
SELECT warpagg_load('versions_states') > 0 AS loaded;
SELECT sum(differences) FROM versions_below('versions_keys b USING (k)');
SELECT CASE WHEN :version >= 19 THEN string_agg(line, '') ~ 'Join.*WarpAgg.*Resident Rows: 20003' ELSE true END AS as_expected
FROM wa_plan('SELECT b.name, sum(i), avg(i), gpu_sum(f) FROM versions_states s JOIN versions_keys b USING (k) GROUP BY b.name', 'ANALYZE') line;

-- Keys that are expressions, which have a relation of their own in the query from 18 on.
SELECT id % 3 AS a, k + 1 AS b, count(*), sum(id) FROM versions_others
GROUP BY a, b HAVING sum(id) > 160000 ORDER BY a DESC, b LIMIT 3;
SELECT * FROM wa_scan_differences('SELECT id % 3 AS a, k + 1 AS b, count(*), sum(id) FROM versions_others GROUP BY 1, 2 HAVING id % 3 > 0');

-- From 16 on a table is extended by blocks that stay empty.
CREATE TABLE versions_extended AS SELECT x AS id, repeat('x', 100) AS s FROM generate_series(1, 10000) x;
SET client_min_messages = notice;
SELECT warpagg_load('versions_extended');
DELETE FROM versions_extended WHERE id = 10000;
SELECT warpagg_load('versions_extended') >= 0 AS loaded;
SET client_min_messages = error;
DROP TABLE versions_extended;

-- Tables that were never vacuumed: from 19 on a query that reads them, whether by one process
-- or by several, marks what everybody sees.  They are loaded all the same, and stay fresh.
CREATE TABLE versions_fresh WITH (autovacuum_enabled = off) AS SELECT x AS id, x % 5 AS k FROM generate_series(1, 60000) x;
CREATE TABLE versions_shared WITH (autovacuum_enabled = off, parallel_workers = 2) AS SELECT x AS id, x % 5 AS k FROM generate_series(1, 60000) x;
ANALYZE versions_fresh, versions_shared;
SET warpagg.enable_scan = off;
SELECT warpagg_load('versions_fresh') AS fresh, warpagg_load('versions_shared') AS shared;
SET warpagg.enable_scan = on;
SET warpagg.enable_resident = off;
SELECT k, sum(id) FROM versions_fresh GROUP BY k ORDER BY k;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT plan @? '$.**."Workers Planned" ? (@ > 0)' AS has_workers
FROM (SELECT string_agg(line, '')::jsonb AS plan FROM wa_plan('SELECT k, sum(id) FROM versions_shared GROUP BY k', 'FORMAT json') line) p;
SELECT k, sum(id) FROM versions_shared GROUP BY k ORDER BY k;
SET max_parallel_workers_per_gather = 0;
RESET warpagg.enable_resident;
SELECT warpagg_load('versions_fresh') AS fresh, warpagg_load('versions_shared') AS shared;
DROP TABLE versions_fresh, versions_shared;
DROP TABLE versions_generated, versions_others, versions_intervals, versions_keys;
DROP FUNCTION versions_extremes(text, integer), versions_unexpected(text, text, integer);
DROP TYPE versions_pair;
