--
-- Resident columns: time buckets and other functions that PostgreSQL evaluates,
-- which travel as tables, and what computes epochs, trims and divides.
--
\pset null '(null)'
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.accelerate = 'all';
SET warpagg.enable_scan = on;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';

-- Seven weeks in which many zones change their offsets; dates of 20 years.
CREATE TABLE wa_times (
    id integer, ts timestamp, tz timestamptz, d date, k smallint, c char(6),
    n numeric(12,3), v integer, y smallint) WITH (autovacuum_enabled = off);
INSERT INTO wa_times
SELECT i, t, t AT TIME ZONE 'UTC', date '2005-03-01' + (h % 7300)::integer,
       h % 500 - 250, chr(65 + (h % 5)::integer) || repeat(' ', i % 3) || i % 2, (h % 100000) / 8.0 - 2000, h % 1000, 1 + h % 500
FROM (SELECT i, h, timestamp '2024-03-01' + h * interval '1 ms' + i % 3 * interval '7 us' AS t
      FROM (SELECT i, (i::bigint * 2654435761) % 4233600000 AS h FROM generate_series(1, 20000) i) x) y;
-- The ends of hours, and of quarters of an hour.
INSERT INTO wa_times
SELECT 30000 + i, t, t AT TIME ZONE 'UTC', t::date, i % 100, 'Z', i, i
FROM (SELECT i, timestamp '2024-03-01' + i * interval '15 minutes' - i % 2 * interval '1 us' AS t
      FROM generate_series(1, 4700) i) x;
-- Two minutes of the next day, in the last time zone below.
INSERT INTO wa_times
SELECT 38000 + i, t, t AT TIME ZONE 'UTC', t::date, i, 'Z', i, i
FROM (SELECT i, timestamp '2024-04-13 18:55' + i * interval '9 seconds' AS t FROM generate_series(0, 12) i) x;
UPDATE wa_times SET ts = NULL, tz = NULL, d = NULL, k = NULL, c = NULL, n = NULL WHERE id % 17 = 5;
VACUUM ANALYZE wa_times;
SELECT warpagg_load('wa_times') > 0 AS loaded;

-- The same of each of some expressions, in each of some time zones.
CREATE FUNCTION wa_times_checks(zones text[], expressions text[], relation text DEFAULT 'wa_times')
RETURNS TABLE (result text, zone text, expression text) LANGUAGE plpgsql AS $$
BEGIN
    FOR zone, expression IN SELECT z, e FROM unnest(zones) z, unnest(expressions) e LOOP
        PERFORM set_config('timezone', zone, true);
        result := wa_compare(format('SELECT %s AS key, count(*), sum(v), min(id), max(tz) FROM %s GROUP BY 1', expression, relation));
        RETURN NEXT;
    END LOOP;
    PERFORM set_config('timezone', 'UTC', true);
END
$$;

-- Buckets of each unit, from each kind of time, in zones whose offsets are no
-- whole hours, or change by half an hour, or at midnight.
SELECT result, count(*), CASE WHEN result <> 'same' THEN array_agg(zone || ' ' || expression) END AS which
FROM wa_times_checks(
    '{UTC, Europe/Berlin, America/New_York, America/Havana, Asia/Kolkata, Asia/Kathmandu, Australia/Lord_Howe, Antarctica/Troll}',
    ARRAY[
    'date_trunc(''hour'', tz)',
    'date_trunc(''day'', tz)',
    'date_trunc(''week'', tz)',
    'date_trunc(''month'', tz)',
    'date_trunc(''quarter'', tz)',
    'date_trunc(''year'', tz)',
    'tz::date',
    'extract(hour FROM tz)',
    'extract(dow FROM tz)',
    'extract(day FROM tz)',
    'extract(month FROM tz)',
    'extract(year FROM tz)',
    'date_part(''isodow'', tz)',
    'date_trunc(''day'', tz, ''America/New_York'')',
    'date_trunc(''month'', tz AT TIME ZONE ''Europe/Berlin'')',
    'date_trunc(''day'', ts AT TIME ZONE ''UTC'' AT TIME ZONE ''Europe/Paris'')',
    'date_trunc(''day'', ts AT TIME ZONE ''Europe/Berlin'' AT TIME ZONE ''America/Havana'')',
    'date_bin(''15 minutes'', tz, timestamptz ''2024-01-01'')',
    'date_bin(''1 day 2 hours'', tz, timestamptz ''2024-05-05 01:30'')'
])
GROUP BY result ORDER BY result;
SELECT * FROM wa_times_checks('{Europe/Berlin}', ARRAY[
    'date_trunc(''hour'', ts)',
    'date_trunc(''day'', ts)',
    'date_trunc(''week'', ts)',
    'date_trunc(''month'', ts)',
    'extract(hour FROM ts)',
    'extract(week FROM ts)',
    'extract(doy FROM ts)',
    'date_part(''quarter'', ts)',
    'ts::date',
    'date_trunc(''hour'', ts + interval ''20 minutes'')',
    'date_trunc(''day'', tz + interval ''1 day'' - interval ''1 day'')',
    'extract(month FROM ts - interval ''1 month'')',
    'date_bin(''1 hour'', ts, timestamp ''2024-01-01 00:10'')'
]);

