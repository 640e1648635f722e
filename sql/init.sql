--
-- The extension, and the table and functions that the other tests use.
--
CREATE EXTENSION warpagg;

-- These tests are about the aggregates by themselves, beside the built-ins; the
-- node that replaces both has tests of its own (scan).
SELECT format('ALTER DATABASE %I SET warpagg.enable_scan = off', current_database()) AS command \gset
:command;
SET warpagg.enable_scan = off;

-- Nor does EXPLAIN say in these why there is no node (why).
SELECT format('ALTER DATABASE %I SET warpagg.explain_refusals = off', current_database()) AS command \gset
:command;
SET warpagg.explain_refusals = off;

-- Nor is anything to be loaded while they run.
SELECT format('ALTER DATABASE %I SET warpagg.autoload = off', current_database()) AS command \gset
:command;
SET warpagg.autoload = off;

-- Every type, with NULLs in each column and at different rows.  The floats are
-- multiples of 1/4 whose sums are exact in any order, so that the built-ins
-- can be compared with.
CREATE TYPE wa_level AS ENUM ('low', 'high', 'top');
ALTER TYPE wa_level ADD VALUE 'middle' BEFORE 'high';
ALTER TYPE wa_level ADD VALUE 'bottom' BEFORE 'low';
CREATE TABLE wa_values (
    id integer,
    grp integer,
    i2 smallint,
    i4 integer,
    i8 bigint,
    f4 real,
    f8 double precision,
    d date,
    t time,
    ts timestamp,
    tz timestamptz,
    m money,
    o oid,
    n numeric,
    v interval,
    tt timetz,
    s text,
    bp char(8),
    a integer[],
    e wa_level,
    ti tid,
    ip inet,
    lsn pg_lsn,
    x xid8
);

INSERT INTO wa_values
SELECT i,
       h % 17,
       CASE WHEN h % 11 <> 0 THEN (h % 65536 - 32768)::smallint END,
       CASE WHEN h % 13 <> 0 THEN (h - 2147483648)::integer END,
       CASE WHEN h % 7 <> 0 THEN (h - 2147483648) * 4000000007 END,
       CASE WHEN h % 5 <> 0 THEN ((h % 2000 - 1000) * 0.25)::real END,
       CASE WHEN h % 3 <> 0 THEN (h % 2000001 - 1000000) * 0.25::float8 END,
       CASE WHEN h % 19 <> 0 THEN date '2001-01-01' + (h % 20000 - 10000)::integer END,
       CASE WHEN h % 23 <> 0 THEN time '00:00' + (h % 86400) * interval '1 second' END,
       CASE WHEN h % 29 <> 0 THEN timestamp '2001-01-01' + (h - 2147483648) * interval '1 second' END,
       CASE WHEN h % 31 <> 0 THEN timestamptz '2001-01-01 00:00+00' + (h - 2147483648) * interval '1 second' END,
       CASE WHEN h % 37 <> 0 THEN ((h - 2147483648) / 100.0)::numeric::money END,
       CASE WHEN h % 41 <> 0 THEN h::oid END,
       CASE WHEN h % 7 <> 1 THEN (h - 2147483648) * ('1e-' || h % 9)::numeric END,
       CASE WHEN h % 11 <> 1 THEN make_interval(months => (h % 50 - 25)::integer,
                                                days => (h % 1000 - 500)::integer,
                                                secs => (h % 2000001 - 1000000) * 0.125) END,
       CASE WHEN h % 13 <> 1 THEN ((time '00:00' + (h % 86400) * interval '1 second')::text
                                   || to_char(h % 25 - 12, 'SG00'))::timetz END,
       CASE WHEN h % 17 <> 1 THEN substr(md5(h::text), 1, (h % 9)::integer) END,
       CASE WHEN h % 19 <> 1 THEN substr(md5(h::text), 1, (h % 8)::integer) END,
       CASE WHEN h % 23 <> 1 THEN ARRAY[h % 100, nullif(h % 5, 0)]::integer[] END,
       CASE WHEN h % 29 <> 1 THEN (enum_range(NULL::wa_level))[1 + h % 5] END,
       CASE WHEN h % 31 <> 1 THEN format('(%s,%s)', h, h % 100)::tid END,
       CASE WHEN h % 37 <> 1 THEN set_masklen(CASE h % 2 WHEN 0 THEN inet '10.0.0.0'
                                              ELSE inet '2001:db8::' END + h % 65536,
                                              (h % 33)::integer) END,
       CASE WHEN h % 41 <> 1 THEN '0/0'::pg_lsn + h * 4294967295::numeric END,
       CASE WHEN h % 43 <> 1 THEN (h * 4294967295::numeric)::text::xid8 END
