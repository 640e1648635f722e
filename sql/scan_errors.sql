--
-- The scan tier: a query ends with an error where PostgreSQL's own plan does, of several
-- with one of them.
--
LOAD 'warpagg';
SET warpagg.enable_scan = on;
SET warpagg.accelerate = 'all';
SET max_parallel_workers_per_gather = 0;
-- The node is chosen even where PostgreSQL's own plan is cheaper.
SET cpu_tuple_cost = 1;

CREATE TABLE wa_error AS
SELECT i AS id, i % 10 AS k, 'text ' || i AS s, timestamp '2024-01-01' + i * interval '1 hour' AS ts, i::numeric AS n FROM generate_series(1, 3000) i;
UPDATE wa_error SET ts = 'infinity' WHERE id = 1600;
CREATE TYPE wa_letter AS ENUM ('a', 'b');
CREATE DOMAIN wa_low AS integer CHECK (VALUE < 1700);
ANALYZE wa_error;

-- Returns the error that a query ends with.
CREATE FUNCTION wa_error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- Returns the errors that a query ends with, with the node and without, and
-- whether it has the node at all.
CREATE FUNCTION wa_errors(query text, OUT has_node boolean, OUT with_node text, OUT without_node text) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    has_node := false;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        has_node := has_node OR line LIKE '%WarpAgg%';
    END LOOP;
    with_node := wa_error_of(query);
    PERFORM set_config('warpagg.enable_scan', 'off', true);
    without_node := wa_error_of(query);
    PERFORM set_config('warpagg.enable_scan', 'on', true);
END
$$;

-- Errors of calls after and before those of instructions and of other calls: in
-- an earlier row or a later one, in the first batch and in the second.
CREATE TEMP TABLE wa_failing AS SELECT unnest(ARRAY[
    'length(chr(500 - id))',
    'length((10 ^ (id / 5))::text)',
    'ascii(substr(s, 1, 1300 - id))',
    'extract(year FROM ts + id * interval ''200 years'')',
    '(CASE id WHEN 1400 THEN s ELSE ''7'' END)::integer',
    'length((''[1,'' || id % 1200 - 1 || '')'')::int4range::text)',
    'sqrt(2000 - id)',
    'round(1 / (n - 900), 2)',
    '1 / (id - 1)',
    '1 / (id - 1700)',
    '(id * 1000000)',
    'length(to_char(n, repeat(''EEEE'', id / 1100)))',
    'length((''t'' || id)::regclass::text)',
    'length(CASE WHEN id < 1800 THEN ''a'' ELSE s END::wa_letter::text)',
    'extract(month FROM date_trunc(''month'', ts)) / (id - 1)'
]) AS e;
SELECT x.* FROM wa_failing a, LATERAL (SELECT a.e, e.* FROM wa_errors(format('SELECT sum(%s) FROM wa_error', a.e)) e) x;
-- The errors of PostgreSQL's own plans, without what they say of values.
ALTER TABLE wa_failing ADD error text;
UPDATE wa_failing SET error = (wa_errors(format('SELECT sum(%s) FROM wa_error', e))).without_node;
CREATE FUNCTION wa_differs(has_node boolean, with_node text, without_node text, VARIADIC errors text[]) RETURNS boolean LANGUAGE sql AS $$
    SELECT NOT has_node OR (with_node = 'no error') <> (without_node = 'no error') OR
        with_node NOT IN ('no error', without_node) AND NOT EXISTS (SELECT FROM unnest(errors) e WHERE regexp_replace(e, '".*"', '') = regexp_replace(with_node, '".*"', ''))
$$;
-- Two of them.
SELECT a.e, b.e, x.* FROM wa_failing a, wa_failing b, wa_errors(format('SELECT sum(%s), sum(%s) FROM wa_error', a.e, b.e)) x WHERE wa_differs(has_node, with_node, without_node, a.error, b.error);
SELECT a.e, b.e, x.* FROM wa_failing a, wa_failing b, wa_errors(format('SELECT sum(%s) FROM wa_error WHERE (%s) <> 0', a.e, b.e)) x WHERE wa_differs(has_node, with_node, without_node, a.error, b.error);
SELECT a.e, b.e, x.* FROM wa_failing a, wa_failing b, wa_errors(format('SELECT %s, sum(%s) FROM wa_error GROUP BY 1', a.e, b.e)) x WHERE wa_differs(has_node, with_node, without_node, a.error, b.error);
SELECT a.e, b.e, x.* FROM wa_failing a, wa_failing b, wa_errors(format('SELECT k, sum(%s) FILTER (WHERE id > 1000), count(*) FILTER (WHERE %s > 0) FROM wa_error WHERE k > 3 GROUP BY k', a.e, b.e)) x WHERE wa_differs(true, with_node, without_node, a.error, b.error);
SELECT a.e, b.e, x.* FROM wa_failing a, wa_failing b, wa_errors(format('SELECT sum(CASE WHEN k > 3 THEN %s WHEN k > 0 THEN %s END), sum(1 / (id - 750)) FROM wa_error', a.e, b.e)) x WHERE wa_differs(has_node, with_node, without_node, a.error, b.error, '22012 division by zero');

