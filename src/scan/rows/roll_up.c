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
#include "scan/rows/ranked_values.h"
#include "scan/rows/roll_up.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"

WaRollUp *
wa_roll_up_make(const WaScanStore *finer)
{
	WaScanQuery *rolled = finer->query->rolled;
	WaRollUp *roll_up = palloc0(sizeof(WaRollUp));

	roll_up->read = palloc0(sizeof(WaQueryValue) * (rolled->nkeys + 1));
	roll_up->values = palloc0(sizeof(WaQueryValue) * (rolled->nkeys + 1));
	roll_up->numbers = palloc(sizeof(uint32) * WA_VECTOR_ROWS);
	wa_scan_prepare_store(rolled, finer->sources, &roll_up->store);
	return roll_up;
}

WaRolledGroups *
wa_roll_up_groups(WaRollUp *roll_up, const WaScanStore *finer,
				  const WaRolledValues *values, int set, PlanState *node)
{
	WaRolledGroups *rolls = palloc0(sizeof(WaRolledGroups));

	rolls->values = values;
	rolls->set = set;
	if (values != NULL && values->order != NULL)
	{
		rolls->ranked = wa_ranked_values_make(finer, values, node);
		roll_up->ranked = lappend(roll_up->ranked, rolls->ranked);
	}
	return rolls;
}

const WaQueryRolled *
wa_roll_up_pushed(const WaRollUp *roll_up, const WaRolledGroups *rolls, int key)
{
	WaQueryRolled *pushed;

	if (rolls->values == NULL)
		return NULL;
	pushed = palloc0(sizeof(WaQueryRolled));
	pushed->column =
		roll_up->store.query->compiled.columns[rolls->values->column];
	pushed->column.argument = key;
	if (rolls->ranked != NULL)
		return wa_ranked_values_push(rolls->ranked, pushed) ? pushed : NULL;
	return pushed->column.ops == 0 || pushed->column.kind == WA_VECTOR_INT
			   ? pushed
			   : NULL;
}

void
wa_roll_up_begin(WaRollUp *roll_up)
{
	ListCell *cell;

	wa_spill_end(&roll_up->store);
	memset(&roll_up->store.spilled, 0, sizeof(roll_up->store.spilled));
	roll_up->ngroups = 0;
	wa_scan_make_groups(&roll_up->store);
	foreach (cell, roll_up->ranked)
		wa_ranked_values_begin((WaRankedValues *) lfirst(cell));
}

/* Reads the keys of a group. */
static void
read_keys(WaRollUp *roll_up, const WaScanStore *finer, uint32 group)
{
	for (int i = 0; i < finer->query->nkeys; i++)
		wa_query_groups_key(finer->groups->table, group, i, &roll_up->read[i]);
}

/* Returns the number of the key of the others that is none of ours; if there is none, no key's. */
static int
skipped(const WaRollUp *roll_up)
{
	return roll_up->place < 0 ? roll_up->store.query->nkeys : roll_up->place;
}

/* Has keys be those that were read, but for the value. */
static void
keep_keys(WaRollUp *roll_up)
{
	const int nkeys = roll_up->store.query->nkeys;

	for (int i = 0; i < nkeys; i++)
		roll_up->values[i] = roll_up->read[i < skipped(roll_up) ? i : i + 1];
}

/*
 * Has keys be those that were read, of a grouping set: of groups by all keys, or by those of the
 * set.
 */
static void
keep_keys_of_set(WaRollUp *roll_up, int number)
{
	wa_rolled_query_set_keys(roll_up->store.query, number, roll_up->read,
							 roll_up->set < 0, roll_up->values);
}

/* Returns the value that was read, or NULL if there is none. */
static const WaQueryValue *
value_read(const WaRollUp *roll_up)
{
	const WaQueryValue *value;

	if (roll_up->column < 0)
		return NULL;
	value = &roll_up->read[roll_up->place];
	return value->is_null ? NULL : value;
}

/* Returns the value that was read, and that there is, as one of SQL, in the current context. */
static Datum
datum_read(const WaRollUp *roll_up, const WaScanStore *finer)
{
	return wa_group_datum(&finer->query->group_keys[roll_up->place],
						  value_read(roll_up));
}

/* Returns what a group whose keys were read has of a column, as a state. */
static WaAggState *
state_of(const WaRollUp *roll_up, const WaScanStore *finer, uint32 group,
		 int number)
{
	const WaAggPlan *plan = &roll_up->store.query->columns[number].plan;
	WaAggState *state = NULL;

	if (number < finer->query->ncolumns)
		return wa_accumulator_state(finer->columns[number], group);
	if (number == roll_up->column && value_read(roll_up) != NULL)
	{
		state = wa_state_make(CurrentMemoryContext, plan);
		wa_state_take(state, datum_read(roll_up, finer));
	}
	return state;
}

