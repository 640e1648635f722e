//
// keys.cu
//		Plan and launch of the numbering of groups; see keys.h.
//
#include "keys.h"

#include <algorithm>
#include <string.h>

#include "keys/direct.cuh"
#include "keys/hash.cuh"
#include "keys/narrow.cuh"
#include "programs.h"

// Bytes of a block's cache at most.
static const size_t kCacheBytes = 24 * 1024;

static_assert(WA_KEYS_MAX_ENTRIES + 1 <= kSharedGroups,
			  "what stands for keys has room in shared memory, and NULL");

// Slots of the hash table for each group.
static const uint32_t kSlotsPerGroup = 2;

typedef void (*Kernel)(const WaKeysArgs args);

// A kernel, and how it is launched.
struct Choice
{
	Kernel kernel;
	unsigned rows;   // of a thread at a time
	unsigned blocks; // of a multiprocessor
};

// Returns how many keys the kernel that serves so many has.
static unsigned
kernel_keys(unsigned ncolumns)
{
	unsigned nkeys = 1;

	while (nkeys < ncolumns)
		nkeys *= 2;
	return nkeys;
}

// Returns the kernel for up to kKeys keys.
template <unsigned kKeys, unsigned kRows>
static Choice
kernel_for(WaKeysMethod method)
{
	return {method == WA_KEYS_DIRECT ? wa_keys_direct_kernel<kKeys, kRows>
									 : wa_keys_hash_kernel<kKeys, kRows>,
			kRows, wa_key_blocks(kKeys)};
}

// Returns the kernel for a single key with few values.
template <typename Places>
static Choice
narrow_for()
{
	return {wa_keys_narrow_kernel<Places>, kNarrowRows<typename Places::Stored>,
			kNarrowBlocks};
}

// The same for a key with this for the least word, if it can be one.
template <typename Stored>
static Choice
narrow_from(int64_t least)
{
	return least == (Stored) least ? narrow_for<WaKeyPlaces<Stored>>()
								   : Choice();
}

// Returns the kernel for a single key that is looked up, or has up to 32 bits, with few
// values; none if the keys are others.
static Choice
find_narrow_kernel(const WaKeys *keys, const WaKeysPlan *plan)
{
	const WaKeyColumn *column = &keys->columns[0];

	if (keys->lookup != NULL && column->form == WA_COLUMN_I32)
		return narrow_for<WaKeyLookupPlaces<int32_t>>();
	if (keys->lookup != NULL)
		return narrow_for<WaKeyLookupPlaces<int64_t>>();
	if (plan->method != WA_KEYS_DIRECT || keys->ncolumns != 1 ||
		plan->ngroups > kSharedGroups)
		return {};
	switch (column->form)
	{
		case WA_COLUMN_I16:
			return narrow_from<int16_t>(plan->base[0]);
		case WA_COLUMN_I32:
			return narrow_from<int32_t>(plan->base[0]);
		case WA_COLUMN_U32:
			return narrow_from<uint32_t>(plan->base[0]);
		default:
			return {};
	}
}

// Returns the kernel for keys.
static Choice
find_kernel(const WaKeys *keys, const WaKeysPlan *plan)
{
	const Choice narrow = find_narrow_kernel(keys, plan);

	if (narrow.kernel != NULL)
		return narrow;
	switch (kernel_keys(keys->ncolumns))
	{
		case 1:
			return kernel_for<1, 4>(plan->method);
		case 2:
			return kernel_for<2, 4>(plan->method);
		case 4:
			return kernel_for<4, 2>(plan->method);
		case 8:
			return kernel_for<8, 1>(plan->method);
		case 16:
			return kernel_for<16, 1>(plan->method);
		default:
			return kernel_for<WA_KEYS_MAX, 1>(plan->method);
	}
}

// Tells whether a key may be looked up.
static bool
lookup_is_sound(const WaKeys *keys)
{
	const WaKeyColumn *column = &keys->columns[0];

	return keys->ncolumns == 1 &&
		   (column->form == WA_COLUMN_I32 || column->form == WA_COLUMN_I64);
}

// Tells whether keys keep their contract.
static bool
keys_are_sound(const WaKeys *keys)
{
	if (keys->ncolumns < 1 || keys->ncolumns > WA_KEYS_MAX ||
		keys->nrows > WA_KEYS_MAX_ROWS)
		return false;
	for (unsigned i = 0; i < keys->ncolumns; i++)
		if ((unsigned) keys->columns[i].form >= WA_COLUMN_COUNT &&
			keys->columns[i].form != WA_COLUMN_I128)
			return false;
	return keys->lookup == NULL || lookup_is_sound(keys);
}

WaKeyRange
wa_keys_form_range(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I8:
			return {INT8_MIN, INT8_MAX};
		case WA_COLUMN_I16:
			return {INT16_MIN, INT16_MAX};
		case WA_COLUMN_I32:
			return {INT32_MIN, INT32_MAX};
		case WA_COLUMN_U32:
			return {0, UINT32_MAX};
		case WA_COLUMN_BITS:
			return {0, 1};
		default:
			return {INT64_MIN, INT64_MAX};
	}
}

// Returns the number of bits of the places of a range: one for NULL, and one
// for each word.
static unsigned
place_bits(const WaKeyRange *range)
{
	const uint64_t span =
		(uint64_t) range->largest - (uint64_t) range->smallest;
	unsigned bits = 1;

	if (range->largest < range->smallest)
		return 0;
	if (span >= WA_KEYS_MAX_GROUPS)
		return 64;
	while ((uint64_t) 1 << bits < span + 2)
		bits++;
	return bits;
}

