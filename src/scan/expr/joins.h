/*
 * joins.h
 *		Relations that a query's table is joined to: one row of theirs at most for each
 *		row of the table, found by keys.
 *
 * What a query uses of such a row are its joined values: expressions over the relation
 * alone, which are evaluated once for each of its rows.  A program looks the number of the
 * row up (core/lookup_table.h) by the key, which is a column of the table or a value of a
 * relation that was joined before, and the values by that number, which is NULL where there
 * is no row.  A relation whose key is over another one alone is folded into that: its rows
 * are found once for each row of the other, and values are looked up by the number of
 * that.  Keys of several columns, or their parts, are numbered, each by a join of its own
 * that comes before, and numbers are paired (scan/tables/join_numbers.h).
 *
 * In expressions for rows of the table value number i is the column i, from 1
 * on, of INNER_VAR.  Where a join has conditions a row that is found by the key is one only
 * if they are true: CASE is around its values (none of its conditions' own).
 */
#ifndef WA_SCAN_JOINS_H
#define WA_SCAN_JOINS_H

#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

/* Which rows of the table are kept. */
typedef enum WaJoinKind
{
	WA_JOIN_INNER, /* those that have a row there */
	WA_JOIN_LEFT,  /* all; without a row there its values are NULL */
	WA_JOIN_SEMI,  /* likewise, of whose values none is used */
	WA_JOIN_ANTI,  /* those that have none */
	WA_JOIN_SET,   /* all; whether there is a row is the value of a SubPlan */
	WA_JOIN_NUMBER /* all; it numbers a part of the key of a join behind it */
} WaJoinKind;

typedef struct WaJoin
{
	WaJoinKind kind;
	Expr *key;    /* over the table and relations before this one, */
	Expr *of;     /* equals this, over the relation; or both are NULL: */
	bool is_pair; /* the key are the numbers of the two joins before this one */
	List *clauses;    /* OpExpr: the equalities that this stands for */
	bool is_unique;   /* no two rows have a key; else only presence is used */
	List *conditions; /* Expr, likewise over both: only if all are true */
	List *columns;    /* what its plan returns: Var, or something else */
	SubPlan *subplan; /* SET: x IN (SELECT ...), whose plan returns the rows */
	int into;         /* the join that it is folded into; -1: none */

	/* For planning only */
	double share; /* of its rows, that is likely to be there */
	List *parts;  /* WaJoin, of the key: it is to be a pair of their numbers */
} WaJoin;

/* What is the same for all rows of the table. */
typedef enum WaJoinFact
{
	WA_FACT_NONE,
	WA_FACT_IF_MISSING, /* of a set: x IN it where x is not NULL and not there, */
	WA_FACT_IF_NULL,    /* and where x is NULL */
	WA_FACT_COUNT       /* of a number: how many there are */
} WaJoinFact;

/*
 * What is used of a row, or of all.  Of the column ctid it is the place of the row
 * (heap/place.h).
 */
typedef struct WaJoinedValue
{
	int join;         /* its number */
	Expr *expression; /* over its columns; NULL: the number of the row, or: */
	WaJoinFact fact;
} WaJoinedValue;

typedef struct WaJoins
{
	List *list;   /* WaJoin; NIL: there are none */
	List *values; /* WaJoinedValue */
	List *
		keys; /* Expr, of each: over the table and values; NULL: it is folded */
} WaJoins;

/*
 * Returns the place of a column in a list of columns, and perhaps other things, whatever
 * outer joins either is behind; -1: it is not there.
 */
extern int wa_column_place(const List *columns, const Var *column);

/*
 * Returns the number of the join that all columns of an expression are of; -1: there are
 * none, or others, or something else differs from row to row.
 */
extern int wa_join_of_columns(const WaJoins *joins, Node *expression);

/* Tells whether the key of a join is one integer, or what vectors hold as such. */
extern bool wa_join_key_is_integer(const WaJoin *join);

