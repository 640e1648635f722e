/*
 * residency.h
 *		What a backend remembers of which columns are resident.
 *
 * Asking warpaggd costs a query over a small table as much as reading it, so what
 * was answered is remembered: a number of blocks for a second, or for longer while
 * nothing is loaded, and where nothing could be used, only until then; what there is
 * of each column, until something is loaded.  A relation's columns are what a RUN or
 * RESIDENCY names.
 */
#ifndef WA_CLIENT_RESIDENCY_H
#define WA_CLIENT_RESIDENCY_H

#include "core/must_check.h"
#include "core/protocol.h"

/* Columns of a relation with so many blocks. */
typedef struct WaSourceColumns
{
	WaRelation relation;
	uint32 nblocks;
	uint32 ncolumns;
	WaColumnName columns[WA_MAX_QUERY_COLUMNS];
} WaSourceColumns;

/* Returns how much has been loaded so far, for wa_residency_note; -1: unknown. */
extern int64 wa_residency_loads(void);

/* Remembers how many blocks could be used, when so much had been loaded. */
extern void wa_residency_note(const WaRelation *relation, uint32 ncolumns,
							  const WaColumnName *columns, int64 loads,
							  uint64 blocks);

/*
 * Tells whether no block could be used a moment ago, and nothing has been loaded
 * since.  To be called over an open connection.
 */
extern bool wa_residency_is_none(const WaRelation *relation, uint32 ncolumns,
								 const WaColumnName *columns);

/*
 * Tells what there is of columns, or was when something was loaded last: there may be
 * less now.  To be called over an open connection.  Returns false if warpaggd had to be
 * asked, and failed.
 */
extern WA_MUST_CHECK bool wa_residency_describe(const WaRelation *relation,
												uint32 ncolumns,
												const WaColumnName *columns,
												WaResidentMessage *answer);

/*
 * Returns, for the planner, how many blocks are likely to be usable: as is
 * remembered, or as warpaggd says, which is waited for a tenth of a second at
 * most.  0 if it is not there or not ready.
 */
extern uint64 wa_residency_estimate(const WaRelation *relation, uint32 ncolumns,
									const WaColumnName *columns);

/*
 * Asks, for EXPLAIN, what there is of columns, and waits as long at most.  Returns false
 * if there is no answer.
 */
extern WA_MUST_CHECK bool wa_residency_look(const WaRelation *relation,
											uint32 ncolumns,
											const WaColumnName *columns,
											WaResidentMessage *answer);

#endif /* WA_CLIENT_RESIDENCY_H */
