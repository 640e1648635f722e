/*
 * node.c
 *		The node of the scan tier: from its plan to its tuples, batch after batch of
 *		groups.
 *
 * The first batch is of what the device process has answered, of what workers have read,
 * and of the rest of the table; the others are of what was spilled.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "client/client.h"
#include "scan/node/alternative.h"
#include "scan/node/explain.h"
#include "scan/node/feed.h"
#include "scan/node/joined.h"
#include "scan/output/dependents.h"
#include "scan/output/order.h"
#include "scan/output/output.h"
#include "scan/output/shifted.h"
#include "scan/output/top.h"
#include "scan/parallel/parallel.h"
#include "scan/resident/resident.h"
#include "scan/rows/batch_loop.h"
#include "scan/rows/key_bound.h"
#include "scan/rows/prepare.h"
#include "scan/rows/roll_up.h"
#include "scan/spill/group_store.h"
#include "scan/spill/spill.h"
#include "scan/state/plan.h"
#include "scan/state/rolled_query.h"
#include "scan/state/scan_state.h"
#include "scan/state/shared_instrument.h"
#include "scan/state/why_heap.h"

/* Groups of a dashboard's query take less than twice as many bytes. */
#define KEPT_BYTES (1024 * 1024)

/*
 * Has malloc keep twice KEPT_BYTES that are free for the session's next query, as it does
 * for a program that has freed a piece of KEPT_BYTES (mallopt(3) of glibc, dynamic
 * M_MMAP_THRESHOLD); it keeps 128 kB else.  A query of 1,000 groups took 24 to 75 fresh
 * pages each time, and of two virtual machines one took 2 us for each, the other 45.
 */
static void
keep_free_memory(void)
{
	static bool kept;

	if (!kept)
		pfree(palloc(KEPT_BYTES));
	kept = true;
}

/* Returns the store whose groups are returned. */
static WaScanStore *
returned_store(WaScanState *state)
{
	return state->roll_up != NULL ? &state->roll_up->store : &state->store;
}

/* Begins the nodes whose groups are rolled up, too. */
static void
begin_finer(WaScanState *state, EState *estate, int eflags)
{
	const CustomScan *plan = castNode(CustomScan, state->css.ss.ps.plan);
	ListCell *cell;

	foreach (cell, wa_plan_finer(plan))
	{
		PlanState *node = ExecInitNode((Plan *) lfirst(cell), estate, eflags);

		state->finer = lappend(state->finer, node);
		state->css.custom_ps = lappend(state->css.custom_ps, node);
	}
}

/* Has the groups of a node go to a roll-up, with these values (NULL: none), of a set. */
static void
roll_into(WaScanState *state, WaRollUp *roll_up, const WaRolledValues *values,
		  int set)
{
	state->rolls_into = roll_up;
	state->rolls = wa_roll_up_groups(roll_up, &state->store, values, set,
									 &state->css.ss.ps);
}

/* Makes what groups are rolled up to, those of other nodes set by set, or value by value. */
static void
make_roll_up(WaScanState *state)
{
	const WaScanQuery *rolled = state->query.rolled;
	const int nvalues = list_length(rolled->values);
	int number = 0;
	ListCell *cell;

	state->roll_up = wa_roll_up_make(&state->store);
	if (nvalues == 0 || state->query.is_apart)
		roll_into(state, state->roll_up, NULL, -1);
	else
		roll_into(state, state->roll_up,
				  (const WaRolledValues *) list_nth(rolled->values, number++),
				  -1);
	foreach (cell, state->finer)
	{
		roll_into(
			(WaScanState *) lfirst(cell), state->roll_up,
			(const WaRolledValues *) list_nth(rolled->values, number % nvalues),
			rolled->sets == NIL ? -1 : number / nvalues);
		number++;
	}
}

