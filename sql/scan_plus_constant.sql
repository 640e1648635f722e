--
-- Aggregates over x + c and x - c are told from what the node keeps of x, if c is a
-- constant: results and errors are PostgreSQL's.  c - x and -x have columns of their own.
--
\pset null '(null)'
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
SET jit = off;

CREATE TABLE wa_shifted AS
SELECT i AS id, (i % 10)::integer AS grp,
       CASE WHEN i % 7 <> 0 AND i % 10 <> 3 THEN (i * 7919::bigint % 2560 - 1000)::smallint END AS i2,
       CASE WHEN i % 5 <> 0 THEN (i * 48271::bigint % 2000003 - 999999)::integer END AS i4,
       CASE WHEN i % 3 <> 0 THEN i * 4000000007::bigint - 9000000000000 END AS i8,
       (i * 31::bigint % 5003)::integer AS many,
       i % 4 = 1 AS b
FROM generate_series(1, 20000) i;
-- The values at the edges of the types, each in a group of its own.
CREATE TABLE wa_edges (id integer, i2 smallint, i4 integer, i8 bigint);
INSERT INTO wa_edges VALUES (1, 32767, 2147483647, 9223372036854775807), (2, -32768, -2147483648, -9223372036854775808),
    (3, 0, 0, 0), (4, NULL, NULL, NULL), (5, 32766, 2147483646, 9223372036854775806),
    (6, -32767, -2147483647, -9223372036854775807), (7, 100, 100, 100);
ANALYZE wa_shifted, wa_edges;

-- What a query returns, as text, or the error that it raises.
CREATE FUNCTION wa_outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT string_agg(q::text, e''\n'' ORDER BY q::text) FROM (%s) q', query) INTO result;
    RETURN result;
EXCEPTION WHEN data_exception THEN
    RETURN 'ERROR ' || SQLSTATE || ': ' || SQLERRM;
END
$$;
-- Runs a query with the node, and says how many columns that aggregates, what it
-- returns, and how that differs from what it returns without.
CREATE FUNCTION wa_shift(query text, OUT columns bigint, OUT outcome text, OUT difference text)
LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
    off text;
BEGIN
    EXECUTE 'EXPLAIN (VERBOSE, FORMAT json) ' || query INTO plan;
    columns := jsonb_path_query_first(plan, '$.**."Aggregated Columns"');
    outcome := wa_outcome(query);
    SET LOCAL warpagg.enable_scan = off;
    off := wa_outcome(query);
    SET LOCAL warpagg.enable_scan = on;
    IF outcome IS DISTINCT FROM off THEN
        difference := format('%s: %s is not %s', query, outcome, off);
    END IF;
END
$$;
-- The same of many queries: how many there were, how many of them raised an error,
-- and the first difference.
CREATE FUNCTION wa_shift_all(queries text[], OUT queries bigint, OUT columns bigint, OUT errors bigint, OUT difference text)
LANGUAGE sql AS $$
    SELECT count(*), sum(s.columns), count(*) FILTER (WHERE s.outcome LIKE 'ERROR%'), min(s.difference)
    FROM unnest(queries) query, wa_shift(query) s
$$;

-- Ninety sums of one column.
SELECT columns, difference FROM wa_shift((SELECT 'SELECT ' || string_agg(format('sum(i2 + %s)', i), ', ') || ' FROM wa_shifted' FROM generate_series(0, 89) i));
SELECT sum(i2), sum(i2 + 1), sum(i2 + 89), sum(1 - i2), sum(-i2) FROM wa_shifted;
EXPLAIN (COSTS OFF) SELECT sum(i2 + 1), sum(-i2) FROM wa_shifted;

-- Every aggregate, over every form, with groups and without.
SELECT * FROM wa_shift_all(ARRAY(
    SELECT format('SELECT %s count(*)', CASE WHEN form LIKE 'GROUP%' THEN 'grp, ' END)
           || string_agg(format(', %s(%s) AS %1$s, %1$s(%2$s) FILTER (WHERE b) AS %1$s_b', aggregate, argument), '')
           || ' FROM wa_shifted ' || form
    FROM (VALUES ('sum'), ('count'), ('avg'), ('min'), ('max'), ('var_pop'), ('stddev'), ('gpu_sum'), ('gpu_count'),
                 ('gpu_avg'), ('gpu_min'), ('gpu_max'), ('gpu_variance'), ('gpu_stddev_pop')) AS aggregates (aggregate),
         (VALUES ('i2 + 7'), ('i2 - 7'), ('7 - i2'), ('-i2'), ('i2 + 7::smallint'), ('7::smallint - i2'),
                 ('i2 + 5000000000'), ('5000000000 - i2'), ('i4 + 7'), ('-3 + i4'), ('i4 - (-3)'), ('3 - i4'), ('-i4'),
                 ('i4 + 7::smallint'), ('7::smallint - i4'), ('i4 - 5000000000'), ('5000000000 - i4'), ('i8 + 7'),
                 ('7 - i8'), ('i8 - 7::smallint'), ('7::smallint + i8'), ('i8 + 7::bigint'), ('-i8'),
                 ('i4::bigint + 1'), ('i2::bigint - 1'), ('i4 % 1000 + 5'), ('(i4 + 1) + 2'), ('1 - (i2 - i4)'),
                 ('int4pl(i4, 3)')) AS arguments (argument),
         (VALUES (''), ('GROUP BY grp'), ('WHERE id < 0'), ('WHERE i4 IS NULL AND i2 IS NULL')) AS forms (form)
    GROUP BY argument, form));
