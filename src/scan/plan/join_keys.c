/*
 * join_keys.c
 *		Keys that relations are joined by; see join_keys.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/planmain.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "scan/plan/join_keys.h"
#include "scan/plan/partitioned_indexes.h"
#include "scan/plan/planner_compat.h"

/* Returns the column that an expression is, if it is one, perhaps under another type. */
static const Var *
column_of(const Expr *expression)
{
	while (IsA(expression, RelabelType))
		expression = ((const RelabelType *) expression)->arg;
	return IsA(expression, Var) ? (const Var *) expression : NULL;
}

/* Tells whether a clause compares texts by their bytes, or but for blanks at their ends. */
static bool
compares_texts(const OpExpr *clause)
{
	const RegProcedure function = get_opcode(clause->opno);

	return (function == F_TEXTEQ || function == F_BPCHAREQ) &&
		   OidIsValid(clause->inputcollid) &&
		   get_collation_isdeterministic(clause->inputcollid);
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

/* Tells whether what a clause compares are columns that may be keys, equal as such. */
static bool
compares_keys(const OpExpr *clause, const Expr *left, const Expr *right)
{
	return clause->opno < FirstNormalObjectId &&
		   (compares_texts(clause) ||
			are_equal_as_integers(exprType((const Node *) left),
								  exprType((const Node *) right)));
}

bool
wa_join_clause_is_key(const OpExpr *clause)
{
	Expr *left = linitial(clause->args);

	return column_of(left) != NULL &&
		   op_mergejoinable(clause->opno, exprType((Node *) left)) &&
		   compares_keys(clause, left, lsecond(clause->args));
}

bool
wa_join_key_make(const RelOptInfo *joined, const RelOptInfo *relation,
				 RestrictInfo *info, WaJoinKey *key)
{
	const OpExpr *clause = (const OpExpr *) info->clause;
	Expr *left;
	Expr *right;

	if (info->mergeopfamilies == NIL || !info->can_join)
		return false;
	left = linitial(clause->args);
	right = lsecond(clause->args);
	if (bms_is_subset(info->left_relids, joined->relids) &&
		bms_is_subset(info->right_relids, relation->relids))
		*key = (WaJoinKey){info, left, right};
	else if (bms_is_subset(info->right_relids, joined->relids) &&
			 bms_is_subset(info->left_relids, relation->relids))
		*key = (WaJoinKey){info, right, left};
	else
		return false;
	/* What looks for unique indexes goes by it. */
	info->outer_is_left = key->outer == left;
	return column_of(key->outer) != NULL && column_of(key->inner) != NULL &&
		   compares_keys(clause, key->outer, key->inner);
}

/* Tells whether a subquery returns no more than one row for the keys. */
static bool
is_distinct(Query *subquery, const List *keys)
{
	List *columns = NIL;
	List *operators = NIL;
	ListCell *cell;

	if (!query_supports_distinctness(subquery))
		return false;
	foreach (cell, keys)
	{
		const WaJoinKey *key = (const WaJoinKey *) lfirst(cell);

		columns = lappend_int(columns, column_of(key->inner)->varattno);
		operators =
			lappend_oid(operators, castNode(OpExpr, key->info->clause)->opno);
	}
	return is_distinct_compat(subquery, columns, operators);
}

/* Tells whether a snapshot does not see the transaction that has made an index. */
static bool
is_newer(Oid index, Snapshot snapshot)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	TransactionId maker;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for index %u", index);
	maker = HeapTupleHeaderGetXmin(tuple->t_data);
	ReleaseSysCache(tuple);
	if (TransactionIdIsCurrentTransactionId(maker))
		return IsolationUsesXactSnapshot();
	return TransactionIdIsNormal(maker) && XidInMVCCSnapshot(maker, snapshot);
}

/*
 * Tells whether a unique index of a relation may be newer than the snapshot: rows that have
 * been deleted before it was made, and have the same key, are still there for that.  Then
 * plans are to be made anew for later snapshots.
 */
static bool
has_newer_index(PlannerInfo *root, const RelOptInfo *relation)
{
	ListCell *cell;

	foreach (cell, relation->indexlist)
	{
		const IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);

		if (index->unique && (!ActiveSnapshotSet() ||
							  is_newer(index->indexoid, GetActiveSnapshot())))
			return root->glob->transientPlan = true;
	}
	return false;
}

