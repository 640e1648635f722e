/*
 * group_number.h
 *		The numerics that a group has, as numbers that have room for all of them.
 */
#ifndef WA_QUERY_GROUP_NUMBER_H
#define WA_QUERY_GROUP_NUMBER_H

#include "core/must_check.h"
#include "core/order_by.h"
#include "query/base/value.h"
#include "query/records/records.h"

/* A signed number in units of 10^-scale, lowest word first. */
typedef struct WaGroupNumber
{
	uint64_t words[WA_WIDE_SUM_WORDS];
	int scale;
} WaGroupNumber;

/* Stores a key of kind DECIMAL that is not NULL; false if it has more than 38 digits. */
extern WA_MUST_CHECK bool wa_group_number_of_key(const WaQueryValue *value,
												 WaGroupNumber *number);

/*
 * Stores what a record of DECIMAL has, which has rows: the sum, the smallest or the
 * largest value.  Returns false if the sum has no room.
 */
extern WA_MUST_CHECK bool
wa_group_number_of_record(WaOrderOf of, const WaRecord *record,
						  const WaRecordLayout *layout, WaGroupNumber *number);

/* Brings a number to a scale, not less than its own; false if it has no room then. */
extern WA_MUST_CHECK bool wa_group_number_raise(WaGroupNumber *number,
												int scale);

#endif /* WA_QUERY_GROUP_NUMBER_H */
