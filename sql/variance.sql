--
-- Variances and standard deviations beside the built-ins, and over floats
-- beside rational arithmetic.
--
\pset null '(null)'
SELECT var_pop(i2), gpu_var_pop(i2), var_samp(i4), gpu_var_samp(i4) FROM wa_values;
SELECT variance(i8), gpu_variance(i8) FROM wa_values;
SELECT stddev(i8), gpu_stddev(i8) FROM wa_values;
SELECT stddev_pop(n), gpu_stddev_pop(n), stddev_samp(n), gpu_stddev_samp(n) FROM wa_values;

-- All six, of integers and numerics, by group and without, beside what shares
-- their state, and of distinct values.
SELECT c.name, d.*
FROM wa_columns c, (VALUES (''), ('id % 3')) g(groups),
     LATERAL wa_differences(functions, name, 'wa_values', groups) d
WHERE c.functions LIKE '%stddev%';
SET warpagg.min_device_rows = 100;
SELECT c.name, d.*
FROM wa_columns c, (VALUES ('grp'), ('grp, id % 3'), ('id % 5000')) g(groups),
     LATERAL wa_differences(functions, name, 'wa_values', groups) d
WHERE c.functions LIKE '%stddev%';
SELECT c.name, d.*
FROM wa_columns c,
     LATERAL wa_differences(functions, 'DISTINCT ' || name, 'wa_values WHERE id <= 3000', 'grp') d
WHERE c.functions LIKE '%stddev%';
RESET warpagg.min_device_rows;

-- Data sets, each as every type that it fits.
CREATE TABLE wa_sets (name text, values text[]);
INSERT INTO wa_sets VALUES
    ('nothing', '{}'), ('NULLs', '{NULL,NULL}'), ('one', '{7}'), ('one and NULL', '{7,NULL}'),
    ('two', '{1,2}'), ('equal', '{5,5,5}'), ('zeros', '{0,0}'), ('negative', '{-3,-4,-10}'),
    ('int2', '{32767,-32768}'), ('int2 offset', '{32767,32766,32765}'),
    ('int4', '{2147483647,-2147483648,0}'), ('int4 offset', '{2147483647,2147483646}'),
    ('int8', '{9223372036854775807,-9223372036854775808}'),
    ('int8 low', '{-9223372036854775808,-9223372036854775808,-9223372036854775807}'),
    ('offset 10', '{10000000001,10000000002,10000000003}'),
    ('offset 15', '{1000000000000004,1000000000000007,1000000000000013,1000000000000016}'),
    ('thirds', '{1,1,2}'), ('halves', '{0.5,-0.5,0.25}'), ('tenths', '{0.1,0.2,0.3}'),
    ('scales', '{1.10,2.2000,0.7}'), ('trailing', '{1.000,1.0}'),
    ('tiny', '{1e-20,2e-20,4e-20}'), ('large', '{1e30,2e30,-1e30}'),
    ('wide', '{1e30,1e-30,1}'), ('fraction', '{12345678901234567890.123456789,1e-9}'),
    ('NaN', '{NaN,1}'), ('only NaN', '{NaN}'), ('infinite', '{Infinity,1,2}'),
    ('only infinite', '{-Infinity}'), ('both infinities', '{Infinity,-Infinity}'),
    ('infinities', '{Infinity,Infinity}');
CREATE FUNCTION wa_set_differences(name text, type text)
RETURNS TABLE (function text, builtin text, gpu text) LANGUAGE sql AS $$
    SELECT o.* FROM wa_outcomes(
        'var_pop var_samp variance stddev_pop stddev_samp stddev avg sum count', 'x::' || type,
        format('(SELECT unnest(values) AS x FROM wa_sets WHERE name = %L) v', name)) o
    WHERE o.builtin IS DISTINCT FROM o.gpu
$$;
SELECT s.name, t.type, d.*
FROM wa_sets s, unnest('{int2,int4,int8,numeric}'::text[]) AS t(type),
     LATERAL wa_set_differences(name, type) d;
SELECT var_pop(x), gpu_var_pop(x), var_samp(x), gpu_var_samp(x) FROM (VALUES (7)) v(x);
SELECT var_pop(x), gpu_var_pop(x), stddev(x), gpu_stddev(x)
FROM (VALUES (9223372036854775807), (-9223372036854775808)) v(x);
SELECT variance(x), gpu_variance(x) FROM (VALUES (1.000), (1.0)) v(x);
SELECT gpu_variance(x), gpu_stddev(x) FROM (VALUES ('NaN'::numeric), (1)) v(x);

-- Floats: the exact variance, rounded once, beside ours.
CREATE FUNCTION wa_exact_variance(data float8[], less integer) RETURNS numeric
LANGUAGE sql AS $$
    SELECT round(count(x) * sum(x * x) - sum(x) * sum(x), 2200)
           / nullif(count(x) * (count(x) - less), 0)
    FROM (SELECT wa_exact(x) AS x FROM unnest(data) x) v
