--
-- The whole family over numeric: scales, magnitudes, special values.
--
\pset null '(null)'
-- Sets of up to 17 groups.  Within a set each value has its own scale, each group
-- its own, or all values the same.
CREATE TABLE wa_numerics (kind text, id integer, grp integer, x numeric);
INSERT INTO wa_numerics
SELECT k.kind, i, i % 17, k.x
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h FROM generate_series(1, 600) i) s,
     LATERAL (VALUES
        ('integers', (h - 2147483648)::numeric),
        ('cents', (h - 2147483648) * 0.01),
        ('scale by group', (h - 2147483648) * ('1e-' || i % 17)::numeric),
        ('scale by row', (h - 2147483648) * ('1e-' || i % 41)::numeric),
        ('zeros', ('0e-' || i % 41)::numeric),
        ('equal', round(7.5, i % 9 + 1)),
        ('equal by group', round(i % 17 / 8.0, 3 + i % 5)),
        ('constrained', (h % 1000000 / 100.0)::numeric(12, 2)),
        ('powers of ten', ('1e' || h % 60 - 30)::numeric * (1 - i % 2 * 2)),
        ('base ten thousand', ((ARRAY[9999, 10000, 10001, 99999999, 100000000, 0.0001,
                                      0.9999, 0.00009999, 9999.9999])[1 + h % 9])),
        ('near 2^63', (h % 2 * 2 - 1) * (9223372036854775807 - h % 1000)),
        ('above 2^63', 9223372036854775807 - h % 3::numeric),
        ('above 2^63 scaled', (9223372036854775807 - h % 3::numeric) * ('1e-' || i % 17)::numeric),
        ('near 2^95', (h % 2 * 2 - 1) * (39614081257132168796771975168 - h % 5::numeric)),
        ('near 2^127', (h % 2 * 2 - 1) * (170141183460469231731687303715884105727 - h % 5::numeric)),
        ('above 2^127', 170141183460469231731687303715884105727 - h % 5::numeric),
        ('below -2^127', h % 5::numeric - 170141183460469231731687303715884105728),
        ('above 2^127 scaled', (170141183460469231731687303715884105727 - h % 5::numeric) * 1e-20),
        ('cancelling', CASE i % 34 / 17 WHEN 0 THEN 1 ELSE -1 END * (i / 34 + 0.123456789) * 1e25),
        ('narrow, then wide', CASE WHEN i < 500 THEN h % 1000 * 0.01 ELSE h * 1e30 END),
        ('wide, then narrow', CASE WHEN i > 100 THEN h % 1000 * 0.01 ELSE h * 1e30 END),
        ('integers, then scaled', CASE WHEN i < 500 THEN h ELSE h * 1e-12 END),
        ('1000 digits', repeat('1234567890', 100)::numeric * (h % 7 - 3::numeric)),
        ('1000 decimals', ('0.' || repeat('0123456789', 100))::numeric * (h % 7 - 3::numeric)),
        ('1000 digits, few', CASE WHEN i % 100 = 0 THEN repeat('9', 1000)::numeric ELSE h * 0.001 END),
        ('NaN, few', CASE WHEN i % 51 = 0 THEN 'NaN' ELSE h * 0.001 END),
        ('infinity, few', CASE WHEN i % 51 = 0 THEN 'Infinity' ELSE h * 0.001 END),
        ('special, some', CASE i % 23 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity'
                          ELSE h * ('1e-' || i % 5)::numeric END),
        ('special, all', (ARRAY['NaN', 'Infinity', '-Infinity'])[1 + h % 3]::numeric),
        ('NULL by group', CASE WHEN i % 17 > 0 THEN h * 0.1 END),
        ('NULL', NULL)) AS k(kind, x);
-- so that NULLs are everywhere
UPDATE wa_numerics SET x = NULL WHERE id % 29 = 0;
ANALYZE wa_numerics;

CREATE FUNCTION wa_numeric_differences(functions text, argument text DEFAULT 'x')
RETURNS TABLE (function text, grp text, builtin text, gpu text) LANGUAGE sql AS $$
    SELECT d.function, d.grp, left(builtin, 100), left(gpu, 100)
    FROM (VALUES ('kind'), ('kind, grp'), ('kind, id % 150')) g(groups),
         LATERAL wa_differences(functions, argument, 'wa_numerics', groups) d
    UNION ALL
    SELECT d.function, kind, left(builtin, 100), left(gpu, 100)
    FROM (SELECT DISTINCT kind FROM wa_numerics) k,
         LATERAL wa_differences(functions, argument,
                                format('wa_numerics WHERE kind = %L', kind)) d
$$;
\set all 'sum avg min max count var_pop var_samp variance stddev_pop stddev_samp stddev'

-- In the order of rows.
SET max_parallel_workers_per_gather = 0;
SET enable_sort = off;
SET warpagg.min_device_rows = 0;
SELECT k.kind, f.functions, left(builtin, 100), left(gpu, 100)
FROM (SELECT DISTINCT kind FROM wa_numerics) k,
     (VALUES (:'all'), ('sum avg count'), ('min'), ('max sum')) f(functions),
     LATERAL wa_differences(functions, 'x', format('wa_numerics WHERE kind = %L', kind)) d;
