/*
 * gather_numeric.c
 *		From numerics in tuples to integers of a common scale.
 *
 * Almost all numerics have short headers and few digits.  Those are decoded
 * without a branch that depends on the value: the four digits of base 10000 that
 * end where the value does are loaded, those before its first made zero, and
 * the integer that they make brought to the digits of base 10000 that the scale
 * takes.  A division by a power of ten is left, which is known to leave no rest:
 * a shift and a multiplication.  Everything else goes by wa_numeric_view.
 */
#include "postgres.h"

#ifdef WORDS_BIGENDIAN
#error "digits are taken from words whose lowest byte comes first"
#endif

#include "compat.h"
#include "heap/gather_column.h"
#include "state/numeric_format.h"

/* The short form, see numeric_format.c. */
#define FORM_MASK         0xC000
#define FORM_SHORT        0x8000
#define SHORT_NEGATIVE    0x2000
#define SHORT_SCALE_MASK  0x1F80
#define SHORT_SCALE_SHIFT 7

/* Digits of base 10000 that the fast path takes: any four fit 64 bits. */
#define FAST_DIGITS 4

/* Bytes of a short numeric that are not digits: varlena header and header. */
#define SHORT_HEADER_BYTES (VARHDRSZ_SHORT + sizeof(uint16))

/* How numerics become integers of a scale. */
typedef struct Target
{
	int scale;
	bool exact;   /* only numerics that are shown with it are taken */
	int fraction; /* digits of base 10000 that the scale takes, rounded up */
	int shift;    /* the integers of those are too large by 10^shift */
	uint64 fifth; /* the inverse of 5^shift modulo 2^64 */
	uint16 mask;  /* of the header, what must be as in `header` */
	uint16 header;
} Target;

static const uint64 base_powers[FAST_DIGITS + 1] = {
	1, UINT64CONST(10000), UINT64CONST(100000000), UINT64CONST(1000000000000),
	UINT64CONST(10000000000000000)};

/* What keeps so many digits, of four in a word: the last are the highest. */
static const uint64 digit_masks[FAST_DIGITS + 1] = {
	0, UINT64CONST(0xFFFF000000000000), UINT64CONST(0xFFFFFFFF00000000),
	UINT64CONST(0xFFFFFFFFFFFF0000), UINT64CONST(0xFFFFFFFFFFFFFFFF)};

/* Every other digit of a word. */
#define EVEN_LANES UINT64CONST(0x0000FFFF0000FFFF)

/* Inverses of 1, 5, 25 and 125 modulo 2^64. */
static const uint64 fifths[WA_NUMERIC_BASE_DIGITS] = {
	1, UINT64CONST(0xCCCCCCCCCCCCCCCD), UINT64CONST(0x8F5C28F5C28F5C29),
	UINT64CONST(0x1CAC083126E978D5)};

/* Returns the target of a scale. */
static Target
make_target(int scale, bool exact)
{
	Target target = {.scale = scale, .exact = exact};

	target.fraction =
		(scale + WA_NUMERIC_BASE_DIGITS - 1) / WA_NUMERIC_BASE_DIGITS;
	target.shift = target.fraction * WA_NUMERIC_BASE_DIGITS - scale;
	target.fifth = fifths[target.shift];
	target.mask = FORM_MASK;
	target.header = FORM_SHORT;
	if (exact)
	{
		target.mask |= SHORT_SCALE_MASK;
		target.header |= (uint16) (scale << SHORT_SCALE_SHIFT);
	}
	return target;
}

static inline uint16
load_word(const char *p)
{
	uint16 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/*
 * Returns the integer that the last ndigits digits, at most four, of the eight
 * bytes before `end` make: two by two, and then the pairs.
 */
static inline uint64
join_digits(const char *end, uint32 ndigits)
{
	uint64 lanes;
	uint64 pairs;

	memcpy(&lanes, end - sizeof(lanes), sizeof(lanes));
	lanes &= digit_masks[ndigits];
	pairs =
		(lanes & EVEN_LANES) * WA_NUMERIC_BASE + ((lanes >> 16) & EVEN_LANES);
	return (uint64) (uint32) pairs * (WA_NUMERIC_BASE * WA_NUMERIC_BASE) +
		   (pairs >> 32);
}

/* Returns the weight in a short header: seven bits with a sign. */
static inline int
short_weight(uint16 header)
{
	return (int8) (uint8) (header << 1) >> 1;
}

/*
 * Decodes a numeric of the short form with at most four digits, those that the
 * scale would add at the end counted.  Returns false if it is another one.
 */
static inline bool
decode_short(const char *value, const Target *target, int64_t *result)
{
	uint16 header = load_word(value + VARHDRSZ_SHORT);
	/* For what is toasted the size is 0, so that there are too many digits. */
	uint32 size = VARSIZE_1B(value);
	uint32 ndigits = (size - (uint32) SHORT_HEADER_BYTES) / 2;
	/* Digits up to the scale's last. */
	uint32 all_digits = (uint32) (short_weight(header) + 1 + target->fraction);
	uint64 magnitude;
	uint64 sign;

	/* One branch, since none is ever taken. */
	if (unlikely(!VARATT_IS_1B(value) | (all_digits > FAST_DIGITS) |
				 (ndigits > all_digits) |
				 ((header & target->mask) != target->header)))
		return false;
	magnitude = join_digits(value + size, ndigits);
	magnitude *= base_powers[all_digits - ndigits];
	magnitude = (magnitude >> target->shift) * target->fifth;
	sign = (header & SHORT_NEGATIVE) != 0 ? ~UINT64CONST(0) : 0;
	*result = (int64_t) ((magnitude ^ sign) - sign);
	return true;
}

/*
 * Decodes numerics from a row on up to the first that decode_short does not.
 * Returns its row, or nrows.  Nothing is called, so that all is in registers.
 */
static int
decode_shorts(const char *const *base, Size offset, int row, int nrows,
			  Target target, int64_t *values)
{
	while (row < nrows &&
		   decode_short(base[row] + offset, &target, &values[row]))
		row++;
	return row;
}

/*
 * Looks at a numeric of any form.  Returns false if it is toasted, not finite or
 * shown with more digits than max_scale after the point.
 */
static bool
look_at(const char *value, WaNumericView *view, int max_scale)
{
	if (VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value))
		return false;
	wa_numeric_view((Numeric) unconstify(char *, value), view);
	return view->class == WA_NUMERIC_FINITE && view->display_scale <= max_scale;
}

