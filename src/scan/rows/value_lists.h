/*
 * value_lists.h
 *		What aggregates' own functions make of the distinct values of a group, in their order
 *		(scan/expr/listed.h).
 */
#ifndef WA_SCAN_VALUE_LISTS_H
#define WA_SCAN_VALUE_LISTS_H

#include "nodes/execnodes.h"

#include "scan/state/rolled_query.h"

typedef struct WaValueLists WaValueLists;

/*
 * Makes what calls the functions of such ranks, in the current memory context, for as long as the
 * executor's state is there.  Raises an error if an aggregate's owner may not call them.
 */
extern WaValueLists *wa_value_lists_make(const WaRolledValues *values,
										 EState *estate);

/* Begins a group. */
extern void wa_value_lists_begin(WaValueLists *lists);

/* Takes the next value of the group. */
extern void wa_value_lists_take(WaValueLists *lists, Datum value, bool is_null);

/*
 * Returns what a rank comes to, as a column has it: what is passed by value as an integer, and all
 * else as a text, in the current memory context.
 */
extern Datum wa_value_lists_result(WaValueLists *lists, int rank,
								   bool *is_null);

/* Forgets all values. */
extern void wa_value_lists_end(WaValueLists *lists);

#endif /* WA_SCAN_VALUE_LISTS_H */
