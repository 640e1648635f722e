/*
 * residency.c
 *		What a backend remembers of which columns are resident; see residency.h.
 *
 * Sources and columns are told from others by a hash of 64 bits: should two be taken
 * for each other, the worse plan is made, or the heap is read, for a second.
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

/* Answers that are remembered: of a query's sources, and of a sample of them. */
#define MEMORIES 128

/* Numbers of blocks. */
typedef struct Memory
{
	uint64 key;
	uint64 generation; /* of the connection; 0: nothing is remembered */
	int64 loads;       /* that there had been; -1: unknown */
	TimestampTz time;
	uint64 sum;      /* of all sources, */
	uint32 nsources; /* so many; of each: */
	uint32 *blocks;  /* NULL: there is no memory yet */
} Memory;

static Memory memories[MEMORIES];

/* What warpaggd has said of each of some columns. */
typedef struct Description
{
	uint64 key;
	uint64 generation; /* of the connection; 0: nothing is remembered */
	int64 loads;       /* that there had been */
	uint64 complete_blocks;
	uint32 nsources;
	uint32 first; /* of them that has complete blocks, if one has */
	uint32 ncolumns;
	WaResidency *columns; /* so many; NULL: there is no memory yet */
} Description;

static Description descriptions[MEMORIES];

/* Returns the hash of bytes, and of what another one is of. */
static uint64
hash(const void *bytes, Size length, uint64 seed)
{
	return hash_bytes_extended(bytes, (int) length, seed);
}

/* Returns what stands for sources and columns. */
static uint64
make_key(const WaNamedSources *named)
{
	const uint32 nsources = named->nsources;
	uint64 key = hash(named->columns, named->ncolumns * sizeof(*named->columns),
					  nsources);

	key = hash(named->attributes,
			   nsources * named->ncolumns * sizeof(*named->attributes), key);
	for (uint32 i = 0; i < nsources; i++)
		key = hash(&named->sources[i].relation, sizeof(WaRelation), key);
	return key;
}