bool
wa_join_keys_are_unique(PlannerInfo *root, RelOptInfo *relation,
						const List *keys)
{
	List *infos = NIL;
	List *indexes = relation->indexlist;
	ListCell *cell;
	bool are_unique;

	if (relation->reloptkind != RELOPT_BASEREL || keys == NIL)
		return false;
	if (relation->rtekind == RTE_SUBQUERY)
		return is_distinct(root->simple_rte_array[relation->relid]->subquery,
						   keys);
	foreach (cell, keys)
		infos = lappend(infos, ((const WaJoinKey *) lfirst(cell))->info);
	if (relation->rtekind != RTE_RELATION)
		return false;
	relation->indexlist = wa_unique_indexes(root, relation);
	are_unique = has_unique_index_compat(root, relation, infos) &&
				 !has_newer_index(root, relation);
	relation->indexlist = indexes;
	return are_unique;
}

/* Tells whether two integers of a type have room in one of 64 bits. */
static bool
has_room(const Expr *expression)
{
	const Oid type = exprType((const Node *) expression);

	return type == INT2OID || type == INT4OID;
}

/* Returns an integer as one of 64 bits. */
static Expr *
as_bigint(Expr *expression)
{
	const Oid function =
		exprType((Node *) expression) == INT2OID ? F_INT8_INT2 : F_INT8_INT4;

	return (Expr *) makeFuncExpr(function, INT8OID, list_make1(expression),
								 InvalidOid, InvalidOid, COERCE_IMPLICIT_CAST);
}

/* Returns an integer as a constant. */
static Expr *
constant(int64 value)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
							  Int64GetDatum(value), false, FLOAT8PASSBYVAL);
}

/* Returns what a function of two integers of 64 bits returns. */
static Expr *
call(Oid function, Expr *first, Expr *second)
{
	return (Expr *) makeFuncExpr(function, INT8OID, list_make2(first, second),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * Returns two integers as one: the first one times 2^32, and the second one plus 2^31,
 * which is not negative, so that no sum is out of range.
 */
static Expr *
combine(Expr *first, Expr *second)
{
	return call(
		F_INT8PL,
		call(F_INT8MUL, as_bigint(first), constant(INT64CONST(1) << 32)),
		call(F_INT8PL, as_bigint(second), constant(INT64CONST(1) << 31)));
}

/* Returns the clause of a key with that of the relation on its right side. */
static Expr *
clause_of(const WaJoinKey *key)
{
	OpExpr *clause = copyObject(castNode(OpExpr, key->info->clause));

	if (!key->info->outer_is_left)
		CommuteOpExpr(clause);
	return (Expr *) clause;
}

/* Returns the join that numbers a part of a key. */
static WaJoin *
make_part(const WaJoinKey *key)
{
	WaJoin *part = palloc0(sizeof(WaJoin));

	part->kind = WA_JOIN_NUMBER;
	part->into = -1;
	part->share = 1;
	if (key == NULL)
		part->is_pair = true;
	else
	{
		part->key = key->outer;
		part->of = key->inner;
	}
	return part;
}

/* Tells whether two keys have room in an integer. */
static bool
have_room(const List *keys)
{
	ListCell *cell;

	foreach (cell, keys)
		if (!has_room(((const WaJoinKey *) lfirst(cell))->outer) ||
			!has_room(((const WaJoinKey *) lfirst(cell))->inner))
			return false;
	return list_length(keys) == 2;
}

/* Returns the joins that number the parts of a key, in the order in which they are paired. */
static List *
make_parts(const List *keys)
{
	List *parts = NIL;
	ListCell *cell;

	foreach (cell, keys)
	{
		/* A third part is paired with a number of the pair of the first two. */
		if (list_length(parts) >= 2)
			parts = lappend(parts, make_part(NULL));
		parts = lappend(parts, make_part((const WaJoinKey *) lfirst(cell)));
	}
	return parts;
}

void
wa_join_keys_set(WaJoin *join, const List *keys)
{
	const WaJoinKey *first = (const WaJoinKey *) linitial(keys);
	const WaJoinKey *second;
	ListCell *cell;

	foreach (cell, keys)
		join->clauses =
			lappend(join->clauses, clause_of((const WaJoinKey *) lfirst(cell)));
	join->key = first->outer;
	join->of = first->inner;
	if (list_length(keys) == 1)
		return;
	if (have_room(keys))
	{
		second = (const WaJoinKey *) lsecond(keys);
		join->key = combine(first->outer, second->outer);
		join->of = combine(first->inner, second->inner);
		return;
	}
	join->is_pair = true;
	join->key = join->of = NULL;
	join->parts = make_parts(keys);
}

List *
wa_join_key_of(const WaJoin *join)
{
	List *all = list_make1(join->key);
	ListCell *cell;

	foreach (cell, join->parts)
		all = lappend(all, ((const WaJoin *) lfirst(cell))->key);
	return all;
}

List *
wa_joins_with_parts(const List *joins)
{
	List *all = NIL;
	ListCell *cell;

	foreach (cell, joins)
	{
		WaJoin *join = (WaJoin *) lfirst(cell);

		all = lappend(list_concat(all, join->parts), join);
	}
	return all;
}
