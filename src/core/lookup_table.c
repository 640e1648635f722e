/*
 * lookup_table.c
 *		Look-up tables; see lookup_table.h.
 */
#include <string.h>

#include "core/lookup_table.h"
#include "core/vectorised.h"

/*
 * A table of keys has entries if these are so few, or if they take this many times the
 * memory of slots at most: they take one look, and no hash.
 */
#define FREE_ENTRIES ((uint64_t) 1 << 20)
#define MOST_TIMES   2

/*
 * Returns the entry of an offset below nentries * width.  The product is less than
 * one entry off.
 */
static inline uint64_t
entry_of(uint64_t offset, uint64_t width, double inverse)
{
	uint64_t entry = (uint64_t) (int64_t) ((double) (int64_t) offset * inverse);
	int64_t rest = (int64_t) (offset - entry * width);

	return entry - (rest < 0) + (rest >= (int64_t) width);
}

/*
 * Tells whether all arguments are in the entry of the first one, as times often are that
 * have come one after the other.
 */
static bool
are_of_one_entry(const WaLookupTable *table, const int64_t *arguments,
				 size_t nrows)
{
	const uint64_t offset = (uint64_t) arguments[0] - (uint64_t) table->base;
	const uint64_t first =
		(uint64_t) arguments[0] - offset % table->width; /* of the entry */
	const uint64_t last = first + table->width - 1;
	uint64_t signs = 0;

	if (offset >= table->nentries * table->width)
		return false;
	/* Modulo 2^64, one of both has its highest bit set where it is not between. */
	for (size_t i = 0; i < nrows; i++)
		signs |= ((uint64_t) arguments[i] - first) |
				 (last - (uint64_t) arguments[i]);
	return signs >> 63 == 0;
}

/* Looks up integers; stores what is known of each in known. */
static void
look_up_entries(const WaLookupTable *table, const int64_t *arguments,
				int64_t *words, uint8_t *known, size_t nrows)
{
	const uint64_t span = table->nentries * table->width;
	const double inverse = 1.0 / (double) table->width;
	const uint8_t beyond = table->is_total ? WA_ENTRY_NULL : WA_ENTRY_UNKNOWN;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t offset = (uint64_t) arguments[i] - (uint64_t) table->base;
		bool inside = offset < span;
		uint64_t entry = entry_of(inside ? offset : 0, table->width, inverse);

		const uint8_t state = wa_lookup_table_entry(table, entry, &words[i]);

		known[i] = inside ? state : beyond;
	}
}

/* Likewise in a table that has a narrow entry for each. */
static void
look_up_narrow(const WaLookupTable *table, const int64_t *arguments,
			   int64_t *words, uint8_t *known, size_t nrows)
{
	const uint64_t base = (uint64_t) table->base;
	const uint64_t nentries = table->nentries;
	const int32_t *narrow = table->narrow;
	const uint8_t beyond = table->is_total ? WA_ENTRY_NULL : WA_ENTRY_UNKNOWN;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t offset = (uint64_t) arguments[i] - base;
		bool inside = offset < nentries;
		int32_t value = narrow[inside ? offset : 0];

		known[i] = !inside                   ? beyond
				   : value == WA_NARROW_NULL ? WA_ENTRY_NULL
											 : WA_ENTRY_VALUE;
		words[i] = value;
	}
}

/* Likewise in a table that has a wide entry for each. */
static void
look_up_each(const WaLookupTable *table, const int64_t *arguments,
			 int64_t *words, uint8_t *known, size_t nrows)
{
	const uint64_t base = (uint64_t) table->base;
	const uint64_t nentries = table->nentries;
	const int64_t *values = table->values;
	const uint8_t *states = table->known;
	const uint8_t beyond = table->is_total ? WA_ENTRY_NULL : WA_ENTRY_UNKNOWN;

	for (size_t i = 0; i < nrows; i++)
	{
		uint64_t offset = (uint64_t) arguments[i] - base;
		bool inside = offset < nentries;

		offset = inside ? offset : 0;
		known[i] = inside ? states[offset] : beyond;
		words[i] = values[offset];
	}
}

/* Likewise in slots, which are all on their way before the first is looked at. */
static void
look_up_slots(const WaLookupTable *table, const int64_t *arguments,
			  int64_t *words, uint8_t *known, size_t nrows)
{
	const WaLookupSlot *slots = table->slots;
	const uint64_t count = table->nentries;

	for (size_t i = 0; i < nrows; i++)
		__builtin_prefetch(&slots[wa_lookup_hash(arguments[i]) & (count - 1)]);
	for (size_t i = 0; i < nrows; i++)
	{
		words[i] = slots[wa_lookup_slot_of(slots, count, arguments[i])].value;
		known[i] = words[i] < 0 ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
	}
}

