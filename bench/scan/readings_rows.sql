-- readings_rows.sql
--	  Inserts the readings that a process has to make: every so many of the pieces
--	  of 10,000 rows, so that times grow through the table however many processes
--	  there are.  All values are hashes of the row's number: the rows are the same
--	  for everyone.
--	  psql variables: rows, of the table; process, from 0, of how many processes.

INSERT INTO readings
SELECT (h & 1023) % 100, h >> 20, (h >> 32)::int4, (h >> 11) / 1024.0::float8,
	((h >> 40) % 100000000)::numeric / 100,
	timestamptz '2026-01-01 00:00:00+00' + g * interval '1 second'
FROM (SELECT g, hashint8extended(g, 1) AS h
	FROM generate_series(:process, (:rows::int8 - 1) / 10000, :processes) AS piece,
		generate_series(piece * 10000 + 1, least(piece * 10000 + 10000, :rows)) AS g
) AS numbers;
