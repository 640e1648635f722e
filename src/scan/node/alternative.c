/*
 * alternative.c
 *		PostgreSQL's plan in place of a node; see alternative.h.
 *
 * It is one of the node's custom_plans, and its state is made when it is needed.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "scan/node/again.h"
#include "scan/node/alternative.h"
#include "scan/node/joined.h"
#include "scan/state/plan.h"

struct WaAlternative
{
	Plan *plan;
	int eflags;
	PlanState *state; /* NULL: it has not begun */
	bool reads_again; /* what is joined, by the plans of that */
};

WaAlternative *
wa_alternative_make(const WaScanState *state, int eflags)
{
	Plan *plan =
		wa_plan_alternative(castNode(CustomScan, state->css.ss.ps.plan));
	WaAlternative *alternative;

	if (plan == NULL)
		return NULL;
	alternative = palloc0(sizeof(WaAlternative));
	alternative->plan = plan;
	alternative->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	return alternative;
}

void
wa_alternative_begin(WaScanState *state)
{
	CustomScanState *css = &state->css;
	EState *estate = css->ss.ps.state;
	WaAlternative *alternative = state->alternative;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);

	alternative->state =
		ExecInitNode(alternative->plan, estate, alternative->eflags);
	alternative->reads_again =
		wa_again_introduce(alternative->state, wa_joined_plans(state->joined)) >
		0;
	css->custom_ps = lappend(css->custom_ps, alternative->state);
	MemoryContextSwitchTo(old);
}

bool
wa_alternative_is_used(const WaAlternative *alternative)
{
	return alternative != NULL && alternative->state != NULL;
}

TupleTableSlot *
wa_alternative_next(WaScanState *state)
{
	TupleTableSlot *from = ExecProcNode(state->alternative->state);

	return TupIsNull(from)
			   ? NULL
			   : wa_again_store(from, state->css.ss.ss_ScanTupleSlot);
}

/*
 * Has all nodes of a tree begin anew, as after some parameters have changed.  Subplans are also
 * others', and see to that themselves.
 */
static bool
mark_changed(PlanState *node, void *context)
{
	if (list_member_ptr(node->state->es_subplanstates, node))
		return false;
	node->chgParam =
		bms_add_members(node->chgParam, (const Bitmapset *) context);
	return planstate_tree_walker(node, mark_changed, context);
}

bool
wa_alternative_rescan(WaScanState *state, Bitmapset *changed)
{
	WaAlternative *alternative = state->alternative;

	if (!wa_alternative_is_used(alternative))
		return false;
	wa_joined_rescan(state->joined, changed);
	/* What is above a node that reads again knows nothing of parameters of the other plan. */
	if (changed != NULL && alternative->reads_again)
		(void) mark_changed(alternative->state, changed);
	else if (changed != NULL)
		UpdateChangedParamSet(alternative->state, changed);
	/* Else its first row has it begin anew. */
	if (alternative->state->chgParam == NULL)
		ExecReScan(alternative->state);
	return true;
}

void
wa_alternative_end(WaAlternative *alternative)
{
	if (alternative != NULL)
		ExecEndNode(alternative->state);
}
