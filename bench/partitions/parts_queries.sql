-- parts_queries.sql
--	  The queries of bench/partitions.sh: two that are simple, sixteen that dashboards have,
--	  and one over the last partitions, where {1} is the time with which the last of them begins.  Each
--	  gives the order of all its rows.

-- name: sum
SELECT sum(v) FROM parts;

-- name: days
SELECT date_trunc('day', ts) AS day, sum(v), count(*) FROM parts GROUP BY 1 ORDER BY 1;

-- name: total
SELECT count(*), sum(v), min(v), max(f), avg(n) FROM parts;

-- name: hours_of_a_day
SELECT date_trunc('hour', ts) AS time, avg(n), max(v) FROM parts WHERE ts BETWEEN '2025-10-26' AND '2025-10-27' GROUP BY 1 ORDER BY 1;

-- name: days_of_a_month
SELECT floor(extract(epoch FROM ts) / 86400) * 86400 AS time, sum(v), count(*) FROM parts WHERE ts >= '2025-11-15' AND ts < '2025-12-15' GROUP BY 1 ORDER BY 1;

-- name: months
SELECT date_trunc('month', ts) AS month, sum(v), count(*) FROM parts GROUP BY 1 ORDER BY 1;

-- name: last_week
SELECT count(*), sum(n), max(v) FROM parts WHERE ts >= timestamptz '2026-01-01' - interval '7 days';

-- name: devices_of_a_month
SELECT device, sum(v), avg(n) FROM parts WHERE ts >= '2025-12-01' AND ts < '2026-01-01' GROUP BY device ORDER BY device;

-- name: top_10
SELECT device, sum(v) AS total FROM parts GROUP BY device ORDER BY total DESC, device LIMIT 10;

-- name: percent_of_total
SELECT k, sum(v), round(100 * sum(v) / sum(sum(v)) OVER (), 2) AS percent FROM parts WHERE ts >= '2025-07-01' GROUP BY k ORDER BY k;

-- name: month_over_month
SELECT date_trunc('month', ts) AS month, sum(n) - lag(sum(n)) OVER (ORDER BY date_trunc('month', ts)) AS change FROM parts GROUP BY 1 ORDER BY 1;

-- name: one_device
SELECT date_trunc('day', ts) AS day, min(f), max(f), count(*) FROM parts WHERE device = 17 AND ts >= '2025-07-01' GROUP BY 1 ORDER BY 1;

-- name: latest_per_device
SELECT device, max(ts) FROM parts GROUP BY device ORDER BY device;

-- name: filters
SELECT k, count(*) FILTER (WHERE ok), count(*) FILTER (WHERE NOT ok), sum(v) FILTER (WHERE v > 1000) FROM parts WHERE ts >= '2025-10-01' GROUP BY k ORDER BY k;

-- name: heat_map
SELECT extract(isodow FROM ts) AS day, extract(hour FROM ts) AS hour, count(*), avg(n) FROM parts GROUP BY 1, 2 ORDER BY 1, 2;

-- name: year_over_year
SELECT extract(month FROM ts) AS month, sum(v) FILTER (WHERE ts < '2025-01-01'), sum(v) FILTER (WHERE ts >= '2025-01-01') FROM parts GROUP BY 1 ORDER BY 1;

-- name: having
SELECT device, k, count(*), sum(v) FROM parts GROUP BY device, k HAVING sum(v) % 7 = 0 ORDER BY device, k;

-- name: running_total
SELECT day, sum(total) OVER (ORDER BY day) FROM (SELECT ts::date AS day, sum(n) AS total FROM parts WHERE ts >= '2025-12-01' GROUP BY 1) AS days ORDER BY day;

-- name: last_partition
SELECT k, sum(v), count(*) FROM parts WHERE ts >= '{1}' GROUP BY k ORDER BY k;

-- name: last_2_partitions
SELECT k, sum(v), count(*) FROM parts WHERE ts >= '{2}' GROUP BY k ORDER BY k;

-- name: last_12_partitions
SELECT k, sum(v), count(*) FROM parts WHERE ts >= '{12}' GROUP BY k ORDER BY k;
