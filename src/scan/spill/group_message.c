/*
 * group_message.c
 *		Groups of a node as messages; see group_message.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
#include "state/wire.h"

/* Bytes of a message but for very long groups; no more than a part of the memory. */
#define MESSAGE_BYTES ((Size) 32 * 1024)
#define MESSAGE_PART  32

WaPartialShape *
wa_scan_shape(const WaScanStore *store)
{
	WaPartialShape *shape = palloc(sizeof(WaPartialShape));
	WaPartialColumn *columns =
		palloc(sizeof(WaPartialColumn) * (store->query->ncolumns + 1));

	for (int i = 0; i < store->query->ncolumns; i++)
	{
		columns[i].kind = store->query->compiled.columns[i].kind;
		columns[i].ops = store->query->compiled.columns[i].ops;
		columns[i].scale = wa_records_scale(store->columns[i]->table);
	}
	shape->nkeys = store->query->nkeys;
	shape->ncolumns = store->query->ncolumns;
	shape->keys = store->query->compiled.keys;
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
write_group(WaScanStore *store, const WaPartialShape *shape, uint32 group,
			WaWriter *writer)
{
	for (int i = 0; i < shape->nkeys; i++)
	{
		WaQueryValue value;

		wa_query_groups_key(store->groups->table, group, i, &value);
		wa_partial_put_key(writer, &shape->keys[i], &value);
	}
	for (int i = 0; i < shape->ncolumns; i++)
	{
		WaAccumulator *accumulator = store->columns[i];
		WaRecord record;

		if (wa_accumulator_record(accumulator, group, &record))
			wa_partial_put_record(writer, &shape->columns[i], &record);
		else
			wa_scan_write_state(wa_accumulator_state(accumulator, group),
								writer);
	}
}

void
wa_scan_write_groups(WaScanStore *store, const WaPartialShape *shape,
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
		write_group(store, shape, order == NULL ? *next : order[*next], writer);
		(*next)++;
	}
	wa_partial_end(writer, *next - first);
}

void
wa_scan_write_all_groups(WaScanStore *store, const WaPartialShape *shape,
						 WaWriter *writer)
{
	const uint32 count = wa_scan_groups(store);

	wa_partial_begin(writer, shape);
	for (uint32 i = 0; i < count; i++)
		write_group(store, shape, i, writer);
	wa_partial_end(writer, count);
}
