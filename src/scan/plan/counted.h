/*
 * counted.h
 *		A table of a query that is being counted (counted_query.h), and what is known of
 *		expressions over it.
 */
#ifndef WA_SCAN_COUNTED_H
#define WA_SCAN_COUNTED_H

#include "nodes/parsenodes.h"

typedef struct WaCounted
{
	Query *query;     /* the level */
	Index number;     /* of the table there */
	const char *name; /* of the table there */
	Query *below;     /* the subquery in its place, which has one relation */
	List *keys;       /* Var of the table: what it is joined by, and grouped */
	bool is_nullable; /* by an outer join: rows may have none of its rows, */
	Bitmapset *nulling; /* by these */
	const char *reason; /* why it cannot be; NULL: it can so far */
} WaCounted;

/* Which columns of the level there are in an expression. */
typedef struct WaMentions
{
	const Var *loose; /* one of the table that is no key */
	bool of_table;
	bool of_others;
} WaMentions;

/* Has a table not be counted, for the first reason that there is. */
extern void wa_counted_refuse(WaCounted *counted, const char *reason);

/* Returns the number, from 1 on, of the key that a column of the table is; 0: it is none. */
extern int wa_counted_key(const WaCounted *counted, const Var *column);

/* Has the name of a column be that of what it is of now. */
extern void wa_counted_rename(Var *column);

/* Finds them, in subselects of the expression, too. */
extern WaMentions wa_counted_mentions(const WaCounted *counted,
									  Node *expression);

/*
 * Returns an expression over the table as one over the relation of the subquery, which is a
 * level below.  It may not refer to queries of WITH of the level in subselects.
 */
extern Node *wa_counted_lower(const WaCounted *counted, Node *expression);

/*
 * Returns the column of the subquery that has an expression over its relation, which is
 * added under a name if it is new; as the level has it above its joins.
 */
extern Expr *wa_counted_column(const WaCounted *counted, Expr *expression,
							   const char *name);

#endif /* WA_SCAN_COUNTED_H */
