/* sql/warpagg--0.1.0.sql: what CREATE EXTENSION warpagg makes */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION warpagg" to load this file. \quit

-- Support functions of all aggregates of the family.

CREATE FUNCTION warpagg_transition(internal, "any") RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- gpu_sum(value): the sum of all values that are not NULL, or NULL if there
-- are none.  Integers and money: exactly what sum returns, or an error where
-- it would wrap around.  real and double precision: the exact sum, rounded
-- once, whatever the order of the rows.

CREATE FUNCTION warpagg_sum_int8(internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'warpagg_sum_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_sum_numeric(internal) RETURNS numeric
    AS 'MODULE_PATHNAME', 'warpagg_sum_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_sum_float4(internal) RETURNS real
    AS 'MODULE_PATHNAME', 'warpagg_sum_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_sum_float8(internal) RETURNS double precision
    AS 'MODULE_PATHNAME', 'warpagg_sum_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION warpagg_sum_money(internal) RETURNS money
    AS 'MODULE_PATHNAME', 'warpagg_sum_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_sum(smallint) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_sum_int8,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_sum(integer) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_sum_int8,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_sum(bigint) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_sum_numeric,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_sum(real) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_sum_float4,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_sum(double precision) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_sum_float8,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_sum(money) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_sum_money,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    PARALLEL = SAFE
);

-- gpu_min(value): the smallest of all values that are not NULL, as min returns
-- it, or NULL if there are none.

CREATE FUNCTION warpagg_min(internal, anyelement) RETURNS anyelement
    AS 'MODULE_PATHNAME', 'warpagg_min_final'
    LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_min(smallint) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(integer) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(bigint) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(real) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(double precision) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(date) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(time) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(timestamp) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(timestamptz) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(money) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

CREATE AGGREGATE gpu_min(oid) (
    SFUNC = warpagg_transition,
    STYPE = internal,
    SSPACE = 144,
    FINALFUNC = warpagg_min,
    FINALFUNC_EXTRA,
    COMBINEFUNC = warpagg_combine,
    SERIALFUNC = warpagg_serialize,
    DESERIALFUNC = warpagg_deserialize,
    SORTOP = operator(pg_catalog.<),
    PARALLEL = SAFE
);

-- What the device process has and does.  Asking starts it.

CREATE FUNCTION warpagg_devices(
    OUT kind text,
    OUT ordinal integer,
    OUT name text,
    OUT compute_capability text,
    OUT memory_bytes bigint,
    OUT free_bytes bigint,
    OUT multiprocessors integer,
    OUT driver text,
    OUT state text
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_devices AS SELECT * FROM warpagg_devices();

CREATE FUNCTION warpagg_stats(
    OUT starts bigint,
    OUT failures bigint,
    OUT connections bigint,
    OUT requests bigint,
    OUT bytes bigint,
    OUT device_ms double precision,
    OUT fallback_starting bigint,
    OUT fallback_no_slot bigint,
    OUT fallback_lost bigint,
    OUT fallback_timeout bigint,
    OUT fallback_device_error bigint,
    OUT fallback_resting bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_stats AS SELECT * FROM warpagg_stats();

CREATE FUNCTION warpagg_reductions(
    OUT device text,
    OUT operation text,
    OUT type text,
    OUT runs bigint,
    OUT rows bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW warpagg_reductions AS SELECT * FROM warpagg_reductions();

GRANT SELECT ON warpagg_devices, warpagg_stats, warpagg_reductions TO PUBLIC;
