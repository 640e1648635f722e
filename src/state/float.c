/*
 * float.c
 *		Columns of floats: exact sums, rounded once.
 *
 * The components begin as small sums (core/small_sum.h).  They become pointers
 * to wide ones, of hundreds of bytes, when a number does not fit beside the
 * others, when one is not finite, when a bulk is merged, and at once where rows
 * are taken away again, which only the wide ones can.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "utils/float.h"

#include "state/column.h"
#include "state/float.h"
#include "state/wire.h"

/* A wide sum, and how many additions it has had since it was normalized. */
typedef struct WideSum
{
	WaExactSum exact;
	int64 additions;
} WideSum;

typedef union SumComponent
{
	WaInt128 small;
	WideSum *wide;
} SumComponent;

typedef union SquaresComponent
{
	WaInt256 small;
	WaExactSquares *wide;
} SquaresComponent;

static inline SumComponent *
sum_of(const WaAggState *state)
{
	return (SumComponent *) wa_state_component(state, WA_OP_SUM);
}

static inline SquaresComponent *
squares_of(const WaAggState *state)
{
	return (SquaresComponent *) wa_state_component(state, WA_OP_SQUARES);
}

/* Returns a value of SQL, widened. */
static inline double
float_value(const WaAggState *state, Datum value)
{
	return state->width == sizeof(float8) ? DatumGetFloat8(value)
										  : (double) DatumGetFloat4(value);
}

/* Returns how many of the rows in small components count as -0. */
static int64
small_negative_zeros(const WaAggState *state)
{
	return state->negative_zeros ? state->rows : 0;
}

/* Adds the small components of a state to wide sums, which are normalized. */
static void
expand(const WaAggState *state, WaExactSum *sum, WaExactSquares *squares)
{
	wa_small_sum_expand(sum_of(state)->small, state->exponent, sum);
	sum->negative_zeros += small_negative_zeros(state);
	if (squares != NULL)
		wa_small_squares_expand(&squares_of(state)->small,
								state->squares_exponent, squares);
}

/* Makes the components wide, if they are not yet. */
static void
widen(WaAggState *state)
{
	MemoryContext context = wa_state_context(state);
	WideSum *sum;
	WaExactSquares *squares = NULL;

	if (state->wide)
		return;
	sum = MemoryContextAlloc(context, sizeof(WideSum));
	wa_exact_init(&sum->exact);
	sum->additions = 0;
	if (wa_state_has(state, WA_OP_SQUARES))
	{
		squares = MemoryContextAlloc(context, sizeof(WaExactSquares));
		wa_squares_init(squares);
	}
	expand(state, &sum->exact, squares);
	sum_of(state)->wide = sum;
	if (squares != NULL)
		squares_of(state)->wide = squares;
	state->wide = true;
}

/* Normalizes wide components. */
static void
normalize(const WaAggState *state)
{
	WideSum *sum = sum_of(state)->wide;

	if (sum->additions == 0)
		return;
	wa_exact_normalize(&sum->exact);
	if (wa_state_has(state, WA_OP_SQUARES))
		wa_squares_normalize(squares_of(state)->wide);
	sum->additions = 0;
}

/* Counts an addition to wide components. */
static inline void
count_addition(const WaAggState *state)
{
	if (++sum_of(state)->wide->additions >= WA_EXACT_MAX_ADDITIONS)
		normalize(state);
}

/* Takes a finite number into small components; false if it does not fit. */
static bool
take_small(WaAggState *state, double x)
{
	SumComponent *sum = sum_of(state);
	const WaInt128 sum_before = sum->small;
	const int16 exponent_before = state->exponent;

	if (!wa_small_sum_add(&sum->small, &state->exponent, x))
		return false;
	if (wa_state_has(state, WA_OP_SQUARES) &&
		!wa_small_squares_add(&squares_of(state)->small,
							  &state->squares_exponent, x))
	{
		sum->small = sum_before;
		state->exponent = exponent_before;
		return false;
	}
	state->negative_zeros = state->negative_zeros && x == 0 && signbit(x);
	return true;
}

