/*
 * limbs.h
 *		What exact sums and exact sums of squares have in common: fixed-point
 *		numbers as arrays of limbs that leave room for carries.
 *
 * Limb i has the weight 2^(32 i) of limb 0.  Normalized means that all limbs
 * but the last lie in [0, 2^32) and the last carries the sign.  This header is
 * for src/core only.
 */
#ifndef WA_CORE_LIMBS_H
#define WA_CORE_LIMBS_H

#include "core/exact_sum.h"

#define WA_LIMB_MASK ((int64_t) 0xffffffff)

/* Carries, so that the limbs are in their one normalized form. */
static inline void
wa_limbs_normalize(int64_t *limbs, int nlimbs)
{
	int64_t carry = 0;

	for (int i = 0; i < nlimbs - 1; i++)
	{
		int64_t limb = limbs[i] + carry;

		limbs[i] = limb & WA_LIMB_MASK;
		carry = limb >> WA_EXACT_LIMB_BITS;
	}
	limbs[nlimbs - 1] += carry;
}

/* Adds normalized limbs to normalized limbs, which stay so. */
static inline void
wa_limbs_merge(int64_t *into, const int64_t *from, int nlimbs)
{
	for (int i = 0; i < nlimbs; i++)
		into[i] += from[i];
	wa_limbs_normalize(into, nlimbs);
}

/* Tells whether the limbs are normalized and lowest <= their last <= 0. */
static inline bool
wa_limbs_are_sound(const int64_t *limbs, int nlimbs, int64_t lowest)
{
	for (int i = 0; i < nlimbs - 1; i++)
		if (limbs[i] < 0 || limbs[i] > WA_LIMB_MASK)
			return false;
	return limbs[nlimbs - 1] >= lowest && limbs[nlimbs - 1] <= 0;
}

/*
 * Adds magnitude * 2^position, or takes it away; the position counts from the
 * lowest bit of limb 0.  Each limb changes by less than 2^32.
 */
static inline void
wa_limbs_add(int64_t *limbs, unsigned __int128 magnitude, int position,
			 bool negative)
{
	int64_t *limb = limbs + position / WA_EXACT_LIMB_BITS;
	int shift = position % WA_EXACT_LIMB_BITS;
	int64_t sign = negative ? -1 : 1;

	*limb++ += sign * (int64_t) (uint32_t) (magnitude << shift);
	magnitude >>= WA_EXACT_LIMB_BITS - shift;
	for (; magnitude != 0; magnitude >>= WA_EXACT_LIMB_BITS)
		*limb++ += sign * (int64_t) (uint32_t) magnitude;
}

#endif /* WA_CORE_LIMBS_H */
