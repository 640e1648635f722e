/*
 * tables.c
 *		Having warpaggd keep look-up tables, and having them from it; see tables.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "client/exchange.h"
#include "client/parcel.h"
#include "client/resident.h"
#include "client/tables.h"
#include "core/checksum.h"

/* Bytes that a table may have to be fetched by one request. */
#define FIRST_ROOM ((uint64) 1024 * 1024)

bool
wa_client_keep(const WaTableDigest *digest, uint64 bytes)
{
	WaMessage message = {0};
	WaMessage reply;

	message.keep.digest = *digest;
	message.keep.bytes = bytes;
	message.header.bulk = wa_checksum(0, wa_parcel_memory(), bytes);
	return wa_client_ask(&message, WA_MSG_KEEP, sizeof(message.keep),
						 WA_MSG_DONE, &reply);
}

bool
wa_client_are_kept(const WaTableDigest *digests, uint32 count)
{
	const uint64 bytes = count * sizeof(*digests);
	WaMessage message = {0};
	WaMessage reply;
	char *parcel;

	Assert(count > 0);
	parcel = count > WA_MAX_KEPT_DIGESTS ? NULL : wa_client_reserve(bytes);
	if (parcel == NULL)
		return false;
	memcpy(parcel, digests, bytes);
	message.kept.count = count;
	message.header.bulk = wa_checksum(0, digests, bytes);
	return wa_client_ask(&message, WA_MSG_KEPT, sizeof(message.kept),
						 WA_MSG_DONE, &reply);
}

/* Asks for a table, for which there is so much room; returns how many bytes it has, or 0. */
static uint64
ask_for(const WaTableDigest *digest, uint64 room, uint32 *bulk)
{
	WaMessage message = {0};
	WaMessage reply;

	if (wa_client_reserve(room) == NULL)
		return 0;
	message.fetch.digest = *digest;
	message.fetch.room = room;
	if (!wa_client_ask(&message, WA_MSG_FETCH, sizeof(message.fetch),
					   WA_MSG_LISTED, &reply))
		return 0;
	*bulk = reply.header.bulk;
	return (uint64) reply.listed.columns * sizeof(uint64);
}

void *
wa_client_fetch(const WaTableDigest *digest, uint64 most, uint64 *bytes)
{
	uint64 room = Min(FIRST_ROOM, most);
	uint32 expected;
	uint32 bulk = 0;
	void *copy;

	*bytes = ask_for(digest, room, &expected);
	if (*bytes > room && *bytes <= most)
	{
		room = *bytes;
		*bytes = ask_for(digest, room, &expected);
	}
	if (*bytes == 0 || *bytes > room)
		return NULL;
	copy = palloc_extended(*bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (copy == NULL)
		return NULL;
	wa_client_copy_out(0, copy, *bytes, &bulk);
	if (bulk == expected)
		return copy;
	pfree(copy);
	(void) wa_client_reject(true);
	return NULL;
}
