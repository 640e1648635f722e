--
-- gpu_avg beside avg, over every type that avg has.
--
\pset null '(null)'
SELECT avg(i2), gpu_avg(i2), avg(i4), gpu_avg(i4) FROM wa_values;
SELECT avg(i8), gpu_avg(i8) FROM wa_values;
SELECT avg(n), gpu_avg(n) FROM wa_values;
SELECT avg(f4), gpu_avg(f4), avg(f8), gpu_avg(f8) FROM wa_values;
SELECT avg(v), gpu_avg(v) FROM wa_values;

-- All of them, by group and without, beside what shares their state.
SELECT c.name, d.*
FROM wa_columns c, (VALUES (''), ('grp'), ('grp, id % 3')) g(groups),
     LATERAL wa_differences('avg sum count', name, 'wa_values', groups) d
WHERE c.functions LIKE '%avg%';
SET warpagg.min_device_rows = 100;
SELECT c.name, d.*
FROM wa_columns c, LATERAL wa_differences('avg sum count', name, 'wa_values', 'id % 5000') d
WHERE c.functions LIKE '%avg%';
RESET warpagg.min_device_rows;
SELECT c.name, d.*
FROM wa_columns c,
     LATERAL wa_differences('avg', 'DISTINCT ' || name, 'wa_values', 'grp') d
WHERE c.functions LIKE '%avg%';

-- The display scale is the built-in's: 16 significant digits or more.
SELECT avg(x), gpu_avg(x) FROM (VALUES (1), (2)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (1), (1), (2)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (0), (0)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('-1'::int2), (0::int2), (0::int2)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (9223372036854775807), (9223372036854775806)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (-9223372036854775808), (-9223372036854775808)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (2147483647), (2147483647), (2147483646)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (1.10), (2.2000), (0.7)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (1e-30), (2e-31), (0)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('NaN'::numeric), (1)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('Infinity'::numeric), (1)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('Infinity'::numeric), ('-Infinity')) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (NULL::numeric)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (NULL::int8), (5), (NULL)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (1::int8)) v(x) WHERE false;

-- A month has 30 days where an average leaves a part of one.
SELECT avg(x), gpu_avg(x) FROM (VALUES (interval '1 month'), ('2 months')) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (interval '1 month'), ('1 day'), ('-3 hours')) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES (interval '-1 month'), ('1 day'), ('1 us')) v(x);

-- Float averages are exact and rounded once: beside rational arithmetic.
CREATE FUNCTION wa_exact_avg(float8[]) RETURNS float8 LANGUAGE sql AS $$
    SELECT (round(sum(wa_exact(x)), 1100) / count(x))::float8 FROM unnest($1) x
$$;
SELECT wa_exact_avg(array_agg(x)) AS exact, gpu_avg(x)
FROM (VALUES (1::float8), (1e100), (1), (-1e100), (NULL)) v(x);
SELECT wa_exact_avg(array_agg(x)) AS exact, gpu_avg(x)
FROM (VALUES (16777216::float4), (1), (1)) v(x);
SELECT wa_exact_avg(array_agg(x)) AS exact, gpu_avg(x)
FROM (VALUES (1e308::float8), (1.5e308), (1.7e308)) v(x);
SELECT wa_exact_avg(array_agg(x)) AS exact, gpu_avg(x)
FROM (VALUES (5e-324::float8), (5e-324), (5e-324), (0)) v(x);
SELECT wa_exact_avg(array_agg(x)) AS exact, gpu_avg(x)
FROM (VALUES (3.4e38::float4), (3.4e38), (-1e-45)) v(x);
-- half of the smallest float, and three halves: to even
SELECT gpu_avg(x) FROM (VALUES (5e-324::float8), (0)) v(x);
SELECT gpu_avg(x) FROM (VALUES (5e-324::float8), (1e-323)) v(x);
SELECT grp, wa_exact_avg(array_agg(x)) AS exact, gpu_avg(x)
FROM (SELECT i % 40 AS grp,
             exp((i * 7919 % 1400 - 700)::float8) * (1 - i % 2 * 2) AS x
      FROM generate_series(1, 2000) i) v
GROUP BY grp HAVING wa_exact_avg(array_agg(x)) IS DISTINCT FROM gpu_avg(x);
SELECT grp, wa_exact_avg(array_agg(x)) AS exact, gpu_avg(x)
FROM (SELECT i % 40 AS grp,
             (exp((i * 7919 % 160 - 80)::float8) * (1 - i % 3))::float4 AS x
      FROM generate_series(1, 2000) i) v
GROUP BY grp HAVING wa_exact_avg(array_agg(x)) IS DISTINCT FROM gpu_avg(x);
DROP FUNCTION wa_exact_avg;
-- the sum of squares, which the built-in keeps, may overflow
SELECT gpu_avg(x) FROM (VALUES (1e200::float8), (3e200)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('Infinity'::float8), (1)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('Infinity'::float8), ('-Infinity')) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('NaN'::float8), (1), ('-Infinity')) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('-Infinity'::float4), (3)) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('-0'::float8), ('-0')) v(x);
SELECT avg(x), gpu_avg(x) FROM (VALUES ('-0'::float8), ('0')) v(x);

-- Types without an overload get PostgreSQL's ordinary error.
\set VERBOSITY terse
SELECT gpu_avg(m) FROM wa_values;
SELECT gpu_avg(s) FROM wa_values;
\set VERBOSITY default
