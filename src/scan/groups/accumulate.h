/*
 * accumulate.h
 *		What the groups of a query keep of one aggregated column.
 *
 * An accumulator has a record for each group (query/records/records.h).  What has no room
 * there goes to a transition state of the group (state/state.h), as the
 * aggregate tier has them; in the end everything is in such states.
 */
#ifndef WA_SCAN_ACCUMULATE_H
#define WA_SCAN_ACCUMULATE_H

#include "core/must_check.h"
#include "query/records/records.h"
#include "scan/base/datum.h"
#include "state/result.h"
#include "state/state.h"

typedef struct WaAccumulator
{
	MemoryContext context; /* of all but what has another */
	MemoryContext scratch; /* reset at every use */
	const WaAggPlan *plan;
	WaVectorKind kind;
	WaRecordLayout layout; /* of INT, FLOAT, DECIMAL */
	bool by_states;        /* no record takes the values */
	WaDatumForm form;      /* of the values */
	WaArena arena;
	WaArena vectors; /* of the rows of a vector */
	WaRecordOwner owner;
	WaRecordTable *table;
	uint32 ngroups;
	uint32 nstates;      /* groups that there is room for in: */
	WaAggState **states; /* of the groups */
} WaAccumulator;

/* Far above what is lost in a double, and when PostgreSQL rounds an average. */
#define WA_ESTIMATE_ERROR 1e-9

/*
 * Makes an accumulator of no groups, in a memory context of its own below
 * parent.  The plan, which lives longer, is that of the column's type, with
 * many set and may_use_device not; kind: that of the vectors that will come.
 */
extern WaAccumulator *wa_accumulator_make(MemoryContext parent,
										  const WaAggPlan *plan,
										  WaVectorKind kind);

/* Makes room for groups up to ngroups - 1; new ones are empty. */
extern void wa_accumulator_grow(WaAccumulator *accumulator, uint32 ngroups);

/* Has room for so many groups be made at once; none of them is made. */
extern void wa_accumulator_expect(WaAccumulator *accumulator, uint32 ngroups);

/*
 * Takes the rows of a vector: those that are not NULL and, where keep is not
 * NULL, have keep[i] set.  Row i belongs to group groups[i]; to group 0 where
 * groups is NULL.  The groups are there.
 */
extern void wa_accumulator_take(WaAccumulator *accumulator,
								const uint32 *groups, const uint8 *keep,
								const WaVector *values, size_t nrows);

/* Takes one value of SQL that is not NULL, of a row that came after the others. */
extern void wa_accumulator_take_datum(WaAccumulator *accumulator, uint32 group,
									  Datum value);

/*
 * Merges what an accumulator of another process has of a group, whose rows came
 * later: as a record, which is sound and has rows, or as a transition state.
 */
extern void wa_accumulator_merge_record(WaAccumulator *accumulator,
										uint32 group, const WaRecord *record);
extern void wa_accumulator_merge(WaAccumulator *accumulator, uint32 group,
								 const WaAggState *state);

/*
 * Merges what another accumulator of this process, for the same column, has of groups theirs[i]
 * with what groups[i] have.
 */
extern void wa_accumulator_merge_theirs(WaAccumulator *accumulator,
										const uint32 *groups,
										WaAccumulator *others,
										const uint32 *theirs, size_t ntheirs);

/*
 * Stores the record of a group in *record; returns false if it has a transition
 * state, too.
 */
extern bool wa_accumulator_record(const WaAccumulator *accumulator,
								  uint32 group, WaRecord *record);

/*
 * Returns everything about a group as a transition state with all rows in its
 * components, NULL if it has no rows that are not NULL.  It lives until the next
 * call for this accumulator.
 */
extern WaAggState *wa_accumulator_state(WaAccumulator *accumulator,
										uint32 group);

/* Returns what an aggregate comes to over the rows of a group. */
extern Datum wa_accumulator_result(WaAccumulator *accumulator, uint32 group,
								   WaAggregate aggregate, bool *is_null);

/*
 * Stores a number in proportion to the result of a sum or average of integers or
 * numerics, the same proportion for all groups that there are now, but for a
 * relative error below WA_ESTIMATE_ERROR; or returns false if the result is NULL
 * or that takes the state.
 */
extern WA_MUST_CHECK bool
wa_accumulator_estimate(const WaAccumulator *accumulator, uint32 group,
						WaAggregate aggregate, double *result);

#endif /* WA_SCAN_ACCUMULATE_H */
