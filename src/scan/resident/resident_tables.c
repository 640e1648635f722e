/*
 * resident_tables.c
 *		Giving tables to the device process, and having them from it; see
 *		resident_tables.h.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "client/resident.h"
#include "client/tables.h"
#include "client/trouble.h"
#include "query/message/table_wire.h"
#include "scan/resident/resident_tables.h"
#include "scan/tables/join_cache.h"

/* Parcels have no room for more. */
#define MOST_BYTES ((uint64) 1 << 30)

/* A table for which there was no room is not given again for a while. */
#define REFUSED_MS 60000
#define REFUSALS   8

typedef struct Refusal
{
	WaTableDigest digest;
	TimestampTz time;
} Refusal;

static Refusal refusals[REFUSALS];

/* Returns the place of what is known of a digest. */
static Refusal *
refusal_of(const WaTableDigest *digest)
{
	return &refusals[digest->words[0] % REFUSALS];
}

/* Tells whether there was no room for a table a while ago. */
static bool
was_refused(const WaTableDigest *digest)
{
	const Refusal *refusal = refusal_of(digest);

	return wa_digest_is_same(&refusal->digest, digest) &&
		   !TimestampDifferenceExceeds(refusal->time, GetCurrentTimestamp(),
									   REFUSED_MS);
}

/* Has a table kept. */
static bool
give_table(const WaLookupTable *table)
{
	const uint64 bytes = wa_table_message_bytes(table);
	char *parcel = bytes > MOST_BYTES || was_refused(&table->digest)
					   ? NULL
					   : wa_client_reserve(bytes);
	WaWriter writer = {.words = (uint64_t *) parcel,
					   .capacity = bytes / sizeof(uint64)};

	if (parcel == NULL)
		return false;
	*refusal_of(&table->digest) =
		(Refusal){table->digest, GetCurrentTimestamp()};
	/* There is room for all of it, so the writer needs no memory. */
	wa_table_message_write(&writer, table);
	Assert(writer.nwords == writer.capacity);
	if (!wa_client_keep(&table->digest, bytes))
		return false;
	memset(refusal_of(&table->digest), 0, sizeof(Refusal));
	return true;
}

/* Tells whether a table before this one is the same. */
static bool
has_been_given(const WaLookupTable *tables, uint32 number)
{
	for (uint32 i = 0; i < number; i++)
		if (wa_digest_is_same(&tables[i].digest, &tables[number].digest))
			return true;
	return false;
}

bool
wa_resident_gives_tables(const WaAsking *asking)
{
	const WaTrouble *trouble = wa_trouble();
	bool gives = false;

	if (trouble->exchange != WA_EXCHANGE_DONE || trouble->status != WA_NOT_KEPT)
		return false;
	for (uint32 i = 0; i < asking->ntables; i++)
	{
		if (!wa_digest_is_set(&asking->tables[i].digest) ||
			wa_join_table_is_lent(&asking->tables[i]) ||
			has_been_given(asking->tables, i))
			continue;
		if (!gives)
			ereport(DEBUG2, (errmsg_internal("warpagg gives tables to its "
											 "device process")));
		gives = true;
		if (!give_table(&asking->tables[i]))
			return false;
	}
	return gives;
}

bool
wa_resident_fetch_table(const WaTableDigest *digest, Size most,
						WaLookupTable *table)
{
	WaText *texts = NULL;
	uint64 bytes;
	void *message =
		wa_client_fetch(digest, Min((uint64) most, MOST_BYTES), &bytes);

	if (message == NULL)
		return false;
	if (!wa_table_message_read(message, bytes, table, &texts))
		return wa_client_reject(false);
	table->digest = *digest;
	if (texts != NULL)
	{
		const Size size = sizeof(WaText) * table->ntexts;

		/* It is not PostgreSQL's. */
		table->texts =
			palloc_extended(size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
		if (table->texts != NULL)
			memcpy(unconstify(WaText *, table->texts), texts, size);
		free(texts);
	}
	return table->ntexts == 0 || table->texts != NULL;
}
