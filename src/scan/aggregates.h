/*
 * aggregates.h
 *		Which aggregate calls are of the family, and what they ask for.
 */
#ifndef WA_SCAN_AGGREGATES_H
#define WA_SCAN_AGGREGATES_H

#include "nodes/primnodes.h"

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
 * as the end of a sentence; that depends on warpagg.accelerate.
 */
extern const char *wa_aggregate_describe(const Aggref *aggref,
										 WaAggregateCall *call);

#endif /* WA_SCAN_AGGREGATES_H */
