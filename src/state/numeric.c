/*
 * numeric.c
 *		Columns of numeric: exact sums, as scaled integers where they fit.
 *
 * A sum is kept in units of 10000^-scale in 128 bits, that of the squares in
 * 192; the scale rises with the values' own.  What does not fit, because it has
 * too many digits or is not finite, is kept apart in a NumericRest, which most
 * states never have.  The rest adds with PostgreSQL's numeric_add.
 *
 * A batch for a device holds integers of one scale, and of one display scale if
 * a smallest or largest value is wanted, which has to be shown with its own.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"

#include "state/column.h"
#include "state/extreme.h"
#include "state/numeric.h"
#include "state/numeric_format.h"
#include "state/numeric_rest.h"
#include "state/numeric_variance.h"

#define EXTREMES (WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX))

/* After so many changes of scale, ... */
#define MAX_CHANGES 16

/* ... a bulk has to have gained so many rows by each to be kept. */
#define MIN_ROWS_PER_CHANGE 64

typedef struct SumComponent
{
	WaInt128 units; /* of 10000^-state->exponent */
	WaNumericRest *rest;
} SumComponent;

static inline SumComponent *
sum_of(const WaAggState *state)
{
	return (SumComponent *) wa_state_component(state, WA_OP_SUM);
}

/* The squares, in units of 10000^-(2 state->exponent); a signed number. */
static inline WaUint192 *
squares_of(const WaAggState *state)
{
	return (WaUint192 *) wa_state_component(state, WA_OP_SQUARES);
}

static inline bool
has_squares(const WaAggState *state)
{
	return wa_state_has(state, WA_OP_SQUARES);
}

/* Looks at a value of SQL. */
static void
look_at(Datum value, WaNumericView *view)
{
	wa_numeric_view((Numeric) PG_DETOAST_DATUM_PACKED(value), view);
}

/* Returns the state's rest, which it makes if there is none. */
static WaNumericRest *
rest_of(WaAggState *state)
{
	SumComponent *sum = sum_of(state);

	if (sum->rest == NULL)
		sum->rest = wa_numeric_rest_make(wa_state_context(state));
	return sum->rest;
}

/* Tells whether a signed number of 192 bits is negative. */
static inline bool
is_negative(const WaUint192 *number)
{
	return (number->word[2] >> 63) != 0;
}

/* Returns a signed number of 192 bits in units of 10000^-scale. */
static Numeric
from_squares(WaUint192 squares, int scale)
{
	bool negative = is_negative(&squares);
	WaUint192 magnitude = {{0, 0, 0}};

	if (negative)
		wa_uint192_subtract(&magnitude, squares);
	else
		magnitude = squares;
	return wa_numeric_make(magnitude.word, 3, negative, scale, 0);
}

/* Adds a numeric to a sum of digits. */
static void
add_numeric(WaDigitSum *sum, Numeric number)
{
	WaNumericView view;

	wa_numeric_view(number, &view);
	wa_digit_sum_add(sum, &view, 1);
}

/* Adds the scaled integers of a state to two sums. */
static void
add_integers(const WaAggState *state, WaDigitSum *sum, WaDigitSum *squares)
{
	add_numeric(
		sum, wa_numeric_from_int128(sum_of(state)->units, state->exponent, 0));
	if (squares != NULL)
		add_numeric(squares,
					from_squares(*squares_of(state), 2 * state->exponent));
}

/* Moves the scaled integers to the rest. */
static void
move_to_rest(WaAggState *state)
{
	WaNumericRest *rest = rest_of(state);

	add_integers(state, &rest->sum, has_squares(state) ? &rest->squares : NULL);
	memset(&sum_of(state)->units, 0, sizeof(WaInt128));
	if (has_squares(state))
		memset(squares_of(state), 0, sizeof(WaUint192));
}

/* Adds an integer of the state's scale to the sum. */
static void
add_units(WaAggState *state, __int128 units)
{
	SumComponent *sum = sum_of(state);
	__int128 result;

	if (__builtin_add_overflow(wa_int128_get(sum->units), units, &result))
	{
		move_to_rest(state);
		result = units;
	}
	sum->units = wa_int128_make(result);
}

