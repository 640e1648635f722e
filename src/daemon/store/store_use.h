/*
 * store_use.h
 *		What a query uses of a relation, from its beginning to its end.
 */
#ifndef WA_DAEMON_STORE_USE_H
#define WA_DAEMON_STORE_USE_H

#include "core/must_check.h"
#include "daemon/store/run_extents.h"
#include "daemon/store/store_usable.h"

/*
 * Begins a query: snapshot, position and nblocks of *use are the caller's to set.
 * Returns false if there is a column of which there is nothing.  Else the use
 * has to be ended.
 */
WA_MUST_CHECK bool wa_store_use_begin(WaStore *store,
									  const WaRelation *relation,
									  const WaColumnName *names,
									  uint32_t ncolumns, WaUse *use);

/*
 * Finds the dictionary of each column in use, or NULL, which is there for as long; and
 * between what its integers lie in all extents that the use has found.
 */
void wa_store_use_columns(WaStore *store, const WaUse *use,
						  const WaDictionary **dictionaries,
						  WaRunBounds *bounds);

/* Ends a query; adds it to what is known of the columns' use. */
void wa_store_use_end(WaStore *store, WaUse *use);

#endif /* WA_DAEMON_STORE_USE_H */
