--
-- Comparisons of times with a constant time of another type, which depend on the time
-- zone: around changes of clocks each limit is compared with times of all types.
--
SET client_min_messages = warning;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET datestyle = 'ISO';

-- Moments at which clocks are put forward or back, by an hour, half an hour, or a day.
CREATE TABLE wa_clocks (zone text, moment timestamptz);
INSERT INTO wa_clocks VALUES
    ('Europe/Berlin', '2024-03-31 01:00Z'), ('Europe/Berlin', '2024-10-27 01:00Z'),
    ('America/Sao_Paulo', '2018-11-04 03:00Z'), ('America/Sao_Paulo', '2018-02-18 02:00Z'),
    ('Australia/Lord_Howe', '2024-10-05 15:30Z'), ('Australia/Lord_Howe', '2024-04-06 15:00Z'),
    ('Pacific/Apia', '2011-12-30 10:00Z'), ('Europe/Berlin', '1900-01-01 00:00Z'),
    ('UTC', '2024-03-31 01:00Z'), ('<+05:30>-05:30', '2024-03-31 01:00Z');
SET timezone = 'UTC';
CREATE TABLE wa_moments AS
    SELECT x::timestamp AS ts, x AS tz, x::date AS d
    FROM (SELECT DISTINCT moment FROM wa_clocks) c,
         LATERAL generate_series(moment - interval '40 hours', moment + interval '40 hours', interval '15 minutes') x;
INSERT INTO wa_moments VALUES ('infinity', 'infinity', 'infinity'), ('-infinity', '-infinity', '-infinity'), (NULL, NULL, NULL),
    ('4713-01-01 BC', '4713-01-01 BC', '4713-01-01 BC'), ('290000-01-01', '290000-01-01', '290000-01-01');
ANALYZE wa_moments;

-- A query that compares times of each type with limits of the others, either way around.
CREATE FUNCTION wa_compared(lim timestamptz) RETURNS text LANGUAGE sql AS $$
    SELECT 'SELECT ' || string_agg(format('count(*) FILTER (WHERE %s)', CASE WHEN turned THEN format('%s %s %s', l, op, x)
                                                                             ELSE format('%s %s %s', x, op, l) END), ', ')
           || ' FROM wa_moments'
    FROM (VALUES ('ts', format('%L::timestamptz', lim)), ('d', format('%L::timestamptz', lim)),
                 ('tz', format('%L::timestamp', lim::timestamp)), ('tz', format('%L::date', lim::date))) pairs (x, l),
         (VALUES ('<'), ('<='), ('>'), ('>='), ('='), ('<>')) ops (op), (VALUES (false), (true)) ways (turned)
$$;
CREATE FUNCTION wa_compare_clocks() RETURNS TABLE (zone text, moment timestamp, queries bigint, difference text) LANGUAGE plpgsql AS $$
DECLARE
    clock wa_clocks;
BEGIN
    FOR clock IN TABLE wa_clocks LOOP
        PERFORM set_config('timezone', clock.zone, true);
        zone := clock.zone;
        moment := clock.moment AT TIME ZONE 'UTC';
        SELECT count(*), min(d.side || ': ' || d.result) INTO queries, difference
        FROM generate_series(clock.moment - interval '27 hours', clock.moment + interval '27 hours', interval '100 minutes') l
             LEFT JOIN LATERAL wa_scan_differences(wa_compared(l)) d ON true;
        RETURN NEXT;
    END LOOP;
END
$$;
SELECT zone, moment, queries, difference FROM wa_compare_clocks();

-- Limits without end, none, and near the ends of time.
SET timezone = 'Europe/Berlin';
SELECT lim, side, result
FROM unnest('{infinity,-infinity,4713-01-02 BC,294276-12-30,NULL}'::timestamptz[]) lim
     LEFT JOIN LATERAL wa_scan_differences(wa_compared(lim)) d ON true;

