/*
 * planned_query.h
 *		The queries that the scan tier takes: an aggregate, with or without
 *		groups, or groups alone, over a sequential scan of one heap table, or of the partitions or
 *		children of one, perhaps joined to other relations.
 */
#ifndef WA_SCAN_PLANNED_QUERY_H
#define WA_SCAN_PLANNED_QUERY_H

#include "nodes/pathnodes.h"

#include "core/must_check.h"
#include "scan/plan/planned_joins.h"
#include "scan/plan/planned_sources.h"
#include "scan/state/scan_query.h"

/* What such a query consists of. */
typedef struct WaPlannedQuery
{
	RelOptInfo *relation; /* the table whose rows are grouped, */
	WaPlannedJoins joins; /* what it is joined to, */
	Cost joins_cost;      /* and what it costs to have that, */
	double rows;          /* and how many rows that makes, which fulfil WHERE */
	WaPlannedSources sources;
	WaScanQuery query;
	List *having;         /* clauses that a group has to fulfil */
	double ninstructions; /* of the query program, for each row of the table */
	Cost
		transition_cost; /* of the functions of WaScanTransitions, for each of the rows */
	bool can_push;  /* warpaggd has all that computes it */
	double ngroups; /* that are likely, */
	double nkept;   /* of them in memory, where rows come from the table, */
	double
		ngrouping; /* rows that may make one, beside which others make few, */
	double nreturned; /* and how many they are rolled up to, and: */
	bool
		rolls; /* its groups are rolled up (scan/state/rolled_query.h), with: */
	bool is_ranked;       /* the values of these are brought into order, */
	bool is_listed;       /* and all are wanted */
	List *finer;          /* those of WaPlannedQuery * */
	bool has_alternative; /* a path of PostgreSQL's; set by scan/plan/path.c */

	/* What is resident; set by scan/plan/resident_plan.c */
	double resident_share;  /* of the rows, that are likely to be */
	bool has_gpus;          /* the device process has GPUs */
	double resident_groups; /* that are likely to be sent of these, */
	double
		distinct_inputs; /* or these (scan/resident/distinct_inputs.h); 0: none */
	double
		inputs_without_tables; /* likewise, where tables are wanting; 0: none */
	WaExcluded excluded;       /* the last of these tables that may be */
} WaPlannedQuery;

/* What such a query asks for. */
typedef struct WaGrouping
{
	List *clauses; /* SortGroupClause of each key */
	List *keys;    /* expressions */
	List *results; /* expressions with keys and aggregates */
	List *having;  /* what groups have to fulfil */
	bool is_apart; /* as of WaScanQuery */
	bool is_finer; /* its groups are rolled up to those of the query's own */
} WaGrouping;

/*
 * Returns the grouping of a query by some clauses (SortGroupClause), of GROUP BY or DISTINCT,
 * and by the target of the grouped relation.
 */
extern WaGrouping wa_planned_query_grouping(PlannerInfo *root, List *clauses,
											const PathTarget *target,
											List *having);

/*
 * Recognises a grouping of a relation of a query.  Returns NULL and fills *planned, or
 * returns why the scan tier does not take it, as the end of a sentence.
 */
extern WA_MUST_CHECK const char *
wa_planned_query_recognise(PlannerInfo *root, RelOptInfo *relation,
						   const WaGrouping *grouping, WaPlannedQuery *planned);

/*
 * Tells whether the device process is likely to be able to have all rows of a query: those that
 * are not resident come with it.
 */
extern bool wa_planned_query_is_whole(const WaPlannedQuery *planned);

/* Tells whether the rows of a query can be read by several nodes of one plan. */
extern bool wa_planned_query_is_simple(const WaPlannedQuery *planned);

#endif /* WA_SCAN_PLANNED_QUERY_H */
