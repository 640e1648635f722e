/*
 * pairs.h
 *		Aggregates of pairs of floats, which are made of several aggregated columns
 *		(state/pairs.h).
 */
#ifndef WA_SCAN_PAIRS_H
#define WA_SCAN_PAIRS_H

#include "nodes/primnodes.h"

#include "core/must_check.h"
#include "scan/expr/compile.h"
#include "state/pairs.h"

typedef struct WaPairCall
{
	WaAggregate aggregate;
	bool builtin; /* PostgreSQL's own, not gpu_ */
	List *args;   /* y and x */
	Expr *filter; /* NULL: none */
	Oid part;     /* warpagg_pair_part */
} WaPairCall;

/*
 * Describes a call in *call.  Returns false if it is none of those, or one that
 * warpagg.accelerate or its form leaves to its own functions.
 */
extern WA_MUST_CHECK bool wa_pair_describe(const Aggref *aggref,
										   WaPairCall *call);

/* Returns what a column has of a row. */
extern Expr *wa_pair_expression(const WaPairCall *call, int column);

/* Tells whether a function is warpagg_pair_part. */
extern bool wa_is_pair_part(Oid function);

/* Compiles a call of it; returns its register, or -1 with compiler->refusal set. */
extern int wa_compile_pair_part(WaCompiler *compiler, List *args);

#endif /* WA_SCAN_PAIRS_H */
