/*
 * resident_query.c
 *		What a node computes as a query for the device process; see
 *		resident_query.h.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "heap/gather.h"
#include "query/query_wire.h"
#include "scan/plan/resident_worth.h"
#include "scan/plan/top_n.h"
#include "scan/resident/resident_query.h"

/* Tells whether what a column has are the smallest and the largest of texts. */
static bool
has_ranks(const WaScanState *state, const WaScanColumn *column)
{
	const WaOpSet ranked = WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX);
	WaVectorKind kind;

	return column->argument_register >= 0 && column->kind == WA_VECTOR_TEXT &&
		   wa_gather_kind(column->plan.key.argument_type, &kind) &&
		   column->plan.key.ops != 0 && (column->plan.key.ops & ~ranked) == 0 &&
		   wa_interpreter_may_have_ranks(state->interpreter,
										 column->argument_register);
}

/* Tells whether there are records of all aggregated columns. */
static bool
have_records(const WaScanState *state)
{
	for (int i = 0; i < state->ncolumns; i++)
	{
		const WaScanColumn *column = &state->columns[i];

		if (!wa_records_exist(column->kind, column->plan.key.ops) &&
			!has_ranks(state, column))
			return false;
	}
	return true;
}

/* Returns a reference to a column of the table, by its register. */
static Var *
column_var(const WaScanState *state, int number)
{
	const AttrNumber attnum = state->attnums[number];
	const Form_pg_attribute attribute =
		TupleDescAttr(RelationGetDescr(state->relation), attnum - 1);

	return makeVar((int) state->varno, attnum, getBaseType(attribute->atttypid),
				   attribute->atttypmod, attribute->attcollation, 0);
}

/*
 * Describes a column of texts by the ranks of these.  Returns false if they cannot
 * be had.
 */
static bool
describe_ranks(const WaScanState *state, const WaRunMessage *run,
			   const WaResidentMessage *resident, int number,
			   WaQueryColumn *column, WaQuery *query, WaRanks *ranks)
{
	const WaScanColumn *of = &state->columns[number];
	const int argument = of->argument_register;
	const Var *var = argument < wa_interpreter_ncolumns(state->interpreter)
						 ? column_var(state, argument)
						 : NULL;

	column->kind = WA_VECTOR_INT;
	column->argument = wa_interpreter_describe_ranks(
		state->interpreter, run, resident->columns, argument, var,
		of->plan.collation, query, &ranks->of[number]);
	query->end = (uint32) query->program.ninstructions;
	ranks->count++;
	return column->argument >= 0;
}

/* Describes the aggregated columns; returns false if one has no records. */
static bool
describe_columns(const WaScanState *state, const WaRunMessage *run,
				 const WaResidentMessage *resident, WaQuery *query,
				 WaRanks *ranks)
{
	WaQueryColumn *columns =
		palloc(sizeof(WaQueryColumn) * (state->ncolumns + 1));

	ranks->count = 0;
	ranks->of = palloc0(sizeof(*ranks->of) * (state->ncolumns + 1));
	for (int i = 0; i < state->ncolumns; i++)
	{
		const WaScanColumn *column = &state->columns[i];

		columns[i].argument = column->argument_register;
		columns[i].filter = column->filter_register;
		columns[i].kind = column->kind;
		columns[i].ops = column->plan.key.ops;
		if (has_ranks(state, column) &&
			!describe_ranks(state, run, resident, i, &columns[i], query, ranks))
			return false;
	}
	query->ncolumns = (uint32_t) state->ncolumns;
	query->columns = columns;
	return true;
}

/* Describes the keys. */
static void
describe_keys(const WaScanState *state, WaQuery *query)
{
	WaQueryKey *keys = palloc(sizeof(WaQueryKey) * (state->nkeys + 1));
	uint16 *numbers = palloc(sizeof(uint16) * (state->nkeys + 1));

	for (int i = 0; i < state->nkeys; i++)
	{
		keys[i] = wa_group_key_query(&state->group_keys[i]);
		numbers[i] = (uint16) state->keys[i].number;
	}
	query->nkeys = (uint32) state->nkeys;
	query->keys = keys;
	query->key_numbers = numbers;
}

/* Describes the clauses of WHERE. */
static void
describe_filters(const WaScanState *state, WaQuery *query)
{
	WaQueryFilter *filters =
		palloc(sizeof(WaQueryFilter) * (state->nfilters + 1));

	for (int i = 0; i < state->nfilters; i++)
	{
		filters[i].begin = (uint32) state->filters[i].begin;
		filters[i].end = (uint32) state->filters[i].end;
		filters[i].number = (uint16) state->filters[i].number;
	}
	query->nfilters = (uint32) state->nfilters;
	query->filters = filters;
	query->begin = (uint32) state->begin;
	query->end = (uint32) state->end;
}

/*
 * Describes which groups are wanted; returns false if all are, and to have them
 * sent takes longer than to read the relation.
 */
static bool
describe_top_n(const WaScanState *state, WaQuery *query)
{
	wa_top_n_describe(state, &query->top_n);
	query->max_groups = state->most_groups;
	query->only_wanted = !wa_resident_takes_groups(
		wa_heap_nblocks(state->heap), state->planned_groups, state->nworkers);
	return query->top_n.limit > 0 || !query->only_wanted;
}

bool
wa_resident_may_push(const WaScanState *state)
{
	WaQuery query = {0};
	bool tables;

	(void) wa_interpreter_has_calls(state->interpreter, &tables);
	return tables && have_records(state) && describe_top_n(state, &query);
}

bool
wa_resident_has_tables(const WaScanState *state)
{
	bool tables;

	if (wa_interpreter_has_calls(state->interpreter, &tables))
		return true;
	for (int i = 0; i < state->ncolumns; i++)
		if (has_ranks(state, &state->columns[i]))
			return true;
	return false;
}

/* Describes how rows are counted that fulfil so many clauses of WHERE. */
static void
describe_count(const WaScanState *state, int nfilters, WaQuery *query)
{
	WaQueryColumn *column = palloc0(sizeof(WaQueryColumn));

	*column =
		(WaQueryColumn){.argument = -1, .filter = -1, .kind = WA_VECTOR_BOOL};
	query->ncolumns = 1;
	query->columns = column;
	describe_filters(state, query);
	query->nfilters = (uint32) nfilters;
	query->end = query->begin;
}

bool
wa_resident_write_query(const WaScanState *state, const WaRunMessage *run,
						const WaResidentMessage *resident, int stage,
						WaArena *arena, WaWriter *writer, WaRanks *ranks)
{
	WaQuery query = {0};

	if (!wa_interpreter_describe(state->interpreter, run, resident->columns,
								 &query))
		return false;
	if (stage >= 0)
		describe_count(state, stage, &query);
	else
	{
		describe_keys(state, &query);
		describe_filters(state, &query);
		if (!describe_columns(state, run, resident, &query, ranks) ||
			!describe_top_n(state, &query))
			return false;
	}
	wa_writer_init(writer, arena);
	wa_query_write(writer, &query);
	return true;
}
