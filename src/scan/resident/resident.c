/*
 * resident.c
 *		Queries that the device process answers for the blocks that it has; see
 *		resident.h.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "client/client.h"
#include "client/outage.h"
#include "client/residency.h"
#include "client/resident.h"
#include "client/trouble.h"
#include "core/replies.h"
#include "resident/autoload.h"
#include "resident/relation.h"
#include "scan/base/context_arena.h"
#include "scan/plan/resident_worth.h"
#include "scan/plan/suggest.h"
#include "scan/plan/top_n.h"
#include "scan/resident/distinct_inputs.h"
#include "scan/resident/resident.h"
#include "scan/resident/resident_asked.h"
#include "scan/resident/resident_query.h"
#include "scan/resident/resident_receive.h"
#include "scan/resident/resident_rest.h"
#include "scan/resident/resident_tables.h"
#include "scan/rows/merge.h"
#include "scan/rows/precompute.h"
#include "scan/rows/roll_up.h"
#include "scan/state/rolled_query.h"
#include "scan/state/why_heap.h"
#include "scan/tables/join_digests.h"
#include "settings.h"

/*
 * So many times the distinct inputs of scan/resident/distinct_inputs.h that are worth
 * asking for may come, as the planner may have expected too few, if they are likely to
 * find room: each takes so many bytes, and for each key and aggregated column.
 */
#define MOST_INPUTS 2
#define INPUT_BYTES 16

/*
 * Counts rows that were answered for as read (seq_tup_read), as those of the heap are: of
 * several tables by their blocks.
 */
static void
count_rows(const WaAnswer *given)
{
	const WaAsking *asking = given->asking;
	const WaAnswerMessage *answer = &given->counts;

	for (uint32 i = 0; i < asking->run.nsources; i++)
		pgstat_count_index_tuples(
			asking->asked[i]->relation,
			(int64) ((double) answer->rows * (double) asking->covered[i] /
					 (double) answer->blocks));
}

/*
 * Leaves out the blocks that the device process has answered for, unless the others have
 * been read.
 */
static void
leave_out(WaScanState *state, const WaAnswer *given)
{
	const WaAnswerMessage *answer = &given->counts;

	wa_why_heap_note(&state->sources, "");
	if (!given->has_rest)
		wa_resident_leave_out(given->asking, given->used);
	count_rows(given);
	state->now.resident_blocks += (int64) answer->blocks;
	state->now.resident_rows += (int64) answer->rows;
	state->now.resident_ms += (double) answer->device_ns / 1000000.0;
	state->now.is_gpu = answer->kind == WA_DEVICE_GPU;
}

/*
 * Takes distinct inputs.  What PostgreSQL evaluates may ask the device process as well, so
 * the groups are taken before.  Returns false if they are not what they should be.
 */
static bool
take_inputs(WaScanState *state, WaDistinctInputs *inputs,
			const WaAnswer *answer, const WaRanks *ranks)
{
	const bool received = wa_distinct_inputs_receive(
		inputs, answer->groups, answer->counts.groups_bytes, ranks);

	wa_client_release_groups();
	if (!received)
		return false;
	if (!wa_distinct_inputs_take(inputs))
		return true;
	leave_out(state, answer);
	return true;
}

/*
 * Takes groups of the node's own, or what they have been rolled up to; returns false if they are
 * not what they should be.  rest: what the node has read is among them; NULL: it is not.
 */
static bool
take_groups(WaScanState *state, const WaAnswer *answer, const WaRanks *ranks,
			WaRest *rest)
{
	const WaAnswerMessage *counts = &answer->counts;
	WaScanStore *store = &state->store;
	WaRanks rolled = *ranks;

	if (counts->is_rolled != 0)
	{
		if (answer->asking->rolled == NULL)
			return false;
		store = &state->rolls_into->store;
		rolled.of_set = state->rolls->set >= 0;
		rolled.set = state->rolls->set;
		rolled.ncolumns +=
			(int) wa_query_rolled_columns(answer->asking->rolled);
		rolled.of = palloc0(sizeof(WaLookupTable *) * (rolled.ncolumns + 1));
		memcpy(rolled.of, ranks->of, sizeof(WaLookupTable *) * ranks->ncolumns);
		rolled.first = state->rolls->values->column - ranks->ncolumns;
	}
	if (!wa_scan_answer_is_sound(store, answer->groups, counts->groups_bytes,
								 &rolled))
		return false;
	if (rest != NULL)
		wa_rest_drop_groups(rest);
	leave_out(state, answer);
	state->now.kept_rows += (int64) counts->kept_rows;
	wa_scan_merge_answer(store, answer->groups, counts->groups_bytes, &rolled,
						 true);
	return true;
}

