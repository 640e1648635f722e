/*
 * query_check.c
 *		Which queries are sound; see query.h.
 */
#include <string.h>

#include "query/groups/group_decimal.h"
#include "query/message/query.h"
#include "query/records/records.h"

/* What is known of a register, in scratch memory. */
typedef enum Filling
{
	EMPTY,
	COMPUTED,
	FIXED /* an input or a constant */
} Filling;

/* Tells whether a list ascends without doubles. */
static bool
list_is_sound(const WaIntList *list)
{
	for (size_t i = 1; i < list->nvalues; i++)
		if (list->values[i - 1] >= list->values[i])
			return false;
	return true;
}

/* Tells whether a table is sound; of what is kept that has been found out. */
static bool
is_sound_table(const WaLookupTable *table)
{
	return wa_digest_is_set(&table->digest) || wa_lookup_table_is_sound(table);
}

/* Tells whether a constant is one that a vector may be filled with. */
static bool
constant_is_sound(const WaQuery *query, const WaQueryConstant *constant)
{
	const WaQueryValue *value = &constant->value;
	__int128 number;

	if (constant->number >= query->program.nregisters ||
		constant->number < query->ninputs)
		return false;
	if (value->is_null)
		return true;
	switch (query->program.kinds[constant->number])
	{
		case WA_VECTOR_DECIMAL:
			return value->shown <= WA_WIDE_MAX_SCALE &&
				   wa_decimal_number(value, (int) value->shown, &number);
		case WA_VECTOR_TEXT:
			return value->shown == 0;
		case WA_VECTOR_BOOL:
			return value->integer == 0 || value->integer == 1;
		default:
			return true;
	}
}

/* Tells whether a register is there and can be read. */
static bool
is_filled(const WaQuery *query, const uint8_t *fillings, uint32_t number)
{
	return number < query->program.nregisters && fillings[number] != EMPTY;
}

/*
 * Tells whether a table is one for the registers of a sound instruction.  Only inputs
 * have codes.
 */
static bool
table_fits(const WaQuery *query, const WaInstruction *instruction)
{
	const WaVectorKind *kinds = query->program.kinds;
	const WaLookupTable *table = &query->program.tables[instruction->extra];
	const bool is_text = instruction->a < query->ninputs &&
						 kinds[instruction->a] == WA_VECTOR_TEXT;

	return (table->dictionary != 0 ? is_text
								   : kinds[instruction->a] == WA_VECTOR_INT) &&
		   wa_lookup_table_suits(table, kinds[instruction->out]);
}

/* Tells whether the list or the table of a sound instruction is there and fits. */
static bool
has_extra(const WaQuery *query, const WaInstruction *instruction)
{
	switch (instruction->code)
	{
		case WA_CODE_IN_INT:
			return instruction->extra < query->nlists;
		case WA_CODE_LOOK_UP:
			return instruction->extra < query->ntables &&
				   table_fits(query, instruction);
		default:
			return true;
	}
}

/*
 * Tells whether all that instructions name is there and of the right kinds: also those
 * that are part of nothing that is run, as whoever looks at all of them relies on it.
 */
static bool
instructions_are_sound(const WaQuery *query)
{
	const WaProgram *program = &query->program;

	for (size_t i = 0; i < program->ninstructions; i++)
		if (!wa_instruction_is_sound(program, &program->instructions[i]) ||
			!has_extra(query, &program->instructions[i]))
			return false;
	return true;
}

/* Tells whether a sound instruction can be run, and notes what it computes. */
static bool
run_instruction(const WaQuery *query, const WaInstruction *instruction,
				uint8_t *fillings)
{
	uint16_t arguments[3];
	const int narguments = wa_instruction_arguments(instruction, arguments);

	if (fillings[instruction->out] == FIXED)
		return false;
	for (int i = 0; i < narguments; i++)
		if (!is_filled(query, fillings, arguments[i]))
			return false;
	fillings[instruction->out] = COMPUTED;
	return true;
}

/* Runs instructions with what is fixed alone; false if one cannot be run. */
static bool
run_instructions(const WaQuery *query, uint32_t begin, uint32_t end,
				 uint8_t *fillings)
{
	if (begin > end || end > query->program.ninstructions)
		return false;
	for (size_t i = 0; i < query->program.nregisters; i++)
		if (fillings[i] == COMPUTED)
			fillings[i] = EMPTY;
	for (uint32_t i = begin; i < end; i++)
		if (!run_instruction(query, &query->program.instructions[i], fillings))
			return false;
	return true;
}