SET warpagg.buffer_memory = '64kB';
SELECT * FROM wa_differences(:'all', 'x', 'wa_numerics', 'kind');
RESET warpagg.buffer_memory;
-- folded in the backend: for so many groups that is quicker
SET warpagg.min_device_rows = 1000;
SELECT * FROM wa_numeric_differences(:'all');
RESET enable_sort;
SET enable_hashagg = off;
SELECT * FROM wa_numeric_differences(:'all');
RESET enable_hashagg;
-- each by itself, whose state may hold less
SELECT d.*
FROM string_to_table(:'all', ' ') AS f(name),
     LATERAL wa_differences(name, 'x', 'wa_numerics', 'kind, grp') d;
-- (which of equal ones DISTINCT keeps is open)
SELECT * FROM wa_numeric_differences(:'all', 'DISTINCT trim_scale(x)');
SELECT * FROM wa_numeric_differences(:'all', 'x ORDER BY id DESC');
SELECT * FROM wa_numeric_differences(:'all', '-x');
SELECT * FROM wa_differences(:'all', 'x::numeric(20, 3)', 'wa_numerics WHERE abs(x) < 1e15', 'kind');

-- In parallel.
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT kind, gpu_sum(x) FROM wa_numerics GROUP BY kind;
SELECT * FROM wa_numeric_differences('sum avg count var_pop var_samp variance stddev_pop stddev_samp stddev');
SELECT * FROM wa_numeric_differences('min max', 'trim_scale(x)');
SELECT kind FROM wa_numerics GROUP BY kind
HAVING min(x) <> gpu_min(x) OR max(x) <> gpu_max(x);
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Sums of squares that fit 192 bits, but not both together in the finer scale.
CREATE TABLE wa_squares (part integer, x numeric) PARTITION BY LIST (part);
CREATE TABLE wa_squares_0 PARTITION OF wa_squares FOR VALUES IN (0);
CREATE TABLE wa_squares_1 PARTITION OF wa_squares FOR VALUES IN (1);
INSERT INTO wa_squares VALUES
    (0, -18221.5), (0, 17331.5), (0, 28096e36), (0, 10338.1666666666666667), (0, -8088.5),
    (0, -0.00299693333333333333), (0, -10600.5), (0, 5149e25),
    (1, 30111.833333333333), (1, -25579.5), (1, 28753.833333333333), (1, 15998.833333333333),
    (1, -0.000000194836666666666667);
ANALYZE wa_squares;
SET enable_partitionwise_aggregate = on;
EXPLAIN (COSTS OFF) SELECT gpu_var_pop(x) = var_pop(x) AS equal FROM wa_squares;
SELECT gpu_var_pop(x) = var_pop(x) AS equal FROM wa_squares;
RESET enable_partitionwise_aggregate;
DROP TABLE wa_squares;

-- The display scale of a sum is the largest among its finite values.
SELECT sum(x), gpu_sum(x), max(x), gpu_max(x) FROM (VALUES (1.10), (2.2000), (0.7)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (0.000), (0), (0.0)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (1.50), (-1.5)) v(x);
SELECT sum(x), gpu_sum(x) FROM (VALUES (170141183460469231731687303715884105727), (1.0)) v(x);
SELECT sum(x), gpu_sum(x), avg(x), gpu_avg(x) FROM (VALUES (1.00), ('Infinity'), (2.0)) v(x);
SELECT sum(x), gpu_sum(x), avg(x), gpu_avg(x) FROM (VALUES ('-Infinity'::numeric), ('Infinity')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('NaN'::numeric), ('Infinity'), ('-Infinity'), (0)) v(x);
-- Of equal values the built-in keeps the last one, and ours that with the most digits.
SELECT min(x), gpu_min(x), max(x), gpu_max(x) FROM (VALUES (1.0), (1.000), (1.00)) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x) FROM (VALUES (-0.00), (0), (0.0)) v(x);

-- The limits of the type: the same errors, or results.
CREATE FUNCTION wa_numeric_outcomes(functions text, argument text, source text)
RETURNS TABLE (function text, equal boolean, outcome text) LANGUAGE sql AS $$
    SELECT function, builtin = gpu,
           CASE WHEN builtin = gpu OR gpu LIKE 'ERROR%' THEN left(gpu, 60) ELSE md5(gpu) END
    FROM wa_outcomes(functions, argument, source)
$$;
SELECT * FROM wa_numeric_outcomes('sum avg count min', '9e131071::numeric', 'generate_series(1, 2)');
SELECT * FROM wa_numeric_outcomes('sum avg', '9e131071::numeric * (1 - 2 * (x % 2))', 'generate_series(1, 4) x');
SELECT * FROM wa_numeric_outcomes('sum avg var_pop stddev', 'x * 1e20000::numeric', 'generate_series(1, 3) x');
SELECT * FROM wa_numeric_outcomes('sum avg var_pop stddev', 'x * 1e-16383::numeric', 'generate_series(1, 3) x');
SELECT * FROM wa_numeric_outcomes('sum avg var_pop stddev', 'x * 1e-500::numeric', 'generate_series(1, 3) x');
DROP FUNCTION wa_numeric_outcomes, wa_numeric_differences;
DROP TABLE wa_numerics;
