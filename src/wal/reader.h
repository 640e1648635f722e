/*
 * reader.h
 *		Reading WAL from the server's own files, up to a position and without waiting.
 */
#ifndef WA_WAL_READER_H
#define WA_WAL_READER_H

#include "access/xlogreader.h"

/* How reading a record ended. */
typedef enum WaWalRead
{
	WA_WAL_RECORD, /* it was read */
	WA_WAL_END,    /* none is complete before the end */
	WA_WAL_GONE    /* WAL is not there any more, or cannot be read */
} WaWalRead;

/* How far WAL can be read, and on which timeline the server is there. */
typedef struct WaWalEnd
{
	XLogRecPtr position;
	TimeLineID timeline;
} WaWalEnd;

/*
 * Returns up to where WAL can be read: what has been flushed or, in recovery, replayed.
 * Needs no transaction.
 */
extern WaWalEnd wa_wal_end(void);

/*
 * Returns a reader of the records from a position on, at which one begins or the one
 * before has ended; those that end behind `end` are not read.  There is one reader in a
 * process, which stays with what it has allocated: nobody else reads until
 * wa_wal_close, which an error makes superfluous.
 */
extern XLogReaderState *wa_wal_open(XLogRecPtr position, const WaWalEnd *end);

/*
 * Reads the next record, which stays until the next call.  Raises an error only if there
 * is no memory.
 */
extern WaWalRead wa_wal_read(XLogReaderState *reader);

/* Ends reading. */
extern void wa_wal_close(XLogReaderState *reader);

#endif /* WA_WAL_READER_H */
