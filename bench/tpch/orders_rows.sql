-- orders_rows.sql
--	  Inserts the orders that a process has to make: of every so many of the pieces of 10,000
--	  orders whose lines are there, by what these come to.  A third of the customers have
--	  no order.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO orders
SELECT key, customer / 2 * 3 + customer % 2 + 1,
	CASE WHEN open = 0 THEN 'F' WHEN open = lines THEN 'O' ELSE 'P' END, total,
	pg_temp.order_date(number), pg_temp.word('priority', number, 23),
	'Clerk#' || lpad((pg_temp.draw(number, 24, (:sf * 1000)::int8) + 1)::text, 9, '0'), 0,
	pg_temp.comment(number, 150)
FROM (
	SELECT *, pg_temp.draw(number, 22, (:sf * 100000)::int8) AS customer
	FROM (
		SELECT l_orderkey AS key, (l_orderkey - 1) / 32 * 8 + (l_orderkey - 1) % 32 AS number,
			count(*) AS lines, count(*) FILTER (WHERE l_linestatus = 'O') AS open,
			sum(round(l_extendedprice * (1 - l_discount) * (1 + l_tax), 2)) AS total
		FROM lineitem
		WHERE (l_orderkey - 1) / 40000 % :processes = :process
		GROUP BY l_orderkey
	) AS lines
	OFFSET 0
) AS drawn
ORDER BY number;
