--
-- Resident columns: expressions that are computed by instructions of others, looked up in
-- tables over computed integers, or evaluated for distinct inputs because there is no table.
--
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';

CREATE TABLE wa_asked (
    id integer, big bigint, cat text, k smallint, price numeric(10,2), n numeric, w numeric(30,10), f double precision,
    d date, t time, ts timestamp, tz timestamptz, other timestamp) WITH (autovacuum_enabled = off);
INSERT INTO wa_asked
SELECT g, g * 1000003::bigint - 7000000000, 'c' || g % 7, g % 50 - 20, (g * 7919 % 100000 - 50000) / 100.0, g % 1000 / 8.0 - 60, (g - 5000) * 1234567.0123456789,
       g % 100 / 7.0 - 6, date '2024-01-01' + g % 400, time '00:00' + g * 8.6399 * interval '1 second',
       timestamp '2023-06-01' + g * 2417.123457 * interval '1 second', timestamptz '2023-06-01 00:00+00' + g * 2417.5 * interval '1 second',
       timestamp '2019-05-01' + g * 7919 * interval '1.5 second'
FROM generate_series(1, 20000) g;
UPDATE wa_asked SET big = NULL, cat = NULL, price = NULL, n = NULL, w = NULL, f = NULL, d = NULL, t = NULL, ts = NULL, tz = NULL, other = NULL
WHERE id % 17 = 5;
VACUUM ANALYZE wa_asked;
SELECT warpagg_load('wa_asked') > 0 AS loaded;

