/*
 * scan_source.h
 *		A table that a node reads, and which of its blocks it need not read.
 */
#ifndef WA_SCAN_SCAN_SOURCE_H
#define WA_SCAN_SCAN_SOURCE_H

#include "nodes/execnodes.h"

#include "heap/gather.h"
#include "heap/heap.h"

/* Room for why a node reads the heap. */
#define WA_HEAP_REASON_BYTES 160

typedef struct WaScanSource
{
	Relation relation;
	EState *estate;    /* of the query: its snapshot, and its memory */
	WaHeapScan *heap;  /* NULL: it has not begun */
	WaGather *gather;  /* the columns of the query */
	bool is_covered;   /* the device process has answered for blocks, */
	uint64_t *covered; /* these (wa_heap_leave_out); NULL: none, or all */
	char heap_reason[WA_HEAP_REASON_BYTES]; /* why_heap.h; empty: none */
} WaScanSource;

#endif /* WA_SCAN_SCAN_SOURCE_H */
