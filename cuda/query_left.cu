//
// query_left.cu
//		Queries for the rows that are left, in place of groups.
//
// Each key is copied to an array of those rows, and all arrays lie in one piece of memory,
// which is copied to the host's at once.
//
#include <algorithm>

#include "query/key.cuh"
#include "query/rows.h"
#include "warp/reduce.cuh"

// What words lie between; the smallest is more than the largest if there is none.
struct WaQueryBounds
{
	long long smallest;
	long long largest;
};

// The bounds of words of two lots, as an operation.
struct WaQueryWider
{
	__device__ __forceinline__ static void
	merge(WaQueryBounds &into, const WaQueryBounds &from)
	{
		into.smallest = min(into.smallest, from.smallest);
		into.largest = max(into.largest, from.largest);
	}
};

// What the kernel takes: a key, and the rows.
struct WaQueryLeftArgs
{
	WaKeyColumn column;
	const uint32_t *rows;
	uint32_t count;
	void *values;
	uint8_t *valid; // NULL: no row is NULL
	WaQueryBounds *bounds;
};

// Returns what a row has of a key: an integer, or the bits of a double.
__device__ __forceinline__ WaQueryWord
wa_query_row_word(const WaKeyColumn &column, uint32_t row)
{
	WaQueryWord word = wa_query_key_word(column, row);

	if (!word.is_null &&
		(column.form == WA_COLUMN_F32 || column.form == WA_COLUMN_F64))
		word.word = (uint64_t) wa_query_float_bits(column, row);
	return word;
}

// Copies a key of listed rows, and widens the bounds by the values.  Any grid of whole
// warps; deterministic.
template <typename Value>
__global__ void
wa_query_left_kernel(const WaQueryLeftArgs args)
{
	WaQueryBounds bounds = {INT64_MAX, INT64_MIN};

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.count;
		 i += gridDim.x * blockDim.x)
	{
		const WaQueryWord word = wa_query_row_word(args.column, args.rows[i]);
		const long long value = (long long) word.word;

		static_cast<Value *>(args.values)[i] = (Value) value;
		if (args.valid != NULL)
			args.valid[i] = !word.is_null;
		if (!word.is_null)
			WaQueryWider::merge(bounds, {value, value});
	}
	bounds = wa_warp_reduce<WaQueryWider>(bounds);
	if (wa_warp_lane() == 0 && bounds.smallest <= bounds.largest)
	{
		atomicMin(&args.bounds->smallest, bounds.smallest);
		atomicMax(&args.bounds->largest, bounds.largest);
	}
}

// Arrays begin at multiples of this.
static const size_t kArrayAlignment = 256;

// Where the arrays of a key lie in the piece of memory.
struct LeftKey
{
	uint8_t bytes; // of a value
	size_t values;
	bool has_valid;
	size_t valid;
};

// The rows that are left, on their way.
struct Left
{
	WaQueryWork *work;
	uint32_t count;
	uint32_t *d_rows;
	std::vector<LeftKey> keys;
	size_t bytes; // of the piece
	unsigned char *d_memory;
	WaQueryBounds *d_bounds; // of the keys
	WaQueryBounds *bounds;   // in pinned memory
};

// Pinned memory that goes back unless it is taken.
struct LeftMemory
{
	WaQueryHost *host;
	unsigned char *memory;

	~LeftMemory()
	{
		if (memory != NULL)
			wa_query_host_give(host, memory);
	}
};

// Tells whether keys are words for the host: that has no use for values of 128 bits, nor for
// decimals that show different numbers of digits.
static bool
are_words(const WaQueryWork *work)
{
	for (const WaQuerySource &key : work->keys)
		if (key.form == WA_COLUMN_I128 || key.mixed)
			return false;
	return true;
}

// Finds a place for an array behind the others.
static size_t
place_array(Left *left, size_t width)
{
	const size_t place = left->bytes;

	left->bytes += (left->count * width + kArrayAlignment - 1) /
				   kArrayAlignment * kArrayAlignment;
	return place;
}

// Returns how many bytes a value of a key takes: 4 where that is known to be enough.
static uint8_t
value_bytes(const WaQueryWork *work, size_t number)
{
	const uint8_t most = work->query->value_bytes[number];
	const WaQuerySource *source = &work->keys[number];
	WaKeyRange range;

	if (most < sizeof(int64_t) || source->form == WA_COLUMN_F32 ||
		source->form == WA_COLUMN_F64)
		return most;
	if (!wa_query_key_range(source, &range))
		range = wa_keys_form_range(source->form);
	return range.smallest >= INT32_MIN && range.largest <= INT32_MAX
			   ? sizeof(int32_t)
			   : most;
}

