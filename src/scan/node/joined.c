/*
 * joined.c
 *		What is joined to the rows of a node's table; see joined.h.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "client/tables.h"
#include "scan/node/join_contents.h"
#include "scan/node/join_full.h"
#include "scan/node/join_making.h"
#include "scan/node/joined.h"
#include "scan/resident/join_fetch.h"
#include "scan/state/plan.h"
#include "scan/tables/join_build.h"
#include "scan/tables/join_cache.h"
#include "scan/tables/join_digests.h"
#include "scan/tables/join_kept_rows.h"
#include "scan/tables/join_read.h"

/* Digests that the device process is asked for at most. */
#define MOST_LENT 64

struct WaJoined
{
	List *
		plans; /* PlanState of each join: below the node, or a subplan's, or NULL, */
	List *below; /* and of those below the node */
	WaJoinBuild *build;
	bool has_read;
	bool others_read; /* the plans, perhaps: tables were to be made elsewhere */
	List *
		lent; /* WaJoinContents of the units whose tables the device process has, */
	MemoryContext lent_context; /* which lie here; or NULL */
};

/*
 * Returns the plans that a node's plan has for the joins, of which those of sets are subplans;
 * NULL: a join has the rows of another.
 */
static List *
planned_for(const WaScanState *state)
{
	const EState *estate = state->css.ss.ps.state;
	List *below = wa_plan_joined(castNode(CustomScan, state->css.ss.ps.plan));
	List *plans = NIL;
	ListCell *cell;

	foreach (cell, state->query.joins.list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		if (join->subplan != NULL)
			plans = lappend(plans, list_nth(estate->es_plannedstmt->subplans,
											join->subplan->plan_id - 1));
		else if (!wa_join_has_plan(join->kind))
			plans = lappend(plans, NULL);
		else
		{
			plans = lappend(plans, linitial(below));
			below = list_delete_first(below);
		}
	}
	return plans;
}

/* Begins the plan of a join below the node, if there is one. */
static PlanState *
begin_plan(CustomScanState *css, WaJoined *joined, Plan *plan, int eflags)
{
	PlanState *state =
		ExecInitNode(plan, css->ss.ps.state,
					 eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));

	if (state == NULL)
		return NULL;
	joined->below = lappend(joined->below, state);
	css->custom_ps = lappend(css->custom_ps, state);
	return state;
}

/* Returns the plan of a set, which has begun, and has the node show that it uses it. */
static PlanState *
use_subplan(CustomScanState *css, SubPlan *subplan)
{
	SubPlanState *state = makeNode(SubPlanState);

	state->subplan = subplan;
	state->parent = &css->ss.ps;
	state->planstate = (PlanState *) list_nth(
		css->ss.ps.state->es_subplanstates, subplan->plan_id - 1);
	css->ss.ps.subPlan = lappend(css->ss.ps.subPlan, state);
	return state->planstate;
}

WaJoined *
wa_joined_begin(WaScanState *state, int eflags)
{
	CustomScanState *css = &state->css;
	WaJoined *joined;
	ListCell *join;
	ListCell *plan;

	if (state->query.joins.list == NIL)
		return NULL;
	joined = palloc0(sizeof(WaJoined));
	forboth(join, state->query.joins.list, plan, planned_for(state))
	{
		SubPlan *subplan = ((const WaJoin *) lfirst(join))->subplan;

		joined->plans = lappend(
			joined->plans, subplan != NULL
							   ? use_subplan(css, subplan)
							   : begin_plan(css, joined, lfirst(plan), eflags));
	}
	return joined;
}

/* Returns the plans of the joins, or NULL. */
static List *
plans_of(const WaJoined *joined)
{
	List *plans = NIL;
	ListCell *cell;

	foreach (cell, joined->plans)
		plans = lappend(plans, lfirst(cell) == NULL
								   ? NULL
								   : ((const PlanState *) lfirst(cell))->plan);
	return plans;
}

