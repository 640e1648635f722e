-- tpch_queries.sql
--	  The 22 queries of TPC-H in words of our own, with the validation parameters of its
--	  specification; {sf} is the scale factor.  Each gives the order of all its rows.

-- name: q1
SELECT l.l_returnflag, l.l_linestatus, sum(l.l_quantity) AS quantity,
	sum(l.l_extendedprice) AS base_price,
	sum(l.l_extendedprice * (1 - l.l_discount)) AS discounted,
	sum(l.l_extendedprice * (1 - l.l_discount) * (1 + l.l_tax)) AS charged,
	avg(l.l_quantity) AS average_quantity, avg(l.l_extendedprice) AS average_price,
	avg(l.l_discount) AS average_discount, count(*) AS lines
FROM lineitem AS l
WHERE l.l_shipdate <= date '1998-12-01' - interval '90 days'
GROUP BY l.l_returnflag, l.l_linestatus
ORDER BY l.l_returnflag, l.l_linestatus;

-- name: q2
SELECT s.s_acctbal, s.s_name, n.n_name, p.p_partkey, p.p_mfgr, s.s_address, s.s_phone,
	s.s_comment
FROM part AS p
	JOIN partsupp AS ps ON ps.ps_partkey = p.p_partkey
	JOIN supplier AS s ON s.s_suppkey = ps.ps_suppkey
	JOIN nation AS n ON n.n_nationkey = s.s_nationkey
	JOIN region AS r ON r.r_regionkey = n.n_regionkey
WHERE p.p_size = 15 AND p.p_type LIKE '%BRASS' AND r.r_name = 'EUROPE'
	AND ps.ps_supplycost = (
		SELECT min(other.ps_supplycost)
		FROM partsupp AS other
			JOIN supplier ON s_suppkey = other.ps_suppkey
			JOIN nation ON n_nationkey = s_nationkey
			JOIN region ON r_regionkey = n_regionkey
		WHERE other.ps_partkey = p.p_partkey AND r_name = 'EUROPE')
ORDER BY s.s_acctbal DESC, n.n_name, s.s_name, p.p_partkey
LIMIT 100;

-- name: q3
SELECT l.l_orderkey, sum(l.l_extendedprice * (1 - l.l_discount)) AS revenue, o.o_orderdate,
	o.o_shippriority
FROM lineitem AS l
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
	JOIN customer AS c ON c.c_custkey = o.o_custkey
WHERE c.c_mktsegment = 'BUILDING' AND o.o_orderdate < date '1995-03-15'
	AND l.l_shipdate > date '1995-03-15'
GROUP BY l.l_orderkey, o.o_orderdate, o.o_shippriority
ORDER BY revenue DESC, o.o_orderdate, l.l_orderkey
LIMIT 10;

-- name: q4
SELECT o.o_orderpriority, count(*) AS orders
FROM orders AS o
WHERE o.o_orderdate >= date '1993-07-01'
	AND o.o_orderdate < date '1993-07-01' + interval '3 months'
	AND EXISTS (SELECT FROM lineitem AS l
		WHERE l.l_orderkey = o.o_orderkey AND l.l_commitdate < l.l_receiptdate)
GROUP BY o.o_orderpriority
ORDER BY o.o_orderpriority;

-- name: q5
SELECT n.n_name, sum(l.l_extendedprice * (1 - l.l_discount)) AS revenue
FROM lineitem AS l
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
	JOIN customer AS c ON c.c_custkey = o.o_custkey
	JOIN supplier AS s ON s.s_suppkey = l.l_suppkey AND s.s_nationkey = c.c_nationkey
	JOIN nation AS n ON n.n_nationkey = s.s_nationkey
	JOIN region AS r ON r.r_regionkey = n.n_regionkey
WHERE r.r_name = 'ASIA' AND o.o_orderdate >= date '1994-01-01'
	AND o.o_orderdate < date '1994-01-01' + interval '1 year'
GROUP BY n.n_name
ORDER BY revenue DESC, n.n_name;

