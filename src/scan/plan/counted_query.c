/*
 * counted_query.c
 *		A level of a query with one of its tables counted; see counted_query.h.
 *
 * Rows of the table with equal keys are joined to the same rows.  What else is said of the
 * table's columns has to be about it alone, and such that its rows may be left out before
 * they are joined: then the subquery says it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "scan/plan/counted_joins.h"
#include "scan/plan/counted_level.h"
#include "scan/plan/counted_query.h"
#include "scan/plan/planner_compat.h"

/*
 * Levels
 */

/* A search for a level. */
typedef struct LevelSearch
{
	int number; /* that are left before it */
	Query *found;
} LevelSearch;

/* Returns how many tables and subqueries a query has in FROM. */
static int
size_of(const Query *query)
{
	int size = 0;
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		size +=
			entry->rtekind == RTE_RELATION || entry->rtekind == RTE_SUBQUERY;
	}
	return size;
}

/* Goes through levels, outer ones first. */
static bool
find_level(Node *node, void *context)
{
	LevelSearch *search = (LevelSearch *) context;
	Query *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, find_level, context);
	if (query->commandType == CMD_SELECT && query->hasAggs &&
		size_of(query) > 1 && search->number-- == 0)
	{
		search->found = query;
		return true;
	}
	return query_tree_walker(query, find_level, context, 0);
}

/* Returns a level of a query that aggregates joins, or NULL. */
static Query *
level_of(Query *query, int number)
{
	LevelSearch search = {number, NULL};

	(void) find_level((Node *) query, &search);
	return search.found;
}

int
wa_counted_level_size(Query *query, int number)
{
	const Query *level = level_of(query, number);

	return level == NULL ? 0 : size_of(level);
}

/*
 * The subquery
 */

/* Makes it, without what it returns. */
static void
make_below(WaCounted *counted)
{
	Query *query = counted->query;
	Query *below = makeNode(Query);
	RangeTblEntry *entry = rt_fetch(counted->number, query->rtable);
	RangeTblRef *reference = makeNode(RangeTblRef);

	below->commandType = CMD_SELECT;
	below->querySource = query->querySource;
	below->canSetTag = true;
	below->hasAggs = true;
	below->hasSubLinks = query->hasSubLinks;
	below->hasRowSecurity = query->hasRowSecurity;
	below->stmt_location = -1;
	below->rtable = list_make1(copyObject(entry));
	/* Nothing of the table is left above. */
	entry->securityQuals = NIL;
	entry = linitial_node(RangeTblEntry, below->rtable);
	entry->securityQuals =
		(List *) wa_counted_lower(counted, (Node *) entry->securityQuals);
	move_permissions_compat(query, below, entry);
	reference->rtindex = 1;
	below->jointree = makeFromExpr(list_make1(reference), NULL);
	counted->below = below;
}

/* Has it group rows by the keys, which are what it returns first. */
static void
group_below(WaCounted *counted)
{
	Query *below = counted->below;
	const RangeTblEntry *entry = linitial_node(RangeTblEntry, below->rtable);
	ListCell *cell;

	foreach (cell, counted->keys)
	{
		Expr *key = (Expr *) wa_counted_lower(counted, (Node *) lfirst(cell));
		const AttrNumber number =
			(AttrNumber) (foreach_current_index(cell) + 1);
		SortGroupClause *clause = makeNode(SortGroupClause);
		TargetEntry *target = makeTargetEntry(
			key, number,
			get_rte_attribute_name((RangeTblEntry *) entry,
								   ((const Var *) key)->varattno),
			false);

		target->ressortgroupref = clause->tleSortGroupRef = (Index) number;
		get_sort_group_operators(exprType((Node *) key), true, true, false,
								 &clause->sortop, &clause->eqop, NULL,
								 &clause->hashable);
		below->targetList = lappend(below->targetList, target);
		below->groupClause = lappend(below->groupClause, clause);
	}
}

