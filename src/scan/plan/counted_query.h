/*
 * counted_query.h
 *		A level of a query with one of its tables counted: the table, which may have several
 *		rows for one of the others, gives way to a subquery that groups its rows by the
 *		columns that it is joined by, and aggregates are of what that returns.
 *
 *		SELECT f.g, count(*), sum(d.z) FROM f JOIN d ON d.k = f.k GROUP BY f.g
 *
 * becomes
 *
 *		SELECT f.g, COALESCE(sum(d.count), 0)::bigint, sum(d.sum)::bigint
 *		FROM f JOIN (SELECT k, count(*), sum(z) FROM d GROUP BY k) d ON d.k = f.k GROUP BY f.g
 *
 * which has the same rows, to the letter.
 */
#ifndef WA_SCAN_COUNTED_QUERY_H
#define WA_SCAN_COUNTED_QUERY_H

#include "nodes/parsenodes.h"

#include "core/must_check.h"

/*
 * Returns how many tables and subqueries a level of a query that aggregates joins has, of
 * which there are two at least; 0: there are no more such levels.
 */
extern int wa_counted_level_size(Query *query, int number);

/*
 * Returns a query, which has not been planned, with a table of such a level counted, as a
 * copy.  Those that are thought of are some (OIDs), the one with the fewest rows first;
 * candidate: the number of one among them, whose OID is stored in *table.  Returns NULL and
 * the reason, as the end of a sentence of which the table is the subject, if that cannot be;
 * a reason of NULL: there is no such candidate.
 */
extern WA_MUST_CHECK Query *wa_counted_rewrite(const Query *query, int level,
											   const List *tables,
											   int candidate, Oid *table,
											   const char **reason);

#endif /* WA_SCAN_COUNTED_QUERY_H */
