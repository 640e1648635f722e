/*
 * run_internal.h
 *		The inside of a run of a query.
 *
 * The parts of a query are its clauses of WHERE, and, after them, what keys and
 * columns need.  An input becomes a vector when a part reads it, of the rows that
 * are left then.
 */
#ifndef WA_QUERY_RUN_INTERNAL_H
#define WA_QUERY_RUN_INTERNAL_H

#include "core/must_check.h"
#include "query/message/partial_groups.h"
#include "query/run/first_rows.h"
#include "query/run/query_batch.h"
#include "query/run/run.h"
#include "query/run/run_conditions.h"
#include "query/run/run_rows.h"
#include "query/run/value_list.h"

struct WaQueryRun
{
	const WaNumberedQuery *numbered;
	const WaQuery *query; /* without texts */
	WaArena *arena;
	WaVector *registers;
	WaVector **key_vectors;
	WaQueryBatch *batch;
	WaQueryGroups *groups;  /* NULL: there is one group */
	WaRecordTable **tables; /* of the columns */
	WaFirstRows *first;     /* rows that are groups of their own; or NULL */
	bool skips_rows;        /* those of no use need not go through the query */
	WaRunRows *made;   /* rows that become tables; NULL: groups are wanted */
	WaValueList *list; /* values in place of the last columns, or NULL */
	WaPartialColumn *columns;
	WaPartialShape shape;
	uint64_t *chosen; /* a bit for each group that is written; NULL: all are */
	uint64_t rows;
	bool is_plain; /* see wa_query_run_is_plain */

	/* Parts, once the groups are sorted by them */
	uint32_t *sorted;    /* groups */
	uint32_t *part_ends; /* where in these a part ends */

	/* Inputs */
	WaVector *memory; /* vectors with memory of their own */
	bool *uses;       /* which are read, in part after part */
	bool *there;      /* of which there are vectors of the batch's rows */
	const WaColumnRows *inputs; /* the rows of the batch */
	const uint16_t *selected;   /* rows of the batch that are left; NULL: all */
	const WaRunCondition *conditions; /* of the clauses */

	uint32_t numbers[WA_VECTOR_ROWS]; /* the rows' groups */
	uint32_t counts[WA_FEW_GROUPS];   /* rows of each, if they are few */
	uint16_t left[WA_VECTOR_ROWS];    /* what selected points to */
};

/*
 * Finds out what the parts of the query read; the registers are there.  Returns
 * false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_run_inputs_make(WaQueryRun *run);

/* Begins with all rows of a batch. */
extern void wa_run_inputs_begin(WaQueryRun *run, const WaColumnRows *rows);

/*
 * Leaves only rows that may be among the first that are wanted, as far as the first order
 * tells without a vector; returns how many.
 */
extern size_t wa_run_inputs_skip(WaQueryRun *run, size_t nrows);

/* Makes vectors of some inputs, of the rows that are left. */
extern void wa_run_inputs_read(WaQueryRun *run, const uint16_t *numbers,
							   uint32_t count, size_t nrows);

/* Brings the rows that are left, for which all has been computed, into their groups. */
extern WA_MUST_CHECK WaRunOutcome wa_query_run_take_left(WaQueryRun *run,
														 size_t nrows);

/* Returns what reads the rows of batches that were begun with. */
extern WaBatchReader wa_run_inputs_reader(WaQueryRun *run);

/* Merges groups of another run of the same query, which has keys. */
extern WA_MUST_CHECK WaRunOutcome wa_run_merge_groups(WaQueryRun *into,
													  WaQueryRun *from,
													  const uint32_t *theirs,
													  size_t ntheirs);

/*
 * Merges what others have of a column for groups theirs[i] with what groups numbers[i] of the
 * run have of theirs.
 */
extern WA_MUST_CHECK WaRunOutcome wa_query_run_merge_column(
	WaQueryRun *into, uint32_t number, WaRecordTable *others,
	const uint32_t *theirs, size_t ntheirs);

/* Returns how a column fares that has taken something. */
extern WaRunOutcome wa_query_run_outcome(const WaQueryRun *run,
										 const WaRecordTable *table);

#endif /* WA_QUERY_RUN_INTERNAL_H */
