/*
 * dependents.h
 *		What groups have by the row of a joined relation that is one of their keys.
 *
 * Of a key of groups that others tell, as a customer's name is told by the number of the
 * customer, no table is made: the key is the place of the row (heap/place.h), and of
 * groups that are looked at the row is read.  The rows that a snapshot sees stay where they
 * are for as long as it is there, and tables of other queries are used only if it sees the
 * same rows as these did (scan/resident/stamps.h).
 */
#ifndef WA_SCAN_DEPENDENTS_H
#define WA_SCAN_DEPENDENTS_H

#include "scan/state/scan_store.h"

typedef struct WaDependents WaDependents;

/*
 * Prepares to read what the keys of a query tell, for a node of the state, in the current
 * memory context; returns NULL if they tell nothing.
 */
extern WaDependents *wa_dependents_make(const WaScanQuery *query,
										EState *estate);

/*
 * Returns a value, by its number, that a group has by one of its keys.  Needs memory in the
 * current context; it lives until one of another group is read, or the context goes.
 */
extern Datum wa_dependents_value(const WaScanStore *store, uint32 group,
								 int number, bool *is_null);

#endif /* WA_SCAN_DEPENDENTS_H */
