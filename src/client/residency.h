/*
 * residency.h
 *		What a backend remembers of which columns are resident.
 *
 * Asking warpaggd costs a query over a small table as much as reading it, so what
 * was answered is remembered: numbers of blocks for a second, or for longer while
 * nothing is loaded, and where nothing could be used, only until then; what there is
 * of each column, until something is loaded.  What is remembered is of all sources that a
 * RUN or RESIDENCY names together, and of a sample of them, which is what the planner asks
 * for where there are many.
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

/* Remembers how many blocks of each source could be used, when so much had been loaded. */
extern void wa_residency_note(const WaNamedSources *named, int64 loads,
							  const uint64 *blocks);

/*
 * Tells whether no block of any source could be used a moment ago, and nothing has been
 * loaded since.  To be called over an open connection.
 */
extern bool wa_residency_is_none(const WaNamedSources *named);

/*
 * Tells what there is of columns, or was when something was loaded last: there may be
 * less now.  *first: the first source that has complete blocks, if one has.  To be called
 * over an open connection.  Returns false if warpaggd had to be asked, and failed.
 */
extern WA_MUST_CHECK bool wa_residency_describe(const WaNamedSources *named,
												WaResidentMessage *answer,
												uint32 *first);

/*
 * Returns how many blocks are likely to be usable, and stores how many of each source,
 * unless `blocks` is NULL: as is remembered, or as warpaggd says, which is waited for a
 * tenth of a second at most.  0 if it is not there or not ready.
 */
extern uint64 wa_residency_estimate(const WaNamedSources *named,
									uint64 *blocks);

/*
 * Asks, for EXPLAIN, what there is of columns of one source, and waits as long at most.
 * Returns false if there is no answer.
 */
extern WA_MUST_CHECK bool wa_residency_look(const WaNamedSources *named,
											WaResidentMessage *answer);

/*
 * Sources that are looked at for an estimate of more of them, at most.  With 1000 partitions
 * it would take a third of the time of planning to look at all.
 */
#define WA_RESIDENCY_SAMPLE 16

/* Returns from how many sources on to the next of a sample of so many. */
static inline uint32
wa_residency_step(uint32 nsources)
{
	return Max((nsources + WA_RESIDENCY_SAMPLE - 1) / WA_RESIDENCY_SAMPLE, 1);
}

#endif /* WA_CLIENT_RESIDENCY_H */
