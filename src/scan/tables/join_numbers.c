/*
 * join_numbers.c
 *		Keys of several columns as one integer; see join_numbers.h.
 */
#include "postgres.h"

#include "utils/palloc.h"

#include "scan/tables/join_numbers.h"

int64
wa_join_numbers_make(Oid type, WaRowKey *keys, int64 nkeys, int64 *numbers)
{
	WaKeyRows rows;
	int64 count = 0;

	wa_key_rows_make(&rows, CurrentMemoryContext, type, keys, nkeys, false);
	for (int64 i = 0; i < nkeys; i++)
	{
		const int64 first = wa_key_rows_find(&rows, &keys[i]);

		numbers[i] = first < i ? numbers[first] : count++;
	}
	/* Keys that were found before are not looked at any more. */
	for (int64 i = 0, next = 0; i < nkeys; i++)
		if (numbers[i] == next)
			keys[next++] = keys[i];
	return count;
}

void
wa_join_numbers_pair(const int64 *first, const int64 *second, int64 count,
					 int64 npairs, WaRowKey *keys)
{
	for (int64 i = 0; i < npairs; i++)
		keys[i] = (WaRowKey){.integer = first[i] * count + second[i]};
}
