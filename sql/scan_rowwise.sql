-- The scan tier: rows that have no vector are computed singly, and with them few
-- others.
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.enable_resident = off;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
-- Numbers that have no vector in one row of 700, of 90, of 20, in every one, and in
-- those of the middle; and texts out of line.
CREATE TABLE singly WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 7 AS k, (i % 5000)::numeric AS n,
       CASE WHEN i % 700 = 0 THEN 'NaN'::numeric ELSE i % 100 END AS n700,
       CASE WHEN i % 90 = 5 THEN 1e50 + i ELSE i % 100 END AS n90,
       CASE WHEN i % 20 = 7 THEN 'Infinity'::numeric ELSE i % 100 END AS n20,
       1e45 + i AS n1,
       CASE WHEN i BETWEEN 9000 AND 12000 THEN 1e40 + i ELSE i % 100 END AS middle,
       CASE WHEN i % 500 = 250 THEN repeat(md5(i::text), 300) ELSE 'text ' || i % 30 END AS s
FROM generate_series(1, 20000) i;
ANALYZE singly;
-- Returns how many rows are computed singly, and whether the result is as without
-- the node.
CREATE FUNCTION singly(query text, OUT rows bigint, OUT is_same boolean) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    "with" text;
    without text;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
    rows := CASE WHEN plan->0->'Plan'->>'Custom Plan Provider' = 'WarpAgg'
        THEN coalesce((plan->0->'Plan'->>'Rows Computed Singly')::bigint, 0) ELSE -1 END;
    query := format('SELECT md5(string_agg(q::text, '' '' ORDER BY q::text)) FROM (%s) q', query);
    EXECUTE query INTO "with";
    SET LOCAL warpagg.enable_scan = off;
    EXECUTE query INTO without;
    SET LOCAL warpagg.enable_scan = on;
    is_same := "with" = without;
END
$$;
SELECT "column", r.is_same, CASE WHEN r.rows = 0 THEN 'none' WHEN r.rows < 10000 THEN 'few' ELSE 'most' END AS rows
FROM unnest('{n,n700,n90,n20,n1,middle}'::text[]) "column",
     singly(format('SELECT k, count(*), sum(%1$s), max(%1$s), sum(%1$s) FILTER (WHERE id %% 3 = 0) FROM singly WHERE id > 10 GROUP BY k', "column")) r;
SELECT r.is_same, CASE WHEN r.rows = 0 THEN 'none' WHEN r.rows < 10000 THEN 'few' ELSE 'most' END AS rows FROM singly('SELECT s, count(*), sum(n), min(id) FROM singly GROUP BY s') r;
SELECT r.is_same, CASE WHEN r.rows = 0 THEN 'none' WHEN r.rows < 10000 THEN 'few' ELSE 'most' END AS rows FROM singly('SELECT sum(n700), count(*) FROM singly WHERE n90 < 50') r;
-- Groups that are spilled.
SET work_mem = '64kB';
SELECT "column", r.is_same
FROM unnest('{n700,n90,n20,n1,middle,s}'::text[]) "column",
     singly(format('SELECT id %% 15000, max(%1$s), count(*), min(%1$s) FROM singly GROUP BY 1', "column")) r;
SELECT r.is_same FROM singly('SELECT n90, s, n20, count(*), sum(id) FROM singly GROUP BY 1, 2, 3') r;
RESET work_mem;
-- A sum of squares that leaves few bits of its words free where it becomes part of a state.
CREATE TABLE singly_squares WITH (autovacuum_enabled = off) AS
SELECT CASE i WHEN 3 THEN -6359500000000000000000000000000000 WHEN 26 THEN 3906.5 WHEN 33 THEN 0.00000000000000000050215 END::numeric AS n
FROM generate_series(1, 33) i;
SET cpu_tuple_cost = 1;
SELECT r.rows >= 0 AS has_node, r.is_same FROM singly('SELECT var_samp(n), stddev_pop(n), sum(n) FROM singly_squares') r;
RESET cpu_tuple_cost;
DROP TABLE singly_squares;
-- Of two errors in a batch, that of the first row.
SELECT sum(n700), sum(10 / (id - 15800)) FROM singly;
SELECT sum(n90), sum(CASE WHEN id = 15790 THEN 2147483647 + k ELSE 10 / (id - 15800) END) FROM singly;
SELECT sum(n90), sum(CASE WHEN id = 15810 THEN 2147483647 + k ELSE 10 / (id - 15800) END) FROM singly;
DROP FUNCTION singly;
DROP TABLE singly;
