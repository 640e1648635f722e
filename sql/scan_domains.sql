--
-- The scan tier: columns whose types are domains.
--
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET timezone = 'Europe/Berlin';
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
-- What PostgreSQL evaluates is computed here even where its own plan is cheaper.
SET cpu_tuple_cost = 1;

CREATE DOMAIN wa_positive AS integer CHECK (VALUE > 0);
CREATE DOMAIN wa_small AS wa_positive CHECK (VALUE < 100);
CREATE DOMAIN wa_short AS smallint;
CREATE DOMAIN wa_big AS bigint NOT NULL;
CREATE DOMAIN wa_price AS numeric(12,2) CHECK (VALUE > -1000000);
CREATE DOMAIN wa_ratio AS real;
CREATE DOMAIN wa_name AS text CHECK (VALUE <> 'none');
CREATE DOMAIN wa_sorted AS text COLLATE "C";
CREATE DOMAIN wa_code AS char(6);
CREATE DOMAIN wa_label AS varchar(20);
CREATE DOMAIN wa_day AS date;
CREATE DOMAIN wa_moment AS timestamptz;
CREATE DOMAIN wa_flag AS boolean;
CREATE DOMAIN wa_token AS uuid;
CREATE TABLE wa_domains (
    id wa_big, pos wa_positive, small wa_small, short wa_short, price wa_price, ratio wa_ratio,
    name wa_name, sorted wa_sorted, code wa_code, label wa_label, day wa_day, moment wa_moment, flag wa_flag, token wa_token
);
INSERT INTO wa_domains
SELECT i, 1 + h % 500, 1 + h % 7, h % 100 - 50, (h % 100000)::numeric / 100, (h % 64) / 8.0,
       'name ' || h % 11, chr(65 + (h % 3)::integer) || chr(97 + (h % 5)::integer), chr(65 + (h % 5)::integer), 'l' || h % 9,
       date '2024-01-01' + (h % 40)::integer, timestamptz '2024-03-01' + h % 5000000 * interval '1 second', h % 3 = 0, md5((h % 13)::text)::uuid
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h FROM generate_series(1, 2000) i) x;
UPDATE wa_domains SET pos = NULL, small = NULL, price = NULL, ratio = NULL, name = NULL, code = NULL, day = NULL, moment = NULL, flag = NULL
WHERE id % 11 = 3;
ALTER TABLE wa_domains ADD COLUMN late wa_small DEFAULT 42;
ANALYZE wa_domains;

CREATE TABLE wa_domain_columns AS SELECT unnest(ARRAY[
    'id',
    'pos',
    'small',
    'short',
    'price',
    'ratio',
    'name',
    'sorted',
    'code',
    'label',
    'day',
    'moment',
    'flag',
    'late'
]) AS c;
-- Keys: the value, and the type that it is returned with.
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT %1$s, pg_typeof(%1$s), count(*), count(%1$s), sum(id) FROM wa_domains GROUP BY %1$s', c)) d;
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT %1$s, small, count(*) FROM wa_domains WHERE %1$s IS NOT NULL GROUP BY %1$s, small ORDER BY %1$s, small LIMIT 7', c)) d;
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT COALESCE(%1$s, %1$s), CASE WHEN pos > 3 THEN %1$s END, count(*) FROM wa_domains GROUP BY 1, 2', c)) d;
-- Arguments.
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT min(%1$s), max(%1$s), pg_typeof(min(%1$s)), count(%1$s), count(%1$s) FILTER (WHERE pos > 100) FROM wa_domains', c)) d
WHERE c <> 'flag';
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT small, sum(%1$s), avg(%1$s), round(stddev(%1$s)::numeric, 6), sum(%1$s + 1), sum(%1$s) FILTER (WHERE flag) FROM wa_domains GROUP BY small', c)) d
WHERE c IN ('id', 'pos', 'small', 'short', 'price', 'ratio', 'late');
-- Clauses, and expressions.
SELECT d.* FROM unnest(ARRAY[
    'pos > 250',
    'small = 3',
    'small IN (1, 5)',
    'short <> ALL (ARRAY[1, 2])',
    'price BETWEEN 100 AND 500',
    'ratio < 3.5',
    'name = ''name 4''',
    'name LIKE ''%1''',
    'sorted < ''B''',
    'code = ''A''',
    'label IN (''l1'', ''l2'')',
    'day > ''2024-01-20''',
    'day < moment',
    'moment >= date_trunc(''month'', moment)',
    'flag',
    'NOT flag',
    'flag IS NULL',
    'pos IS DISTINCT FROM small',
    'NULLIF(pos, 7) > 30',
    'GREATEST(pos, small) > 9',
    'token < ''80000000-0000-0000-0000-000000000000''',
    'COALESCE(pos, 3::wa_positive) < 40',
    'pg_typeof(pos) = ''wa_positive''::regtype',
    'length(code) = 1',
    'pos = id % 400',
    'late = 42',
    '7::wa_positive = pos',
    '(small + 1)::wa_positive > 4'
]) e,
    wa_scan_differences(format('SELECT count(*), sum(id), max(price) FROM wa_domains WHERE %s', e)) d;
