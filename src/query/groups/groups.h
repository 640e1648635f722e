/*
 * groups.h
 *		The groups of a query: from the keys of rows to numbers.
 *
 * Groups are numbered from 0 in the order in which their first rows came.  Keys
 * are equal as GROUP BY has it: NULLs are equal to one another, NaNs too, 0 and
 * -0, numerics that differ in their display scale only, and bpchars that differ
 * in trailing blanks.  Of these each group shows the one with the most digits, 0 rather
 * than -0, and the one with the fewest blanks.
 */
#ifndef WA_QUERY_GROUPS_H
#define WA_QUERY_GROUPS_H

#include "core/must_check.h"
#include "query/base/arena.h"
#include "query/base/query_key.h"
#include "query/base/value.h"

typedef struct WaQueryGroups WaQueryGroups;

/*
 * Makes a table without groups, in the arena.  Returns NULL if there is not
 * enough memory.
 */
extern WaQueryGroups *wa_query_groups_make(WaArena *arena, int nkeys,
										   const WaQueryKey *keys);

/*
 * Stores in numbers[i] the group of row i, which it makes if there is none, for
 * nrows rows whose key j is in *keys[j].  Returns false, with the groups of no
 * further use, if there are too many or there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_groups_find(WaQueryGroups *groups,
											   WaVector *const *keys,
											   size_t nrows, uint32_t *numbers);

/* Likewise, the group of one row whose keys are the values. */
extern WA_MUST_CHECK bool wa_query_groups_find_values(WaQueryGroups *groups,
													  const WaQueryValue *keys,
													  uint32_t *number);

/*
 * Stores in numbers[i] the group that has the keys of theirs[i] of another table
 * with the same keys, none of which is a TEXT, as wa_query_groups_find does; at most
 * WA_VECTOR_ROWS.
 */
extern WA_MUST_CHECK bool
wa_query_groups_find_theirs(WaQueryGroups *groups, const WaQueryGroups *others,
							const uint32_t *theirs, size_t ntheirs,
							uint32_t *numbers);

/*
 * Likewise of another table that has one more key, number `skipped`, which does not count.  In
 * both cases no key that counts is a TEXT.
 */
extern WA_MUST_CHECK bool
wa_query_groups_find_coarser(WaQueryGroups *groups, const WaQueryGroups *others,
							 int skipped, const uint32_t *theirs,
							 size_t ntheirs, uint32_t *numbers);

/*
 * Stores a key of theirs[i] of a table in row i of a vector: of an INT its values, of others,
 * whose values are left alone, which are NULL.
 */
extern void wa_query_groups_values(const WaQueryGroups *groups, int key,
								   const uint32_t *theirs, size_t ntheirs,
								   WaVector *values);

/*
 * Stores hashes of the groups from first on, at most WA_VECTOR_ROWS: equal keys
 * have equal ones in all tables with the same keys.  Returns false if there is
 * not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_groups_hash(WaQueryGroups *groups,
											   uint32_t first, size_t ngroups,
											   uint64_t *hashes);

/*
 * Has the table, which is not closed, make room for so many groups at once.  Returns
 * false, with the groups of no further use, if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_groups_expect(WaQueryGroups *groups,
												 uint32_t ngroups);

/*
 * Has no more groups made: rows without one get WA_NO_GROUP from now on, and the
 * table takes no more memory.
 */
extern void wa_query_groups_close(WaQueryGroups *groups);

extern uint32_t wa_query_groups_count(const WaQueryGroups *groups);

/*
 * Stores a key of a group in *value, whose text lives as long as the groups.  Beside that
 * its integer has a number, below that of the groups, that equal texts of the key have.
 */
extern void wa_query_groups_key(const WaQueryGroups *groups, uint32_t group,
								int key, WaQueryValue *value);

#endif /* WA_QUERY_GROUPS_H */
