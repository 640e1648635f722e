--
-- gpu_max beside max, over every type that max has.
--
\pset null '(null)'
SET timezone = 'UTC';
SELECT max(i2), gpu_max(i2), max(i4), gpu_max(i4), max(i8), gpu_max(i8) FROM wa_values;
SELECT max(f4), gpu_max(f4), max(f8), gpu_max(f8) FROM wa_values;
SELECT max(d), gpu_max(d), max(t), gpu_max(t) FROM wa_values;
SELECT max(ts), gpu_max(ts), max(tz), gpu_max(tz) FROM wa_values;
SELECT max(m), gpu_max(m), max(o), gpu_max(o) FROM wa_values;
SELECT max(n), gpu_max(n), max(v), gpu_max(v) FROM wa_values;
SELECT max(tt), gpu_max(tt), max(s), gpu_max(s), max(bp), gpu_max(bp) FROM wa_values;
SELECT max(a), gpu_max(a), max(e), gpu_max(e), max(ti), gpu_max(ti) FROM wa_values;
SELECT max(ip), gpu_max(ip), max(lsn) - '0/0' AS max, gpu_max(lsn) - '0/0' AS gpu_max, max(x), gpu_max(x) FROM wa_values;

-- Minimum and maximum of each column, by group and without.
SELECT c.name, d.*
FROM wa_columns c, (VALUES (''), ('id % 3')) g(groups),
     LATERAL wa_differences('min max', name, 'wa_values', groups) d;
-- folded in the backend: for many groups that is quicker
SET warpagg.min_device_rows = 100;
SELECT c.name, d.*
FROM wa_columns c, (VALUES ('grp'), ('grp, id % 3'), ('id % 5000')) g(groups),
     LATERAL wa_differences('min max', name, 'wa_values', groups) d;
SELECT c.name, d.*
FROM wa_columns c,
     LATERAL wa_differences('min max', 'DISTINCT ' || name, 'wa_values', 'grp',
                            'FILTER (WHERE id % 3 = 0)') d;
SELECT c.name, d.*
FROM wa_columns c,
     LATERAL wa_differences('min max', name || ' ORDER BY id DESC', 'wa_values', 'grp') d;
RESET warpagg.min_device_rows;

-- Extremes of each type, alone: the identity of the maximum is not seen.
SELECT max(x), gpu_max(x) FROM (VALUES ('-32768'::int2)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES (-2147483648), (-2147483648)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES (-9223372036854775808)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES (9223372036854775807), (0)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES (0::oid), (3000000000::oid)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES (0::oid)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-infinity'::date)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('infinity'::date), ('-infinity')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-infinity'::timestamp), ('4713-01-01 BC')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('24:00:00'::time), ('00:00')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-92233720368547758.08'::money)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('0'::xid8)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('18446744073709551615'::xid8), ('9223372036854775807')) v(x);
SELECT max(x) - '0/0' AS max, gpu_max(x) - '0/0' AS gpu_max FROM (VALUES ('0/0'::pg_lsn)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('FFFFFFFF/FFFFFFFF'::pg_lsn), ('7FFFFFFF/FFFFFFFF')) v(x);

-- NaN is the largest float; infinities are ordinary.
SELECT max(x), gpu_max(x) FROM (VALUES ('NaN'::float8), (1), ('Infinity')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-Infinity'::float8), ('-Infinity')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-Infinity'::float8), ('-1e308')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('NaN'::float8), ('NaN')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-Infinity'::float8), ('NaN'), (0)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('NaN'::float4), ('3.4e38')) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-Infinity'::float4)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-5e-324'::float8), ('-1e-323')) v(x);

-- Of 0 and -0, which are equal, the built-in keeps the last one, and ours 0.
SELECT max(x), gpu_max(x) FROM (VALUES ('0'::float8), ('-0'), (-1)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-0'::float8), ('0'), (-1)) v(x);
SELECT max(x), gpu_max(x) FROM (VALUES ('-0'::float4), ('0'), ('-0'), (-7)) v(x);
SELECT max(x), gpu_max(x), min(x), gpu_min(x)
FROM (SELECT CASE WHEN i = 8999 THEN '-0'::float8 ELSE 0 END AS x
      FROM generate_series(1, 9000) i) v;
SELECT max(x), gpu_max(x), min(x), gpu_min(x)
FROM (SELECT CASE WHEN i = 9000 THEN '-0'::float8 ELSE 0 END AS x
      FROM generate_series(1, 9000) i) v;

-- Both of one column, and of none.
SELECT min(f8), gpu_min(f8), max(f8), gpu_max(f8), sum(f8), gpu_sum(f8) FROM wa_values;
SELECT min(f8), gpu_min(f8), max(f8), gpu_max(f8) FROM wa_values WHERE false;
SELECT min(x), gpu_min(x), max(x), gpu_max(x) FROM (VALUES (NULL::text), (NULL)) v(x);

-- Types without an overload get PostgreSQL's ordinary error.
\set VERBOSITY terse
SELECT gpu_max(x) FROM (VALUES (true)) v(x);
SELECT gpu_max(x) FROM (VALUES ('{}'::json)) v(x);
\set VERBOSITY default
