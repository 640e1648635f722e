/*
 * group_store.c
 *		The groups that a node has in memory; see group_store.h.
 */
#include "postgres.h"

#include "scan/spill/group_store.h"
#include "scan/spill/spill_pace.h"

uint32
wa_scan_groups(const WaScanStore *store)
{
	return store->groups == NULL ? 1
								 : wa_query_groups_count(store->groups->table);
}

void
wa_scan_make_groups(WaScanStore *store)
{
	const WaScanQuery *query = store->query;

	MemoryContextReset(store->context);
	store->times_made++;
	store->groups = NULL;
	if (query->nkeys > 0)
		store->groups =
			wa_groups_make(store->context, query->nkeys, query->group_keys);
	for (int i = 0; i < query->ncolumns; i++)
	{
		store->columns[i] =
			wa_accumulator_make(store->context, &query->columns[i].plan,
								query->compiled.columns[i].kind);
		wa_accumulator_grow(store->columns[i], wa_scan_groups(store));
	}
	for (int i = 0; i < query->ntransitions; i++)
	{
		wa_transitions_clear(store->transitions[i]);
		wa_transitions_grow(store->transitions[i], wa_scan_groups(store));
	}
	if (store->groups != NULL)
		wa_spill_pace_begin(store);
}

void
wa_scan_end_groups(WaScanStore *store)
{
	/* What is only explained has not been prepared. */
	for (int i = 0;
		 store->transitions != NULL && i < store->query->ntransitions; i++)
		wa_transitions_end(store->transitions[i]);
}
