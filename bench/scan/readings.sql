-- readings.sql
--	  Makes the table of the scan benchmark's own queries: readings of 100
--	  devices, one a second.  The same for everyone: no random().
--	  psql variable: rows.

DROP TABLE IF EXISTS readings;
CREATE TABLE readings (
	k int4 NOT NULL,
	v int8 NOT NULL,
	i int4 NOT NULL,
	f float8 NOT NULL,
	n numeric(12, 2) NOT NULL,
	ts timestamptz NOT NULL
);

INSERT INTO readings
SELECT (h & 1023) % 100, h >> 20, (h >> 32)::int4, (h >> 11) / 1024.0::float8,
	((h >> 40) % 100000000)::numeric / 100,
	timestamptz '2026-01-01 00:00:00+00' + g * interval '1 second'
FROM (SELECT g, hashint8extended(g, 1) AS h
	FROM generate_series(1, :rows::int8) AS g) AS numbers;
