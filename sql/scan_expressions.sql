--
-- The scan tier: expressions, most of which PostgreSQL evaluates from vectors.
--
\pset null '(null)'
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET timezone = 'Europe/Berlin';
SET max_parallel_workers_per_gather = 0;
SET warpagg.accelerate = 'all';
-- What PostgreSQL evaluates is computed here even where its own plan is cheaper.
SET cpu_tuple_cost = 1;

CREATE TABLE wa_expr (
    id integer,
    i2 smallint,
    i4 integer,
    i8 bigint,
    f4 real,
    f8 double precision,
    n numeric,
    p numeric(12,2),
    b boolean,
    d date,
    ts timestamp,
    tz timestamptz,
    s text,
    v varchar(20),
    c char(4)
);
INSERT INTO wa_expr
SELECT i, h % 100, h - 2147483648, (h - 2000000000) * 1000003, (h % 2000 - 1000) / 4.0, (h % 100000 - 50000) / 8.0,
       CASE h % 4 WHEN 0 THEN 1.50 WHEN 1 THEN 7 ELSE round((h % 100000)::numeric / 1000, 3) END, (h % 1000000)::numeric / 100 + 1, h % 3 = 0,
       date '2024-01-01' + (h % 400)::integer, timestamp '2024-01-01' + h * interval '1 second' / 70,
       timestamptz '2024-01-01' + h * interval '1 second' / 70, 'text ' || h % 23, 'V_' || h % 7 || '%', chr(65 + (h % 5)::integer) || ' x'
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h FROM generate_series(1, 2000) i) x;
UPDATE wa_expr SET i2 = NULL, f8 = NULL, p = NULL, s = NULL, c = NULL, tz = NULL, d = NULL, b = NULL WHERE id % 11 = 3;
-- The hours around changes of offsets, in the time zones below.
INSERT INTO wa_expr (id, ts, tz, d)
SELECT 10000 + i, t + i * interval '211 seconds', (t + i * interval '211 seconds') AT TIME ZONE 'UTC', t::date
FROM generate_series(-60, 60) i, unnest(ARRAY[
    timestamp '2024-03-31 01:00',
    '2024-10-27 01:00',
    '2006-04-02 03:31',
    '2006-10-29 02:31',
    '2024-04-06 15:00',
    '1994-12-30 10:00',
    '1893-03-31 23:06'
]) t;
ANALYZE wa_expr;
CREATE TABLE wa_far AS SELECT * FROM wa_expr WHERE id < 1000;
INSERT INTO wa_far (id, d, ts, tz, n, f8) VALUES (1, 'infinity', 'infinity', 'infinity', 'NaN', 'NaN'),
    (2, '-infinity', '-infinity', '-infinity', 'Infinity', 'Infinity'), (3, '4713-01-01 BC', '4713-01-01 BC', '4713-02-01 BC', -1e-20, -0.0),
    (4, '5874897-12-31', '294276-12-31 23:59:59', '294276-12-30 23:59:59', 1e30, 1e308);
ANALYZE wa_far;

