//
// group_fold.cu
//		What the host makes of the tables of grouped reductions; see groups.h.
//
#include "groups.h"

#include <math.h>
#include <string.h>

#include "group/special.cuh"

// One group's elements of a table.
struct Elements
{
	const uint64_t *wide; // of the first array
	const uint32_t *narrow;
	size_t ngroups;

	uint64_t
	wide_at(unsigned array) const
	{
		return wide[array * ngroups];
	}

	uint32_t
	narrow_at(unsigned array) const
	{
		return narrow[array * ngroups];
	}
};

// The words of the longest number.
static const unsigned kMaxWords = WaGroupShape<WA_OP_SQUARES, double>::kWords;

// A number as its sign and magnitude.
struct Magnitude
{
	uint32_t digit[kMaxWords];
	unsigned words;
	bool negative;
};

// Carries from word to word of a number.
static Magnitude
magnitude_of(const Elements &elements, unsigned words)
{
	Magnitude magnitude = {};
	int64_t carry = 0;
	uint64_t borrow = 1;

	magnitude.words = words;
	for (unsigned i = 0; i < words; i++)
	{
		int64_t word = (int64_t) elements.wide_at(i) + carry;

		magnitude.digit[i] = (uint32_t) word;
		carry = word >> 32;
	}
	magnitude.negative = carry < 0;
	for (unsigned i = 0; i < words && magnitude.negative; i++)
	{
		borrow += (uint32_t) ~magnitude.digit[i];
		magnitude.digit[i] = (uint32_t) borrow;
		borrow >>= 32;
	}
	return magnitude;
}

// Adds a number, times 2^position of the lowest bit of limb 0, to limbs.
static void
add_to_limbs(int64_t *limbs, const Magnitude &magnitude, int position)
{
	for (unsigned i = 0; i < magnitude.words; i++, position += 32)
	{
		int64_t digit = magnitude.digit[i];
		WaExactChunks chunks;

		// The lowest window may begin below what numbers have bits for; the
		// highest one ends where no sum comes to.
		if (position < 0)
			digit = position > -32 ? digit >> -position : 0;
		if (digit == 0)
			continue;
		chunks = wa_exact_split(magnitude.negative ? -digit : digit,
								max(position, 0) + WA_EXACT_LOWEST_BIT);
		for (int j = 0; j < 3; j++)
			if (chunks.chunk[j] != 0)
				limbs[chunks.limb + j] += chunks.chunk[j];
	}
}

static void
fold_integers(WaOp op, const Magnitude &magnitude, WaPartial *partial)
{
	WaUint192 number = {};
	__int128 sum;

	for (unsigned i = 0; i < magnitude.words; i++)
		number.word[i / 2] |= (uint64_t) magnitude.digit[i] << i % 2 * 32;
	if (op == WA_OP_SQUARES)
	{
		wa_uint192_add(&partial->squares, number);
		return;
	}
	sum = wa_int128_get({number.word[0], (int64_t) number.word[1]});
	wa_int128_add(&partial->sum, magnitude.negative ? -sum : sum);
}

static void
fold_floats(WaOp op, const WaGroupPlan *plan, const WaGroupLayer *layer,
			const Magnitude &magnitude, WaExactPart *exact)
{
	int low =
		wa_group_window_low(layer->status->top, layer->window, plan->range);
	int exponent = low + plan->unit;

	if (op == WA_OP_SUM)
	{
		add_to_limbs(exact->sum.limbs, magnitude,
					 exponent - WA_EXACT_LOWEST_BIT);
		wa_exact_normalize(&exact->sum);
	}
	else
	{
		add_to_limbs(exact->squares.limbs, magnitude,
					 2 * exponent - WA_SQUARES_LOWEST_BIT);
		wa_squares_normalize(&exact->squares);
	}
}

static void
fold_special(const Elements &elements, WaExactSum *sum)
{
	sum->positive_infinities +=
		(int64_t) elements.wide_at(WA_GROUP_POSITIVE_INFINITIES);
	sum->negative_infinities +=
		(int64_t) elements.wide_at(WA_GROUP_NEGATIVE_INFINITIES);
	sum->nans += (int64_t) elements.wide_at(WA_GROUP_NANS);
	sum->negative_zeros += (int64_t) elements.wide_at(WA_GROUP_NEGATIVE_ZEROS);
}

