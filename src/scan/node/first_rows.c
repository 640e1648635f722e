/*
 * first_rows.c
 *		The node that reads the first rows of a table, whose places come from below.
 *
 * The plan below it returns the places (heap/place.h) in the order of their rows; see
 * scan/plan/rows_path.h.  The rows that a snapshot sees stay where they are for as long as
 * it is there, and what is resident of a block is not used unless it is what the snapshot
 * sees, so each row is where it is said to be.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"

#include "compat.h"
#include "heap/place.h"
#include "scan/state/plan.h"

typedef struct FirstRows
{
	CustomScanState css;
	PlanState *below;
	AttrNumber place; /* the number of its column that has the places */
} FirstRows;

static void
begin_rows(CustomScanState *node, EState *estate, int eflags)
{
	FirstRows *self = (FirstRows *) node;
	const CustomScan *plan = castNode(CustomScan, node->ss.ps.plan);

	begin_scan_slot_compat(node, estate, &TTSOpsBufferHeapTuple);
	self->below =
		ExecInitNode((Plan *) linitial(plan->custom_plans), estate, eflags);
	self->place = (AttrNumber) intVal(linitial(plan->custom_private));
	node->custom_ps = list_make1(self->below);
}

/* Reads the next row; returns false if there is none. */
static bool
read_row(FirstRows *self)
{
	ScanState *scan = &self->css.ss;
	TupleTableSlot *found = ExecProcNode(self->below);
	ItemPointerData item;
	Datum place;
	bool is_null;

	if (TupIsNull(found))
		return false;
	place = slot_getattr(found, self->place, &is_null);
	if (is_null)
		elog(ERROR, "a row has no place");
	wa_place_item(DatumGetInt64(place), &item);
	if (!table_tuple_fetch_row_version(scan->ss_currentRelation, &item,
									   scan->ps.state->es_snapshot,
									   scan->ss_ScanTupleSlot))
		elog(ERROR, "a row is not where it was");
	return true;
}

static TupleTableSlot *
exec_rows(CustomScanState *node)
{
	PlanState *ps = &node->ss.ps;

	CHECK_FOR_INTERRUPTS();
	ResetExprContext(ps->ps_ExprContext);
	if (!read_row((FirstRows *) node))
		return NULL;
	ps->ps_ExprContext->ecxt_scantuple = node->ss.ss_ScanTupleSlot;
	return ps->ps_ProjInfo == NULL ? node->ss.ss_ScanTupleSlot
								   : ExecProject(ps->ps_ProjInfo);
}

/* Lets go of the page of the last row. */
static void
end_rows(CustomScanState *node)
{
	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	ExecEndNode(((FirstRows *) node)->below);
}

/* A plan below whose parameters have changed begins anew when it is asked for a row. */
static void
rescan_rows(CustomScanState *node)
{
	PlanState *below = ((FirstRows *) node)->below;

	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(below, node->ss.ps.chgParam);
	if (below->chgParam == NULL)
		ExecReScan(below);
}

Node *
wa_first_rows_create_state(CustomScan *plan)
{
	static const CustomExecMethods methods = {
		.CustomName = "WarpAgg Rows",
		.BeginCustomScan = begin_rows,
		.ExecCustomScan = exec_rows,
		.EndCustomScan = end_rows,
		.ReScanCustomScan = rescan_rows,
	};
	FirstRows *self = palloc0(sizeof(FirstRows));

	NodeSetTag(self, T_CustomScanState);
	self->css.methods = &methods;
	make_scan_slot_compat(&self->css, &TTSOpsBufferHeapTuple);
	return (Node *) self;
}
