-- visits_rows.sql
--	  Inserts the visits that a process has to make.  Of a million rows there are about 170,000
--	  users, the first of whom have hundreds of rows and more, each of one of 230 regions, a few
--	  of which have most users; 13 percent have a phrase that was searched for, of about
--	  60,000; there are about 200,000 referers, and durations that hardly any two have.  The
--	  random numbers are hashes (draw.sql): the rows are the same for everyone.
--	  psql variables: rows, of the table; process, from 0, of how many processes.

INSERT INTO visits
SELECT hashint8extended(visitor, 101), pg_temp.skewed(visitor, 2, 230) + 1,
	CASE WHEN pg_temp.draw(g, 3, 100) < 13
		THEN 'how to ' || pg_temp.letters(pg_temp.skewed(g, 4, (:rows * 0.0925)::int8), 104, 14)
		ELSE '' END,
	'https://' || pg_temp.letters(referer % 500, 105, 8) || '.example/' ||
		pg_temp.letters(referer, 106, 24),
	('{320,1024,1087,1280,1366,1368,1440,1600,1638,1680,1750,1917,1920,1996}'::int2[])
		[pg_temp.draw(g, 6, 14) + 1],
	timestamp '2026-01-01' + pg_temp.draw(g, 7, 2678400) * interval '1 second',
	(pg_temp.skewed(g, 8, 100000) / 100.0)::numeric(10, 2),
	pg_temp.skewed(g, 9, 1000000000) / 1000.0
FROM (
	SELECT g, pg_temp.skewed(g, 1, (:rows * 0.174)::int8) AS visitor,
		pg_temp.skewed(g, 5, (:rows * 0.208)::int8) AS referer
	FROM generate_series(:process, (:rows::int8 - 1) / 10000, :processes) AS piece,
		generate_series(piece * 10000 + 1, least(piece * 10000 + 10000, :rows)) AS g
) AS drawn;
