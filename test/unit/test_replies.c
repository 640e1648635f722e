/*
 * test_replies.c
 *		What core/replies.h lets pass of the answers of warpaggd.
 */
#include <string.h>

#include "core/replies.h"
#include "test/unit/check.h"

#define EXTENTS 90

static uint64_t random_state = 11;

/* Returns a number below a limit. */
static uint64_t
pick(uint64_t limit)
{
	return next_random(&random_state) % limit;
}

static bool
test_answer(void)
{
	const WaRunMessage run = {.groups_room = 4096};
	const WaAnswerMessage good = {.in_parcel = 1,
								  .groups_bytes = 4096,
								  .blocks = 600,
								  .left_blocks = 400,
								  .rows = 600 * 291,
								  .kept_rows = 600 * 291};
	WaAnswerMessage answer;

#define SOUND(change) \
	(answer = good, change, wa_answer_is_sound(&run, 1000, &answer))
	EXPECT(SOUND((void) 0));
	EXPECT(!SOUND(answer.in_parcel = 2));
	EXPECT(SOUND(answer.is_rolled = 1));
	EXPECT(!SOUND(answer.is_rolled = 2));
	EXPECT(!SOUND(answer.kind = WA_DEVICE_KINDS));
	EXPECT(!SOUND(answer.blocks = 1001));
	EXPECT(!SOUND(answer.left_blocks = 401));
	EXPECT(!SOUND(answer.left_blocks = UINT64_MAX));
	EXPECT(!SOUND(answer.groups_bytes = 4097));
	EXPECT(SOUND((answer.groups_bytes = 4097, answer.in_parcel = 0)));
	EXPECT(!SOUND(answer.groups_bytes = 0));
	EXPECT(!SOUND(answer.rows++));
	EXPECT(!SOUND(answer.kept_rows++));
	EXPECT(!SOUND(answer.device_ns = UINT64_MAX));
	/* Rows that there would be. */
	EXPECT(SOUND((answer.blocks = 0, answer.groups_bytes = 0,
				  answer.rows = 1000 * 291)));
	EXPECT(!SOUND((answer.blocks = 0, answer.groups_bytes = 0,
				   answer.rows = 1000 * 291 + 1)));
#undef SOUND
	return true;
}

/* Tells whether words may be those of so many blocks of a relation. */
static bool
are_blocks_of(const uint64_t *used, uint32_t nblocks, uint64_t blocks)
{
	const WaRunSource source = {{1, 2, 3}, nblocks};

	return wa_used_is_sound(used, &source, 1, blocks);
}

/* Blocks of several relations, whose words lie one behind the other. */
static bool
test_used_of_several(void)
{
	static uint64_t used[4 * WA_EXTENT_WORDS];
	const WaRunSource sources[] = {
		{{1, 2, 3}, 3},
		{{1, 2, 4}, 0},
		{{1, 2, 5}, WA_EXTENT_BLOCKS + 1},
		{{1, 2, 6}, 2},
	};
	uint64_t count;

	EXPECT(wa_run_words_bytes(sources, 4) == sizeof(used));
	EXPECT(wa_run_blocks(sources, 4) == WA_EXTENT_BLOCKS + 6);
	for (uint32_t block = 0; block < 4 * WA_EXTENT_BLOCKS; block++)
	{
		const uint32_t at = block % WA_EXTENT_BLOCKS;
		const bool exists[] = {at < 3, true, at < 1, at < 2};

		memset(used, 0, sizeof(used));
		put_bit(used, block, true);
		EXPECT(wa_used_is_sound(used, sources, 4, 1) ==
			   exists[block / WA_EXTENT_BLOCKS]);
		EXPECT(!wa_used_is_sound(used, sources, 4, 2));
	}
	put_bit(used, 2, true);
	put_bit(used, 3 * WA_EXTENT_BLOCKS + 1, true);
	put_bit(used, 4 * WA_EXTENT_BLOCKS - 1, false);
	EXPECT(wa_used_is_sound(used, sources, 4, 2));
	EXPECT(wa_used_count(used, 3, &count) && count == 1);
	EXPECT(!wa_used_count(used, 2, &count));
	return true;
}

