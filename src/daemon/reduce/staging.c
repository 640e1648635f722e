/*
 * staging.c
 *		Making the staging pool, and freeing its slots; see staging.h.
 */
#include <errno.h>
#include <stdio.h>

#include "daemon/base/log.h"
#include "daemon/base/memory_file.h"
#include "daemon/reduce/staging.h"

/* Slots start here; the largest page size that Linux has on 64-bit machines. */
#define SLOTS_ALIGNMENT ((uint64_t) 65536)

void
wa_staging_init(WaStaging *staging, uint64_t bytes)
{
	uint64_t slots = bytes / WA_STAGING_SLOT_BYTES;

	if (slots < 1)
		slots = 1;
	if (slots > WA_MAX_SLOTS)
		slots = WA_MAX_SLOTS;
	(void) pthread_mutex_init(&staging->lock, NULL);
	staging->slots = (uint32_t) slots;
	staging->slots_offset = (sizeof(WaStagingHeader) + SLOTS_ALIGNMENT - 1) /
							SLOTS_ALIGNMENT * SLOTS_ALIGNMENT;
	staging->file_bytes = staging->slots_offset + slots * WA_STAGING_SLOT_BYTES;
	staging->fd = -1;
	staging->failed_errno = 0;
	staging->ledger = NULL;
	staging->header = NULL;
}

/* Makes the pool; false, with errno set, if that fails.  The caller holds the lock. */
static bool
make_pool(WaStaging *staging)
{
	const uint64_t bytes = staging->file_bytes;
	WaStagingHeader *header;
	void *memory;
	int fd = wa_memory_file_make("warpagg staging", bytes, &memory);

	if (fd >= 0)
		fd = wa_memory_file_seal(fd, memory, bytes);
	if (fd < 0)
		return false;
	header = memory;
	header->magic = WA_PROTOCOL_MAGIC;
	header->slots = staging->slots;
	staging->fd = fd;
	if (staging->ledger != NULL)
		wa_ledger_note(staging->ledger, WA_MEMORY_STAGING, bytes);
	__atomic_store_n(&staging->header, header, __ATOMIC_RELEASE);
	return true;
}

WaStatus
wa_staging_make(WaStaging *staging, char *error, size_t error_bytes)
{
	WaStatus status = WA_OK;

	(void) pthread_mutex_lock(&staging->lock);
	if (staging->header == NULL && !make_pool(staging))
	{
		const int made_errno = errno;

		status = made_errno == EMFILE || made_errno == ENFILE
					 ? WA_OUT_OF_FILES
					 : WA_OUT_OF_MEMORY;
		(void) snprintf(error, error_bytes,
						"could not allocate %llu bytes of staging memory: %m",
						(unsigned long long) staging->file_bytes);
		if (staging->failed_errno != made_errno)
			wa_log_write(WA_LOG_WARNING, "%s", error);
		staging->failed_errno = made_errno;
	}
	(void) pthread_mutex_unlock(&staging->lock);
	return status;
}

/* Returns the head of the pool, or NULL before it is made. */
static WaStagingHeader *
staging_header(const WaStaging *staging)
{
	return __atomic_load_n(&staging->header, __ATOMIC_ACQUIRE);
}

uint8_t *
wa_staging_slot(const WaStaging *staging, uint32_t slot)
{
	return (uint8_t *) staging_header(staging) + staging->slots_offset +
		   slot * WA_STAGING_SLOT_BYTES;
}

bool
wa_staging_is_owner(const WaStaging *staging, uint32_t slot,
					uint32_t connection)
{
	return __atomic_load_n(&staging_header(staging)->owner[slot],
						   __ATOMIC_ACQUIRE) == connection;
}

/* Frees the slot if it still has that owner. */
static void
free_slot(WaStagingHeader *header, uint32_t slot, uint32_t owner)
{
	(void) __atomic_compare_exchange_n(&header->owner[slot], &owner, 0, false,
									   __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void
wa_staging_free(const WaStaging *staging, uint32_t connection)
{
	WaStagingHeader *header = staging_header(staging);

	if (header == NULL)
		return;
	for (uint32_t slot = 0; slot < staging->slots; slot++)
		free_slot(header, slot, connection);
}

void
wa_staging_sweep(const WaStaging *staging, WaConnectionTest is_connection,
				 void *arg)
{
	WaStagingHeader *header = staging_header(staging);

	if (header == NULL)
		return;
	for (uint32_t slot = 0; slot < staging->slots; slot++)
	{
		uint32_t owner =
			__atomic_load_n(&header->owner[slot], __ATOMIC_RELAXED);

		if (owner != 0 && !is_connection(arg, owner))
			free_slot(header, slot, owner);
	}
}
