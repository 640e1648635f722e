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
wa_resident_use_refusal(const WaScanSource *source, bool was_refused)
{
	if (!wa_enable_resident)
		return "warpagg.enable_resident is off";
	if (IsParallelWorker())
		return WA_WHY_IN_WORKER;
	if (was_refused)
		return "the groups would have taken more memory than they may";
	if (!wa_resident_is_large(wa_heap_nblocks(source->heap)))
		return "the table is small";
	return wa_resident_refusal(source->relation);
}

/* Describes the columns of a query as those of one source, the only one. */
static void
describe_source(WaAsking *asking)
{
	const WaSourceColumns *named = &asking->named;
	WaRunMessage *run = &asking->run;
	WaRunSource *sources = palloc(sizeof(*sources));
	int16 *attributes = palloc(sizeof(*attributes) * (named->ncolumns + 1));

	*sources = (WaRunSource){named->relation, named->nblocks};
	run->nsources = 1;
	run->ncolumns = named->ncolumns;
	for (uint32 i = 0; i < named->ncolumns; i++)
	{
		run->columns[i] = named->columns[i];
		run->columns[i].attribute = 0;
		attributes[i] = named->columns[i].attribute;
	}
	asking->over = (WaRunOver){sources, attributes};
}

const char *
wa_resident_describe_run(WaAsking *asking)
{
	const WaScanSource *source = asking->source;
	const WaCompiler *compiler = asking->query->compiler;
	WaSourceColumns *named = &asking->named;

	named->relation = wa_resident_storage(source->relation);
	named->nblocks = wa_heap_nblocks(source->heap);
	named->ncolumns = (uint32) compiler->ncolumns;
	if (named->ncolumns > WA_MAX_QUERY_COLUMNS)
		return "the query uses too many columns";
	for (uint32 i = 0; i < named->ncolumns; i++)
		if (!wa_resident_column(source->relation, compiler->attnums[i],
								&named->columns[i]))
			return "a column that the query uses cannot be resident";
	describe_source(asking);
	return wa_resident_push_refusal(asking);
}

bool
wa_resident_is_ready(WaScanSource *source)
{
	if (wa_client_is_ready())
		return true;
	wa_why_heap_note(source, wa_client_is_resting()
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
wa_resident_settle(WaAsking *asking)
{
	const Snapshot snapshot = asking->source->estate->es_snapshot;
	const WaSourceColumns *named = &asking->named;

	if (wa_residency_is_none(&named->relation, named->ncolumns, named->columns))
		return false;
	if (!follow(snapshot, &asking->run.position))
	{
		wa_why_heap_note(asking->source, "WAL could not be followed");
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
wa_resident_is_reliable(const WaScanSource *source)
{
	const Snapshot snapshot = source->estate->es_snapshot;

	return !snapshot->takenDuringRecovery || RecoveryInProgress();
}
