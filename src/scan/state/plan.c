/*
 * plan.c
 *		Puts a plan node of the scan tier together, and takes it apart; see plan.h.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "scan/state/plan.h"
#include "scan/state/rolled_query.h"

/* The lists of custom_exprs. */
typedef enum WaPlanExpressions
{
	FILTERS,          /* clauses of WHERE, */
	ONE_TIME_FILTERS, /* and those without columns */
	ORDERS,           /* that the top groups are sorted by */
	LIMITS,           /* of LIMIT and OFFSET, if there are any of these */
	PARAMETERS,       /* that the others use, which the planner then knows of */
	JOINS             /* of each its keys, and what its plan returns */
} WaPlanExpressions;

/* What custom_private has. */
typedef enum WaPlanPart
{
	NUMBERS, /* list as of WaPlanNumber */
	OPERATORS,
	NULLS_FIRST,
	BLOCK_COST,
	FEED_COLUMNS,
	JOIN_NUMBERS,  /* of each those of WaJoinNumber */
	ORDER_NUMBERS, /* of each column those of WaOrderNumber */
	SETS           /* as of WaScanQuery */
} WaPlanPart;

/* Numbers of a column that groups are sorted by. */
typedef enum WaOrderNumber
{
	COLUMN,
	IS_DESCENDING,
	HAS_NULLS_FIRST,
	ORDER_NUMBER_COUNT
} WaOrderNumber;

/* Numbers of a join. */
typedef enum WaJoinNumber
{
	KIND,
	IS_UNIQUE,
	IS_PAIR,
	IS_KEY, /* the place of its row is a key of groups */
	JOIN_NUMBER_COUNT
} WaJoinNumber;

/* Numbers of a plan. */
typedef enum WaPlanNumber
{
	KEYS, /* without those that are places of rows */
	AGGREGATES,
	DEPENDENTS,
	WORKERS,
	BATCHES,
	GROUPS,
	INPUTS,
	EXCLUDED,
	CHILDREN,
	PUSHED,
	FINER,
	APART,
	ALTERNATIVE,
	KEEPS_TIES,
	HAVING_FIRST,
	PARTS,
	NUMBER_COUNT
} WaPlanNumber;

/* Adds parameters to a List *; that of a subplan's comparison is its own. */
static bool
add_parameters(Node *node, void *parameters)
{
	if (node == NULL || IsA(node, SubPlan))
		return false;
	if (IsA(node, Param))
		*(List **) parameters = list_append_unique(*(List **) parameters, node);
	return expression_tree_walker(node, add_parameters, parameters);
}

List *
wa_plan_parameters(List *parameters, Node *expression)
{
	(void) add_parameters(expression, &parameters);
	return parameters;
}

/* Returns a list of integers. */
static List *
list_of(const int *numbers, int count)
{
	List *list = NIL;

	for (int i = 0; i < count; i++)
		list = lappend_int(list, numbers[i]);
	return list;
}

/* The column of a list that a column is, perhaps by other outer joins; or itself. */
static Node *
find_listed(Node *node, void *list)
{
	const Var *var = (const Var *) node;
	int place;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, find_listed, list);
	place = wa_column_place((const List *) list, var);
	return (Node *) copyObject(
		place < 0 ? var : (const Var *) list_nth((const List *) list, place));
}

/* Returns the expressions of a join. */
static List *
list_of_join(const WaJoin *join)
{
	List *list = join->subplan != NULL
					 ? list_make5(NULL, NULL, NULL, NULL, NULL)
					 : list_make5(join->key, join->of, NIL, join->clauses,
								  join->conditions);

	return lappend(list, join->subplan);
}

/*
 * Writes what is joined, but for what its plans return, by columns as the plan's list of
 * them has them.
 */
