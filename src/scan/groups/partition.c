/*
 * partition.c
 *		Parts of the groups of a query; see partition.h.
 *
 * Equal keys have equal hashes, whether they come in vectors or as values: a numeric is
 * hashed without the zeros at its end, a bpchar without trailing blanks, floats with
 * one zero and one NaN.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/fmgrprotos.h"

#include "scan/base/datum.h"
#include "scan/groups/partition.h"

/* What a NULL hashes to. */
#define NULL_HASH 0x6e756c6cu

static inline uint32
hash_word(uint64 word)
{
	return hash_combine(murmurhash32((uint32) word),
						murmurhash32((uint32) (word >> 32)));
}

/* Hashes an integer in units of 10^-scale. */
static uint32
hash_decimal(int64 value, int scale)
{
	if (value == 0)
		return hash_word(0);
	for (; scale > 0 && value % 10 == 0; scale--)
		value /= 10;
	return hash_combine(hash_word((uint64) value), (uint32) scale);
}

/* The same of a wide value: as of one that is not, if that is possible. */
static uint32
hash_wide(const WaGroupKey *key, const WaVector *vector, size_t row)
{
	__int128 value = wa_int128_get(wa_vector_wides(vector)[row]);
	int scale = vector->scale;

	for (; scale > 0 && value % 10 == 0; scale--)
		value /= 10;
	if (scale <= WA_DECIMAL_MAX_SCALE && value == (int64) value)
		return hash_decimal((int64) value, scale);
	return DatumGetUInt32(DirectFunctionCall1(
		hash_numeric, wa_vector_to_datum(key->type, key->kind, vector, row)));
}

static uint32
hash_float(double value)
{
	uint64 word;

	if (value == 0)
		value = 0;
	else if (isnan(value))
		value = NAN;
	memcpy(&word, &value, sizeof(word));
	return hash_word(word);
}

static uint32
hash_text(const WaGroupKey *key, WaText text)
{
	if (key->type == BPCHAROID)
		text = wa_text_trim(text);
	return hash_bytes((const unsigned char *) text.data, (int) text.length);
}

/* Returns the hash of a key that is not NULL. */
static uint32
hash_key(const WaGroupKey *key, const WaVector *vector, size_t row)
{
	switch (key->kind)
	{
		case WA_VECTOR_INT:
			return hash_word((uint64) wa_vector_ints(vector)[row]);
		case WA_VECTOR_FLOAT:
			return hash_float(wa_vector_floats(vector)[row]);
		case WA_VECTOR_DECIMAL:
			return vector->wide ? hash_wide(key, vector, row)
								: hash_decimal(wa_vector_ints(vector)[row],
											   vector->scale);
		case WA_VECTOR_BOOL:
			return hash_word(wa_vector_bools(vector)[row]);
		default:
			return hash_text(key, wa_vector_texts(vector)[row]);
	}
}

/*
 * Returns the hash of a wide value, of which some have room in a vector all the same: as of
 * what that holds.
 */
static uint32
hash_wide_value(const WaGroupKey *key, const WaQueryValue *value)
{
	const Datum datum = wa_group_datum(key, value);
	WaQueryValue stored;

	wa_group_value(key, datum, &stored);
	return stored.is_wide
			   ? DatumGetUInt32(DirectFunctionCall1(hash_numeric, datum))
			   : hash_decimal(stored.integer, stored.scale);
}

/* Returns the hash of a key that is a value and not NULL. */
static uint32
hash_value(const WaGroupKey *key, const WaQueryValue *value)
{
	switch (key->kind)
	{
		case WA_VECTOR_FLOAT:
			return hash_float(value->number);
		case WA_VECTOR_DECIMAL:
			return value->is_wide ? hash_wide_value(key, value)
								  : hash_decimal(value->integer, value->scale);
		case WA_VECTOR_TEXT:
			return hash_text(key, value->text);
		default:
			return hash_word((uint64) value->integer);
	}
}

uint32
wa_partition_hash_values(int nkeys, const WaGroupKey *keys,
						 const WaQueryValue *values)
{
	uint32 hash = 0;

	for (int i = 0; i < nkeys; i++)
		hash = hash_combine(hash, values[i].is_null
									  ? NULL_HASH
									  : hash_value(&keys[i], &values[i]));
	return hash;
}

uint32
wa_partition_hash(int nkeys, const WaGroupKey *keys, WaVector *const *vectors,
				  size_t row)
{
	uint32 hash = 0;

	for (int i = 0; i < nkeys; i++)
		hash = hash_combine(hash, wa_vector_is_valid(vectors[i], row)
									  ? hash_key(&keys[i], vectors[i], row)
									  : NULL_HASH);
	return hash;
}
