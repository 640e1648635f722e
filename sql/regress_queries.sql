--
-- Queries of many shapes, each beside its twin of built-ins.  A query is written
-- once, with the built-ins; wa_twin_differences runs it also with gpu_ before the
-- name of each of their aggregates.
--
\pset null '(null)'
CREATE FUNCTION wa_twin_differences(query text)
RETURNS TABLE (builtin text, gpu text) LANGUAGE plpgsql AS $$
DECLARE
    twin text := regexp_replace(query,
        '\m(sum|avg|min|max|count|variance|stddev|var_pop|var_samp|stddev_pop|stddev_samp)\(',
        'gpu_\1(', 'g');
BEGIN
    IF twin = query THEN
        RAISE EXCEPTION 'no aggregate in: %', query;
    END IF;
    RETURN QUERY EXECUTE format(
        'WITH b AS MATERIALIZED (SELECT q::text FROM (%s) q),
              g AS MATERIALIZED (SELECT q::text FROM (%s) q)
         (SELECT q, NULL FROM (TABLE b EXCEPT ALL TABLE g) only_builtin)
         UNION ALL (SELECT NULL, q FROM (TABLE g EXCEPT ALL TABLE b) only_gpu)
         UNION ALL SELECT ''no rows'', NULL WHERE NOT EXISTS (SELECT FROM b)', query, twin);
END
$$;
CREATE TABLE wa_students (name text, age integer, town text, grade numeric(4, 2), height float8,
                          since date, salary money, tags text[]);
INSERT INTO wa_students
SELECT 'student ' || i, 17 + i * 13 % 30, (ARRAY['Graz', 'Linz', 'Wels', NULL])[1 + i * 7 % 4],
       CASE WHEN i % 11 > 0 THEN (i * 37 % 400) / 100.0 END, 1.5 + (i * 29 % 64) / 128.0,
       date '2010-01-01' + i * 97 % 4000, (i * 1009 % 5000)::money,
       CASE WHEN i % 3 > 0 THEN ARRAY['a' || i % 5, 'b'] END
FROM generate_series(1, 500) i;
CREATE TABLE wa_towns (town text PRIMARY KEY, people integer);
INSERT INTO wa_towns VALUES ('Graz', 290000), ('Linz', 210000), ('Wels', 63000), ('Enns', 12000);
CREATE TABLE wa_hundred (a integer, b float8);
INSERT INTO wa_hundred VALUES (56, 7.75), (100, 99.125), (0, 0.0625), (42, 324.75);
ANALYZE wa_students, wa_towns, wa_hundred;
SET max_parallel_workers_per_gather = 0;

-- plain, on small tables with whole and binary fractions
SELECT avg(a), gpu_avg(a), avg(b), gpu_avg(b), sum(b), gpu_sum(b), max(b), gpu_max(b) FROM wa_hundred;
SELECT gpu_stddev_pop(b), gpu_stddev_samp(b), gpu_var_pop(b), gpu_var_samp(b) FROM wa_hundred;
SELECT stddev_pop(a), gpu_stddev_pop(a), var_samp(a), gpu_var_samp(a) FROM wa_hundred;
SELECT avg(age), gpu_avg(age), sum(grade), gpu_sum(grade), max(name), gpu_max(name) FROM wa_students;
-- one row, NaN and infinities
SELECT gpu_var_pop(1.0::float8), gpu_var_samp(2.0::float8), gpu_stddev_pop(3.0::numeric), gpu_stddev_samp(4.0::numeric);
SELECT gpu_var_pop('Infinity'::float8), gpu_var_samp('Infinity'::float8), gpu_stddev_pop('NaN'::numeric), gpu_avg('-Infinity'::numeric);
SELECT gpu_sum(x::float8), gpu_avg(x::float8), gpu_var_pop(x::float8)
FROM (VALUES ('Infinity'), ('1')) v(x);
SELECT gpu_sum(x::float8), gpu_avg(x::float8), gpu_var_pop(x::float8)
FROM (VALUES ('Infinity'), ('-Infinity')) v(x);
SELECT gpu_sum(x::numeric), gpu_avg(x::numeric), gpu_var_pop(x::numeric)
FROM (VALUES ('Infinity'), ('1')) v(x);
-- far from zero, where naive sums of squares cancel
SELECT gpu_avg(x), gpu_var_pop(x)
FROM (VALUES (1e8 + 3::float8), (1e8 + 4), (1e8 + 5), (1e8 + 6), (1e8 + 7)) v(x);
SELECT gpu_avg(x), gpu_var_pop(x) FROM (VALUES (7e12::float8), (7e12 + 14), (7e12 + 28)) v(x);
SELECT * FROM wa_twin_differences('SELECT avg(x), var_pop(x), stddev(x) FROM (VALUES (10000000003), (10000000004), (10000000005)) v(x)');
SELECT * FROM wa_twin_differences('SELECT avg(x), var_pop(x), stddev(x) FROM (VALUES (10000000003.5), (10000000004), (10000000005.25)) v(x)');
-- sums beyond 64 bits
SELECT * FROM wa_twin_differences('SELECT sum(x), avg(x), stddev(x) FROM generate_series(9223372036854775000, 9223372036854775807, 7) x');
SELECT * FROM wa_twin_differences('SELECT sum(-x), avg(-x), var_samp(-x) FROM generate_series(9223372036854775000, 9223372036854775807, 7) x');

-- DISTINCT, FILTER, ORDER BY, GROUP BY, HAVING
SELECT * FROM wa_twin_differences($$SELECT town, count(DISTINCT age), sum(DISTINCT age), avg(DISTINCT grade), max(DISTINCT name) FROM wa_students GROUP BY town$$);
SELECT * FROM wa_twin_differences($$SELECT town, count(*) FILTER (WHERE age > 30), sum(salary) FILTER (WHERE grade < 2), min(tags) FILTER (WHERE age < 0) FROM wa_students GROUP BY town$$);
SELECT * FROM wa_twin_differences($$SELECT max(grade ORDER BY height), sum(height ORDER BY name DESC NULLS FIRST), avg(DISTINCT age ORDER BY age) FROM wa_students$$);
SELECT * FROM wa_twin_differences($$SELECT age, count(*), avg(grade) FROM wa_students GROUP BY age HAVING count(*) > 16 AND max(grade) > 3.5$$);
SELECT * FROM wa_twin_differences($$SELECT town, sum(age) FROM wa_students GROUP BY town ORDER BY sum(age) DESC, max(grade) LIMIT 2$$);
SELECT * FROM wa_twin_differences($$SELECT DISTINCT sum(age) / count(*) FROM wa_students GROUP BY town, age$$);
SELECT * FROM wa_twin_differences($$SELECT sum(age) + avg(grade) * 2 - count(town), coalesce(max(name), 'none') || min(since) FROM wa_students$$);
SELECT * FROM wa_twin_differences($$SELECT CASE WHEN count(*) > 100 THEN stddev(age) ELSE variance(age) END FROM wa_students GROUP BY town$$);

-- grouping sets
SELECT * FROM wa_twin_differences($$SELECT town, age, grouping(town, age), sum(grade), max(name), count(*) FROM wa_students GROUP BY CUBE (town, age)$$);
SELECT * FROM wa_twin_differences($$SELECT town, age % 3, since, avg(salary::numeric), min(tags) FROM wa_students GROUP BY GROUPING SETS ((town), (age % 3, since), ()) HAVING count(*) > 1$$);
SELECT * FROM wa_twin_differences($$SELECT sum(age), avg(grade), count(*) FROM wa_students WHERE false GROUP BY GROUPING SETS ((town), (), ())$$);

-- joins, nested and correlated subqueries, outer-level aggregates, LATERAL
SELECT * FROM wa_twin_differences($$SELECT t.town, t.people, count(s.*), avg(s.grade), max(s.name) FROM wa_towns t LEFT JOIN wa_students s USING (town) GROUP BY t.town$$);
SELECT * FROM wa_twin_differences($$SELECT a.town, sum(a.age * b.age), max(a.grade - b.grade) FROM wa_students a JOIN wa_students b ON a.age = b.age AND a.town = b.town GROUP BY a.town$$);
SELECT * FROM wa_twin_differences($$SELECT (SELECT max((SELECT min(s.age) FROM wa_students s WHERE s.town = t.town)) FROM wa_towns t)$$);
SELECT * FROM wa_twin_differences($$SELECT t.town, (SELECT avg(s.grade) FROM wa_students s WHERE s.town = t.town AND s.age > (SELECT avg(age) FROM wa_students)) FROM wa_towns t$$);
SELECT * FROM wa_twin_differences($$SELECT name FROM wa_students o WHERE grade = (SELECT max(grade) FROM wa_students i WHERE i.town = o.town)$$);
SELECT * FROM wa_twin_differences($$SELECT avg(total), max(most) FROM (SELECT town, sum(age) AS total, max(grade) AS most FROM wa_students GROUP BY town) s$$);
SELECT * FROM wa_twin_differences($$SELECT (SELECT count(*) FROM wa_towns t WHERE t.people > sum(s.age) * 20) FROM wa_students s GROUP BY s.town$$);
SELECT * FROM wa_twin_differences($$SELECT t.town, l.* FROM wa_towns t, LATERAL (SELECT count(*), avg(age), max(salary), sum(salary) FROM wa_students s WHERE s.town = t.town) l$$);
SELECT * FROM wa_twin_differences($$WITH RECURSIVE r(n, s) AS (SELECT 1, 1::numeric UNION ALL SELECT n + 1, (SELECT sum(x * 1.5) FROM generate_series(1, n) x) FROM r WHERE n < 8) SELECT max(s), sum(n) FROM r$$);
SELECT * FROM wa_twin_differences($$SELECT town FROM wa_students GROUP BY town HAVING EXISTS (SELECT FROM wa_towns t WHERE t.people > 100 * max(wa_students.age) AND t.town = wa_students.town)$$);
SELECT * FROM wa_twin_differences($$SELECT min(x), max(x), count(x) FROM (SELECT name FROM wa_students UNION ALL SELECT town FROM wa_towns) u(x)$$);

-- windows
SELECT * FROM wa_twin_differences($$SELECT name, sum(age) OVER (PARTITION BY town ORDER BY name), avg(grade) OVER (ORDER BY age, name ROWS 10 PRECEDING), max(height) OVER (ORDER BY age RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING), count(*) OVER () FROM wa_students$$);
SELECT * FROM wa_twin_differences($$SELECT town, sum(sum(age)) OVER (ORDER BY town), max(count(*)) OVER (), avg(avg(grade)) OVER (ORDER BY town ROWS UNBOUNDED PRECEDING) FROM wa_students GROUP BY town$$);
SELECT * FROM wa_twin_differences($$SELECT name, stddev(age) OVER w, sum(salary) OVER w, min(tags) OVER w, avg(since - date '2010-01-01') OVER w FROM wa_students WINDOW w AS (PARTITION BY town ORDER BY since GROUPS BETWEEN 3 PRECEDING AND 1 PRECEDING)$$);

-- arguments of every kind: expressions, nested calls, composites, volatile ones
SELECT * FROM wa_twin_differences($$SELECT sum(length(name)), max(upper(town)), avg(age * grade), min(tags || name), count(ROW(age, town)), max((tags)[1]), sum(cardinality(tags)) FROM wa_students$$);
SELECT gpu_sum(random() * 0 + age) = sum(age) AS volatile FROM wa_students;
SELECT gpu_sum(generate_series) FROM generate_series(1, 10);
SELECT gpu_max(gpu_sum(age)) FROM wa_students;
SELECT name FROM wa_students WHERE gpu_max(age) > 3;
SELECT gpu_avg(generate_series(1, 3));

-- views, functions, prepared statements, inheritance and partitions
CREATE VIEW wa_by_town AS
SELECT town, gpu_count(*) AS n, gpu_avg(grade) AS grade, gpu_max(name) AS name FROM wa_students GROUP BY town;
SELECT v.town FROM wa_by_town v JOIN (SELECT town, count(*) AS n, avg(grade) AS grade, max(name) AS name
                                      FROM wa_students GROUP BY town) b
    ON b.town IS NOT DISTINCT FROM v.town
WHERE ROW(v.n, v.grade, v.name)::text <> ROW(b.n, b.grade, b.name)::text;
DROP VIEW wa_by_town;
PREPARE wa_query(text, integer) AS
SELECT count(age), gpu_count(age), avg(grade), gpu_avg(grade), max(name), gpu_max(name)
FROM wa_students WHERE town = $1 AND age > $2;
EXECUTE wa_query('Graz', 20);
SET plan_cache_mode = force_generic_plan;
EXECUTE wa_query('Linz', 40);
EXECUTE wa_query('Enns', 0);
RESET plan_cache_mode;
DEALLOCATE wa_query;
CREATE TABLE wa_parts (k integer, x numeric, t text) PARTITION BY RANGE (k);
CREATE TABLE wa_parts_1 PARTITION OF wa_parts FOR VALUES FROM (0) TO (300);
CREATE TABLE wa_parts_2 PARTITION OF wa_parts FOR VALUES FROM (300) TO (1000);
INSERT INTO wa_parts SELECT i, i * ('1e-' || i % 4)::numeric, 't' || i FROM generate_series(0, 999) i;
ANALYZE wa_parts;
SET enable_partitionwise_aggregate = on;
SELECT wa_plan($$SELECT gpu_sum(x) FROM wa_parts$$);
SELECT * FROM wa_twin_differences('SELECT sum(x), avg(x), max(t), count(*), stddev(k) FROM wa_parts');
SELECT * FROM wa_twin_differences('SELECT k, sum(x), max(t), stddev(x) FROM wa_parts GROUP BY k');
SELECT * FROM wa_twin_differences('SELECT k % 7, sum(x), min(t), variance(k) FROM wa_parts GROUP BY k % 7');
RESET enable_partitionwise_aggregate;
DROP TABLE wa_parts;

-- the same in parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
SELECT regexp_replace(line, '^[ >-]+', '') AS line FROM wa_plan($$SELECT town, gpu_avg(grade), gpu_max(name), gpu_stddev(age) FROM wa_students GROUP BY town$$) line
WHERE line ~ 'Gather$|Workers|Partial|Scan';
SELECT * FROM wa_twin_differences($$SELECT town, sum(age), avg(age), stddev(age), avg(grade), max(name), min(tags), count(*), sum(salary), max(since) FROM wa_students GROUP BY town$$);
SELECT * FROM wa_twin_differences($$SELECT sum(age), avg(age), stddev(age), avg(grade), max(name), min(tags), count(*), sum(salary), max(since) FROM wa_students$$);
SELECT * FROM wa_twin_differences($$SELECT t.people, count(s.*), avg(s.grade), max(s.name) FROM wa_towns t LEFT JOIN wa_students s USING (town) GROUP BY t.people$$);
SELECT * FROM wa_twin_differences($$SELECT town, count(DISTINCT age), max(grade) FILTER (WHERE age > 30) FROM wa_students GROUP BY town HAVING avg(age) > 0$$);
SELECT * FROM wa_twin_differences($$SELECT town, age % 2, sum(age), avg(grade) FROM wa_students GROUP BY ROLLUP (town, age % 2)$$);
SELECT * FROM wa_twin_differences($$SELECT sum(x), avg(x), count(x), max(x) FROM (SELECT n AS x FROM wa_values UNION ALL SELECT i8 FROM wa_values) u$$);
DROP FUNCTION wa_twin_differences;
DROP TABLE wa_students, wa_towns, wa_hundred;
