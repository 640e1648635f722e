-- insert.sql
--	  What a writer of bench/churn.sh does that inserts: some readings of now.
--	  pgbench variables: batch, how many.

INSERT INTO readings (ts, device, k, v, i, f)
SELECT now(), h & 16383, (h & 1023) % 100, h >> 20, (h >> 32)::int4,
	(h >> 11) / 1024.0::float8
FROM (SELECT hashint8extended((random() * 1e15)::int8, g) AS h
	FROM generate_series(1, :batch) AS g) AS numbers;
