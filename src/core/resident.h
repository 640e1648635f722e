/*
 * resident.h
 *		Resident columns: what backends and warpaggd say about them.
 *
 * warpaggd keeps columns of heap relations in memory, by extents: runs of up to
 * WA_EXTENT_BLOCKS blocks that one page of the relation's visibility map covers.
 * Of a block everything is there or nothing: the rows of all its normal line
 * pointers, in their order, as they were when the block was all-visible.  But a
 * column may lack blocks, with values that it cannot hold: they are of no use to
 * queries over this column.
 *
 * A block of an extent may be used by a query if the visibility map's page has
 * the LSN now that it had when the extent was read or last confirmed, and the
 * block's all-visible bit is set now, both read after the query's snapshot was
 * taken (index-only scans rest on the same argument).  Who loads reads the page
 * before and after the blocks, and keeps the blocks that were all-visible both
 * times with the same LSN.  When the LSN has moved on, an extent is confirmed
 * by comparing the LSNs of its heap blocks: a change of a block's rows changes
 * its LSN.
 *
 * Bulk data lies in a parcel: a memory file of the backend's own, sealed against
 * shrinking, that it shares with warpaggd once a connection.  Whatever lies there
 * may change while it is read: the reader copies what it checks.  All offsets are
 * from the parcel's first byte and multiples of 64.
 */
#ifndef WA_CORE_RESIDENT_H
#define WA_CORE_RESIDENT_H

#include "core/bits.h"
#include "core/vector.h"

/* Blocks that a page of the visibility map covers (visibilitymap.c). */
#define WA_MAP_BLOCKS 32672

#define WA_EXTENT_BLOCKS   512
#define WA_EXTENT_WORDS    (WA_EXTENT_BLOCKS / 64)
#define WA_EXTENTS_PER_MAP 64 /* the last has 416 blocks */
#define WA_MAX_EXTENT_ROWS (WA_EXTENT_BLOCKS * 291)

/* Texts that a column of an extent brings at most: blocks may be read twice. */
#define WA_MAX_EXTENT_TEXTS (2 * WA_MAX_EXTENT_ROWS)

/* The longest text: more than any page has room for. */
#define WA_MAX_TEXT_BYTES 65536

/* Columns that are loaded at a time at most; a relation may have more. */
#define WA_MAX_RESIDENT_COLUMNS 64

/* Columns that a query has at most. */
#define WA_MAX_QUERY_COLUMNS 128

/* A relation's storage: the names of PostgreSQL's RelFileNode, none of which is 0. */
typedef struct WaRelation
{
	uint32_t tablespace;
	uint32_t database;
	uint32_t file;
} WaRelation;

/*
 * X(NAME, kind of vector, bytes of a value): how the values of a column lie in
 * an extent.  DECIMAL: in units of 10^-scale, one scale for the extent; those of
 * DECIMAL128 are WaInt128, some of which have no room in 64 bits, or a scale that
 * these cannot have.  BOOL in a parcel: a byte, 0 or 1; in warpaggd: a bit
 * (core/bits.h).  TEXT in a parcel: the number of each row's text, from 0, among those
 * that come with the column; in warpaggd: codes of a dictionary that the column has.
 */
#define WA_FORM_LIST(X)      \
	X(INT16, INT, 2)         \
	X(INT32, INT, 4)         \
	X(INT64, INT, 8)         \
	X(UINT32, INT, 4)        \
	X(FLOAT4, FLOAT, 4)      \
	X(FLOAT8, FLOAT, 8)      \
	X(DECIMAL32, DECIMAL, 4) \
	X(DECIMAL64, DECIMAL, 8) \
	X(BOOL, BOOL, 1)         \
	X(TEXT, TEXT, 4)         \
	X(DECIMAL128, DECIMAL, 16)

typedef enum WaForm
{
#define X(name, kind, bytes) WA_FORM_##name,
	WA_FORM_LIST(X)
#undef X
		WA_FORM_COUNT
} WaForm;

/*
 * A column of a relation.  Equal ones have equal bytes: `unused` is 0.  The form
 * is not part of it, as it may differ from extent to extent.
 */
typedef struct WaColumnName
{
	uint32_t type; /* pg_type.oid */
	int32_t typmod;
	int16_t attribute; /* pg_attribute.attnum */
	uint16_t kind;     /* WaVectorKind */
	uint32_t unused;
} WaColumnName;

/*
 * A column of an extent in a parcel, nrows values long.  validity: a byte for
 * each row, 1 where it is not NULL; display: of a DECIMAL, a byte for each row,
 * the digits shown after the point.  An offset of 0 means that there is none: no
 * NULL; all rows show `scale` digits.  The value of a NULL is 0, of a text any.
 *
 * The texts of a TEXT lie in `text` one behind the other; where they end there,
 * counted from the first byte of all, is in text_ends as numbers of 32 bits.  Some
 * of them may be equal, and some may be those of no row.
 *
 * odd: a bit for each block whose rows the column lacks; they have any value.
 */
typedef struct WaExtentColumn
{
	WaColumnName name;
	uint32_t form; /* WaForm */
	uint32_t scale;
	uint64_t values;
	uint64_t validity;
	uint64_t display;
	uint64_t text;       /* TEXT: the bytes */
	uint64_t text_bytes; /* below 2^32 */
	uint64_t text_ends;
	uint64_t ntexts;
	uint64_t odd[WA_EXTENT_WORDS];
} WaExtentColumn;

/*
 * An extent in a parcel.  block_lsn[i] is the LSN of its block i, 0 if the block
 * is not cached (then it has no rows); row_end[i] the number of rows of the
 * blocks up to i, that one included.
 */
