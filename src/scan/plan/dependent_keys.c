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
#include "scan/plan/group_estimate.h"
#include "scan/plan/join_keys.h"

/*
 * Each row may be read so many times.  That takes 0.4 us, and to have two texts of it in
 * tables 2.4 us, unless these are kept: of 1.5 million groups of 150,000 customers and days
 * names were read in 1.5 s, and looked up in 1.1 s; of 150,000 groups in 0.32 and 0.68 s.
 */
#define MOST_READS 2

/* The share of the groups that a LIMIT of unknown size is thought to want. */
#define UNKNOWN_LIMIT 0.1

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
 * Tells whether keys tell which row of a join there is, if any, or, of_outside, those that
 * are not over the join.  told: joins of whose rows they do.
 */
static bool
are_telling(const WaJoins *joins, int number, const List *keys,
			const Bitmapset *told, bool of_outside)
{
	const WaJoin *join = (const WaJoin *) list_nth(joins->list, number);
	ListCell *cell;

	foreach (cell, join->clauses)
	{
		const List *sides = lfirst_node(OpExpr, cell)->args;
		Expr *outer = (Expr *) linitial(sides);

		/* Where there is no row its columns are NULL, and of a row they are not. */
		if (!is_key(keys, outer) && !is_of(joins, outer, told) &&
			(of_outside || !is_key(keys, (Expr *) lsecond(sides))))
			return false;
	}
	return true;
}

/* Returns the joins of whose rows keys tell which one there is, if any. */
static Bitmapset *
find_told(const WaJoins *joins, const List *keys)
{
	Bitmapset *told = NULL;
	ListCell *cell;

	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);
		const int i = foreach_current_index(cell);

		if ((join->kind == WA_JOIN_INNER || join->kind == WA_JOIN_LEFT) &&
			join->is_unique && join->conditions == NIL &&
			are_telling(joins, i, keys, told, false))
			told = bms_add_member(told, i);
	}
	return told;
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

/* Tells whether a few groups are wanted, by an order. */
static bool
has_limit(const PlannerInfo *root)
{
	return root->parse->limitCount != NULL && root->parse->sortClause != NIL;
}

/* Tells whether the device process may be told to order groups by an expression. */
static bool
has_order(const Expr *expression)
{
	WaVectorKind kind;

	return wa_gather_kind(exprType((const Node *) expression), &kind) &&
		   kind != WA_VECTOR_TEXT;
}

/*
 * Returns the columns that all groups may be looked at by before those are chosen that are
 * wanted: of HAVING, of the first of ORDER BY, and of more of it, unless that is of texts,
 * which are compared only where all before are equal.
 */
static List *
find_compared(PlannerInfo *root, const List *having)
{
	const Query *parse = root->parse;
	List *compared;
	ListCell *cell;

	if (!has_limit(root))
		return NIL;
	compared = list_copy(having);
	foreach (cell, parse->sortClause)
	{
		Expr *expression = (Expr *) get_sortgroupclause_expr(
			lfirst_node(SortGroupClause, cell), root->processed_tlist);

		if (foreach_current_index(cell) == 0 ||
			(IsA(expression, Var) && has_order(expression)))
			compared = lappend(compared, expression);
	}
	return pull_var_clause((Node *) compared, PVC_RECURSE_AGGREGATES |
												  PVC_RECURSE_PLACEHOLDERS |
												  PVC_RECURSE_WINDOWFUNCS);
}

/* Tells whether a key may be read where the row of a join lies, and late. */
static bool
may_depend(const WaJoins *joins, int join, Node *key, const List *compared)
{
	ListCell *cell;

	if (wa_joins_join_of_value(joins, key) != join &&
		wa_join_same_column((const WaJoin *) list_nth(joins->list, join),
							(const Expr *) key) == NULL)
		return false;
	foreach (cell, pull_var_clause(key, 0))
		if (lfirst_node(Var, cell)->varattno <= 0 ||
			list_member(compared, lfirst(cell)))
			return false;
	return true;
}

/* Tells whether keys take more than the place of a row does. */
static bool
are_worth(const List *keys)
{
	WaVectorKind kind;

	return list_length(keys) > 1 ||
		   (keys != NIL && (!wa_gather_kind(exprType(linitial(keys)), &kind) ||
							kind == WA_VECTOR_TEXT));
}