cudaError_t
wa_keys_plan_direct(const WaKeys *keys, const WaKeyRange *ranges,
					uint32_t max_groups, WaKeysPlan *plan)
{
	unsigned shift = 0;

	memset(plan, 0, sizeof(*plan));
	if (!keys_are_sound(keys))
		return cudaErrorInvalidValue;
	plan->method = WA_KEYS_DIRECT;
	for (unsigned i = 0; i < keys->ncolumns; i++)
	{
		plan->base[i] = ranges[i].smallest;
		plan->shift[i] = (uint8_t) shift;
		shift += place_bits(&ranges[i]);
		if (shift >= 32 ||
			(uint32_t) 1 << shift > std::min(max_groups, WA_KEYS_MAX_GROUPS))
			return cudaErrorNotSupported;
	}
	plan->shift[keys->ncolumns] = (uint8_t) shift;
	plan->ngroups = (uint32_t) 1 << shift;
	return keys->lookup != NULL &&
				   (ranges[0].smallest != 0 || plan->ngroups > kSharedGroups)
			   ? cudaErrorNotSupported
			   : cudaSuccess;
}

cudaError_t
wa_keys_plan_hash(const WaKeys *keys, uint32_t max_groups, WaKeysPlan *plan)
{
	memset(plan, 0, sizeof(*plan));
	if (!keys_are_sound(keys) || keys->lookup != NULL || max_groups < 1 ||
		max_groups > WA_KEYS_MAX_GROUPS)
		return cudaErrorInvalidValue;
	plan->method = WA_KEYS_HASH;
	plan->ngroups = max_groups;
	plan->nslots = 1024;
	while (plan->nslots < max_groups * kSlotsPerGroup)
		plan->nslots *= 2;
	plan->workspace_bytes =
		(plan->nslots +
		 (size_t) max_groups * (kernel_keys(keys->ncolumns) + 1)) *
		sizeof(uint64_t);
	return cudaSuccess;
}

// Returns what the kernels take.
static WaKeysArgs
kernel_args(const WaKeys *keys, const WaKeysPlan *plan,
			const WaKeysMemory *memory)
{
	WaKeysArgs args = {};

	std::copy(keys->columns, keys->columns + keys->ncolumns, args.columns);
	memcpy(args.base, plan->base, sizeof(args.base));
	memcpy(args.shift, plan->shift, sizeof(args.shift));
	args.ncolumns = keys->ncolumns;
	args.nrows = (unsigned) keys->nrows;
	args.selection = keys->d_selection;
	args.max_groups = plan->ngroups;
	args.slot_mask = plan->nslots - 1;
	args.slots = static_cast<unsigned long long *>(memory->d_workspace);
	args.groups = memory->d_groups;
	args.words = static_cast<uint64_t *>(memory->d_workspace) + plan->nslots;
	args.first_rows = memory->d_first_rows;
	args.status = memory->d_status;
	if (keys->lookup != NULL)
		args.lookup = *keys->lookup;
	return args;
}

// Sets what the kernels find set.
static cudaError_t
clear_memory(const WaKeys *keys, const WaKeysPlan *plan,
			 const WaKeysMemory *memory, cudaStream_t stream)
{
	cudaError_t error =
		cudaMemsetAsync(memory->d_status, 0, sizeof(WaKeysStatus), stream);

	if (error == cudaSuccess)
		error = cudaMemsetAsync(memory->d_first_rows, 0xff,
								plan->ngroups * sizeof(uint32_t), stream);
	if (error == cudaSuccess && keys->lookup != NULL)
		error = cudaMemsetAsync(keys->lookup->d_traps, 0,
								wa_program_trap_bytes(keys->nrows), stream);
	if (error == cudaSuccess && plan->nslots > 0)
		error = cudaMemsetAsync(memory->d_workspace, 0,
								plan->nslots * sizeof(uint64_t), stream);
	return error;
}

// Returns the shared memory of a block, and sets the size of its cache.
static size_t
shared_bytes(const WaKeysPlan *plan, unsigned nkeys, WaKeysArgs *args)
{
	const size_t entry_bytes =
		(nkeys + 1) * sizeof(uint64_t) + sizeof(uint32_t);
	unsigned entries = 2;

	if (plan->method == WA_KEYS_DIRECT)
		return plan->ngroups <= kSharedGroups ? plan->ngroups * sizeof(uint32_t)
											  : 0;
	while (2 * entries * entry_bytes <= kCacheBytes)
		entries *= 2;
	args->cache_mask = entries - 1;
	return sizeof(WaKeysShared) + entries * entry_bytes;
}

cudaError_t
wa_keys_start(const WaKeys *keys, const WaKeysPlan *plan,
			  const WaKeysMemory *memory, int multiprocessors,
			  cudaStream_t stream)
{
	const Choice choice = find_kernel(keys, plan);
	WaKeysArgs args = kernel_args(keys, plan, memory);
	const size_t bytes = shared_bytes(plan, kernel_keys(keys->ncolumns), &args);
	const unsigned block_rows = kKeyThreads * choice.rows;
	const unsigned blocks =
		std::min((args.nrows + block_rows - 1) / block_rows,
				 (unsigned) std::max(multiprocessors, 1) * choice.blocks);
	void *arguments[] = {&args};
	cudaError_t error = clear_memory(keys, plan, memory, stream);

	if (error != cudaSuccess || keys->nrows == 0)
		return error;
	return cudaLaunchKernel(choice.kernel, dim3(blocks), dim3(kKeyThreads),
							arguments, bytes, stream);
}
