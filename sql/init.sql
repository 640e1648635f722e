--
-- The extension and the tables that the other tests read.
--
CREATE EXTENSION warpagg;

-- The aggregates that exist, with their result types, beside the built-ins'.
-- Every gpu_ overload has a built-in twin with the same result type.
SELECT g.oid::regprocedure AS aggregate,
       g.prorettype::regtype AS result,
       b.prorettype = g.prorettype AS same_as_builtin
FROM pg_proc g
LEFT JOIN pg_proc b
    ON b.proname = substr(g.proname, 5)
    AND b.prokind = 'a'
    AND b.proargtypes = g.proargtypes
    AND b.pronamespace = 'pg_catalog'::regnamespace
WHERE g.prokind = 'a' AND g.proname LIKE 'gpu\_%'
ORDER BY g.proname, g.proargtypes[0];

-- Every type, with NULLs in each column and at different rows.  The floats are
-- multiples of 1/4 whose sums are exact in any order, so that the built-ins
-- can be compared with.
CREATE TABLE wa_values (
    id integer,
    grp integer,
    i2 smallint,
    i4 integer,
    i8 bigint,
    f4 real,
    f8 double precision,
    d date,
    t time,
    ts timestamp,
    tz timestamptz,
    m money,
    o oid
);

INSERT INTO wa_values
SELECT i,
       h % 17,
       CASE WHEN h % 11 <> 0 THEN (h % 65536 - 32768)::smallint END,
       CASE WHEN h % 13 <> 0 THEN (h - 2147483648)::integer END,
       CASE WHEN h % 7 <> 0 THEN (h - 2147483648) * 4000000007 END,
       CASE WHEN h % 5 <> 0 THEN ((h % 2000 - 1000) * 0.25)::real END,
       CASE WHEN h % 3 <> 0 THEN (h % 2000001 - 1000000) * 0.25::float8 END,
       CASE WHEN h % 19 <> 0 THEN date '2001-01-01' + (h % 20000 - 10000)::integer END,
       CASE WHEN h % 23 <> 0 THEN time '00:00' + (h % 86400) * interval '1 second' END,
       CASE WHEN h % 29 <> 0 THEN timestamp '2001-01-01' + (h - 2147483648) * interval '1 second' END,
       CASE WHEN h % 31 <> 0 THEN timestamptz '2001-01-01 00:00+00' + (h - 2147483648) * interval '1 second' END,
       CASE WHEN h % 37 <> 0 THEN ((h - 2147483648) / 100.0)::numeric::money END,
       CASE WHEN h % 41 <> 0 THEN h::oid END
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h
      FROM generate_series(1, 20000) i) s;
ANALYZE wa_values;
