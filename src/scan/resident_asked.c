/*
 * resident_asked.c
 *		Whether the device process can be asked for a query; see resident_asked.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "utils/rel.h"

#include "client/client.h"
#include "client/outage.h"
#include "resident/map.h"
#include "resident/relation.h"
#include "scan/resident.h"
#include "scan/resident_asked.h"
#include "scan/resident_query.h"
#include "scan/why_heap.h"
#include "settings.h"

const char *
wa_resident_use_refusal(const WaScanState *state)
{
	if (!wa_enable_resident)
		return "warpagg.enable_resident is off";
	if (IsParallelWorker())
		return WA_WHY_IN_WORKER;
	if (state->refusals > 0)
		return "the groups would have taken more memory than they may";
	if (!wa_resident_is_large(wa_heap_nblocks(state->heap)))
		return "the table is small";
	return wa_resident_refusal(state->relation);
}

/* Names the columns of the table; returns false if one cannot be resident. */
static bool
name_columns(const WaScanState *state, uint32 ncolumns, WaColumnName *names)
{
	for (uint32 i = 0; i < ncolumns; i++)
		if (!wa_resident_column(state->relation, state->attnums[i], &names[i]))
			return false;
	return true;
}

/* Returns why the device process cannot be asked for a query, or NULL. */
static const char *
travel_refusal(const WaScanState *asked, WaRunMessage *run)
{
	if (run->ncolumns > WA_MAX_QUERY_COLUMNS)
		return "the query uses too many columns";
	if (!name_columns(asked, run->ncolumns, run->columns))
		return "a column that the query uses cannot be resident";
	if (wa_resident_may_travel(asked))
		return NULL;
	return wa_resident_takes_groups(wa_heap_nblocks(asked->heap),
									asked->planned_groups, asked->nworkers)
			   ? "the device process cannot compute all of the query"
			   : "the groups are too many to be sent";
}

bool
wa_resident_describe_run(WaScanState *asked, WaRunMessage *run)
{
	const char *refusal;

	run->relation = wa_resident_storage(asked->relation);
	run->nblocks = wa_heap_nblocks(asked->heap);
	run->nmaps = wa_map_pages(run->nblocks);
	run->ncolumns = (uint32) wa_runner_ncolumns(asked->runner);
	refusal = travel_refusal(asked, run);
	if (refusal != NULL)
		wa_why_heap_note(asked, refusal);
	return refusal == NULL;
}

bool
wa_resident_is_ready(WaScanState *state)
{
	if (wa_client_is_ready())
		return true;
	wa_why_heap_note(state, wa_client_is_resting()
								? WA_WHY_RESTING
								: "the device process is not ready");
	return false;
}
