/*
 * parallel_groups.c
 *		Groups on their way from a worker to the leader; see parallel_task.h.
 *
 * A message is group after group: its keys as values of SQL, then for each
 * column a byte that tells whether it has rows that are not NULL, and its state
 * if so.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "scan/parallel_task.h"
#include "state/wire.h"

/* Tells whether keys of the kind are passed by value. */
static inline bool
is_by_value(WaVectorKind kind)
{
	return kind != WA_VECTOR_TEXT && kind != WA_VECTOR_DECIMAL;
}

/* Appends a group to a message. */
static void
write_group(WaScanState *state, uint32 group, StringInfo message)
{
	for (int i = 0; i < state->nkeys; i++)
	{
		bool by_value = is_by_value(state->group_keys[i].kind);
		bool is_null;
		Datum value = wa_groups_key(state->groups, group, i, &is_null);

		wa_wire_put_datum(message, value, is_null, by_value,
						  by_value ? sizeof(Datum) : -1);
	}
	for (int i = 0; i < state->ncolumns; i++)
	{
		WaAggState *rows =
			wa_accumulator_state(state->columns[i].accumulator, group);

		pq_sendbyte(message, rows != NULL);
		if (rows != NULL)
			wa_wire_put_state(message, rows);
	}
}

void
wa_task_write_groups(WaScanState *state, uint32 *next, StringInfo message)
{
	while (*next < wa_scan_groups(state) &&
		   message->len < WA_TASK_MESSAGE_BYTES)
		write_group(state, (*next)++, message);
}

/* Reads the keys of a group and returns its number here. */
static uint32
read_keys(WaScanState *state, Datum *keys, bool *nulls, StringInfo message)
{
	if (state->groups == NULL)
		return 0;
	for (int i = 0; i < state->nkeys; i++)
		keys[i] = wa_wire_get_datum(message, &nulls[i]);
	return wa_groups_find_row(state->groups, keys, nulls);
}

void
wa_task_merge_groups(WaScanState *state, StringInfo message)
{
	Datum *keys = palloc(sizeof(Datum) * (state->nkeys + 1));
	bool *nulls = palloc(sizeof(bool) * (state->nkeys + 1));

	while (message->cursor < message->len)
	{
		uint32 group = read_keys(state, keys, nulls, message);

		for (int i = 0; i < state->ncolumns; i++)
		{
			WaScanColumn *column = &state->columns[i];

			wa_accumulator_grow(column->accumulator, wa_scan_groups(state));
			if (pq_getmsgbyte(message))
				wa_accumulator_merge(column->accumulator, group,
									 wa_wire_get_state(message, &column->plan));
		}
	}
}
