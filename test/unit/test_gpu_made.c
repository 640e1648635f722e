/*
 * test_gpu_made.c
 *		Tables of rows that GPUs have left; see test_gpu_made.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "query/message/query_wire.h"
#include "query/message/table_wire.h"
#include "test/unit/check.h"
#include "test/unit/test_gpu_data.h"
#include "test/unit/test_gpu_made.h"

#define MAX_THREADS 4

void *
test_gpu_set_query(WaRunRequest *request, const WaQuery *query, WaArena *arena)
{
	WaWriter writer;
	void *message;

	wa_writer_init(&writer, arena);
	wa_query_write(&writer, query);
	message = aligned_alloc(64, (writer.nwords / 8 + 1) * 64);
	memcpy(message, writer.words, writer.nwords * sizeof(uint64_t));
	request->query = message;
	request->query_bytes = writer.nwords * sizeof(uint64_t);
	return message;
}

bool
test_gpu_keep_tables(WaKeptTables *kept, const WaQuery *query, WaArena *arena)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	for (uint32_t i = 0; i < query->ntables; i++)
	{
		const WaLookupTable *table = &query->program.tables[i];
		WaWriter writer;

		if (!wa_digest_is_set(&table->digest))
			continue;
		wa_writer_init(&writer, arena);
		wa_table_message_write(&writer, table);
		EXPECT(wa_kept_tables_put(kept, &table->digest, writer.words,
								  writer.nwords * sizeof(uint64_t),
								  wa_checksum(0, writer.words,
											  writer.nwords * sizeof(uint64_t)),
								  error) == WA_OK);
	}
	return true;
}

/* One way to make tables of a query. */
typedef struct Making
{
	WaTableDigest digests[MAX_MADE]; /* of the tables */
	WaRunRequest request;
	WaBudget budget;
	WaDeviceShare *shares; /* NULL: without devices */
	void *run;
	void *states[MAX_THREADS];
	unsigned nstates;
	uint64_t ntaken; /* extents, by devices */
	uint64_t rows;   /* of the tables, if there are any: */
	bool is_made;
} Making;

/* Has devices take what they have of the extents. */
static bool
use_devices(Making *making, TestGpuMade *count)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	EXPECT(wa_query_runner.use_devices(making->run, making->states,
									   &making->request, making->shares,
									   error) == WA_OK);
	count->shared += making->states[0] != NULL && making->states[1] != NULL;
	for (uint64_t i = 0; i < making->request.nextents; i++)
	{
		making->ntaken += making->shares[i].taken;
		EXPECT(making->shares[i].left_out == NULL);
	}
	return true;
}

/* Adds the other extents, each to any of the states. */
static bool
process(Making *making)
{
	uint64_t left_out[WA_EXTENT_WORDS] = {0};
	char error[WA_MAX_ERROR_BYTES] = "";

	for (uint64_t i = 0; i < making->request.nextents; i++)
	{
		void **state = &making->states[random_below(making->request.threads)];

		if (making->shares != NULL && making->shares[i].taken)
			continue;
		if (*state == NULL)
			EXPECT(wa_query_runner.make_state(making->run, state, error) ==
				   WA_OK);
		EXPECT(wa_query_runner.process(making->run, *state,
									   making->request.extents[i], left_out,
									   error) == WA_OK);
	}
	for (int word = 0; word < WA_EXTENT_WORDS; word++)
		if (left_out[word] != 0)
			making->request.is_complete = false;
	return true;
}

/* Moves the states that there are to the front. */
static void
gather(Making *making)
{
	for (unsigned i = 0; i < MAX_THREADS; i++)
	{
		void *state = making->states[i];

		making->states[i] = NULL;
		if (state != NULL)
			making->states[making->nstates++] = state;
	}
}

/* Makes tables of what the states have. */
static bool
finish(Making *making)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	WaRunResult result = {0};
	uint32_t nparts = 0;
	uint64_t word __attribute__((aligned(64)));

	gather(making);
	if (making->nstates == 0)
		return true;
	EXPECT(wa_query_runner.divide(making->run, making->states, making->nstates,
								  &nparts, error) == WA_OK);
	for (unsigned i = 0; nparts > 0 && i < making->nstates; i++)
		EXPECT(wa_query_runner.sort(making->run, making->states[i], error) ==
			   WA_OK);
	for (uint32_t i = 0; i < nparts; i++)
		EXPECT(wa_query_runner.merge_part(making->run, i, error) == WA_OK);
	EXPECT(wa_query_runner.finish(making->run, making->states[0], &result,
								  error) == WA_OK);
	making->is_made = result.groups_bytes > 0;
	if (!making->is_made)
		return true;
	EXPECT(result.groups_bytes == sizeof(word));
	wa_query_runner.write_groups(making->run, making->states[0],
								 (uint8_t *) &word);
	making->rows = word;
	return true;
}

/*
 * Makes the tables of a query, with devices or without; or, if there is no memory for groups,
 * has devices find that out.
 */
