/*
 * feed.c
 *		The sources of a node whose table has partitions or children; see feed.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "scan/node/feed.h"
#include "scan/rows/merge_row.h"
#include "scan/rows/rowwise.h"
#include "scan/spill/spill.h"
#include "scan/state/plan.h"

/* A plan below the node. */
typedef struct Below
{
	PlanState *plan; /* NULL: there is none */
	bool has_run;
} Below;

struct WaFeed
{
	Below rows;            /* sources and rows */
	List *columns;         /* of these, the numbers in the node's table */
	TupleTableSlot *row;   /* as one of that */
	TupleTableSlot *first; /* that has come while sources were looked for */
	Below groups;          /* of other servers */
	int nothers;           /* plans that are not of sources */
};

/* The node of a source. */
typedef struct SourceNode
{
	CustomScanState css;
	WaScanSource source;
	WaScanSources *reader; /* those of the node that reads it */
} SourceNode;

Relation
wa_feed_take_relation(ScanState *node)
{
	const Relation relation = node->ss_currentRelation;

	node->ss_currentRelation = NULL;
	return relation;
}

static void
begin_source(CustomScanState *node, EState *estate, int eflags)
{
	SourceNode *self = (SourceNode *) node;

	self->source.relation = wa_feed_take_relation(&node->ss);
}

/* Tells who reads the source that it is to be read. */
static TupleTableSlot *
exec_source(CustomScanState *node)
{
	SourceNode *self = (SourceNode *) node;
	WaScanSources *reader = self->reader;

	if (reader == NULL || reader->count == reader->nknown)
		elog(ERROR, "a source is read by nobody, or twice");
	reader->list[reader->count++] = &self->source;
	return NULL;
}

/* There is nothing to be done when it ends, or begins again: its reader has it. */
static void
leave_source(CustomScanState *node)
{
}

static const CustomExecMethods source_methods = {
	.CustomName = "WarpAgg Source",
	.BeginCustomScan = begin_source,
	.ExecCustomScan = exec_source,
	.EndCustomScan = leave_source,
	.ReScanCustomScan = leave_source,
};

Node *
wa_source_create_state(CustomScan *plan)
{
	SourceNode *state = palloc0(sizeof(SourceNode));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &source_methods;
	return (Node *) state;
}

/* What plans below a node are of. */
typedef struct Leaves
{
	List *sources; /* SourceNode */
	int nothers;
} Leaves;

/* Collects sources, and counts the plans beside them. */
static bool
collect(PlanState *node, void *context)
{
	Leaves *leaves = (Leaves *) context;

	if (IsA(node, AppendState) || IsA(node, ResultState))
		return planstate_tree_walker(node, collect, context);
	if (IsA(node, CustomScanState) &&
		((CustomScanState *) node)->methods == &source_methods)
		leaves->sources = lappend(leaves->sources, node);
	else
		leaves->nothers++;
	return false;
}

/* Has the node know its sources, and these their reader. */
static void
introduce(WaScanSources *reader, List *sources, TupleDesc descriptor)
{
	WaScanSource **known =
		palloc(sizeof(WaScanSource *) * (list_length(sources) + 1));
	ListCell *cell;

	foreach (cell, sources)
	{
		SourceNode *node = (SourceNode *) lfirst(cell);

		node->reader = reader;
		wa_source_map(&node->source, descriptor);
		known[foreach_current_index(cell)] = &node->source;
	}
	wa_sources_set(reader, known, list_length(sources));
}