static void
write_joins(CustomScan *plan, const WaScanQuery *query, List *columns)
{
	List *expressions = NIL;
	List *numbers = NIL;
	ListCell *cell;

	foreach (cell, query->joins.list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		expressions = lappend(
			expressions, find_listed((Node *) list_of_join(join), columns));
		numbers = lappend_int(numbers, (int) join->kind);
		numbers = lappend_int(numbers, join->is_unique);
		numbers = lappend_int(numbers, join->is_pair);
		numbers =
			lappend_int(numbers, list_member_int(query->row_keys,
												 foreach_current_index(cell)));
	}
	plan->custom_exprs = lappend(plan->custom_exprs, expressions);
	plan->custom_private = lappend(plan->custom_private, numbers);
}

/* Writes what groups are sorted by. */
static void
write_order(CustomScan *plan, const WaScanQuery *query)
{
	List *numbers = NIL;
	ListCell *cell;

	foreach (cell, query->order)
	{
		const WaOrderColumn *column = (const WaOrderColumn *) lfirst(cell);
		const int values[ORDER_NUMBER_COUNT] = {
			[COLUMN] = column->number,
			[IS_DESCENDING] = column->descending,
			[HAS_NULLS_FIRST] = column->nulls_first};

		numbers = list_concat(numbers, list_of(values, ORDER_NUMBER_COUNT));
	}
	plan->custom_private = lappend(plan->custom_private, numbers);
}

/*
 * Returns all columns that a plan uses, each once: as expressions have them, or else, if they
 * are used by joins alone, as these have them.
 */
static List *
columns_of(const WaScanQuery *query)
{
	List *all = list_concat_copy(query->keys, query->aggregates);
	List *joined = NIL;
	List *columns;
	ListCell *cell;

	all = list_concat(all, query->dependents);
	all = list_concat(all, query->filter_clauses);
	columns = list_concat_unique(
		NIL, pull_var_clause((Node *) all, PVC_RECURSE_AGGREGATES |
											   PVC_RECURSE_PLACEHOLDERS));
	foreach (cell, query->joins.list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		joined = lappend(joined, join->key);
		if (join->subplan != NULL)
			continue;
		joined = list_concat(joined, list_copy(join->columns));
		joined = list_concat(joined, list_make2(join->of, join->conditions));
	}
	joined = pull_var_clause((Node *) joined, 0);
	foreach (cell, joined)
		columns = list_append_unique(
			columns, find_listed((Node *) lfirst(cell), columns));
	return columns;
}

void
wa_plan_write(CustomScan *plan, const WaScanQuery *query, const WaPlanTop *top)
{
	const WaScanQuery *returned = wa_scan_query_returned(query);
	const int numbers[NUMBER_COUNT] = {
		[KEYS] = list_length(returned->keys),
		[AGGREGATES] = list_length(returned->aggregates),
		[DEPENDENTS] = list_length(query->dependents),
		[WORKERS] = query->nworkers,
		[BATCHES] = query->planned_batches,
		[GROUPS] = query->planned_groups,
		[INPUTS] = query->planned_inputs,
		[EXCLUDED] = query->planned_excluded,
		[CHILDREN] = query->planned_children,
		[PUSHED] = query->planned_pushed,
		[FINER] = wa_rolled_query_finer(query),
		[APART] = query->is_apart,
		[ALTERNATIVE] = query->planned_alternative,
		[KEEPS_TIES] = top->keeps_ties,
		[HAVING_FIRST] = top->having_first,
		[PARTS] = top->nparts,
	};
	List *targets = list_concat_copy(returned->keys, returned->aggregates);
	List *parameters = wa_plan_parameters(NIL, (Node *) targets);
	List *columns = columns_of(returned);
	List *filters = query->filter_clauses;
	ListCell *cell;

	targets = list_concat(list_concat(targets, query->dependents), columns);
	foreach (cell, targets)
		plan->custom_scan_tlist = lappend(
			plan->custom_scan_tlist,
			makeTargetEntry((Expr *) lfirst(cell),
							(AttrNumber) (foreach_current_index(cell) + 1),
							NULL, false));
	/* From 18 on keys of grouping sets look unlike the same columns below. */
	if (returned->sets != NIL)
		filters = (List *) find_listed((Node *) filters, columns);
	plan->custom_exprs =
		list_make5(filters, query->one_time_clauses, top->expressions,
				   list_make2(top->count, top->offset), parameters);
	plan->custom_private = list_make5(
		list_of(numbers, NUMBER_COUNT), top->operators, top->nulls_first,
		makeFloat(psprintf("%.6e", query->block_cost)), NIL);
	write_joins(plan, query, columns);
	write_order(plan, query);
	plan->custom_private = lappend(plan->custom_private, returned->sets);
}

