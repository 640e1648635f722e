--
-- Types that are not numbers: text and its collations, arrays, enums, addresses,
-- dates and times, money, and what else has an order.
--
\pset null '(null)'
SET max_parallel_workers_per_gather = 0;
SET warpagg.min_device_rows = 100;

-- Text under each of several collations, as far as the machine has them.  Those
-- that take 'a' and 'A' for equal tell which of equal ones is kept.
CREATE TABLE wa_words AS
SELECT i AS id, i % 7 AS grp,
       (ARRAY['', 'a', 'A', 'b', 'B', ' a', 'a ', 'ab', 'a-b', 'AB', 'co-op', 'coop', 'Coop', 'z', 'Z',
              'é', 'e', 'E', 'É', 'ä', 'zebra', 'äpfel', '_', '~', '1', '10', '9',
              repeat('x', 3000), repeat('x', 3000) || 'y', NULL])[1 + (i * 31 + i / 30) % 30] AS x
FROM generate_series(1, 900) i;
CREATE FUNCTION wa_collation_differences()
RETURNS TABLE (collation_name text, type text, function text, grp text, builtin text, gpu text)
LANGUAGE plpgsql AS $$
DECLARE
    tried text[] := '{}';
    name text;
BEGIN
    BEGIN
        CREATE COLLATION wa_any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    EXCEPTION WHEN OTHERS THEN
        NULL;
    END;
    FOREACH name IN ARRAY ARRAY['C', 'POSIX', 'default', 'ucs_basic', 'und-x-icu', 'de-x-icu',
                                'sv-x-icu', 'C.utf8', 'en_US.utf8', 'wa_any_case'] LOOP
        BEGIN
            EXECUTE format('SELECT ''a'' < ''b'' COLLATE %I', name);
        EXCEPTION WHEN OTHERS THEN
            CONTINUE;
        END;
        tried := tried || name;
        RETURN QUERY
            SELECT name, types.type, d.*
            FROM (VALUES ('text'), ('varchar'), ('bpchar'), ('char(5)')) types(type),
                 (VALUES (''), ('grp'), ('id')) g(groups),
                 LATERAL wa_differences('min max count',
                                        format('x::%s COLLATE %I', types.type, name),
                                        'wa_words', groups) d;
    END LOOP;
    IF NOT tried @> '{C,POSIX,default}' THEN
        RETURN QUERY SELECT 'too few', NULL, NULL, NULL, NULL, NULL;
    END IF;
    DROP COLLATION IF EXISTS wa_any_case;
END
$$;
SET client_min_messages = warning;
SELECT collation_name, type, function, grp, left(builtin, 40), left(gpu, 40)
FROM wa_collation_differences();
RESET client_min_messages;
DROP FUNCTION wa_collation_differences;
SELECT min(x COLLATE "C"), gpu_min(x COLLATE "C"), max(x COLLATE "C"), gpu_max(x COLLATE "C")
FROM wa_words;
SELECT grp, length(max(x)), length(gpu_max(x)) FROM wa_words
WHERE x LIKE 'x%' GROUP BY grp ORDER BY grp;
-- equal but for trailing blanks: the one with the fewest is kept
SELECT octet_length(min(x)), octet_length(gpu_min(x)), octet_length(max(x)), octet_length(gpu_max(x))
FROM (VALUES ('a '::bpchar), ('a'::bpchar), ('a   '::bpchar)) v(x);
-- a collation is derived as for the built-in, and its lack is the same error
CREATE TABLE wa_collated (a text COLLATE "C", b text COLLATE "POSIX");
INSERT INTO wa_collated VALUES ('a', 'b'), ('B', 'A'), ('c', 'C');
SELECT * FROM wa_differences('min max count', 'a', 'wa_collated');
SELECT function, builtin = gpu AS same, gpu FROM wa_outcomes('min max', 'a || b', 'wa_collated');
SELECT function, builtin = gpu AS same, gpu
FROM wa_outcomes('min max', 'ARRAY[a || b]', 'wa_collated');
SELECT function, builtin = gpu AS same, gpu
FROM wa_outcomes('count', 'a || b', 'wa_collated');
DROP TABLE wa_collated;

