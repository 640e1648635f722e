//
// conditions.h
//		Clauses of WHERE that say between which values a column has to be.
//
// Most clauses compare a column with constants.  A kernel of a few loads and
// comparisons does that as fast as memory gives the column, and what follows, the
// query program (programs.h) above all, has fewer rows to look at.
//
#ifndef WA_CUDA_QUERY_CONDITIONS_H
#define WA_CUDA_QUERY_CONDITIONS_H

#include "query/work.h"

// Columns that there can be conditions for.
#define WA_QUERY_CONDITIONS 8

// The rows stay whose value is not NULL and lies between these.
struct WaQueryCondition
{
	const WaCudaColumn *column;
	int64_t least;
	int64_t most;
};

// The first clauses of a query as conditions, each of another column.
struct WaQueryConditions
{
	unsigned nclauses; // that they stand for
	unsigned count;
	WaQueryCondition conditions[WA_QUERY_CONDITIONS];
};

// Finds the conditions that the first clauses of a query come to, for as many of
// them as can be.  A clause behind one that remains does so, too: it may see to it
// that rows do not trap there, or have to wait until they have.
WaQueryConditions wa_query_find_conditions(const WaCudaQuery *query);

// Tells whether 64 bits have no room for a constant.
bool wa_query_is_wide_constant(const WaProgramConstant *constant);

// Notes the registers that an instruction may read.
void wa_query_note_arguments(const WaInstruction *instruction,
							 std::vector<bool> *read);

// Appends clauses first_clause to end_clause - 1 of a query, and the instructions that
// these and the outputs need; what is computed for nothing is left out.  outputs: the
// registers that are read in the end.
void wa_query_drop_clauses(const WaCudaQuery *query, unsigned first_clause,
						   unsigned end_clause,
						   const std::vector<bool> &outputs,
						   std::vector<WaInstruction> *instructions,
						   std::vector<WaProgramClause> *clauses);

// Returns the instructions that a query needs from a clause on, for its keys and aggregated
// columns too; *is_read: the registers that are read then.
std::vector<WaInstruction> wa_query_find_needed(const WaCudaQuery *query,
												unsigned first_clause,
												std::vector<bool> *is_read);

// Starts the kernel that takes rows which do not fulfil the conditions from a
// bitmap.
void wa_query_start_conditions(const WaQueryWork *work,
							   const WaQueryConditions *conditions,
							   uint64_t *d_mask);

#endif // WA_CUDA_QUERY_CONDITIONS_H
