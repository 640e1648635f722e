/*
 * join_side.h
 *		What tables of joins are made with (join_build.h): the sides of joins, which have the
 *		rows of plans.
 */
#ifndef WA_SCAN_JOIN_SIDE_H
#define WA_SCAN_JOIN_SIDE_H

#include "scan/tables/join_rows.h"
#include "scan/tables/join_tables.h"

/* A value that rows of a side have: of their own, or of those of a side that is folded. */
typedef struct WaSideColumn
{
	int number;       /* of the value */
	bool by_value;    /* of its type */
	bool is_place;    /* it is where the row lies */
	ExprState *state; /* over a row of the plan; NULL: it is that of */
	int folded;       /* one of those that are folded, by its place, */
	int place;        /* and of its column */
} WaSideColumn;

/* A side that is folded into another one. */
typedef struct WaSideFolded
{
	struct WaJoinSide *side;
	ExprState *key; /* over a row of the other's plan */
	Oid key_type;
	int64 row; /* of the row at hand, or WA_NO_ROW */
} WaSideFolded;

/* The rows of a join, or what numbers a part of the key of one. */
typedef struct WaJoinSide
{
	const WaJoin *join;
	MemoryContext context; /* of its tables; NULL: it is folded */
	ExprState *of; /* the key, over a row of the plan; NULL: it is a pair */
	Oid of_type;
	Datum key;  /* of the row at hand */
	int nparts; /* so many sides before this one number parts of its key */
	WaSideColumn *columns;
	int ncolumns;
	WaSideFolded *folded;
	int nfolded;
	WaJoinRows *rows; /* of this side, unless it is a part */
} WaJoinSide;

/* What fills tables. */
typedef struct WaJoinBuild
{
	WaJoinTables *tables;
	ExprContext *econtext; /* for rows of plans */
	int nsides;
	WaJoinSide *sides; /* of the joins */
} WaJoinBuild;

#endif /* WA_SCAN_JOIN_SIDE_H */
