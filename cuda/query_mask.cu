//
// query_mask.cu
//		The bitmap of the rows that may be used.
//
#include "query/work.h"

#include <algorithm>

#include "query/mask.cuh"

cudaError_t
wa_query_start_mask(WaQueryWork *work, uint64_t **d_mask)
{
	const WaCudaQuery *query = work->query;
	WaQuerySlot *slot = work->slot;
	WaCudaRange *ranges;
	WaCudaRange *d_ranges;
	WaQueryMask args = {};
	void *arguments[] = {&args};
	cudaError_t error = wa_query_take(
		&slot->d_pool, wa_validity_bytes(work->nrows) / 8, d_mask);

	if (error == cudaSuccess)
		error = wa_query_take(&slot->pool, query->nranges, &ranges);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, query->nranges, &d_ranges);
	if (error != cudaSuccess)
		return error;
	std::copy(query->ranges, query->ranges + query->nranges, ranges);
	error =
		cudaMemcpyAsync(d_ranges, ranges, query->nranges * sizeof(WaCudaRange),
						cudaMemcpyHostToDevice, slot->stream);
	if (error != cudaSuccess)
		return error;
	args.ranges = d_ranges;
	args.nranges = query->nranges;
	args.nrows = work->nrows;
	args.mask = *d_mask;
	return cudaLaunchKernel(
		wa_query_mask_kernel,
		dim3(wa_query_blocks(work, wa_validity_bytes(work->nrows) / 8)),
		dim3(kQueryThreads), arguments, 0, slot->stream);
}
