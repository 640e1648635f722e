/*
 * bits.h
 *		Bytes that are 0 or 1, packed as the bits of words: that of byte i is bit
 *		i % 64 of word i / 64.
 */
#ifndef WA_CORE_BITS_H
#define WA_CORE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the words that so many bits take. */
static inline size_t
wa_bits_words(size_t count)
{
	return (count + 63) / 64;
}

/* Returns a bit. */
static inline bool
wa_bits_get(const uint64_t *words, size_t bit)
{
	return (words[bit / 64] >> bit % 64 & 1) != 0;
}

/* Sets a bit. */
static inline void
wa_bits_set(uint64_t *words, size_t bit)
{
	words[bit / 64] |= (uint64_t) 1 << bit % 64;
}

#ifdef __cplusplus
extern "C"
{
#endif

/* Packs bytes; the bits of the last word behind the last byte's become 0. */
void wa_bits_pack(const uint8_t *bytes, size_t count, uint64_t *words);

/* Unpacks `count` bits from bit `first` on; reads no word that has none of them. */
void wa_bits_unpack(const uint64_t *words, size_t first, size_t count,
					uint8_t *bytes);

/*
 * Copies `count` bits from bit `first` on to bit `to_first` on of other words, whose
 * other bits stay; reads and writes no word that has none of them.
 */
void wa_bits_copy(const uint64_t *words, size_t first, size_t count,
				  uint64_t *to_words, size_t to_first);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_BITS_H */
