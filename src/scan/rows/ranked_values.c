/*
 * ranked_values.c
 *		What ranked aggregates find in the order of values; see ranked_values.h.
 *
 * Which rows are meant, and what lies between two of them, is as in PostgreSQL's
 * utils/adt/orderedsetaggs.c, to the last bit.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "scan/groups/row_order.h"
#include "scan/groups/value_sort.h"
#include "scan/rows/ranked_values.h"
#include "scan/rows/value_lists.h"

/* Where a rank lies among the rows of a group, which are numbered from 0. */
typedef struct Span
{
	int64 low;
	int64 high;   /* the same, or the next one, and: */
	double share; /* of the way from one to the other */
} Span;

/* The kinds of ranks as the device process knows them. */
static const WaQueryRankKind rank_kinds[] = {
	[WA_RANK_DISC] = WA_QUERY_RANK_DISC,
	[WA_RANK_CONT] = WA_QUERY_RANK_CONT,
	[WA_RANK_MODE] = WA_QUERY_RANK_MODE,
};

/* Tells whether an order of values of a type descends. */
static bool
is_descending(const SortGroupClause *order, Oid type)
{
	return order->sortop == lookup_type_cache(type, TYPECACHE_GT_OPR)->gt_opr;
}

/* Returns what the ranks of values are evaluated by. */
static ExprState **
make_fractions(const WaRolledValues *values, PlanState *node)
{
	ExprState **fractions =
		palloc0(sizeof(ExprState *) * (values->ncolumns + 1));

	for (int i = 0; i < values->ncolumns; i++)
		fractions[i] = ExecInitExpr(values->ranks[i].fraction, node);
	return fractions;
}

/* Makes the order of the values, by keys of the finer groups. */
static WaRowOrder *
make_order(const WaRankedValues *ranked)
{
	const WaGroupKey *keys = ranked->finer->query->group_keys;
	const SortGroupClause *order = ranked->values->order;
	Oid *types = palloc(sizeof(Oid) * (ranked->nkeys + 1));
	const Oid value_types[] = {keys[ranked->place].type, INT8OID};
	const WaRowOrderBy by = {
		.value = 0,
		.operator= order->sortop,
		.collation = exprCollation((Node *) ranked->values->expression),
		.nulls_first = order->nulls_first};
	const WaRowOrderPlan plan = {.nkeys = ranked->nkeys,
								 .key_types = types,
								 .nvalues = lengthof(value_types),
								 .types = value_types,
								 .norders = 1,
								 .orders = &by,
								 .may_rewind = true};

	for (int i = 0; i < ranked->nkeys; i++)
		types[i] = keys[i < ranked->place ? i : i + 1].type;
	return wa_row_order_make(&plan);
}

/* Makes the sort of groups in memory; NULL: there is none, as their values would be copies. */
static WaValueSort *
make_sort(const WaRankedValues *ranked)
{
	const WaRolledValues *values = ranked->values;

	if (ranked->finer->query->group_keys[ranked->place].kind ==
		WA_VECTOR_DECIMAL)
		return NULL;
	return wa_value_sort_make(ranked->place, values->order,
							  exprCollation((Node *) values->expression));
}

WaRankedValues *
wa_ranked_values_make(const WaScanStore *finer, const WaRolledValues *values,
					  PlanState *node)
{
	WaRankedValues *ranked = palloc(sizeof(WaRankedValues));

	ranked->finer = finer;
	ranked->values = values;
	ranked->econtext = node->ps_ExprContext;
	ranked->fractions = make_fractions(values, node);
	ranked->lists =
		values->are_listed ? wa_value_lists_make(values, node->state) : NULL;
	ranked->place = wa_rolled_query_place(finer->query);
	ranked->count_column = wa_rolled_query_count(finer->query);
	ranked->nkeys = finer->query->nkeys - 1;
	ranked->order = make_order(ranked);
	ranked->sort = make_sort(ranked);
	ranked->is_sorted_here = false;
	ranked->results = palloc(sizeof(Datum) * (values->ncolumns + 1));
	ranked->nulls = palloc(sizeof(bool) * (values->ncolumns + 1));
	return ranked;
}

