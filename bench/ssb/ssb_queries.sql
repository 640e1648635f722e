-- ssb_queries.sql
--	  The 13 queries of the Star Schema Benchmark in words of our own, with its parameters.
--	  Each gives the order of all its rows.

-- name: q1_1
SELECT sum(lo.lo_extendedprice * lo.lo_discount) AS revenue
FROM lineorder AS lo JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
WHERE d.d_year = 1993 AND lo.lo_discount BETWEEN 1 AND 3 AND lo.lo_quantity < 25;

-- name: q1_2
SELECT sum(lo.lo_extendedprice * lo.lo_discount) AS revenue
FROM lineorder AS lo JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
WHERE d.d_yearmonthnum = 199401 AND lo.lo_discount BETWEEN 4 AND 6
	AND lo.lo_quantity BETWEEN 26 AND 35;

-- name: q1_3
SELECT sum(lo.lo_extendedprice * lo.lo_discount) AS revenue
FROM lineorder AS lo JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
WHERE d.d_weeknuminyear = 6 AND d.d_year = 1994 AND lo.lo_discount BETWEEN 5 AND 7
	AND lo.lo_quantity BETWEEN 26 AND 35;

-- name: q2_1
SELECT sum(lo.lo_revenue) AS revenue, d.d_year, p.p_brand1
FROM lineorder AS lo
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
	JOIN part AS p ON lo.lo_partkey = p.p_partkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
WHERE p.p_category = 'MFGR#12' AND s.s_region = 'AMERICA'
GROUP BY d.d_year, p.p_brand1
ORDER BY d.d_year, p.p_brand1;

-- name: q2_2
SELECT sum(lo.lo_revenue) AS revenue, d.d_year, p.p_brand1
FROM lineorder AS lo
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
	JOIN part AS p ON lo.lo_partkey = p.p_partkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
WHERE p.p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s.s_region = 'ASIA'
GROUP BY d.d_year, p.p_brand1
ORDER BY d.d_year, p.p_brand1;

-- name: q2_3
SELECT sum(lo.lo_revenue) AS revenue, d.d_year, p.p_brand1
FROM lineorder AS lo
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
	JOIN part AS p ON lo.lo_partkey = p.p_partkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
WHERE p.p_brand1 = 'MFGR#2221' AND s.s_region = 'EUROPE'
GROUP BY d.d_year, p.p_brand1
ORDER BY d.d_year, p.p_brand1;

-- name: q3_1
SELECT c.c_nation, s.s_nation, d.d_year, sum(lo.lo_revenue) AS revenue
FROM lineorder AS lo
	JOIN customer AS c ON lo.lo_custkey = c.c_custkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
WHERE c.c_region = 'ASIA' AND s.s_region = 'ASIA' AND d.d_year BETWEEN 1992 AND 1997
GROUP BY c.c_nation, s.s_nation, d.d_year
ORDER BY d.d_year, revenue DESC, c.c_nation, s.s_nation;

-- name: q3_2
SELECT c.c_city, s.s_city, d.d_year, sum(lo.lo_revenue) AS revenue
FROM lineorder AS lo
	JOIN customer AS c ON lo.lo_custkey = c.c_custkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
WHERE c.c_nation = 'UNITED STATES' AND s.s_nation = 'UNITED STATES'
	AND d.d_year BETWEEN 1992 AND 1997
GROUP BY c.c_city, s.s_city, d.d_year
ORDER BY d.d_year, revenue DESC, c.c_city, s.s_city;

-- name: q3_3
SELECT c.c_city, s.s_city, d.d_year, sum(lo.lo_revenue) AS revenue
FROM lineorder AS lo
	JOIN customer AS c ON lo.lo_custkey = c.c_custkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
WHERE c.c_city IN ('UNITED KI1', 'UNITED KI5') AND s.s_city IN ('UNITED KI1', 'UNITED KI5')
	AND d.d_year BETWEEN 1992 AND 1997
GROUP BY c.c_city, s.s_city, d.d_year
ORDER BY d.d_year, revenue DESC, c.c_city, s.s_city;

-- name: q3_4
SELECT c.c_city, s.s_city, d.d_year, sum(lo.lo_revenue) AS revenue
FROM lineorder AS lo
	JOIN customer AS c ON lo.lo_custkey = c.c_custkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
WHERE c.c_city IN ('UNITED KI1', 'UNITED KI5') AND s.s_city IN ('UNITED KI1', 'UNITED KI5')
	AND d.d_yearmonth = 'Dec1997'
GROUP BY c.c_city, s.s_city, d.d_year
ORDER BY d.d_year, revenue DESC, c.c_city, s.s_city;

-- name: q4_1
SELECT d.d_year, c.c_nation, sum(lo.lo_revenue - lo.lo_supplycost) AS profit
FROM lineorder AS lo
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
	JOIN customer AS c ON lo.lo_custkey = c.c_custkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
	JOIN part AS p ON lo.lo_partkey = p.p_partkey
WHERE c.c_region = 'AMERICA' AND s.s_region = 'AMERICA' AND p.p_mfgr IN ('MFGR#1', 'MFGR#2')
GROUP BY d.d_year, c.c_nation
ORDER BY d.d_year, c.c_nation;

-- name: q4_2
SELECT d.d_year, s.s_nation, p.p_category, sum(lo.lo_revenue - lo.lo_supplycost) AS profit
FROM lineorder AS lo
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
	JOIN customer AS c ON lo.lo_custkey = c.c_custkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
	JOIN part AS p ON lo.lo_partkey = p.p_partkey
WHERE c.c_region = 'AMERICA' AND s.s_region = 'AMERICA' AND d.d_year IN (1997, 1998)
	AND p.p_mfgr IN ('MFGR#1', 'MFGR#2')
GROUP BY d.d_year, s.s_nation, p.p_category
ORDER BY d.d_year, s.s_nation, p.p_category;

-- name: q4_3
SELECT d.d_year, s.s_city, p.p_brand1, sum(lo.lo_revenue - lo.lo_supplycost) AS profit
FROM lineorder AS lo
	JOIN dates AS d ON lo.lo_orderdate = d.d_datekey
	JOIN customer AS c ON lo.lo_custkey = c.c_custkey
	JOIN supplier AS s ON lo.lo_suppkey = s.s_suppkey
	JOIN part AS p ON lo.lo_partkey = p.p_partkey
WHERE c.c_region = 'AMERICA' AND s.s_nation = 'UNITED STATES' AND d.d_year IN (1997, 1998)
	AND p.p_category = 'MFGR#14'
GROUP BY d.d_year, s.s_city, p.p_brand1
ORDER BY d.d_year, s.s_city, p.p_brand1;
