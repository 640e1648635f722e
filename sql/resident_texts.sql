--
-- Resident columns: expressions that PostgreSQL evaluates, with results of any type,
-- which travel as tables of the texts of a dictionary, or of integers and times.
--
\pset null '(null)'
SET client_min_messages = error;
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.autoload = off;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';

CREATE TABLE wa_texts (
    id integer, t text, v varchar(20), c char(6), n text, b boolean,
    i integer, k smallint, d date, ts timestamp, tz timestamptz,
    u text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO wa_texts
SELECT g, 'Name ' || chr(65 + g % 26) || g % 40, 'v' || (g * 7) % 300, chr(97 + g % 9) || repeat('x', g % 3),
       (g * 13 % 500)::text, g % 3 = 0, g % 700 - 100, g % 100, date '2024-01-01' + g % 200,
       timestamp '2024-01-01' + g * interval '7 minutes', timestamptz '2024-01-01' + g * interval '7 minutes',
       CASE g % 5 WHEN 0 THEN '' WHEN 1 THEN 'äöü' WHEN 2 THEN 'Äh' WHEN 3 THEN 'zebra' ELSE 'a_b%c\d' END
FROM generate_series(1, 20000) g;
UPDATE wa_texts SET t = NULL, v = NULL, c = NULL, n = NULL, b = NULL, i = NULL, k = NULL, d = NULL, ts = NULL, tz = NULL, u = NULL
WHERE id % 17 = 5;
VACUUM ANALYZE wa_texts;
SELECT warpagg_load('wa_texts') > 0 AS loaded;

-- Clauses of WHERE, which are conditions of aggregates, too, and keys.
SELECT wa_compare(format('SELECT count(*), sum(i) FROM wa_texts WHERE %s', e)) AS clause,
       wa_compare(format('SELECT count(*) FILTER (WHERE %1$s), sum(CASE WHEN %1$s THEN k ELSE -1 END) FROM wa_texts', e)) AS condition,
       wa_compare(format('SELECT %s AS key, count(*), min(id) FROM wa_texts GROUP BY 1', e)) AS key, e
FROM unnest(ARRAY[
    $$t LIKE '%9'$$,
    $$t NOT LIKE 'Name _1%'$$,
    $$t ILIKE 'name b%'$$,
    $$c LIKE 'a%'$$,
    $$v NOT ILIKE '%V1%'$$,
    $$u LIKE 'a\_b%'$$,
    $$t ~ '[AEIOU]1$'$$,
    $$t !~* 'name [a-m]'$$,
    $$t < 'Name M'$$,
    $$v BETWEEN 'v10' AND 'v2'$$,
    $$u > 'a'$$,
    $$u COLLATE "C" >= 'Z'$$,
    $$lower(t) = 'name b1'$$,
    $$upper(c) IN ('A', 'BX')$$,
    $$length(t) > 7$$,
    $$starts_with(t, 'Name C')$$,
    $$position('3' in v) > 0$$,
    $$t || 'x' = 'Name B1x'$$,
    $$n::integer > 250$$,
    $$n::numeric / 3 > 80$$,
    $$coalesce(lower(t), 'none') = 'none'$$,
    $$lower(coalesce(t, 'Name B1')) = 'name b1'$$,
    $$t LIKE '%9' OR v LIKE 'v1%'$$,
    $$t LIKE '%9' AND i > 50$$,
    $$NOT (t LIKE '%9')$$,
    $$(t LIKE '%9') IS NOT TRUE$$,
    $$CASE WHEN c = 'ax' THEN t LIKE '%1' ELSE v LIKE '%2' END$$,
    $$to_char(d, 'YYYY-MM') = '2024-03'$$,
    $$i::text LIKE '1%'$$,
    $$to_char(d, 'D') IN ('1', '7')$$,
    $$(k & 1) = 1$$
]) e;

-- Keys.
SELECT wa_compare(format('SELECT %s AS key, count(*), sum(i), min(id) FROM wa_texts GROUP BY 1', e)), e
FROM unnest(ARRAY[
    'lower(t)',
    'upper(c)',
    'initcap(v)',
    'substr(t, 1, 6)',
    'substring(t from 6 for 1)',
    'left(v, 2)',
    'right(v, 1)',
    'length(u)',
    'octet_length(u)',
    'trim(u)',
    'reverse(v)',
    'concat(t, ''x'')',
    't || ''/''',
    'coalesce(t, ''none'')',
    'lower(coalesce(t, ''None''))',
    'nullif(lower(t), ''name b1'')',
    'CASE WHEN t LIKE ''%9'' THEN ''nine'' WHEN t LIKE ''%8'' THEN v ELSE ''other'' END',
    'CASE WHEN t LIKE ''%9'' THEN lower(t) END',
    'regexp_replace(t, ''[0-9]+'', ''#'')',
    'split_part(t, '' '', 2)',
    'replace(t, ''Name'', ''N'')',
    'md5(v)',
    'v::char(2)',
    'c::varchar(2)',
    'n::integer % 10',
    'n::numeric',
    'n::float8',
    'n::bigint',
    'ascii(u)',
    'lpad(n, 5, ''0'')',
    'translate(t, ''ABC'', ''abc'')',
    'upper(u COLLATE "C")',
    't IS NULL',
    'md5(t)::uuid::text',
    'i::text',
    'chr(k + 65)',
    'to_char(d, ''YYYY-MM'')',
    'to_char(d, ''Day'')',
    'd::text',
    'extract(dow FROM d) IN (0, 6)',
    'to_char(i, ''999'')',
    'coalesce(i::text, ''none'')',
    'concat(k, ''%'')',
    'nullif(i % 7, 3)::text',
    'to_char(date_trunc(''day'', ts), ''YYYY-MM-DD'')',
    'to_char(date_trunc(''hour'', tz), ''HH24'')',
    'b::text',
    'b AND t LIKE ''%1'''
]) e;

-- The smallest and the largest of texts, by their collation.
SELECT wa_compare(format('SELECT %s FROM wa_texts', e)), wa_compare(format('SELECT k %% 10 AS key, count(*), %s, sum(i) FROM wa_texts GROUP BY 1', e)),
       wa_compare(format('SELECT %s FROM wa_texts WHERE id < 0', e)), e
FROM unnest(ARRAY[
    'min(t), max(t)',
    'min(v), max(c), count(v), count(c)',
    'max(u), min(u)',
    'max(u COLLATE "default")',
    'min(t COLLATE "C"), max(t COLLATE "C"), max(t)',
    'min(lower(t)), max(lower(coalesce(t, ''zz'')))',
    'max(t) FILTER (WHERE t LIKE ''%9'')',
    'min(c::text)',
    'max(d::text)',
    'min(CASE WHEN t LIKE ''%9'' THEN t END)',
    'gpu_min(t), gpu_max(v), gpu_count(t)',
    'count(t), max(split_part(t, '' '', 2)), min(n), max(n), min(n::integer)'
]) e;
SELECT wa_compare('SELECT u AS key, min(t) AS first, max(v) FROM wa_texts GROUP BY 1 ORDER BY first DESC, key LIMIT 3');

-- Settings, collations and constants of the session.
SET timezone = 'America/New_York';
SELECT wa_compare('SELECT to_char(date_trunc(''hour'', tz), ''YYYY-MM-DD HH24'') AS key, count(*) FROM wa_texts GROUP BY 1');
SET timezone = 'UTC';
SELECT wa_compare('SELECT to_char(date_trunc(''hour'', tz), ''YYYY-MM-DD HH24'') AS key, count(*) FROM wa_texts GROUP BY 1');
SET datestyle = 'German, DMY';
SELECT wa_compare('SELECT d::text AS key, count(*) FROM wa_texts GROUP BY 1');
SET datestyle = 'ISO, MDY';
SELECT wa_compare('SELECT d::text AS key, count(*) FROM wa_texts GROUP BY 1');
SET extra_float_digits = -10;
SELECT wa_compare('SELECT (n::float8 / 7)::text AS key, count(*) FROM wa_texts GROUP BY 1');
RESET extra_float_digits;
SELECT wa_compare('SELECT (n::float8 / 7)::text AS key, count(*) FROM wa_texts GROUP BY 1');
PREPARE wa_texts_like(text) AS SELECT count(*), min(id) FROM wa_texts WHERE t LIKE $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE wa_texts_like('%9');
EXECUTE wa_texts_like('%8');
EXECUTE wa_texts_like(NULL);
SET warpagg.enable_scan = off;
EXECUTE wa_texts_like('%9');
EXECUTE wa_texts_like('%8');
SET warpagg.enable_scan = on;
RESET plan_cache_mode;
DEALLOCATE wa_texts_like;

-- Errors are those of rows for which PostgreSQL evaluates the expression.
SELECT count(*) FROM wa_texts WHERE t::integer > 1;
SELECT v::integer AS key, count(*) FROM wa_texts GROUP BY 1;
SELECT wa_compare('SELECT count(*), sum(n::integer) FROM wa_texts');
INSERT INTO wa_texts (id, n) VALUES (30000, 'bad'), (30001, '7');
VACUUM wa_texts;
SELECT warpagg_load('wa_texts') > 0 AS loaded;
SELECT sum(n::integer) FROM wa_texts;
SELECT wa_compare('SELECT count(*), sum(n::integer) FROM wa_texts WHERE id < 19900');
SELECT wa_compare('SELECT count(*), sum(CASE WHEN n ~ ''^[0-9]+$'' THEN n::integer END) FROM wa_texts');
DELETE FROM wa_texts WHERE id = 30000;
VACUUM wa_texts;
SELECT warpagg_load('wa_texts') > 0 AS loaded;
-- A text that no row has any more is still in the dictionary.
SELECT wa_compare('SELECT count(*), sum(n::integer) FROM wa_texts');
SELECT wa_compare('SELECT n::integer / 100 AS key, count(*) FROM wa_texts GROUP BY 1');

-- Texts that come after a table was made, and a dictionary that is a new one.
SELECT wa_compare('SELECT upper(t) AS key, count(*) FROM wa_texts GROUP BY 1');
BEGIN;
INSERT INTO wa_texts (id, t) SELECT 40000 + g, 'New ' || g FROM generate_series(1, 300) g;
SELECT warpagg_load('wa_texts') >= 0 AS confirmed;
SELECT wa_compare('SELECT upper(t) AS key, count(*) FROM wa_texts GROUP BY 1');
COMMIT;
VACUUM wa_texts;
SELECT warpagg_load('wa_texts') > 0 AS loaded;
SELECT wa_compare('SELECT upper(t) AS key, count(*) FROM wa_texts GROUP BY 1');
SELECT warpagg_unload('wa_texts');
UPDATE wa_texts SET t = 'Again ' || id % 50 WHERE id < 10000;
VACUUM wa_texts;
SELECT warpagg_load('wa_texts', '{t,id,i,v}') > 0 AS loaded;
SELECT wa_compare('SELECT upper(t) AS key, count(*) FROM wa_texts GROUP BY 1');

-- What other code may see is not shown to it: no rows of a function of a user.
CREATE FUNCTION wa_texts_tell(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RAISE WARNING 'saw %', t;
    RETURN t;
END
$$;
SET client_min_messages = warning;
SELECT count(wa_texts_tell(v)) FROM wa_texts WHERE id = 3;
SET client_min_messages = error;

DROP FUNCTION wa_texts_tell(text);
DROP TABLE wa_texts;
