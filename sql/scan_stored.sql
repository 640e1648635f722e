--
-- The scan tier: aggregates over types that no vector can hold.  Their values are
-- taken as tuples have them, and go to transition states.
--
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET client_min_messages = warning;
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
SET max_parallel_workers_per_gather = 0;

CREATE TYPE wa_mood AS ENUM ('sad', 'ok', 'happy');
ALTER TYPE wa_mood ADD VALUE 'so so' BEFORE 'ok';
CREATE DOMAIN wa_span AS interval CHECK (value > interval '-100 years');
CREATE TABLE wa_stored AS
SELECT i AS id, i % 5 AS grp, NULLIF(i % 7, 3) * i * interval '1 minute' - i % 11 * interval '1 month' AS iv,
       (i % 90 * interval '1 day')::wa_span AS sp, time '00:00' + i % 1440 * interval '1 minute' AS t,
       (time '00:00' + i % 1439 * interval '1 minute')::timetz AT TIME ZONE make_interval(hours => i % 12) AS tz,
       CASE WHEN i % 13 <> 0 THEN ('10.' || i % 250 || '.' || i % 7 || '.1/' || 8 + i % 20)::inet END AS ine, ('10.' || i % 250 || '.0.0/16')::cidr AS ci,
       (enum_range(NULL::wa_mood))[1 + i % 4] AS mood, CASE WHEN i % 9 <> 0 THEN ARRAY[i % 17, NULL, i] END AS ints, ARRAY['t' || i % 19, repeat('x', i % 50)] AS texts,
       ARRAY[1.5, i % 23]::numeric[] AS nums, ('(' || i % 40 || ',' || 1 + i % 200 || ')')::tid AS place, ('0/' || to_hex(i * 7919 % 65536))::pg_lsn AS lsn, ((i % 29)::text)::xid8 AS xid,
       timestamp '2024-01-01' + i * interval '1 hour' AS ts, timestamp '2024-06-01' - i % 100 * interval '5 hours' AS ts2, 'text ' || i AS txt, json_build_object('i', i) AS js, i::bit(8) AS bits
FROM generate_series(1, 1500) i;
ALTER TABLE wa_stored ADD COLUMN added inet DEFAULT '192.168.0.1/24', ADD COLUMN later interval;
INSERT INTO wa_stored (id, grp, iv, ints, texts, added, later) SELECT 1500 + i, i % 5, i * interval '30 days', ARRAY(SELECT generate_series(i, i + 3000)), ARRAY[repeat(md5(i::text), 400)], '172.16.0.1', i * interval '1 second' FROM generate_series(1, 40) i;
DELETE FROM wa_stored WHERE id % 50 = 0;
ANALYZE wa_stored;

-- Returns a line for each query whose result the node changes, or that has no node.
CREATE FUNCTION wa_stored_differences(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    "with" text;
    without text;
    line text;
    has_node boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        has_node := has_node OR line LIKE '%WarpAgg) on wa_stored%';
    END LOOP;
    query := format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query);
    EXECUTE query INTO "with";
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    EXECUTE query INTO without;
    PERFORM set_config('warpagg.enable_scan', 'on', true);
    IF NOT has_node OR "with" IS DISTINCT FROM without OR "with" IS NULL THEN
        RETURN NEXT format('%s (node: %s): %s instead of %s', query, has_node, left("with", 200), left(without, 200));
    END IF;
END
$$;

