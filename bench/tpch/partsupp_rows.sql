-- partsupp_rows.sql
--	  Inserts what the suppliers of the parts that a process has to make have: four of each
--	  part.
--	  psql variables: sf, the scale factor; process, from 0, of how many processes.

INSERT INTO partsupp
SELECT part, pg_temp.part_supplier(part, number, (:sf * 10000)::int8),
	pg_temp.draw(key, 140, 9999) + 1, (pg_temp.draw(key, 141, 99901) + 100) / 100::numeric,
	pg_temp.comment(key, 142)
FROM (
	SELECT part, number, part * 4 + number AS key
	FROM generate_series(:process + 1, (:sf * 200000)::int8, :processes) AS part,
		generate_series(0, 3) AS number
	OFFSET 0
) AS keys;
