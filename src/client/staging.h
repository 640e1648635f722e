/*
 * staging.h
 *		Memory files that warpaggd hands over, mapped into a backend.
 */
#ifndef WA_CLIENT_STAGING_H
#define WA_CLIENT_STAGING_H

#include "core/must_check.h"
#include "core/protocol.h"

/* The mapped staging file; slots NULL while there is none. */
typedef struct WaStaging
{
	WaStagingHeader *header;
	uint8_t *slots;
	size_t slot_bytes;
	size_t file_bytes;
	uint32_t nslots;
	uint32_t populated; /* the slot, plus 1, whose pages were mapped last */
} WaStaging;

/*
 * Maps the staging file, if it can: else it has noted why (client/trouble.h), as have
 * the other functions that map.  Does so after checking that it is what *attached says
 * and that nobody can shrink it under us.  Does not close the descriptor.
 */
extern WA_MUST_CHECK bool
wa_staging_map(WaStaging *staging, const WaAttachedMessage *attached, int fd);
extern void wa_staging_unmap(WaStaging *staging);

/* Maps so many bytes of a file for reading, likewise; NULL if it has not. */
extern const void *wa_staging_map_file(int fd, uint64_t bytes);

/* Maps the counters' file likewise; NULL if it is not one. */
extern WaCounters *wa_staging_map_counters(int fd);

/*
 * Takes a free slot for the connection with this number, without waiting;
 * returns false if all are taken.  A connection is likely to get the same one
 * again and again.
 */
extern WA_MUST_CHECK bool wa_staging_take(WaStaging *staging,
										  uint32_t connection, uint32_t *slot);
extern void wa_staging_free(WaStaging *staging, uint32_t connection,
							uint32_t slot);

#endif /* WA_CLIENT_STAGING_H */
