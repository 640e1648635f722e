/*
 * tables.c
 *		Having warpaggd keep look-up tables; see tables.h.
 */
#include "postgres.h"

#include "client/exchange.h"
#include "client/parcel.h"
#include "client/resident.h"
#include "client/tables.h"
#include "core/checksum.h"

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
