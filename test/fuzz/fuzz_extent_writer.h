/*
 * fuzz_extent_writer.h
 *		Small extents out of a few words.
 *
 * A head alone takes 24 kB, most of which says nothing: an input has the numbers
 * from which a sound extent follows, and then what is to be changed in it.
 */
#ifndef WA_TEST_FUZZ_EXTENT_WRITER_H
#define WA_TEST_FUZZ_EXTENT_WRITER_H

#include "core/resident.h"

/*
 * The numbers: of the relation and the extent, how many blocks, rows of a block at
 * most, and columns there are (and whether it is a patch); a position of WAL; a seed of
 * the values.  A word follows for each column, and then changes, two words each: how many bytes to
 * set where, and what they are.
 */
typedef struct FuzzExtent
{
	uint8_t relation;
	uint8_t nblocks;
	uint8_t block_rows;
	uint8_t ncolumns;
	uint32_t number;
	uint64_t position;
	uint64_t seed;
} FuzzExtent;

/* In ncolumns: the extent is a patch. */
#define FUZZ_EXTENT_PATCH 128

/* A column; modulo what there is. */
typedef struct FuzzColumn
{
	uint8_t form;
	uint8_t attribute;
	uint8_t flags;
	uint8_t scale;
	uint16_t ntexts;
	uint16_t family_attribute;
} FuzzColumn;

#define FUZZ_COLUMN_NULLS   1
#define FUZZ_COLUMN_DISPLAY 2
#define FUZZ_COLUMN_ODD     4

/* Returns the name of a relation, of its family, which may be none, or of a column. */
WaRelation fuzz_relation(uint64_t number);
WaFamily fuzz_family(uint64_t number);
WaColumnName fuzz_column_name(uint8_t attribute, WaForm form);

/*
 * Writes an extent, its head at `place`, a multiple of 64, to a parcel of so many
 * bytes, as far as it has room for it.  The words are as said above.
 */
void fuzz_extent_write(uint8_t *parcel, size_t bytes, size_t place,
					   const uint64_t *words, size_t nwords);

#endif /* WA_TEST_FUZZ_EXTENT_WRITER_H */
