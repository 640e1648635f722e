/*
 * reader.c
 *		Reading WAL from the server's own files, up to a position and without waiting.
 *
 * PostgreSQL's reader of WAL is given pages by a function of ours (after
 * read_local_xlog_page in access/transam/xlogutils.c).  PostgreSQL's own raises an error
 * if a file is gone, and waits for WAL that is still to come; ours tells.
 *
 * A file may be removed, or be renamed and written anew, while it is read.  So after each
 * page that has been read it is asked which files are gone by now.  What has been read
 * before is right: PostgreSQL says which file it will remove before it does.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "access/xlogrecovery.h"
#include "access/xlogutils.h"
#include "storage/fd.h"
#include "utils/memutils.h"

#include "wal/reader.h"

/* The one reader of this process. */
typedef struct Reader
{
	XLogReaderState *state; /* NULL: not made yet */
	MemoryContext context;  /* of all that it allocates */
	bool in_use;            /* or left in the middle by an error */
	bool at_end;            /* a page was asked for that is not there yet */
	WaWalEnd end;
	int fd; /* of the file that is open; -1: none is */
	XLogSegNo segment;
	TimeLineID timeline;
} Reader;

static Reader the_reader = {.fd = -1};

WaWalEnd
wa_wal_end(void)
{
	WaWalEnd end;

	if (RecoveryInProgress())
		end.position = GetXLogReplayRecPtr(&end.timeline);
	else
		end.position = GetFlushRecPtr(&end.timeline);
	return end;
}

/* Closes the file that is open. */
static void
close_file(Reader *reader)
{
	if (reader->fd >= 0)
		(void) CloseTransientFile(reader->fd);
	reader->fd = -1;
}

/* Opens the file of a segment, unless it is open; tells whether it is there. */
static bool
open_file(Reader *reader, XLogSegNo segment, TimeLineID timeline)
{
	char path[MAXPGPATH];

	if (reader->fd >= 0 && reader->segment == segment &&
		reader->timeline == timeline)
		return true;
	close_file(reader);
	XLogFilePath(path, timeline, segment, wal_segment_size);
	reader->fd = OpenTransientFile(path, O_RDONLY | PG_BINARY);
	reader->segment = segment;
	reader->timeline = timeline;
	return reader->fd >= 0;
}

/* Reads bytes of WAL that lie within a file; returns false if they are not there. */
static bool
read_bytes(Reader *reader, XLogRecPtr position, int count, char *bytes)
{
	const uint32 offset = XLogSegmentOffset(position, wal_segment_size);
	int done = 0;

	while (done < count)
	{
		const ssize_t length =
			pread(reader->fd, bytes + done, count - done, offset + done);

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return false;
		done += length;
	}
	return XLogGetLastRemovedSegno() < reader->segment;
}

/*
 * Gives PostgreSQL's reader a page, or what there is of it: at least `wanted` bytes, or it
 * fails.  XLogReadDetermineTimeline finds out which timeline's file has the page, where
 * the server has been promoted.
 */
static int
read_page(XLogReaderState *state, XLogRecPtr page, int wanted,
		  XLogRecPtr record, char *bytes)
{
	Reader *reader = (Reader *) state->private_data;
	XLogRecPtr end = reader->end.position;
	XLogSegNo segment;
	int count;

	if (page + wanted > end)
	{
		reader->at_end = true;
		return -1;
	}
	XLogReadDetermineTimeline(state, page, wanted, reader->end.timeline);
	if (state->currTLI != reader->end.timeline)
		end = state->currTLIValidUntil;
	if (page + wanted > end)
		return -1;
	count = (int) Min(end - page, XLOG_BLCKSZ);
	XLByteToSeg(page, segment, wal_segment_size);
	if (!open_file(reader, segment, state->currTLI) ||
		!read_bytes(reader, page, count, bytes))
		return -1;
	state->seg.ws_tli = state->currTLI;
	return count;
}

/* Forgets all that a reader has, and makes it anew. */
static void
make_reader(Reader *reader)
{
	MemoryContext context = AllocSetContextCreate(
		TopMemoryContext, "warpagg WAL reader", ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(context);

	if (reader->context != NULL)
		MemoryContextDelete(reader->context);
	reader->context = context;
	reader->state = XLogReaderAllocate(
		wal_segment_size, NULL, &(XLogReaderRoutine){.page_read = read_page},
		reader);
	MemoryContextSwitchTo(before);
	if (reader->state == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

XLogReaderState *
wa_wal_open(XLogRecPtr position, const WaWalEnd *end)
{
	Reader *reader = &the_reader;

	/* What an error has left is not to be trusted, and its file has been closed. */
	if (reader->state == NULL || reader->in_use)
	{
		reader->fd = -1;
		reader->state = NULL;
		make_reader(reader);
	}
	reader->in_use = true;
	reader->end = *end;
	XLogBeginRead(reader->state, position);
	return reader->state;
}

WaWalRead
wa_wal_read(XLogReaderState *state)
{
	Reader *reader = (Reader *) state->private_data;
	MemoryContext before;
	XLogRecord *record;
	char *message;

	if (state->EndRecPtr >= reader->end.position)
		return WA_WAL_END;
	reader->at_end = false;
	before = MemoryContextSwitchTo(reader->context);
	record = XLogReadRecord(state, &message);
	MemoryContextSwitchTo(before);
	if (record != NULL)
		return state->EndRecPtr <= reader->end.position ? WA_WAL_RECORD
														: WA_WAL_END;
	if (reader->at_end)
		return WA_WAL_END;
	ereport(DEBUG1,
			(errmsg_internal("warpagg cannot read WAL behind %X/%X: %s",
							 LSN_FORMAT_ARGS(state->EndRecPtr),
							 message != NULL ? message : "it is gone")));
	return WA_WAL_GONE;
}

void
wa_wal_close(XLogReaderState *state)
{
	Reader *reader = (Reader *) state->private_data;

	close_file(reader);
	reader->in_use = false;
}
