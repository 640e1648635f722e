/*
 * bits.c
 *		Bytes as bits, eight at a time; see bits.h.
 */
#include <string.h>

#include "core/bits.h"

/* Returns the lowest bits of 8 bytes as the bits of one. */
static uint64_t
pack_8(const uint8_t *bytes)
{
	uint64_t word;

	/* The product has the bit of byte i in bit 56 + i. */
	memcpy(&word, bytes, sizeof(word));
	return word * UINT64_C(0x0102040810204080) >> 56;
}

/* Stores the bits of a byte as 8 bytes. */
static void
unpack_8(uint64_t byte, uint8_t *bytes)
{
	/* A copy for each bit, of which that bit alone is left, ... */
	uint64_t word =
		byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

	/* ... and carries into the highest bit of its byte. */
	word = (word + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 &
		   UINT64_C(0x0101010101010101);
	memcpy(bytes, &word, sizeof(word));
}

void
wa_bits_pack(const uint8_t *bytes, size_t count, uint64_t *words)
{
	const size_t whole = count / 64 * 64;
	uint64_t last = 0;

	for (size_t i = 0; i < whole; i += 64)
	{
		uint64_t word = 0;

		for (size_t j = 0; j < 64; j += 8)
			word |= pack_8(bytes + i + j) << j;
		words[i / 64] = word;
	}
	for (size_t i = whole; i < count; i++)
		last |= (uint64_t) bytes[i] << (i - whole);
	if (count > whole)
		words[whole / 64] = last;
}

/* Returns the bits from bit `first` on, up to 64 of them, and then anything. */
static uint64_t
bits_from(const uint64_t *words, size_t first, size_t count)
{
	const size_t shift = first % 64;
	uint64_t bits = words[first / 64] >> shift;

	if (shift + count > 64)
		bits |= words[first / 64 + 1] << (64 - shift);
	return bits;
}

void
wa_bits_unpack(const uint64_t *words, size_t first, size_t count,
			   uint8_t *bytes)
{
	for (size_t i = 0; i < count; i += 64)
	{
		const size_t some = count - i < 64 ? count - i : 64;
		const uint64_t bits = bits_from(words, first + i, some);
		const size_t whole = some / 8 * 8;

		for (size_t j = 0; j < whole; j += 8)
			unpack_8(bits >> j & 0xff, bytes + i + j);
		for (size_t j = whole; j < some; j++)
			bytes[i + j] = (uint8_t) (bits >> j & 1);
	}
}

void
wa_bits_copy(const uint64_t *words, size_t first, size_t count,
			 uint64_t *to_words, size_t to_first)
{
	size_t some;

	for (size_t i = 0; i < count; i += some)
	{
		const size_t shift = (to_first + i) % 64;
		uint64_t *to = &to_words[(to_first + i) / 64];
		uint64_t mask;

		some = count - i < 64 - shift ? count - i : 64 - shift;
		mask = (some == 64 ? ~UINT64_C(0) : (UINT64_C(1) << some) - 1) << shift;
		*to =
			(*to & ~mask) | (bits_from(words, first + i, some) << shift & mask);
	}
}
