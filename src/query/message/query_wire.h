/*
 * query_wire.h
 *		Queries (query/message/query.h) as messages.
 */
#ifndef WA_QUERY_QUERY_WIRE_H
#define WA_QUERY_QUERY_WIRE_H

#include "core/must_check.h"
#include "query/base/wire.h"
#include "query/message/query.h"

/* Whoever knows tables that are kept, by their digests. */
typedef struct WaTableFinder
{
	/* Returns a table that stays, and may be kept, with its digest; or NULL. */
	const WaLookupTable *(*find)(void *context, const WaTableDigest *digest);
	void *context;
} WaTableFinder;

/* Appends a query without calls; of tables that have a digest only this. */
extern void wa_query_write(WaWriter *writer, const WaQuery *query);

/*
 * Reads a message that is one query, and is sound, into memory of the arena.
 * Returns NULL if it is not, or if there is not enough memory: then the arena
 * has failed.  Nobody changes the message meanwhile.
 */
extern WA_MUST_CHECK const WaQuery *
wa_query_read(WaArena *arena, const void *message, size_t bytes);

/* Likewise; it may have tables that the finder has, unless that is NULL. */
extern WA_MUST_CHECK const WaQuery *
wa_query_read_with(WaArena *arena, const void *message, size_t bytes,
				   const WaTableFinder *finder);

#endif /* WA_QUERY_QUERY_WIRE_H */
