/*
 * group_decimal.h
 *		Numerics as words, equal for numerics that are equal as numbers.
 */
#ifndef WA_SCAN_GROUP_DECIMAL_H
#define WA_SCAN_GROUP_DECIMAL_H

#include "scan/group_dictionary.h"

/*
 * Stores the words of the rows of a DECIMAL vector; those of 0, which NULLs
 * have, are 0.
 */
extern void wa_decimal_words(WaDictionary *dictionary, const int64 *values,
							 int scale, size_t nrows, uint64 *words);

/* Returns the word of a numeric of any kind, and its display scale. */
extern uint64 wa_decimal_of_datum(WaDictionary *dictionary, Datum value,
								  uint32 *display_scale);

/* Returns the numeric of a word, in the current memory context. */
extern Datum wa_decimal_datum(const WaDictionary *dictionary, uint64 word,
							  uint32 display_scale);

#endif /* WA_SCAN_GROUP_DECIMAL_H */