FROM (SELECT i, (i::bigint * 2654435761) % 4294967296 AS h
      FROM generate_series(1, 20000) i) s;
ANALYZE wa_values;

-- Its columns with the aggregates that the built-ins compute exactly, or in any
-- order to the same result.
CREATE VIEW wa_columns AS
SELECT name, CASE
    WHEN name ~ '^(i2|i4|i8|n)$'
        THEN 'sum avg min max count var_pop var_samp variance stddev_pop stddev_samp stddev'
    WHEN name ~ '^(f4|f8|v)$' THEN 'sum avg min max count'
    WHEN name = 'm' THEN 'sum min max count'
    ELSE 'min max count' END AS functions
FROM unnest('{i2,i4,i8,f4,f8,d,t,ts,tz,m,o,n,v,tt,s,bp,a,e,ti,ip,lsn,x}'::text[]) name;

-- Returns the text of a value; of equal ones that look different, the same text.
CREATE FUNCTION wa_value_text(x anyelement) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    -- No CASE: PostgreSQL may compute all of its results, if x is a constant.
    IF pg_typeof(x) = 'numeric'::regtype THEN
        RETURN trim_scale(x::text::numeric);
    ELSIF pg_typeof(x) = 'interval'::regtype THEN
        RETURN justify_interval(x::text::interval);
    ELSIF pg_typeof(x) IN ('real'::regtype, 'double precision'::regtype, 'float8[]'::regtype) THEN
        RETURN regexp_replace(x::text, '-0(?=[,}]|$)', '0', 'g');
    END IF;
    RETURN x::text;
END
$$;

-- Compares aggregates with their gpu_ twins in one query and returns those whose
-- results differ as text.  functions: their names; argument: what stands in
-- their parentheses; source: what follows FROM; groups: what to group by; clause:
-- what follows the parentheses.  With OVER in it nothing is grouped, and groups
-- is a label for the rows.
CREATE FUNCTION wa_differences(functions text, argument text, source text,
                               groups text DEFAULT '', clause text DEFAULT '')
RETURNS TABLE (function text, grp text, builtin text, gpu text)
LANGUAGE plpgsql AS $$
DECLARE
    names text[] := string_to_array(functions, ' ');
    label text := CASE groups WHEN '' THEN '''''' ELSE format('(%s)::text', groups) END;
    grouping text := CASE WHEN clause LIKE 'OVER%' THEN '' ELSE format('GROUP BY (%s)', groups) END;
    builtins text;
    twins text;
BEGIN
    -- Which of equal values min and max return is not the built-in's choice.
    SELECT string_agg(format(shown, name, argument, clause), ', '),
           string_agg(format(shown, 'gpu_' || name, argument, clause), ', ')
    INTO builtins, twins
    FROM unnest(names) name,
         LATERAL (SELECT CASE WHEN name IN ('min', 'max') THEN 'wa_value_text(%s(%s) %s)'
                              ELSE '%s(%s) %s::text' END) AS s(shown);
    RETURN QUERY EXECUTE format($query$
        WITH results AS MATERIALIZED (
            SELECT %s AS grp, ARRAY[%s] AS builtins, ARRAY[%s] AS twins FROM %s %s)
        SELECT pair.name, results.grp, pair.builtin, pair.twin
        FROM results, unnest($1, builtins, twins) AS pair(name, builtin, twin)
        WHERE pair.builtin IS DISTINCT FROM pair.twin
        UNION ALL
        SELECT 'nothing was compared', NULL, NULL, NULL
        WHERE NOT EXISTS (SELECT FROM results)
        $query$, label, builtins, twins, source, grouping) USING names;
END
$$;