/*
 * Returns the join that finds x IN (SELECT ...), as a subplan says that is hashed by one
 * column: clause of a key is its testexpr.
 */
extern WaJoin *wa_join_of_subplan(SubPlan *subplan);

/* Tells whether the rows of a join are those of a plan below the node. */
extern bool wa_join_has_plan(WaJoinKind kind);

/*
 * Has an expression, or a list, refer to joined values in place of columns of relations,
 * of expressions over one of them alone that raise no errors, and of subplans.  Adds the
 * values.
 */
extern Node *wa_joins_refer(WaJoins *joins, Node *expression);

/* Finds out which joins are folded, before anything refers to their values. */
extern void wa_joins_fold(WaJoins *joins);

/* Returns the joins whose columns are in an expression. */
extern Bitmapset *wa_joins_needed(const WaJoins *joins, Node *expression);

/* Returns the join whose rows have the values of one: itself, unless it is folded. */
extern int wa_joins_owner(const WaJoins *joins, int join);

/*
 * Returns the join whose tables those of a join are made and kept with: that which it is
 * folded into, or whose key it numbers a part of, or itself.
 */
extern int wa_joins_unit(const WaJoins *joins, int join);

/* Has the keys of joins refer to values. */
extern void wa_joins_refer_keys(WaJoins *joins);

/* Returns the clauses that the joins put on rows: there are others, or there are none. */
extern List *wa_joins_clauses(WaJoins *joins);

/*
 * Returns clauses that are true for all rows: where PostgreSQL raises an error of a
 * condition of a left join they do, too.
 */
extern List *wa_joins_checks(WaJoins *joins);

/* Returns all conditions of joins. */
extern List *wa_joins_conditions(const WaJoins *joins);

/* Tells whether a condition of a join may raise errors. */
extern bool wa_join_may_raise(const WaJoin *join);

/* Returns a reference to the number of the row of a join. */
extern Var *wa_joins_row(WaJoins *joins, int join);

/*
 * Returns the number of the join that all of an expression is a value of, which is evaluated
 * for its rows alone, before others are known; -1: there is none.
 */
extern int wa_joins_join_of_value(const WaJoins *joins, Node *expression);

/* Returns the column ctid of what the plan of a join returns; NULL: it does not return it. */
extern Var *wa_join_ctid(const WaJoin *join);

/*
 * Returns the column of a relation by which an inner join has the same value as an
 * expression in each row; NULL: there is none.
 */
extern Expr *wa_join_same_column(const WaJoin *join, const Expr *expression);

/* Tells whether a joined value is the place of a row. */
extern bool wa_joined_value_is_place(const WaJoinedValue *value);

/* Returns a reference to the place of the row of a join whose plan returns ctid. */
extern Var *wa_joins_place(WaJoins *joins, int join);

/*
 * Adds the columns of relation varno that an expression for its rows uses, also for keys
 * of joins, as pull_varattnos does.
 */
extern void wa_joins_pull_attnums(const WaJoins *joins, Node *expression,
								  Index varno, Bitmapset **attnums);

/*
 * Returns which share of the table's rows is likely to have a row in a join that is not
 * folded, and in those that are folded into it.
 */
extern double wa_joins_share(const WaJoins *joins, int owner);

/*
 * Returns which share of the rows a clause of the joins is likely to leave; 1: it is another
 * one.
 */
extern double wa_joins_share_of_clause(const WaJoins *joins,
									   const Node *clause);

/*
 * Tells whether a clause comes behind those of the joins: it refers to values of rows. One
 * about sets alone, and the table, may be what keeps rows from all others.
 */
extern bool wa_joins_follow(const WaJoins *joins, Node *clause);

/* Returns the type of a joined value. */
extern Oid wa_joined_value_type(const WaJoinedValue *value);

/* Tells whether a column is a joined value; returns which one, or NULL. */
extern const WaJoinedValue *wa_joined_value(const WaJoins *joins,
											const Var *column);

#endif /* WA_SCAN_JOINS_H */
