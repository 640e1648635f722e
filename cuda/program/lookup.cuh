//
// lookup.cuh
//		Looking numbers up in tables (lookup.h).
//
// All rows of a thread are on their way to memory before the first is looked at.
//
#ifndef WA_CUDA_PROGRAM_LOOKUP_CUH
#define WA_CUDA_PROGRAM_LOOKUP_CUH

#include <stdint.h>

#include "program/lookup.h"

// Returns the entry of an offset that is within the table.  The product is less
// than one entry off.
__device__ __forceinline__ uint64_t
wa_lookup_entry_of(const WaLookup &table, uint64_t offset)
{
	const uint64_t entry =
		(uint64_t) (int64_t) ((double) (int64_t) offset * table.inverse);
	const int64_t rest = (int64_t) (offset - entry * table.width);

	return entry - (rest < 0) + (rest >= (int64_t) table.width);
}

// Finds the entry of a number, 0 if there is none; tells whether there is one.
__device__ __forceinline__ bool
wa_lookup_find_entry(const WaLookup &table, int64_t x, uint64_t *entry)
{
	const uint64_t offset = (uint64_t) x - table.base;
	const bool inside = offset < table.span;

	*entry = inside ? offset : 0;
	if (table.width != 1)
		*entry = wa_lookup_entry_of(table, *entry);
	return inside;
}

// Stores the value at x in *value, something where there is none; returns what is known
// there, a WaEntryState.  The table has wide entries.
__device__ __forceinline__ uint8_t
wa_lookup_find(const WaLookup &table, int64_t x, int64_t *value)
{
	uint64_t entry;
	const bool inside = wa_lookup_find_entry(table, x, &entry);

	*value = __ldg(table.values + entry);
	return inside ? __ldg(table.known + entry) : (uint8_t) table.beyond;
}

// The rows of a thread: the numbers, which become values, and masks of those that are not
// known and those that are NULL.
template <unsigned kRows> struct WaLookupRows
{
	int64_t (&value)[kRows];
	unsigned wanted;
	unsigned unknown;
	unsigned null;

	__device__ __forceinline__ void
	note(unsigned row, uint8_t state)
	{
		unknown |= (unsigned) (state == WA_ENTRY_UNKNOWN) << row;
		null |= (unsigned) (state == WA_ENTRY_NULL) << row;
	}
};

// Looks rows up in a table of wide entries.
template <unsigned kRows>
__device__ __forceinline__ void
wa_lookup_wide(const WaLookup &table, WaLookupRows<kRows> &rows)
{
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		rows.note(i, wa_lookup_find(table, rows.value[i], &rows.value[i]));
}

// Likewise of narrow entries.
template <unsigned kRows>
__device__ __forceinline__ void
wa_lookup_narrow(const WaLookup &table, WaLookupRows<kRows> &rows)
{
	unsigned inside = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		uint64_t entry;

		inside |= (unsigned) wa_lookup_find_entry(table, rows.value[i], &entry)
				  << i;
		rows.value[i] = (rows.wanted >> i & 1) != 0
							? __ldg(table.narrow + entry)
							: WA_NARROW_NULL;
	}
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		const bool is_null = rows.value[i] == WA_NARROW_NULL;

		rows.note(i,
				  (inside >> i & 1) == 0
					  ? (uint8_t) table.beyond
					  : (uint8_t) (is_null ? WA_ENTRY_NULL : WA_ENTRY_VALUE));
	}
}

// Returns a slot: its key, and its value.
__device__ __forceinline__ longlong2
wa_lookup_load_slot(const WaLookup &table, uint64_t slot)
{
	return __ldg(reinterpret_cast<const longlong2 *>(table.slots) + slot);
}

// Likewise of slots (core/lookup_slots.h).
template <unsigned kRows>
__device__ __forceinline__ void
wa_lookup_slots(const WaLookup &table, WaLookupRows<kRows> &rows)
{
	longlong2 found[kRows];

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		found[i] = (rows.wanted >> i & 1) != 0
					   ? wa_lookup_load_slot(
							 table, wa_lookup_hash(rows.value[i]) & table.span)
					   : longlong2{0, WA_FREE_SLOT};
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		uint64_t slot = wa_lookup_hash(rows.value[i]);

		while (found[i].y >= 0 && found[i].x != rows.value[i])
			found[i] = wa_lookup_load_slot(table, ++slot & table.span);
		rows.value[i] = found[i].y;
		rows.note(i, found[i].y < 0 ? WA_ENTRY_NULL : WA_ENTRY_VALUE);
	}
}

// Looks rows up; those that are not wanted may be anything.
template <unsigned kRows>
__device__ __forceinline__ void
wa_lookup_rows(const WaLookup &table, WaLookupRows<kRows> &rows)
{
	if (table.slots != NULL)
		wa_lookup_slots(table, rows);
	else if (table.narrow != NULL)
		wa_lookup_narrow(table, rows);
	else
		wa_lookup_wide(table, rows);
}

#endif // WA_CUDA_PROGRAM_LOOKUP_CUH
