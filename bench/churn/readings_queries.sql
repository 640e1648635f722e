-- readings_queries.sql
--	  The queries of bench/churn.sh, in the order in which its reader runs them.

-- name: sum_int8
SELECT sum(v) FROM readings;

-- name: four_aggregates
SELECT sum(v), min(i), max(f), count(*) FROM readings;

-- name: group_by_100
SELECT k, sum(v), count(*) FROM readings GROUP BY k ORDER BY k;

-- name: group_by_day
SELECT date_trunc('day', ts) AS day, sum(v), count(*) FROM readings GROUP BY date_trunc('day', ts) ORDER BY day;