/* Spills what a group whose keys were read, and which is not in memory, has of columns. */
static void
spill(WaRollUp *roll_up, WaAggState *const *states)
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
		wa_scan_write_state(states[i], &writer);
	wa_partial_end(&writer, 1);
	wa_spill_message(store,
					 wa_partition_hash_values(rolled->nkeys, rolled->group_keys,
											  roll_up->values),
					 &writer);
}

/* Makes room in all columns for the groups there are. */
static void
grow_columns(const WaScanStore *store)
{
	for (int i = 0; i < store->query->ncolumns; i++)
		wa_accumulator_grow(store->columns[i], wa_scan_groups(store));
}

/* Returns our group of the keys that were read, or WA_NO_GROUP: others are spilled. */
static uint32
find_group(WaRollUp *roll_up)
{
	WaScanStore *store = &roll_up->store;
	uint32 number = 0;

	if (store->groups != NULL)
		wa_groups_check(wa_query_groups_find_values(store->groups->table,
													roll_up->values, &number));
	if (number != WA_NO_GROUP)
		grow_columns(store);
	return number;
}

/* Returns room for the states of all columns, without any. */
static WaAggState **
make_states(const WaRollUp *roll_up)
{
	return palloc0(sizeof(WaAggState *) * (roll_up->store.query->ncolumns + 1));
}

/* Merges a group whose keys were read with the one that has our keys, or spills it. */
static void
put_group(WaRollUp *roll_up, const WaScanStore *finer, uint32 group)
{
	WaScanStore *store = &roll_up->store;
	const uint32 number = find_group(roll_up);

	if (number == WA_NO_GROUP)
	{
		WaAggState **states = make_states(roll_up);

		for (int i = 0; i < store->query->ncolumns; i++)
			states[i] = state_of(roll_up, finer, group, i);
		spill(roll_up, states);
		return;
	}
	for (int i = 0; i < finer->query->ncolumns; i++)
		wa_accumulator_merge_theirs(store->columns[i], &number,
									finer->columns[i], &group, 1);
	if (value_read(roll_up) != NULL)
		wa_accumulator_take_datum(store->columns[roll_up->column], number,
								  datum_read(roll_up, finer));
}

/* Takes one group of the others. */
static void
take_group(WaRollUp *roll_up, const WaScanStore *finer, uint32 group)
{
	const int nsets = list_length(roll_up->store.query->sets);

	read_keys(roll_up, finer, group);
	if (nsets == 0)
	{
		keep_keys(roll_up);
		put_group(roll_up, finer, group);
	}
	for (int i = 0; i < nsets; i++)
	{
		if (roll_up->set >= 0 && roll_up->set != i)
			continue;
		keep_keys_of_set(roll_up, i);
		put_group(roll_up, finer, group);
	}
}

/* Takes the values of groups, in vectors if these hold them. */
static void
take_values(WaRollUp *roll_up, const WaScanStore *finer, const uint32 *theirs,
			int ntheirs)
{
	const WaQueryColumn *compiled =
		&roll_up->store.query->compiled.columns[roll_up->column];
	WaAccumulator *into = roll_up->store.columns[roll_up->column];
	uint64 words[WA_VECTOR_ROWS];
	uint8 valid[WA_VECTOR_ROWS];
	WaVector values = {.values = words, .valid = valid};

	if (compiled->ops == 0 || compiled->kind == WA_VECTOR_INT)
	{
		wa_query_groups_values(finer->groups->table, roll_up->place, theirs,
							   (size_t) ntheirs, &values);
		wa_accumulator_take(into, roll_up->numbers, NULL, &values,
							(size_t) ntheirs);
		return;
	}
	for (int i = 0; i < ntheirs; i++)
	{
		wa_query_groups_key(finer->groups->table, theirs[i], roll_up->place,
							&roll_up->read[roll_up->place]);
		if (value_read(roll_up) != NULL)
			wa_accumulator_take_datum(into, roll_up->numbers[i],
									  datum_read(roll_up, finer));
	}
}

/* Tells whether words of keys of another table can become ours: of texts they cannot. */
static bool
has_words(const WaScanQuery *rolled)
{
	for (int i = 0; i < rolled->nkeys; i++)
		if (rolled->group_keys[i].kind == WA_VECTOR_TEXT)
			return false;
	return true;
}

/*
 * Finds the numbers of our groups for some of the others, none of which is spilled; stores theirs, too.
 * All columns have room for ours then.
 */
