//
// programs.cu
//		Plan and launch of query programs; see programs.h.
//
#include "programs.h"

#include <algorithm>
#include <new>
#include <string.h>

#include "program/clear.cuh"
#include "program/kernel.cuh"
#include "program/plan.h"

// Runs a program.  Blocks of kProgramThreads threads, as many as have strips; the
// slots in dynamic shared memory.  Bitmaps of tiles that have trapped hold
// anything afterwards, until wa_program_clear_kernel has run; all else is
// deterministic.
__global__ void
__launch_bounds__(kProgramThreads, kProgramBlocks)
	wa_program_kernel(const __grid_constant__ WaProgramCode code,
					  const __grid_constant__ WaProgramRun run)
{
	wa_program_block<WaNarrowUnits>(code, run);
}

// Tells whether code can travel with a launch.
static bool
can_travel(const WaProgramPlan *plan)
{
	return plan->ops.size() <= WA_PROGRAM_MAX_OPS &&
		   plan->columns.size() <= WA_PROGRAM_MAX_COLUMNS &&
		   plan->constants.size() <= WA_PROGRAM_MAX_CONSTANTS;
}

// Plans with a planner.  A column that has no slot costs reading it again; that is
// for programs whose slots would not fit shared memory.
static cudaError_t
plan_query(WaPlanner *planner, size_t shared_bytes)
{
	WaProgramPlan *plan = planner->plan;
	cudaError_t error = wa_program_find_values(planner);

	if (error == cudaSuccess)
		error = wa_program_place_values(planner, true);
	if (error == cudaSuccess && plan->shared_bytes > shared_bytes)
		error = wa_program_place_values(planner, false);
	if (error != cudaSuccess)
		return error;
	if (plan->shared_bytes > shared_bytes)
	{
		plan->slot_bytes = plan->shared_bytes;
		plan->shared_bytes = 0;
	}
	plan->is_long = plan->slot_bytes > 0 || !can_travel(plan);
	plan->list_words = planner->list_values;
	plan->list_bytes =
		(plan->list_words + planner->entry_words) * sizeof(int64_t);
	plan->workspace_bytes =
		plan->is_long ? wa_program_long_bytes(plan) : plan->list_bytes;
	return cudaSuccess;
}

cudaError_t
wa_program_plan(const WaProgramQuery *query, size_t shared_bytes,
				WaProgramPlan *plan)
{
	try
	{
		WaPlanner planner = {};

		*plan = {};
		planner.query = query;
		planner.plan = plan;
		return plan_query(&planner, shared_bytes);
	}
	catch (const std::bad_alloc &)
	{
		return cudaErrorMemoryAllocation;
	}
}

// Writes the list of an instruction, or its WaLookup; starts to copy the entries of a table
// that is not kept.
static cudaError_t
write_list(const WaProgramQuery *query, const WaInstruction *instruction,
		   int64_t *list, void *d_entries, cudaStream_t stream)
{
	const WaProgram *program = query->program;
	const WaLookup *kept = NULL;
	WaLookup lookup;
	cudaError_t error = cudaSuccess;

	if (instruction->code == WA_CODE_IN_INT)
	{
		const WaIntList *from = &program->lists[instruction->extra];

		std::copy(from->values, from->values + from->nvalues, list);
		return cudaSuccess;
	}
	kept = wa_program_kept_table(query, instruction);
	if (kept != NULL)
		lookup = *kept;
	else
		error = wa_lookup_send(&program->tables[instruction->extra], d_entries,
							   stream, &lookup);
	memcpy(list, &lookup, sizeof(lookup));
	return error;
}

// Copies the lists and tables of the program to the workspace.
static cudaError_t
copy_lists(const WaProgramQuery *query, const WaProgramPlan *plan,
		   int64_t *d_lists, cudaStream_t stream)
{
	const WaProgram *program = query->program;
	std::vector<int64_t> lists(plan->list_words);
	int64_t *list = lists.data();
	int64_t *d_entries = d_lists + plan->list_words;
	cudaError_t error = cudaSuccess;

	for (size_t i = 0; i < program->ninstructions && error == cudaSuccess; i++)
	{
		const WaInstruction *instruction = &program->instructions[i];
		const size_t nwords = wa_program_list_words(program, instruction);

		if (nwords > 0)
			error = write_list(query, instruction, list, d_entries, stream);
		list += nwords;
		d_entries += wa_program_entry_words(query, instruction);
	}
	if (error == cudaSuccess && !lists.empty())
		error = cudaMemcpyAsync(d_lists, lists.data(),
								lists.size() * sizeof(int64_t),
								cudaMemcpyHostToDevice, stream);
	return error;
}

// Starts a program whose code travels with the launch.
static cudaError_t
start_code(const WaProgramQuery *query, const WaProgramPlan *plan,
		   const int64_t *d_lists, WaProgramRun *run, int multiprocessors,
		   cudaStream_t stream)
{
	WaProgramCode code;
	cudaError_t error;

	code.counts = plan->counts;
	code.lists = d_lists;
	std::copy(plan->first.begin(), plan->first.end(), code.first);
	std::copy(plan->ops.begin(), plan->ops.end(), code.ops);
	std::copy(plan->columns.begin(), plan->columns.end(), code.columns);
	std::copy(plan->constants.begin(), plan->constants.end(), code.constants);
	std::copy(plan->targets.begin(), plan->targets.end(), code.targets);
	if (query->is_wide)
		error = wa_program_launch_wide(&code, run, plan->shared_bytes,
									   multiprocessors, stream);
	else
		error = wa_program_launch(wa_program_kernel, kProgramBlocks, UINT_MAX,
								  &code, run, plan->shared_bytes,
								  multiprocessors, stream);
	if (error == cudaSuccess)
		error = wa_program_launch_clear(&code, run, multiprocessors, stream);
	return error;
}

cudaError_t
wa_program_start(const WaProgramQuery *query, const WaProgramPlan *plan,
				 size_t nrows, const WaProgramMemory *memory,
				 int multiprocessors, cudaStream_t stream)
{
	int64_t *d_lists = static_cast<int64_t *>(memory->d_workspace);
	WaProgramRun run = {(unsigned) nrows, 0, memory->d_selection,
						reinterpret_cast<uint32_t *>(memory->d_traps),
						query->is_wide ? memory->d_digits : NULL};
	cudaError_t error;

	if (nrows > WA_PROGRAM_MAX_ROWS)
		return cudaErrorInvalidValue;
	if (nrows == 0)
		return cudaSuccess;
	error = copy_lists(query, plan, d_lists, stream);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(memory->d_traps, 0,
								wa_program_trap_bytes(nrows), stream);
	if (error == cudaSuccess && query->is_wide && query->noutputs > 0)
		error = cudaMemsetAsync(memory->d_digits, 0,
								query->noutputs * sizeof(uint32_t), stream);
	if (error != cudaSuccess)
		return error;
	return plan->is_long ? wa_program_start_long(plan, d_lists, &run,
												 multiprocessors, stream)
						 : start_code(query, plan, d_lists, &run,
									  multiprocessors, stream);
}