-- What shares a column, and what does not.
SELECT query, s.columns, s.difference FROM unnest(ARRAY[
    'SELECT sum(i4), sum(i4 + 1), avg(2 - i4), min(i4 - 3), max(-i4), count(i4 + 5), variance(i4 + 6), count(i4) FROM wa_shifted',
    'SELECT sum(i4 + 1), sum(i4 + 1) FILTER (WHERE b), sum(i4 - 9) FILTER (WHERE b), sum(i4) FILTER (WHERE NOT b) FROM wa_shifted',
    'SELECT min(i2 + 1), min(i2), max(i2 + 5000000000), sum(7::smallint - i2) FROM wa_shifted',
    'SELECT sum(i4 + id), sum(id + i4), sum(i4 + id + 1), sum(i4 * 1), sum(i4 + 1.5), sum(+i4) FROM wa_shifted',
    'SELECT sum(CASE WHEN i4 < 0 THEN i4 + 1 ELSE i4 END), sum(COALESCE(i4 + 1, 0)), sum(abs(i4) + 1), sum(abs(i4)) FROM wa_shifted',
    'SELECT sum(i4 + NULL), sum(i4 + NULLIF(1, 1)), count(i4 + 1) FROM wa_shifted'
]) query, wa_shift(query) s;

-- Each edge with each constant: an error wherever PostgreSQL raises one.
SELECT argument, sum(s.queries) AS queries, sum(s.columns) AS columns, sum(s.errors) AS errors, min(s.difference) AS difference
FROM (VALUES ('i2 + %s::smallint'), ('%s::smallint - i2'), ('i2 - %s::smallint'), ('i2 + %s::integer'), ('%s::bigint - i2'),
             ('i4 + %s::smallint'), ('i4 + %s::integer'), ('%s::integer + i4'), ('i4 - %s::integer'), ('%s::integer - i4'),
             ('i4 + %s::bigint'), ('i4::bigint - %s::bigint'),
             ('i8 + %s::smallint'), ('i8 + %s::integer'), ('%s::bigint + i8'), ('i8 - %s::bigint'), ('%s::bigint - i8')) AS arguments (argument),
     LATERAL wa_shift_all(ARRAY(
         SELECT format('SELECT %s(%s) FROM wa_edges WHERE %s', aggregate,
                       format(argument, format('(%s)', CASE WHEN argument LIKE '%smallint%' THEN c2 WHEN argument LIKE '%integer%' THEN c4 ELSE c8 END)),
                       condition)
         FROM (VALUES ('sum'), ('count'), ('min'), ('gpu_avg')) AS aggregates (aggregate),
              (VALUES ('-32768', '-2147483648', '-9223372036854775808'), ('-32767', '-2147483647', '-9223372036854775807'),
                      ('-1', '-1', '-1'), ('0', '0', '0'), ('1', '1', '1'), ('2', '2', '2'),
                      ('32767', '2147483647', '9223372036854775807')) AS constants (c2, c4, c8),
              (VALUES ('id = 1'), ('id = 2'), ('id = 5'), ('id = 6'), ('id IN (5, 6)'), ('true')) AS conditions (condition))) s
GROUP BY argument ORDER BY argument COLLATE "C";
SELECT x, id, s.outcome, s.difference
FROM (VALUES ('i2'), ('i4'), ('i8'), ('i2::integer'), ('i4::bigint')) AS arguments (x), (VALUES (2), (1)) AS ids (id),
     wa_shift(format('SELECT sum(-%s) FROM wa_edges WHERE id <> %s', x, id)) s
ORDER BY id, x;
SELECT sum(i2 + 1::smallint) FROM wa_edges;
SELECT count(i4 - 1) FROM wa_edges;
SELECT gpu_max(1 - i8) FROM wa_edges;

