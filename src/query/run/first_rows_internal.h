/*
 * first_rows_internal.h
 *		The first rows of a query, as first_rows.c and first_rows_mark.c have them.
 */
#ifndef WA_QUERY_FIRST_ROWS_INTERNAL_H
#define WA_QUERY_FIRST_ROWS_INTERNAL_H

#include "query/run/first_rows.h"

/* The rank of NULLs, or its negative: no value has one as large. */
#define NULL_RANK ((__int128) 1 << 126)

typedef __int128 Rank;

/* A row, while some are chosen. */
typedef struct Entry
{
	Rank rank; /* by the first order */
	uint32_t number;
} Entry;

struct WaFirstRows
{
	const WaQuery *query;
	size_t norders;
	size_t nkeys;
	size_t limit;
	size_t count;         /* of the rows that are kept */
	size_t room;          /* for rows */
	Rank *ranks;          /* of each, by each order */
	WaQueryValue *values; /* of each, its keys */
	Entry *entries;       /* of the rows, while some are chosen */
	uint8_t *is_chosen;   /* likewise */
	uint64_t random;
	bool has_last;
	Rank last[WA_MAX_ORDERS];
	Rank candidates[WA_VECTOR_ROWS]; /* ranks of rows by the first order */

	/* If the first row of each part is wanted: */
	WaArena *arena;
	size_t nparts;   /* orders that tell parts apart; 0: there are no parts */
	size_t most;     /* that are kept */
	size_t nslots;   /* a power of two */
	uint32_t *slots; /* one more than the number of a row; 0: free */
	bool is_full;
};

#endif /* WA_QUERY_FIRST_ROWS_INTERNAL_H */