/* Has the plans of some units begin anew if they have been read, by whomever. */
static void
rescan_plans(const WaScanState *state, const WaJoined *joined,
			 const Bitmapset *units)
{
	ListCell *cell;

	foreach (cell, joined->plans)
	{
		PlanState *plan = (PlanState *) lfirst(cell);

		if (plan == NULL ||
			!bms_is_member(
				wa_joins_unit(&state->query.joins, foreach_current_index(cell)),
				units))
			continue;
		/* PostgreSQL may have read a subplan, for rows of partitions. */
		if (joined->build != NULL || joined->others_read ||
			!list_member_ptr(joined->below, plan))
			ExecReScan(plan);
	}
}

/* Finds out what blocks relations have that tables of some units are made of. */
static void
find_blocks(const WaScanState *state, const Bitmapset *units, const List *list)
{
	ListCell *cell;

	foreach (cell, list)
	{
		WaJoinContents *contents = (WaJoinContents *) lfirst(cell);

		if (bms_is_member(contents->unit, units))
			wa_join_contents_find_blocks(state, contents);
	}
}

/* Forgets that. */
static void
forget_blocks(const List *list)
{
	ListCell *cell;

	foreach (cell, list)
		((WaJoinContents *) lfirst(cell))->blocks = NULL;
}

/*
 * Fills the tables of some units of joins by the plans, or by rows that the session keeps, of
 * some contents.
 */
static void
fill(const WaScanState *state, WaJoined *joined, const Bitmapset *units,
	 const List *list)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg blocks", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	ListCell *cell;

	rescan_plans(state, joined, units);
	if (joined->build == NULL)
		joined->build = wa_join_build_make(state->query.interpreter->joined,
										   state->css.ss.ps.state);
	old = MemoryContextSwitchTo(scratch);
	find_blocks(state, units, list);
	MemoryContextSwitchTo(old);
	wa_join_build_fill(joined->build, joined->plans, units, list);
	forget_blocks(list);
	MemoryContextDelete(scratch);
	/* Workers of theirs make room for the node's own. */
	foreach (cell, joined->plans)
		if (lfirst(cell) != NULL)
			wa_join_read_end((PlanState *) lfirst(cell));
}

/* Fills the tables of some units by the plans, and keeps those of some contents. */
static void
fill_and_keep(const WaScanState *state, WaJoined *joined,
			  const Bitmapset *units, const List *list)
{
	ListCell *cell;

	fill(state, joined, units, list);
	if (state->query.interpreter->joined->full != NULL)
		return;
	foreach (cell, list)
	{
		const WaJoinContents *contents = (const WaJoinContents *) lfirst(cell);

		if (bms_is_member(contents->unit, units))
			wa_join_cache_keep(state->query.interpreter->joined, contents);
	}
}

/* Adds the units that contents are of to some units. */
static Bitmapset *
add_units(Bitmapset *units, const List *list)
{
	ListCell *cell;

	foreach (cell, list)
		units = bms_add_member(units,
							   ((const WaJoinContents *) lfirst(cell))->unit);
	return units;
}

/* Forgets what is lent. */
static void
forget_lent(const WaScanState *state, WaJoined *joined)
{
	if (state->query.interpreter->joined == NULL)
		return;
	state->query.interpreter->joined->are_lent = false;
	joined->lent = NIL;
	if (joined->lent_context != NULL)
		MemoryContextDelete(joined->lent_context);
	joined->lent_context = NULL;
}

/*
 * Takes the tables of contents that the session keeps; adds the others to *others, or to
 * *unstamped.
 */
static void
take_kept(const WaScanState *state, const List *list, List **others,
		  List **unstamped)
{
	ListCell *cell;

	foreach (cell, list)
	{
		WaJoinContents *contents = (WaJoinContents *) lfirst(cell);

		if (!contents->is_stamped)
			*unstamped = lappend(*unstamped, contents);
		else if (!wa_join_cache_take(state->query.interpreter->joined,
									 contents))
			*others = lappend(*others, contents);
	}
}

/*
 * Frees what was read of joined relations if it is more than it may be.  Then the node's
 * alternative is to be used; raises an error if it has none.
 */