/* Makes what returns the groups. */
static void
make_output(WaScanState *state, EState *estate)
{
	const CustomScan *plan = castNode(CustomScan, state->css.ss.ps.plan);
	WaScanStore *store;
	WaPlanTop top;

	if (state->query.rolled != NULL)
		make_roll_up(state);
	store = returned_store(state);
	store->dependents = wa_dependents_make(store->query, estate);
	state->before_having =
		wa_output_before_having(store->query, (Node *) plan->scan.plan.qual);
	if (wa_plan_top(plan, &top) && top.nparts == 0)
		state->top = wa_top_make(&state->css.ss, store, &top);
	state->order = wa_order_make(store);
}

static void
begin_scan(CustomScanState *node, EState *estate, int eflags)
{
	WaScanState *state = (WaScanState *) node;
	CustomScan *plan = castNode(CustomScan, node->ss.ps.plan);
	const Relation relation = wa_feed_take_relation(&node->ss);
	const char *reason;

	if (wa_plan_feed(plan) == NULL && wa_plan_pushed(plan) == NULL)
		wa_scan_set_source(state, relation);
	else
		state->feed = wa_feed_begin(state, RelationGetDescr(relation), eflags);
	wa_plan_read(plan, &state->query);
	state->joined = wa_joined_begin(state, eflags);
	begin_finer(state, estate, eflags);
	state->alternative = wa_alternative_make(state, eflags);
	/* warpagg.accelerate is as it was when the plan was made. */
	reason = wa_scan_query_aggregate(&state->query, NULL);
	if (reason == NULL && state->query.rolled != NULL)
		reason = wa_rolled_query_aggregate(&state->query, NULL);
	if (reason != NULL)
		elog(ERROR, "unexpected aggregate: %s", reason);
	wa_scan_query_check_permissions(wa_scan_query_returned(&state->query));
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	keep_free_memory();
	wa_scan_query_check_keys(&state->query);
	wa_scan_prepare(state, estate, relation);
	state->one_time_filter =
		ExecInitQual(state->query.one_time_clauses, &node->ss.ps);
	state->clock.is_on = (estate->es_instrument & INSTRUMENT_TIMER) != 0;
	make_output(state, estate);
	wa_shared_instrument_make(state);
}

/* Reads what the device process has not answered for. */
static void
read_heap(WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	if (state->sources.is_covered)
		wa_spill_check(&state->store);
	else
		(void) wa_scan_take_batch(state);
	/* Workers are given what subselects return, which may not be run in vain. */
	while (wa_interpreter_waits(state->query.interpreter, econtext) &&
		   wa_scan_take_batch(state))
		;
	/* Once workers have spilled, all groups are among what is to be read again. */
	if (state->feed != NULL)
		wa_feed_take(state);
	wa_parallel_read(state);
	wa_scan_read(state);
}

/* Tells whether rows, or groups of rows, are to come that the node does not read. */
static bool
has_other_rows(const WaScanState *state)
{
	return state->feed != NULL && wa_feed_has_more(state->feed);
}

/*
 * Has tables of what is joined be here that only the device process has, if rows are to look
 * anything up in them; workers are given them, before rows are read here.  Returns false if
 * they would take more memory than they may.
 */
static bool
have_tables(const WaScanState *state)
{
	const WaInterpreter *interpreter = state->query.interpreter;

	if (interpreter->joined == NULL)
		return true;
	if (wa_sources_blocks_left(&state->sources) > 0 ||
		(state->feed != NULL && wa_feed_has_rows(state->feed)))
		return wa_join_tables_have(interpreter->joined);
	return interpreter->joined->full == NULL;
}

