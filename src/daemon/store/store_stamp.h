/*
 * store_stamp.h
 *		Stamps of relations: what STAMPS asks for (core/resident_messages.h).
 *
 * A relation's content gets a number when it is first asked for while all blocks are
 * usable.  It keeps the number until an extent changes, or what is cached or fresh of it:
 * whatever changes that raises the relation's stamp in the store.  Numbers begin
 * anywhere at each start, so that none comes again.
 */
#ifndef WA_DAEMON_STORE_STAMP_H
#define WA_DAEMON_STORE_STAMP_H

#include "daemon/store/store_state.h"

/* Returns where the numbers of a store begin: at random, and not near 0. */
uint64_t wa_store_first_content(void);

/*
 * Returns the stamp of a source's relation for a sound snapshot that needs WAL up to a
 * position; 0 if not all its blocks can be used.  It counts as a use of the relation.
 */
uint64_t wa_store_stamp(WaStore *store, const WaRunSource *source,
						const WaSnapshot *snapshot, uint64_t position);

#endif /* WA_DAEMON_STORE_STAMP_H */
