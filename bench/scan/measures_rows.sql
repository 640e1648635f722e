-- measures_rows.sql
--	  Inserts the rows that a process has to make: of about 17 million users for 100 million
--	  rows, with values that hardly any two have, by 100 devices.  The random numbers are
--	  hashes: the rows are the same for everyone.
--	  psql variables: rows, of the table; process, from 0, of how many processes.

INSERT INTO measures
SELECT (hashint8extended(g, 1) & 1099511627775) % greatest((:rows * 0.17)::int8, 1) * 54321,
	(hashint8extended(g, 2) & 1125899906842623) / 1e6, (hashint8extended(g, 3) & 65535) % 100
FROM generate_series(:process, (:rows::int8 - 1) / 10000, :processes) AS piece,
	generate_series(piece * 10000 + 1, least(piece * 10000 + 10000, :rows)) AS g;
