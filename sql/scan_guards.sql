--
-- The scan tier: what stands behind conditions is evaluated for the rows that
-- come there, and nobody takes it for a value of all rows.
--
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;
SET client_min_messages = warning;

CREATE TABLE wa_guard AS
SELECT i AS id, i % 10 AS k, CASE WHEN i % 3 > 0 THEN i % 7 END AS a, CASE WHEN i % 5 > 0 THEN i % 2 = 0 END AS b,
       CASE WHEN i % 11 > 0 THEN 'Text ' || i % 23 END AS s, (i % 1000)::numeric / 100 AS n, date '2024-01-01' + i % 400 AS d
FROM generate_series(1, 3000) i;
ANALYZE wa_guard;

CREATE TEMP TABLE wa_guarded AS SELECT unnest(ARRAY[
    -- CASE: conditions that are NULL, that several hold of, that are evaluated themselves.
    'CASE WHEN k = 0 THEN length(upper(s)) ELSE 0 END', 'CASE WHEN b THEN length(upper(s)) END', 'CASE WHEN b THEN 0 ELSE length(reverse(s)) END',
    'CASE WHEN k < 5 THEN 1 WHEN k < 8 THEN length(upper(s)) WHEN k < 9 THEN length(btrim(s)) ELSE length(reverse(s)) + 100 END',
    'CASE WHEN a > 3 THEN length(s) WHEN upper(s) < ''TEXT 2'' THEN length(upper(s)) WHEN b THEN length(left(upper(s), 3)) ELSE -1 END',
    'CASE k WHEN 1 THEN length(upper(s)) WHEN a THEN length(lower(s)) + 1 ELSE k END',
    'CASE WHEN b THEN CASE WHEN a > 2 THEN length(upper(s)) ELSE length(reverse(s)) * 2 END ELSE COALESCE(a, length(upper(s))) END',
    'CASE WHEN id < 0 THEN length(upper(s)) END', 'CASE WHEN id > 0 THEN length(upper(s)) END', 'CASE WHEN k <> 0 THEN length(upper(s)) / k END',
    -- COALESCE, also with what would raise errors for other rows.
    'COALESCE(a, length(reverse(upper(s))))', 'COALESCE(a, length(upper(s)), k)', 'COALESCE(CASE WHEN k > 5 THEN a END, length(upper(s)), length(upper(s)) + k, -3)',
    'COALESCE(a, 100 / NULLIF(k, 0), length(upper(s)))', 'COALESCE(CASE WHEN k = 0 THEN 1 END, 100 / k)', 'COALESCE(length(upper(s)), a)',
    -- AND and OR.
    '(k <> 0 OR upper(s) = ''TEXT 1'')::integer', '(b AND upper(s) > ''TEXT 11'')::integer', '(b OR a > 3 OR reverse(s) < ''5'')::integer', '(NOT (b AND (a > 3 OR reverse(s) < ''5'')))::integer',
    -- Numerics, of several scales, and times.
    'CASE WHEN b THEN trunc(n, 1) END', 'CASE WHEN k > 3 THEN trunc(n, k / 3) ELSE n END', 'COALESCE(trunc(n / NULLIF(k, 0), 3), 0.5)', 'CASE WHEN b THEN to_char(d, ''MM'') ELSE ''00'' END::integer']) AS e;
SELECT d.* FROM wa_guarded, wa_scan_differences(format('SELECT sum(%1$s), count(%1$s), min(%1$s), max(%1$s) FROM wa_guard', e)) d;
SELECT d.* FROM wa_guarded, wa_scan_differences(format('SELECT %1$s, count(*), sum(length(upper(s))), sum(%1$s) FROM wa_guard WHERE id > 7 GROUP BY 1', e)) d;
SELECT d.* FROM wa_guarded, wa_scan_differences(format('SELECT k, sum(%1$s) FILTER (WHERE b), sum(%1$s) FILTER (WHERE a > 2 OR upper(s) < ''TEXT 3''), sum(%1$s) FROM wa_guard WHERE k > 2 GROUP BY 1', e)) d;
SELECT d.* FROM wa_guarded, wa_scan_differences(format('SELECT count(*), sum(id) FROM wa_guard WHERE %1$s > 4 OR k = 3 AND %1$s < 2', e)) d;
-- The same expression behind different conditions, and behind none, in any order.
SELECT d.* FROM unnest(ARRAY[
    'sum(CASE WHEN b THEN length(upper(s)) END), sum(length(upper(s))), sum(CASE WHEN k = 0 THEN length(upper(s)) END)',
    'sum(length(upper(s))), sum(CASE WHEN b THEN length(upper(s)) END), sum(COALESCE(a, length(upper(s))))',
    'sum(length(upper(s))) FILTER (WHERE k = 0), sum(length(upper(s))) FILTER (WHERE k <> 0), sum(length(upper(s))), max(upper(s)) FILTER (WHERE b)',
    'count(*) FILTER (WHERE b AND upper(s) > ''TEXT 2''), count(*) FILTER (WHERE upper(s) > ''TEXT 2''), count(*) FILTER (WHERE b OR upper(s) > ''TEXT 2'')',
    'max(CASE WHEN b THEN upper(s) ELSE lower(s) END), min(upper(s)), min(CASE WHEN NOT b THEN upper(s) END)'
]) e,
    wa_scan_differences(format('SELECT %s FROM wa_guard', e)) d;

DROP TABLE wa_guard, wa_guarded;
