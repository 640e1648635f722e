/*
 * merge.c
 *		Groups of other processes and a node's own; see merge.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "scan/base/context_arena.h"
#include "scan/rows/merge.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"
#include "scan/state/rolled_query.h"
#include "state/wire.h"

/* Room for the groups of an answer is made at once if it takes this part of the memory. */
#define EXPECTED_PART 32

/* Returns the state that a record of ranks of texts, which is sound, stands for. */
static WaAggState *
state_of_ranks(const WaScanColumn *column, const WaRecord *record,
			   const WaLookupTable *table)
{
	const WaAggPlan *plan = &column->plan;
	const WaRecordLayout layout =
		wa_record_layout(WA_VECTOR_INT, plan->key.ops);
	WaAggState *state = wa_state_make(CurrentMemoryContext, plan);
	const WaOp ops[] = {WA_OP_MIN, WA_OP_MAX};
	const size_t places[] = {layout.min, layout.max};

	for (int i = 0; i < lengthof(ops); i++)
		if (wa_ops_have(plan->key.ops, ops[i]))
		{
			const WaText *text = &table->texts[record->words[places[i]]];

			wa_state_take(state, PointerGetDatum(cstring_to_text_with_len(
									 text->data, (int) text->length)));
		}
	state->rows = (int64) record->words[0];
	return state;
}

/* Merges what a message has of a group and a column. */
static void
merge_cell(const WaScanColumn *column, WaAccumulator *into, uint32 group,
		   const WaPartialCell *cell, const WaLookupTable *table)
{
	StringInfoData bytes = {.data = unconstify(char *, cell->bytes.data),
							.len = (int) cell->bytes.length,
							.maxlen = (int) cell->bytes.length};

	if (cell->record.words != NULL && table != NULL)
		wa_accumulator_merge(into, group,
							 state_of_ranks(column, &cell->record, table));
	else if (cell->record.words != NULL)
		wa_accumulator_merge_record(into, group, &cell->record);
	else if (cell->bytes.length != 0)
		wa_accumulator_merge(into, group,
							 wa_wire_get_state(&bytes, &column->plan));
}

/* Appends what was read of a group and a column to a message; as merge_cell. */
static void
write_cell(const WaScanColumn *column, const WaPartialColumn *shape,
		   const WaPartialCell *cell, const WaLookupTable *table,
		   WaWriter *writer)
{
	if (cell->record.words == NULL)
		wa_partial_put_bytes(writer, cell->bytes.data, cell->bytes.length);
	else if (table == NULL)
		wa_partial_put_record(writer, shape, &cell->record);
	else
		wa_scan_write_state(state_of_ranks(column, &cell->record, table),
							writer);
}

/* Puts texts in the place of the ranks that keys have. */
static void
show_ranks(int nkeys, const WaLookupTable *const *of_keys, WaQueryValue *keys)
{
	for (int i = 0; i < nkeys; i++)
		if (of_keys[i] != NULL && !keys[i].is_null)
			keys[i] =
				(WaQueryValue){.text = of_keys[i]->texts[keys[i].integer]};
}

/* Returns the keys that the group that was read has in a store, in the current context. */
static const WaQueryValue *
keys_in_store(const WaScanStore *store, const WaPartialReader *reader,
			  const WaRanks *ranks)
{
	const int nkeys = store->query->nkeys;
	WaQueryValue *keys;

	if (ranks == NULL || (!ranks->of_set && ranks->of_keys == NULL))
		return reader->keys;
	keys = palloc(sizeof(WaQueryValue) * nkeys);
	if (ranks->of_set)
		wa_rolled_query_set_keys(store->query, ranks->set, reader->keys, false,
								 keys);
	else
	{
		memcpy(keys, reader->keys, sizeof(WaQueryValue) * nkeys);
		show_ranks(nkeys, ranks->of_keys, keys);
	}
	return keys;
}

/*
 * Appends the group that was read to a message, with states for ranks, and nothing of columns
 * that the answer does not have.
 */
static void
write_group_of_answer(const WaScanStore *store, const WaPartialShape *shape,
					  const WaPartialReader *reader, const WaQueryValue *keys,
					  const WaRanks *ranks, WaWriter *writer)
{
	for (int i = 0; i < shape->nkeys; i++)
		wa_partial_put_key(writer, &shape->keys[i], &keys[i]);
	for (int i = 0; i < shape->ncolumns; i++)
	{
		const int number = i - ranks->first;

		if (number < 0 || number >= ranks->ncolumns)
			wa_partial_put_bytes(writer, NULL, 0);
		else
			write_cell(&store->query->columns[i], &shape->columns[i],
					   &reader->cells[number], ranks->of[number], writer);
	}
}

/* Tells whether an answer is a message of a store as it is. */
static bool
is_of_store(const WaScanStore *store, const WaRanks *ranks)
{
	return ranks == NULL ||
		   (ranks->count == 0 && !ranks->of_set && ranks->of_keys == NULL &&
			ranks->ncolumns == store->query->ncolumns);
}

