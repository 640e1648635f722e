/*
 * gpu_spans.h
 *		The rows that a query computes on a GPU, as few spans of positions.
 */
#ifndef WA_DAEMON_GPU_SPANS_H
#define WA_DAEMON_GPU_SPANS_H

#include "cuda/query.h"
#include "daemon/mirror/mirror.h"

/*
 * Extents begin to end - 1 of a use, which lie one behind the other, perhaps with others'
 * positions between them, so that one query computes them, whatever their number.
 * Ranges are of positions in the span.
 */
typedef struct WaGpuSpan
{
	uint32_t begin;
	uint32_t end;
	uint64_t first_row;
	uint64_t nrows;
	uint64_t rows; /* of all ranges */
	uint32_t nranges;
	const WaCudaRange *ranges; /* of the rows that may be used */
} WaGpuSpan;

/* All extents of a use, which is constant once it is made. */
typedef struct WaGpuSpans
{
	WaMirrorNote note; /* first: it is one */
	uint32_t count;
	WaGpuSpan *spans;
	struct WaGpuSums *sums; /* of the extents before each, and of all */
	uint32_t nranges;
	size_t room; /* for ranges */
	WaCudaRange *ranges;
} WaGpuSpans;

/*
 * Returns the spans of a use, for as long as that: those that another use has made,
 * or new ones; NULL if there is no memory.
 */
const WaGpuSpans *wa_gpu_spans_get(const WaMirrorUse *use,
								   const WaRunRequest *request);

#endif /* WA_DAEMON_GPU_SPANS_H */
