--
-- ORDER BY and LIMIT over the groups of the scan tier: the node returns only those
-- that may be among the first, and results are PostgreSQL's.
--
\pset null '(null)'
SET timezone = 'UTC';
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
SET jit = off;
-- The other side are groups of a few rows each, of which there are many.
SET warpagg.min_device_rows = 1000;

-- Few aggregates are equal in the first groups, and many in the last.
CREATE TABLE wa_ranked AS
SELECT i AS id, (i * 7919::bigint % 5003)::integer AS i4,
       CASE WHEN i % 7 <> 0 THEN i * 4000000007::bigint END AS i8,
       CASE WHEN i % 5 <> 0 THEN (floor(sqrt(i * 90)))::smallint END AS grp,
       CASE WHEN i % 11 <> 0 THEN (i % 1400 - 700)::float8 / 8 END AS f8,
       CASE WHEN i % 13 <> 0 THEN (i % 1000)::numeric / 8 END AS n,
       CASE WHEN i % 3 <> 0 THEN chr(65 + i % 26 + i % 2 * 32) || i % 700 END AS t,
       ((i % 900)::text || repeat(' ', i % 3))::char(6) AS bp,
       date '2001-01-01' + i % 500 AS d,
       i % 4 = 1 AS b
FROM generate_series(1, 20000) i;
INSERT INTO wa_ranked (id, i4, f8, n) VALUES
    (20001, 1, 'NaN', 'NaN'), (20002, 2, 'inf', 1e30), (20003, 3, '-inf', -1e30), (20004, 4, '-0', '-0.00'),
    (20005, 5, '0', 0.000), (20006, 6, '-NaN', 'NaN'), (20007, 7, '-0', 1.50), (20008, 8, 0, 1.5);
ANALYZE wa_ranked;

SELECT wa_plan($$SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY count(*) DESC LIMIT 10$$);
SELECT wa_plan($$SELECT grp, b, sum(i8) AS s FROM wa_ranked WHERE id > 7 GROUP BY grp, b HAVING count(*) > 3
ORDER BY s NULLS FIRST, b DESC NULLS LAST, grp + 1, count(*) * 2 DESC OFFSET 2 FETCH FIRST 3 ROWS WITH TIES$$);
SELECT wa_plan($$SELECT i4, max(t) FROM wa_ranked GROUP BY i4 ORDER BY max(t) COLLATE "C" LIMIT 7$$, 'COSTS OFF, FORMAT json');
SELECT wa_plan($$SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY t USING ~>~ LIMIT 7$$);

-- Runs a query with the node and without, and returns the rows by which the
-- results differ, as text, in their order.
CREATE FUNCTION wa_limit_differences(query text, is_ours boolean DEFAULT true) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    off text[];
    "on" text[];
    plan text;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    IF plan ~ 'Top Groups' <> is_ours THEN
        RETURN NEXT 'the plan is not as expected: ' || query;
    END IF;
    EXECUTE format('SELECT array_agg(wa_same_look(q::text)) FROM (%s) q', query) INTO "on";
    SET LOCAL warpagg.enable_scan = off;
    EXECUTE format('SELECT array_agg(wa_same_look(q::text)) FROM (%s) q', query) INTO off;
    SET LOCAL warpagg.enable_scan = on;
    IF off IS DISTINCT FROM "on" THEN
        RETURN NEXT query;
        RETURN QUERY SELECT format('%s: %s is not %s', o, a, b) FROM unnest("on", off) WITH ORDINALITY u (a, b, o)
        WHERE a IS DISTINCT FROM b LIMIT 5;
    END IF;
END
$$;

-- Every kind of aggregate and key, in both directions, with NULLs at both ends.
-- The last expression decides among equals, so the rows are determined.
SELECT wa_limit_differences(format('SELECT %s AS k, %s AS a FROM wa_ranked GROUP BY 1 ORDER BY %s LIMIT 12',
                                   key, aggregate, ordering))
