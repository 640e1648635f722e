//
// query_signs.cu
//		Whether keys of floats have zeros of both signs; see query/work.h.
//
#include "query/work.h"

#include "query/signs.cuh"

// Tells whether a key is one of floats that are numbered as equal.
static bool
is_float(const WaQuerySource *key)
{
	return key->form == WA_COLUMN_F32 || key->form == WA_COLUMN_F64;
}

// Starts the kernel over a key.
static cudaError_t
start_key(const WaQueryWork *work, const WaQuerySource *key, uint32_t *d_signs)
{
	WaQuerySigns args = {key->d_values, work->d_selection, key->d_validity,
						 work->nrows, d_signs};
	void *arguments[] = {&args};

	return cudaLaunchKernel(
		key->form == WA_COLUMN_F32 ? wa_query_signs_kernel<float>
								   : wa_query_signs_kernel<double>,
		dim3(wa_query_blocks(work, work->nrows)), dim3(kQueryThreads),
		arguments, 0, work->slot->stream);
}

cudaError_t
wa_query_start_signs(WaQueryWork *work)
{
	const size_t bytes = work->keys.size() * sizeof(uint32_t);
	WaQuerySlot *slot = work->slot;
	uint32_t *signs = NULL;
	uint32_t *d_signs = NULL;
	bool has_floats = false;
	cudaError_t error;

	for (const WaQuerySource &key : work->keys)
		has_floats |= is_float(&key);
	if (work->limit == 0 || !has_floats)
		return cudaSuccess;
	error = wa_query_take(&slot->pool, work->keys.size(), &signs);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, work->keys.size(), &d_signs);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(d_signs, 0, bytes, slot->stream);
	for (size_t i = 0; i < work->keys.size(); i++)
		if (error == cudaSuccess && is_float(&work->keys[i]))
			error = start_key(work, &work->keys[i], d_signs + i);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(signs, d_signs, bytes, cudaMemcpyDeviceToHost,
								slot->stream);
	work->signs = signs;
	return error;
}

bool
wa_query_mixes_zeros(const WaQueryWork *work)
{
	for (size_t i = 0; work->signs != NULL && i < work->keys.size(); i++)
		if (work->signs[i] == (kPlusZero | kMinusZero))
			return true;
	return false;
}
