-- Four chunks are compressed, and one of them gets rows after that, which are not.
ALTER TABLE readings SET (timescaledb.compress, timescaledb.compress_segmentby = 'device',
	timescaledb.compress_orderby = 'ts');
SELECT compress_chunk(chunk)
FROM show_chunks('readings', older_than => timestamptz '2026-01-05 00:00+00') AS chunk;
CREATE TEMP TABLE late AS
SELECT timestamptz '2026-01-02 00:00:01+00' + x * interval '1 minute' AS ts, x % 50 AS device,
	x % 1000 AS v, x / 8.0 AS n, x / 7.0::float8 AS f, 't' || x % 11 AS t
FROM generate_series(0, 999) AS x;
INSERT INTO readings SELECT * FROM late;
INSERT INTO readings_here SELECT * FROM late;
ANALYZE readings;
