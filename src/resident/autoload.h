/*
 * autoload.h
 *		Loading columns in the background.
 *
 * A session that would gain from columns being resident, or from changed blocks
 * being read again, adds them to the queue of its database (queue.h).  A background
 * worker, one a database at a time, loads what it finds there and is not resident, has
 * read again what changes of what queries use (refresh.h), and ends when they use nothing
 * any more.
 */
#ifndef WA_RESIDENT_AUTOLOAD_H
#define WA_RESIDENT_AUTOLOAD_H

#include "resident/queue.h"

/*
 * Asks for columns of a relation of this database to be loaded, and sees to it
 * that there is somebody who does it.  The caller has found out that they can be
 * resident, and that the user may select from them and may load.
 */
extern WaQueueResult wa_autoload_request(Oid relation, int ncolumns,
										 const AttrNumber *columns);

/*
 * The same for a query, unless warpagg.autoload is off, or this session has asked for
 * these columns in the last second.  Where nothing is to be loaded so on this server, or
 * the user may not load, it only sees to it that somebody reads again what has changed:
 * are_resident tells whether something is resident of them.  If it cannot be done now, a
 * later call will.
 */
extern void wa_autoload_suggest(Oid relation, int ncolumns,
								const AttrNumber *columns, bool are_resident);

/*
 * Once a connection to the device process: has what was pinned in an earlier one loaded,
 * and sees to it that somebody loads what has been waiting since a loader ended.
 */
extern void wa_autoload_resume(void);

/*
 * Counts the relations of all databases that are being loaded in the background now, and
 * those that wait.  Needs neither the device process nor a privilege.
 */
extern void wa_autoload_queue(int64 *running, int64 *queued);

#endif /* WA_RESIDENT_AUTOLOAD_H */
