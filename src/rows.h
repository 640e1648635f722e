/*
 * rows.h
 *		Rows that functions return to SQL, whichever release declared them.
 *
 * A database that was not updated after the library declares fewer columns of a
 * function than the library knows: new ones come last, so it gets the first of
 * them.  A library older than what the database declares has nothing to return
 * for some columns, and says so.
 */
#ifndef WA_ROWS_H
#define WA_ROWS_H

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "core/release.h"

/*
 * Adds a row of ncolumns to the result of a function in materialize mode; raises an
 * error if more columns are declared.
 */
static inline void
wa_rows_put(ReturnSetInfo *result, Datum *values, bool *nulls, int ncolumns)
{
	if (result->setDesc->natts > ncolumns)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("library \"warpagg\" is older than the extension in this "
					"database"),
			 errdetail("The extension declares %d columns, and the library, of "
					   "release %s, has %d.",
					   result->setDesc->natts, WA_RELEASE, ncolumns),
			 errhint("Install the library of the extension's release, then "
					 "connect again; restart the server if it preloads it.")));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

#endif /* WA_ROWS_H */
