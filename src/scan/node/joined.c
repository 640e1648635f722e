/*
 * joined.c
 *		What is joined to the rows of a node's table; see joined.h.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "scan/node/join_contents.h"
#include "scan/node/joined.h"
#include "scan/state/plan.h"
#include "scan/tables/join_build.h"
#include "scan/tables/join_cache.h"

struct WaJoined
{
	List *plans; /* PlanState of each join */
	WaJoinBuild *build;
	bool has_read;
};

WaJoined *
wa_joined_begin(WaScanState *state, int eflags)
{
	CustomScanState *css = &state->css;
	WaJoined *joined;
	ListCell *cell;
	List *plans = wa_plan_joined(castNode(CustomScan, css->ss.ps.plan));

	if (plans == NIL)
		return NULL;
	joined = palloc0(sizeof(WaJoined));
	foreach (cell, plans)
	{
		PlanState *plan =
			ExecInitNode(lfirst(cell), css->ss.ps.state,
						 eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));

		joined->plans = lappend(joined->plans, plan);
		css->custom_ps = lappend(css->custom_ps, plan);
	}
	return joined;
}

/* Fills the tables of some joins that are not folded, by the plans. */
static void
fill(WaScanState *state, WaJoined *joined, const Bitmapset *owners)
{
	const WaJoins *joins = &state->query.joins;
	const bool is_first = joined->build == NULL;
	ListCell *cell;

	if (is_first)
		joined->build = wa_join_build_make(state->query.interpreter->joined,
										   state->css.ss.ps.state);
	foreach (cell, is_first ? NIL : joined->plans)
		if (bms_is_member(wa_joins_owner(joins, foreach_current_index(cell)),
						  owners))
			ExecReScan((PlanState *) lfirst(cell));
	wa_join_build_fill(joined->build, joined->plans, owners);
	/* Workers of theirs make room for the node's own. */
	foreach (cell, joined->plans)
		(void) ExecShutdownNode((PlanState *) lfirst(cell));
}

/* Fills the tables of some joins that are not folded, by what is kept, or by the plans. */
static void
find_or_fill(WaScanState *state, WaJoined *joined, Bitmapset *owners)
{
	WaJoinTables *tables = state->query.interpreter->joined;
	const List *plans =
		wa_plan_joined(castNode(CustomScan, state->css.ss.ps.plan));
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg contents", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	List *list = wa_join_contents_find(state, plans, owners);
	ListCell *cell;

	owners = bms_copy(owners);
	MemoryContextSwitchTo(old);
	foreach (cell, list)
	{
		const WaJoinContents *contents = (const WaJoinContents *) lfirst(cell);

		if (wa_join_cache_take(tables, contents))
			owners = bms_del_member(owners, contents->owner);
	}
	if (!bms_is_empty(owners))
		fill(state, joined, owners);
	foreach (cell, list)
	{
		const WaJoinContents *contents = (const WaJoinContents *) lfirst(cell);

		if (bms_is_member(contents->owner, owners))
			wa_join_cache_keep(tables, contents);
	}
	MemoryContextDelete(scratch);
}

/* Returns the joins that are not folded whose tables are not there, or not any more. */
static Bitmapset *
find_missing(const WaScanState *state, const WaJoined *joined)
{
	Bitmapset *owners = NULL;
	ListCell *cell;

	foreach (cell, joined->plans)
		if (!joined->has_read ||
			((const PlanState *) lfirst(cell))->chgParam != NULL)
			owners = bms_add_member(
				owners, wa_joins_owner(&state->query.joins,
									   foreach_current_index(cell)));
	return owners;
}

void
wa_joined_read(WaScanState *state)
{
	WaJoined *joined = state->joined;
	Bitmapset *owners;
	MemoryContext old;

	if (joined == NULL)
		return;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	owners = find_missing(state, joined);
	if (!bms_is_empty(owners))
		find_or_fill(state, joined, owners);
	joined->has_read = true;
	bms_free(owners);
	MemoryContextSwitchTo(old);
}

const WaJoinUse *
wa_joined_uses(const WaScanState *state)
{
	return state->joined == NULL || !state->joined->has_read
			   ? NULL
			   : state->query.interpreter->joined->uses;
}

void
wa_joined_rescan(WaJoined *joined, Bitmapset *changed)
{
	ListCell *cell;

	if (joined == NULL || changed == NULL)
		return;
	foreach (cell, joined->plans)
		UpdateChangedParamSet((PlanState *) lfirst(cell), changed);
}

void
wa_joined_end(WaJoined *joined)
{
	ListCell *cell;

	if (joined == NULL)
		return;
	foreach (cell, joined->plans)
		ExecEndNode((PlanState *) lfirst(cell));
}
