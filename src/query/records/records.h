/*
 * records.h
 *		What the groups of a query keep of one aggregated column.
 *
 * A table of records has one for each group: what a set of operations needs, as
 * a few words of 64 bits, packed so that a step over a vector's rows stays in
 * the cache.  It is exact.  Records are also how groups go from one process to
 * another.  The words of a record are, of these what the operations need:
 *
 * INT		rows; SUM, a WaInt128; SQUARES, a WaUint192; MIN; MAX; or bits, by
 *			operation
 * FLOAT	rows; a WaFloatHeader and SUM, a WaInt128, with SQUARES, a WaInt256,
 *			all small sums (core/small_sum.h); MIN; MAX
 * DECIMAL	rows; a WaDecimalHeader; SUM, a WaInt128, and SQUARES, a WaUint192,
 *			in units of a scale that all groups share; MIN; MAX; rows of wide
 *			vectors are in a WaWideRest beside it, but for their number
 *
 * Of other kinds, and without operations, it is the rows alone.  A record of no
 * rows is not looked at.  Of equal values that look different MIN and MAX have the one
 * that shows more digits, or 0 rather than -0.
 */
#ifndef WA_QUERY_RECORDS_H
#define WA_QUERY_RECORDS_H

#include "core/must_check.h"
#include "core/partial.h"
#include "core/vector.h"
#include "query/base/arena.h"
#include "query/base/column_rows.h"
#include "query/records/wide_rest.h"

/* A record has no more words. */
#define WA_RECORD_MAX_WORDS 10

/* Of a FLOAT, where there is a SUM. */
typedef struct WaFloatHeader
{
	int16_t
		exponent; /* of SUM; WA_NO_EXPONENT while no row was a number but 0 */
	int16_t squares_exponent;
	uint8_t other; /* 1: some row is not -0 */
	uint8_t unused[3];
} WaFloatHeader;

/* Nothing can be added in units of it. */
#define WA_NO_EXPONENT 0x7000

/* Of a DECIMAL: digits after the point. */
typedef struct WaDecimalHeader
{
	uint8_t display;     /* the most that are shown, where there is a SUM */
	uint8_t min_scale;   /* of MIN */
	uint8_t min_display; /* shown of it */
	uint8_t max_scale;
	uint8_t max_display;
	uint8_t unused[3];
} WaDecimalHeader;

/* A DECIMAL's sums have no larger scale: that of a value, rounded up. */
#define WA_MAX_SUM_SCALE 20

/* Where in a record its parts are, in words; undefined for those it has not. */
typedef struct WaRecordLayout
{
	int header;
	int sum;
	int squares;
	int min;
	int max;
	int bits;  /* of the first operation over bits */
	int words; /* in all */
} WaRecordLayout;

/* Returns the layout of the records of INT, FLOAT and DECIMAL. */
static inline WaRecordLayout
wa_record_layout(WaVectorKind kind, WaOpSet ops)
{
	const int sums = wa_ops_have(ops, WA_OP_SUM);
	const int squares = wa_ops_have(ops, WA_OP_SQUARES);
	const int headers =
		kind == WA_VECTOR_DECIMAL || (kind == WA_VECTOR_FLOAT && sums);
	WaRecordLayout layout;

	layout.header = 1;
	layout.sum = layout.header + headers;
	layout.squares = layout.sum + 2 * sums;
	layout.min = layout.squares + (kind == WA_VECTOR_FLOAT ? 4 : 3) * squares;
	layout.max = layout.min + wa_ops_have(ops, WA_OP_MIN);
	layout.bits = layout.max + wa_ops_have(ops, WA_OP_MAX);
	layout.words = layout.bits;
	for (int op = WA_OP_BIT_AND; op < WA_OP_COUNT; op++)
		layout.words += wa_ops_have(ops, (WaOp) op);
	return layout;
}

/* Returns where the bits of an operation are, which the record has. */
static inline int
wa_record_bits(WaRecordLayout layout, WaOpSet ops, WaOp op)
{
	return layout.bits +
		   __builtin_popcount(ops & (WA_OP_BIT(op) - 1) & WA_BIT_OPS);
}

/* A group's record and what belongs to it. */
typedef struct WaRecord
{
	const uint64_t *words;
	const WaExactPart
		*rest;              /* FLOAT: what the sums do not have, normalized, its
							  * squares with SQUARES only; NULL: nothing */
	const WaWideRest *wide; /* DECIMAL: of wide rows; NULL: there are none */
	int scale;              /* DECIMAL: of the sums, a multiple of 4 */
} WaRecord;

/* Stores the bits that a record has in a partial. */
static inline void
wa_record_get_bits(WaRecordLayout layout, WaOpSet ops, const WaRecord *record,
				   WaPartial *partial)
{
	for (WaOp op = WA_OP_BIT_AND; op < WA_OP_COUNT; op++)
		if (wa_ops_have(ops, op))
			*wa_partial_bits(partial, op) =
				record->words[wa_record_bits(layout, ops, op)];
}

/*
 * Who takes what has no room in records.  Without an owner the table has
 * overflowed then, and is of no further use.
 */