List *
wa_plan_feed_columns(const CustomScan *plan)
{
	return (List *) list_nth(plan->custom_private, FEED_COLUMNS);
}

/* Returns one of the plan's numbers. */
static int
number_of(const CustomScan *plan, WaPlanNumber number)
{
	return list_nth_int((const List *) list_nth(plan->custom_private, NUMBERS),
						number);
}

/* Returns a number of one of the joins. */
static int
number_of_join(const CustomScan *plan, int join, WaJoinNumber number)
{
	return list_nth_int(
		(const List *) list_nth(plan->custom_private, JOIN_NUMBERS),
		join * JOIN_NUMBER_COUNT + number);
}

/* Tells whether one of the joins has a plan. */
static bool
has_plan(const CustomScan *plan, int join)
{
	return wa_join_has_plan((WaJoinKind) number_of_join(plan, join, KIND));
}

/* Returns how many joins have plans. */
static int
count_joins(const CustomScan *plan)
{
	const int all =
		list_length((const List *) list_nth(plan->custom_exprs, JOINS));
	int count = 0;

	for (int i = 0; i < all; i++)
		count += has_plan(plan, i);
	return count;
}

/* Returns how many plans there are before those; behind them is the alternative. */
static int
count_others(const CustomScan *plan)
{
	return list_length(plan->custom_plans) - count_joins(plan) -
		   number_of(plan, FINER) - number_of(plan, ALTERNATIVE);
}

Plan *
wa_plan_feed(const CustomScan *plan)
{
	return count_others(plan) > number_of(plan, PUSHED)
			   ? (Plan *) linitial(plan->custom_plans)
			   : NULL;
}

Plan *
wa_plan_pushed(const CustomScan *plan)
{
	return number_of(plan, PUSHED) == 0
			   ? NULL
			   : (Plan *) list_nth(plan->custom_plans, count_others(plan) - 1);
}

List *
wa_plan_joined(const CustomScan *plan)
{
	List *plans = list_copy_tail(plan->custom_plans, count_others(plan));

	return list_truncate(plans, count_joins(plan));
}

List *
wa_plan_finer(const CustomScan *plan)
{
	List *plans = list_copy_tail(plan->custom_plans,
								 count_others(plan) + count_joins(plan));

	return list_truncate(plans, number_of(plan, FINER));
}

Plan *
wa_plan_alternative(const CustomScan *plan)
{
	return number_of(plan, ALTERNATIVE) == 0
			   ? NULL
			   : (Plan *) llast(plan->custom_plans);
}

/* Returns what a plan returns, as a list of columns has it. */
static List *
columns_of_plan(const Plan *plan, List *listed)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, plan->targetlist)
		columns = lappend(columns, lfirst_node(TargetEntry, cell)->expr);
	return (List *) find_listed((Node *) columns, listed);
}