CREATE FUNCTION wa_asked_checks(e text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(c, '; ' ORDER BY min) FROM (
        SELECT c, min(i) FROM unnest(ARRAY[
            wa_compare(format('SELECT %s AS key, count(*), sum(k) FROM wa_asked GROUP BY 1', e)),
            wa_compare(format('SELECT max(%1$s), min(%1$s), count(%1$s) FROM wa_asked', e)),
            wa_compare(format('SELECT sum(k) FROM wa_asked WHERE (%s) IS NOT NULL AND cat <> ''c1''', e))]) WITH ORDINALITY u(c, i) GROUP BY c) v
$$;

-- What other instructions compute.
SELECT wa_asked_checks(e), e FROM unnest(ARRAY[
    'trunc(price)',
    'trunc(price, 1)',
    'trunc(w, 3)',
    'trunc(price / 7, 2)',
    'trunc(n, 6)',
    'sign(price)',
    'round(price, -1)',
    'round(w, -4)',
    'round(-n, -2)',
    'floor(w / 300)',
    'floor(w / -7)',
    'trunc(f + 0.001)',
    'extract(epoch FROM ts - other)',
    'date_part(''epoch'', other - ts)',
    'extract(day FROM ts - other)',
    'date_part(''hour'', other - ts)',
    'extract(minute FROM ts - other)',
    'date_part(''second'', other - ts)',
    'round(extract(epoch FROM tz - timestamptz ''2024-01-01'') / 60)',
    'to_timestamp(id)',
    'to_timestamp(big)',
    'to_timestamp(f * 1000.5)',
    'extract(minute FROM ts)',
    'extract(second FROM ts)',
    'date_part(''minute'', ts)',
    'date_part(''second'', ts)',
    'ts::time',
    'extract(hour FROM t)',
    'date_part(''minute'', t)',
    'extract(second FROM t)',
    'd + t',
    't + d',
    'extract(hour FROM ts::time)'
]) e;
SELECT wa_compare('SELECT count(*), sum(id) FROM wa_asked WHERE ' || e), e FROM unnest(ARRAY[
    'ts - other > interval ''3 years''',
    'interval ''40 months 3 days 00:00:01'' >= ts - other',
    'ts - other <> interval ''1 day''',
    'tz - timestamptz ''2024-02-01'' BETWEEN interval ''-1 day'' AND interval ''36 hours''',
    'ts - other < interval ''178000000 years''',
    'trunc(price) = -12',
    'extract(minute FROM ts) < 5 AND sign(n) > 0'
]) e;

-- Tables over what is computed from integers.
SELECT wa_asked_checks(e), e FROM unnest(ARRAY[
    '(big % 1000)::text',
    'lpad((id / 100)::text, 5, ''0'')',
    'date_trunc(''day'', to_timestamp(id * 600))',
    'to_timestamp(id)::date',
    'to_char(to_timestamp(id * 600), ''YYYY-MM'')',
    'extract(hour FROM to_timestamp(big / 1000))',
    'date_trunc(''month'', d + t)',
    '(d - date ''2024-02-01'')::text',
    'd::text',
    'k::text'
]) e;

-- to_char of times, by the day, the hour or the minute.
SELECT wa_asked_checks(e), e FROM unnest(ARRAY[
    'to_char(ts, ''YYYY-MM-DD'')',
    'to_char(ts, ''FMMonth YYYY'')',
    'to_char(tz, ''IYYY-"W"IW'')',
    'to_char(ts, ''Day'')',
    'to_char(ts, ''HH24'')',
    'to_char(tz, ''YYYY-MM-DD HH AM'')',
    'to_char(ts, ''YYYY'')::integer',
    'to_char(ts + interval ''3 hours'', ''Dy DD'')',
    'concat(to_char(ts, ''MM''))',
    'concat(date_trunc(''day'', ts))'
]) e;

-- Comparisons with times of another type: only in the hour after clocks were put forward, in Berlin the third limit, is the heap read.
CREATE FUNCTION wa_asked_limits(zone text) RETURNS TABLE (outcome text, clause text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('timezone', zone, true);
    RETURN QUERY SELECT wa_compare('SELECT count(*), sum(id) FROM wa_asked WHERE ' || c), c FROM (
        SELECT format(e, l) AS c FROM unnest(ARRAY['ts >= %L::timestamptz', 'ts < %L::timestamptz', '%L::timestamptz < ts', 'ts <= %L::timestamptz', 'tz > %L::timestamp', '%L::timestamp <= tz']) e,
            unnest(ARRAY['2024-02-15 10:32:37.531279', '2024-03-31 01:30:00', '2024-03-31 03:30:00', '1999-01-01']) l) v;
END
$$;
SELECT outcome, clause FROM wa_asked_limits('UTC');
SELECT outcome, clause FROM wa_asked_limits('Europe/Berlin');
SELECT outcome, clause FROM wa_asked_limits('America/New_York');
SELECT wa_compare(format('SELECT count(*), min(id), max(id) FROM wa_asked WHERE ts %s %L::timestamptz', o, v || '+00')), o
FROM unnest(ARRAY['<', '<=', '>', '>=']) o, (SELECT ts AS v FROM wa_asked WHERE id = 10000) x;
SELECT wa_compare('SELECT count(*) FROM wa_asked WHERE ts < now() - interval ''1 day''');

-- Where a table would have too many steps, distinct inputs.
SELECT wa_compare(e), e FROM unnest(ARRAY[
    'SELECT length((big % 40000)::text) AS key, count(*) FROM wa_asked GROUP BY 1',
    'SELECT upper(cat), sum(length((id * 1000 % 100000)::text)) FROM wa_asked GROUP BY 1',
    'SELECT date_trunc(''month'', ts), count(DISTINCT k), sum((id * 100003 & 7)) FROM wa_asked GROUP BY 1',
    'SELECT date_trunc(''month'', ts), sum((id * 100003 & 7)) FROM wa_asked WHERE id * 100003::bigint & 3 > 1 GROUP BY 1',
    'SELECT sum(id * 100003::bigint / (k - 3) & 7) FROM wa_asked WHERE k <> 3'
]) e;

-- Functions of users.
CREATE FUNCTION wa_asked_twice(x integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN x * 2; END';
CREATE FUNCTION wa_asked_class(x text, y integer) RETURNS text STABLE LANGUAGE plpgsql AS $$
BEGIN
    IF y = 17 AND x = 'c4' THEN
        RAISE EXCEPTION 'no class of %, %', x, y;
    END IF;
    RETURN CASE WHEN x > 'c3' THEN 'high' ELSE 'low' END || abs(y) % 3;
END
$$;
-- This one asks the device process itself.
CREATE FUNCTION wa_asked_share(c text) RETURNS numeric STABLE LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT sum(length(x.cat || x.k)) FROM wa_asked x WHERE x.cat = c);
END
$$;
CREATE FUNCTION wa_asked_broken(x smallint) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1 / (x - 29); END';
CREATE DOMAIN wa_asked_small AS integer CHECK (VALUE < 29);
CREATE TABLE wa_asked_names (k smallint, name text);
INSERT INTO wa_asked_names SELECT g, 'name ' || g / 5 FROM generate_series(-20, 29) g;
CREATE FUNCTION wa_asked_name(x smallint) RETURNS text STABLE LANGUAGE sql AS 'SELECT name FROM wa_asked_names WHERE k = x LIMIT 1';
SELECT wa_compare(e), e FROM unnest(ARRAY[
    'SELECT wa_asked_twice(k) AS key, count(*), sum(price) FROM wa_asked GROUP BY 1',
    'SELECT cat, sum(wa_asked_twice(k)) FROM wa_asked GROUP BY 1',
    'SELECT cat, count(*) FROM wa_asked WHERE wa_asked_twice(k) > 20 GROUP BY 1',
    'SELECT cat, sum(id) FILTER (WHERE wa_asked_twice(k) > 20) FROM wa_asked GROUP BY 1',
    'SELECT wa_asked_class(cat, k) AS key, count(*), avg(id) FROM wa_asked WHERE k < 17 GROUP BY 1',
    'SELECT wa_asked_class(cat, k) AS key, count(*), avg(id) FROM wa_asked GROUP BY 1',
    'SELECT wa_asked_share(cat) AS key, count(*) FROM wa_asked WHERE id % 400 = 3 GROUP BY 1',
    'SELECT count(*) FROM wa_asked WHERE wa_asked_broken(k) <> 0',
    'SELECT sum(wa_asked_broken(k)) FROM wa_asked WHERE k <> 29',
    'SELECT wa_asked_name(k) AS key, sum(id) FROM wa_asked GROUP BY 1',
    'SELECT k::wa_asked_small AS key, sum(id) FROM wa_asked WHERE k < 29 GROUP BY 1',
    'SELECT max(wa_asked_name(k)), min(wa_asked_name(k)) FROM wa_asked']) e;

-- Some blocks are read from the heap, and what a user's function asks has blocks of its own.
BEGIN;
UPDATE wa_asked SET k = 18 WHERE id BETWEEN 5000 AND 5100;
SELECT warpagg_load('wa_asked') >= 0 AS confirmed;
SELECT wa_compare('SELECT wa_asked_share(cat) AS key, count(*), sum(k) FROM wa_asked WHERE id % 400 = 3 GROUP BY 1');
SELECT wa_compare('SELECT wa_asked_twice(k) AS key, count(*), sum(price) FROM wa_asked GROUP BY 1');
COMMIT;
VACUUM wa_asked;
SELECT warpagg_load('wa_asked') > 0 AS loaded;

-- Errors in a user's function leave nothing behind, and what it did before is undone.
\set SHOW_CONTEXT never
BEGIN;
SELECT sum(wa_asked_broken(k)) FROM wa_asked;
ROLLBACK;
\set SHOW_CONTEXT errors
SELECT count(*) > 0 AS goes_on FROM wa_asked;

-- Parameters of plan nodes.
SELECT wa_compare(e), e FROM unnest(ARRAY[
    'SELECT cat || k || (SELECT max(name) FROM wa_asked_names) AS key, count(*) FROM wa_asked GROUP BY 1',
    'SELECT count(*) FROM wa_asked WHERE cat || k > (SELECT min(name) FROM wa_asked_names) AND id > 5',
    'SELECT sum(length(cat || k)) FROM wa_asked WHERE length(cat || k) > (SELECT 1 / (count(*) - 50) FROM wa_asked_names)',
    'SELECT sum(length(cat || k)) FROM wa_asked WHERE id < 0 AND length(cat || k) > (SELECT 1 / (count(*) - 50) FROM wa_asked_names)',
    'SELECT k, (SELECT count(*) FROM wa_asked x WHERE x.cat || x.k = ''c'' || g.k || g.k) FROM generate_series(1, 6) g(k)'
]) e;

-- Values at the edges.
CREATE TABLE wa_edges (a timestamp, b timestamp, i bigint, f double precision, n numeric, d date, t time) WITH (autovacuum_enabled = off);
INSERT INTO wa_edges SELECT v.* FROM (VALUES
    (timestamp '2024-01-01', timestamp '2023-12-31 23:59:59.999999', 0::bigint, 0::float8, 0::numeric, date '2024-01-01', time '24:00'),
    ('4714-11-24 00:00:00 BC', '294276-12-31 23:59:59.999999', 9007199254740, -0.0, -0.5, '294276-12-31', '00:00'),
    ('1999-12-31 23:59:59.5', '2000-01-01', 9954945940, 1e10, 99999999999999999999.995, '4713-01-01 BC', '23:59:59.999999'),
    ('1969-07-20 20:17:40.123', '0044-03-15 BC', -8000000000, -1.5, -0.04, '0001-01-01', '12:30:30.5'),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL)) v, generate_series(1, 4000);
VACUUM ANALYZE wa_edges;
SELECT warpagg_load('wa_edges') > 0 AS loaded;
SELECT wa_compare(format('SELECT %s AS key, count(*) FROM wa_edges GROUP BY 1', e)), e FROM unnest(ARRAY[
    'trunc(n)',
    'trunc(n, 2)',
    'sign(n)',
    'round(n, -1)',
    'round(n, -18)',
    'trunc(f)',
    'to_timestamp(i)',
    'to_timestamp(f)',
    'to_timestamp(f * 1e300)',
    'date_part(''epoch'', a - timestamp ''2000-01-01'')',
    'extract(epoch FROM a - timestamp ''1970-01-01'')',
    'a::time',
    'extract(second FROM b)',
    'date_part(''minute'', a)',
    'extract(hour FROM t)',
    'extract(second FROM t)',
    'd + t'
]) e;
-- From 16 on a difference may be out of range.
SELECT current_setting('server_version_num')::integer / 10000 AS version \gset
SELECT nullif(wa_compare(format('SELECT %s AS key, count(*) FROM wa_edges GROUP BY 1', e)),
              CASE WHEN :version >= 16 THEN 'same error: interval out of range' ELSE 'same, heap' END) AS unexpected, e
FROM unnest(ARRAY['extract(epoch FROM a - b)', 'a - b > interval ''1 second''']) e;
UPDATE wa_edges SET a = 'infinity', b = '-infinity', f = 'infinity' WHERE i = 0;
UPDATE wa_edges SET d = 'infinity' WHERE i = -8000000000;
VACUUM ANALYZE wa_edges;
SELECT warpagg_load('wa_edges') > 0 AS loaded;
-- From 17 on differences are infinite where they cannot be had before.
SELECT nullif(wa_compare(format('SELECT %s AS key, count(*) FROM wa_edges%s GROUP BY 1', e, w)),
              CASE WHEN :version >= 17 THEN 'same, partly' ELSE 'same error: cannot subtract infinite timestamps' END) AS unexpected, e
FROM (VALUES ('extract(epoch FROM a - b)', ' WHERE i = 0'), ('a - b > interval ''1 second''', ' WHERE i = 0'), ('extract(epoch FROM timestamp ''2000-01-01'' - a)', '')) v (e, w);
SELECT wa_compare(format('SELECT %s AS key, count(*) FROM wa_edges GROUP BY 1', e)), e FROM unnest(ARRAY[
    'to_timestamp(f)',
    'trunc(f)',
    'a::time',
    'extract(second FROM b)',
    'date_part(''minute'', a)',
    'd + time ''12:00''',
    'a >= timestamptz ''2000-01-01 00:00+00''',
    'timestamptz ''2024-01-01 00:00+00'' > b',
    'to_char(a, ''YYYY'')'
]) e;

DROP TABLE wa_asked, wa_edges, wa_asked_names;
DROP FUNCTION wa_asked_checks, wa_asked_limits, wa_asked_twice, wa_asked_class, wa_asked_share, wa_asked_broken, wa_asked_name;
DROP DOMAIN wa_asked_small;
