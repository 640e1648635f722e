/*
 * replies.c
 *		Checking what warpaggd answers; see replies.h.
 */
#include "core/replies.h"

/* A block has no more rows. */
#define BLOCK_ROWS (WA_MAX_EXTENT_ROWS / WA_EXTENT_BLOCKS)

/* Times, in microseconds, are before this one. */
#define LAST_US (INT64_C(1) << 60)

/* Tells whether so many relations may have so many blocks, and these so many rows. */
static bool
rows_are_sound(uint32_t relations, uint64_t blocks, uint64_t rows)
{
	return blocks <= (uint64_t) relations * UINT32_MAX &&
		   rows <= blocks * BLOCK_ROWS;
}

bool
wa_answer_is_sound(const WaRunMessage *run, uint64_t nblocks,
				   const WaAnswerMessage *answer)
{
	const uint64_t counted = answer->blocks == 0 ? nblocks : answer->blocks;

	return answer->in_parcel <= 1 && answer->is_rolled <= 1 &&
		   answer->kind < WA_DEVICE_KINDS && answer->blocks <= nblocks &&
		   answer->left_blocks <= nblocks - answer->blocks &&
		   (answer->blocks == 0 || answer->groups_bytes > 0) &&
		   (answer->in_parcel == 0 ||
			answer->groups_bytes <= run->groups_room) &&
		   answer->groups_bytes <= INT64_MAX &&
		   answer->device_ns <= INT64_MAX &&
		   answer->rows <= counted * BLOCK_ROWS &&
		   answer->kept_rows <= answer->rows;
}

bool
wa_used_count(const uint64_t *used, uint32_t nblocks, uint64_t *blocks)
{
	*blocks = 0;
	for (uint32_t i = 0; i < wa_extents_of(nblocks); i++)
	{
		const uint32_t most = wa_extent_nblocks(i, nblocks);

		for (uint32_t j = 0; j < WA_EXTENT_WORDS; j++)
		{
			const uint64_t word = used[i * WA_EXTENT_WORDS + j];

			if ((word & ~wa_extent_word(most, j)) != 0)
				return false;
			*blocks += (uint64_t) __builtin_popcountll(word);
		}
	}
	return true;
}

bool
wa_used_is_sound(const uint64_t *used, const WaRunSource *sources,
				 uint32_t nsources, uint64_t blocks)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < nsources; i++)
	{
		uint64_t of_source;

		if (!wa_used_count(used, sources[i].nblocks, &of_source))
			return false;
		found += of_source;
		used += wa_extents_bytes(sources[i].nblocks) / sizeof(*used);
	}
	return found == blocks;
}

bool
wa_residency_is_sound(const WaResidentMessage *resident, uint32_t nsources)
{
	const uint64_t most_blocks = (uint64_t) nsources * UINT32_MAX;

	for (uint32_t i = 0; i < resident->ncolumns; i++)
	{
		const WaResidency *column = &resident->columns[i];

		if (!rows_are_sound(nsources, column->blocks, column->rows) ||
			column->odd_blocks > most_blocks || column->bytes > INT64_MAX)
			return false;
	}
	return true;
}

bool
wa_complete_blocks_are_sound(const WaResidentMessage *resident,
							 const uint64_t *blocks, uint32_t nsources)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nsources; i++)
	{
		if (blocks[i] > UINT32_MAX)
			return false;
		sum += blocks[i];
	}
	return sum == resident->complete_blocks;
}

bool
wa_extent_state_is_sound(const WaExtentState *state, uint32_t number,
						 uint32_t ncolumns)
{
	const uint32_t blocks = wa_extent_nblocks(number, UINT32_MAX);

	if (state->number != number || state->exists > 1 ||
		(ncolumns < 64 && state->columns >> ncolumns != 0) ||
		(uint64_t) __builtin_popcountll(state->columns) > state->ncolumns)
		return false;
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
		if ((state->cached[i] & ~wa_extent_word(blocks, i)) != 0 ||
			(state->fresh[i] & ~state->cached[i]) != 0)
			return false;
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		const bool is_cached = (state->cached[i / 64] >> i % 64 & 1) != 0;

		if (state->block_lsn[i] == 0 ? is_cached : i >= blocks)
			return false;
	}
	return true;
}

bool
wa_resident_column_is_sound(const WaResidentColumn *column)
{
	return wa_relation_is_sound(&column->relation) &&
		   wa_column_name_is_sound(&column->name) &&
		   wa_family_is_sound(&column->family, &column->relation) &&
		   column->family_attribute >= 0 &&
		   column->family_attribute <=
			   (column->family.root == 0 ? 0 : INT16_MAX) &&
		   column->unused == 0 && column->extents <= UINT32_MAX &&
		   rows_are_sound(1, column->blocks, column->rows) &&
		   column->bytes <= INT64_MAX && column->device_bytes <= INT64_MAX &&
		   column->queries <= INT64_MAX && column->last_use_us >= 0 &&
		   column->last_use_us < LAST_US;
}

bool
wa_texts_head_is_sound(const WaTextsMessage *texts, const WaTextsHead *head)
{
	if (head->bytes < sizeof(*head) || head->bytes > texts->room)
		return false;
	return head->count == 0 || (texts->first <= head->ncodes &&
								head->count <= head->ncodes - texts->first);
}