/* Notes what the plans of joins return. */
static void
set_join_columns(CustomScan *plan)
{
	List *plans = wa_plan_joined(plan);
	List *listed = NIL;
	ListCell *cell;

	foreach (cell, plan->custom_scan_tlist)
		listed = lappend(listed, lfirst_node(TargetEntry, cell)->expr);
	foreach (cell, (List *) list_nth(plan->custom_exprs, JOINS))
	{
		if (!has_plan(plan, foreach_current_index(cell)))
			continue;
		list_nth_cell((List *) lfirst(cell), 2)->ptr_value =
			columns_of_plan((const Plan *) linitial(plans), listed);
		plans = list_delete_first(plans);
	}
}

/* Notes which columns of the table a plan of rows returns. */
static void
set_feed_columns(CustomScan *plan, const List *target_list)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, target_list)
	{
		const Var *var = (const Var *) lfirst_node(TargetEntry, cell)->expr;
		const bool is_column =
			IsA(var, Var) && var->varno == (int) plan->scan.scanrelid;

		columns = lappend_int(columns, is_column ? var->varattno : 0);
	}
	list_nth_cell(plan->custom_private, FEED_COLUMNS)->ptr_value = columns;
}

void
wa_plan_set_below(CustomScan *plan, List *plans)
{
	Plan *feed;
	ListCell *cell;

	plan->custom_plans = plans;
	set_join_columns(plan);
	feed = wa_plan_feed(plan);
	if (feed == NULL)
		return;
	set_feed_columns(plan, feed->targetlist);
	if (!IsA(feed, Append))
		return;
	((Append *) feed)->nasyncplans = 0;
	foreach (cell, ((Append *) feed)->appendplans)
		((Plan *) lfirst(cell))->async_capable = false;
}

/* Replaces references to the scan tuple by what they refer to. */
static Node *
restore_columns(Node *node, void *plan)
{
	const Var *var = (const Var *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && var->varno == INDEX_VAR)
		return (Node *) copyObject(
			list_nth_node(TargetEntry,
						  ((const CustomScan *) plan)->custom_scan_tlist,
						  var->varattno - 1)
				->expr);
	return expression_tree_mutator(node, restore_columns, plan);
}

Node *
wa_plan_restore(const CustomScan *plan, Node *expression)
{
	return restore_columns(expression, (void *) plan);
}

/* Returns some of the plan's expressions, over the table. */
static List *
restore_list(const CustomScan *plan, WaPlanExpressions which)
{
	return (List *) wa_plan_restore(
		plan, (Node *) list_nth(plan->custom_exprs, which));
}

/* Returns expressions of the scan tuple of a plan. */
static List *
read_targets(const CustomScan *plan, int first, int count)
{
	List *targets = NIL;

	for (int i = first; i < first + count; i++)
		targets = lappend(
			targets,
			list_nth_node(TargetEntry, plan->custom_scan_tlist, i)->expr);
	return targets;
}

/* Returns one of the joins. */
static WaJoin *
read_join(const CustomScan *plan, int number, const List *expressions)
{
	SubPlan *subplan = (SubPlan *) list_nth(expressions, 5);
	WaJoin *join;

	if (subplan != NULL)
		return wa_join_of_subplan(subplan);
	join = palloc0(sizeof(WaJoin));
	*join = (WaJoin){.kind = (WaJoinKind) number_of_join(plan, number, KIND),
					 .is_unique = number_of_join(plan, number, IS_UNIQUE) != 0,
					 .is_pair = number_of_join(plan, number, IS_PAIR) != 0,
					 .key = (Expr *) linitial(expressions),
					 .of = (Expr *) lsecond(expressions),
					 .columns = (List *) lthird(expressions),
					 .clauses = (List *) lfourth(expressions),
					 .conditions = (List *) list_nth(expressions, 4)};
	return join;
}

/* Returns the numbers of joins whose rows' places are keys. */
static List *
read_row_keys(const CustomScan *plan)
{
	const int count =
		list_length((const List *) list_nth(plan->custom_exprs, JOINS));
	List *numbers = NIL;

	for (int i = 0; i < count; i++)
		if (number_of_join(plan, i, IS_KEY) != 0)
			numbers = lappend_int(numbers, i);
	return numbers;
}

