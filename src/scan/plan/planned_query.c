/*
 * planned_query.c
 *		Which queries the scan tier takes; see planned_query.h.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "heap/gather.h"
#include "query/records/records.h"
#include "scan/expr/aggregates.h"
#include "scan/expr/compile.h"
#include "scan/expr/errors.h"
#include "scan/expr/ranked.h"
#include "scan/plan/dependent_keys.h"
#include "scan/plan/grouping_sets.h"
#include "scan/plan/joins_resident.h"
#include "scan/plan/planned_query.h"
#include "scan/plan/planned_sets.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/resident_worth.h"
#include "scan/state/rolled_query.h"
#include "scan/tables/join_tables.h"
#include "settings.h"

/* Returns what is wrong with the form of the query, or NULL. */
static const char *
check_query(const PlannerInfo *root, const WaGrouping *grouping)
{
	const Query *parse = root->parse;

	if (parse->commandType != CMD_SELECT ||
		(!parse->hasAggs && grouping->keys == NIL))
		return "it has no aggregate";
	if (parse->hasTargetSRFs)
		return "it returns sets";
	return NULL;
}

/* Returns what is grouped if that is no relation of the query's own, or NULL. */
static const char *
check_source(const PlannerInfo *root, const RelOptInfo *relation)
{
	if (relation->reloptkind != RELOPT_BASEREL)
		return "it is not over a table alone";
	switch (relation->rtekind)
	{
		case RTE_RELATION:
			return NULL;
		case RTE_SUBQUERY:
			return "it is over a subquery";
		case RTE_FUNCTION:
			return "it is over a function";
		case RTE_VALUES:
			return "it is over VALUES";
		case RTE_CTE:
			return "it is over a query of WITH";
		case RTE_RESULT:
			return "it is not over a table";
		default:
			return "it is not over a table alone";
	}
}

/* Returns what is wrong with what is grouped, or NULL. */
static const char *
check_relation(PlannerInfo *root, RelOptInfo *relation)
{
	const char *reason = check_source(root, relation);
	const RangeTblEntry *entry;

	if (reason != NULL)
		return reason;
	if (IS_DUMMY_REL(relation))
		return "no row can fulfil WHERE";
	entry = planner_rt_fetch(relation->relid, root);
	if (entry->tablesample != NULL)
		return "the table is sampled";
	if (entry->relid < FirstNormalObjectId)
		return "the table is a system catalog";
	if (!bms_is_empty(relation->lateral_relids))
		return "it refers to another table of its query";
	return NULL;
}

/* A clause of WHERE and what decides its place among them. */
typedef struct Clause
{
	Expr *expression;
	bool is_one_time; /* without columns */
	Index security_level;
	Cost cost;
	int number;
} Clause;

/* Orders clauses as the planner does: by security level, cost, and place. */
static int
compare_clauses(const void *a, const void *b)
{
	const Clause *left = (const Clause *) a;
	const Clause *right = (const Clause *) b;

	if (left->security_level != right->security_level)
		return left->security_level < right->security_level ? -1 : 1;
	if (left->cost != right->cost)
		return left->cost < right->cost ? -1 : 1;
	return left->number - right->number;
}

/* Collects clauses of WHERE in the order of their evaluation. */
static void
collect_filters(PlannerInfo *root, const List *infos, WaPlannedQuery *planned)
{
	int nclauses = list_length(infos);
	Clause *clauses = palloc(sizeof(Clause) * Max(nclauses, 1));
	List **list;

	for (int i = 0; i < nclauses; i++)
	{
		RestrictInfo *info = list_nth_node(RestrictInfo, infos, i);
		QualCost cost;

		cost_qual_eval_node(&cost, (Node *) info->clause, root);
		clauses[i] = (Clause){info->clause, info->pseudoconstant,
							  info->security_level, cost.per_tuple, i};
		if (info->leakproof && cost.per_tuple < 10 * cpu_operator_cost)
			clauses[i].security_level = 0;
	}
	qsort(clauses, nclauses, sizeof(Clause), compare_clauses);
	for (int i = 0; i < nclauses; i++)
	{
		list = clauses[i].is_one_time ? &planned->query.one_time_clauses
									  : &planned->query.filter_clauses;
		*list = lappend(*list, clauses[i].expression);
	}
}

