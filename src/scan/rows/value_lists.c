/*
 * value_lists.c
 *		What aggregates' own functions make of distinct values; see value_lists.h.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "scan/expr/aggregates.h"
#include "scan/groups/transitions.h"
#include "scan/rows/value_lists.h"

/* An aggregate. */
typedef struct ValueList
{
	WaTransitions *transitions; /* of one group */
	NullableDatum *arguments;   /* those that are constant, and: */
	int argument;               /* the value's number */
	bool skips_nulls;
	bool by_value; /* what it comes to */
} ValueList;

struct WaValueLists
{
	int nlists;
	ValueList *lists;
};

/* Returns the arguments of an aggregate, of which one is not constant. */
static NullableDatum *
make_arguments(const Aggref *aggref)
{
	NullableDatum *arguments =
		palloc0(sizeof(NullableDatum) * list_length(aggref->args));
	ListCell *cell;

	foreach (cell, aggref->args)
	{
		const Const *constant =
			(const Const *) lfirst_node(TargetEntry, cell)->expr;

		if (IsA(constant, Const))
			arguments[foreach_current_index(cell)] = (NullableDatum){
				.value = constant->constvalue, .isnull = constant->constisnull};
	}
	return arguments;
}

WaValueLists *
wa_value_lists_make(const WaRolledValues *values, EState *estate)
{
	WaValueLists *lists = palloc(sizeof(WaValueLists));

	lists->nlists = values->ncolumns;
	lists->lists = palloc(sizeof(ValueList) * (values->ncolumns + 1));
	for (int i = 0; i < values->ncolumns; i++)
	{
		const WaRank *rank = &values->ranks[i];
		Aggref *plain = wa_aggregate_plain(rank->listed);

		lists->lists[i] = (ValueList){
			.transitions = wa_transitions_make(estate, plain, true, NULL),
			.arguments = make_arguments(plain),
			.argument = rank->argument,
			.skips_nulls = rank->skips_nulls,
			.by_value = get_typbyval(plain->aggtype)};
	}
	return lists;
}

void
wa_value_lists_begin(WaValueLists *lists)
{
	for (int i = 0; i < lists->nlists; i++)
	{
		wa_transitions_clear(lists->lists[i].transitions);
		wa_transitions_grow(lists->lists[i].transitions, 1);
	}
}

void
wa_value_lists_take(WaValueLists *lists, Datum value, bool is_null)
{
	for (int i = 0; i < lists->nlists; i++)
	{
		const ValueList *list = &lists->lists[i];

		if (is_null && list->skips_nulls)
			continue;
		list->arguments[list->argument] =
			(NullableDatum){.value = value, .isnull = is_null};
		wa_transitions_take_row(list->transitions, 0, list->arguments);
	}
}

Datum
wa_value_lists_result(WaValueLists *lists, int rank, bool *is_null)
{
	const ValueList *list = &lists->lists[rank];
	const Datum result = wa_transitions_result(list->transitions, 0, is_null);

	return *is_null || list->by_value
			   ? result
			   : PointerGetDatum(PG_DETOAST_DATUM(result));
}

void
wa_value_lists_end(WaValueLists *lists)
{
	for (int i = 0; i < lists->nlists; i++)
		wa_transitions_end(lists->lists[i].transitions);
}
