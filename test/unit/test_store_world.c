/*
 * test_store_world.c
 *		Relations that change and the WAL that tells of it; see test_store_world.h.
 */
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/test_extent.h"
#include "test/unit/test_store_world.h"

/* Blocks that are changed often, of an extent. */
#define BUSY_BLOCKS 12

/* The number of a relation that is never resident. */
#define OTHER_RELATION 77

const uint32_t world_numbers[WORLD_EXTENTS] = {0, 1, 2, 5, 64};

uint64_t
world_pick(World *world, uint64_t bound)
{
	return next_random(&world->random_state) % bound;
}

void
world_init(World *world, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	world->random_state = seed;
	world->changes = malloc(WORLD_CHANGES * sizeof(*world->changes));
	if (world->changes == NULL)
		abort();
	for (int r = 0; r < WORLD_RELATIONS; r++)
		for (int e = 0; e < WORLD_EXTENTS; e++)
			for (int b = 0; b < WA_EXTENT_BLOCKS; b++)
				world->lsn[r][e][b] = world_pick(world, 1000);
	world->position = 1000;
}

void
world_free(World *world)
{
	free(world->changes);
}

/* Tells of a change. */
static void
add_change(World *world, WaChange change)
{
	if (world->nchanges == WORLD_CHANGES)
		abort();
	change.lsn = world->position;
	world->changes[world->nchanges++] = change;
}

/* Has the blocks of a relation from one on be no more. */
static void
truncate(World *world, uint64_t relation, uint32_t from)
{
	for (int e = 0; e < WORLD_EXTENTS; e++)
		for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
			if (wa_extent_first_block(world_numbers[e]) + b >= from)
				world->lsn[relation][e][b] = 0;
	add_change(world, (WaChange){.relation = wa_test_relation(relation),
								 .block = from,
								 .kind = WA_CHANGE_REST});
}

/* Changes some block. */
static void
change_block(World *world)
{
	const uint64_t relation = world_pick(world, WORLD_RELATIONS);
	const uint64_t extent = world_pick(world, WORLD_EXTENTS);
	const uint64_t block = world_pick(world, 4) == 0
							   ? world_pick(world, WA_EXTENT_BLOCKS)
							   : world_pick(world, BUSY_BLOCKS) * 40;

	world->lsn[relation][extent][block] = world->position;
	add_change(world, (WaChange){.relation = wa_test_relation(relation),
								 .block = wa_extent_first_block(
											  world_numbers[extent]) +
										  (uint32_t) block,
								 .kind = WA_CHANGE_BLOCK});
}

void
world_change(World *world)
{
	const uint64_t what = world_pick(world, 200);

	world->position += 1 + world_pick(world, 3);
	if (what == 0)
		truncate(world, world_pick(world, WORLD_RELATIONS),
				 (uint32_t) world_pick(world, 66 * WA_EXTENT_BLOCKS));
	else if (what == 1)
		add_change(world, (WaChange){.kind = WA_CHANGE_FILES});
	else if (what == 2)
		add_change(
			world,
			(WaChange){
				.kind = WA_CHANGE_FILES,
				.relation = {.database = 5 + (uint32_t) world_pick(world, 2)}});
	else
		for (uint64_t n = 1 + world_pick(world, 3); n > 0; n--)
			change_block(world);
}

void
world_change_others(World *world, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		world->position += world_pick(world, 2);
		add_change(world,
				   (WaChange){.relation = wa_test_relation(OTHER_RELATION),
							  .block = (uint32_t) i});
	}
	world->position++;
}

size_t
world_find(const World *world, uint64_t position)
{
	size_t low = 0;
	size_t high = world->nchanges;

	while (low < high)
	{
		const size_t middle = low + (high - low) / 2;

		if (world->changes[middle].lsn <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
world_follow(const World *world, uint64_t from, uint64_t most,
			 WaFollowMessage *follow)
{
	const size_t first = world_find(world, from);
	size_t end = world_find(world, most);

	follow->from = from;
	follow->to = most;
	if (end - first > WA_MAX_CHANGES)
	{
		/* Not the record to which the first change belongs that has no room. */
		end = first + WA_MAX_CHANGES;
		follow->to = world->changes[end].lsn - 1;
		while (world->changes[end - 1].lsn > follow->to)
			end--;
	}
	follow->nchanges = (uint32_t) (end - first);
	memcpy(follow->changes, &world->changes[first],
		   follow->nchanges * sizeof(WaChange));
}

/* Notes a change of one relation's blocks in what is told. */
static void
tell(World *world, uint32_t relation, const WaChange *change)
{
	for (int e = 0; e < WORLD_EXTENTS; e++)
		for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
		{
			const uint32_t block = wa_extent_first_block(world_numbers[e]) + b;

			if (block == change->block ||
				(change->kind == WA_CHANGE_REST && block > change->block))
				world->told[relation][e][b] = change->lsn;
		}
}

void
world_tell(World *world, uint64_t position)
{
	size_t i = world_find(world, world->told_position);

	for (; i < world->nchanges && world->changes[i].lsn <= position; i++)
	{
		const WaChange *change = &world->changes[i];
		const uint32_t relation = change->relation.file - 1000;

		if (change->kind != WA_CHANGE_FILES && relation < WORLD_RELATIONS)
			tell(world, relation, change);
	}
	world->told_position = position;
}
