/*
 * spill_row.c
 *		Rows of a table as they are spilled; see spill_row.h.
 *
 * The place of a row, if that is used, is a column of them.  A value that is out of line is spilled as what points to it, which holds for as
 * long as the snapshot.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "utils/rel.h"

#include "heap/gather.h"
#include "heap/place.h"
#include "scan/spill/spill_row.h"

struct WaSpillRows
{
	TupleDesc packed; /* of what is spilled */
	int ncolumns;
	AttrNumber *attnums; /* of its columns in the table, ascending */
	Datum *values;
	bool *nulls;
	TupleTableSlot *spilled_row; /* the columns of the table, virtual */
	WaGather *gather;
	WaVector **vectors; /* of its columns */
};

/* Returns the columns that are used behind WHERE. */
static Bitmapset *
columns_behind_where(const WaScanQuery *query)
{
	Bitmapset *columns = NULL;

	wa_joins_pull_attnums(&query->joins,
						  (Node *) wa_scan_query_behind_where(query),
						  query->varno, &columns);
	return columns;
}

/* Finds the columns and their vectors. */
static void
find_columns(WaSpillRows *rows, const WaScanQuery *query)
{
	WaVector *const *vectors = query->interpreter->columns;
	Bitmapset *wanted = columns_behind_where(query);
	int nall = query->compiler->ncolumns;

	rows->attnums = palloc(sizeof(AttrNumber) * (nall + 1));
	rows->vectors = palloc(sizeof(WaVector *) * (nall + 1));
	for (int i = 0; i < nall; i++)
	{
		AttrNumber attnum = query->compiler->attnums[i];

		if (!bms_is_member(attnum - FirstLowInvalidHeapAttributeNumber, wanted))
			continue;
		rows->vectors[rows->ncolumns] = vectors[i];
		rows->attnums[rows->ncolumns++] = attnum;
	}
}

/* Makes the descriptor of what is spilled, and what gathers its columns. */
static void
describe(WaSpillRows *rows, TupleDesc table)
{
	WaGatherUse *uses = palloc(sizeof(WaGatherUse) * (rows->ncolumns + 1));

	rows->packed = CreateTemplateTupleDesc(rows->ncolumns);
	for (int i = 0; i < rows->ncolumns; i++)
	{
		uses[i] = (WaGatherUse){.attnum = (AttrNumber) (i + 1)};
		if (rows->attnums[i] > 0)
			TupleDescCopyEntry(rows->packed, uses[i].attnum, table,
							   rows->attnums[i]);
		else
			TupleDescInitEntry(rows->packed, uses[i].attnum, "ctid", INT8OID,
							   -1, 0);
	}
	rows->gather = wa_gather_make(rows->packed, rows->ncolumns, uses);
	rows->values = palloc(sizeof(Datum) * (rows->ncolumns + 1));
	rows->nulls = palloc(sizeof(bool) * (rows->ncolumns + 1));
}

WaSpillRows *
wa_spill_rows_make(const WaScanQuery *query, const WaScanSources *sources)
{
	EState *estate = sources->estate;
	TupleDesc table = sources->descriptor;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	WaSpillRows *rows = palloc0(sizeof(WaSpillRows));

	find_columns(rows, query);
	describe(rows, table);
	rows->spilled_row = ExecInitExtraTupleSlot(estate, table, &TTSOpsVirtual);
	MemoryContextSwitchTo(old);
	return rows;
}

/* Stores a column of a row in a slot, which has columns of the table as values. */
static void
pack_column(WaSpillRows *rows, int number, const TupleTableSlot *slot)
{
	const AttrNumber attnum = rows->attnums[number];

	rows->nulls[number] = attnum > 0 && slot->tts_isnull[attnum - 1];
	rows->values[number] =
		attnum > 0 ? slot->tts_values[attnum - 1]
				   : Int64GetDatum(wa_place_of_item(&slot->tts_tid));
}

/* Has a slot show a column of a row that was spilled. */
static void
unpack_column(const WaSpillRows *rows, int number, TupleTableSlot *slot)
{
	const AttrNumber attnum = rows->attnums[number];

	if (attnum > 0)
	{
		slot->tts_values[attnum - 1] = rows->values[number];
		slot->tts_isnull[attnum - 1] = rows->nulls[number];
	}
	else
		wa_place_item(DatumGetInt64(rows->values[number]), &slot->tts_tid);
}

HeapTuple
wa_spill_rows_pack(WaSpillRows *rows, TupleTableSlot *slot)
{
	HeapTuple packed;

	if (rows->ncolumns > 0 && rows->attnums[rows->ncolumns - 1] > 0)
		slot_getsomeattrs(slot, rows->attnums[rows->ncolumns - 1]);
	for (int i = 0; i < rows->ncolumns; i++)
		pack_column(rows, i, slot);
	packed = heap_form_tuple(rows->packed, rows->values, rows->nulls);
	ExecClearTuple(slot);
	return packed;
}

bool
wa_spill_rows_gather(WaSpillRows *rows, const WaRow *spilled, int nrows)
{
	wa_gather_begin(rows->gather, spilled, nrows);
	return wa_gather_step(rows->gather, 0, rows->vectors);
}

TupleTableSlot *
wa_spill_rows_slot(WaSpillRows *rows, const WaRow *spilled)
{
	HeapTupleData tuple = {.t_len = spilled->length, .t_data = spilled->tuple};
	TupleTableSlot *slot = rows->spilled_row;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
	heap_deform_tuple(&tuple, rows->packed, rows->values, rows->nulls);
	for (int i = 0; i < rows->ncolumns; i++)
		unpack_column(rows, i, slot);
	return ExecStoreVirtualTuple(slot);
}
