/*
 * ranks.h
 *		What is wanted of the values of a group in their order, as of PostgreSQL's ordered-set
 *		aggregates.
 */
#ifndef WA_CORE_RANKS_H
#define WA_CORE_RANKS_H

#include <stdint.h>

typedef enum WaQueryRankKind
{
	WA_QUERY_RANK_DISC, /* percentile_disc of the fraction */
	WA_QUERY_RANK_CONT, /* percentile_cont */
	WA_QUERY_RANK_MODE, /* mode */
	WA_QUERY_RANK_KINDS
} WaQueryRankKind;

typedef struct WaQueryRank
{
	uint64_t kind;
	double fraction; /* from 0 to 1; of a mode, 0 */
} WaQueryRank;

/* No more of them are wanted of one group. */
#define WA_QUERY_MAX_RANKS 256

#endif /* WA_CORE_RANKS_H */
