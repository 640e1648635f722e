/*
 * run.h
 *		Running a query (query/texts/text_numbers.h) over batches of rows, on one CPU thread.
 *
 * Whoever has the rows says where their columns lie, for at most WA_VECTOR_ROWS
 * of them at a time.  In the end the groups of several runs are merged, and
 * written for the process that asked for them (query/message/partial_groups.h); or, if
 * rows become tables, these are made of them (row_tables.h), and nothing below that is
 * about groups is called.
 */
#ifndef WA_QUERY_RUN_H
#define WA_QUERY_RUN_H

#include "core/must_check.h"
#include "query/base/column_rows.h"
#include "query/base/wire.h"
#include "query/records/records.h"
#include "query/run/run_rows.h"
#include "query/run/value_list.h"
#include "query/texts/text_numbers.h"

typedef struct WaQueryRun WaQueryRun;

typedef enum WaRunOutcome
{
	WA_RUN_TAKEN,     /* all went well */
	WA_RUN_TRAPPED,   /* nothing was taken: somebody else must take the rows */
	WA_RUN_NO_MEMORY, /* the run is of no further use, */
	WA_RUN_OVERFLOWED /* nor here: a sum has no room in a record */
} WaRunOutcome;

/*
 * Makes a run without rows, in the arena, of a query that is sound and lives as
 * long.  Returns NULL if there is not enough memory.
 */
extern WaQueryRun *wa_query_run_make(WaArena *arena,
									 const WaNumberedQuery *numbered);

/*
 * Tells whether the query takes all rows of some inputs into one group, so that
 * wa_query_run_take takes any number of rows.
 */
extern bool wa_query_run_is_plain(const WaQueryRun *run);

/*
 * Brings rows into groups: rows[i] are those of input i, of its kind, TEXTs as codes.
 */
extern WA_MUST_CHECK WaRunOutcome wa_query_run_take(WaQueryRun *run,
													const WaColumnRows *rows,
													size_t nrows);

/* Returns how many rows have fulfilled WHERE so far. */
extern uint64_t wa_query_run_rows(const WaQueryRun *run);

/*
 * Tells whether a row that is to become part of a table has a value that none can hold:
 * there is no use in the run then.
 */
extern bool wa_query_run_is_odd(const WaQueryRun *run);

/* Returns how many groups there are; without keys, one. */
extern uint32_t wa_query_run_groups(const WaQueryRun *run);

/*
 * Makes room for so many groups at once, if there are keys.  Returns false, with the run of
 * no further use, if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_run_expect(WaQueryRun *run,
											  uint32_t ngroups);

/*
 * Adds what somebody else has of a group, of which nothing is kept: its keys, numbers
 * of texts in place of them, and a record of each column, in the order of the query.
 * Without keys there is one group.  Does not return WA_RUN_TRAPPED.
 */
extern WA_MUST_CHECK WaRunOutcome wa_query_run_add(WaQueryRun *run,
												   const WaQueryValue *keys,
												   const WaRecord *records);

/*
 * Adds rows that somebody else has to those that become tables.  Returns false, with the run
 * of no further use, if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_run_add_rows(WaQueryRun *run,
												const WaGivenRows *rows);

/* Adds rows that have fulfilled WHERE elsewhere to those of the run. */
extern void wa_query_run_count(WaQueryRun *run, uint64_t rows);

/*
 * Merges the groups of a run of the same query, or, if some were chosen, these, from whose arena
 * nothing is kept; does not return WA_RUN_TRAPPED.
 */
extern WA_MUST_CHECK WaRunOutcome wa_query_merge(WaQueryRun *into,
												 WaQueryRun *from);

/*
 * Returns the values that a run of a query that lists some has, by the numbers of its groups, and
 * the tables of the columns in whose place they are, which have all groups; NULL: there is not
 * enough memory.
 */
extern WaValueList *wa_query_run_list(const WaQueryRun *run);
extern WaRecordTable *const *wa_query_run_listed(WaQueryRun *run);

/*
 * Stores the number of the group of `into` that each group of another run is the same as, which
 * has been merged.  Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_run_numbers(WaQueryRun *into,
											   const WaQueryRun *from,
											   uint32_t *numbers);

/*
 * Chooses the groups that may be among those that the query wants; no rows are
 * taken or merged from then on, and only these groups are written.  Returns false
 * if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_run_choose(WaQueryRun *run);

/*
 * Writes a message of groups (query/message/partial_groups.h), from *next on, until it
 * has max_words or more; sets *next to the first that is not in it.  The
 * writer's arena fails if there is not enough memory.
 */
extern void wa_query_run_write(WaQueryRun *run, uint32_t *next,
							   size_t max_words, WaWriter *writer);

#endif /* WA_QUERY_RUN_H */
