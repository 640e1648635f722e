/*
 * record_states.h
 *		Between the records of groups (query/records.h) and SQL.
 */
#ifndef WA_SCAN_RECORD_STATES_H
#define WA_SCAN_RECORD_STATES_H

#include "core/must_check.h"
#include "query/records.h"
#include "state/state.h"

/*
 * Stores a value of SQL as a vector of the kind has it, and its scale; returns
 * false if it has no room there.  Needs memory in the current context.
 */
extern WA_MUST_CHECK bool wa_record_store(const WaAggPlan *plan,
										  WaVectorKind kind, Datum value,
										  int64 *stored, uint8 *scale);

/*
 * Puts the rows of a record, which has the layout, into a state without rows,
 * whose plan has operations that there are records of.  A DECIMAL needs memory in the
 * current context.
 */
extern void wa_record_put(WaVectorKind kind, const WaRecordLayout *layout,
						  const WaRecord *record, WaAggState *state);

#endif /* WA_SCAN_RECORD_STATES_H */
