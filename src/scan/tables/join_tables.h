/*
 * join_tables.h
 *		Tables of the rows of relations that a query's table is joined to
 *		(scan/expr/joins.h): of each relation one from keys to numbers of rows, and one
 *		from these to each of the values that are used.
 */
#ifndef WA_SCAN_JOIN_TABLES_H
#define WA_SCAN_JOIN_TABLES_H

#include "nodes/execnodes.h"

#include "core/lookup_table.h"
#include "scan/expr/joins.h"

typedef struct WaJoinTables WaJoinTables;

/* Prepares tables for joins, in the current memory context, for a node of the state. */
extern WaJoinTables *wa_join_tables_make(const WaJoins *joins, EState *estate);

/* Has the tables have the rows that plans (PlanState) return, one of each join. */
extern void wa_join_tables_fill(WaJoinTables *tables, const List *plans);

/*
 * Returns the tables by numbers of values, for programs.  They stay where they are, and
 * change when they are filled.
 */
extern const WaLookupTable *wa_join_tables_list(const WaJoinTables *tables);

/*
 * Tells whether programs have no use for the tables: keys lie too far apart, so each row
 * has to be computed in PostgreSQL's own way.
 */
extern bool wa_join_tables_are_sparse(const WaJoinTables *tables);

/*
 * Sets the inner tuple of the context to the values that are joined to its scan tuple;
 * they stay for as long as the tables.
 */
extern void wa_join_tables_find(WaJoinTables *tables, ExprContext *econtext);

#endif /* WA_SCAN_JOIN_TABLES_H */