typedef struct WaExtentHead
{
	WaRelation relation;
	uint32_t number;  /* of the extent: map page * WA_EXTENTS_PER_MAP + place */
	uint64_t map_lsn; /* of the visibility map's page */
	uint32_t nblocks;
	uint32_t nrows;
	uint32_t ncolumns;
	uint32_t unused;
	uint64_t
		asked; /* a bit for each column that somebody has asked for; others are
					 * loaded as queries would gain, or again beside these */
	uint64_t block_lsn[WA_EXTENT_BLOCKS];
	uint32_t row_end[WA_EXTENT_BLOCKS];
	WaExtentColumn columns[WA_MAX_RESIDENT_COLUMNS];
} WaExtentHead;

/* What a query, or who loads, knows of a page of the visibility map. */
typedef struct WaMapPage
{
	uint64_t lsn;
	uint64_t
		is_whole; /* not 0: all blocks are all-visible, visible is not set */
	/* Bit i % 64 of word i / 64 of place p: block i of extent p is all-visible */
	uint64_t visible[WA_EXTENTS_PER_MAP][WA_EXTENT_WORDS];
} WaMapPage;

/*
 * Returns a word of the bits of an extent's blocks, by the extent's place in the
 * page; bits of blocks that the relation does not have may be set.
 */
static inline uint64_t
wa_map_page_word(const WaMapPage *page, uint32_t place, uint32_t word)
{
	return page->is_whole != 0 ? UINT64_MAX : page->visible[place][word];
}

/* What warpaggd has of an extent, for who loads. */
typedef struct WaExtentState
{
	uint64_t map_lsn;  /* 0: it has nothing */
	uint64_t columns;  /* bit i: it has column i of those asked for */
	uint64_t ncolumns; /* that it has in all */
	uint64_t cached[WA_EXTENT_WORDS]; /* a bit for each block */
	uint64_t block_lsn[WA_EXTENT_BLOCKS];
} WaExtentState;

/* What warpaggd has of a column of a relation, for the planner and the views. */
typedef struct WaResidentColumn
{
	WaRelation relation;
	WaColumnName name;
	uint64_t extents;
	uint64_t blocks; /* cached ones, fresh or not */
	uint64_t rows;
	uint64_t bytes;
	uint64_t device_bytes; /* of its copies on GPUs */
	uint64_t queries;      /* that used it */
	uint64_t blocks_used;  /* by them, of ... */
	uint64_t blocks_asked;
	int64_t last_use_us; /* clock of CLOCK_REALTIME; 0: never */
	uint32_t is_asked;   /* somebody has asked for it to be loaded */
	uint32_t is_pinned;  /* its relation is */
} WaResidentColumn;

/* Returns the number of the extent that a block of a relation lies in. */
static inline uint32_t
wa_extent_of_block(uint32_t block)
{
	return block / WA_MAP_BLOCKS * WA_EXTENTS_PER_MAP +
		   block % WA_MAP_BLOCKS / WA_EXTENT_BLOCKS;
}

/* Returns the first block of an extent. */
static inline uint32_t
wa_extent_first_block(uint32_t number)
{
	return number / WA_EXTENTS_PER_MAP * WA_MAP_BLOCKS +
		   number % WA_EXTENTS_PER_MAP * WA_EXTENT_BLOCKS;
}

/*
 * Returns the number of a block's bit where extent after extent of a relation has
 * WA_EXTENT_WORDS words: bit n % 64 of word n / 64.
 */
static inline uint64_t
wa_block_bit(uint32_t block)
{
	return (uint64_t) wa_extent_of_block(block) * WA_EXTENT_BLOCKS +
		   block % WA_MAP_BLOCKS % WA_EXTENT_BLOCKS;
}

/* Returns the bytes of a value in a parcel, of TEXT: of its number. */
static inline size_t
wa_form_width(WaForm form)
{
	static const uint8_t widths[] = {
#define X(name, kind, bytes) bytes,
		WA_FORM_LIST(X)
#undef X
	};

	return widths[form];
}

/* Returns the bits of a value in warpaggd. */
static inline size_t
wa_form_bits(WaForm form)
{
	return form == WA_FORM_BOOL ? 1 : 8 * wa_form_width(form);
}

/* Returns the bytes of so many values in warpaggd: whole words of bits. */
static inline size_t
wa_form_bytes(WaForm form, size_t nrows)
{
	return form == WA_FORM_BOOL ? wa_bits_words(nrows) * sizeof(uint64_t)
								: nrows * wa_form_width(form);
}

/* Returns the kind of vector that holds a form. */
static inline WaVectorKind
wa_form_kind(WaForm form)
{
	static const uint8_t kinds[] = {
#define X(name, kind, bytes) WA_VECTOR_##kind,
		WA_FORM_LIST(X)
#undef X
	};

	return (WaVectorKind) kinds[form];
}

/* Tells whether a relation may have that storage. */
static inline bool
wa_relation_is_sound(const WaRelation *relation)
{
	return relation->tablespace != 0 && relation->database != 0 &&
		   relation->file != 0;
}

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Tells whether an extent's head, a copy of the reader's own, is right in itself
 * and all that it names lies in a parcel of so many bytes.  The values themselves
 * are unchecked: numbers and ends of texts must be checked when they are read.
 */
bool wa_extent_is_sound(const WaExtentHead *head, uint64_t parcel_bytes);

/*
 * Returns the checksum of a sound extent: of the head but for the columns that it does
 * not have, and of all that lies in the parcel for each column that it has.
 */
uint32_t wa_extent_checksum(const WaExtentHead *head, const void *parcel);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_RESIDENT_H */