/* Blocks of a relation of any length, and one bit more or less. */
static bool
test_used(void)
{
	static uint64_t used[EXTENTS * WA_EXTENT_WORDS];

	for (int trial = 0; trial < 300; trial++)
	{
		const uint32_t nblocks =
			1 + (uint32_t) pick((EXTENTS - 1) * WA_EXTENT_BLOCKS);
		uint32_t block = 0;
		uint64_t bit;
		uint64_t count = 0;

		memset(used, 0, sizeof(used));
		for (; block < nblocks; block++)
			if (pick(3) == 0)
			{
				put_bit(used, block, true);
				count++;
			}
		EXPECT(are_blocks_of(used, nblocks, count));
		EXPECT(!are_blocks_of(used, nblocks, count + 1));
		/* No block of the relation has this bit, which may be of its extents. */
		bit = nblocks + pick(WA_EXTENT_BLOCKS);
		put_bit(used, bit, true);
		EXPECT(!are_blocks_of(used, nblocks, count + 1));
		EXPECT(are_blocks_of(used, nblocks, count) ==
			   (bit >= (uint64_t) wa_extents_of(nblocks) * WA_EXTENT_BLOCKS));
	}
	return true;
}

static bool
test_residency(void)
{
	static WaResidentMessage resident;
	WaResidency *column = &resident.columns[1];

	resident.ncolumns = 2;
	*column = (WaResidency){.blocks = 10, .rows = 2910};
	EXPECT(wa_residency_is_sound(&resident, 1));
	column->rows++;
	EXPECT(!wa_residency_is_sound(&resident, 1));
	for (uint64_t nsources = 1; nsources <= WA_MAX_RUN_SOURCES; nsources *= 2)
	{
		const uint64_t most = nsources * UINT32_MAX;
		const uint32_t n = (uint32_t) nsources;

		*column = (WaResidency){.blocks = most, .odd_blocks = most};
		EXPECT(wa_residency_is_sound(&resident, n));
		column->blocks++;
		EXPECT(!wa_residency_is_sound(&resident, n));
		*column = (WaResidency){.odd_blocks = most + 1};
		EXPECT(!wa_residency_is_sound(&resident, n));
	}
	*column = (WaResidency){.bytes = UINT64_MAX};
	EXPECT(!wa_residency_is_sound(&resident, 1));
	*column = (WaResidency){.odd_blocks = UINT64_MAX};
	EXPECT(!wa_residency_is_sound(&resident, 1));
	resident.ncolumns = 1;
	EXPECT(wa_residency_is_sound(&resident, 1));
	return true;
}

/* Complete blocks of several sources are as many as is said, and of each as many as can be. */
static bool
test_complete_blocks(void)
{
	static WaResidentMessage resident;
	uint64_t blocks[3] = {7, 0, UINT32_MAX};

#define SOUND(n) wa_complete_blocks_are_sound(&resident, blocks, n)
	resident.complete_blocks = (uint64_t) UINT32_MAX + 7;
	EXPECT(SOUND(3) && !SOUND(2) && !SOUND(1));
	resident.complete_blocks = 7;
	EXPECT(!SOUND(3) && SOUND(2) && SOUND(1));
	blocks[2] = (uint64_t) UINT32_MAX + 1;
	resident.complete_blocks = (uint64_t) UINT32_MAX + 8;
	EXPECT(!SOUND(3));
	/* Two that come to 0 together. */
	blocks[0] = 0 - blocks[2];
	resident.complete_blocks = 0;
	EXPECT(!SOUND(3));
#undef SOUND
	return true;
}

