-- hits_rows.sql
--	  Inserts the page views that a process has to make, of the columns that the table has.
--	  Distinct values and skew are about what public results of ClickBench's queries tell: of
--	  100 million rows 17.6 million users (the first with 29,000 rows), 9.9 million addresses, 6
--	  million phrases in 13.2 percent of the rows, 18 million urls (the first with 3 percent),
--	  20 million referers, 9,040 regions (the first with 18 percent), 6,506 sites, 166 models of
--	  telephones in 4 percent, 0.74 percent of the rows of site 62, 0.63 percent with an advert.
--	  Rows are in no order.  The random numbers are hashes (draw.sql): the rows are the same for
--	  everyone.  What site 62 has twice over is for ClickBench's own queries.
--	  psql variables: rows, of the table; process, from 0, of how many processes.

-- The name of a host.
CREATE OR REPLACE FUNCTION pg_temp.host(number int8)
RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN number % 4 = 0 THEN 'www.' ELSE '' END || pg_temp.letters(number, 201, 4 + number % 9)
	|| '.example';

-- An address on the web; one of 6,000 names Google, and half of these are on a host of its name.
CREATE OR REPLACE FUNCTION pg_temp.url(number int8, c int8)
RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'http' || CASE WHEN number % 16 = 0 THEN 's' ELSE '' END || '://'
	|| CASE WHEN pg_temp.draw(number, c, 12000) = 0 THEN 'www.google.example/search?q='
		ELSE pg_temp.host(pg_temp.skewed(number, c + 1, 20000, 6)) || '/' END
	|| CASE WHEN pg_temp.draw(number, c, 12000) = 1 THEN 'google/' ELSE '' END
	|| pg_temp.letters(number, c + 2, 8 + pg_temp.draw(number, c + 3, 20)) || '/'
	|| pg_temp.letters(number, c + 4, 4 + pg_temp.draw(number, c + 5, 60));

