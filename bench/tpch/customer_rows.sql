-- customer_rows.sql
--	  Inserts the customers that a process has to make: 150,000 at scale factor 1.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO customer
SELECT n, 'Customer#' || lpad(n::text, 9, '0'),
	pg_temp.letters(n, 100, pg_temp.draw(n, 101, 31) + 10), nation,
	pg_temp.phone(nation, n, 102), (pg_temp.draw(n, 105, 1099999) - 99999) / 100::numeric,
	pg_temp.word('segment', n, 106), pg_temp.comment(n, 107)
FROM (
	SELECT n, pg_temp.draw(n, 111, 25) AS nation
	FROM generate_series(:process + 1, (:sf * 150000)::int8, :processes) AS n
	OFFSET 0
) AS drawn;
