/*
 * words.h
 *		Bytes as words, and the mixing of words into hashes.
 */
#ifndef WA_CORE_WORDS_H
#define WA_CORE_WORDS_H

#include <stdint.h>
#include <string.h>

/* Returns the eight bytes from an address on. */
static inline uint64_t
wa_load64(const char *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

/* Returns the four bytes from an address on. */
static inline uint32_t
wa_load32(const char *data)
{
	uint32_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

/* Returns the first eight bytes of a string; of a shorter one, zeros after it. */
static inline uint64_t
wa_string_head(const char *data, uint32_t length)
{
	const uint8_t *bytes = (const uint8_t *) data;

	if (length >= 8)
		return wa_load64(data);
	/* Pieces that overlap have the same bits where they do. */
	if (length >= 4)
		return wa_load32(data) | (uint64_t) wa_load32(data + length - 4)
									 << ((length - 4) * 8);
	if (length == 0)
		return 0;
	return (uint64_t) bytes[0] |
		   (uint64_t) bytes[length / 2] << (length / 2 * 8) |
		   (uint64_t) bytes[length - 1] << ((length - 1) * 8);
}

/* Mixes 64 bits into a state, by a 128-bit product. */
static inline uint64_t
wa_mix64(uint64_t state, uint64_t bits)
{
	const unsigned __int128 product =
		(unsigned __int128) (state ^ bits) * UINT64_C(0x9E3779B97F4A7C15);

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

#endif /* WA_CORE_WORDS_H */
