/*
 * records_few.c
 *		Records of few groups: the rows of a vector are added up by groups before
 *		they are taken.
 *
 * Rows next to each other are added to different numbers, as they are often of
 * the same group, and one addition would have to wait for the other.
 */
#include <string.h>

#include "query/records/records_internal.h"

#define LANES 4

/* Of WA_VECTOR_ROWS integers that lie from -LIMIT to LIMIT - 1 the sum fits. */
#define LIMIT ((uint64_t) 1 << 52)

/* Adds up the lanes of few groups' counts. */
static void
add_lanes(const uint32_t *lanes, uint32_t ngroups, uint32_t *counts)
{
	for (uint32_t group = 0; group < ngroups; group++)
	{
		counts[group] = 0;
		for (int lane = 0; lane < LANES; lane++)
			counts[group] += lanes[group * LANES + lane];
	}
}

void
wa_count_groups(const uint32_t *groups, size_t nrows, uint32_t ngroups,
				uint32_t *counts)
{
	uint32_t lanes[WA_FEW_GROUPS * LANES];
	size_t row = 0;

	memset(lanes, 0, ngroups * LANES * sizeof(uint32_t));
	for (; row + LANES <= nrows; row += LANES)
		for (int lane = 0; lane < LANES; lane++)
			lanes[groups[row + lane] * LANES + lane]++;
	for (; row < nrows; row++)
		lanes[groups[row] * LANES]++;
	add_lanes(lanes, ngroups, counts);
}

/*
 * Counts the rows that are not NULL; valid: 1 for those, 0 for others.  Returns
 * false if there are none.
 */
static bool
count_valid(const uint32_t *groups, const uint8_t *valid, size_t nrows,
			uint32_t ngroups, uint32_t *counts)
{
	uint32_t lanes[WA_FEW_GROUPS * LANES];
	uint8_t some = 0;

	memset(lanes, 0, ngroups * LANES * sizeof(uint32_t));
	for (size_t row = 0; row < nrows; row++)
	{
		lanes[groups[row] * LANES + row % LANES] += valid[row];
		some |= valid[row];
	}
	add_lanes(lanes, ngroups, counts);
	return some != 0;
}

/* Adds values up by groups; returns false if one is too large. */
static bool
add_up(const uint32_t *groups, const int64_t *values, size_t nrows,
	   uint32_t ngroups, int64_t *sums)
{
	uint64_t lanes[WA_FEW_GROUPS * LANES];
	uint64_t beyond = 0;
	size_t row = 0;

	memset(lanes, 0, ngroups * LANES * sizeof(uint64_t));
	for (; row + LANES <= nrows; row += LANES)
		for (int lane = 0; lane < LANES; lane++)
		{
			const uint64_t value = (uint64_t) values[row + lane];

			beyond |= value + LIMIT;
			lanes[groups[row + lane] * LANES + lane] += value;
		}
	for (; row < nrows; row++)
	{
		beyond |= (uint64_t) values[row] + LIMIT;
		lanes[groups[row] * LANES] += (uint64_t) values[row];
	}
	for (uint32_t group = 0; group < ngroups; group++)
	{
		uint64_t sum = 0;

		for (int lane = 0; lane < LANES; lane++)
			sum += lanes[group * LANES + lane];
		sums[group] = (int64_t) sum;
	}
	return beyond < 2 * LIMIT;
}

/* Takes rows that are only counted. */
static void
take_counts(WaRecordTable *table, const uint32_t *counts)
{
	for (uint32_t group = 0; group < table->ngroups; group++)
		wa_record_of(table, group)[0] += counts[group];
}

bool
wa_records_take_few(WaRecordTable *table, const uint32_t *groups,
					const uint32_t *counts, const WaVector *values,
					size_t nrows)
{
	uint32_t valid_counts[WA_FEW_GROUPS];
	int64_t sums[WA_FEW_GROUPS]; /* the value of a NULL is 0 */

	if (table->kind != NULL &&
		(values->wide || table->kind->take_sums == NULL ||
		 table->ops != WA_OP_BIT(WA_OP_SUM) || values->mixed ||
		 !add_up(groups, wa_vector_ints(values), nrows, table->ngroups, sums)))
		return false;
	if (values->has_nulls)
	{
		if (!count_valid(groups, values->valid, nrows, table->ngroups,
						 valid_counts))
			return true;
		counts = valid_counts;
	}
	if (table->kind != NULL)
		return table->kind->take_sums(table, counts, sums, values->scale);
	take_counts(table, counts);
	return true;
}
