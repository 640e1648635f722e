/*
 * join_fetch.h
 *		Having tables of joins from the device process, which has them.
 */
#ifndef WA_SCAN_JOIN_FETCH_H
#define WA_SCAN_JOIN_FETCH_H

#include "core/must_check.h"
#include "scan/tables/join_cache.h"

/*
 * Has tables of contents that are lent (wa_join_cache_lend) be here, and keeps them for the
 * session's next queries, if they take no more memory than what is joined may.  Returns false
 * if they cannot be had: then they are to be filled.
 */
extern WA_MUST_CHECK bool wa_join_fetch(WaJoinTables *tables,
										const WaJoinContents *contents);

#endif /* WA_SCAN_JOIN_FETCH_H */