-- An enum is in the order of its labels, not of their creation.
SELECT enum_range(NULL::wa_level), min(e), gpu_min(e), max(e), gpu_max(e) FROM wa_values;
SELECT * FROM wa_differences('min max count', 'e', 'wa_values', 'grp');
SELECT * FROM wa_differences('min max count', 'e', 'wa_values', 'id');
CREATE TYPE wa_new AS ENUM ('a', 'b');
CREATE TABLE wa_new_values (x wa_new);
INSERT INTO wa_new_values VALUES ('b'), ('a');
SELECT gpu_min(x), gpu_max(x) FROM wa_new_values;
ALTER TYPE wa_new ADD VALUE 'c' BEFORE 'a';
ALTER TYPE wa_new ADD VALUE 'd' BEFORE 'b';
INSERT INTO wa_new_values VALUES ('c'), ('d');
SELECT min(x), gpu_min(x), max(x), gpu_max(x) FROM wa_new_values;
SELECT min(x), gpu_min(x), max(x), gpu_max(x) FROM wa_new_values WHERE x IN ('d', 'a');
DROP TABLE wa_new_values;
DROP TYPE wa_new;

-- Arrays of anything that has an order.
CREATE FUNCTION wa_array_differences(type text, element text)
RETURNS TABLE (function text, grp text, builtin text, gpu text) LANGUAGE sql AS $$
    SELECT d.*
    FROM (VALUES (''), ('id % 20'), ('id')) g(groups),
         LATERAL wa_differences('min max count', format('x::%s[]', type), format(
            '(SELECT id, CASE WHEN id %% 11 > 0 THEN (ARRAY[%s, NULL, %1$s])[1:id %% 4] END AS x
              FROM wa_values WHERE id <= 1000) v', element), groups) d
$$;
SELECT a.*, d.*
FROM (VALUES ('integer', 'i4'), ('smallint', 'i2'), ('bigint', 'i8'), ('text', 's'), ('numeric', 'n'),
             ('numeric', 'round(id % 3, id % 4)'), ('float8', 'f8'), ('float8', '(id % 3 - 1) * 0::float8'),
             ('date', 'd'), ('interval', 'v'), ('inet', 'ip'), ('wa_level', 'e'), ('uuid', 'NULL'),
             ('boolean', 'id % 3 = 0'), ('bpchar', 'bp'), ('timetz', 'tt')) a(type, element),
     LATERAL wa_array_differences(a.type, a.element) d;
DROP FUNCTION wa_array_differences;
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('{}'::integer[]), ('{NULL}'), ('{{1,2},{3,4}}'), ('{1,2,3}'), ('[0:1]={1,2}'), (NULL)) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('{1.0}'::numeric[]), ('{1.000}'), ('{1.00}')) v(x);
SELECT function, builtin = gpu AS same, gpu
FROM wa_outcomes('min', 'x', '(VALUES (ARRAY[point ''(1,2)'']), (ARRAY[point ''(1,2)''])) v(x)');

-- Addresses, of both families, with and without masks; cidr is taken as inet.
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('10.1.2.3/8'::inet), ('10.1.2.3'), ('10.0.0.0/8'), ('9.255.255.255'), ('::ffff:1.2.3.4'), ('::/0'), ('0.0.0.0/0')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x), pg_typeof(min(x)) = pg_typeof(gpu_min(x)) AS same_type
FROM (VALUES ('10.0.0.0/8'::cidr), ('10.1.0.0/16'), ('2001:db8::/32')) v(x);
SELECT * FROM wa_differences('min max count', 'ip', 'wa_values WHERE family(ip) = 4', 'grp');
SELECT * FROM wa_differences('min max count', 'ip', 'wa_values WHERE family(ip) = 6', 'grp');

