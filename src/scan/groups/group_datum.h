/*
 * group_datum.h
 *		The groups of a query (query/groups/groups.h) with keys of SQL.
 *
 * Groups are numbered from 0 in the order in which their first rows came.  Keys
 * are equal as GROUP BY has it; each group shows the key of its first row.
 */
#ifndef WA_SCAN_GROUP_DATUM_H
#define WA_SCAN_GROUP_DATUM_H

#include "utils/palloc.h"

#include "query/groups/groups.h"

/* A grouping key. */
typedef struct WaGroupKey
{
	WaVectorKind kind;
	Oid type;      /* of what wa_gather_kind knows; TEXT: of a deterministic
			   * collation */
	bool by_image; /* floats and texts that look different are different */
} WaGroupKey;

/* Returns what src/query knows of a key. */
extern WaQueryKey wa_group_key_query(const WaGroupKey *key);

typedef struct WaGroups
{
	MemoryContext context; /* of all but the rows of a vector */
	WaArena arena;
	WaArena vectors; /* of these */
	WaQueryGroups *table;
	int nkeys;
	const WaGroupKey *keys;
	WaQueryValue *values; /* of the row that was looked for last */
} WaGroups;

/* Makes a table without groups, in a memory context of its own below parent. */
extern WaGroups *wa_groups_make(MemoryContext parent, int nkeys,
								const WaGroupKey *keys);

/*
 * Returns the group of one row whose keys are values of SQL, of any size and
 * kind.  Needs memory in the current context.
 */
extern uint32 wa_groups_find_row(WaGroups *groups, const Datum *keys,
								 const bool *nulls);

/*
 * Stores a value of SQL that is not NULL, of any size.  Needs memory in the current
 * context.
 */
extern void wa_group_value(const WaGroupKey *key, Datum datum,
						   WaQueryValue *value);

/* Returns a value that is not NULL as one of SQL, in the current context. */
extern Datum wa_group_datum(const WaGroupKey *key, const WaQueryValue *value);

/*
 * Returns a key of a group as a value of SQL, in the current memory context or, a text, in
 * that of the groups.
 */
extern Datum wa_groups_key(const WaGroups *groups, uint32 group, int key,
						   bool *is_null);

/* Raises the error that there are too many groups, unless the argument is true. */
extern void wa_groups_check(bool found);

#endif /* WA_SCAN_GROUP_DATUM_H */
