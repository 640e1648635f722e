/*
 * column.h
 *		A column of an extent, and the extent's blocks, as warpaggd keeps them.
 *
 * Both are constant once made, but for the references, which are changed
 * atomically, for what the mirror knows of them (mirror_copy.h), and for the transactions
 * of blocks, which the store's lock guards: who has a reference reads the rest without a
 * lock.
 */
#ifndef WA_DAEMON_COLUMN_H
#define WA_DAEMON_COLUMN_H

#include "core/must_check.h"
#include "core/protocol.h"
#include "daemon/column/dictionary.h"
#include "daemon/column/mirror_copy.h"

/*
 * values: nrows of the form's width, of TEXT int32_t codes of the dictionary, of
 * BOOL bits; 0 where NULL.  validity: a byte for each row, 1 where it is not NULL;
 * NULL: all are not.  display: of a DECIMAL, a byte for each row; NULL: all show
 * `scale` digits.  All begin at multiples of 64.  odd: a bit for each block whose rows
 * have any values, not those of the column.
 */
typedef struct WaColumn
{
	WaMemory *memory;
	size_t bytes; /* of this and all that it points to, but the dictionary */
	uint32_t references;
	uint32_t nrows;
	bool has_odd; /* some bit in `odd` is set */
	WaMirrorCopy copy;
	WaColumnName name;
	int16_t family_attribute; /* as in a WaExtentColumn */
	WaForm form;
	uint8_t scale;
	int64_t smallest; /* INT: of the values that are not NULL; more than */
	int64_t largest;  /* largest if there are none, or if not INT */
	const void *values;
	const uint8_t *validity;
	const uint8_t *display;
	bool has_large; /* DECIMAL128: some value is 2^95 or more in magnitude */
	uint64_t odd[WA_EXTENT_WORDS];
	WaDictionary *dictionary; /* TEXT */
	struct WaColumn *next;    /* for who collects columns to release */
} WaColumn;

/* The transactions that decide about rows of blocks: see wa_snapshot_settles. */
typedef struct WaDeciders
{
	uint64_t settled;
	uint64_t first_xid;
	uint64_t last_xid;
} WaDeciders;

/* Which blocks an extent has: see WaExtentHead. */
typedef struct WaLayout
{
	WaMemory *memory;
	uint32_t references;
	uint32_t nblocks;
	uint32_t nrows;
	WaFamily family;
	struct WaMirrorRun *run; /* the mirror's; NULL: no rows on a GPU */
	/* Likewise: gives the run up, when nobody else refers to the layout. */
	void (*forget)(struct WaLayout *layout);
	WaDeciders deciders; /* of all blocks; the store's lock guards this, */
	uint64_t first_xid[WA_EXTENT_BLOCKS]; /* this, */
	uint64_t last_xid[WA_EXTENT_BLOCKS];  /* and this */
	uint64_t block_lsn[WA_EXTENT_BLOCKS];
	uint32_t row_end[WA_EXTENT_BLOCKS];
} WaLayout;

/* Returns the first row of a block, where row_end has where each block's rows end. */
static inline uint32_t
wa_first_row(const uint32_t *row_end, uint32_t block)
{
	return block == 0 ? 0 : row_end[block - 1];
}

/* Returns how many rows a block has. */
static inline uint32_t
wa_rows_of_block(const uint32_t *row_end, uint32_t block)
{
	return row_end[block] - wa_first_row(row_end, block);
}

/*
 * Copies a column of a sound head out of the parcel, whose bytes may change
 * meanwhile, and checks its values.  A TEXT's texts are added to the dictionary,
 * to which the column takes a reference.  Returns WA_OK with a column that has
 * one reference in *copy, else a text in error: WA_BAD_REQUEST for values that
 * cannot be, or WA_OUT_OF_MEMORY.
 */
WA_MUST_CHECK WaStatus wa_column_copy(WaMemory *memory, const void *user,
									  const WaExtentColumn *column,
									  uint32_t nrows, const uint8_t *parcel,
									  WaDictionary *dictionary, WaColumn **copy,
									  char *error, size_t error_bytes);

/*
 * Makes a column with the names, form, scale, rows and odd blocks of another, and
 * one reference, whose arrays have yet to be filled; or returns NULL.
 */
WaColumn *wa_column_make(WaMemory *memory, const void *user,
						 const WaColumn *like, bool has_validity,
						 bool has_display);

/* Finds what follows from the values of a column that was made and filled. */
void wa_column_sum_up(WaColumn *column);

/* Takes another reference. */
void wa_column_retain(WaColumn *column);

/* Gives up a reference; NULL is nothing. */
void wa_column_release(WaColumn *column);

/*
 * Makes a layout with one reference, whose blocks have no LSNs and no deciders yet, of a
 * relation of a family, or returns NULL.
 */
WaLayout *wa_layout_begin(WaMemory *memory, const void *user,
						  const WaFamily *family, uint32_t nblocks,
						  uint32_t nrows, const uint32_t *row_end);

/* Makes the layout of a sound head, with one reference, or returns NULL. */
WaLayout *wa_layout_make(WaMemory *memory, const void *user,
						 const WaExtentHead *head);

/* Takes another reference. */
void wa_layout_retain(WaLayout *layout);

/* Gives up a reference; NULL is nothing. */
void wa_layout_release(WaLayout *layout);

/* Tells whether somebody beside the caller refers to the layout. */
bool wa_layout_is_in_use(const WaLayout *layout);

/*
 * Tells whether the head's blocks and rows are those of the layout: what decides about
 * them is not compared, as it may be known better by now of the same rows.
 */
bool wa_layout_is_of(const WaLayout *layout, const WaExtentHead *head);

/*
 * Takes over what a head, whose blocks are those of the layout, says of transactions, if
 * it is as new as what there is.  Either is right; but who has read the blocks later has
 * seen more transactions ended, and queries to come have, too.
 */
void wa_layout_take_xids(WaLayout *layout, const WaExtentHead *head);

/* Sums up the transactions of the layout's blocks, but for `settled`, which stays. */
void wa_layout_sum_xids(WaLayout *layout);

/* Adds deciders to those of other blocks. */
void wa_deciders_add(WaDeciders *deciders, const WaDeciders *others);

#endif /* WA_DAEMON_COLUMN_H */
