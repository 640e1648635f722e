/*
 * queue.c
 *		The columns that wait to be loaded; see queue.h.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "resident/queue.h"
#include "resident/request_file.h"

/* So often columns are taken before they are given up. */
#define MAX_TRIES 3

static int
compare_requests(const void *a, const void *b)
{
	const WaRequest *left = a;
	const WaRequest *right = b;

	if (left->relation != right->relation)
		return left->relation < right->relation ? -1 : 1;
	return left->attribute - right->attribute;
}

/* Opens the queue of this database, if need be with a new file. */
static bool
open_queue(WaRequestFile *file, bool make)
{
	return wa_request_file_open(MyDatabaseId, "wanted", make, file);
}

/* Writes and closes a queue; says so if it cannot. */
static bool
close_queue(WaRequestFile *file)
{
	bool written = wa_request_file_write(file);

	if (!written)
		ereport(DEBUG1,
				(errmsg("could not write the list of loads that wait: %m")));
	wa_request_file_close(file);
	return written;
}

/* Has a column that is there already loaded, from the first try on. */
static void
want_again(WaRequest *request, bool asked)
{
	request->flags &= ~WA_REQUEST_TAKEN;
	if (asked)
		request->flags |= WA_REQUEST_ASKED;
	request->tries = 0;
}

/* Adds columns to a queue that is open; returns false if there is no room. */
static bool
add_columns(WaRequestFile *file, Oid relation, int ncolumns,
			const AttrNumber *columns, bool asked)
{
	int all[WA_MAX_RELATION_COLUMNS + 1];
	int *const places = &all[-WA_PLACE_ATTRIBUTE]; /* from ctid on */

	memset(all, -1, sizeof(all));
	for (int i = 0; i < file->count; i++)
		if (file->requests[i].relation == relation)
			places[file->requests[i].attribute] = i;
	for (int i = 0; i < ncolumns; i++)
	{
		const int place = places[columns[i]];

		if (place >= 0)
			want_again(&file->requests[place], asked);
		else if (!wa_request_add(file, relation, columns[i],
								 asked ? WA_REQUEST_ASKED : 0))
			return false;
	}
	return true;
}

WaQueueResult
wa_queue_add(Oid relation, int ncolumns, const AttrNumber *columns, bool asked)
{
	WaRequestFile file;

	if (!open_queue(&file, true))
		return WA_QUEUE_FAILED;
	if (!add_columns(&file, relation, ncolumns, columns, asked))
	{
		wa_request_file_close(&file);
		return WA_QUEUE_FULL;
	}
	return close_queue(&file) ? WA_QUEUE_ADDED : WA_QUEUE_FAILED;
}

bool
wa_queue_is_empty(void)
{
	WaRequestFile file;
	bool is_empty;

	if (!open_queue(&file, false))
		return true;
	is_empty = file.count == 0;
	wa_request_file_close(&file);
	return is_empty;
}

void
wa_queue_reset(void)
{
	WaRequestFile file;

	if (!open_queue(&file, false))
		return;
	for (int i = 0; i < file.count; i++)
		file.requests[i].flags &= ~WA_REQUEST_TAKEN;
	(void) close_queue(&file);
}

/* Tells whether a record is of the same relation, and asked for like it. */
static bool
is_of(const WaRequest *request, const void *arg)
{
	const WaQueued *queued = arg;

	return request->relation == queued->relation &&
		   ((request->flags & WA_REQUEST_ASKED) != 0) == queued->asked;
}

/* The same, of those that are taken. */
static bool
is_taken_of(const WaRequest *request, const void *arg)
{
	return (request->flags & WA_REQUEST_TAKEN) != 0 && is_of(request, arg);
}

/* Adds a column unless it is there. */
static void
add_taken(WaQueued *queued, AttrNumber attribute)
{
	int place = queued->ncolumns;

	while (place > 0 && queued->columns[place - 1] > attribute)
		place--;
	if (attribute == 0 ||
		(place > 0 && queued->columns[place - 1] == attribute))
		return;
	memmove(&queued->columns[place + 1], &queued->columns[place],
			(queued->ncolumns - place) * sizeof(AttrNumber));
	queued->columns[place] = attribute;
	queued->ncolumns++;
}

/* Takes the columns of the first record's relation. */
static void
take_first(WaRequestFile *file, WaQueued *queued)
{
	queued->relation = file->requests[0].relation;
	queued->asked = (file->requests[0].flags & WA_REQUEST_ASKED) != 0;
	queued->tries = 0;
	queued->ncolumns = 0;
	for (int i = 0; i < file->count; i++)
	{
		WaRequest *request = &file->requests[i];

		if (!is_of(request, queued))
			continue;
		request->flags |= WA_REQUEST_TAKEN;
		if (request->tries <= MAX_TRIES)
			request->tries++;
		queued->tries = Max(queued->tries, request->tries);
		add_taken(queued, request->attribute);
	}
}

bool
wa_queue_take(WaQueued *queued)
{
	WaRequestFile file;
	bool found = false;

	if (!open_queue(&file, false))
		return false;
	while (file.count > 0 && !found)
	{
		take_first(&file, queued);
		found = queued->tries <= MAX_TRIES;
		if (found)
			break;
		ereport(LOG, (errmsg("gave up loading columns of relation %u after %d "
							 "tries",
							 queued->relation, MAX_TRIES)));
		wa_request_remove(&file, is_taken_of, queued);
	}
	if (!close_queue(&file))
		return false;
	return found;
}

void
wa_queue_done(const WaQueued *queued)
{
	WaRequestFile file;

	if (!open_queue(&file, false))
		return;
	wa_request_remove(&file, is_taken_of, queued);
	(void) close_queue(&file);
}

void
wa_queue_postpone(const WaQueued *queued)
{
	WaRequestFile file;
	WaRequest *moved;
	int nmoved = 0;

	if (!open_queue(&file, false))
		return;
	moved = palloc(Max(file.count, 1) * sizeof(*moved));
	for (int i = 0; i < file.count; i++)
		if (is_taken_of(&file.requests[i], queued))
		{
			moved[nmoved] = file.requests[i];
			moved[nmoved++].flags &= ~WA_REQUEST_TAKEN;
		}
	wa_request_remove(&file, is_taken_of, queued);
	memcpy(&file.requests[file.count], moved, nmoved * sizeof(*moved));
	file.count += nmoved;
	pfree(moved);
	(void) close_queue(&file);
}

void
wa_queue_count(Oid database, int64 *taken, int64 *waiting)
{
	WaRequestFile file;
	Oid last = InvalidOid;

	*taken = *waiting = 0;
	if (!wa_request_file_open(database, "wanted", false, &file))
		return;
	qsort(file.requests, file.count, sizeof(WaRequest), compare_requests);
	for (int i = 0; i < file.count; i++)
	{
		const WaRequest *request = &file.requests[i];

		if (request->relation == last)
			continue;
		last = request->relation;
		if ((request->flags & WA_REQUEST_TAKEN) != 0)
			(*taken)++;
		else
			(*waiting)++;
	}
	wa_request_file_close(&file);
}
