/*
 * join_read.c
 *		The rows of plans, or of some blocks, for the sides of joins; see join_read.h.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "heap/place.h"
#include "scan/tables/join_read.h"

/* Finds the row of a folded side for the row at hand. */
static int64
find_row(const WaSideFolded *folded, ExprContext *econtext)
{
	bool is_null;
	const Datum value =
		ExecEvalExprSwitchContext(folded->key, econtext, &is_null);
	WaRowKey key;

	if (is_null)
		return WA_NO_ROW;
	key = wa_row_key_of(folded->key_type, value);
	return wa_key_rows_find(&folded->side->rows->found, &key);
}

/* Finds the rows of folded sides; returns false if the row at hand is not kept. */
static bool
find_folded(const WaJoinSide *side, ExprContext *econtext)
{
	for (int i = 0; i < side->nfolded; i++)
	{
		WaSideFolded *folded = &side->folded[i];
		const WaJoinKind kind = folded->side->join->kind;

		folded->row = find_row(folded, econtext);
		if (kind != WA_JOIN_LEFT &&
			(folded->row == WA_NO_ROW) != (kind == WA_JOIN_ANTI))
			return false;
	}
	return true;
}

/* Stores the value of a column for the row at hand. */
static void
take_value(const WaJoinBuild *build, const WaJoinSide *side, int place)
{
	const WaSideColumn *column = &side->columns[place];
	const WaJoinRows *rows = side->rows;
	bool *is_null = &rows->columns[place].nulls[rows->nrows];
	Datum *datum = &rows->columns[place].datums[rows->nrows];
	MemoryContext old;

	if (column->state == NULL)
	{
		const WaSideFolded *folded = &side->folded[column->folded];
		const WaJoinColumn *from = &folded->side->rows->columns[column->place];

		*is_null = folded->row == WA_NO_ROW || from->nulls[folded->row];
		*datum = *is_null ? (Datum) 0 : from->datums[folded->row];
		return;
	}
	*datum = ExecEvalExprSwitchContext(column->state, build->econtext, is_null);
	if (column->is_place)
		*datum = Int64GetDatum(wa_place_of_item(
			(const ItemPointerData *) DatumGetPointer(*datum)));
	if (*is_null || column->by_value)
		return;
	old = MemoryContextSwitchTo(rows->context);
	*datum = PointerGetDatum(PG_DETOAST_DATUM_COPY(*datum));
	MemoryContextSwitchTo(old);
}

/* Returns a value as a key that stays; texts do with the rows. */
static WaRowKey
keep_key(const WaJoinRows *rows, Oid type, Datum value)
{
	WaRowKey key = wa_row_key_of(type, value);
	char *copy;

	if (key.text.length == 0)
		return key;
	copy = MemoryContextAlloc(rows->context, key.text.length);
	memcpy(copy, key.text.data, key.text.length);
	key.text.data = copy;
	return key;
}

/* Evaluates the key of the row at hand, or its parts; returns false if one is NULL. */
static bool
find_key(const WaJoinBuild *build, WaJoinSide *side)
{
	for (WaJoinSide *part = side - side->nparts; part <= side; part++)
	{
		bool is_null = false;

		if (part->of != NULL)
			part->key =
				ExecEvalExprSwitchContext(part->of, build->econtext, &is_null);
		if (is_null)
			return false;
	}
	return true;
}

/* Takes a row of a plan, which is in the econtext, of a block. */
static void
take_row(const WaJoinBuild *build, WaJoinSide *side, BlockNumber block)
{
	WaJoinRows *rows = side->rows;
	int nkeys = 0;

	if (!find_key(build, side))
	{
		wa_join_rows_add_null(rows, block);
		return;
	}
	if (!find_folded(side, build->econtext))
		return;
	wa_join_rows_grow(rows);
	for (const WaJoinSide *part = side - side->nparts; part <= side; part++)
		if (part->of != NULL)
		{
			const WaRowKey key = keep_key(rows, part->of_type, part->key);

			wa_row_key_set(&rows->keys[nkeys++], rows->nrows, &key);
		}
	for (int i = 0; i < side->ncolumns; i++)
		take_value(build, side, i);
	if (rows->blocks != NULL)
		rows->blocks[rows->nrows] = block;
	rows->nrows++;
}

/* Returns the bytes that rows may take beside the tables that are there. */
static Size
most_bytes(const WaJoinTables *tables)
{
	const Size most = wa_join_memory_limit();
	const Size taken = MemoryContextMemAllocated(tables->context, true);

	return taken < most ? most - taken : 0;
}

