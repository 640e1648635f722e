--
-- The scan tier: clauses of WHERE without columns.
--
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
SET plan_cache_mode = force_generic_plan;
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;

CREATE TABLE wa_gate AS SELECT i AS id, i % 7 AS z, 'text ' || i % 5 AS s FROM generate_series(1, 3000) i;
CREATE TABLE wa_gate_none (id integer, z integer);
CREATE TABLE wa_gate_outer AS SELECT x FROM generate_series(1, 5) x UNION ALL SELECT NULL;
ANALYZE wa_gate, wa_gate_none, wa_gate_outer;
-- A stable function that tells when it is called.
CREATE FUNCTION wa_gate_stable(integer) RETURNS integer LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RAISE WARNING 'called with %', $1;
    RETURN 10 / $1;
END
$$;

-- Tells who computed a query, and whether the result is PostgreSQL's.
CREATE FUNCTION wa_gate_compare(query text, OUT node boolean, OUT same boolean, OUT result text)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    without_node text;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    node := plan::text LIKE '%WarpAgg%';
    query := format('SELECT COALESCE(string_agg(q::text, '' '' ORDER BY q::text), ''nothing'') FROM (%s) q', query);
    EXECUTE query INTO result;
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    EXECUTE query INTO without_node;
    PERFORM set_config('warpagg.enable_scan', 'on', true);
    same := result = without_node;
END
$$;

SELECT wa_plan($$SELECT count(*), sum(id) FROM wa_gate WHERE now() > '2000-01-01' AND z >= 3$$);
SELECT c.* FROM unnest(ARRAY[
    'SELECT count(*), sum(id) FROM wa_gate WHERE now() > ''2000-01-01'' AND z >= 3',
    'SELECT count(*), sum(id) FROM wa_gate WHERE now() < ''2000-01-01'' AND z >= 3',
    'SELECT count(*), sum(id) FROM wa_gate WHERE NULLIF(now(), now()) IS NOT NULL',
    'SELECT count(*), sum(id) FROM wa_gate WHERE NULLIF(now(), now()) > ''2000-01-01''',
    'SELECT z, count(*), max(s) FROM wa_gate WHERE now() > ''2000-01-01'' GROUP BY z',
    'SELECT z, count(*), max(s) FROM wa_gate WHERE now() < ''2000-01-01'' AND id > 5 GROUP BY z',
    'SELECT z, count(*) FROM wa_gate WHERE now() > ''2000-01-01'' AND current_setting(''work_mem'') <> '''' GROUP BY z HAVING sum(id) > 642000 ORDER BY z LIMIT 2',
    'SELECT z, count(*) FROM wa_gate WHERE id > 1000 GROUP BY z HAVING now() > ''2000-01-01'' AND count(*) > 285',
    'SELECT z, count(*) FROM wa_gate WHERE id > 1000 GROUP BY z HAVING now() < ''2000-01-01''',
    'SELECT count(*) FROM wa_gate HAVING now() < ''2000-01-01''',
    'SELECT count(*) FROM wa_gate WHERE id > 7 HAVING now() > ''2000-01-01''',
    'SELECT count(*) FROM wa_gate_none WHERE now() < ''2000-01-01''',
    -- False gates keep the errors of other clauses from being raised.
    'SELECT count(*), sum(z / (id - id)) FROM wa_gate WHERE now() < ''2000-01-01'' AND 1 / (id - id) = 1',
    -- Parameters of an outer query, and results of a subquery.
    'SELECT x, c.* FROM wa_gate_outer, LATERAL (SELECT count(*), min(id) FROM wa_gate WHERE x <> 3 AND z > 2) c',
    'SELECT x, c.* FROM wa_gate_outer, LATERAL (SELECT z, count(*) FROM wa_gate WHERE x > 3 AND z > x - 2 GROUP BY z) c',
    'SELECT x, (SELECT sum(id + x) FROM wa_gate WHERE x IS NOT NULL AND x % 2 = 1) FROM wa_gate_outer',
    'SELECT x, c.* FROM wa_gate_outer, LATERAL (SELECT x AS k, count(*) FROM wa_gate WHERE x > 2 GROUP BY x) c',
    'SELECT count(*) FROM wa_gate WHERE (SELECT max(x) FROM wa_gate_outer) > 4 AND z = 1',
    'SELECT count(*) FROM wa_gate WHERE EXISTS (SELECT FROM wa_gate_outer WHERE x = 77) AND z = 1']) q, wa_gate_compare(q) c;

