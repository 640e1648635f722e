/*
 * pushed_sources.h
 *		Partitions on other servers, which aggregate the rows of these themselves.
 *
 * They return groups, as scan/groups/pushed_states.h has it.  That is for partitions of
 * postgres_fdw: other wrappers may take the query's own results for what is asked for.
 */
#ifndef WA_SCAN_PUSHED_SOURCES_H
#define WA_SCAN_PUSHED_SOURCES_H

#include "nodes/pathnodes.h"

#include "core/must_check.h"
#include "scan/state/scan_query.h"

/* Tells whether rows of a table of the query may be aggregated where it is. */
extern WA_MUST_CHECK bool wa_pushed_sources_may_have(const RelOptInfo *child);

/*
 * Returns what groups of the query, over a relation of it, are to consist of, or NIL if
 * groups of several servers could not be merged exactly.
 */
extern List *wa_pushed_sources_results(const WaScanQuery *query);

/*
 * Returns a path of groups with these results, of a table of the relation which may have
 * it, or NULL if its server cannot compute all of it.
 */
extern Path *wa_pushed_sources_path(PlannerInfo *root, RelOptInfo *relation,
									RelOptInfo *child, List *results);

/* Returns a path that appends such paths. */
extern Path *wa_pushed_sources_append(PlannerInfo *root, RelOptInfo *relation,
									  List *paths, List *results);

#endif /* WA_SCAN_PUSHED_SOURCES_H */
