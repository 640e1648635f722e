/*
 * aggregates.h
 *		Which aggregate calls are of the family, and what they ask for.
 */
#ifndef WA_SCAN_AGGREGATES_H
#define WA_SCAN_AGGREGATES_H

#include "nodes/primnodes.h"

#include "core/must_check.h"
#include "state/result.h"

/* What becomes of an aggregate's rows. */
typedef enum WaOutput
{
	WA_OUTPUT_RESULT, /* its result, which is also its state if that is so simple */
	WA_OUTPUT_PAIR, /* number and sum as an array, as PostgreSQL's avg has them */
	WA_OUTPUT_STATE,    /* one of our states, serialized */
	WA_OUTPUT_ARRAY,    /* results of several columns as an array */
	WA_OUTPUT_OF_PAIRS, /* the result of several columns (scan/expr/pairs.h) */
	WA_OUTPUT_LIST, /* what a column has, as a value of another type (scan/expr/listed.h) */
	WA_OUTPUT_TRANSITION, /* what its own functions make of them (scan/expr/transition.h) */
	WA_OUTPUT_NONE /* a state that is only PostgreSQL's to make */
} WaOutput;

typedef struct WaAggregateCall
{
	WaAggregate aggregate;
	Expr *argument;    /* NULL: count(*) */
	Expr *filter;      /* NULL: none */
	Oid argument_type; /* undefined for count(*) */
	Oid collation;
	bool builtin;    /* PostgreSQL's own, not gpu_ */
	bool is_added;   /* to those of the query (scan/state/rolled_query.h) */
	bool is_any;     /* MIN, but any of the values will do */
	bool is_partial; /* its state is wanted, for a node above a join */
	WaOutput output;
} WaAggregateCall;

/*
 * Describes a call in *call.  Returns NULL, or why the scan tier cannot take it,
 * as the end of a sentence; then *call is undefined.
 */
extern WA_MUST_CHECK const char *wa_aggregate_describe(const Aggref *aggref,
													   WaAggregateCall *call);

/* Tells whether an aggregate is none of the query's own (scan/state/rolled_query.h). */
static inline bool
wa_aggregate_is_added(const Aggref *aggref)
{
	return aggref->aggno < 0;
}

/* Returns a copy of an aggregate, of the rows as they come: without DISTINCT and ORDER BY. */
extern Aggref *wa_aggregate_plain(const Aggref *aggref);

/* Returns an argument of an aggregate, by its number, as NULL where its FILTER is not true. */
extern Expr *wa_aggregate_values(const Aggref *aggref, int argument);

/*
 * Has the smallest and the largest of booleans be those of integers, which are the same
 * datums, as records have no booleans.
 */
extern void wa_aggregate_number_booleans(WaAggregateCall *call);

/* Returns NULL, or why none but ours may be taken by warpagg.accelerate. */
extern WA_MUST_CHECK const char *wa_aggregate_others_refusal(void);

/* Returns NULL, or why it may not take a call by warpagg.accelerate. */
extern WA_MUST_CHECK const char *
wa_aggregate_refusal(const WaAggregateCall *call);

/* Tells whether a function is one in C, with such a name there. */
extern bool wa_is_c_function(Oid function, const char *name);

#endif /* WA_SCAN_AGGREGATES_H */
