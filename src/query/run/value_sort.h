/*
 * value_sort.h
 *		Sorting entries of lists of values (value_list.h) by group, then by value.
 */
#ifndef WA_QUERY_VALUE_SORT_H
#define WA_QUERY_VALUE_SORT_H

#include "query/run/value_list.h"

/* What entries are sorted by. */
__extension__ typedef unsigned __int128 WaValueKey;

static inline WaValueKey
wa_value_key(const WaValueEntry *entry)
{
	return (WaValueKey) entry->group << 64 | entry->word;
}

/* Sorts entries, fewer than 2^32.  others: memory for as many. */
extern void wa_value_sort(WaValueEntry *entries, size_t count,
						  WaValueEntry *others);

#endif /* WA_QUERY_VALUE_SORT_H */
