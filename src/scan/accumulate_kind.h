/*
 * accumulate_kind.h
 *		The inside of accumulators, and their kinds.
 *
 * A group's rows are in its record and, where there is one, in its transition
 * state, whose rows all came before those of the record.  A record is a few words
 * of 64 bits: the number of its rows, then what its kind keeps.  A rest is what a
 * kind keeps of a group beside the record, where one is needed.
 */
#ifndef WA_SCAN_ACCUMULATE_KIND_H
#define WA_SCAN_ACCUMULATE_KIND_H

#include "scan/accumulate.h"

/*
 * X(set): all sets of operations that an accumulator may have, as numbers; there
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

/* Rows of a vector that an accumulator takes, none of them to be left out. */
typedef struct WaTakenRows
{
	const uint32 *groups; /* NULL: all are of group 0 */
	const void *values;
	const uint8 *display; /* DECIMAL: digits shown, of row i at i * step */
	size_t step;          /* 0 or 1 */
	uint8 scale;          /* DECIMAL */
	size_t nrows;
} WaTakenRows;

typedef struct WaAccumulatorKind
{
	/* Returns the words of a record with the operations. */
	int (*record_words)(WaOpSet ops);

	/* Stores what a record of no rows is like; all but its zeros. */
	void (*clear)(uint64 *record, WaOpSet ops);

	/* Takes rows. */
	void (*take)(WaAccumulator *accumulator, const WaTakenRows *rows);

	/*
	 * Stores a value of SQL as the value of a row, and its scale; returns false if
	 * it cannot be one.
	 */
	bool (*store)(const WaAccumulator *accumulator, Datum value, int64 *stored,
				  uint8 *scale);

	/*
	 * Adds the rows of a state, which came later, to a group's record; returns
	 * false, with nothing changed but the scale, if it cannot.
	 */
	bool (*merge)(WaAccumulator *accumulator, uint32 group,
				  const WaAggState *state);

	/* Puts the rows of a record and its rest into a state without rows. */
	void (*put)(const WaAccumulator *accumulator, uint32 group,
				WaAggState *state);
} WaAccumulatorKind;

struct WaAccumulator
{
	MemoryContext context;
	MemoryContext scratch; /* reset at every use */
	const WaAggPlan *plan;
	WaOpSet ops;
	WaVectorKind vector_kind;
	const WaAccumulatorKind *kind; /* NULL: records only count rows */
	int words;                     /* of a record */
	int scale;                     /* DECIMAL: of the sums, a multiple of 4 */
	uint32 ngroups;
	uint32 capacity;
	uint64 *records;
	uint64 *empty;       /* a record of no rows */
	WaAggState **states; /* of the groups, or NULL if none has one */
	void **rests;        /* likewise */

	/* Rows of a vector of which some are left out */
	uint8 *kept;
	int64 *values;
	uint32 *groups;
	uint8 *display;
};

extern const WaAccumulatorKind wa_accumulate_int;
extern const WaAccumulatorKind wa_accumulate_float;
extern const WaAccumulatorKind wa_accumulate_decimal;

/* Returns the record of a group. */
static inline uint64 *
wa_accumulator_record(const WaAccumulator *accumulator, uint32 group)
{
	return accumulator->records + (Size) group * accumulator->words;
}

/* Tells whether the set has the operation. */
static inline bool
wa_ops_have(WaOpSet ops, WaOp op)
{
	return (ops & WA_OP_BIT(op)) != 0;
}

/* Moves the rows of a group's record, and its rest, to its state. */
extern WaAggState *wa_accumulator_flush(WaAccumulator *accumulator,
										uint32 group);

/* Returns where the pointer to a group's rest is. */
extern void **wa_accumulator_rest(WaAccumulator *accumulator, uint32 group);

#endif /* WA_SCAN_ACCUMULATE_KIND_H */
