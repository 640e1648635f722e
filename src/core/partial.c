/*
 * partial.c
 *		Making, merging and shipping partial states; see partial.h.
 */
#include <string.h>

#include "core/limbs.h"
#include "core/partial.h"

/* Bytes of the four counts of an exact sum, which lie one after the other. */
#define COUNTS_BYTES (4 * sizeof(int64_t))

bool
wa_partial_needs_exact(WaType type, WaOpSet ops)
{
	return (wa_ops_have(ops, WA_OP_SUM) || wa_ops_have(ops, WA_OP_SQUARES)) &&
		   wa_storage_is_float(wa_type_storage(type));
}

void
wa_partial_init(WaPartial *partial, WaExactPart *exact)
{
	memset(partial, 0, sizeof(*partial));
	for (int i = 0; i < WA_BIT_OP_COUNT; i++)
		partial->bits[i] = wa_bits_of_none((WaOp) (WA_OP_BIT_AND + i));
	partial->exact = exact;
	if (exact != NULL)
		memset(exact, 0, sizeof(*exact));
}

void
wa_partial_merge(WaPartial *into, const WaPartial *from, WaType type,
				 WaOpSet ops)
{
	WaStorage storage = wa_type_storage(type);
	bool first = into->rows == 0;

	if (from->rows == 0)
		return;
	into->rows += from->rows;
	if (wa_ops_have(ops, WA_OP_SUM) && wa_storage_is_float(storage))
		wa_exact_merge(&into->exact->sum, &from->exact->sum);
	else if (wa_ops_have(ops, WA_OP_SUM))
		wa_int128_add(&into->sum, wa_int128_get(from->sum));
	if (wa_ops_have(ops, WA_OP_SQUARES) && wa_storage_is_float(storage))
		wa_squares_merge(&into->exact->squares, &from->exact->squares);
	else if (wa_ops_have(ops, WA_OP_SQUARES))
		wa_uint192_add(&into->squares, from->squares);
	if (wa_ops_have(ops, WA_OP_MIN) &&
		(first || wa_value_beats(WA_OP_MIN, storage, from->min, into->min)))
		into->min = from->min;
	if (wa_ops_have(ops, WA_OP_MAX) &&
		(first || wa_value_beats(WA_OP_MAX, storage, from->max, into->max)))
		into->max = from->max;
	for (int i = 0; i < WA_BIT_OP_COUNT; i++)
		into->bits[i] = wa_bits_of_two((WaOp) (WA_OP_BIT_AND + i),
									   into->bits[i], from->bits[i]);
}

/* Copies bytes to *cursor and moves it on. */
static inline void
put(uint8_t **cursor, const void *bytes, size_t length)
{
	memcpy(*cursor, bytes, length);
	*cursor += length;
}

/* Copies bytes from *cursor, if they are there, and moves it on. */
static inline bool
get(const uint8_t **cursor, const uint8_t *end, void *bytes, size_t length)
{
	if ((size_t) (end - *cursor) < length)
		return false;
	memcpy(bytes, *cursor, length);
	*cursor += length;
	return true;
}

/*
 * The encoding: rows, then for each operation of the set its component.  Of
 * limbs only those between the lowest and the highest that are not zero are
 * written, after their range.
 */
static void
put_limbs(uint8_t **cursor, const int64_t *limbs, int nlimbs)
{
	int32_t range[2] = {0, 0}; /* first limb, number of limbs */

	for (int i = 0; i < nlimbs; i++)
	{
		if (limbs[i] == 0)
			continue;
		if (range[1] == 0)
			range[0] = i;
		range[1] = i - range[0] + 1;
	}
	put(cursor, range, sizeof(range));
	put(cursor, &limbs[range[0]], (size_t) range[1] * sizeof(int64_t));
}

/*
 * Reads what put_limbs wrote into limbs that are all 0.  They must be those of
 * a normalized number whose last limb is between lowest and 0.
 */
static bool
get_limbs(const uint8_t **cursor, const uint8_t *end, int64_t *limbs,
		  int nlimbs, int64_t lowest)
{
	int32_t range[2];

	return get(cursor, end, range, sizeof(range)) && range[0] >= 0 &&
		   range[1] >= 0 && range[0] < nlimbs &&
		   range[1] <= nlimbs - range[0] &&
		   get(cursor, end, &limbs[range[0]],
			   (size_t) range[1] * sizeof(int64_t)) &&
		   wa_limbs_are_sound(limbs, nlimbs, lowest);
}

