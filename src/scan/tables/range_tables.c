/*
 * range_tables.c
 *		Tables of what PostgreSQL evaluates; see range_tables.h.
 *
 * To fill a table takes up to a microsecond an entry, so tables are kept for the
 * queries to come (table_cache.h).  Ranges are rounded, so that they seldom change when
 * rows come.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "scan/base/attempt.h"
#include "scan/base/datum.h"
#include "scan/expr/errors.h"
#include "scan/expr/times.h"
#include "scan/tables/range_tables.h"
#include "scan/tables/table_cache.h"
#include "scan/tables/table_values.h"

/* A table has no more entries than this share of the rows, ... */
#define ROWS_PER_ENTRY 8

/* ... but this many in any case. */
#define FREE_ENTRIES 16384

/* Ranges are rounded to multiples of about this share of them. */
#define RANGE_PARTS 16

/* An end that is infinite is taken to be so many days from the other one. */
#define GUESSED_DAYS (30 * 366)

/*
 * Widths of entries of a time, in microseconds.  Each is a multiple of the next, and
 * is one that wa_buckets_value takes.
 */
static const int64 widths[] = {
	USECS_PER_DAY,         USECS_PER_HOUR,       30 * USECS_PER_MINUTE,
	15 * USECS_PER_MINUTE, 5 * USECS_PER_MINUTE, USECS_PER_MINUTE,
};

/* A table that is being filled. */
typedef struct Filling
{
	WaEvaluation *evaluation;
	const WaBuckets *buckets; /* BUCKETS; else NULL */
	Oid type;                 /* of the results */
	WaVectorKind kind;
	Oid argument; /* the type of what it is a function of */
	int64 smallest;
	uint64 nentries;
	int level;            /* the number of its width; -1: an entry a value */
	WaAttempts *attempts; /* NULL: no value raises an error */
	WaTableDraft *draft;
	int64 first; /* the values at hand */
	int64 last;
	WaTableValues values;
} Filling;

bool
wa_range_table_is_possible(const WaCallExpression *call)
{
	const WaSource *source = wa_call_source(call);

	if (source == NULL)
		return false;
	switch (exprType((Node *) source->expression))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return call->kind == WA_CALL_BUCKETS;
		default:
			return false;
	}
}

/* Puts the constants in the place of references to them. */
static Node *
put_constants(Node *node, void *evaluation)
{
	Const *constant;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, put_constants, evaluation);
	constant = wa_evaluation_constant((const WaEvaluation *) evaluation,
									  (const Var *) node);
	return constant == NULL ? node : (Node *) constant;
}

/* Rounds down to a multiple of a unit. */
static int64
round_down(int64 value, int64 unit)
{
	return value - (value % unit + unit) % unit;
}

/* Returns a multiple of a day, or of 1, that a range may be rounded to. */
static int64
unit_of(int64 smallest, int64 largest, int64 day)
{
	const uint64 span = (uint64) largest - (uint64) smallest;
	uint64 unit = (uint64) day;

	while (unit <= span / RANGE_PARTS)
		unit *= 2;
	return (int64) unit;
}

/* The ends of the values that a type has, or may safely be evaluated of. */
static void
find_limits(Oid type, int64 *smallest, int64 *largest)
{
	switch (type)
	{
		case INT2OID:
			*smallest = PG_INT16_MIN;
			*largest = PG_INT16_MAX;
			break;
		case INT4OID:
			*smallest = PG_INT32_MIN;
			*largest = PG_INT32_MAX;
			break;
		case DATEOID:
			*smallest = WA_SAFE_FIRST_DAY;
			*largest = WA_SAFE_LAST_DAY;
			break;
		case INT8OID:
			*smallest = PG_INT64_MIN;
			*largest = PG_INT64_MAX;
			break;
		default:
			*smallest = WA_SAFE_FIRST_DAY * USECS_PER_DAY;
			*largest = (WA_SAFE_LAST_DAY + 1) * USECS_PER_DAY - 1;
			break;
	}
}

/*
 * Finds the range of a table over a column of a type: its values, and some more;
 * where one end is not safe, such as infinity, a guess.  Returns false if there
 * are no values, or if they are nothing for a table.
 */
static bool
find_range(Oid type, const WaResidency *column, int64 *smallest, int64 *largest)
{
	const bool is_stamp = type == TIMESTAMPOID || type == TIMESTAMPTZOID;
	const int64 day = is_stamp ? USECS_PER_DAY : 1;
	int64 unit;
	int64 first;
	int64 last;

	*smallest = column->smallest;
	*largest = column->largest;
	if (*smallest > *largest)
		return false;
	if (!wa_time_is_safe(type, *smallest))
		*smallest =
			wa_time_is_safe(type, *largest) ? *largest - GUESSED_DAYS * day : 0;
	if (!wa_time_is_safe(type, *largest))
		*largest = *smallest + GUESSED_DAYS * day;
	find_limits(type, &first, &last);
	unit = unit_of(*smallest, *largest, day);
	if (*smallest < first + unit || *largest > last - unit)
	{
		*smallest = Max(*smallest, first);
		*largest = Min(*largest, last);
		return !is_stamp;
	}
	*smallest = round_down(*smallest, unit);
	*largest = round_down(*largest, unit) + unit - 1;
	return true;
}

/* Tells whether there is no sense in going on. */
static bool
is_hopeless(const Filling *filling)
{
	return wa_table_values_are_hopeless(&filling->values, 0);
}

