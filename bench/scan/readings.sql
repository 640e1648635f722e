-- readings.sql
--	  Makes the table of the scan benchmark's own queries, empty: readings of 100
--	  devices, one a second.  readings_rows.sql fills it.

DROP TABLE IF EXISTS readings;
CREATE TABLE readings (
	k int4 NOT NULL,
	v int8 NOT NULL,
	i int4 NOT NULL,
	f float8 NOT NULL,
	n numeric(12, 2) NOT NULL,
	ts timestamptz NOT NULL
);
