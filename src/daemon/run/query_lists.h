/*
 * query_lists.h
 *		Queries whose groups are rolled up by lists of values (query/run/value_parts.h).
 *
 * A thread begins with groups by these values as well.  When they are many, of few rows each, it
 * goes on with groups by the other keys and a list; when all rows are there, all threads have.
 */
#ifndef WA_DAEMON_QUERY_LISTS_H
#define WA_DAEMON_QUERY_LISTS_H

#include "core/must_check.h"
#include "daemon/run/query_state.h"

/* Tells whether lists roll the groups of a query up, as far as is known by now. */
bool wa_query_lists(const WaRunQuery *query);

/* Makes a state of no rows that lists values, as of a WaRunner. */
WA_MUST_CHECK WaStatus wa_query_lists_make(void *run, void **state,
										   char *error);

/* Has a state list values from now on, if its groups are many. */
WA_MUST_CHECK WaStatus wa_query_lists_watch(const WaRunQuery *query,
											WaQueryState *state, char *error);

/* Tells whether one of the states lists values. */
bool wa_query_lists_some(void *const *states, unsigned nstates);

/*
 * As wa_groups_divide, wa_groups_sort and wa_groups_merge_part: all states list values then, and the
 * groups are in the first one, which is stored.
 */
WA_MUST_CHECK WaStatus wa_query_lists_divide(WaRunQuery *query,
											 void *const *states,
											 unsigned nstates, uint32_t *nparts,
											 char *error);
WA_MUST_CHECK WaStatus wa_query_lists_sort(WaRunQuery *query,
										   const WaQueryState *state,
										   char *error);
WA_MUST_CHECK WaStatus wa_query_lists_merge_part(WaRunQuery *query,
												 uint32_t part, char *error);

/* Has the groups have what was found in their lists.  state: the only one, if it was not divided. */
WA_MUST_CHECK WaStatus wa_query_lists_finish(WaRunQuery *query,
											 WaQueryState *state, char *error);

/* Frees what has come of dividing. */
void wa_query_lists_end(WaRunQuery *query);

#endif /* WA_DAEMON_QUERY_LISTS_H */
