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
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "scan/plan/counted_plan.h"
#include "scan/plan/join_conditions.h"
#include "scan/plan/join_keys.h"
#include "scan/plan/join_order.h"
#include "scan/plan/planned_joins.h"
#include "scan/plan/planner_compat.h"

/* What a row of a relation that is joined takes beside its values, and each of these. */
#define ROW_BYTES   16
#define VALUE_BYTES 9

/* What a row of a relation that is joined costs to be taken, in cpu_tuple_cost. */
#define TAKEN_ROW 2

/* A relation that is to be joined. */
typedef struct Candidate
{
	RelOptInfo *relation;
	SpecialJoinInfo *info; /* of a join that is not an inner one; else NULL */
} Candidate;

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
	const int number = bms_next_member(relation->relids, -1);

	return search->root->simple_rte_array[number]->eref->aliasname;
}

/* The clauses between a relation and what is joined so far. */
typedef struct Clauses
{
	List *keys;   /* WaJoinKey */
	List *others; /* RestrictInfo: what joins them besides */
	List *above;  /* likewise, but of the rows that are joined */
} Clauses;

/*
 * Tells whether a clause is of the rows that are joined.  One without columns is, where no
 * row is kept unless it fulfils that.
 */
static bool
is_above(const Candidate *candidate, const RestrictInfo *info, Relids relids)
{
	if (candidate->info == NULL || candidate->info->jointype == JOIN_SEMI)
		return info->pseudoconstant;
	return RINFO_IS_PUSHED_DOWN(info, relids);
}

/* Sorts them. */
static void
sort_clauses(const Search *search, const Candidate *candidate,
			 const List *infos, Relids relids, Clauses *clauses)
{
	ListCell *cell;

	memset(clauses, 0, sizeof(*clauses));
	foreach (cell, infos)
	{
		RestrictInfo *info = lfirst_node(RestrictInfo, cell);
		WaJoinKey *key = palloc(sizeof(WaJoinKey));

		if (is_above(candidate, info, relids))
			clauses->above = lappend(clauses->above, info);
		else if (wa_join_key_make(search->joined, candidate->relation, info,
								  key))
			clauses->keys = lappend(clauses->keys, key);
		else
			clauses->others = lappend(clauses->others, info);
	}
}

/*
 * Chooses which keys an inner join goes by, as few as are unique; the others are clauses of
 * the rows that are joined.
 */
static void
choose_keys(const Search *search, RelOptInfo *relation, Clauses *clauses)
{
	WaJoinKey *chosen = NULL;
	List *all = clauses->keys;
	ListCell *cell;

	foreach (cell, all)
		if (chosen == NULL && wa_join_keys_are_unique(search->root, relation,
													  list_make1(lfirst(cell))))
			chosen = (WaJoinKey *) lfirst(cell);
	clauses->above = list_concat(clauses->above, clauses->others);
	clauses->others = NIL;
	if (chosen == NULL)
		return;
	clauses->keys = list_make1(chosen);
	foreach (cell, all)
		if (lfirst(cell) != chosen)
			clauses->above = lappend(clauses->above,
									 ((const WaJoinKey *) lfirst(cell))->info);
}

/* Returns what becomes of a candidate's rows. */
static WaJoinKind
kind_of(const Candidate *candidate)
{
	if (candidate->info == NULL)
		return WA_JOIN_INNER;
	switch (candidate->info->jointype)
	{
		case JOIN_SEMI:
			return WA_JOIN_SEMI;
		case JOIN_LEFT:
			return WA_JOIN_LEFT;
		default:
			return WA_JOIN_ANTI;
	}
}

/* Returns that a relation may have several rows for one. */
static const char *
refuse_several(const Search *search, const Candidate *candidate)
{
	const char *reason = psprintf("%s may have several rows for one",
								  name_of(search, candidate->relation));

	wa_counted_refused(search->root, candidate->relation, reason);
	return reason;
}

/* Returns why a relation is not joined by clauses, or NULL. */
static const char *
refusal_of(const Search *search, const Candidate *candidate,
		   const Clauses *clauses, bool unique)
{
	const char *name = name_of(search, candidate->relation);
	const bool is_many =
		candidate->info == NULL || candidate->info->jointype == JOIN_LEFT;

	if (clauses->keys == NIL)
		return psprintf(
			"%s is not joined by a key that is an integer or a text", name);
	if (is_many && !unique)
		return refuse_several(search, candidate);
	if (!unique && wa_join_conditions_use(clauses->others, candidate->relation))
		return psprintf("%s is joined by more than a key", name);
	return NULL;
}

/* Returns which share of the rows of a relation fulfil its clauses. */
static double
share_of(const RelOptInfo *relation)
{
	return relation->reloptkind == RELOPT_BASEREL && relation->tuples > 0
			   ? Min(relation->rows / relation->tuples, 1)
			   : 1;
}

Cost
wa_planned_join_cost(const RelOptInfo *relation)
{
	const Path *path = relation->cheapest_total_path;

	return path->total_cost + path->rows * TAKEN_ROW * cpu_tuple_cost;
}

