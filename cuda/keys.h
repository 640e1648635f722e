//
// keys.h
//		From the keys of GROUP BY, columns in device memory, to the numbers of
//		groups, which wa_group_start (groups.h) takes.
//
// A key is a word: the integer of INT and DECIMAL, the code of TEXT, 0 or 1 of
// BOOL, the bits of FLOAT, where -0 is 0 and all NaNs are one; or, of values of 128
// bits (I128), a half, from its first row on: such a key takes two columns.  Rows are of
// one group if their words are the same and the same keys are NULL.
//
//	direct	the keys' ranges are known and small, taken together: a number for
//			each combination; also of what stands for a key in a table
//	hash	a table in device memory; numbers are dense
//
// Which number a group gets by hashing depends on how threads run; which rows
// make a group, and the first of them, does not.
//
// Use, with all memory the caller's:
//
//	if (wa_keys_plan_direct(&keys, ranges, max_groups, &plan) != cudaSuccess)
//		wa_keys_plan_hash(&keys, max_groups, &plan);
//	wa_keys_start(&keys, &plan, &memory, multiprocessors, stream);
//	wait, and copy the status: if it is full, try again with more groups;
//	copy the first rows.
//
#ifndef WA_CUDA_KEYS_H
#define WA_CUDA_KEYS_H

#include <cuda_runtime.h>

#include "program/code.h"
#include "program/lookup.h"

// Keys, rows and groups of one launch at most, and words that entries have.
#define WA_KEYS_MAX         32
#define WA_KEYS_MAX_ENTRIES 4095
#define WA_KEYS_MAX_ROWS    ((size_t) 1 << 30)
#define WA_KEYS_MAX_GROUPS  ((uint32_t) 1 << 24)

// The number of rows that are of no group.
#define WA_KEYS_NO_GROUP 0xffffffffu

typedef struct WaKeyColumn
{
	WaColumnForm form;
	const void *d_values; // aligned to their width; BITS, I128: to 8 bytes
	const uint64_t *d_validity; // NULL: no row is NULL
} WaKeyColumn;

// A table (core/lookup_table.h) of the words that stand for those of the only key: from 0 on,
// less than WA_KEYS_MAX_ENTRIES.  Rows at whose word it is not known have no group; it is
// NULL nowhere.
typedef struct WaKeyLookup
{
	WaLookup table; // of wide entries
	uint64_t *
		d_traps; // a bit for each WA_PROGRAM_TILE_ROWS rows: some of these are such
} WaKeyLookup;

// What to number.
typedef struct WaKeys
{
	const WaKeyColumn *columns;
	unsigned ncolumns;           // 1 to WA_KEYS_MAX
	const uint64_t *d_selection; // rows that are of no group; NULL: none is
	size_t nrows;
	const WaKeyLookup *lookup; // NULL, or of one key, I32 or I64
} WaKeys;

// The words of a key that are not NULL lie between these.
typedef struct WaKeyRange
{
	int64_t smallest;
	int64_t largest;
} WaKeyRange;

typedef enum WaKeysMethod
{
	WA_KEYS_DIRECT,
	WA_KEYS_HASH
} WaKeysMethod;

// How rows are numbered.  Callers read what comes before the base.
typedef struct WaKeysPlan
{
	WaKeysMethod method;
	uint32_t ngroups;          // all numbers are below
	size_t workspace_bytes;    // of device memory; may be 0
	int64_t base[WA_KEYS_MAX]; // direct: the smallest word
	uint8_t shift[WA_KEYS_MAX + 1];
	uint32_t nslots; // hash; a power of two
} WaKeysPlan;

// How it went.
typedef struct WaKeysStatus
{
	uint32_t ngroups; // hash: numbers that were given out
	uint32_t failed;  // not 0: there are more groups than planned for, or words
					  // beyond their range; the numbers are good for nothing
} WaKeysStatus;

// The memory of a run, from the caller's pools.
typedef struct WaKeysMemory
{
	void *d_workspace;      // plan.workspace_bytes, aligned to 8
	uint32_t *d_groups;     // the number of each row
	uint32_t *d_first_rows; // by number; WA_KEYS_NO_GROUP: there is no row
	WaKeysStatus *d_status;
} WaKeysMemory;

// Returns the range of the words that values of a form have.
WaKeyRange wa_keys_form_range(WaColumnForm form);

// Plans numbers of combinations; the range of a key with entries is that of their words.
// cudaErrorNotSupported if there would be more than max_groups; cudaErrorInvalidValue if
// the keys break their contract.
cudaError_t wa_keys_plan_direct(const WaKeys *keys, const WaKeyRange *ranges,
								uint32_t max_groups, WaKeysPlan *plan);

// Plans a table for up to max_groups groups.  cudaErrorInvalidValue likewise.
cudaError_t wa_keys_plan_hash(const WaKeys *keys, uint32_t max_groups,
							  WaKeysPlan *plan);

// Starts the numbering, with no allocation and no synchronisation.
cudaError_t wa_keys_start(const WaKeys *keys, const WaKeysPlan *plan,
						  const WaKeysMemory *memory, int multiprocessors,
						  cudaStream_t stream);

#endif // WA_CUDA_KEYS_H
