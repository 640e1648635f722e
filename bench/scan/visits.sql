-- visits.sql
--	  Makes a table like a few columns of ClickBench's hits, empty; visits_rows.sql fills it.

DROP TABLE IF EXISTS visits;
CREATE TABLE visits (
	user_id bigint NOT NULL,
	region integer NOT NULL,
	phrase text COLLATE "C" NOT NULL,
	referer text COLLATE "C" NOT NULL,
	width smallint NOT NULL,
	at timestamp NOT NULL,
	price numeric(10, 2) NOT NULL,
	duration double precision NOT NULL
);