void
wa_ranked_values_begin(WaRankedValues *ranked)
{
	wa_row_order_begin(ranked->order);
	ranked->has_taken = false;
	ranked->ngroups = 0;
}

bool
wa_ranked_values_begin_here(WaRankedValues *ranked)
{
	return ranked->sort != NULL && !ranked->has_taken &&
		   wa_value_sort_begin(ranked->sort, ranked->finer->groups);
}

void
wa_ranked_values_put(WaRankedValues *ranked, uint32 first, int count,
					 const uint32 *numbers)
{
	wa_value_sort_put(ranked->sort, first, count, numbers);
}

void
wa_ranked_values_sort_here(WaRankedValues *ranked, uint32 ngroups)
{
	wa_value_sort_perform(ranked->sort, ngroups, ranked->lists != NULL);
	ranked->is_sorted_here = true;
}

void
wa_ranked_values_end_here(WaRankedValues *ranked)
{
	wa_value_sort_end(ranked->sort);
	ranked->is_sorted_here = false;
}

/* Returns how many rows a group of the store has. */
static int64
rows_of(const WaRankedValues *ranked, uint32 group)
{
	bool is_null;

	return DatumGetInt64(
		wa_accumulator_result(ranked->finer->columns[ranked->count_column],
							  group, WA_COUNT, &is_null));
}

/* Takes a group with a value. */
static void
take_group(const WaRankedValues *ranked, uint32 group, Datum value,
		   bool is_null)
{
	const WaScanStore *finer = ranked->finer;
	const int nkeys = ranked->nkeys;
	TupleTableSlot *row = wa_row_order_new(ranked->order);

	for (int i = 0; i < nkeys; i++)
		row->tts_values[i] =
			wa_groups_key(finer->groups, group, i < ranked->place ? i : i + 1,
						  &row->tts_isnull[i]);
	row->tts_values[nkeys] = value;
	row->tts_isnull[nkeys] = is_null;
	row->tts_values[nkeys + 1] = Int64GetDatum(rows_of(ranked, group));
	row->tts_isnull[nkeys + 1] = false;
	wa_row_order_add(ranked->order);
}

void
wa_ranked_values_take(WaRankedValues *ranked, uint32 first, int count)
{
	ranked->has_taken = true;
	for (uint32 group = first; group < first + (uint32) count; group++)
	{
		bool is_null;
		const Datum value = wa_groups_key(ranked->finer->groups, group,
										  ranked->place, &is_null);

		if (!is_null || ranked->lists != NULL)
			take_group(ranked, group, value, is_null);
	}
}

/* Returns the fraction of a rank; sets *is_null. */
static double
fraction_of(const WaRankedValues *ranked, int number, bool *is_null)
{
	const WaRank *rank = &ranked->values->ranks[number];
	Datum value = ExecEvalExprSwitchContext(ranked->fractions[number],
											ranked->econtext, is_null);
	int subscript = rank->element + 1;

	if (!*is_null && rank->element >= 0)
		value = array_get_element(value, 1, &subscript, -1, sizeof(float8),
								  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, is_null);
	return *is_null ? 0 : DatumGetFloat8(value);
}

/* Raises an error if a fraction is none. */
static void
check_fraction(double fraction)
{
	if (!(fraction >= 0 && fraction <= 1))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("percentile value %g is not between 0 and 1",
							   fraction)));
}

void
wa_ranked_values_check(const WaRankedValues *ranked)
{
	for (int i = 0; i < ranked->values->ncolumns; i++)
	{
		bool is_null;

		/* Those of an array PostgreSQL looks at when there are rows. */
		if (ranked->fractions[i] != NULL &&
			ranked->values->ranks[i].element < 0)
		{
			const double fraction = fraction_of(ranked, i, &is_null);

			if (!is_null)
				check_fraction(fraction);
		}
	}
}

