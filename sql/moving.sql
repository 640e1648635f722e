--
-- Frames that move: inverse transitions take the rows away that leave a frame.
--
\pset null '(null)'
-- What is computed afresh below is computed for thousands of small frames.
SET warpagg.min_device_rows = 1000;
-- Values that are hard to take away again: NULLs, NaN, infinities, the only value
-- of the largest scale, all but the -0s.
CREATE TABLE wa_moving AS
SELECT i AS id, i % 2 AS part, i / 7 AS peers, i2, i4, i8, v, m, s, e, a, d, bp,
       CASE WHEN i % 9 > 0 THEN (h % 2001 - 1000) * ('1e-' || i * 7 % 12)::numeric END AS n,
       CASE i % 23 WHEN 0 THEN 'NaN' WHEN 7 THEN 'Infinity' WHEN 9 THEN '-Infinity' WHEN 11 THEN NULL
           ELSE (h % 2001 - 1000) * 0.01 END::numeric AS special,
       CASE WHEN i % 10 = 0 THEN 1e30 + i ELSE i * 1e-10 END::numeric AS wide,
       CASE i % 23 WHEN 0 THEN 'NaN' WHEN 7 THEN 'Infinity' WHEN 9 THEN '-Infinity' WHEN 11 THEN NULL
           ELSE (h % 2001 - 1000) * 0.1 END::float8 AS f8,
       CASE WHEN i % 31 = 0 THEN NULL ELSE exp(h % 600 - 300.0::float8) * (1 - i % 2 * 2) END AS spread,
       CASE WHEN i % 13 = 0 THEN NULL ELSE (exp(h % 150 - 75.0::float8) * (1 - i % 2 * 2))::float4 END AS f4,
       CASE WHEN i % 17 = 0 THEN 1 WHEN i % 17 = 2 THEN 0 WHEN i % 29 = 0 THEN NULL
           ELSE '-0'::float8 END AS zero
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h FROM generate_series(1, 160) i) s
JOIN wa_values ON wa_values.id = i;

-- Compares each frame's result with the built-in's and with that of gpu_ over the
-- frame's rows afresh.
CREATE FUNCTION wa_moving_differences(functions text, argument text, as_builtin boolean)
RETURNS TABLE (frame text, function text, id integer, builtin text, gpu text, fresh text)
LANGUAGE plpgsql AS $$
DECLARE
    columns text;
    calls text;
    clause text;
BEGIN
    SELECT string_agg(format('%1$s(%2$s) OVER w AS b_%1$s, gpu_%1$s(%2$s) OVER w AS g_%1$s',
                             name, argument), ', '),
           string_agg(format('(%1$L, %2$s(b_%1$s), %2$s(g_%1$s), %2$s((SELECT gpu_%1$s(x) FROM unnest(rows) x)))',
                             name, CASE WHEN name IN ('min', 'max') THEN 'wa_value_text' ELSE 'text' END), ', ')
    INTO columns, calls FROM string_to_table(functions, ' ') name;
    FOREACH clause IN ARRAY ARRAY[
        'ORDER BY id ROWS 5 PRECEDING',
        'ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW',
        'ORDER BY id ROWS BETWEEN 30 PRECEDING AND 10 PRECEDING',
        'ORDER BY id ROWS BETWEEN CURRENT ROW AND 20 FOLLOWING',
        'ORDER BY id ROWS BETWEEN 3 FOLLOWING AND UNBOUNDED FOLLOWING',
        'ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 3 PRECEDING',
        'PARTITION BY part ORDER BY id ROWS BETWEEN 4 PRECEDING AND 2 PRECEDING',
        'ORDER BY peers RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING',
        'ORDER BY peers GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW',
        'ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW'] LOOP
        RETURN QUERY EXECUTE format(
            'SELECT %L, call.name, s.id, call.builtin, call.gpu, call.fresh
             FROM (SELECT id, array_agg(%s) OVER w AS rows, %s FROM wa_moving WINDOW w AS (%s)) s,
                  LATERAL (VALUES %s) AS call(name, builtin, gpu, fresh)
             WHERE gpu IS DISTINCT FROM fresh OR $1 AND gpu IS DISTINCT FROM builtin
             ORDER BY call.name, s.id LIMIT 3',
            clause, argument, columns, clause, calls) USING as_builtin;
    END LOOP;
END
$$;
SELECT c.argument, d.*
FROM (VALUES ('i2'), ('i4'), ('i8'), ('n'), ('special'), ('wide'), ('n::numeric(10, 2)')) c(argument),
     LATERAL wa_moving_differences('sum avg min max count var_pop var_samp variance stddev_pop stddev_samp stddev',
                                   argument, true) d;
SELECT d.* FROM wa_moving_differences('sum avg min max count', 'v', true) d;
SELECT d.* FROM wa_moving_differences('sum min max count', 'm', true) d;
SELECT c.argument, d.*
FROM (VALUES ('s'), ('e'), ('d'), ('bp'), ('f8'), ('zero'), ('f4')) c(argument),
     LATERAL wa_moving_differences('min max count', argument, true) d;
SELECT c.argument, d.*
FROM (VALUES ('f8'), ('spread'), ('f4'), ('zero'), ('ln(abs(spread))::float4'), ('i4::float8')) c(argument),
     LATERAL wa_moving_differences('sum avg count var_pop var_samp variance stddev_pop stddev_samp stddev',
                                   argument, false) d;
