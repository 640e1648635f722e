/*
 * scan_query.c
 *		What a node computes, as its plan says; see scan_query.h.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "scan/expr/compile.h"
#include "scan/state/plan.h"
#include "scan/state/scan_query.h"

/* Checks that the user may call an aggregate or a function. */
static void
check_permission(Oid function, ObjectType type)
{
	AclResult result = proc_aclcheck_compat(function, ACL_EXECUTE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, type, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

/* Tells whether two aggregates can share a column. */
static bool
shares_column(const WaScanColumn *column, const WaAggregateCall *call,
			  uint32 hash)
{
	return column->hash == hash && equal(column->argument, call->argument) &&
		   equal(column->filter, call->filter) &&
		   column->plan.collation == call->collation;
}

/*
 * Returns the number of the column for an aggregate that needs the operations;
 * it may add one.
 */
static int
find_column(WaScanQuery *query, const WaAggregateCall *call, WaOpSet ops)
{
	const uint32 hash = wa_column_hash(call->argument, call->filter);
	WaScanColumn *column;
	int number = 0;

	while (number < query->ncolumns &&
		   !shares_column(&query->columns[number], call, hash))
		number++;
	column = &query->columns[number];
	if (number == query->ncolumns)
	{
		query->ncolumns++;
		memset(column, 0, sizeof(*column));
		column->argument = call->argument;
		column->filter = call->filter;
		column->hash = hash;
		column->plan.collation = call->collation;
		column->plan.key.argument_type =
			call->argument == NULL ? BOOLOID : call->argument_type;
	}
	column->plan.key.ops |= ops;
	return number;
}

/* Finds out what is aggregated. */
static void
read_aggregates(WaScanQuery *query, const CustomScan *plan)
{
	int naggregates = wa_plan_number(plan, WA_PLAN_AGGREGATES);

	query->columns = palloc(sizeof(WaScanColumn) * (naggregates + 1));
	query->results = palloc(sizeof(WaScanResult) * (naggregates + 1));
	for (int i = 0; i < naggregates; i++)
	{
		const Aggref *aggref =
			castNode(Aggref, wa_plan_target(plan, query->nkeys + i));
		WaScanResult *result = &query->results[i];
		WaAggregateCall call;
		WaOpSet operations;

		check_permission(aggref->aggfnoid, OBJECT_AGGREGATE);
		/* warpagg.accelerate is as it was when the plan was made. */
		if (wa_aggregate_describe(aggref, &call) != NULL)
			elog(ERROR, "unexpected aggregate %u", aggref->aggfnoid);
		query->is_ours |= !call.builtin;
		result->aggregate = call.aggregate;
		result->output = call.output;
		operations = wa_aggregate_operations(call.aggregate);
		result->shift = wa_shift_make(&call);
		if (result->shift != NULL)
		{
			check_permission(result->shift->function, OBJECT_FUNCTION);
			operations |= result->shift->checks;
		}
		result->column = find_column(query, &call, operations);
	}
	query->nresults = naggregates;
}

/* Finds out by what is grouped. */
static void
read_keys(WaScanQuery *query, const CustomScan *plan)
{
	query->nkeys = wa_plan_number(plan, WA_PLAN_KEYS);
	query->keys = palloc(sizeof(Expr *) * (query->nkeys + 1));
	for (int i = 0; i < query->nkeys; i++)
		query->keys[i] = wa_plan_target(plan, i);
}

void
wa_scan_query_check_keys(const WaScanQuery *query)
{
	for (int i = 0; i < query->nkeys; i++)
	{
		Oid type = exprType((Node *) query->keys[i]);

		check_permission(
			get_opcode(lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr),
			OBJECT_FUNCTION);
	}
}

void
wa_scan_query_read(WaScanQuery *query, const CustomScan *plan)
{
	query->varno = plan->scan.scanrelid;
	query->nworkers = wa_plan_number(plan, WA_PLAN_WORKERS);
	query->planned_batches = wa_plan_number(plan, WA_PLAN_BATCHES);
	query->planned_groups = wa_plan_number(plan, WA_PLAN_GROUPS);
	query->planned_combinations = wa_plan_number(plan, WA_PLAN_COMBINATIONS);
	query->planned_spared = wa_plan_number(plan, WA_PLAN_SPARED);
	query->block_cost = wa_plan_block_cost(plan);
	read_keys(query, plan);
	query->filter_clauses = wa_plan_filters(plan);
	query->one_time_clauses = wa_plan_one_time_filters(plan);
	read_aggregates(query, plan);
}
