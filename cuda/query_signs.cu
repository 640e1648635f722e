//
// query_signs.cu
//		Whether keys of floats have zeros of both signs; see query/work.h.
//
#include "core/batch.h"
#include "query/work.h"

// What there may be.
constexpr uint32_t kPlusZero = 1;
constexpr uint32_t kMinusZero = 2;

// What the kernel takes.
struct WaQuerySigns
{
	const void *values;
	const uint64_t *selection;
	const uint64_t *validity; // NULL: all rows are valid
	uint32_t nrows;
	uint32_t *signs; // 0 at first
};

// Adds what there is in selected rows to *signs.  Any grid; deterministic.
template <typename Value>
__global__ void
wa_query_signs_kernel(const WaQuerySigns args)
{
	const Value *values = static_cast<const Value *>(args.values);
	uint32_t signs = 0;

	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
		if (wa_row_is_valid(args.selection, row) &&
			wa_row_is_valid(args.validity, row) && values[row] == 0)
			signs |= 1 / values[row] < 0 ? kMinusZero : kPlusZero;
	if (signs != 0)
		atomicOr(args.signs, signs);
}

// Tells whether a key is one of floats that are numbered as equal.
static bool
is_float(const WaQuerySource *key)
{
	return key->form == WA_COLUMN_F32 || key->form == WA_COLUMN_F64;
}

void
wa_query_start_signs(WaQueryWork *work)
{
	const size_t count = work->keys.size();
	WaQuerySlot *slot = work->slot;
	bool has_floats = false;
	uint32_t *signs;
	uint32_t *d_signs;

	for (const WaQuerySource &key : work->keys)
		has_floats |= is_float(&key);
	if (!work->by_equal_keys || !has_floats)
		return;
	signs = wa_query_take<uint32_t>(&slot->pool, count);
	d_signs = wa_query_take<uint32_t>(&slot->d_pool, count);
	wa_query_check(
		cudaMemsetAsync(d_signs, 0, count * sizeof(uint32_t), slot->stream));
	for (size_t i = 0; i < count; i++)
	{
		const WaQuerySource *key = &work->keys[i];
		const WaQuerySigns args = {key->d_values, work->d_selection,
								   key->d_validity, work->nrows, d_signs + i};

		if (is_float(key))
			wa_query_launch(work,
							key->form == WA_COLUMN_F32
								? wa_query_signs_kernel<float>
								: wa_query_signs_kernel<double>,
							work->nrows, 0, args);
	}
	wa_query_fetch(slot, signs, d_signs, count);
	work->signs = signs;
}

bool
wa_query_mixes_zeros(const WaQueryWork *work)
{
	for (size_t i = 0; work->signs != NULL && i < work->keys.size(); i++)
		if (work->signs[i] == (kPlusZero | kMinusZero))
			return true;
	return false;
}
