/*
 * aggregates.h
 *		Which aggregate calls are of the family, and what they ask for.
 */
#ifndef WA_SCAN_AGGREGATES_H
#define WA_SCAN_AGGREGATES_H

#include "nodes/primnodes.h"

#include "core/must_check.h"
#include "state/result.h"

typedef struct WaAggregateCall
{
	WaAggregate aggregate;
	Expr *argument;    /* NULL: count(*) */
	Expr *filter;      /* NULL: none */
	Oid argument_type; /* undefined for count(*) */
	Oid extreme_type;  /* as min or max declares its argument; or invalid */
	Oid collation;
	bool builtin; /* PostgreSQL's own, not gpu_ */
} WaAggregateCall;

/*
 * Describes a call in *call.  Returns NULL, or why the scan tier cannot take it,
 * as the end of a sentence; then *call is undefined.
 */
extern WA_MUST_CHECK const char *wa_aggregate_describe(const Aggref *aggref,
													   WaAggregateCall *call);

/* Returns NULL, or why it may not take a call by warpagg.accelerate. */
extern WA_MUST_CHECK const char *
wa_aggregate_refusal(const WaAggregateCall *call);

#endif /* WA_SCAN_AGGREGATES_H */
