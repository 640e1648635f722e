//
// query_start.cu
//		The first steps of a query: which rows may be used, and its program.
//
#include "query/work.h"

#include <algorithm>
#include <memory>

#include "kernels.h"
#include "query/conditions.h"
#include "query/mask.cuh"

// Blocks of the small kernels for each multiprocessor at most.
static const unsigned kBlocks = 8;

unsigned
wa_query_blocks(const WaQueryWork *work, size_t elements)
{
	const size_t most = (size_t) work->slot->device.multiprocessors * kBlocks;
	const size_t blocks = (elements + kQueryThreads - 1) / kQueryThreads;

	return (unsigned) std::max(std::min(blocks, most), (size_t) 1);
}

WaColumnForm
wa_query_form(WaCudaForm form)
{
	switch (form)
	{
		case WA_CUDA_I16:
			return WA_COLUMN_I16;
		case WA_CUDA_I32:
			return WA_COLUMN_I32;
		case WA_CUDA_I64:
			return WA_COLUMN_I64;
		case WA_CUDA_U32:
			return WA_COLUMN_U32;
		case WA_CUDA_F32:
			return WA_COLUMN_F32;
		case WA_CUDA_F64:
			return WA_COLUMN_F64;
		case WA_CUDA_I128:
			return WA_COLUMN_I128;
		default:
			return WA_COLUMN_BITS;
	}
}

WaType
wa_query_type(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return WA_INT2;
		case WA_COLUMN_I32:
			return WA_INT4;
		case WA_COLUMN_U32:
			return WA_OID;
		case WA_COLUMN_F32:
			return WA_FLOAT4;
		case WA_COLUMN_F64:
			return WA_FLOAT8;
		case WA_COLUMN_I128:
			return WA_WIDE_NUMERIC;
		default:
			return WA_INT8;
	}
}

WaBatch
wa_query_batch(const WaQueryWork *work, const WaQuerySource *source)
{
	const WaBatch batch = {wa_query_type(source->form), source->d_values,
						   source->d_validity, work->nrows};

	return batch;
}

// Returns the form of an output of the kind.
static WaColumnForm
output_form(WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return WA_COLUMN_F64;
		case WA_VECTOR_BOOL:
			return WA_COLUMN_BITS;
		default:
			return WA_COLUMN_I64;
	}
}

// Returns the column that a register is, or NULL.
static const WaCudaColumn *
find_column(const WaCudaQuery *query, int number)
{
	for (unsigned i = 0; i < query->ncolumns; i++)
		if (query->columns[i].number == number)
			return &query->columns[i];
	return NULL;
}

// Makes a source of a column as it is.
static void
use_column(WaQuerySource *source, const WaCudaColumn *column)
{
	source->column = column;
	source->form = wa_query_form(column->form);
	source->d_values = column->d_values;
	source->d_validity = column->d_validity;
	source->d_digits = column->d_display;
	source->scale = column->scale;
	source->mixed = column->d_display != NULL;
}

// Makes a source of a register that the program computes.
static cudaError_t
add_output(WaQueryWork *work, int number, int filter, bool has_values,
		   WaQuerySource *source)
{
	const WaVectorKind kind = work->query->program.kinds[number];
	WaProgramOutput *output = &work->outputs[work->noutputs];
	WaQueryPool *pool = &work->slot->d_pool;
	cudaError_t error;

	if (work->noutputs == WA_PROGRAM_MAX_OUTPUTS)
		return cudaErrorNotSupported;
	work->output_sources[work->noutputs++] = source;
	*output = {};
	output->number = (uint16_t) number;
	output->filter =
		filter >= 0 ? (uint16_t) filter : (uint16_t) WA_NO_REGISTER;
	output->form = output_form(kind);
	error = wa_query_take(pool, wa_validity_bytes(work->nrows) / 8,
						  &output->d_validity);
	if (error == cudaSuccess && has_values && kind == WA_VECTOR_BOOL)
		error = wa_query_pool_take(pool, wa_validity_bytes(work->nrows),
								   &output->d_values);
	else if (error == cudaSuccess && has_values)
		error = wa_query_pool_take(pool, work->nrows * sizeof(int64_t),
								   &output->d_values);
	if (error == cudaSuccess && has_values && kind == WA_VECTOR_DECIMAL)
		error = wa_query_take(pool, work->nrows, &output->d_display);
	source->is_output = true;
	source->d_validity = output->d_validity;
	if (!has_values)
		return error;
	source->form = output->form;
	source->d_values = output->d_values;
	source->d_display = output->d_display;
	return error;
}

