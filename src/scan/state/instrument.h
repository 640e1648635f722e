/*
 * instrument.h
 *		What EXPLAIN ANALYZE counts of a node.
 */
#ifndef WA_SCAN_INSTRUMENT_H
#define WA_SCAN_INSTRUMENT_H

#include "heap/heap.h"
#include "scan/base/clock.h"

typedef struct WaInstrument
{
	WaHeapCounts read;
	int64 kept_rows;       /* that fulfilled WHERE */
	int64 rowwise_rows;    /* that were computed one by one */
	int64 compared_groups; /* for ORDER BY ... LIMIT */
	int64 resident_blocks; /* that the device process has answered for */
	int64 resident_rows;   /* of these */
	int64 distinct_inputs; /* scan/resident/distinct_inputs.h */
	int64 refusals;        /* it would have taken too much memory */
	double resident_ms;    /* that the device took, and */
	bool is_gpu;           /* what it was */
	int64 spilled_rows;
	int64 batches;     /* of the scan that had most */
	int64 disk_bytes;  /* when there were most of them */
	Size memory_bytes; /* of groups, in one process, likewise */
	double spent_ms[WA_PHASE_COUNT];
} WaInstrument;

/*
 * Adds what was counted to other counts.  at_once: both were at work at the same time,
 * so that their files were there together.
 */
extern void wa_instrument_add(WaInstrument *instrument,
							  const WaInstrument *other, bool at_once);

#endif /* WA_SCAN_INSTRUMENT_H */
