-- aggregate.sql
--	  Makes the table of the SQL benchmark: :rows rows of an integer hash of the
--	  row number, as int4 and int8, and float8 values between 0 and 1001 with
--	  full mantissas.  The same for everyone: no random().
--	  psql variables: rows, workers (the workers a parallel scan may use).

DROP TABLE IF EXISTS bench_aggregate;
CREATE UNLOGGED TABLE bench_aggregate (i4 int4, i8 int8, f8 float8)
	WITH (autovacuum_enabled = off, parallel_workers = :workers);

INSERT INTO bench_aggregate
SELECT (h % 2000001 - 1000000)::int4,
	(h * 4194304 - 9007199254740992)::int8,
	((h % 1000003)::float8 / 1000003) * 1000 + (h % 8191)::float8 / 8191
FROM (
	SELECT g, ((g * 2654435761) % 4294967296) AS h
	FROM generate_series(1, :rows::int8) AS g
) AS numbers;

VACUUM (FREEZE, ANALYZE) bench_aggregate;
