/*
 * parcel.h
 *		The memory file that a backend shares with us: see core/resident.h.
 *
 * It is mapped for as long as the connection has it.  The backend may write to
 * it at any time, so nothing that is read from it is to be trusted twice; but it
 * cannot become shorter, and its pages are ordinary ones, so reading and writing
 * are safe.
 */
#ifndef WA_DAEMON_PARCEL_H
#define WA_DAEMON_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/must_check.h"

/* As much as a connection may share. */
#define WA_MAX_PARCEL_BYTES ((uint64_t) 1 << 30)

/* Belongs to its connection; constant while a request is under way. */
typedef struct WaParcel
{
	uint8_t *memory; /* NULL: there is none */
	uint64_t bytes;
} WaParcel;

/* Tells whether the descriptor is that of a memory file that we may map. */
bool wa_parcel_is_usable(int fd, uint64_t bytes);

/*
 * Maps so many bytes of a usable memory file.  Returns false, with errno set, if
 * that cannot be done.
 */
WA_MUST_CHECK bool wa_parcel_map(WaParcel *parcel, int fd, uint64_t bytes);

/* Unmaps the parcel, if there is one. */
void wa_parcel_unmap(WaParcel *parcel);

/* Tells whether something of `bytes` bytes may be at offset. */
bool wa_parcel_holds(const WaParcel *parcel, uint64_t offset, uint64_t bytes);

/*
 * Returns where in memory something is that the parcel holds; NULL if there is no
 * parcel: it holds nothing at its beginning, too.
 */
static inline uint8_t *
wa_parcel_place(const WaParcel *parcel, uint64_t offset)
{
	return parcel->memory == NULL ? NULL : parcel->memory + offset;
}

#endif /* WA_DAEMON_PARCEL_H */