-- So do functions that are not PostgreSQL's own, beside others that may fail.
CREATE FUNCTION wa_fails(i integer, at integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF i = at THEN
        RAISE EXCEPTION 'wa_fails at %', at USING ERRCODE = 'data_exception';
    END IF;
    RETURN i;
END
$$;
SELECT a, x.* FROM unnest(ARRAY[
    'sum(wa_fails(id, 1500))',
    'sum(wa_fails(id, 1500)), sum(n + 1), max(upper(s))',
    'sum(1 / (id - 1400)), sum(wa_fails(id, 1500))',
    'sum(1 / (id - 1700)), sum(wa_fails(id, 1500))',
    'sum(wa_fails(id, 1500)), sum(1 / (id - 1400))',
    'sum(wa_fails(id, 1500)), sum(wa_fails(id, 1400))',
    'sum(length(chr(1400 - id))), sum(wa_fails(id, 1500))',
    'sum(wa_fails(id, 1500)), sum(length(chr(1400 - id)))',
    'sum(wa_fails(id, 1500)), sum(CASE WHEN id <> 7 THEN 1 / (id - 7) END)',
    'sum(wa_fails(id, 1500)), count(*) FILTER (WHERE length(upper(s)) > 3)',
    'sum(length(chr(1400 - id))), sum(id::wa_low % 7)'
]) a,
    wa_errors(format('SELECT %s FROM wa_error', a)) x;
-- They are not called for rows that WHERE, FILTER or CASE leave out.
SELECT q, x.* FROM unnest(ARRAY[
    'sum(wa_fails(id, 1500)), sum(1 / (id - 1400)) FROM wa_error WHERE id <> 1400 AND id <> 1500',
    'sum(1 / (id - 1400)) FILTER (WHERE id > 1400), sum(wa_fails(id, 1500)) FILTER (WHERE id < 1500) FROM wa_error',
    'count(*) FROM wa_error WHERE id > 1500 AND wa_fails(id, 1500) > 0 AND 1 / (id - 1500) < 2',
    'k, sum(CASE WHEN id <> 1500 THEN wa_fails(id, 1500) END) FROM wa_error GROUP BY k ORDER BY k'
]) q,
    wa_errors('SELECT ' || q) x;

-- What is computed once raises no errors for rows that do not come there.
SELECT a, x.* FROM unnest(ARRAY[
    'sum(CASE WHEN id < 0 THEN id + to_char(now(), ''"x"'')::integer ELSE id END)',
    'sum(id + to_char(now(), ''"x"'')::integer) FILTER (WHERE id < 0)',
    'sum(id + to_char(now(), ''"x"'')::integer) FILTER (WHERE id > 2000), sum(1 / (id - 1900))',
    'sum(COALESCE(id, to_char(now(), ''"x"'')::integer))',
    'count(*) FILTER (WHERE id > 0 OR s > chr(to_char(now(), ''"0"'')::integer))',
    'max(CASE WHEN id < 0 THEN upper(s || chr(to_char(now(), ''"0"'')::integer)) ELSE s END)',
    'max(CASE WHEN id < 0 THEN date_trunc(to_char(now(), ''"eon"''), ts) ELSE ts END)',
    'sum(CASE WHEN id < 0 THEN wa_fails(extract(epoch FROM now())::integer * 0, 0) ELSE 1 END)',
    'sum(CASE WHEN id > 0 THEN id + to_char(now(), ''"x"'')::integer ELSE id END)',
    'max(CASE WHEN ts > now() - interval ''1 day'' THEN date_trunc(''day'', now()) ELSE ts END)'
]) a,
    wa_errors(format('SELECT %s FROM wa_error', a)) x;

-- In several processes.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT sum(length(chr(500 - id % 501))) FROM wa_error;
SELECT count(*), sum(length(chr(500 - id % 500))) FROM wa_error;

DROP TABLE wa_error, wa_failing;
DROP FUNCTION wa_differs(boolean, text, text, text[]), wa_errors(text), wa_error_of(text), wa_fails(integer, integer);
DROP TYPE wa_letter;
DROP DOMAIN wa_low;
