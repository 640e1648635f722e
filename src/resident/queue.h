/*
 * queue.h
 *		The columns of this database that wait to be loaded in the background.
 *
 * A set, in a file (request_file.h): a column is there once, however often it is asked
 * for, and until it has been loaded, or cannot be.  Who loads marks it as taken; if it
 * is asked for again meanwhile it is not taken any more, and loaded once more.  So
 * nothing is lost with a loader that ends in the middle.
 *
 * The functions are called in a transaction.
 */
#ifndef WA_RESIDENT_QUEUE_H
#define WA_RESIDENT_QUEUE_H

#include "resident/relation.h"

/* Columns of a relation that are to be loaded together, ascending. */
typedef struct WaQueued
{
	Oid relation;
	bool asked; /* a user has asked for them, rather than a query */
	int tries;  /* with this one */
	int ncolumns;
	AttrNumber columns[WA_MAX_RELATION_COLUMNS];
} WaQueued;

/* How adding went. */
typedef enum WaQueueResult
{
	WA_QUEUE_ADDED,
	WA_QUEUE_FULL,
	WA_QUEUE_FAILED
} WaQueueResult;

/* Adds columns of a relation, all or none. */
extern WaQueueResult wa_queue_add(Oid relation, int ncolumns,
								  const AttrNumber *columns, bool asked);

/* Tells whether nothing is there. */
extern bool wa_queue_is_empty(void);

/* Forgets what a loader that is no more has taken. */
extern void wa_queue_reset(void);

/*
 * Takes what was asked for first; returns false if there is nothing.  What has been
 * tried too often is given up, with a message in the log.
 */
extern bool wa_queue_take(WaQueued *queued);

/* Removes what was taken. */
extern void wa_queue_done(const WaQueued *queued);

/* Puts what was taken behind the others, to be tried again. */
extern void wa_queue_postpone(const WaQueued *queued);

/*
 * Counts relations of a database that are taken, and those that wait.  Needs no
 * privilege.
 */
extern void wa_queue_count(Oid database, int64 *taken, int64 *waiting);

#endif /* WA_RESIDENT_QUEUE_H */