static void
find_numbers(WaRollUp *roll_up, const WaScanStore *finer, uint32 first,
			 int count, uint32 *theirs)
{
	WaScanStore *store = &roll_up->store;

	for (int i = 0; i < count; i++)
		theirs[i] = first + (uint32) i;
	if (store->groups == NULL)
		memset(roll_up->numbers, 0, sizeof(uint32) * count);
	else if (has_words(store->query))
		wa_groups_check(wa_query_groups_find_coarser(
			store->groups->table, finer->groups->table, skipped(roll_up),
			theirs, (size_t) count, roll_up->numbers));
	else
		for (int i = 0; i < count; i++)
		{
			read_keys(roll_up, finer, theirs[i]);
			keep_keys(roll_up);
			wa_groups_check(wa_query_groups_find_values(
				store->groups->table, roll_up->values, &roll_up->numbers[i]));
		}
	grow_columns(store);
}

/* Takes some groups, whose keys differ by the values alone, none of which is spilled. */
static void
take_groups(WaRollUp *roll_up, const WaScanStore *finer, uint32 first,
			int count)
{
	WaScanStore *store = &roll_up->store;
	uint32 theirs[WA_VECTOR_ROWS];

	find_numbers(roll_up, finer, first, count, theirs);
	for (int i = 0; i < finer->query->ncolumns; i++)
		wa_accumulator_merge_theirs(store->columns[i], roll_up->numbers,
									finer->columns[i], theirs, (size_t) count);
	if (roll_up->column >= 0)
		take_values(roll_up, finer, theirs, count);
}

/* Has the groups of a node be those that are rolled up. */
static void
set_rolls(WaRollUp *roll_up, const WaScanStore *finer,
		  const WaRolledGroups *rolls)
{
	const WaRolledValues *values = rolls->values;

	roll_up->place = values == NULL ? -1 : wa_rolled_query_place(finer->query);
	roll_up->column =
		values == NULL || rolls->ranked != NULL ? -1 : values->column;
	roll_up->set = rolls->set;
}

/* Tells whether groups that come have a number of ours. */
static bool
have_numbers(const WaRollUp *roll_up, const WaScanStore *finer)
{
	const WaScanStore *store = &roll_up->store;

	return finer->groups != NULL && store->query->sets == NIL &&
		   !wa_spill_has_spilled(store);
}

/* Merges some groups with ours. */
static void
merge(WaRollUp *roll_up, const WaScanStore *finer, uint32 first, int count)
{
	if (have_numbers(roll_up, finer))
		take_groups(roll_up, finer, first, count);
	else
		for (int i = 0; i < count; i++)
			take_group(roll_up, finer, first + (uint32) i);
}

/* Makes the memory of what is rolled up in one go. */
static MemoryContext
make_context(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "warpagg rolled groups",
								 ALLOCSET_SMALL_SIZES);
}

/*
 * Puts what is found in the order of values that are in memory into our groups, which are there.
 * Nothing stays in the current memory context.
 */
static void
put_ranked_here(WaRollUp *roll_up, WaRankedValues *ranked)
{
	const WaRolledValues *values = ranked->values;

	wa_ranked_values_sort_here(ranked, wa_scan_groups(&roll_up->store));
	while (wa_ranked_values_next(ranked))
	{
		for (int i = 0; i < values->ncolumns; i++)
			if (!ranked->nulls[i])
				wa_accumulator_take_datum(
					roll_up->store.columns[values->column + i], ranked->number,
					ranked->results[i]);
		MemoryContextReset(CurrentMemoryContext);
	}
	wa_spill_check(&roll_up->store);
}

/* Takes the values of some groups that are brought into order, here if they can be. */
static void
take_ranked(WaRollUp *roll_up, const WaScanStore *finer,
			const WaRolledGroups *rolls, bool are_here, uint32 first, int count)
{
	uint32 theirs[WA_VECTOR_ROWS];

	if (!are_here)
		wa_ranked_values_take(rolls->ranked, first, count);
	else if (have_numbers(roll_up, finer))
	{
		find_numbers(roll_up, finer, first, count, theirs);
		wa_ranked_values_put(rolls->ranked, first, count, roll_up->numbers);
	}
}

void
wa_roll_up_take(WaRollUp *roll_up, const WaScanStore *finer,
				const WaRolledGroups *rolls)
{
	WaScanStore *store = &roll_up->store;
	const uint32 ngroups = wa_scan_groups(finer);
	const bool are_here =
		rolls->ranked != NULL && have_numbers(roll_up, finer) &&
		!wa_spill_has_spilled(finer) && !wa_spill_is_left(finer) &&
		wa_ranked_values_begin_here(rolls->ranked);
	MemoryContext each = make_context();
	MemoryContext old = MemoryContextSwitchTo(each);
	int count;

	set_rolls(roll_up, finer, rolls);
	for (uint32 first = 0; first < ngroups; first += (uint32) count)
	{
		CHECK_FOR_INTERRUPTS();
		count = (int) Min(ngroups - first, (uint32) wa_spill_piece(store));
		if (rolls->ranked != NULL)
			take_ranked(roll_up, finer, rolls, are_here, first, count);
		/* Of values with an order other nodes have nothing else. */
		if (rolls->ranked == NULL || finer->query->rolled != NULL)
			merge(roll_up, finer, first, count);
		MemoryContextReset(each);
		wa_spill_check(store);
	}
	if (are_here && wa_spill_has_spilled(store))
		wa_ranked_values_take(rolls->ranked, 0, (int) ngroups);
	else if (are_here)
		put_ranked_here(roll_up, rolls->ranked);
	if (are_here)
		wa_ranked_values_end_here(rolls->ranked);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(each);
	roll_up->ngroups += ngroups;
}

