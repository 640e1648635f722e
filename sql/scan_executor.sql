-- The scan tier: the node beside other nodes of the executor, and under the rules
-- that hold for those that it replaces.
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
CREATE TABLE exec_rows WITH (autovacuum_enabled = off)
    AS SELECT i AS id, i % 10 AS k, i AS v FROM generate_series(1, 20000) i;
ANALYZE exec_rows;

-- A cursor over groups stands on no row of the table.
BEGIN;
DECLARE exec_sums CURSOR FOR SELECT sum(v) FROM exec_rows;
FETCH exec_sums;
SAVEPOINT before;
UPDATE exec_rows SET v = 0 WHERE CURRENT OF exec_sums;
ROLLBACK TO before;
DELETE FROM exec_rows WHERE CURRENT OF exec_sums;
ROLLBACK;

-- Without privileges for what compares keys there are no groups.
CREATE ROLE exec_user;
GRANT SELECT ON exec_rows TO exec_user;
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4eq(integer, integer) FROM PUBLIC;
SET LOCAL ROLE exec_user;
SELECT sum(v) FROM exec_rows;
EXPLAIN (COSTS OFF) SELECT k, count(*) FROM exec_rows GROUP BY k;
SELECT k, count(*) FROM exec_rows GROUP BY k;
ROLLBACK;
DROP OWNED BY exec_user;
DROP ROLE exec_user;

DROP TABLE exec_rows;