// Tells whether a column can be reduced as it is.
static bool
is_reducible(const WaCudaAggregate *aggregate, const WaCudaColumn *column)
{
	const WaType type = wa_query_type(wa_query_form(column->form));

	if (aggregate->ops == 0)
		return true;
	if (column->form == WA_CUDA_I128 && !column->is_small &&
		(aggregate->ops & WA_OP_BIT(WA_OP_SUM)) != 0)
		return false;
	return column->form != WA_CUDA_BITS && column->d_display == NULL &&
		   wa_reductions_exist(aggregate->ops, wa_type_storage(type));
}

// Finds the values of an aggregated column.
static cudaError_t
find_source(WaQueryWork *work, const WaCudaAggregate *aggregate,
			WaQuerySource *source)
{
	const WaCudaColumn *column = find_column(work->query, aggregate->argument);
	const bool is_bare = column != NULL && is_reducible(aggregate, column);

	*source = {};
	if (aggregate->argument < 0 && aggregate->filter < 0)
	{
		source->counts_rows = true;
		return cudaSuccess;
	}
	if (aggregate->argument < 0)
		return add_output(work, aggregate->filter, aggregate->filter, false,
						  source);
	if (!is_bare && column != NULL && column->form == WA_CUDA_I128)
		return cudaErrorNotSupported;
	if (is_bare)
		use_column(source, column);
	if (is_bare && aggregate->filter < 0)
		return cudaSuccess;
	return add_output(work, aggregate->argument, aggregate->filter,
					  aggregate->ops != 0 && !is_bare, source);
}

// Finds the values of a key.  What stand for others are small integers.
static cudaError_t
find_key(WaQueryWork *work, unsigned key, WaQuerySource *source)
{
	const WaCudaQuery *query = work->query;
	const WaCudaColumn *column = find_column(query, query->keys[key]);
	cudaError_t error;

	*source = {};
	if (column != NULL && column->form == WA_CUDA_I128)
		return cudaErrorNotSupported;
	if (column != NULL)
	{
		use_column(source, column);
		return cudaSuccess;
	}
	error =
		add_output(work, query->keys[key], WA_CUDA_NO_REGISTER, true, source);
	if (query->key_values == NULL || query->key_values[key].count == 0)
		return error;
	source->values = &query->key_values[key];
	source->form = WA_COLUMN_I32;
	if (error == cudaSuccess)
		work->outputs[work->noutputs - 1].form = WA_COLUMN_I32;
	return error;
}

// Makes the bitmap of the rows that may be used.
static cudaError_t
start_mask(WaQueryWork *work, uint64_t **d_mask)
{
	const WaCudaQuery *query = work->query;
	WaQuerySlot *slot = work->slot;
	WaCudaRange *ranges;
	WaCudaRange *d_ranges;
	WaQueryMask args = {};
	void *arguments[] = {&args};
	cudaError_t error = wa_query_take(
		&slot->d_pool, wa_validity_bytes(work->nrows) / 8, d_mask);

	if (error == cudaSuccess)
		error = wa_query_take(&slot->pool, query->nranges, &ranges);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, query->nranges, &d_ranges);
	if (error != cudaSuccess)
		return error;
	std::copy(query->ranges, query->ranges + query->nranges, ranges);
	error =
		cudaMemcpyAsync(d_ranges, ranges, query->nranges * sizeof(WaCudaRange),
						cudaMemcpyHostToDevice, slot->stream);
	if (error != cudaSuccess)
		return error;
	args.ranges = d_ranges;
	args.nranges = query->nranges;
	args.nrows = work->nrows;
	args.mask = *d_mask;
	return cudaLaunchKernel(
		wa_query_mask_kernel,
		dim3(wa_query_blocks(work, wa_validity_bytes(work->nrows) / 8)),
		dim3(kQueryThreads), arguments, 0, slot->stream);
}

// A program with the mask as its first clause, in the form that kernels take, and
// without the clauses that conditions stand for.
struct Program
{
	std::vector<WaVectorKind> kinds;
	std::vector<WaInstruction> instructions;
	WaProgram program;
	std::vector<WaProgramColumn> columns;
	std::vector<WaProgramConstant> constants;
	std::vector<WaProgramClause> clauses;
	WaProgramQuery query;
	WaProgramPlan plan;
};

