//
// work.h
//		A query that is under way, as the parts of cuda/query*.cu see it.
//
#ifndef WA_CUDA_QUERY_WORK_H
#define WA_CUDA_QUERY_WORK_H

#include <algorithm>
#include <memory>

#include "cuda/query.h"
#include "kernels.h"
#include "programs.h"
#include "query/scratch.h"

// Threads of a block of the small kernels.
constexpr unsigned kQueryThreads = 256;

// Values of 128 bits whose sum may have more have halves, of which the low one is less
// 2^63; if their squares are to be added up, the product of the two has halves, too.
enum WaQueryHalf
{
	WA_QUERY_LOW,
	WA_QUERY_HIGH,
	WA_QUERY_PRODUCT_LOW,
	WA_QUERY_PRODUCT_HIGH,
	WA_QUERY_HALVES
};

// DECIMALs that show different numbers of digits, and of which the smallest or the
// largest is wanted, have looks for that: the digits shown in their lowest bits, turned
// around for the smallest, so that of equal values that with the most is found.
enum WaQueryLook
{
	WA_QUERY_MIN_LOOK,
	WA_QUERY_MAX_LOOK,
	WA_QUERY_LOOKS
};

// Bits of the digits shown.
constexpr unsigned kQueryLookBits = 6;

constexpr WaOpSet kQueryExtremes = WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX);

// Where the values of an aggregated column, or of a key, lie.  What is an output
// of the program has the rows alone that WHERE leaves and the filter passes.
struct WaQuerySource
{
	bool counts_rows; // all that WHERE leaves: there are no values
	int counted_by;   // the source with which rows are counted; negative: none
	bool is_output;   // of the program
	WaColumnForm form;
	const void *d_values;
	const uint64_t *d_validity; // NULL: no row is NULL
	const uint8_t *d_digits;    // bare DECIMAL: digits shown; NULL: scale
	int16_t *d_display;         // output: digits shown; or NULL
	uint8_t scale;              // DECIMAL
	bool mixed;                 // the digits shown differ
	const WaCudaColumn *column; // bare: which it is
	// NULL where there are none.
	int64_t *d_halves[WA_QUERY_HALVES];
	WaInt128 *d_looks[WA_QUERY_LOOKS];
	// A key; once rows are numbered, one that is looked up has the numbers for values:
	// 0 for NULL, and what stands for others from 1 on.
	const WaCudaKeyValues *values; // what it stands for; NULL: for itself
	const WaLookupTable
		*lookup; // in which its values are looked up; NULL: in nothing
};

// How a query's program computes DECIMALs.
struct WaQueryWidth
{
	bool is_wide;  // with up to 38 digits
	bool is_final; // the scales are those that rows were found to need
	std::vector<uint8_t>
		scales; // of outputs, or WA_ANY_SCALE; of others that too
};

// A query over some rows of another one (query/dense.h), whose arrays these are.
struct WaQueryDense
{
	WaCudaQuery query;
	WaCudaRange range;
	std::vector<WaCudaColumn> columns;
};

// A query with its slot.  Memory is the slot's.
struct WaQueryWork
{
	const WaCudaQuery *query; // that of dense, if there is one
	std::unique_ptr<WaQueryDense> dense;
	WaCudaTake take;
	void *context; // of that and of the query's functions
	WaQuerySlot *slot;
	const WaLookup *const
		*tables; // of the program: those that stay on the device
	unsigned nrows;
	WaQueryWidth width;
	bool takes_all;   // groups, even if the first alone are wanted
	bool is_whole;    // it stays one over all rows
	bool has_started; // wa_query_start has found it to be for a GPU
	bool mixes_zeros; // of both signs, in keys: it has come to nothing
	uint64_t limit;   // of the groups that are wanted; 0: all are
	bool
		by_equal_keys; // groups are of equal keys, even if these look different
	unsigned nlaunches;          // of the program; 0: there is none
	const uint64_t *d_selection; // rows that WHERE leaves
	uint64_t *traps; // of one launch after the other, in pinned memory, once
					 // waited for
	uint64_t *key_traps; // likewise, of a key that is looked up; or NULL
	uint32_t *digits;    // likewise, wide: the most digits that outputs show
	const WaKernelResult *kept; // likewise, with keys: the rows WHERE leaves
	const uint32_t *signs;      // likewise, of zeros of keys; or NULL
	std::vector<WaProgramOutput> outputs;
	std::vector<WaQuerySource *> output_sources;
	std::vector<WaQuerySource> sources; // of the aggregated columns
	std::vector<WaQuerySource> keys;
	WaQuerySource values; // if some are wanted
};

