--
-- gpu_count beside count.
--
\pset null '(null)'
SELECT count(*), gpu_count(*), count(i4), gpu_count(i4), count(NULL), gpu_count(NULL) FROM wa_values;
SELECT count(*), gpu_count(*), count(i4), gpu_count(i4) FROM wa_values WHERE false;
SELECT count(x), gpu_count(x), count(*), gpu_count(*) FROM (VALUES (NULL::json), (NULL)) v(x);
SELECT gpu_count(*);
SELECT gpu_count('text of unknown type'), gpu_count(NULL), gpu_count(1);

-- Every column, by group and without; count is there beside other aggregates
-- of the column, and alone.
SELECT c.name, d.*
FROM wa_columns c, (VALUES (''), ('id % 3')) g(groups),
     LATERAL wa_differences('count', name, 'wa_values', groups) d;
SET warpagg.min_device_rows = 100;
SELECT c.name, d.*
FROM wa_columns c, (VALUES ('grp'), ('id % 5000')) g(groups),
     LATERAL wa_differences('count', name, 'wa_values', groups) d;
SELECT c.name, d.*
FROM wa_columns c, LATERAL wa_differences(functions, name, 'wa_values', 'grp, id % 3') d;
SELECT * FROM wa_differences('count', '*', 'wa_values', 'grp');
SELECT * FROM wa_differences('count', '*', 'wa_values', 'grp', 'FILTER (WHERE i4 > 0)');
SELECT c.name, d.*
FROM wa_columns c,
     LATERAL wa_differences('count', 'DISTINCT ' || name, 'wa_values', 'grp') d
WHERE c.name <> 'ti';

-- Types that no other aggregate of the family takes.
SELECT * FROM wa_differences('count', 'x', '(VALUES (true), (NULL), (false)) v(x)');
SELECT * FROM wa_differences('count', 'x', '(VALUES (json ''{}''), (NULL)) v(x)');
SELECT * FROM wa_differences('count', 'x', '(VALUES (point ''(1,2)''), (NULL)) v(x)');
SELECT * FROM wa_differences('count', 'x', '(VALUES (int4range ''[1,2)''), (''empty''), (NULL)) v(x)');
SELECT * FROM wa_differences('count', 'x', '(VALUES (''\x00''::bytea), (NULL)) v(x)');
SELECT * FROM wa_differences('count', 'x', '(VALUES (''a''::name), (NULL)) v(x)');
SELECT * FROM wa_differences('count', 'x', '(VALUES (gen_random_uuid()), (NULL)) v(x)');
-- rows, of which one of NULLs is not NULL
SELECT count(w), gpu_count(w), count(ROW(i4, i8)), gpu_count(ROW(i4, i8)) FROM wa_values w;
SELECT count(x), gpu_count(x) FROM (VALUES (ROW(NULL, NULL)), (NULL), (ROW(1, NULL))) v(x);
-- large values, which are counted without being read
SELECT count(x), gpu_count(x)
FROM (SELECT CASE WHEN i % 3 > 0 THEN repeat(md5(i::text), 1000) END AS x
      FROM generate_series(1, 300) i) v;

-- Modifiers, windows, parallel plans.
SELECT grp, count(*) FROM wa_values
GROUP BY grp HAVING gpu_count(i8) <> count(i8) OR gpu_count(*) <> count(*);
SELECT count(*), count(*) FILTER (WHERE b1 <> g1 OR b2 <> g2 OR b3 <> g3) AS differences
FROM (SELECT count(*) OVER w AS b1, gpu_count(*) OVER w AS g1,
             count(s) OVER w AS b2, gpu_count(s) OVER w AS g2,
             count(i4) FILTER (WHERE id % 3 = 0) OVER w AS b3,
             gpu_count(i4) FILTER (WHERE id % 3 = 0) OVER w AS g3
      FROM wa_values
      WINDOW w AS (PARTITION BY grp ORDER BY id ROWS BETWEEN 20 PRECEDING AND 3 FOLLOWING)) c;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
EXPLAIN (COSTS OFF) SELECT gpu_count(*), gpu_count(i4) FROM wa_values;
SELECT count(*), gpu_count(*), count(i4), gpu_count(i4), count(s), gpu_count(s) FROM wa_values;
SELECT * FROM wa_differences('count', 'i8', 'wa_values', 'grp');
SELECT count(*), gpu_count(*), count(i4), gpu_count(i4) FROM wa_values WHERE id < 0;

-- Errors are PostgreSQL's ordinary ones.
SELECT gpu_count();
\set VERBOSITY terse
SELECT gpu_count(1, 2);
\set VERBOSITY default