-- Extremes and infinities.
SET timezone = 'UTC';
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('(0,0)'::tid), ('(4294967295,65535)'), ('(4294967295,0)'), ('(1,2)')) v(x);
SELECT min(x) - '0/0' AS min, gpu_min(x) - '0/0' AS gpu_min, max(x), gpu_max(x)
FROM (VALUES ('0/0'::pg_lsn), ('FFFFFFFF/FFFFFFFF'), ('80000000/0'), ('7FFFFFFF/FFFFFFFF')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('9223372036854775808'::xid8), ('9223372036854775807'), ('18446744073709551615'), ('3')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES (4294967295::oid), (2147483648::oid), (2147483647), (0)) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('00:00+15:59'::timetz), ('24:00-15:59'), ('12:00+00'), ('13:00+01'), ('11:00-01')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('00:00'::time), ('24:00'), ('23:59:59.999999')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('infinity'::date), ('-infinity'), ('4713-01-01 BC'), ('5874897-12-31')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('4713-01-01 BC'::date), ('5874897-12-31')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('infinity'::timestamp), ('-infinity'), ('294276-12-31 23:59:59.999999')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x)
FROM (VALUES ('infinity'::timestamptz), ('294276-12-31 23:59:59.999999+00'), ('4713-01-01 00:00+00 BC')) v(x);
SELECT min(x), gpu_min(x), max(x), gpu_max(x), sum(x), gpu_sum(x)
FROM (VALUES ('92233720368547758.07'::money), ('-92233720368547758.08'), ('-0.01')) v(x);

-- What is cast to a type of the family is taken as it is by the built-ins: names,
-- catalog references, domains.
SELECT function, builtin = gpu AS same, gpu FROM wa_outcomes('min max count', 'x', '(VALUES (''b''::name), (''a'')) v(x)');
SELECT function, builtin = gpu AS same FROM wa_outcomes('min max count', 'oid::regclass', 'pg_class');
SELECT function, builtin = gpu AS same, gpu FROM wa_outcomes('min max count', 'NULL::text', 'generate_series(1, 2)');
SELECT function, builtin = gpu AS same, gpu FROM wa_outcomes('min max count', '''z''', 'generate_series(1, 2)');
CREATE DOMAIN wa_short AS text CHECK (length(VALUE) < 10);
CREATE DOMAIN wa_pair AS integer[] CHECK (cardinality(VALUE) = 2);
SELECT * FROM wa_differences('min max count', 's::wa_short', 'wa_values', 'grp');
SELECT * FROM wa_differences('min max count', 'a::wa_pair', 'wa_values', 'grp');
DROP DOMAIN wa_short, wa_pair;

-- Results outlive the rows they came from: groups that are kept, cursors, joins.
CREATE TABLE wa_kept AS
SELECT grp, gpu_max(x) AS most, gpu_min(x) AS least FROM wa_words GROUP BY grp;
SELECT k.grp FROM wa_kept k JOIN (SELECT grp, max(x) AS most, min(x) AS least FROM wa_words GROUP BY grp) b
    ON b.grp = k.grp WHERE (k.most, k.least) IS DISTINCT FROM (b.most, b.least);
DROP TABLE wa_kept;
BEGIN;
DECLARE wa_cursor SCROLL CURSOR FOR
SELECT grp, gpu_max(x COLLATE "C") AS most, gpu_min(x COLLATE "C") AS least FROM wa_words
WHERE length(x) BETWEEN 1 AND 5 GROUP BY grp ORDER BY grp;
FETCH 1 FROM wa_cursor;
SELECT gpu_max(repeat(x, 10) COLLATE "C") = max(repeat(x, 10) COLLATE "C") AS equal FROM wa_words;
FETCH 1 FROM wa_cursor;
COMMIT;

-- All columns in parallel; ties aside, which wa_values has in intervals only.
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT gpu_min(s), gpu_max(a), gpu_max(e) FROM wa_values;
SELECT c.name, d.*
FROM wa_columns c, (VALUES (''), ('grp'), ('id % 3000')) g(groups),
     LATERAL wa_differences('min max count', name, 'wa_values', groups) d
WHERE name <> 'v';
SELECT c.name, d.*
FROM wa_columns c, LATERAL wa_differences('min max count', name, 'wa_values WHERE id < 0') d;
DROP TABLE wa_words;
