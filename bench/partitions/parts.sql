-- parts.sql
--	  Makes the partitioned table of bench/partitions.sh, empty, and its partitions:
--	  months if there are 24, else parts of two years that are as long as each other.
--	  psql variables: partitions, how many.

SET client_min_messages = warning;
DROP TABLE IF EXISTS parts;
CREATE TABLE parts (LIKE whole INCLUDING ALL) PARTITION BY RANGE (ts);
CREATE OR REPLACE FUNCTION parts_begin(part int4, partitions int4) RETURNS timestamptz
	LANGUAGE sql STABLE AS $$
	SELECT timestamptz '2024-01-01' + CASE partitions WHEN 24 THEN part * interval '1 month'
		ELSE part * interval '731 days' / partitions END
$$;
SELECT format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES FROM (%L) TO (%L)', part,
	parts_begin(part, :partitions), parts_begin(part + 1, :partitions))
	FROM generate_series(0, :partitions - 1) AS part \gexec