/* Reads the table; returns false if the node's alternative is to do so. */
static bool
read_table(WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	const bool is_wanted = ExecQual(state->one_time_filter, econtext);

	if (state->feed != NULL && is_wanted)
		wa_feed_find_sources(state);
	wa_scan_begin(state);
	if (!is_wanted)
		return true;
	if (!wa_sources_have_rows(&state->sources) && !has_other_rows(state))
		return true;
	if (!wa_joined_read(state))
		return false;
	if (wa_interpreter_prepare(state->query.interpreter, econtext))
		wa_resident_use(state, has_other_rows(state));
	else
		wa_why_heap_note(&state->sources, "no vector holds a constant's value");
	if (!have_tables(state))
		return false;
	for (int i = 0; i < state->sources.count; i++)
		state->sources.list[i]->heap->may_mark = true;
	read_heap(state);
	wa_spill_finish(&state->store, 1);
	return true;
}

/* Forgets all groups. */
static void
drop_groups(WaScanState *state)
{
	wa_spill_end(&state->store);
	wa_scan_end_groups(&state->store);
	if (state->roll_up != NULL)
		wa_roll_up_end(state->roll_up);
}

/* Forgets all groups: all batches are to come. */
static void
start(WaScanState *state)
{
	if (wa_scan_query_returned(&state->query)->is_ours)
		wa_client_begin();
	drop_groups(state);
	wa_instrument_start(state);
	state->ngroups = 0;
	state->is_started = true;
}

/* Leaves all to PostgreSQL's plan. */
static void
use_alternative(WaScanState *state)
{
	drop_groups(state);
	state->ngroups = 0;
	wa_alternative_begin(state);
}

/* Rolls up what a node has read, and what was spilled of it; its groups take no memory then. */
static void
roll_up_of(WaScanState *state)
{
	WaRollUp *roll_up = state->rolls_into;

	wa_roll_up_take(roll_up, &state->store, state->rolls);
	while (wa_spill_is_left(&state->store))
	{
		state->batches++;
		wa_scan_read_partition(state);
		wa_roll_up_take(roll_up, &state->store, state->rolls);
	}
	wa_scan_make_groups(&state->store);
	wa_roll_up_take_ranked(roll_up, state->rolls);
}

/* Has a node whose groups are rolled up, too, read its table, and rolls them up. */
static void
roll_up_finer(WaScanState *state)
{
	PlanState *ps = &state->css.ss.ps;

	if (ps->chgParam != NULL)
		ExecReScan(ps);
	if (ps->instrument != NULL)
		InstrStartNode(ps->instrument);
	start(state);
	if (!read_table(state))
		elog(ERROR, "a node whose groups are rolled up has left them alone");
	state->batches++;
	roll_up_of(state);
	if (ps->instrument != NULL)
		InstrStopNode(ps->instrument, 0);
}

/* Rolls up all that was read. */
static void
roll_up(WaScanState *state)
{
	ListCell *cell;

	roll_up_of(state);
	foreach (cell, state->finer)
		roll_up_finer((WaScanState *) lfirst(cell));
	wa_roll_up_finish(state->roll_up);
}

/*
 * Computes the groups of the first batch; returns false if the alternative has them.
 */
static bool
fill_first(WaScanState *state)
{
	if (state->roll_up != NULL)
		wa_roll_up_begin(state->roll_up);
	if (!read_table(state))
	{
		use_alternative(state);
		return false;
	}
	if (state->roll_up != NULL)
		roll_up(state);
	return true;
}

/*
 * Computes the groups of the next batch, of the table or of what was spilled, and which of
 * them to return; returns false if none is left, or the alternative has them.
 */
static bool
fill(WaScanState *state)
{
	WaScanStore *store = returned_store(state);

	if (wa_alternative_is_used(state->alternative) ||
		(state->batches > 0 && !wa_spill_is_left(store)))
		return false;
	state->next = 0;
	if (state->batches++ == 0)
	{
		if (!fill_first(state))
			return false;
	}
	else if (state->roll_up != NULL)
		wa_roll_up_read_partition(state->roll_up);
	else
		wa_scan_read_partition(state);
	wa_shifted_check(store);
	state->ngroups = wa_scan_groups(store);
	if (state->top != NULL)
	{
		state->now.compared_groups += state->ngroups;
		state->ngroups = wa_top_choose(state->top);
	}
	else if (state->order != NULL)
		wa_order_groups(state->order);
	return true;
}

