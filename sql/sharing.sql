--
-- Aggregates over the same column share one state: their argument is evaluated
-- once a row, whichever of them there are and in whatever order.
--
\pset null '(null)'
CREATE FUNCTION wa_counted(x anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    PERFORM set_config('wa.evaluations', (current_setting('wa.evaluations')::integer + 1)::text, false);
    RETURN x;
END
$$;
CREATE TABLE wa_shared AS
SELECT i AS id, i % 3 AS grp, CASE WHEN i % 5 > 0 THEN i END AS x FROM generate_series(1, 100) i;
-- Evaluates a select list over 100 rows; returns how often wa_counted ran.
CREATE FUNCTION wa_evaluations(list text, tail text DEFAULT '') RETURNS integer
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('wa.evaluations', '0', false);
    EXECUTE format('SELECT %s FROM wa_shared %s', list, tail);
    RETURN current_setting('wa.evaluations')::integer;
END
$$;
-- what is known: the built-ins' sum and avg of numeric share, sum and stddev do not
SELECT wa_evaluations('sum(wa_counted(x::numeric)), avg(wa_counted(x::numeric))') AS shared,
       wa_evaluations('sum(wa_counted(x::numeric)), stddev(wa_counted(x::numeric))') AS apart;

SELECT t.type,
       wa_evaluations(format('gpu_sum(%1$s), gpu_avg(%1$s), gpu_count(%1$s), gpu_stddev(%1$s)', a)) AS four,
       wa_evaluations(format('gpu_var_pop(%1$s), gpu_var_samp(%1$s), gpu_variance(%1$s), gpu_stddev_pop(%1$s), gpu_stddev_samp(%1$s), gpu_sum(%1$s)', a)) AS six,
       wa_evaluations(format('grp, gpu_count(%1$s), gpu_avg(%1$s), gpu_variance(%1$s)', a), 'GROUP BY grp') AS grouped,
       wa_evaluations(format('gpu_avg(%1$s), gpu_sum(%1$s)', a), 'WHERE x > 50') AS forty
FROM unnest('{int2,int4,int8,numeric,float4,float8}'::text[]) AS t(type),
     LATERAL (SELECT format('wa_counted(x::%s)', type) AS a) f;
SELECT wa_evaluations('gpu_sum(wa_counted(x::text::interval)), gpu_avg(wa_counted(x::text::interval)), gpu_count(wa_counted(x::text::interval))') AS interval,
       wa_evaluations('gpu_sum(wa_counted(x::numeric::money)), gpu_count(wa_counted(x::numeric::money))') AS money;
-- other arguments or modifiers make other states
SELECT wa_evaluations('gpu_sum(wa_counted(x)), gpu_avg(wa_counted(x + 1))') AS arguments,
       wa_evaluations('gpu_sum(wa_counted(x)), gpu_avg(wa_counted(x)) FILTER (WHERE id > 0)') AS filter,
       wa_evaluations('gpu_sum(wa_counted(x)), gpu_avg(DISTINCT wa_counted(x))')
       = wa_evaluations('sum(wa_counted(x)), avg(DISTINCT wa_counted(x))') AS distinct;

-- The shared state serves each of them well.
SELECT sum(x), gpu_sum(x), avg(x), gpu_avg(x), count(x), gpu_count(x), stddev(x), gpu_stddev(x),
       min(x), gpu_min(x), max(x), gpu_max(x)
FROM wa_shared;
SELECT gpu_count(x), gpu_count(*), gpu_stddev_pop(x) = stddev_pop(x) AS stddev_pop,
       gpu_avg(x) = avg(x) AS avg
FROM wa_shared;
-- pairs, in either order
SET warpagg.min_device_rows = 100;
SELECT a.name AS first, b.name AS second, c.name AS column, d.*
FROM wa_columns c, string_to_table(c.functions, ' ') AS a(name),
     string_to_table(c.functions, ' ') AS b(name),
     LATERAL wa_differences(a.name || ' ' || b.name, c.name, 'wa_values WHERE id <= 300', 'grp') d
WHERE a.name <> b.name AND c.name IN ('i8', 'n', 'v', 's');
DROP FUNCTION wa_evaluations, wa_counted;
DROP TABLE wa_shared;