/*
 * Spills the group that was read, which is written from `words` on, by its keys in the store, as
 * a message with the scales of the one that it was in.
 */
static void
spill_group(WaScanStore *store, const WaPartialReader *reader,
			const uint64 *words, const WaQueryValue *keys, const WaRanks *ranks)
{
	const int first = ranks == NULL ? 0 : ranks->first;
	const int nread = reader->shape->ncolumns;
	WaPartialColumn *columns =
		palloc(sizeof(WaPartialColumn) * (store->query->ncolumns + 1));
	WaPartialShape shape = *reader->shape;
	WaWriter writer;
	WaArena arena;

	shape.nkeys = store->query->nkeys;
	shape.keys = store->query->compiled.keys;
	shape.ncolumns = store->query->ncolumns;
	for (int i = 0; i < shape.ncolumns; i++)
	{
		const int number = i - first;

		columns[i].kind = store->query->compiled.columns[i].kind;
		columns[i].ops = store->query->compiled.columns[i].ops;
		columns[i].scale =
			number >= 0 && number < nread ? reader->scales[number] : 0;
	}
	shape.columns = columns;
	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	wa_partial_begin(&writer, &shape);
	if (is_of_store(store, ranks))
		wa_writer_words(&writer, words,
						(size_t) (reader->reader.words - words));
	else
		write_group_of_answer(store, &shape, reader, keys, ranks, &writer);
	wa_partial_end(&writer, 1);
	wa_spill_message(store,
					 wa_partition_hash_values(store->query->nkeys,
											  store->query->group_keys, keys),
					 &writer);
}

/* Merges a group that was read; ranks: of warpaggd's, else NULL. */
static void
merge_group(WaScanStore *store, uint32 group, const WaPartialReader *reader,
			const WaRanks *ranks)
{
	const int first = ranks == NULL ? 0 : ranks->first;

	for (int i = 0; i < store->query->ncolumns; i++)
		wa_accumulator_grow(store->columns[i], wa_scan_groups(store));
	for (int i = 0; i < reader->shape->ncolumns; i++)
		merge_cell(&store->query->columns[first + i], store->columns[first + i],
				   group, &reader->cells[i],
				   ranks == NULL ? NULL : ranks->of[i]);
}

/*
 * Sees to it that the groups of an answer, of which so many words of `bytes` are merged,
 * have no more memory than they may.
 */
static void
check_memory(WaScanStore *store, size_t nwords, Size bytes)
{
	store->answered = (double) (nwords * sizeof(uint64)) / (double) bytes;
	wa_spill_check(store);
	store->answered = 0;
}

/*
 * Begins to read a message, with memory of the current context.  Returns false if it is
 * none of the shape.
 */
static WA_MUST_CHECK bool
try_message(WaPartialReader *reader, WaArena *arena,
			const WaPartialShape *shape, const void *message, Size bytes)
{
	wa_context_arena_init(arena, CurrentMemoryContext);
	return wa_partial_reader_init(reader, arena, shape) &&
		   wa_partial_open(reader, message, bytes);
}

/* Begins to read a message that is one of the shape. */
static void
open_message(WaPartialReader *reader, WaArena *arena,
			 const WaPartialShape *shape, const void *message, Size bytes)
{
	if (!try_message(reader, arena, shape, message, bytes))
		elog(ERROR, "unexpected groups of another process");
}

/* Merges the next group of a message, or spills it; returns false if there is none. */
static bool
take_group(WaScanStore *store, WaPartialReader *reader, const WaRanks *ranks)
{
	const uint64 *words = reader->reader.words;
	const WaQueryValue *keys;
	uint32 group = 0;

	if (!wa_partial_next(reader))
	{
		if (reader->reader.failed)
			elog(ERROR, "unexpected groups of another process");
		return false;
	}
	keys = keys_in_store(store, reader, ranks);
	if (store->groups != NULL)
		wa_groups_check(
			wa_query_groups_find_values(store->groups->table, keys, &group));
	if (group != WA_NO_GROUP)
		merge_group(store, group, reader, ranks);
	else
		spill_group(store, reader, words, keys, ranks);
	return true;
}

void
wa_scan_merge_groups(WaScanStore *store, const void *message, Size bytes)
{
	WaPartialReader reader;
	WaArena arena;

	open_message(&reader, &arena, wa_scan_shape(store), message, bytes);
	while (take_group(store, &reader, NULL))
		;
}

/* Has a shape have the keys of a grouping set alone. */
static void
choose_keys(const WaScanStore *store, int set, WaPartialShape *shape)
{
	const List *members = (const List *) linitial(
		(const List *) list_nth(store->query->sets, set));
	WaQueryKey *keys =
		palloc(sizeof(WaQueryKey) * (list_length(members) + (Size) 1));
	ListCell *cell;

	shape->nkeys = list_length(members);
	foreach (cell, members)
		keys[foreach_current_index(cell)] = shape->keys[lfirst_int(cell)];
	shape->keys = keys;
}

