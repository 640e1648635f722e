--
-- The scan tier: expressions too long, or too deep, for a query program.
--
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
-- What PostgreSQL evaluates is computed here even where its own plan is cheaper.
SET cpu_tuple_cost = 1;

CREATE TABLE wa_long AS
SELECT i AS id, i % 7 AS z, ((i * 37) % 1000) / 100.0::numeric(10,2) AS n, 'text ' || i % 23 AS s
FROM generate_series(1, 500) i;
INSERT INTO wa_long VALUES (501, NULL, NULL, NULL), (502, 0, 0, '');
ANALYZE wa_long;

-- Tells who computed a query, and whether the result is PostgreSQL's.
CREATE FUNCTION wa_long_compare(query text, OUT node boolean, OUT same boolean)
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    with_node text;
    without_node text;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    node := plan::text LIKE '%WarpAgg%';
    query := format('SELECT string_agg(q::text, '','' ORDER BY q::text) FROM (%s) q', query);
    EXECUTE query INTO with_node;
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    EXECUTE query INTO without_node;
    PERFORM set_config('warpagg.enable_scan', 'on', true);
    same := with_node IS NOT NULL AND with_node IS NOT DISTINCT FROM without_node;
END
$$;

-- Returns n copies of a pattern in which # is the number of the copy.
CREATE FUNCTION wa_repeat(pattern text, n integer, separator text DEFAULT '') RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(replace(pattern, '#', i::text), separator ORDER BY i) FROM generate_series(1, n) i $$;

-- What is too long for a program PostgreSQL evaluates as a whole.
CREATE TABLE wa_queries (name text, query text);
INSERT INTO wa_queries VALUES
    ('terms that fit', 'SELECT sum(' || wa_repeat('(id % (# + 1))', 300, '+') || ') FROM wa_long'),
    ('terms', 'SELECT sum(' || wa_repeat('(id % (# + 1))', 800, '+') || ') FROM wa_long'),
    ('terms of a key', 'SELECT ' || wa_repeat('(z % (# + 1))', 600, '+') || ', count(*), sum(id) FROM wa_long GROUP BY 1'),
    ('the same in key and argument', 'SELECT ' || wa_repeat('(z % (# + 1))', 600, '+') || ', max(' || wa_repeat('(z % (# + 1))', 600, '+') || ') FROM wa_long GROUP BY 1'),
    ('behind a condition', 'SELECT sum(' || wa_repeat('(1000 / z % (# + 1))', 400, '+') || ') FILTER (WHERE z <> 0) FROM wa_long'),
    ('clauses of OR', 'SELECT count(*), min(s) FROM wa_long WHERE ' || wa_repeat('(id = # * 3 AND z = # % 7)', 300, ' OR ')),
    ('clauses of AND', 'SELECT count(*) FROM wa_long WHERE ' || wa_repeat('id <> # * 3', 300, ' AND ')),
    ('nested CASE', 'SELECT sum(' || wa_repeat('CASE WHEN id = # THEN z ELSE ', 400) || '0' || repeat(' END', 400) || ') FROM wa_long'),
    ('nested GREATEST', 'SELECT max(' || wa_repeat('GREATEST(z, # % 5, ', 300) || 'id' || repeat(')', 300) || ') FROM wa_long'),
    ('nested NULLIF', 'SELECT sum(' || repeat('NULLIF(', 100) || 'z' || wa_repeat(', # * 2)', 100) || ') FROM wa_long'),
    ('texts', 'SELECT max(' || wa_repeat('(id + #)::text', 500, '||') || ') FROM wa_long'),
    ('factors', 'SELECT sum(' || wa_repeat('round(n / 10 + 0.5, 1)', 60, '*') || ') FROM wa_long'),
    ('quotients', 'SELECT sum(' || wa_repeat('n / #', 500, '+') || ') FROM wa_long'),
    ('long and short ones', 'SELECT sum(' || wa_repeat('(id % (# + 1))', 800, '+') || '), sum(id), sum(id + 3), max(' || wa_repeat('(id % (# + 3))', 800, '+') || ') FROM wa_long');
SELECT name, node, same FROM wa_queries, wa_long_compare(query) ORDER BY name;

-- An error is PostgreSQL's.
SELECT 'SELECT sum((id % (502 - id)) + ' || wa_repeat('(id % (# + 1))', 800, '+') || ') FROM wa_long' AS query \gset
:query;

-- The same long terms in several clauses, each of which computes them anew.
SELECT node, same FROM wa_long_compare('SELECT count(*) FROM wa_long WHERE ' ||
    wa_repeat(wa_repeat('id % (# + 1)', 20, '+') || ' <> #', 10, ' AND '));

-- Too many expressions, or too deep ones, are left to PostgreSQL.
SET warpagg.explain_refusals = on;
SELECT 'SELECT ' || wa_repeat('sum(id % (# + 1))', 1200, ',') || ' FROM wa_long' AS many,
       'SELECT sum(' || wa_repeat('id', 2000, '+') || ') FROM wa_long' AS deep,
       'SELECT count(*) FROM wa_long WHERE ' ||
       wa_repeat(wa_repeat('id % (# + 1)', 20, '+') || ' <> #', 80, ' AND ') AS clauses \gset
SET client_min_messages = notice;
:many \g /dev/null
:deep;
:clauses;
RESET warpagg.explain_refusals;
SET client_min_messages = warning;

DROP TABLE wa_long, wa_queries;
DROP FUNCTION wa_long_compare(text);
DROP FUNCTION wa_repeat(text, integer, text);