/* Stores what was looked at in units of the target, if it fits. */
static bool
scale_view(const WaNumericView *view, const Target *target, int64_t *result)
{
	__int128 integer;

	if (!wa_numeric_scaled(view, target->fraction, &integer))
		return false;
	integer /= wa_powers_of_ten[target->shift];
	*result = (int64_t) integer;
	return *result == integer;
}

/* Decodes a numeric of any form. */
static bool
decode_any(const char *value, const Target *target, int64_t *result)
{
	WaNumericView view;

	return look_at(value, &view, WA_DECIMAL_MAX_SCALE) &&
		   (view.display_scale == target->scale || !target->exact) &&
		   scale_view(&view, target, result);
}

/* Decodes all values of a column, if the target takes them. */
static bool
decode_all(const WaGatherColumn *column, int nrows, const Target *target,
		   int64_t *values)
{
	const char *const *base = column->base;
	Size offset = column->offset;
	int row = decode_shorts(base, offset, 0, nrows, *target, values);

	while (row < nrows)
	{
		if (!decode_any(base[row] + offset, target, &values[row]))
			return false;
		row = decode_shorts(base, offset, row + 1, nrows, *target, values);
	}
	return true;
}

/*
 * Stores the scales that the values are shown with, if they can be taken: none is
 * more than max_scale.
 */
static bool
find_scales(const WaGatherColumn *column, int nrows, int max_scale,
			WaVector *vector)
{
	int scale = 0;

	for (int i = 0; i < nrows; i++)
	{
		WaNumericView view;

		if (!look_at(column->base[i] + column->offset, &view, max_scale))
			return false;
		vector->display[i] = (uint8) view.display_scale;
		scale = Max(scale, view.display_scale);
	}
	vector->mixed = true;
	vector->scale = (uint8) scale;
	return true;
}

/* Makes a vector of values that have room in 64 bits, or returns false. */
static bool
decode_narrow(const WaGatherColumn *column, int nrows, WaVector *vector)
{
	WaNumericView first;
	Target target;

	if (!look_at(column->base[0] + column->offset, &first,
				 WA_DECIMAL_MAX_SCALE))
		return false;
	/* Most often all are shown as the first is. */
	vector->scale = (uint8) first.display_scale;
	target = make_target(vector->scale, true);
	if (decode_all(column, nrows, &target, wa_vector_ints(vector)))
		return true;
	if (!find_scales(column, nrows, WA_DECIMAL_MAX_SCALE, vector))
		return false;
	target = make_target(vector->scale, false);
	return decode_all(column, nrows, &target, wa_vector_ints(vector));
}

/* Tells whether all rows of a vector are shown with the same number of digits. */
static bool
has_one_scale(const WaVector *vector, int nrows)
{
	for (int i = 0; i < nrows; i++)
		if (vector->display[i] != vector->scale)
			return false;
	return true;
}

/* Makes a wide vector of values that have room in 128 bits, or returns false. */
static bool
decode_wide(const WaGatherColumn *column, int nrows, WaVector *vector)
{
	if (!find_scales(column, nrows, WA_WIDE_MAX_SCALE, vector))
		return false;
	vector->mixed = !has_one_scale(vector, nrows);
	vector->wide = true;
	for (int i = 0; i < nrows; i++)
	{
		WaNumericView view;
		__int128 value;

		if (!look_at(column->base[i] + column->offset, &view,
					 WA_WIDE_MAX_SCALE) ||
			!wa_numeric_to_wide(&view, vector->scale, &value))
			return false;
		wa_vector_wides(vector)[i] = wa_int128_make(value);
	}
	return true;
}

bool
wa_gather_numerics(const WaGatherColumn *column, int nrows, WaVector *vector)
{
	vector->mixed = false;
	vector->wide = false;
	vector->scale = 0;
	if (nrows == 0 || decode_narrow(column, nrows, vector))
		return true;
	vector->mixed = false;
	return vector->may_be_wide && decode_wide(column, nrows, vector);
}
