-- hits_queries.sql
--	  Queries of a web analytics dashboard.  The first 43 do the work of ClickBench's, in their
--	  order, in words of our own; the others take what else a dashboard asks for.  ORDER BY
--	  leaves nothing open; without it any rows may come.

-- name: hits_rows
SELECT count(*) FROM hits;

-- name: hits_advert_rows
SELECT count(*) FROM hits WHERE advert_id <> 0;

-- name: hits_totals
SELECT sum(advert_id), avg(screen_width), count(*) FROM hits;

-- name: hits_mean_of_ids
SELECT avg(user_id) FROM hits;

-- name: hits_users
SELECT count(DISTINCT user_id) FROM hits;

-- name: hits_phrases
SELECT count(DISTINCT search_phrase) FROM hits;

-- name: hits_days
SELECT min(viewed_on), max(viewed_on) FROM hits;

-- name: hits_adverts
SELECT advert_id, count(*) AS views
	FROM hits
	WHERE advert_id <> 0
	GROUP BY advert_id
	ORDER BY views DESC, advert_id;

-- name: hits_users_of_regions
SELECT region_id, count(DISTINCT user_id) AS users
	FROM hits
	GROUP BY region_id
	ORDER BY users DESC, region_id LIMIT 10;

-- name: hits_regions
SELECT region_id, count(*) AS views, count(DISTINCT user_id), sum(advert_id), avg(screen_width)
	FROM hits
	GROUP BY region_id
	ORDER BY views DESC, region_id LIMIT 10;

-- name: hits_users_of_models
SELECT phone_model, count(DISTINCT user_id) AS users
	FROM hits
	WHERE phone_model <> ''
	GROUP BY phone_model
	ORDER BY users DESC, phone_model LIMIT 10;

-- name: hits_users_of_phones
SELECT phone_id, phone_model, count(DISTINCT user_id) AS users
	FROM hits
	WHERE phone_model <> ''
	GROUP BY phone_id, phone_model
	ORDER BY users DESC, phone_id, phone_model LIMIT 10;

-- name: hits_top_phrases
SELECT search_phrase, count(*) AS views
	FROM hits
	WHERE search_phrase <> ''
	GROUP BY search_phrase
	ORDER BY views DESC, search_phrase LIMIT 10;

-- name: hits_users_of_phrases
SELECT search_phrase, count(DISTINCT user_id) AS users
	FROM hits
	WHERE search_phrase <> ''
	GROUP BY search_phrase
	ORDER BY users DESC, search_phrase LIMIT 10;

-- name: hits_engines_and_phrases
SELECT search_engine_id, search_phrase, count(*) AS views
	FROM hits
	WHERE search_phrase <> ''
	GROUP BY search_engine_id, search_phrase
	ORDER BY views DESC, search_engine_id, search_phrase LIMIT 10;

-- name: hits_top_users
SELECT user_id, count(*) AS views FROM hits GROUP BY user_id ORDER BY views DESC, user_id LIMIT 10;

-- name: hits_users_and_phrases
SELECT user_id, search_phrase, count(*) AS views
	FROM hits
	GROUP BY user_id, search_phrase
	ORDER BY views DESC, user_id, search_phrase LIMIT 10;

-- name: hits_any_users_and_phrases
SELECT user_id, search_phrase, count(*) FROM hits GROUP BY user_id, search_phrase LIMIT 10;

-- name: hits_users_minutes_phrases
SELECT user_id, extract(minute FROM viewed_at) AS minute, search_phrase, count(*) AS views
	FROM hits
	GROUP BY user_id, minute, search_phrase
	ORDER BY views DESC, user_id, minute, search_phrase LIMIT 10;

-- name: hits_views_of_a_user
SELECT viewed_at, site_id FROM hits WHERE user_id = 6499497495017661801 ORDER BY viewed_at, site_id;

-- name: hits_like
SELECT count(*) FROM hits WHERE url LIKE '%google%';

