--
-- gpu_sum beside sum, over every type that sum has and we have.
--
\pset null '(null)'
SELECT sum(i2), gpu_sum(i2), sum(i4), gpu_sum(i4) FROM wa_values;
SELECT sum(i8), gpu_sum(i8) FROM wa_values;
SELECT sum(m), gpu_sum(m) FROM wa_values;
SELECT sum(f8), gpu_sum(f8) FROM wa_values;
SELECT sum(f4), gpu_sum(f4) FROM wa_values;

-- Extremes: a sum of bigints does not fit a bigint, let alone those of its
-- lowest value.
SELECT sum(x), gpu_sum(x)
FROM (VALUES (9223372036854775807), (9223372036854775807), (1)) v(x);
SELECT sum(x), gpu_sum(x)
FROM (VALUES (-9223372036854775808), (-9223372036854775808)) v(x);
SELECT sum(x), gpu_sum(x)
FROM generate_series(9223372036854775000, 9223372036854775807) x;
SELECT sum(x::int2), gpu_sum(x::int2), sum(x::int4 * 65536), gpu_sum(x::int4 * 65536)
FROM generate_series(-32768, 32767) x;
SELECT sum(x), gpu_sum(x) FROM (VALUES (0::int8)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (-1::int8)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (2147483647), (2147483647), (-1)) v(x);

-- money wraps around in the built-in of some versions; here it never does.
SELECT gpu_sum(x) FROM (VALUES ('92233720368547758.07'::money), ('-0.01'), ('0.01')) v(x);
SELECT gpu_sum(x) FROM (VALUES ('92233720368547758.07'::money), ('0.01')) v(x);
SELECT gpu_sum(x) FROM (VALUES ('-92233720368547758.08'::money), ('-0.01')) v(x);

-- Special floats follow IEEE 754, as in PostgreSQL.
SELECT sum(x), gpu_sum(x) FROM (VALUES ('Infinity'::float8), (1), (-1)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('-Infinity'::float8), (1)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('Infinity'::float8), ('-Infinity')) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('NaN'::float8), (1), ('Infinity')) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('Infinity'::float4), (1), (-1)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('NaN'::float4), (1), ('-Infinity')) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('-0'::float8), ('-0')) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('-0'::float8), ('0')) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('-0'::float4)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (1.5::float8), (-1.5)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('5e-324'::float8), ('5e-324')) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES ('1e-45'::float4), ('-2e-45')) v(x);

-- Float sums are exact and rounded once: where the built-in is not, ours is.
SELECT sum(x), gpu_sum(x) FROM (VALUES (16777216::float4), (1), (1)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (1::float8), (1e100), (1), (-1e100)) v(x);
SELECT gpu_sum(x) FROM (VALUES (1e308::float8), (1e308), (-1e308)) v(x);
SELECT gpu_sum(x) FROM (VALUES (3e38::float4), (3e38), (-3e38)) v(x);
SELECT gpu_sum(0.1::float8) AS tenths FROM generate_series(1, 1000);
-- the same bits in any order
SELECT count(DISTINCT s) FROM (
    SELECT gpu_sum(x ORDER BY md5(x::text || seed)) AS s
    FROM generate_series(1, 5) seed,
         (SELECT exp((i % 200 - 100)::float8) * (1 - i % 2 * 2) AS x
          FROM generate_series(1, 3000) i) v
    GROUP BY seed) orders;
SELECT gpu_sum(x) FROM (VALUES (1e308::float8), (1e308)) v(x);
SELECT gpu_sum(x) FROM (VALUES (3e38::float4), (3e38)) v(x);
SELECT sum(x) FROM (VALUES (1e308::float8), (1e308)) v(x);

-- Types without an overload get PostgreSQL's ordinary error.
\set VERBOSITY terse
SELECT gpu_sum(x) FROM (VALUES ('a'::text)) v(x);
SELECT gpu_sum(d) FROM wa_values;
SELECT gpu_sum(true);
\set VERBOSITY default
