--
-- Where results differ from the built-ins' on purpose: docs/numbers.md has these, too.
--
SELECT sum(x ORDER BY x), sum(x ORDER BY x DESC), gpu_sum(x)
FROM (VALUES (0.1::float8), (0.2), (0.3)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (1::float8), (1e100), (1), (-1e100)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (16777216::float4), (1), (1)) v(x);
SELECT var_pop(1e15::float8 + x ORDER BY x), var_pop(1e15::float8 + x ORDER BY -x),
       gpu_var_pop(1e15::float8 + x)
FROM generate_series(1, 1000) x;
SELECT sum(x) FROM (VALUES (1e308::float8), (1e308), (-1e308)) v(x);
SELECT gpu_sum(x) FROM (VALUES (1e308::float8), (1e308), (-1e308)) v(x);
SELECT avg(x) FROM (VALUES (1e200::float8), (3e200)) v(x);
SELECT gpu_avg(x) FROM (VALUES (1e200::float8), (3e200)) v(x);
SELECT sum(x) FROM (VALUES (interval '2147483647 days'), ('1 day'), ('-1 day')) v(x);
SELECT extract(day FROM gpu_sum(x)) AS days
FROM (VALUES (interval '2147483647 days'), ('1 day'), ('-1 day')) v(x);
SELECT int4_sum(9223372036854775807, 1) AS step_of_sum;
