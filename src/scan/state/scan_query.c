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
#include "heap/gather.h"
#include "scan/expr/pairs.h"
#include "scan/expr/transition.h"
#include "scan/program/query_column.h"
#include "scan/state/scan_query.h"

/* Checks that the user may call an aggregate or a function. */
static void
check_permission(Oid function, ObjectType type)
{
	AclResult result = proc_aclcheck_compat(function, GetUserId(), ACL_EXECUTE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, type, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

/* Tells whether an aggregate that needs the operations can share a column. */
static bool
shares_column(const WaScanColumn *column, const WaAggregateCall *call,
			  WaOpSet ops, uint32 hash)
{
	return wa_ops_are_together(column->plan.key.ops | ops) &&
		   column->hash == hash && equal(column->argument, call->argument) &&
		   equal(column->filter, call->filter) &&
		   column->plan.collation == call->collation;
}

List *
wa_scan_query_keys(const WaScanQuery *query)
{
	return list_concat_copy(query->keys, query->dependents);
}

void
wa_scan_query_refer(WaScanQuery *query)
{
	WaJoins *joins = &query->joins;
	List *clauses;
	List *behind = NIL; /* the joins */
	ListCell *cell;

	query->where = query->filter_clauses;
	query->by = query->keys;
	if (joins->list == NIL)
		return;
	wa_joins_fold(joins);
	query->where = NIL;
	query->by = (List *) wa_joins_refer(joins, (Node *) query->keys);
	foreach (cell, query->row_keys)
		query->by = lappend(query->by, wa_joins_place(joins, lfirst_int(cell)));
	clauses = (List *) wa_joins_refer(joins, (Node *) query->filter_clauses);
	foreach (cell, clauses)
		if (wa_joins_follow(joins, lfirst(cell)))
			behind = lappend(behind, lfirst(cell));
		else
			query->where = lappend(query->where, lfirst(cell));
	query->where = list_concat(query->where, wa_joins_clauses(joins));
	query->where = list_concat(query->where, behind);
	query->where = list_concat(query->where, wa_joins_checks(joins));
	wa_joins_refer_keys(joins);
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
		   !shares_column(&query->columns[number], call, ops, hash))
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

/* Has what a call is over refer to what is joined. */
static void
refer_to_joins(WaScanQuery *query, WaAggregateCall *call)
{
	call->argument =
		(Expr *) wa_joins_refer(&query->joins, (Node *) call->argument);
	call->filter =
		(Expr *) wa_joins_refer(&query->joins, (Node *) call->filter);
}

/* Finds the column of a call of the family, and what becomes of it. */
static void
add_call(WaScanQuery *query, WaAggregateCall *call, WaScanResult *result)
{
	WaOpSet operations = wa_aggregate_operations(call->aggregate);

	wa_aggregate_number_booleans(call);
	refer_to_joins(query, call);
	query->is_ours |= !call->builtin;
	result->aggregate = call->aggregate;
	result->output = call->output;
	result->shift = wa_shift_make(call);
	if (result->shift != NULL)
		operations |= result->shift->checks;
	result->column = find_column(query, call, operations);
}

/* Finds the columns of an aggregate of pairs. */
static void
add_pairs(WaScanQuery *query, const WaPairCall *call, WaScanResult *result)
{
	int *columns = palloc(sizeof(int) * WA_PAIR_COLUMNS);

	query->is_ours |= !call->builtin;
	result->aggregate = call->aggregate;
	result->output = WA_OUTPUT_OF_PAIRS;
	result->pair_columns = columns;
	for (int i = WA_PAIR_COLUMNS - 1; i >= 0; i--)
	{
		const WaOpSet operations = wa_pair_operations(call->aggregate, i);
		WaAggregateCall part = {.filter = call->filter,
								.argument_type = FLOAT8OID};

		columns[i] = -1;
		if (operations == 0)
			continue;
		part.argument = wa_pair_expression(call, i);
		refer_to_joins(query, &part);
		columns[i] = find_column(query, &part, operations);
		result->column = columns[i];
	}
}

/* Adds an aggregate that its own functions compute. */
static void
add_transition(WaScanQuery *query, const Aggref *aggref, WaScanResult *result)
{
	WaScanTransition *transition = &query->transitions[query->ntransitions];
	ListCell *cell;

	memset(transition, 0, sizeof(*transition));
	transition->aggref = aggref;
	transition->function = wa_transition_function(aggref);
	query->is_ours |=
		wa_is_c_function(transition->function, "warpagg_transition");
	transition->filter =
		(Expr *) wa_joins_refer(&query->joins, (Node *) aggref->aggfilter);
	foreach (cell, aggref->args)
		transition->arguments = lappend(
			transition->arguments,
			wa_joins_refer(&query->joins,
						   (Node *) lfirst_node(TargetEntry, cell)->expr));
	result->output = WA_OUTPUT_TRANSITION;
	result->column = query->ntransitions++;
}

/* Finds what becomes of an aggregate; as wa_scan_query_aggregate. */
static const char *
add_aggregate(WaScanQuery *query, const Aggref *aggref,
			  const char *(*check)(const WaAggregateCall *call))
{
	WaScanResult *result = &query->results[query->nresults++];
	WaAggregateCall call;
	WaPairCall pairs;
	const char *reason = wa_aggregate_describe(aggref, &call);

	if (reason != NULL && wa_pair_describe(aggref, &pairs))
	{
		add_pairs(query, &pairs, result);
		return NULL;
	}
	if (reason != NULL)
	{
		reason = wa_transition_refusal(aggref);
		if (reason == NULL)
			add_transition(query, aggref, result);
		return reason;
	}
	reason = check == NULL ? NULL : check(&call);
	if (reason == NULL)
		add_call(query, &call, result);
	return reason;
}

const char *
wa_scan_query_aggregate(WaScanQuery *query,
						const char *(*check)(const WaAggregateCall *call))
{
	const int count = list_length(query->aggregates);
	ListCell *cell;

	query->columns =
		palloc(sizeof(WaScanColumn) * (count * WA_PAIR_COLUMNS + 1));
	query->transitions = palloc(sizeof(WaScanTransition) * (count + 1));
	query->results = palloc0(sizeof(WaScanResult) * (count + 1));
	foreach (cell, query->aggregates)
	{
		const char *reason =
			add_aggregate(query, lfirst_node(Aggref, cell), check);

		if (reason != NULL)
			return reason;
	}
	return NULL;
}

/* Compiles the clauses of WHERE; false: one is not covered. */
static bool
compile_filters(WaScanQuery *query, WaCompiler *compiler)
{
	WaQuery *compiled = &query->compiled;
	const int nfilters = list_length(query->where);
	WaQueryFilter *filters = palloc0(sizeof(WaQueryFilter) * (nfilters + 1));

	for (int i = 0; i < nfilters; i++)
	{
		int number;

		compiler->stage = i;
		filters[i].begin = (uint32) compiler->ninstructions;
		number = wa_compile(compiler, (Expr *) list_nth(query->where, i));
		if (number < 0)
			return false;
		filters[i].number = (uint16) number;
		filters[i].end = (uint32) compiler->ninstructions;
		wa_compiler_forget(compiler, 0);
	}
	compiler->stage = nfilters;
	compiled->nfilters = (uint32) nfilters;
	compiled->filters = filters;
	return true;
}

/* Compiles the keys; false: one is not covered. */
static bool
compile_keys(WaScanQuery *query, WaCompiler *compiler)
{
	WaQuery *compiled = &query->compiled;
	WaQueryKey *keys = palloc(sizeof(WaQueryKey) * (query->nkeys + 1));
	uint16 *numbers = palloc(sizeof(uint16) * (query->nkeys + 1));

	query->group_keys = palloc0(sizeof(WaGroupKey) * (query->nkeys + 1));
	for (int i = 0; i < query->nkeys; i++)
	{
		WaGroupKey *key = &query->group_keys[i];
		Expr *expression = (Expr *) list_nth(query->by, i);
		const int number = wa_compile_key(compiler, expression);

		if (number < 0)
			return false;
		key->type = getBaseType(exprType((Node *) expression));
		key->by_image = query->by_image;
		if (!wa_gather_kind(key->type, &key->kind))
			elog(ERROR, "unexpected type %u of a key", key->type);
		keys[i] = wa_group_key_query(key);
		numbers[i] = (uint16) number;
	}
	compiled->nkeys = (uint32) query->nkeys;
	compiled->keys = keys;
	compiled->key_numbers = numbers;
	return true;
}

/* Compiles the aggregated columns; false: one is not covered. */
static bool
compile_columns(WaScanQuery *query, WaCompiler *compiler)
{
	WaQueryColumn *columns =
		palloc(sizeof(WaQueryColumn) * (query->ncolumns + 1));

	for (int i = 0; i < query->ncolumns; i++)
	{
		const WaScanColumn *column = &query->columns[i];

		if (!wa_compile_column(compiler, column->argument, column->filter,
							   column->plan.key.ops, &columns[i]))
			return false;
	}
	query->compiled.ncolumns = (uint32) query->ncolumns;
	query->compiled.columns = columns;
	return true;
}

/* Compiles the arguments of aggregates that their own functions compute; false: one is not covered. */
static bool
compile_transitions(const WaScanQuery *query, WaCompiler *compiler)
{
	for (int i = 0; i < query->ntransitions; i++)
	{
		WaScanTransition *transition = &query->transitions[i];
		const int count = list_length(transition->arguments);

		if (!wa_compile_column(compiler, NULL, transition->filter, 0,
							   &transition->rows))
			return false;
		transition->numbers = palloc(sizeof(int) * (count + 1));
		for (int j = 0; j < count; j++)
		{
			Expr *argument = (Expr *) list_nth(transition->arguments, j);

			transition->numbers[j] = -1;
			if (IsA(argument, Const))
				continue;
			transition->numbers[j] = wa_compile_argument(
				compiler, argument, transition->filter, false);
			if (transition->numbers[j] < 0)
				return false;
		}
	}
	return true;
}

List *
wa_scan_query_behind_where(const WaScanQuery *query)
{
	List *all = list_copy(query->by);

	for (int i = 0; i < query->ncolumns; i++)
		all = list_concat(all, list_make2(query->columns[i].argument,
										  query->columns[i].filter));
	for (int i = 0; i < query->ntransitions; i++)
	{
		all = lappend(all, query->transitions[i].filter);
		all = list_concat(all, query->transitions[i].arguments);
	}
	return all;
}

const char *
wa_scan_query_compile(WaScanQuery *query, int nspare)
{
	List *all =
		list_concat_copy(query->where, wa_scan_query_behind_where(query));
	const char *reason = NULL;
	WaCompiler *compiler;

	all = list_concat(all, query->joins.keys);
	compiler = wa_compiler_make(query->varno,
								query->joins.list == NIL ? NULL : &query->joins,
								all, &reason);
	if (compiler == NULL)
		return reason;
	compiler->nspare = nspare;
	query->compiler = compiler;
	if (!compile_filters(query, compiler))
		return compiler->refusal;
	query->compiled.begin = (uint32) compiler->ninstructions;
	if (!compile_keys(query, compiler) || !compile_columns(query, compiler) ||
		!compile_transitions(query, compiler))
		return compiler->refusal;
	query->compiled.end = (uint32) compiler->ninstructions;
	return NULL;
}

bool
wa_scan_query_is_pushable(const WaScanQuery *query)
{
	if (query->ntransitions > 0)
		return false;
	for (int i = 0; i < query->ncolumns; i++)
		if (!wa_column_is_pushable(query->compiler, &query->compiled.columns[i],
								   query->columns[i].plan.key.argument_type))
			return false;
	return wa_calls_are_pushable(query->compiler);
}

void
wa_scan_query_push_down(const WaScanQuery *query, WaPushdown *pushdown)
{
	memset(pushdown, 0, sizeof(*pushdown));
	pushdown->varno = query->varno;
	pushdown->filters = query->where;
	pushdown->keys = query->by;
	pushdown->columns =
		palloc0(sizeof(WaPushdownColumn) * (query->ncolumns + 1));
	pushdown->ncolumns = query->ncolumns;
	for (int i = 0; i < query->ncolumns; i++)
		pushdown->columns[i] =
			(WaPushdownColumn){.argument = query->columns[i].argument,
							   .filter = query->columns[i].filter,
							   .ops = query->columns[i].plan.key.ops};
}

void
wa_scan_query_check_permissions(const WaScanQuery *query)
{
	for (int i = 0; i < query->nresults; i++)
	{
		const WaShift *shift = query->results[i].shift;
		const Aggref *aggref = list_nth_node(Aggref, query->aggregates, i);

		if (!wa_aggregate_is_added(aggref))
			check_permission(aggref->aggfnoid, OBJECT_AGGREGATE);
		if (shift != NULL)
			check_permission(shift->function, OBJECT_FUNCTION);
	}
}

/*
 * Checks that the user may call the functions of an expression, as ExecInitExpr does: who has
 * what an expression came to does not evaluate it.
 */
static bool
check_functions(Node *node, void *context)
{
	Oid function = InvalidOid;

	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr))
		function = ((const FuncExpr *) node)->funcid;
	else if (IsA(node, OpExpr) || IsA(node, DistinctExpr) ||
			 IsA(node, NullIfExpr))
		function = get_opcode(((const OpExpr *) node)->opno);
	else if (IsA(node, ScalarArrayOpExpr))
		function = get_opcode(((const ScalarArrayOpExpr *) node)->opno);
	if (OidIsValid(function))
		check_permission(function, OBJECT_FUNCTION);
	return expression_tree_walker(node, check_functions, context);
}

void
wa_scan_query_check_keys(const WaScanQuery *query)
{
	ListCell *cell;

	/* Rows that are groups of their own are only sorted. */
	if (list_member(query->keys, wa_compiler_place(query->varno)))
		return;
	foreach (cell, wa_scan_query_keys(query))
	{
		const Oid type = exprType((Node *) lfirst(cell));
		const Oid equality = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;

		/* What others tell may have none. */
		if (OidIsValid(equality))
			check_permission(get_opcode(equality), OBJECT_FUNCTION);
	}
	foreach (cell, query->joins.list)
	{
		ListCell *clause;

		foreach (clause, ((const WaJoin *) lfirst(cell))->clauses)
			check_permission(get_opcode(lfirst_node(OpExpr, clause)->opno),
							 OBJECT_FUNCTION);
	}
	foreach (cell, query->joins.values)
		(void) check_functions(
			(Node *) ((const WaJoinedValue *) lfirst(cell))->expression, NULL);
}
