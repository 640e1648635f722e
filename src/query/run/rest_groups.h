/*
 * rest_groups.h
 *		Groups that a query brings along (query/message/query.h, rest), of rows that whoever has
 *		the others lacks.
 */
#ifndef WA_QUERY_REST_GROUPS_H
#define WA_QUERY_REST_GROUPS_H

#include "core/must_check.h"
#include "query/run/run.h"

typedef struct WaRestGroups WaRestGroups;

/*
 * Reads the groups, in the arena; texts of theirs that have no numbers in the query get some.
 * Returns NULL with *is_sound if there is not enough memory, and without if they are not what
 * they should be, or have something that no record holds.
 */
extern WaRestGroups *wa_rest_groups_read(WaArena *arena,
										 const WaNumberedQuery *numbered,
										 bool *is_sound);

/* Adds the groups to those of a run, once; as wa_query_run_add. */
extern WA_MUST_CHECK WaRunOutcome wa_rest_groups_add(WaRestGroups *rest,
													 WaQueryRun *run);

#endif /* WA_QUERY_REST_GROUPS_H */
