/*
 * feed.c
 *		The sources of a node whose table has partitions or children; see feed.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "scan/node/feed.h"
#include "scan/rows/rowwise.h"
#include "scan/spill/spill.h"
#include "scan/state/plan.h"

struct WaFeed
{
	PlanState *plan;       /* NULL: there is nothing below */
	List *columns;         /* of its rows, the numbers in the node's table */
	TupleTableSlot *row;   /* as one of that */
	TupleTableSlot *first; /* that has come while sources were looked for */
	bool has_run;
	int nothers; /* plans of PostgreSQL's */
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

/* What is below a node. */
typedef struct Below
{
	List *sources; /* SourceNode */
	int nothers;
} Below;

/* Collects sources, and counts the plans beside them. */
static bool
collect(PlanState *node, void *context)
{
	Below *below = (Below *) context;

	if (IsA(node, AppendState) || IsA(node, ResultState))
		return planstate_tree_walker(node, collect, context);
	if (IsA(node, CustomScanState) &&
		((CustomScanState *) node)->methods == &source_methods)
		below->sources = lappend(below->sources, node);
	else
		below->nothers++;
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

WaFeed *
wa_feed_begin(WaScanState *state, TupleDesc descriptor, int eflags)
{
	const CustomScan *plan = castNode(CustomScan, state->css.ss.ps.plan);
	EState *estate = state->css.ss.ps.state;
	WaFeed *feed = palloc0(sizeof(WaFeed));
	Below below = {NIL, 0};

	feed->plan = ExecInitNode((Plan *) linitial(plan->custom_plans), estate,
							  eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	feed->columns = wa_plan_feed_columns(plan);
	feed->row = ExecInitExtraTupleSlot(estate, descriptor, &TTSOpsVirtual);
	state->css.custom_ps = list_make1(feed->plan);
	(void) collect(feed->plan, &below);
	feed->nothers = below.nothers;
	introduce(&state->sources, below.sources, descriptor);
	return feed;
}

void
wa_feed_find_sources(WaScanState *state)
{
	WaFeed *feed = state->feed;

	if (feed->has_run && feed->plan->chgParam == NULL)
		ExecReScan(feed->plan);
	feed->has_run = true;
	state->sources.count = 0;
	feed->first = ExecProcNode(feed->plan);
}

bool
wa_feed_has_rows(const WaFeed *feed)
{
	return !TupIsNull(feed->first);
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

void
wa_feed_take_rows(WaScanState *state)
{
	const WaFeed *feed = state->feed;
	int nrows = 0;

	for (TupleTableSlot *slot = feed->first; !TupIsNull(slot);
		 slot = ExecProcNode(feed->plan))
	{
		CHECK_FOR_INTERRUPTS();
		wa_rowwise_take_slot(state->batch.rowwise, as_row(feed, slot));
		state->now.rowwise_rows++;
		state->now.kept_rows++;
		if (++nrows < wa_spill_piece(&state->store))
			continue;
		wa_spill_check(&state->store);
		nrows = 0;
	}
	wa_spill_check(&state->store);
}

void
wa_feed_rescan(WaFeed *feed, Bitmapset *changed)
{
	if (changed != NULL)
		UpdateChangedParamSet(feed->plan, changed);
}

int
wa_feed_count(const WaScanState *state)
{
	return state->sources.count + state->feed->nothers;
}

void
wa_feed_end(WaFeed *feed)
{
	ExecEndNode(feed->plan);
}