FROM (VALUES ('grp'), ('i4'), ('id / 3'), ('t'), ('d')) AS keys (key),
     (VALUES ('count(*)'), ('count(i8)'), ('sum(i4)'), ('sum(i8)'), ('sum(n)'), ('avg(i4)'), ('avg(n)'),
             ('min(i4)'), ('max(i8)'), ('min(n)'), ('max(d)'), ('max(grp)'), ('max(t COLLATE "C")'), ('max(f8)'),
             ('gpu_sum(f8)'), ('gpu_avg(f8)'), ('variance(i4)'), ('gpu_stddev(f8)')) AS aggregates (aggregate),
     (VALUES ('a, k'), ('a DESC, k DESC'), ('a NULLS FIRST, k NULLS FIRST'), ('a DESC NULLS LAST, k'),
             ('k, a'), ('k DESC NULLS LAST')) AS orderings (ordering);
-- Keys of all types; equal ones look different, so they are compared as numbers.
SELECT wa_limit_differences(format('SELECT %s AS k, count(*), sum(id) FROM wa_ranked GROUP BY %1$s ORDER BY %1$s %s LIMIT 9',
                                   key, direction))
FROM (VALUES ('n + 0.000000'), ('i8'), ('i4::int2'), ('b'), ('bp'), ('t'), ('t::varchar'), ('d'), ('d::timestamp'),
             ('f8 + 0'), ('f8::real + 0'), ('date_trunc(''month'', d::timestamp)'), ('i4::bigint * i4'), ('CASE WHEN b THEN i4 END')) AS keys (key),
     (VALUES (''), ('DESC'), ('NULLS FIRST'), ('DESC NULLS LAST')) AS directions (direction);
SELECT f8 = 0, count(*) FROM (SELECT f8, count(*) FROM wa_ranked WHERE id > 20000 GROUP BY f8 ORDER BY f8 DESC LIMIT 3) s
GROUP BY 1 ORDER BY 1;
SELECT n, count(*) FROM wa_ranked WHERE id > 20000 GROUP BY n ORDER BY n DESC LIMIT 3;
SELECT f8, count(*), sum(f8) FROM wa_ranked WHERE id > 20000 GROUP BY f8 ORDER BY sum(f8) DESC LIMIT 3;

-- Collations.
SELECT coalesce(max(quote_ident(collname)), '"C"') AS collation FROM pg_collation WHERE collname IN ('en-x-icu') \gset
SELECT wa_limit_differences(query || ' LIMIT 15') FROM (VALUES
    ('SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY t COLLATE "C"'),
    ('SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY t COLLATE "C" DESC NULLS LAST'),
    ('SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY t COLLATE ' || :'collation'),
    ('SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY t COLLATE ' || :'collation' || ' DESC NULLS LAST'),
    ('SELECT t COLLATE ' || :'collation' || ', count(*) FROM wa_ranked GROUP BY 1 ORDER BY 1'),
    ('SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY lower(t) COLLATE ' || :'collation' || ', t COLLATE "C"'),
    ('SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY t USING ~>~'),
    ('SELECT t, count(*) FROM wa_ranked GROUP BY t ORDER BY t USING ~<~')
) AS queries (query);

-- How many: all sizes around the number of groups, ties at the boundary.
SELECT count(*) FROM (SELECT DISTINCT grp FROM wa_ranked) s;
SELECT wa_limit_differences(format('SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2, 1 DESC LIMIT %s OFFSET %s',
                                   size, first))
FROM (VALUES ('0'), ('1'), ('2'), ('10'), ('1000'), ('1310'), ('1311'), ('1312'), ('1313'), ('5000'),
             ('9223372036854775807'), ('(SELECT 5)'), ('5 + 5'), ('length(current_date::text)')) AS sizes (size),
     (VALUES ('0'), ('1'), ('7'), ('1311'), ('9223372036854775807'), ('NULL::bigint'), ('(SELECT 3)')) AS firsts (first);