/* Some extent, and the last that can be, which has a block less. */
static bool
test_extent_state(void)
{
	static const uint32_t numbers[] = {62, (1 << 23) - 1};

	for (int i = 0; i < 2; i++)
	{
		const uint32_t number = numbers[i];
		const uint32_t last = i == 0 ? 511 : 510;
		WaExtentState state = {
			.number = number, .exists = 1, .columns = 3, .ncolumns = 2};

		EXPECT(wa_extent_state_is_sound(&state, number, 2));
		EXPECT(!wa_extent_state_is_sound(&state, number + 1, 2));
		EXPECT(!wa_extent_state_is_sound(&state, number, 1));
		state.exists = 2;
		EXPECT(!wa_extent_state_is_sound(&state, number, 2));
		state.exists = 1;
		state.ncolumns = 1;
		EXPECT(!wa_extent_state_is_sound(&state, number, 2));
		state.ncolumns = 64;
		state.columns = UINT64_MAX;
		EXPECT(wa_extent_state_is_sound(&state, number, 64));
		state.fresh[last / 64] |= UINT64_C(1) << last % 64;
		EXPECT(!wa_extent_state_is_sound(&state, number, 64));
		state.cached[last / 64] |= UINT64_C(1) << last % 64;
		EXPECT(!wa_extent_state_is_sound(&state, number, 64));
		state.block_lsn[last] = 1;
		EXPECT(wa_extent_state_is_sound(&state, number, 64));
		if (last == 511)
			continue;
		state.block_lsn[last + 1] = 1;
		EXPECT(!wa_extent_state_is_sound(&state, number, 64));
	}
	return true;
}

static bool
test_resident_column(void)
{
	const WaResidentColumn good = {.relation = {1, 2, 3},
								   .name = {.attribute = 1},
								   .blocks = 5,
								   .rows = 5 * 291};
	WaResidentColumn column;

#define SOUND(change) \
	(column = good, change, wa_resident_column_is_sound(&column))
	EXPECT(SOUND((void) 0));
	EXPECT(!SOUND(column.relation.file = 0));
	EXPECT(!SOUND(column.name.attribute = 0));
	EXPECT(SOUND(column.name.attribute = WA_PLACE_ATTRIBUTE));
	EXPECT(!SOUND((column.name.attribute = WA_PLACE_ATTRIBUTE,
				   column.name.kind = WA_VECTOR_TEXT)));
	EXPECT(!SOUND(column.name.attribute = -2));
	EXPECT(!SOUND(column.name.attribute = INT16_MIN));
	EXPECT(!SOUND(column.name.unused = 1));
	EXPECT(!SOUND(column.extents = UINT64_MAX));
	EXPECT(!SOUND(column.rows++));
	EXPECT(!SOUND(column.bytes = UINT64_MAX));
	EXPECT(!SOUND(column.device_bytes = UINT64_MAX));
	EXPECT(!SOUND(column.queries = UINT64_MAX));
	EXPECT(!SOUND(column.last_use_us = -1));
	EXPECT(!SOUND(column.last_use_us = INT64_MAX));
	EXPECT(!SOUND(column.family.root = 9));
	EXPECT(!SOUND(column.family.database = 2));
	EXPECT(!SOUND(column.family_attribute = 1));
	EXPECT(!SOUND(column.unused = 1));
	EXPECT(SOUND((column.family = (WaFamily){2, 9},
				  column.family_attribute = INT16_MAX)));
	EXPECT(!SOUND((column.family = (WaFamily){2, 9},
				   column.family_attribute = INT16_MAX + 1)));
	EXPECT(!SOUND(
		(column.family = (WaFamily){2, 9}, column.family_attribute = -1)));
#undef SOUND
	return true;
}

static bool
test_texts(void)
{
	const WaTextsMessage texts = {.first = 10, .room = 1000};
	WaTextsHead head = {.ncodes = 30, .count = 20, .bytes = 1000};

	EXPECT(wa_texts_head_is_sound(&texts, &head));
	head.count++;
	EXPECT(!wa_texts_head_is_sound(&texts, &head));
	head.ncodes = 9;
	EXPECT(!wa_texts_head_is_sound(&texts, &head));
	head.count = 0;
	EXPECT(wa_texts_head_is_sound(&texts, &head));
	head.bytes++;
	EXPECT(!wa_texts_head_is_sound(&texts, &head));
	head.bytes = sizeof(head) - 1;
	EXPECT(!wa_texts_head_is_sound(&texts, &head));
	return true;
}

int
main(void)
{
	check(test_answer(), "answers");
	check(test_used(), "blocks that an answer covers");
	check(test_used_of_several(), "blocks of several relations");
	check(test_residency(), "what is resident of columns");
	check(test_complete_blocks(), "complete blocks of sources");
	check(test_extent_state(), "states of extents");
	check(test_resident_column(), "columns of a list");
	check(test_texts(), "heads of texts");
	return finish_checks();
}