-- name: hits_phrases_like
SELECT search_phrase, min(url), count(*) AS views
	FROM hits
	WHERE url LIKE '%google%' AND search_phrase <> ''
	GROUP BY search_phrase
	ORDER BY views DESC, search_phrase LIMIT 10;

-- name: hits_phrases_of_titles_like
SELECT search_phrase, min(title), min(url), count(DISTINCT user_id), count(*) AS views
	FROM hits
	WHERE title LIKE '%Google%' AND url NOT LIKE '%.google.%' AND search_phrase <> ''
	GROUP BY search_phrase
	ORDER BY views DESC, search_phrase LIMIT 10;

-- name: hits_first_rows_like
SELECT * FROM hits WHERE url LIKE '%google%' ORDER BY viewed_at, view_id LIMIT 10;

-- name: hits_first_phrases_by_time
SELECT search_phrase FROM hits WHERE search_phrase <> '' ORDER BY viewed_at, view_id LIMIT 10;

-- name: hits_first_phrases
SELECT search_phrase FROM hits WHERE search_phrase <> '' ORDER BY search_phrase LIMIT 10;

-- name: hits_first_phrases_by_both
SELECT search_phrase FROM hits WHERE search_phrase <> '' ORDER BY viewed_at, search_phrase LIMIT 10;

-- name: hits_lengths_of_urls
SELECT site_id, avg(length(url)) AS length, count(*)
	FROM hits
	WHERE url <> ''
	GROUP BY site_id
	HAVING count(*) > 1000
	ORDER BY length DESC, site_id LIMIT 25;

