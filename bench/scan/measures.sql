-- measures.sql
--	  Makes a table of numbers, empty; measures_rows.sql fills it.

DROP TABLE IF EXISTS measures;
CREATE TABLE measures (
	user_id bigint NOT NULL,
	value double precision NOT NULL,
	device integer NOT NULL
);