static void
put_exact(uint8_t **cursor, const WaExactSum *sum)
{
	put(cursor, &sum->positive_infinities, COUNTS_BYTES);
	put_limbs(cursor, sum->limbs, WA_EXACT_LIMBS);
}

static bool
get_exact(const uint8_t **cursor, const uint8_t *end, WaExactSum *sum)
{
	/* No sum of 2^63 doubles reaches the last limb, but for its sign. */
	return get(cursor, end, &sum->positive_infinities, COUNTS_BYTES) &&
		   sum->positive_infinities >= 0 && sum->negative_infinities >= 0 &&
		   sum->nans >= 0 && sum->negative_zeros >= 0 &&
		   get_limbs(cursor, end, sum->limbs, WA_EXACT_LIMBS, -1);
}

/* Returns the bytes that the value of a storage takes in a WaValue. */
static inline size_t
value_bytes(WaStorage storage)
{
	return storage == WA_I128 ? sizeof(WaInt128) : sizeof(int64_t);
}

size_t
wa_partial_encode(const WaPartial *partial, WaType type, WaOpSet ops,
				  uint8_t *buffer)
{
	WaStorage storage = wa_type_storage(type);
	uint8_t *cursor = buffer;

	put(&cursor, &partial->rows, sizeof(partial->rows));
	if (wa_ops_have(ops, WA_OP_SUM) && wa_storage_is_float(storage))
		put_exact(&cursor, &partial->exact->sum);
	else if (wa_ops_have(ops, WA_OP_SUM))
		put(&cursor, &partial->sum, sizeof(partial->sum));
	if (wa_ops_have(ops, WA_OP_SQUARES) && wa_storage_is_float(storage))
		put_limbs(&cursor, partial->exact->squares.limbs, WA_SQUARES_LIMBS);
	else if (wa_ops_have(ops, WA_OP_SQUARES))
		put(&cursor, &partial->squares, sizeof(partial->squares));
	if (wa_ops_have(ops, WA_OP_MIN))
		put(&cursor, &partial->min, value_bytes(storage));
	if (wa_ops_have(ops, WA_OP_MAX))
		put(&cursor, &partial->max, value_bytes(storage));
	if ((ops & WA_BIT_OPS) != 0)
		put(&cursor, partial->bits, sizeof(partial->bits));
	return (size_t) (cursor - buffer);
}

bool
wa_partial_decode(WaPartial *partial, WaType type, WaOpSet ops,
				  const uint8_t *buffer, size_t length)
{
	WaStorage storage = wa_type_storage(type);
	const uint8_t *cursor = buffer;
	const uint8_t *end = buffer + length;
	bool is_sound = get(&cursor, end, &partial->rows, sizeof(partial->rows)) &&
					partial->rows >= 0;

	if (is_sound && wa_ops_have(ops, WA_OP_SUM))
		is_sound = wa_storage_is_float(storage)
					   ? get_exact(&cursor, end, &partial->exact->sum)
					   : get(&cursor, end, &partial->sum, sizeof(partial->sum));
	/* No sum of squares is negative. */
	if (is_sound && wa_ops_have(ops, WA_OP_SQUARES))
		is_sound = wa_storage_is_float(storage)
					   ? get_limbs(&cursor, end, partial->exact->squares.limbs,
								   WA_SQUARES_LIMBS, 0)
					   : get(&cursor, end, &partial->squares,
							 sizeof(partial->squares));
	if (is_sound && wa_ops_have(ops, WA_OP_MIN))
		is_sound = get(&cursor, end, &partial->min, value_bytes(storage));
	if (is_sound && wa_ops_have(ops, WA_OP_MAX))
		is_sound = get(&cursor, end, &partial->max, value_bytes(storage));
	if (is_sound && (ops & WA_BIT_OPS) != 0)
		is_sound = get(&cursor, end, partial->bits, sizeof(partial->bits));
	return is_sound && cursor == end;
}