/* Has a candidate's rows be joined. */
static void
add_join(Search *search, const Candidate *candidate, WaJoin *join)
{
	WaPlannedJoins *joins = search->joins;
	RelOptInfo *relation = candidate->relation;
	const Path *path = relation->cheapest_total_path;

	join->columns = path->pathtarget->exprs;
	join->share = share_of(relation);
	joins->list = lappend(joins->list, join);
	joins->relations = lappend(joins->relations, relation);
	joins->cost += wa_planned_join_cost(relation);
	joins->rows += path->rows;
}

/* Takes a relation as the next one that is joined; returns false if it cannot be. */
static bool
join_relation(Search *search, const Candidate *candidate)
{
	RelOptInfo *relation = candidate->relation;
	const Relids relids =
		joined_relids_compat(search->joined, relation, candidate->info);
	RelOptInfo *result = find_join_rel(search->root, relids);
	WaJoin *join = palloc0(sizeof(WaJoin));
	Clauses clauses;
	List *infos;

	if (result == NULL ||
		(candidate->info != NULL &&
		 !bms_is_subset(candidate->info->min_lefthand, search->joined->relids)))
		return false;
	infos = join_clauses_compat(search->root, relids, search->joined, relation,
								candidate->info);
	sort_clauses(search, candidate, infos, relids, &clauses);
	if (candidate->info == NULL)
		choose_keys(search, relation, &clauses);
	join->kind = kind_of(candidate);
	join->is_unique =
		wa_join_keys_are_unique(search->root, relation, clauses.keys);
	search->reason = refusal_of(search, candidate, &clauses, join->is_unique);
	if (search->reason != NULL)
		return false;
	wa_join_keys_set(join, clauses.keys);
	join->conditions = wa_join_conditions(search->root, clauses.others);
	if (wa_join_key_may_raise(search->joins->list, join))
	{
		search->reason = psprintf("%s is joined by a column that depends on "
								  "what may raise errors",
								  name_of(search, relation));
		return false;
	}
	add_join(search, candidate, join);
	search->joins->clauses = list_concat(search->joins->clauses, clauses.above);
	search->joined = result;
	return true;
}

/* Joins all candidates but the table to it; returns false if one cannot be. */
static bool
join_all(Search *search, RelOptInfo *table, const List *candidates)
{
	List *left = NIL;
	ListCell *cell;

	foreach (cell, candidates)
		if (((const Candidate *) lfirst(cell))->relation != table)
			left = lappend(left, lfirst(cell));
	search->joined = table;
	while (left != NIL)
	{
		Candidate *next = NULL;

		foreach (cell, left)
			if (join_relation(search, (const Candidate *) lfirst(cell)))
			{
				next = (Candidate *) lfirst(cell);
				break;
			}
		if (next == NULL)
			return false;
		left = list_delete_ptr(left, next);
	}
	return true;
}

/* Tells whether a join may come next behind some: it needs nothing of others. */
static bool
may_come_next(const WaJoins *joins, int number, const Bitmapset *done)
{
	const WaJoin *join = (const WaJoin *) list_nth(joins->list, number);
	Bitmapset *needed;

	if (bms_is_member(number, done))
		return false;
	needed = wa_joins_needed(
		joins, (Node *) list_make2(wa_join_key_of(join), join->conditions));
	needed = bms_del_member(needed, number);
	return bms_is_subset(needed, done);
}

/*
 * Puts joins that leave fewer rows before others, as far as these need nothing of them; a
 * join that is folded comes at once behind what it is folded into.
 */
static void
order_joins(WaPlannedJoins *joins)
{
	WaJoins all = {.list = joins->list};
	List *relations = joins->relations;
	const int count = list_length(all.list);
	Bitmapset *done = NULL;

	wa_joins_fold(&all);
	joins->list = joins->relations = NIL;
	while (list_length(joins->list) < count)
	{
		double least = 2;
		int next = -1;

		for (int i = 0; i < count; i++)
		{
			const WaJoin *join = (const WaJoin *) list_nth(all.list, i);
			const double share = join->into >= 0 ? 0 : wa_joins_share(&all, i);

			if (share < least && may_come_next(&all, i, done))
			{
				least = share;
				next = i;
			}
		}
		done = bms_add_member(done, next);
		joins->list = lappend(joins->list, list_nth(all.list, next));
		joins->relations = lappend(joins->relations, list_nth(relations, next));
	}
}

/* Orders candidates as their relations are tried. */
static int
compare_candidates(const ListCell *a, const ListCell *b)
{
	return wa_join_order(((const Candidate *) lfirst(a))->relation,
						 ((const Candidate *) lfirst(b))->relation);
}

/* Tells whether a join lies within what another one joins. */
static bool
is_within(const PlannerInfo *root, const SpecialJoinInfo *info)
{
	ListCell *cell;

	foreach (cell, root->join_info_list)
	{
		const SpecialJoinInfo *other = (const SpecialJoinInfo *) lfirst(cell);

		if (other != info &&
			bms_is_subset(info->min_lefthand, other->min_righthand) &&
			bms_is_subset(info->min_righthand, other->min_righthand))
			return true;
	}
	return false;
}