/* Returns what is wrong with one of a query's keys, or NULL. */
static const char *
check_one_key(const WaGrouping *grouping, Node *key)
{
	ListCell *clause;
	ListCell *cell;

	forboth(clause, grouping->clauses, cell, grouping->keys) if (
		lfirst(cell) ==
		key) return wa_rolled_query_key_refusal(lfirst_node(SortGroupClause,
															clause),
												key);
	return wa_rolled_query_key_refusal(NULL, key);
}

/* Returns the keys by which groups can be told from each other. */
static List *
find_telling(const WaGrouping *grouping, const List *keys)
{
	List *telling = NIL;
	ListCell *cell;

	foreach (cell, keys)
		if (check_one_key(grouping, lfirst(cell)) == NULL)
			telling = lappend(telling, lfirst(cell));
	return telling;
}

/* Returns what is wrong with the first key that is not among some, or NULL. */
static const char *
check_other_keys(const WaGrouping *grouping, const List *keys, const List *some)
{
	ListCell *cell;

	foreach (cell, keys)
		if (!list_member_ptr(some, lfirst(cell)))
			return check_one_key(grouping, lfirst(cell));
	return NULL;
}

/* Columns that are neither in an aggregate nor part of a key. */
typedef struct Loose
{
	const List *keys;
	List *columns;
} Loose;

/* Collects them.  Returns true if there is something else that groups do not tell. */
static bool
collect_loose(Node *node, void *context)
{
	Loose *loose = (Loose *) context;

	if (node == NULL || IsA(node, Aggref) || IsA(node, GroupingFunc) ||
		list_member(loose->keys, node))
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	if (!IsA(node, Var))
		return expression_tree_walker(node, collect_loose, context);
	loose->columns = list_append_unique(loose->columns, node);
	return false;
}

/*
 * Makes columns that are not grouped by keys as well: each has one value in a group, as the
 * keys are a primary key's, or PostgreSQL would not have left them out.
 */
static const char *
collect_loose_keys(const PlannerInfo *root, List *results,
				   WaPlannedQuery *planned)
{
	Loose loose = {.keys = planned->query.keys};

	if (collect_loose((Node *) results, &loose))
		return "its result has a subquery";
	if (loose.columns != NIL && root->parse->groupingSets != NIL)
		return "it has grouping sets, and columns that are not grouped";
	planned->query.keys = list_concat(planned->query.keys, loose.columns);
	return NULL;
}

/* Finds out which keys others tell; returns what is wrong with one of these, or NULL. */
static const char *
choose_keys(PlannerInfo *root, const WaGrouping *grouping,
			WaPlannedQuery *planned)
{
	WaScanQuery *query = &planned->query;
	const List *telling = find_telling(grouping, query->keys);

	query->nkeys = list_length(query->keys);
	/* A group of a set has no row. */
	if (query->joins.list != NIL && root->parse->groupingSets == NIL)
		wa_dependent_keys_find(root, query, telling, planned->joins.paths,
							   planned->having, planned->rows);
	return check_other_keys(grouping, query->keys, telling);
}

/* Collects the aggregates, and checks what is computed from them. */
static const char *
collect_aggregates(const PlannerInfo *root, const WaGrouping *grouping,
				   WaPlannedQuery *planned)
{
	List *results = list_concat_copy(grouping->results, grouping->having);
	List **aggregates = &planned->query.aggregates;
	Bitmapset *seen = NULL;
	const char *reason = collect_loose_keys(root, results, planned);
	ListCell *cell;

	if (reason != NULL)
		return reason;
	foreach (cell,
			 pull_var_clause((Node *) results, PVC_INCLUDE_AGGREGATES |
												   PVC_RECURSE_WINDOWFUNCS |
												   PVC_RECURSE_PLACEHOLDERS))
	{
		Aggref *aggref = (Aggref *) lfirst(cell);

		/* The planner has given equal ones the same number, which is compared. */
		if (!IsA(aggref, Aggref))
			continue;
		if (wa_aggregate_is_added(aggref))
		{
			*aggregates = lappend(*aggregates, aggref);
			continue;
		}
		*aggregates = bms_is_member(aggref->aggno, seen)
						  ? list_append_unique(*aggregates, aggref)
						  : lappend(*aggregates, aggref);
		seen = bms_add_member(seen, aggref->aggno);
	}
	return NULL;
}

/*
 * Returns what is wrong with the order of the values of an aggregate, or NULL.  To
 * compare them must be PostgreSQL's own code, and raise no error.
 */
