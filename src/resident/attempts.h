/*
 * attempts.h
 *		What has come of loading columns for queries lately.
 *
 * Queries suggest columns as long as they find blocks that they have to read from the
 * heap.  What cannot be resident, or has no room, is not to be tried again and again.
 */
#ifndef WA_RESIDENT_ATTEMPTS_H
#define WA_RESIDENT_ATTEMPTS_H

#include "datatype/timestamp.h"

#include "core/resident.h"
#include "resident/queue.h"

/* Columns that are remembered. */
#define WA_ATTEMPTS 1024

typedef struct WaAttempt
{
	WaRelation storage;
	AttrNumber column;
	bool was_loaded;  /* something of it was resident then */
	TimestampTz time; /* 0: this is none */
	int64 bytes;      /* of memory that resident columns took then */
} WaAttempt;

/* All 0: there have been none. */
typedef struct WaAttempts
{
	WaAttempt attempts[WA_ATTEMPTS];
} WaAttempts;

/*
 * Notes that columns of a relation have been loaded as far as they can be.  list: what
 * is resident of the database since, `count` columns.
 */
extern void wa_attempts_note(WaAttempts *attempts, const WaRelation *storage,
							 const WaQueued *queued,
							 const WaResidentColumn *list, int64 count);

/*
 * Tells whether one of them is worth being loaded: it is not resident, or lacks extents
 * that another column has, and this is not what a load has left a moment ago.
 */
extern bool wa_attempts_lacks(const WaAttempts *attempts,
							  const WaRelation *storage, const WaQueued *queued,
							  const WaResidentColumn *list, int64 count);

#endif /* WA_RESIDENT_ATTEMPTS_H */