-- Also by groups that are not returned, but not by rows that are not looked at.
SELECT query, s.* FROM unnest(ARRAY[
    'SELECT id, sum(i4 + 1) FROM wa_edges GROUP BY id ORDER BY max(id) DESC LIMIT 2',
    'SELECT id, sum(i4 + 1) AS s FROM wa_edges GROUP BY id ORDER BY s LIMIT 1',
    'SELECT id, sum(i4 + 1) FROM wa_edges GROUP BY id HAVING max(i8) = 100',
    'SELECT id FROM wa_edges GROUP BY id HAVING sum(i4 + 1) > 7 ORDER BY id LIMIT 1',
    'SELECT id, sum(i4 + 1) FROM wa_edges WHERE id <> 1 GROUP BY id HAVING sum(i4 + 1) > 50 ORDER BY id LIMIT 1',
    'SELECT sum(i4 + 1) FILTER (WHERE i4 < 2147483647) FROM wa_edges',
    'SELECT sum(i4 + 1) FILTER (WHERE i4 < 2147483647), sum(i4 + 1) FROM wa_edges',
    'SELECT sum(i4 + 1) FILTER (WHERE i4 < 2147483647), sum(i4) FROM wa_edges',
    'SELECT sum(i4 / 2 + 2147483647) FROM wa_edges WHERE i4 <= 0',
    'SELECT sum(1 / i4 + 2147483647) FROM wa_edges'
]) query, wa_shift(query) s;

-- Of several errors one is raised.
SELECT query, s.columns, s.outcome LIKE 'ERROR %' AS fails, s.difference IS NULL OR s.difference LIKE '%: ERROR % is not ERROR %' AS as_it_should FROM unnest(ARRAY[
    'SELECT sum(i2 + 1::smallint), sum(i4 - 2) FROM wa_edges',
    'SELECT sum(i2 - 2::smallint), sum(i4 + 1) FROM wa_edges',
    'SELECT sum(i4 - 1), sum(i2 + 1::smallint) FROM wa_edges WHERE id > 1',
    'SELECT sum(i4 + 1), sum(i2 + 1::smallint) FROM wa_edges',
    'SELECT sum(1 / (id - 5)), sum(i4 - 1) FROM wa_edges',
    'SELECT sum(1 / (id - 1)), sum(i4 - 1) FROM wa_edges',
    'SELECT sum(i4 - 1), sum(1 / (id - 5)) FROM wa_edges',
    'SELECT sum(i4 - 1), sum(width_bucket(NULLIF(id, 6), 1.0, 1.0, 9)) FROM wa_edges WHERE id > 1',
    'SELECT sum(-i8) FROM wa_edges WHERE 1 / (id - 5) = 0',
    'SELECT 1 / (id - 5), sum(-i8) FROM wa_edges GROUP BY 1',
    'SELECT sum(-i8) FILTER (WHERE 1 / (id - 2) < 9) FROM wa_edges',
    'SELECT sum(-i8), sum(id) FILTER (WHERE 1 / (id - 5) < 9) FROM wa_edges',
    'SELECT sum(i4 - 1), sum(i2 + (SELECT 1 / (id - 7) FROM wa_edges WHERE id = 7)) FROM wa_edges WHERE id > 1',
    'SELECT sum(i2 + (SELECT 1 / (id - 7) FROM wa_edges WHERE id = 7)), sum(i4 - 1) FROM wa_edges WHERE id > 1',
    'SELECT sum(i4 + (SELECT 1 / (id - 7) FROM wa_edges WHERE id = 7)) FROM wa_edges'
]) query, wa_shift(query) s;

-- The first groups, by sums that are numerics as well.
SELECT query, s.columns, s.difference FROM unnest(ARRAY[
    'SELECT many, sum(i8 + 1) AS s FROM wa_shifted GROUP BY many ORDER BY s, many LIMIT 7',
    'SELECT many, avg(9000000000000 - i8) AS s FROM wa_shifted GROUP BY many ORDER BY s DESC, many LIMIT 7',
    'SELECT many, avg(i4 + 5) AS s FROM wa_shifted GROUP BY many ORDER BY s DESC NULLS LAST, many LIMIT 7',
    'SELECT many, sum(-i8), max(i4 - 1) AS m FROM wa_shifted GROUP BY many HAVING count(i8 + 1) > 2 ORDER BY m, many LIMIT 7'
]) query, wa_shift(query) s;