static const char *
check_order(const WaAggregateCall *call)
{
	const Oid type = call->argument_type;
	WaVectorKind kind;

	if ((call->aggregate != WA_MIN && call->aggregate != WA_MAX) ||
		wa_gather_kind(type, &kind))
		return NULL;
	if (!OidIsValid(lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc) ||
		wa_runs_foreign_code((Node *) makeNullConst(type, -1, InvalidOid)) ||
		(OidIsValid(get_typcollation(type)) && !OidIsValid(call->collation)))
		return psprintf("values of type %s have no order of PostgreSQL's own",
						format_type_be(type));
	return NULL;
}

/* Returns what is wrong with an aggregate, or NULL. */
static const char *
check_aggregate(const WaAggregateCall *call)
{
	const char *reason = wa_aggregate_refusal(call);

	return reason != NULL ? reason : check_order(call);
}

/*
 * Returns how many instructions the program runs for a row of the table: behind a join, for
 * those that it is likely to leave.
 */
static double
count_instructions(const WaPlannedQuery *planned)
{
	const WaScanQuery *query = &planned->query;
	const WaCompiler *compiler = query->compiler;
	const double all = compiler->ninstructions;
	double share = 1;
	double count = 0;

	for (uint32 i = 0; i < query->compiled.nfilters; i++)
	{
		const WaQueryFilter *filter = &query->compiled.filters[i];

		count += share * (filter->end - filter->begin);
		share *= wa_joins_share_of_clause(&query->joins,
										  list_nth(query->where, (int) i));
	}
	count += share * (query->compiled.end - query->compiled.begin);
	return compiler->ncolumns +
		   count * (all > 0 ? 1 + compiler->weight / all : 1);
}

/* Joins what subqueries of the query return; returns why it cannot, or NULL. */
static const char *
find_sets(PlannerInfo *root, WaPlannedQuery *planned)
{
	WaScanQuery *query = &planned->query;
	List *others = list_concat_copy(query->keys, query->aggregates);
	const char *reason;

	if (contain_subplans((Node *) query->one_time_clauses) ||
		contain_subplans((Node *) wa_joins_conditions(&query->joins)))
		return "an expression has a subquery";
	reason = wa_planned_sets_find(root, query->filter_clauses, others,
								  &planned->joins);
	query->joins.list = planned->joins.list;
	return reason;
}

/* Returns what is wrong with an aggregate whose values are those of a key, or NULL. */
static const char *
check_values(Aggref *aggref)
{
	WaRankedCall ranked;
	const char *refusal;

	if (!wa_ranked_is(aggref))
		return wa_rolled_query_key_refusal(
			linitial_node(SortGroupClause, aggref->aggdistinct),
			(Node *) linitial_node(TargetEntry, aggref->args)->expr);
	refusal = wa_ranked_describe(aggref, &ranked);
	if (refusal == NULL && (ranked.builtin || ranked.kind == WA_RANK_LIST))
		refusal = wa_aggregate_others_refusal();
	return refusal != NULL ? refusal
						   : wa_rolled_query_key_refusal(
								 ranked.order, (Node *) ranked.values);
}

/*
 * Has the query group by the arguments of aggregates with DISTINCT, if there are some, or by what
 * its grouping sets have; returns why it cannot, or NULL.
 */
static const char *
split(const PlannerInfo *root, const WaGrouping *grouping, WaScanQuery *query)
{
	const char *reason = NULL;
	ListCell *cell;

	query->is_apart = grouping->is_apart;
	if (root->parse->groupingSets != NIL && !grouping->is_finer)
		reason = wa_grouping_sets_find(
			root->parse, grouping->clauses,
			list_concat_copy(grouping->results, grouping->having), query);
	if (reason == NULL)
		reason = wa_rolled_query_split(query);
	if (reason != NULL || query->rolled == NULL)
		return reason;
	for_each_from(cell, query->rolled->aggregates,
				  list_length(query->aggregates))
	{
		if (reason == NULL)
			reason = check_values(lfirst_node(Aggref, cell));
	}
	return reason;
}

/* Returns what is wrong with there being aggregates that their own functions compute, or NULL. */
static const char *
check_transitions(const WaScanQuery *query)
{
	if (query->ntransitions == 0)
		return NULL;
	if (query->rolled != NULL)
		return "an aggregate that is not of the family stands beside grouping "
			   "sets";
	return wa_aggregate_others_refusal();
}