// Returns the registers that outputs are made of.
static std::vector<bool>
find_outputs(const WaQueryWork *work)
{
	std::vector<bool> is_read(work->query->program.nregisters);

	for (unsigned i = 0; i < work->noutputs; i++)
	{
		is_read[work->outputs[i].number] = true;
		if (work->outputs[i].filter != WA_NO_REGISTER)
			is_read[work->outputs[i].filter] = true;
	}
	return is_read;
}

// Adds the instructions and the clauses that are left; returns the registers that
// they and the outputs read.
static std::vector<bool>
add_instructions(const WaQueryWork *work, unsigned nclauses, Program *program)
{
	std::vector<bool> is_read = find_outputs(work);
	std::vector<WaCudaClause> clauses;

	wa_query_drop_clauses(work->query, nclauses, is_read,
						  &program->instructions, &clauses);
	for (const WaInstruction &instruction : program->instructions)
		wa_query_note_arguments(&instruction, &is_read);
	for (const WaCudaClause &clause : clauses)
	{
		is_read[clause.number] = true;
		program->clauses.push_back({clause.end, clause.number});
	}
	return is_read;
}

// Adds the columns and constants that are read.
static void
add_inputs(const WaQueryWork *work, const std::vector<bool> &is_read,
		   Program *program)
{
	for (unsigned i = 0; i < work->query->ncolumns; i++)
	{
		const WaCudaColumn *column = &work->query->columns[i];

		if (is_read[column->number] && column->form == WA_CUDA_I128)
			// Of which only the validity matters; values are half as many words.
			program->columns.push_back({column->number, WA_COLUMN_I64, 0,
										column->d_values, column->d_validity, 0,
										NULL});
		else if (is_read[column->number])
			program->columns.push_back(
				{column->number, wa_query_form(column->form), column->scale,
				 column->d_values, column->d_validity, 0, column->d_display});
	}
	for (unsigned i = 0; i < work->query->nconstants; i++)
	{
		const WaCudaConstant *constant = &work->query->constants[i];

		if (is_read[constant->number])
			program->constants.push_back({constant->number, constant->is_null,
										  constant->scale, constant->value});
	}
}

// Translates the program of a query without its first clauses.
static cudaError_t
make_program(const WaQueryWork *work, const uint64_t *d_mask, unsigned nclauses,
			 Program *program)
{
	const WaCudaQuery *query = work->query;
	const uint16_t mask = query->program.nregisters;

	program->kinds.assign(query->program.kinds,
						  query->program.kinds + query->program.nregisters);
	program->kinds.push_back(WA_VECTOR_BOOL);
	program->columns.push_back(
		{mask, WA_COLUMN_BITS, 0, d_mask, NULL, 0, NULL});
	program->clauses.push_back({0, mask});
	add_inputs(work, add_instructions(work, nclauses, program), program);
	program->program = query->program;
	program->program.nregisters = mask + 1;
	program->program.kinds = program->kinds.data();
	program->program.instructions = program->instructions.data();
	program->program.ninstructions = program->instructions.size();
	if (program->columns.size() > WA_PROGRAM_MAX_COLUMNS ||
		program->constants.size() > WA_PROGRAM_MAX_CONSTANTS)
		return cudaErrorNotSupported;
	program->query = {&program->program,
					  program->columns.data(),
					  (unsigned) program->columns.size(),
					  program->constants.data(),
					  (unsigned) program->constants.size(),
					  program->clauses.data(),
					  (unsigned) program->clauses.size(),
					  work->outputs,
					  work->noutputs};
	return cudaSuccess;
}

// Tells the sources of outputs what the plan has found out about them.
static void
note_scales(WaQueryWork *work, const WaProgramPlan *plan)
{
	for (unsigned i = 0; i < work->noutputs; i++)
		if (work->outputs[i].d_values != NULL)
		{
			work->output_sources[i]->scale = plan->scales[i];
			work->output_sources[i]->mixed = plan->mixed[i];
		}
}

