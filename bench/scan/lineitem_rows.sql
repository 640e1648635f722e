-- lineitem_rows.sql
--	  Inserts the lines that a process has to make: of every so many of the pieces
--	  of 10,000 orders, by the distributions of the specification's chapter 4.2.3.
--	  The random numbers are hashes of the order and line numbers, so the rows are
--	  the same for everyone, though not dbgen's: about 6,000,000 at scale factor 1.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

-- A number from 0 to n - 1 for column c of a row; rows are told apart by key.
CREATE OR REPLACE FUNCTION pg_temp.draw(key int8, c int8, n int8)
RETURNS int8 LANGUAGE sql IMMUTABLE
RETURN (hashint8extended(key, c) & 1152921504606846975) % n;

-- Eight of 32 order keys are used; an order has one to seven lines.
INSERT INTO lineitem
SELECT orderkey, partkey,
	(partkey + supplier * (suppliers / 4 + (partkey - 1) / suppliers)) % suppliers + 1,
	line, quantity,
	quantity * (90000 + partkey / 10 % 20001 + 100 * (partkey % 1000)) / 100::numeric,
	discount / 100::numeric, tax / 100::numeric,
	CASE WHEN receiptdate > date '1995-06-17' THEN 'N'
		WHEN returned = 0 THEN 'R' ELSE 'A' END,
	CASE WHEN shipdate > date '1995-06-17' THEN 'O' ELSE 'F' END,
	shipdate, commitdate, receiptdate,
	('{DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN}'::text[])[instruct],
	('{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}'::text[])[mode],
	substr(md5(key::text) || md5(orderkey::text), 1, length)
FROM (
	SELECT orderkey, line, key,
		pg_temp.draw(key, 1, (:sf * 200000)::int8)::int4 + 1 AS partkey,
		pg_temp.draw(key, 2, 4)::int4 AS supplier,
		(:sf * 10000)::int4 AS suppliers,
		pg_temp.draw(key, 3, 50) + 1 AS quantity,
		pg_temp.draw(key, 4, 11) AS discount,
		pg_temp.draw(key, 5, 9) AS tax,
		shipdate,
		orderdate + 30 + pg_temp.draw(key, 7, 61)::int4 AS commitdate,
		shipdate + 1 + pg_temp.draw(key, 8, 30)::int4 AS receiptdate,
		pg_temp.draw(key, 9, 2) AS returned,
		pg_temp.draw(key, 10, 4) + 1 AS instruct,
		pg_temp.draw(key, 11, 7) + 1 AS mode,
		pg_temp.draw(key, 12, 34)::int4 + 10 AS length
	FROM (
		SELECT orderkey, orderdate, line, orderkey * 8 + line AS key,
			orderdate + 1 + pg_temp.draw(orderkey * 8 + line, 6, 121)::int4 AS shipdate
		FROM (
			SELECT o / 8 * 32 + o % 8 + 1 AS orderkey,
				date '1992-01-01' + pg_temp.draw(o, 20, 2406)::int4 AS orderdate,
				pg_temp.draw(o, 21, 7)::int4 + 1 AS lines
			FROM generate_series(:process, ((:sf * 1500000)::int8 - 1) / 10000,
					:processes) AS piece,
				generate_series(piece * 10000, least(piece * 10000 + 9999,
					(:sf * 1500000)::int8 - 1)) AS o
		) AS orders, generate_series(1, lines) AS line
	) AS shipped
) AS drawn;
