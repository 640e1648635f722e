-- hits_rows.sql
--	  Inserts the hits that a process has to make, as readings_rows.sql does, with
--	  about as many distinct values as ClickBench's (of 100 million rows: 17.6
--	  million users, 9.9 million addresses, 0.74 percent of the rows with CounterID
--	  62).  The random numbers are hashes (draw.sql): the rows are the same for everyone.
--	  psql variables: rows, of the table; process, from 0, of how many processes.

-- A number as of draw.sql, but small ones more often than large ones: squares of uniform
-- ones.  With n = 0.18 times the rows 17.6 percent of these are distinct.
CREATE OR REPLACE FUNCTION pg_temp.skewed(g int8, c int8, n int8)
RETURNS int8 LANGUAGE sql IMMUTABLE
RETURN floor(n * (pg_temp.draw(g, c, 1000000000) / 1e9::float8) ^ 2)::int8;

INSERT INTO hits
SELECT hashint8extended(g, 0) & 9223372036854775807,
	event, event::date, counter,
	hashint8extended(pg_temp.skewed(g, 2, (:rows * 0.0992)::int8), 102) % 2147483640,
	hashint8extended(pg_temp.skewed(g, 3, (:rows * 0.18)::int8), 103),
	(pg_temp.draw(g, 4, 100) < 14)::int4,
	('{0,1024,1087,1280,1366,1368,1440,1600,1638,1680,1750,1917,1920,1996}'::int2[])
		[pg_temp.draw(g, 5, 14) + 1],
	('{-1,-1,0,0,1,2,3,3,4,6}'::int2[])[pg_temp.draw(g, 6, 10) + 1],
	CASE WHEN pg_temp.draw(g, 7, 10000) < 63
		THEN pg_temp.skewed(g, 8, 18) + 2 ELSE 0 END,
	pg_temp.skewed(g, 9, 2000) + 100, pg_temp.skewed(g, 10, 1200) + 100,
	(pg_temp.draw(g, 11, 100) < 25)::int4,
	CASE WHEN counter = 62 AND pg_temp.draw(g, 12, 5) = 0 THEN 3594120000172545465
		ELSE hashint8extended(pg_temp.skewed(g, 13, (:rows * 0.2)::int8), 113) END,
	CASE WHEN counter = 62 AND pg_temp.draw(g, 14, 20) = 0 THEN 2868770270353813622
		ELSE hashint8extended(pg_temp.skewed(g, 15, (:rows * 0.2)::int8), 115) END
FROM (
	SELECT g,
		timestamp '2013-07-01' + pg_temp.draw(g, 1, 2678400) * interval '1 second' AS event,
		CASE WHEN pg_temp.draw(g, 16, 10000) < 74 THEN 62
			ELSE pg_temp.skewed(g, 17, 6505) + 63 END AS counter
	FROM generate_series(:process, (:rows::int8 - 1) / 10000, :processes) AS piece,
		generate_series(piece * 10000 + 1, least(piece * 10000 + 10000, :rows)) AS g
) AS drawn;
