/*
 * resident_receive.c
 *		Sending what is asked of the device process, and receiving its answer; see
 *		resident_receive.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "client/residency.h"
#include "client/resident.h"
#include "resident/autoload.h"
#include "scan/plan/resident_worth.h"
#include "scan/plan/suggest.h"
#include "scan/plan/suggest_columns.h"
#include "scan/resident/resident_asked.h"
#include "scan/resident/resident_receive.h"
#include "scan/resident/resident_tables.h"

/* Bytes for groups in the parcel; more come in a file of their own. */
#define GROUPS_ROOM ((uint64) 512 * 1024)

/*
 * Lays out the parcel: the query, its sources, the blocks that are used, those that are
 * announced, or whose rows are brought, and groups.  Fills it, but for the sources, and completes the message; returns
 * false if it cannot.
 */
static bool
fill_parcel(const WaWriter *query, WaAsking *asking)
{
	WaRunMessage *run = &asking->run;
	const uint64 blocks_bytes =
		wa_run_words_bytes(asking->over.sources, run->nsources);
	char *parcel;

	run->query = 0;
	run->query_bytes = query->nwords * sizeof(uint64);
	run->sources = TYPEALIGN64(64, run->query_bytes);
	run->used = TYPEALIGN64(
		64, run->sources + wa_run_sources_bytes(run->nsources, run->ncolumns));
	run->cover = TYPEALIGN64(64, run->used + blocks_bytes);
	run->groups = TYPEALIGN64(64, run->cover + blocks_bytes);
	run->groups_room = GROUPS_ROOM;
	parcel = wa_client_reserve(run->groups + GROUPS_ROOM);
	if (parcel == NULL)
		return false;
	memcpy(parcel + run->query, query->words, run->query_bytes);
	run->has_rest = asking->rest != NULL;
	if (asking->rest != NULL)
		memcpy(parcel + run->cover, asking->rest->blocks, blocks_bytes);
	run->memory =
		asking->rolled != NULL
			? WA_RUN_MEMORY_SHARE
			: (uint64) get_hash_memory_limit() *
				  (uint64) wa_resident_shares(asking->query->nworkers);
	return true;
}

/* Sends a query and receives the answer; returns false if there is none. */
static bool
run_query(const WaWriter *query, WaAsking *asking, WaRest *rest,
		  WaAnswer *answer)
{
	const WaAnnounced announced = {.tell = wa_rest_read, .context = rest};

	if (!fill_parcel(query, asking))
		return false;
	answer->groups = wa_client_run(&asking->run, &asking->over, &announced,
								   &answer->counts, &answer->used);
	return answer->groups != NULL;
}

bool
wa_resident_receive(const WaWriter *query, WaAsking *asking, WaRest *rest,
					WaAnswer *answer)
{
	if (!run_query(query, asking, rest, answer) &&
		(!wa_resident_gives_tables(asking) ||
		 !run_query(query, asking, rest, answer)))
		return false;
	answer->has_rest =
		rest != NULL && rest->cover != NULL && answer->used == rest->cover;
	return true;
}

/* Tells whether the device process is not known to have all blocks of a source. */
static bool
lacks_blocks(const WaAsking *asking, uint32 number)
{
	return asking->covered[number] < asking->over.sources[number].nblocks;
}

void
wa_resident_suggest(const WaAsking *asking)
{
	const uint32 nsources = asking->run.nsources;
	int left = WA_SUGGEST_MOST;
	uint64 *there = NULL; /* blocks of each source, fresh or not */

	wa_autoload_resume();
	if (!wa_suggest_is_wanted((double) wa_sources_nblocks(asking->sources)))
		return;
	for (uint32 i = nsources; i-- > 0 && left > 0;)
	{
		WaSourceColumns named;

		if (!lacks_blocks(asking, i))
			continue;
		if (there == NULL)
		{
			there = palloc(nsources * sizeof(*there));
			(void) wa_residency_estimate(&asking->over, there);
		}
		wa_resident_name(asking, i, &named);
		wa_suggest_scanned(asking->asked[i]->relation, &named, there[i] > 0);
		left--;
	}
}
