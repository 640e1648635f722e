/*
 * dependent_keys.c
 *		Keys that other keys tell; see dependent_keys.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/syscache.h"

#include "heap/gather.h"
#include "scan/plan/dependent_keys.h"
#include "scan/plan/join_keys.h"

/* Returns an expression but for what calls it another type. */
static Expr *
strip(Expr *expression)
{
	while (IsA(expression, RelabelType))
		expression = ((RelabelType *) expression)->arg;
	return expression;
}

/* Tells whether a column that a join compares is a key, perhaps under another type. */
static bool
is_key(const List *keys, Expr *column)
{
	const Var *var = (const Var *) strip(column);
	ListCell *cell;

	foreach (cell, keys)
	{
		const Var *key = (const Var *) strip((Expr *) lfirst(cell));

		if (IsA(key, Var) && key->varno == var->varno &&
			key->varattno == var->varattno)
			return true;
	}
	return false;
}

/* Tells whether a column is of one of some joins. */
static bool
is_of(const WaJoins *joins, Expr *column, const Bitmapset *some)
{
	const int join = wa_join_of_columns(joins, (Node *) column);

	return join >= 0 && bms_is_member(join, some);
}

/*
 * Tells whether the keys tell which row of a join there is, if any.  told: joins of whose
 * rows they do.
 */
static bool
are_telling(const WaJoins *joins, int number, const List *keys,
			const Bitmapset *told)
{
	const WaJoin *join = (const WaJoin *) list_nth(joins->list, number);
	ListCell *cell;

	if ((join->kind != WA_JOIN_INNER && join->kind != WA_JOIN_LEFT) ||
		!join->is_unique || join->conditions != NIL)
		return false;
	foreach (cell, join->clauses)
	{
		const List *sides = lfirst_node(OpExpr, cell)->args;
		Expr *outer = (Expr *) linitial(sides);

		/* Where there is no row its columns are NULL, and of a row they are not. */
		if (!is_key(keys, outer) && !is_key(keys, (Expr *) lsecond(sides)) &&
			!is_of(joins, outer, told))
			return false;
	}
	return true;
}

/* Tells whether rows of a relation stay where a plan has found them: it is a heap table. */
static bool
is_heap(PlannerInfo *root, const RelOptInfo *relation)
{
	HeapTuple tuple;
	Form_pg_class form;
	bool found;

	if (relation->reloptkind != RELOPT_BASEREL ||
		relation->rtekind != RTE_RELATION)
		return false;
	tuple = SearchSysCache1(
		RELOID,
		ObjectIdGetDatum(planner_rt_fetch(relation->relid, root)->relid));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_class) GETSTRUCT(tuple);
	found =
		form->relam == HEAP_TABLE_AM_OID &&
		(form->relkind == RELKIND_RELATION || form->relkind == RELKIND_MATVIEW);
	ReleaseSysCache(tuple);
	return found;
}

/* Returns a copy of a path that returns a target; NULL: that is not known of its kind. */
static Path *
path_with(const Path *path, PathTarget *target)
{
	GatherPath *gather;
	Path *copy;

	if (IsA(path, Path) && path->pathtype == T_SeqScan)
		copy = memcpy(palloc(sizeof(Path)), path, sizeof(Path));
	else if (IsA(path, IndexPath) && path->pathtype == T_IndexScan)
		copy = memcpy(palloc(sizeof(IndexPath)), path, sizeof(IndexPath));
	else if (IsA(path, BitmapHeapPath))
		copy = memcpy(palloc(sizeof(BitmapHeapPath)), path,
					  sizeof(BitmapHeapPath));
	else if (IsA(path, GatherPath))
	{
		gather = memcpy(palloc(sizeof(GatherPath)), path, sizeof(GatherPath));
		gather->subpath = path_with(gather->subpath, target);
		if (gather->subpath == NULL)
			return NULL;
		copy = &gather->path;
	}
	else
		return NULL;
	copy->pathtarget = target;
	return copy;
}

/*
 * Returns what groups are looked at by before those are chosen that are wanted: HAVING, and
 * the first of ORDER BY.
 */
static List *
find_early(PlannerInfo *root, const List *having)
{
	const List *order = root->parse->sortClause;
	List *early;

	if (root->parse->limitCount == NULL || order == NIL)
		return NIL;
	early =
		lcons(get_sortgroupclause_expr(linitial(order), root->processed_tlist),
			  list_copy(having));
	return pull_var_clause((Node *) early, PVC_RECURSE_AGGREGATES |
											   PVC_RECURSE_PLACEHOLDERS |
											   PVC_RECURSE_WINDOWFUNCS);
}

