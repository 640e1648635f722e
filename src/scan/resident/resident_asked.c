/*
 * resident_asked.c
 *		Whether the device process can be asked for a query; see resident_asked.h.
 *
 * WAL is followed here as far as the query's snapshot needs, which was taken before, and
 * the position goes with the query, as does what the snapshot tells of transactions: these
 * are rules of the proof that what is resident is fresh (core/resident.h).
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xlog.h"
#include "utils/rel.h"

#include "client/client.h"
#include "client/outage.h"
#include "client/residency.h"
#include "resident/relation.h"
#include "resident/snapshot.h"
#include "scan/plan/resident_worth.h"
#include "scan/resident/resident_asked.h"
#include "scan/resident/resident_query.h"
#include "scan/state/source_names.h"
#include "scan/state/why_heap.h"
#include "settings.h"
#include "wal/wal.h"

/* Returns why no source can have resident columns now, the end of a sentence, or NULL. */
static const char *
refuse_sources(const WaScanSources *sources)
{
	const char *refusal = "the table is small";

	for (int i = 0; i < sources->count && refusal != NULL; i++)
		refusal = wa_resident_refusal(sources->list[i]->relation);
	return refusal;
}

const char *
wa_resident_use_refusal(const WaScanSources *sources, bool was_refused)
{
	if (!wa_enable_resident)
		return "warpagg.enable_resident is off";
	if (IsParallelWorker())
		return WA_WHY_IN_WORKER;
	if (was_refused)
		return "the groups would have taken more memory than they may";
	if (!wa_resident_is_large((double) wa_sources_nblocks(sources)))
		return "the table is small";
	return refuse_sources(sources);
}

const char *
wa_resident_describe_run(WaAsking *asking)
{
	const WaScanSources *sources = asking->sources;
	const WaCompiler *compiler = asking->query->compiler;
	const uint32 room = (uint32) Min(sources->count, WA_MAX_RUN_SOURCES);
	WaRunMessage *run = &asking->run;
	const char *refusal = NULL;
	WaSourceNames names;

	if (compiler->ncolumns > WA_MAX_QUERY_COLUMNS)
		return "the query uses too many columns";
	wa_source_names_make(&names, compiler, room);
	asking->asked = palloc(sizeof(WaScanSource *) * (room + 1));
	asking->covered = palloc0(sizeof(uint64) * (room + 1));
	for (uint32 i = 0; i < room; i++)
	{
		WaScanSource *source = sources->list[i];
		const char *reason =
			wa_source_names_add(&names, source, wa_heap_nblocks(source->heap));

		if (reason == NULL)
			asking->asked[names.named.nsources - 1] = source;
		else
			refusal = reason;
	}
	asking->over = names.named;
	run->nsources = names.named.nsources;
	run->ncolumns = names.named.ncolumns;
	memcpy(run->columns, names.columns, run->ncolumns * sizeof(*names.columns));
	/* Which groups are the first ones is open while other rows are to come. */
	if (run->nsources < (uint32) sources->count)
	{
		memset(&asking->top_n, 0, sizeof(asking->top_n));
		asking->rolled = NULL;
	}
	return run->nsources == 0 ? refusal : wa_resident_push_refusal(asking);
}

void
wa_resident_name(const WaAsking *asking, uint32 number, WaSourceColumns *named)
{
	const WaRunSource *source = &asking->over.sources[number];

	named->relation = source->relation;
	named->nblocks = source->nblocks;
	named->ncolumns = asking->over.ncolumns;
	wa_named_columns(&asking->over, number, named->columns);
}

bool
wa_resident_look(WaAsking *asking)
{
	uint32 first;

	if (!wa_resident_has_tables(asking->query))
		return true;
	if (!wa_residency_describe(&asking->over, &asking->resident, &first) ||
		asking->resident.complete_blocks == 0)
		return false;
	wa_resident_name(asking, first, &asking->named);
	return true;
}

bool
wa_resident_is_ready(WaScanSources *sources)
{
	if (wa_client_is_ready())
		return true;
	wa_why_heap_note(sources, wa_client_is_resting()
								  ? WA_WHY_RESTING
								  : "the device process is not ready");
	return false;
}

/* Without the rule it is as it was when a query first asked. */
bool
wa_resident_follow(Snapshot snapshot, uint64 *position)
{
	static uint64 old_position = 0;

	if (!wa_resident_has_rule(WA_RULE_FOLLOW_LATER) && old_position != 0)
	{
		*position = old_position;
		return true;
	}
	if (!wa_wal_follow(snapshot, position))
		return false;
	old_position = *position;
	return true;
}

bool
wa_resident_settle(WaAsking *asking)
{
	const Snapshot snapshot = asking->sources->estate->es_snapshot;

	if (wa_residency_is_none(&asking->over))
		return false;
	if (!wa_resident_follow(snapshot, &asking->run.position))
	{
		wa_why_heap_note(asking->sources, "WAL could not be followed");
		return false;
	}
	wa_snapshot_describe(snapshot, &asking->run.snapshot);
	return true;
}

/*
 * Who loads trusts the flags of pages that all see their rows once recovery has ended,
 * which a snapshot of before must not.
 */
bool
wa_resident_is_reliable(const WaScanSources *sources)
{
	const Snapshot snapshot = sources->estate->es_snapshot;

	return !snapshot->takenDuringRecovery || RecoveryInProgress();
}