-- It is evaluated once, whether there are rows or not, and its errors are raised.
SELECT count(*) FROM wa_gate WHERE wa_gate_stable(5) = 2 AND z = 1;
SELECT count(*) FROM wa_gate WHERE wa_gate_stable(5) = 3 AND wa_gate_stable(4) = 2;
SELECT count(*) FROM wa_gate WHERE wa_gate_stable(0) = 2 AND z = 1;
SELECT count(*) FROM wa_gate_none WHERE wa_gate_stable(0) = 2 AND z = 1;
SET warpagg.enable_scan = off;
SELECT count(*) FROM wa_gate WHERE wa_gate_stable(5) = 2 AND z = 1;
SELECT count(*) FROM wa_gate WHERE wa_gate_stable(5) = 3 AND wa_gate_stable(4) = 2;
SELECT count(*) FROM wa_gate WHERE wa_gate_stable(0) = 2 AND z = 1;
SELECT count(*) FROM wa_gate_none WHERE wa_gate_stable(0) = 2 AND z = 1;
SET warpagg.enable_scan = on;

-- Parameters of a statement.
PREPARE gated(integer, integer) AS SELECT z, count(*) FROM wa_gate WHERE ($1 IS NULL OR $1 > 3) AND z <> $2 GROUP BY z ORDER BY z LIMIT 2;
SELECT wa_plan($$EXECUTE gated(5, 1)$$);
EXECUTE gated(5, 0);
EXECUTE gated(3, 0);
EXECUTE gated(NULL, 5);
PREPARE keyed(boolean) AS SELECT $1 AS k, count(*) FROM wa_gate WHERE $1 GROUP BY $1;
EXECUTE keyed(true);
EXECUTE keyed(false);

-- Row security.
CREATE ROLE wa_gate_reader;
GRANT SELECT ON wa_gate TO wa_gate_reader;
ALTER TABLE wa_gate ENABLE ROW LEVEL SECURITY;
CREATE POLICY wa_gate_policy ON wa_gate TO wa_gate_reader USING (current_setting('wa.open', true) = 'yes');
SET ROLE wa_gate_reader;
SELECT count(*) FROM wa_gate WHERE wa_gate_stable(0) = 2;
SET wa.open = 'yes';
SELECT count(*), sum(id) FROM wa_gate WHERE wa_gate_stable(5) = 2;
SELECT wa_plan($$SELECT count(*), sum(id) FROM wa_gate WHERE wa_gate_stable(5) = 2$$);
RESET ROLE;
ALTER TABLE wa_gate DISABLE ROW LEVEL SECURITY;
DROP POLICY wa_gate_policy ON wa_gate;

-- Volatile functions and subqueries are left to PostgreSQL; several processes.
SET warpagg.explain_refusals = on;
SET client_min_messages = notice;
SELECT wa_plan($$SELECT count(*) FROM wa_gate WHERE random() >= 0 AND z > 2$$);
SELECT wa_plan($$SELECT count(*) FROM wa_gate WHERE 3 IN (SELECT x FROM wa_gate_outer) IS NOT FALSE$$);
SET client_min_messages = warning;
RESET warpagg.explain_refusals;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT c.* FROM unnest(ARRAY[
    'SELECT z, count(*), sum(id) FROM wa_gate WHERE now() > ''2000-01-01'' AND s <> ''text 3'' GROUP BY z',
    'SELECT z, count(*), sum(id) FROM wa_gate WHERE now() < ''2000-01-01'' AND s <> ''text 3'' GROUP BY z',
    'SELECT count(*), sum(id) FROM wa_gate WHERE now() < ''2000-01-01''']) q, wa_gate_compare(q) c;

DROP OWNED BY wa_gate_reader;
DROP ROLE wa_gate_reader;
DROP TABLE wa_gate, wa_gate_none, wa_gate_outer;
DROP FUNCTION wa_gate_stable(integer), wa_gate_compare(text);