-- Dates, which are steps by themselves, and integers of a small range.
SELECT * FROM wa_times_checks('{Europe/Berlin}', ARRAY[
    'date_trunc(''month'', d)',
    'date_trunc(''year'', d::timestamp)',
    'extract(year FROM d)',
    'extract(dow FROM d)',
    'extract(isoyear FROM d)',
    'extract(epoch FROM d)',
    'd + interval ''1 month''',
    'date_part(''week'', d)',
    'k & 7',
    '~k',
    'k # 3::smallint'
]);

-- Clauses, aggregates and filters.
SET timezone = 'America/New_York';
SELECT wa_compare(query) FROM unnest(ARRAY[
    'SELECT count(*), sum(v) FROM wa_times WHERE extract(dow FROM tz) IN (0, 6)',
    'SELECT extract(hour FROM tz) AS h, count(*) FROM wa_times WHERE date_trunc(''week'', tz) = ''2024-03-11'' GROUP BY 1',
    'SELECT sum(extract(day FROM tz)), max(date_trunc(''day'', tz)), avg(extract(year FROM d)) FROM wa_times',
    'SELECT v % 3 AS g, count(*) FILTER (WHERE extract(month FROM d) = 2), count(date_trunc(''day'', tz)) FROM wa_times GROUP BY 1',
    'SELECT date_trunc(''day'', tz), extract(year FROM d), count(*) FROM wa_times GROUP BY 1, 2',
    'SELECT date_trunc(''day'', tz), count(*) FROM wa_times WHERE tz >= ''2024-03-10'' GROUP BY 1 ORDER BY 1 LIMIT 5'
]) query;

-- Epochs, trimmed bpchars, quotients and floors of them.
SELECT wa_compare(query) FROM unnest(ARRAY[
    'SELECT sum(extract(epoch FROM ts)), max(extract(epoch FROM tz)), min(date_part(''epoch'', tz)) FROM wa_times',
    'SELECT floor(extract(epoch FROM tz) / 3600) AS h, count(*), sum(v) FROM wa_times GROUP BY 1',
    'SELECT v + extract(day FROM tz) AS s, count(*) FROM wa_times GROUP BY 1',
    'SELECT floor(n / 2.5) AS f, count(*), sum(v) FROM wa_times GROUP BY 1',
    'SELECT 1 / (extract(year FROM d) - 1990) AS q, count(*) FROM wa_times GROUP BY 1',
    'SELECT floor(extract(epoch FROM tz) / 0.5) % 10 AS h, count(*), sum(v) FROM wa_times GROUP BY 1',
    'SELECT c, count(*), sum(v) FROM wa_times GROUP BY 1',
    'SELECT c::text, count(*) FROM wa_times WHERE c <> ''A 1'' GROUP BY 1',
    'SELECT count(*), min(id) FROM wa_times WHERE c IN (''A0'', ''B  1'', ''Z'')'
]) query;

-- What cannot be a table, or is none, is computed from the heap.
SELECT wa_compare(query) FROM unnest(ARRAY[
    'SELECT to_char(tz, ''YYYY-MM'') AS m, count(*) FROM wa_times GROUP BY 1',
    'SELECT date_trunc(''second'', tz) AS s, count(*) FROM wa_times GROUP BY 1',
    'SELECT extract(microseconds FROM ts) AS s, count(*) FROM wa_times GROUP BY 1',
    'SELECT extract(day FROM tz + v * interval ''1 hour'') AS s, count(*) FROM wa_times GROUP BY 1']) query;
