/*
 * resident_made.c
 *		Tables that the device process makes of the rows of a query; see resident_made.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "client/residency.h"
#include "client/resident.h"
#include "client/trouble.h"
#include "scan/base/context_arena.h"
#include "scan/resident/resident_asked.h"
#include "scan/resident/resident_made.h"
#include "scan/resident/resident_receive.h"
#include "scan/rows/precompute.h"
#include "scan/tables/join_digests.h"

/*
 * Returns how many rows tables were made of, as an answer tells, or -1.  It must be about all
 * blocks, as whoever finds the tables does not ask which; those whose rows were brought are
 * among them.
 */
static int64
rows_of(const WaAsking *asking, const WaAnswer *answer)
{
	uint64 rows;

	if (answer->counts.blocks != wa_sources_nblocks(asking->sources) ||
		answer->used != NULL || answer->counts.groups_bytes != sizeof(rows))
		return -1;
	memcpy(&rows, answer->groups, sizeof(rows));
	return rows <= WA_MAX_KEPT_ENTRIES ? (int64) rows : -1;
}

/* Notes why there is no answer. */
static void
note_failure(void)
{
	const WaTrouble *trouble = wa_trouble();

	ereport(DEBUG1,
			(errmsg("warpagg has no tables made of resident columns: %s",
					trouble->text)));
	/* One that is lent is gone: nobody is to rely on others. */
	if (trouble->exchange == WA_EXCHANGE_DONE && trouble->status == WA_NOT_KEPT)
		wa_join_digests_lack();
}

/* Sends what is asked, and returns how many rows tables were made of, or -1. */
static int64
ask(WaAsking *asking)
{
	WaAnswer answer = {.asking = asking};
	int64 rows = -1;
	WaWriter query;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	if (!wa_resident_write_query(asking, -1, &arena, &query) ||
		!wa_resident_settle(asking))
		return -1;
	if (!wa_resident_receive(&query, asking, NULL, &answer))
		note_failure();
	else if (wa_resident_is_reliable(asking->sources))
		rows = rows_of(asking, &answer);
	wa_client_release_groups();
	return rows;
}

/* Suggests what was asked for, of which something is not there. */
static void
suggest(const WaAsking *asking)
{
	(void) wa_residency_estimate(&asking->over, asking->covered);
	wa_resident_suggest(asking);
}

bool
wa_resident_may_make(const WaScanQuery *query, WaScanSources *sources)
{
	WaAsking asking = {.query = query, .sources = sources, .is_made = true};

	if (wa_resident_use_refusal(sources, false) != NULL ||
		wa_resident_describe_run(&asking) != NULL ||
		!wa_resident_is_ready(sources))
		return false;
	if (!wa_residency_is_none(&asking.over))
		return true;
	suggest(&asking);
	return false;
}

/* Has the device process make what is asked for. */
static int64
make(WaAsking *asking, ExprContext *econtext)
{
	WaInterpreter *interpreter = asking->query->interpreter;
	int64 rows = -1;

	if (wa_resident_describe_run(asking) != NULL ||
		!wa_resident_is_ready(asking->sources) ||
		!wa_interpreter_prepare(interpreter, econtext))
		return -1;
	wa_precompute(interpreter, econtext);
	if (!wa_interpreter_is_complete(interpreter))
		return -1;
	if (wa_resident_look(asking))
		rows = ask(asking);
	if (rows < 0)
		suggest(asking);
	return rows;
}

int64
wa_resident_make(const WaScanQuery *query, WaScanSources *sources,
				 ExprContext *econtext, const WaTableDigest *digests,
				 bool is_unique, const WaRestRows *rest)
{
	WaAsking asking = {.query = query,
					   .sources = sources,
					   .is_made = true,
					   .made = digests,
					   .is_unique = is_unique,
					   .rest = rest};
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg request", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	const int64 rows = make(&asking, econtext);

	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return rows;
}
