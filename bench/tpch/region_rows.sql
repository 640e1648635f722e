-- region_rows.sql
--	  Inserts the regions that a process has to make.
--	  psql variables: process, from 0, of how many processes.

INSERT INTO region
SELECT n, (pg_temp.words('region'))[n + 1], pg_temp.comment(n, 60)
FROM generate_series(:process, 4, :processes) AS n;