-- The rows of a query that were computed one by one, without vectors; -1: there was no node.
CREATE FUNCTION wa_singly(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    RETURN CASE WHEN plan->0->'Plan'->>'Custom Plan Provider' = 'WarpAgg'
        THEN COALESCE((plan->0->'Plan'->>'Rows Computed Singly')::bigint, 0) ELSE -1 END;
END
$$;
SET client_min_messages = warning;

-- Numbers.
CREATE TEMP TABLE wa_numbers AS SELECT unnest(ARRAY[
    'i4 & 1023',
    'i4 | i2',
    'i8 # 5',
    '~i4',
    'i4 >> 3',
    'i2 << 2',
    'mod(i4, 7)',
    'sign(f8)',
    'abs(f4)',
    'gcd(i4, 12)',
    'GREATEST(i2, i4, 5)',
    'LEAST(p, n)',
    'NULLIF(i2, 5)',
    'NULLIF(p, 7.00)',
    'width_bucket(p, 0, 10000, 10)',
    'round(f8)',
    'trunc(f8)',
    'sqrt(abs(f8))',
    'f8 ^ 2',
    'ln(abs(f8) + 1)',
    'f8 / 3',
    'degrees(f4)',
    'f8::integer',
    'p::real',
    'p % 7',
    'mod(p, 0.37)',
    'div(p, 3)',
    'trunc(p)',
    'trunc(p, 1)',
    'round(p, -1)',
    'sign(p - 500)',
    'sqrt(p)::numeric(20,6)',
    'round(p / 3, 2)',
    'round(p / (n + 1), 4)',
    'floor(p / n)',
    'ceil(p / 0.37)',
    'trunc(p / 7, 3)',
    '(p / 7)::integer',
    '(p / n)::float8',
    'round((p / 100) * 3, 5)',
    'power(n, 2)',
    'n ^ 3',
    'scale(n)',
    'length(s)',
    'octet_length(c)',
    'strpos(s, ''t'')',
    'ascii(s)',
    'substr(s, 6)::integer',
    'CASE WHEN i2 > 50 THEN length(s) WHEN i2 > 20 THEN substr(s, 6)::integer END',
    'COALESCE(i2, length(s), substr(v, 3, 1)::integer)',
    'p * 100',
    'extract(epoch FROM ts - timestamp ''2024-01-01'')',
    'd - date ''2024-01-01''',
    'extract(epoch FROM d)',
    'extract(epoch FROM age(ts, timestamp ''2020-05-05''))'
]) AS e;
SELECT d.* FROM wa_numbers, wa_scan_differences(format('SELECT sum(%1$s), min(%1$s), max(%1$s), count(%1$s) FROM wa_expr', e)) d
WHERE e NOT LIKE '%f_ ^%' AND e NOT LIKE 'ln%' AND e NOT LIKE '%float8' AND e NOT LIKE '%f8%' AND e NOT LIKE '%f4%' AND e NOT LIKE '%real%';
SELECT d.* FROM wa_numbers, wa_scan_differences(format('SELECT min(%1$s), max(%1$s), count(%1$s) FROM wa_expr', e)) d;
SELECT d.* FROM wa_numbers, wa_scan_differences(format('SELECT %1$s, count(*), sum(p) FROM wa_expr GROUP BY 1', e)) d;
SELECT e AS computed_singly FROM wa_numbers WHERE wa_singly(format('SELECT min(%1$s) FROM wa_expr', e)) <> 0;

-- Quotients of numerics have up to 20 digits, for which vectors have room of their own.
CREATE TEMP TABLE wa_quotients AS SELECT unnest(ARRAY[
    'p / 3',
    'p / NULLIF(n, 0)',
    'CASE WHEN n > 0 THEN p / n * 100 END',
    '-(n / 7) + p',
    'COALESCE(p / NULLIF(n, 0), n)',
    'GREATEST(p / 9, n)',
    'p / i8',
    '1 / p'
]) AS e;
SELECT d.* FROM wa_quotients, wa_scan_differences(format('SELECT sum(%1$s), avg(%1$s), min(%1$s), max(%1$s), count(%1$s), stddev(%1$s), var_pop(%1$s), count(*), sum(p) FROM wa_expr WHERE p <> 0 AND i8 <> 0', e)) d;
SELECT d.* FROM wa_quotients, wa_scan_differences(format('SELECT i4 %% 5, sum(%1$s), max(%1$s), sum(%1$s) FILTER (WHERE b), count(*) FROM wa_expr WHERE p <> 0 AND i8 <> 0 GROUP BY 1', e)) d;
SELECT d.* FROM wa_scan_differences('SELECT sum(p / n) FILTER (WHERE n <> 0), gpu_avg(p / n) FILTER (WHERE n > 1) FROM wa_expr') d;
SELECT d.* FROM wa_quotients, wa_scan_differences(format('SELECT %1$s, count(*), sum(p), min(%1$s) FROM wa_expr WHERE p <> 0 AND i8 <> 0 GROUP BY 1', e)) d;
SELECT d.* FROM wa_quotients, wa_scan_differences(format('SELECT %1$s, b, %1$s + 1, count(*) FROM wa_expr WHERE p <> 0 AND i8 <> 0 GROUP BY 1, 2, 3', e)) d;
SELECT sum(p / (n - n)) FROM wa_expr;
SELECT p / (n - n), count(*) FROM wa_expr GROUP BY 1;
SELECT d.* FROM unnest(ARRAY[
    'p / 7 > 500',
    'CASE WHEN n > 0 THEN p / n END < 30',
    'COALESCE(p / NULLIF(n - 7, 0), 0) > 200',
    'p / n BETWEEN 2 AND 3.3333333333333333',
    'p / 100 = round(p / 100, 1)',
    'round(p / 3, 1) = 33.3'
]) w,
    wa_scan_differences('SELECT count(*), sum(id) FROM wa_expr WHERE ' || w) d;

-- Times.
CREATE TEMP TABLE wa_times AS SELECT unnest(ARRAY[
    'date_trunc(''day'', tz, ''Asia/Tokyo'')',
    'date_trunc(''hour'', tz, ''America/St_Johns'')',
    'date_trunc(''day'', tz, ''America/St_Johns'')',
    'date_trunc(''minute'', ts)',
    'date_trunc(''second'', ts)',
    'date_trunc(''hour'', ts - interval ''100 years'')',
    'date_trunc(''hour'', ts)',
    'date_trunc(''minute'', tz)',
    'date_trunc(''week'', tz)',
    'date_trunc(''month'', d)',
    'date_trunc(''quarter'', ts)::date',
    'date_bin(''15 minutes'', ts, timestamp ''2001-01-01'')',
    'date_bin(''17 minutes'', tz, ''2001-01-01'')',
    'date_bin(''3 days'', ts, timestamp ''2024-01-02'')',
    'tz AT TIME ZONE ''America/St_Johns''',
    'ts AT TIME ZONE ''America/St_Johns''',
    'date_trunc(''day'', tz AT TIME ZONE ''America/St_Johns'')',
    'date_trunc(''hour'', ts AT TIME ZONE ''America/St_Johns'')',
    'date_trunc(''day'', ts AT TIME ZONE ''America/St_Johns'')',
    'date_trunc(''hour'', tz AT TIME ZONE ''Australia/Lord_Howe'')',
    'date_trunc(''day'', tz AT TIME ZONE ''Pacific/Kiritimati'') AT TIME ZONE ''Pacific/Kiritimati''',
    'ts::timestamptz',
    'tz::timestamp',
    'date_trunc(''day'', ts::timestamptz)',
    'd::timestamptz',
    'tz::date',
    'ts::time',
    'ts::timestamp(0)',
    'ts + interval ''36 hours''',
    'tz + interval ''1 day''',
    'ts - interval ''1 month''',
    'tz + interval ''1 month 2 days 03:04:05''',
    'd + 7',
    'd - 7',
    'd + interval ''1 month''',
    'CAST(date_trunc(''week'', (ts + INTERVAL ''1 day'')) AS timestamp) + INTERVAL ''-1 day''',
    '(date_trunc(''week'', tz + interval ''1 day'') - interval ''1 day'')::date',
    'date_trunc(''minute'', ts) - mod(extract(minute FROM ts)::integer, 5) * interval ''1 minute''',
    'to_timestamp(i4)',
    'to_timestamp(floor(extract(epoch FROM tz) / 300) * 300)',
    'floor(extract(epoch FROM ts) / 300) * 300',
    'floor(extract(epoch FROM tz) / (60 * 60 * 24)) * 60 * 60 * 24',
    'extract(epoch FROM tz)::bigint / 3600 * 3600',
    'i4 / 60 * 60',
    'extract(isodow FROM tz)',
    'extract(hour FROM tz)',
    'extract(doy FROM d)',
    'date_part(''year'', d)',
    'date_part(''dow'', ts)',
    'extract(minute FROM ts + interval ''7 minutes'')',
    'extract(hour FROM ts + interval ''20 minutes'')',
    'extract(timezone FROM tz)',
    '(extract(dow FROM ts) + 1)::integer % 7',
    'extract(week FROM tz) * 2',
    'extract(quarter FROM (tz AT TIME ZONE ''Asia/Kathmandu''))',
    'to_char(ts, ''YYYY-MM'')',
    'to_char(tz, ''YYYY-MM-DD HH24:00'')',
    'to_char(tz, ''HH24:MI TZ'')',
    'to_char(date_trunc(''month'', tz), ''Mon YY'')',
    'concat(extract(year FROM ts), ''-'', extract(month FROM ts))',
    'make_date(extract(year FROM d)::integer, extract(month FROM d)::integer, 1)',
    'CASE WHEN b THEN date_trunc(''day'', tz) ELSE ts::timestamptz END',
    'GREATEST(ts, d)',
    'COALESCE(tz, ts)'
]) AS e;
SELECT d.* FROM wa_times, wa_scan_differences(format('SELECT %1$s, count(*), sum(p) FROM wa_expr GROUP BY 1', e)) d;
SET timezone = 'America/St_Johns';
SELECT d.* FROM wa_times, wa_scan_differences(format('SELECT %1$s, count(*), sum(p) FROM wa_expr GROUP BY 1', e)) d;
SET timezone = 'Europe/Berlin';
SELECT e AS computed_singly FROM wa_times WHERE wa_singly(format('SELECT count(%1$s) FROM wa_expr', e)) <> 0;
SELECT d.* FROM unnest(ARRAY[
    'tz >= date ''2024-03-31''',
    'd < timestamptz ''2024-10-27 02:30+02''',
    'ts < timestamptz ''2024-10-27 02:30+02''',
    'timestamptz ''2024-03-31 03:10+02'' <= ts',
    'ts > tz',
    'd = tz',
    'd <> ts',
    'tz BETWEEN ''2024-02-01'' AND ''2024-03-01''',
    'ts >= date_trunc(''month'', timestamptz ''2024-05-15 12:00'')',
    'ts >= ''infinity''::timestamptz',
    'd <= ''-infinity''::timestamptz',
    'ts < date_trunc(''day'', timestamptz ''2024-05-15 12:00'')',
    'timestamptz ''2024-05-15 12:00'' >= ts',
    'ts <> timestamptz ''2024-05-15 12:00''',
    'ts = timestamptz ''2024-03-31 03:10:41''',
    'timestamptz ''2024-05-15 12:00'' < d',
    'date ''2024-05-15'' <= tz',
    'tz > timestamp ''2024-05-15''',
    'timestamp ''2024-05-15'' > tz',
    'b AND ts >= timestamptz ''2024-05-15 12:00''',
    'date_trunc(''day'', ts) = timestamptz ''2024-05-01 00:00''',
    'extract(isodow FROM tz) IN (6, 7)',
    'CAST(tz AS date) = CAST(timestamptz ''2024-06-01 10:00'' AS date)',
    'ts >= timestamptz ''2024-07-01 12:00'' + interval ''-30 day'' AND ts < timestamptz ''2024-07-01 12:00''',
    'to_char(tz, ''Dy'') = ''Mon''',
    'tz::time > time ''12:00''',
    'tz::text LIKE ''2024-03-31%'''
]) w,
    wa_scan_differences('SELECT count(*), sum(id), min(s) FROM wa_expr WHERE ' || w) d;
-- What is infinite or out of reach.
SELECT d.* FROM unnest(ARRAY[
    'date_trunc(''day'', tz)',
    'date_trunc(''minute'', ts)',
    'date_trunc(''day'', ts)',
    'date_trunc(''day'', tz, ''Asia/Tokyo'')',
    'tz AT TIME ZONE ''UTC''',
    'ts::date',
    'extract(year FROM ts)',
    'to_char(ts, ''YYYY'')',
    'tz > ts',
    'ts > tz',
    'd > tz',
    'extract(year FROM d)',
    'CASE WHEN id > 4 THEN ts + interval ''5 years'' END',
    'round(n, 2)',
    'CASE WHEN id NOT IN (1, 2) THEN round(n / 3, 2) END',
    'tz > date ''2024-01-01''',
    'ts <= timestamptz ''2024-01-01''',
    'd < timestamptz ''2024-01-01''',
    'd >= timestamptz ''infinity''',
    'd > timestamptz ''-infinity''',
    'tz >= date ''5874897-12-31''',
    'ts >= timestamptz ''294276-12-31 23:59:00+00''',
    'timestamptz ''4713-01-02 BC'' > ts',
    'sqrt(f8)',
    'f8 > n',
    'sign(n)'
]) e,
    wa_scan_differences(format('SELECT %1$s, count(*) FROM wa_far GROUP BY 1', e)) d;

-- Texts and conditions.
CREATE TEMP TABLE wa_texts AS SELECT unnest(ARRAY[
    'upper(s)',
    'lower(v)',
    's || v',
    'concat(s, i2, ''-'')',
    'left(s, 6)',
    'right(s, 2)',
    'substr(s, 3, 4)',
    'substring(s FROM 2)',
    'replace(s, ''t'', ''T'')',
    'split_part(s, '' '', 2)',
    'md5(s)',
    'btrim(v, ''V%'')',
    'regexp_replace(s, ''[0-9]+'', ''#'')',
    'c || ''!''',
    'upper(c)',
    'c::text',
    'rpad(s, 10)',
    'i4::text',
    'n::text',
    'b::text',
    'd::text',
    'p::varchar(3)',
    'COALESCE(s, v, ''none'')',
    'NULLIF(s, ''text 1'')',
    'CASE s WHEN ''text 1'' THEN ''one'' WHEN ''text 2'' THEN upper(v) ELSE ''more'' END',
    'GREATEST(s, v)',
    'initcap(s)',
    'reverse(s)',
    'to_char(p, ''FM9999.99'')',
    'CASE i2 WHEN CASE id % 3 WHEN 1 THEN 7 ELSE 8 END THEN ''nested'' ELSE ''not'' END'
]) AS e;
SELECT d.* FROM wa_texts, wa_scan_differences(format('SELECT %1$s, count(*), min(%1$s), max(%1$s) FROM wa_expr GROUP BY 1', e)) d;
SELECT e AS computed_singly FROM wa_texts WHERE wa_singly(format('SELECT count(%1$s) FROM wa_expr', e)) <> 0;
CREATE TEMP TABLE wa_conditions AS SELECT unnest(ARRAY[
    's LIKE ''text 1%''',
    's NOT LIKE ''%2''',
    's ILIKE ''TEXT%''',
    'v LIKE ''V\_3\%''',
    's ~ ''^text [12]$''',
    's !~* ''T 1''',
    'c LIKE ''A%''',
    's SIMILAR TO ''text (1|2)''',
    'starts_with(s, ''text 1'')',
    's < v',
    's > ''text 15''',
    's < ''text 3'' COLLATE "de-x-icu"',
    's BETWEEN ''text 1'' AND ''text 2''',
    's IN (''text 1'', ''text 22'', NULL)',
    's NOT IN (''text 1'', ''text 22'')',
    's NOT IN (''text 1'', NULL)',
    'i4 = ANY (ARRAY(SELECT generate_series(1, 3)))',
    'i4 IS DISTINCT FROM i2',
    's IS NOT DISTINCT FROM NULL',
    'i2 IS DISTINCT FROM 5',
    'NOT (s LIKE ''%1'' OR v LIKE ''%2'')',
    'b AND s LIKE ''%1''',
    'b OR s ~ ''1''',
    '(s LIKE ''%1'') IS TRUE',
    '(i2 > 5) IS NOT FALSE',
    'b = (i2 > 50)',
    'i2 BETWEEN SYMMETRIC 9 AND 3',
    '(i2, i4) < (5, 5)',
    'f8::text LIKE ''%5''',
    'n IN (7, 1.5)',
    'n NOT IN (7, 1.5, 2)',
    'p = ANY (''{1.5,7}'')',
    'i2 <> ALL (''{1,2,3}'')',
    'i2 < ANY (''{1,20}'')',
    'i2 > ALL (''{1,20}'')',
    'i2 = ANY (''{}'')',
    'i2 <> ALL (''{}'')',
    'd IN (''2024-05-05'', ''2024-05-06'')',
    'tz IN (''2024-03-31 03:00'', ''2024-10-27 02:00'')',
    'length(s) + length(v) > 9',
    'CASE WHEN i2 <> 0 THEN 100 / i2 > 2 END'
]) AS w;
SELECT d.* FROM wa_conditions, wa_scan_differences('SELECT count(*), sum(id), min(s) FROM wa_expr WHERE ' || w) d;
SELECT d.* FROM wa_conditions, wa_scan_differences(format('SELECT %1$s, count(*) FILTER (WHERE %1$s), sum(length(s)) FILTER (WHERE %1$s) FROM wa_expr GROUP BY 1', w)) d;
SELECT w AS computed_singly FROM wa_conditions WHERE wa_singly('SELECT count(*) FROM wa_expr WHERE ' || w) <> 0;

-- Long lists.
SELECT d.* FROM unnest(ARRAY[
    'i2',
    'i4',
    'i8',
    'n',
    'f8',
    's'
]) x, unnest(ARRAY[
    'IN',
    'NOT IN'
]) o, unnest(ARRAY[
    '',
    ', NULL'
]) t,
    wa_scan_differences(format('SELECT count(*), sum(id) FROM wa_expr WHERE %s %s (%s%s)', x, o,
        (SELECT string_agg(CASE x WHEN 's' THEN quote_literal('text ' || i) ELSE (i * 3)::text END, ', ') FROM generate_series(5, 155) i), t)) d;
SELECT d.* FROM unnest(ARRAY[
    'd',
    'ts'
]) x, wa_scan_differences(format('SELECT count(*), sum(id) FROM wa_expr WHERE %s = ANY (%L::%s[])', x,
    (SELECT array_agg(date '2024-01-01' + i) FROM generate_series(1, 200) i), pg_typeof(CASE x WHEN 'd' THEN NULL::date END))) d WHERE x = 'd';
SET plan_cache_mode = force_generic_plan;
PREPARE wa_any(integer[], text[], interval, text) AS
SELECT date_trunc($4, ts + $3), count(*), sum(length(s)) FROM wa_expr WHERE i2 = ANY ($1) AND s <> ALL ($2) AND s LIKE $2[1] || '%' IS NOT TRUE GROUP BY 1 ORDER BY 1;
SELECT wa_plan($$EXECUTE wa_any('{1,2,3}', '{text 1,text 2}', '1 day', 'year')$$);
EXECUTE wa_any('{1,2,3}', '{text 1,text 2}', '1 day', 'year');
EXECUTE wa_any('{1,NULL,3}', '{text 1,NULL}', '1 day', 'year');
EXECUTE wa_any(NULL, '{text 1,text 2}', '1 day', 'year');
EXECUTE wa_any('{1,2,3}', '{text 1,text 2}', NULL, 'year');
EXECUTE wa_any('{1,2,3}', '{text 1,text 2}', '1 day', 'eon');
EXECUTE wa_any('{1,2,3}', '{text 1,text 2}', '600 months', 'century');
RESET plan_cache_mode;

-- Errors are PostgreSQL's, and only for rows that it would evaluate.
SELECT count(*) FROM wa_expr WHERE s::integer > 5;
SELECT sum(p / (i2 - 5)) FROM wa_expr;
SELECT sum(p % (i2 - 5)) FROM wa_expr;
SELECT sum(CASE WHEN i2 >= 5 THEN i4 / (i2 - 5) END) FROM wa_expr;
SELECT sum(i4 % (i2 - 5)) FILTER (WHERE i2 >= 5) FROM wa_expr;
SELECT sum(round(p / (i2 - 5), 2)) FROM wa_expr;
SELECT max(sqrt(i4)) FROM wa_expr;
SELECT max(ts + interval '293000 years') FROM wa_expr;
SELECT max(date_trunc('eon', tz)) FROM wa_expr;
SELECT max(date_trunc('day', tz, 'Europe/Atlantis')) FROM wa_expr;
SELECT max(date_bin('1 month', ts, '2001-01-01')) FROM wa_expr;
SELECT count(*) FROM wa_expr WHERE s LIKE 'text\';
SELECT d.* FROM unnest(ARRAY[
    'sum(substr(s, 6)::integer) FILTER (WHERE s LIKE ''text%'')',
    'sum(CASE WHEN i2 <> 5 THEN round(p / (i2 - 5), 2) END)',
    'count(*) FILTER (WHERE i2 <> 5 AND p % (i2 - 5) > 3)',
    'sum(round(p / (i2 - 5), 9)) FILTER (WHERE i2 <> 5)',
    'max(CASE WHEN id < 0 THEN date_trunc(''eon'', ts) ELSE ts END)',
    'count(COALESCE(s, (1 / (id - id))::text))',
    'max(CASE WHEN id < 0 THEN date_trunc(''day'', tz, ''Europe/Atlantis'') ELSE tz END)',
    'count(CASE WHEN id < 0 THEN s LIKE ''text\'' ELSE s LIKE ''text%'' END)',
    'max(CASE WHEN id < 0 THEN tz + interval ''290000 years'' ELSE tz - interval ''3 months'' END)',
    'max(CASE WHEN id > 0 THEN left(s, 3) ELSE substr(s, 1, -1) END)',
    'count(*) FILTER (WHERE id > 0 OR substr(s, 1, -1) = '''')',
    'sum(NULLIF(1, 1) + i4)',
    'sum(i4 / NULLIF(i2 - 5, 0))',
    'sum(CASE WHEN i2 <> 5 THEN CASE WHEN i2 > 7 THEN 10 / (i2 - 5) + 7 / (i2 - 7) WHEN i2 = 7 THEN 3 ELSE 1000 % (i2 - 5) END ELSE 1 END)',
    'sum(CASE WHEN i2 > 5 THEN 100 / (i2 + 1) END), sum(100 / (i2 + 1)), sum(100 / (i2 + 1)) FILTER (WHERE i2 > 5), count(*) FILTER (WHERE 100 / (i2 + 1) > 2 AND 100 / (i2 + 1) < 9)',
    'sum(CASE WHEN i2 = 5 THEN 0 WHEN 100 / (i2 - 5) > 9 THEN 1 WHEN f8 <> 0 AND f4 / f8 > 1 THEN 2 ELSE 200 / (i2 - 5) END)',
    'count(*) FILTER (WHERE i2 = 5 OR i2 IS NULL OR 7 / (i2 - 5) = 1)',
    'sum(COALESCE(CASE WHEN f8 <> 0 THEN round((i4 / f8)::numeric, 3) END, i8 / (id + 1)))'
]) e,
    wa_scan_differences(format('SELECT %s FROM wa_expr WHERE id < 10000 AND s IS NOT NULL', e)) d;
SELECT * FROM wa_scan_differences('SELECT count(*) FROM wa_expr WHERE s LIKE ''text 1%'' AND substr(s, 6)::integer / 10 = 1');
SELECT * FROM wa_scan_differences('SELECT id, max(CASE WHEN isfinite(ts) AND extract(year FROM ts) < 5000 THEN ts + interval ''1 year'' END) FROM wa_far WHERE ts > ''2000-01-01'' GROUP BY id');

-- Columns of types that vectors cannot hold.
CREATE TYPE wa_mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN wa_positive AS integer CHECK (VALUE > 0);
CREATE TABLE wa_other AS
SELECT i AS id, format('{"k": %s, "n": "x%s"}', i % 7, i % 3)::jsonb AS j, md5((i % 100)::text)::uuid AS u,
       (ARRAY[
    'sad',
    'ok',
    'happy'
])[1 + i % 3]::wa_mood AS m, i * interval '1 hour' AS v, ARRAY[i, i % 5] AS a,
       ('10.0.0.' || i % 250)::inet AS ip, convert_to(repeat(md5(i::text), CASE WHEN i % 100 = 0 THEN 300 ELSE 1 END), 'UTF8') AS bytes,
       repeat('1', CASE WHEN i % 100 = 50 THEN 3000 ELSE 1 END)::bit varying AS x, time '12:00' + i * interval '1 second' AS t, i::wa_positive AS dom
FROM generate_series(1, 3000) i;
UPDATE wa_other SET j = NULL, u = NULL, m = NULL, v = NULL, a = NULL, ip = NULL, bytes = NULL, dom = NULL WHERE id % 11 = 3;
ALTER TABLE wa_other ADD COLUMN late uuid DEFAULT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
INSERT INTO wa_other (id, v) VALUES (0, '1 month');
ANALYZE wa_other;
SELECT * FROM wa_scan_differences('SELECT count(j), count(u), count(m), count(v), count(a), count(ip), count(bytes), count(x), count(t), count(dom), count(late), count(v * 2), count(id) FROM wa_other');
SELECT d.* FROM unnest(ARRAY[
    'j->>''n''',
    'm = ''ok''',
    'm::text',
    'u < ''80000000-0000-0000-0000-000000000000''',
    'extract(hour FROM v)',
    'a[2]',
    'array_length(a, 1)',
    'host(ip)',
    'length(bytes)',
    'ip << ''10.0.0.0/28''',
    'late::text',
    't',
    't > time ''12:30''',
    'j IS NULL',
    'a IS NOT NULL',
    'dom % 10',
    'u IN (''00000000-0000-0000-0000-000000000000'', md5(''5'')::uuid)',
    'CASE m WHEN ''ok'' THEN 1 WHEN ''sad'' THEN 2 END',
    'v > ''3 days''',
    'x IS NULL',
    'length(x)'
]) e,
    wa_scan_differences(format('SELECT %1$s, count(*), sum(id), count(j) FILTER (WHERE id > 10) FROM wa_other GROUP BY 1', e)) d;
