/*
 * groups.c
 *		The groups of a query; see groups.h.
 *
 * Keys become words (group_key.c), and words numbers (group_table.c).  Rows
 * without a group yet are looked at one by one, in their order.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/group_key.h"
#include "scan/group_table.h"
#include "scan/groups.h"

struct WaGroups
{
	MemoryContext context;
	int nkeys;
	WaKeyCodec *codecs;
	WaKeyRows *rows; /* of a vector, for each key */
	uint32 **shown;  /* how each key of each group is shown, or NULL */
	uint32 capacity; /* groups that there is room for in those */
	uint64 *words;   /* of a row, with its masks */
	uint32 *row_shown;
	uint16 missing[WA_VECTOR_ROWS];
	WaGroupTable table;
};

WaGroups *
wa_groups_make(MemoryContext parent, int nkeys, const WaGroupKey *keys)
{
	MemoryContext context =
		AllocSetContextCreate(parent, "warpagg groups", ALLOCSET_DEFAULT_SIZES);
	WaGroups *groups = MemoryContextAllocZero(context, sizeof(WaGroups));

	groups->context = context;
	groups->nkeys = nkeys;
	wa_group_table_init(&groups->table, context, nkeys);
	groups->capacity = groups->table.capacity;
	groups->codecs = MemoryContextAlloc(context, nkeys * sizeof(WaKeyCodec));
	groups->rows = MemoryContextAlloc(context, nkeys * sizeof(WaKeyRows));
	groups->shown = MemoryContextAllocZero(context, nkeys * sizeof(uint32 *));
	groups->row_shown = MemoryContextAlloc(context, nkeys * sizeof(uint32));
	groups->words = MemoryContextAlloc(context, (nkeys + groups->table.nmasks) *
													sizeof(uint64));
	for (int key = 0; key < nkeys; key++)
	{
		wa_key_init(&groups->codecs[key], context, &keys[key]);
		if (groups->codecs[key].has_shown)
			groups->shown[key] =
				MemoryContextAlloc(context, groups->capacity * sizeof(uint32));
	}
	return groups;
}

/* Makes room for how the keys of as many groups are shown as the table has. */
static void
grow_shown(WaGroups *groups)
{
	if (groups->capacity == groups->table.capacity)
		return;
	groups->capacity = groups->table.capacity;
	for (int key = 0; key < groups->nkeys; key++)
		if (groups->shown[key] != NULL)
			groups->shown[key] = repalloc_huge(
				groups->shown[key], (Size) groups->capacity * sizeof(uint32));
}

/* Returns the group of the row in groups->words and row_shown. */
static uint32
find_row(WaGroups *groups)
{
	uint32 before = groups->table.ngroups;
	uint32 group = wa_group_table_find(&groups->table, groups->words);

	if (groups->table.ngroups == before)
		return group;
	grow_shown(groups);
	for (int key = 0; key < groups->nkeys; key++)
		if (groups->shown[key] != NULL)
			groups->shown[key][group] = groups->row_shown[key];
	return group;
}

/* Empties groups->words and row_shown: no key is NULL. */
static void
clear_row(WaGroups *groups)
{
	memset(groups->words + groups->nkeys, 0,
		   groups->table.nmasks * sizeof(uint64));
}

/* Makes a key of the row NULL. */
static void
set_null(WaGroups *groups, int key)
{
	groups->words[key] = 0;
	groups->words[groups->nkeys + key / 64] |= (uint64) 1 << (key % 64);
	groups->row_shown[key] = 0;
}

/* Returns the group of a row of vectors, whose words are in groups->rows. */
static uint32
find_vector_row(WaGroups *groups, WaVector *const *keys, size_t row)
{
	clear_row(groups);
	for (int key = 0; key < groups->nkeys; key++)
	{
		if (!wa_vector_is_valid(keys[key], row))
		{
			set_null(groups, key);
			continue;
		}
		groups->words[key] = groups->rows[key].words[row];
		if (groups->shown[key] != NULL)
			groups->row_shown[key] =
				wa_key_shown(&groups->codecs[key], keys[key], row);
	}
	return find_row(groups);
}

void
wa_groups_find(WaGroups *groups, WaVector *const *keys, size_t nrows,
			   uint32 *numbers)
{
	size_t nmissing;

	for (int key = 0; key < groups->nkeys; key++)
	{
		groups->rows[key].words =
			wa_key_words(&groups->codecs[key], keys[key], nrows);
		groups->rows[key].valid =
			keys[key]->has_nulls ? keys[key]->valid : NULL;
	}
	nmissing = wa_group_table_find_rows(&groups->table, groups->rows, nrows,
										numbers, groups->missing);
	for (size_t i = 0; i < nmissing; i++)
		numbers[groups->missing[i]] =
			find_vector_row(groups, keys, groups->missing[i]);
}

uint32
wa_groups_find_row(WaGroups *groups, const Datum *keys, const bool *nulls)
{
	clear_row(groups);
	for (int key = 0; key < groups->nkeys; key++)
	{
		if (nulls[key])
			set_null(groups, key);
		else
			groups->words[key] = wa_key_of_datum(
				&groups->codecs[key], keys[key], &groups->row_shown[key]);
	}
	return find_row(groups);
}

uint32
wa_groups_count(const WaGroups *groups)
{
	return groups->table.ngroups;
}

Datum
wa_groups_key(const WaGroups *groups, uint32 group, int key, bool *is_null)
{
	uint64 word = wa_group_table_word(&groups->table, group, key, is_null);
	const uint32 *shown = groups->shown[key];

	if (*is_null)
		return (Datum) 0;
	return wa_key_datum(&groups->codecs[key], word,
						shown != NULL ? shown[group] : 0);
}

Size
wa_groups_bytes(const WaGroups *groups)
{
	return MemoryContextMemAllocated(groups->context, true);
}