static void
give_up(WaScanState *state)
{
	WaJoinTables *tables = state->query.interpreter->joined;

	if (tables->full == NULL)
		return;
	wa_join_tables_drop(tables);
	state->joined->has_read = false;
	/* In place of what a unit of joins has below it, its own plan is used. */
	if (state->alternative == NULL && state->css.ss.ps.plan != NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("what a query joins takes more memory than it may"),
			 errdetail_internal("The %s.", wa_join_full(state)),
			 errhint(
				 "Raise \"warpagg.buffer_memory\" or \"work_mem\", have the "
				 "tables analyzed, or set \"warpagg.enable_scan\" to off.")));
}

/*
 * Has the tables that are lent be here, of which those that cannot be fetched are filled: the
 * have of WaJoinTables, for a node's state.
 */
static void
have_lent(void *context)
{
	WaScanState *state = context;
	WaJoined *joined = state->joined;
	List *left = NIL;
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	ListCell *cell;

	foreach (cell, joined->lent)
		if (!wa_join_fetch(state->query.interpreter->joined,
						   (const WaJoinContents *) lfirst(cell)))
			left = lappend(left, lfirst(cell));
	if (left != NIL)
		fill_and_keep(state, joined, add_units(NULL, left), left);
	forget_lent(state, joined);
	give_up(state);
	MemoryContextSwitchTo(old);
}

/*
 * Tells whether the device process keeps the tables of contents, by their digests.  It is not
 * asked again about those that it had: if it lacks one by now, the query that names it fails.
 */
static bool
are_kept(const List *list, const WaTableDigest *digests, uint32 count)
{
	bool are_known = true;
	ListCell *cell;

	foreach (cell, list)
		are_known = are_known && wa_join_digests_are_kept(
									 (const WaJoinContents *) lfirst(cell));
	if (are_known)
		return true;
	if (!wa_client_are_kept(digests, count))
		return false;
	foreach (cell, list)
		wa_join_digests_keep((const WaJoinContents *) lfirst(cell));
	return true;
}

/*
 * Has the tables of contents be those with their digests; adds the digests to a list.  Returns
 * false if the device process cannot have them.
 */
static bool
name_tables(const WaScanState *state, const List *list, WaTableDigest *digests,
			uint32 *count)
{
	ListCell *cell;

	*count = 0;
	foreach (cell, list)
		if (!wa_join_cache_lend(state->query.interpreter->joined,
								(const WaJoinContents *) lfirst(cell), digests,
								MOST_LENT, count))
			return false;
	return *count > 0;
}

/* Has the tables of contents be those that the device process keeps, if it keeps them all. */
static bool
lend_kept(const WaScanState *state, const List *list)
{
	WaTableDigest digests[MOST_LENT];
	uint32 count;

	return name_tables(state, list, digests, &count) &&
		   are_kept(list, digests, count);
}

static void read_units(WaScanState *state, WaJoined *joined);

/*
 * Has the device process make the tables of contents of resident columns.  What is folded into
 * the unit has tables of its own then, found in the same way.
 */
static bool
make_tables(const WaScanState *state, WaJoined *joined,
			const WaJoinContents *contents)
{
	WaJoined below = {.others_read = true};
	WaJoinMaking *making = wa_join_making_begin(state, joined->plans, contents);
	bool is_made;

	if (making == NULL)
		return false;
	making->state.joined = &below;
	below.plans = making->plans;
	if (below.plans != NIL)
	{
		joined->others_read = true;
		read_units(&making->state, &below);
	}
	is_made =
		(below.plans == NIL ||
		 making->state.query.interpreter->joined->full == NULL) &&
		wa_join_making_run(making, state->query.interpreter->joined->uses);
	forget_lent(&making->state, &below);
	wa_join_making_end(making);
	return is_made;
}

/* Has the tables of contents be such that the device process makes. */
static bool
lend_made(const WaScanState *state, WaJoined *joined,
		  const WaJoinContents *contents)
{
	WaTableDigest digests[MOST_LENT];
	MemoryContext old;
	uint32 count;
	bool is_made;

	if (!name_tables(state, list_make1(unconstify(WaJoinContents *, contents)),
					 digests, &count))
		return false;
	/* Executors' slots stay until the query ends. */
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	is_made = make_tables(state, joined, contents);
	MemoryContextSwitchTo(old);
	if (is_made)
		wa_join_digests_keep(contents);
	return is_made;
}

