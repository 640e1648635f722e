/*
 * staging.h
 *		The pool of staging slots that backends write their values into.
 *
 * The pool is a memory file; core/protocol.h says what is in it.  Backends
 * share it, so nothing that is read from it is to be trusted twice: we never
 * read anything but owner words, one at a time, and the contents of slots,
 * whatever they are, which only the fold loops and kernels look at.
 */
#ifndef WA_DAEMON_STAGING_H
#define WA_DAEMON_STAGING_H

#include <pthread.h>

#include "core/must_check.h"
#include "core/protocol.h"
#include "daemon/base/ledger.h"

/* A full buffer of a backend's. */
#define WA_STAGING_SLOT_BYTES ((uint64_t) 1 << 20)

/*
 * lock guards the making of the pool, and failed_errno.  All other fields are set
 * before header is, which is stored and loaded atomically, and never change
 * afterwards; ledger, which counts the pool and may be NULL, is constant.
 */
typedef struct WaStaging
{
	pthread_mutex_t lock;
	uint32_t slots;
	uint64_t slots_offset;
	uint64_t file_bytes;
	int fd;
	int failed_errno; /* of the failure that has been logged; 0: none */
	WaLedger *ledger;
	WaStagingHeader *header; /* file_bytes of memory; NULL: not made yet */
} WaStaging;

/* Tells whether there is a connection, arg being what goes with it. */
typedef bool (*WaConnectionTest)(void *arg, uint32_t connection);

/* Prepares a pool of about so many bytes; makes nothing yet. */
void wa_staging_init(WaStaging *staging, uint64_t bytes);

/*
 * Makes the pool, unless it is there.  Returns WA_OUT_OF_MEMORY or
 * WA_OUT_OF_FILES, with a text in error, if that fails; then it may be tried
 * again.  Logged once, unless it fails in another way.  Any thread may call it.
 */
WA_MUST_CHECK WaStatus wa_staging_make(WaStaging *staging, char *error,
									   size_t error_bytes);

/* Returns the memory of a slot, WA_STAGING_SLOT_BYTES long. */
uint8_t *wa_staging_slot(const WaStaging *staging, uint32_t slot);

/* Tells whether the slot belongs to the connection at this moment. */
bool wa_staging_is_owner(const WaStaging *staging, uint32_t slot,
						 uint32_t connection);

/* Frees all slots of a connection that has ended. */
void wa_staging_free(const WaStaging *staging, uint32_t connection);

/*
 * Frees the slots whose owner is no connection: a backend may take one while
 * we are closing its connection.  Does nothing before the pool is made.
 */
void wa_staging_sweep(const WaStaging *staging, WaConnectionTest is_connection,
					  void *arg);

#endif /* WA_DAEMON_STAGING_H */
