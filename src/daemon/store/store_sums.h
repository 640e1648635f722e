/*
 * store_sums.h
 *		What all extents of a relation have of a column: WaColumnRecord.all.
 *
 * It is kept up to date as extents change, as planners ask for it for each query, and to
 * look at all extents takes longer than a query on a GPU.  The caller has the store's lock.
 */
#ifndef WA_DAEMON_STORE_SUMS_H
#define WA_DAEMON_STORE_SUMS_H

#include "daemon/store/store_state.h"

/* What there is of a column in no extent. */
extern const WaResidency wa_sums_nothing;

/*
 * Counts the cached blocks of an extent that some columns lack, as their bits say, and
 * stores how many rows these have.
 */
uint32_t wa_sums_count_odd(const WaExtent *extent, const uint64_t *odd,
						   uint64_t *rows);

/*
 * Adds what an extent has of the column at a place to what all have, or takes it away,
 * sign being -1: before and after the extent changes.  Values that go are not noticed.
 */
void wa_sums_add_column(const WaExtent *extent, uint32_t place, int sign);

/* Does that for all columns of an extent. */
void wa_sums_add(const WaExtent *extent, int sign);

#endif /* WA_DAEMON_STORE_SUMS_H */
