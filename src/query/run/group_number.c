/*
 * group_number.c
 *		The numerics that a group has; see group_number.h.
 */
#include <string.h>

#include "core/decimal.h"
#include "query/groups/group_decimal.h"
#include "query/run/group_number.h"

/* Stores a number of up to 128 bits. */
static void
store(__int128 value, int scale, WaGroupNumber *number)
{
	const uint64_t sign = value < 0 ? UINT64_MAX : 0;

	number->words[0] = (uint64_t) value;
	number->words[1] = (uint64_t) ((unsigned __int128) value >> 64);
	number->words[2] = sign;
	number->words[3] = sign;
	number->scale = scale;
}

bool
wa_group_number_of_key(const WaQueryValue *value, WaGroupNumber *number)
{
	const int scale = wa_decimal_least_scale(value);
	__int128 whole;

	if (!wa_decimal_number(value, scale, &whole))
		return false;
	store(whole, scale, number);
	return true;
}

bool
wa_group_number_raise(WaGroupNumber *number, int scale)
{
	const int digits = scale - number->scale;

	number->scale = scale;
	return wa_wide_sum_raise(number->words, digits);
}

/* Stores the sum of the rows of a record that are not wide. */
static void
store_narrow_sum(const WaRecord *record, const WaRecordLayout *layout,
				 WaGroupNumber *number)
{
	WaInt128 sum;

	memcpy(&sum, record->words + layout->sum, sizeof(sum));
	store(wa_int128_get(sum), record->scale, number);
}

/* Adds the sum of the wide rows. */
static bool
add_wide_sum(const WaWideRest *rest, WaGroupNumber *number)
{
	WaGroupNumber wide = {.scale = rest->scale};
	const int scale = wide.scale > number->scale ? wide.scale : number->scale;

	memcpy(wide.words, rest->sum, sizeof(wide.words));
	return wa_group_number_raise(number, scale) &&
		   wa_group_number_raise(&wide, scale) &&
		   wa_wide_sum_add(number->words, wide.words);
}

/* Stores the smallest or the largest value of a record. */
static void
store_extreme(bool is_min, const WaRecord *record, const WaRecordLayout *layout,
			  WaGroupNumber *number)
{
	const WaWideExtreme *wide = NULL;
	WaDecimalHeader header;
	__int128 value = 0;
	int scale = 0;

	if (record->wide != NULL)
		wide = is_min ? &record->wide->min : &record->wide->max;
	if (wa_record_has_narrow(record))
	{
		memcpy(&header, record->words + layout->header, sizeof(header));
		value = (int64_t) record->words[is_min ? layout->min : layout->max];
		scale = is_min ? header.min_scale : header.max_scale;
	}
	if (wide != NULL &&
		(!wa_record_has_narrow(record) ||
		 (wa_wide_decimal_compare(wa_int128_get(wide->value), wide->scale,
								  value, scale) < 0) == is_min))
	{
		value = wa_int128_get(wide->value);
		scale = wide->scale;
	}
	store(value, scale, number);
}

bool
wa_group_number_of_record(WaOrderOf of, const WaRecord *record,
						  const WaRecordLayout *layout, WaGroupNumber *number)
{
	if (of != WA_ORDER_SUM)
	{
		store_extreme(of == WA_ORDER_MIN, record, layout, number);
		return true;
	}
	store_narrow_sum(record, layout, number);
	return record->wide == NULL || add_wide_sum(record->wide, number);
}
