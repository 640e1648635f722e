-- Quotients and remainders of numerics, and numbers of up to 38 digits: by programs,
-- over rows of the heap and in warpaggd, against PostgreSQL's own plan.
SET client_min_messages = error;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
\set VERBOSITY terse

-- Text for text, or value for value: from the heap, and from resident columns. How many
-- blocks of these were read from the heap all the same, and which rows were computed singly,
-- if any.
CREATE FUNCTION pg_temp.same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    collect text := format('SELECT array_agg(r::text ORDER BY r::text) FROM (%s) r', query);
    heap text[];
    resident text[];
    theirs text[];
    singly jsonb;
    plan jsonb;
BEGIN
    PERFORM set_config('warpagg.accelerate', 'all', false);
    PERFORM set_config('warpagg.enable_scan', 'on', false);
    PERFORM set_config('warpagg.enable_resident', 'off', false);
    EXECUTE collect INTO heap;
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO singly;
    PERFORM set_config('warpagg.enable_resident', 'on', false);
    EXECUTE collect INTO resident;
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    PERFORM set_config('warpagg.enable_scan', 'off', false);
    PERFORM set_config('warpagg.accelerate', 'off', false);
    EXECUTE collect INTO theirs;
    PERFORM set_config('warpagg.enable_scan', 'on', false);
    RETURN CASE WHEN heap = theirs AND resident = theirs THEN 'same'
           WHEN heap = resident AND wa_same_looks(heap) = wa_same_looks(theirs) THEN 'same values'
           ELSE 'DIFFERENT' END
        || CASE WHEN NOT singly @? '$.**."Custom Plan Provider"' THEN ', no node'
           WHEN singly @? '$.**."Rows Computed Singly" ? (@ > 0)' THEN ', some singly' ELSE '' END
        || CASE WHEN NOT plan @? '$.**."Resident Blocks"' THEN ', not asked'
           WHEN plan @? '$.**."Blocks Read" ? (@ > 0)' THEN ', some from the heap' ELSE '' END;
END $$;

-- p, q: prices and such; f: few digits; w: more than 18; s: shown with different digits;
-- e: near powers of 10000 and of ten, of both signs, and with ties when halved
CREATE TABLE quotients (k integer, p numeric(12, 2), q numeric(10, 3), f numeric(4, 1),
    w numeric(30, 10), s numeric, e numeric, z numeric(6, 2), i bigint, t text);
INSERT INTO quotients
SELECT x % 7, (h % 10000000) / 100.0, (1 + h / 7 % 1000000) / 1000.0, (h / 11 % 1999 - 999) / 10.0,
       (h - 2147483648) * 1234567.0123456789 * CASE x % 3 WHEN 0 THEN 1000 ELSE 1 END,
       round((h - 2147483648) / 1000003.0, x % 9),
       (('1e' || x % 13 - 5)::numeric + (x % 5 - 2) * ('1e' || x % 4 - 6)::numeric) * (1 - x % 2 * 2),
       CASE WHEN x % 10 > 0 THEN (x % 10 * 5) / 100.0 WHEN x % 20 > 0 THEN 0 END, x % 23 - 11, 't' || x % 11
FROM (SELECT x, ('x' || substr(md5(x::text), 1, 8))::bit(32)::bigint & 4294967295 AS h FROM generate_series(1, 12000) x) v;
VACUUM (FREEZE, ANALYZE) quotients;
SELECT warpagg_load('quotients') AS loaded;