SELECT wa_limit_differences('SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2, 1 ' || size, false)
FROM (VALUES ('LIMIT NULL'), ('LIMIT ALL'), ('OFFSET 1309'), ('LIMIT NULL OFFSET 1309'), ('')) AS sizes (size);
SELECT wa_limit_differences('SELECT grp, count(*), sum(i4) FROM wa_ranked GROUP BY grp ORDER BY 2, 1 LIMIT (SELECT NULL::bigint)');
SELECT grp FROM wa_ranked GROUP BY grp HAVING count(*) > 1 ORDER BY count(*), 1 LIMIT -1;
SELECT grp FROM wa_ranked GROUP BY grp HAVING count(*) > 1 ORDER BY count(*), 1 LIMIT 1 OFFSET (SELECT -1);
-- Equals that nothing decides among: any of them will do.
SELECT wa_limit_differences(format('SELECT a FROM (SELECT grp, %s AS a FROM wa_ranked GROUP BY grp ORDER BY a %s LIMIT %s) s',
                                   aggregate, direction, size))
FROM (VALUES ('count(*)'), ('count(n)'), ('max(d)'), ('sum(i4)'), ('avg(id % 2)'), ('max(t COLLATE "C")')) AS aggregates (aggregate),
     (VALUES ('1'), ('30'), ('700')) AS sizes (size),
     (VALUES (''), ('DESC')) AS directions (direction);
-- All equals with the last.
SELECT wa_limit_differences(format('SELECT m, c FROM (SELECT grp, max(i4 %% 3) AS m, count(*) AS c FROM wa_ranked GROUP BY grp '
                                   'ORDER BY %s OFFSET %s FETCH FIRST %s ROWS WITH TIES) s', ordering, first, size))
FROM (VALUES ('count(*), 2'), ('count(*) DESC, 2'), ('2 DESC NULLS LAST, count(*)')) AS orderings (ordering),
     (VALUES (0), (5)) AS firsts (first),
     (VALUES (1), (3), (40), (2000)) AS sizes (size);

