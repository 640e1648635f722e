-- supplier_rows.sql
--	  Inserts the suppliers that a process has to make: 10,000 at scale factor 1, of which
--	  customers complain of one in 2,000.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO supplier
SELECT n, 'Supplier#' || lpad(n::text, 9, '0'),
	pg_temp.letters(n, 80, pg_temp.draw(n, 81, 31) + 10), nation,
	pg_temp.phone(nation, n, 82), (pg_temp.draw(n, 85, 1099999) - 99999) / 100::numeric,
	CASE WHEN n % 2000 = 7 THEN 'often Customer letters have Complaints'
		ELSE pg_temp.comment(n, 86) END
FROM (
	SELECT n, pg_temp.draw(n, 90, 25) AS nation
	FROM generate_series(:process + 1, (:sf * 10000)::int8, :processes) AS n
	OFFSET 0
) AS drawn;