// Functions throw a WaQueryError, as wa_query_check does.

// Starts what finds the rows and computes the columns: sets all fields behind width.
void wa_query_start(WaQueryWork *work);

// Returns how a query is computed at first.
WaQueryWidth wa_query_first_width(const WaCudaQuery *query);

// Tells whether a query that came to an error, or to a trap, may come to more if it
// is computed with another width, which is stored in *width.
bool wa_query_next_width(const WaQueryWork *work, cudaError_t error,
						 bool trapped, WaQueryWidth *width);

// Starts what makes the bitmap of the rows that may be used; returns it.
uint64_t *wa_query_start_mask(WaQueryWork *work);

// Starts the clauses first_clause to end_clause - 1 and the outputs, in place of the
// selection, which becomes theirs.
void wa_query_start_programs(WaQueryWork *work, unsigned first_clause,
							 unsigned end_clause);

// Tells whether rows have trapped; the stream has come past the copy.
bool wa_query_has_trapped(const WaQueryWork *work);

// Stores the bitmap of the tiles that have trapped, in any launch.  So many of a wide
// query that processors had better compute all of it are cudaErrorNotSupported.
void wa_query_copy_traps(const WaQueryWork *work, uint64_t *traps);

// Reduces the columns of the one group of all rows, and has it taken.
void wa_query_reduce_all(WaQueryWork *work, WaCudaOutcome *outcome);

// Finds the groups, reduces the columns by them, and has them taken.
void wa_query_reduce_groups(WaQueryWork *work, WaCudaOutcome *outcome);

// Has the rows that WHERE leaves taken, without those whose first key is NULL.
void wa_query_hand_over_rows(WaQueryWork *work, WaCudaOutcome *outcome);

// Returns the rows with a value that WHERE leaves.
const uint64_t *wa_query_find_valid(WaQueryWork *work,
									const WaQuerySource *source);

// Starts the counting of the rows that WHERE leaves.
void wa_query_start_count(WaQueryWork *work);

// Starts what looks at the zeros of keys of floats, if groups are of equal keys: a
// group shows the key of any of its rows.
void wa_query_start_signs(WaQueryWork *work);

// Tells whether a key has zeros of both signs; the stream has come past the copy.
bool wa_query_mixes_zeros(const WaQueryWork *work);

// Blocks of the small kernels for each multiprocessor at most.
constexpr unsigned kQueryBlocks = 8;

// Starts a kernel over so many elements, with as much dynamic shared memory.
template <typename... Args>
inline void
wa_query_launch(const WaQueryWork *work, void (*kernel)(Args...),
				size_t elements, size_t shared_bytes, Args... args)
{
	const size_t most =
		(size_t) work->slot->device.multiprocessors * kQueryBlocks;
	const size_t blocks = (elements + kQueryThreads - 1) / kQueryThreads;
	void *arguments[] = {&args...};

	wa_query_check(cudaLaunchKernel(
		kernel, dim3((unsigned) std::max(std::min(blocks, most), (size_t) 1)),
		dim3(kQueryThreads), arguments, shared_bytes, work->slot->stream));
}

#endif // WA_CUDA_QUERY_WORK_H
