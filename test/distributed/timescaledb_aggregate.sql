-- Continuous aggregates: up to a day, with what came later, or without.
CREATE MATERIALIZED VIEW hours WITH (timescaledb.continuous,
	timescaledb.materialized_only = false) AS
SELECT time_bucket('1 hour', ts) AS hour, device, count(*) AS rows, sum(v) AS total,
	max(n) AS most
FROM readings GROUP BY hour, device WITH NO DATA;
CALL refresh_continuous_aggregate('hours', NULL, timestamptz '2026-01-10 00:00+00');
