/*
 * join_kept_rows.h
 *		Rows of joins that a session keeps, so that queries which find a relation changed
 *		read the changed blocks of it alone.
 *
 * Rows are those of a unit of joins (scan/expr/joins.h) by the text that describes what they
 * are made of, and are used by one query at a time.  What is told of blocks is
 * scan/resident/stamps.h's.
 */
#ifndef WA_SCAN_JOIN_KEPT_ROWS_H
#define WA_SCAN_JOIN_KEPT_ROWS_H

#include "scan/tables/join_digests.h"
#include "scan/tables/join_rows.h"

/* The rows of the sides of a unit. */
typedef struct WaUnitRows
{
	MemoryContext context; /* of this and all that it has */
	uint64 made; /* the number, in this session, of the tables made of them */
	int nsides;
	WaJoinRows *sides; /* in the order of WaJoinContents.joins */
	/* Of each column of each side, the place of its value in WaJoinContents.values */
	int **places;
} WaUnitRows;

/*
 * Returns the rows that are kept of contents whose blocks are known, if only rows of changed
 * blocks of the relation of the unit itself may be others, and these are few; or NULL.  They
 * are in the current memory context, and kept no more.  Stores which blocks have changed.
 */
extern WaUnitRows *wa_join_kept_rows_take(const WaJoinContents *contents,
										  WaChangedBlocks *changed);

/* Tells whether that would return rows. */
extern bool wa_join_kept_rows_has(const WaJoinContents *contents);

/*
 * Tells whether rows of contents may be of use to another query: of most blocks of the
 * unit's relation it is known what they are, and of all of each other relation.
 */
extern bool wa_join_rows_may_last(const WaJoinContents *contents);

/*
 * Keeps rows that are those of contents, in place of others of theirs, if they take no more
 * memory than all of them together may; else they are gone.
 */
extern void wa_join_kept_rows_keep(WaUnitRows *rows,
								   const WaJoinContents *contents, Size most);

/* Forgets rows, those first that were used longest ago, until they take so much at most. */
extern void wa_join_kept_rows_shrink(Size most);

#endif /* WA_SCAN_JOIN_KEPT_ROWS_H */
