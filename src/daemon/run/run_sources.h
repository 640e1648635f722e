/*
 * run_sources.h
 *		What a RUN uses of its relation.
 */
#ifndef WA_DAEMON_RUN_SOURCES_H
#define WA_DAEMON_RUN_SOURCES_H

#include "core/must_check.h"
#include "daemon/store/cover.h"
#include "daemon/store/store.h"

/* Belongs to its run; store and message are there as long. */
typedef struct WaRunSources
{
	WaStore *store;
	const WaRunMessage *message;
	bool in_use; /* use has begun */
	WaUse use;
	WaCover *cover; /* NULL: there is nothing */
	const WaDictionary *dictionaries[WA_MAX_QUERY_COLUMNS];
	WaRunBounds bounds[WA_MAX_QUERY_COLUMNS];
} WaRunSources;

/* Finds the extents that may be used; false if there is no memory. */
WA_MUST_CHECK bool wa_run_sources_collect(WaRunSources *sources);

/*
 * Writes a bit for each block that is used, but for those that are left out: of each
 * extent WA_EXTENT_WORDS words, or NULL.
 */
void wa_run_sources_write_blocks(const WaRunSources *sources,
								 uint64_t (*left_out)[WA_EXTENT_WORDS],
								 uint64_t *words);

/* Gives up what is used; nothing is from then on. */
void wa_run_sources_end(WaRunSources *sources);

#endif /* WA_DAEMON_RUN_SOURCES_H */