/* Returns what it costs to call the transition functions of a query for a row. */
static Cost
cost_of_transitions(PlannerInfo *root, const WaScanQuery *query)
{
	QualCost cost = {0, 0};

	for (int i = 0; i < query->ntransitions; i++)
		add_function_cost(root, query->transitions[i].function, NULL, &cost);
	return cost.per_tuple;
}

/* Checks that a query program can compute all that is computed for a row. */
static const char *
check_program(PlannerInfo *root, const WaGrouping *grouping,
			  WaPlannedQuery *planned)
{
	WaScanQuery *query = &planned->query;
	List *all = list_concat_copy(query->keys, query->aggregates);
	const char *reason;

	all = list_concat(list_concat(all, query->filter_clauses),
					  query->one_time_clauses);
	all = list_concat(all, wa_joins_conditions(&query->joins));
	if (wa_is_deep(all))
		return "an expression has too many levels";
	if (contain_volatile_functions((Node *) all))
		return "an expression is volatile";
	reason = find_sets(root, planned);
	if (reason != NULL)
		return reason;
	reason = choose_keys(root, grouping, planned);
	wa_joins_look(root, &planned->joins, false);
	if (reason == NULL &&
		wa_planned_joins_bytes(&planned->joins) > (double) wa_join_memory())
	{
		wa_joins_suggest(root, &planned->joins);
		reason = "what is joined takes more memory than warpagg.buffer_memory, "
				 "or work_mem and hash_mem_multiplier, allow";
	}
	if (reason == NULL)
		reason = split(root, grouping, query);
	if (reason != NULL)
		return reason;
	query->varno = planned->relation->relid;
	wa_scan_query_refer(query);
	reason = wa_scan_query_aggregate(query, check_aggregate);
	if (reason == NULL)
		reason = check_transitions(query);
	if (reason == NULL && query->rolled != NULL)
		reason = wa_rolled_query_aggregate(query, check_aggregate);
	if (reason == NULL)
		reason = wa_scan_query_compile(query, 0);
	if (reason != NULL)
		return reason;
	planned->ninstructions = count_instructions(planned);
	planned->transition_cost = cost_of_transitions(root, query);
	planned->can_push = wa_scan_query_is_pushable(query);
	return NULL;
}

bool
wa_planned_query_is_whole(const WaPlannedQuery *planned)
{
	return planned->sources.has_children
			   ? planned->resident_share == 1
			   : wa_resident_is_whole(planned->resident_share);
}

/* Of joins, and of what a subplan is for, there is one plan. */
bool
wa_planned_query_is_simple(const WaPlannedQuery *planned)
{
	return planned->joins.list == NIL && planned->sources.pushed == NIL &&
		   !contain_subplans((Node *) planned->query.filter_clauses);
}

WaGrouping
wa_planned_query_grouping(PlannerInfo *root, List *clauses,
						  const PathTarget *target, List *having)
{
	WaGrouping grouping = {
		.clauses = clauses, .results = target->exprs, .having = having};
	ListCell *cell;

	foreach (cell, grouping.clauses)
		grouping.keys =
			lappend(grouping.keys,
					get_sortgroupclause_expr(lfirst_node(SortGroupClause, cell),
											 root->processed_tlist));
	return grouping;
}

const char *
wa_planned_query_recognise(PlannerInfo *root, RelOptInfo *relation,
						   const WaGrouping *grouping, WaPlannedQuery *planned)
{
	const char *reason = check_query(root, grouping);

	memset(planned, 0, sizeof(*planned));
	planned->having = grouping->having;
	planned->rows = relation->rows;
	if (reason == NULL && IS_JOIN_REL(relation) && IS_DUMMY_REL(relation))
		return "no row can fulfil WHERE";
	if (reason == NULL && IS_JOIN_REL(relation))
	{
		reason = wa_planned_joins_find(root, relation, &planned->joins);
		planned->query.joins.list = planned->joins.list;
		relation = planned->joins.table;
	}
	planned->relation = relation;
	if (reason == NULL)
		reason = check_relation(root, relation);
	if (reason == NULL)
		reason = wa_planned_sources_find(root, relation, &planned->sources);
	if (reason != NULL)
		return reason;
	planned->query.keys = list_copy(grouping->keys);
	collect_filters(root, relation->baserestrictinfo, planned);
	collect_filters(root, planned->joins.clauses, planned);
	reason = collect_aggregates(root, grouping, planned);
	if (reason == NULL)
		reason = check_program(root, grouping, planned);
	return reason;
}
