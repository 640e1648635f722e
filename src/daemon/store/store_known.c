/*
 * store_known.c
 *		Remembering what WAL has changed; see store_known.h.
 */
#include <string.h>

#include "daemon/store/store_known.h"

void
wa_known_init(WaKnown *known)
{
	memset(known, 0, offsetof(WaKnown, changes));
}

void
wa_known_restart(WaKnown *known, uint64_t position)
{
	known->position = position;
	known->since = position;
	known->count = 0;
}

void
wa_known_add(WaKnown *known, const WaChange *change)
{
	WaKnownChange *place = &known->changes[known->count % WA_KNOWN_CHANGES];
	uint64_t newest_lsn = change->lsn;

	if (known->count >= WA_KNOWN_CHANGES && place->newest_lsn > known->since)
		known->since = place->newest_lsn;
	if (known->count > 0)
	{
		const WaKnownChange *last =
			&known->changes[(known->count - 1) % WA_KNOWN_CHANGES];

		if (last->newest_lsn > newest_lsn)
			newest_lsn = last->newest_lsn;
	}
	*place = (WaKnownChange){.change = *change, .newest_lsn = newest_lsn};
	known->count++;
}

bool
wa_known_reaches(const WaKnown *known, uint64_t position)
{
	return known->position != 0 && position >= known->since;
}

/* Tells whether a change is one of a relation. */
static bool
is_of(const WaChange *change, const WaRelation *relation)
{
	if (change->kind == WA_CHANGE_FILES)
		return change->relation.database == 0 ||
			   change->relation.database == relation->database;
	return memcmp(&change->relation, relation, sizeof(*relation)) == 0;
}

/* Takes a block out if it has not been read since a change. */
static void
take_out(const WaChange *change, const WaLayout *layout, uint32_t place,
		 uint64_t *blocks)
{
	if (change->lsn > layout->block_lsn[place])
		blocks[place / 64] &= ~((uint64_t) 1 << place % 64);
}

void
wa_change_take_out(const WaChange *change, uint32_t number,
				   const WaLayout *layout, uint64_t *blocks)
{
	const uint32_t extent = wa_extent_of_block(change->block);
	const uint32_t place = change->block % WA_EXTENT_BLOCKS;

	if (change->kind == WA_CHANGE_FILES)
		memset(blocks, 0, WA_EXTENT_WORDS * sizeof(*blocks));
	else if (change->kind == WA_CHANGE_BLOCK && extent == number)
		take_out(change, layout, place, blocks);
	else if (change->kind == WA_CHANGE_REST && extent <= number)
		for (uint32_t i = extent == number ? place : 0; i < layout->nblocks;
			 i++)
			take_out(change, layout, i, blocks);
}

void
wa_known_take_out(const WaKnown *known, uint64_t position,
				  const WaRelation *relation, uint32_t number,
				  const WaLayout *layout, uint64_t *blocks)
{
	const uint64_t oldest =
		known->count > WA_KNOWN_CHANGES ? known->count - WA_KNOWN_CHANGES : 0;

	for (uint64_t i = known->count; i-- > oldest;)
	{
		const WaKnownChange *place = &known->changes[i % WA_KNOWN_CHANGES];

		if (place->newest_lsn <= position)
			break;
		if (place->change.lsn > position && is_of(&place->change, relation))
			wa_change_take_out(&place->change, number, layout, blocks);
	}
}
