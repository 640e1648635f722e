/*
 * store_known.h
 *		How far WAL is known, and what it has changed lately.
 *
 * Changes are remembered of all relations, resident or not, as a LOAD may bring
 * blocks of any that were read before a change that is known already.  There is room
 * for a number of them; the oldest are forgotten.
 *
 * The store's lock guards all of it.
 */
#ifndef WA_DAEMON_STORE_KNOWN_H
#define WA_DAEMON_STORE_KNOWN_H

#include "daemon/column/column.h"

/* Changes that are remembered. */
#define WA_KNOWN_CHANGES 65536

typedef struct WaKnownChange
{
	WaChange change;
	uint64_t newest_lsn; /* of this one and all before it */
} WaKnownChange;

typedef struct WaKnown
{
	uint64_t position; /* all WAL up to it has been looked at; 0: none has */
	uint64_t since;    /* all changes behind it are remembered */
	uint64_t count;    /* of changes that have been remembered so far */
	WaKnownChange changes[WA_KNOWN_CHANGES]; /* number i at i % so many */
} WaKnown;

/* Nothing is known. */
void wa_known_init(WaKnown *known);

/* All WAL is known up to a position, but none of the changes before it. */
void wa_known_restart(WaKnown *known, uint64_t position);

/* Remembers a change, whose LSN is behind the position, or that of the one before. */
void wa_known_add(WaKnown *known, const WaChange *change);

/* Tells whether all changes behind a position are remembered, as far as WAL is known. */
bool wa_known_reaches(const WaKnown *known, uint64_t position);

/*
 * Takes those blocks of an extent out of a set of them (a bit for each) which changes
 * behind a position have changed since they had their LSNs.
 */
void wa_known_take_out(const WaKnown *known, uint64_t position,
					   const WaRelation *relation, uint32_t number,
					   const WaLayout *layout, uint64_t *blocks);

/*
 * Takes the blocks out that one change concerns, if it is of the extent's relation: one
 * block, or all from one on, of those whose LSN is older than the change; or all.
 */
void wa_change_take_out(const WaChange *change, uint32_t number,
						const WaLayout *layout, uint64_t *blocks);

#endif /* WA_DAEMON_STORE_KNOWN_H */
