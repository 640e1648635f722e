/*
 * output.h
 *		From groups to columns of the node's scan tuple.
 */
#ifndef WA_SCAN_OUTPUT_H
#define WA_SCAN_OUTPUT_H

#include "nodes/bitmapset.h"

#include "core/must_check.h"
#include "scan/state/scan_store.h"

/*
 * Returns a column of a group: a key, a result or what keys tell, numbered as in the
 * scan tuple from 0.  Other columns are NULL.  Needs memory in the current context; what
 * is returned lives until another result of the group, a column of another one that keys
 * tell, or the current context goes.
 */
extern Datum wa_output_value(const WaScanStore *store, uint32 group, int column,
							 bool *is_null);

/*
 * Estimates a column of a group, for comparison with other groups, as
 * wa_accumulator_estimate does; returns false if that cannot be done.
 */
extern WA_MUST_CHECK bool wa_output_estimate(const WaScanStore *store,
											 uint32 group, int column,
											 double *value);

/*
 * Stores a group in a slot for scan tuples of the node: those of its columns that are in
 * the set, or all if that is NULL; the others are NULL.
 */
extern TupleTableSlot *wa_output_store(const WaScanStore *store, uint32 group,
									   const Bitmapset *columns,
									   TupleTableSlot *slot);

/* Stores, beside columns that have been stored, what keys tell of the group. */
extern void wa_output_add(const WaScanStore *store, uint32 group,
						  const Bitmapset *stored, TupleTableSlot *slot);

/*
 * Returns the columns that are there before HAVING is computed: all but what keys tell
 * that it does not refer to; NULL: all.
 */
extern Bitmapset *wa_output_before_having(const WaScanQuery *query,
										  Node *having);

/* Returns the columns that an expression over the scan tuple refers to. */
extern Bitmapset *wa_output_columns(Node *expression);

#endif /* WA_SCAN_OUTPUT_H */
