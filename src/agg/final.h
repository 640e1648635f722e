/*
 * final.h
 *		The final functions, by which the aggregates of the family are known.
 */
#ifndef WA_AGG_FINAL_H
#define WA_AGG_FINAL_H

#include "fmgr.h"

#include "state/result.h"

/*
 * Returns the aggregate that has this final function, or WA_AGGREGATE_COUNT if
 * none of ours has.
 */
extern WaAggregate wa_final_aggregate(PGFunction function);

#endif /* WA_AGG_FINAL_H */
