/*
 * cover_renew.h
 *		A thread that makes covers anew before queries need them.
 *
 * As a table is written to, parts of its covers change between one query and the next,
 * which would have to make them, and to find where their extents are on GPUs.  What the
 * thread does not do in time queries do.
 */
#ifndef WA_DAEMON_COVER_RENEW_H
#define WA_DAEMON_COVER_RENEW_H

#include <pthread.h>

#include "core/must_check.h"
#include "daemon/store/cover.h"

/* Does with a cover of so many columns what queries would do with it first. */
typedef void (*WaCoverUser)(WaStore *store, const WaCover *cover,
							uint32_t ncolumns);

/* lock guards is_wanted; store and user are constant. */
typedef struct WaCoverRenewer
{
	WaStore *store;
	WaCoverUser user; /* or NULL */
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	bool is_wanted;
} WaCoverRenewer;

/* Starts the thread, for as long as the process.  Returns false if it cannot. */
WA_MUST_CHECK bool wa_cover_renewer_start(WaCoverRenewer *renewer,
										  WaStore *store, WaCoverUser user);

/* Says that something has changed. */
void wa_cover_renewer_wake(WaCoverRenewer *renewer);

/*
 * Makes covers anew where something has changed, of the sets of columns that queries have
 * used lately, and has the user, unless it is NULL, use each: also one that is as it was,
 * whose extents may have come to GPUs meanwhile.
 */
void wa_cover_renew(WaStore *store, WaCoverUser user);

#endif /* WA_DAEMON_COVER_RENEW_H */
