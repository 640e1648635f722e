/*
 * residency.c
 *		What a backend remembers of which columns are resident; see residency.h.
 *
 * A relation and columns are told from others by a hash of 64 bits: should two be
 * taken for each other, the worse plan is made, or the heap is read, for a second.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "client/counters.h"
#include "client/outage.h"
#include "client/residency.h"
#include "client/resident.h"
#include "settings.h"

/* For so long an answer is remembered, or that there was none. */
#define MEMORY_MS 1000

/* For so long the planner makes do with it if nothing has been loaded since. */
#define QUIET_MEMORY_MS 60000

/* For so long the planner waits for an answer. */
#define PLANNING_WAIT_MS 100

/* Answers that are remembered, of as many partitions as a table is likely to have: a power
 * of 2. */
#define MEMORIES 1024

typedef struct Memory
{
	uint64 key;
	uint64 turn; /* of the connection; 0: nothing is remembered */
	int64 loads; /* that there had been; -1: unknown */
	TimestampTz time;
	uint64 blocks;
} Memory;

static Memory memories[MEMORIES];

/* What warpaggd has said of each of some columns. */
typedef struct Description
{
	uint64 key;
	uint64 turn; /* of the connection; 0: nothing is remembered */
	int64 loads; /* that there had been */
	uint64 complete_blocks;
	uint32 ncolumns;
	WaResidency *columns; /* so many; NULL: there is no memory yet */
} Description;

static Description descriptions[MEMORIES];

/* Returns what stands for a relation and columns. */
static uint64
make_key(const WaRelation *relation, uint32 ncolumns,
		 const WaColumnName *columns)
{
	uint64 seed = hash_bytes_extended((const unsigned char *) relation,
									  sizeof(*relation), 0);

	return hash_bytes_extended((const unsigned char *) columns,
							   (int) (ncolumns * sizeof(*columns)), seed);
}

/* Returns what is remembered of a key, and not older, or NULL. */
static const Memory *
recall(uint64 key, int milliseconds)
{
	const Memory *memory = &memories[key % MEMORIES];

	if (memory->key != key || memory->turn != wa_connection_state()->turn ||
		TimestampDifferenceExceeds(memory->time, GetCurrentTimestamp(),
								   milliseconds))
		return NULL;
	return memory;
}

/* Tells whether nothing has been loaded since; does not connect to find out. */
static bool
was_quiet_since(const Memory *memory)
{
	return memory->loads >= 0 && wa_connection_state()->attached &&
		   memory->loads == wa_counter_get(&wa_counters()->loads);
}

/* Returns what the planner may go by, or NULL. */
static const Memory *
recall_for_planner(uint64 key)
{
	const Memory *memory = recall(key, QUIET_MEMORY_MS);

	return memory != NULL && was_quiet_since(memory) ? memory
													 : recall(key, MEMORY_MS);
}

int64
wa_residency_loads(void)
{
	if (!wa_connection_attach())
		return -1;
	return wa_counter_get(&wa_counters()->loads);
}

void
wa_residency_note(const WaRelation *relation, uint32 ncolumns,
				  const WaColumnName *columns, int64 loads, uint64 blocks)
{
	const uint64 key = make_key(relation, ncolumns, columns);

	memories[key % MEMORIES] = (Memory){
		.key = key,
		.turn = wa_connection_state()->turn,
		.loads = loads,
		.time = GetCurrentTimestamp(),
		.blocks = blocks,
	};
}

bool
wa_residency_is_none(const WaRelation *relation, uint32 ncolumns,
					 const WaColumnName *columns)
{
	const Memory *memory =
		recall(make_key(relation, ncolumns, columns), MEMORY_MS);

	/* Without a rule blocks may be used again that have not been loaded anew. */
	if (wa_debug_skip_rule != 0)
		return false;
	return memory != NULL && memory->blocks == 0 && memory->loads >= 0 &&
		   memory->loads == wa_residency_loads();
}