-- What dashboards ask.
SELECT pg_temp.same('SELECT sum(p / q), avg(p / q), min(p / q), max(p / q), count(p / q) FROM quotients');
SELECT pg_temp.same('SELECT k, sum(p / q), avg(p / 7), round(sum(p / q), 2) FROM quotients GROUP BY k');
SELECT pg_temp.same('SELECT t, avg(p / 100), max(p / 1000.00), sum(round(p / q, 2)) FROM quotients GROUP BY t');
SELECT pg_temp.same('SELECT round(p / q), count(*) FROM quotients GROUP BY 1');
SELECT pg_temp.same('SELECT p / f, count(*) FROM quotients WHERE f <> 0 GROUP BY 1');
SELECT pg_temp.same('SELECT count(*), sum(p) FROM quotients WHERE p / q > 1000');
SELECT pg_temp.same('SELECT count(*) FROM quotients WHERE p / q BETWEEN 33.3333333333333333 AND 66.6666666666666667');
SELECT pg_temp.same('SELECT sum(100 * p / q), sum((p - q) / q * 100), sum(p / q / 3), avg((p / q) * (p / 7)) FROM quotients');
SELECT pg_temp.same('SELECT sum((p / q)::integer), sum((p / q)::numeric(14, 3)), sum(floor(p / q)), sum(ceil(p / -q)), sum(-(p / q)), sum(abs(f / q)) FROM quotients');
SELECT pg_temp.same('SELECT max((p / q)::float8), min((f / q)::real) FROM quotients');
SELECT pg_temp.same('SELECT sum(i / 7.0), sum(p / i) FILTER (WHERE i <> 0), sum(i::numeric / 3) FROM quotients');
SELECT pg_temp.same('SELECT stddev(p / q), variance(p / 3), var_pop(f / q) FROM quotients');

-- Digits and rounding.
SELECT x.e, pg_temp.same(format('SELECT sum(%1$s), min(%1$s), max(%1$s), k FROM quotients WHERE e <> 0 AND s <> 0 AND f <> 0 GROUP BY k', x.e))
FROM unnest('{e / 2,e / 3,2 / e,e / s,s / e,s / q,s / f,f / s,p / e,e / -10000,e / 9999,e / 10001,1 / e,10000 / e,e / 0.0001,-9999.9999 / e,1.0 / 3,s / 1.000000000000}'::text[]) x(e);
SELECT pg_temp.same('SELECT e / f, s / e, count(*) FROM quotients WHERE f <> 0 AND e <> 0 GROUP BY 1, 2');
SELECT pg_temp.same('SELECT sum(w / q), sum(p / w), max(w / p) FROM quotients WHERE w <> 0 AND p <> 0');

-- Remainders and whole quotients.
SELECT pg_temp.same('SELECT sum(p % q), sum(f % q), sum(mod(p, 0.37)), max(e % 7), sum(s % 1) FROM quotients');
SELECT pg_temp.same('SELECT p % 1, count(*) FROM quotients GROUP BY 1');
SELECT pg_temp.same('SELECT p % 10, s % 0.5, count(*) FROM quotients GROUP BY 1, 2');
SELECT pg_temp.same('SELECT sum(div(p, q)), sum(div(f, q)), min(div(s, 3)), sum(div(w, p)), sum(w % p) FROM quotients WHERE p <> 0');

-- Divisors that are zero matter only where PostgreSQL comes to them.
SELECT pg_temp.same('SELECT sum(CASE WHEN z <> 0 THEN p / z END), sum(p / NULLIF(z, 0)), sum(CASE WHEN z = 0 THEN 1 ELSE p % z END) FROM quotients');
SELECT pg_temp.same('SELECT k, sum(p / z) FILTER (WHERE z <> 0), sum(COALESCE(p / NULLIF(z, 0), q)) FROM quotients GROUP BY k');
SELECT pg_temp.same('SELECT sum(p / z), sum(div(p, z)) FROM quotients WHERE z > 0');
SELECT pg_temp.same('SELECT count(*) FROM quotients WHERE z <> 0 AND p / z > 500');
SELECT pg_temp.same('SELECT count(*) FROM quotients WHERE z IS NULL OR z = 0 OR p / z > 500');
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SELECT sum(p / z) FROM quotients;
SELECT sum(p % z) FROM quotients;
SELECT sum(div(p, z)) FROM quotients;
SELECT count(*) FROM quotients WHERE p / z > 3;
SELECT sum(CASE WHEN k > 2 THEN p / z END) FROM quotients;
SELECT p / (z - z), count(*) FROM quotients WHERE z > 0 GROUP BY 1;

-- Constants of more than 18 digits.
SELECT pg_temp.same('SELECT sum(p * (1.0 / 60)), sum(w + 12345678901234567890.5), max(p / 0.00000000000000000003) FROM quotients');
SELECT pg_temp.same('SELECT count(*) FROM quotients WHERE w > 1000000000000000000000.5 OR p / q > 1000.0 / 3');
SELECT pg_temp.same('SELECT k, sum(COALESCE(w, 123456789012345678901)), 0.1 / 3 FROM quotients GROUP BY k, 0.1 / 3');

