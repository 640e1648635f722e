-- visits_queries.sql
--	  Queries that take values once, or in their order, or group by several sets of keys, or have
--	  aggregates that their own functions compute.  Those with ORDER BY leave no order open; of others
--	  rows are compared as a set.

-- name: users
SELECT count(DISTINCT user_id) FROM visits;

-- name: phrases
SELECT count(DISTINCT phrase) FROM visits;

-- name: referers
SELECT count(DISTINCT referer) FROM visits;

-- name: users_by_region
SELECT region, count(DISTINCT user_id) AS users FROM visits GROUP BY region ORDER BY users DESC, region LIMIT 10;

-- name: all_by_region
SELECT region, sum(price), count(*) AS visits, avg(width), count(DISTINCT user_id) FROM visits GROUP BY region ORDER BY visits DESC, region LIMIT 10;

-- name: users_by_phrase
SELECT phrase, count(DISTINCT user_id) AS users FROM visits WHERE phrase <> '' GROUP BY phrase ORDER BY users DESC, phrase LIMIT 10;

-- name: two_columns
SELECT count(DISTINCT user_id), count(DISTINCT phrase) FROM visits;

-- name: sum_of_widths
SELECT sum(DISTINCT width) FROM visits;

-- name: list_of_regions
SELECT DISTINCT region FROM visits;

-- name: list_of_users
SELECT DISTINCT user_id FROM visits;

-- name: rollup
SELECT region, width, count(*), sum(price) FROM visits GROUP BY ROLLUP (region, width);

-- name: cube
SELECT region, width, at::date, count(*), sum(price) FROM visits GROUP BY CUBE (region, width, at::date);

-- name: sets
SELECT region, width, at::date, count(*), avg(price) FROM visits GROUP BY GROUPING SETS ((region), (width), (at::date), ());

-- name: median
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration) FROM visits;

-- name: median_by_region
SELECT region, percentile_cont(0.5) WITHIN GROUP (ORDER BY duration) AS median FROM visits GROUP BY region ORDER BY region;

-- name: percentiles_by_region
SELECT region, percentile_disc(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY duration), count(*), avg(price) FROM visits GROUP BY region ORDER BY region;

-- name: percentile_of_users
SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY user_id) FROM visits;

-- name: percentile_by_day
SELECT at::date AS day, percentile_disc(0.95) WITHIN GROUP (ORDER BY width) FROM visits GROUP BY day ORDER BY day;

-- name: mode_by_region
SELECT region, mode() WITHIN GROUP (ORDER BY width) FROM visits GROUP BY region ORDER BY region;

-- name: texts_of_regions
SELECT region, count(*), sum(price), avg(width), string_agg(phrase, ',') FILTER (WHERE phrase <> '') FROM visits GROUP BY region;

-- name: texts_of_regions_chosen
SELECT region, count(*), sum(price), string_agg(phrase, ',' ORDER BY phrase) FROM visits WHERE width = 1440 AND phrase <> '' GROUP BY region ORDER BY region;

-- name: arrays_by_user
SELECT user_id, count(*), sum(price), array_agg(width ORDER BY width) FROM visits WHERE width < 1100 GROUP BY user_id ORDER BY user_id;

-- name: json_of_regions
SELECT region, count(*), sum(price), json_agg(phrase) FILTER (WHERE phrase <> '') FROM visits GROUP BY region;

-- name: regressions
SELECT region, count(*), sum(price), round(corr(duration, width)::numeric, 6), round(regr_slope(duration, width)::numeric, 3) FROM visits GROUP BY region;

-- name: distinct_texts_of_regions
SELECT region, count(*), sum(price), string_agg(DISTINCT phrase, ',') FROM visits GROUP BY region ORDER BY region;

-- name: arrays_in_order
SELECT region, count(*), sum(price), array_agg(user_id ORDER BY at, user_id) FROM visits GROUP BY region ORDER BY region;

-- name: texts_in_order
SELECT region, sum(price), string_agg(phrase, ',' ORDER BY phrase) FROM visits GROUP BY region ORDER BY region;

-- name: users_and_texts
SELECT region, count(DISTINCT user_id), string_agg(DISTINCT phrase, ',') FROM visits GROUP BY region ORDER BY region;
