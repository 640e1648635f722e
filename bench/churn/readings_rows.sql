-- readings_rows.sql
--	  Inserts the readings that a process has to make: every so many of the pieces
--	  of 10,000 rows, so that times grow through the table however many processes
--	  there are.  The last is of the day on which it is made; all other values are
--	  hashes of the row's number.
--	  psql variables: rows, of the table; process, from 0, of how many processes.

INSERT INTO readings (id, ts, device, k, v, i, f)
SELECT g, current_date - (:rows - g) * interval '1 second', h & 16383,
	(h & 1023) % 100, h >> 20, (h >> 32)::int4, (h >> 11) / 1024.0::float8
FROM (SELECT g, hashint8extended(g, 1) AS h
	FROM generate_series(:process, (:rows::int8 - 1) / 10000, :processes) AS piece,
		generate_series(piece * 10000 + 1, least(piece * 10000 + 10000, :rows)) AS g
) AS numbers;