/*
 * Takes what the device process has answered.  Groups that are too many for the memory
 * that the query may use are spilled; distinct inputs are left then.  What only asks
 * whether rows come to a stage has no use for groups: if none does, the blocks have
 * nothing for the query.  Returns false if the answer is not what it should be.
 */
static bool
take_answer(WaScanState *state, WaDistinctInputs *inputs, int stage,
			const WaAnswer *answer, const WaRanks *ranks)
{
	const WaAnswerMessage *counts = &answer->counts;

	if (counts->blocks == 0)
		return true;
	if (stage >= 0)
	{
		if (counts->kept_rows == 0)
			leave_out(state, answer);
		return true;
	}
	if (inputs == NULL)
		return take_groups(state, answer, ranks, NULL);
	return counts->groups_bytes > get_hash_memory_limit() ||
		   take_inputs(state, inputs, answer, ranks);
}

/*
 * Counts why the device process has not answered.  One that is silent is left
 * alone for a while, or each query would wait for it.  That there was not enough memory
 * is no fault of its: groups on the heap's side are spilled.
 */
static void
count_failure(WaScanState *state)
{
	const WaTrouble *trouble = wa_trouble();

	ereport(DEBUG1, (errmsg("warpagg could not use resident columns: %s",
							trouble->text)));
	wa_why_heap_note(&state->sources,
					 psprintf(WA_WHY_FAILED "%s", trouble->text));
	if (trouble->exchange == WA_EXCHANGE_TIMEOUT)
		(void) wa_client_fail();
	else if (trouble->exchange == WA_EXCHANGE_DONE &&
			 trouble->status == WA_OUT_OF_MEMORY)
	{
		wa_why_heap_note(
			&state->sources,
			"the groups would have taken more memory than they may");
		state->is_refused = true;
		state->now.refusals++;
		(void) wa_client_fall_back(WA_FALLBACK_QUERY_MEMORY);
	}
	else
		(void) wa_client_fall_back(wa_client_reason(trouble));
}

/* Counts the blocks of a source that an answer covers; *words: the first word of them. */
static uint64
count_used(const WaRunSource *source, const uint64_t **words)
{
	uint64 blocks = source->nblocks;

	if (*words == NULL)
		return blocks;
	(void) wa_used_count(*words, source->nblocks, &blocks);
	*words += wa_extents_bytes(source->nblocks) / sizeof(**words);
	return blocks;
}

/*
 * Counts how many blocks of each source the device process has: what it has used, or what
 * it was known to have if it has found no use in an answer, or no room for one.
 */
static void
count_covered(const WaScanState *state, const WaAnswer *answer)
{
	const WaAsking *asking = answer->asking;
	const WaAnswerMessage *counts = &answer->counts;
	const bool is_known =
		!state->is_refused && (counts->blocks > 0 || counts->rows == 0);
	const uint64_t *words = answer->used;

	if (!is_known)
		(void) wa_residency_estimate(&asking->over, asking->covered);
	else if (counts->blocks == 0)
		memset(asking->covered, 0,
			   asking->run.nsources * sizeof(*asking->covered));
	else
		for (uint32 i = 0; i < asking->run.nsources; i++)
			asking->covered[i] = count_used(&asking->over.sources[i], &words);
}

/*
 * Tells whether the device process has failed just now as it lacks a table that it was
 * thought to have, and nobody else has here.
 */
static bool
lacks_lent(const WaAsking *asking)
{
	const WaTrouble *trouble = wa_trouble();

	return trouble->exchange == WA_EXCHANGE_DONE &&
		   trouble->status == WA_NOT_KEPT &&
		   wa_interpreter_lends(asking->query->interpreter);
}

/*
 * Asks what write_query has written for a stage, and takes the answer, whose counts it
 * stores, and how many blocks of each source the device process has, as far as we know.
 */
