/*
 * join_making.c
 *		Tables of joins that the device process makes; see join_making.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

#include "compat.h"
#include "scan/expr/compile.h"
#include "scan/node/join_making.h"
#include "scan/node/join_rest.h"
#include "scan/plan/resident_worth.h"
#include "scan/resident/resident_made.h"
#include "scan/rows/prepare.h"

/* Returns the plan that scans the relation whose rows a plan returns; NULL: none does. */
static const Plan *
scan_of(const Plan *plan)
{
	if ((IsA(plan, Gather) || IsA(plan, GatherMerge)) && plan->qual == NIL)
		plan = plan->lefttree;
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return plan;
		default:
			return NULL;
	}
}

/* How the columns of a scanned relation are named. */
typedef struct Naming
{
	Index scanned;       /* by the plan, */
	Index number;        /* and by joins */
	const List *entries; /* TargetEntry: the columns of its index */
} Naming;

/* Names columns as joins do. */
static Node *
name_columns(Node *node, void *context)
{
	const Naming *naming = (const Naming *) context;
	const Var *var = (const Var *) node;
	Var *named;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, name_columns, context);
	if (var->varno == INDEX_VAR)
		return name_columns((Node *) ((const TargetEntry *) list_nth(
										  naming->entries, var->varattno - 1))
								->expr,
							context);
	named = copyObject(unconstify(Var *, var));
	if ((Index) named->varno == naming->scanned)
		named->varno = (int) naming->number;
	return (Node *) named;
}

/* Returns the clauses that the rows fulfil which a scan returns. */
static List *
clauses_of(const Plan *scan, Index number)
{
	Naming naming = {((const Scan *) scan)->scanrelid, number, NIL};
	List *clauses = NIL;

	if (IsA(scan, IndexScan))
		clauses = ((const IndexScan *) scan)->indexqualorig;
	else if (IsA(scan, BitmapHeapScan))
		clauses = ((const BitmapHeapScan *) scan)->bitmapqualorig;
	else if (IsA(scan, IndexOnlyScan))
	{
		clauses = ((const IndexOnlyScan *) scan)->recheckqual;
		naming.entries = ((const IndexOnlyScan *) scan)->indextlist;
	}
	clauses = list_concat_copy(clauses, scan->qual);
	return (List *) name_columns((Node *) clauses, &naming);
}

/* Returns the number that joins have for the relation of one; 0: it is none. */
static Index
number_of(const WaJoin *join)
{
	Index number = 0;
	ListCell *cell;

	foreach (cell, join->columns)
	{
		const Var *var = (const Var *) lfirst(cell);

		if (!IsA(var, Var) || IS_SPECIAL_VARNO(var->varno) ||
			(number != 0 && (Index) var->varno != number))
			return 0;
		number = (Index) var->varno;
	}
	return number;
}

/* Tells whether a unit is one whose rows have a key that is an integer, and values. */
static bool
is_plain(const WaJoins *joins, const WaJoinContents *contents)
{
	const WaJoin *unit = (const WaJoin *) list_nth(joins->list, contents->unit);

	if (!wa_join_has_plan(unit->kind) || !wa_join_key_is_integer(unit))
		return false;
	for (int i = 0; i < contents->nvalues; i++)
		if (((const WaJoinedValue *) list_nth(joins->values,
											  contents->values[i]))
				->fact != WA_FACT_NONE)
			return false;
	return unit->is_unique || contents->nvalues == 0;
}

/* Joins to the query of a unit what is folded into that; returns how, by the node's joins. */
static int *
take_folded(WaJoinMaking *making, const WaJoins *joins, const List *plans)
{
	const WaJoinContents *contents = making->contents;
	WaJoins *own = &making->state.query.joins;
	int *numbers = palloc(sizeof(int) * (list_length(joins->list) + 1));

	for (int i = 0; i < contents->njoins; i++)
	{
		const int number = contents->joins[i];
		WaJoin *join;

		if (number == contents->unit)
			continue;
		join = palloc(sizeof(WaJoin));
		*join = *(const WaJoin *) list_nth(joins->list, number);
		numbers[number] = list_length(own->list);
		own->list = lappend(own->list, join);
		making->plans = lappend(making->plans, list_nth(plans, number));
	}
	return numbers;
}

/* Returns what the query of a unit computes for a value of the node's. */
static void *
value_of_unit(WaJoinMaking *making, const WaJoinedValue *value,
			  const int *numbers)
{
	WaScanQuery *query = &making->state.query;

	if (!wa_joined_value_is_place(value))
		return value->expression;
	return value->join == making->contents->unit
			   ? wa_compiler_place(query->varno)
			   : wa_joins_place(&query->joins, numbers[value->join]);
}

/*
 * Has the query of a unit compute its key, and the values that tables have, for each row of
 * its relation, joined to what is folded into it.
 */
static void
describe(WaJoinMaking *making, const WaJoins *joins, const List *plans,
		 const WaJoin *unit)
{
	const WaJoinContents *contents = making->contents;
	const int *numbers = take_folded(making, joins, plans);
	WaScanQuery *query = &making->state.query;

	query->planned_groups = 1;
	query->by_image = true;
	query->keys = list_make1(unit->of);
	for (int i = 0; i < contents->nvalues; i++)
		query->keys = lappend(
			query->keys, value_of_unit(making,
									   (const WaJoinedValue *) list_nth(
										   joins->values, contents->values[i]),
									   numbers));
	query->nkeys = list_length(query->keys);
	wa_scan_query_refer(query);
}