-- Constants that are known only when the query runs.
SET plan_cache_mode = force_generic_plan;
PREPARE wa_by (integer, bigint) AS
SELECT sum(i4 + $1), count(i4 + $1), min($1 - i4), max(i8 - $2), avg($2 - i8), sum(i4 + ($1 % 10)), stddev(i4 + $1), sum(i4)
FROM wa_edges WHERE id IN (3, 4, 7);
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE wa_by (1, 1);
EXECUTE wa_by (1, 10000000000);
EXECUTE wa_by (-5, -1);
EXECUTE wa_by (NULL, NULL);
EXECUTE wa_by (2147483647, 0);
EXECUTE wa_by (2147483547, 0);
EXECUTE wa_by (0, -9223372036854775807);
SET warpagg.enable_scan = off;
DEALLOCATE wa_by;
PREPARE wa_by (integer, bigint) AS
SELECT sum(i4 + $1), count(i4 + $1), min($1 - i4), max(i8 - $2), avg($2 - i8), sum(i4 + ($1 % 10)), stddev(i4 + $1), sum(i4)
FROM wa_edges WHERE id IN (3, 4, 7);
EXECUTE wa_by (1, 10000000000);
EXECUTE wa_by (-5, -1);
EXECUTE wa_by (NULL, NULL);
EXECUTE wa_by (2147483647, 0);
EXECUTE wa_by (2147483547, 0);
EXECUTE wa_by (0, -9223372036854775807);
SET warpagg.enable_scan = on;
RESET plan_cache_mode;
-- They change from scan to scan.
SELECT query, s.* FROM unnest(ARRAY[
    'SELECT o.x, l.* FROM (VALUES (1), (NULL), (-7), (100)) o(x), LATERAL (SELECT sum(i4 + o.x), count(o.x - i4), max(-i4), sum(i2 - 3) FROM wa_shifted WHERE id < 3000) l',
    'SELECT o.x, l.* FROM (VALUES (1), (3)) o(x), LATERAL (SELECT grp, sum(i4 + o.x) FROM wa_shifted WHERE grp <= o.x GROUP BY grp) l',
    'SELECT o.x, l.* FROM (VALUES (0), (1), (2)) o(x), LATERAL (SELECT sum(i4 + o.x) FROM wa_edges WHERE id IN (3, 5, 7)) l',
    'SELECT o.x, l.* FROM (VALUES (2), (1)) o(x), LATERAL (SELECT sum(i4 + 1) FROM wa_edges WHERE id > o.x) l'
]) query, wa_shift(query) s;
SELECT sum(i4 + (SELECT 5)), sum(i4 + (SELECT max(id) FROM wa_edges)) FROM wa_edges WHERE id = 7;

-- Groups that are spilled, and workers.
SET warpagg.debug_spill_groups = 100;
SELECT columns, difference FROM wa_shift('SELECT many, sum(i4 + 1), sum(i8 - 7), min(-i2), avg(5 - i4), variance(i4 + 9) FROM wa_shifted GROUP BY many');
SELECT columns, difference FROM wa_shift('SELECT many, sum(i4 + 2147000000) FROM wa_shifted GROUP BY many');
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 2;
SELECT columns, difference FROM wa_shift('SELECT many, sum(i4 + 1), sum(i8 - 7), min(-i2), avg(5 - i4), variance(i4 + 9) FROM wa_shifted GROUP BY many');
RESET warpagg.debug_spill_groups;
EXPLAIN (COSTS OFF, VERBOSE) SELECT sum(i4 + 1), sum(7 - i4) FROM wa_shifted;
SELECT columns, difference FROM wa_shift('SELECT many, sum(i4 + 1), sum(i8 - 7), min(-i2), avg(5 - i4), variance(i4 + 9) FROM wa_shifted GROUP BY many');
SELECT columns, difference FROM wa_shift('SELECT sum(i4 + 1), sum(i8 - 7), min(-i2), avg(5 - i4), variance(i4 + 9) FROM wa_shifted');
SELECT columns, difference FROM wa_shift('SELECT grp, sum(i4 + 2147000000) FROM wa_shifted GROUP BY grp');

-- Whoever may not call the operator's function may not have it computed.
CREATE ROLE regress_wa_shift;
GRANT SELECT ON wa_edges TO regress_wa_shift;
BEGIN;
REVOKE EXECUTE ON FUNCTION int4pl(integer, integer) FROM PUBLIC;
SET ROLE regress_wa_shift;
SELECT gpu_sum(i4 + 1) FROM wa_edges WHERE id = 7;
ROLLBACK;

DROP OWNED BY regress_wa_shift;
DROP ROLE regress_wa_shift;
DROP FUNCTION wa_shift_all(text[]), wa_shift(text), wa_outcome(text);
DROP TABLE wa_shifted, wa_edges;