/* Tells whether each row takes memory beside the room that there is for rows. */
static bool
take_memory(const WaJoinRows *rows)
{
	for (int i = 0; i < rows->nkeys; i++)
		if (rows->keys[i].are_texts)
			return true;
	for (int i = 0; i < rows->ncolumns; i++)
		if (rows->columns[i].has_memory)
			return true;
	return false;
}

bool
wa_join_plan_has_blocks(const PlanState *plan)
{
	return IsA(plan, SeqScanState) && !plan->plan->parallel_aware;
}

void
wa_join_read_all(const WaJoinBuild *build, WaJoinSide *side, PlanState *plan)
{
	/* The tuple that a row was made of lies there until the next one comes. */
	const TupleTableSlot *scanned =
		side->rows->blocks == NULL
			? NULL
			: castNode(SeqScanState, plan)->ss.ss_ScanTupleSlot;
	const Size most = most_bytes(build->tables);
	const bool with_memory = take_memory(side->rows);
	TupleTableSlot *slot;

	for (slot = ExecProcNode(plan); !TupIsNull(slot); slot = ExecProcNode(plan))
	{
		CHECK_FOR_INTERRUPTS();
		if ((side->rows->nrows == side->rows->room || with_memory) &&
			wa_join_rows_bytes(side->rows) > most)
		{
			build->tables->full = side->join;
			return;
		}
		ResetExprContext(build->econtext);
		build->econtext->ecxt_outertuple = slot;
		take_row(build, side,
				 scanned == NULL
					 ? InvalidBlockNumber
					 : ItemPointerGetBlockNumber(&scanned->tts_tid));
	}
}

/* Returns the end of the blocks from one on that have changed, or that have not. */
static BlockNumber
end_of_run(const WaChangedBlocks *changed, BlockNumber block)
{
	const bool are_changed = changed->are_changed[block];

	while (block < changed->nblocks &&
		   changed->are_changed[block] == are_changed)
		block++;
	return block;
}

/* Adds the rows of changed blocks: has the plan scan these, by a scan of its own. */
static void
read_blocks(const WaJoinBuild *build, WaJoinSide *side, SeqScanState *plan,
			const WaChangedBlocks *changed)
{
	TableScanDesc whole = plan->ss.ss_currentScanDesc;
	TableScanDesc scan = table_beginscan_strat(plan->ss.ss_currentRelation,
											   plan->ss.ps.state->es_snapshot,
											   0, NULL, false, false);
	bool has_begun = false;

	plan->ss.ss_currentScanDesc = scan;
	for (BlockNumber i = 0; i < changed->nblocks && build->tables->full == NULL;
		 i = end_of_run(changed, i))
	{
		if (!changed->are_changed[i])
			continue;
		if (has_begun)
			table_rescan(scan, NULL);
		has_begun = true;
		heap_setscanlimits(scan, i, end_of_run(changed, i) - i);
		wa_join_read_all(build, side, &plan->ss.ps);
	}
	ExecClearTuple(plan->ss.ss_ScanTupleSlot);
	table_endscan(scan);
	plan->ss.ss_currentScanDesc = whole;
}

bool
wa_join_read_changed(const WaJoinBuild *build, WaJoinSide *side,
					 PlanState *plan, const WaChangedBlocks *changed)
{
	WaJoinRows *rows = side->rows;
	WaJoinRows others;
	bool *are_texts = palloc(sizeof(bool) * (rows->nkeys + 1));

	/* Else the first row would have the plan begin the scan anew. */
	if (plan->chgParam != NULL)
		ExecReScan(plan);
	for (int i = 0; i < rows->nkeys; i++)
		are_texts[i] = rows->keys[i].are_texts;
	wa_join_rows_make(&others, rows->context, rows->nkeys, are_texts,
					  rows->ncolumns, true);
	for (int i = 0; i < rows->ncolumns; i++)
	{
		others.columns[i].by_value = rows->columns[i].by_value;
		others.columns[i].has_memory = rows->columns[i].has_memory;
	}
	side->rows = &others;
	read_blocks(build, side, castNode(SeqScanState, plan), changed);
	side->rows = rows;
	pfree(are_texts);
	return build->tables->full == NULL &&
		   wa_join_rows_replace(rows, changed, &others);
}

/* Has the workers of what a plan consists of end: the walker of wa_join_read_end. */
static bool
end_workers(PlanState *plan, void *context)
{
	(void) planstate_tree_walker(plan, end_workers, context);
	if (IsA(plan, GatherState) || IsA(plan, GatherMergeState))
		ExecReScan(plan);
	return false;
}

void
wa_join_read_end(PlanState *plan)
{
	/* To shut a Gather down would have it begin scans beside those that it has, if read anew. */
	(void) end_workers(plan, NULL);
}
