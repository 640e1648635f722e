-- Tables for statements.sql, made before the server runs under valgrind.
CREATE TABLE vg (
    id integer, k integer, s smallint, b bigint, n numeric(12,2), w numeric,
    f float8, r real, t text, c char(4), flag boolean, d date, ts timestamp,
    tz timestamptz, i interval, m money, u uuid, a integer[]);
INSERT INTO vg
    SELECT x, x % 7, x % 100, x * 1000000007::bigint, x / 100.0,
           (x % 50) * 1234567890123456789012.5, x / 8.0, x / 4.0,
           't' || x % 23, 'c' || x % 5, x % 3 = 0, date '2024-01-01' + x % 90,
           timestamp '2024-01-01' + x * interval '7 minutes',
           timestamptz '2024-01-01 00:00+00' + x * interval '11 minutes',
           x % 9 * interval '1 hour', x % 1000,
           md5((x % 13)::text)::uuid, ARRAY[x % 3, x % 2]
    FROM generate_series(1, 4000) x;
INSERT INTO vg (id, k) SELECT x, NULL FROM generate_series(4001, 4100) x;
ALTER TABLE vg ADD COLUMN added integer DEFAULT 42;
CREATE TABLE vg_many (
    g integer, h text, v integer, n numeric);
INSERT INTO vg_many
    SELECT x % 9000, 'key ' || x % 9000, x, x / 10.0
    FROM generate_series(1, 12000) x;
CREATE TABLE vg_small (k integer, name text);
INSERT INTO vg_small SELECT x, 'n' || x FROM generate_series(0, 6) x;
CREATE TABLE vg_changed (id integer, k integer, t text, n numeric);
INSERT INTO vg_changed
    SELECT x, x % 5, 't' || x % 11, x / 100.0 FROM generate_series(1, 4000) x;
VACUUM ANALYZE vg, vg_many, vg_small, vg_changed;
