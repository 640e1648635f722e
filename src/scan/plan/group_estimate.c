/*
 * group_estimate.c
 *		How many groups a query is likely to have; see group_estimate.h.
 *
 * The planner takes a computed key to have as many values as its columns, which is
 * far from true of the days and price ranges that charts are made of.  It is true
 * of what is added to a constant, of md5 and the like.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/selfuncs.h"

#include "scan/expr/compile_internal.h"
#include "scan/expr/value_estimate.h"
#include "scan/plan/group_estimate.h"

/* Values that a computed key is thought to have at most, and each further one. */
#define COMPUTED_KEY_VALUES 10000
#define FURTHER_KEY_VALUES  100

/* A key that is known to have no more values is thought to have all of them. */
#define FEW_VALUES 1000

/* Tells whether a function has about as many values as its arguments. */
static bool
keeps_values(Oid function)
{
	switch (function)
	{
		case F_INT2PL:
		case F_INT2MI:
		case F_INT4PL:
		case F_INT4MI:
		case F_INT8PL:
		case F_INT8MI:
		case F_INT24PL:
		case F_INT24MI:
		case F_INT42PL:
		case F_INT42MI:
		case F_INT48PL:
		case F_INT48MI:
		case F_INT84PL:
		case F_INT84MI:
		case F_NUMERIC_ADD:
		case F_NUMERIC_SUB:
		case F_INT8_INT4:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
		case F_MD5_TEXT:
		case F_TEXTCAT:
		case F_UPPER_TEXT:
		case F_LOWER_TEXT:
			return true;
		default:
			return false;
	}
}

/* Tells whether a key has about as many values as its columns. */
static bool
has_all_values(Node *key)
{
	List *args = NIL;
	ListCell *cell;

	switch (nodeTag(key))
	{
		case T_Var:
		case T_Const:
			return true;
		case T_RelabelType:
			return has_all_values((Node *) ((RelabelType *) key)->arg);
		case T_CoerceViaIO:
			return has_all_values((Node *) ((CoerceViaIO *) key)->arg);
		case T_FuncExpr:
			args = ((FuncExpr *) key)->args;
			break;
		case T_OpExpr:
			args = ((OpExpr *) key)->args;
			break;
		default:
			return false;
	}
	foreach (cell, args)
		if (!has_all_values((Node *) lfirst(cell)))
			return false;
	return keeps_values(wa_function_of(key));
}

/* Returns how many values a computed key is thought to have; most: at most, or 0. */
static double
values_of_key(double most, bool is_further)
{
	const double values = is_further ? FURTHER_KEY_VALUES : COMPUTED_KEY_VALUES;

	return most > 0 ? Min(most, values) : values;
}

double
wa_estimate_groups(PlannerInfo *root, const WaPlannedQuery *planned)
{
	const double rows = planned->relation->rows;
	List *columns = NIL;
	double computed = 1;
	double few = 1; /* of keys that are known to have few values */
	ListCell *cell;

	if (planned->keys == NIL)
		return 1;
	foreach (cell, planned->keys)
	{
		Node *key = (Node *) lfirst(cell);
		const double most = wa_estimate_values(root, key, rows);

		if (has_all_values(key))
			columns = lappend(columns, key);
		else if (most > 0 && most <= FEW_VALUES)
			few *= most;
		else
			computed *= values_of_key(most, computed > 1);
	}
	computed *= few;
	if (columns != NIL)
		computed *= estimate_num_groups(root, columns, rows, NULL, NULL);
	return Min(computed,
			   estimate_num_groups(root, planned->keys, rows, NULL, NULL));
}
