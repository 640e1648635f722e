/*
 * store_blocks.h
 *		What the blocks of a relation are: what BLOCKS asks for (core/resident_messages.h).
 */
#ifndef WA_DAEMON_STORE_BLOCKS_H
#define WA_DAEMON_STORE_BLOCKS_H

#include "daemon/store/store_state.h"

/*
 * Stores, for each block of a source, the LSN of its page as it was loaded, if the block can
 * be used for a sound snapshot that needs WAL up to a position; else 0, as for a page without
 * an LSN.  It counts as a use of the relation.
 */
void wa_store_blocks(WaStore *store, const WaRunSource *source,
					 const WaSnapshot *snapshot, uint64_t position,
					 uint64_t *blocks);

#endif /* WA_DAEMON_STORE_BLOCKS_H */