/* Puts it into the place of the table. */
static void
put_below(WaCounted *counted)
{
	RangeTblEntry *before = rt_fetch(counted->number, counted->query->rtable);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	ListCell *cell;

	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = counted->below;
	entry->alias = copyObject(before->alias);
	entry->eref = makeAlias(before->eref->aliasname, NIL);
	entry->inFromCl = true;
	foreach (cell, counted->below->targetList)
		entry->eref->colnames =
			lappend(entry->eref->colnames,
					makeString(lfirst_node(TargetEntry, cell)->resname));
	if (entry->alias != NULL)
		entry->alias->colnames = NIL;
	lfirst(list_nth_cell(counted->query->rtable, (int) counted->number - 1)) =
		entry;
}

/* Returns why no table of a level is counted, or NULL. */
static const char *
check_level(Query *query)
{
	if (query->groupingSets != NIL)
		return "the query has grouping sets";
	if (query->hasTargetSRFs)
		return "the query returns sets";
	if (query->rowMarks != NIL || query->setOperations != NULL)
		return "the query is of an unusual kind";
	if (contain_volatile_functions((Node *) query))
		return "the query is volatile";
	return NULL;
}

/* Has a table of a level be counted; *counted says which, or then why it cannot be. */
static void
count_table(WaCounted *counted)
{
	const RangeTblEntry *entry =
		rt_fetch(counted->number, counted->query->rtable);

	counted->name = entry->eref->aliasname;
	counted->reason = check_level(counted->query);
	if (counted->reason == NULL && entry->tablesample != NULL)
		counted->reason = "it is sampled";
	if (counted->reason != NULL)
		return;
	wa_counted_resolve(counted);
	if (counted->reason != NULL)
		return;
	make_below(counted);
	wa_counted_take_joins(counted);
	if (counted->reason != NULL)
		return;
	group_below(counted);
	wa_counted_raise(counted);
	if (counted->reason == NULL)
		put_below(counted);
}

/*
 * Candidates
 */

/* A table of a level that is thought of. */
typedef struct Candidate
{
	Index number;
	double rows;
} Candidate;

/* Orders them by their rows. */
static int
compare_candidates(const ListCell *a, const ListCell *b)
{
	const Candidate *left = (const Candidate *) lfirst(a);
	const Candidate *right = (const Candidate *) lfirst(b);

	if (left->rows != right->rows)
		return left->rows < right->rows ? -1 : 1;
	return left->number < right->number ? -1 : 1;
}

/* Returns how many rows a table had when it was last looked at. */
static double
rows_of(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	double rows;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", table);
	rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
	ReleaseSysCache(tuple);
	return rows;
}

/* Returns the tables of a level that are among some. */
static List *
candidates_of(const Query *query, const List *tables)
{
	List *candidates = NIL;
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		Candidate *candidate;

		if (entry->rtekind != RTE_RELATION ||
			!list_member_oid(tables, entry->relid))
			continue;
		candidate = palloc(sizeof(Candidate));
		*candidate = (Candidate){(Index) foreach_current_index(cell) + 1,
								 rows_of(entry->relid)};
		candidates = lappend(candidates, candidate);
	}
	list_sort(candidates, compare_candidates);
	return candidates;
}

Query *
wa_counted_rewrite(const Query *query, int level, const List *tables,
				   int candidate, Oid *table, const char **reason)
{
	Query *copy = copyObject((Query *) query);
	Query *changed = level_of(copy, level);
	const List *candidates = candidates_of(changed, tables);
	WaCounted counted = {.query = changed};

	*reason = NULL;
	if (candidate >= list_length(candidates))
		return NULL;
	counted.number =
		((const Candidate *) list_nth(candidates, candidate))->number;
	*table = rt_fetch(counted.number, changed->rtable)->relid;
	count_table(&counted);
	*reason = counted.reason;
	return counted.reason == NULL ? copy : NULL;
}
