-- part_rows.sql
--	  Inserts the parts that a process has to make: 200,000 at scale factor 1.  A name is
--	  five different colors.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO part
SELECT n, concat_ws(' ', colors[color + 1], colors[(color + step) % 92 + 1],
		colors[(color + 2 * step) % 92 + 1], colors[(color + 3 * step) % 92 + 1],
		colors[(color + 4 * step) % 92 + 1]),
	'Manufacturer#' || brand / 5 + 1, 'Brand#' || brand / 5 + 1 || brand % 5 + 1,
	pg_temp.word('size', n, 120) || ' ' || pg_temp.word('finish', n, 121) || ' '
		|| pg_temp.word('metal', n, 122),
	pg_temp.draw(n, 123, 50) + 1,
	pg_temp.word('large', n, 124) || ' ' || pg_temp.word('container', n, 125),
	pg_temp.part_price(n) / 100::numeric,
	pg_temp.word('which', n, 126) || ' ' || pg_temp.word('what', n, 127)
FROM (
	SELECT n, pg_temp.draw(n, 128, 25) AS brand, pg_temp.draw(n, 129, 92) AS color,
		pg_temp.draw(n, 130, 22) + 1 AS step, pg_temp.words('color') AS colors
	FROM generate_series(:process + 1, (:sf * 200000)::int8, :processes) AS n
	OFFSET 0
) AS drawn;
