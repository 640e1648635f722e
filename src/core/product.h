/*
 * product.h
 *		Products of floating-point numbers as sums of few, exactly.
 *
 * A product of two doubles has 106 bits and exponents that no double has.  It
 * is the sum of a high and a low part (T. J. Dekker, "A floating-point
 * technique for extending the available precision", Numerische Mathematik 18,
 * 1971; the low one by fma), in one of three ranges: as it is, or scaled by a
 * power of two so that both parts are doubles.  So sums of products are six
 * sums of doubles, of which four have nothing but numbers that are out of the
 * ordinary.
 */
#ifndef WA_CORE_PRODUCT_H
#define WA_CORE_PRODUCT_H

#include <math.h>

#include "core/exact_sum.h"

/* The parts: high and low of each range. */
typedef enum WaProductPart
{
	WA_PRODUCT_HIGH,
	WA_PRODUCT_LOW,
	WA_PRODUCT_LARGE_HIGH,
	WA_PRODUCT_LARGE_LOW,
	WA_PRODUCT_SMALL_HIGH,
	WA_PRODUCT_SMALL_LOW,
	WA_PRODUCT_PARTS
} WaProductPart;

/* Parts are to be multiplied by 2 to the power of these. */
#define WA_PRODUCT_LARGE_SCALE 1024
#define WA_PRODUCT_SMALL_SCALE (-1088)

/* Returns the power of 2 that a part is to be multiplied by. */
WA_INLINE int
wa_product_scale(WaProductPart part)
{
	if (part < WA_PRODUCT_LARGE_HIGH)
		return 0;
	return part < WA_PRODUCT_SMALL_HIGH ? WA_PRODUCT_LARGE_SCALE
										: WA_PRODUCT_SMALL_SCALE;
}

/* Ordinary products are this large at least, and less than that. */
#define WA_PRODUCT_SMALLEST 0x1p-900
#define WA_PRODUCT_LARGEST  0x1p1000

/* Tells whether numbers have a product that is not 0. */
WA_INLINE bool
wa_product_is_there(double x, double y)
{
	return wa_is_finite(x) && wa_is_finite(y) && x != 0 && y != 0;
}

/* Tells whether such a product, rounded to a double, is an ordinary one. */
WA_INLINE bool
wa_product_is_ordinary(double product)
{
	return fabs(product) >= WA_PRODUCT_SMALLEST &&
		   fabs(product) < WA_PRODUCT_LARGEST;
}

/* Returns the high or the low part of an ordinary product, which is given rounded. */
WA_INLINE double
wa_product_ordinary(double x, double y, double product, bool is_low)
{
	return is_low ? fma(x, y, -product) : product;
}

/*
 * Programs take numbers below this only, and leave others to wa_product_part: halves of
 * larger ones may be infinite.
 */
#define WA_PRODUCT_LARGEST_FACTOR 0x1p1023

/* Tells whether programs leave the product of two numbers, rounded to a double. */
WA_INLINE bool
wa_product_traps(double x, double y, double product)
{
	return wa_product_is_there(x, y) && (!wa_product_is_ordinary(product) ||
										 fabs(x) >= WA_PRODUCT_LARGEST_FACTOR ||
										 fabs(y) >= WA_PRODUCT_LARGEST_FACTOR);
}

/*
 * Stores a part of the product of two numbers of any kind.  Returns false if it
 * is none of that range, or not of finite numbers, or 0.
 */
WA_INLINE bool
wa_product_part(double x, double y, WaProductPart part, double *result)
{
	const bool is_low = part % 2 != 0;
	const double product = x * y;
	const int scale = wa_product_scale(part);
	int x_exponent;
	int y_exponent;

	if (!wa_product_is_there(x, y))
		return false;
	if (wa_product_is_ordinary(product))
	{
		*result = wa_product_ordinary(x, y, product, is_low);
		return part <= WA_PRODUCT_LOW;
	}
	x = frexp(x, &x_exponent);
	y = frexp(y, &y_exponent);
	*result = ldexp(wa_product_ordinary(x, y, x * y, is_low),
					x_exponent + y_exponent - scale);
	return (x_exponent + y_exponent > 0) == (scale > 0) && scale != 0;
}

#endif /* WA_CORE_PRODUCT_H */