-- name: q6
SELECT sum(l.l_extendedprice * l.l_discount) AS revenue
FROM lineitem AS l
WHERE l.l_shipdate >= date '1994-01-01'
	AND l.l_shipdate < date '1994-01-01' + interval '1 year'
	AND l.l_discount BETWEEN 0.05 AND 0.07 AND l.l_quantity < 24;

-- name: q7
SELECT seller.n_name AS seller, buyer.n_name AS buyer,
	extract(year FROM l.l_shipdate) AS year,
	sum(l.l_extendedprice * (1 - l.l_discount)) AS revenue
FROM lineitem AS l
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
	JOIN customer AS c ON c.c_custkey = o.o_custkey
	JOIN supplier AS s ON s.s_suppkey = l.l_suppkey
	JOIN nation AS seller ON seller.n_nationkey = s.s_nationkey
	JOIN nation AS buyer ON buyer.n_nationkey = c.c_nationkey
WHERE l.l_shipdate BETWEEN date '1995-01-01' AND date '1996-12-31'
	AND (seller.n_name = 'FRANCE' AND buyer.n_name = 'GERMANY'
		OR seller.n_name = 'GERMANY' AND buyer.n_name = 'FRANCE')
GROUP BY seller.n_name, buyer.n_name, extract(year FROM l.l_shipdate)
ORDER BY seller, buyer, year;

-- name: q8
SELECT extract(year FROM o.o_orderdate) AS year,
	sum(CASE WHEN seller.n_name = 'BRAZIL' THEN l.l_extendedprice * (1 - l.l_discount)
		ELSE 0 END) / sum(l.l_extendedprice * (1 - l.l_discount)) AS share
FROM lineitem AS l
	JOIN part AS p ON p.p_partkey = l.l_partkey
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
	JOIN customer AS c ON c.c_custkey = o.o_custkey
	JOIN nation AS buyer ON buyer.n_nationkey = c.c_nationkey
	JOIN region AS r ON r.r_regionkey = buyer.n_regionkey
	JOIN supplier AS s ON s.s_suppkey = l.l_suppkey
	JOIN nation AS seller ON seller.n_nationkey = s.s_nationkey
WHERE r.r_name = 'AMERICA' AND p.p_type = 'ECONOMY ANODIZED STEEL'
	AND o.o_orderdate BETWEEN date '1995-01-01' AND date '1996-12-31'
GROUP BY extract(year FROM o.o_orderdate)
ORDER BY year;

-- name: q9
SELECT n.n_name AS nation, extract(year FROM o.o_orderdate) AS year,
	sum(l.l_extendedprice * (1 - l.l_discount) - ps.ps_supplycost * l.l_quantity) AS profit
FROM lineitem AS l
	JOIN part AS p ON p.p_partkey = l.l_partkey
	JOIN partsupp AS ps ON ps.ps_partkey = l.l_partkey AND ps.ps_suppkey = l.l_suppkey
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
	JOIN supplier AS s ON s.s_suppkey = l.l_suppkey
	JOIN nation AS n ON n.n_nationkey = s.s_nationkey
WHERE p.p_name LIKE '%green%'
GROUP BY n.n_name, extract(year FROM o.o_orderdate)
ORDER BY nation, year DESC;

-- name: q10
SELECT c.c_custkey, c.c_name, sum(l.l_extendedprice * (1 - l.l_discount)) AS revenue,
	c.c_acctbal, n.n_name, c.c_address, c.c_phone, c.c_comment
FROM lineitem AS l
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
	JOIN customer AS c ON c.c_custkey = o.o_custkey
	JOIN nation AS n ON n.n_nationkey = c.c_nationkey
WHERE l.l_returnflag = 'R' AND o.o_orderdate >= date '1993-10-01'
	AND o.o_orderdate < date '1993-10-01' + interval '3 months'
GROUP BY c.c_custkey, c.c_name, c.c_acctbal, n.n_name, c.c_address, c.c_phone, c.c_comment
ORDER BY revenue DESC, c.c_custkey
LIMIT 20;