SELECT wa_singly('SELECT count(*), count(bytes), count(j), count(ip), count(a), sum(length(bytes)) FROM wa_other WHERE u IS NOT NULL AND x IS NOT NULL');
DROP TABLE wa_other;
DROP TYPE wa_mood;
DROP DOMAIN wa_positive;

-- Compiled, as those of expensive plans are.
CREATE FUNCTION wa_is_compiled(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
    RETURN COALESCE((plan->0->'JIT'->>'Functions')::integer > 0, false);
END
$$;
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = -1;
SET jit_optimize_above_cost = -1;
SELECT wa_is_compiled('SELECT count(*), sum(length(s)) FROM wa_expr WHERE i2 > 5 AND s ~ ''1''') = pg_jit_available() AS compiled_if_possible;
SELECT d.* FROM unnest(ARRAY[
    's LIKE ''text 1%''',
    'i4 IS DISTINCT FROM i2',
    'CASE WHEN i2 <> 0 THEN 100 / i2 > 2 END'
]) w,
    wa_scan_differences('SELECT count(*), sum(id), min(s) FROM wa_expr WHERE ' || w) d;
SET jit_inline_above_cost = 0;
SET jit_optimize_above_cost = 0;
SELECT * FROM wa_scan_differences('SELECT upper(s), count(*), sum(round(p / i2, 2)) FILTER (WHERE i2 <> 0) FROM wa_expr GROUP BY 1');
RESET jit_optimize_above_cost;
RESET jit_inline_above_cost;
RESET jit_above_cost;
RESET jit;
DROP FUNCTION wa_is_compiled(text);

-- In several processes.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT d.* FROM wa_times, wa_scan_differences(format('SELECT %1$s, count(*), sum(length(s)) FROM wa_expr WHERE v LIKE ''V%%'' GROUP BY 1', e)) d;
SELECT d.* FROM wa_texts, wa_scan_differences(format('SELECT %1$s, count(*), min(%1$s), max(%1$s) FROM wa_expr GROUP BY 1', e)) d;

DROP TABLE wa_expr, wa_far, wa_numbers, wa_times, wa_texts, wa_conditions;
DROP FUNCTION wa_singly(text);
