--
-- FILTER, DISTINCT, ORDER BY, HAVING, joins, subqueries, prepared statements,
-- cursors, savepoints and errors in the middle.
--
\pset null '(null)'
SELECT sum(i4) FILTER (WHERE id % 2 = 0), gpu_sum(i4) FILTER (WHERE id % 2 = 0),
       min(i4) FILTER (WHERE id % 2 = 1), gpu_min(i4) FILTER (WHERE id % 2 = 1)
FROM wa_values;
SELECT sum(i4) FILTER (WHERE false), gpu_sum(i4) FILTER (WHERE false) FROM wa_values;
SELECT sum(DISTINCT i2 % 100), gpu_sum(DISTINCT i2 % 100),
       min(DISTINCT i2), gpu_min(DISTINCT i2), gpu_sum(i2) - sum(i2)
FROM wa_values;
SELECT sum(i8 ORDER BY id DESC), gpu_sum(i8 ORDER BY id DESC) FROM wa_values;
SELECT sum(DISTINCT f8 ORDER BY f8), gpu_sum(DISTINCT f8 ORDER BY f8) FROM wa_values;
SELECT grp, sum(i4) = gpu_sum(i4) AS equal FROM wa_values
GROUP BY grp HAVING gpu_sum(i4) > 0 AND gpu_min(id) < 5 ORDER BY gpu_sum(i4), grp;

-- joins and subqueries
SELECT sum(a.i4), gpu_sum(a.i4), min(b.d), gpu_min(b.d)
FROM wa_values a JOIN wa_values b ON b.id = a.id + 1 WHERE a.grp = 3;
SELECT sum(x), gpu_sum(x) FROM (SELECT gpu_sum(i4) AS x FROM wa_values GROUP BY grp) s;
SELECT id, (SELECT gpu_sum(v.i4 + w.id) FROM wa_values v WHERE v.id <= 3) =
           (SELECT sum(v.i4 + w.id) FROM wa_values v WHERE v.id <= 3) AS correlated
FROM wa_values w WHERE id <= 3 ORDER BY id;
SELECT gpu_sum(i4) = (SELECT sum(i4) FROM wa_values) FROM wa_values;
WITH s AS MATERIALIZED (SELECT i4, f8 FROM wa_values WHERE grp = 5)
SELECT sum(i4), gpu_sum(i4), sum(f8), gpu_sum(f8) FROM s;
-- a domain over a covered type
CREATE DOMAIN wa_positive AS integer CHECK (VALUE > 0);
SELECT sum(x::wa_positive), gpu_sum(x::wa_positive), gpu_min(x::wa_positive)
FROM generate_series(1, 10) x;
DROP DOMAIN wa_positive;

-- prepared statements, with custom and generic plans
PREPARE wa_plan(integer) AS
SELECT sum(i4), gpu_sum(i4), gpu_min(i8) = min(i8) FROM wa_values WHERE grp = $1;
EXECUTE wa_plan(1);
SET plan_cache_mode = force_generic_plan;
EXECUTE wa_plan(1);
EXECUTE wa_plan(2);
EXECUTE wa_plan(100);
RESET plan_cache_mode;
DEALLOCATE wa_plan;

-- cursors, one of them left while groups are still to come
BEGIN;
DECLARE wa_cursor CURSOR FOR
SELECT grp, sum(i4) = gpu_sum(i4) AS equal FROM wa_values GROUP BY grp ORDER BY grp;
FETCH 2 FROM wa_cursor;
SELECT sum(i4), gpu_sum(i4) FROM wa_values;
FETCH 2 FROM wa_cursor;
MOVE BACKWARD ALL FROM wa_cursor;
FETCH 1 FROM wa_cursor;
COMMIT;

-- errors in the middle leave nothing behind
BEGIN;
SAVEPOINT s;
SELECT gpu_sum(1 / (15000 - id)) FROM wa_values;
ROLLBACK TO s;
SELECT sum(i4), gpu_sum(i4) FROM wa_values;
COMMIT;
DO $$
DECLARE
    failures integer := 0;
    good bigint;
BEGIN
    FOR i IN 1..20 LOOP
        BEGIN
            PERFORM gpu_sum(100 / (id - 19000)), gpu_min(f8) FROM wa_values;
        EXCEPTION WHEN division_by_zero THEN
            failures := failures + 1;
        END;
    END LOOP;
    SELECT gpu_sum(i4) INTO good FROM wa_values;
    RAISE NOTICE '% failures, then equal: %', failures,
        good = (SELECT sum(i4) FROM wa_values);
END
$$;
