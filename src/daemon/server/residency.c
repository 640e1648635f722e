/*
 * residency.c
 *		Answering RESIDENCY; see residency.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "daemon/base/socket.h"
#include "daemon/run/named_sources.h"
#include "daemon/server/residency.h"
#include "daemon/store/store.h"

/* Adds what there is of the columns of another source. */
static void
add_source(WaResidency *all, const WaResidency *source, uint32_t ncolumns)
{
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		WaResidency *to = &all[i];
		const WaResidency *from = &source[i];

		to->blocks += from->blocks;
		to->odd_blocks += from->odd_blocks;
		to->rows += from->rows;
		to->bytes += from->bytes;
		if (from->smallest < to->smallest)
			to->smallest = from->smallest;
		if (from->largest > to->largest)
			to->largest = from->largest;
		if (to->dictionary == from->dictionary && from->texts > to->texts)
			to->texts = from->texts;
	}
}

/*
 * Finds what there is of some sources, and writes the complete blocks of each to a place,
 * whose checksum it stores.  Sources without such count only as long as no other has any.
 */
static void
find_residency(WaStore *store, const WaNamedSources *named, uint8_t *place,
			   WaResidentMessage *all)
{
	const uint32_t ncolumns = named->ncolumns;

	for (uint32_t i = 0; i < named->nsources; i++)
	{
		WaColumnName names[WA_MAX_QUERY_COLUMNS];
		WaResidency source[WA_MAX_QUERY_COLUMNS];
		uint64_t blocks;

		wa_named_columns(named, i, names);
		blocks = wa_store_residency(store, &named->sources[i].relation, names,
									ncolumns, source);
		if (i == 0 || (all->complete_blocks == 0 && blocks > 0))
			memcpy(all->columns, source, ncolumns * sizeof(*source));
		else if (all->complete_blocks == 0 || blocks > 0)
			add_source(all->columns, source, ncolumns);
		all->complete_blocks += blocks;
		memcpy(place + i * sizeof(blocks), &blocks, sizeof(blocks));
		all->header.bulk =
			wa_checksum(all->header.bulk, &blocks, sizeof(blocks));
	}
}

/* Tells whether what a question refers to lies within the parcel. */
static bool
is_sound(const WaResidencyMessage *residency, const WaParcel *parcel)
{
	return wa_named_sources_lie_right(parcel, residency->sources,
									  residency->nsources, residency->columns,
									  residency->ncolumns) &&
		   wa_parcel_holds(parcel, residency->blocks,
						   residency->nsources * (uint64_t) sizeof(uint64_t));
}

/* Answers a question whose sources have been copied. */
static bool
answer(const WaConnection *connection, WaService *service,
	   const WaResidencyMessage *residency, const WaNamedSources *named)
{
	const uint32_t request = residency->header.request;
	const WaStatus status = wa_named_sources_check(named);
	WaResidentMessage resident;

	if (status != WA_OK)
		return wa_connection_fail(
			connection, request, status,
			status == WA_BAD_REQUEST
				? "it is asked for relations that cannot be"
				: "not enough memory");
	memset(&resident, 0, sizeof(resident));
	wa_message_begin(&resident.header, WA_MSG_RESIDENT,
					 (uint32_t) (offsetof(WaResidentMessage, columns) +
								 named->ncolumns * sizeof(WaResidency)),
					 request);
	resident.ncolumns = named->ncolumns;
	find_residency(&service->store, named,
				   wa_parcel_place(&connection->parcel, residency->blocks),
				   &resident);
	return wa_socket_send(connection->fd, &resident.header, NULL, 0);
}

bool
wa_residency_handle(WaConnection *connection, WaService *service,
					const WaResidencyMessage *residency)
{
	const uint32_t request = residency->header.request;
	WaNamedSources named = {.nsources = residency->nsources,
							.ncolumns = residency->ncolumns,
							.columns = residency->columns};
	size_t bytes;
	void *copy;
	bool answered;

	if (!is_sound(residency, &connection->parcel))
		return wa_connection_break(connection, "its request is out of bounds");
	bytes = wa_run_sources_bytes(named.nsources, named.ncolumns);
	copy = malloc(bytes);
	if (copy == NULL)
		return wa_connection_fail(connection, request, WA_OUT_OF_MEMORY,
								  "not enough memory");
	wa_named_sources_copy(&named, &connection->parcel, residency->sources,
						  copy);
	if (wa_checksum(0, copy, bytes) == residency->header.bulk)
		answered = answer(connection, service, residency, &named);
	else
		answered = wa_connection_fail(connection, request, WA_BAD_REQUEST,
									  "the request was damaged on its way");
	free(copy);
	return answered;
}