/* Adds a number that is not negative to the squares, sign times. */
static void
add_squares(WaAggState *state, WaUint192 number, int sign)
{
	WaUint192 *squares = squares_of(state);
	WaUint192 before = *squares;

	if (sign > 0)
		wa_uint192_add(squares, number);
	else
		wa_uint192_subtract(squares, number);
	if (is_negative(&before) == (sign < 0) &&
		is_negative(squares) != is_negative(&before))
	{
		*squares = before;
		move_to_rest(state);
		add_squares(state, number, sign);
	}
}

/* Raises the scale of the integers, by one digit of base 10000 at a time. */
static void
raise_scale(WaAggState *state, int scale)
{
	SumComponent *sum = sum_of(state);

	if (!wa_state_has(state, WA_OP_SUM))
		state->exponent = (int16) Max(state->exponent, scale);
	while (state->exponent < scale)
	{
		__int128 units;
		WaUint192 squares = {{0, 0, 0}};

		if (has_squares(state))
			squares = *squares_of(state);
		if (__builtin_mul_overflow(wa_int128_get(sum->units),
								   (__int128) WA_NUMERIC_BASE, &units) ||
			is_negative(&squares) ||
			!wa_uint192_multiply(&squares, WA_NUMERIC_BASE * WA_NUMERIC_BASE,
								 191))
		{
			move_to_rest(state);
			units = 0;
			memset(&squares, 0, sizeof(squares));
		}
		sum->units = wa_int128_make(units);
		if (has_squares(state))
			*squares_of(state) = squares;
		state->exponent++;
	}
}

/* Tells whether a number of the state's scale goes into its integers. */
static bool
is_for_integers(const WaAggState *state, const WaNumericView *view,
				__int128 *units)
{
	return wa_numeric_scaled(view, state->exponent, units) &&
		   (!has_squares(state) ||
			(*units >= PG_INT64_MIN && *units <= PG_INT64_MAX));
}

/* Notes the display scale of a finite number that comes or goes. */
static void
note_display_scale(WaAggState *state, const WaNumericView *view, int sign)
{
	if (state->plan->moving)
		state->display_scale = wa_numeric_rest_count_scale(
			rest_of(state), (uint16) view->display_scale, sign);
	else if (view->display_scale > state->display_scale)
		state->display_scale = (uint16) view->display_scale;
}

static void
add_number(WaAggState *state, Datum value, int sign)
{
	WaNumericView view;
	__int128 units;

	look_at(value, &view);
	if (view.class != WA_NUMERIC_FINITE)
	{
		wa_numeric_rest_count(rest_of(state), view.class, sign);
		return;
	}
	note_display_scale(state, &view, sign);
	if (view.scale > state->exponent && view.scale <= WA_NUMERIC_MAX_SCALE)
		raise_scale(state, view.scale);
	if (is_for_integers(state, &view, &units))
	{
		add_units(state, sign > 0 ? units : -units);
		if (has_squares(state))
			add_squares(state, wa_uint192_make(wa_int64_square((int64) units)),
						sign);
	}
	else
		wa_numeric_rest_take(rest_of(state), &view, has_squares(state), sign);
}

/*
 * Takes a value past the buffer, into which it does not fit.  Values that are
 * equal to it did not go there either, so their order is kept.
 */
static void
take_past_bulk(WaAggState *state, const WaNumericView *view, Datum value)
{
	/* What is in the bulk has the scale that the state has now. */
	if (view->class == WA_NUMERIC_FINITE && view->scale > state->exponent)
		wa_state_collect(state);
	if (wa_state_has(state, WA_OP_SUM))
		add_number(state, value, 1);
	wa_extreme_take(state, value);
	state->rows++;
}

/*
 * Makes the buffer one of another type or scale, empty.  Returns false if that
 * has happened so often that the state is better off without a bulk.
 */
static bool
change_bulk(WaAggState *state, WaType type, const WaNumericView *view)
{
	WaBulk *bulk = state->bulk;
	Size bytes = (Size) bulk->capacity * wa_type_width(bulk->type);

	wa_state_collect(state);
	bulk->changes++;
	if (bulk->changes > MAX_CHANGES &&
		state->rows < (int64) bulk->changes * MIN_ROWS_PER_CHANGE)
	{
		state->stay_small = true;
		return false;
	}
	raise_scale(state, view->scale);
	bulk->type = type;
	bulk->capacity = (uint32) (bytes / wa_type_width(type));
	bulk->display_scale = (uint16) view->display_scale;
	return true;
}

