-- hits.sql
--	  Makes a table like ClickBench's hits, empty: the columns that the queries of
--	  hits_queries.sql read, under their names, types and order.  The original
--	  has 105 columns, its rows some 800 bytes; a row here takes about 100.
--	  hits_rows.sql fills it.

DROP TABLE IF EXISTS hits;
CREATE TABLE hits (
	WatchID bigint NOT NULL,
	EventTime timestamp NOT NULL,
	EventDate date NOT NULL,
	CounterID integer NOT NULL,
	ClientIP integer NOT NULL,
	UserID bigint NOT NULL,
	IsRefresh smallint NOT NULL,
	ResolutionWidth smallint NOT NULL,
	TraficSourceID smallint NOT NULL,
	AdvEngineID smallint NOT NULL,
	WindowClientWidth smallint NOT NULL,
	WindowClientHeight smallint NOT NULL,
	DontCountHits smallint NOT NULL,
	RefererHash bigint NOT NULL,
	URLHash bigint NOT NULL
);