/* Remembers what there is of columns, when so much had been loaded. */
static void
remember(uint64 key, int64 loads, const WaResidentMessage *answer)
{
	Description *known = &descriptions[key % MEMORIES];
	const Size bytes = answer->ncolumns * sizeof(*known->columns);

	known->turn = 0;
	if (known->columns != NULL && known->ncolumns != answer->ncolumns)
	{
		pfree(known->columns);
		known->columns = NULL;
	}
	if (known->columns == NULL)
		known->columns = MemoryContextAlloc(TopMemoryContext, Max(bytes, 1));
	memcpy(known->columns, answer->columns, bytes);
	known->complete_blocks = answer->complete_blocks;
	known->ncolumns = answer->ncolumns;
	known->key = key;
	known->loads = loads;
	known->turn = wa_connection_state()->turn;
}

bool
wa_residency_describe(const WaRelation *relation, uint32 ncolumns,
					  const WaColumnName *columns, WaResidentMessage *answer)
{
	const uint64 key = make_key(relation, ncolumns, columns);
	const int64 loads = wa_residency_loads();
	const Description *known = &descriptions[key % MEMORIES];

	if (loads >= 0 && known->key == key && known->loads == loads &&
		known->turn == wa_connection_state()->turn)
	{
		answer->complete_blocks = known->complete_blocks;
		answer->ncolumns = known->ncolumns;
		memcpy(answer->columns, known->columns,
			   known->ncolumns * sizeof(*known->columns));
		return true;
	}
	if (!wa_client_residency(relation, (int) ncolumns, columns, answer))
		return false;
	remember(key, loads, answer);
	return true;
}

/* Tells whether warpaggd can be asked, connecting to it if it is there. */
static bool
can_ask(void)
{
	const WaConnectionState *state = wa_connection_state();

	wa_connection_refresh();
	wa_client_guard();
	wa_client_finish();
	return (state->open && state->state == WA_DAEMON_READY) ||
		   (wa_connection_hello() == WA_EXCHANGE_DONE &&
			state->state == WA_DAEMON_READY);
}

/*
 * Asks what there is, when so much has been loaded, and waits for a tenth of a second at
 * most.  Returns false if there is no answer.
 */
static bool
look(const WaRelation *relation, uint32 ncolumns, const WaColumnName *columns,
	 int64 *loads, WaResidentMessage *answer)
{
	bool answered;

	wa_connection_limit_wait(PLANNING_WAIT_MS);
	answered = can_ask() && (*loads = wa_residency_loads()) >= 0 &&
			   wa_client_residency(relation, (int) ncolumns, columns, answer);
	wa_connection_limit_wait(0);
	return answered;
}

/*
 * Asks, and remembers the answer.  Returns the number of blocks, or 0 if there is
 * no answer: then nothing is asked for a while.
 */
static uint64
ask(const WaRelation *relation, uint32 ncolumns, const WaColumnName *columns)
{
	static TimestampTz silent_since = 0;
	WaResidentMessage answer;
	int64 loads;
	bool answered;

	if (!TimestampDifferenceExceeds(silent_since, GetCurrentTimestamp(),
									MEMORY_MS))
		return 0;
	answered = look(relation, ncolumns, columns, &loads, &answer);
	silent_since = answered ? 0 : GetCurrentTimestamp();
	if (!answered)
		return 0;
	wa_residency_note(relation, ncolumns, columns, loads,
					  answer.complete_blocks);
	return answer.complete_blocks;
}

bool
wa_residency_look(const WaRelation *relation, uint32 ncolumns,
				  const WaColumnName *columns, WaResidentMessage *answer)
{
	int64 loads;

	return !wa_client_is_resting() &&
		   look(relation, ncolumns, columns, &loads, answer);
}

uint64
wa_residency_estimate(const WaRelation *relation, uint32 ncolumns,
					  const WaColumnName *columns)
{
	const Memory *memory =
		recall_for_planner(make_key(relation, ncolumns, columns));

	if (memory != NULL)
		return memory->blocks;
	return wa_client_is_resting() ? 0 : ask(relation, ncolumns, columns);
}
