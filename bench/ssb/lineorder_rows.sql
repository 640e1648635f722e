-- lineorder_rows.sql
--	  Inserts the lines that a process has to make: of every so many of the pieces of 10,000
--	  orders.  About 6,000,000 at scale factor 1.  OFFSET 0 has each number computed once.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

SELECT count(*) AS parts FROM part \gset
SELECT count(*) AS suppliers FROM supplier \gset
SELECT count(*) AS customers FROM customer \gset

INSERT INTO lineorder
SELECT orderkey, line, custkey, part, supplier, days[orderday], priority, '0', quantity,
	price, total, discount, revenue, pg_temp.part_price(part) * 6 / 10, tax,
	days[orderday + 30 + pg_temp.draw(key, 7, 61)], pg_temp.word('mode', key, 8)
FROM (
	SELECT *, sum(revenue::int8 * (100 + tax) / 100) OVER (PARTITION BY orderkey) AS total
	FROM (
		SELECT *, (price::int8 * (100 - discount) / 100)::int4 AS revenue
		FROM (
			SELECT *, quantity * pg_temp.part_price(part) AS price
			FROM (
				SELECT *, pg_temp.draw(key, 1, :parts)::int4 + 1 AS part,
					pg_temp.draw(key, 2, :suppliers)::int4 + 1 AS supplier,
					pg_temp.draw(key, 3, 50)::int4 + 1 AS quantity,
					pg_temp.draw(key, 4, 11)::int4 AS discount,
					pg_temp.draw(key, 5, 9)::int4 AS tax
				FROM (
					SELECT orderkey, custkey, orderday, priority, line,
						orderkey * 8 + line AS key
					FROM (
						SELECT pg_temp.order_key(o) AS orderkey,
							pg_temp.order_date(o) - date '1991-12-31' AS orderday,
							pg_temp.draw(o, 22, :customers)::int4 + 1 AS custkey,
							pg_temp.word('priority', o, 23) AS priority,
							pg_temp.order_lines(o) AS lines
						FROM generate_series(:process, ((:sf * 1500000)::int8 - 1) / 10000,
								:processes) AS piece,
							generate_series(piece * 10000, least(piece * 10000 + 9999,
								(:sf * 1500000)::int8 - 1)) AS o
						OFFSET 0
					) AS orders, generate_series(1, lines) AS line
					OFFSET 0
				) AS keys
				OFFSET 0
			) AS drawn
			OFFSET 0
		) AS priced
		OFFSET 0
	) AS sold
) AS summed, (SELECT array_agg(d_datekey ORDER BY d_datekey) AS days FROM dates) AS calendar;
