/*
 * column.h
 *		The kinds of column, by how their sums are kept.
 *
 * A kind is a table of functions over the components SUM and SQUARES of a
 * state; there is no SQUARES without SUM, and without either none of them is
 * called.  MIN and MAX are kept alike for all kinds, see extreme.h.
 */
#ifndef WA_STATE_COLUMN_H
#define WA_STATE_COLUMN_H

#include "lib/stringinfo.h"

#include "state/state.h"

typedef struct WaColumnKind
{
	Size sum_bytes;     /* of the component SUM, a multiple of 8 */
	Size squares_bytes; /* of SQUARES, likewise */
	bool by_device;     /* buffers of plan->type may go to a device */

	/*
	 * Puts a value of the column into the components; sign -1 undoes that,
	 * exactly, in a state of a moving aggregate.
	 */
	void (*add)(WaAggState *state, Datum value, int sign);

	/*
	 * Puts a value where the state's bulk wants it, of a kind whose values do
	 * not go into a buffer as they are; NULL for the others.
	 */
	void (*take_bulk)(WaAggState *state, Datum value);

	/* Merges a partial of other rows into the components. */
	void (*absorb)(WaAggState *state, const WaPartial *partial);

	/* Merges the components of a state of other rows. */
	void (*merge)(WaAggState *into, const WaAggState *from);

	/*
	 * Writes the components, and reads them into an empty state; NULL: they are
	 * written as they lie.
	 */
	void (*write)(WaAggState *state, StringInfo buffer);
	void (*read)(WaAggState *state, StringInfo buffer);

	/* Results, of a state with rows; raise the built-in's errors. */
	Datum (*sum)(WaAggState *state);
	Datum (*average)(WaAggState *state);
	Datum (*variance)(WaAggState *state, bool sample, bool root);
} WaColumnKind;

extern const WaColumnKind wa_integer_column;
extern const WaColumnKind wa_float_column;
extern const WaColumnKind wa_numeric_column;
extern const WaColumnKind wa_interval_column;

#endif /* WA_STATE_COLUMN_H */
