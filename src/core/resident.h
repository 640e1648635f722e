/*
 * resident.h
 *		Resident columns: what backends and warpaggd say about them.
 *
 * warpaggd keeps columns of heap relations in memory, by extents: runs of
 * WA_EXTENT_BLOCKS blocks.  Of a block everything is there or nothing: the rows that all
 * see for whom the transactions that decide about them have ended, in their order, as
 * they were when the block had the LSN that is kept with them.  But a column may lack
 * blocks, with values that it cannot hold: they are of no use to queries over this column.
 *
 * Two things make a block good for a query.  It is fresh: no record of WAL up to the
 * query's position has changed it since it had its LSN, and all that the query's snapshot
 * sees was in WAL before that position.  And it is settled for the snapshot: the
 * transactions that decide which of its rows are visible have ended for it.  What else
 * has to be is in docs/internals/freshness.md, which is the proof.
 *
 * warpaggd learns from FOLLOW what WAL has changed.  Who loads reads the position of WAL
 * before the first block, so that what WAL has changed up to there is in the blocks;
 * what came after, and has been followed by then, warpaggd remembers for a while, and if
 * not, does not take the blocks for fresh.
 *
 * Relations may be of a family: partitions of one table, say, or what inherits from it.
 * Columns of its relations that have the same number there share what queries over
 * several of them want to be the same: the dictionary of their texts, so that equal texts
 * have equal codes, and, on GPUs, the array that their values lie in.  Nothing is wrong if
 * they do not: it only takes longer.
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

#define WA_EXTENT_BLOCKS   512
#define WA_EXTENT_WORDS    (WA_EXTENT_BLOCKS / 64)
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
 * A family of relations, by the oid in pg_class of the table at its root; both are 0 for
 * a relation that is by itself.
 */
typedef struct WaFamily
{
	uint32_t database;
	uint32_t root;
} WaFamily;

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
 * The number of the column ctid, of kind INT, whose values are the places of the rows
 * (heap/place.h).  No other system column has one.
 */
#define WA_PLACE_ATTRIBUTE (-1)

/*
 * A column of a relation.  Equal ones have equal bytes: `unused` is 0.  The form
 * is not part of it, as it may differ from extent to extent.
 */
