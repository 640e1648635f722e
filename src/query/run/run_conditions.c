/*
 * run_conditions.c
 *		Clauses of WHERE that say something of one column of integers; see run_conditions.h.
 */
#include <string.h>

#include "core/vectorised.h"
#include "query/run/run_conditions.h"

/*
 * Finding them
 */

/* Returns the constant of a register that is one and not NULL; NULL: it is none. */
static const int64_t *
constant_of(const WaQuery *query, uint16_t number)
{
	for (uint32_t i = 0; i < query->nconstants; i++)
		if (query->constants[i].number == number)
			return query->constants[i].value.is_null
					   ? NULL
					   : &query->constants[i].value.integer;
	return NULL;
}

/* Tells whether a register is an input of integers. */
static bool
is_input(const WaQuery *query, uint16_t number)
{
	return number < query->ninputs &&
		   query->program.kinds[number] == WA_VECTOR_INT;
}

/* Has a condition be that of a comparison with a constant. */
static void
take_constant(WaRunCondition *condition, uint32_t comparison, int64_t constant)
{
	const bool is_range = comparison == WA_EQUAL || comparison == WA_NOT_EQUAL;

	condition->least = INT64_MIN;
	condition->most = INT64_MAX;
	condition->is_outside = comparison == WA_NOT_EQUAL ||
							comparison == WA_LESS || comparison == WA_GREATER;
	/* Less is the contrary of greater or equal. */
	if (is_range || comparison == WA_LESS || comparison == WA_GREATER_OR_EQUAL)
		condition->least = constant;
	if (is_range || comparison == WA_GREATER || comparison == WA_LESS_OR_EQUAL)
		condition->most = constant;
}

/* Finds what a comparison says. */
static void
find_comparison(const WaQuery *query, const WaInstruction *instruction,
				WaRunCondition *condition)
{
	const int64_t *a = constant_of(query, instruction->a);
	const int64_t *b = constant_of(query, instruction->b);

	if (b != NULL && is_input(query, instruction->a))
	{
		condition->input = instruction->a;
		take_constant(condition, instruction->extra, *b);
	}
	else if (a != NULL && is_input(query, instruction->b))
	{
		condition->input = instruction->b;
		take_constant(condition, wa_comparison_turned(instruction->extra), *a);
	}
}

/* Finds what a look-up says that is to be there, or, of BOOLs, true. */
static void
find_look_up(const WaQuery *query, const WaInstruction *instruction,
			 WaRunCondition *condition)
{
	const WaLookupTable *table = &query->program.tables[instruction->extra];

	if (!is_input(query, instruction->a) || !table->is_total ||
		table->null_has_value || table->width != 1 ||
		(table->narrow == NULL &&
		 (table->slots == NULL || table->results == WA_LOOKUP_BOOLS)))
		return;
	condition->input = instruction->a;
	condition->table = table;
}

/* Finds what a clause says. */
static void
find_condition(const WaQuery *query, const WaQueryFilter *filter,
			   WaRunCondition *condition)
{
	const WaInstruction *first = &query->program.instructions[filter->begin];
	const uint32_t count = filter->end - filter->begin;

	condition->input = -1;
	if (count == 0 || first[count - 1].out != filter->number)
		return;
	if (count == 1 && first->code == WA_CODE_COMPARE_INT)
		find_comparison(query, first, condition);
	else if (count == 1 && first->code == WA_CODE_LOOK_UP &&
			 query->program.tables[first->extra].results == WA_LOOKUP_BOOLS)
		find_look_up(query, first, condition);
	else if (count == 2 && first->code == WA_CODE_LOOK_UP &&
			 first[1].code == WA_CODE_IS_NOT_NULL && first[1].a == first->out &&
			 query->program.tables[first->extra].results != WA_LOOKUP_BOOLS)
		find_look_up(query, first, condition);
}

const WaRunCondition *
wa_run_conditions_make(WaArena *arena, const WaQuery *query)
{
	WaRunCondition *conditions = wa_arena_alloc_zero(
		arena, (query->nfilters + (size_t) 1) * sizeof(*conditions));

	for (uint32_t i = 0; conditions != NULL && i < query->nfilters; i++)
		find_condition(query, &query->filters[i], &conditions[i]);
	return conditions;
}

/*
 * Evaluating them
 */

/* Tells for rows whether they lie between two values, as 1, or 0. */
#define DEFINE_BETWEEN(name, type)                                       \
	WA_VECTORISED static void name(                                      \
		const type *restrict values, const uint16_t *restrict selection, \
		size_t nrows, type least, type most, uint8_t *restrict out)      \
	{                                                                    \
		if (selection == NULL)                                           \
			for (size_t i = 0; i < nrows; i++)                           \
				out[i] = (values[i] >= least) & (values[i] <= most);     \
		else                                                             \
			for (size_t i = 0; i < nrows; i++)                           \
				out[i] = (values[selection[i]] >= least) &               \
						 (values[selection[i]] <= most);                 \
	}

DEFINE_BETWEEN(are_between_int16, int16_t)
DEFINE_BETWEEN(are_between_int32, int32_t)
DEFINE_BETWEEN(are_between_int64, int64_t)

