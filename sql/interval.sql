--
-- The family over interval: sum, avg, min, max, count.
--
\pset null '(null)'
SELECT sum(v), gpu_sum(v), avg(v), gpu_avg(v) FROM wa_values;
SELECT min(v), gpu_min(v), max(v), gpu_max(v), count(v), gpu_count(v) FROM wa_values;

CREATE TABLE wa_intervals (kind text, id integer, grp integer, x interval);
INSERT INTO wa_intervals
SELECT k.kind, i, i % 13, k.x
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h FROM generate_series(1, 500) i) s,
     LATERAL (VALUES
        ('seconds', make_interval(secs => (h % 2000001 - 1000000) * 0.000001)),
        ('hours', make_interval(hours => (h % 2000000 - 1000000)::integer)),
        ('days', make_interval(days => (h % 2001 - 1000)::integer)),
        ('months', make_interval(months => (h % 2001 - 1000)::integer)),
        ('mixed', make_interval(months => (h % 50 - 25)::integer, days => (h % 100 - 50)::integer,
                                secs => (h % 172801 - 86400) * 0.5)),
        ('opposite', make_interval(months => i % 3, days => -i % 90, secs => 3600 * (i % 7))),
        ('one of each', (ARRAY['1 month', '1 day', '1 hour', '1 us'])[1 + i % 4]::interval),
        ('large', make_interval(months => (h % 4000001 - 2000000)::integer,
                                days => (h % 4000001 - 2000000)::integer,
                                hours => (h % 4000001 - 2000000)::integer)),
        ('zero', interval '0'),
        ('equal', (ARRAY['1 month', '30 days', '720 hours', '29 days 24 hours'])[1 + h % 4]::interval),
        ('NULL', NULL)) AS k(kind, x);
UPDATE wa_intervals SET x = NULL WHERE id % 17 = 0;
ANALYZE wa_intervals;
CREATE FUNCTION wa_interval_differences(functions text, argument text DEFAULT 'x')
RETURNS TABLE (function text, grp text, builtin text, gpu text) LANGUAGE sql AS $$
    SELECT d.*
    FROM (VALUES ('kind'), ('kind, grp'), ('kind, id % 150')) g(groups),
         LATERAL wa_differences(functions, argument, 'wa_intervals', groups) d
    UNION ALL
    SELECT d.*
    FROM (SELECT DISTINCT kind FROM wa_intervals) k,
         LATERAL wa_differences(functions, argument,
                                format('wa_intervals WHERE kind = %L', kind)) d
$$;
SET max_parallel_workers_per_gather = 0;
SELECT * FROM wa_interval_differences('sum avg min max count');
-- (which of equal ones DISTINCT keeps is open)
SELECT * FROM wa_interval_differences('sum avg min max count', 'DISTINCT justify_interval(x)');
SELECT * FROM wa_interval_differences('sum avg min max count', 'x ORDER BY id DESC');
SELECT * FROM wa_interval_differences('sum avg min max count', '-x');
SET enable_hashagg = off;
SELECT * FROM wa_interval_differences('sum avg min max count');
RESET enable_hashagg;
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM wa_interval_differences('sum avg count');
-- which of equal ones comes back is open; that it is one of them is not
SELECT kind FROM wa_intervals GROUP BY kind
HAVING min(x) <> gpu_min(x) OR max(x) <> gpu_max(x);
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP FUNCTION wa_interval_differences;
DROP TABLE wa_intervals;

-- Of equal ones the built-in keeps the last, and ours always the same: a month has 30 days,
-- a day 24 hours.
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES (interval '1 month'), ('720 hours'), ('30 days')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES (interval '30 days'), ('1 month'), ('31 days'), ('29 days 168 hours')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES (interval '-178000000 years'), ('178000000 years'), ('0')) v(x);

-- Each part has its own limits, as in the built-in; what counts is the result.
CREATE TEMP TABLE wa_limits (name text, part interval, rest interval);
INSERT INTO wa_limits VALUES
    ('months', '178956970 years 7 months', '1 month'),
    ('months below', '-178956970 years -8 months', '-1 month'),
    ('days', '2147483647 days', '1 day'),
    ('days below', '-2147483647 days', '-2 days'),
    ('hours', '2562047788 hours', '1 hour'),
    ('hours below', '-2562047788 hours', '-1 hour');
SELECT name, o.*
FROM wa_limits,
     LATERAL wa_outcomes('sum min max count', 'x',
                         format('(VALUES (%L::interval), (%L)) v(x)', part, rest)) o;
SELECT name, o.function, o.gpu
FROM wa_limits,
     LATERAL wa_outcomes('sum', 'x',
                         format('(VALUES (%L::interval), (%L), (%L)) v(x)', part, rest, -rest)) o;
SELECT sum(x), gpu_sum(x), avg(x), gpu_avg(x)
FROM (VALUES (interval '2147483647 days'), ('-1 day'), ('1 month')) v(x);
DROP TABLE wa_limits;
