/*
 * query.h
 *		A query over vectors: what is computed, by what it is grouped, and what
 *		is aggregated.
 *
 * A query consists of a program (core/program.h) and of the numbers of its
 * registers.  A batch of rows goes through it like this: the first registers,
 * its inputs, are filled.  Clause after clause of WHERE runs its instructions,
 * and of the inputs the rows are kept for which its register is true.  Then the
 * instructions from begin to end - 1 compute keys, arguments and conditions of
 * the rows that are left.  Instructions read inputs, constants, and what others
 * have computed before them for the same clause, or from begin on.
 *
 * Where tables are made, rows whose first key is NULL are dropped.  The others are numbered
 * from 0 on, in the order of that key.  If it may be that of several rows, any of these
 * counts, and there are no other keys.
 */
#ifndef WA_QUERY_QUERY_H
#define WA_QUERY_QUERY_H

#include "core/must_check.h"
#include "core/order_by.h"
#include "core/program.h"
#include "core/ranks.h"
#include "query/groups/groups.h"

/* A clause of WHERE: instructions begin to end - 1 leave it in a register. */
typedef struct WaQueryFilter
{
	uint32_t begin;
	uint32_t end;
	uint16_t number;
	uint16_t unused; /* 0 */
} WaQueryFilter;

/* A register that has one value in all rows. */
typedef struct WaQueryConstant
{
	uint16_t number;
	WaQueryValue
		value; /* the scale of a DECIMAL is that with which it is shown */
} WaQueryConstant;

/* An aggregated column: all aggregates over the same rows and values share it. */
typedef struct WaQueryColumn
{
	int argument; /* its register, of the kind; -1: rows are counted */
	int filter;   /* -1: none */
	WaVectorKind kind;
	WaOpSet ops; /* for which there are records; 0: values are counted */
} WaQueryColumn;

/*
 * How groups are rolled up: those that are the same but for key number column.argument are one,
 * and values of that key, but for NULL, are taken.
 *
 * Without ranks that is each once, in a column of this kind behind the others: of an INT, or values
 * are counted.  With ranks a column stands behind the others for each, which has one value at
 * most, by WA_OP_MIN: of FLOAT for a FLOAT, else of INT, for an INT or a BOOL.  Then the query
 * counts rows, in a column without argument and filter.
 */
typedef struct WaQueryRolled
{
	WaQueryColumn column;
	uint32_t nranks;
	uint32_t descends; /* 0 or 1: the order of the values */
	const WaQueryRank *ranks;
} WaQueryRolled;

/* Returns how many columns stand behind the others. */
static inline uint32_t
wa_query_rolled_columns(const WaQueryRolled *rolled)
{
	return rolled->nranks == 0 ? 1 : rolled->nranks;
}

typedef struct WaQuery
{
	WaProgram program; /* without calls */
	uint32_t nlists;   /* of the program */
	uint32_t ntables;  /* likewise */
	uint16_t ninputs;
	uint32_t nconstants;
	const WaQueryConstant *constants;
	uint32_t nfilters;
	const WaQueryFilter *filters;
	uint32_t begin; /* instructions for keys and columns */
	uint32_t end;
	uint32_t nkeys; /* 0: there is one group */
	const WaQueryKey *keys;
	const uint16_t *key_numbers; /* their registers */
	uint32_t ncolumns;
	const WaQueryColumn *columns;
	WaTopN top_n;     /* of the groups, if the rows are all there are */
	bool only_wanted; /* else there is no use in an answer */

	uint32_t
		max_groups; /* with more there is no use in an answer; 0: there is */

	/*
	 * Rows that are left become tables that are kept, in place of groups: of the first key,
	 * which is an INT, one from it to the number of its row, and of each other key one from
	 * that number to its value; nkeys digests.  NULL: groups are wanted.
	 */
	const WaTableDigest *made;
	bool
		is_unique; /* no two rows have a key, or there is no use in an answer */

	/*
	 * If the rows are all there are, groups are rolled up, and it is what they become that top_n
	 * is about.  NULL: they are not.
	 */
	const WaQueryRolled *rolled;

	/*
	 * Groups of rows that whoever has the others is to add to those of these: words of a message
	 * of groups (query/message/partial_groups.h).  Where rows become tables, each is a row.
	 */
	size_t nrest;
	const uint64_t *rest;
} WaQuery;

/* No more tables are made of rows. */
#define WA_QUERY_MAX_MADE 256

/* No more groups are wanted, if not all. */
#define WA_QUERY_MAX_TOP_N 1000000

/* A query has no more keys or columns. */
#define WA_QUERY_MAX_PARTS 4096

/*
 * Tells whether a query is what this file says, so that nothing can go wrong
 * when it runs.  Its counts are those of what its pointers lead to.  scratch:
 * memory for a byte a register.
 */
extern WA_MUST_CHECK bool wa_query_is_sound(const WaQuery *query,
											uint8_t *scratch);

/* Tells whether an instruction of the query may trap. */
extern bool wa_query_may_trap(const WaQuery *query);

#endif /* WA_QUERY_QUERY_H */
