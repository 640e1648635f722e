--
-- ORDER BY without LIMIT: the node returns its groups in that order where it can, for a sort
-- that finds them sorted, and results are PostgreSQL's.
--
\pset null '(null)'
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';
SET jit = off;

CREATE TABLE wa_ordered (
    id integer, k smallint, i integer, big bigint, far bigint, d date, b boolean, n numeric(6, 1),
    few text, many text, c text COLLATE "C", padded char(12), wide char(100), blanks bpchar, v varchar(9))
    WITH (autovacuum_enabled = off);
INSERT INTO wa_ordered
SELECT g, g % 16 - 8, g % 67 - 33, g % 3 * 4000000000 - 4000000000,
       CASE g % 4 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775807 - 1 ELSE g % 5 END,
       date '2020-02-29' + g % 31, g % 3 = 0, g % 13 / 10.0,
       (ARRAY['b', 'B', 'a b', 'ab', 'A', '', 'ä', 'z', 'Z1', '_', 'a'])[g % 11 + 1], 'many ' || g % 1500,
       (ARRAY['b', 'B', 'a b', 'ab', 'A', '', 'ä', 'z'])[g % 8 + 1], (ARRAY['UNITED KI1', 'PERU', 'CHINA    1', ''])[g % 4 + 1],
       'Wide ' || g % 5, 'x' || g % 3 || repeat(' ', g / 2500), 'v' || g % 90
FROM generate_series(1, 6000) g;
UPDATE wa_ordered SET k = NULL, i = NULL, big = NULL, d = NULL, b = NULL, few = NULL, c = NULL, padded = NULL, blanks = NULL
WHERE id % 19 = 3;
VACUUM ANALYZE wa_ordered;

CREATE TABLE wa_ordered_queries AS
SELECT row_number() OVER () AS id, format('SELECT %s, count(*), sum(i) AS s FROM wa_ordered GROUP BY %1$s ORDER BY %s', keys, orders) AS query
FROM (VALUES
    -- integers and what is stored as these, of few groups and of many
    ('i', 'i'), ('i', 'i DESC'), ('i', 'i NULLS FIRST'), ('i', 'i DESC NULLS LAST'), ('k', 'k DESC'),
    ('k, i', 'k, i DESC'), ('d, k', 'd DESC, k'), ('big, i', 'big DESC, i'), ('b, i', 'b, i'), ('i, b', 'b DESC NULLS LAST, i'),
    ('i, big, d', 'd, big, i'),
    -- numbers that have no room in a word, alone and together
    ('far, i', 'far, i'), ('big, i, id', 'big, i, id'), ('i, d, id / 2', 'i, id / 2'),
    -- texts that groups share, and that they do not
    ('few, i', 'few, i'), ('few, i', 'few DESC, i DESC'), ('i, few, c', 'i NULLS FIRST, few DESC NULLS LAST, c'), ('c, d', 'c, d'),
    ('many, few', 'many, few'), ('few, many', 'few, many DESC'), ('v, k', 'v, k'), ('few, i', 'few COLLATE "C", i'), ('few, i', 'few USING ~>~, i'),
    ('padded, i', 'padded, i'), ('wide, d', 'wide DESC, d'), ('blanks, i', 'blanks, i'), ('padded, wide, blanks, k', 'padded, wide, blanks, k'),
    -- results
    ('i, few', 's, i, few'), ('i, few', 's DESC NULLS LAST, few, i'), ('i, few', 'count(*) DESC, few, i'), ('few, k', 'few, s, k'),
    ('k, few', 'count(*) FILTER (WHERE b), k, few'), ('i, few', 'min(big), few, i'), ('i, few', 'max(far) DESC, i, few'),
    -- what the node does not compare
    ('i, few', 'sum(big), i, few'), ('n, i', 'n, i'), ('i, few', 'i + 1, few'), ('i, few', 'min(d), i, few'),
    ('few, i', '1, 2')) AS q (keys, orders);