$$;
CREATE FUNCTION wa_float_differences(type text, source text, groups text)
RETURNS TABLE (function text, grp text, exact float8, gpu float8) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($query$
        SELECT r.function, g.grp, r.exact, r.gpu
        FROM (SELECT %s::text AS grp, gpu_var_pop(x::%2$s) AS vp, gpu_var_samp(x::%2$s) AS vs,
                     gpu_variance(x::%2$s) AS v, gpu_stddev_pop(x::%2$s) AS sp,
                     gpu_stddev_samp(x::%2$s) AS ss, gpu_stddev(x::%2$s) AS s,
                     wa_exact_variance(array_agg(x::%2$s), 0) AS exact_pop,
                     wa_exact_variance(array_agg(x::%2$s), 1) AS exact_samp
              FROM %3$s GROUP BY (%1$s)) g,
             LATERAL (VALUES ('var_pop', exact_pop::float8, vp),
                             ('var_samp', exact_samp::float8, vs),
                             ('variance', exact_samp::float8, v),
                             ('stddev_pop', sqrt(exact_pop)::float8, sp),
                             ('stddev_samp', sqrt(exact_samp)::float8, ss),
                             ('stddev', sqrt(exact_samp)::float8, s)) AS r(function, exact, gpu)
        WHERE r.exact::text IS DISTINCT FROM r.gpu::text$query$, groups, type, source);
END
$$;
SELECT * FROM wa_float_differences('float8', 'wa_sets, unnest(values) x
                                   WHERE NOT values && ''{NaN,Infinity,-Infinity}''', 'name');
SELECT * FROM wa_float_differences('float4', 'wa_sets, unnest(values) x
                                   WHERE NOT values && ''{NaN,Infinity,-Infinity}''', 'name');
CREATE TABLE wa_spread AS
SELECT i % 20 AS grp, exp((i * 7919 % 600 - 300)::float8) * (1 - i % 2 * 2) AS wide,
       1e9 + i * 7919 % 1000 * 0.001::float8 AS offsets,
       (i * 7919 % 1000 * 1e-3)::float4 AS narrow
FROM generate_series(1, 600) i;
SELECT * FROM wa_float_differences('float8', '(SELECT grp, wide AS x FROM wa_spread) w', 'grp');
SELECT * FROM wa_float_differences('float8', '(SELECT grp, offsets AS x FROM wa_spread) w', 'grp');
SELECT * FROM wa_float_differences('float4', '(SELECT grp, narrow AS x FROM wa_spread) w', 'grp');
DROP TABLE wa_spread;
-- far from zero the built-in loses digits, or all of them; ours does not
SELECT gpu_var_pop(x), gpu_stddev_pop(x)
FROM (VALUES (1e15::float8), (1e15 + 1), (1e15 + 2)) v(x);
SELECT gpu_var_samp(x + 1e15) = gpu_var_samp(x::float8) AS same FROM generate_series(1, 1000) x;
-- what overflows is the result only: not the squares, nor their sum
SELECT gpu_stddev_pop(x) FROM (VALUES (1e308::float8), (-1e308)) v(x);
SELECT gpu_stddev_pop(x), gpu_var_pop(x)
FROM (VALUES (1.7e308::float8), (1.7e308), (1.7e308)) v(x);
SELECT gpu_var_pop(x) FROM (VALUES (1e308::float8), (-1e308)) v(x);
SELECT gpu_stddev_samp(x) FROM (VALUES (1.7e308::float8), (-1.7e308)) v(x);
SELECT gpu_stddev_samp(x), gpu_var_samp(x) FROM (VALUES (5e-324::float8), (1.5e-323)) v(x);
SELECT gpu_stddev_pop(x), gpu_var_pop(x) FROM (VALUES (3.4e38::float4), (-3.4e38)) v(x);
-- infinities and NaN
SELECT name, d.*
FROM wa_sets, unnest('{float4,float8}'::text[]) AS t(type),
     LATERAL wa_set_differences(name, type) d
WHERE values && '{NaN,Infinity,-Infinity}' OR cardinality(values) <= 1;
SELECT var_pop(x), gpu_var_pop(x), var_samp(x), gpu_var_samp(x) FROM (VALUES ('NaN'::float8)) v(x);
SELECT var_pop(x), gpu_var_pop(x), stddev(x), gpu_stddev(x)
FROM (VALUES ('Infinity'::float8), (1)) v(x);
SELECT gpu_var_pop(x), gpu_stddev_samp(x) FROM (VALUES ('-0'::float8), ('0')) v(x);
DROP FUNCTION wa_float_differences, wa_exact_variance, wa_set_differences;
DROP TABLE wa_sets;

-- Types without an overload get PostgreSQL's ordinary error.
\set VERBOSITY terse
SELECT gpu_stddev(v) FROM wa_values;
SELECT gpu_var_pop(m) FROM wa_values;
\set VERBOSITY default
