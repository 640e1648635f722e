-- lineitem_rows.sql
--	  Inserts the lines that a process has to make: of every so many of the pieces
--	  of 10,000 orders, by the distributions of the specification's chapter 4.2.3.
--	  The random numbers are hashes of the order and line numbers (draw.sql), so the rows
--	  are the same for everyone, though not dbgen's: about 6,000,000 at scale factor 1.
--	  OFFSET 0 has each number computed once.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO lineitem
SELECT orderkey, partkey, pg_temp.part_supplier(partkey, supplier, suppliers),
	line, quantity, quantity * pg_temp.part_price(partkey) / 100::numeric,
	discount / 100::numeric, tax / 100::numeric,
	CASE WHEN receiptdate > date '1995-06-17' THEN 'N'
		WHEN returned = 0 THEN 'R' ELSE 'A' END,
	CASE WHEN shipdate > date '1995-06-17' THEN 'O' ELSE 'F' END,
	shipdate, commitdate, receiptdate,
	pg_temp.word('instruct', key, 10), pg_temp.word('mode', key, 11),
	substr(md5(key::text) || md5(orderkey::text), 1, length)
FROM (
	SELECT orderkey, line, key,
		pg_temp.draw(key, 1, (:sf * 200000)::int8) + 1 AS partkey,
		pg_temp.draw(key, 2, 4) AS supplier,
		(:sf * 10000)::int8 AS suppliers,
		pg_temp.draw(key, 3, 50) + 1 AS quantity,
		pg_temp.draw(key, 4, 11) AS discount,
		pg_temp.draw(key, 5, 9) AS tax,
		shipdate,
		orderdate + 30 + pg_temp.draw(key, 7, 61)::int4 AS commitdate,
		shipdate + 1 + pg_temp.draw(key, 8, 30)::int4 AS receiptdate,
		pg_temp.draw(key, 9, 2) AS returned,
		pg_temp.draw(key, 12, 34)::int4 + 10 AS length
	FROM (
		SELECT orderkey, orderdate, line, orderkey * 8 + line AS key,
			orderdate + 1 + pg_temp.draw(orderkey * 8 + line, 6, 121)::int4 AS shipdate
		FROM (
			SELECT pg_temp.order_key(o) AS orderkey, pg_temp.order_date(o) AS orderdate,
				pg_temp.order_lines(o) AS lines
			FROM generate_series(:process, ((:sf * 1500000)::int8 - 1) / 10000,
					:processes) AS piece,
				generate_series(piece * 10000, least(piece * 10000 + 9999,
					(:sf * 1500000)::int8 - 1)) AS o
		) AS orders, generate_series(1, lines) AS line
		OFFSET 0
	) AS shipped
	OFFSET 0
) AS drawn;
