/*
 * scan_source.c
 *		The tables that a node reads; see scan_source.h.
 */
#include "postgres.h"

#include "access/tupconvert.h"
#include "executor/executor.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "scan/state/scan_source.h"

void
wa_sources_make(WaScanSources *sources, EState *estate, Relation table,
				int nuses, WaGatherUse *uses, WaVector *const *columns)
{
	sources->estate = estate;
	sources->table = RelationGetRelid(table);
	sources->descriptor = RelationGetDescr(table);
	sources->nuses = nuses;
	sources->uses = uses;
	sources->columns = columns;
	sources->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg source", ALLOCSET_DEFAULT_SIZES);
}

void
wa_sources_set(WaScanSources *sources, WaScanSource **known, int nknown)
{
	sources->known = known;
	sources->nknown = nknown;
	sources->list = palloc(sizeof(WaScanSource *) * (nknown + 1));
	memcpy(sources->list, known, sizeof(WaScanSource *) * nknown);
	sources->count = nknown;
}

void
wa_source_map(WaScanSource *source, TupleDesc descriptor)
{
	const TupleDesc own = RelationGetDescr(source->relation);

	source->map =
		own == descriptor ? NULL : attributes_by_name_compat(own, descriptor);
}

/* Has all blocks of a source be read, from the first on. */
static void
begin(const WaScanSources *sources, WaScanSource *source)
{
	if (source->heap == NULL)
	{
		source->heap =
			wa_heap_begin(source->relation, sources->estate->es_snapshot);
		return;
	}
	wa_heap_leave_out(source->heap, NULL);
	if (source->covered != NULL)
		pfree(source->covered);
	source->covered = NULL;
	wa_heap_rescan(source->heap);
}

void
wa_sources_begin(WaScanSources *sources)
{
	MemoryContext old = MemoryContextSwitchTo(sources->estate->es_query_cxt);

	sources->is_covered = false;
	sources->current = 0;
	for (int i = 0; i < sources->count; i++)
		begin(sources, sources->list[i]);
	MemoryContextSwitchTo(old);
}

/* Has the source that is read be forgotten, before its relation is closed. */
static void
leave(WaScanSources *sources)
{
	if (sources->entered == NULL)
		return;
	sources->entered = NULL;
	ExecDropSingleTupleTableSlot(sources->stored);
	if (sources->mapped != NULL)
		ExecDropSingleTupleTableSlot(sources->mapped);
	sources->mapped = NULL;
	MemoryContextReset(sources->context);
}

/* Compares numbers of columns. */
static int
compare_uses(const void *a, const void *b)
{
	return ((const WaGatherUse *) a)->attnum -
		   ((const WaGatherUse *) b)->attnum;
}

/* Prepares to gather the columns of a source, which may lie in another order there. */
static void
make_gather(WaScanSources *sources, const WaScanSource *source)
{
	WaGatherUse *uses = palloc(sizeof(WaGatherUse) * (sources->nuses + 1));
	AttrNumber *attnums = palloc(sizeof(AttrNumber) * (sources->nuses + 1));

	sources->vectors = palloc(sizeof(WaVector *) * (sources->nuses + 1));
	for (int i = 0; i < sources->nuses; i++)
	{
		uses[i] = sources->uses[i];
		uses[i].attnum = wa_source_attnum(source, uses[i].attnum);
		attnums[i] = uses[i].attnum;
	}
	qsort(uses, sources->nuses, sizeof(WaGatherUse), compare_uses);
	for (int i = 0; i < sources->nuses; i++)
		for (int j = 0; j < sources->nuses; j++)
			if (attnums[j] == uses[i].attnum)
				sources->vectors[i] = sources->columns[j];
	sources->gather = wa_gather_make(RelationGetDescr(source->relation),
									 sources->nuses, uses);
}

/* Has a source be read. */
static void
enter(WaScanSources *sources, int number)
{
	const WaScanSource *source = sources->list[number];
	MemoryContext old;

	sources->current = number;
	if (sources->entered == source)
		return;
	leave(sources);
	old = MemoryContextSwitchTo(sources->context);
	make_gather(sources, source);
	sources->stored = MakeSingleTupleTableSlot(
		RelationGetDescr(source->relation), &TTSOpsHeapTuple);
	if (source->map != NULL)
		sources->mapped =
			MakeSingleTupleTableSlot(sources->descriptor, &TTSOpsVirtual);
	MemoryContextSwitchTo(old);
	sources->entered = source;
}

bool
wa_sources_have_rows(WaScanSources *sources)
{
	for (int i = 0; i < sources->count; i++)
		if (wa_heap_has_rows(sources->list[i]->heap))
		{
			enter(sources, i);
			return true;
		}
	return false;
}

int
wa_sources_read(WaScanSources *sources, WaRow *rows)
{
	int nrows = 0;

	while (sources->current < sources->count)
	{
		nrows = wa_heap_next(sources->list[sources->current]->heap, rows);
		if (nrows > 0)
			break;
		sources->current++;
	}
	if (nrows > 0)
		enter(sources, sources->current);
	return nrows;
}

TupleTableSlot *
wa_sources_row(WaScanSources *sources, const WaRow *row)
{
	TupleTableSlot *slot = sources->stored;
	HeapTuple tuple = &sources->tuple;

	tuple->t_len = row->length;
	tuple->t_tableOid = RelationGetRelid(sources->entered->relation);
	tuple->t_data = row->tuple;
	ItemPointerSet(&tuple->t_self, row->block, row->offset);
	(void) ExecStoreHeapTuple(tuple, slot, false);
	return sources->mapped == NULL
			   ? slot
			   : execute_attr_map_slot(sources->entered->map, slot,
									   sources->mapped);
}

void
wa_sources_end(WaScanSources *sources)
{
	leave(sources);
	for (int i = 0; i < sources->nknown; i++)
	{
		if (sources->known[i]->heap != NULL)
			wa_heap_end(sources->known[i]->heap);
		sources->known[i]->heap = NULL;
	}
}

uint64
wa_sources_nblocks(const WaScanSources *sources)
{
	uint64 nblocks = 0;

	for (int i = 0; i < sources->count; i++)
		nblocks += wa_heap_nblocks(sources->list[i]->heap);
	return nblocks;
}

uint64
wa_sources_blocks_left(const WaScanSources *sources)
{
	uint64 left = 0;

	for (int i = sources->current; i < sources->count; i++)
		left += wa_heap_blocks_left(sources->list[i]->heap);
	return left;
}

double
wa_sources_progress(const WaScanSources *sources)
{
	const uint64 nblocks = wa_sources_nblocks(sources);
	double done = 0;

	for (int i = 0; i < sources->count; i++)
	{
		const WaHeapScan *heap = sources->list[i]->heap;

		done += wa_heap_progress(heap) * wa_heap_nblocks(heap);
	}
	return nblocks == 0 ? 1 : done / (double) nblocks;
}
