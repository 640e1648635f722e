-- dates_rows.sql
--	  Inserts the days of seven years that a process has to make.
--	  psql variables: process, from 0, of how many processes.

INSERT INTO dates
SELECT to_char(day, 'YYYYMMDD')::int4, to_char(day, 'FMMonth FMDD, YYYY'),
	to_char(day, 'FMDay'), to_char(day, 'FMMonth'), extract(year FROM day),
	to_char(day, 'YYYYMM')::int4, to_char(day, 'MonYYYY'),
	extract(dow FROM day) + 1, extract(day FROM day), extract(doy FROM day),
	extract(month FROM day), (extract(doy FROM day)::int4 - 1) / 7 + 1,
	(ARRAY['Winter', 'Spring', 'Summer', 'Fall', 'Christmas'])[CASE
		WHEN extract(month FROM day) = 12 THEN 5
		ELSE extract(month FROM day)::int4 % 12 / 3 + 1 END],
	extract(dow FROM day) = 6, extract(day FROM day + 1) = 1,
	to_char(day, 'MMDD') IN ('0101', '0214', '0501', '0704', '1031', '1225'),
	extract(isodow FROM day) < 6
FROM (SELECT date '1992-01-01' + n AS day
	FROM generate_series(:process, date '1998-12-31' - date '1992-01-01', :processes) AS n
) AS days;
