--
-- gpu_min beside min, over every type that min has and we have.
--
\pset null '(null)'
SET timezone = 'UTC';
SELECT min(i2), gpu_min(i2), min(i4), gpu_min(i4), min(i8), gpu_min(i8) FROM wa_values;
SELECT min(f4), gpu_min(f4), min(f8), gpu_min(f8) FROM wa_values;
SELECT min(d), gpu_min(d), min(t), gpu_min(t) FROM wa_values;
SELECT min(ts), gpu_min(ts) FROM wa_values;
SELECT min(tz), gpu_min(tz) FROM wa_values;
SELECT min(m), gpu_min(m), min(o), gpu_min(o) FROM wa_values;

-- Extremes of each type, alone: the identity of the minimum is not seen.
SELECT min(x), gpu_min(x) FROM (VALUES (32767::int2)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES (2147483647), (2147483647)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES (9223372036854775807)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES (-9223372036854775808), (0)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES (4294967295::oid), (3000000000::oid)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES (4294967295::oid)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('infinity'::date)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('infinity'::date), ('-infinity')) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('infinity'::timestamp), ('294276-12-31 23:59:59.999999')) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('24:00:00'::time)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('92233720368547758.07'::money)) v(x);

-- NaN is the largest float; infinities are ordinary.
SELECT min(x), gpu_min(x) FROM (VALUES ('NaN'::float8), (1), ('Infinity')) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('NaN'::float8), ('Infinity')) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('Infinity'::float8), ('Infinity')) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('NaN'::float8), ('NaN')) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('-Infinity'::float8), ('NaN'), (0)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('NaN'::float4), ('3.4e38')) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('Infinity'::float4)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('NaN'::float4)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('5e-324'::float8), ('1e-323')) v(x);

-- Of 0 and -0, which are equal, the built-in keeps the last one, and ours 0.
SELECT min(x), gpu_min(x) FROM (VALUES ('0'::float8), ('-0'), (1)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('-0'::float8), ('0'), (1)) v(x);
SELECT min(x), gpu_min(x) FROM (VALUES ('-0'::float4), ('0'), ('-0'), (7)) v(x);
SELECT min(x), gpu_min(x)
FROM (SELECT CASE WHEN i = 8999 THEN '-0'::float8 ELSE 0 END AS x
      FROM generate_series(1, 9000) i) v;
SELECT min(x), gpu_min(x)
FROM (SELECT CASE WHEN i = 9000 THEN '-0'::float8 ELSE 0 END AS x
      FROM generate_series(1, 9000) i) v;

-- An index serves gpu_min as it serves min.
CREATE INDEX wa_values_i4 ON wa_values (i4);
SET enable_seqscan = off;
SELECT wa_plan($$SELECT gpu_min(i4) FROM wa_values$$);
SELECT min(i4), gpu_min(i4) FROM wa_values;
RESET enable_seqscan;
DROP INDEX wa_values_i4;

-- Types without an overload get PostgreSQL's ordinary error.
\set VERBOSITY terse
SELECT gpu_min(x) FROM (VALUES (true)) v(x);
\set VERBOSITY default
