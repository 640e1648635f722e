/*
 * join_numbers.c
 *		Keys of several columns as one integer; see join_numbers.h.
 */
#include "postgres.h"

#include "utils/palloc.h"

#include "scan/tables/join_numbers.h"

int64
wa_join_numbers_make(const WaRowKeys *keys, int64 nkeys, int64 *numbers)
{
	const int64 *order = wa_row_keys_order(keys, nkeys);
	const Size bytes = wa_row_key_bytes(keys);
	WaRowKeys different = {.are_texts = keys->are_texts};
	WaRowKey last = {0};
	int64 count = 0;

	different.integers =
		palloc_extended((Size) nkeys * bytes + 1, MCXT_ALLOC_HUGE);
	for (int64 i = 0; i < nkeys; i++)
	{
		const int64 place = order == NULL ? i : order[i];
		const WaRowKey key = wa_row_key_at(keys, place);

		if (count == 0 || wa_row_key_compare(&last, &key) != 0)
			wa_row_key_set(&different, count++, &key);
		last = key;
		numbers[place] = count - 1;
	}
	if (count > 0)
		memcpy(keys->integers, different.integers, (Size) count * bytes);
	pfree(different.integers);
	return count;
}

void
wa_join_numbers_pair(const int64 *first, const int64 *second, int64 count,
					 int64 npairs, int64 *keys)
{
	for (int64 i = 0; i < npairs; i++)
		keys[i] = first[i] * count + second[i];
}
