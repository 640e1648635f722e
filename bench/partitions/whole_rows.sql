-- whole_rows.sql
--	  Inserts the readings that a process has to make: every so many of the pieces
--	  of 10,000 rows, so that times grow through the table however many processes
--	  there are.  All values but times are hashes of the row's number.
--	  psql variables: rows, of the table; process, from 0, of how many processes.

INSERT INTO whole (id, ts, device, k, v, n, f, ok)
SELECT g, timestamptz '2024-01-01' + (g - 1) * (interval '731 days' / :rows), h & 1023,
	(h & 65535) % 100, (h >> 20) & 1048575, ((h >> 24) & 1048575) / 100.0,
	(h >> 11) / 1024.0::float8, (h >> 40) & 7 > 0
FROM (SELECT g, hashint8extended(g, 1) AS h
	FROM generate_series(:process, (:rows::int8 - 1) / 10000, :processes) AS piece,
		generate_series(piece * 10000 + 1, least(piece * 10000 + 10000, :rows)) AS g
) AS numbers;
