-- A hypertable of twelve days, and a table with the same rows.
CREATE EXTENSION timescaledb;
CREATE EXTENSION warpagg;
CREATE TABLE readings (ts timestamptz NOT NULL, device integer, v integer, n numeric,
	f float8, t text);
SELECT create_hypertable('readings', 'ts', chunk_time_interval => interval '1 day');
INSERT INTO readings
SELECT timestamptz '2026-01-01 00:00+00' + x * interval '5 seconds', x % 50, x % 1000,
	x / 8.0, x / 7.0, nullif('t' || x % 11, 't7')
FROM generate_series(0, 12 * 17280 - 1) AS x;
CREATE TABLE readings_here AS SELECT * FROM readings;
ANALYZE readings;
ANALYZE readings_here;
