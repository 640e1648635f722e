/*
 * partition.h
 *		Parts of the groups of a query, for when they do not all fit the memory.
 *
 * A partition is the groups whose keys have hashes with given low bits.  One that
 * is still too large is divided by the bits that follow.
 */
#ifndef WA_SCAN_PARTITION_H
#define WA_SCAN_PARTITION_H

#include "scan/groups/group_datum.h"

/* Bits of a hash. */
#define WA_PARTITION_MAX_BITS 32

/* The groups whose keys' hash has the value in its lowest bits; 0 bits: all. */
typedef struct WaPartition
{
	int bits;
	uint32 value;
} WaPartition;

/* Returns the hash of the keys of a row of vectors. */
extern uint32 wa_partition_hash(int nkeys, const WaGroupKey *keys,
								WaVector *const *vectors, size_t row);

/* Returns the same hash of keys that are values. */
extern uint32 wa_partition_hash_values(int nkeys, const WaGroupKey *keys,
									   const WaQueryValue *values);

#endif /* WA_SCAN_PARTITION_H */
