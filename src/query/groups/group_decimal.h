/*
 * group_decimal.h
 *		Numerics as words, equal for numerics that are equal as numbers.
 */
#ifndef WA_QUERY_GROUP_DECIMAL_H
#define WA_QUERY_GROUP_DECIMAL_H

#include "core/int128.h"
#include "core/must_check.h"
#include "query/base/value.h"
#include "query/groups/group_dictionary.h"

/*
 * Stores the words of the rows of a DECIMAL vector; those of 0, which NULLs
 * have, are 0.
 */
extern void wa_decimal_words(WaKeyDictionary *dictionary, const int64_t *values,
							 int scale, size_t nrows, uint64_t *words);

/* The same of a wide vector. */
extern void wa_decimal_wide_words(WaKeyDictionary *dictionary,
								  const WaInt128 *values, int scale,
								  size_t nrows, uint64_t *words);

/* Returns the word of a value of kind DECIMAL that is not NULL. */
extern uint64_t wa_decimal_of_value(WaKeyDictionary *dictionary,
									const WaQueryValue *value);

/* Room for the bytes of a number of up to 38 digits. */
#define WA_WIDE_DECIMAL_BYTES 64

/*
 * Stores a number in units of 10^-scale, of up to 38 digits, in a value of kind DECIMAL,
 * whose text, if it is wide, lies in bytes.  How it is shown is left alone.
 */
extern void wa_decimal_make_value(WaInt128 number, int scale,
								  char bytes[WA_WIDE_DECIMAL_BYTES],
								  WaQueryValue *value);

/*
 * Stores the number of a value of kind DECIMAL in units of 10^-scale.  Returns false if
 * it is none, or has other digits, or more than 38.
 */
extern WA_MUST_CHECK bool wa_decimal_number(const WaQueryValue *value,
											int scale, __int128 *number);

/* Returns the least scale of which a value of kind DECIMAL, a finite number, is one. */
extern int wa_decimal_least_scale(const WaQueryValue *value);

/*
 * Stores the number of a word in a value, whose text, if it is wide, lives as
 * long as the dictionary.
 */
extern void wa_decimal_value(const WaKeyDictionary *dictionary, uint64_t word,
							 WaQueryValue *value);

/* Returns what numerics have that are equal, whatever their dictionary is. */
extern uint64_t wa_decimal_hash(const WaKeyDictionary *dictionary,
								uint64_t word);

/* Returns the word that a number of another dictionary has in this one. */
extern uint64_t wa_decimal_translate(WaKeyDictionary *dictionary,
									 const WaKeyDictionary *other,
									 uint64_t word);

/* Tells whether the bytes are those of a wide decimal (query/base/value.h). */
extern bool wa_wide_decimal_is_sound(WaText bytes);

#endif /* WA_QUERY_GROUP_DECIMAL_H */
