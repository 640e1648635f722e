/*
 * load_internal.h
 *		What the files that load share: load.c takes extents, load_extent.c loads one.
 */
#ifndef WA_RESIDENT_LOAD_INTERNAL_H
#define WA_RESIDENT_LOAD_INTERNAL_H

#include "resident/extent.h"
#include "resident/load.h"

/* Processes read the rest of the columns by parts of as many as a message names. */
#define WA_LOAD_MAX_RESTS                                  \
	((WA_LOAD_MAX_COLUMNS + WA_MAX_RESIDENT_COLUMNS - 1) / \
	 WA_MAX_RESIDENT_COLUMNS)

/* A part of the rest. */
typedef struct WaLoadRest
{
	WaExtentReader *reader; /* NULL until it is needed */
	uint64 columns;         /* a bit for each that the extent at hand has */
} WaLoadRest;

/* One process at work. */
typedef struct WaLoader
{
	WaLoadTask *task;
	Relation relation;
	WaExtentReader *wanted; /* reads the columns that are wanted */
	WaExtentReader *all;    /* all; NULL until it is needed */
	WaLoadRest rests[WA_LOAD_MAX_RESTS];
	bool is_pending; /* an extent is being taken over by warpaggd */
	uint32 pending_rows;
	uint64 pending_bytes;
	uint64 pending_blocks;
	WaExtentState states[WA_LOAD_MAX_CHUNK];
} WaLoader;

/*
 * Waits until warpaggd has taken over what was sent last.  If it has no memory
 * for that, all processes stop.
 */
extern void wa_load_finish(WaLoader *loader);

/* Asks what there is of columns in some extents; states: room for `count`. */
extern void wa_load_ask(WaLoader *loader, int ncolumns,
						const WaColumnName *columns, uint32 first, uint32 count,
						WaExtentState *states);

/* Sees to it that an extent is resident, and counts what came of it. */
extern void wa_load_extent(WaLoader *loader, uint32 number,
						   const WaExtentState *state);

#endif /* WA_RESIDENT_LOAD_INTERNAL_H */
