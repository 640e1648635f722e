/*
 * followed.h
 *		The relations of a database of which something is resident, as the background
 *		worker remembers them.
 *
 * They go by their storage: one that is truncated or rewritten is another.
 */
#ifndef WA_RESIDENT_FOLLOWED_H
#define WA_RESIDENT_FOLLOWED_H

#include "datatype/timestamp.h"

#include "core/resident.h"

typedef struct WaFollowed
{
	WaRelation storage;
	Oid relid;                /* InvalidOid: not known */
	TimestampTz used;         /* by a query */
	TimestampTz rests_until;  /* it is left alone */
	TimestampTz no_new_until; /* so are extents of which it has nothing */
	uint64 position;          /* of WAL: unchanged up to there; 0: not known */
	uint32 next;              /* the extent to go on with */
	bool is_listed;           /* something of it is resident */
} WaFollowed;

/* All 0: there are none. */
typedef struct WaFollowedList
{
	WaFollowed *relations; /* ascending by storage, in TopMemoryContext */
	uint32 count;
	uint32 room;
} WaFollowedList;

/*
 * Takes over what is resident, `count` columns: adds relations, and forgets those that
 * are not among them.
 */
extern void wa_followed_take(WaFollowedList *list,
							 const WaResidentColumn *columns, int64 count);

/* Finds a relation among the first `count`; returns NULL if it is not there. */
extern WaFollowed *wa_followed_find(const WaFollowedList *list,
									const WaRelation *storage, uint32 count);

#endif /* WA_RESIDENT_FOLLOWED_H */
