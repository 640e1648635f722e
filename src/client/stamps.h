/*
 * stamps.h
 *		Asking warpaggd whether relations are as they were.
 */
#ifndef WA_CLIENT_STAMPS_H
#define WA_CLIENT_STAMPS_H

#include "core/must_check.h"
#include "core/protocol.h"

/*
 * Asks, by one request over the open connection, for stamps of relations, at most
 * WA_MAX_RUN_SOURCES, as a snapshot sees them for which WAL has been followed up to a
 * position (WaStampsMessage).  Stores one for each.  Returns false, and nothing is raised,
 * if there is no answer; trouble.h tells why.
 */
extern WA_MUST_CHECK bool wa_client_stamps(const WaRunSource *sources,
										   uint32 nsources,
										   const WaSnapshot *snapshot,
										   uint64 position, uint64 *stamps);

/*
 * Likewise for what the blocks of a relation are (WaBlocksMessage), of which there is one at
 * least: stores a number for each.
 */
extern WA_MUST_CHECK bool wa_client_blocks(const WaRunSource *source,
										   const WaSnapshot *snapshot,
										   uint64_t position, uint64_t *blocks);

#endif /* WA_CLIENT_STAMPS_H */