void
wa_float_set_small(WaAggState *state, const WaSmallSums *sums)
{
	Assert(state->rows == 0 && !state->wide);
	sum_of(state)->small = sums->sum;
	state->exponent = sums->exponent;
	if (wa_state_has(state, WA_OP_SQUARES))
	{
		squares_of(state)->small = sums->squares;
		state->squares_exponent = sums->squares_exponent;
	}
	state->negative_zeros = sums->negative_zeros;
}

static void
float_add(WaAggState *state, Datum value, int sign)
{
	double x = float_value(state, value);

	if (!state->wide)
	{
		if (!state->plan->moving && isfinite(x) && take_small(state, x))
			return;
		widen(state);
	}
	(sign > 0 ? wa_exact_add : wa_exact_subtract)(&sum_of(state)->wide->exact,
												  x);
	if (wa_state_has(state, WA_OP_SQUARES))
		(sign > 0 ? wa_squares_add
				  : wa_squares_subtract)(squares_of(state)->wide, x);
	count_addition(state);
}

static void
float_absorb(WaAggState *state, const WaPartial *partial)
{
	widen(state);
	normalize(state);
	wa_exact_merge(&sum_of(state)->wide->exact, &partial->exact->sum);
	if (wa_state_has(state, WA_OP_SQUARES))
		wa_squares_merge(squares_of(state)->wide, &partial->exact->squares);
}

/* Merges small components into small ones; false if they do not fit. */
static bool
merge_small(WaAggState *into, const WaAggState *from)
{
	SumComponent *sum = sum_of(into);
	const WaInt128 sum_before = sum->small;
	const int16 exponent_before = into->exponent;

	if (!wa_small_sum_merge(&sum->small, &into->exponent, sum_of(from)->small,
							from->exponent))
		return false;
	if (wa_state_has(into, WA_OP_SQUARES) &&
		!wa_small_squares_merge(
			&squares_of(into)->small, &into->squares_exponent,
			&squares_of(from)->small, from->squares_exponent))
	{
		sum->small = sum_before;
		into->exponent = exponent_before;
		return false;
	}
	into->negative_zeros = into->negative_zeros && from->negative_zeros;
	return true;
}

static void
float_merge(WaAggState *into, const WaAggState *from)
{
	bool has_squares = wa_state_has(into, WA_OP_SQUARES);

	if (!into->wide && !from->wide && merge_small(into, from))
		return;
	widen(into);
	normalize(into);
	if (!from->wide)
	{
		expand(from, &sum_of(into)->wide->exact,
			   has_squares ? squares_of(into)->wide : NULL);
		return;
	}
	normalize(from);
	wa_exact_merge(&sum_of(into)->wide->exact, &sum_of(from)->wide->exact);
	if (has_squares)
		wa_squares_merge(squares_of(into)->wide, squares_of(from)->wide);
}

void
wa_float_copy_exact(const WaAggState *state, WaExactPart *part)
{
	bool has_squares = wa_state_has(state, WA_OP_SQUARES);

	if (state->wide)
	{
		normalize(state);
		part->sum = sum_of(state)->wide->exact;
		if (has_squares)
			part->squares = *squares_of(state)->wide;
		return;
	}
	wa_exact_init(&part->sum);
	if (has_squares)
		wa_squares_init(&part->squares);
	expand(state, &part->sum, has_squares ? &part->squares : NULL);
}

/* The operations whose components lie here. */
static WaOpSet
float_operations(const WaAggState *state)
{
	return state->plan->key.ops &
		   (WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES));
}

/* What stands before the components in a serialized state. */
typedef struct FloatHeader
{
	int16 exponent;
	int16 squares_exponent;
	bool wide;
	bool negative_zeros;
	uint16 partial_bytes; /* of a wide one, encoded */
} FloatHeader;

