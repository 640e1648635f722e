/*
 * decimal.c
 *		Powers of ten, and comparing numbers by them; see decimal.h.
 */
#include "core/decimal.h"

/* Those that fit 64 bits. */
#define POWERS_OF_TEN                                                     \
	INT64_C(1), INT64_C(10), INT64_C(100), INT64_C(1000), INT64_C(10000), \
		INT64_C(100000), INT64_C(1000000), INT64_C(10000000),             \
		INT64_C(100000000), INT64_C(1000000000), INT64_C(10000000000),    \
		INT64_C(100000000000), INT64_C(1000000000000),                    \
		INT64_C(10000000000000), INT64_C(100000000000000),                \
		INT64_C(1000000000000000), INT64_C(10000000000000000),            \
		INT64_C(100000000000000000), INT64_C(1000000000000000000)

const int64_t wa_powers_of_ten[WA_DECIMAL_POWERS] = {POWERS_OF_TEN};

/* What is to be multiplied by 10^18. */
#define E18         INT64_C(1000000000000000000)
#define WIDE(power) ((__int128) E18 * INT64_C(power))

const __int128 wa_wide_powers_of_ten[WA_WIDE_POWERS] = {
	POWERS_OF_TEN,
	WIDE(10),
	WIDE(100),
	WIDE(1000),
	WIDE(10000),
	WIDE(100000),
	WIDE(1000000),
	WIDE(10000000),
	WIDE(100000000),
	WIDE(1000000000),
	WIDE(10000000000),
	WIDE(100000000000),
	WIDE(1000000000000),
	WIDE(10000000000000),
	WIDE(100000000000000),
	WIDE(1000000000000000),
	WIDE(10000000000000000),
	WIDE(100000000000000000),
	WIDE(1000000000000000000),
	WIDE(1000000000000000000) * 10,
	WIDE(1000000000000000000) * 100};

/*
 * Returns a number times 10^digits; of too large a product only its sign, with the
 * largest magnitude: the other number, which is not multiplied, has a smaller one.
 */
static __int128
raised(__int128 number, int digits)
{
	const __int128 most = wa_wide_power_of_ten(WA_WIDE_POWERS - 1);

	if (wa_wide_decimal_raise(&number, digits))
		return number;
	return number < 0 ? -most : most;
}

int
wa_wide_decimal_compare(__int128 a, int a_scale, __int128 b, int b_scale)
{
	if (a_scale < b_scale)
		a = raised(a, b_scale - a_scale);
	else if (b_scale < a_scale)
		b = raised(b, a_scale - b_scale);
	return (a > b) - (a < b);
}
