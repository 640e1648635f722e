/*
 * children.h
 *		The tables that a relation stands for where columns are loaded and forgotten: itself,
 *		or its partitions and children.
 */
#ifndef WA_RESIDENT_CHILDREN_H
#define WA_RESIDENT_CHILDREN_H

#include "nodes/pg_list.h"
#include "utils/relcache.h"

#include "core/resident.h"

/*
 * Returns the OIDs of an open relation and of all that inherits from it, without those
 * that have no storage, locked like it.
 */
extern List *wa_children_find(Relation relation);

/*
 * The same without those whose columns cannot be resident, which it says of children.
 * Raises an error if none is left.
 */
extern List *wa_children_find_loadable(Relation relation);

/*
 * Finds columns of an open relation, ncolumns of them, in one of these tables, where some
 * may be missing as they cannot be resident.  Stores them, ascending, in `found`, and
 * returns how many.
 */
extern int wa_children_columns(Relation relation, int ncolumns,
							   const WaColumnName *columns, Relation table,
							   WaColumnName *found);

/* Returns the number that a column of a relation has in one of these tables. */
extern AttrNumber wa_children_attribute(Relation relation, AttrNumber attribute,
										Relation table);

#endif /* WA_RESIDENT_CHILDREN_H */
