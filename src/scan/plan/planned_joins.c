/*
 * planned_joins.c
 *		Which joins a node computes; see planned_joins.h.
 *
 * Relations are joined to the table one after the other.  What joins the next one to those
 * that are there are the clauses that PostgreSQL would put on a join of both; so each of
 * them is one that it has thought of.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "scan/expr/joins.h"
#include "scan/plan/planned_joins.h"
#include "scan/plan/planner_compat.h"

/* What a row of a relation that is joined costs to be taken, in cpu_tuple_cost. */
#define TAKEN_ROW 2

/* A search for the joins of a table. */
typedef struct Search
{
	PlannerInfo *root;
	WaPlannedJoins *joins;
	RelOptInfo *joined; /* the table with all that has been joined so far */
	const char *reason; /* why the last relation could not be joined */
} Search;

/* Returns the name of a relation of the query. */
static const char *
name_of(const Search *search, const RelOptInfo *relation)
{
	return search->root->simple_rte_array[relation->relid]->eref->aliasname;
}

/* Tells whether values of two types are equal if the integers in their vectors are. */
static bool
are_equal_as_integers(Oid left, Oid right)
{
	switch (left)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return right == INT2OID || right == INT4OID || right == INT8OID;
		case DATEOID:
		case OIDOID:
			return right == left;
		default:
			return false;
	}
}

/* Tells whether a clause compares a key of a relation with what is joined so far. */
static bool
is_key(const Search *search, const RelOptInfo *relation, RestrictInfo *info,
	   WaJoin *join)
{
	const OpExpr *clause = (const OpExpr *) info->clause;
	Node *left;
	Node *right;

	if (info->mergeopfamilies == NIL || !info->can_join ||
		!IsA(clause, OpExpr) || list_length(clause->args) != 2)
		return false;
	left = linitial(clause->args);
	right = lsecond(clause->args);
	if (bms_is_subset(info->left_relids, search->joined->relids) &&
		bms_equal(info->right_relids, relation->relids))
		info->outer_is_left = true;
	else if (bms_is_subset(info->right_relids, search->joined->relids) &&
			 bms_equal(info->left_relids, relation->relids))
		info->outer_is_left = false;
	else
		return false;
	join->key = (Expr *) (info->outer_is_left ? left : right);
	join->of = (Expr *) (info->outer_is_left ? right : left);
	join->equality = get_opcode(clause->opno);
	return IsA(join->key, Var) && IsA(join->of, Var) &&
		   are_equal_as_integers(exprType((Node *) join->key),
								 exprType((Node *) join->of));
}

/* Tells whether a relation has no more than one row for a clause's key. */
static bool
is_unique(PlannerInfo *root, RelOptInfo *relation, RestrictInfo *info)
{
	return relation->rtekind == RTE_RELATION &&
		   has_unique_index_compat(root, relation, list_make1(info));
}

/* Returns what is wrong with what a relation is, or NULL. */
static const char *
check_relation(const Search *search, const RelOptInfo *relation)
{
	if (relation->reloptkind != RELOPT_BASEREL ||
		relation->cheapest_total_path == NULL ||
		relation->cheapest_total_path->param_info != NULL ||
		!bms_is_empty(relation->lateral_relids))
		return psprintf("%s cannot be joined by itself",
						name_of(search, relation));
	return NULL;
}

/* Returns the clauses between a relation and what is joined; NULL: not to be joined yet. */
static List *
clauses_between(const Search *search, RelOptInfo *relation)
{
	PlannerInfo *root = search->root;
	Relids relids = bms_union(search->joined->relids, relation->relids);

	return find_join_rel(root, relids) == NULL
			   ? NIL
			   : join_clauses_compat(root, relids, search->joined, relation);
}

