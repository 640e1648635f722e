/*
 * partial.c
 *		Making, merging and shipping partial states; see partial.h.
 */
#include <string.h>

#include "core/order.h"
#include "core/partial.h"

bool
wa_partial_needs_exact(WaType type, WaOpSet ops)
{
	WaStorage storage = wa_type_storage(type);

	return (ops & WA_OP_BIT(WA_OP_SUM)) != 0 &&
		   (storage == WA_F32 || storage == WA_F64);
}

void
wa_partial_init(WaPartial *partial, WaExactSum *exact)
{
	memset(partial, 0, sizeof(*partial));
	partial->exact = exact;
	if (exact != NULL)
		wa_exact_init(exact);
}

/* Tells whether a is to be kept as the minimum although b came after it. */
static inline bool
min_is_less(WaStorage storage, WaValue a, WaValue b)
{
	if (storage == WA_F32 || storage == WA_F64)
		return wa_float_less(a.f, b.f);
	return a.i < b.i;
}

void
wa_partial_merge(WaPartial *into, const WaPartial *from, WaType type,
				 WaOpSet ops)
{
	if (from->rows == 0)
		return;
	if ((ops & WA_OP_BIT(WA_OP_SUM)) != 0)
	{
		if (wa_partial_needs_exact(type, ops))
			wa_exact_merge(into->exact, from->exact);
		else
			wa_int128_add(&into->sum, wa_int128_get(from->sum));
	}
	if ((ops & WA_OP_BIT(WA_OP_MIN)) != 0 &&
		(into->rows == 0 ||
		 !min_is_less(wa_type_storage(type), into->min, from->min)))
		into->min = from->min;
	into->rows += from->rows;
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
 * an exact sum only the limbs between the lowest and the highest that are not
 * zero are written, after their range.
 */
static void
encode_exact(const WaExactSum *sum, uint8_t **cursor)
{
	int32_t range[2] = {0, 0}; /* first limb, number of limbs */

	for (int i = 0; i < WA_EXACT_LIMBS; i++)
	{
		if (sum->limbs[i] == 0)
			continue;
		if (range[1] == 0)
			range[0] = i;
		range[1] = i - range[0] + 1;
	}
	put(cursor, &sum->positive_infinities, 4 * sizeof(int64_t));
	put(cursor, range, sizeof(range));
	put(cursor, &sum->limbs[range[0]], (size_t) range[1] * sizeof(int64_t));
}

/* Reads what encode_exact wrote; the limbs must be in normalized form. */
static bool
decode_exact(WaExactSum *sum, const uint8_t **cursor, const uint8_t *end)
{
	int32_t range[2];

	if (!get(cursor, end, &sum->positive_infinities, 4 * sizeof(int64_t)) ||
		!get(cursor, end, range, sizeof(range)) || range[0] < 0 ||
		range[1] < 0 || range[0] > WA_EXACT_LIMBS ||
		range[1] > WA_EXACT_LIMBS - range[0] ||
		!get(cursor, end, &sum->limbs[range[0] % WA_EXACT_LIMBS],
			 (size_t) range[1] * sizeof(int64_t)))
		return false;
	for (int i = 0; i < WA_EXACT_LIMBS - 1; i++)
		if (sum->limbs[i] < 0 || sum->limbs[i] > (int64_t) 0xffffffff)
			return false;
	return sum->positive_infinities >= 0 && sum->negative_infinities >= 0 &&
		   sum->nans >= 0 && sum->negative_zeros >= 0;
}

size_t
wa_partial_encode(const WaPartial *partial, WaType type, WaOpSet ops,
				  uint8_t *buffer)
{
	uint8_t *cursor = buffer;

	put(&cursor, &partial->rows, sizeof(partial->rows));
	if (wa_partial_needs_exact(type, ops))
		encode_exact(partial->exact, &cursor);
	else if ((ops & WA_OP_BIT(WA_OP_SUM)) != 0)
		put(&cursor, &partial->sum, sizeof(partial->sum));
	if ((ops & WA_OP_BIT(WA_OP_MIN)) != 0)
		put(&cursor, &partial->min, sizeof(partial->min));
	return (size_t) (cursor - buffer);
}

bool
wa_partial_decode(WaPartial *partial, WaType type, WaOpSet ops,
				  const uint8_t *buffer, size_t length)
{
	const uint8_t *cursor = buffer;
	const uint8_t *end = buffer + length;

	if (!get(&cursor, end, &partial->rows, sizeof(partial->rows)) ||
		partial->rows < 0)
		return false;
	if (wa_partial_needs_exact(type, ops))
	{
		if (!decode_exact(partial->exact, &cursor, end))
			return false;
	}
	else if ((ops & WA_OP_BIT(WA_OP_SUM)) != 0 &&
			 !get(&cursor, end, &partial->sum, sizeof(partial->sum)))
		return false;
	if ((ops & WA_OP_BIT(WA_OP_MIN)) != 0 &&
		!get(&cursor, end, &partial->min, sizeof(partial->min)))
		return false;
	return cursor == end;
}
