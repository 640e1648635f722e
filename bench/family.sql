-- family.sql
--	  Makes the tables of the benchmark of the whole family: bench_family with
--	  :rows rows and a column of each type, bench_groups with three times as many
--	  rows as :groups groups.  The same for everyone: no random().
--	  psql variables: rows, groups.

DROP TABLE IF EXISTS bench_family, bench_groups;
CREATE UNLOGGED TABLE bench_family (i2 int2, i4 int4, i8 int8, f4 float4,
	f8 float8, n numeric(20, 2), v interval, t text, d date)
	WITH (autovacuum_enabled = off);

INSERT INTO bench_family
SELECT h % 30000, h, h::int8 * 1000003, h / 7::float4, h / 7::float8,
	h::numeric / 100, make_interval(days => h % 1000, secs => h % 86400),
	'key ' || h % 100000, date '2000-01-01' + h % 10000
FROM (SELECT hashint4(g) AS h FROM generate_series(1, :rows) AS g) AS numbers;

CREATE UNLOGGED TABLE bench_groups (k int4, i4 int4, i8 int8, f8 float8)
	WITH (autovacuum_enabled = off);

INSERT INTO bench_groups
SELECT abs(hashint4(g)::int8) % :groups, hashint4(g + 1),
	hashint4(g + 2)::int8 * 1000003, hashint4(g + 3) / 7::float8
FROM generate_series(1, 3 * :groups) AS g;

VACUUM (FREEZE, ANALYZE) bench_family, bench_groups;