-- Evaluates an expression and returns its text, or the error it ends with.
CREATE FUNCTION wa_outcome(expression text, source text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT (%s)::text FROM %s', expression, source) INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN format('ERROR %s: %s', SQLSTATE, SQLERRM);
END
$$;

-- Compares outcomes, errors included, of each aggregate by itself.
CREATE FUNCTION wa_outcomes(functions text, argument text, source text)
RETURNS TABLE (function text, builtin text, gpu text)
LANGUAGE sql AS $$
    SELECT name, wa_outcome(format('%s(%s)', name, argument), source),
           wa_outcome(format('gpu_%s(%s)', name, argument), source)
    FROM string_to_table(functions, ' ') AS name
$$;

-- Returns the exact value of a float, or NULL for infinities and NaN.
CREATE FUNCTION wa_exact(x float8) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    bits bigint := ('x' || encode(float8send(x), 'hex'))::bit(64)::bigint;
    exponent integer := bits >> 52 & 2047;
    significand numeric := bits & 4503599627370495;
BEGIN
    IF exponent = 2047 THEN
        RETURN NULL;
    ELSIF exponent > 0 THEN
        significand := significand + 4503599627370496;
    END IF;
    exponent := greatest(exponent, 1) - 1075;
    significand := significand * CASE WHEN bits < 0 THEN -1 ELSE 1 END;
    IF exponent >= 0 THEN
        RETURN significand * power(2::numeric, exponent);
    END IF;
    RETURN trim_scale(significand * power(5::numeric, -exponent) * ('1e' || exponent)::numeric);
END
$$;

-- Returns the name of the setting that has workers do what the leader could, which 16
-- calls otherwise.
CREATE FUNCTION wa_parallel_mode() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')
$$;

-- Returns the plan of a query, less what versions of PostgreSQL say in other words: how
-- subselects and their parameters are called, what 18 tells of each node.
CREATE FUNCTION wa_plan(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
        CONTINUE WHEN line ~ '^ *Replaces: ';
        line := regexp_replace(line, ' \(returns [$0-9,]+\)$', '');
        line := regexp_replace(line, '(InitPlan|SubPlan) [a-z]+_(\d+)', '\1 \2', 'g');
        line := replace(line, 'unnamed_subquery_1', '"*SELECT* 2"');
        FOR i IN 1..3 LOOP
            line := replace(line, format('(InitPlan %s).col1', i), '$' || i - 1);
        END LOOP;
        line := regexp_replace(line, '\(ANY \([^()]+ = \((hashed )?SubPlan (\d+)\)\.col1\)\)', '(\1SubPlan \2)');
        line := regexp_replace(line, ' rows=(\d+)\.00', ' rows=\1');
        RETURN NEXT regexp_replace(line, ',\n *"Disabled": false', '', 'g');
    END LOOP;
END
$$;

-- Runs a query with the node, and without in one process, and returns what differs; a
-- query that would not have got the node is a difference too.
CREATE FUNCTION wa_scan_differences(query text, OUT side text, OUT result text)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    line text;
    has_node boolean := false;
    workers text := current_setting('max_parallel_workers_per_gather');
BEGIN
    PERFORM set_config('warpagg.enable_scan', 'on', true);
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        has_node := has_node OR line LIKE '%WarpAgg%';
    END LOOP;
    IF NOT has_node THEN
        side := 'no node'; result := query; RETURN NEXT;
    END IF;
    DROP TABLE IF EXISTS pg_temp.with_node, pg_temp.without_node;
    EXECUTE format('CREATE TEMP TABLE with_node AS SELECT q::text AS r FROM (%s) q', query);
    PERFORM set_config('warpagg.enable_scan', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
    EXECUTE format('CREATE TEMP TABLE without_node AS SELECT q::text AS r FROM (%s) q', query);
    PERFORM set_config('warpagg.enable_scan', 'on', true), set_config('max_parallel_workers_per_gather', workers, true);
    RETURN QUERY SELECT 'with', r FROM (TABLE pg_temp.with_node EXCEPT ALL TABLE pg_temp.without_node) x
        UNION ALL SELECT 'without', r FROM (TABLE pg_temp.without_node EXCEPT ALL TABLE pg_temp.with_node) x;
    RETURN QUERY SELECT 'nothing was compared', query WHERE NOT EXISTS (TABLE pg_temp.with_node);
END
$$;

-- Returns the rows of a query as texts, in the order of these unless that of the rows
-- matters, or the error of its data or of a function that it ends with.  scan, resident,
-- accelerate: what the settings are to be.
CREATE FUNCTION wa_rows(query text, scan text, resident text, accelerate text, is_ordered boolean DEFAULT false)
RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    names text[] := '{warpagg.enable_scan,warpagg.enable_resident,warpagg.accelerate}';
    before text[];
    row record;
    rows text[];
BEGIN
    SELECT array_agg(current_setting(name) ORDER BY i) INTO before FROM unnest(names) WITH ORDINALITY u (name, i);
    PERFORM set_config(name, value, true) FROM unnest(names, ARRAY[scan, resident, accelerate]) u (name, value);
    BEGIN
        FOR row IN EXECUTE query LOOP
            rows := rows || row::text;
        END LOOP;
    EXCEPTION WHEN data_exception OR raise_exception THEN
        -- of several rows that have one any may come first
        rows := ARRAY['error: ' || regexp_replace(SQLERRM, '"[^"]*"', '"..."')];
    END;
    PERFORM set_config(name, value, true) FROM unnest(names, before) u (name, value);
    IF NOT is_ordered THEN
        SELECT array_agg(r ORDER BY r COLLATE "C") INTO rows FROM unnest(rows) r;
    END IF;
    RETURN rows;
END
$$;

-- Returns a text in which numbers that are equal look the same: without zeros behind the
-- point, or a sign of zero; and texts of them, in their order.
CREATE FUNCTION wa_same_look(value text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(regexp_replace(value, '(\.\d*?)0+(?!\d)', '\1', 'g'),
                          '\.(?!\d)|-(?=0(?![\d.]))', '', 'g')
$$;
CREATE FUNCTION wa_same_looks(rows text[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(x ORDER BY x COLLATE "C") FROM unnest(rows) r, wa_same_look(r) x
$$;

-- Compares a query over a table with resident columns with the same over rows of the
-- heap, and with PostgreSQL's own plan.  Returns "same", or "same values" if some equal
-- ones look unlike PostgreSQL's, or what differs, and then what the query has used, as
-- the session is set: "no node", or blocks of the heap alone ("heap") or some ("partly"),
-- and distinct inputs ("combined").
CREATE FUNCTION wa_compare(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    accelerate text := current_setting('warpagg.accelerate');
    expected text[];
    found text[];
    plan jsonb;
BEGIN
    BEGIN
        EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
    EXCEPTION WHEN data_exception OR raise_exception THEN
    END;
    expected := wa_rows(query, 'off', 'off', 'off');
    found := wa_rows(query, 'on', 'on', accelerate);
    RETURN CASE WHEN wa_rows(query, 'on', 'off', accelerate) IS DISTINCT FROM found THEN 'resident rows differ'
        WHEN wa_same_looks(found) IS DISTINCT FROM wa_same_looks(expected) THEN 'rows differ'
        WHEN found IS DISTINCT FROM expected THEN 'same values'
        WHEN expected IS NULL THEN 'no rows'
        WHEN expected[1] LIKE 'error: %' THEN 'same ' || expected[1] ELSE 'same' END
        || CASE WHEN plan IS NULL THEN ''
           WHEN NOT plan @? '$.**."Custom Plan Provider"' THEN ', no node'
           WHEN NOT plan @? '$.**."Resident Blocks" ? (@ > 0)' THEN ', heap'
           WHEN plan @? '$.**."Blocks Read" ? (@ > 0)' THEN ', partly' ELSE '' END
        || CASE WHEN plan @? '$.**."Resident Distinct Inputs" ? (@ > 0)' THEN ', combined' ELSE '' END;
END
$$;

-- What wa_compare says, and whether the order is another where there is one.
-- Where rows trap a GPU leaves out more blocks than a CPU, perhaps all: that is no difference.
CREATE FUNCTION wa_compare_order(query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(wa_compare(query), ', partly', ', heap')
        || CASE WHEN query ~ 'ORDER BY'
                AND wa_rows(query, 'on', 'on', 'all', true) IS DISTINCT FROM wa_rows(query, 'off', 'off', 'off', true)
           THEN ', in another order' ELSE '' END
$$;

-- The line of a query's plan that says why it has no node.
CREATE FUNCTION wa_refusal(query text) RETURNS text LANGUAGE sql AS $$
    SELECT COALESCE(string_agg(substr(trim(line), 20), '; '), 'none') FROM wa_plan(query) line WHERE line ~ 'WarpAgg: not used'
$$;
