/*
 * row_bits.h
 *		Numbers of rows whose keys lie close together: a bit for each integer, which says
 *		whether it is a key; its number is that of the bits before it.
 *
 * First keys are added, by several threads at once; then, on one thread, the bits are
 * counted; then there are numbers.
 */
#ifndef WA_QUERY_ROW_BITS_H
#define WA_QUERY_ROW_BITS_H

#include "core/lookup_table.h"
#include "core/must_check.h"
#include "query/base/arena.h"

typedef struct WaRowBits
{
	int64_t smallest;
	uint64_t nbits;
	uint64_t *bits;   /* changed atomically while keys are added */
	uint32_t *before; /* bits before each word */
} WaRowBits;

/*
 * Makes bits for integers from the smallest on, at most WA_MAX_KEPT_ENTRIES, in the arena.
 * Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_row_bits_make(WaRowBits *bits, WaArena *arena,
										   int64_t smallest, uint64_t nbits);

/* Adds keys, each of which has a bit; returns false if one was there before. */
extern bool wa_row_bits_add(WaRowBits *bits, const int64_t *keys, size_t nkeys);

/* Counts the keys that are there, each once; there are numbers from now on. */
extern uint64_t wa_row_bits_count(WaRowBits *bits);

/* Stores the numbers of keys that are there. */
extern void wa_row_bits_find(const WaRowBits *bits, const int64_t *keys,
							 size_t nkeys, uint32_t *numbers);

/*
 * Fills the narrow entries of a table from keys to numbers for the integers of the words
 * begin to end - 1 of the bits.
 */
extern void wa_row_bits_fill(const WaRowBits *bits, uint64_t begin,
							 uint64_t end, int32_t *narrow);

/* Copies the words begin to end - 1, and what is before them, to a table's bits. */
extern void wa_row_bits_copy(const WaRowBits *bits, uint64_t begin,
							 uint64_t end, uint64_t *to);

/* Returns how many words there are. */
static inline uint64_t
wa_row_bits_words(const WaRowBits *bits)
{
	return wa_lookup_bits_words(bits->nbits);
}

#endif /* WA_QUERY_ROW_BITS_H */