/* Takes a relation as the next one that is joined; returns false if it cannot be. */
static bool
join_relation(Search *search, RelOptInfo *relation)
{
	WaPlannedJoins *joins = search->joins;
	List *clauses = clauses_between(search, relation);
	WaJoin *join = palloc0(sizeof(WaJoin));
	RestrictInfo *key = NULL;
	ListCell *cell;

	if (clauses == NIL)
		return false;
	foreach (cell, clauses)
	{
		RestrictInfo *info = lfirst_node(RestrictInfo, cell);

		if (info->pseudoconstant)
			return false;
		if (key == NULL && is_key(search, relation, info, join) &&
			is_unique(search->root, relation, info))
			key = info;
	}
	if (key == NULL)
	{
		search->reason = psprintf(
			"%s may have several rows for one, or is not joined by an integer",
			name_of(search, relation));
		return false;
	}
	(void) is_key(search, relation, key, join);
	join->kind = WA_JOIN_INNER;
	join->is_unique = true;
	join->columns = relation->cheapest_total_path->pathtarget->exprs;
	joins->list = lappend(joins->list, join);
	joins->relations = lappend(joins->relations, relation);
	joins->clauses =
		list_concat(joins->clauses, list_delete_ptr(list_copy(clauses), key));
	joins->cost += relation->cheapest_total_path->total_cost +
				   relation->rows * TAKEN_ROW * cpu_tuple_cost;
	joins->rows += relation->rows;
	search->joined = find_join_rel(
		search->root, bms_union(search->joined->relids, relation->relids));
	return true;
}

/* Joins all relations to a table; returns false if one cannot be. */
static bool
join_all(Search *search, RelOptInfo *table, List *relations)
{
	List *left = list_delete_ptr(list_copy(relations), table);

	search->joined = table;
	while (left != NIL)
	{
		ListCell *cell;
		RelOptInfo *next = NULL;

		foreach (cell, left)
			if (join_relation(search, (RelOptInfo *) lfirst(cell)))
			{
				next = (RelOptInfo *) lfirst(cell);
				break;
			}
		if (next == NULL)
			return false;
		left = list_delete_ptr(left, next);
	}
	return true;
}

/* Orders relations by their size, the largest one first. */
static int
compare_sizes(const ListCell *a, const ListCell *b)
{
	const double left = ((const RelOptInfo *) lfirst(a))->tuples;
	const double right = ((const RelOptInfo *) lfirst(b))->tuples;

	return left > right ? -1 : left < right;
}

/* Collects the relations of a join, the largest one first. */
static List *
collect_relations(PlannerInfo *root, const RelOptInfo *relation)
{
	List *relations = NIL;
	int number = -1;

	while ((number = bms_next_member(relation->relids, number)) >= 0)
		if (root->simple_rel_array[number] != NULL)
			relations = lappend(relations, root->simple_rel_array[number]);
	list_sort(relations, compare_sizes);
	return relations;
}

const char *
wa_planned_joins_find(PlannerInfo *root, const RelOptInfo *relation,
					  WaPlannedJoins *joins)
{
	Search search = {.root = root, .joins = joins};
	List *relations = collect_relations(root, relation);
	ListCell *cell;

	if (root->join_info_list != NIL || root->placeholder_list != NIL)
		return "it has an outer join, or one of IN or EXISTS";
	foreach (cell, relations)
	{
		const char *reason =
			check_relation(&search, (const RelOptInfo *) lfirst(cell));

		if (reason != NULL)
			return reason;
	}
	foreach (cell, relations)
	{
		RelOptInfo *table = (RelOptInfo *) lfirst(cell);

		memset(joins, 0, sizeof(*joins));
		joins->table = table;
		if (table->rtekind == RTE_RELATION &&
			join_all(&search, table, relations))
			return NULL;
	}
	return search.reason == NULL
			   ? "its tables are joined by other things than keys"
			   : psprintf("it is over a join of %d tables: %s",
						  list_length(relations), search.reason);
}

List *
wa_planned_joins_paths(const WaPlannedJoins *joins)
{
	List *paths = NIL;
	ListCell *cell;

	foreach (cell, joins->relations)
		paths = lappend(
			paths, ((const RelOptInfo *) lfirst(cell))->cheapest_total_path);
	return paths;
}
