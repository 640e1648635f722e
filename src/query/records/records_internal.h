/*
 * records_internal.h
 *		The inside of tables of records, and their kinds.
 *
 * A rest is what a kind keeps of a group beside the record, where one is needed.
 */
#ifndef WA_QUERY_RECORDS_INTERNAL_H
#define WA_QUERY_RECORDS_INTERNAL_H

#include "query/base/hints.h"
#include "query/records/records.h"

/*
 * X(set): all sets of operations that an table may have, as numbers; there
 * are no squares without a sum.
 */
#define WA_OP_SET_LIST(X) \
	X(1)                  \
	X(3)                  \
	X(4)                  \
	X(5)                  \
	X(7)                  \
	X(8)                  \
	X(9)                  \
	X(11)                 \
	X(12)                 \
	X(13)                 \
	X(15)

/* Likewise of operations over bits, which only tables of INT have. */
#define WA_BIT_SET_LIST(X) \
	X(16)                  \
	X(32)                  \
	X(48)                  \
	X(64)                  \
	X(80)                  \
	X(96)                  \
	X(112)

/* Rows that a table takes, none of them to be left out. */
typedef struct WaTakenRows
{
	const uint32_t *groups; /* NULL: all are of group 0 */
	WaType type;            /* of the values, as they lie */
	const void *values;
	const uint8_t *display; /* DECIMAL: digits shown, of row i at i * step */
	size_t step;            /* 0 or 1 */
	uint8_t scale;          /* DECIMAL */
	size_t nrows;
} WaTakenRows;

typedef struct WaRecordKind
{
	/* Stores what a record of no rows is like; all but its zeros. */
	void (*clear)(uint64_t *record, WaOpSet ops);

	/* Takes rows of a vector. */
	void (*take)(WaRecordTable *table, const WaTakenRows *rows);

	/*
	 * Takes rows of any type and number, all of group 0, but for the number.
	 * Returns false, with nothing changed but the scale, if there is no room.
	 */
	bool (*take_together)(WaRecordTable *table, const WaTakenRows *rows);

	/*
	 * Takes what counts[i] rows of each group i, if any, add up to, of a vector
	 * of the scale.  Only SUM is needed.  Returns false, with nothing changed but
	 * the scale, if there is no room.
	 */
	bool (*take_sums)(WaRecordTable *table, const uint32_t *counts,
					  const int64_t *sums, uint8_t scale);

	/*
	 * Adds a record to that of a group, but for the number of rows.  Returns
	 * false, with nothing changed but the scale, if there is no room.
	 */
	bool (*merge)(WaRecordTable *table, uint32_t group, const WaRecord *record);

	/* Tells whether a record with rows, but for its rest, may be one. */
	bool (*is_sound)(WaOpSet ops, const WaRecord *record);

	/* Adds a group's rest, which there is, to its record as others see it. */
	void (*show_rest)(WaRecordTable *table, uint32_t group, WaRecord *record);
} WaRecordKind;

struct WaRecordTable
{
	WaArena *arena;
	const WaRecordOwner *owner; /* or NULL */
	WaOpSet ops;
	const WaRecordKind *kind; /* NULL: records only count rows */
	int words;                /* of a record */
	int scale;                /* DECIMAL: of the sums, a multiple of 4 */
	bool overflowed;          /* something had no room and there is no owner */
	uint32_t ngroups;
	uint32_t capacity;
	uint64_t *records;
	uint64_t *empty; /* a record of no rows */
	void **rests;    /* of the groups, or NULL if none has one */

	/* Rows of a vector of which some are left out */
	uint8_t *kept;
	int64_t *values;
	uint32_t *groups;
	uint8_t *display;
};

/* Folds rows into a partial that is like new. */
static inline void
wa_taken_rows_fold(const WaTakenRows *rows, WaOpSet ops, WaPartial *partial)
{
	const WaBatch batch = {
		.type = rows->type, .values = rows->values, .nrows = rows->nrows};

	wa_partial_fold(partial, ops, &batch);
}

/* Takes the marked rows of a wide vector, or all if kept is NULL. */
extern void wa_records_take_wide(WaRecordTable *table, const uint32_t *groups,
								 const uint8_t *kept, const WaVector *vector,
								 size_t nrows);

/*
 * Tells whether what another record has of wide rows, or NULL, has room in a group's
 * rest; merges it there; and shows a group's rest, as a kind does.
 */
extern bool wa_records_fit_wide(const WaRecordTable *table, uint32_t group,
								const WaWideRest *from);
extern void wa_records_merge_wide(WaRecordTable *table, uint32_t group,
								  const WaWideRest *from);
extern void wa_records_show_wide(WaRecordTable *table, uint32_t group,
								 WaRecord *record);

extern const WaRecordKind wa_records_int;
extern const WaRecordKind wa_records_float;
extern const WaRecordKind wa_records_decimal;

/* Returns the record of a group. */
static inline uint64_t *
wa_record_of(const WaRecordTable *table, uint32_t group)
{
	return table->records + (size_t) group * (size_t) table->words;
}

/* Has the owner take over a group's record, which has no room any more. */
extern void wa_record_flush(WaRecordTable *table, uint32_t group);

/* Has the owner take a row that has no room in its group's record. */
extern void wa_record_refuse(WaRecordTable *table, uint32_t group,
							 int64_t value, uint8_t scale, uint8_t display);

/*
 * Returns where the pointer to a group's rest is; NULL if there is not enough
 * memory.
 */
extern void **wa_record_rest(WaRecordTable *table, uint32_t group);

#endif /* WA_QUERY_RECORDS_INTERNAL_H */