-- name: q11
SELECT ps.ps_partkey, sum(ps.ps_supplycost * ps.ps_availqty) AS value
FROM partsupp AS ps
	JOIN supplier AS s ON s.s_suppkey = ps.ps_suppkey
	JOIN nation AS n ON n.n_nationkey = s.s_nationkey
WHERE n.n_name = 'GERMANY'
GROUP BY ps.ps_partkey
HAVING sum(ps.ps_supplycost * ps.ps_availqty) > (
	SELECT sum(ps_supplycost * ps_availqty) * 0.0001 / {sf}
	FROM partsupp
		JOIN supplier ON s_suppkey = ps_suppkey
		JOIN nation ON n_nationkey = s_nationkey
	WHERE n_name = 'GERMANY')
ORDER BY value DESC, ps.ps_partkey;

-- name: q12
SELECT l.l_shipmode,
	sum(CASE WHEN o.o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS urgent,
	sum(CASE WHEN o.o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 0 ELSE 1 END) AS others
FROM lineitem AS l JOIN orders AS o ON o.o_orderkey = l.l_orderkey
WHERE l.l_shipmode IN ('MAIL', 'SHIP') AND l.l_commitdate < l.l_receiptdate
	AND l.l_shipdate < l.l_commitdate AND l.l_receiptdate >= date '1994-01-01'
	AND l.l_receiptdate < date '1994-01-01' + interval '1 year'
GROUP BY l.l_shipmode
ORDER BY l.l_shipmode;

-- name: q13
SELECT orders, count(*) AS customers
FROM (
	SELECT c.c_custkey, count(o.o_orderkey) AS orders
	FROM customer AS c
		LEFT JOIN orders AS o ON o.o_custkey = c.c_custkey
			AND o.o_comment NOT LIKE '%special%requests%'
	GROUP BY c.c_custkey
) AS counts
GROUP BY orders
ORDER BY customers DESC, orders DESC;

-- name: q14
SELECT 100.00 * sum(CASE WHEN p.p_type LIKE 'PROMO%' THEN l.l_extendedprice * (1 - l.l_discount)
		ELSE 0 END) / sum(l.l_extendedprice * (1 - l.l_discount)) AS percent
FROM lineitem AS l JOIN part AS p ON p.p_partkey = l.l_partkey
WHERE l.l_shipdate >= date '1995-09-01'
	AND l.l_shipdate < date '1995-09-01' + interval '1 month';

-- name: q15
WITH revenue AS (
	SELECT l.l_suppkey AS supplier, sum(l.l_extendedprice * (1 - l.l_discount)) AS total
	FROM lineitem AS l
	WHERE l.l_shipdate >= date '1996-01-01'
		AND l.l_shipdate < date '1996-01-01' + interval '3 months'
	GROUP BY l.l_suppkey
)
SELECT s.s_suppkey, s.s_name, s.s_address, s.s_phone, revenue.total
FROM supplier AS s JOIN revenue ON revenue.supplier = s.s_suppkey
WHERE revenue.total = (SELECT max(total) FROM revenue)
ORDER BY s.s_suppkey;

-- name: q16
SELECT p.p_brand, p.p_type, p.p_size, count(DISTINCT ps.ps_suppkey) AS suppliers
FROM partsupp AS ps JOIN part AS p ON p.p_partkey = ps.ps_partkey
WHERE p.p_brand <> 'Brand#45' AND p.p_type NOT LIKE 'MEDIUM POLISHED%'
	AND p.p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
	AND ps.ps_suppkey NOT IN (SELECT s_suppkey FROM supplier
		WHERE s_comment LIKE '%Customer%Complaints%')
GROUP BY p.p_brand, p.p_type, p.p_size
ORDER BY suppliers DESC, p.p_brand, p.p_type, p.p_size;

-- name: q17
SELECT sum(l.l_extendedprice) / 7.0 AS yearly
FROM lineitem AS l JOIN part AS p ON p.p_partkey = l.l_partkey
WHERE p.p_brand = 'Brand#23' AND p.p_container = 'MED BOX'
	AND l.l_quantity < (SELECT 0.2 * avg(other.l_quantity) FROM lineitem AS other
		WHERE other.l_partkey = p.p_partkey);

-- name: q18
SELECT c.c_name, c.c_custkey, o.o_orderkey, o.o_orderdate, o.o_totalprice,
	sum(l.l_quantity) AS quantity
FROM lineitem AS l
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
	JOIN customer AS c ON c.c_custkey = o.o_custkey
WHERE o.o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey
	HAVING sum(l_quantity) > 300)
