/*
 * join_numbers.h
 *		Keys of several columns as one integer: values of each column are numbered, and pairs
 *		of such numbers are keys again.
 */
#ifndef WA_SCAN_JOIN_NUMBERS_H
#define WA_SCAN_JOIN_NUMBERS_H

#include "scan/tables/key_rows.h"

/*
 * Numbers different keys from 0 on, in ascending order; stores the number of each, and
 * leaves each key once.  Works in the current memory context.  Returns how many
 * there are.
 */
extern int64 wa_join_numbers_make(const WaRowKeys *keys, int64 nkeys,
								  int64 *numbers);

/*
 * Stores pairs of numbers, the second of which is less than a count, as keys: which tells
 * them apart, and is no larger than has to be.
 */
extern void wa_join_numbers_pair(const int64 *first, const int64 *second,
								 int64 count, int64 npairs, int64 *keys);

#endif /* WA_SCAN_JOIN_NUMBERS_H */
