/*
 * scan_source.h
 *		The tables that a node reads, and which of their blocks it need not read.
 *
 * Expressions of the query have the columns of one table, the query's.  Of a table with
 * partitions these are the sources; their columns have the same names and types, and
 * perhaps other numbers.
 */
#ifndef WA_SCAN_SCAN_SOURCE_H
#define WA_SCAN_SCAN_SOURCE_H

#include "access/attmap.h"
#include "nodes/execnodes.h"

#include "heap/gather.h"
#include "heap/heap.h"

/* Room for why a node reads the heap. */
#define WA_HEAP_REASON_BYTES 160

typedef struct WaScanSource
{
	Relation relation;
	AttrMap *map;      /* its columns, by those of the query; NULL: these */
	WaHeapScan *heap;  /* NULL: it has not begun */
	uint64_t *covered; /* blocks that were answered for (wa_heap_leave_out);
						* NULL: none, or all */
} WaScanSource;

typedef struct WaScanSources
{
	EState *estate;       /* of the query: its snapshot, and its memory */
	Oid table;            /* the query's, */
	TupleDesc descriptor; /* and its columns */
	int nuses;
	WaGatherUse *uses;        /* of columns of it */
	WaVector *const *columns; /* what they become */

	WaScanSource **known; /* all that the plan has, */
	int nknown;
	WaScanSource **list; /* and those that this scan reads */
	int count;
	int current;     /* which is being read */
	bool is_covered; /* the device process has answered for blocks */
	char heap_reason[WA_HEAP_REASON_BYTES]; /* why_heap.h; empty: none */

	/* What reads the rows of one source, in memory of its own */
	const WaScanSource *entered; /* NULL: none */
	MemoryContext context;
	WaGather *gather;
	WaVector **vectors;     /* of its columns */
	HeapTupleData tuple;    /* a row of the source, */
	TupleTableSlot *stored; /* in a slot, */
	TupleTableSlot *mapped; /* as one of the query's table; NULL: it is that */
} WaScanSources;

/*
 * Makes the sources of a query, in the current memory context: of its table, with room
 * for so many, of which there is none yet.  uses: of the query's columns, which become
 * `columns`.
 */
extern void wa_sources_make(WaScanSources *sources, EState *estate,
							Relation table, int nuses, WaGatherUse *uses,
							WaVector *const *columns);

/* Has the sources be these, which are all read unless it is said otherwise. */
extern void wa_sources_set(WaScanSources *sources, WaScanSource **known,
						   int nknown);

/* Finds out how the columns of a source, whose relation is open, are numbered. */
extern void wa_source_map(WaScanSource *source, TupleDesc descriptor);

/* Returns the number that a column of the query's table, or ctid, has in a source. */
static inline AttrNumber
wa_source_attnum(const WaScanSource *source, AttrNumber attnum)
{
	return source->map == NULL || attnum < 0 ? attnum
											 : source->map->attnums[attnum - 1];
}

/* Returns the scan of the source that is read. */
static inline WaHeapScan *
wa_sources_heap(const WaScanSources *sources)
{
	return sources->list[sources->current]->heap;
}

/* Begins to read all sources, or begins again, with the first block of the first one. */
extern void wa_sources_begin(WaScanSources *sources);

/*
 * Looks for the first row, at the beginning of a scan, and has its source be read
 * (wa_heap_has_rows).  Returns false if there is none.
 */
extern bool wa_sources_have_rows(WaScanSources *sources);

/* As wa_heap_next, source after source. */
extern int wa_sources_read(WaScanSources *sources, WaRow *rows);

/*
 * Returns a row of the source that is read, in a slot, as one of the query's table; it
 * stays until the next call.
 */
extern TupleTableSlot *wa_sources_row(WaScanSources *sources, const WaRow *row);

/* Lets go of everything. */
extern void wa_sources_end(WaScanSources *sources);

/* Returns how many blocks all of this scan's sources have. */
extern uint64 wa_sources_nblocks(const WaScanSources *sources);

/* Returns how many of these are left to be read. */
extern uint64 wa_sources_blocks_left(const WaScanSources *sources);

/* Returns which part of these has been read, or is left out. */
extern double wa_sources_progress(const WaScanSources *sources);

#endif /* WA_SCAN_SCAN_SOURCE_H */
