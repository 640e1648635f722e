/*
 * run_sources.h
 *		What a RUN uses of its sources: the extents of all of them, one source's behind
 *		the other's.
 *
 * Codes of texts mean the same in all extents of a run: so the sources that are used share
 * one dictionary for each column of texts.  Others are left out, as if there was nothing
 * of them.
 */
#ifndef WA_DAEMON_RUN_SOURCES_H
#define WA_DAEMON_RUN_SOURCES_H

#include "core/must_check.h"
#include "daemon/base/parcel.h"
#include "daemon/store/cover_list.h"
#include "daemon/store/store.h"

/* The use of a source. */
typedef struct WaSourceUse
{
	bool in_use; /* it has begun */
	WaUse use;
} WaSourceUse;

/* Belongs to its run, which sets what is first and has it as long. */
typedef struct WaRunSources
{
	WaStore *store;
	const WaRunMessage *message;
	WaNamedSources named; /* our own copy */

	/* wa_run_sources_check */
	uint64_t nblocks;     /* of all */
	uint64_t words_bytes; /* wa_run_words_bytes */

	/* wa_run_sources_collect */
	WaSourceUse *uses; /* of each source; of a single one: `one` */
	WaCover **covers;  /* likewise; NULL: nothing of it is used */
	WaSourceUse one;
	WaCover *one_cover;
	WaCoverList *joined; /* NULL: extents are those of one cover, or none */
	uint64_t count;      /* of extents */
	const WaRunExtent *const *list;
	WaPlacements *placements; /* of these */
	uint64_t rows;            /* of all ranges */
	uint64_t blocks;          /* that are usable */
	const WaDictionary *dictionaries[WA_MAX_QUERY_COLUMNS];
	WaRunBounds bounds[WA_MAX_QUERY_COLUMNS];
} WaRunSources;

/* Returns the bytes that collecting so many sources takes. */
uint64_t wa_run_sources_room(uint32_t nsources);

/*
 * Checks the sources, and whether the words of their blocks have room in the parcel.
 * Returns WA_BAD_REQUEST, or WA_OUT_OF_MEMORY, if nothing may be done with them.
 */
WA_MUST_CHECK WaStatus wa_run_sources_check(WaRunSources *sources,
											const WaParcel *parcel);

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