/* Tells whether a number has to be in a batch of its own display scale. */
static bool
shows_otherwise(const WaAggState *state, const WaNumericView *view)
{
	return (state->plan->key.ops & EXTREMES) != 0 &&
		   view->display_scale != state->bulk->display_scale;
}

static void
numeric_take_bulk(WaAggState *state, Datum value)
{
	WaBulk *bulk = state->bulk;
	void *memory;
	WaNumericView view;
	WaType type = bulk->type;
	__int128 units;
	bool is_long;

	look_at(value, &view);
	if (view.class != WA_NUMERIC_FINITE || view.scale > WA_NUMERIC_MAX_SCALE ||
		!wa_numeric_scaled(&view, Max(view.scale, state->exponent), &units))
	{
		take_past_bulk(state, &view, value);
		return;
	}
	is_long = units < PG_INT64_MIN || units > PG_INT64_MAX;
	if (is_long && has_squares(state))
	{
		take_past_bulk(state, &view, value);
		return;
	}
	if (is_long)
		type = WA_WIDE_NUMERIC;
	if ((view.scale > state->exponent || type != bulk->type ||
		 shows_otherwise(state, &view)) &&
		!change_bulk(state, type, &view))
	{
		wa_state_take(state, value);
		return;
	}
	if (wa_state_has(state, WA_OP_SUM))
		note_display_scale(state, &view, 1);
	memory = bulk->buffer->memory;
	if (type == WA_NUMERIC)
		((int64 *) memory)[bulk->nvalues++] = (int64) units;
	else
		((WaInt128 *) memory)[bulk->nvalues++] = wa_int128_make(units);
}

Numeric
wa_numeric_of_value(const WaAggState *state, WaValue value)
{
	const WaBulk *bulk = state->bulk;
	WaInt128 units =
		bulk->type == WA_NUMERIC ? wa_int128_make(value.i) : value.wide;

	return wa_numeric_from_int128(units, state->exponent, bulk->display_scale);
}

void
wa_numeric_add_sum(WaAggState *state, Numeric sum)
{
	WaNumericView view;

	wa_numeric_view(sum, &view);
	note_display_scale(state, &view, 1);
	wa_numeric_rest_take(rest_of(state), &view, false, 1);
}

void
wa_numeric_add_squares(WaAggState *state, Numeric squares)
{
	add_numeric(&rest_of(state)->squares, squares);
}

void
wa_numeric_set_unit(WaAggState *state, int scale, int display_scale)
{
	Assert(state->rows == 0);
	state->exponent = (int16) scale;
	state->display_scale = (uint16) display_scale;
}

static void
numeric_absorb(WaAggState *state, const WaPartial *partial)
{
	add_units(state, wa_int128_get(partial->sum));
	if (has_squares(state))
		add_squares(state, partial->squares, 1);
}

/* Tells whether some numbers are in the sums of the rest. */
static bool
has_rest(const WaAggState *state)
{
	const WaNumericRest *rest = sum_of(state)->rest;

	return rest != NULL && (rest->sum.count > 0 || rest->squares.count > 0);
}

/* Returns the sum of numbers that are all finite. */
static Numeric
total_sum(const WaAggState *state)
{
	WaDigitSum total = {.context = CurrentMemoryContext};
	WaNumericView view;

	if (!has_rest(state))
		return wa_numeric_from_int128(sum_of(state)->units, state->exponent,
									  state->display_scale);
	add_integers(state, &total, NULL);
	wa_digit_sum_merge(&total, &sum_of(state)->rest->sum);
	wa_digit_sum_view(&total, &view);
	return wa_numeric_of_view(&view, state->display_scale);
}

static void
numeric_merge(WaAggState *into, const WaAggState *from)
{
	const SumComponent *other = sum_of(from);
	__int128 units = wa_int128_get(other->units);
	int scale = Max(into->exponent, from->exponent);

	into->display_scale = Max(into->display_scale, from->display_scale);
	if (other->rest != NULL)
		wa_numeric_rest_merge(rest_of(into), other->rest);
	raise_scale(into, scale);
	if (from->exponent == scale)
	{
		add_units(into, units);
		if (has_squares(into))
			add_squares(into, *squares_of(from), 1);
		return;
	}
	add_integers(from, &rest_of(into)->sum,
				 has_squares(into) ? &rest_of(into)->squares : NULL);
}

