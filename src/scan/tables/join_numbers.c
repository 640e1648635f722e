/*
 * join_numbers.c
 *		Keys of several columns as one integer; see join_numbers.h.
 */
#include "postgres.h"

#include "utils/palloc.h"

#include "scan/tables/join_numbers.h"

/* Tells whether two keys are the same. */
static bool
are_equal(const WaRowKey *a, const WaRowKey *b)
{
	return a->integer == b->integer && a->text.length == b->text.length &&
		   (a->text.length == 0 ||
			memcmp(a->text.data, b->text.data, a->text.length) == 0);
}

int64
wa_join_numbers_make(WaRowKey *keys, int64 nkeys, int64 *numbers)
{
	const int64 *order = wa_row_keys_order(keys, nkeys);
	WaRowKey *different =
		palloc_extended((Size) nkeys * sizeof(WaRowKey) + 1, MCXT_ALLOC_HUGE);
	int64 count = 0;

	for (int64 i = 0; i < nkeys; i++)
	{
		const int64 place = order == NULL ? i : order[i];

		if (count == 0 || !are_equal(&different[count - 1], &keys[place]))
			different[count++] = keys[place];
		numbers[place] = count - 1;
	}
	if (count > 0)
		memcpy(keys, different, (Size) count * sizeof(WaRowKey));
	pfree(different);
	return count;
}

void
wa_join_numbers_pair(const int64 *first, const int64 *second, int64 count,
					 int64 npairs, WaRowKey *keys)
{
	for (int64 i = 0; i < npairs; i++)
		keys[i] = (WaRowKey){.integer = first[i] * count + second[i]};
}
