-- readings_queries.sql
--	  The scan benchmark's own queries.

-- name: sum_int8
SELECT sum(v) FROM readings;

-- name: min_int8
SELECT min(v) FROM readings;

-- name: count_rows
SELECT count(*) FROM readings;

-- name: sum_where
SELECT sum(v) FROM readings WHERE k < 10;

-- name: four_aggregates
SELECT sum(v), min(i), max(f), count(*) FROM readings;

-- name: group_by_100
SELECT k, sum(v), count(*) FROM readings GROUP BY k ORDER BY k;

-- name: sum_numeric
SELECT sum(n) FROM readings;

-- name: group_by_day
SELECT date_trunc('day', ts) AS day, sum(v), count(*) FROM readings GROUP BY date_trunc('day', ts) ORDER BY day;
