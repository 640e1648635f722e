/*
 * request_file.h
 *		Files of a database that name columns: those that wait to be loaded (queue.h),
 *		and those that are pinned (pins.h).
 *
 * Such a file lies beside the socket, in pg_stat_tmp, has a bounded number of records,
 * and is read and changed as a whole by whoever holds its lock.  It is written in place:
 * whoever is killed meanwhile leaves whole records, some of them perhaps twice or of
 * before, all of which their readers can do with.  What cannot be a record is left out.
 */
#ifndef WA_RESIDENT_REQUEST_FILE_H
#define WA_RESIDENT_REQUEST_FILE_H

#include "access/attnum.h"

/* Records of a file at most. */
#define WA_MAX_REQUESTS 16384

/* Bits of flags */
#define WA_REQUEST_ASKED 1 /* a user has asked for it, rather than a query */
#define WA_REQUEST_TAKEN 2 /* a worker is at it */

typedef struct WaRequest
{
	Oid relation;
	AttrNumber attribute; /* 0: the relation itself */
	uint8 flags;
	uint8 tries; /* that it has been taken */
} WaRequest;

typedef struct WaRequestFile
{
	int fd;
	uint64 mark; /* whatever the file's user wants to remember; at first 0 */
	int count;
	WaRequest *requests; /* with room for WA_MAX_REQUESTS */
} WaRequestFile;

/* Where they lie. */
#define WA_REQUEST_FOLDER "pg_stat_tmp"

/* Stores the path of a file of a database. */
extern void wa_request_path(Oid database, const char *name,
							char path[MAXPGPATH]);

/*
 * Returns the database that a file of the folder belongs to, or InvalidOid.  name: as
 * given to wa_request_path, or NULL for any.
 */
extern Oid wa_request_database(const char *file_name, const char *name);

/*
 * Opens a file, locks it for a moment, and reads it.  Returns false if it is not there
 * and shall not be made, or if somebody does not give it back.  The caller is in a
 * transaction, at whose end the file is closed if it was not before.
 */
extern bool wa_request_file_open(Oid database, const char *name, bool make,
								 WaRequestFile *file);

/* Writes what has been changed; returns false, with errno set, if it cannot. */
extern bool wa_request_file_write(WaRequestFile *file);

/* Gives it back. */
extern void wa_request_file_close(WaRequestFile *file);

/* Returns the place of a record, or -1. */
extern int wa_request_find(const WaRequestFile *file, Oid relation,
						   AttrNumber attribute);

/* Adds a record, or returns false if there is no room. */
extern bool wa_request_add(WaRequestFile *file, Oid relation,
						   AttrNumber attribute, uint8 flags);

/* Removes the records of which remove(record, arg) says so. */
extern void wa_request_remove(WaRequestFile *file,
							  bool (*remove)(const WaRequest *request,
											 const void *arg),
							  const void *arg);

#endif /* WA_RESIDENT_REQUEST_FILE_H */
