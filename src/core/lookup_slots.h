/*
 * lookup_slots.h
 *		Look-up tables of integers that lie far apart: open addressing with linear
 *		probing (D. E. Knuth, The Art of Computer Programming, vol. 3, section 6.4,
 *		algorithm L).
 *
 * Their number is a power of two, and one of them at least is free.
 */
#ifndef WA_CORE_LOOKUP_SLOTS_H
#define WA_CORE_LOOKUP_SLOTS_H

#include "core/types.h"

/* A key with its value, which is not negative; or a slot that is free. */
typedef struct WaLookupSlot
{
	int64_t key;
	int64_t value;
} WaLookupSlot;

/* The value in a slot that is free, or of a key that is not there. */
#define WA_FREE_SLOT (-1)

/* Mixes the bits of a key (MurmurHash3's finalizer, A. Appleby). */
WA_INLINE uint64_t
wa_lookup_hash(int64_t key)
{
	uint64_t hash = (uint64_t) key;

	hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
	hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 33;
}

/* Returns the slot of a key, or the free one where it would be. */
WA_INLINE uint64_t
wa_lookup_slot_of(const WaLookupSlot *slots, uint64_t count, int64_t key)
{
	uint64_t slot = wa_lookup_hash(key) & (count - 1);

	while (slots[slot].value >= 0 && slots[slot].key != key)
		slot = (slot + 1) & (count - 1);
	return slot;
}

#ifdef __cplusplus
extern "C"
{
#endif

/* Returns how many slots so many keys are to have; of too many keys 0. */
uint64_t wa_lookup_slots_count(uint64_t nkeys);

/* Makes all slots free. */
void wa_lookup_slots_clear(WaLookupSlot *slots, uint64_t count);

/* Adds a key, unless it is there already; returns false then. */
bool wa_lookup_slots_add(WaLookupSlot *slots, uint64_t count, int64_t key,
						 int64_t value);

/* Tells whether slots are what this file says. */
bool wa_lookup_slots_are_sound(const WaLookupSlot *slots, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_LOOKUP_SLOTS_H */
