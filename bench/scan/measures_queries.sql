-- measures_queries.sql
--	  Values of many rows, each once, or in their order.

-- name: measured_users
SELECT count(DISTINCT user_id) FROM measures;

-- name: measured_values
SELECT count(DISTINCT value) FROM measures;

-- name: measured_median
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM measures;

-- name: medians
SELECT device, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median FROM measures GROUP BY device ORDER BY device;

-- name: percentiles
SELECT device, percentile_disc(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY value), count(*), sum(user_id) FROM measures GROUP BY device ORDER BY device;

-- name: users_by_device
SELECT device, count(DISTINCT user_id) AS users FROM measures GROUP BY device ORDER BY users DESC, device LIMIT 10;

-- name: measured_mode
SELECT mode() WITHIN GROUP (ORDER BY user_id) FROM measures;
