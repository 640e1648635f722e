/*
 * record_states.h
 *		From the records of groups (query/records/records.h) to states.
 */
#ifndef WA_SCAN_RECORD_STATES_H
#define WA_SCAN_RECORD_STATES_H

#include "query/records/records.h"
#include "state/state.h"

/*
 * Puts the rows of a record, which has the layout, into a state without rows,
 * whose plan has operations that there are records of.  A DECIMAL needs memory in the
 * current context.
 */
extern void wa_record_put(WaVectorKind kind, const WaRecordLayout *layout,
						  const WaRecord *record, WaAggState *state);

#endif /* WA_SCAN_RECORD_STATES_H */