// Returns the float with a key; of all NaNs the same one.
static double
float_of_key(uint32_t key)
{
	uint32_t bits = key >> 31 != 0 ? key & 0x7fffffffu : ~key;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return key == ~(uint32_t) 0 ? NAN : (double) value;
}

static double
double_of_key(uint64_t key)
{
	uint64_t bits = key >> 63 != 0 ? key & ~((uint64_t) 1 << 63) : ~key;

	return key == ~(uint64_t) 0 ? NAN : wa_bits_double(bits);
}

// Returns the value with a key; `low` is that of its low word, if it has one.
static WaValue
value_of_key(WaStorage storage, uint64_t key, uint64_t low)
{
	WaValue value;

	value.wide = {0, 0};
	switch (storage)
	{
		case WA_I16:
		case WA_I32:
			value.i = (int32_t) ((uint32_t) key ^ 0x80000000u);
			break;
		case WA_I64:
			value.i = (int64_t) (key ^ (uint64_t) 1 << 63);
			break;
		case WA_I128:
			value.wide = {low, (int64_t) (key ^ (uint64_t) 1 << 63)};
			break;
		case WA_F32:
			value.f = float_of_key((uint32_t) key);
			break;
		case WA_F64:
			value.f = double_of_key(key);
			break;
		default:
			value.u = key;
			break;
	}
	return value;
}

static void
fold_extreme(WaOp op, WaStorage storage, unsigned wide,
			 const Elements &elements, WaPartial *partial)
{
	uint64_t key = wide > 0 ? elements.wide_at(0) : 0;
	uint64_t low = wide > 1 ? elements.wide_at(1) : 0;
	WaValue value;

	if (elements.narrow_at(0) == 0)
		return;
	if (op == WA_OP_MIN)
	{
		key = ~key;
		low = ~low;
	}
	if (wide == 0)
		key = op == WA_OP_MIN ? ~elements.narrow_at(1) : elements.narrow_at(1);
	value = value_of_key(storage, key, low);
	/* The key of the zero that loses is that of -0, which for MIN is not it. */
	if (wa_storage_is_float(storage) && value.f == 0 && op == WA_OP_MIN)
		value.f = -value.f;
	if (op == WA_OP_MIN)
		partial->min = value;
	else
		partial->max = value;
}

static void
fold_bits(WaOp op, WaStorage storage, const Elements &elements,
		  WaPartial *partial)
{
	uint64_t *bits = wa_partial_bits(partial, op);
	uint64_t found =
		storage == WA_I64
			? elements.narrow_at(1) | (uint64_t) elements.narrow_at(2) << 32
			: (uint64_t) (int32_t) elements.narrow_at(1);

	if (elements.narrow_at(0) == 0)
		return;
	if (op == WA_OP_BIT_AND)
		found = ~found;
	*bits = wa_bits_of_two(op, *bits, found);
}

void
wa_group_fold(const WaGroupColumn *column, const WaGroupPlan *plan,
			  const WaGroupLayer *layer, const void *table, uint32_t group,
			  WaPartial *partial)
{
	const WaStorage storage = wa_type_storage(column->d_batch.type);
	const uint64_t *wide = static_cast<const uint64_t *>(table);
	const uint32_t *narrow = reinterpret_cast<const uint32_t *>(
		wide + (size_t) plan->wide * column->ngroups);
	const Elements elements = {wide + group, narrow + group, column->ngroups};

	if (layer->number == 0)
		partial->rows += elements.narrow_at(0);
	if (layer->special)
		fold_special(elements, &partial->exact->sum);
	else if (column->op == WA_OP_MIN || column->op == WA_OP_MAX)
		fold_extreme(column->op, storage, plan->wide, elements, partial);
	else if (wa_ops_have(WA_BIT_OPS, column->op))
		fold_bits(column->op, storage, elements, partial);
	else if (plan->range == 0)
		fold_integers(column->op, magnitude_of(elements, plan->wide), partial);
	else
		fold_floats(column->op, plan, layer, magnitude_of(elements, plan->wide),
					partial->exact);
}