/* Tells whether a register can be read and is of the kind. */
static bool
is_of_kind(const WaQuery *query, const uint8_t *fillings, uint32_t number,
		   WaVectorKind kind)
{
	return is_filled(query, fillings, number) &&
		   query->program.kinds[number] == kind;
}

static bool
column_is_sound(const WaQuery *query, const WaQueryColumn *column,
				const uint8_t *fillings)
{
	if (column->filter < -1 || column->argument < -1 ||
		(uint32_t) column->kind > WA_VECTOR_TEXT ||
		!wa_records_exist(column->kind, column->ops))
		return false;
	if (column->filter >= 0 &&
		!is_of_kind(query, fillings, (uint32_t) column->filter, WA_VECTOR_BOOL))
		return false;
	if (column->argument < 0)
		return column->ops == 0;
	return is_of_kind(query, fillings, (uint32_t) column->argument,
					  column->kind);
}

/* Notes which registers are fixed; returns false if that is not sound. */
static bool
note_fixed(const WaQuery *query, uint8_t *fillings)
{
	memset(fillings, EMPTY, query->program.nregisters);
	for (uint32_t i = 0; i < query->ninputs; i++)
		fillings[i] = FIXED;
	for (uint32_t i = 0; i < query->nconstants; i++)
	{
		if (!constant_is_sound(query, &query->constants[i]))
			return false;
		fillings[query->constants[i].number] = FIXED;
	}
	return true;
}

/* Tells whether groups can be compared by a sum, or an extreme, of a column. */
static bool
column_has_order(const WaQuery *query, const WaOrderBy *order, WaOp op)
{
	const WaQueryColumn *column = order->number < query->ncolumns
									  ? &query->columns[order->number]
									  : &query->rolled->column;

	/* Sums of floats that differ may be rounded to the same result. */
	return wa_ops_have(column->ops, op) &&
		   (op != WA_OP_SUM || column->kind != WA_VECTOR_FLOAT);
}

/* Tells whether groups can be compared by an expression. */
static bool
order_is_sound(const WaQuery *query, const WaOrderBy *order)
{
	const uint32_t nmore = query->rolled != NULL;
	const uint32_t key =
		nmore > 0 && order->number >= query->rolled->column.argument
			? order->number + UINT32_C(1)
			: order->number;

	if (order->of == WA_ORDER_KEY)
		return key < query->nkeys && query->keys[key].kind != WA_VECTOR_TEXT;
	if (order->number >= query->ncolumns + nmore)
		return false;
	switch (order->of)
	{
		case WA_ORDER_ROWS:
			return true;
		case WA_ORDER_SUM:
			return column_has_order(query, order, WA_OP_SUM);
		case WA_ORDER_MIN:
			return column_has_order(query, order, WA_OP_MIN);
		case WA_ORDER_MAX:
			return column_has_order(query, order, WA_OP_MAX);
		default:
			return false;
	}
}

/* Tells whether groups can be single rows, of which the first ones are wanted. */
static bool
rows_are_sound(const WaQuery *query)
{
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->keys[i].kind == WA_VECTOR_TEXT)
			return false;
	return query->ncolumns == 0 && !query->top_n.keeps_ties &&
		   query->top_n.nparts <= query->top_n.norders &&
		   (query->top_n.nparts == 0 || query->top_n.limit == 1);
}

/* Tells whether some groups can be chosen as wanted, if not all are. */
static bool
top_n_is_sound(const WaQuery *query)
{
	const WaTopN *top_n = &query->top_n;

	if (top_n->limit == 0)
		return top_n->norders == 0 && !top_n->keeps_ties && !top_n->of_rows &&
			   top_n->nparts == 0 &&
			   (query->rolled != NULL ||
				query->only_wanted == (query->made != NULL));
	if (top_n->limit > WA_QUERY_MAX_TOP_N || top_n->norders == 0 ||
		top_n->norders > WA_MAX_ORDERS || query->nkeys == 0)
		return false;
	if (top_n->of_rows ? !rows_are_sound(query) : top_n->nparts > 0)
		return false;
	/* Of equal keys all rows are to be of one group. */
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->keys[i].keeps_zeros)
			return false;
	for (uint32_t i = 0; i < top_n->norders; i++)
		if (!order_is_sound(query, &top_n->orders[i]))
			return false;
	return true;
}

/* Tells whether a query counts the rows of its groups. */
static bool
counts_rows(const WaQuery *query)
{
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (query->columns[i].argument < 0 && query->columns[i].filter < 0)
			return true;
	return false;
}

