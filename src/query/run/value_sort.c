/*
 * value_sort.c
 *		Sorting entries of lists of values; see value_sort.h.
 *
 * By the first bits in which any two of them differ, so many that buckets have a few entries
 * each if these are spread, then each bucket likewise; a few by insertion (D. E. Knuth, The Art
 * of Computer Programming, vol. 3, sections 5.2.1 and 5.2.5).
 */
#include <string.h>

#include "query/run/value_sort.h"

/* Bits of a digit, at most. */
#define DIGIT_BITS 10
#define MAX_DIGITS (1 << DIGIT_BITS)

/* Entries of a bucket if they are spread: 2 to this, */
#define BUCKET_BITS 3

/* and so many are sorted by insertion. */
#define FEW 24

/* Where the digit is that entries are sorted by. */
typedef struct Digit
{
	bool of_group; /* else of the word */
	int shift;
	uint32_t mask;
} Digit;

/* Sorts a few entries. */
static void
sort_few(WaValueEntry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		const WaValueEntry entry = entries[i];
		const WaValueKey key = wa_value_key(&entry);
		size_t place = i;

		while (place > 0 && wa_value_key(&entries[place - 1]) > key)
		{
			entries[place] = entries[place - 1];
			place--;
		}
		entries[place] = entry;
	}
}

/* Finds the digit that so many entries are to be sorted by; returns false if all are the same. */
static bool
find_digit(const WaValueEntry *entries, size_t count, Digit *digit)
{
	const int wanted = 63 - __builtin_clzll(count) - BUCKET_BITS;
	const int bits = wanted < DIGIT_BITS ? wanted : DIGIT_BITS;
	uint32_t groups = 0;
	uint64_t words = 0;
	int top;

	for (size_t i = 1; i < count; i++)
	{
		groups |= entries[i].group ^ entries[0].group;
		words |= entries[i].word ^ entries[0].word;
	}
	if (groups == 0 && words == 0)
		return false;
	top = 63 - __builtin_clzll(groups != 0 ? groups : words);
	*digit = (Digit){.of_group = groups != 0,
					 .shift = top < bits ? 0 : top - bits + 1,
					 .mask = (UINT32_C(1) << bits) - 1};
	return true;
}

/* Returns an entry's digit. */
static inline uint32_t
digit_of(const WaValueEntry *entry, Digit digit)
{
	return (uint32_t) ((digit.of_group ? entry->group : entry->word) >>
					   digit.shift) &
		   digit.mask;
}

void
wa_value_sort(WaValueEntry *entries, size_t count, WaValueEntry *others)
{
	uint32_t ends[MAX_DIGITS];
	uint32_t begin = 0;
	Digit digit;

	if (count <= FEW)
	{
		sort_few(entries, count);
		return;
	}
	if (!find_digit(entries, count, &digit))
		return;
	memset(ends, 0, (digit.mask + (size_t) 1) * sizeof(*ends));
	for (size_t i = 0; i < count; i++)
		ends[digit_of(&entries[i], digit)]++;
	for (uint32_t i = 0; i <= digit.mask; i++)
	{
		const uint32_t with_digit = ends[i];

		ends[i] = begin;
		begin += with_digit;
	}
	for (size_t i = 0; i < count; i++)
		others[ends[digit_of(&entries[i], digit)]++] = entries[i];
	memcpy(entries, others, count * sizeof(*entries));
	begin = 0;
	for (uint32_t i = 0; i <= digit.mask; begin = ends[i++])
		if (ends[i] - begin > 1)
			wa_value_sort(entries + begin, ends[i] - begin, others + begin);
}
