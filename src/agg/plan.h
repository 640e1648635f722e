/*
 * plan.h
 *		How the aggregates of one call site are evaluated.
 *
 * A call site is a place in an executor tree where a support function of the
 * family is called; what it needs to know is found out at its first call and
 * kept, for the life of the query, where every state made there points to it.
 */
#ifndef WA_AGG_PLAN_H
#define WA_AGG_PLAN_H

#include "fmgr.h"

#include "core/types.h"

struct WaColumnKind;

/* What identifies the plan of a state in another process. */
typedef struct WaPlanKey
{
	Oid argument_type; /* of the column */
	Oid extreme_type;  /* as gpu_min or gpu_max declares it; may be invalid */
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

	/* MIN and MAX of types that no device takes: calls of the built-in's */
	int16 typlen;
	bool typbyval;
	Oid collation;
	FunctionCallInfo smaller;
	FunctionCallInfo larger;
} WaAggPlan;

/*
 * Returns the plan of this call of a transition function, in memory that lives
 * as long as the function's.  moving tells that the function belongs to a
 * moving-aggregate implementation.  Raises an error for a type that has no such
 * aggregate, which the declarations in SQL exclude.
 */
extern const WaAggPlan *wa_plan_transition(FunctionCallInfo fcinfo,
										   bool moving);

/* Returns the plan of this call that takes states with the key, likewise. */
extern const WaAggPlan *wa_plan_states(FunctionCallInfo fcinfo,
									   const WaPlanKey *key);

/* Tells whether both keys are of states that can be merged. */
extern bool wa_plan_keys_match(const WaPlanKey *a, const WaPlanKey *b);

#endif /* WA_AGG_PLAN_H */
