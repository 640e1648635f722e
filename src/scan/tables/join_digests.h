/*
 * join_digests.h
 *		What tables of joins are made of, and digests of that, by which the device process
 *		keeps them.
 *
 * A session remembers those of the contents that it has had lately, and of which of them the
 * device process had all tables when it was asked.
 */
#ifndef WA_SCAN_JOIN_DIGESTS_H
#define WA_SCAN_JOIN_DIGESTS_H

#include "core/lookup_table.h"
#include "core/must_check.h"
#include "core/resident.h"

/*
 * What a snapshot sees in the blocks of a relation: two identities of a block that are the
 * same, and not 0, are of the same rows.
 */
typedef struct WaJoinBlocks
{
	WaRelation storage;
	int place; /* of the relation among those that have stamps */
	uint32 nblocks;
	uint64 *identities;
} WaJoinBlocks;

/* What the tables of a unit of joins (scan/expr/joins.h) are made of. */
typedef struct WaJoinContents
{
	int unit; /* the join, by its number in the query, */
	int njoins;
	int *joins; /* and all that belong to it, in their order */
	int nvalues;
	int *values; /* of the tables, in the order of the description */
	const char *description;
	int nstamps; /* of the relations, in an order that follows from it, */
	uint64 *stamps;
	bool is_stamped; /* none of which is 0 */
	int scanned; /* that which the plan of the unit scans, by its place; -1: others */
	Index scanned_number;       /* and by its number in the query */
	const WaJoinBlocks *blocks; /* of that; NULL: not known */
	uint64
		made; /* the number, in this session, of what its rows have; 0: none */
} WaJoinContents;

/* Tells whether contents have a description and stamps. */
static inline bool
wa_join_contents_are(const WaJoinContents *contents, const char *description,
					 int nstamps, const uint64 *stamps)
{
	return nstamps == contents->nstamps &&
		   memcmp(stamps, contents->stamps, sizeof(uint64) * nstamps) == 0 &&
		   strcmp(description, contents->description) == 0;
}

/*
 * Returns the digests of the tables of contents: of its joins, and then of its values, each
 * in their order there.  They stay until the next call.
 */
extern const WaTableDigest *wa_join_digests(const WaJoinContents *contents);

/*
 * Tells whether the device process had the tables of contents, and has not been found to
 * lack any since.
 */
extern WA_MUST_CHECK bool
wa_join_digests_are_kept(const WaJoinContents *contents);

/* Notes that the device process has the tables of contents. */
extern void wa_join_digests_keep(const WaJoinContents *contents);

/* Forgets what the device process has: it lacks a table. */
extern void wa_join_digests_lack(void);

#endif /* WA_SCAN_JOIN_DIGESTS_H */
