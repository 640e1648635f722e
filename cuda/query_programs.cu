//
// query_programs.cu
//		The program of a query, in as many launches as it takes.
//
#include "query/work.h"

#include <algorithm>
#include <memory>

#include "query/conditions.h"

// What one launch computes: some of the clauses, of the rows that those before leave,
// and some of the outputs.
struct Part
{
	unsigned first_clause;
	unsigned end_clause;
	size_t first_output;
	size_t end_output;
};

// The program of a part with a mask as its first clause, in the form that kernels
// take.
struct Program
{
	Part part;
	uint64_t *d_selection; // that its clauses leave; NULL: it has none
	std::vector<WaVectorKind> kinds;
	std::vector<WaInstruction> instructions;
	WaProgram program;
	std::vector<WaProgramColumn> columns;
	std::vector<WaProgramConstant> constants;
	std::vector<WaProgramClause> clauses;
	WaProgramQuery query;
	WaProgramPlan plan;
};

// Returns the registers that the outputs of a part are made of.
static std::vector<bool>
find_outputs(const WaQueryWork *work, const Part &part)
{
	std::vector<bool> is_read(work->query->program.nregisters);

	for (size_t i = part.first_output; i < part.end_output; i++)
	{
		is_read[work->outputs[i].number] = true;
		if (work->outputs[i].filter != WA_NO_REGISTER)
			is_read[work->outputs[i].filter] = true;
	}
	return is_read;
}

// Adds the clauses and the instructions of the part; returns the registers that they
// and the outputs read.
static std::vector<bool>
add_instructions(const WaQueryWork *work, Program *program)
{
	const Part &part = program->part;
	std::vector<bool> is_read = find_outputs(work, part);
	const size_t first_clause = program->clauses.size();

	wa_query_drop_clauses(work->query, part.first_clause, part.end_clause,
						  is_read, &program->instructions, &program->clauses);
	for (const WaInstruction &instruction : program->instructions)
		wa_query_note_arguments(&instruction, &is_read);
	for (size_t i = first_clause; i < program->clauses.size(); i++)
		is_read[program->clauses[i].number] = true;
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

		if (is_read[column->number] && column->form == WA_COLUMN_I128 &&
			!work->width.is_wide)
			// Of which only the validity matters; values are half as many words.
			program->columns.push_back({column->number, WA_COLUMN_I64, 0,
										column->d_values, column->d_validity,
										NULL});
		else if (is_read[column->number])
			program->columns.push_back({column->number, column->form,
										column->scale, column->d_values,
										column->d_validity, column->d_display});
	}
	for (unsigned i = 0; i < work->query->nconstants; i++)
	{
		const WaProgramConstant *constant = &work->query->constants[i];

		if (is_read[constant->number])
			program->constants.push_back(*constant);
	}
}

// Translates the program of a part.
static void
make_program(const WaQueryWork *work, const uint64_t *d_mask, Program *program)
{
	const Part &part = program->part;
	const WaCudaQuery *query = work->query;
	const uint16_t mask = query->program.nregisters;

	program->kinds.assign(query->program.kinds,
						  query->program.kinds + query->program.nregisters);
	program->kinds.push_back(WA_VECTOR_BOOL);
	program->columns.push_back({mask, WA_COLUMN_BITS, 0, d_mask, NULL, NULL});
	program->clauses.push_back({0, mask});
	add_inputs(work, add_instructions(work, program), program);
	program->program = query->program;
	program->program.nregisters = mask + 1;
	program->program.kinds = program->kinds.data();
	program->program.instructions = program->instructions.data();
	program->program.ninstructions = program->instructions.size();
	program->query = {&program->program,
					  program->columns.data(),
					  (unsigned) program->columns.size(),
					  program->constants.data(),
					  (unsigned) program->constants.size(),
					  program->clauses.data(),
					  (unsigned) program->clauses.size(),
					  work->outputs.data() + part.first_output,
					  (unsigned) (part.end_output - part.first_output),
					  work->width.is_wide,
					  work->tables};
}

// Tells the sources of outputs what the plan has found out about them.
static void
note_scales(WaQueryWork *work, const Program *program)
{
	const size_t first = program->part.first_output;

	for (size_t i = first; i < program->part.end_output; i++)
		if (work->outputs[i].d_values != NULL)
		{
			work->output_sources[i]->scale = program->plan.scales[i - first];
			work->output_sources[i]->mixed = program->plan.mixed[i - first];
		}
}

// Plans a program; whatever the planner refuses is nothing for a GPU.
static cudaError_t
plan_program(WaQueryWork *work, Program *program)
{
	const cudaError_t error = wa_program_plan(
		&program->query, work->slot->device.shared_bytes, &program->plan);

	if (error == cudaErrorInvalidValue)
		return cudaErrorNotSupported;
	if (error == cudaSuccess)
		note_scales(work, program);
	return error;
}

// Clauses and outputs of a launch at most.  Tests set it lower.
#ifndef WA_QUERY_LAUNCH_PARTS
#define WA_QUERY_LAUNCH_PARTS SIZE_MAX
#endif

// Programs that are to be launched one after the other.
typedef std::vector<std::unique_ptr<Program>> Programs;