/* Likewise of contents without stamps, unless rows are kept here, which is better. */
static bool
lend_once(const WaScanState *state, WaJoined *joined, WaJoinContents *contents)
{
	uint64 *stamps = contents->stamps;

	wa_join_contents_find_blocks(state, contents);
	if (wa_join_kept_rows_has(contents))
		return false;
	wa_join_contents_stamp_once(contents);
	contents->is_stamped = lend_made(state, joined, contents);
	if (!contents->is_stamped)
		contents->stamps = stamps;
	return contents->is_stamped;
}

/*
 * Has tables of contents, and of others without stamps, be those that the device process
 * keeps, or makes; adds others to *missing.
 */
static void
lend(WaScanState *state, WaJoined *joined, List *list, List *unstamped,
	 Bitmapset **missing)
{
	WaJoinTables *tables = state->query.interpreter->joined;
	ListCell *cell;

	if (lend_kept(state, list))
		joined->lent = list;
	else
		foreach (cell, list)
		{
			WaJoinContents *contents = (WaJoinContents *) lfirst(cell);

			if ((list_length(list) > 1 &&
				 lend_kept(state, list_make1(contents))) ||
				lend_made(state, joined, contents))
				joined->lent = lappend(joined->lent, contents);
			else
				*missing = bms_add_member(*missing, contents->unit);
		}
	foreach (cell, unstamped)
	{
		WaJoinContents *contents = (WaJoinContents *) lfirst(cell);

		if (lend_once(state, joined, contents))
			joined->lent = lappend(joined->lent, contents);
		else
			*missing = bms_add_member(*missing, contents->unit);
	}
	tables->are_lent = joined->lent != NIL;
	tables->have = have_lent;
	tables->have_context = state;
}

/*
 * Finds the tables of some units of joins: those that the session keeps, or the device process
 * does or makes; or fills them.
 */
static void
find_or_fill(WaScanState *state, WaJoined *joined, const Bitmapset *units)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg contents", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	List *others = NIL;
	List *unstamped = NIL;
	List *list = wa_join_contents_find(state, plans_of(joined), units);
	Bitmapset *missing = bms_difference(units, add_units(NULL, list));

	take_kept(state, list, &others, &unstamped);
	lend(state, joined, others, unstamped, &missing);
	MemoryContextSwitchTo(old);
	if (!bms_is_empty(missing))
		fill_and_keep(state, joined, missing, list_concat(unstamped, others));
	if (joined->lent != NIL)
		joined->lent_context = scratch;
	else
		MemoryContextDelete(scratch);
}

/* Returns the units of joins whose tables are not here, or not any more. */
static Bitmapset *
find_missing(const WaScanState *state, const WaJoined *joined)
{
	Bitmapset *units = add_units(NULL, joined->lent);
	ListCell *cell;

	foreach (cell, joined->plans)
		if (lfirst(cell) != NULL &&
			(!joined->has_read ||
			 ((const PlanState *) lfirst(cell))->chgParam != NULL))
			units = bms_add_member(units,
								   wa_joins_unit(&state->query.joins,
												 foreach_current_index(cell)));
	return units;
}

/* Has the tables of all units be there that are not. */
static void
read_units(WaScanState *state, WaJoined *joined)
{
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	Bitmapset *units = find_missing(state, joined);

	forget_lent(state, joined);
	if (!bms_is_empty(units))
		find_or_fill(state, joined, units);
	joined->has_read = true;
	bms_free(units);
	MemoryContextSwitchTo(old);
}

bool
wa_joined_read(WaScanState *state)
{
	if (state->joined == NULL)
		return true;
	read_units(state, state->joined);
	give_up(state);
	return state->joined->has_read;
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
	{
		PlanState *plan = (PlanState *) lfirst(cell);

		if (plan == NULL)
			continue;
		/* Who else reads a subplan takes its own note of it away. */
		if (bms_overlap(plan->plan->allParam, changed))
			joined->has_read = false;
		UpdateChangedParamSet(plan, changed);
	}
}

List *
wa_joined_plans(const WaJoined *joined)
{
	return joined->below;
}

void
wa_joined_end(WaJoined *joined)
{
	ListCell *cell;

	if (joined == NULL)
		return;
	foreach (cell, joined->below)
		ExecEndNode((PlanState *) lfirst(cell));
}
