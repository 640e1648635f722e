/*
 * suggest_columns.h
 *		Having columns of a table loaded that queries would gain from.
 */
#ifndef WA_SCAN_SUGGEST_COLUMNS_H
#define WA_SCAN_SUGGEST_COLUMNS_H

#include "access/attnum.h"
#include "utils/relcache.h"

/* Tells whether columns are suggested for queries over tables of so many blocks at all. */
extern bool wa_suggest_is_wanted(double nblocks);

/*
 * Tells whether columns of a table are a user's to load (0: the present one): when a query is
 * planned nobody has looked at privileges yet.
 */
extern bool wa_suggest_may_load(Oid table, Oid user, const AttrNumber *attnums,
								int count);

/*
 * Suggests columns of a table, if all can be resident, and the user (0: the present one) may
 * select from them.
 */
extern void wa_suggest_columns(Relation relation, Oid user,
							   const AttrNumber *attnums, int count);

#endif /* WA_SCAN_SUGGEST_COLUMNS_H */