bool
wa_ranked_values_push(const WaRankedValues *ranked, WaQueryRolled *pushed)
{
	const WaRolledValues *values = ranked->values;
	const WaGroupKey *key = &ranked->finer->query->group_keys[ranked->place];
	WaQueryRank *ranks = palloc0(sizeof(WaQueryRank) * (values->ncolumns + 1));

	if (ranked->lists != NULL ||
		(key->kind != WA_VECTOR_INT && key->kind != WA_VECTOR_BOOL &&
		 key->kind != WA_VECTOR_FLOAT) ||
		values->ncolumns > WA_QUERY_MAX_RANKS)
		return false;
	for (int i = 0; i < values->ncolumns; i++)
	{
		bool is_null = false;

		ranks[i].kind = rank_kinds[values->ranks[i].kind];
		if (ranked->fractions[i] != NULL)
			ranks[i].fraction = fraction_of(ranked, i, &is_null);
		/* What is no fraction is an error only where there are rows. */
		if (is_null || !(ranks[i].fraction >= 0 && ranks[i].fraction <= 1))
			return false;
	}
	pushed->nranks = (uint32) values->ncolumns;
	pushed->descends = is_descending(values->order, key->type);
	pushed->ranks = ranks;
	return true;
}

/* Finds the place of a rank among some rows; returns false if it is that of no row. */
static bool
find_span(const WaRankedValues *ranked, int number, int64 rows, Span *span)
{
	bool is_null;
	double fraction;
	double exact;

	if (ranked->fractions[number] == NULL)
		return false;
	fraction = fraction_of(ranked, number, &is_null);
	if (is_null)
		return false;
	check_fraction(fraction);
	if (ranked->values->ranks[number].kind == WA_RANK_DISC)
	{
		const int64 nth = (int64) ceil(fraction * (double) rows);

		*span = (Span){.low = Max(nth, 1) - 1, .high = Max(nth, 1) - 1};
		return true;
	}
	exact = fraction * (double) (rows - 1);
	*span = (Span){.low = (int64) floor(exact),
				   .high = (int64) ceil(exact),
				   .share = exact - floor(exact)};
	return true;
}

/* Returns a copy of a value in the current memory context. */
static Datum
copy_value(const WaRankedValues *ranked, Datum value)
{
	int16 length;
	bool by_value;

	get_typlenbyval(ranked->finer->query->group_keys[ranked->place].type,
					&length, &by_value);
	return datumCopy(value, by_value, length);
}

/* Has a rank be a value. */
static void
set_result(const WaRankedValues *ranked, int number, Datum value)
{
	ranked->results[number] = value;
	ranked->nulls[number] = false;
}

/* A value of a group. */
typedef struct Value
{
	Datum value;
	bool is_null;
	int64 rows; /* that have it */
} Value;

/* Reads the next value of the group; returns false if there is none. */
static bool
next_value(const WaRankedValues *ranked, Value *value)
{
	const WaSortedGroup *here;
	const TupleTableSlot *row;

	if (ranked->is_sorted_here)
	{
		here = wa_value_sort_next(ranked->sort);
		if (here != NULL)
			*value = (Value){.value = here->value,
							 .is_null = here->is_null,
							 .rows = rows_of(ranked, here->group)};
		return here != NULL;
	}
	row = ranked->group == NULL ? NULL : wa_row_order_next(ranked->order);
	if (row != NULL)
		*value =
			(Value){.value = row->tts_values[ranked->nkeys],
					.is_null = row->tts_isnull[ranked->nkeys],
					.rows = DatumGetInt64(row->tts_values[ranked->nkeys + 1])};
	return row != NULL;
}

/* Goes back to the first value of the group. */
static void
rewind_values(const WaRankedValues *ranked)
{
	if (ranked->is_sorted_here)
		wa_value_sort_rewind(ranked->sort);
	else
		wa_row_order_rewind(ranked->order);
}

/*
 * Reads all values of the group; returns how many rows have them, and stores the first of those that
 * most have.
 */