/* What stands before the components in a serialized state. */
typedef struct NumericHeader
{
	WaInt128 units;
	WaUint192 squares;
	int16 scale;
	uint16 display_scale;
	bool has_rest;
} NumericHeader;

static void
numeric_write(WaAggState *state, StringInfo buffer)
{
	const SumComponent *sum = sum_of(state);
	NumericHeader header = {.units = sum->units,
							.scale = state->exponent,
							.display_scale = state->display_scale,
							.has_rest = sum->rest != NULL};

	if (has_squares(state))
		header.squares = *squares_of(state);
	appendBinaryStringInfo(buffer, (char *) &header, sizeof(header));
	if (sum->rest != NULL)
		wa_numeric_rest_write(sum->rest, buffer);
}

static void
numeric_read(WaAggState *state, StringInfo buffer)
{
	NumericHeader header;

	pq_copymsgbytes(buffer, (char *) &header, sizeof(header));
	sum_of(state)->units = header.units;
	if (has_squares(state))
		*squares_of(state) = header.squares;
	state->exponent = header.scale;
	state->display_scale = header.display_scale;
	if (header.has_rest)
		wa_numeric_rest_read(rest_of(state), buffer);
}

static Datum
sum_result(WaAggState *state)
{
	Numeric special = wa_numeric_rest_special(sum_of(state)->rest);

	return NumericGetDatum(special != NULL ? special : total_sum(state));
}

static Datum
average_result(WaAggState *state)
{
	Datum sum = sum_result(state);

	return DirectFunctionCall2(numeric_div, sum,
							   NumericGetDatum(int64_to_numeric(state->rows)));
}

/* Views N Sxx - Sx^2 of numbers of which some are in the rest. */
static void
view_numerator(const WaAggState *state, WaNumericView *numerator)
{
	const WaNumericRest *rest = sum_of(state)->rest;
	WaDigitSum sum = {.context = CurrentMemoryContext};
	WaDigitSum squares = {.context = CurrentMemoryContext};
	WaDigitSum difference = {.context = CurrentMemoryContext};
	WaNumericView rows;
	WaNumericView view;

	add_integers(state, &sum, &squares);
	wa_digit_sum_merge(&sum, &rest->sum);
	wa_digit_sum_merge(&squares, &rest->squares);
	wa_numeric_view(int64_to_numeric(state->rows), &rows);
	wa_digit_sum_view(&squares, &view);
	wa_digit_sum_add_product(&difference, &rows, &view, 1);
	wa_digit_sum_view(&sum, &view);
	wa_digit_sum_add_product(&difference, &view, &view, -1);
	wa_digit_sum_view(&difference, numerator);
}

/* Returns the numerator of a variance; NULL if it is 0. */
static Numeric
variance_numerator(const WaAggState *state)
{
	int display_scale =
		Min(2 * state->display_scale, WA_NUMERIC_MAX_DISPLAY_SCALE);
	WaNumericView view;

	if (has_rest(state))
	{
		view_numerator(state, &view);
		return view.ndigits == 0 ? NULL
								 : wa_numeric_of_view(&view, display_scale);
	}
	return wa_numeric_numerator(state->rows, sum_of(state)->units,
								*squares_of(state), state->exponent,
								display_scale);
}

static Datum
variance_result(WaAggState *state, bool sample, bool root)
{
	const SumComponent *sum = sum_of(state);

	if (wa_numeric_rest_special(sum->rest) != NULL)
		return NumericGetDatum(wa_numeric_of_text("NaN"));
	return wa_numeric_variance(state->rows, variance_numerator(state), sample,
							   root);
}

const WaColumnKind wa_numeric_column = {
	.sum_bytes = sizeof(SumComponent),
	.squares_bytes = sizeof(WaUint192),
	.by_device = true,
	.add = add_number,
	.take_bulk = numeric_take_bulk,
	.absorb = numeric_absorb,
	.merge = numeric_merge,
	.write = numeric_write,
	.read = numeric_read,
	.sum = sum_result,
	.average = average_result,
	.variance = variance_result,
};
