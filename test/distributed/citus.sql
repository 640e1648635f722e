-- On the coordinator: distributed tables, one of them with partitions, a reference table,
-- and a table with the same rows as both.
CREATE TABLE readings (site integer, sensor integer, at timestamp, v integer, n numeric,
	f float8, t text);
SELECT create_distributed_table('readings', 'site', shard_count => 8);
CREATE TABLE parts (LIKE readings) PARTITION BY RANGE (at);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE parts_2 PARTITION OF parts DEFAULT;
SELECT create_distributed_table('parts', 'site', shard_count => 8);
CREATE TABLE sites AS SELECT x AS site, 'region ' || x % 4 AS region FROM generate_series(0, 39) AS x;
SELECT create_reference_table('sites');
INSERT INTO readings
SELECT x % 40, x % 50, timestamp '2026-01-01' + x * interval '1 minute', x % 1000, x / 8.0,
	x / 7.0, nullif('t' || x % 11, 't7')
FROM generate_series(1, 200000) AS x;
INSERT INTO parts SELECT * FROM readings;
CREATE TABLE readings_here AS SELECT * FROM readings;
ANALYZE readings, parts, readings_here;