/* Sets what the function is of the rows that are NULL. */
static void
set_nulls(const WaLookupTable *table, const WaVector *a, int64_t *words,
		  uint8_t *known, size_t nrows)
{
	const uint8_t state =
		table->null_has_value ? WA_ENTRY_VALUE : WA_ENTRY_NULL;

	for (size_t i = 0; i < nrows; i++)
		if (a->valid[i] == 0)
		{
			known[i] = state;
			words[i] = table->null_value;
		}
}

/* Stores what rows that are all in the entry of a value have. */
static bool
look_up_one(const WaLookupTable *table, int64_t argument, WaVector *out,
			int64_t *words, size_t nrows)
{
	const uint64_t entry =
		((uint64_t) argument - (uint64_t) table->base) / table->width;
	int64_t value;
	const uint8_t known = wa_lookup_table_entry(table, entry, &value);
	const int64_t word = known == WA_ENTRY_VALUE ? value : 0;

	out->has_nulls = known == WA_ENTRY_NULL;
	out->mixed = false;
	out->scale = table->scale;
	if (out->has_nulls)
		memset(out->valid, 0, nrows);
	for (size_t i = 0; i < nrows; i++)
		words[i] = word;
	return known != WA_ENTRY_UNKNOWN;
}

/* Tells whether an entry is not known, and whether one is NULL. */
static WA_VECTORISED void
sum_up(const uint8_t *known, size_t nrows, bool *has_unknown, bool *has_nulls)
{
	uint8_t unknown = 0;
	uint8_t null = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		unknown |= known[i] == WA_ENTRY_UNKNOWN;
		null |= known[i] == WA_ENTRY_NULL;
	}
	*has_unknown = unknown != 0;
	*has_nulls = null != 0;
}

/* Sets what is not NULL, and clears the words of what is. */
static WA_VECTORISED void
set_valid(const uint8_t *known, uint8_t *valid, int64_t *words, size_t nrows)
{
	for (size_t i = 0; i < nrows; i++)
		valid[i] = known[i] == WA_ENTRY_VALUE;
	for (size_t i = 0; i < nrows; i++)
		words[i] &= -(int64_t) valid[i];
}

/*
 * Stores values of the table in words, 0 where the result is NULL; false: it is not
 * known somewhere.
 */
static bool
find(const WaLookupTable *table, const WaVector *a, WaVector *out,
	 int64_t *words, size_t nrows)
{
	uint8_t known[WA_VECTOR_ROWS];
	bool has_unknown;
	bool has_nulls;

	if (table->slots == NULL && !a->has_nulls && nrows > 0 &&
		are_of_one_entry(table, wa_vector_ints(a), nrows))
		return look_up_one(table, wa_vector_ints(a)[0], out, words, nrows);
	if (table->slots != NULL)
		look_up_slots(table, wa_vector_ints(a), words, known, nrows);
	else if (table->width == 1 && table->narrow != NULL)
		look_up_narrow(table, wa_vector_ints(a), words, known, nrows);
	else if (table->width == 1)
		look_up_each(table, wa_vector_ints(a), words, known, nrows);
	else
		look_up_entries(table, wa_vector_ints(a), words, known, nrows);
	if (a->has_nulls)
		set_nulls(table, a, words, known, nrows);
	sum_up(known, nrows, &has_unknown, &has_nulls);
	out->has_nulls = has_nulls;
	out->mixed = false;
	out->scale = table->scale;
	if (has_nulls)
		set_valid(known, out->valid, words, nrows);
	return !has_unknown;
}

/* Stores texts, none where a row is NULL. */
static void
store_texts(const WaLookupTable *table, const int64_t *words, WaVector *out,
			size_t nrows)
{
	WaText *texts = wa_vector_texts(out);

	for (size_t i = 0; i < nrows; i++)
		texts[i] = wa_vector_is_valid(out, i) ? table->texts[words[i]]
											  : (WaText){NULL, 0};
}

/* Makes values of a vector of what has been looked up. */
static void
store(const WaLookupTable *table, const int64_t *words, WaVector *out,
	  size_t nrows)
{
	uint8_t *bools = wa_vector_bools(out);

	switch (table->results)
	{
		case WA_LOOKUP_BOOLS:
			for (size_t i = 0; i < nrows; i++)
				bools[i] = (uint8_t) words[i];
			break;
		case WA_LOOKUP_TEXTS:
			store_texts(table, words, out, nrows);
			break;
		default:
			memcpy(out->values, words, nrows * sizeof(int64_t));
			break;
	}
}

