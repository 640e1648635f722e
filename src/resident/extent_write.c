/*
 * extent_write.c
 *		Writing an extent that has been read to a parcel; see extent.h.
 *
 * Blocks that are not kept have left rows between those of others: what is
 * written are runs of rows.
 */
#include "postgres.h"

#include "resident/extent_reader.h"
#include "resident/relation.h"

/* Returns how many blocks the extent has. */
static uint32
blocks_of_extent(const WaExtentReader *reader)
{
	BlockNumber first = wa_extent_first_block(reader->number);
	BlockNumber next = wa_extent_first_block(reader->number + 1);

	return Min(next, reader->nblocks) - first;
}

/*
 * Stores which rows belong to blocks that are kept, as runs, of which there may
 * be WA_EXTENT_BLOCKS.  Returns how many; adds the rows up in *nrows.
 */
static int
find_runs(const WaExtentReader *reader, WaRowRun *runs, uint32 *nrows)
{
	uint32 start = 0;
	int nruns = 0;

	*nrows = 0;
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		uint32 end = reader->row_end[i];

		if (wa_extent_has_bit(reader->kept, i) && end > start)
		{
			if (nruns == 0 || runs[nruns - 1].end != start)
				runs[nruns++].first = start;
			runs[nruns - 1].end = end;
			*nrows += end - start;
		}
		start = end;
	}
	return nruns;
}

/* Places the columns in a parcel; returns how many bytes that takes. */
static uint64
place_columns(const WaExtentReader *reader, uint32 nrows,
			  WaExtentColumn *columns)
{
	uint64 offset = TYPEALIGN64(PG_CACHE_LINE_SIZE, sizeof(WaExtentHead));

	for (int i = 0; i < reader->nchosen; i++)
		wa_collect_place(&reader->columns[reader->places[i]], nrows,
						 &columns[i], &offset);
	return offset;
}

uint64
wa_extent_bytes(const WaExtentReader *reader)
{
	WaRowRun runs[WA_EXTENT_BLOCKS];
	WaExtentColumn columns[WA_MAX_RESIDENT_COLUMNS];
	uint32 nrows;

	(void) find_runs(reader, runs, &nrows);
	return place_columns(reader, nrows, columns);
}

/* Writes of each block the LSN, if it is kept, and where its rows end. */
static void
write_blocks(const WaExtentReader *reader, WaExtentHead *head)
{
	uint32 start = 0;
	uint32 nrows = 0;

	for (uint32 i = 0; i < head->nblocks; i++)
	{
		uint32 end = reader->row_end[i];

		if (wa_extent_has_bit(reader->kept, i))
		{
			head->block_lsn[i] = reader->block_lsn[i];
			nrows += end - start;
		}
		head->row_end[i] = nrows;
		start = end;
	}
}

uint32
wa_extent_write(const WaExtentReader *reader, uint64 asked, void *parcel)
{
	WaExtentHead *head = (WaExtentHead *) parcel;
	WaRowRun runs[WA_EXTENT_BLOCKS];
	uint32 nrows;
	int nruns = find_runs(reader, runs, &nrows);

	memset(head, 0, sizeof(*head));
	head->relation = wa_resident_storage(reader->relation);
	head->number = reader->number;
	head->map_lsn = reader->map_lsn;
	head->nblocks = blocks_of_extent(reader);
	head->nrows = nrows;
	head->ncolumns = (uint32) reader->nchosen;
	write_blocks(reader, head);
	(void) place_columns(reader, nrows, head->columns);
	for (int i = 0; i < reader->nchosen; i++)
	{
		head->asked |= (asked >> reader->places[i] & 1) << i;
		wa_collect_write(&reader->columns[reader->places[i]], runs, nruns,
						 &head->columns[i], parcel);
	}
	return nrows;
}
