--
-- Empty input, NULLs, one row, and sizes around those of the buffers.
--
\pset null '(null)'
SELECT sum(i4), gpu_sum(i4), min(i4), gpu_min(i4) FROM wa_values WHERE false;
SELECT sum(f8), gpu_sum(f8), min(f8), gpu_min(f8) FROM wa_values WHERE false;
SELECT sum(i8), gpu_sum(i8), min(m), gpu_min(m) FROM wa_values WHERE i8 IS NULL AND m IS NULL;
SELECT sum(x), gpu_sum(x), min(x), gpu_min(x) FROM (VALUES (NULL::int4)) v(x);
SELECT sum(x), gpu_sum(x), min(x), gpu_min(x) FROM (VALUES (NULL::float8), (NULL)) v(x);
SELECT sum(x), gpu_sum(x), min(x), gpu_min(x) FROM (VALUES (NULL::int8), (7), (NULL)) v(x);
SELECT sum(x), gpu_sum(x), min(x), gpu_min(x) FROM (VALUES (7.5::float4)) v(x);
SELECT gpu_sum(NULL::int4), gpu_min(NULL::date);

-- Buffers grow from 4 values of 8 bytes to 131072: rows around each size.
SELECT n,
       (SELECT sum(x) = gpu_sum(x) AND min(x) = gpu_min(x)
        FROM generate_series(-5, n - 6) x) AS int8_equal,
       (SELECT sum(x::int4) = gpu_sum(x::int4) AND min(x::int4) = gpu_min(x::int4)
        FROM generate_series(-5, n - 6) x) AS int4_equal,
       (SELECT sum(x::float8) = gpu_sum(x::float8) AND min(x::float8) = gpu_min(x::float8)
        FROM generate_series(-5, n - 6) x) AS float8_equal
FROM (VALUES (1::bigint), (2), (3), (4), (5), (7), (8), (9), (15), (16), (17),
             (63), (64), (65), (255), (256), (257), (1023), (1024), (1025),
             (4096), (4097), (16385), (65536), (65537), (131071), (131072),
             (131073), (262145)) v(n)
ORDER BY n;
SELECT sum((x % 1000)::int2) = gpu_sum((x % 1000)::int2),
       min((x % 1000)::int2) = gpu_min((x % 1000)::int2)
FROM generate_series(1, 524289) x;