-- name: hits_hosts_of_referers
SELECT regexp_replace(referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS host,
	avg(length(referer)) AS length, count(*), min(referer)
	FROM hits
	WHERE referer <> ''
	GROUP BY host
	HAVING count(*) > 1000
	ORDER BY length DESC, host LIMIT 25;

-- name: hits_many_sums
SELECT sum(screen_width), sum(screen_width + 1), sum(screen_width + 2), sum(screen_width + 3),
	sum(screen_width + 4), sum(screen_width + 5), sum(screen_width + 6), sum(screen_width + 7),
	sum(screen_width + 8), sum(screen_width + 9), sum(screen_width + 10), sum(screen_width + 11),
	sum(screen_width + 12), sum(screen_width + 13), sum(screen_width + 14), sum(screen_width + 15),
	sum(screen_width + 16), sum(screen_width + 17), sum(screen_width + 18), sum(screen_width + 19),
	sum(screen_width + 20), sum(screen_width + 21), sum(screen_width + 22), sum(screen_width + 23),
	sum(screen_width + 24), sum(screen_width + 25), sum(screen_width + 26), sum(screen_width + 27),
	sum(screen_width + 28), sum(screen_width + 29), sum(screen_width + 30), sum(screen_width + 31),
	sum(screen_width + 32), sum(screen_width + 33), sum(screen_width + 34), sum(screen_width + 35),
	sum(screen_width + 36), sum(screen_width + 37), sum(screen_width + 38), sum(screen_width + 39),
	sum(screen_width + 40), sum(screen_width + 41), sum(screen_width + 42), sum(screen_width + 43),
	sum(screen_width + 44), sum(screen_width + 45), sum(screen_width + 46), sum(screen_width + 47),
	sum(screen_width + 48), sum(screen_width + 49), sum(screen_width + 50), sum(screen_width + 51),
	sum(screen_width + 52), sum(screen_width + 53), sum(screen_width + 54), sum(screen_width + 55),
	sum(screen_width + 56), sum(screen_width + 57), sum(screen_width + 58), sum(screen_width + 59),
	sum(screen_width + 60), sum(screen_width + 61), sum(screen_width + 62), sum(screen_width + 63),
	sum(screen_width + 64), sum(screen_width + 65), sum(screen_width + 66), sum(screen_width + 67),
	sum(screen_width + 68), sum(screen_width + 69), sum(screen_width + 70), sum(screen_width + 71),
	sum(screen_width + 72), sum(screen_width + 73), sum(screen_width + 74), sum(screen_width + 75),
	sum(screen_width + 76), sum(screen_width + 77), sum(screen_width + 78), sum(screen_width + 79),
	sum(screen_width + 80), sum(screen_width + 81), sum(screen_width + 82), sum(screen_width + 83),
	sum(screen_width + 84), sum(screen_width + 85), sum(screen_width + 86), sum(screen_width + 87),
	sum(screen_width + 88), sum(screen_width + 89)
	FROM hits;

-- name: hits_engines_and_addresses
SELECT search_engine_id, client_address, count(*) AS views, sum(is_reload), avg(screen_width)
	FROM hits
	WHERE search_phrase <> ''
	GROUP BY search_engine_id, client_address
	ORDER BY views DESC, search_engine_id, client_address LIMIT 10;

-- name: hits_views_with_phrase
SELECT view_id, client_address, count(*) AS views, sum(is_reload), avg(screen_width)
	FROM hits
	WHERE search_phrase <> ''
	GROUP BY view_id, client_address
	ORDER BY views DESC, view_id, client_address LIMIT 10;

-- name: hits_every_view
SELECT view_id, client_address, count(*) AS views, sum(is_reload), avg(screen_width)
	FROM hits
	GROUP BY view_id, client_address
	ORDER BY views DESC, view_id, client_address LIMIT 10;

-- name: hits_top_urls
SELECT url, count(*) AS views FROM hits GROUP BY url ORDER BY views DESC, url LIMIT 10;

-- name: hits_top_urls_and_one
SELECT 1 AS one, url, count(*) AS views
	FROM hits
	GROUP BY one, url
	ORDER BY views DESC, url LIMIT 10;

-- name: hits_addresses
SELECT client_address, client_address - 1, client_address - 2, client_address - 3, count(*) AS views
	FROM hits
	GROUP BY client_address, client_address - 1, client_address - 2, client_address - 3
	ORDER BY views DESC, client_address LIMIT 10;

-- name: hits_site_urls
SELECT url, count(*) AS views
	FROM hits
	WHERE site_id = 62 AND viewed_on BETWEEN '2013-07-01' AND '2013-07-31' AND is_reload = 0
		AND is_uncounted = 0 AND url <> ''
	GROUP BY url
	ORDER BY views DESC, url LIMIT 10;

-- name: hits_site_titles
SELECT title, count(*) AS views
	FROM hits
	WHERE site_id = 62 AND viewed_on BETWEEN '2013-07-01' AND '2013-07-31' AND is_reload = 0
		AND is_uncounted = 0 AND title <> ''
	GROUP BY title
	ORDER BY views DESC, title LIMIT 10;

-- name: hits_site_links
SELECT url, count(*) AS views
	FROM hits
	WHERE site_id = 62 AND viewed_on BETWEEN '2013-07-01' AND '2013-07-31' AND is_reload = 0
		AND is_link <> 0 AND is_download = 0
	GROUP BY url
	ORDER BY views DESC, url LIMIT 10 OFFSET 100;

-- name: hits_site_sources
SELECT source_id, search_engine_id, advert_id,
	CASE WHEN search_engine_id = 0 AND advert_id = 0 THEN referer ELSE '' END AS came_from,
	url, count(*) AS views
	FROM hits
	WHERE site_id = 62 AND viewed_on BETWEEN '2013-07-01' AND '2013-07-31' AND is_reload = 0
	GROUP BY source_id, search_engine_id, advert_id, came_from, url
	ORDER BY views DESC, source_id, search_engine_id, advert_id, came_from, url LIMIT 10 OFFSET 1000;

-- name: hits_site_days
SELECT url_hash, viewed_on, count(*) AS views
	FROM hits
	WHERE site_id = 62 AND viewed_on BETWEEN '2013-07-01' AND '2013-07-31' AND is_reload = 0
		AND source_id IN (-1, 6) AND referer_hash = 3594120000172545465
	GROUP BY url_hash, viewed_on
	ORDER BY views DESC, url_hash, viewed_on LIMIT 10 OFFSET 100;

-- name: hits_site_windows
SELECT window_width, window_height, count(*) AS views
	FROM hits
	WHERE site_id = 62 AND viewed_on BETWEEN '2013-07-01' AND '2013-07-31' AND is_reload = 0
		AND is_uncounted = 0 AND url_hash = 2868770270353813622
	GROUP BY window_width, window_height
	ORDER BY views DESC, window_width, window_height LIMIT 10 OFFSET 100;

-- name: hits_site_minutes
SELECT date_trunc('minute', viewed_at) AS minute, count(*) AS views
	FROM hits
	WHERE site_id = 62 AND viewed_on BETWEEN '2013-07-14' AND '2013-07-15' AND is_reload = 0
		AND is_uncounted = 0
	GROUP BY minute
	ORDER BY minute LIMIT 10 OFFSET 100;

-- name: hits_users_of_sites
SELECT site_id, count(DISTINCT user_id), count(DISTINCT search_phrase), count(DISTINCT url)
	FROM hits
	GROUP BY site_id
	ORDER BY site_id;

-- name: hits_distinct_sums
SELECT region_id, sum(DISTINCT screen_width), avg(DISTINCT window_width), count(*)
	FROM hits
	GROUP BY region_id
	ORDER BY region_id;

-- name: hits_median
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY fetch_ms) FROM hits;