-- They are instructions like others: no row is computed singly, but for a limit of the
-- hour in which clocks have been put forward.
CREATE FUNCTION wa_singly(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT json) ' || query INTO plan;
    RETURN jsonb_path_query_first(plan, '$.**."Rows Computed Singly"');
END
$$;
SELECT wa_singly('SELECT count(*) FROM wa_moments WHERE ts < now() - interval ''7 days'''),
       wa_singly('SELECT count(*) FROM wa_moments WHERE date ''2024-10-27'' <= tz'),
       wa_singly('SELECT count(*) FROM wa_moments WHERE d >= timestamptz ''2024-03-31 00:59Z'''),
       wa_singly('SELECT count(*) FROM wa_moments WHERE ts >= timestamptz ''2024-03-31 01:30Z''')::integer > 0 AS after_gap;

-- The limit may be a parameter, or come from a subselect; the zone is that of the execution.
PREPARE wa_after(timestamptz) AS SELECT count(*), min(ts) FROM wa_moments WHERE ts > $1 AND ts < 'infinity';
SET plan_cache_mode = force_generic_plan;
EXECUTE wa_after('2024-03-31 00:00Z');
SET timezone = 'America/Sao_Paulo';
EXECUTE wa_after('2024-03-31 00:00Z');
SET warpagg.enable_scan = off;
EXECUTE wa_after('2024-03-31 00:00Z');
SET warpagg.enable_scan = on;
SELECT * FROM wa_scan_differences('SELECT count(*) FROM wa_moments WHERE ts <= (SELECT max(moment) FROM wa_clocks)');
SELECT * FROM wa_scan_differences('SELECT sum(CASE WHEN d < (SELECT min(moment) FROM wa_clocks) THEN 1 ELSE 2 END) FROM wa_moments');

-- A plan that is there is compiled anew where it runs: whether a time is brought to steps, or
-- evaluated, depends on the zone.
SET timezone = 'UTC';
SET cpu_tuple_cost = 1;
PREPARE wa_by_node AS SELECT date_trunc('day', tz) AS day, extract(hour FROM tz) AS hour, count(*), max(ts),
    count(*) FILTER (WHERE tz::date > '2018-03-01') AS late FROM wa_moments WHERE isfinite(tz) GROUP BY 1, 2;
EXPLAIN (COSTS OFF) EXECUTE wa_by_node;
SET warpagg.enable_scan = off;
PREPARE wa_by_core AS SELECT date_trunc('day', tz) AS day, extract(hour FROM tz) AS hour, count(*), max(ts),
    count(*) FILTER (WHERE tz::date > '2018-03-01') AS late FROM wa_moments WHERE isfinite(tz) GROUP BY 1, 2;
EXECUTE wa_by_core \g /dev/null
RESET cpu_tuple_cost;
CREATE FUNCTION wa_differences_in(zone text, OUT rows bigint, OUT differences bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('timezone', zone, false);
    CREATE TEMP TABLE by_node AS EXECUTE wa_by_node;
    CREATE TEMP TABLE by_core AS EXECUTE wa_by_core;
    EXECUTE 'SELECT count(*) FROM by_node' INTO rows;
    EXECUTE 'SELECT count(*) FROM ((TABLE by_node EXCEPT ALL TABLE by_core) UNION ALL (TABLE by_core EXCEPT ALL TABLE by_node)) d'
        INTO differences;
    DROP TABLE by_node, by_core;
END
$$;
SELECT zone, d.* FROM unnest('{UTC,"EST5EDT,M3.2.0,M11.1.0",America/Sao_Paulo,<+05:30>-05:30,UTC}'::text[]) WITH ORDINALITY z (zone, n),
    LATERAL wa_differences_in(zone) d ORDER BY n;
DEALLOCATE ALL;

RESET timezone;
DROP FUNCTION wa_compared, wa_compare_clocks, wa_singly, wa_differences_in;
DROP TABLE wa_clocks, wa_moments;
