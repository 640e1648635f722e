/*
 * query_slices.h
 *		A query over slices of its rows (run_slices.h): hashing these, and what is kept of each.
 */
#ifndef WA_DAEMON_QUERY_SLICES_H
#define WA_DAEMON_QUERY_SLICES_H

#include "core/must_check.h"
#include "daemon/run/query_state.h"
#include "query/run/run_slice.h"

/* Of a WaRunner: */
bool wa_query_can_slice(void *run);
bool wa_query_prefers_slices(void *run, const void *state);
WA_MUST_CHECK WaStatus wa_query_begin_slices(void *run, char *error);
WA_MUST_CHECK WaStatus wa_query_hash(void *run, void *state,
									 const WaRunExtent *extent,
									 uint16_t *hashes, char *error);
WA_MUST_CHECK WaStatus wa_query_make_slice(void *run, uint64_t rows,
										   void **state, char *error);
WA_MUST_CHECK WaStatus wa_query_take_slice(void *run, void *state,
										   const WaRunExtent *extent,
										   const WaRowSlice *slice,
										   const uint16_t *hashes, char *error);
WA_MUST_CHECK WaStatus wa_query_keep_slice(void *run, void *state, char *error);

#endif /* WA_DAEMON_QUERY_SLICES_H */
