/*
 * lookup_slots.c
 *		Slots of look-up tables; see lookup_slots.h.
 */
#include <string.h>

#include "core/lookup_slots.h"

/* Two of three slots are taken at most: then a key is found by two probes or three. */
#define TAKEN 2
#define OF    3

uint64_t
wa_lookup_slots_count(uint64_t nkeys)
{
	uint64_t count = 2;

	if (nkeys > UINT64_MAX / OF / 2)
		return 0;
	while (count * TAKEN < nkeys * OF)
		count *= 2;
	return count;
}

void
wa_lookup_slots_clear(WaLookupSlot *slots, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		slots[i] = (WaLookupSlot){0, WA_FREE_SLOT};
}

bool
wa_lookup_slots_add(WaLookupSlot *slots, uint64_t count, int64_t key,
					int64_t value)
{
	WaLookupSlot *slot = &slots[wa_lookup_slot_of(slots, count, key)];

	if (slot->value >= 0)
		return false;
	*slot = (WaLookupSlot){key, value};
	return true;
}

bool
wa_lookup_slots_are_sound(const WaLookupSlot *slots, uint64_t count)
{
	uint64_t nfree = 0;

	if (count == 0 || (count & (count - 1)) != 0)
		return false;
	for (uint64_t i = 0; i < count; i++)
		nfree += slots[i].value < 0;
	return nfree > 0;
}
