/*
 * run_internal.h
 *		The inside of a run of a query.
 *
 * The parts of a query are its clauses of WHERE, and, after them, what keys and
 * columns need.  An input becomes a vector when a part reads it, of the rows that
 * are left then; what only compares texts with constants, or groups by them, gets
 * codes instead.
 */
#ifndef WA_QUERY_RUN_INTERNAL_H
#define WA_QUERY_RUN_INTERNAL_H

#include "core/must_check.h"
#include "query/message/partial_groups.h"
#include "query/run/query_batch.h"
#include "query/run/run.h"

/* How an input is read, bit by bit. */
typedef uint8_t WaInputUse;

#define WA_USE_CODES  ((WaInputUse) 1) /* TEXT: codes, and which are NULL */
#define WA_USE_VALUES ((WaInputUse) 2)

/*
 * An instruction over codes: a comparison of a TEXT input with a constant, whose
 * results codes have, or a look-up of or by codes.
 */
typedef struct WaTextTest
{
	uint32_t instruction;
	uint16_t input;             /* also of a look-up: INT or TEXT */
	uint8_t *results;           /* by code, 0 while it is unknown */
	const WaLookupTable *table; /* NULL: it is a comparison */
	WaTextCodes texts;          /* of the table, if it has some, */
	int32_t *codes;             /* and the rows' among them; else NULL */
} WaTextTest;

struct WaQueryRun
{
	const WaQuery *query;
	WaArena *arena;
	WaVector *registers;
	WaVector **key_vectors;
	WaQueryBatch *batch;
	WaQueryGroups *groups;  /* NULL: there is one group */
	WaRecordTable **tables; /* of the columns */
	WaPartialColumn *columns;
	WaPartialShape shape;
	uint64_t *chosen; /* a bit for each group that is written; NULL: all are */
	uint64_t rows;
	bool is_plain; /* see wa_query_run_is_plain */

	/* Parts, once the groups are sorted by them */
	uint32_t *sorted;    /* groups */
	uint32_t *part_ends; /* where in these a part ends */

	/* Inputs */
	bool begun;            /* there have been rows */
	WaVector *memory;      /* vectors with memory of their own */
	int32_t **code_memory; /* of TEXT */
	const int32_t **codes; /* of TEXT, where they are there */
	WaInputUse *uses;      /* in part after part */
	WaInputUse *there;     /* what has been made of the batch's rows */
	WaTextTest *tests;     /* in the order of their instructions */
	uint32_t ntests;
	const WaColumnRows *inputs; /* the rows of the batch */
	const uint16_t *selected;   /* rows of the batch that are left; NULL: all */

	uint32_t numbers[WA_VECTOR_ROWS]; /* the rows' groups */
	uint32_t counts[WA_FEW_GROUPS];   /* rows of each, if they are few */
	uint16_t left[WA_VECTOR_ROWS];    /* what selected points to */
};

/*
 * Finds out what the parts of the query read; the registers are there.  Returns
 * false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_run_inputs_make(WaQueryRun *run);

/* Begins with all rows of a batch; returns false if there is not enough memory. */
extern WA_MUST_CHECK bool wa_run_inputs_begin(WaQueryRun *run,
											  const WaColumnRows *rows);

/* Returns what reads the rows of batches that were begun with. */
extern WaBatchReader wa_run_inputs_reader(WaQueryRun *run);

/*
 * Returns the codes of a register that is TEXT, and of what texts they are; NULL if
 * it has none that are to be used.
 */
extern const int32_t *wa_run_codes(const WaQueryRun *run, uint32_t number,
								   const WaTextCodes **texts);

/* Merges groups of another run of the same query, which has keys. */
extern WA_MUST_CHECK WaRunOutcome wa_run_merge_groups(WaQueryRun *into,
													  WaQueryRun *from,
													  const uint32_t *theirs,
													  size_t ntheirs);

/* Returns how a column fares that has taken something. */
extern WaRunOutcome wa_query_run_outcome(const WaQueryRun *run,
										 const WaRecordTable *table);

#endif /* WA_QUERY_RUN_INTERNAL_H */
