/*
 * autoload.h
 *		Loading columns in the background.
 *
 * A session that would gain from columns being resident, or from changed blocks
 * being read again, writes that to a file of its database.  A background worker,
 * one a database at a time, loads what it finds there and ends when there is
 * nothing more.
 */
#ifndef WA_RESIDENT_AUTOLOAD_H
#define WA_RESIDENT_AUTOLOAD_H

#include "access/attnum.h"

/*
 * Asks for columns of a relation of this database to be loaded, and sees to it
 * that there is somebody who does it.  The caller has found out that they can be
 * resident, and that the user may select from them.  Never raises an error: if it
 * cannot be done now, a later call will.
 */
extern void wa_autoload_request(Oid relation, int ncolumns,
								const AttrNumber *columns);

/*
 * The same, unless warpagg.autoload is off or this session has asked for columns
 * of the relation in the last minute: for queries.
 */
extern void wa_autoload_suggest(Oid relation, int ncolumns,
								const AttrNumber *columns);

/*
 * Counts, in all databases, the loaders that run and the columns that wait for
 * one.
 */
extern void wa_autoload_queue(int64 *running, int64 *queued);

#endif /* WA_RESIDENT_AUTOLOAD_H */
