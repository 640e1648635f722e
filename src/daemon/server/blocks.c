/*
 * blocks.c
 *		Answering BLOCKS; see blocks.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "daemon/server/blocks.h"
#include "daemon/store/store_blocks.h"

/* Tells whether a question can be, and there is room in the parcel for what it asks for. */
static bool
is_sound(const WaBlocksMessage *blocks, const WaParcel *parcel)
{
	return blocks->nblocks > 0 &&
		   wa_parcel_holds(parcel, blocks->blocks,
						   blocks->nblocks * (uint64_t) sizeof(uint64_t)) &&
		   wa_snapshot_is_sound(&blocks->snapshot);
}

bool
wa_blocks_handle(WaConnection *connection, WaService *service,
				 const WaBlocksMessage *blocks)
{
	const WaRunSource source = {blocks->relation, blocks->nblocks};
	const uint64_t bytes = blocks->nblocks * (uint64_t) sizeof(uint64_t);
	uint64_t *found;
	uint32_t bulk;

	if (!is_sound(blocks, &connection->parcel))
		return wa_connection_break(connection, "its request is out of bounds");
	found = malloc(bytes);
	if (found == NULL)
		return wa_connection_fail(connection, blocks->header.request,
								  WA_OUT_OF_MEMORY, "not enough memory");
	wa_store_blocks(&service->store, &source, &blocks->snapshot,
					blocks->position, found);
	memcpy(wa_parcel_place(&connection->parcel, blocks->blocks), found, bytes);
	bulk = wa_checksum(0, found, bytes);
	free(found);
	return wa_connection_say(connection, WA_MSG_DONE, blocks->header.request,
							 bulk);
}
