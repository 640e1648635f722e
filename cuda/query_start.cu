//
// query_start.cu
//		The first entries of a query: which rows may be used, and its program.
//
#include "query/work.h"

#include <algorithm>
#include <string.h>

#include "keys.h"
#include "query/conditions.h"
#include "query/dense.h"
#include "query/parts.h"

// Returns the form of an output of the kind.
static WaColumnForm
output_form(const WaQueryWork *work, WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return WA_COLUMN_F64;
		case WA_VECTOR_BOOL:
			return WA_COLUMN_BITS;
		case WA_VECTOR_DECIMAL:
			return work->width.is_wide ? WA_COLUMN_I128 : WA_COLUMN_I64;
		default:
			return WA_COLUMN_I64;
	}
}

// Returns the bytes of an output's values.
static size_t
output_bytes(const WaQueryWork *work, WaColumnForm form)
{
	return form == WA_COLUMN_BITS
			   ? wa_validity_bytes(work->nrows)
			   : work->nrows * wa_type_width(wa_query_type(form));
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
	source->form = column->form;
	source->d_values = column->d_values;
	source->d_validity = column->d_validity;
	source->d_digits = column->d_display;
	source->scale = column->scale;
	source->mixed = column->d_display != NULL;
}

// Bits of a value of 128 bits, beside the sign.
static const uint8_t kWideBits = 127;

// Makes a source of a register that the program computes, for the operations; none: it
// is a key, or values are counted.
static void
add_output(WaQueryWork *work, int number, int filter, bool has_values,
		   WaOpSet ops, WaQuerySource *source)
{
	const WaVectorKind kind = work->query->program.kinds[number];
	const size_t place = work->outputs.size();
	WaProgramOutput *output;
	WaQueryPool *pool = &work->slot->d_pool;

	work->output_sources.push_back(source);
	work->outputs.push_back({});
	output = &work->outputs.back();
	output->scale = place < work->width.scales.size()
						? work->width.scales[place]
						: (uint8_t) WA_ANY_SCALE;
	output->number = (uint16_t) number;
	output->bits = kWideBits;
	output->mixed_bits =
		(ops & kQueryExtremes) != 0 ? kWideBits - kQueryLookBits : kWideBits;
	output->filter =
		filter >= 0 ? (uint16_t) filter : (uint16_t) WA_NO_REGISTER;
	output->form = output_form(work, kind);
	output->d_validity =
		wa_query_take<uint64_t>(pool, wa_validity_bytes(work->nrows) / 8);
	source->is_output = true;
	source->d_validity = output->d_validity;
	if (!has_values)
		return;
	output->d_values =
		wa_query_take<unsigned char>(pool, output_bytes(work, output->form));
	if (kind == WA_VECTOR_DECIMAL)
		output->d_display = wa_query_take<int16_t>(pool, work->nrows);
	source->form = output->form;
	source->d_values = output->d_values;
	source->d_display = output->d_display;
}

// Tells whether a column can be reduced as it is.
static bool
is_reducible(const WaCudaAggregate *aggregate, const WaCudaColumn *column)
{
	const WaType type = wa_query_type(column->form);
	WaOpSet ops = aggregate->ops;

	if (ops == 0)
		return true;
	// Squares of 128 bits are made of those of halves.
	if (column->form == WA_COLUMN_I128)
		ops = (WaOpSet) (ops & ~WA_OP_BIT(WA_OP_SQUARES));
	return column->form != WA_COLUMN_BITS && column->d_display == NULL &&
		   wa_reductions_exist(ops, wa_type_storage(type));
}

// Finds the values of an aggregated column.
static void
find_source(WaQueryWork *work, const WaCudaAggregate *aggregate,
			WaQuerySource *source)
{
	const WaCudaColumn *column = find_column(work->query, aggregate->argument);
	const bool is_bare = column != NULL && is_reducible(aggregate, column);

	*source = {};
	if (aggregate->argument < 0 && aggregate->filter < 0)
	{
		source->counts_rows = true;
		return;
	}
	if (aggregate->argument < 0)
	{
		add_output(work, aggregate->filter, aggregate->filter, false, 0,
				   source);
		return;
	}
	if (!is_bare && column != NULL && column->form == WA_COLUMN_I128 &&
		!work->width.is_wide)
		throw WaQueryError{cudaErrorNotSupported};
	if (is_bare)
		use_column(source, column);
	if (!is_bare || aggregate->filter >= 0)
		add_output(work, aggregate->argument, aggregate->filter,
				   aggregate->ops != 0 && !is_bare, aggregate->ops, source);
}

