-- nation_rows.sql
--	  Inserts the nations that a process has to make.
--	  psql variables: process, from 0, of how many processes.

INSERT INTO nation
SELECT n, (pg_temp.words('nation'))[n + 1], pg_temp.region_of(n), pg_temp.comment(n, 70)
FROM generate_series(:process, 24, :processes) AS n;