SELECT d.* FROM unnest(ARRAY[
    'pos % 10',
    'price * 2',
    'floor(price / 100)',
    'upper(name)',
    'name || label',
    'extract(day FROM moment)',
    'date_trunc(''hour'', moment)',
    'day - 3',
    'date_trunc(''month'', day)',
    'pg_typeof(pos)::text || abs(pos % 3)',
    'token::text',
    'NULLIF(name, ''name 4'')',
    '(pos % 5 + 1)::wa_small',
    'COALESCE(pos, 3::wa_positive)',
    'CASE small WHEN 3 THEN name ELSE ''other'' END',
    'code || ''x''',
    'trim(code)',
    'sorted::text'
]) e,
    wa_scan_differences(format('SELECT %1$s, count(*), sum(price) FROM wa_domains GROUP BY 1', e)) d;
-- What a domain does not allow is an error, as in PostgreSQL's own plan.
SELECT max((pos - 1)::wa_positive) FROM wa_domains;
SELECT max(CASE WHEN pos > 1 THEN (pos - 1)::wa_positive END), count(*) FROM wa_domains;
-- Parameters.
PREPARE by_pos(wa_positive, wa_name) AS SELECT count(*), min(name) FROM wa_domains WHERE pos > $1 AND name <> $2;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE by_pos(5, 'name 1');
EXECUTE by_pos(100, 'name 1');
SET warpagg.enable_scan = off;
EXECUTE by_pos(100, 'name 1');
SET warpagg.enable_scan = on;
RESET plan_cache_mode;

-- Spilled, and in several processes.
SET work_mem = '64kB';
SELECT d.* FROM wa_scan_differences('SELECT pos, name, code, count(*), min(moment), max(sorted), sum(price) FROM wa_domains GROUP BY 1, 2, 3') d;
RESET work_mem;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT %1$s, count(*), min(name), max(day), sum(price), avg(ratio) FROM wa_domains WHERE pos > 3 GROUP BY %1$s', c)) d;

-- Resident.
SET max_parallel_workers_per_gather = 0;
VACUUM (FREEZE, ANALYZE) wa_domains;
SELECT warpagg_load('wa_domains') BETWEEN 0 AND 2000 AS loaded;
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT %1$s, count(*), min(name), max(day), sum(price), count(token), avg(small) FROM wa_domains WHERE pos > 3 AND name <> ''name 3'' GROUP BY %1$s', c)) d;
SELECT d.* FROM wa_domain_columns, wa_scan_differences(format('SELECT date_trunc(''day'', moment), count(*), count(%1$s), sum(short) FROM wa_domains WHERE late = 42 AND %1$s IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5', c)) d;

DROP TABLE wa_domains, wa_domain_columns;
DROP DOMAIN wa_small, wa_positive, wa_short, wa_big, wa_price, wa_ratio, wa_name, wa_sorted, wa_code, wa_label, wa_day, wa_moment, wa_flag, wa_token;