GROUP BY c.c_name, c.c_custkey, o.o_orderkey, o.o_orderdate, o.o_totalprice
ORDER BY o.o_totalprice DESC, o.o_orderdate, o.o_orderkey
LIMIT 100;

-- name: q19
SELECT sum(l.l_extendedprice * (1 - l.l_discount)) AS revenue
FROM lineitem AS l JOIN part AS p ON p.p_partkey = l.l_partkey
WHERE l.l_shipmode IN ('AIR', 'REG AIR') AND l.l_shipinstruct = 'DELIVER IN PERSON'
	AND (p.p_brand = 'Brand#12' AND p.p_size BETWEEN 1 AND 5
			AND p.p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
			AND l.l_quantity BETWEEN 1 AND 11
		OR p.p_brand = 'Brand#23' AND p.p_size BETWEEN 1 AND 10
			AND p.p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
			AND l.l_quantity BETWEEN 10 AND 20
		OR p.p_brand = 'Brand#34' AND p.p_size BETWEEN 1 AND 15
			AND p.p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
			AND l.l_quantity BETWEEN 20 AND 30);

-- name: q20
SELECT s.s_name, s.s_address
FROM supplier AS s JOIN nation AS n ON n.n_nationkey = s.s_nationkey
WHERE n.n_name = 'CANADA'
	AND s.s_suppkey IN (SELECT ps.ps_suppkey FROM partsupp AS ps
		WHERE ps.ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
			AND ps.ps_availqty > (SELECT 0.5 * sum(l.l_quantity) FROM lineitem AS l
				WHERE l.l_partkey = ps.ps_partkey AND l.l_suppkey = ps.ps_suppkey
					AND l.l_shipdate >= date '1994-01-01'
					AND l.l_shipdate < date '1994-01-01' + interval '1 year'))
ORDER BY s.s_name;

-- name: q21
SELECT s.s_name, count(*) AS orders
FROM supplier AS s
	JOIN nation AS n ON n.n_nationkey = s.s_nationkey
	JOIN lineitem AS l ON l.l_suppkey = s.s_suppkey
	JOIN orders AS o ON o.o_orderkey = l.l_orderkey
WHERE n.n_name = 'SAUDI ARABIA' AND o.o_orderstatus = 'F' AND l.l_receiptdate > l.l_commitdate
	AND EXISTS (SELECT FROM lineitem AS other
		WHERE other.l_orderkey = l.l_orderkey AND other.l_suppkey <> l.l_suppkey)
	AND NOT EXISTS (SELECT FROM lineitem AS late
		WHERE late.l_orderkey = l.l_orderkey AND late.l_suppkey <> l.l_suppkey
			AND late.l_receiptdate > late.l_commitdate)
GROUP BY s.s_name
ORDER BY orders DESC, s.s_name
LIMIT 100;

-- name: q22
SELECT code, count(*) AS customers, sum(c_acctbal) AS balance
FROM (
	SELECT substring(c.c_phone FROM 1 FOR 2) AS code, c.c_acctbal
	FROM customer AS c
	WHERE substring(c.c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
		AND c.c_acctbal > (SELECT avg(c_acctbal) FROM customer WHERE c_acctbal > 0
			AND substring(c_phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17'))
		AND NOT EXISTS (SELECT FROM orders AS o WHERE o.o_custkey = c.c_custkey)
) AS idle
GROUP BY code
ORDER BY code;
