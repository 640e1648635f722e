/*
 * test_store_world.h
 *		Relations whose blocks change, the WAL that tells of it, and who reads both: for
 *		tests of what the store takes for fresh.
 *
 * A position of WAL is a number.  Each record ends at one and has changed a few blocks,
 * of which a page then has this LSN.
 */
#ifndef TEST_STORE_WORLD_H
#define TEST_STORE_WORLD_H

#include "daemon/store/store.h"

#define WORLD_RELATIONS 3
#define WORLD_EXTENTS   5
#define WORLD_CHANGES   ((size_t) 1 << 20)

/* The numbers of the extents that there are. */
extern const uint32_t world_numbers[WORLD_EXTENTS];

typedef struct World
{
	uint64_t random_state;
	uint64_t position; /* of WAL, at its end */
	/* The LSNs of pages; 0: there is no such block. */
	uint64_t lsn[WORLD_RELATIONS][WORLD_EXTENTS][WA_EXTENT_BLOCKS];
	/* The LSNs of the last records that changed them, up to a position. */
	uint64_t told_position;
	uint64_t told[WORLD_RELATIONS][WORLD_EXTENTS][WA_EXTENT_BLOCKS];
	size_t nchanges;
	WaChange *changes; /* all that WAL tells, room for WORLD_CHANGES */
} World;

/* Prepares a world whose blocks have LSNs, and WAL behind these. */
void world_init(World *world, uint64_t seed);
void world_free(World *world);

/* Returns a random number below the bound. */
uint64_t world_pick(World *world, uint64_t bound);

/* Has WAL get longer by a record that changes something at random. */
void world_change(World *world);

/* The same by many changes of a relation that is nowhere resident. */
void world_change_others(World *world, size_t count);

/* Returns the first change behind a position; nchanges if there is none. */
size_t world_find(const World *world, uint64_t position);

/*
 * Makes a FOLLOW from a position, over as many records as there is room for and as end at
 * `most` or before.
 */
void world_follow(const World *world, uint64_t from, uint64_t most,
				  WaFollowMessage *follow);

/* Goes on to a position with what is told. */
void world_tell(World *world, uint64_t position);

#endif /* TEST_STORE_WORLD_H */