/* Returns what was found in the order of values as the state of a column. */
static WaAggState *
state_of_rank(const WaRollUp *roll_up, const WaRankedValues *ranked, int number)
{
	const int column = ranked->values->column + number;
	WaAggState *state = wa_state_make(
		CurrentMemoryContext, &roll_up->store.query->columns[column].plan);

	wa_state_take(state, ranked->results[number]);
	return state;
}

/* Reads the keys of a group whose values have been looked at. */
static void
read_ranked_keys(WaRollUp *roll_up, const WaRankedValues *ranked)
{
	const WaScanQuery *finer = ranked->finer->query;

	for (int i = 0; i < finer->nkeys; i++)
	{
		WaQueryValue *value = &roll_up->read[i];
		Datum datum;
		bool is_null;

		if (i == roll_up->place)
			continue;
		datum = wa_ranked_values_key(ranked, i, &is_null);
		memset(value, 0, sizeof(*value));
		value->is_null = is_null;
		if (!is_null)
			wa_group_value(&finer->group_keys[i], datum, value);
	}
}

/* Puts what was found in the order of a group's values into our group, or spills it. */
static void
put_ranked(WaRollUp *roll_up, const WaRankedValues *ranked)
{
	const WaRolledValues *values = ranked->values;
	WaAggState **states;
	uint32 number;

	read_ranked_keys(roll_up, ranked);
	if (roll_up->set < 0)
		keep_keys(roll_up);
	else
		keep_keys_of_set(roll_up, roll_up->set);
	number = find_group(roll_up);
	states = make_states(roll_up);
	for (int i = 0; i < values->ncolumns; i++)
		if (!ranked->nulls[i] && number == WA_NO_GROUP)
			states[values->column + i] = state_of_rank(roll_up, ranked, i);
		else if (!ranked->nulls[i])
			wa_accumulator_take_datum(
				roll_up->store.columns[values->column + i], number,
				ranked->results[i]);
	if (number == WA_NO_GROUP)
		spill(roll_up, states);
}

void
wa_roll_up_take_ranked(WaRollUp *roll_up, const WaRolledGroups *rolls)
{
	WaRankedValues *ranked = rolls->ranked;
	MemoryContext each;
	MemoryContext old;

	if (ranked == NULL)
		return;
	set_rolls(roll_up, ranked->finer, rolls);
	each = make_context();
	old = MemoryContextSwitchTo(each);
	while (wa_ranked_values_next(ranked))
	{
		put_ranked(roll_up, ranked);
		MemoryContextReset(each);
		wa_spill_check(&roll_up->store);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(each);
	wa_ranked_values_end(ranked);
}

/* Makes the groups of sets without keys, which are there if no rows are. */
static void
make_groups_without_keys(WaRollUp *roll_up)
{
	WaScanStore *store = &roll_up->store;
	ListCell *cell;
	uint32 number;

	foreach (cell, store->query->sets)
	{
		if (linitial((const List *) lfirst(cell)) != NIL)
			continue;
		keep_keys_of_set(roll_up, foreach_current_index(cell));
		wa_groups_check(wa_query_groups_find_values(store->groups->table,
													roll_up->values, &number));
		grow_columns(store);
	}
}

void
wa_roll_up_finish(WaRollUp *roll_up)
{
	ListCell *cell;

	if (roll_up->ngroups == 0)
		make_groups_without_keys(roll_up);
	if (wa_scan_groups(&roll_up->store) > 0)
		foreach (cell, roll_up->ranked)
			wa_ranked_values_check((const WaRankedValues *) lfirst(cell));
	wa_spill_finish(&roll_up->store, 1);
}

void
wa_roll_up_read_partition(WaRollUp *roll_up)
{
	WaScanStore *store = &roll_up->store;
	MemoryContext each = make_context();
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
	ListCell *cell;

	wa_spill_end(&roll_up->store);
	foreach (cell, roll_up->ranked)
		wa_ranked_values_end((WaRankedValues *) lfirst(cell));
}
