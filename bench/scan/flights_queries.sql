-- flights_queries.sql
--	  Queries over the flights that the demo loads.

-- name: flights_totals
SELECT count(*), sum(delay), min(delay), max(delay), avg(delay), sum(distance) FROM flights;

-- name: flights_long
SELECT sum(delay), avg(delay), stddev(delay) FROM flights WHERE distance > 500;

-- name: flights_by_origin
SELECT origin, count(*), avg(delay), max(distance) FROM flights GROUP BY origin ORDER BY origin;

-- name: flights_by_day
SELECT date_trunc('day', date) AS day, count(*), sum(delay) FILTER (WHERE delay > 0) FROM flights GROUP BY date_trunc('day', date) ORDER BY day;

-- name: flights_by_hour
SELECT extract(hour FROM date) AS hour, avg(delay), var_pop(delay) FROM flights WHERE origin IN ('ATL', 'ORD', 'DFW') GROUP BY extract(hour FROM date) ORDER BY hour;

-- name: flights_by_route
SELECT origin, destination, count(*) AS c, sum(distance) FROM flights GROUP BY origin, destination HAVING count(*) > 3 ORDER BY c DESC, origin, destination LIMIT 20;