/* Has keys of a shape that have ranks be numbers. */
static void
rank_keys(const WaLookupTable *const *of_keys, WaPartialShape *shape)
{
	const Size bytes = sizeof(WaQueryKey) * (shape->nkeys + (Size) 1);
	WaQueryKey *keys = palloc(bytes);

	memcpy(keys, shape->keys, sizeof(WaQueryKey) * shape->nkeys);
	for (int i = 0; i < shape->nkeys; i++)
		if (of_keys[i] != NULL)
			keys[i].kind = WA_VECTOR_INT;
	shape->keys = keys;
}

/* Returns the shape of an answer, perhaps with ranks of texts. */
static WaPartialShape *
shape_of_answer(const WaScanStore *store, const WaRanks *ranks)
{
	WaPartialShape *shape = wa_scan_shape(store);
	WaPartialColumn *columns =
		palloc(sizeof(WaPartialColumn) * (ranks->ncolumns + 1));

	for (int i = 0; i < ranks->ncolumns; i++)
	{
		columns[i] = shape->columns[ranks->first + i];
		if (ranks->of[i] != NULL)
			columns[i].kind = WA_VECTOR_INT;
	}
	shape->ncolumns = ranks->ncolumns;
	shape->columns = columns;
	if (ranks->of_set)
		choose_keys(store, ranks->set, shape);
	if (ranks->of_keys != NULL)
		rank_keys(ranks->of_keys, shape);
	return shape;
}

/* Tells whether the cell of a column may be one of warpaggd's. */
static bool
cell_is_sound(const WaScanColumn *column, const WaPartialCell *cell,
			  const WaLookupTable *table)
{
	const WaRecordLayout layout =
		wa_record_layout(WA_VECTOR_INT, column->plan.key.ops);
	const WaOp ops[] = {WA_OP_MIN, WA_OP_MAX};
	const size_t places[] = {layout.min, layout.max};

	if (cell->record.words == NULL)
		return cell->bytes.length == 0; /* a state would be one of our own */
	for (int i = 0; table != NULL && i < lengthof(ops); i++)
		if (wa_ops_have(column->plan.key.ops, ops[i]) &&
			cell->record.words[places[i]] >= table->ntexts)
			return false;
	return true;
}

/* Tells whether keys may be those of warpaggd that are ranks, if some are. */
static bool
keys_are_sound(int nkeys, const WaQueryValue *keys,
			   const WaLookupTable *const *of_keys)
{
	for (int i = 0; i < nkeys && of_keys != NULL; i++)
		if (of_keys[i] != NULL && !keys[i].is_null &&
			(uint64) keys[i].integer >= of_keys[i]->ntexts)
			return false;
	return true;
}

bool
wa_scan_answer_is_sound(const WaScanStore *store, const void *message,
						Size bytes, const WaRanks *ranks)
{
	WaPartialReader reader;
	WaArena arena;

	if (!try_message(&reader, &arena, shape_of_answer(store, ranks), message,
					 bytes))
		return false;
	while (wa_partial_next(&reader))
	{
		CHECK_FOR_INTERRUPTS();
		if (!keys_are_sound(reader.shape->nkeys, reader.keys, ranks->of_keys))
			return false;
		for (int i = 0; i < ranks->ncolumns; i++)
			if (!cell_is_sound(&store->query->columns[ranks->first + i],
							   &reader.cells[i], ranks->of[i]))
				return false;
	}
	return !reader.reader.failed;
}

/*
 * Makes room for the groups of an answer of so many bytes, unless there may be too many.
 * Those that have been made may well be among them.
 */
static void
expect_groups(WaScanStore *store, uint32 ngroups, Size bytes)
{
	if (store->groups == NULL || wa_spill_has_spilled(store) ||
		bytes > get_hash_memory_limit() / EXPECTED_PART)
		return;
	wa_groups_check(wa_query_groups_expect(store->groups->table, ngroups));
	for (int i = 0; i < store->query->ncolumns; i++)
		wa_accumulator_expect(store->columns[i], ngroups);
}

void
wa_scan_merge_answer(WaScanStore *store, const void *message, Size bytes,
					 const WaRanks *ranks, bool may_spill)
{
	MemoryContext each = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg merged group", ALLOCSET_SMALL_SIZES);
	WaPartialReader reader;
	WaArena arena;
	int unchecked;
	bool more;

	open_message(&reader, &arena, shape_of_answer(store, ranks), message,
				 bytes);
	expect_groups(store, reader.ngroups, bytes);
	unchecked = may_spill ? wa_spill_piece(store) : 0;
	do
	{
		MemoryContext old = MemoryContextSwitchTo(each);

		more = take_group(store, &reader, ranks);
		MemoryContextSwitchTo(old);
		MemoryContextReset(each);
		if (may_spill && more && --unchecked <= 0)
		{
			check_memory(store, reader.reader.words - (const uint64 *) message,
						 bytes);
			unchecked = wa_spill_piece(store);
		}
	} while (more);
	MemoryContextDelete(each);
}
