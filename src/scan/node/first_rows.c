/*
 * first_rows.c
 *		The node that reads rows of a table whose places come from below.
 *
 * The plan below it returns the places (heap/place.h), of first rows in their order; see
 * scan/plan/rows_path.h.  Others are read in the order of their pages, as a bitmap heap scan
 * reads them, as many at a time as work_mem has room for places.  The rows that a snapshot sees
 * stay where they are for as long as it is there, and what is resident of a block is not used
 * unless it is what the snapshot sees, so each row is where it is said to be.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/spccache.h"

#include "compat.h"
#include "heap/place.h"
#include "scan/state/plan.h"

typedef struct FirstRows
{
	CustomScanState css;
	PlanState *below;
	AttrNumber place; /* the number of its column that has the places */
	bool is_ordered;  /* these come in the order of the rows */

	/* If they do not: */
	int64 *places; /* that are being read, in order */
	size_t count;
	size_t next;       /* that is to be read, */
	size_t prefetched; /* and whose page is to be asked for ahead */
	size_t room;       /* for places */
	size_t most;       /* that there may be room for */
	size_t ahead;      /* so many pages are asked for ahead */
	bool is_done;      /* all places have been taken */
} FirstRows;

/* Places that there is room for in the beginning. */
#define FIRST_ROOM 1024

static void
begin_rows(CustomScanState *node, EState *estate, int eflags)
{
	FirstRows *self = (FirstRows *) node;
	const CustomScan *plan = castNode(CustomScan, node->ss.ps.plan);

	begin_scan_slot_compat(node, estate, &TTSOpsBufferHeapTuple);
	self->below =
		ExecInitNode((Plan *) linitial(plan->custom_plans), estate, eflags);
	self->place = (AttrNumber) intVal(linitial(plan->custom_private));
	self->is_ordered = intVal(lsecond(plan->custom_private)) != 0;
	node->custom_ps = list_make1(self->below);
	if (self->is_ordered || (eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	self->room = FIRST_ROOM;
	self->most = (size_t) work_mem * 1024 / sizeof(*self->places);
	self->places = palloc(sizeof(*self->places) * self->room);
	self->ahead = (size_t) get_tablespace_io_concurrency(
		node->ss.ss_currentRelation->rd_rel->reltablespace);
}

/* Takes the next place from below; returns false if there is none. */
static bool
take_place(FirstRows *self, int64 *place)
{
	TupleTableSlot *found = ExecProcNode(self->below);
	bool is_null;

	if (TupIsNull(found))
		return false;
	*place = DatumGetInt64(slot_getattr(found, self->place, &is_null));
	if (is_null)
		elog(ERROR, "a row has no place");
	return true;
}

/* Orders places, as a qsort comparator. */
static int
compare_places(const void *a, const void *b)
{
	const int64 left = *(const int64 *) a;
	const int64 right = *(const int64 *) b;

	return (left > right) - (left < right);
}

/* Takes as many places as there may be room for, and brings them into order. */
static void
take_places(FirstRows *self)
{
	self->count = 0;
	self->next = 0;
	self->prefetched = 0;
	while (!self->is_done && self->count < self->most)
	{
		if (self->count == self->room)
		{
			self->room *= 2;
			self->places =
				repalloc_huge(self->places, sizeof(*self->places) * self->room);
		}
		self->is_done = !take_place(self, &self->places[self->count]);
		if (!self->is_done)
			self->count++;
	}
	qsort(self->places, self->count, sizeof(*self->places), compare_places);
}

/* Asks for the pages of the next rows. */
static void
prefetch(FirstRows *self)
{
	ItemPointerData item;

	self->prefetched = Max(self->prefetched, self->next + 1);
	while (self->prefetched < Min(self->next + 1 + self->ahead, self->count))
	{
		wa_place_item(self->places[self->prefetched++], &item);
		(void) PrefetchBuffer(self->css.ss.ss_currentRelation, MAIN_FORKNUM,
							  ItemPointerGetBlockNumber(&item));
	}
}

/* Returns the next of the places in order; returns false if there is none. */
static bool
next_place(FirstRows *self, int64 *place)
{
	if (self->next == self->count)
		take_places(self);
	if (self->count == 0)
		return false;
	prefetch(self);
	*place = self->places[self->next++];
	return true;
}

/* Reads the next row; returns false if there is none. */
static bool
read_row(FirstRows *self)
{
	ScanState *scan = &self->css.ss;
	ItemPointerData item;
	int64 place;

	if (!(self->is_ordered ? take_place : next_place)(self, &place))
		return false;
	wa_place_item(place, &item);
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
	FirstRows *self = (FirstRows *) node;
	PlanState *below = self->below;

	ExecClearTuple(node->ss.ss_ScanTupleSlot);
	self->count = 0;
	self->next = 0;
	self->is_done = false;
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