-- name: hits_percentiles
SELECT percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY response_end_ms),
	percentile_cont(0.5) WITHIN GROUP (ORDER BY fetch_ms)
	FROM hits;

-- name: hits_medians_of_regions
SELECT region_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY fetch_ms), count(*)
	FROM hits
	GROUP BY region_id
	ORDER BY region_id;

-- name: hits_modes
SELECT viewed_on, mode() WITHIN GROUP (ORDER BY screen_width), avg(fetch_ms)
	FROM hits
	GROUP BY viewed_on
	ORDER BY viewed_on;

-- name: hits_list_of_models
SELECT DISTINCT phone_model FROM hits ORDER BY phone_model;

-- name: hits_list_of_sites
SELECT DISTINCT site_id, charset FROM hits;

-- name: hits_latest_rows
SELECT viewed_at, url, title, user_id
	FROM hits
	WHERE site_id = 62
	ORDER BY viewed_at DESC, view_id LIMIT 50;

-- name: hits_latest_of_all
SELECT viewed_at, url, title, user_id FROM hits ORDER BY viewed_at DESC, view_id LIMIT 50;

-- name: hits_last_of_phones
SELECT DISTINCT ON (phone_id) phone_id, viewed_at, view_id
	FROM hits
	ORDER BY phone_id, viewed_at DESC, view_id;

-- name: hits_rollup
SELECT charset, language, viewed_on, count(*), sum(price)
	FROM hits
	GROUP BY ROLLUP (charset, language, viewed_on)
	ORDER BY charset, language, viewed_on;

-- name: hits_cube
SELECT charset, language, is_mobile, count(*), avg(fetch_ms), count(DISTINCT user_id)
	FROM hits
	GROUP BY CUBE (charset, language, is_mobile)
	ORDER BY charset, language, is_mobile;

-- name: hits_lists_of_phrases
SELECT region_id, count(*), sum(price),
	string_agg(DISTINCT search_phrase, ', ') FILTER (WHERE search_phrase <> '')
	FROM hits
	GROUP BY region_id
	ORDER BY region_id;

-- name: hits_regressions
SELECT viewed_on, count(*), sum(price), round(corr(fetch_ms, response_end_ms)::numeric, 6)
	FROM hits
	GROUP BY viewed_on
	ORDER BY viewed_on;