// Finds places for all arrays.
static void
place_arrays(Left *left)
{
	const WaQueryWork *work = left->work;

	for (size_t i = 0; i < work->keys.size(); i++)
	{
		LeftKey key = {value_bytes(work, i), 0,
					   i > 0 && work->keys[i].d_validity != NULL, 0};

		key.values = place_array(left, key.bytes);
		if (key.has_valid)
			key.valid = place_array(left, sizeof(uint8_t));
		left->keys.push_back(key);
	}
}

// Starts the copy of a key.
static void
start_key(const Left *left, size_t number)
{
	const LeftKey *key = &left->keys[number];
	const WaQueryLeftArgs args = {
		wa_query_key_column(&left->work->keys[number]),
		left->d_rows,
		left->count,
		left->d_memory + key->values,
		key->has_valid ? left->d_memory + key->valid : NULL,
		left->d_bounds + number};

	wa_query_launch(
		left->work,
		key->bytes == sizeof(int64_t)   ? wa_query_left_kernel<int64_t>
		: key->bytes == sizeof(int32_t) ? wa_query_left_kernel<int32_t>
										: wa_query_left_kernel<uint8_t>,
		left->count, 0, args);
}

// Starts the copies of all keys, and that of their bounds to the host.
static void
start_keys(Left *left)
{
	const size_t nkeys = left->keys.size();
	WaQuerySlot *slot = left->work->slot;

	left->d_memory = wa_query_take<unsigned char>(&slot->d_pool, left->bytes);
	left->d_bounds = wa_query_take<WaQueryBounds>(&slot->d_pool, nkeys);
	left->bounds = wa_query_take<WaQueryBounds>(&slot->pool, nkeys);
	std::fill(left->bounds, left->bounds + nkeys,
			  WaQueryBounds{INT64_MAX, INT64_MIN});
	wa_query_send(slot, left->d_bounds, left->bounds, nkeys);
	for (size_t i = 0; i < nkeys; i++)
		start_key(left, i);
	wa_query_fetch(slot, left->bounds, left->d_bounds, nkeys);
}

// Takes memory of the host for the rows, which is asked for.
static unsigned char *
take_memory(const Left *left)
{
	WaQueryWork *work = left->work;
	void *memory = NULL;

	if (work->query->may_take == NULL ||
		work->query->may_take(work->context, left->bytes))
		memory = wa_query_host_take(work->slot->host, left->bytes);
	if (memory == NULL)
		throw WaQueryError{cudaErrorMemoryAllocation};
	return static_cast<unsigned char *>(memory);
}

// Has the rows taken, which lie in memory.
static void
take_rows(const Left *left, LeftMemory *own)
{
	const WaQueryWork *work = left->work;
	std::vector<WaCudaRowValues> keys;
	WaCudaRows rows = {left->count, NULL, own->memory, left->bytes};

	for (size_t i = 0; i < left->keys.size(); i++)
	{
		const LeftKey *key = &left->keys[i];

		keys.push_back({own->memory + key->values, key->bytes,
						key->has_valid ? own->memory + key->valid : NULL,
						left->bounds[i].smallest, left->bounds[i].largest,
						work->keys[i].scale});
	}
	rows.keys = keys.data();
	if (!work->query->take_rows(work->context, &rows))
		throw WaQueryError{cudaErrorMemoryAllocation};
	own->memory = NULL;
}

// Copies listed rows to the host, and has them taken.
static void
hand_over(WaQueryWork *work, const WaQueryListing *listing, uint32_t count)
{
	WaQuerySlot *slot = work->slot;
	Left left = {};
	LeftMemory own = {slot->host, NULL};

	left.work = work;
	left.count = count;
	place_arrays(&left);
	own.memory = take_memory(&left);
	left.d_rows = wa_query_take<uint32_t>(&slot->d_pool, count);
	wa_query_list_rows(work, listing, left.d_rows);
	start_keys(&left);
	wa_query_fetch(slot, own.memory, left.d_memory, left.bytes);
	wa_query_slot_wait(slot);
	take_rows(&left, &own);
}

void
wa_query_hand_over_rows(WaQueryWork *work, WaCudaOutcome *outcome)
{
	WaQueryListing listing;
	uint32_t count;

	if (!are_words(work))
		throw WaQueryError{cudaErrorNotSupported};
	wa_query_start_count(work);
	count = wa_query_count_rows(work, wa_query_find_valid(work, &work->keys[0]),
								&listing);
	outcome->trapped = wa_query_has_trapped(work);
	outcome->kept_rows = (uint64_t) work->kept->rows;
	if (!outcome->trapped && count > 0)
		hand_over(work, &listing, count);
}
