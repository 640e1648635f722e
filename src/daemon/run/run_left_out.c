/*
 * run_left_out.c
 *		Noting what a RUN leaves out; see run_left_out.h.
 */
#include <stdlib.h>

#include "daemon/run/run_left_out.h"
#include "daemon/store/cover.h"

void
wa_run_left_out_init(WaRunLeftOut *left_out)
{
	*left_out = (WaRunLeftOut){.blocks = 0};
	(void) pthread_mutex_init(&left_out->lock, NULL);
}

/* Sees to it that there is a place for what is left out of so many extents. */
static bool
have_bits(WaRunLeftOut *left_out, uint64_t nextents)
{
	bool have;

	(void) pthread_mutex_lock(&left_out->lock);
	if (left_out->bits == NULL)
		left_out->bits = calloc(nextents, sizeof(*left_out->bits));
	have = left_out->bits != NULL;
	(void) pthread_mutex_unlock(&left_out->lock);
	return have;
}

bool
wa_run_left_out_add(WaRunLeftOut *left_out, const WaRunExtent *extent,
					uint64_t place, uint64_t nextents, const uint64_t *bits)
{
	const WaCoverExtent *cover = wa_cover_extent_of(extent);
	uint64_t blocks = 0;
	uint64_t rows = 0;

	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		uint64_t word = bits[i];

		if (word != 0)
			word &= cover->usable[i];
		if (word == 0)
			continue;
		if (!have_bits(left_out, nextents))
			return false;
		left_out->bits[place][i] = word;
		for (; word != 0; word &= word - 1, blocks++)
			rows += wa_rows_of_block(cover->extent.row_end,
									 i * 64 + (uint32_t) __builtin_ctzll(word));
	}
	if (blocks == 0)
		return true;
	(void) pthread_mutex_lock(&left_out->lock);
	left_out->blocks += blocks;
	left_out->rows += rows;
	(void) pthread_mutex_unlock(&left_out->lock);
	return true;
}

void
wa_run_left_out_end(WaRunLeftOut *left_out)
{
	free(left_out->bits);
	left_out->bits = NULL;
}