// Tells whether the digits that a smallest or a largest value is shown with are
// not known: they would be those of one of its rows.
static bool
loses_digits(const WaQueryWork *work)
{
	const WaOpSet extremes = WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX);

	for (size_t i = 0; i < work->sources.size(); i++)
		if (work->sources[i].mixed &&
			(work->query->aggregates[i].ops & extremes) != 0)
			return true;
	return false;
}

// Plans a program; whatever the planner refuses is nothing for a GPU.
static cudaError_t
plan_program(WaQueryWork *work, Program *program)
{
	cudaError_t error;

	if (!wa_program_is_for_gpu(&program->program))
		return cudaErrorNotSupported;
	error = wa_program_plan(&program->query, work->slot->device.shared_bytes,
							&program->plan);
	if (error == cudaErrorInvalidValue)
		return cudaErrorNotSupported;
	if (error != cudaSuccess)
		return error;
	note_scales(work, &program->plan);
	return loses_digits(work) ? cudaErrorNotSupported : cudaSuccess;
}

// Starts the program without its first clauses, and the copy of the bitmap of
// traps.
static cudaError_t
start_program(WaQueryWork *work, const uint64_t *d_mask, unsigned nclauses)
{
	const std::unique_ptr<Program> program(new Program);
	const size_t trap_bytes = wa_program_trap_bytes(work->nrows);
	WaQuerySlot *slot = work->slot;
	WaProgramMemory memory = {};
	cudaError_t error = make_program(work, d_mask, nclauses, program.get());

	if (error == cudaSuccess)
		error = plan_program(work, program.get());
	if (error == cudaSuccess)
		error = wa_query_pool_take(&slot->d_pool, program->plan.workspace_bytes,
								   &memory.d_workspace);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, wa_validity_bytes(work->nrows) / 8,
							  &memory.d_selection);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, trap_bytes / 8, &memory.d_traps);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->pool, trap_bytes / 8, &work->traps);
	if (error != cudaSuccess)
		return error;
	work->d_selection = memory.d_selection;
	work->d_traps = memory.d_traps;
	error =
		wa_program_start(&program->query, &program->plan, work->nrows, &memory,
						 slot->device.multiprocessors, slot->stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(work->traps, memory.d_traps, trap_bytes,
								cudaMemcpyDeviceToHost, slot->stream);
	return error;
}

// Tells whether an instruction of a query computes with values of 128 bits.
static bool
computes_wide(const WaCudaQuery *query)
{
	for (size_t i = 0; i < query->program.ninstructions; i++)
	{
		const WaInstruction *instruction = &query->program.instructions[i];
		std::vector<bool> is_read(query->program.nregisters);

		if (instruction->code == WA_CODE_IS_NULL ||
			instruction->code == WA_CODE_IS_NOT_NULL)
			continue;
		wa_query_note_arguments(instruction, &is_read);
		for (unsigned j = 0; j < query->ncolumns; j++)
			if (query->columns[j].form == WA_CUDA_I128 &&
				is_read[query->columns[j].number])
				return true;
	}
	return false;
}

cudaError_t
wa_query_start(WaQueryWork *work)
{
	const WaCudaQuery *query = work->query;
	const WaQueryConditions conditions = wa_query_find_conditions(query);
	cudaError_t error = cudaSuccess;
	uint64_t *d_mask = NULL;

	if (computes_wide(query))
		return cudaErrorNotSupported;
	work->sources.resize(query->naggregates);
	work->keys.resize(query->nkeys);
	for (unsigned i = 0; i < query->naggregates && error == cudaSuccess; i++)
		error = find_source(work, &query->aggregates[i], &work->sources[i]);
	for (unsigned i = 0; i < query->nkeys && error == cudaSuccess; i++)
		error = find_key(work, i, &work->keys[i]);
	if (error == cudaSuccess)
		error = start_mask(work, &d_mask);
	if (error == cudaSuccess)
		error = wa_query_start_conditions(work, &conditions, d_mask);
	if (error != cudaSuccess)
		return error;
	work->d_selection = d_mask;
	work->has_program =
		query->nclauses > conditions.nclauses || work->noutputs > 0;
	return work->has_program ? start_program(work, d_mask, conditions.nclauses)
							 : cudaSuccess;
}

bool
wa_query_has_trapped(const WaQueryWork *work)
{
	if (!work->has_program)
		return false;
	for (size_t i = 0; i < wa_program_trap_bytes(work->nrows) / 8; i++)
		if (work->traps[i] != 0)
			return true;
	return false;
}