/*
 * Tells for rows whether a table has an entry of at least so much, which NULL is not: a narrow
 * one, or a slot.
 */
#define DEFINE_LOOK_UP(name, type)                                          \
	static void name(const type *restrict values,                           \
					 const uint16_t *restrict selection, size_t nrows,      \
					 const WaLookupTable *table, int32_t least,             \
					 uint8_t *restrict out)                                 \
	{                                                                       \
		const uint64_t base = (uint64_t) table->base;                       \
		const uint64_t nentries = table->nentries;                          \
		const int32_t *narrow = table->narrow;                              \
                                                                            \
		for (size_t i = 0; i < nrows && narrow != NULL; i++)                \
		{                                                                   \
			const size_t row = selection == NULL ? i : selection[i];        \
			const uint64_t entry = (uint64_t) (int64_t) values[row] - base; \
                                                                            \
			out[i] = entry < nentries && narrow[entry] >= least;            \
		}                                                                   \
		for (size_t i = 0; i < nrows && narrow == NULL; i++)                \
		{                                                                   \
			const size_t row = selection == NULL ? i : selection[i];        \
                                                                            \
			out[i] = table                                                  \
						 ->slots[wa_lookup_slot_of(table->slots, nentries,  \
												   values[row])]            \
						 .value >= 0;                                       \
		}                                                                   \
	}

DEFINE_LOOK_UP(are_in_int16, int16_t)
DEFINE_LOOK_UP(are_in_int32, int32_t)
DEFINE_LOOK_UP(are_in_int64, int64_t)

/* Returns the nearest value between two ends. */
static int64_t
clamp(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* Tells whether rows lie between the ends of a range, some values of which the form has. */
static void
find_between(const WaRunCondition *condition, const WaColumnRows *rows,
			 const uint16_t *selection, size_t nrows, uint8_t *out)
{
	const int64_t least = condition->least;
	const int64_t most = condition->most;

	switch (rows->form)
	{
		case WA_FORM_INT16:
			are_between_int16(rows->values, selection, nrows,
							  (int16_t) clamp(least, INT16_MIN, INT16_MAX),
							  (int16_t) clamp(most, INT16_MIN, INT16_MAX), out);
			break;
		case WA_FORM_INT32:
		case WA_FORM_DECIMAL32:
		case WA_FORM_TEXT:
			are_between_int32(rows->values, selection, nrows,
							  (int32_t) clamp(least, INT32_MIN, INT32_MAX),
							  (int32_t) clamp(most, INT32_MIN, INT32_MAX), out);
			break;
		default:
			are_between_int64(rows->values, selection, nrows, least, most, out);
			break;
	}
}

/* Tells whether rows have an entry in a table. */
static void
find_entries(const WaLookupTable *table, const WaColumnRows *rows,
			 const uint16_t *selection, size_t nrows, uint8_t *out)
{
	const int32_t least =
		table->results == WA_LOOKUP_BOOLS ? 1 : WA_NARROW_NULL + 1;

	switch (rows->form)
	{
		case WA_FORM_INT16:
			are_in_int16(rows->values, selection, nrows, table, least, out);
			break;
		case WA_FORM_INT32:
		case WA_FORM_TEXT:
			are_in_int32(rows->values, selection, nrows, table, least, out);
			break;
		default:
			are_in_int64(rows->values, selection, nrows, table, least, out);
			break;
	}
}

/* Returns whether values of a form may be between two, which are in order. */
static bool
may_be_between(WaForm form, int64_t least, int64_t most)
{
	switch (form)
	{
		case WA_FORM_INT16:
			return least <= INT16_MAX && most >= INT16_MIN;
		case WA_FORM_INT32:
		case WA_FORM_DECIMAL32:
		case WA_FORM_TEXT:
			return least <= INT32_MAX && most >= INT32_MIN;
		default:
			return true;
	}
}

/* Takes away what is 0 in bytes of the rows; first it may be turned around. */
static void
keep_valid(const uint8_t *validity, const uint16_t *selection, size_t nrows,
		   bool is_outside, uint8_t *out)
{
	for (size_t i = 0; i < nrows && is_outside; i++)
		out[i] ^= 1;
	for (size_t i = 0; i < nrows && validity != NULL; i++)
		out[i] &= validity[selection == NULL ? i : selection[i]];
}

/* Tells whether the values of a form lie as integers with a sign do. */
static bool
has_integers(WaForm form)
{
	switch (form)
	{
		case WA_FORM_INT16:
		case WA_FORM_INT32:
		case WA_FORM_INT64:
		case WA_FORM_DECIMAL32:
		case WA_FORM_DECIMAL64:
		case WA_FORM_TEXT:
			return true;
		default:
			return false;
	}
}

bool
wa_run_condition_apply(const WaRunCondition *condition,
					   const WaColumnRows *rows, const uint16_t *selection,
					   size_t nrows, uint8_t *out)
{
	if (!has_integers(rows->form))
		return false;
	if (condition->table != NULL)
		find_entries(condition->table, rows, selection, nrows, out);
	else if (may_be_between(rows->form, condition->least, condition->most))
		find_between(condition, rows, selection, nrows, out);
	else
		memset(out, 0, nrows);
	keep_valid(rows->validity, selection, nrows, condition->is_outside, out);
	return true;
}
