/*
 * tables.h
 *		Having warpaggd keep look-up tables, and having them from it.
 */
#ifndef WA_CLIENT_TABLES_H
#define WA_CLIENT_TABLES_H

#include "core/lookup_table.h"
#include "core/must_check.h"

/*
 * Has a table kept by its digest, of which a message of so many bytes lies at the
 * beginning of the parcel, by one request over the open connection.  Returns false, and
 * nothing is raised, if it is not; trouble.h tells why: WA_NOT_KEPT, if there is no room.
 */
extern WA_MUST_CHECK bool wa_client_keep(const WaTableDigest *digest,
										 uint64 bytes);

/*
 * Tells whether tables are all kept, by one request over the open connection; nothing is
 * raised, and false is told as well where that cannot be found out.
 */
extern WA_MUST_CHECK bool wa_client_are_kept(const WaTableDigest *digests,
											 uint32 count);

/*
 * Fetches a table that is kept, of so many bytes at most, by a request or two over the open
 * connection.  Returns its message (query/message/table_wire.h) in the current memory
 * context, unchecked, and stores how many bytes it has; or NULL, and nothing is raised.
 */
extern void *wa_client_fetch(const WaTableDigest *digest, uint64 most,
							 uint64 *bytes);

#endif /* WA_CLIENT_TABLES_H */
