-- part_rows.sql
--	  Inserts the parts that a process has to make: 200,000 at scale factor 1, as many more
--	  with each doubling from there on, and fewer below.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO part
SELECT n, (pg_temp.words('color'))[color + 1] || ' '
		|| (pg_temp.words('color'))[(color + 1 + pg_temp.draw(n, 50, 91)) % 92 + 1],
	'MFGR#' || brand / 200 + 1,
	'MFGR#' || brand / 200 + 1 || brand / 40 % 5 + 1,
	'MFGR#' || brand / 200 + 1 || brand / 40 % 5 + 1 || brand % 40 + 1,
	(pg_temp.words('color'))[color + 1],
	pg_temp.word('size', n, 51) || ' ' || pg_temp.word('finish', n, 52) || ' '
		|| pg_temp.word('metal', n, 53),
	pg_temp.draw(n, 54, 50) + 1,
	pg_temp.word('large', n, 55) || ' ' || pg_temp.word('container', n, 56)
FROM (
	SELECT n, pg_temp.draw(n, 57, 1000) AS brand, pg_temp.draw(n, 58, 92) AS color
	FROM generate_series(:process + 1, (200000 * CASE WHEN :sf < 1 THEN :sf
			ELSE 1 + floor(log(2, :sf::numeric)) END)::int8, :processes) AS n
	OFFSET 0
) AS drawn;
