/*
 * planned_sources.h
 *		The tables that a node would read: its own, or the partitions or children of that.
 */
#ifndef WA_SCAN_PLANNED_SOURCES_H
#define WA_SCAN_PLANNED_SOURCES_H

#include "nodes/pathnodes.h"
#include "utils/relcache.h"

#include "core/must_check.h"
#include "scan/state/scan_query.h"

typedef struct WaPlannedSources
{
	List *taken;       /* RelOptInfo of each table that the node reads */
	List *others;      /* likewise of those that PostgreSQL reads for it */
	List *pushed;      /* Path of each whose server aggregates its rows */
	List *results;     /* that these return (scan/plan/pushed_sources.h) */
	bool has_children; /* else there is one, the query's own */
	int nchildren;     /* those that are pruned, too; of a pruned one none */
	double pages;      /* of all that are taken */
	double tuples;
	double rows;      /* that fulfil WHERE */
	Cost others_cost; /* to have the rows of the others */
	Cost pushed_cost; /* likewise, of the groups of other servers */
	const char
		*refusal; /* what is wrong with others, as the end of a sentence */
} WaPlannedSources;

/*
 * Finds the tables of a relation of a query.  Returns NULL and fills *sources, or
 * returns why none of them can be read, as the end of a sentence.
 */
extern WA_MUST_CHECK const char *
wa_planned_sources_find(PlannerInfo *root, RelOptInfo *relation,
						WaPlannedSources *sources);

/* Opens a table of the query, which is locked. */
extern Relation wa_planned_sources_open(PlannerInfo *root,
										const RelOptInfo *relation);

/*
 * Leaves to PostgreSQL what it has sooner by an index than the whole table is read, at a
 * cost for each block and each row, and to other servers what these can aggregate of the
 * query.  Returns NULL, or why nothing is left for a node, as the end of a sentence.
 */
extern WA_MUST_CHECK const char *
wa_planned_sources_share(PlannerInfo *root, RelOptInfo *relation,
						 const WaScanQuery *query, Cost block, Cost row,
						 WaPlannedSources *sources);

/*
 * Makes what is below a node with children, as far as there is any of it: an Append of its
 * sources, by the methods of these, and of PostgreSQL's plans, which return columns of the
 * query's table, and one of the groups of other servers.
 */
extern List *wa_planned_sources_paths(PlannerInfo *root, RelOptInfo *relation,
									  const WaPlannedSources *sources,
									  const struct CustomPathMethods *methods,
									  List *columns);

#endif /* WA_SCAN_PLANNED_SOURCES_H */
