/*
 * plan.h
 *		What the states of one column have in common: how its aggregates are
 *		evaluated.
 *
 * A plan is made once a query, for a call site of the aggregate tier or a column
 * of the scan tier, and lives as long; every state made there points to it.
 */
#ifndef WA_STATE_PLAN_H
#define WA_STATE_PLAN_H

#include "fmgr.h"

#include "core/types.h"

struct WaColumnKind;

/* What identifies the plan of a state in another process. */
typedef struct WaPlanKey
{
	Oid argument_type; /* of the column */
	WaOpSet ops;       /* of all aggregates that share the state */
} WaPlanKey;

typedef struct WaAggPlan
{
	WaPlanKey key;
	const struct WaColumnKind *kind;
	WaType type;         /* that a device takes, of kinds with a device form */
	uint8 width;         /* bytes a value in a buffer; 0: not put as it is */
	bool moving;         /* rows are taken away again */
	bool may_use_device; /* not in a window, where any row may be a result */
	bool many;           /* there may be a state for each of many groups */
	int64 bulk_rows;     /* a state with so many rows gets a buffer */
	Size state_bytes;    /* of a state with its components */
	uint16 offsets[WA_OP_COUNT]; /* of the components in a state */

	/* MIN and MAX of types that no device takes */
	int16 typlen;
	bool typbyval;
	Oid collation;
	FunctionCallInfo compare; /* by the default order; NULL: there is none */
} WaAggPlan;

/*
 * Completes a plan, zeroed but for its key, collation and circumstances
 * (moving, many, may_use_device), in the context, which has to live as long as
 * the plan.  Raises an error for a type that has no such aggregate.
 */
extern void wa_plan_complete(WaAggPlan *plan, MemoryContext context);

/* Tells whether both keys are of states that can be merged. */
extern bool wa_plan_keys_match(const WaPlanKey *a, const WaPlanKey *b);

#endif /* WA_STATE_PLAN_H */
