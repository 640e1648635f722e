/*
 * store_sums.c
 *		What all extents have of columns; see store_sums.h.
 */
#include "daemon/store/store_sums.h"
#include "daemon/store/store_find.h"

const WaResidency wa_sums_nothing = {.smallest = INT64_MAX,
									 .largest = INT64_MIN};

uint32_t
wa_sums_count_odd(const WaExtent *extent, const uint64_t *odd, uint64_t *rows)
{
	const WaLayout *layout = extent->layout;
	uint32_t blocks = 0;

	*rows = 0;
	for (uint32_t i = 0; i < layout->nblocks; i++)
	{
		if (!wa_bits_get(odd, i) || !wa_bits_get(extent->cached, i))
			continue;
		blocks++;
		*rows += wa_rows_of_block(layout->row_end, i);
	}
	return blocks;
}

void
wa_sums_add_column(const WaExtent *extent, uint32_t place, int sign)
{
	const WaColumn *column = wa_map_column(extent, place);
	WaResidency *all = &extent->relation->records[place].all;
	uint64_t rows = 0;
	uint32_t blocks = 0;

	if (column == NULL)
		return;
	if (column->has_odd)
		blocks = wa_sums_count_odd(extent, column->odd, &rows);
	all->blocks +=
		(uint64_t) (sign * ((int64_t) extent->cached_blocks - blocks));
	all->odd_blocks += (uint64_t) (sign * (int64_t) blocks);
	all->rows +=
		(uint64_t) (sign * ((int64_t) extent->cached_rows - (int64_t) rows));
	all->bytes += (uint64_t) (sign * (int64_t) column->bytes);
	if (sign > 0 && column->smallest < all->smallest)
		all->smallest = column->smallest;
	if (sign > 0 && column->largest > all->largest)
		all->largest = column->largest;
}

void
wa_sums_add(const WaExtent *extent, int sign)
{
	for (uint32_t i = 0; i < extent->room; i++)
		wa_sums_add_column(extent, i, sign);
}
