//
// numbers.h
//		The groups of a query: their numbers, and their keys.
//
// Rows get the numbers of their groups by wa_keys_start (keys.h), or, if there
// are many groups and the first of them alone are wanted, by sorting the rows.
//
#ifndef WA_CUDA_QUERY_NUMBERS_H
#define WA_CUDA_QUERY_NUMBERS_H

#include "keys.h"
#include "query/work.h"

// What is in pinned memory is there once the stream has been waited for.
struct WaQueryNumbers
{
	bool trapped;           // found out while there was something to wait for
	bool has_holes;         // there may be numbers without rows
	uint32_t ngroups;       // all numbers are below
	uint32_t *d_groups;     // of the rows; NULL: no source has use for them
	uint32_t *d_starts;     // sorted: rows before each group, and all; or NULL
	uint32_t *d_first_rows; // of the groups; WA_KEYS_NO_GROUP: it has no rows
	const WaKeysStatus *status; // in pinned memory
};

// What rows are numbered by: a word for each key, two if it has 128 bits, and the digits
// of a DECIMAL that shows them in several ways.  A FLOAT is its bits then.  So keys that
// are equal, but look different, are those of several groups, and whoever takes these
// can tell.  If the first groups alone are wanted, groups have to be whole: equal floats
// are of one.
struct WaQueryWords
{
	unsigned count;
	WaKeyColumn columns[WA_KEYS_MAX];
	bool has_range[WA_KEYS_MAX];
	WaKeyRange ranges[WA_KEYS_MAX];
};

// Some groups of a query, in device memory.
struct WaQueryChoice
{
	const uint32_t *d_groups; // their numbers; NULL: 0, 1, ...
	uint32_t count;
};

// Starts the numbering of the rows.  If it has to find out how many groups there
// are, it waits; then rows may turn out to have trapped.
void wa_query_number(WaQueryWork *work, WaQueryNumbers *numbers);

// Numbers the rows by sorting them, and waits.  The rows that WHERE leaves are
// known, at least one.
void wa_query_number_sorted(WaQueryWork *work, const WaQueryWords *words,
							WaQueryNumbers *numbers);

// Returns the column that a key is.
WaKeyColumn wa_query_key_column(const WaQuerySource *source);

// Stores the range of a key's words in *range; false if it is not known.
bool wa_query_key_range(const WaQuerySource *source, WaKeyRange *range);

#endif // WA_CUDA_QUERY_NUMBERS_H
