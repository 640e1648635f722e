/*
 * listed.h
 *		Aggregates with DISTINCT that their own functions compute, of values that can be keys of
 *		groups: array_agg, string_agg, json_agg and users' own.
 *
 * They see each value once, in the order of DISTINCT.  So they are computed as ranked aggregates
 * are (scan/expr/ranked.h), of the values that finer groups have, and no row needs to be seen.
 */
#ifndef WA_SCAN_LISTED_H
#define WA_SCAN_LISTED_H

#include "nodes/parsenodes.h"

#include "core/must_check.h"

typedef struct WaListedCall
{
	int argument; /* the number of the one that the values are */
	Expr *values; /* NULL where the FILTER is not true */
	const SortGroupClause *order; /* of these */
	bool skips_nulls;             /* it takes no value that is NULL */
} WaListedCall;

/*
 * Describes such an aggregate in *call.  Returns false if it is none, or cannot be computed so;
 * then *call is undefined.
 */
extern WA_MUST_CHECK bool wa_listed_describe(const Aggref *aggref,
											 WaListedCall *call);

#endif /* WA_SCAN_LISTED_H */