/* Prepares what runs the query over a relation; returns false if it cannot be compiled. */
static bool
prepare(WaScanState *state, EState *estate, Relation relation)
{
	WaScanQuery *query = &state->query;

	state->css.ss.ps.state = estate;
	if (wa_scan_query_aggregate(query, NULL) != NULL)
		return false;
	state->sources.estate = estate;
	if (wa_scan_prepare_query(query, &state->sources, &state->store) != NULL)
		return false;
	state->css.ss.ps.ps_ExprContext = CreateExprContext(estate);
	wa_scan_prepare_joins(query, estate);
	wa_scan_prepare_reading(state, relation);
	wa_scan_set_source(state, relation);
	wa_sources_begin(&state->sources);
	return true;
}

void
wa_join_making_end(WaJoinMaking *making)
{
	WaScanState *state = &making->state;

	wa_sources_end(&state->sources);
	if (state->query.interpreter->joined != NULL)
		MemoryContextDelete(state->query.interpreter->joined->context);
	MemoryContextDelete(state->store.context);
	FreeExprContext(state->css.ss.ps.ps_ExprContext, true);
}

WaJoinMaking *
wa_join_making_begin(const WaScanState *state, const List *plans,
					 const WaJoinContents *contents)
{
	const WaJoins *joins = &state->query.joins;
	EState *estate = state->css.ss.ps.state;
	const WaJoin *unit = (const WaJoin *) list_nth(joins->list, contents->unit);
	const PlanState *plan = (const PlanState *) list_nth(plans, contents->unit);
	const Plan *scan = plan == NULL ? NULL : scan_of(plan->plan);
	const Index number = number_of(unit);
	WaJoinMaking *making;
	Relation relation;

	if (scan == NULL || number == 0 || !is_plain(joins, contents))
		return NULL;
	relation = query_relation_compat(estate, ((const Scan *) scan)->scanrelid);
	/* A partition may have its columns in another order than the parent that joins name. */
	if (exec_rt_fetch(number, estate)->relid != RelationGetRelid(relation))
		return NULL;
	if (!wa_resident_is_large(RelationGetNumberOfBlocks(relation)))
		return NULL;
	making = palloc0(sizeof(WaJoinMaking));
	making->contents = contents;
	making->is_unique = unit->is_unique;
	making->state.query.varno = number;
	making->state.query.filter_clauses = clauses_of(scan, number);
	describe(making, joins, plans, unit);
	if (!prepare(&making->state, estate, relation))
		return NULL;
	if (wa_resident_may_make(&making->state.query, &making->state.sources))
		return making;
	wa_join_making_end(making);
	return NULL;
}

/*
 * Stores what EXPLAIN tells of the joins of a unit whose rows the device process has read, but
 * for those of so many blocks.
 */
static void
note_uses(const WaJoinMaking *making, int64 rows, uint32 nblocks,
		  WaJoinUse *uses)
{
	const WaJoinContents *contents = making->contents;
	const WaJoinTables *joined = making->state.query.interpreter->joined;
	int place = 0;

	for (int i = 0; i < contents->njoins; i++)
	{
		WaJoinUse *use = &uses[contents->joins[i]];

		if (contents->joins[i] == contents->unit)
			*use =
				(WaJoinUse){.rows = rows, .is_made = true, .nblocks = nblocks};
		else
			*use = joined->uses[place++];
	}
}

/*
 * Has tables with the digests made, of the rows that are resident and, where these are not
 * known to be all, of others of so many blocks.  Returns as wa_resident_make.
 */
static int64
make(WaJoinMaking *making, const WaTableDigest *digests, uint32 *nblocks)
{
	WaScanState *state = &making->state;
	WaRestRows rest = {0};
	int64 rows = -1;

	if (making->contents->is_stamped || wa_join_rest_read(state, &rest))
		rows = wa_resident_make(
			&state->query, &state->sources, state->css.ss.ps.ps_ExprContext,
			digests, making->is_unique, rest.nblocks > 0 ? &rest : NULL);
	*nblocks = rest.nblocks;
	wa_join_rest_free(&rest);
	return rows;
}

bool
wa_join_making_run(WaJoinMaking *making, WaJoinUse *uses)
{
	const WaJoinContents *contents = making->contents;
	const WaTableDigest *digests = wa_join_digests(contents);
	WaTableDigest *made =
		palloc(sizeof(WaTableDigest) * (1 + contents->nvalues));
	uint32 nblocks;
	int64 rows;

	for (int i = 0; i < contents->njoins; i++)
		if (contents->joins[i] == contents->unit)
			made[0] = digests[i];
	memcpy(&made[1], &digests[contents->njoins],
		   sizeof(WaTableDigest) * contents->nvalues);
	rows = make(making, made, &nblocks);
	pfree(made);
	if (rows < 0)
		return false;
	note_uses(making, rows, nblocks, uses);
	return true;
}