-- No step is evaluated that would raise an error of its own.
SELECT wa_compare('SELECT make_date(y, 1, 1), count(*) FROM wa_times GROUP BY 1');
SELECT extract(hours_ FROM tz), count(*) FROM wa_times GROUP BY 1;
SELECT extract(hour FROM d), count(*) FROM wa_times GROUP BY 1;

-- Tables of other settings are not mistaken: zones, what names of zones stand for,
-- and parameters.
SET timezone = 'Asia/Kolkata';
SELECT date_trunc('week', tz), count(*) FROM wa_times GROUP BY 1 ORDER BY 1 LIMIT 3;
SET timezone = 'America/New_York';
SELECT date_trunc('week', tz), count(*) FROM wa_times GROUP BY 1 ORDER BY 1 LIMIT 3;
SET timezone = '<+05>-05<+06>-06,M3.2.0/1,M3.2.0/3';
SELECT wa_compare('SELECT date_trunc(''day'', tz), count(*), sum(v) FROM wa_times GROUP BY 1');
SELECT wa_compare('SELECT extract(hour FROM tz), count(*), sum(v) FROM wa_times GROUP BY 1');
-- This one changes its offset, and changes it back, within an hour.
SET timezone = '<+05>-05<+06>-06,M3.2.0/1:05,M3.2.0/2:55';
SELECT wa_compare('SELECT date_trunc(''hour'', tz), count(*), sum(v) FROM wa_times GROUP BY 1');
SELECT wa_compare('SELECT date_trunc(''hour'', tz::timestamp), count(*), sum(v) FROM wa_times GROUP BY 1');
-- And this one goes back to the day before.
SET timezone = '<+05>-05<+05:05>-05:05,M3.2.0/2,M4.2.0/0:02';
SELECT wa_compare('SELECT date_trunc(''day'', tz), count(*), sum(v) FROM wa_times GROUP BY 1');
SELECT wa_compare('SELECT extract(day FROM tz), count(*), sum(v) FROM wa_times GROUP BY 1');
SET timezone = 'UTC';
SELECT wa_compare('SELECT date_trunc(''day'', tz AT TIME ZONE ''EST''), count(*) FROM wa_times GROUP BY 1');
SET timezone_abbreviations = 'Australia';
SELECT wa_compare('SELECT date_trunc(''day'', tz AT TIME ZONE ''EST''), count(*) FROM wa_times GROUP BY 1');
RESET timezone_abbreviations;
SET plan_cache_mode = force_generic_plan;
PREPARE buckets(text, text, smallint) AS
    SELECT date_trunc($1, tz, $2) AS b, k & $3, count(*) AS n, sum(v) FROM wa_times GROUP BY 1, 2;
SELECT wa_compare(format('EXECUTE buckets(%L, %L, %s)', unit, zone, mask))
FROM (VALUES ('day', 'Europe/Berlin', 3), ('day', 'Asia/Kolkata', 3), ('month', 'Asia/Kolkata', 3), ('month', 'Asia/Kolkata', 1)) x (unit, zone, mask);
DEALLOCATE buckets;
RESET plan_cache_mode;