static void
ask(WaScanState *state, WaDistinctInputs *inputs, WaAsking *asking,
	const WaWriter *query, int stage, WaAnswerMessage *counts)
{
	WaRest rest = {.state = state, .asking = asking};
	WaAnswer answer = {.asking = asking};
	bool taken;

	memset(counts, 0, sizeof(*counts));
	asking->lacks_lent = false;
	wa_why_heap_note(&state->sources, WA_WHY_NOT_FRESH);
	if (!wa_resident_settle(asking))
		return;
	asking->run.announces = inputs == NULL && stage < 0;
	taken = wa_resident_receive(query, asking, &rest, &answer);
	if (!answer.has_rest)
		wa_rest_forget(&rest);
	if (taken && !wa_resident_is_reliable(&state->sources))
	{
		wa_rest_forget(&rest);
		wa_client_release_groups();
		return;
	}
	if (taken)
		count_covered(state, &answer);
	taken =
		taken && (take_answer(state, inputs, stage, &answer, &asking->ranks) ||
				  wa_client_reject(false));
	if (!taken)
		wa_rest_forget(&rest);
	wa_client_release_groups();
	if (taken)
	{
		*counts = answer.counts;
		if (counts->blocks == 0 && counts->rows > 0)
			wa_why_heap_note(&state->sources,
							 "there are too many groups to be sent");
	}
	else if (lacks_lent(asking))
		asking->lacks_lent = true;
	else
		count_failure(state);
	if (state->is_refused)
		count_covered(state, &answer);
}

/*
 * Tells whether a query has had no answer as it wants what can be told of all rows alone, and
 * some blocks are not resident: others are too many groups to be sent.
 */
static bool
wants_all_rows(const WaAsking *asking, const WaAnswerMessage *counts)
{
	return counts->blocks == 0 && counts->rows > 0 &&
		   (asking->rolled != NULL || asking->top_n.limit > 0) &&
		   !asking->top_n.of_rows && asking->run.nsources == 1 &&
		   asking->sources->count == 1 && asking->ranks.count == 0;
}

/* Takes an answer of all rows, some of which came with the query. */
static bool
take_whole(WaScanState *state, WaRest *rest, const WaAnswer *answer,
		   const WaRestRows *rows)
{
	if (answer->counts.blocks == 0)
		return false;
	if (!take_groups(state, answer, &answer->asking->ranks, rest))
		return wa_client_reject(false);
	state->now.resident_blocks -= (int64) rows->nblocks;
	count_covered(state, answer);
	return true;
}

/* Asks once more, with the groups of what is not resident, for what can be told of all rows. */
static void
ask_with_rest(WaScanState *state, WaAsking *asking, WaArena *arena)
{
	WaRest rest = {.state = state, .asking = asking};
	WaAnswer answer = {.asking = asking};
	WaRestRows rows = {0};
	WaWriter query;
	bool taken = wa_rest_bring(&rest, &rows);

	asking->rest = &rows;
	asking->run.announces = false;
	taken = taken && wa_resident_write_query(asking, -1, arena, &query) &&
			wa_resident_receive(&query, asking, NULL, &answer) &&
			wa_resident_is_reliable(&state->sources) &&
			take_whole(state, &rest, &answer, &rows);
	wa_client_release_groups();
	asking->rest = NULL;
	if (!taken)
		wa_rest_forget(&rest);
}

/*
 * Has the tables that the device process lacks be made here, from where it is given them;
 * returns false if they would take more memory than they may.
 */
static WA_MUST_CHECK bool
make_lent(const WaInterpreter *interpreter)
{
	ereport(DEBUG2, (errmsg_internal("warpagg makes tables that its device "
									 "process does not keep any more")));
	wa_join_digests_lack();
	return wa_join_tables_have(interpreter->joined);
}

/*
 * Asks what the node computes.  Where a subselect must not be run before a row needs
 * what it returns, it asks first whether there is such a row.  Returns false if the query
 * lacks tables.
 */
static bool
ask_in_turn(WaScanState *state, WaAsking *asking, WaArena *arena)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	WaInterpreter *interpreter = state->query.interpreter;
	WaAnswerMessage answer;
	int stage;

	do
	{
		WaWriter query;

		stage = wa_interpreter_first_lacking(interpreter, econtext);
		wa_why_heap_note(
			&state->sources,
			"what is computed once has to wait for a row that needs it");
		if (stage < 0 && !wa_interpreter_is_complete(interpreter))
			return true;
		if (!wa_resident_write_query(asking, stage, arena, &query))
		{
			if (stage < 0)
				wa_why_heap_note(&state->sources, WA_WHY_NO_TABLE);
			return stage >= 0;
		}
		ask(state, NULL, asking, &query, stage, &answer);
		if (asking->lacks_lent && !make_lent(interpreter))
			return true;
		/* Rows of blocks that it has answered for have no errors. */
	} while (asking->lacks_lent ||
			 (stage >= 0 && answer.kept_rows > 0 &&
			  wa_interpreter_reach(interpreter, econtext, stage)));
	if (stage < 0 && wants_all_rows(asking, &answer))
		ask_with_rest(state, asking, arena);
	wa_resident_suggest(asking);
	return true;
}