/* Returns what is joined. */
static List *
read_joins(const CustomScan *plan)
{
	List *joins = NIL;
	ListCell *cell;

	foreach (cell, restore_list(plan, JOINS))
		joins = lappend(joins, read_join(plan, foreach_current_index(cell),
										 (const List *) lfirst(cell)));
	return joins;
}

/* Returns what groups are sorted by. */
static List *
read_order(const CustomScan *plan)
{
	const List *numbers =
		(const List *) list_nth(plan->custom_private, ORDER_NUMBERS);
	List *columns = NIL;

	for (int i = 0; i < list_length(numbers); i += ORDER_NUMBER_COUNT)
	{
		WaOrderColumn *column = palloc(sizeof(WaOrderColumn));

		column->number = list_nth_int(numbers, i + COLUMN);
		column->descending = list_nth_int(numbers, i + IS_DESCENDING) != 0;
		column->nulls_first = list_nth_int(numbers, i + HAS_NULLS_FIRST) != 0;
		columns = lappend(columns, column);
	}
	return columns;
}

/* Reads what groups have: keys, aggregates, and what keys tell. */
static void
read_groups(const CustomScan *plan, WaScanQuery *query)
{
	const int nkeys = number_of(plan, KEYS);
	const int naggregates = number_of(plan, AGGREGATES);

	query->row_keys = read_row_keys(plan);
	query->nkeys = nkeys + list_length(query->row_keys);
	query->keys = read_targets(plan, 0, nkeys);
	query->aggregates = read_targets(plan, nkeys, naggregates);
	query->dependents =
		read_targets(plan, nkeys + naggregates, number_of(plan, DEPENDENTS));
	query->order = read_order(plan);
	query->sets = (List *) list_nth(plan->custom_private, SETS);
	query->is_apart = number_of(plan, APART) != 0;
}

void
wa_plan_read(const CustomScan *plan, WaScanQuery *query)
{
	const char *reason;

	query->joins.list = read_joins(plan);
	query->varno = plan->scan.scanrelid;
	query->nworkers = number_of(plan, WORKERS);
	query->planned_batches = number_of(plan, BATCHES);
	query->planned_groups = number_of(plan, GROUPS);
	query->planned_inputs = number_of(plan, INPUTS);
	query->planned_excluded = (WaExcluded) number_of(plan, EXCLUDED);
	query->planned_children = number_of(plan, CHILDREN);
	query->planned_pushed = number_of(plan, PUSHED) != 0;
	query->planned_alternative = number_of(plan, ALTERNATIVE) != 0;
	query->block_cost = floatVal(list_nth(plan->custom_private, BLOCK_COST));
	query->filter_clauses = restore_list(plan, FILTERS);
	query->one_time_clauses = restore_list(plan, ONE_TIME_FILTERS);
	read_groups(plan, query);
	reason = wa_rolled_query_split(query);
	if (reason != NULL)
		elog(ERROR, "unexpected aggregate: %s", reason);
	wa_scan_query_refer(query);
}

bool
wa_plan_top(const CustomScan *plan, WaPlanTop *top)
{
	List *limits = restore_list(plan, LIMITS);

	top->operators = (List *) list_nth(plan->custom_private, OPERATORS);
	if (top->operators == NIL)
		return false;
	top->nulls_first = (List *) list_nth(plan->custom_private, NULLS_FIRST);
	top->keeps_ties = number_of(plan, KEEPS_TIES) != 0;
	top->having_first = number_of(plan, HAVING_FIRST) != 0;
	top->nparts = number_of(plan, PARTS);
	top->expressions = (List *) list_nth(plan->custom_exprs, ORDERS);
	/* A parameter that is also a key had been taken for that. */
	top->count = (Expr *) linitial(limits);
	top->offset = (Expr *) lsecond(limits);
	return true;
}
