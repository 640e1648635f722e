/*
 * follow.c
 *		Following WAL for warpaggd.
 *
 * How far it has been followed everybody sees from the counters (core/counters.h).  The
 * supervisor goes on from there in the background; a query that needs more does so
 * itself, for the bit that is missing.  It does no harm if both look at the same records.
 *
 * All positions up to which WAL is said to be followed are ends of records, so that the
 * next can be read from there.  What is flushed need not end with a record: if none that
 * is complete is missing, nothing is.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"

#include "client/counters.h"
#include "client/follow.h"
#include "wal/changes.h"
#include "wal/reader.h"
#include "wal/wal.h"

/* Bytes of WAL that a FOLLOW tells of, and that a query looks at, in about. */
#define MAX_FOLLOW_BYTES (UINT64CONST(16) << 20)
#define MAX_QUERY_BYTES  (UINT64CONST(64) << 20)

/* A position, and where the last record ends that is complete before it. */
typedef struct Complete
{
	uint64 required;
	uint64 followed;
} Complete;

static Complete complete;

/* Says in the log, if it is to have that, what a FOLLOW tells. */
static void
log_follow(const WaFollowMessage *follow)
{
	if (!message_level_is_interesting(DEBUG3))
		return;
	for (uint32 i = 0; i < follow->nchanges; i++)
	{
		const WaChange *change = &follow->changes[i];

		ereport(DEBUG3, (errmsg_internal(
							"warpagg follows WAL: change %u of %u/%u/%u "
							"block %u at %X/%X",
							change->kind, change->relation.tablespace,
							change->relation.database, change->relation.file,
							change->block, LSN_FORMAT_ARGS(change->lsn))));
	}
	ereport(DEBUG3, (errmsg_internal("warpagg follows WAL from %X/%X to %X/%X",
									 LSN_FORMAT_ARGS(follow->from),
									 LSN_FORMAT_ARGS(follow->to))));
}

/*
 * Has no change be of a record behind those that are told of: one that there was not room
 * for may have been added in part, and is told of again.
 */
static void
end_changes(WaFollowMessage *follow)
{
	for (uint32 i = 0; i < follow->nchanges; i++)
		follow->changes[i].lsn = Min(follow->changes[i].lsn, follow->to);
}

/*
 * Fills in a FOLLOW of the records that end behind `from` and not behind the end, or of
 * the first of them.  Returns false if WAL cannot be read; if `to` is `from`, there is no
 * record.
 */
static bool
collect(uint64 from, const WaWalEnd *end, WaFollowMessage *follow)
{
	XLogReaderState *reader = wa_wal_open(from, end);
	WaWalRead result = WA_WAL_END;
	WaChanges changes;

	follow->from = follow->to = from;
	wa_changes_begin(&changes, follow);
	while (follow->to - from < MAX_FOLLOW_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		result = wa_wal_read(reader);
		if (result != WA_WAL_RECORD || !wa_changes_add(&changes, reader))
			break;
		follow->to = reader->EndRecPtr;
	}
	wa_wal_close(reader);
	end_changes(follow);
	log_follow(follow);
	return result != WA_WAL_GONE || follow->to > from;
}

/* Fills in a FOLLOW that says that WAL is followed from here on. */
static void
begin_here(WaFollowMessage *follow)
{
	follow->from = follow->to = wa_wal_insert_position();
	follow->nchanges = 0;
}

/* Tells whether so much of WAL lies behind a position that it is given up. */
static bool
lags(uint64 from, uint64 end)
{
	return end > from &&
		   end - from > (uint64) max_wal_size_mb * 1024 * 1024 / 2;
}

/*
 * Tells warpaggd of changes, and sets *position to how far WAL is followed then.  The last
 * message before a query needs no reply.
 */
static bool
tell(WaMessage *message, uint64 required, uint64 *position)
{
	if (message->follow.to < required)
		return wa_client_follow(message, position);
	*position = message->follow.to;
	return wa_client_tell_follow(message);
}

/* Follows WAL up to a position, and sets *position to how far it is followed. */
static bool
follow_up(uint64 from, uint64 required, uint64 *position)
{
	WaWalEnd end = wa_wal_end();
	WaMessage message = {0};

	if (required - from > MAX_QUERY_BYTES)
		return false;
	end.position = Min(end.position, required);
	while (from < required)
	{
		if (!collect(from, &end, &message.follow))
			return false;
		if (message.follow.to == from)
			break;
		if (!tell(&message, required, &from))
			return false;
	}
	complete = (Complete){required, from};
	*position = from;
	return true;
}

bool
wa_wal_follow(Snapshot snapshot, uint64 *position)
{
	uint64 required;

	if (wa_counters_followed() == 0)
		return false;
	required = wa_wal_required(snapshot);
	*position = wa_counters_followed();
	if (*position >= required ||
		(*position >= complete.followed && required <= complete.required))
		return true;
	return *position != 0 && follow_up(*position, required, position);
}

bool
wa_wal_begin(void)
{
	const uint64 position = wa_counters_followed();
	WaMessage message = {0};
	uint64 reached;

	if (position == 0)
		begin_here(&message.follow);
	else if (!wa_wal_next(position, &message.follow))
		return true;
	return wa_client_follow(&message, &reached);
}

bool
wa_wal_next(uint64 from, WaFollowMessage *follow)
{
	const WaWalEnd end = wa_wal_end();

	if (from >= end.position)
		return false;
	if (lags(from, end.position) || !collect(from, &end, follow))
	{
		begin_here(follow);
		ereport(DEBUG1,
				(errmsg_internal("warpagg does not follow WAL from %X/%X on, "
								 "but from %X/%X",
								 LSN_FORMAT_ARGS(from),
								 LSN_FORMAT_ARGS(follow->to))));
	}
	return follow->to > from;
}