-- Numbers of more than 18 digits.
SELECT pg_temp.same('SELECT sum(w + 1), sum(w - p), sum(w * 2), sum(-w), sum(abs(w)), sum(round(w, 3)), sum(floor(w)), sum(ceil(w)) FROM quotients');
SELECT pg_temp.same('SELECT sum(p * q * f * p), avg(p * (1 - f) * (1 + q) * q), min(w * f), max(w * q - e) FROM quotients');
SELECT pg_temp.same('SELECT k, sum(CASE WHEN f > 0 THEN w ELSE p END), max(COALESCE(w + s, 0)), min(GREATEST(w, s)) FROM quotients GROUP BY k');
SELECT pg_temp.same('SELECT variance(w), stddev(w * 2), var_pop(p * q * 100000000) FROM quotients');
SELECT pg_temp.same('SELECT w * 2, count(*) FROM quotients GROUP BY 1');
SELECT pg_temp.same('SELECT count(*) FROM quotients WHERE w * w > 1e25 AND w + 5 < 1e20');
SELECT pg_temp.same('SELECT sum((w / 100000000000)::bigint), sum(w::numeric(38, 4)), max(w::float8) FROM quotients');
-- What has more than 38 digits is computed singly.
SELECT pg_temp.same('SELECT sum(w * w * w), sum(p) FROM quotients');
SELECT pg_temp.same('SELECT max(w / 1e-25) FROM quotients');

-- Groups that are spilled, by whom differs with the device, have keys of more than 18 digits.
SET work_mem = '64kB';
SET enable_sort = off;
SELECT split_part(pg_temp.same('SELECT p / q, w * f, count(*), sum(w), min(p / q), max(w) FROM quotients GROUP BY 1, 2'), ',', 1) AS same;
RESET work_mem;
RESET enable_sort;

-- Workers of PostgreSQL send what they have of wide values.
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT pg_temp.same('SELECT k, sum(p / q), variance(w), stddev(p / q), max(w * 2), min(p / q) FROM quotients GROUP BY k');
SELECT pg_temp.same('SELECT sum(p / q), var_samp(w * q), avg(w), count(*) FROM quotients WHERE p / q > 2');
SET max_parallel_workers_per_gather = 0;

-- Of equal values that with the most digits is shown, whatever size the others have.
CREATE TABLE quotients_shown AS
SELECT x % 3 AS k, CASE x % 5 WHEN 0 THEN 7 WHEN 1 THEN 7.000 WHEN 2 THEN 7.0000000000000000000000000 ELSE 7.00 END AS n
FROM generate_series(1, 1500) x;
INSERT INTO quotients_shown SELECT x % 3, CASE WHEN x = 1900 THEN 7.00000000000000000000 ELSE 7.0 END FROM generate_series(1, 2000) x;
SELECT pg_temp.same('SELECT k, min(n), max(n) FROM quotients_shown GROUP BY k');
SELECT pg_temp.same('SELECT min(n), max(n), min(n) FILTER (WHERE k = 1) FROM quotients_shown');
DELETE FROM quotients_shown WHERE n::text LIKE '7.0';
SELECT pg_temp.same('SELECT k, min(n), max(n), sum(n) FROM quotients_shown GROUP BY k');
DROP TABLE quotients_shown;

-- Sums of the largest and of the smallest numbers outgrow what records have room for.
CREATE TABLE quotients_large AS
SELECT x % 2 AS k, CASE x % 3 WHEN 0 THEN 99999999999999999999999999999999999999 ELSE -1e37 END::numeric AS n
FROM generate_series(1, 3000) x;
INSERT INTO quotients_large SELECT x % 2, 1e-38 FROM generate_series(1, 3000) x;
SELECT pg_temp.same('SELECT k, sum(n), min(n), max(n), avg(n) FROM quotients_large GROUP BY k');
SELECT pg_temp.same('SELECT sum(n), count(*) FROM quotients_large');
SELECT pg_temp.same('SELECT k, variance(n), stddev_pop(n), min(n) FROM quotients_large GROUP BY k');
SELECT pg_temp.same('SELECT variance(n), avg(n) FROM quotients_large');
DROP TABLE quotients_large;

SELECT warpagg_unload('quotients');
DROP TABLE quotients;
