/*
 * partition.h
 *		Parts of the groups of a query, for when they do not all fit the memory.
 *
 * A partition is the groups whose keys have hashes with given low bits.  When
 * the groups of a partition outgrow the memory, it is halved and the table read
 * again for each half: nothing is written to disk.
 */
#ifndef WA_SCAN_PARTITION_H
#define WA_SCAN_PARTITION_H

#include "scan/group_datum.h"

/* The groups whose keys' hash has the bits `value` under `mask`. */
typedef struct WaPartition
{
	uint32 mask;
	uint32 value;
} WaPartition;

/*
 * Writes the numbers of the rows that belong to the partition to selection,
 * ascending.  Returns how many there are.
 */
extern size_t wa_partition_select(const WaPartition *partition, int nkeys,
								  const WaGroupKey *keys,
								  WaVector *const *vectors, size_t nrows,
								  uint16_t *selection);

/* Tells whether a row whose keys are values of SQL belongs to the partition. */
extern bool wa_partition_has(const WaPartition *partition, int nkeys,
							 const WaGroupKey *keys, const Datum *values,
							 const bool *nulls);

#endif /* WA_SCAN_PARTITION_H */
