//
// plan.h
//		How programs are made into code: first registers become values
//		(program_values.cu), then values get slots (program_slots.cu).
//
// A value is what a register holds from one instruction that sets it to the
// next; a register may hold several values one after the other.
//
#ifndef WA_CUDA_PROGRAM_PLAN_H
#define WA_CUDA_PROGRAM_PLAN_H

#include <limits.h>
#include <stdint.h>

#include "programs.h"

// Columns, constants and slots of a sort at most: operands have no larger numbers.
constexpr unsigned kMaxOperands = UINT16_MAX;

// A number of no value.
constexpr int kNoValue = -1;

// The step after the last one: outputs are stored.
constexpr int kAtEnd = INT_MAX;

struct WaPlanValue
{
	WaVectorKind kind;
	uint8_t scale; // mixed, of a program that is wide: as large as is expected
	uint8_t display; // digits shown, unless mixed
	bool mixed;
	bool wide;                // its slots are of 128 bits
	WaProgramOperand operand; // where it is; of what has no slot yet, column or
							  // constant
	unsigned reads;           // of its values, not its flags alone
	int last_step;            // that has it as an argument; -1: none
};

// An instruction over values; the operands of op are not set yet.
struct WaPlanStep
{
	WaProgramOp op;
	int a;
	int b;
	int c;
	int out;
};

// There is room for all values and steps from the first: none moves.
struct WaPlanner
{
	const WaProgramQuery *query;
	WaProgramPlan *plan;
	std::vector<int> registers; // the values they hold now
	std::vector<WaPlanValue> values;
	std::vector<WaPlanStep> steps;
	uint32_t list_values; // of the lists so far
	size_t entry_words;   // likewise of entries of tables
	int outputs[WA_PROGRAM_MAX_OUTPUTS];
	int filters[WA_PROGRAM_MAX_OUTPUTS];
};

// Returns the unit that runs an instruction.
WaProgramUnit wa_program_unit(uint16_t code);

// Returns the words that the list of an IN takes, or the WaLookup of a LOOK_UP.
size_t wa_program_list_words(const WaProgram *program,
							 const WaInstruction *instruction);

// Returns the words that the entries of the table of a LOOK_UP take: it is not kept.
size_t wa_program_entry_words(const WaProgramQuery *query,
							  const WaInstruction *instruction);

// Returns the table of a LOOK_UP that lies in device memory, or NULL.
const WaLookup *wa_program_kept_table(const WaProgramQuery *query,
									  const WaInstruction *instruction);

// Returns the largest scale that DECIMALs have in a form.
uint8_t wa_program_max_scale(WaColumnForm form);

// Stores the scale that a value is stored with as an output.  Returns false if
// kernels do not store it in the form.
bool wa_program_find_scale(const WaPlanner *planner, int number,
						   const WaProgramOutput *output, uint8_t *scale);

// Tells whether a step is one over DECIMALs that a program which is wide computes
// with 128 bits; kind: of its result.
bool wa_program_is_wide_step(const WaPlanStep *step, WaVectorKind kind);

// Sets what is particular to such a step; extra: of its instruction.  Errors as of
// wa_program_plan.
cudaError_t wa_program_finish_wide(const WaPlanner *planner, uint32_t extra,
								   WaPlanStep *step, WaPlanValue *out);

// Sets how a comparison is told by = and <.
void wa_program_turn_comparison(uint32_t comparison, WaPlanStep *step);

// Makes steps of the query.  Errors as of wa_program_plan.
cudaError_t wa_program_find_values(WaPlanner *planner);

// Makes code of the steps.  Columns whose values are read more than once get a
// slot if in_slots is set; else they are read again.
cudaError_t wa_program_place_values(WaPlanner *planner, bool in_slots);

#endif // WA_CUDA_PROGRAM_PLAN_H