/* Evaluates the call for the values at hand: a WaTableFunction. */
static bool
evaluate(void *context, bool of_null, Datum *value, bool *is_null)
{
	const Filling *filling = (const Filling *) context;
	const NullableDatum argument = {
		of_null ? (Datum) 0
				: wa_integer_datum(filling->argument, filling->first),
		of_null};

	if (filling->buckets != NULL && !of_null)
		return wa_buckets_value(filling->buckets, filling->first, filling->last,
								value, is_null);
	*value = wa_evaluation_of(filling->evaluation, NULL, argument, is_null);
	return true;
}

/* Fills the entries of a time of the width of a level, in parts if need be. */
static void
fill_time(Filling *filling, int64 first, int level)
{
	const int64 width = widths[level];
	const int64 step = widths[filling->level];
	WaEntryState state;
	Datum value;

	filling->first = first;
	filling->last = first + width - 1;
	state = wa_table_values_find(&filling->values, &value);
	if (state != WA_ENTRY_UNKNOWN || level == filling->level)
	{
		wa_table_values_set(&filling->values,
							(uint64) (first - filling->smallest) / step,
							(uint64) (width / step), state, value);
		return;
	}
	for (int64 part = 0; part < width && !is_hopeless(filling);
		 part += widths[level + 1])
		fill_time(filling, first + part, level + 1);
}

/* Fills the entries of a single value each. */
static void
fill_values(Filling *filling)
{
	for (uint64 i = 0; i < filling->nentries && !is_hopeless(filling); i++)
	{
		WaEntryState state;
		Datum value;

		CHECK_FOR_INTERRUPTS();
		filling->first = filling->last = filling->smallest + (int64) i;
		state = wa_table_values_find(&filling->values, &value);
		wa_table_values_set(&filling->values, i, 1, state, value);
	}
}

/* Fills the table; returns false if too little of it is known. */
static bool
fill(Filling *filling)
{
	if (!wa_table_values_find_null(&filling->values))
		return false;
	if (filling->level < 0)
		fill_values(filling);
	else
		for (uint64 i = 0; i < filling->nentries && !is_hopeless(filling);
			 i += (uint64) (widths[0] / widths[filling->level]))
		{
			CHECK_FOR_INTERRUPTS();
			fill_time(filling,
					  filling->smallest + (int64) i * widths[filling->level],
					  0);
		}
	return !is_hopeless(filling);
}

/*
 * Makes entries of a width in a memory context of their own, below that of the
 * table.  Returns NULL if there are too many, or too little is known of them.
 */
static MemoryContext
fill_with(Filling *filling, int64 width)
{
	WaTableDraft *draft = filling->draft;
	const WaTableKey *key = draft->key;
	MemoryContext context;

	filling->smallest = key->smallest;
	filling->nentries =
		((uint64) key->largest - (uint64) key->smallest) / width + 1;
	if (filling->nentries > key->max_entries)
		return NULL;
	context = AllocSetContextCreate(draft->context, "warpagg steps",
									ALLOCSET_SMALL_SIZES);
	wa_table_values_begin(&filling->values, context, filling->type,
						  filling->kind, evaluate, filling);
	filling->values.attempts = filling->attempts;
	wa_table_values_grow(&filling->values, filling->nentries);
	if (fill(filling))
	{
		draft->lookup =
			(WaLookupTable){.base = key->smallest, .width = (uint64) width};
		wa_table_values_finish(&filling->values, &draft->lookup);
		return context;
	}
	MemoryContextDelete(context);
	return NULL;
}

/*
 * Makes the entries of a table: the widest of which all are known, or else the
 * narrowest that there may be.  A callback.
 */
static void
make_steps(WaAttempts *attempts, void *context)
{
	Filling *filling = (Filling *) context;
	const Oid type = filling->argument;
	MemoryContext best = NULL;

	filling->attempts = attempts;
	filling->level = -1;
	if (type != TIMESTAMPOID && type != TIMESTAMPTZOID)
	{
		(void) fill_with(filling, 1);
		return;
	}
	for (filling->level = 0; filling->level < lengthof(widths);
		 filling->level++)
	{
		MemoryContext made = fill_with(filling, widths[filling->level]);

		if (made == NULL)
			continue;
		if (best != NULL)
			MemoryContextDelete(best);
		best = made;
		if (filling->values.nunknown == 0)
			return;
	}
}

/* Makes a table: a WaTableFeeder. */
static void
feed(WaTableDraft *draft, void *context)
{
	Filling *filling = (Filling *) context;

	filling->draft = draft;
	wa_attempts_run(wa_may_raise(draft->key->expression), make_steps, filling);
}

const WaLookupTable *
wa_range_table_find(const WaCallExpression *call, WaEvaluation *evaluation,
					const WaBuckets *buckets, const WaResidency *column)
{
	Filling filling = {
		.evaluation = evaluation,
		.buckets = buckets,
		.type = getBaseType(exprType((Node *) call->expression)),
		.kind = call->result,
		.argument = exprType((Node *) wa_call_source(call)->expression),
	};
	WaTableKey key = {
		.expression = put_constants((Node *) call->expression, evaluation),
		.max_entries = Min(Max(column->rows / ROWS_PER_ENTRY, FREE_ENTRIES),
						   WA_MAX_ENTRIES)};

	if (!wa_table_is_allowed(key.expression) ||
		!find_range(filling.argument, column, &key.smallest, &key.largest))
		return NULL;
	return wa_table_find(&key, feed, &filling);
}
