/*
 * extent_write.c
 *		Writing an extent that has been read to a parcel; see extent.h.
 */
#include "postgres.h"

#include "resident/extent_reader.h"
#include "resident/relation.h"

/* Places the columns in a parcel; returns how many bytes that takes. */
static uint64
place_columns(const WaExtentReader *reader, WaExtentColumn *columns)
{
	uint64 offset = TYPEALIGN64(PG_CACHE_LINE_SIZE, sizeof(WaExtentHead));

	for (int i = 0; i < reader->nchosen; i++)
		wa_collect_place(&reader->columns[reader->places[i]], &columns[i],
						 &offset);
	return offset;
}

uint64
wa_extent_bytes(const WaExtentReader *reader)
{
	WaExtentColumn columns[WA_MAX_RESIDENT_COLUMNS];

	return place_columns(reader, columns);
}

/*
 * Writes of each block that is kept the LSN and who decides, and of all where their rows
 * end.
 */
static void
write_blocks(const WaExtentReader *reader, WaExtentHead *head)
{
	for (uint32 i = 0; i < head->nblocks; i++)
	{
		head->row_end[i] = reader->row_end[i];
		if (!wa_bits_get(reader->kept, i))
			continue;
		head->block_lsn[i] = reader->block_lsn[i];
		head->first_xid[i] = reader->first_xid[i];
		head->last_xid[i] = reader->last_xid[i];
	}
}

uint32
wa_extent_write(const WaExtentReader *reader, const WaFamilyPlan *family,
				uint64 asked, void *parcel)
{
	WaExtentHead *head = (WaExtentHead *) parcel;

	memset(head, 0, sizeof(*head));
	head->relation = wa_resident_storage(reader->relation);
	head->number = reader->number;
	head->family = family->family;
	head->position = reader->position;
	head->settled = reader->settled;
	head->is_patch = reader->is_patch ? 1 : 0;
	head->nblocks = wa_extent_nblocks(reader->number, reader->nblocks);
	head->nrows = reader->collected_rows;
	head->ncolumns = (uint32) reader->nchosen;
	write_blocks(reader, head);
	(void) place_columns(reader, head->columns);
	for (int i = 0; i < reader->nchosen; i++)
	{
		head->asked |= (asked >> reader->places[i] & 1) << i;
		head->columns[i].family_attribute =
			wa_family_attribute(family, head->columns[i].name.attribute);
		wa_collect_write(&reader->columns[reader->places[i]], &head->columns[i],
						 parcel);
	}
	return reader->collected_rows;
}
