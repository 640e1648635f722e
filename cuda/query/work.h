//
// work.h
//		A query that is under way, as the parts of cuda/query*.cu see it.
//
#ifndef WA_CUDA_QUERY_WORK_H
#define WA_CUDA_QUERY_WORK_H

#include "cuda/query.h"
#include "kernels.h"
#include "programs.h"
#include "query/scratch.h"

// Threads of a block of the small kernels.
constexpr unsigned kQueryThreads = 256;

// Where the values of an aggregated column, or of a key, lie.  What is an output
// of the program has the rows alone that WHERE leaves and the filter passes.
struct WaQuerySource
{
	bool counts_rows; // all that WHERE leaves: there are no values
	int counted_by;   // the source with which rows are counted; negative: none
	bool is_output;   // of the program
	WaColumnForm form;
	const void *d_values;
	const uint64_t *d_validity;    // NULL: no row is NULL
	const uint8_t *d_digits;       // bare DECIMAL: digits shown; NULL: scale
	int16_t *d_display;            // output: digits shown; or NULL
	uint8_t scale;                 // DECIMAL
	bool mixed;                    // the digits shown differ
	const WaCudaColumn *column;    // bare: which it is
	const WaCudaKeyValues *values; // what a key stands for; NULL: for itself
};

// A query with its slot.  Memory is the slot's.
struct WaQueryWork
{
	const WaCudaQuery *query;
	WaQuerySlot *slot;
	unsigned nrows;
	bool has_program;
	const uint64_t *d_selection; // rows that WHERE leaves
	uint64_t *d_traps;           // NULL: there is no program
	uint64_t *traps;             // the copy in pinned memory, once waited for
	const WaKernelResult *kept;  // likewise, with keys: the rows WHERE leaves
	unsigned noutputs;
	WaProgramOutput outputs[WA_PROGRAM_MAX_OUTPUTS];
	WaQuerySource *output_sources[WA_PROGRAM_MAX_OUTPUTS];
	std::vector<WaQuerySource> sources; // of the aggregated columns
	std::vector<WaQuerySource> keys;
};

// Starts what finds the rows and computes the columns: sets all fields behind
// nrows.  cudaErrorNotSupported if this is nothing for a GPU.
cudaError_t wa_query_start(WaQueryWork *work);

// Tells whether rows have trapped; the stream has come past the copy.
bool wa_query_has_trapped(const WaQueryWork *work);

// Reduces the columns of the one group of all rows, and has it taken.
cudaError_t wa_query_reduce_all(WaQueryWork *work, WaCudaTake take,
								void *context, WaCudaOutcome *outcome);

// Finds the groups, reduces the columns by them, and has them taken.
cudaError_t wa_query_reduce_groups(WaQueryWork *work, WaCudaTake take,
								   void *context, WaCudaOutcome *outcome);

// Returns the form of a column as kernels know it.
WaColumnForm wa_query_form(WaCudaForm form);

// Returns the type that a reduction knows a form by.
WaType wa_query_type(WaColumnForm form);

// Returns the batch of a source's values.
WaBatch wa_query_batch(const WaQueryWork *work, const WaQuerySource *source);

// Returns a grid for a kernel over so many elements.
unsigned wa_query_blocks(const WaQueryWork *work, size_t elements);

#endif // WA_CUDA_QUERY_WORK_H
