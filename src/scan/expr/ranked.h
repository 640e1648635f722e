/*
 * ranked.h
 *		Aggregates over values in an order: percentile_disc and percentile_cont, of one
 *		fraction or several, mode, and lists of distinct values (scan/expr/listed.h).
 *
 * The former are told by their final functions, which are PostgreSQL's
 * (utils/adt/orderedsetaggs.c), whose rules of which value is meant, and of what lies between two
 * of them, are followed here.
 */
#ifndef WA_SCAN_RANKED_H
#define WA_SCAN_RANKED_H

#include "nodes/primnodes.h"

#include "core/must_check.h"

typedef enum WaRankKind
{
	WA_RANK_DISC, /* the value at a fraction of the rows */
	WA_RANK_CONT, /* what lies there between two values */
	WA_RANK_MODE, /* the value that most rows have */
	WA_RANK_LIST  /* what the aggregate's own functions make of all values */
} WaRankKind;

typedef struct WaRankedCall
{
	WaRankKind kind;
	Expr *values;                 /* NULL where the FILTER is not true */
	const SortGroupClause *order; /* of these */
	Expr *fraction;               /* without columns; NULL: none */
	int nfractions; /* of a constant array; 0: there is one at most, and no array */
	Oid result_type; /* of one */
	bool builtin;

	/* Of a list */
	const Aggref *listed;
	int argument;     /* the number of the one that the values are */
	bool skips_nulls; /* it takes no value that is NULL */
} WaRankedCall;

/* Tells whether an aggregate is one of these, whatever else is to be said of it. */
extern bool wa_ranked_is(const Aggref *aggref);

/*
 * Describes such an aggregate in *call.  Returns NULL, or why the scan tier cannot take it, as
 * the end of a sentence; then *call is undefined.
 */
extern WA_MUST_CHECK const char *wa_ranked_describe(Aggref *aggref,
													WaRankedCall *call);

#endif /* WA_SCAN_RANKED_H */
