/*
 * roll_up.c
 *		Rolls the groups of a query up to those that it returns; see roll_up.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "core/vector.h"
#include "scan/base/context_arena.h"
#include "scan/rows/merge.h"
#include "scan/rows/prepare.h"
#include "scan/rows/roll_up.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"

WaRollUp *
wa_roll_up_make(const WaScanStore *finer)
{
	WaScanQuery *rolled = finer->query->rolled;
	WaRollUp *roll_up = palloc0(sizeof(WaRollUp));

	roll_up->place = list_length(rolled->keys);
	roll_up->values = palloc0(sizeof(WaQueryValue) * (rolled->nkeys + 2));
	roll_up->numbers = palloc(sizeof(uint32) * WA_VECTOR_ROWS);
	wa_scan_prepare_store(rolled, finer->sources, &roll_up->store);
	return roll_up;
}

const WaQueryColumn *
wa_roll_up_pushed(const WaRollUp *roll_up, int key, int column)
{
	WaQueryColumn *pushed = palloc(sizeof(WaQueryColumn));

	*pushed = roll_up->store.query->compiled.columns[column];
	pushed->argument = key;
	return pushed->ops == 0 || pushed->kind == WA_VECTOR_INT ? pushed : NULL;
}

void
wa_roll_up_begin(WaRollUp *roll_up)
{
	wa_spill_end(&roll_up->store);
	memset(&roll_up->store.spilled, 0, sizeof(roll_up->store.spilled));
	roll_up->ngroups = 0;
	roll_up->nbatches = 0;
	wa_scan_make_groups(&roll_up->store);
}

/* Reads the keys of a group, with the value, if it has one, behind all others. */
static void
read_keys(WaRollUp *roll_up, const WaScanStore *finer, uint32 group)
{
	const int nkeys = roll_up->store.query->nkeys;

	for (int i = 0; i < nkeys + 1; i++)
		wa_query_groups_key(finer->groups->table, group, i,
							&roll_up->values[i < roll_up->place   ? i
											 : i > roll_up->place ? i - 1
																  : nkeys]);
}

/* Returns the value that was read as one of SQL, in the current context. */
static Datum
datum_read(const WaRollUp *roll_up, const WaScanStore *finer)
{
	const WaScanQuery *rolled = roll_up->store.query;

	return wa_group_datum(&finer->query->group_keys[roll_up->place],
						  &roll_up->values[rolled->nkeys]);
}

/* Returns what a group whose keys were read has of a column, as a state. */
static WaAggState *
state_of(const WaRollUp *roll_up, const WaScanStore *finer, uint32 group,
		 int number, int column)
{
	const WaAggPlan *plan = &roll_up->store.query->columns[number].plan;
	WaAggState *state = NULL;

	if (number < column && number < finer->query->ncolumns)
		return wa_accumulator_state(finer->columns[number], group);
	if (number == column &&
		!roll_up->values[roll_up->store.query->nkeys].is_null)
	{
		state = wa_state_make(CurrentMemoryContext, plan);
		wa_state_take(state, datum_read(roll_up, finer));
	}
	return state;
}

/* Spills a group whose keys were read, and which is not in memory. */
static void
spill(WaRollUp *roll_up, const WaScanStore *finer, uint32 group, int column)
{
	WaScanStore *store = &roll_up->store;
	const WaScanQuery *rolled = store->query;
	const WaPartialShape *shape = wa_scan_shape(store);
	WaWriter writer;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	wa_partial_begin(&writer, shape);
	for (int i = 0; i < rolled->nkeys; i++)
		wa_partial_put_key(&writer, &shape->keys[i], &roll_up->values[i]);
	for (int i = 0; i < rolled->ncolumns; i++)
		wa_scan_write_state(state_of(roll_up, finer, group, i, column),
							&writer);
	wa_partial_end(&writer, 1);
	wa_spill_message(store,
					 wa_partition_hash_values(rolled->nkeys, rolled->group_keys,
											  roll_up->values),
					 &writer);
}

/* Merges what a group of the others has of a column. */
static void
merge(WaAccumulator *into, uint32 number, WaAccumulator *finer, uint32 group)
{
	WaAggState *state;
	WaRecord record;

	if (wa_accumulator_record(finer, group, &record))
	{
		if (record.words[0] != 0)
			wa_accumulator_merge_record(into, number, &record);
		return;
	}
	state = wa_accumulator_state(finer, group);
	if (state != NULL)
		wa_accumulator_merge(into, number, state);
}

/* Takes one group of the others. */
static void
take_group(WaRollUp *roll_up, const WaScanStore *finer, uint32 group,
		   int column)
{
	WaScanStore *store = &roll_up->store;
	const WaQueryValue *value = &roll_up->values[store->query->nkeys];
	uint32 number = 0;

	read_keys(roll_up, finer, group);
	if (store->groups != NULL)
		wa_groups_check(wa_query_groups_find_values(store->groups->table,
													roll_up->values, &number));
	if (number == WA_NO_GROUP)
	{
		spill(roll_up, finer, group, column);
		return;
	}
	for (int i = 0; i < store->query->ncolumns; i++)
	{
		wa_accumulator_grow(store->columns[i], wa_scan_groups(store));
		if (i < finer->query->ncolumns && i < column)
			merge(store->columns[i], number, finer->columns[i], group);
	}
	if (!value->is_null)
		wa_accumulator_take_datum(store->columns[column], number,
								  datum_read(roll_up, finer));
}

void
wa_roll_up_take(WaRollUp *roll_up, const WaScanStore *finer, int column)
{
	const uint32 ngroups = wa_scan_groups(finer);
	MemoryContext each = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg rolled group", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(each);
	int unchecked = wa_spill_piece(&roll_up->store);

	for (uint32 group = 0; group < ngroups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		take_group(roll_up, finer, group, column);
		MemoryContextReset(each);
		if (--unchecked > 0)
			continue;
		wa_spill_check(&roll_up->store);
		unchecked = wa_spill_piece(&roll_up->store);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(each);
	wa_spill_check(&roll_up->store);
	roll_up->ngroups += ngroups;
	roll_up->nbatches++;
}

void
wa_roll_up_finish(WaRollUp *roll_up)
{
	wa_spill_finish(&roll_up->store, 1);
}

void
wa_roll_up_read_partition(WaRollUp *roll_up)
{
	WaScanStore *store = &roll_up->store;
	MemoryContext each = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg rolled groups", ALLOCSET_SMALL_SIZES);
	WaSpilledGroups groups;

	wa_scan_make_groups(store);
	wa_spill_open(store);
	while (wa_spill_read(store, NULL, &groups) == 0)
	{
		MemoryContext old = MemoryContextSwitchTo(each);

		wa_scan_merge_groups(store, groups.data, groups.bytes);
		MemoryContextSwitchTo(old);
		MemoryContextReset(each);
		wa_spill_check(store);
	}
	MemoryContextDelete(each);
	wa_spill_finish(store, 1);
}

void
wa_roll_up_end(WaRollUp *roll_up)
{
	wa_spill_end(&roll_up->store);
}