/* Tells whether a key may be read where the row of a join lies, and late. */
static bool
may_depend(const WaJoins *joins, int join, Node *key, const List *early)
{
	ListCell *cell;

	if (wa_joins_join_of_value(joins, key) != join &&
		wa_join_same_column((const WaJoin *) list_nth(joins->list, join),
							(const Expr *) key) == NULL)
		return false;
	foreach (cell, pull_var_clause(key, 0))
		if (lfirst_node(Var, cell)->varattno <= 0 ||
			list_member(early, lfirst(cell)))
			return false;
	return true;
}

/* Tells whether keys take more than the place of a row does. */
static bool
are_worth(const List *keys)
{
	WaVectorKind kind;

	return list_length(keys) > 1 ||
		   (keys != NIL && wa_gather_kind(exprType(linitial(keys)), &kind) &&
			kind == WA_VECTOR_TEXT);
}

/* Has keys over a join whose row is told be dependents. */
static void
make_dependent(WaScanQuery *query, int join, const List *early)
{
	List *keys = NIL;
	ListCell *cell;

	foreach (cell, query->keys)
		if (may_depend(&query->joins, join, lfirst(cell), early))
			keys = lappend(keys, lfirst(cell));
	if (!are_worth(keys))
		return;
	query->keys = list_difference_ptr(query->keys, keys);
	query->dependents = list_concat(query->dependents, keys);
	query->row_keys = lappend_int(query->row_keys, join);
}

/* Returns the columns that a query uses of rows before there are groups. */
static List *
find_used(const WaScanQuery *query)
{
	List *all = list_concat_copy(query->keys, query->aggregates);
	ListCell *cell;

	all = list_concat(all, query->filter_clauses);
	foreach (cell, query->joins.list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		all = list_concat(all, wa_join_key_of(join));
		all = lappend(all, join->of);
		all = lappend(all, join->conditions);
		all = lappend(all, join->clauses);
	}
	return pull_var_clause((Node *) all,
						   PVC_RECURSE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS);
}

/* Returns what of a relation's target is used, and ctid. */
static PathTarget *
target_of(PlannerInfo *root, const RelOptInfo *relation, const List *target,
		  const List *used)
{
	PathTarget *found = create_empty_pathtarget();
	ListCell *cell;

	foreach (cell, target)
		if (!IsA(lfirst(cell), Var) ||
			wa_column_place(used, (const Var *) lfirst(cell)) >= 0)
			add_column_to_pathtarget(found, (Expr *) lfirst(cell), 0);
	add_column_to_pathtarget(found,
							 (Expr *) makeVar((int) relation->relid,
											  SelfItemPointerAttributeNumber,
											  TIDOID, -1, InvalidOid, 0),
							 0);
	return set_pathtarget_cost_width(root, found);
}

/* Has the plans of joins whose rows are keys return these, and no dependents. */
static void
set_paths(PlannerInfo *root, WaScanQuery *query, List *paths)
{
	const List *used = find_used(query);
	int next = 0;
	ListCell *cell;

	foreach (cell, query->joins.list)
	{
		WaJoin *join = (WaJoin *) lfirst(cell);
		ListCell *place;
		Path *path;

		if (!wa_join_has_plan(join->kind))
			continue;
		place = list_nth_cell(paths, next++);
		if (!list_member_int(query->row_keys, foreach_current_index(cell)))
			continue;
		path = (Path *) lfirst(place);
		lfirst(place) = path_with(
			path, target_of(root, path->parent, path->pathtarget->exprs, used));
		join->columns = ((const Path *) lfirst(place))->pathtarget->exprs;
	}
}

/* Returns the joins whose rows can be read where they lie. */
static Bitmapset *
find_heaps(PlannerInfo *root, const List *joins, const List *paths)
{
	Bitmapset *heaps = NULL;
	int next = 0;
	ListCell *cell;

	foreach (cell, joins)
	{
		const Path *path;

		if (!wa_join_has_plan(((const WaJoin *) lfirst(cell))->kind))
			continue;
		path = (const Path *) list_nth(paths, next++);
		if (is_heap(root, path->parent) &&
			path_with(path, path->pathtarget) != NULL)
			heaps = bms_add_member(heaps, foreach_current_index(cell));
	}
	return heaps;
}

void
wa_dependent_keys_find(PlannerInfo *root, WaScanQuery *query, List *paths,
					   const List *having)
{
	const int count = list_length(query->joins.list);
	const List *keys = list_copy(query->keys);
	Bitmapset *told = NULL;
	const Bitmapset *heaps;
	const List *early;

	if (count == 0 || keys == NIL)
		return;
	heaps = find_heaps(root, query->joins.list, paths);
	early = find_early(root, having);
	for (int i = 0; i < count; i++)
	{
		if (!are_telling(&query->joins, i, keys, told))
			continue;
		told = bms_add_member(told, i);
		if (bms_is_member(i, heaps))
			make_dependent(query, i, early);
	}
	query->nkeys = list_length(query->keys) + list_length(query->row_keys);
	if (query->row_keys != NIL)
		set_paths(root, query, paths);
}
