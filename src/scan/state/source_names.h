/*
 * source_names.h
 *		The columns of a query in its sources, as the device process knows them.
 */
#ifndef WA_SCAN_SOURCE_NAMES_H
#define WA_SCAN_SOURCE_NAMES_H

#include "core/protocol.h"
#include "scan/expr/compile.h"
#include "scan/state/scan_source.h"

typedef struct WaSourceNames
{
	const WaCompiler *compiler; /* of the query */
	WaNamedSources named;       /* which has these arrays */
	WaColumnName *columns;
	WaRunSource *sources;
	int16_t *attributes;
} WaSourceNames;

/*
 * Makes names of the columns of a query, at most WA_MAX_QUERY_COLUMNS, in the current memory
 * context, with room for so many sources, of which there is none yet.
 */
extern void wa_source_names_make(WaSourceNames *names,
								 const WaCompiler *compiler, uint32 room);

/*
 * Adds a source of nblocks, whose relation is open.  Returns why it cannot have the columns
 * resident, the end of a sentence, and leaves it out; or NULL.
 */
extern const char *wa_source_names_add(WaSourceNames *names,
									   const WaScanSource *source,
									   uint32 nblocks);

#endif /* WA_SCAN_SOURCE_NAMES_H */
