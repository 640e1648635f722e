-- What changes beside readers, each statement in a transaction of its own.  Of a deadlock
-- the reader is to be the victim.
SET deadlock_timeout = '60s';
SELECT compress_chunk(c) FROM show_chunks('readings', older_than => timestamptz '2026-01-07 00:00+00') c;
SELECT pg_sleep(0.3);
INSERT INTO readings SELECT timestamptz '2026-01-06 00:00:02+00' + x * interval '1 minute', x % 50, x, x, x FROM generate_series(0, 999) x;
SELECT pg_sleep(0.3);
SELECT decompress_chunk(c) FROM show_chunks('readings', newer_than => timestamptz '2026-01-04 00:00+00', older_than => timestamptz '2026-01-07 00:00+00') c;
SELECT pg_sleep(0.3);
DELETE FROM readings WHERE v % 10 = 3;
SELECT pg_sleep(0.3);
SELECT drop_chunks('readings', older_than => timestamptz '2026-01-03 00:00+00');
SELECT pg_sleep(0.3);
INSERT INTO readings SELECT timestamptz '2026-01-14 00:00:02+00' + x * interval '1 minute', x % 50, x, x, x FROM generate_series(0, 999) x;
SELECT pg_sleep(0.3);
