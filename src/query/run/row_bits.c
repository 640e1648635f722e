/*
 * row_bits.c
 *		Numbers of rows whose keys lie close together; see row_bits.h.
 *
 * Processors that have AVX2 count bits by an instruction, too.
 */
#include <string.h>

#include "core/vectorised.h"
#include "query/run/row_bits.h"

bool
wa_row_bits_make(WaRowBits *bits, WaArena *arena, int64_t smallest,
				 uint64_t nbits)
{
	*bits = (WaRowBits){.smallest = smallest, .nbits = nbits};
	bits->bits = wa_arena_alloc_zero(arena, wa_row_bits_words(bits) *
												sizeof(*bits->bits));
	bits->before =
		wa_arena_alloc(arena, wa_row_bits_words(bits) * sizeof(*bits->before));
	return bits->bits != NULL && bits->before != NULL;
}

/* Sets bits of a word; tells whether one was set before. */
static inline bool
set_bits(WaRowBits *bits, uint64_t word, uint64_t set)
{
	return (__atomic_fetch_or(&bits->bits[word], set, __ATOMIC_RELAXED) &
			set) != 0;
}

bool
wa_row_bits_add(WaRowBits *bits, const int64_t *keys, size_t nkeys)
{
	uint64_t word = 0;
	uint64_t set = 0;
	bool was_there = false;

	/* Keys often come in their order: then those of a word are added at once. */
	for (size_t i = 0; i < nkeys; i++)
	{
		const uint64_t offset = (uint64_t) keys[i] - (uint64_t) bits->smallest;
		const uint64_t bit = UINT64_C(1) << offset % 64;

		if (offset / 64 != word)
		{
			was_there |= set != 0 && set_bits(bits, word, set);
			word = offset / 64;
			set = 0;
		}
		was_there |= (set & bit) != 0;
		set |= bit;
	}
	was_there |= set != 0 && set_bits(bits, word, set);
	return !was_there;
}

WA_VECTORISED uint64_t
wa_row_bits_count(WaRowBits *bits)
{
	const uint64_t nwords = wa_row_bits_words(bits);
	uint32_t count = 0;

	for (uint64_t i = 0; i < nwords; i++)
	{
		bits->before[i] = count;
		count += (uint32_t) __builtin_popcountll(bits->bits[i]);
	}
	return count;
}

WA_VECTORISED void
wa_row_bits_find(const WaRowBits *bits, const int64_t *keys, size_t nkeys,
				 uint32_t *numbers)
{
	for (size_t i = 0; i < nkeys; i++)
	{
		const uint64_t offset = (uint64_t) keys[i] - (uint64_t) bits->smallest;
		const uint64_t below = (UINT64_C(1) << offset % 64) - 1;

		numbers[i] =
			bits->before[offset / 64] +
			(uint32_t) __builtin_popcountll(bits->bits[offset / 64] & below);
	}
}

void
wa_row_bits_fill(const WaRowBits *bits, uint64_t begin, uint64_t end,
				 int32_t *narrow)
{
	for (uint64_t word = begin; word < end; word++)
	{
		const uint64_t first = word * 64;
		const uint64_t left = bits->nbits - first;
		const uint64_t set = bits->bits[word];
		int32_t number = (int32_t) bits->before[word];

		for (uint64_t i = 0; i < 64 && i < left; i++)
		{
			const bool is_key = (set >> i & 1) != 0;

			narrow[first + i] = is_key ? number : WA_NARROW_NULL;
			number += is_key;
		}
	}
}

void
wa_row_bits_copy(const WaRowBits *bits, uint64_t begin, uint64_t end,
				 uint64_t *to)
{
	uint32_t *before = (uint32_t *) (void *) (to + wa_row_bits_words(bits));

	if (begin == end)
		return;
	memcpy(to + begin, bits->bits + begin, (end - begin) * sizeof(*to));
	memcpy(before + begin, bits->before + begin,
		   (end - begin) * sizeof(*before));
}
