/*
 * join_keys.h
 *		Keys that relations are joined by: integers or texts that are equal.
 */
#ifndef WA_SCAN_JOIN_KEYS_H
#define WA_SCAN_JOIN_KEYS_H

#include "nodes/pathnodes.h"

#include "core/must_check.h"
#include "scan/expr/joins.h"

/* A clause that a key of a relation equals something. */
typedef struct WaJoinKey
{
	RestrictInfo *info;
	Expr *outer; /* over what is joined so far */
	Expr *inner; /* over the relation */
} WaJoinKey;

/*
 * Tells whether a clause compares a key of a relation with something of what is joined so
 * far, and fills *key.
 */
extern WA_MUST_CHECK bool wa_join_key_make(const RelOptInfo *joined,
										   const RelOptInfo *relation,
										   RestrictInfo *info, WaJoinKey *key);

/* Tells whether a clause compares a column, on its left, with something as a key may be. */
extern bool wa_join_clause_is_key(const OpExpr *clause);

/* Tells whether a relation has no more than one row for keys (WaJoinKey). */
extern bool wa_join_keys_are_unique(PlannerInfo *root, RelOptInfo *relation,
									const List *keys);

/*
 * Sets the key of a join: one column, two of 32 bits as an integer of 64, or numbers of
 * several, which joins find that are its parts.
 */
extern void wa_join_keys_set(WaJoin *join, const List *keys);

/* Returns what the key of a join is of, over what was joined before: a list. */
extern List *wa_join_key_of(const WaJoin *join);

/* Returns joins, each behind its parts. */
extern List *wa_joins_with_parts(const List *joins);

#endif /* WA_SCAN_JOIN_KEYS_H */
