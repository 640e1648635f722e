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

/*
 * Adds a source to those that are asked for.  Returns why that cannot be, the end of a
 * sentence, or NULL.
 */
static const char *
add_source(WaAsking *asking, WaScanSource *source, WaRunSource *sources,
		   int16 *attributes)
{
	const WaCompiler *compiler = asking->query->compiler;
	WaRunMessage *run = &asking->run;
	const uint32 number = run->nsources;
	const char *refusal = wa_resident_refusal(source->relation);

	if (refusal != NULL)
		return refusal;
	attributes += number * run->ncolumns;
	for (uint32 i = 0; i < run->ncolumns; i++)
	{
		WaColumnName name;

		if (!wa_resident_column(source->relation,
								wa_source_attnum(source, compiler->attnums[i]),
								&name))
			return "a column that the query uses cannot be resident";
		attributes[i] = name.attribute;
		name.attribute = 0;
		run->columns[i] = name;
	}
	sources[number].relation = wa_resident_storage(source->relation);
	sources[number].nblocks = wa_heap_nblocks(source->heap);
	asking->asked[number] = source;
	run->nsources++;
	return NULL;
}

const char *
wa_resident_describe_run(WaAsking *asking)
{
	const WaScanSources *sources = asking->sources;
	const Size room = Min(sources->count, WA_MAX_RUN_SOURCES);
	WaRunMessage *run = &asking->run;
	WaRunSource *over = palloc(sizeof(WaRunSource) * (room + 1));
	const char *refusal = NULL;
	int16 *attributes;

	if (asking->query->compiler->ncolumns > WA_MAX_QUERY_COLUMNS)
		return "the query uses too many columns";
	run->nsources = 0;
	run->ncolumns = (uint32) asking->query->compiler->ncolumns;
	attributes = palloc(sizeof(int16) * (room * run->ncolumns + 1));
	asking->asked = palloc(sizeof(WaScanSource *) * (room + 1));
	asking->covered = palloc0(sizeof(uint64) * (room + 1));
	for (Size i = 0; i < room; i++)
	{
		const char *reason =
			add_source(asking, sources->list[i], over, attributes);

		refusal = reason == NULL ? refusal : reason;
	}
	asking->over = (WaRunOver){over, attributes};
	/* Which groups are the first ones is open while other rows are to come. */
	if (run->nsources < (uint32) sources->count)
		memset(&asking->top_n, 0, sizeof(asking->top_n));
	return run->nsources == 0 ? refusal : wa_resident_push_refusal(asking);
}

void
wa_resident_name(const WaAsking *asking, uint32 number, WaSourceColumns *named)
{
	const WaRunMessage *run = &asking->run;
	const WaRunSource *source = &asking->over.sources[number];

	named->relation = source->relation;
	named->nblocks = source->nblocks;
	named->ncolumns = run->ncolumns;
	wa_run_names(run, &asking->over.attributes[(Size) number * run->ncolumns],
				 named->columns);
}

/* Adds what is resident of the columns of another source. */
static void
add_residency(WaResidentMessage *all, const WaResidentMessage *other)
{
	all->complete_blocks += other->complete_blocks;
	for (uint32 i = 0; i < all->ncolumns; i++)
	{
		WaResidency *to = &all->columns[i];
		const WaResidency *from = &other->columns[i];

		to->blocks += from->blocks;
		to->odd_blocks += from->odd_blocks;
		to->rows += from->rows;
		to->bytes += from->bytes;
		to->smallest = Min(to->smallest, from->smallest);
		to->largest = Max(to->largest, from->largest);
		if (to->dictionary == from->dictionary)
			to->texts = Max(to->texts, from->texts);
	}
}

bool
wa_resident_look(WaAsking *asking)
{
	bool is_found = false;

	if (!wa_resident_has_tables(asking->query))
		return true;
	for (uint32 i = 0; i < asking->run.nsources; i++)
	{
		WaSourceColumns named;
		WaResidentMessage answer;

		wa_resident_name(asking, i, &named);
		if (!wa_residency_describe(&named.relation, named.ncolumns,
								   named.columns, &answer))
			return false;
		if (answer.complete_blocks == 0)
			continue;
		if (is_found)
			add_residency(&asking->resident, &answer);
		else
		{
			asking->named = named;
			asking->resident = answer;
			is_found = true;
		}
	}
	return is_found;
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

/* Tells whether a moment ago nothing could be used of any source. */
static bool
is_none(const WaAsking *asking)
{
	WaSourceColumns named;

	for (uint32 i = 0; i < asking->run.nsources; i++)
	{
		wa_resident_name(asking, i, &named);
		if (!wa_residency_is_none(&named.relation, named.ncolumns,
								  named.columns))
			return false;
	}
	return true;
}

bool
wa_resident_settle(WaAsking *asking)
{
	const Snapshot snapshot = asking->sources->estate->es_snapshot;

	if (is_none(asking))
		return false;
	if (!follow(snapshot, &asking->run.position))
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
