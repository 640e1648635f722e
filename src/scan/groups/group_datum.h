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

typedef struct WaGroups WaGroups;

/* Makes a table without groups, in a memory context of its own below parent. */
extern WaGroups *wa_groups_make(MemoryContext parent, int nkeys,
								const WaGroupKey *keys);

/*
 * Stores in numbers[i] the group of row i, which it makes if there is none, for
 * nrows rows whose key j is in *keys[j].
 */
extern void wa_groups_find(WaGroups *groups, WaVector *const *keys,
						   size_t nrows, uint32 *numbers);

/*
 * Returns the group of one row whose keys are values of SQL, of any size and
 * kind.  Needs memory in the current context.
 */
extern uint32 wa_groups_find_row(WaGroups *groups, const Datum *keys,
								 const bool *nulls);

/* Returns the keys of the row that was looked for last, while that memory is there. */
extern const WaQueryValue *wa_groups_row(const WaGroups *groups);

extern uint32 wa_groups_count(const WaGroups *groups);

/*
 * Has no more groups made: rows without one get WA_NO_GROUP from now on, and
 * the table takes no more memory.
 */
extern void wa_groups_close(WaGroups *groups);

/*
 * Stores a value of SQL that is not NULL, of any size.  Needs memory in the current
 * context.
 */
extern void wa_group_value(const WaGroupKey *key, Datum datum,
						   WaQueryValue *value);

/* Returns a value that is not NULL as one of SQL, in the current context. */
extern Datum wa_group_datum(const WaGroupKey *key, const WaQueryValue *value);

/*
 * Returns a key of a group as a value of SQL, in the current memory context.
 */
extern Datum wa_groups_key(const WaGroups *groups, uint32 group, int key,
						   bool *is_null);

/* Returns the bytes that the table has taken, but for the rows of vectors. */
extern Size wa_groups_bytes(const WaGroups *groups);

/* Returns the table itself. */
extern WaQueryGroups *wa_groups_table(const WaGroups *groups);

/* Raises the error that there are too many groups, unless the argument is true. */
extern void wa_groups_check(bool found);

#endif /* WA_SCAN_GROUP_DATUM_H */