static void
float_write(WaAggState *state, StringInfo buffer)
{
	FloatHeader header = {.exponent = state->exponent,
						  .squares_exponent = state->squares_exponent,
						  .wide = state->wide,
						  .negative_zeros = state->negative_zeros};

	if (state->wide)
	{
		uint8 encoded[WA_PARTIAL_MAX_BYTES];
		WaExactPart part;
		WaPartial partial;

		wa_partial_init(&partial, &part);
		wa_float_copy_exact(state, &part);
		partial.rows = state->rows;
		header.partial_bytes = (uint16) wa_partial_encode(
			&partial, state->plan->type, float_operations(state), encoded);
		appendBinaryStringInfo(buffer, (char *) &header, sizeof(header));
		appendBinaryStringInfo(buffer, (char *) encoded, header.partial_bytes);
		return;
	}
	appendBinaryStringInfo(buffer, (char *) &header, sizeof(header));
	wa_wire_put_components(buffer, state);
}

/* Reads wide components into an empty state. */
static void
read_wide(WaAggState *state, StringInfo buffer, int nbytes)
{
	const uint8 *encoded = (const uint8 *) pq_getmsgbytes(buffer, nbytes);
	WaExactPart part;
	WaPartial partial;

	wa_partial_init(&partial, &part);
	if (!wa_partial_decode(&partial, state->plan->type, float_operations(state),
						   encoded, (size_t) nbytes))
		elog(ERROR, "serialized warpagg state is damaged");
	widen(state);
	sum_of(state)->wide->exact = part.sum;
	if (wa_state_has(state, WA_OP_SQUARES))
		*squares_of(state)->wide = part.squares;
}

static void
float_read(WaAggState *state, StringInfo buffer)
{
	FloatHeader header;

	pq_copymsgbytes(buffer, (char *) &header, sizeof(header));
	if (header.wide)
	{
		read_wide(state, buffer, header.partial_bytes);
		return;
	}
	state->exponent = header.exponent;
	state->squares_exponent = header.squares_exponent;
	state->negative_zeros = header.negative_zeros;
	wa_wire_get_components(buffer, state);
}

/* Returns the sum of float4. */
static float
sum_to_float4(const WaAggState *state, bool *overflow)
{
	WaExactPart part;
	float result;

	if (!state->wide &&
		wa_small_sum_to_float(sum_of(state)->small, state->exponent, &result))
		return result;
	wa_float_copy_exact(state, &part);
	return wa_exact_to_float(&part.sum, state->rows, overflow);
}

/* Returns the sum of float8. */
static double
sum_to_float8(const WaAggState *state, bool *overflow)
{
	WaExactPart part;
	double result;

	if (!state->wide &&
		wa_small_sum_to_double(sum_of(state)->small, state->exponent, &result))
		return result;
	wa_float_copy_exact(state, &part);
	return wa_exact_to_double(&part.sum, state->rows, overflow);
}

static Datum
sum_result(WaAggState *state)
{
	bool overflow = false;
	Datum result = state->plan->type == WA_FLOAT4
					   ? Float4GetDatum(sum_to_float4(state, &overflow))
					   : Float8GetDatum(sum_to_float8(state, &overflow));

	if (overflow)
		float_overflow_error();
	return result;
}

static Datum
average_result(WaAggState *state)
{
	WaExactPart part;

	wa_float_copy_exact(state, &part);
	part.sum.negative_zeros = 0; /* the built-in adds them to 0 */
	return Float8GetDatum(wa_exact_average(&part.sum, state->rows));
}

static Datum
variance_result(WaAggState *state, bool sample, bool root)
{
	WaExactPart part;
	bool overflow = false;
	double result;

	wa_float_copy_exact(state, &part);
	if (root)
		result = wa_exact_stddev(&part.sum, &part.squares, state->rows, sample,
								 &overflow);
	else
		result = wa_exact_variance(&part.sum, &part.squares, state->rows,
								   sample, &overflow);
	if (overflow)
		float_overflow_error();
	return Float8GetDatum(result);
}

const WaColumnKind wa_float_column = {
	.sum_bytes = sizeof(SumComponent),
	.squares_bytes = sizeof(SquaresComponent),
	.by_device = true,
	.add = float_add,
	.absorb = float_absorb,
	.merge = float_merge,
	.write = float_write,
	.read = float_read,
	.sum = sum_result,
	.average = average_result,
	.variance = variance_result,
};