/* Has keys over a join whose row is told be dependents. */
static void
make_dependent(WaScanQuery *query, int join, const List *compared)
{
	List *keys = NIL;
	ListCell *cell;

	foreach (cell, query->keys)
		if (may_depend(&query->joins, join, lfirst(cell), compared))
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

/* Returns the paths of joins, by their numbers; NULL: it has none. */
static const Path **
paths_of(const List *joins, const List *paths)
{
	const Path **found = palloc0(sizeof(Path *) * list_length(joins));
	int next = 0;
	ListCell *cell;

	foreach (cell, joins)
		if (wa_join_has_plan(((const WaJoin *) lfirst(cell))->kind))
			found[foreach_current_index(cell)] =
				(const Path *) list_nth(paths, next++);
	return found;
}

/* Returns the keys that are over no join of those that are told. */
static List *
find_others(const WaScanQuery *query, const Bitmapset *told)
{
	List *others = NIL;
	ListCell *cell;

	foreach (cell, query->keys)
	{
		bool depends = false;
		int i = -1;

		while ((i = bms_next_member(told, i)) >= 0)
			depends |= may_depend(&query->joins, i, lfirst(cell), NIL);
		if (!depends)
			others = lappend(others, lfirst(cell));
	}
	return others;
}

/*
 * Returns how many groups there are likely to be of so many rows: as many as the other keys
 * have, and for each of them one for each row that these do not tell.
 */
static double
count_groups(PlannerInfo *root, const WaScanQuery *query, const Bitmapset *told,
			 const Path *const *paths, double rows)
{
	List *others = find_others(query, told);
	double ngroups = wa_estimate_groups(root, others, rows);
	int i = -1;

	while ((i = bms_next_member(told, i)) >= 0)
		if (!are_telling(&query->joins, i, others, told, true))
			ngroups *= paths[i]->rows;
	return Min(ngroups, rows);
}

/* Returns what LIMIT or OFFSET is, if it is known now, or is thought to be. */
static double
estimate_limit(PlannerInfo *root, Node *expression, double unknown)
{
	const Const *value =
		(const Const *) estimate_expression_value(root, expression);

	if (value == NULL)
		return 0;
	return IsA(value, Const) && !value->constisnull
			   ? Max((double) DatumGetInt64(value->constvalue), 0)
			   : unknown;
}

/* Returns of how many of so many groups rows are read: of those that are wanted. */
static double
count_wanted(PlannerInfo *root, double ngroups)
{
	const Query *parse = root->parse;
	double wanted;

	if (!has_limit(root))
		return ngroups;
	wanted = estimate_limit(root, parse->limitCount, ngroups * UNKNOWN_LIMIT) +
			 estimate_limit(root, parse->limitOffset, 0);
	return Min(wanted, ngroups);
}

/*
 * Leaves those of some joins whose rows can be read where they lie, once for each of so many
 * groups, for less than tables cost: these have a value for each row that is looked up.
 */
static Bitmapset *
find_readable(PlannerInfo *root, const WaJoins *joins, const Bitmapset *some,
			  const Path *const *paths, double ngroups)
{
	Bitmapset *readable = NULL;
	int i = -1;

	while ((i = bms_next_member(some, i)) >= 0)
		if (ngroups <= MOST_READS * paths[wa_joins_owner(joins, i)]->rows &&
			is_heap(root, paths[i]->parent) &&
			path_with(paths[i], paths[i]->pathtarget) != NULL)
			readable = bms_add_member(readable, i);
	return readable;
}

void
wa_dependent_keys_find(PlannerInfo *root, WaScanQuery *query,
					   const List *telling, List *paths, const List *having,
					   double rows)
{
	WaJoins *joins = &query->joins;
	const Path **by_number = paths_of(joins->list, paths);
	const List *compared = find_compared(root, having);
	Bitmapset *told;
	double ngroups;
	int i = -1;

	wa_joins_fold(joins);
	told = find_told(joins, telling);
	ngroups = count_groups(root, query, told, by_number, rows);
	told = find_readable(root, joins, told, by_number,
						 count_wanted(root, ngroups));
	while ((i = bms_next_member(told, i)) >= 0)
		make_dependent(query, i, compared);
	query->nkeys = list_length(query->keys) + list_length(query->row_keys);
	if (query->row_keys != NIL)
		set_paths(root, query, paths);
}