// Splits a part that is too large for a launch, outputs first: those of the second half
// need what WHERE leaves, not the clauses.  Returns false if it is one thing alone.
static bool
split_part(const Part &part, Part *first, Part *second)
{
	const size_t noutputs = part.end_output - part.first_output;
	const unsigned nclauses = part.end_clause - part.first_clause;

	*first = part;
	*second = part;
	if (noutputs > 1)
		first->end_output = part.first_output + (noutputs + 1) / 2;
	else if (noutputs == 1 && nclauses > 0)
		first->end_output = part.first_output;
	second->first_output = first->end_output;
	if (noutputs == 0 && nclauses > 1)
		first->end_clause = part.first_clause + (nclauses + 1) / 2;
	second->first_clause = first->end_clause;
	return noutputs + nclauses > 1;
}

// Tells whether a part is not too large from the first.
static bool
is_launchable(const Part &part)
{
	return part.end_clause - part.first_clause + part.end_output -
			   part.first_output <=
		   WA_QUERY_LAUNCH_PARTS;
}

// Plans a part and adds its programs; *d_mask: the rows that those before leave, and
// then those that these do.
static void
add_part(WaQueryWork *work, const Part &part, const uint64_t **d_mask,
		 Programs *programs)
{
	std::unique_ptr<Program> program(new Program());
	Part first;
	Part second;
	cudaError_t error;

	program->part = part;
	make_program(work, *d_mask, program.get());
	error = is_launchable(part) ? plan_program(work, program.get())
								: cudaErrorNotSupported;
	// What is one thing alone may be long.
	if ((error == cudaErrorNotSupported || program->plan.is_long) &&
		split_part(part, &first, &second))
	{
		program.reset();
		add_part(work, first, d_mask, programs);
		add_part(work, second, d_mask, programs);
		return;
	}
	wa_query_check(error);
	// Tiles that have trapped are not to be looked at again.
	if (part.end_clause > part.first_clause || programs->empty())
	{
		program->d_selection = wa_query_take<uint64_t>(
			&work->slot->d_pool, wa_validity_bytes(work->nrows) / 8);
		*d_mask = program->d_selection;
	}
	programs->push_back(std::move(program));
}

// Starts a program; it notes tiles that trap, and, if it is wide, the digits of its
// outputs.
static void
start_program(WaQueryWork *work, const Program *program, uint64_t *d_traps,
			  uint32_t *d_digits)
{
	WaQuerySlot *slot = work->slot;
	const WaProgramMemory memory = {
		wa_query_take<unsigned char>(&slot->d_pool,
									 program->plan.workspace_bytes),
		program->d_selection, d_traps,
		d_digits != NULL ? d_digits + program->part.first_output : NULL};

	wa_query_check(
		wa_program_start(&program->query, &program->plan, work->nrows, &memory,
						 slot->device.multiprocessors, slot->stream));
}

// Returns the words of the bitmap of traps of each launch.
static size_t
trap_words(const WaQueryWork *work)
{
	return wa_program_trap_bytes(work->nrows) / 8;
}

// Starts the programs, and the copies of the bitmaps of traps and of the most digits
// that each output shows.
static void
start_programs(WaQueryWork *work, const Programs &programs)
{
	const size_t words = programs.size() * trap_words(work);
	const size_t noutputs = work->width.is_wide ? work->outputs.size() : 0;
	WaQuerySlot *slot = work->slot;
	uint64_t *d_traps = wa_query_take<uint64_t>(&slot->d_pool, words);
	uint32_t *d_digits = NULL;

	work->traps = wa_query_take<uint64_t>(&slot->pool, words);
	if (noutputs > 0)
	{
		d_digits = wa_query_take<uint32_t>(&slot->d_pool, noutputs);
		work->digits = wa_query_take<uint32_t>(&slot->pool, noutputs);
	}
	for (size_t i = 0; i < programs.size(); i++)
		start_program(work, programs[i].get(), d_traps + i * trap_words(work),
					  d_digits);
	work->nlaunches = (unsigned) programs.size();
	wa_query_fetch(slot, work->traps, d_traps, words);
	if (noutputs > 0)
		wa_query_fetch(slot, work->digits, d_digits, noutputs);
}

void
wa_query_start_programs(WaQueryWork *work, unsigned first_clause,
						unsigned end_clause)
{
	const Part all = {first_clause, end_clause, 0, work->outputs.size()};
	Programs programs;

	if (all.first_clause == all.end_clause && all.end_output == 0)
		return;
	add_part(work, all, &work->d_selection, &programs);
	start_programs(work, programs);
}

bool
wa_query_has_trapped(const WaQueryWork *work)
{
	for (size_t i = 0; i < work->nlaunches * trap_words(work); i++)
		if (work->traps[i] != 0)
			return true;
	for (size_t i = 0; work->key_traps != NULL && i < trap_words(work); i++)
		if (work->key_traps[i] != 0)
			return true;
	return false;
}

// One tile of so many of a wide query may trap.
static const size_t kTilesForTrap = 4;

void
wa_query_copy_traps(const WaQueryWork *work, uint64_t *traps)
{
	const size_t words = trap_words(work);
	const size_t ntiles =
		(work->nrows + WA_PROGRAM_TILE_ROWS - 1) / WA_PROGRAM_TILE_ROWS;
	size_t ntraps = 0;

	std::fill(traps, traps + words, 0);
	for (size_t i = 0; i < work->nlaunches * words; i++)
		traps[i % words] |= work->traps[i];
	for (size_t i = 0; work->key_traps != NULL && i < words; i++)
		traps[i] |= work->key_traps[i];
	for (size_t i = 0; i < words; i++)
		ntraps += (size_t) __builtin_popcountll(traps[i]);
	if (work->width.is_wide && ntraps * kTilesForTrap > ntiles)
		throw WaQueryError{cudaErrorNotSupported};
}