bool
wa_lookup_table_call(const WaLookupTable *table, const WaVector *a,
					 WaVector *out, size_t nrows)
{
	int64_t words[WA_VECTOR_ROWS];

	if (table->results == WA_LOOKUP_WORDS)
		return find(table, a, out, wa_vector_ints(out), nrows);
	if (!find(table, a, out, words, nrows))
		return false;
	store(table, words, out, nrows);
	return true;
}

void
wa_lookup_table_empty(WaLookupTable *table)
{
	static const int64_t values[1] = {0};
	static const uint8_t known[1] = {WA_ENTRY_UNKNOWN};

	memset(table, 0, sizeof(*table));
	table->width = 1;
	table->nentries = 1;
	table->values = values;
	table->known = known;
	table->is_total = true;
}

bool
wa_lookup_table_begin_keys(WaLookupTable *table, int64_t smallest,
						   int64_t largest, uint64_t nkeys)
{
	const uint64_t nslots = wa_lookup_slots_count(nkeys);
	const uint64_t distance = (uint64_t) largest - (uint64_t) smallest;

	memset(table, 0, sizeof(*table));
	table->width = 1;
	table->is_total = true;
	table->nentries = nslots;
	if (distance >= FREE_ENTRIES &&
		distance / MOST_TIMES / sizeof(WaLookupSlot) >=
			nslots / sizeof(int32_t))
		return false;
	table->base = smallest;
	table->nentries = distance + 1;
	return true;
}

/* Tells whether all values are numbers below `end`. */
static bool
values_are_below(const WaLookupTable *table, uint64_t end)
{
	bool below = !table->null_has_value || (uint64_t) table->null_value < end;

	for (uint64_t i = 0; i < table->nentries; i++)
	{
		int64_t value;

		below &= wa_lookup_table_entry(table, i, &value) != WA_ENTRY_VALUE ||
				 (uint64_t) value < end;
	}
	return below;
}

/* Tells whether what is known and the values are what they may be. */
static bool
values_are_sound(const WaLookupTable *table)
{
	bool is_state = true;

	for (uint64_t i = 0; i < table->nentries && table->narrow == NULL; i++)
		is_state &= table->known[i] <= WA_ENTRY_NULL;
	if (!is_state)
		return false;
	switch (table->results)
	{
		case WA_LOOKUP_WORDS:
			return true;
		case WA_LOOKUP_BOOLS:
			return table->scale == 0 && values_are_below(table, 2);
		case WA_LOOKUP_TEXTS:
			return table->scale == 0 && values_are_below(table, table->ntexts);
		default:
			return false;
	}
}

/* Tells whether a table of slots is one. */
static bool
slots_are_sound(const WaLookupTable *table)
{
	return table->base == 0 && table->width == 1 && table->is_total &&
		   !table->null_has_value && table->scale == 0 &&
		   table->results == WA_LOOKUP_WORDS && table->dictionary == 0 &&
		   wa_lookup_slots_are_sound(table->slots, table->nentries);
}

/* Tells whether a table of so many entries at most is one. */
static bool
is_sound(const WaLookupTable *table, uint64_t most)
{
	if (table->nentries == 0 || table->nentries > most || table->width == 0 ||
		table->width > WA_MAX_LOOKUP_SPAN / table->nentries ||
		table->scale > WA_DECIMAL_MAX_SCALE)
		return false;
	if (table->slots != NULL)
		return slots_are_sound(table);
	if (table->dictionary != 0 && (table->base != 0 || table->width != 1))
		return false;
	return table->base <=
			   INT64_MAX - (int64_t) (table->nentries * table->width - 1) &&
		   values_are_sound(table);
}

bool
wa_lookup_table_is_sound(const WaLookupTable *table)
{
	return is_sound(table, WA_MAX_ENTRIES);
}

bool
wa_lookup_table_may_be_kept(const WaLookupTable *table)
{
	return table->dictionary == 0 && is_sound(table, WA_MAX_KEPT_ENTRIES);
}

bool
wa_lookup_table_can_be_narrow(const WaLookupTable *table)
{
	bool can = table->slots == NULL;

	for (uint64_t i = 0; i < table->nentries && can; i++)
	{
		int64_t value;
		const uint8_t known = wa_lookup_table_entry(table, i, &value);

		can = known == WA_ENTRY_NULL ||
			  (known == WA_ENTRY_VALUE && value == (int32_t) value &&
			   value != WA_NARROW_NULL);
	}
	return can;
}

bool
wa_lookup_table_suits(const WaLookupTable *table, WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_BOOL:
			return table->results == WA_LOOKUP_BOOLS;
		case WA_VECTOR_TEXT:
			return table->results == WA_LOOKUP_TEXTS;
		default:
			return table->results == WA_LOOKUP_WORDS &&
				   (kind == WA_VECTOR_DECIMAL || table->scale == 0);
	}
}