/*
 * Adds what is joined by other joins than inner ones, and notes which relations these are
 * of.  Returns false if one of them is not covered.
 */
static bool
add_special(PlannerInfo *root, List **candidates, Relids *taken)
{
	ListCell *cell;

	foreach (cell, root->join_info_list)
	{
		SpecialJoinInfo *info = lfirst_node(SpecialJoinInfo, cell);
		Candidate *candidate = palloc(sizeof(Candidate));

		if (is_within(root, info))
			continue;
		if (info->jointype != JOIN_LEFT && info->jointype != JOIN_SEMI &&
			info->jointype != JOIN_ANTI)
			return false;
		if (bms_overlap(*taken, info->min_righthand))
			return false;
		*candidate = (Candidate){
			bms_membership(info->min_righthand) == BMS_SINGLETON
				? find_base_rel(root, bms_singleton_member(info->min_righthand))
				: find_join_rel(root, info->min_righthand),
			info};
		if (candidate->relation == NULL)
			return false;
		*candidates = lappend(*candidates, candidate);
		*taken = bms_add_members(*taken, info->min_righthand);
	}
	return true;
}

/* Collects what a join is of; returns false if some of it is not covered. */
static bool
collect_candidates(PlannerInfo *root, const RelOptInfo *relation,
				   List **candidates)
{
	Relids taken = NULL;
	int number = -1;

	*candidates = NIL;
	if (!add_special(root, candidates, &taken))
		return false;
	while ((number = bms_next_member(relation->relids, number)) >= 0)
	{
		Candidate *candidate = palloc(sizeof(Candidate));

		if (root->simple_rel_array[number] == NULL ||
			bms_is_member(number, taken))
			continue;
		*candidate = (Candidate){root->simple_rel_array[number], NULL};
		*candidates = lappend(*candidates, candidate);
	}
	list_sort(*candidates, compare_candidates);
	return true;
}

/* Tells whether the rows of a candidate can be had by themselves. */
static bool
is_independent(const Candidate *candidate)
{
	const RelOptInfo *relation = candidate->relation;

	return (relation->reloptkind == RELOPT_BASEREL ||
			relation->reloptkind == RELOPT_JOINREL) &&
		   relation->cheapest_total_path != NULL &&
		   relation->cheapest_total_path->param_info == NULL &&
		   bms_is_empty(relation->lateral_relids);
}

/* Returns the cheapest path of each of the relations. */
static List *
paths_of(const List *relations)
{
	List *paths = NIL;
	ListCell *cell;

	foreach (cell, relations)
		paths = lappend(
			paths, ((const RelOptInfo *) lfirst(cell))->cheapest_total_path);
	return paths;
}

const char *
wa_planned_joins_find(PlannerInfo *root, const RelOptInfo *relation,
					  WaPlannedJoins *joins)
{
	Search search = {.root = root, .joins = joins};
	const char *reason = NULL; /* of the largest table */
	List *candidates;
	ListCell *cell;

	if (root->placeholder_list != NIL ||
		!collect_candidates(root, relation, &candidates))
		return "it is over a join of a kind that is not covered";
	foreach (cell, candidates)
		if (!is_independent((const Candidate *) lfirst(cell)))
			return psprintf(
				"%s cannot be joined by itself",
				name_of(&search, ((const Candidate *) lfirst(cell))->relation));
	foreach (cell, candidates)
	{
		const Candidate *table = (const Candidate *) lfirst(cell);

		memset(joins, 0, sizeof(*joins));
		joins->table = table->relation;
		if (table->info == NULL && table->relation->rtekind == RTE_RELATION &&
			join_all(&search, table->relation, candidates))
		{
			order_joins(joins);
			joins->list = wa_joins_with_parts(joins->list);
			joins->paths = paths_of(joins->relations);
			return NULL;
		}
		reason = reason == NULL ? search.reason : reason;
	}
	return psprintf(
		"it is over a join of %d tables: %s",
		bms_num_members(bms_intersect(relation->relids, root->all_baserels)),
		reason == NULL ? "they are not joined by keys" : reason);
}

double
wa_planned_joins_rows(const WaPlannedJoins *joins)
{
	double rows = joins->rows;
	int place = -1;

	while ((place = bms_next_member(joins->made, place)) >= 0)
		rows -= ((const Path *) list_nth(joins->paths, place))->rows;
	return rows;
}

double
wa_planned_joins_bytes(const WaPlannedJoins *joins)
{
	double bytes = 0;
	ListCell *cell;

	foreach (cell, joins->paths)
	{
		const Path *path = (const Path *) lfirst(cell);

		if (bms_is_member(foreach_current_index(cell), joins->made))
			continue;
		bytes +=
			path->rows * (ROW_BYTES + path->pathtarget->width +
						  VALUE_BYTES * list_length(path->pathtarget->exprs));
	}
	foreach (cell, joins->list)
		if (((const WaJoin *) lfirst(cell))->kind == WA_JOIN_NUMBER)
			bytes += wa_planned_joins_rows(joins) * ROW_BYTES;
	return bytes;
}