/* Returns how many distinct inputs there is a use for. */
static uint32
most_inputs(const WaAsking *asking)
{
	const WaScanQuery *query = asking->query;
	const double worth = wa_resident_most_groups(
		(double) wa_sources_nblocks(asking->sources), query->nworkers);
	const Size bytes =
		(Size) INPUT_BYTES * (1 + query->nkeys + query->ncolumns);

	return (uint32) Min(worth * MOST_INPUTS,
						(double) (get_hash_memory_limit() / bytes));
}

/*
 * Asks for the distinct inputs of a query that the device process answers in part.  What
 * is computed once has to be known.  Returns false if the query has no tables.
 */
static bool
ask_for_inputs(WaScanState *state, WaDistinctInputs *inputs, WaAsking *asking,
			   WaArena *arena)
{
	WaAnswerMessage answer;
	WaWriter query;

	if (!wa_interpreter_is_complete(state->query.interpreter) ||
		!wa_interpreter_is_complete(asking->query->interpreter) ||
		wa_distinct_inputs_waits(inputs))
		return true;
	asking->most_groups = most_inputs(asking);
	if (!wa_resident_write_query(asking, -1, arena, &query))
		return false;
	ask(state, inputs, asking, &query, -1, &answer);
	wa_resident_suggest(asking);
	return true;
}

/*
 * Asks for the distinct inputs of a node's query.  Returns false if no parts of it can be
 * pushed, or it has no tables.
 */
static bool
try_inputs(WaScanState *state, WaExcluded excluded, WaArena *arena)
{
	WaDistinctInputs *inputs = wa_distinct_inputs_make(state, excluded);
	WaAsking asking = {.sources = &state->sources};

	if (inputs == NULL)
		return false;
	asking.query = &inputs->asked;
	if (wa_resident_describe_run(&asking) != NULL ||
		!wa_resident_is_ready(&state->sources))
		return true;
	wa_precompute_all(state);
	wa_precompute(asking.query->interpreter, state->css.ss.ps.ps_ExprContext);
	if (wa_resident_look(&asking))
		return ask_for_inputs(state, inputs, &asking, arena);
	wa_resident_suggest(&asking);
	return true;
}

/* Asks for distinct inputs, with fewer tables where it turns out that there are none. */
static void
use_inputs(WaScanState *state, WaExcluded excluded, WaArena *arena)
{
	if (wa_interpreter_lends(state->query.interpreter))
		return;
	while ((int) excluded <= state->query.planned_excluded &&
		   !try_inputs(state, excluded, arena))
		excluded++;
}

/* Describes which groups are wanted, if the device process has all rows. */
static void
describe_wanted(const WaScanState *state, WaAsking *asking)
{
	const WaScanQuery *query = &state->query;

	if (state->rolls_into != NULL)
		asking->rolled = wa_roll_up_pushed(state->rolls_into, state->rolls,
										   wa_rolled_query_place(query));
	if (asking->rolled != NULL || query->rolled == NULL)
		wa_top_n_describe(query, &state->css.ss.ps, state->top, &asking->top_n);
}

/*
 * Asks for what the node computes or, if that cannot be, for its distinct inputs.  Which
 * groups are the first ones is open while other rows are to come.
 */
static void
use(WaScanState *state, bool has_other_rows)
{
	WaAsking asking = {.query = &state->query, .sources = &state->sources};
	const char *refusal;
	WaArena arena;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	if (!has_other_rows)
		describe_wanted(state, &asking);
	refusal = wa_resident_describe_run(&asking);
	if (refusal != NULL)
	{
		wa_why_heap_note(&state->sources, refusal);
		use_inputs(state, WA_EXCLUDES_NONE, &arena);
		return;
	}
	if (!wa_resident_is_ready(&state->sources))
		return;
	wa_precompute_all(state);
	wa_why_heap_note(&state->sources, WA_WHY_NOT_FRESH);
	if (!wa_resident_look(&asking))
		wa_resident_suggest(&asking);
	else if (!ask_in_turn(state, &asking, &arena))
		use_inputs(state, WA_EXCLUDES_INTEGERS, &arena);
}

void
wa_resident_use(WaScanState *state, bool has_other_rows)
{
	const char *refusal =
		state->query.ntransitions > 0
			? "an aggregate is computed by its own functions"
			: wa_resident_use_refusal(&state->sources, state->is_refused);
	MemoryContext scratch;
	MemoryContext old;

	if (refusal != NULL)
	{
		wa_why_heap_note(&state->sources, refusal);
		return;
	}
	scratch = AllocSetContextCreate(CurrentMemoryContext, "warpagg request",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scratch);
	use(state, has_other_rows);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}