-- HAVING, before a group counts.
SELECT wa_limit_differences(query) FROM (VALUES
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING count(*) < 20 ORDER BY 2 DESC, 1 LIMIT 10'),
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING sum(i8) IS NOT NULL AND grp % 3 = 1 ORDER BY 2, 1 LIMIT 10'),
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING grp = 77 ORDER BY 2, 1 LIMIT 10'),
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING avg(n) > 1e9 ORDER BY 2, 1 LIMIT 10'),
    ('SELECT t, max(n) FROM wa_ranked GROUP BY t HAVING max(n) <> ''NaN'' ORDER BY 2 DESC, 1 LIMIT 4'),
    ('SELECT grp, sum(n) FROM wa_ranked GROUP BY grp HAVING min(t COLLATE "C") > ''B'' ORDER BY 2 DESC, 1 FETCH FIRST 4 ROWS WITH TIES')
) AS queries (query);
SELECT wa_limit_differences(query) FROM (VALUES
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING count(*) > 1 ORDER BY 100 / (count(*) - 1) DESC, 1 LIMIT 10'),
    ('SELECT count(*) FROM wa_ranked GROUP BY grp HAVING count(*) > 1 ORDER BY 100 / (count(*) - 1) DESC FETCH FIRST 2 ROWS WITH TIES')
) AS queries (query);
SELECT count(*) FROM (SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING random() < 0.9 ORDER BY grp LIMIT 500) s;
-- It is computed only for groups that are among the first so far.
-- How many blocks a table is extended by depends on the version.
SELECT replace(line, 'Blocks Read: ' || pg_relation_size('wa_ranked') / 8192, 'Blocks Read: all') AS line
FROM wa_plan($$SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING count(*) >= 20 ORDER BY count(*) LIMIT 4$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF') line;

-- Expressions over aggregates and keys, subqueries, what cannot be compared.
SELECT wa_limit_differences(query) FROM (VALUES
    ('SELECT grp, sum(id) / count(*) AS r FROM wa_ranked GROUP BY grp ORDER BY r DESC, grp LIMIT 6'),
    ('SELECT grp, b FROM wa_ranked GROUP BY grp, b ORDER BY sum(i4) - count(*) * 3, grp DESC, b LIMIT 6'),
    ('SELECT grp, round(avg(id), 2) FROM wa_ranked GROUP BY grp ORDER BY grp % 10, coalesce(sum(i8), -1) DESC, grp LIMIT 6'),
    ('SELECT -i4, -i4 * 2, max(id) FROM wa_ranked GROUP BY -i4 ORDER BY (-i4) * 2 LIMIT 6'),
    ('SELECT grp, count(*) + (SELECT 1) FROM wa_ranked GROUP BY grp ORDER BY count(*) + (SELECT 1), grp LIMIT 6'),
    ('SELECT grp FROM wa_ranked GROUP BY ROLLUP (grp) ORDER BY count(*), 1 LIMIT 6'),
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY grp, random() LIMIT 6'),
    ('SELECT grp, count(*) FROM wa_ranked WHERE grp = 33 GROUP BY grp, i4 ORDER BY grp, i4 LIMIT 2'),
    ('SELECT * FROM (SELECT grp, count(*) AS c FROM wa_ranked GROUP BY grp ORDER BY 2 DESC, 1 LIMIT 6) s ORDER BY grp'),
    ('SELECT sum(c), count(*) FROM (SELECT grp, count(*) AS c FROM wa_ranked GROUP BY grp ORDER BY 2, 1 DESC LIMIT 600) s'),
    ('(SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2, 1 LIMIT 3) UNION ALL '
     '(SELECT i4, count(*) FROM wa_ranked GROUP BY i4 ORDER BY 2 DESC, 1 LIMIT 2)')
) AS queries (query);
-- All groups are wanted, or something comes between.
SELECT wa_limit_differences(query, false) FROM (VALUES
    ('SELECT count(*) FROM (SELECT grp, count(*) FROM wa_ranked GROUP BY grp LIMIT 2000) s'),
    ('SELECT count(*) FROM (SELECT t, count(*) FROM wa_ranked GROUP BY t LIMIT 6) s'),
    ('SELECT count(*) FROM (SELECT grp, count(*) FROM wa_ranked GROUP BY grp HAVING 1 / (count(*) * 2 - 1) < 2 LIMIT 6) s'),
    ('SELECT count(*) FROM (SELECT grp, count(*) FROM wa_ranked GROUP BY ROLLUP (grp) LIMIT 6) s'),
    ('SELECT DISTINCT count(*) FROM wa_ranked GROUP BY grp ORDER BY 1 LIMIT 6'),
    ('SELECT DISTINCT ON (count(*)) count(*), grp FROM wa_ranked GROUP BY grp ORDER BY 1, 2 LIMIT 6'),
    ('SELECT grp, count(*), rank() OVER (ORDER BY count(*), grp DESC) FROM wa_ranked GROUP BY grp ORDER BY 2 DESC, 1 LIMIT 6'),
    ('SELECT grp, generate_series(1, 2), count(*) FROM wa_ranked GROUP BY grp ORDER BY 3, 1, 2 LIMIT 6'),
    ('SELECT sum(i4) FROM wa_ranked ORDER BY 1 LIMIT 6'),
    ('SELECT grp, (SELECT count(*) FROM wa_ranked u WHERE u.id < s.grp) FROM wa_ranked s WHERE id < 30 GROUP BY grp '
     'ORDER BY max(n), (SELECT count(*) FROM wa_ranked u WHERE u.id < s.grp), 1 LIMIT 3'),
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp UNION ALL SELECT 1, 2 ORDER BY 2, 1 LIMIT 6')
) AS queries (query);
SELECT count(*) FROM (SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY random() LIMIT 6) s;
-- Without ORDER BY any groups will do, and those by one of the keys are chosen.
SELECT wa_limit_differences(format('SELECT count(*), bool_and(chosen::text IN (SELECT everything::text FROM (SELECT %1$s GROUP BY %2$s) everything)) FROM (SELECT %1$s GROUP BY %2$s %3$s LIMIT 7 OFFSET 2) chosen', what, by, beside))
FROM (VALUES
    ('grp, count(*) AS c, sum(id) AS s FROM wa_ranked', 'grp', ''),
    ('t, i4, min(id) AS s FROM wa_ranked', 't, i4', ''),
    ('t, b, count(*) AS s FROM wa_ranked', 't, b', 'HAVING count(*) > 1'),
    ('grp, count(DISTINCT t) AS s FROM wa_ranked', 'grp', '')
) AS queries (what, by, beside);
SELECT wa_limit_differences('SELECT count(*) FROM (SELECT DISTINCT grp, i4 FROM wa_ranked LIMIT 7) s');
SELECT count(*) FROM (SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2 LIMIT (random() * 0)::int + 6) s;

-- Parameters: of a generic plan, of one plan many times, of an outer query.
SET plan_cache_mode = force_generic_plan;
PREPARE wa_first(bigint, bigint) AS
SELECT grp, count(*), $1 AS k FROM wa_ranked GROUP BY grp, 3 ORDER BY 2 DESC, 1 LIMIT $1 OFFSET $2;
SELECT wa_plan($$EXECUTE wa_first(3, 1)$$);
EXECUTE wa_first(3, 1);
EXECUTE wa_first(1, 4);
EXECUTE wa_first(2, NULL);
EXECUTE wa_first(0, 0);
EXECUTE wa_first(-1, 0);
EXECUTE wa_first(NULL, 1310);
EXECUTE wa_first(9223372036854775807, 1311);
SET plan_cache_mode = force_custom_plan;
SELECT wa_plan($$EXECUTE wa_first(3, 1)$$);
SELECT wa_plan($$EXECUTE wa_first(NULL, 1)$$);
EXECUTE wa_first(3, 1);
RESET plan_cache_mode;
DEALLOCATE wa_first;
SELECT wa_plan($$SELECT x, q.* FROM generate_series(0, 3) x, LATERAL
    (SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2 DESC, 1 LIMIT x) q$$);
SELECT x, q.* FROM (VALUES (2), (0), (3), (NULL), (1), (1)) v (x), LATERAL
    (SELECT grp, count(*) FROM wa_ranked WHERE id < 20 GROUP BY grp ORDER BY 2 DESC, 1 LIMIT x OFFSET 13) q;
SELECT x, q.* FROM (VALUES (2), (5), (900), (5)) v (x), LATERAL
    (SELECT grp, count(*) FROM wa_ranked WHERE id % 1000 < x GROUP BY grp ORDER BY 2 DESC, 1 LIMIT 2) q;
SELECT x, (SELECT sum(i4) FROM wa_ranked GROUP BY grp ORDER BY 1 DESC OFFSET x LIMIT 1) FROM generate_series(0, 2) x;
-- The same groups again, without a new scan.
SELECT x, q.* FROM (VALUES (1), (2)) v (x) LEFT JOIN
    (SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2 DESC, 1 LIMIT 2) q ON q.grp > x ORDER BY 1, 2;

-- Cursors, in both directions.
BEGIN;
DECLARE wa_cursor SCROLL CURSOR FOR
SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2 DESC, 1 LIMIT 5 OFFSET 2;
FETCH 2 FROM wa_cursor;
FETCH BACKWARD 1 FROM wa_cursor;
FETCH ALL FROM wa_cursor;
FETCH BACKWARD 2 FROM wa_cursor;
FETCH ABSOLUTE 1 FROM wa_cursor;
MOVE BACKWARD ALL IN wa_cursor;
FETCH LAST FROM wa_cursor;
FETCH BACKWARD ALL FROM wa_cursor;
DECLARE wa_ties SCROLL CURSOR WITH HOLD FOR
SELECT count(*) FROM wa_ranked WHERE grp < 300 GROUP BY grp ORDER BY 1 DESC FETCH FIRST 3 ROWS WITH TIES;
COMMIT;
FETCH ALL FROM wa_ties;
FETCH BACKWARD 2 FROM wa_ties;
CLOSE wa_ties;

-- Groups beyond the memory come partition by partition; and then there is no
-- room for many top groups either.
ALTER TABLE wa_ranked ALTER id SET (n_distinct = 100);
ANALYZE wa_ranked;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT wa_limit_differences(format('SELECT id, count(*), sum(i8) AS s FROM wa_ranked GROUP BY id ORDER BY %s LIMIT %s',
                                   ordering, size))
FROM (VALUES ('s DESC NULLS LAST, id'), ('s, id'), ('2, id DESC'), ('id % 7 DESC, id')) AS orderings (ordering),
     (VALUES (1), (10), (900), (19000)) AS sizes (size);
SELECT wa_limit_differences('SELECT s FROM (SELECT id, id % 2 AS s, max(n) FROM wa_ranked GROUP BY id ORDER BY s DESC '
                            'FETCH FIRST 5 ROWS WITH TIES) q');
SELECT wa_limit_differences('SELECT id::numeric, min(t COLLATE "C") FROM wa_ranked GROUP BY 1 HAVING max(d) > ''2002-01-01'' ORDER BY 2 DESC, 1 LIMIT 7');
SELECT x, q.* FROM (VALUES (2), (3)) v (x), LATERAL
    (SELECT id, count(*) FROM wa_ranked GROUP BY id ORDER BY id % 1000 DESC, id LIMIT x) q;
RESET work_mem;
RESET hash_mem_multiplier;

-- Workers.
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT wa_plan($$SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY count(*) DESC LIMIT 10$$);
SELECT wa_limit_differences(query) FROM (VALUES
    ('SELECT grp, count(*) FROM wa_ranked GROUP BY grp ORDER BY 2 DESC, 1 LIMIT 10'),
    ('SELECT t, sum(n), max(f8) FROM wa_ranked GROUP BY t HAVING count(*) > 2 ORDER BY 2 DESC, 1 LIMIT 10'),
    ('SELECT i4, avg(id) FROM wa_ranked GROUP BY i4 ORDER BY 2, 1 OFFSET 5 FETCH FIRST 3 ROWS WITH TIES')
) AS queries (query);

-- Errors of what decides the order, of HAVING and of the target list, also of
-- groups that are not returned; but not of what PostgreSQL computes above the sort.
\set VERBOSITY terse
SELECT grp FROM wa_ranked GROUP BY grp ORDER BY 1 / (count(*) - 1), 1 LIMIT 3;
SELECT grp FROM wa_ranked GROUP BY grp ORDER BY count(*) DESC, 1 / (count(*) - 1), 1 LIMIT 3;
SELECT grp FROM wa_ranked GROUP BY grp HAVING 1 / (count(*) - 1) >= 0 ORDER BY count(*) DESC, 1 LIMIT 3000;
SELECT grp FROM wa_ranked GROUP BY grp HAVING 1 / (count(*) - 1) >= 0 ORDER BY count(*) DESC, 1 LIMIT 2;
SELECT grp, 1 / (count(*) - 1) > 0 AS x FROM wa_ranked GROUP BY grp ORDER BY count(*) DESC, 1 LIMIT 2;
SELECT id, 1 / (id - 1) FROM wa_ranked GROUP BY id ORDER BY id DESC LIMIT 1;
SELECT grp, 1 / (count(*) - 1) + (random() * 0)::int AS x FROM wa_ranked GROUP BY grp ORDER BY count(*) DESC, 1 LIMIT 2;
SELECT wa_limit_differences('SELECT grp, 1 / (count(*) - 1) + (random() * 0)::int FROM wa_ranked GROUP BY grp ORDER BY count(*) DESC, 1 LIMIT 2');

-- Returns expressions with which the node does not choose, or does, where it should.
CREATE FUNCTION wa_limit_chooses(expression text, is_ours boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    plan text;
BEGIN
    EXECUTE format('EXPLAIN (FORMAT json) SELECT grp, n, d, t, count(*), %s AS x FROM wa_ranked GROUP BY grp, n, d, t ORDER BY 1 LIMIT 2',
                   expression) INTO plan;
    RETURN CASE WHEN plan ~ 'Top Groups' <> is_ours OR plan !~ 'WarpAgg' THEN expression END;
END
$$;
SELECT wa_limit_chooses(e, true) AS x FROM (VALUES
    ('count(*) * 2 + 1'), ('grp + 1'), ('sum(i8) / count(*)'), ('sum(i4)::float8'), ('count(i4) / count(*)'),
    ('sum(i4) / 100'), ('sum(id) % 7'), ('round(100.0 * sum(i4) / nullif(count(i8), 0), 2)'), ('round(avg(i4), 1)'),
    ('coalesce(max(t COLLATE "C"), ''none'')'), ('upper(t)'), ('left(t, 3)'), ('CASE WHEN count(*) > 3 THEN grp END'),
    ('floor(avg(n::numeric(10,2)))'), ('max(d) > ''2001-01-01'''), ('count(*) > 5 AND t ~~ ''A%''')
) AS expressions (e) WHERE wa_limit_chooses(e, true) IS NOT NULL;
SELECT wa_limit_chooses(e, false) AS x FROM (VALUES
    ('1 / (count(*) - 1)'), ('sum(i4) + 1'), ('grp * grp'), ('max(i4) + 1'), ('avg(n) + 1'), ('round(avg(n), 2)'),
    ('sum(i4) / nullif(max(i4), 0)'), ('sum(i4) / nullif(count(i4), 1)'), ('max(i4) / -1'), ('sum(i4) / 0'), ('avg(i4) / 0.0'),
    ('100 / count(i4)'), ('100 / count(*) FILTER (WHERE b)'), ('left(t, max(i4))'), ('max(i8)::integer'), ('t::integer'),
    ('sum(f8)::real'), ('sqrt(min(f8))'), ('sum(i4)::numeric(3)'), ('CASE WHEN count(*) > 100 THEN 1 / grp END'),
    ('t ~~ max(t)'), ('d + make_interval(days => max(i4))'), ('date_trunc(''century'', d::timestamp)'), ('(SELECT min(i4) FROM wa_ranked) + count(*)'),
    ('array[grp, 1]'), ('to_char(d, ''YYYY'')'), ('regexp_replace(t, ''['', '''')')
) AS expressions (e) WHERE wa_limit_chooses(e, false) IS NOT NULL;

DROP FUNCTION wa_limit_chooses;
DROP TABLE wa_ranked;
DROP FUNCTION wa_limit_differences;

-- Rows whose groups come behind all that are wanted are left out.
CREATE TABLE limit_bound AS
SELECT CASE WHEN x % 1000 <> 7 THEN (x * 7919) % 6007 - 3000 END AS k, x % 3 AS g, 't' || x % 5 AS t,
       x % 100 / 10.0 AS n, date '2026-01-01' + (x * 31) % 3000 AS d, x AS v
FROM generate_series(1, 18000) x;
ANALYZE limit_bound;
SET max_parallel_workers_per_gather = 0;
SELECT line FROM wa_plan('SELECT k, sum(v) FROM limit_bound GROUP BY k ORDER BY k LIMIT 5',
    'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') line WHERE line ~ 'Top|Rows|Groups';
CREATE FUNCTION limit_bounds() RETURNS TABLE (same text, queries bigint) LANGUAGE sql AS $$
    SELECT wa_compare(query), count(*) FROM (
        SELECT format('SELECT %1$s, count(*), sum(v), max(t), min(n) FILTER (WHERE v %% 7 > 1), count(t) '
                      'FROM limit_bound %2$s GROUP BY %1$s ORDER BY %3$s LIMIT %4$s', keys, conditions, first, n)
        FROM (VALUES ('k', 'k'), ('k', 'k DESC'), ('k', 'k NULLS FIRST'), ('k', 'k DESC NULLS LAST'),
                     ('k, t', 'k, t'), ('t, k', 'k DESC, t'), ('d, g', 'd, g'), ('d, g, n', 'd DESC, n, g'),
                     ('n, k', 'n, k'), ('k + g', 'k + g'), ('t, g', 'g, t')) q(keys, first),
             (VALUES (''), ('WHERE v % 11 = 3'), ('WHERE k > -1500 AND t <> ''t2''')) w(conditions),
             (VALUES ('1'), ('20 OFFSET 3'), ('3000')) l(n)) q(query)
    GROUP BY 1
$$;
SELECT * FROM limit_bounds();
SET warpagg.debug_spill_groups = 50;
SELECT * FROM limit_bounds();
SET warpagg.debug_spill_groups = 2;
SELECT * FROM limit_bounds();
RESET warpagg.debug_spill_groups;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT * FROM limit_bounds();
SET warpagg.debug_spill_groups = 30;
SELECT * FROM limit_bounds();
RESET warpagg.debug_spill_groups;
-- Any groups will do, with all of their rows, even if they come from files of workers, which
-- have enough to read here.
CREATE TABLE limit_many AS
SELECT (x::bigint * 7919) % 40009 AS k, x AS v, repeat('x', 100) AS filler FROM generate_series(1, 400000) x;
ANALYZE limit_many;
CREATE FUNCTION limit_any() RETURNS TABLE (ngroups bigint, are_whole boolean) LANGUAGE plpgsql AS $$
DECLARE
    n integer;
BEGIN
    FOREACH n IN ARRAY '{1,5,20,1000}'::integer[] LOOP
        EXECUTE format('CREATE TEMP TABLE found AS SELECT k, sum(v) FROM limit_many GROUP BY k LIMIT %s', n);
        RETURN QUERY SELECT count(*), bool_and(found.sum = m.sum)
            FROM found LEFT JOIN (SELECT k, sum(v) FROM limit_many GROUP BY k) m USING (k);
        DROP TABLE found;
    END LOOP;
END
$$;
SELECT * FROM limit_any();
SET warpagg.debug_spill_groups = 30;
SELECT * FROM limit_any();
SET warpagg.debug_spill_groups = 3;
SELECT * FROM limit_any();
SET max_parallel_workers_per_gather = 0;
SELECT * FROM limit_any();
RESET warpagg.debug_spill_groups;
SELECT * FROM limit_any();
SET max_parallel_workers_per_gather = 2;
DROP FUNCTION limit_any;
DROP TABLE limit_many;
-- A limit that changes from one execution to the next.
PREPARE bounded(integer) AS SELECT k, count(*) FROM limit_bound GROUP BY k ORDER BY k DESC NULLS LAST LIMIT $1;
EXECUTE bounded(2);
EXECUTE bounded(3);
SET plan_cache_mode = 'force_generic_plan';
EXECUTE bounded(1);
EXECUTE bounded(3);
SELECT o.x, l.* FROM generate_series(1, 3) o(x),
    LATERAL (SELECT k, sum(v) FROM limit_bound WHERE v % 3 = o.x - 1 GROUP BY k ORDER BY k LIMIT o.x) l;
RESET plan_cache_mode;
DEALLOCATE bounded;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
DROP FUNCTION limit_bounds;
DROP TABLE limit_bound;
