/*
 * cover.h
 *		What of a relation a query may use, by its snapshot.
 *
 * A cover has the extents that have all of some columns and blocks that are fresh,
 * and settled for the snapshot, with references to them.  To find all of them for every
 * query would take longer than a GPU takes for the query.  So a cover is kept with the
 * relation for other queries whose snapshots find the same blocks settled, until one of
 * the relation's extents changes, or what is fresh of it; then the parts of it that have
 * not changed are part of the next one.
 *
 * A cover is constant from when wa_cover_take (cover_take.h) returns it until its last
 * user has released it.  One that is kept and to which nobody else refers may lose
 * parts then, and become the next one: then references of the parts that have not
 * changed, which lie anywhere in memory, need not be touched, nor sums and lists be
 * made anew.
 */
#ifndef WA_DAEMON_COVER_H
#define WA_DAEMON_COVER_H

#include "daemon/store/cover_part.h"
#include "daemon/store/placement_cache.h"
#include "daemon/store/run_extents.h"

typedef struct WaCover
{
	uint32_t references;  /* atomic */
	struct WaCover *next; /* of garbage; the store's lock guards it */
	uint64_t stamp;       /* of the relation, when this was begun */
	uint64_t moves;       /* likewise */
	bool has_lost;        /* parts, since it was made: for the next one only */
	uint32_t nblocks;     /* of the relation */
	WaSnapshot snapshot;  /* for which this was made */
	WaDeciders deciders;  /* of all extents that were looked at, or more */
	bool has_left;        /* fresh blocks, as they are not settled for it */
	uint32_t nplaces;
	uint32_t room;            /* for places, and as many as these may have */
	WaCoverPlace *places;     /* by number */
	uint64_t count;           /* of extents */
	const WaRunExtent **list; /* by number, overlays behind theirs */
	WaExtentId *ids;          /* of each */
	uint32_t *starts;         /* in these of each place, and the end */
	uint64_t (
		*usable)[WA_EXTENT_WORDS]; /* of each place, a bit for each block */
	uint64_t rows;                 /* of all ranges */
	uint64_t blocks;               /* that are usable */
	WaPlacements placements;
} WaCover;

/* Returns the extent of a cover that has this in its list: its first member. */
static inline const WaCoverExtent *
wa_cover_extent_of(const WaRunExtent *extent)
{
	return (const WaCoverExtent *) (const void *) extent;
}

/*
 * Adds places, which are empty, behind those of a cover that nobody else uses, so that
 * there are so many.  Returns false if there is no memory.
 */
WA_MUST_CHECK bool wa_cover_extend(WaCover *cover, uint32_t nplaces);

/*
 * Writes a bit for each of the blocks that are usable, for all extents of a relation with
 * so many blocks as the cover's.
 */
void wa_cover_write_blocks(const WaCover *cover, uint64_t *words);

/* Gives up a reference; NULL is nothing. */
void wa_cover_release(WaCover *cover);

#endif /* WA_DAEMON_COVER_H */