DROP FUNCTION wa_moving_differences;
-- only -0s are left, or a NaN has gone
SELECT id, zero, gpu_sum(zero) OVER w, gpu_avg(zero) OVER w, gpu_max(zero) OVER w
FROM wa_moving WHERE id BETWEEN 15 AND 22 WINDOW w AS (ORDER BY id ROWS 1 PRECEDING) ORDER BY id;
SELECT id, f8, gpu_sum(f8) OVER w, gpu_stddev_pop(f8) OVER w
FROM wa_moving WHERE id BETWEEN 21 AND 33 WINDOW w AS (ORDER BY id ROWS 1 PRECEDING) ORDER BY id;
SELECT id, n, sum(n) OVER w, gpu_sum(n) OVER w
FROM wa_moving WHERE id <= 8 WINDOW w AS (ORDER BY id ROWS 1 PRECEDING) ORDER BY id;
-- an overflow that has left the frame is forgotten
SELECT i, gpu_sum(x) OVER (ORDER BY i ROWS 1 PRECEDING)
FROM (VALUES (1, 1e308::float8), (2, -1e308), (3, 1e308), (4, -1)) v(i, x) ORDER BY i;
SELECT i, gpu_sum(x) OVER (ORDER BY i ROWS 1 PRECEDING)
FROM (VALUES (1, 1e308::float8), (2, 1e308), (3, 1), (4, 1)) v(i, x) ORDER BY i;
-- filtered, and with a frame that is empty
SELECT count(*) AS rows, count(*) FILTER (WHERE b IS DISTINCT FROM g) AS differences
FROM (SELECT sum(n) FILTER (WHERE id % 3 = 0) OVER w AS b,
             gpu_sum(n) FILTER (WHERE id % 3 = 0) OVER w AS g
      FROM wa_moving WINDOW w AS (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)) s;
DROP TABLE wa_moving;

-- The sum over 1000 rows is exact at each row.
CREATE TABLE wa_long AS
SELECT i AS id, exp((i * 7919 % 400 - 200)::float8) * (1 - i % 2 * 2) AS x FROM generate_series(1, 6000) i;
CREATE INDEX ON wa_long (id);
SELECT w.id, w.sum, w.avg, w.stddev
FROM (SELECT id, gpu_sum(x) OVER w AS sum, gpu_avg(x) OVER w AS avg, gpu_stddev(x) OVER w AS stddev
      FROM wa_long WINDOW w AS (ORDER BY id ROWS 1000 PRECEDING)) w,
     LATERAL (SELECT gpu_sum(x) AS sum, gpu_avg(x) AS avg, gpu_stddev(x) AS stddev
              FROM wa_long l WHERE l.id BETWEEN w.id - 1000 AND w.id) AS fresh
WHERE w.id % 500 = 7
      AND (w.sum, w.avg, w.stddev) IS DISTINCT FROM (fresh.sum, fresh.avg, fresh.stddev);
SELECT count(*) AS compared FROM wa_long WHERE id % 500 = 7;

-- And cheap: a row enters once and leaves once.  Its argument is then evaluated
-- twice, and not once for each frame that it is in.
CREATE FUNCTION wa_counted(x anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    PERFORM set_config('wa.evaluations', (current_setting('wa.evaluations')::integer + 1)::text, false);
    RETURN x;
END
$$;
CREATE FUNCTION wa_evaluations(function text, type text, lines integer, frame integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    results integer;
BEGIN
    PERFORM set_config('wa.evaluations', '0', false);
    EXECUTE format(
        'SELECT count(r) FROM (SELECT %s(wa_counted(x::%s)) OVER (ORDER BY x ROWS %s PRECEDING) AS r
                               FROM generate_series(1, %s) x) s', function, type, frame, lines)
    INTO results;
    RETURN current_setting('wa.evaluations')::integer;
END
$$;
-- what is known: the built-ins over numeric have inverse transitions
SELECT wa_evaluations('sum', 'numeric', 1000, 100) AS twice,
       wa_evaluations('max', 'numeric', 1000, 100) > 90000 AS for_each_frame;
SELECT wa_evaluations('gpu_sum', 'float8', 5000, 1000) <= 10000 AS linear;
SELECT f.name, t.type, wa_evaluations('gpu_' || f.name, t.type, 1000, 100)
FROM unnest('{sum,avg,count,var_pop,var_samp,variance,stddev_pop,stddev_samp,stddev}'::text[]) AS f(name),
     unnest('{int2,int4,int8,numeric,float4,float8}'::text[]) AS t(type)
WHERE wa_evaluations('gpu_' || f.name, t.type, 1000, 100) > 2000;
SELECT c.*, wa_evaluations('gpu_' || c.name, c.type, 1000, 100)
FROM (VALUES ('sum', 'numeric::money'), ('sum', 'text::interval'), ('avg', 'text::interval'),
             ('count', 'text'), ('count', 'text::xid8')) AS c(name, type)
WHERE wa_evaluations('gpu_' || c.name, c.type, 1000, 100) > 2000;
DROP FUNCTION wa_evaluations, wa_counted;
DROP TABLE wa_long;
