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
       versions_extremes('row(k, id)', 18), versions_extremes('row(id % 7, id::text)::versions_pair', 18);

-- Intervals, which may be infinite from 17 on, and a sum of both infinities fails then.
SELECT CASE WHEN :version >= 17 THEN 'infinity' ELSE '1 year' END AS much \gset
CREATE TABLE versions_intervals AS
    SELECT x % 3 AS k, CASE x % 3 WHEN 0 THEN :'much'::interval WHEN 1 THEN -(:'much'::interval) ELSE x * interval '1 s' END AS v
    FROM generate_series(1, 300) x;
SELECT * FROM wa_differences('sum avg min max', 'v', 'versions_intervals', 'k');
SELECT function FROM wa_outcomes('sum avg min max', 'v', 'versions_intervals') WHERE builtin IS DISTINCT FROM gpu;
SELECT * FROM wa_scan_differences('SELECT k, min(v) AS a, max(v) AS b, count(v) AS c FROM versions_intervals GROUP BY k');

-- DISTINCT and ORDER BY in aggregates, whose rows may come sorted from 16 on.
CREATE INDEX ON versions_others (id);
ANALYZE versions_others;
SELECT * FROM wa_differences('sum avg count min max', 'DISTINCT id % 10', 'versions_others', 'k');
SELECT * FROM wa_differences('sum avg min max', 'id ORDER BY id', 'versions_others', 'k');
SET enable_hashagg = off;
SELECT * FROM wa_differences('sum avg count min max', 'DISTINCT id', 'versions_others', 'k', 'FILTER (WHERE id > 5)');
SET enable_hashagg = on;

-- Aggregates below a join, which there are from 19 on.
CREATE TABLE versions_keys AS SELECT x AS k, 'key ' || x AS name FROM generate_series(0, 3) x;
ANALYZE versions_keys;
SELECT b.name, gpu_sum(o.id), gpu_count(*), gpu_avg(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name ORDER BY b.name;
SELECT b.name, sum(o.id), count(*), avg(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name ORDER BY b.name;
SELECT b.name, gpu_sum(o.id), gpu_max(o.id::numeric), gpu_stddev(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name
EXCEPT
SELECT b.name, sum(o.id), max(o.id::numeric), stddev(o.id)
FROM versions_others o JOIN versions_keys b USING (k) GROUP BY b.name;

-- Keys that are expressions, which have a relation of their own in the query from 18 on.
SELECT id % 3 AS a, k + 1 AS b, count(*), sum(id) FROM versions_others
GROUP BY a, b HAVING sum(id) > 160000 ORDER BY a DESC, b LIMIT 3;
SELECT * FROM wa_scan_differences('SELECT id % 3 AS a, k + 1 AS b, count(*), sum(id) FROM versions_others GROUP BY 1, 2 HAVING id % 3 > 0');
DROP TABLE versions_generated, versions_others, versions_intervals, versions_keys;
DROP FUNCTION versions_extremes(text, integer);
DROP TYPE versions_pair;
