/*
 * stamps.c
 *		Asking warpaggd whether relations are as they were; see stamps.h.
 */
#include "postgres.h"

#include "client/exchange.h"
#include "client/parcel.h"
#include "client/resident.h"
#include "client/stamps.h"
#include "core/checksum.h"

bool
wa_client_stamps(const WaRunSource *sources, uint32 nsources,
				 const WaSnapshot *snapshot, uint64 position, uint64 *stamps)
{
	const uint64 bytes = wa_run_sources_bytes(nsources, 0);
	WaMessage message = {0};
	WaMessage reply;
	uint32_t bulk = 0;
	char *parcel;

	message.stamps.nsources = nsources;
	message.stamps.position = position;
	message.stamps.snapshot = *snapshot;
	message.stamps.stamps = TYPEALIGN64(64, bytes);
	parcel =
		wa_client_reserve(message.stamps.stamps + nsources * sizeof(*stamps));
	if (parcel == NULL)
		return false;
	memcpy(parcel, sources, bytes);
	message.header.bulk = wa_checksum(0, parcel, bytes);
	if (!wa_client_ask(&message, WA_MSG_STAMPS, sizeof(message.stamps),
					   WA_MSG_DONE, &reply))
		return false;
	wa_client_copy_out(message.stamps.stamps, stamps,
					   nsources * sizeof(*stamps), &bulk);
	return bulk == reply.header.bulk || wa_client_reject(true);
}

bool
wa_client_blocks(const WaRunSource *source, const WaSnapshot *snapshot,
				 uint64_t position, uint64_t *blocks)
{
	const uint64 bytes = source->nblocks * (uint64) sizeof(*blocks);
	WaMessage message = {0};
	WaMessage reply;
	uint32_t bulk = 0;

	message.blocks.relation = source->relation;
	message.blocks.nblocks = source->nblocks;
	message.blocks.position = position;
	message.blocks.snapshot = *snapshot;
	if (wa_client_reserve(bytes) == NULL ||
		!wa_client_ask(&message, WA_MSG_BLOCKS, sizeof(message.blocks),
					   WA_MSG_DONE, &reply))
		return false;
	wa_client_copy_out(message.blocks.blocks, blocks, bytes, &bulk);
	return bulk == reply.header.bulk || wa_client_reject(true);
}