static int64
count_rows(const WaRankedValues *ranked, Datum *mode)
{
	int64 all = 0;
	int64 most = 0;
	Value value;

	while (next_value(ranked, &value))
	{
		all += value.rows;
		if (value.rows > most)
		{
			most = value.rows;
			*mode = copy_value(ranked, value.value);
		}
	}
	return all;
}

/* Takes a value that some rows have, behind others, for a rank that lies in a span. */
static void
take_value(const WaRankedValues *ranked, int number, const Span *span,
		   Datum value, int64 before, int64 rows)
{
	if (span->low >= before && span->low < before + rows)
		set_result(ranked, number, copy_value(ranked, value));
	/* Of equal values, too: between infinities there is none. */
	if (span->high > span->low && span->high >= before &&
		span->high < before + rows)
	{
		const double low = DatumGetFloat8(ranked->results[number]);

		set_result(
			ranked, number,
			Float8GetDatum(low + span->share * (DatumGetFloat8(value) - low)));
	}
}

/* Finds the percentiles of the group, which has so many rows. */
static void
find_percentiles(const WaRankedValues *ranked, int64 all)
{
	const int nranks = ranked->values->ncolumns;
	Span *spans = palloc(sizeof(Span) * nranks);
	int64 before = 0;
	int64 last = -1;
	Value value;

	for (int i = 0; i < nranks; i++)
	{
		if (!find_span(ranked, i, all, &spans[i]))
			spans[i] = (Span){.low = -1, .high = -1};
		last = Max(last, spans[i].high);
	}
	if (last < 0)
		return;
	rewind_values(ranked);
	while (before <= last && next_value(ranked, &value))
	{
		for (int i = 0; i < nranks; i++)
			take_value(ranked, i, &spans[i], value.value, before, value.rows);
		before += value.rows;
	}
}

/* Finds what lists come to in the group. */
static void
find_lists(const WaRankedValues *ranked)
{
	Value value;

	wa_value_lists_begin(ranked->lists);
	while (next_value(ranked, &value))
	{
		CHECK_FOR_INTERRUPTS();
		wa_value_lists_take(ranked->lists, value.value, value.is_null);
	}
	for (int i = 0; i < ranked->values->ncolumns; i++)
		ranked->results[i] =
			wa_value_lists_result(ranked->lists, i, &ranked->nulls[i]);
}

/* Finds percentiles and modes of the group. */
static void
find_ranks(const WaRankedValues *ranked)
{
	const WaRolledValues *values = ranked->values;
	Datum mode = (Datum) 0;
	int64 all;

	memset(ranked->nulls, true, sizeof(bool) * values->ncolumns);
	all = count_rows(ranked, &mode);
	for (int i = 0; i < values->ncolumns; i++)
		if (values->ranks[i].kind == WA_RANK_MODE)
			set_result(ranked, i, mode);
	find_percentiles(ranked, all);
}

/* Comes to the next group; returns false if there is none. */
static bool
find_group(WaRankedValues *ranked)
{
	/* Without keys there is a group of no rows, of which percentiles are NULL. */
	const bool is_there =
		ranked->lists != NULL && ranked->nkeys == 0 && ranked->ngroups == 0;

	if (ranked->is_sorted_here)
		return wa_value_sort_next_group(ranked->sort, &ranked->number);
	ranked->group = wa_row_order_next_group(ranked->order);
	return ranked->group != NULL || is_there;
}

bool
wa_ranked_values_next(WaRankedValues *ranked)
{
	if (!find_group(ranked))
		return false;
	ranked->ngroups++;
	if (ranked->lists != NULL)
		find_lists(ranked);
	else
		find_ranks(ranked);
	return true;
}

Datum
wa_ranked_values_key(const WaRankedValues *ranked, int key, bool *is_null)
{
	const int number = key < ranked->place ? key : key - 1;

	*is_null = ranked->group->tts_isnull[number];
	return ranked->group->tts_values[number];
}

void
wa_ranked_values_end(WaRankedValues *ranked)
{
	wa_row_order_end(ranked->order);
	if (ranked->sort != NULL)
		wa_value_sort_end(ranked->sort);
	if (ranked->lists != NULL)
		wa_value_lists_end(ranked->lists);
}
