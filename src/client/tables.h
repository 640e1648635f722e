/*
 * tables.h
 *		Having warpaggd keep look-up tables.
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

#endif /* WA_CLIENT_TABLES_H */