typedef struct WaRecordOwner
{
	void *context;

	/* Takes a group's record over and clears it (wa_records_clear). */
	void (*flush)(void *context, uint32_t group);

	/* Takes a row of a DECIMAL. */
	void (*take)(void *context, uint32_t group, int64_t value, uint8_t scale,
				 uint8_t display);
} WaRecordOwner;

typedef struct WaRecordTable WaRecordTable;

/* Tells whether there are records of the operations over vectors of the kind. */
extern bool wa_records_exist(WaVectorKind kind, WaOpSet ops);

/*
 * Makes a table without groups, in the arena, for operations for which there is
 * one.  owner: NULL, or lives as long.  Returns NULL if there is not enough
 * memory.
 */
extern WaRecordTable *wa_records_make(WaArena *arena, WaVectorKind kind,
									  WaOpSet ops, const WaRecordOwner *owner);

/*
 * Makes room for groups up to ngroups - 1; new ones are empty.  Returns false,
 * with the table as it was, if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_records_grow(WaRecordTable *table,
										  uint32_t ngroups);

/* Makes room for so many groups at once, with none of them made; likewise. */
extern WA_MUST_CHECK bool wa_records_expect(WaRecordTable *table,
											uint32_t ngroups);

/* Tells whether some rows of a record of a DECIMAL are not wide. */
static inline bool
wa_record_has_narrow(const WaRecord *record)
{
	return record->wide == NULL || record->wide->rows < record->words[0];
}

/*
 * Takes the rows of a vector: those that are not NULL and, where keep is not NULL,
 * have keep[i] set.  Row i belongs to group groups[i]; to group 0 where
 * groups is NULL.  The groups are there.  If the arena fails, the table is of no
 * further use.
 */
extern void wa_records_take(WaRecordTable *table, const uint32_t *groups,
							const uint8_t *keep, const WaVector *values,
							size_t nrows);

/* Of so few groups rows are better added up by groups before they are taken. */
#define WA_FEW_GROUPS 128

/* Stores how many of the rows belong to each of few groups. */
extern void wa_count_groups(const uint32_t *groups, size_t nrows,
							uint32_t ngroups, uint32_t *counts);

/*
 * Takes the rows of a vector of few groups, that have so many of them each.
 * Returns false, with nothing changed but the scale, if that is for
 * wa_records_take.
 */
extern WA_MUST_CHECK bool wa_records_take_few(WaRecordTable *table,
											  const uint32_t *groups,
											  const uint32_t *counts,
											  const WaVector *values,
											  size_t nrows);

/* Takes so many rows for group 0 that are only counted. */
extern void wa_records_count(WaRecordTable *table, size_t nrows);

/*
 * Takes rows of a column, any number of them, for group 0, as wa_records_take
 * does.  memory: a vector of the kind with memory of its own.
 */
extern void wa_records_take_column(WaRecordTable *table,
								   const WaColumnRows *rows, size_t nrows,
								   const WaVector *memory);

/*
 * Takes one value, which is stored as in a vector: of a DECIMAL in units of
 * 10^-scale, all of whose digits after the point are shown.
 */
extern void wa_records_take_value(WaRecordTable *table, uint32_t group,
								  int64_t value, uint8_t scale);

/*
 * Merges a record, of other rows, for the same kind and operations.  It is sound
 * (wa_record_is_sound) and has rows.
 * Returns false, with nothing changed but the scale, if that has no room in the
 * group's; if the arena fails, the table is of no further use.
 */
extern WA_MUST_CHECK bool wa_records_merge(WaRecordTable *table, uint32_t group,
										   const WaRecord *record);

/*
 * Merges the records of groups theirs[i] of another table, for the same kind and
 * operations, with those of groups[i], likewise; what is without rows is left out.
 */
extern WA_MUST_CHECK bool wa_records_merge_theirs(WaRecordTable *table,
												  const uint32_t *groups,
												  WaRecordTable *others,
												  const uint32_t *theirs,
												  size_t ntheirs);

/* Has the sums of a DECIMAL, of which there are none yet, have this scale. */
extern void wa_records_set_scale(WaRecordTable *table, int scale);

/* Stores a group's record, which lies in the table, in *record. */
extern void wa_records_get(WaRecordTable *table, uint32_t group,
						   WaRecord *record);

/* Makes a group's record one of no rows. */
extern void wa_records_clear(WaRecordTable *table, uint32_t group);

/* Returns the scale of the sums of a DECIMAL. */
extern int wa_records_scale(const WaRecordTable *table);

/* Tells whether something had no room and there is no owner. */
extern bool wa_records_overflowed(const WaRecordTable *table);

/* Returns the words of a record of the kind and operations. */
extern int wa_record_words(WaVectorKind kind, WaOpSet ops);

/*
 * Tells whether the words and the scale of a record, its rest is not looked at,
 * may be those of one with rows.
 */
extern bool wa_record_is_sound(WaVectorKind kind, WaOpSet ops,
							   const WaRecord *record);

#endif /* WA_QUERY_RECORDS_H */
