//
// groups.h
//		Grouped reductions of columns that lie in device memory: one
//		operation over (group, value), an exact accumulator for each group.
//
// The rows of a group add up in shared memory, in tables of 32-bit words.  How
// many groups there are decides how (the plan):
//
//	shared		all groups fit a block's table; few groups have several copies
//				of it, so that lanes do not meet
//	slices		a few tables' worth: neighbouring blocks read the same rows,
//				and each takes the groups of its slice
//	partitions	more: rows are sorted by the high bits of their group first
//				(stably, by CUB), and a block takes the rows of a few partitions
//
// The result is a table in device memory: arrays with an element for each group,
// some of 64 bits, then some of 32 (cuda/group/table.cuh).  For integers and for
// the smallest and the largest value one table has all of
// it.  Floats add up exactly in a window of the exponents; a column whose
// exponents do not fit one window needs further launches, each of which leaves
// the table of another layer, and so do infinities, NaN and -0.  The sum over a
// group is what wa_group_fold makes of the tables of all layers.  No result
// depends on the grid, the plan or the order in which threads run.
//
// Use, with all memory the caller's:
//
//	wa_group_plan(&column, &device, &plan);
//	wa_group_start(&column, &plan, &memory, &layer, stream);
//	do
//	{
//		wait until the stream has come past the launches;
//		copy plan.table_bytes at memory.d_table to table;
//		for every group of interest:
//			wa_group_fold(&column, &plan, &layer, table, group, &partials[group]);
//		wa_group_next(&column, &plan, &memory, &layer, &more, stream);
//	} while (more);
//
// The memory, with what lies in it, and the column stay as they are until then.
//
#ifndef WA_CUDA_GROUPS_H
#define WA_CUDA_GROUPS_H

#include <cuda_runtime.h>

#include "core/partial.h"

// Rows and groups of one launch at most.
#define WA_GROUP_MAX_ROWS   ((size_t) 1 << 30)
#define WA_GROUP_MAX_GROUPS ((uint32_t) 1 << 30)

// A column to reduce by groups.  Rows that are not valid, and rows whose group
// is not below ngroups, take no part.
typedef struct WaGroupColumn
{
	WaOp op;
	WaBatch d_batch;          // device pointers; values aligned to 16 bytes
	const uint32_t *d_groups; // the group of each row; aligned to 16 bytes
	uint32_t ngroups;         // 1 to WA_GROUP_MAX_GROUPS
} WaGroupColumn;

// What a plan needs to know of a device.
typedef struct WaGroupDevice
{
	int multiprocessors;
	size_t shared_bytes; // that a block can have
} WaGroupDevice;

typedef enum WaGroupMethod
{
	WA_GROUP_SHARED,
	WA_GROUP_SLICES,
	WA_GROUP_PARTITIONS
} WaGroupMethod;

// How a column is reduced.  Callers read method, wide, narrow, table_bytes and
// workspace_bytes.
typedef struct WaGroupPlan
{
	WaGroupMethod method;
	unsigned table_groups;  // groups of a block's table; a power of two
	unsigned copies;        // of each of them; a power of two
	unsigned partitions;    // of the groups, a table's worth each
	unsigned blocks;        // of the grid
	size_t shared_bytes;    // of a block
	unsigned wide;          // arrays of 64 bits of the result
	unsigned narrow;        // arrays of 32 bits behind them; rows, then others
	size_t table_bytes;     // of the result
	size_t workspace_bytes; // of other device memory
	int range;              // floats: exponents of a window; else 0
	int unit;               // exponent of the number with exponent 0
} WaGroupPlan;

// What the kernels tell the host of rows that layer 0 has left out.
typedef struct WaGroupStatus
{
	int top;          // largest exponent of window 0
	uint32_t special; // not 0: there are infinities, NaN or -0
	uint64_t seen[2]; // bit i + 64: there are rows in window i
} WaGroupStatus;

// What one table tells of every group.
typedef struct WaGroupLayer
{
	unsigned number;     // 0, 1, ...; rows are counted in layer 0 alone
	bool special;        // counts of infinities, NaN and -0, not a sum
	int window;          // of the exponents of floats
	uint64_t pending[2]; // windows to come, as in WaGroupStatus
	bool special_pending;
	const WaGroupStatus *status; // that of the memory
} WaGroupLayer;

// The memory of a reduction, from the caller's pools; all aligned to 256 bytes.
typedef struct WaGroupMemory
{
	void *d_workspace;     // plan.workspace_bytes
	void *d_table;         // plan.table_bytes
	WaGroupStatus *status; // pinned host memory
} WaGroupMemory;

// Looks at the device with this ordinal.
cudaError_t wa_group_device(int ordinal, WaGroupDevice *device);

// Plans the reduction of a column.  cudaErrorInvalidValue if it does not exist
// or the column breaks its contract.
cudaError_t wa_group_plan(const WaGroupColumn *column,
						  const WaGroupDevice *device, WaGroupPlan *plan);

// Starts the reduction of layer 0, with no allocation and no synchronisation.
cudaError_t wa_group_start(const WaGroupColumn *column, const WaGroupPlan *plan,
						   const WaGroupMemory *memory, WaGroupLayer *layer,
						   cudaStream_t stream);

// Call when the stream has come past the launches of a layer and its table has
// been used.  Sets *more to whether there is another layer, and then starts it.
cudaError_t wa_group_next(const WaGroupColumn *column, const WaGroupPlan *plan,
						  const WaGroupMemory *memory, WaGroupLayer *layer,
						  bool *more, cudaStream_t stream);

// Adds what a layer's table has of a group to *partial, which wa_partial_init
// has made (for floats with a WaExactPart).  table is the copy in host memory.
// After the last layer, *partial is bit for bit what wa_partial_fold makes of
// the group's rows in their order.
void wa_group_fold(const WaGroupColumn *column, const WaGroupPlan *plan,
				   const WaGroupLayer *layer, const void *table, uint32_t group,
				   WaPartial *partial);

#endif // WA_CUDA_GROUPS_H
