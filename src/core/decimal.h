/*
 * decimal.h
 *		Constants for numbers in units of powers of ten.
 */
#ifndef WA_CORE_DECIMAL_H
#define WA_CORE_DECIMAL_H

#include <stdint.h>

/* A numeric consists of digits of base 10000, of four decimal digits each. */
#define WA_NUMERIC_BASE        10000
#define WA_NUMERIC_BASE_DIGITS 4

/* The largest power of ten that fits 64 bits is 10^18. */
#define WA_DECIMAL_POWERS 19

extern const int64_t wa_powers_of_ten[WA_DECIMAL_POWERS];

#endif /* WA_CORE_DECIMAL_H */
