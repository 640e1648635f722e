/*
 * again.c
 *		Reads what is joined again; see again.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"

#include "scan/node/again.h"
#include "scan/state/plan.h"

/* The node. */
typedef struct Again
{
	CustomScanState css;
	PlanState *plan; /* NULL: it is not known yet */
	bool has_begun;  /* the rows come anew */
} Again;

/* The plan has begun below the node that the alternative is of, where it ends, too. */
static void
begin_again(CustomScanState *node, EState *estate, int eflags)
{
}

TupleTableSlot *
wa_again_store(TupleTableSlot *from, TupleTableSlot *row)
{
	const int count = from->tts_tupleDescriptor->natts;

	slot_getallattrs(from);
	ExecClearTuple(row);
	memset(row->tts_isnull, true, row->tts_tupleDescriptor->natts);
	memcpy(row->tts_values, from->tts_values, sizeof(Datum) * count);
	memcpy(row->tts_isnull, from->tts_isnull, sizeof(bool) * count);
	return ExecStoreVirtualTuple(row);
}

static TupleTableSlot *
exec_again(CustomScanState *node)
{
	Again *again = (Again *) node;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	TupleTableSlot *row = node->ss.ss_ScanTupleSlot;
	TupleTableSlot *from;

	CHECK_FOR_INTERRUPTS();
	if (!again->has_begun)
		ExecReScan(again->plan);
	again->has_begun = true;
	from = ExecProcNode(again->plan);
	if (TupIsNull(from))
		return NULL;
	if (from->tts_tupleDescriptor->natts != row->tts_tupleDescriptor->natts)
		elog(ERROR, "a joined relation has other columns");
	ResetExprContext(econtext);
	econtext->ecxt_scantuple = wa_again_store(from, row);
	return node->ss.ps.ps_ProjInfo == NULL
			   ? row
			   : ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
end_again(CustomScanState *node)
{
}

static void
rescan_again(CustomScanState *node)
{
	((Again *) node)->has_begun = false;
}

static const CustomExecMethods again_methods = {
	.CustomName = "WarpAgg Joined",
	.BeginCustomScan = begin_again,
	.ExecCustomScan = exec_again,
	.EndCustomScan = end_again,
	.ReScanCustomScan = rescan_again,
};

Node *
wa_again_create_state(CustomScan *plan)
{
	Again *again = palloc0(sizeof(Again));

	NodeSetTag(again, T_CustomScanState);
	again->css.methods = &again_methods;
	return (Node *) again;
}

/* What nodes are introduced to. */
typedef struct Introduction
{
	List *plans;
	int count; /* of nodes */
} Introduction;

/* Introduces nodes.  One that is below a node of another kind may know its plan already. */
static bool
introduce(PlanState *node, void *context)
{
	Introduction *introduction = context;
	Again *again = (Again *) node;

	if (!IsA(node, CustomScanState) || again->css.methods != &again_methods)
		return planstate_tree_walker(node, introduce, context);
	if (again->plan != NULL)
		return false;
	again->plan = list_nth(
		introduction->plans,
		intVal(linitial(castNode(CustomScan, node->plan)->custom_private)));
	introduction->count++;
	return false;
}

int
wa_again_introduce(PlanState *tree, List *plans)
{
	Introduction introduction = {plans, 0};

	(void) introduce(tree, &introduction);
	return introduction.count;
}
