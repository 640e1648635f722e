/*
 * join_conditions.c
 *		Conditions that relations are joined by beside a key; see join_conditions.h.
 */
#include "postgres.h"

#include "optimizer/cost.h"

#include "scan/plan/join_conditions.h"
#include "scan/plan/join_keys.h"

/* A condition and what decides its place among others. */
typedef struct Condition
{
	Expr *expression;
	Index security_level;
	Cost cost;
} Condition;

bool
wa_join_conditions_use(const List *infos, const RelOptInfo *relation)
{
	ListCell *cell;

	foreach (cell, infos)
		if (bms_overlap(lfirst_node(RestrictInfo, cell)->clause_relids,
						relation->relids))
			return true;
	return false;
}

/* Orders conditions as the planner does: by security level, then by cost. */
static int
compare_conditions(const ListCell *a, const ListCell *b)
{
	const Condition *left = (const Condition *) lfirst(a);
	const Condition *right = (const Condition *) lfirst(b);

	if (left->security_level != right->security_level)
		return left->security_level < right->security_level ? -1 : 1;
	return (left->cost > right->cost) - (left->cost < right->cost);
}

List *
wa_join_conditions(PlannerInfo *root, const List *infos)
{
	List *conditions = NIL;
	List *expressions = NIL;
	ListCell *cell;

	foreach (cell, infos)
	{
		const RestrictInfo *info = lfirst_node(RestrictInfo, cell);
		Condition *condition = palloc(sizeof(Condition));
		QualCost cost;

		cost_qual_eval_node(&cost, (Node *) info->clause, root);
		*condition =
			(Condition){info->clause, info->security_level, cost.per_tuple};
		conditions = lappend(conditions, condition);
	}
	list_sort(conditions, compare_conditions);
	foreach (cell, conditions)
		expressions = lappend(expressions,
							  ((const Condition *) lfirst(cell))->expression);
	return expressions;
}

bool
wa_join_key_may_raise(List *joins, const WaJoin *join)
{
	const WaJoins before = {.list = joins};
	Bitmapset *needed = wa_joins_needed(&before, (Node *) wa_join_key_of(join));
	bool has_conditions = false;
	bool may_raise = false;
	ListCell *cell;

	foreach (cell, joins)
	{
		const WaJoin *other = (const WaJoin *) lfirst(cell);

		has_conditions |= other->conditions != NIL &&
						  bms_is_member(foreach_current_index(cell), needed);
		/* Conditions may be about values of others, with conditions of their own. */
		may_raise |= wa_join_may_raise(other);
	}
	return has_conditions && may_raise;
}