// Returns the instruction that sets a register, or NULL.
static const WaInstruction *
find_instruction(const WaProgram *program, uint16_t number)
{
	for (size_t i = program->ninstructions; i-- > 0;)
		if (program->instructions[i].out == number)
			return &program->instructions[i];
	return NULL;
}

// Tells whether a table makes nothing NULL.
static bool
has_no_nulls(const WaLookupTable *table)
{
	return !table->is_total && table->known != NULL &&
		   memchr(table->known, WA_ENTRY_NULL, table->nentries) == NULL;
}

// Makes a source of the only key if rows can be numbered by looking a column up, which
// takes no program; returns false if not.
static bool
find_look_up(const WaCudaQuery *query, WaQuerySource *source)
{
	const WaInstruction *instruction =
		find_instruction(&query->program, query->keys[0]);
	const WaCudaColumn *column = NULL;

	if (instruction != NULL && instruction->code == WA_CODE_LOOK_UP)
		column = find_column(query, instruction->a);
	if (query->nkeys != 1 || query->key_values == NULL ||
		query->key_values[0].count == 0 ||
		query->key_values[0].count > WA_KEYS_MAX_ENTRIES || column == NULL ||
		(column->form != WA_COLUMN_I32 && column->form != WA_COLUMN_I64) ||
		!has_no_nulls(&query->program.tables[instruction->extra]))
		return false;
	source->form = column->form;
	source->d_values = column->d_values;
	source->d_validity = column->d_validity;
	source->values = &query->key_values[0];
	source->lookup = &query->program.tables[instruction->extra];
	return true;
}

// Finds the values of a key.  What stand for others are small integers.
static void
find_key(WaQueryWork *work, unsigned key, WaQuerySource *source)
{
	const WaCudaQuery *query = work->query;
	const WaCudaColumn *column = find_column(query, query->keys[key]);

	*source = {};
	if (column != NULL)
		use_column(source, column);
	if (column != NULL || find_look_up(query, source))
		return;
	add_output(work, query->keys[key], WA_CUDA_NO_REGISTER, true, 0, source);
	if (query->key_values == NULL || query->key_values[key].count == 0)
		return;
	source->values = &query->key_values[key];
	source->form = WA_COLUMN_I32;
	work->outputs.back().form = WA_COLUMN_I32;
}

// Finds the values of which something is wanted.
static void
find_values(WaQueryWork *work)
{
	const int number = work->query->values->number;
	const WaCudaColumn *column = find_column(work->query, number);

	work->values = {};
	if (column != NULL)
		use_column(&work->values, column);
	else
		add_output(work, number, WA_CUDA_NO_REGISTER, true, 0, &work->values);
}

// Tells whether rows of one group may have keys that show other numbers of digits.
static bool
shows_keys_by_row(const WaQueryWork *work)
{
	for (const WaQuerySource &key : work->keys)
		if (key.mixed)
			return true;
	return false;
}

// Starts what finds the rows that may be used and fulfil the first clauses; returns how
// many of these.
static unsigned
start_rows(WaQueryWork *work)
{
	const WaQueryConditions conditions = wa_query_find_conditions(work->query);
	uint64_t *d_mask = wa_query_start_mask(work);

	wa_query_start_conditions(work, &conditions, d_mask);
	work->d_selection = d_mask;
	return conditions.nclauses;
}

// Finds the values of aggregated columns and of keys.
static void
find_sources(WaQueryWork *work)
{
	const WaCudaQuery *query = work->query;

	work->sources.resize(query->naggregates);
	work->keys.resize(query->nkeys);
	for (unsigned i = 0; i < query->naggregates; i++)
		find_source(work, &query->aggregates[i], &work->sources[i]);
	for (unsigned i = 0; i < query->nkeys; i++)
		find_key(work, i, &work->keys[i]);
	if (query->values != NULL)
		find_values(work);
}

void
wa_query_start(WaQueryWork *work)
{
	unsigned nclauses = start_rows(work);

	while (wa_query_make_dense(work, &nclauses))
		nclauses = start_rows(work);
	find_sources(work);
	wa_query_start_programs(work, nclauses, work->query->nclauses);
	work->limit = work->takes_all || shows_keys_by_row(work)
					  ? 0
					  : work->query->top_n.limit;
	// What is found of the values of two groups cannot be merged.
	if (work->query->values != NULL && shows_keys_by_row(work))
		throw WaQueryError{cudaErrorNotSupported};
	work->by_equal_keys = work->limit > 0 || work->query->values != NULL;
	wa_query_start_parts(work);
	work->has_started = true;
}
