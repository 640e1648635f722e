-- whole.sql
--	  Makes the table of bench/partitions.sh that has no partitions, empty: readings of
--	  devices in two years.  whole_rows.sql fills it.

DROP TABLE IF EXISTS whole;
CREATE TABLE whole (
	id int8 NOT NULL,
	ts timestamptz NOT NULL,
	device int4 NOT NULL,
	k int4 NOT NULL,
	v int8 NOT NULL,
	n numeric(12, 2) NOT NULL,
	f float8 NOT NULL,
	ok boolean NOT NULL
);