/* Tells whether ranks can be found of values of a key, of a kind. */
static bool
ranks_are_sound(const WaQuery *query, WaVectorKind kind)
{
	const WaQueryRolled *rolled = query->rolled;

	if (rolled->nranks > WA_QUERY_MAX_RANKS || rolled->descends > 1 ||
		query->top_n.limit > 0 || !counts_rows(query) ||
		(kind != WA_VECTOR_INT && kind != WA_VECTOR_BOOL &&
		 kind != WA_VECTOR_FLOAT) ||
		rolled->column.kind !=
			(kind == WA_VECTOR_FLOAT ? WA_VECTOR_FLOAT : WA_VECTOR_INT) ||
		rolled->column.ops != WA_OP_BIT(WA_OP_MIN))
		return false;
	for (uint32_t i = 0; i < rolled->nranks; i++)
	{
		const WaQueryRank *rank = &rolled->ranks[i];

		if (rank->kind >= WA_QUERY_RANK_KINDS ||
			!(rank->fraction >= 0 && rank->fraction <= 1) ||
			(rank->kind == WA_QUERY_RANK_CONT && kind != WA_VECTOR_FLOAT))
			return false;
	}
	return true;
}

/* Tells whether groups can be rolled up, if they are to be. */
static bool
rolled_is_sound(const WaQuery *query)
{
	const WaQueryRolled *rolled = query->rolled;
	const WaQueryColumn *column;
	WaVectorKind kind;

	if (rolled == NULL)
		return true;
	column = &rolled->column;
	if (query->made != NULL || query->top_n.of_rows || column->filter != -1 ||
		column->argument < 0 || (uint32_t) column->argument >= query->nkeys)
		return false;
	kind = query->keys[column->argument].kind;
	if (rolled->nranks > 0)
		return ranks_are_sound(query, kind);
	if (column->ops == 0)
		return column->kind == WA_VECTOR_BOOL;
	return column->kind == WA_VECTOR_INT && kind == WA_VECTOR_INT &&
		   wa_records_exist(column->kind, column->ops);
}

/* Tells whether tables can be made of rows, if they are to be. */
static bool
made_are_sound(const WaQuery *query)
{
	if (query->made == NULL)
		return !query->is_unique &&
			   (query->nrest == 0 || !query->top_n.of_rows);
	if (query->nkeys == 0 || query->nkeys > WA_QUERY_MAX_MADE ||
		query->keys[0].kind != WA_VECTOR_INT || query->ncolumns > 0 ||
		query->top_n.limit > 0 || query->max_groups > 0 ||
		(!query->is_unique && query->nkeys > 1))
		return false;
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (!wa_digest_is_set(&query->made[i]))
			return false;
	return true;
}

bool
wa_query_is_sound(const WaQuery *query, uint8_t *scratch)
{
	if (query->ninputs > query->program.nregisters ||
		query->nkeys > WA_QUERY_MAX_PARTS ||
		query->ncolumns > WA_QUERY_MAX_PARTS)
		return false;
	for (size_t i = 0; i < query->program.nregisters; i++)
		if ((uint32_t) query->program.kinds[i] > WA_VECTOR_TEXT)
			return false;
	for (uint32_t i = 0; i < query->nlists; i++)
		if (!list_is_sound(&query->program.lists[i]))
			return false;
	for (uint32_t i = 0; i < query->ntables; i++)
		if (!is_sound_table(&query->program.tables[i]))
			return false;
	if (!instructions_are_sound(query) || !note_fixed(query, scratch))
		return false;
	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		const WaQueryFilter *filter = &query->filters[i];

		if (!run_instructions(query, filter->begin, filter->end, scratch) ||
			!is_of_kind(query, scratch, filter->number, WA_VECTOR_BOOL))
			return false;
	}
	if (!run_instructions(query, query->begin, query->end, scratch))
		return false;
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (!is_of_kind(query, scratch, query->key_numbers[i],
						query->keys[i].kind) ||
			(query->keys[i].blank_padded &&
			 query->keys[i].kind != WA_VECTOR_TEXT) ||
			(query->keys[i].keeps_zeros &&
			 query->keys[i].kind != WA_VECTOR_FLOAT))
			return false;
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (!column_is_sound(query, &query->columns[i], scratch))
			return false;
	return rolled_is_sound(query) && top_n_is_sound(query) &&
		   made_are_sound(query);
}

bool
wa_query_may_trap(const WaQuery *query)
{
	for (size_t i = 0; i < query->program.ninstructions; i++)
		if (wa_instruction_may_trap(&query->program.instructions[i]))
			return true;
	return false;
}
