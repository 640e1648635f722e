--
-- Inputs of no rows, one, two, and about as many as a buffer holds, for each type
-- and function.
--
\pset null '(null)'
SET max_parallel_workers_per_gather = 0;
-- Values made from the number i of a row; the bytes that one takes in a buffer, 8
-- where it has none; floats whose sums are exact, so that the built-ins' are.
CREATE TABLE wa_types (type text, bytes integer, value text, functions text);
INSERT INTO wa_types VALUES
    ('int2', 2, '(i % 1000 - 500)::int2', 'sum avg min max count variance stddev_pop'),
    ('int4', 4, '(i % 1000 - 500) * 4000000 + i', 'sum avg min max count variance stddev_pop'),
    ('int8', 8, '(i % 1000 - 500) * 18000000000000000 + i', 'sum avg min max count variance stddev_pop'),
    ('numeric', 8, '(i % 1000 - 500) * 0.001 + i', 'sum avg min max count variance stddev_pop'),
    ('numeric wide', 16, '(i % 1000 - 500) * 1e20 + i', 'sum avg min max count'),
    ('numeric wide, squared', 16, '(i % 1000 - 500) * 1e20 + i', 'sum avg min max count variance stddev_pop'),
    ('numeric long', 8, '(i % 1000 - 500) * 1e50 + i', 'sum avg min max count variance stddev_pop'),
    ('float4', 4, '((i % 1000 - 500) * 0.25)::float4', 'sum avg min max count'),
    ('float8', 8, '((i % 1000 - 500) * 0.25)::float8', 'sum avg min max count'),
    ('money', 8, '((i % 1000 - 500) * 0.01)::money', 'sum min max count'),
    ('interval', 16, 'make_interval(days => (i % 1000)::integer - 500, secs => i)', 'sum avg min max count'),
    ('oid', 4, '(i * 4194304 % 4294967296)::oid', 'min max count'),
    ('date', 4, 'date ''2000-01-01'' + (i % 1000)::integer', 'min max count'),
    ('time', 8, 'time ''00:00'' + i * interval ''7 seconds''', 'min max count'),
    ('timetz', 8, '(time ''00:00'' + i * interval ''7 seconds'')::timetz', 'min max count'),
    ('timestamp', 8, 'timestamp ''2000-01-01'' + i * interval ''7 seconds''', 'min max count'),
    ('timestamptz', 8, 'timestamptz ''2000-01-01 00:00+00'' + i * interval ''7 seconds''', 'min max count'),
    ('text', 8, 'md5(i::text)', 'min max count'),
    ('bpchar', 8, 'md5(i::text)::char(10)', 'min max count'),
    ('anyarray', 8, 'ARRAY[i % 100, i]', 'min max count'),
    ('anyenum', 4, '(enum_range(NULL::wa_level))[1 + i % 5]', 'min max count'),
    ('tid', 8, 'format(''(%s,%s)'', i % 100, i % 1000)::tid', 'min max count'),
    ('inet', 8, '''10.0.0.0''::inet + i', 'min max count'),
    ('pg_lsn', 8, '''0/0''::pg_lsn + i * 9007199254740993::numeric % 18446744073709551616', 'min max count'),
    ('xid8', 8, '(i * 9007199254740993::numeric % 18446744073709551616)::text::xid8', 'min max count');

-- Compares over so many values, without NULLs and with every tenth row one.
CREATE FUNCTION wa_size_differences(value text, functions text, size integer)
RETURNS TABLE (nulls boolean, function text, grp text, builtin text, gpu text) LANGUAGE sql AS $$
    SELECT false, d.* FROM wa_differences(functions, 'x', format(
        '(SELECT %s AS x FROM generate_series(1::int8, %s) i) v', value, size)) d
    UNION ALL
    SELECT true, d.* FROM wa_differences(functions, 'x', format(
        '(SELECT CASE WHEN i %% 10 > 0 THEN %s END AS x FROM generate_series(1::int8, %s) i) v',
        value, size + greatest(size - 1, 0) / 9)) d
$$;
CREATE FUNCTION wa_small_differences()
RETURNS TABLE (type text, size integer, nulls boolean, function text, grp text, builtin text, gpu text)
LANGUAGE sql AS $$
    SELECT t.type, size, d.*
    FROM (SELECT *, 16384 / bytes AS full_buffer FROM wa_types) t,
         -- before there is a buffer, and about as many as fill one
         LATERAL unnest(ARRAY[0, 1, 2, 255, 256, 257]
                        || ARRAY[full_buffer - 1, full_buffer, full_buffer + 1]
                        || ARRAY[256 + full_buffer - 1, 256 + full_buffer,
                                 256 + full_buffer + 1]) size,
         LATERAL wa_size_differences(t.value, t.functions, size) d
$$;
-- folded in the backend
SET warpagg.min_device_rows = 65536;
SELECT * FROM wa_small_differences();
-- each buffer to the device process
SET warpagg.min_device_rows = 0;
SELECT * FROM wa_small_differences();
-- no memory for buffers
SET warpagg.buffer_memory = '64kB';
SELECT * FROM wa_small_differences();
RESET warpagg.buffer_memory;

-- The buffers that devices take, for one type of each storage.
SELECT t.type, size, d.*
FROM wa_types t, LATERAL unnest(ARRAY[1048576 / bytes - 1, 1048576 / bytes]) size,
     LATERAL wa_differences(replace(functions, ' stddev_pop', ''), 'x', format(
        '(SELECT %s AS x FROM generate_series(1::int8, %s) i) v', value, size)) d
WHERE type IN ('int8', 'float8');
SELECT t.type, d.*
FROM wa_types t,
     LATERAL wa_differences(replace(functions, ' variance stddev_pop', ''), 'x', format(
        '(SELECT CASE WHEN i %% 10 > 0 THEN %s END AS x FROM generate_series(1::int8, %s) i) v',
        value, 1048576 / bytes + 1 + 1048576 / bytes / 9)) d
WHERE type IN ('int2', 'int4', 'int8', 'float4', 'float8', 'oid', 'xid8', 'numeric', 'numeric wide');
RESET warpagg.min_device_rows;

-- The grouped states of a query, small and about as large as when they get a
-- buffer and when that is full.
SELECT t.type, d.*
FROM wa_types t,
     LATERAL wa_differences(functions, 'x', format(
        '(SELECT g, %s AS x FROM generate_series(1::int8, 40) g, LATERAL generate_series(1::int8, g) i) v',
        value), 'g') d;
SET enable_sort = off;
SELECT t.type, d.*
FROM wa_types t,
     LATERAL wa_differences(functions, 'x', format(
        '(SELECT g, %s AS x FROM unnest(ARRAY[2047, 2048, 2049, 2048 + %s - 1, 2048 + %2$s, 2048 + %2$s + 1]) g,
                 LATERAL generate_series(1::int8, g) i) v',
        value, 1024 / bytes), 'g') d;
RESET enable_sort;
DROP FUNCTION wa_small_differences, wa_size_differences;
DROP TABLE wa_types;
