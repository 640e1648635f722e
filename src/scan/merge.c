/*
 * merge.c
 *		Groups of other processes and a node's own; see merge.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "scan/context_arena.h"
#include "scan/merge.h"
#include "state/wire.h"

WaPartialShape *
wa_scan_shape(const WaScanState *state)
{
	WaPartialShape *shape = palloc(sizeof(WaPartialShape));
	WaQueryKey *keys = palloc(sizeof(WaQueryKey) * (state->nkeys + 1));
	WaPartialColumn *columns =
		palloc(sizeof(WaPartialColumn) * (state->ncolumns + 1));

	for (int i = 0; i < state->nkeys; i++)
		keys[i] = wa_group_key_query(&state->group_keys[i]);
	for (int i = 0; i < state->ncolumns; i++)
	{
		const WaScanColumn *column = &state->columns[i];

		columns[i].kind = column->kind;
		columns[i].ops = column->plan.key.ops;
		columns[i].scale = wa_accumulator_scale(column->accumulator);
	}
	shape->nkeys = state->nkeys;
	shape->ncolumns = state->ncolumns;
	shape->keys = keys;
	shape->columns = columns;
	return shape;
}

/* Appends a group's state, which may be none, to a message. */
static void
write_state(WaAggState *state, WaWriter *writer)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	if (state != NULL)
		wa_wire_put_state(&bytes, state);
	wa_partial_put_bytes(writer, bytes.data, (size_t) bytes.len);
	pfree(bytes.data);
}

void
wa_scan_write_group(WaScanState *state, const WaPartialShape *shape,
					uint32 group, WaWriter *writer)
{
	for (int i = 0; i < shape->nkeys; i++)
	{
		WaQueryValue value;

		wa_query_groups_key(wa_groups_table(state->groups), group, i, &value);
		wa_partial_put_key(writer, &shape->keys[i], &value);
	}
	for (int i = 0; i < shape->ncolumns; i++)
	{
		WaAccumulator *accumulator = state->columns[i].accumulator;
		WaRecord record;

		if (wa_accumulator_record(accumulator, group, &record))
			wa_partial_put_record(writer, &shape->columns[i], &record);
		else
			write_state(wa_accumulator_state(accumulator, group), writer);
	}
}

/* Merges what a message has of a group and a column. */
static void
merge_cell(WaScanColumn *column, uint32 group, const WaPartialCell *cell,
		   bool own)
{
	StringInfoData bytes = {.data = unconstify(char *, cell->bytes.data),
							.len = (int) cell->bytes.length,
							.maxlen = (int) cell->bytes.length};

	if (cell->record.words != NULL)
		wa_accumulator_merge_record(column->accumulator, group, &cell->record);
	else if (cell->bytes.length != 0)
	{
		if (!own)
			elog(ERROR, "the device process has sent a transition state");
		wa_accumulator_merge(column->accumulator, group,
							 wa_wire_get_state(&bytes, &column->plan));
	}
}

void
wa_scan_merge_groups(WaScanState *state, const void *message, Size bytes,
					 bool own)
{
	const WaPartialShape *shape = wa_scan_shape(state);
	WaPartialReader reader;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	(void) wa_partial_reader_init(&reader, &arena, shape);
	(void) wa_partial_open(&reader, message, bytes);
	while (wa_partial_next(&reader))
	{
		uint32 group = 0;

		if (state->groups != NULL)
			wa_groups_check(wa_query_groups_find_values(
				wa_groups_table(state->groups), reader.keys, &group));
		for (int i = 0; i < state->ncolumns; i++)
		{
			WaScanColumn *column = &state->columns[i];

			wa_accumulator_grow(column->accumulator, wa_scan_groups(state));
			merge_cell(column, group, &reader.cells[i], own);
		}
	}
	if (reader.reader.failed)
		elog(ERROR, "unexpected groups of another process");
}
