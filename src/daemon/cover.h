/*
 * cover.h
 *		What of a relation a query may use, by the map that it has sent.
 *
 * A cover has the extents that have all of some columns and blocks that are fresh
 * by the map, with references to them.  It is constant, and kept with the relation
 * for other queries that send the same map, until one of the relation's extents
 * changes: to find all of them for every query would take longer than a GPU takes
 * for the query.
 */
#ifndef WA_DAEMON_COVER_H
#define WA_DAEMON_COVER_H

#include "daemon/mirror.h"
#include "daemon/runner.h"
#include "daemon/store.h"

/* An extent, to whose shape and columns the cover has references. */
typedef struct WaCoverExtent
{
	WaRunExtent extent;
	WaShape *shape;
	uint64_t usable[WA_EXTENT_WORDS]; /* a bit for each block */
} WaCoverExtent;

/* Constant, but for what the store guards and for what the mirror keeps here. */
typedef struct WaCover
{
	uint32_t references;  /* atomic */
	uint64_t changes;     /* of the relation, when this was made */
	int64_t used_ns;      /* the store's lock guards this, */
	int64_t touched_ns;   /* this, when its extents were marked as used last, */
	struct WaCover *next; /* and this, of garbage */
	uint32_t ncolumns;
	WaColumnName *names;
	uint32_t nblocks; /* of the relation */
	uint32_t nmaps;
	WaMapPage *maps;
	uint64_t count; /* of extents, by number */
	uint64_t room;
	WaCoverExtent *extents;
	const WaRunExtent **list; /* the same, as runners get them */
	WaColumn **columns;       /* ncolumns of each */
	uint64_t nranges;
	uint64_t ranges_room;
	WaRowRange *ranges;
	uint64_t rows;   /* of all ranges */
	uint64_t blocks; /* that are usable */
	WaPlacements placements;
} WaCover;

/*
 * Returns a reference to the cover of a use that has begun, of columns of these
 * names, for a map of use->nmaps pages, which may change meanwhile: the one that
 * is kept, or one that is made.  Returns NULL if there is no memory.
 */
WaCover *wa_cover_take(WaStore *store, WaUse *use, const WaColumnName *names,
					   const WaMapPage *maps);

/* Gives up a reference. */
void wa_cover_release(WaCover *cover);

#endif /* WA_DAEMON_COVER_H */
