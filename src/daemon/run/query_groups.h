/*
 * query_groups.h
 *		Bringing together what the threads of a query have (query_state.h).
 */
#ifndef WA_DAEMON_QUERY_GROUPS_H
#define WA_DAEMON_QUERY_GROUPS_H

#include "daemon/run/query_state.h"

/* Of a WaRunner: */
WaStatus wa_groups_divide(void *run, void *const *states, unsigned nstates,
						  uint32_t *nparts, char *error);
WaStatus wa_groups_sort(void *run, void *state, char *error);
WaStatus wa_groups_merge_part(void *run, uint32_t part, char *error);
WaStatus wa_groups_finish(void *run, void *state, WaRunResult *result,
						  char *error);
void wa_groups_write(void *run, void *state, uint8_t *place);

/* Frees all that has come of dividing states. */
void wa_groups_end_parts(WaRunQuery *query);

#endif /* WA_DAEMON_QUERY_GROUPS_H */
