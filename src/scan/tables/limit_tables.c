/*
 * limit_tables.c
 *		Tables of comparisons of times with a limit; see limit_tables.h.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "pgtime.h"
#include "utils/timestamp.h"

#include "scan/tables/limit_tables.h"

/* A table has about so many steps, which are no shorter than an hour. */
#define STEPS     4096
#define MIN_WIDTH USECS_PER_HOUR

/* A table is about times that are not further from the limit, in microseconds. */
#define MOST_USECS (INT64CONST(1) << 50)

/*
 * A time of any zone is not further from the same of UTC, nor does a zone's offset
 * change by more.
 */
#define FAR_USECS (3 * USECS_PER_DAY)

/* Where times are less than the limit, and where they are not. */
typedef struct Border
{
	int64 less;    /* what is before it is less */
	int64 greater; /* what is not before it is greater */
} Border;

/* Returns the type of the source that varies, of a call that has but one. */
static Oid
compared_type(const WaCallExpression *call)
{
	ListCell *cell;

	foreach (cell, call->sources)
	{
		const WaSource *source = (const WaSource *) lfirst(cell);

		if (source->number >= 0)
			return exprType((Node *) source->expression);
	}
	return InvalidOid;
}

/* Returns the strategy of the comparison of the source, as the left one, with the limit. */
static int
strategy_of(const WaCallExpression *call)
{
	return call->is_right ? BTMaxStrategyNumber + 1 - call->strategy
						  : call->strategy;
}

bool
wa_limit_table_is_possible(const WaCallExpression *call)
{
	const Oid type = compared_type(call);

	return call->limit != NULL &&
		   (type == TIMESTAMPOID || type == TIMESTAMPTZOID) &&
		   (call->strategy == BTLessStrategyNumber ||
			call->strategy == BTLessEqualStrategyNumber ||
			call->strategy == BTGreaterEqualStrategyNumber ||
			call->strategy == BTGreaterStrategyNumber);
}

/*
 * Finds the offset of the session's time zone, in microseconds to the east of UTC, if
 * it does not change within days of a moment.
 */
static bool
find_offset(int64 moment, int64 *offset)
{
	pg_time_t begin = timestamptz_to_time_t(moment - 2 * FAR_USECS);
	pg_time_t boundary;
	long before;
	long after;
	int before_isdst;
	int after_isdst;
	const int found =
		pg_next_dst_boundary(&begin, &before, &before_isdst, &boundary, &after,
							 &after_isdst, session_timezone);

	if (found < 0 || (found > 0 && boundary <= timestamptz_to_time_t(
												   moment + 2 * FAR_USECS)))
		return false;
	*offset = before * USECS_PER_SEC;
	return true;
}

/* Finds the border between what is less and what is greater. */
static Border
find_border(const WaCallExpression *call, int64 limit)
{
	/* What is equal is less, or greater, as the comparison has it. */
	const int strategy = strategy_of(call);
	const bool equal_is_less = strategy == BTLessEqualStrategyNumber ||
							   strategy == BTGreaterStrategyNumber;
	int64 offset;
	int64 moment;

	if (!find_offset(limit, &offset))
		return (Border){limit - FAR_USECS, limit + FAR_USECS};
	moment =
		compared_type(call) == TIMESTAMPOID ? limit + offset : limit - offset;
	moment += equal_is_less ? 1 : 0;
	return (Border){moment, moment};
}

/* Sets a step that begins at a time. */
static void
set_step(const WaSteps *steps, uint64 number, const Border *border,
		 bool less_is_true)
{
	const int64 first = steps->base + (int64) (number * steps->width);
	const int64 end = first + (int64) steps->width;
	int64 *values = unconstify(int64 *, steps->values);
	uint8 *known = unconstify(uint8 *, steps->known);
	const bool is_less = end <= border->less;

	known[number] =
		is_less || first >= border->greater ? WA_STEP_VALUE : WA_STEP_UNKNOWN;
	values[number] =
		known[number] == WA_STEP_VALUE && is_less == less_is_true ? 1 : 0;
}

/* Returns a time that is not too far from another one. */
static int64
close_to(int64 time, int64 other)
{
	return Max(Min(time, other + MOST_USECS), other - MOST_USECS);
}

const WaSteps *
wa_limit_table_make(const WaCallExpression *call,
					const WaEvaluation *evaluation, const WaResidency *range)
{
	WaSteps *steps = palloc0(sizeof(WaSteps));
	Border border;
	int64 limit;
	int64 first;
	int64 last;

	if (!wa_evaluation_limit(evaluation, &limit) ||
		range->smallest > range->largest)
		return NULL;
	border = find_border(call, limit);
	first = close_to(range->smallest, border.less) - border.less;
	last = close_to(range->largest, border.less) - border.less;
	steps->width = Max((last - first) / STEPS, MIN_WIDTH);
	/* One of the steps begins at the border. */
	first = first / (int64) steps->width - 1;
	last = last / (int64) steps->width;
	steps->base = border.less + first * (int64) steps->width;
	steps->nsteps = (uint64) (last - first + 1);
	steps->values = palloc(steps->nsteps * sizeof(int64));
	steps->known = palloc(steps->nsteps);
	steps->results = WA_STEPS_BOOLS;
	for (uint64 i = 0; i < steps->nsteps; i++)
		set_step(steps, i, &border,
				 strategy_of(call) <= BTLessEqualStrategyNumber);
	return steps;
}
