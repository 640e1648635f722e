/*
 * extent_choose.c
 *		Which columns an extent can have; see extent.h.
 *
 * A column lacks the blocks that have values which fit no vector (numerics with very
 * many digits, long texts), but its memory is that of all rows of the extent.  So a
 * few blocks are looked at first, and a column that would lack half of them is left
 * out of the extent.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "resident/extent_reader.h"

/* About so many blocks of an extent are looked at, ... */
#define PROBES 4

/* ... and so many, if that has found values that fit no vector. */
#define MORE_PROBES 32

/* What has been found so far. */
typedef struct Probes
{
	int nblocks;
	int failures[WA_MAX_RESIDENT_COLUMNS];
} Probes;

bool
wa_extent_fits(WaExtentReader *reader, int column, const WaRow *rows, int nrows)
{
	const WaGatherUse use = {.attnum = reader->columns[column].name.attribute};
	WaVector *vector = &reader->vectors[column];

	if (reader->single[column] == NULL)
		reader->single[column] =
			wa_gather_make(RelationGetDescr(reader->relation), 1, &use);
	wa_gather_begin(reader->single[column], rows, nrows);
	return wa_gather_step(reader->single[column], 0, &vector);
}

/* Looks at a block, which is pinned and locked, and lets go of it. */
static void
probe(WaExtentReader *reader, Buffer buffer, Probes *probes)
{
	WaRow *rows = reader->rows;
	int nrows = wa_heap_take_all(BufferGetPage(buffer),
								 BufferGetBlockNumber(buffer), rows);

	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	for (int i = 0; i < reader->ncolumns; i++)
		if (!wa_extent_fits(reader, i, rows, nrows))
			probes->failures[i]++;
	ReleaseBuffer(buffer);
	probes->nblocks++;
}

/* Looks at some of the blocks of an extent, at equal distances. */
static void
probe_some(WaExtentReader *reader, uint32 number, const uint64_t *blocks,
		   uint32 nprobes, Probes *probes)
{
	const uint32 step = Max(wa_blocks_count(blocks) / nprobes, 1);
	uint64_t named[WA_EXTENT_WORDS] = {0};
	uint32 seen = 0;
	uint32 place;
	Buffer buffer;

	memset(probes, 0, sizeof(*probes));
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (wa_bits_get(blocks, i) && seen++ % step == 0)
			wa_bits_set(named, i);
	wa_extent_name(reader, number, named);
	while ((buffer = wa_extent_lock(reader, &place)) != InvalidBuffer)
		probe(reader, buffer, probes);
}

/* Tells whether values have been found that fit no vector. */
static bool
has_failures(const WaExtentReader *reader, const Probes *probes)
{
	for (int i = 0; i < reader->ncolumns; i++)
		if (probes->failures[i] > 0)
			return true;
	return false;
}

uint64
wa_extent_choose(WaExtentReader *reader, uint32 number, const uint64_t *blocks)
{
	MemoryContext old = MemoryContextSwitchTo(reader->memory);
	Probes probes;
	uint64 chosen = 0;

	probe_some(reader, number, blocks, PROBES, &probes);
	if (has_failures(reader, &probes))
		probe_some(reader, number, blocks, MORE_PROBES, &probes);
	for (int i = 0; i < reader->ncolumns; i++)
		if (2 * probes.failures[i] < Max(probes.nblocks, 1))
			chosen |= UINT64CONST(1) << i;
	MemoryContextSwitchTo(old);
	return chosen;
}

void
wa_extent_set_columns(WaExtentReader *reader, uint64 columns)
{
	WaGatherUse uses[WA_MAX_RESIDENT_COLUMNS] = {0};
	MemoryContext old;

	if (reader->gather != NULL && reader->chosen == columns)
		return;
	reader->chosen = columns;
	reader->nchosen = 0;
	for (int i = 0; i < reader->ncolumns; i++)
	{
		if ((columns >> i & 1) == 0)
			continue;
		uses[reader->nchosen].attnum = reader->columns[i].name.attribute;
		reader->chosen_vectors[reader->nchosen] = &reader->vectors[i];
		reader->places[reader->nchosen++] = i;
	}
	MemoryContextReset(reader->gather_memory);
	old = MemoryContextSwitchTo(reader->gather_memory);
	reader->gather = wa_gather_make(RelationGetDescr(reader->relation),
									reader->nchosen, uses);
	MemoryContextSwitchTo(old);
}