-- Rows of blocks that have changed are looked up in the tables, too: of times that
-- these know, of others, and of none.
UPDATE wa_times SET v = v + 1 WHERE id % 800 = 1;
SELECT result, count(*), CASE WHEN result NOT LIKE 'same%' THEN array_agg(zone || ' ' || expression) END AS which
FROM wa_times_checks('{UTC, Europe/Berlin, Australia/Lord_Howe}', ARRAY[
    'date_trunc(''day'', tz)',
    'date_trunc(''hour'', tz)',
    'date_trunc(''month'', tz)',
    'tz::date',
    'extract(hour FROM tz)',
    'date_trunc(''day'', ts)',
    'extract(dow FROM ts)',
    'date_trunc(''month'', d)',
    'extract(year FROM d)',
    'extract(isodow FROM tz) > 5',
    'coalesce(extract(day FROM tz), 0)',
    'date_bin(''1 day 2 hours'', tz, timestamptz ''2024-05-05 01:30'')'
])
GROUP BY result ORDER BY result;
SELECT wa_compare(query) FROM unnest(ARRAY[
    'SELECT sum(v), count(*) FROM wa_times WHERE extract(dow FROM tz) IN (0, 6) AND date_trunc(''day'', tz) > ''2024-03-20''',
    'SELECT date_trunc(''day'', a.tz), count(*) FROM wa_times a GROUP BY 1 HAVING count(*) > (SELECT count(*) / 40 FROM wa_times b WHERE date_trunc(''day'', b.tz) < ''2024-03-20'')'
]) query;
BEGIN;
INSERT INTO wa_times SELECT 39000 + i, t, t, date '2024-04-01', i, 'Z', i, i
FROM unnest(ARRAY[NULL, timestamp '2024-04-19 23:59', '2031-05-06 07:08', 'infinity', '-infinity']) WITH ORDINALITY x (t, i);
SELECT result, count(*), CASE WHEN result NOT LIKE 'same%' THEN array_agg(zone || ' ' || expression) END AS which
FROM wa_times_checks('{UTC, Europe/Berlin}', ARRAY[
    'date_trunc(''day'', tz)',
    'date_trunc(''hour'', ts)',
    'extract(year FROM tz)',
    'extract(month FROM ts)',
    'date_trunc(''month'', d)'
])
GROUP BY result ORDER BY result;
ROLLBACK;

-- Rows outside of what was resident, before and after they are loaded.
SET timezone = 'Europe/Berlin';
BEGIN;
INSERT INTO wa_times SELECT 40000 + i, ts + interval '300 days', tz - interval '400 days', d - 9000, k, c, n, v FROM wa_times, generate_series(1, 1) i WHERE id < 3000;
SELECT wa_compare('SELECT date_trunc(''day'', tz), extract(year FROM d), count(*), sum(v) FROM wa_times GROUP BY 1, 2');
COMMIT;
VACUUM wa_times;
SELECT warpagg_load('wa_times') >= 0 AS loaded;
SELECT wa_compare('SELECT date_trunc(''day'', tz), extract(year FROM d), count(*), sum(v) FROM wa_times GROUP BY 1, 2');
SELECT wa_compare('SELECT date_trunc(''month'', ts), count(*), sum(v) FROM wa_times GROUP BY 1');

-- A column of another type by the same name.
ALTER TABLE wa_times ALTER ts TYPE date;
ALTER TABLE wa_times ALTER d TYPE timestamptz;
VACUUM wa_times;
SELECT warpagg_load('wa_times') >= 0 AS loaded;
SELECT * FROM wa_times_checks('{Europe/Berlin}', ARRAY[
    'date_trunc(''month'', ts)',
    'extract(year FROM ts)',
    'extract(year FROM d)'
]);

-- Infinities, and times that are far away: their blocks come from the heap.
CREATE TABLE wa_times_far (id integer, ts timestamp, tz timestamptz, d date, k integer, v integer)
    WITH (autovacuum_enabled = off);
INSERT INTO wa_times_far SELECT -1, t, t, t, 2147483647, 0 FROM unnest(ARRAY[
    timestamp 'infinity',
    '-infinity',
    '2600-01-01',
    '1800-02-03'
]) t;
INSERT INTO wa_times_far SELECT -2, '294276-12-30', '4713-02-01 BC', '250000-12-31', -2147483648, 0;
INSERT INTO wa_times_far SELECT i, timestamp '2024-03-01' + i * interval '3 minutes', timestamptz '2024-03-01' + i * interval '3 minutes',
    date '2024-03-01' + i % 1000, i, i % 1000 FROM generate_series(1, 20000) i;
VACUUM ANALYZE wa_times_far;
SELECT warpagg_load('wa_times_far') > 0 AS loaded;
SELECT * FROM wa_times_checks('{UTC, Europe/Berlin}', ARRAY[
    'date_trunc(''month'', ts)',
    'date_trunc(''day'', tz)',
    'extract(year FROM d)',
    'date_trunc(''month'', d)',
    'k & 3',
    'extract(epoch FROM ts)'
],
    'wa_times_far');

DROP FUNCTION wa_times_checks;
DROP TABLE wa_times, wa_times_far;
