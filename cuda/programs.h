//
// programs.h
//		Query programs (core/program.h) over columns that lie in device memory:
//		which rows WHERE leaves, and expressions as columns to be reduced.
//
// One launch runs a whole program.  It leaves
//
//	a selection		a bitmap of the rows that are left
//	outputs			columns: values, and a bitmap of the rows that are left,
//					pass the output's own filter and are not NULL; as
//					wa_kernel_launch (kernels.h) and wa_group_start (groups.h)
//					take them.  Values of other rows may be anything.
//	traps			a bitmap with a bit for each tile, WA_PROGRAM_TILE_ROWS
//					rows: a row of the tile has trapped.  The bits of such a
//					tile in the other bitmaps are 0: it is to be computed in
//					another way.
//
// Results are those of wa_program_run over the rows of each tile, clause after
// clause, bit for bit, whatever the grid: rows that a clause of WHERE has sorted
// out trap no more.  All NaNs are one.
//
// Numbers of more than 64 bits trap, unless the program is wide: then DECIMALs have
// up to 38 digits, and may be divided.  That takes other kernels, which are slower
// by some instructions a row.  There a row may do without a trap that others of its
// tile would make the processor's vector have.
//
// Use, with all memory the caller's:
//
//	if (wa_program_plan(&query, shared_bytes, &plan) == cudaSuccess)
//		wa_program_start(&query, &plan, nrows, &memory, multiprocessors, stream);
//
// The columns, and the memory with what lies in it, stay as they are until the
// stream has come past the launch; the query and the plan need not.
//
#ifndef WA_CUDA_PROGRAMS_H
#define WA_CUDA_PROGRAMS_H

#include <cuda_runtime.h>
#include <vector>

#include "core/batch.h"
#include "core/partial.h"
#include "core/program.h"
#include "program/code.h"
#include "program/lookup.h"

// A column and the register that it is.
typedef struct WaProgramColumn
{
	uint16_t number; // of the register
	WaColumnForm form;
	uint8_t scale;              // DECIMAL
	const void *d_values;       // aligned to their width; BITS: to 8 bytes
	const uint64_t *d_validity; // NULL: no row is NULL
	const uint8_t *d_display; // DECIMAL: digits shown, at most scale; NULL: all
} WaProgramColumn;

// No register.
#define WA_NO_REGISTER 0xffff

// The plan is to choose the scale.
#define WA_ANY_SCALE 0xff

// A register that becomes a column: of an INT I64, or I32, where what does not fit
// traps; of a FLOAT F64; of a BOOL BITS; of a DECIMAL I64, or I128 if the program is
// wide.
typedef struct WaProgramOutput
{
	uint16_t number;
	uint16_t filter; // a BOOL register that has to be true; or WA_NO_REGISTER
	WaColumnForm form;
	void *d_values; // NULL: only the bitmap is wanted
	uint64_t *d_validity;
	int16_t *d_display; // DECIMAL: the digits shown; NULL: not wanted
	// I128: values of more bits, sign aside, trap, and if the digits shown differ, of
	// more mixed bits; and the scale of a DECIMAL for which they do, where rows with
	// more trap, or WA_ANY_SCALE.
	uint8_t bits;
	uint8_t mixed_bits;
	uint8_t scale;
} WaProgramOutput;

// What to run.  Instructions behind the last clause compute outputs.
typedef struct WaProgramQuery
{
	const WaProgram *program;
	const WaProgramColumn *columns;
	unsigned ncolumns;
	const WaProgramConstant *constants;
	unsigned nconstants;
	const WaProgramClause *clauses; // ascending
	unsigned nclauses;
	const WaProgramOutput *outputs;
	unsigned noutputs;
	bool is_wide; // DECIMALs have up to 38 digits, and are divided
	// Of the program's tables those that lie in device memory, where they stay until the
	// stream has come past the launch, and are sound; NULL: it has to be brought there.
	const WaLookup *const *kept; // or NULL: all have to be
} WaProgramQuery;

// How it is run.  Callers read what comes before the code.
typedef struct WaProgramPlan
{
	size_t workspace_bytes; // of device memory; may be 0
	size_t shared_bytes;    // of a block
	bool is_long; // the code is copied to the workspace, not with the launch
	// DECIMAL outputs: the scale, and whether rows show other numbers of digits.
	uint8_t scales[WA_PROGRAM_MAX_OUTPUTS];
	bool mixed[WA_PROGRAM_MAX_OUTPUTS];
	WaProgramCounts counts;
	std::vector<uint16_t> first;
	std::vector<WaProgramOp> ops;
	std::vector<WaProgramSource> columns;
	std::vector<WaProgramScalar> constants;
	std::vector<WaProgramTarget> targets;
	size_t list_words; // of the workspace, the first: lists, and WaLookups
	size_t list_bytes; // with entries of tables, which follow
	size_t
		slot_bytes; // long: of a block, in the workspace; 0: they are shared memory
} WaProgramPlan;

// The memory of a run, from the caller's pools.
typedef struct WaProgramMemory
{
	void *d_workspace;     // plan.workspace_bytes, aligned to 16
	uint64_t *d_selection; // wa_validity_bytes(nrows); NULL: not wanted
	uint64_t *d_traps;     // wa_program_trap_bytes(nrows)
	// Wide: for each output the largest number of digits that a row which is not
	// 0 is shown with, if that differs; whether it traps on being stored or not.
	uint32_t *d_digits;
} WaProgramMemory;

// Plans a run on a device whose blocks can have so much shared memory.
// cudaErrorInvalidValue if the query breaks its contract; cudaErrorNotSupported
// if it is nothing for kernels: of instructions that they do not have, with a
// scale that a DECIMAL cannot have, or with too many outputs; or if it has to be wide.
cudaError_t wa_program_plan(const WaProgramQuery *query, size_t shared_bytes,
							WaProgramPlan *plan);

// Starts a run over up to WA_PROGRAM_MAX_ROWS rows, with no allocation and no
// synchronisation.
cudaError_t wa_program_start(const WaProgramQuery *query,
							 const WaProgramPlan *plan, size_t nrows,
							 const WaProgramMemory *memory, int multiprocessors,
							 cudaStream_t stream);

#endif // WA_CUDA_PROGRAMS_H
