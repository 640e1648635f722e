-- customer_rows.sql
--	  Inserts the customers that a process has to make: 30,000 at scale factor 1, but not
--	  less than one in each of the 250 cities.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO customer
SELECT n, 'Customer#' || lpad(n::text, 9, '0'),
	pg_temp.letters(n, 30, pg_temp.draw(n, 31, 16) + 10),
	rpad(nation, 9) || city % 10, nation, region,
	pg_temp.phone(city / 10, n, 32), pg_temp.word('segment', n, 35)
FROM (
	SELECT n, city, (pg_temp.words('nation'))[city / 10 + 1] AS nation,
		(pg_temp.words('region'))[pg_temp.region_of(city / 10) + 1] AS region
	FROM (
		SELECT n, CASE WHEN n <= 250 THEN n - 1 ELSE pg_temp.draw(n, 36, 250) END AS city
		FROM generate_series(:process + 1, greatest((:sf * 30000)::int8, 250), :processes) AS n
		OFFSET 0
	) AS cities
	OFFSET 0
) AS drawn;
