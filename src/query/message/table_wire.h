/*
 * table_wire.h
 *		Look-up tables (core/lookup_table.h) as messages, and as parts of those.
 */
#ifndef WA_QUERY_TABLE_WIRE_H
#define WA_QUERY_TABLE_WIRE_H

#include "core/lookup_table.h"
#include "core/must_check.h"
#include "query/base/wire.h"

/* What the entries of a table are. */
typedef enum WaTableForm
{
	WA_TABLE_WIDE,   /* values, and what is known of them */
	WA_TABLE_NARROW, /* as WaLookupTable.narrow has them */
	WA_TABLE_SLOTS   /* keys with values */
} WaTableForm;

/* Appends a table, without its digest. */
extern void wa_table_write(WaWriter *writer, const WaLookupTable *table);

/*
 * Reads what a table has beside its entries and texts, but for their numbers; returns the
 * form of the entries, which are next.
 */
extern WaTableForm wa_table_read_head(WaReader *reader, WaLookupTable *table);

/* Appends a table as a message of its own, of so many bytes, with narrow entries if it can. */
extern void wa_table_message_write(WaWriter *writer,
								   const WaLookupTable *table);
extern uint64_t wa_table_message_bytes(const WaLookupTable *table);

/*
 * Reads such a message of a table that may be kept, whose entries and texts stay where
 * they are in the message; the array of its texts is of malloc, or NULL.  Returns false,
 * with no array, if it is none, or there is no memory for that.  Nobody changes the
 * message as long as the table is used.
 */
extern WA_MUST_CHECK bool wa_table_message_read(const void *message,
												size_t bytes,
												WaLookupTable *table,
												WaText **texts);

#endif /* WA_QUERY_TABLE_WIRE_H */
