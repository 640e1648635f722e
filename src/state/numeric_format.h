/*
 * numeric_format.h
 *		Between numeric values and scaled integers.
 *
 * PostgreSQL's numeric.c offers no way to see a value's digits but text and
 * the wire format, both far slower than an aggregate may be.  These functions
 * read and write the on-disk format itself, which has not changed since
 * PostgreSQL 9.1 (9.1 added its short form, 14 the infinities): digits of base
 * 10000, the weight of the first, the sign and the display scale.
 */
#ifndef WA_STATE_NUMERIC_FORMAT_H
#define WA_STATE_NUMERIC_FORMAT_H

#include "utils/numeric.h"

#include "core/decimal.h"
#include "core/must_check.h"
#include "core/partial.h"

/* The scale, in digits of base 10000, of the most exact scaled integer. */
#define WA_NUMERIC_MAX_SCALE 6

/* The largest display scale that the format has room for. */
#define WA_NUMERIC_MAX_DISPLAY_SCALE 0x3FFF

typedef enum WaNumericClass
{
	WA_NUMERIC_FINITE,
	WA_NUMERIC_NAN,
	WA_NUMERIC_PLUS_INFINITY,
	WA_NUMERIC_MINUS_INFINITY
} WaNumericClass;

/* What a numeric value consists of, without its digits. */
typedef struct WaNumericView
{
	WaNumericClass class; /* only of a finite number is the rest defined */
	bool negative;
	const char *digits; /* ndigits int16, perhaps not aligned */
	int ndigits;
	int weight;        /* of the first digit: 10000^weight */
	int scale;         /* digits of base 10000 after the point, at least 0 */
	int display_scale; /* decimal digits after the point that are shown */
} WaNumericView;

/*
 * Looks at a numeric, which may have a short varlena header but is neither
 * compressed nor out of line.
 */
extern void wa_numeric_view(Numeric number, WaNumericView *view);

/*
 * Stores the viewed number in units of 10000^-scale in *integer, if it is
 * finite, scale is at least its own, and the result is below 10^28; else
 * returns false.
 */
extern WA_MUST_CHECK bool wa_numeric_scaled(const WaNumericView *view,
											int scale, __int128 *integer);

/*
 * Returns the numeric that nwords words, lowest first, amount to in units of
 * 10000^-scale, with a display scale, beyond which it has no digits.
 */
extern Numeric wa_numeric_make(const uint64 *words, int nwords, bool negative,
							   int scale, int display_scale);

/* The same for a signed integer of 128 bits. */
extern Numeric wa_numeric_from_int128(WaInt128 integer, int scale,
									  int display_scale);

/*
 * Stores the viewed number in units of 10^-scale, of a scale up to 18, in
 * *integer, if it is finite and a multiple of that unit, and fits; else returns
 * false.
 */
extern WA_MUST_CHECK bool wa_numeric_to_decimal(const WaNumericView *view,
												int scale, int64 *integer);

/*
 * The same in 128 bits, of a scale up to 38: false, too, if the integer has more
 * than 38 digits.
 */
extern WA_MUST_CHECK bool wa_numeric_to_wide(const WaNumericView *view,
											 int scale, __int128 *integer);

/*
 * Returns the numeric that an integer is in units of 10^-scale, with a display scale,
 * beyond which it has no digits.
 */
extern Numeric wa_numeric_from_decimal(int64 integer, int scale,
									   int display_scale);

/*
 * The same of a signed integer of so many words, up to six, lowest first, that does
 * not come near its limits, and any scale.
 */
extern Numeric wa_numeric_from_words(const uint64 *words, int nwords, int scale,
									 int display_scale);

/* The same of a value of a wide vector. */
extern Numeric wa_numeric_from_wide(WaInt128 value, int scale,
									int display_scale);

/*
 * Returns the viewed finite number as a numeric with the display scale.  Digits
 * that no numeric has room for are cut off after the point; before it they
 * raise "value overflows numeric format".
 */
extern Numeric wa_numeric_of_view(const WaNumericView *view, int display_scale);

/* Returns the numeric that the text stands for, e.g. "NaN". */
extern Numeric wa_numeric_of_text(const char *text);

/* Returns a digit of base 10000; the first is 0. */
static inline int
wa_numeric_digit(const WaNumericView *view, int i)
{
	int16 digit;

	memcpy(&digit, view->digits + (Size) i * sizeof(digit), sizeof(digit));
	return digit;
}

#endif /* WA_STATE_NUMERIC_FORMAT_H */
