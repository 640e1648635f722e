/*
 * cover_renew.h
 *		A thread that makes parts of covers anew before queries need them.
 *
 * As a table is written to, parts change between one query and the next, which would have
 * to make them.  What it does not do in time the queries do.
 */
#ifndef WA_DAEMON_COVER_RENEW_H
#define WA_DAEMON_COVER_RENEW_H

#include <pthread.h>

#include "core/must_check.h"
#include "daemon/store.h"

/* lock guards is_wanted; store is constant. */
typedef struct WaCoverRenewer
{
	WaStore *store;
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	bool is_wanted;
} WaCoverRenewer;

/* Starts the thread, for as long as the process.  Returns false if it cannot. */
WA_MUST_CHECK bool wa_cover_renewer_start(WaCoverRenewer *renewer,
										  WaStore *store);

/* Says that something has changed. */
void wa_cover_renewer_wake(WaCoverRenewer *renewer);

/*
 * Makes the parts anew that have changed, of the sets of columns that queries have used
 * lately.
 */
void wa_cover_renew(WaStore *store);

#endif /* WA_DAEMON_COVER_RENEW_H */