INSERT INTO wa_ordered_queries VALUES
    (100, 'SELECT i, few, sum(k) FROM wa_ordered GROUP BY 1, 2 HAVING count(*) > 4 ORDER BY 3, 1, 2'),
    (107, 'SELECT DISTINCT few, i FROM wa_ordered ORDER BY few DESC, i'),
    (101, 'SELECT DISTINCT few, count(*) FROM wa_ordered GROUP BY few, i ORDER BY 1, 2'),
    (102, 'SELECT few, i, sum(count(*)) OVER (ORDER BY few, i) FROM wa_ordered GROUP BY few, i ORDER BY i, few'),
    (103, 'SELECT few, i, generate_series(1, 2) FROM wa_ordered GROUP BY few, i ORDER BY few, i, 3'),
    (104, 'SELECT few, i, count(*) FROM wa_ordered GROUP BY few, i ORDER BY few, i LIMIT 500'),
    (105, 'SELECT i, few, count(*) FROM wa_ordered WHERE id < 0 GROUP BY i, few ORDER BY i, few'),
    (106, 'SELECT f, string_agg(few || s, '','') FROM generate_series(1, 3) AS f, LATERAL (SELECT few, i, sum(k + f) AS s FROM wa_ordered GROUP BY few, i ORDER BY few, i) AS o GROUP BY 1');

-- Of the heap, of resident columns, and of both.
SELECT wa_compare_order(query) AS heap, count(*), array_agg(id ORDER BY id) AS ids FROM wa_ordered_queries GROUP BY 1 ORDER BY 2 DESC, 1;
SELECT warpagg_load('wa_ordered') > 0 AS loaded;
SELECT wa_compare_order(query) AS resident, count(*), array_agg(id ORDER BY id) AS ids FROM wa_ordered_queries GROUP BY 1 ORDER BY 2 DESC, 1;
INSERT INTO wa_ordered SELECT g, g % 5, g % 67, 7, 9, date '2020-02-29', true, 1.0, 'new ' || g % 3, 'many ' || g, 'new', 'PERU', 'Wide 1', 'x1', 'v1'
FROM generate_series(10001, 10200) g;
SELECT wa_compare_order(query) AS both, count(*), array_agg(id ORDER BY id) AS ids FROM wa_ordered_queries GROUP BY 1 ORDER BY 2 DESC, 1;

-- A batch of those that are spilled is not all of them.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT wa_compare_order('SELECT many, few, i, count(*) FROM wa_ordered GROUP BY 1, 2, 3 ORDER BY few, i, many') AS spilled;
RESET work_mem;
RESET hash_mem_multiplier;

-- Plans that run again.
PREPARE wa_ordered_again AS SELECT few, i, sum(k) FROM wa_ordered WHERE id > $1 GROUP BY few, i ORDER BY few DESC, i;
SET plan_cache_mode = force_generic_plan;
CREATE TEMP TABLE wa_ordered_first AS EXECUTE wa_ordered_again (5000);
CREATE TEMP TABLE wa_ordered_second AS EXECUTE wa_ordered_again (100000);
CREATE TEMP TABLE wa_ordered_third AS EXECUTE wa_ordered_again (5000);
SELECT (SELECT count(*) FROM wa_ordered_second) AS none,
       (SELECT array_agg(t::text) FROM wa_ordered_first t) = (SELECT array_agg(t::text) FROM wa_ordered_third t) AS same,
       (SELECT array_agg(t::text) FROM wa_ordered_first t)
           = (SELECT array_agg(t::text) FROM (SELECT few, i, sum(k) FROM wa_ordered WHERE id > 5000 GROUP BY few, i ORDER BY few DESC, i) t) AS right;

DROP TABLE wa_ordered, wa_ordered_queries, wa_ordered_first, wa_ordered_second, wa_ordered_third;
