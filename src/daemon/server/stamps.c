/*
 * stamps.c
 *		Answering STAMPS; see stamps.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "daemon/run/named_sources.h"
#include "daemon/server/stamps.h"
#include "daemon/store/store_stamp.h"

/* Tells whether a question can be, and what it refers to lies within the parcel. */
static bool
is_sound(const WaStampsMessage *stamps, const WaParcel *parcel)
{
	return wa_named_sources_lie_right(parcel, stamps->sources, stamps->nsources,
									  NULL, 0) &&
		   wa_parcel_holds(parcel, stamps->stamps,
						   stamps->nsources * (uint64_t) sizeof(uint64_t)) &&
		   stamps->unused == 0 && wa_snapshot_is_sound(&stamps->snapshot);
}

/* Tells whether all relations of a copy of the sources can be. */
static bool
relations_are_sound(const WaNamedSources *named)
{
	for (uint32_t i = 0; i < named->nsources; i++)
		if (!wa_relation_is_sound(&named->sources[i].relation))
			return false;
	return true;
}

/* Writes the stamps to a place; returns their checksum. */
static uint32_t
write_stamps(WaStore *store, const WaNamedSources *named,
			 const WaStampsMessage *message, uint8_t *place)
{
	uint32_t bulk = 0;

	for (uint32_t i = 0; i < named->nsources; i++)
	{
		const uint64_t stamp = wa_store_stamp(
			store, &named->sources[i], &message->snapshot, message->position);

		memcpy(place + i * sizeof(stamp), &stamp, sizeof(stamp));
		bulk = wa_checksum(bulk, &stamp, sizeof(stamp));
	}
	return bulk;
}

/* Answers a question whose sources have been copied. */
static bool
answer(const WaConnection *connection, WaService *service,
	   const WaStampsMessage *stamps, const WaNamedSources *named)
{
	const uint32_t request = stamps->header.request;

	if (wa_checksum(0, named->sources,
					wa_run_sources_bytes(named->nsources, 0)) !=
		stamps->header.bulk)
		return wa_connection_fail(connection, request, WA_BAD_REQUEST,
								  "the request was damaged on its way");
	if (!relations_are_sound(named))
		return wa_connection_fail(connection, request, WA_BAD_REQUEST,
								  "it is asked for relations that cannot be");
	return wa_connection_say(
		connection, WA_MSG_DONE, request,
		write_stamps(&service->store, named, stamps,
					 wa_parcel_place(&connection->parcel, stamps->stamps)));
}

bool
wa_stamps_handle(WaConnection *connection, WaService *service,
				 const WaStampsMessage *stamps)
{
	WaNamedSources named = {.nsources = stamps->nsources};
	void *copy;
	bool answered;

	if (!is_sound(stamps, &connection->parcel))
		return wa_connection_break(connection, "its request is out of bounds");
	copy = malloc(wa_run_sources_bytes(named.nsources, 0));
	if (copy == NULL)
		return wa_connection_fail(connection, stamps->header.request,
								  WA_OUT_OF_MEMORY, "not enough memory");
	wa_named_sources_copy(&named, &connection->parcel, stamps->sources, copy);
	answered = answer(connection, service, stamps, &named);
	free(copy);
	return answered;
}
