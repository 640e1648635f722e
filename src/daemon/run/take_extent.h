/*
 * take_extent.h
 *		Bringing the rows of an extent into a run of the CPU's.
 */
#ifndef WA_DAEMON_TAKE_EXTENT_H
#define WA_DAEMON_TAKE_EXTENT_H

#include "core/must_check.h"
#include "daemon/store/run_extents.h"
#include "query/run/run.h"

/* Stores where the rows of an extent's columns lie from one on. */
extern void wa_extent_rows_after(const WaRunExtent *extent, size_t first,
								 uint32_t ncolumns, WaColumnRows *rows);

typedef struct WaExtentTaking
{
	WaQueryRun *run;
	WaColumnRows *rows; /* room for those of a batch, of each column */
	uint32_t ncolumns;
	bool may_trap;    /* a row of the query */
	bool is_backward; /* the last rows come first */
	uint32_t
		most_groups; /* with more there is no use in the run; 0: there is */
	const bool *is_useless; /* likewise if that is set, atomically */
} WaExtentTaking;

/*
 * Takes the rows of an extent.  A block none of whose rows can be taken has its bit set in
 * left_out (WA_EXTENT_WORDS words).  Does not return WA_RUN_TRAPPED.
 */
extern WA_MUST_CHECK WaRunOutcome wa_take_extent(const WaExtentTaking *taking,
												 const WaRunExtent *extent,
												 uint64_t *left_out);

#endif /* WA_DAEMON_TAKE_EXTENT_H */