static bool
make_tables(Making *making, const WaQuery *of, bool with_devices,
			TestGpuMade *count)
{
	const uint64_t nextents = making->request.nextents;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaQuery query = *of;
	WaArena arena;
	void *message;

	query.made = making->digests;
	wa_arena_init(&arena, (size_t) 64 << 20);
	message = test_gpu_set_query(&making->request, &query, &arena);
	making->request.budget = &making->budget;
	making->request.threads = 1 + (unsigned) random_below(MAX_THREADS);
	EXPECT(wa_query_runner.begin(&making->request, &making->run, error) ==
		   WA_OK);
	EXPECT(making->run != NULL);
	if (with_devices)
	{
		making->shares = calloc(nextents + 1, sizeof(*making->shares));
		EXPECT(use_devices(making, count));
	}
	if (making->budget.limit > 0)
		EXPECT(process(making) && finish(making));
	else
		gather(making);
	for (unsigned i = 0; i < making->nstates; i++)
		wa_query_runner.free_state(making->run, making->states[i]);
	wa_query_runner.end(making->run);
	EXPECT(wa_budget_used(&making->budget) == 0);
	free(making->shares);
	free(message);
	wa_arena_reset(&arena);
	return true;
}

/* Tells whether two tables of slots have the same keys and numbers. */
static bool
same_slots(const WaLookupTable *a, const WaLookupTable *b)
{
	for (uint64_t i = 0; i < a->nentries; i++)
	{
		const WaLookupSlot *slot = &a->slots[i];

		if (slot->value != WA_FREE_SLOT)
			EXPECT(b->slots[wa_lookup_slot_of(b->slots, b->nentries, slot->key)]
					   .value == slot->value);
	}
	return true;
}

/* Tells whether two tables have the same entries. */
static bool
same_entries(const WaLookupTable *a, const WaLookupTable *b)
{
	for (uint64_t i = 0; i < a->nentries; i++)
	{
		int64_t of_a = 0;
		int64_t of_b = 0;
		const uint8_t known = wa_lookup_table_entry(a, i, &of_a);

		EXPECT(wa_lookup_table_entry(b, i, &of_b) == known);
		EXPECT(known != WA_ENTRY_VALUE || of_a == of_b);
	}
	return true;
}

/* Tells whether two tables have the same texts. */
static bool
same_texts(const WaLookupTable *a, const WaLookupTable *b)
{
	EXPECT(a->ntexts == b->ntexts);
	for (uint32_t i = 0; i < a->ntexts; i++)
		EXPECT(a->texts[i].length == b->texts[i].length &&
			   memcmp(a->texts[i].data, b->texts[i].data, a->texts[i].length) ==
				   0);
	return true;
}

/* Tells whether two tables are the same but for their digests. */
static bool
same_table(const WaLookupTable *a, const WaLookupTable *b)
{
	EXPECT(a->base == b->base && a->width == b->width);
	EXPECT(a->nentries == b->nentries && a->scale == b->scale);
	EXPECT(a->results == b->results && a->is_total == b->is_total);
	EXPECT((a->narrow != NULL) == (b->narrow != NULL));
	EXPECT((a->slots != NULL) == (b->slots != NULL));
	EXPECT(same_texts(a, b));
	if (a->slots == NULL)
		return same_entries(a, b);
	return same_slots(a, b) && same_slots(b, a);
}

/* Compares all tables of two ways. */
static bool
compare(const WaQuery *query, const Making *gpu, const Making *cpu,
		WaKeptTables *kept, TestGpuMade *count)
{
	EXPECT(gpu->rows == cpu->rows);
	for (uint32_t i = 0; i < query->nkeys; i++)
	{
		WaKeptTable *a = wa_kept_tables_take(kept, &gpu->digests[i]);
		WaKeptTable *b = wa_kept_tables_take(kept, &cpu->digests[i]);

		EXPECT(a != NULL && b != NULL);
		EXPECT(same_table(&a->table, &b->table));
		count->tables++;
		count->slots += a->table.slots != NULL;
		count->texts += a->table.ntexts > 0;
		count->wide += a->table.values != NULL;
		wa_kept_table_release(a);
		wa_kept_table_release(b);
	}
	return true;
}

bool
test_gpu_made(const WaRunRequest *of, WaKeptTables *kept, TestGpuMade *count)
{
	static uint64_t number = 0;
	Making ways[3];
	const WaQuery *query;
	WaArena arena;

	for (int way = 0; way < 3; way++)
	{
		ways[way] = (Making){.request = *of};
		ways[way].budget.limit = way < 2 ? (uint64_t) 1 << 40 : 0;
		for (int i = 0; i < MAX_MADE; i++)
			ways[way].digests[i] = (WaTableDigest){{++number, 11}};
	}
	wa_arena_init(&arena, (size_t) 64 << 20);
	query = test_gpu_made_query(&arena, ways[0].digests);
	EXPECT(query != NULL && test_gpu_keep_tables(kept, query, &arena));
	EXPECT(make_tables(&ways[0], query, true, count));
	EXPECT(make_tables(&ways[1], query, false, count));
	EXPECT(make_tables(&ways[2], query, true, count));
	EXPECT(ways[2].ntaken <= ways[0].ntaken);
	count->extents += ways[0].ntaken;
	count->refused += ways[0].ntaken - ways[2].ntaken;
	/* GPUs compute some of what the CPU traps over, but not the other way round. */
	EXPECT(ways[0].is_made || !ways[1].is_made);
	if (ways[0].is_made && ways[1].is_made)
		EXPECT(compare(query, &ways[0], &ways[1], kept, count));
	count->none += !ways[1].is_made;
	wa_arena_reset(&arena);
	return true;
}
