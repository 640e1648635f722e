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
#include "scan/state/why_heap.h"
#include "settings.h"
#include "wal/wal.h"

const char *
wa_resident_use_refusal(const WaScanSources *sources, bool was_refused)
{
	if (!wa_enable_resident)
		return "warpagg.enable_resident is off";
	if (IsParallelWorker())
		return WA_WHY_IN_WORKER;
	if (was_refused)
		return "the groups would have taken more memory than they may";
	if (!wa_resident_is_large(wa_sources_nblocks(sources)))
		return "the table is small";
	if (sources->count != 1)
		return "several tables are read";
	return wa_resident_refusal(sources->list[0]->relation);
}

const char *
wa_resident_describe_run(WaAsking *asking)
{
	const WaScanSource *source = asking->sources->list[0];
	const WaCompiler *compiler = asking->query->compiler;
	WaRunMessage *run = &asking->run;

	run->relation = wa_resident_storage(source->relation);
	run->nblocks = wa_heap_nblocks(source->heap);
	run->ncolumns = (uint32) compiler->ncolumns;
	if (run->ncolumns > WA_MAX_QUERY_COLUMNS)
		return "the query uses too many columns";
	for (uint32 i = 0; i < run->ncolumns; i++)
		if (!wa_resident_column(source->relation,
								wa_source_attnum(source, compiler->attnums[i]),
								&run->columns[i]))
			return "a column that the query uses cannot be resident";
	return wa_resident_push_refusal(asking);
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

/*
 * Has WAL be followed as far as the snapshot needs, and stores how far that is.  Without
 * the rule that this is done for every query, it is as it was when a query first asked.
 */
static bool
follow(Snapshot snapshot, uint64 *position)
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
wa_resident_settle(WaScanSources *sources, WaRunMessage *run)
{
	const Snapshot snapshot = sources->estate->es_snapshot;

	if (wa_residency_is_none(&run->relation, run->ncolumns, run->columns))
		return false;
	if (!follow(snapshot, &run->position))
	{
		wa_why_heap_note(sources, "WAL could not be followed");
		return false;
	}
	wa_snapshot_describe(snapshot, &run->snapshot);
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