/* Begins a plan below a node (NULL: there is none), and collects what it is of. */
static Below
begin_below(WaScanState *state, Plan *plan, int eflags, Leaves *leaves)
{
	CustomScanState *css = &state->css;
	Below below = {NULL, false};

	if (plan == NULL)
		return below;
	below.plan = ExecInitNode(plan, css->ss.ps.state,
							  eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	css->custom_ps = lappend(css->custom_ps, below.plan);
	(void) collect(below.plan, leaves);
	return below;
}

WaFeed *
wa_feed_begin(WaScanState *state, TupleDesc descriptor, int eflags)
{
	const CustomScan *plan = castNode(CustomScan, state->css.ss.ps.plan);
	WaFeed *feed = palloc0(sizeof(WaFeed));
	Leaves leaves = {NIL, 0};

	feed->rows = begin_below(state, wa_plan_feed(plan), eflags, &leaves);
	feed->groups = begin_below(state, wa_plan_pushed(plan), eflags, &leaves);
	feed->columns = wa_plan_feed_columns(plan);
	feed->row = ExecInitExtraTupleSlot(state->css.ss.ps.state, descriptor,
									   &TTSOpsVirtual);
	feed->nothers = leaves.nothers;
	introduce(&state->sources, leaves.sources, descriptor);
	return feed;
}

/* Has a plan below the node begin, or begin again, unless there is none. */
static void
start(Below *below)
{
	if (below->plan != NULL && below->has_run && below->plan->chgParam == NULL)
		ExecReScan(below->plan);
	below->has_run = true;
}

void
wa_feed_find_sources(WaScanState *state)
{
	WaFeed *feed = state->feed;

	start(&feed->rows);
	start(&feed->groups);
	state->sources.count = 0;
	feed->first =
		feed->rows.plan == NULL ? NULL : ExecProcNode(feed->rows.plan);
}

bool
wa_feed_has_rows(const WaFeed *feed)
{
	return !TupIsNull(feed->first);
}

bool
wa_feed_has_more(const WaFeed *feed)
{
	return wa_feed_has_rows(feed) || feed->groups.plan != NULL;
}

/* Returns a row of PostgreSQL's plan as one of the node's table. */
static TupleTableSlot *
as_row(const WaFeed *feed, TupleTableSlot *from)
{
	TupleTableSlot *row = feed->row;
	ListCell *cell;

	slot_getallattrs(from);
	ExecClearTuple(row);
	memset(row->tts_isnull, true, row->tts_tupleDescriptor->natts);
	foreach (cell, feed->columns)
	{
		const int to = lfirst_int(cell) - 1;

		if (to < 0)
			continue;
		row->tts_values[to] = from->tts_values[foreach_current_index(cell)];
		row->tts_isnull[to] = from->tts_isnull[foreach_current_index(cell)];
	}
	return ExecStoreVirtualTuple(row);
}

/* Takes the rows of PostgreSQL's plans. */
static void
take_rows(WaScanState *state)
{
	const WaFeed *feed = state->feed;
	int nrows = 0;

	for (TupleTableSlot *slot = feed->first; !TupIsNull(slot);
		 slot = ExecProcNode(feed->rows.plan))
	{
		CHECK_FOR_INTERRUPTS();
		if (wa_rowwise_take_slot(state->batch.rowwise, as_row(feed, slot)))
			state->now.kept_rows++;
		state->now.rowwise_rows++;
		if (++nrows < wa_spill_piece(&state->store))
			continue;
		wa_spill_check(&state->store);
		nrows = 0;
	}
	wa_spill_check(&state->store);
}

/* Takes the groups of other servers. */
static void
take_groups(WaScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	PlanState *plan = state->feed->groups.plan;
	TupleTableSlot *slot;
	int ngroups = 0;

	for (slot = ExecProcNode(plan); !TupIsNull(slot); slot = ExecProcNode(plan))
	{
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		wa_scan_merge_row(&state->store, slot);
		MemoryContextSwitchTo(old);
		if (++ngroups < wa_spill_piece(&state->store))
			continue;
		wa_spill_check(&state->store);
		ngroups = 0;
	}
	wa_spill_check(&state->store);
}

void
wa_feed_take(WaScanState *state)
{
	const WaFeed *feed = state->feed;

	if (feed->rows.plan != NULL)
		take_rows(state);
	if (feed->groups.plan != NULL)
		take_groups(state);
}

void
wa_feed_rescan(WaFeed *feed, Bitmapset *changed)
{
	if (changed == NULL)
		return;
	if (feed->rows.plan != NULL)
		UpdateChangedParamSet(feed->rows.plan, changed);
	if (feed->groups.plan != NULL)
		UpdateChangedParamSet(feed->groups.plan, changed);
}

int
wa_feed_count(const WaScanState *state)
{
	return state->sources.count + state->feed->nothers;
}

void
wa_feed_end(WaFeed *feed)
{
	ExecEndNode(feed->rows.plan);
	ExecEndNode(feed->groups.plan);
}
