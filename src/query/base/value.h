/*
 * value.h
 *		Single values outside of vectors: keys of groups, and constants.
 */
#ifndef WA_QUERY_VALUE_H
#define WA_QUERY_VALUE_H

#include "core/vector.h"

/* A value of a kind that its user knows; undefined but for is_null if NULL. */
typedef struct WaQueryValue
{
	bool is_null;
	bool is_wide;   /* DECIMAL: does not fit; text has a WaWideDecimal */
	uint8_t scale;  /* DECIMAL that is not wide */
	uint32_t shown; /* DECIMAL: with so many digits after the point; TEXT: so
					 * many blanks come behind the text */
	union
	{
		int64_t integer; /* INT; BOOL, 0 or 1; DECIMAL in units of 10^-scale */
		double number;   /* FLOAT */
	};
	WaText text; /* TEXT; its maker says how long it lives */
} WaQueryValue;

/* What numbers a wide decimal may be. */
typedef enum WaWideClass
{
	WA_WIDE_FINITE,
	WA_WIDE_NAN,
	WA_WIDE_PLUS_INFINITY,
	WA_WIDE_MINUS_INFINITY
} WaWideClass;

/* As numeric has them: the weight of a digit, the number of digits. */
#define WA_WIDE_MAX_WEIGHT INT16_MAX
#define WA_WIDE_MAX_DIGITS (WA_WIDE_MAX_WEIGHT + 1 + 4096)

/*
 * A number of any size as bytes: this, then, if it is finite, its digits of base
 * 10000 as int16_t, none or the first and the last of which are not 0.  Equal
 * numbers have equal bytes.
 */
typedef struct WaWideDecimal
{
	int32_t class; /* WaWideClass */
	int32_t negative;
	int32_t weight; /* of the first digit: 10000^weight */
} WaWideDecimal;

#endif /* WA_QUERY_VALUE_H */
