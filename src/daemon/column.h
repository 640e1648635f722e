/*
 * column.h
 *		A column of an extent, and the extent's blocks, as warpaggd keeps them.
 *
 * Both are constant once made, but for the references, which are changed
 * atomically, and for what the mirror knows of them (mirror_copy.h): who has a
 * reference reads them without a lock.
 */
#ifndef WA_DAEMON_COLUMN_H
#define WA_DAEMON_COLUMN_H

#include "core/must_check.h"
#include "core/protocol.h"
#include "daemon/dictionary.h"
#include "daemon/mirror_copy.h"

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
	WaMirrorCopy copy;
	WaColumnName name;
	WaForm form;
	uint8_t scale;
	int64_t smallest; /* INT: of the values that are not NULL; more than */
	int64_t largest;  /* largest if there are none, or if not INT */
	const void *values;
	const uint8_t *validity;
	const uint8_t *display;
	bool has_large; /* DECIMAL128: some value is 2^95 or more in magnitude */
	bool has_odd;   /* some bit in `odd` is set */
	uint64_t odd[WA_EXTENT_WORDS];
	WaDictionary *dictionary; /* TEXT */
	struct WaColumn *next;    /* for who collects columns to release */
} WaColumn;

/* Which blocks an extent has: see WaExtentHead. */
typedef struct WaShape
{
	WaMemory *memory;
	uint32_t references;
	uint32_t nblocks;
	uint32_t nrows;
	struct WaMirrorRun *run; /* the mirror's; NULL: no rows on a GPU */
	uint64_t block_lsn[WA_EXTENT_BLOCKS];
	uint32_t row_end[WA_EXTENT_BLOCKS];
} WaShape;

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

/* Takes another reference. */
void wa_column_retain(WaColumn *column);

/* Gives up a reference; NULL is nothing. */
void wa_column_release(WaColumn *column);

/* Makes the shape of a sound head, with one reference, or returns NULL. */
WaShape *wa_shape_make(WaMemory *memory, const void *user,
					   const WaExtentHead *head);

/* Takes another reference. */
void wa_shape_retain(WaShape *shape);

/* Gives up a reference; NULL is nothing. */
void wa_shape_release(WaShape *shape);

/* Tells whether somebody beside the caller refers to the shape. */
bool wa_shape_is_in_use(const WaShape *shape);

/* Tells whether the head's blocks and rows are those of the shape. */
bool wa_shape_is_of(const WaShape *shape, const WaExtentHead *head);

#endif /* WA_DAEMON_COLUMN_H */
