/*
 * scan_query.h
 *		What a node computes: what its plan says, and the program that it was compiled
 *		to.  Nothing of it changes once it has been prepared (scan/rows/prepare.h).
 *
 * Columns of the table have their numbers there.
 */
#ifndef WA_SCAN_SCAN_QUERY_H
#define WA_SCAN_SCAN_QUERY_H

#include "access/attnum.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "nodes/primnodes.h"

#include "core/must_check.h"
#include "query/message/query.h"
#include "scan/expr/aggregates.h"
#include "scan/expr/joins.h"
#include "scan/expr/shift.h"
#include "scan/groups/group_datum.h"
#include "scan/program/interpreter.h"
#include "scan/program/pushdown.h"
#include "state/plan.h"

/* An aggregated column: all aggregates over the same rows and values share it. */
typedef struct WaScanColumn
{
	Expr *argument; /* NULL: rows are counted */
	Expr *filter;   /* NULL: none */
	uint32 hash;    /* of both, while columns are made */
	WaAggPlan plan;
} WaScanColumn;

/* An aggregate of the result. */
typedef struct WaScanResult
{
	WaAggregate aggregate;
	WaOutput output;
	int column;     /* or the number of the transition */
	WaShift *shift; /* of what the column has; NULL: none */
	int nelements; /* of WA_OUTPUT_ARRAY, of so many columns from that one on, */
	Oid element;   /* of this type */
	const int *pair_columns; /* of WA_OUTPUT_OF_PAIRS; -1: it does without */
} WaScanResult;

/* An aggregate that its own functions compute (scan/expr/transition.h). */
typedef struct WaScanTransition
{
	const Aggref *aggref;
	Oid function;    /* its transition function */
	Expr *filter;    /* NULL: none */
	List *arguments; /* expressions; those that are Const have no register */

	WaQueryColumn rows; /* that it takes, by the filter */
	int *numbers;       /* the registers of its arguments; -1: none */
} WaScanTransition;

/* A column of the scan tuple that groups are sorted by. */
typedef struct WaOrderColumn
{
	int number; /* a key of INT, BOOL or TEXT, or a result that is a bigint */
	bool descending;
	bool nulls_first;
} WaOrderColumn;

typedef struct WaScanQuery
{
	/* What the plan says */
	Index varno; /* of the table */
	int nworkers;
	int planned_batches;
	int planned_groups;
	int planned_inputs; /* (scan/resident/distinct_inputs.h) 0: there are to be none */
	WaExcluded planned_excluded; /* tables that these may do without */
	int planned_children; /* tables that its table consists of; 0: no others */
	bool planned_pushed;  /* of some of them other servers return groups */
	bool
		planned_alternative; /* there is a plan of PostgreSQL's (scan/node/alternative.h) */
	Cost block_cost;        /* of a block's rows, for one process */
	List *filter_clauses;   /* of WHERE, in their order */
	List *one_time_clauses; /* likewise, but without columns */
	List *keys;
	List *
		row_keys; /* numbers of joins: the places of their rows are keys, too, */
	List *
		dependents; /* which tell these expressions, each over columns of one */
	int nkeys;      /* all of them, those that are places last */
	List *aggregates; /* Aggref, each once */
	List *order; /* WaOrderColumns: what all groups are sorted by; or NIL */
	WaJoins joins;
	bool by_image; /* keys that look different are different */
	WaScanColumn *columns;
	int ncolumns;
	WaScanTransition *transitions;
	int ntransitions;
	WaScanResult *results;
	int nresults;
	bool is_ours; /* has one of the aggregates of the extension */

	/*
	 * What its groups are rolled up to (scan/state/rolled_query.h), which has no program; NULL:
	 * they are returned.  There: WaRolledValues, of the last columns.
	 */
	struct WaScanQuery *rolled;
	List *values;
	bool is_apart; /* of these other nodes have all, and it none */

	/*
	 * Also there, and while it is planned: grouping sets, of each the numbers of its keys, and
	 * what the calls of GROUPING come to, which stand behind the keys.  Groups have the number
	 * of their set as a key, too, the last one.  NIL: there are none.
	 */
	List *sets;

	/*
	 * What is computed for a row of the table: clauses of WHERE and of joins, and the keys.
	 * Without joins they are those above.
	 */
	List *where;
	List *by;

	/* The program */
	const WaCompiler *compiler;
	WaGroupKey *group_keys;

	/*
	 * Clauses, keys and columns of these numbers, by registers; what the interpreter has is
	 * not set.
	 */
	WaQuery compiled;

	/* NULL: it does not run, as while it is planned. */
	WaInterpreter *interpreter;
} WaScanQuery;

/* Returns what groups are the same by, of the query's expressions. */
extern List *wa_scan_query_keys(const WaScanQuery *query);

/* Finds out what is computed for a row, of what the plan says. */
extern void wa_scan_query_refer(WaScanQuery *query);

/*
 * Finds the columns of the aggregates and what becomes of them.  Returns why one cannot be
 * described, or what `check` has against it (NULL: it is not asked), or NULL.
 */
extern WA_MUST_CHECK const char *
wa_scan_query_aggregate(WaScanQuery *query,
						const char *(*check)(const WaAggregateCall *call));

/*
 * Compiles the query, of which the clauses of WHERE, the keys and the columns are set.
 * Returns why it is not covered, or NULL.  nspare: registers that it may take beyond those
 * of a program, for what is evaluated as a whole.
 */
extern WA_MUST_CHECK const char *wa_scan_query_compile(WaScanQuery *query,
													   int nspare);

/*
 * Returns the expressions that are computed for a row that fulfils WHERE: keys, and filters and
 * arguments of aggregates, of which some may be NULL.
 */
extern List *wa_scan_query_behind_where(const WaScanQuery *query);

/* Tells whether the device process has all that computes a query that is compiled. */
extern bool wa_scan_query_is_pushable(const WaScanQuery *query);

/* Describes a query as what is to be pushed. */
extern void wa_scan_query_push_down(const WaScanQuery *query,
									WaPushdown *pushdown);

/* Checks that the user may call the aggregates; raises an error if not. */
extern void wa_scan_query_check_permissions(const WaScanQuery *query);

/*
 * Likewise that the user may compare keys, as PostgreSQL does for groups and joins, and
 * compute joined values, which may be there from another user's query.
 */
extern void wa_scan_query_check_keys(const WaScanQuery *query);

#endif /* WA_SCAN_SCAN_QUERY_H */