CREATE OR REPLACE TEMP VIEW drawn AS
SELECT hashint8extended(g, 0) & 9223372036854775807 AS view_id,
	(pg_temp.draw(visitor, 1, 100) < 62)::int4 AS java,
	CASE WHEN pg_temp.draw(g, 2, 100) < 15 THEN ''
		ELSE pg_temp.comment(title, 3) || CASE WHEN pg_temp.draw(title, 7, 3000) = 0
			THEN ' — Google ' ELSE ' — смотреть онлайн, цены и отзывы ' END
			|| pg_temp.letters(title, 8, 12) END AS title,
	(pg_temp.draw(g, 9, 1000) > 0)::int4 AS is_good,
	event AS viewed_at,
	event::date AS viewed_on,
	site AS site_id,
	hashint8extended(pg_temp.skewed(g, 10, (:rows * 0.0992)::int8, 2), 102) % 2147483640
		AS client_address,
	pg_temp.skewed(visitor, 11, 9040, 5) + 1 AS region_id,
	hashint8extended(visitor, 103) AS user_id,
	pg_temp.skewed(site, 12, 10, 3) AS site_class,
	pg_temp.skewed(visitor, 13, 90, 5) + 2 AS system_id,
	pg_temp.skewed(visitor, 14, 80, 4) + 1 AS browser_id,
	pg_temp.url(page, 210) AS url,
	CASE WHEN pg_temp.draw(g, 15, 100) < 19 THEN '' ELSE pg_temp.url(source, 220) END AS referer,
	(pg_temp.draw(g, 16, 100) < 14)::int4 AS is_reload,
	pg_temp.skewed(source, 17, 12000, 6) AS referer_category_id,
	pg_temp.skewed(source, 18, 600, 5) AS referer_region_id,
	pg_temp.skewed(page, 19, 12000, 6) AS url_category_id,
	pg_temp.skewed(page, 20, 600, 5) AS url_region_id,
	('{0,1024,1087,1280,1366,1368,1440,1600,1638,1680,1750,1917,1920,1996}'::int2[])
		[pg_temp.draw(visitor, 21, 14) + 1] AS screen_width,
	('{0,600,720,768,800,900,1024,1050,1080,1200}'::int2[])[pg_temp.draw(visitor, 22, 10) + 1]
		AS screen_height,
	CASE WHEN pg_temp.draw(visitor, 23, 100) < 5 THEN 16 ELSE 32 END AS screen_depth,
	pg_temp.skewed(visitor, 24, 15, 3) AS flash_major,
	pg_temp.skewed(visitor, 25, 8, 3) AS flash_minor,
	CASE WHEN pg_temp.draw(visitor, 26, 10) < 3 THEN ''
		ELSE pg_temp.skewed(visitor, 26, 800, 5)::text END AS flash_build,
	pg_temp.skewed(visitor, 27, 5, 2) AS net_major,
	pg_temp.skewed(visitor, 28, 5, 4) AS net_minor,
	pg_temp.skewed(visitor, 29, 60, 2) AS browser_major,
	CASE WHEN pg_temp.draw(visitor, 30, 10) < 4 THEN ''
		ELSE 'D' || pg_temp.skewed(visitor, 30, 2000, 5) END AS browser_minor,
	(pg_temp.draw(visitor, 31, 100) < 98)::int4 AS has_cookies,
	(pg_temp.draw(visitor, 32, 100) < 97)::int4 AS has_scripts,
	(pg_temp.draw(visitor, 33, 1000) < 60)::int4 AS is_mobile,
	CASE WHEN pg_temp.draw(visitor, 33, 1000) < 60
		THEN pg_temp.skewed(visitor, 34, 166, 7) % 90 + 1 ELSE 0 END AS phone_id,
	CASE WHEN pg_temp.draw(visitor, 33, 1000) < 40
		THEN 'Model ' || pg_temp.skewed(visitor, 34, 166, 7) ELSE '' END AS phone_model,
	CASE WHEN pg_temp.draw(g, 35, 100) < 3 THEN '{"page":"' || pg_temp.skewed(g, 36, 5000, 3) || '"}'
		ELSE '' END AS params,
	pg_temp.skewed(visitor, 37, 90000, 3) AS network_id,
	('{-1,-1,0,0,1,2,3,3,4,6}'::int2[])[pg_temp.draw(g, 38, 10) + 1] AS source_id,
	CASE WHEN phrase < 0 THEN 0 ELSE pg_temp.skewed(g, 39, 80, 6) + 1 END AS search_engine_id,
	CASE WHEN phrase < 0 THEN ''
		ELSE pg_temp.word('which', phrase, 40) || ' ' || pg_temp.word('what', phrase, 41) || ' ' ||
			pg_temp.letters(phrase, 42, 4 + pg_temp.draw(phrase, 43, 24)) END AS search_phrase,
	CASE WHEN pg_temp.draw(g, 44, 10000) < 63 THEN pg_temp.skewed(g, 45, 18, 3) + 2 ELSE 0 END
		AS advert_id,
	(pg_temp.draw(g, 46, 1000) < 3)::int4 AS is_artificial,
	pg_temp.skewed(g, 47, 2000, 2) + 100 AS window_width,
	pg_temp.skewed(g, 48, 1200, 2) + 100 AS window_height,
	pg_temp.skewed(visitor, 49, 25, 4) - 12 AS time_zone,
	event + pg_temp.skewed(g, 50, 7200, 6) * interval '1 second' AS client_time,
	pg_temp.skewed(visitor, 51, 6, 2) AS silverlight_1,
	pg_temp.skewed(visitor, 52, 2, 4) AS silverlight_2,
	pg_temp.skewed(visitor, 53, 60000, 9) AS silverlight_3,
	0 AS silverlight_4,
	CASE WHEN pg_temp.draw(site, 54, 10) < 4 THEN 'utf-8' ELSE 'windows-1251' END AS charset,
	pg_temp.skewed(site, 55, 300, 4) + 1300 AS code_version,
	(pg_temp.draw(g, 56, 100) < 8)::int4 AS is_link,
	(pg_temp.draw(g, 57, 1000) < 2)::int4 AS is_download,
	(pg_temp.draw(g, 58, 100) < 40)::int4 AS has_stayed,
	hashint8extended(visitor, 104) AS first_id,
	CASE WHEN pg_temp.draw(g, 59, 100) < 20 THEN pg_temp.url(page, 210) ELSE '' END AS original_url,
	pg_temp.draw(g, 60, 1073741824) AS page_id,
	0 AS is_old_counter,
	(pg_temp.draw(g, 61, 1000) < 5)::int4 AS is_event,
	(pg_temp.draw(g, 62, 1000) < 30)::int4 AS is_parameter,
	(pg_temp.draw(g, 63, 100) < 25)::int4 AS is_uncounted,
	(pg_temp.draw(g, 64, 1000) < 20)::int4 AS has_hash,
	substr('gERTYUP5', pg_temp.skewed(g, 65, 8, 3)::int4 + 1, 1) AS color,
	event + pg_temp.skewed(visitor, 66, 24, 4) * interval '1 hour' AS local_time,
	pg_temp.skewed(visitor, 67, 60, 4) AS age,
	pg_temp.draw(visitor, 68, 3) AS sex,
	pg_temp.draw(visitor, 69, 4) AS income,
	pg_temp.skewed(visitor, 70, 20000, 4) AS interests,
	pg_temp.skewed(visitor, 71, 40, 6) AS robot_score,
	hashint8extended(pg_temp.skewed(g, 10, (:rows * 0.0992)::int8, 2), 105) % 2147483640
		AS remote_address,
	CASE WHEN pg_temp.draw(g, 72, 10) < 8 THEN -1 ELSE pg_temp.skewed(g, 72, 30000, 3) END
		AS window_id,
	CASE WHEN pg_temp.draw(g, 73, 10) < 8 THEN -1 ELSE pg_temp.skewed(g, 73, 30000, 3) END
		AS opener_id,
	pg_temp.skewed(g, 74, 60, 4) AS history_length,
	('{ru,ru,ru,en,uk,de}'::text[])[pg_temp.draw(visitor, 75, 6) + 1] AS language,
	pg_temp.letters(pg_temp.skewed(visitor, 76, 200, 6), 76, 2) AS country,
	CASE WHEN pg_temp.draw(g, 77, 2000) = 0 THEN 'twitter' ELSE '' END AS social_network,
	CASE WHEN pg_temp.draw(g, 77, 2000) = 0 THEN 'click' ELSE '' END AS social_action,
	0 AS http_error,
	pg_temp.skewed(g, 78, 3000, 9) AS send_ms,
	pg_temp.skewed(g, 79, 3000, 9) AS dns_ms,
	pg_temp.skewed(g, 80, 3000, 6) AS connect_ms,
	pg_temp.skewed(g, 81, 30000, 5) AS response_start_ms,
	pg_temp.skewed(g, 82, 60000, 5) AS response_end_ms,
	pg_temp.skewed(g, 83, 60000, 4) AS fetch_ms,
	CASE WHEN pg_temp.draw(g, 84, 1000) < 4 THEN pg_temp.skewed(g, 84, 20, 3) ELSE 0 END
		AS social_source_id,
	CASE WHEN pg_temp.draw(g, 84, 1000) < 1 THEN pg_temp.url(source, 230) ELSE '' END AS social_page,
	CASE WHEN pg_temp.draw(g, 85, 1000) < 2 THEN pg_temp.skewed(g, 86, 10000000, 4) ELSE 0 END
		AS price,
	CASE WHEN pg_temp.draw(g, 85, 1000) < 1 THEN pg_temp.letters(g, 87, 10) ELSE '' END AS order_id,
	CASE WHEN pg_temp.draw(g, 85, 1000) < 2 THEN 'RUB' ELSE '' END AS currency,
	CASE WHEN pg_temp.draw(g, 85, 1000) < 2 THEN 643 ELSE 0 END AS currency_id,
	CASE WHEN pg_temp.draw(g, 88, 1000) < 5 THEN pg_temp.letters(pg_temp.draw(g, 89, 12), 89, 10)
		ELSE '' END AS service_name,
	CASE WHEN pg_temp.draw(g, 88, 1000) < 5 THEN pg_temp.letters(pg_temp.draw(g, 90, 900), 90, 8)
		ELSE '' END AS service_campaign,
	CASE WHEN pg_temp.draw(g, 88, 1000) < 5 THEN pg_temp.letters(pg_temp.draw(g, 91, 5000), 91, 8)
		ELSE '' END AS service_advert,
	CASE WHEN pg_temp.draw(g, 88, 1000) < 5 THEN pg_temp.letters(pg_temp.draw(g, 92, 300), 92, 12)
		ELSE '' END AS service_source,
	CASE WHEN pg_temp.draw(g, 93, 100) < 3 THEN pg_temp.letters(pg_temp.skewed(g, 94, 200, 4), 94, 9)
		ELSE '' END AS utm_source,
	CASE WHEN pg_temp.draw(g, 93, 100) < 3 THEN ('{cpc,banner,email}'::text[])[pg_temp.draw(g, 95, 3) + 1]
		ELSE '' END AS utm_medium,
	CASE WHEN pg_temp.draw(g, 93, 100) < 3 THEN pg_temp.letters(pg_temp.skewed(g, 96, 2000, 4), 96, 14)
		ELSE '' END AS utm_campaign,
	CASE WHEN pg_temp.draw(g, 93, 100) < 1 THEN pg_temp.letters(pg_temp.skewed(g, 97, 9000, 3), 97, 11)
		ELSE '' END AS utm_content,
	CASE WHEN pg_temp.draw(g, 93, 100) < 1 THEN pg_temp.letters(pg_temp.skewed(g, 98, 9000, 3), 98, 13)
		ELSE '' END AS utm_term,
	CASE WHEN pg_temp.draw(g, 99, 100) < 1 THEN pg_temp.letters(pg_temp.skewed(g, 99, 3000, 3), 99, 7)
		ELSE '' END AS from_tag,
	(pg_temp.draw(g, 100, 1000) < 2)::int4 AS has_click_id,
	CASE WHEN site = 62 AND pg_temp.draw(g, 101, 5) = 0 THEN 3594120000172545465
		ELSE hashint8extended(source, 106) END AS referer_hash,
	CASE WHEN site = 62 AND pg_temp.draw(g, 102, 20) = 0 THEN 2868770270353813622
		ELSE hashint8extended(page, 107) END AS url_hash,
	CASE WHEN pg_temp.draw(g, 103, 1000) < 4 THEN pg_temp.skewed(g, 104, 90000, 3) ELSE 0 END
		AS click_source_id
