/*
 * query_wire.h
 *		Queries (query/message/query.h) as messages.
 */
#ifndef WA_QUERY_QUERY_WIRE_H
#define WA_QUERY_QUERY_WIRE_H

#include "core/must_check.h"
#include "query/base/wire.h"
#include "query/message/query.h"

/* Appends a query without calls. */
extern void wa_query_write(WaWriter *writer, const WaQuery *query);

/*
 * Reads a message that is one query, and is sound, into memory of the arena.
 * Returns NULL if it is not, or if there is not enough memory: then the arena
 * has failed.  Nobody changes the message meanwhile.
 */
extern WA_MUST_CHECK const WaQuery *
wa_query_read(WaArena *arena, const void *message, size_t bytes);

#endif /* WA_QUERY_QUERY_WIRE_H */
