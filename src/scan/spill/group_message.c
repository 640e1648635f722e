/*
 * group_message.c
 *		Groups of a node as messages; see group_message.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "scan/spill/group_message.h"
#include "state/wire.h"

/* Bytes of a message but for very long groups; no more than a part of the memory. */
#define MESSAGE_BYTES ((Size) 32 * 1024)
#define MESSAGE_PART  32

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

void
wa_scan_write_state(WaAggState *state, WaWriter *writer)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	if (state != NULL)
		wa_wire_put_state(&bytes, state);
	wa_partial_put_bytes(writer, bytes.data, (size_t) bytes.len);
	pfree(bytes.data);
}

/* Appends a group to a message. */
static void
write_group(WaScanState *state, const WaPartialShape *shape, uint32 group,
			WaWriter *writer)
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
			wa_scan_write_state(wa_accumulator_state(accumulator, group),
								writer);
	}
}

void
wa_scan_write_groups(WaScanState *state, const WaPartialShape *shape,
					 const uint32 *order, uint32 *next, uint32 end,
					 WaWriter *writer)
{
	const Size bytes =
		Min(get_hash_memory_limit() / MESSAGE_PART, MESSAGE_BYTES);
	const uint32 first = *next;

	wa_partial_begin(writer, shape);
	while (*next < end &&
		   (*next == first || writer->nwords * sizeof(uint64) < bytes))
	{
		write_group(state, shape, order == NULL ? *next : order[*next], writer);
		(*next)++;
	}
	wa_partial_end(writer, *next - first);
}