-- Every aggregate over every type that it takes: alone, with a built-in beside it,
-- grouped, filtered, in workers, and with groups that are spilled.
CREATE TABLE wa_stored_calls AS SELECT a, c FROM unnest('{min,max}'::text[]) a, unnest('{iv,sp,t::interval,tz,ine,ci,mood,ints,texts,nums,place,lsn,xid,added,later}'::text[]) c
UNION ALL SELECT a, c FROM unnest('{sum,avg}'::text[]) a, unnest('{iv,sp,t,later}'::text[]) c
-- Expressions, which PostgreSQL evaluates.
UNION ALL SELECT a, c FROM unnest('{min,max}'::text[]) a, unnest(ARRAY[
    'ts2 - ts',
    'ts - interval ''1 day'' - ts2',
    'ine + id',
    'network(ine)',
    'ints || id',
    'COALESCE(iv, ts2 - ts)',
    'CASE WHEN id % 3 = 0 THEN mood END',
    '(grp || '' minutes'')::interval',
    'age(ts, ts2)',
    '(''10.0.0.'' || id % 250)::inet',
    'lsn + id',
    '(txt = ''text 7'')::text::cstring::text',
    '(ARRAY[''sad'', ''ok''])[1 + grp % 2]::wa_mood',
    'string_to_array(txt, '' '')'
]) c
UNION ALL SELECT a, c FROM unnest('{sum,avg}'::text[]) a, unnest(ARRAY[
    'ts2 - ts',
    'iv * 2',
    'justify_hours(iv)',
    'make_interval(mins => id)',
    'COALESCE(later, iv)'
]) c;
CREATE TABLE wa_stored_forms AS SELECT * FROM unnest(ARRAY[
    'SELECT gpu_%1$s(%2$s), %1$s(%2$s), gpu_count(%2$s) FROM wa_stored',
    'SELECT grp, gpu_%1$s(%2$s), count(%2$s) FROM wa_stored GROUP BY grp',
    'SELECT gpu_%1$s(%2$s) FROM wa_stored WHERE id < 0',
    'SELECT gpu_%1$s(%2$s) FILTER (WHERE id %% 3 = 1), gpu_%1$s(%2$s) FILTER (WHERE txt LIKE ''%%9%%''), gpu_sum(id) FROM wa_stored WHERE grp > 1 AND id < 1490',
    'SELECT id %% 100 AS k, %1$s(%2$s) FROM wa_stored GROUP BY 1 ORDER BY 2, 1 LIMIT 5',
    'SELECT grp FROM wa_stored GROUP BY grp HAVING gpu_%1$s(%2$s) IS NOT NULL'
]) WITH ORDINALITY f (form, number);
SELECT wa_stored_differences(format(form, a, c)) FROM wa_stored_calls, wa_stored_forms;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT grp, gpu_min(ine), gpu_max(mood), sum(iv) FROM wa_stored GROUP BY grp;
-- Of equal intervals workers may return another one: '1 month' or '30 days'.
SELECT wa_stored_differences(format(form, a, c)) FROM wa_stored_calls, wa_stored_forms WHERE number = 2 AND NOT (a IN ('min', 'max') AND c LIKE '%iv%');
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT wa_stored_differences(format('SELECT id, txt, gpu_%1$s(%2$s), gpu_max(ints), count(*) FROM wa_stored GROUP BY 1, 2', a, c)) FROM wa_stored_calls WHERE c !~ 'id|make';
CREATE FUNCTION wa_stored_batches(query text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Batches';
END
$$;
SELECT wa_stored_batches('SELECT id, txt, gpu_min(ine), gpu_max(ints), count(*) FROM wa_stored GROUP BY 1, 2') > 1 AS has_spilled;
RESET work_mem;
RESET hash_mem_multiplier;
EXPLAIN (COSTS OFF) SELECT grp, gpu_min(ine), gpu_sum(iv), gpu_max(ts2 - ts) FROM wa_stored GROUP BY grp;
SELECT grp, gpu_min(ine), gpu_sum(iv), gpu_max(ts2 - ts) FROM wa_stored GROUP BY grp ORDER BY grp;

-- Errors of expressions are raised in their turn.
SELECT gpu_min(make_interval(hours => 1 / (id - 1000))), gpu_max((txt || '/99')::inet) FROM wa_stored WHERE id > 999;
SELECT gpu_max((txt || '/99')::inet) FILTER (WHERE id < 0), gpu_min(make_interval(hours => 1 / (id - 1001))) FROM wa_stored WHERE id > 999;
SELECT gpu_sum(iv * 1e9) FROM wa_stored;

-- Columns may be resident, but these queries read the heap.
SELECT warpagg_load('wa_stored', '{id,grp,txt,ts,ts2}') >= 0 AS loaded;
SELECT wa_stored_differences(format(form, a, c)) FROM wa_stored_calls, wa_stored_forms WHERE number < 3 AND c ~ 'txt|ts|grp|id';

-- The built-in over intervals may fail on the way, so it is taken only on demand.  What
-- is compared by foreign code, or not at all, is not taken.
CREATE FUNCTION wa_stored_refusal(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line LIKE '%WarpAgg%' OR line LIKE '%Aggregate%' THEN
            RETURN NEXT line;
        END IF;
    END LOOP;
END
$$;
SET client_min_messages = notice;
SET warpagg.explain_refusals = on;
SET warpagg.accelerate = 'exact';
SELECT wa_stored_refusal('SELECT sum(iv) FROM wa_stored');
SELECT wa_stored_refusal('SELECT avg(t) FROM wa_stored');
SELECT wa_stored_refusal('SELECT min(iv), max(ine), gpu_sum(iv) FROM wa_stored');
SELECT wa_stored_refusal('SELECT gpu_max(ARRAY[js]) FROM wa_stored');
SELECT wa_stored_refusal('SELECT gpu_max(ARRAY[mood]) FROM wa_stored');
SELECT wa_stored_refusal('SELECT gpu_max(texts) FROM wa_stored');
SELECT wa_stored_refusal('SELECT grp, min(interval ''24 hours''), max(ARRAY[1.0, 2]) FROM wa_stored GROUP BY 1');
SELECT DISTINCT min(interval '24 hours'), gpu_max(ARRAY[1.0, 2]) FROM wa_stored GROUP BY grp;
RESET warpagg.explain_refusals;
DROP TABLE wa_stored, wa_stored_calls, wa_stored_forms;
DROP FUNCTION wa_stored_differences(text), wa_stored_batches(text), wa_stored_refusal(text);
DROP DOMAIN wa_span;
DROP TYPE wa_mood;