/* Returns what is remembered of sources, whose key is known, and not older, or NULL. */
static const Memory *
recall(const WaNamedSources *named, uint64 key, int milliseconds)
{
	const Memory *memory = &memories[key % MEMORIES];

	if (memory->key != key || memory->nsources != named->nsources ||
		memory->generation != wa_connection_state()->generation ||
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
recall_for_planner(const WaNamedSources *named, uint64 key)
{
	const Memory *memory = recall(named, key, QUIET_MEMORY_MS);

	if (memory == NULL || was_quiet_since(memory))
		return memory;
	return memory->sum == 0 ? NULL : recall(named, key, MEMORY_MS);
}

int64
wa_residency_loads(void)
{
	if (!wa_connection_attach())
		return -1;
	return wa_counter_get(&wa_counters()->loads);
}

/* Makes room for numbers of blocks, at the place of what had been remembered there. */
static void
make_room(Memory *memory, uint32 nsources)
{
	memory->generation = 0;
	if (memory->blocks != NULL && memory->nsources == nsources)
		return;
	if (memory->blocks != NULL)
		pfree(memory->blocks);
	memory->blocks = NULL;
	memory->blocks = MemoryContextAlloc(TopMemoryContext,
										nsources * sizeof(*memory->blocks));
	memory->nsources = nsources;
}

/* Remembers numbers of blocks, when so much had been loaded. */
static void
note(const WaNamedSources *named, int64 loads, const uint64 *blocks)
{
	const uint64 key = make_key(named);
	Memory *memory = &memories[key % MEMORIES];

	make_room(memory, named->nsources);
	memory->sum = 0;
	for (uint32 i = 0; i < named->nsources; i++)
	{
		memory->blocks[i] = (uint32) blocks[i];
		memory->sum += blocks[i];
	}
	memory->key = key;
	memory->loads = loads;
	memory->time = GetCurrentTimestamp();
	memory->generation = wa_connection_state()->generation;
}

/* Remembers those of a sample of the sources. */
static void
note_sample(const WaNamedSources *named, int64 loads, const uint64 *blocks)
{
	WaRunSource sources[WA_RESIDENCY_SAMPLE];
	int16_t attributes[WA_RESIDENCY_SAMPLE * WA_MAX_QUERY_COLUMNS];
	uint64 of_sample[WA_RESIDENCY_SAMPLE];
	WaNamedSources sample = {.ncolumns = named->ncolumns,
							 .columns = named->columns,
							 .sources = sources,
							 .attributes = attributes};

	for (uint32 i = 0; i < named->nsources;
		 i += wa_residency_step(named->nsources))
	{
		const uint32 n = sample.nsources++;

		sources[n] = named->sources[i];
		of_sample[n] = blocks[i];
		memcpy(&attributes[n * named->ncolumns], wa_named_attributes(named, i),
			   named->ncolumns * sizeof(*attributes));
	}
	note(&sample, loads, of_sample);
}

void
wa_residency_note(const WaNamedSources *named, int64 loads,
				  const uint64 *blocks)
{
	if (named->nsources > WA_RESIDENCY_SAMPLE)
		note_sample(named, loads, blocks);
	note(named, loads, blocks);
}

bool
wa_residency_is_none(const WaNamedSources *named)
{
	const Memory *memory = recall(named, make_key(named), MEMORY_MS);

	/* Without a rule blocks may be used again that have not been loaded anew. */
	if (wa_debug_skip_rule != 0)
		return false;
	return memory != NULL && memory->sum == 0 && memory->loads >= 0 &&
		   memory->loads == wa_residency_loads();
}

/* Returns the first source that has blocks, or how many sources there are. */
static uint32
find_first(const uint64 *blocks, uint32 nsources)
{
	uint32 first = 0;

	while (first < nsources && blocks[first] == 0)
		first++;
	return first;
}

/* Remembers what there is of columns, when so much had been loaded. */
static void
remember(const WaNamedSources *named, int64 loads,
		 const WaResidentMessage *answer, const uint64 *blocks)
{
	const uint64 key = make_key(named);
	Description *known = &descriptions[key % MEMORIES];
	const Size bytes = answer->ncolumns * sizeof(*known->columns);

	known->generation = 0;
	if (known->columns != NULL && known->ncolumns != answer->ncolumns)
	{
		pfree(known->columns);
		known->columns = NULL;
	}
	if (known->columns == NULL)
		known->columns = MemoryContextAlloc(TopMemoryContext, Max(bytes, 1));
	memcpy(known->columns, answer->columns, bytes);
	known->complete_blocks = answer->complete_blocks;
	known->nsources = named->nsources;
	known->first = find_first(blocks, named->nsources);
	known->ncolumns = answer->ncolumns;
	known->key = key;
	known->loads = loads;
	known->generation = wa_connection_state()->generation;
}

/* Returns what is remembered of columns since something was loaded last, or NULL. */
static const Description *
recall_columns(const WaNamedSources *named, int64 loads)
{
	const uint64 key = make_key(named);
	const Description *known = &descriptions[key % MEMORIES];

	if (loads < 0 || known->key != key || known->loads != loads ||
		known->nsources != named->nsources ||
		known->ncolumns != named->ncolumns ||
		known->generation != wa_connection_state()->generation)
		return NULL;
	return known;
}

bool
wa_residency_describe(const WaNamedSources *named, WaResidentMessage *answer,
					  uint32 *first)
{
	const int64 loads = wa_residency_loads();
	const Description *known = recall_columns(named, loads);
	uint64 *blocks;
	bool answered;

	if (known != NULL)
	{
		answer->complete_blocks = known->complete_blocks;
		answer->ncolumns = known->ncolumns;
		memcpy(answer->columns, known->columns,
			   known->ncolumns * sizeof(*known->columns));
		*first = known->first;
		return true;
	}
	blocks = palloc(named->nsources * sizeof(*blocks));
	answered = wa_client_residency(named, answer, blocks);
	if (answered)
	{
		*first = find_first(blocks, named->nsources);
		remember(named, loads, answer, blocks);
	}
	pfree(blocks);
	return answered;
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
look(const WaNamedSources *named, int64 *loads, WaResidentMessage *answer,
	 uint64 *blocks)
{
	bool answered;

	wa_connection_limit_wait(PLANNING_WAIT_MS);
	answered = can_ask() && (*loads = wa_residency_loads()) >= 0 &&
			   wa_client_residency(named, answer, blocks);
	wa_connection_limit_wait(0);
	return answered;
}

/*
 * Asks, and remembers the answer.  Returns false if there is no answer: then nothing is
 * asked for a while.
 */
static bool
ask(const WaNamedSources *named)
{
	static TimestampTz silent_since = 0;
	WaResidentMessage answer;
	uint64 *blocks;
	int64 loads;
	bool answered;

	if (!TimestampDifferenceExceeds(silent_since, GetCurrentTimestamp(),
									MEMORY_MS))
		return false;
	blocks = palloc(named->nsources * sizeof(*blocks));
	answered = look(named, &loads, &answer, blocks);
	silent_since = answered ? 0 : GetCurrentTimestamp();
	if (answered)
	{
		wa_residency_note(named, loads, blocks);
		remember(named, loads, &answer, blocks);
	}
	pfree(blocks);
	return answered;
}

bool
wa_residency_look(const WaNamedSources *named, WaResidentMessage *answer)
{
	uint64 blocks;
	int64 loads;

	Assert(named->nsources == 1);
	return !wa_client_is_resting() && look(named, &loads, answer, &blocks);
}

uint64
wa_residency_estimate(const WaNamedSources *named, uint64 *blocks)
{
	const uint64 key = make_key(named);
	const Memory *memory = recall_for_planner(named, key);

	if (memory == NULL && !wa_client_is_resting() && ask(named))
		memory = recall(named, key, MEMORY_MS);
	for (uint32 i = 0; blocks != NULL && i < named->nsources; i++)
		blocks[i] = memory == NULL ? 0 : memory->blocks[i];
	return memory == NULL ? 0 : memory->sum;
}
