/*
 * store_usable.h
 *		What a query may use of an extent, by its snapshot.
 */
#ifndef WA_DAEMON_STORE_USABLE_H
#define WA_DAEMON_STORE_USABLE_H

#include "daemon/store/store_state.h"

/* An extent that a query uses: references to what it asked for. */
typedef struct WaUsedExtent
{
	uint32_t number;
	uint32_t device;
	uint64_t usable[WA_EXTENT_WORDS]; /* a bit for each block */
	bool all_rows;                    /* are in usable blocks */
	WaLayout *layout;
	WaColumn *columns[WA_MAX_QUERY_COLUMNS];
} WaUsedExtent;

/* What a query uses of a part. */
typedef struct WaUsedPart
{
	uint64_t blocks;     /* usable ones */
	WaDeciders deciders; /* of the extents that were looked at */
	bool has_left;       /* some block, as it is not settled for the snapshot */
	uint32_t count;      /* of extents */
	WaUsedExtent extents[2];
} WaUsedPart;

/* What a query uses of a relation; its user's own. */
typedef struct WaUse
{
	WaPins pins;
	const WaSnapshot *snapshot;
	bool is_ahead; /* of queries, for none yet: it does not count as a use */
	uint64_t position; /* of WAL, that has to be known */
	uint32_t nblocks;  /* of the relation */
	uint64_t blocks;   /* usable ones */
	WaGarbage garbage; /* to be released when it has ended */
} WaUse;

/*
 * Finds those of the two extents of a part that have all the columns and blocks which are
 * fresh and settled for the snapshot, and takes references for *used.  An overlay comes
 * behind its extent: both are looked at together, as blocks may go from one to the other.
 * There are none, too, if WAL is not known up to the position.  The caller has the lock.
 */
void wa_store_use_part(const WaStore *store, const WaUse *use,
					   const WaExtentPart *part, WaUsedPart *used);

/*
 * Returns how many blocks of a part are cached, fresh and settled for the snapshot,
 * whatever columns there are of them, and adds the transactions that decide about them to
 * *deciders.  WAL is known up to the position; the caller has the lock.
 */
uint32_t wa_store_usable_blocks(const WaUse *use, const WaExtentPart *part,
								WaDeciders *deciders);

/*
 * Stores the LSNs of those blocks of a part, by their places in it, that are cached, fresh
 * and settled for the snapshot, likewise; leaves others as they are.  There is room for
 * those that the relation has.
 */
void wa_store_usable_lsns(const WaUse *use, const WaExtentPart *part,
						  uint64_t *lsns);

/* Gives the references of a used extent up. */
void wa_store_unuse(WaUsedExtent *used, uint32_t ncolumns);

#endif /* WA_DAEMON_STORE_USABLE_H */