/* Stores the number of the next group; returns false if there is none. */
static bool
next_group(WaScanState *state, uint32 *group)
{
	if (!state->is_started)
		start(state);
	do
	{
		while (state->next >= state->ngroups)
			if (!fill(state))
				return false;
		*group = state->next++;
		if (state->top != NULL)
			*group = wa_top_group(state->top, *group);
		else if (state->order != NULL)
			*group = wa_order_group(state->order, *group);
	} while (wa_key_bound_excludes(state, *group));
	return true;
}

/* Returns the next row of the alternative, which has looked at HAVING; NULL: there is none. */
static TupleTableSlot *
next_of_alternative(CustomScanState *node)
{
	PlanState *ps = &node->ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;

	ResetExprContext(econtext);
	econtext->ecxt_scantuple = wa_alternative_next((WaScanState *) node);
	if (econtext->ecxt_scantuple == NULL)
		return NULL;
	return ps->ps_ProjInfo == NULL ? econtext->ecxt_scantuple
								   : ExecProject(ps->ps_ProjInfo);
}

static TupleTableSlot *
exec_scan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;
	const WaScanStore *store = returned_store(state);
	PlanState *ps = &node->ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;
	uint32 group;

	while (next_group(state, &group))
	{
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		econtext->ecxt_scantuple = wa_output_store(
			store, group, state->before_having, node->ss.ss_ScanTupleSlot);
		MemoryContextSwitchTo(old);
		if (!ExecQual(ps->qual, econtext))
		{
			InstrCountFiltered1(node, 1);
			continue;
		}
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		wa_output_add(store, group, state->before_having,
					  node->ss.ss_ScanTupleSlot);
		MemoryContextSwitchTo(old);
		return ps->ps_ProjInfo == NULL ? econtext->ecxt_scantuple
									   : ExecProject(ps->ps_ProjInfo);
	}
	return wa_alternative_is_used(state->alternative)
			   ? next_of_alternative(node)
			   : NULL;
}

static void
end_scan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;
	ListCell *cell;

	wa_shared_instrument_leave(state);
	wa_sources_end(&state->sources);
	if (state->feed != NULL)
		wa_feed_end(state->feed);
	wa_joined_end(state->joined);
	foreach (cell, state->finer)
		ExecEndNode((PlanState *) lfirst(cell));
	wa_alternative_end(state->alternative);
	drop_groups(state);
}

static void
rescan(CustomScanState *node)
{
	WaScanState *state = (WaScanState *) node;
	ListCell *cell;

	if (wa_alternative_rescan(state, node->ss.ps.chgParam))
		return;
	state->next = 0;
	if (node->ss.ps.chgParam == NULL && state->batches <= 1)
		return; /* no group has been given up yet */
	state->is_started = false;
	if (state->feed != NULL)
		wa_feed_rescan(state->feed, node->ss.ps.chgParam);
	wa_joined_rescan(state->joined, node->ss.ps.chgParam);
	if (node->ss.ps.chgParam != NULL)
		foreach (cell, state->finer)
			UpdateChangedParamSet((PlanState *) lfirst(cell),
								  node->ss.ps.chgParam);
	wa_interpreter_reset(state->query.interpreter);
}

Node *
wa_scan_create_state(CustomScan *plan)
{
	static const CustomExecMethods methods = {
		.CustomName = "WarpAgg",
		.BeginCustomScan = begin_scan,
		.ExecCustomScan = exec_scan,
		.EndCustomScan = end_scan,
		.ReScanCustomScan = rescan,
		.ExplainCustomScan = wa_scan_explain,
	};
	WaScanState *state = palloc0(sizeof(WaScanState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &methods;
	return (Node *) state;
}
