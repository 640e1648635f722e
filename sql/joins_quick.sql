--
-- Joins of which PostgreSQL does not look for the best order, where the node is sure to be
-- chosen; the messages tell.
--
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET warpagg.autoload = off;
SET warpagg.enable_resident = off;
SET warpagg.explain_refusals = off;
SET max_parallel_workers_per_gather = 0;
SELECT 0 * count(set_config(name, 'off', false)) AS eager FROM pg_settings WHERE name = 'enable_eager_aggregate';
\set VERBOSITY terse

CREATE TABLE quick_facts (id integer, a integer, b integer, c integer, v integer) WITH (autovacuum_enabled = off);
INSERT INTO quick_facts SELECT i, i % 50, i % 40, i % 35, i % 1000 FROM generate_series(1, 20000) i;
CREATE TABLE quick_a (id integer PRIMARY KEY, kind text COLLATE "C", area integer) WITH (autovacuum_enabled = off);
INSERT INTO quick_a SELECT i, 'kind ' || i % 3, i % 5 FROM generate_series(0, 45) i;
CREATE TABLE quick_b (id integer PRIMARY KEY, kind text COLLATE "C", area integer) WITH (autovacuum_enabled = off);
INSERT INTO quick_b SELECT i, 'kind ' || i % 4, i % 6 FROM generate_series(0, 38) i;
CREATE TABLE quick_c (id integer, label text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO quick_c SELECT i, 'label ' || i % 2 FROM generate_series(0, 34) i;
CREATE UNIQUE INDEX ON quick_c (id);
CREATE TABLE quick_many (id integer, x integer) WITH (autovacuum_enabled = off);
INSERT INTO quick_many SELECT i % 30, i FROM generate_series(0, 99) i;
CREATE TABLE quick_areas (id integer PRIMARY KEY, name text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO quick_areas SELECT i, 'area ' || i FROM generate_series(0, 9) i;
CREATE INDEX ON quick_facts (a);
CREATE INDEX ON quick_facts (b);
CREATE INDEX ON quick_facts (c);
ANALYZE quick_facts, quick_a, quick_b, quick_c, quick_many, quick_areas;
-- PostgreSQL's plans cost much, that look rows up as well.
SET cpu_tuple_cost = 1;
SET random_page_cost = 400;

-- Says how a query is planned, by messages, whether the node has its joins, and whether rows
-- are the same.
\set quick 'SET client_min_messages = debug2; EXPLAIN :query \\g /dev/null \\\\ SET client_min_messages = error; SELECT (SELECT count(*) FROM wa_plan(:''query'') line WHERE line ~ ''Joins:'') AS nodes, wa_compare(:''query'') AS rows;'

-- stars
\set query 'SELECT x.kind, y.area, count(*), sum(v) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b GROUP BY 1, 2'
:quick
\set query 'SELECT x.kind, label, sum(v) FROM quick_c z, quick_b y, quick_a x, quick_facts f WHERE z.id = f.c AND f.a = x.id AND y.id = f.b AND x.area < 4 AND y.area > 1 GROUP BY 1, 2 ORDER BY 3 DESC, 1'
:quick
-- both are equal to a constant, and not to each other
\set query 'SELECT label, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b JOIN quick_c z ON z.id = f.c WHERE x.kind = ''kind 1'' AND y.kind = ''kind 1'' GROUP BY 1'
:quick
-- without groups, and with parameters
\set query 'SELECT sum(v + x.area), max(label) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_c z ON z.id = f.c WHERE v > 10'
:quick
PREPARE quick_prepared (integer) AS
SELECT x.kind, sum(v) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b WHERE y.area = $1 GROUP BY 1 ORDER BY 1;
SET client_min_messages = debug2;
EXECUTE quick_prepared (2);
SET client_min_messages = error;
SET warpagg.enable_scan = off;
EXECUTE quick_prepared (2);
SET warpagg.enable_scan = on;

-- others: of two tables, of a chain, of other kinds of joins, of some rows, below another level
\set query 'SELECT x.kind, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a GROUP BY 1'
:quick
\set query 'SELECT name, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_areas r ON r.id = x.area GROUP BY 1'
:quick
\set query 'SELECT x.kind, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b AND y.area = x.area GROUP BY 1'
:quick
\set query 'SELECT x.kind, count(y.id) FROM quick_facts f JOIN quick_a x ON x.id = f.a LEFT JOIN quick_b y ON y.id = f.b JOIN quick_c z ON z.id = f.c GROUP BY 1'
:quick
\set query 'SELECT x.kind, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b GROUP BY 1 ORDER BY 1 LIMIT 2'
:quick
\set query 'SELECT max(n) FROM (SELECT x.kind, count(*) AS n FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b GROUP BY 1 OFFSET 0) q'
:quick
\set query 'SELECT x.kind, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b AND y.area = 1 AND y.area = 2 GROUP BY 1'
:quick
\set query 'SELECT x.kind, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b WHERE (SELECT false) GROUP BY 1'
:quick

-- PostgreSQL's plan is looked for where the node is not there: it does not join that,
\set query 'SELECT x.kind, count(*), max(m.x) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_many m ON m.id = f.b GROUP BY 1'
:quick
\set query 'SELECT x.kind, count(*), string_agg(label, '','' ORDER BY v, f.ctid) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_c z ON z.id = f.c GROUP BY 1'
:quick
-- or another plan may cost less, and does
SET random_page_cost = 0.01;
SET seq_page_cost = 200;
\set query 'SELECT y.kind, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b WHERE x.kind = ''kind 1'' AND x.area = 1 GROUP BY 1'
:quick
-- or to look is in vain anyhow
SET seq_page_cost = 0.01;
SET cpu_tuple_cost = 0.001;
\set query 'SELECT x.kind, count(*) FROM quick_facts f JOIN quick_a x ON x.id = f.a JOIN quick_b y ON y.id = f.b GROUP BY 1'
:quick

DROP TABLE quick_facts, quick_a, quick_b, quick_c, quick_many, quick_areas;