FROM (
	SELECT g,
		timestamp '2013-07-01' + pg_temp.draw(g, 150, 2678400) * interval '1 second' AS event,
		pg_temp.skewed(g, 151, (:rows * 0.18)::int8, 2) AS visitor,
		CASE WHEN pg_temp.draw(g, 152, 10000) < 74 THEN 62
			ELSE pg_temp.skewed(g, 153, 6505, 4) + 63 END AS site,
		pg_temp.skewed(g, 154, (:rows * 0.27)::int8, 5) AS page,
		pg_temp.skewed(g, 155, (:rows * 0.36)::int8, 4) AS source,
		pg_temp.skewed(g, 156, (:rows * 0.13)::int8, 5) AS title,
		CASE WHEN pg_temp.draw(g, 157, 10000) < 1317
			THEN pg_temp.skewed(g, 158, (:rows * 0.13)::int8, 3) ELSE -1 END AS phrase
	FROM generate_series(:process, (:rows::int8 - 1) / 10000, :processes) AS piece,
		generate_series(piece * 10000 + 1, least(piece * 10000 + 10000, :rows)) AS g
) AS views;

SELECT format('INSERT INTO hits SELECT %s FROM drawn',
		string_agg(quote_ident(attname), ', ' ORDER BY attnum))
	FROM pg_attribute WHERE attrelid = 'hits'::regclass AND attnum > 0 \gexec
