/*
 * fuzz_seeds_extent.c
 *		First inputs of fuzz_extent: a column of each form, loaded, asked for, used,
 *		confirmed and forgotten.
 */
#include <string.h>

#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_extent_writer.h"
#include "test/fuzz/fuzz_seeds.h"

/* Steps, as fuzz_extent has them. */
enum
{
	STEP_LOAD,
	STEP_RESIDENCY,
	STEP_STATE,
	STEP_LIST,
	STEP_USE,
	STEP_CONFIRM,
	STEP_UNLOAD,
	STEP_TEXTS,
	STEP_LIMIT,
	STEP_FOLLOW,
	STEP_CHANGED
};

/*
 * Writes a step that loads, or patches, an extent of a relation with a column of each of
 * some forms.
 */
static void
load(FuzzSeed *seed, uint8_t relation, uint32_t number, uint8_t first_form,
	 uint8_t nforms, uint8_t flags, uint8_t patch)
{
	struct
	{
		FuzzExtent extent;
		FuzzColumn columns[WA_FORM_COUNT];
	} words;

	memset(&words, 0, sizeof(words));
	words.extent = (FuzzExtent){.relation = relation,
								.nblocks = 9,
								.block_rows = 12,
								.ncolumns = nforms | patch,
								.number = number,
								.position = 9,
								.seed = number + 7 + patch};
	for (uint8_t i = 0; i < nforms; i++)
		words.columns[i] =
			(FuzzColumn){.form = (uint8_t) (first_form + i),
						 .attribute = (uint8_t) (first_form + i),
						 .flags = flags,
						 .scale = 3,
						 .ntexts = 20,
						 .family_attribute = (uint16_t) (first_form + i + 1)};
	fuzz_seed_step(seed, STEP_LOAD, 0, 0, &words,
				   sizeof(words.extent) + nforms * sizeof(FuzzColumn));
}

/* Writes a step with the names of columns, and a last word. */
static void
name(FuzzSeed *seed, uint8_t what, uint8_t a, uint32_t b, uint8_t first_form,
	 uint8_t nforms, uint64_t last)
{
	uint64_t words[WA_FORM_COUNT + 1];

	for (uint8_t i = 0; i < nforms; i++)
		words[i] = (uint64_t) (first_form + i) * 0x101;
	words[nforms] = last;
	fuzz_seed_step(seed, what, a, b, words,
				   (nforms + UINT64_C(1)) * sizeof(uint64_t));
}

/* Writes a step that follows WAL, which has changed a block of extent 1. */
static void
follow(FuzzSeed *seed, uint64_t from, uint64_t to, uint32_t block)
{
	WaFollowMessage message;

	memset(&message, 0, sizeof(message));
	message.from = from;
	message.to = to;
	message.nchanges = 1;
	message.changes[0] = (WaChange){.relation = fuzz_relation(0),
									.block = WA_EXTENT_BLOCKS + block,
									.lsn = to};
	fuzz_seed_step(seed, STEP_FOLLOW, 0, 0, &message.from,
				   offsetof(WaFollowMessage, changes) + sizeof(WaChange) -
					   offsetof(WaFollowMessage, from));
}

/* Writes a seed of columns of some forms. */
static void
write_seed(uint8_t first_form, uint8_t nforms, uint8_t flags)
{
	static FuzzSeed seed;
	const uint64_t confirmed[] = {3, 20, 0x7f};

	follow(&seed, 9, 9, 500);
	load(&seed, 0, 0, first_form, nforms, flags, 0);
	load(&seed, 0, 1, first_form, nforms, flags, 0);
	name(&seed, STEP_RESIDENCY, 0, 0, first_form, nforms, 0);
	name(&seed, STEP_STATE, 0, 1, first_form, nforms, 0);
	name(&seed, STEP_USE, 60, 600, first_form, nforms, 9);
	follow(&seed, 9, 20, 3);
	load(&seed, 0, 1, first_form, nforms, flags, FUZZ_EXTENT_PATCH);
	name(&seed, STEP_CHANGED, 4, 600, first_form, nforms, 0);
	name(&seed, STEP_TEXTS, 8, 0, first_form, nforms, 0);
	fuzz_seed_step(&seed, STEP_CONFIRM, 0, 1, confirmed, sizeof(confirmed));
	name(&seed, STEP_USE, 212, 600, first_form, nforms, 20);
	fuzz_seed_step(&seed, STEP_LIST, 16, 0, NULL, 0);
	fuzz_seed_step(&seed, STEP_UNLOAD, 0, first_form + 1U, NULL, 0);
	fuzz_seed_step(&seed, STEP_LIMIT, 0, 64, NULL, 0);
	load(&seed, 0, 2, first_form, nforms, flags, 0);
	fuzz_seed_write(&seed, "fuzz_extent");
}

/* Writes an input: two relations of a family, one of which comes to another family. */
static void
write_family(void)
{
	static FuzzSeed seed;

	follow(&seed, 9, 9, 500);
	for (uint8_t relation = 4; relation < 6; relation++)
		load(&seed, relation, 0, WA_FORM_BOOL, 3, 0, 0);
	fuzz_seed_step(&seed, STEP_LIST, 16, 0, NULL, 0);
	load(&seed, 8, 1, WA_FORM_BOOL, 3, 0, 0);
	load(&seed, 9, 0, WA_FORM_BOOL, 3, 0, FUZZ_EXTENT_PATCH);
	name(&seed, STEP_USE, 60, 600, WA_FORM_BOOL, 3, 9);
	fuzz_seed_step(&seed, STEP_LIST, 16, 0, NULL, 0);
	fuzz_seed_step(&seed, STEP_UNLOAD, 0, 0, NULL, 0);
	fuzz_seed_write(&seed, "fuzz_extent");
}

void
fuzz_seeds_extent(void)
{
	for (uint8_t form = 0; form < WA_FORM_COUNT; form++)
		write_seed(form, 1, form % 8);
	write_seed(0, 4, FUZZ_COLUMN_NULLS);
	write_seed(4, 4, FUZZ_COLUMN_DISPLAY);
	write_seed(7, 4, FUZZ_COLUMN_NULLS | FUZZ_COLUMN_ODD);
	write_seed(0, 0, 0);
	write_family();
}
