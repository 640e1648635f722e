//
// query_all.cu
//		Queries without keys: one launch reduces several columns.
//
#include <algorithm>

#include "core/batch.h"
#include "kernels.h"
#include "query/parts.h"
#include "query/values.h"

// What the intersection kernel takes.
struct WaQueryIntersection
{
	const uint64_t *a;
	const uint64_t *b;
	uint64_t *both;
	uint32_t words;
};

// Makes the intersection of two bitmaps.  Any grid; deterministic.
__global__ void
wa_query_intersect_kernel(const WaQueryIntersection args)
{
	for (uint32_t word = blockIdx.x * blockDim.x + threadIdx.x;
		 word < args.words; word += gridDim.x * blockDim.x)
		args.both[word] = args.a[word] & args.b[word];
}

const uint64_t *
wa_query_find_valid(WaQueryWork *work, const WaQuerySource *source)
{
	const size_t words = wa_validity_bytes(work->nrows) / 8;
	WaQueryIntersection args = {work->d_selection, source->d_validity, NULL,
								(uint32_t) words};

	if (source->is_output)
		return source->d_validity;
	if (source->d_validity == NULL)
		return work->d_selection;
	args.both = wa_query_take<uint64_t>(&work->slot->d_pool, words);
	wa_query_launch(work, wa_query_intersect_kernel, words, 0, args);
	return args.both;
}

// Makes columns of the parts, behind one that counts the rows that WHERE leaves.
static std::vector<WaKernelColumn>
make_columns(WaQueryWork *work, const std::vector<WaQueryPart> &parts)
{
	std::vector<WaKernelColumn> columns = {
		{{WA_INT2, NULL, work->d_selection, work->nrows}, 0, NULL}};
	WaKernelResult *results =
		wa_query_take<WaKernelResult>(&work->slot->pool, parts.size() + 1);

	for (size_t i = 0; i < parts.size(); i++)
	{
		const unsigned source = parts[i].source;
		WaKernelColumn column = {parts[i].batch, parts[i].ops, NULL};

		column.d_batch.validity =
			i > 0 && parts[i - 1].source == source
				? columns.back().d_batch.validity
				: wa_query_find_valid(work, &work->sources[source]);
		columns.push_back(column);
	}
	for (WaKernelColumn &column : columns)
		column.d_result = results++;
	return columns;
}

// Starts the reductions of all columns.
static void
start_columns(WaQueryWork *work, const std::vector<WaKernelColumn> &columns)
{
	WaQuerySlot *slot = work->slot;

	for (size_t i = 0; i < columns.size(); i += WA_KERNEL_MAX_COLUMNS)
		wa_query_check(wa_kernel_launch(
			&columns[i],
			(unsigned) std::min(columns.size() - i,
								(size_t) WA_KERNEL_MAX_COLUMNS),
			slot->d_scratch, slot->device.multiprocessors, slot->stream));
}

// Has the one group taken.
static void
finish(const WaQueryWork *work, const std::vector<WaQueryPart> &parts,
	   const std::vector<WaKernelColumn> &columns, const WaQueryFound &found)
{
	const size_t count = work->sources.size();
	std::vector<WaExactPart> exact(count);
	std::vector<WaCudaCell> cells(count + wa_query_count_found(work->query));

	for (size_t i = 0; i < count; i++)
	{
		wa_query_begin_cell(work, i, &exact[i], &cells[i]);
		if (work->sources[i].counts_rows)
			cells[i].partial.rows = columns[0].d_result->rows;
	}
	for (size_t i = 0; i < parts.size(); i++)
	{
		const WaKernelColumn &column = columns[i + 1];
		WaCudaCell *cell = &cells[parts[i].source];
		WaPartial *partial = &cell->partial;
		WaPartial own;

		if (parts[i].of != WA_QUERY_VALUES)
		{
			wa_partial_init(&own, NULL);
			partial = &own;
		}
		wa_kernel_finish(column.ops, column.d_batch.type, column.d_result,
						 partial);
		wa_query_add_part(&parts[i], column.ops, partial, cell);
	}
	if (work->query->values != NULL)
		wa_query_add_found(work, &found, 0, cells.data());
	(void) work->take(work->context, NULL, cells.data());
}

void
wa_query_reduce_all(WaQueryWork *work, WaCudaOutcome *outcome)
{
	const std::vector<WaQueryPart> parts = wa_query_list_parts(work);
	const std::vector<WaKernelColumn> columns = make_columns(work, parts);
	WaQueryFound found = {};

	start_columns(work, columns);
	wa_query_slot_wait(work->slot);
	outcome->trapped = wa_query_has_trapped(work);
	outcome->kept_rows = (uint64_t) columns[0].d_result->rows;
	if (outcome->trapped)
		return;
	if (work->query->values != NULL)
	{
		found = wa_query_find_values(work, NULL, 1);
		wa_query_slot_wait(work->slot);
	}
	finish(work, parts, columns, found);
}
