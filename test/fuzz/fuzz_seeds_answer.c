/*
 * fuzz_seeds_answer.c
 *		First inputs of fuzz_answer: the groups of the unit tests' query, partials of
 *		some rows, and a reply of each type.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_seeds.h"
#include "test/unit/test_query_data.h"

#define MEMORY ((size_t) 64 * 1024 * 1024)

/* Rows that groups and partials are of. */
#define NROWS 40

/* What the inputs are, as fuzz_answer has it. */
#define WHAT_PARTIAL 0
#define WHAT_GROUPS  1
#define WHAT_REPLY   3

/* Writes the groups of random rows. */
static void
write_groups(const WaQuery *query, WaArena *arena, WaWriter *writer)
{
	static Row rows[NROWS];
	static Inputs inputs;
	WaQueryRun *run = make_run(arena, query, &test_texts);
	uint32_t next = 0;

	make_batch(rows, NROWS, 4);
	fill_inputs(&inputs, rows, NROWS);
	(void) wa_query_run_take(run, inputs.rows, NROWS);
	wa_writer_init(writer, arena);
	wa_query_run_write(run, &next, 60, writer);
}

/* Returns the word that says how many columns there are, and which. */
static uint64_t
columns_word(const WaQuery *query)
{
	uint64_t word = query->ncolumns;

	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		const WaOpSet ops = query->columns[i].ops;
		const WaOpSet packed = (ops & WA_BIT_OPS) != 0 ? ops >> 3 : ops;

		word |= ((uint64_t) query->columns[i].kind | (uint64_t) packed << 3)
				<< (7 * (i + 1));
	}
	return word;
}

/* Writes a seed of groups of so many keys. */
static void
write_groups_seed(uint32_t nkeys)
{
	static FuzzSeed seed;
	const WaQuery *query = test_query(nkeys);
	const size_t front = 2 + (size_t) query->nkeys + query->ncolumns;
	uint64_t word = WHAT_GROUPS | query->nkeys << 8;
	uint64_t counts;
	WaWriter writer;
	WaArena arena;

	wa_arena_init(&arena, MEMORY);
	write_groups(query, &arena, &writer);
	for (uint32_t i = 0; i < query->nkeys; i++)
		word |= ((uint64_t) query->keys[i].kind |
				 (query->keys[i].blank_padded ? 0x80U : 0U))
				<< (16 + 8 * i);
	counts = (uint32_t) writer.words[1];
	for (uint32_t i = 0; i < query->ncolumns; i++)
		counts |= (writer.words[front - query->ncolumns + i] >> 32) / 4
				  << (32 + 4 * i);
	fuzz_seed_word(&seed, word);
	fuzz_seed_word(&seed, columns_word(query));
	fuzz_seed_word(&seed, counts);
	fuzz_seed_bytes(&seed, writer.words + front,
					(writer.nwords - front) * sizeof(uint64_t));
	fuzz_seed_write(&seed, "fuzz_answer");
	wa_arena_reset(&arena);
}

/* Writes a seed of a partial over values of a type. */
static void
write_partial_seed(WaType type, WaOpSet ops)
{
	static FuzzSeed seed;
	double values[2 * NROWS];
	uint8_t bytes[WA_PARTIAL_MAX_BYTES];
	const WaBatch batch = {.type = type, .values = values, .nrows = NROWS};
	WaExactPart exact;
	WaPartial partial;
	size_t length;

	if (!wa_reductions_exist(ops, wa_type_storage(type)))
		return;
	for (int i = 0; i < 2 * NROWS; i++)
		values[i] = i % 2 == 0 ? 1.5 * i : 1e-3 * i;
	wa_partial_init(&partial, &exact);
	wa_partial_fold(&partial, ops, &batch);
	length = wa_partial_encode(&partial, type, ops, bytes);
	fuzz_seed_word(&seed, WHAT_PARTIAL | (uint64_t) type << 8 | ops << 16 |
							  (8 - length % 8) % 8 << 24);
	fuzz_seed_bytes(&seed, bytes, length);
	fuzz_seed_write(&seed, "fuzz_answer");
}

void
fuzz_seeds_answer(void)
{
	static FuzzSeed seed;

	for (uint32_t nkeys = 0; nkeys <= NKEYS; nkeys++)
		write_groups_seed(nkeys);
	for (int type = 0; type < WA_TYPE_COUNT; type++)
	{
		write_partial_seed((WaType) type, 0xf);
		write_partial_seed((WaType) type, WA_OP_BIT(WA_OP_MIN));
		write_partial_seed((WaType) type, WA_OP_BIT(WA_OP_SUM));
		write_partial_seed((WaType) type, WA_BIT_OPS);
	}
	for (uint64_t type = WA_MSG_HELLO; type <= WA_MSG_TEXTS; type++)
	{
		fuzz_seed_word(&seed, WHAT_REPLY | type << 8);
		fuzz_seed_word(&seed, 2);
		fuzz_seed_word(&seed, 2);
		fuzz_seed_write(&seed, "fuzz_answer");
	}
}
