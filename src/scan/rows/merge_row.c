/*
 * merge_row.c
 *		Groups that other servers have aggregated and a node's own; see merge_row.h.
 */
#include "postgres.h"

#include "executor/tuptable.h"

#include "scan/base/context_arena.h"
#include "scan/groups/pushed_states.h"
#include "scan/rows/merge_row.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"

/* Returns the states of the columns of a row, after its keys; NULL: one has no rows. */
static WaAggState **
states_of(const WaScanQuery *query, const TupleTableSlot *row)
{
	WaAggState **states = palloc(sizeof(WaAggState *) * (query->ncolumns + 1));
	int next = query->nkeys;

	for (int i = 0; i < query->ncolumns; i++)
	{
		const WaAggPlan *plan = &query->columns[i].plan;
		const int nvalues = wa_pushed_values(plan->key.ops);

		if (next + nvalues > row->tts_nvalid)
			elog(ERROR, "a row of another server has too few columns");
		states[i] = wa_pushed_state(plan, row->tts_values + next,
									row->tts_isnull + next);
		next += nvalues;
	}
	return states;
}

/* Spills the group that was looked for, which is not in memory, as a message. */
static void
spill_states(WaScanStore *store, WaAggState *const *states)
{
	const WaScanQuery *query = store->query;
	const WaPartialShape *shape = wa_scan_shape(store);
	const WaQueryValue *keys = store->groups->values;
	WaWriter writer;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	wa_partial_begin(&writer, shape);
	for (int i = 0; i < query->nkeys; i++)
		wa_partial_put_key(&writer, &shape->keys[i], &keys[i]);
	for (int i = 0; i < query->ncolumns; i++)
		wa_scan_write_state(states[i], &writer);
	wa_partial_end(&writer, 1);
	wa_spill_message(
		store, wa_partition_hash_values(query->nkeys, query->group_keys, keys),
		&writer);
}

void
wa_scan_merge_row(WaScanStore *store, TupleTableSlot *row)
{
	WaAggState **states;
	uint32 group = 0;

	slot_getallattrs(row);
	states = states_of(store->query, row);
	if (store->groups != NULL)
		group =
			wa_groups_find_row(store->groups, row->tts_values, row->tts_isnull);
	if (group == WA_NO_GROUP)
	{
		spill_states(store, states);
		return;
	}
	for (int i = 0; i < store->query->ncolumns; i++)
	{
		wa_accumulator_grow(store->columns[i], wa_scan_groups(store));
		if (states[i] != NULL)
			wa_accumulator_merge(store->columns[i], group, states[i]);
	}
}