typedef struct WaColumnName
{
	uint32_t type; /* pg_type.oid */
	int32_t typmod;
	int16_t attribute; /* pg_attribute.attnum; WA_PLACE_ATTRIBUTE or above 0 */
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
 *
 * family_attribute: the attribute number of the root's column of the same name; 0: it has
 * none, as ctid, or there is no family.  Such a column shares nothing with those of other
 * relations.
 */
typedef struct WaExtentColumn
{
	WaColumnName name;
	uint32_t form; /* WaForm */
	uint32_t scale;
	int32_t family_attribute;
	uint32_t unused; /* 0 */
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
 *
 * Transactions have numbers of 64 bits, which do not wrap around.  Those that decide about
 * a block's rows are the inserters of its rows that are not known to all to have committed
 * (frozen rows and all-visible blocks have none), and the deleters of rows that it had
 * beside them.  last_xid[i] is the newest, 0 if there is none; first_xid[i] the oldest
 * that is not below `settled`, 0 if there is none.
 */
typedef struct WaExtentHead
{
	WaRelation relation;
	uint32_t number;
	WaFamily family;
	uint64_t position; /* of WAL, before the first block was read */
	uint64_t settled; /* transactions below had ended for who read the blocks */
	uint32_t nblocks;
	uint32_t nrows;
	uint32_t ncolumns;
	uint32_t
		is_patch; /* 0 or 1: blocks that are not cached stay as they are, and
						* nothing is loaded if nothing of the extent is there */
	uint64_t
		asked; /* a bit for each column that somebody has asked for; others are
					 * loaded as queries would gain, or again beside these */
	uint64_t block_lsn[WA_EXTENT_BLOCKS];
	uint64_t first_xid[WA_EXTENT_BLOCKS];
	uint64_t last_xid[WA_EXTENT_BLOCKS];
	uint32_t row_end[WA_EXTENT_BLOCKS];
	WaExtentColumn columns[WA_MAX_RESIDENT_COLUMNS];
} WaExtentHead;

/* What warpaggd has of an extent, for who loads. */
typedef struct WaExtentState
{
	uint32_t number;
	uint32_t exists;   /* 0: it has nothing */
	uint64_t edition;  /* of its blocks: none has the LSNs of another one */
	uint64_t columns;  /* bit i: it has column i of those asked for */
	uint64_t ncolumns; /* that it has in all */
	uint64_t cached[WA_EXTENT_WORDS]; /* a bit for each block */
	uint64_t
		fresh[WA_EXTENT_WORDS]; /* of those: nothing is known to change it */
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
	uint64_t bytes; /* with its part of the dictionary: as much as each of the
					 * columns has that share it */
	uint64_t device_bytes; /* of its copies on GPUs */
	uint64_t queries;      /* that used it */
	uint64_t blocks_used;  /* by them, of ... */
	uint64_t blocks_asked;
	int64_t last_use_us; /* clock of CLOCK_REALTIME; 0: never */
	uint32_t is_asked;   /* somebody has asked for it to be loaded */
	uint32_t is_pinned;  /* its relation is */
	WaFamily family;     /* of its relation */
	int32_t family_attribute;
	uint32_t unused;
} WaResidentColumn;

/* Returns how many extents a relation of so many blocks has. */
static inline uint32_t
wa_extents_of(uint32_t nblocks)
{
	return nblocks / WA_EXTENT_BLOCKS + (nblocks % WA_EXTENT_BLOCKS != 0);
}

/* Returns the number of the extent that a block of a relation lies in. */
static inline uint32_t
wa_extent_of_block(uint32_t block)
{
	return block / WA_EXTENT_BLOCKS;
}

/* Returns the first block of an extent. */
static inline uint32_t
wa_extent_first_block(uint32_t number)
{
	return number * WA_EXTENT_BLOCKS;
}

/* Returns how many blocks an extent has, of a relation of so many. */
static inline uint32_t
wa_extent_nblocks(uint32_t number, uint32_t nblocks)
{
	const uint32_t first = wa_extent_first_block(number);

	if (nblocks <= first)
		return 0;
	return nblocks - first < WA_EXTENT_BLOCKS ? nblocks - first
											  : WA_EXTENT_BLOCKS;
}

/* Returns the bits of a word of an extent that are those of its first blocks. */
static inline uint64_t
wa_extent_word(uint32_t blocks, uint32_t word)
{
	const uint32_t before = word * 64;

	if (blocks <= before)
		return 0;
	return blocks - before >= 64 ? UINT64_MAX
								 : (UINT64_C(1) << (blocks - before)) - 1;
}

/* Returns the bytes of a bit for each block of a relation's extents. */
static inline uint64_t
wa_extents_bytes(uint32_t nblocks)
{
	return (uint64_t) wa_extents_of(nblocks) * WA_EXTENT_WORDS *
		   sizeof(uint64_t);
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

/* Tells whether a column may have that number. */
static inline bool
wa_attribute_is_sound(int attribute)
{
	return attribute > 0 || attribute == WA_PLACE_ATTRIBUTE;
}

/* Tells whether a column may have that name, whatever its relation is. */
static inline bool
wa_column_name_is_sound(const WaColumnName *name)
{
	return wa_attribute_is_sound(name->attribute) && name->unused == 0 &&
		   (name->attribute > 0 || name->kind == WA_VECTOR_INT);
}

/* Tells whether a relation can be of a family, or by itself. */
static inline bool
wa_family_is_sound(const WaFamily *family, const WaRelation *relation)
{
	return family->database == (family->root == 0 ? 0 : relation->database);
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
