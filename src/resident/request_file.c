/*
 * request_file.c
 *		Files that name columns of a database; see request_file.h.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "storage/fd.h"

#include "core/resident.h"
#include "resident/request_file.h"

#define MAGIC 0x57414c31 /* "WAL1" */

/* Times that a lock is tried, and the pause between two of them. */
#define LOCK_TRIES    200
#define LOCK_PAUSE_US 1000

#define ALL_FLAGS (WA_REQUEST_ASKED | WA_REQUEST_TAKEN)

/* What a file begins with. */
typedef struct FileHead
{
	uint32 magic;
	uint32 unused;
	uint64 mark;
} FileHead;

/* The names of all files that a database has. */
static const char *const names[] = {"wanted", "worker", "pinned"};

void
wa_request_path(Oid database, const char *name, char path[MAXPGPATH])
{
	snprintf(path, MAXPGPATH, "%s/warpagg.%s.%u", WA_REQUEST_FOLDER, name,
			 database);
}

Oid
wa_request_database(const char *file_name, const char *name)
{
	char found[16];
	unsigned database;
	char more;

	if (sscanf(file_name, "warpagg.%15[a-z].%u%c", found, &database, &more) !=
		2)
		return InvalidOid;
	for (int i = 0; i < lengthof(names); i++)
		if (strcmp(found, names[i]) == 0 &&
			(name == NULL || strcmp(found, name) == 0))
			return (Oid) database;
	return InvalidOid;
}

/* Locks a file; returns false if somebody holds it for long. */
static bool
lock(int fd)
{
	for (int i = 0; i < LOCK_TRIES; i++)
	{
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		pg_usleep(LOCK_PAUSE_US);
	}
	return false;
}

/* Tells whether what was read can be a record. */
static bool
is_sound(const WaRequest *request)
{
	return OidIsValid(request->relation) &&
		   (request->attribute == 0 ||
			wa_attribute_is_sound(request->attribute)) &&
		   request->attribute <= MaxHeapAttributeNumber &&
		   (request->flags & ~ALL_FLAGS) == 0;
}

/* Reads a file that is locked. */
static void
read_all(WaRequestFile *file)
{
	FileHead head = {0};
	ssize_t bytes = 0;

	file->mark = 0;
	file->count = 0;
	if (pread(file->fd, &head, sizeof(head), 0) == (ssize_t) sizeof(head) &&
		head.magic == MAGIC)
	{
		file->mark = head.mark;
		bytes = pread(file->fd, file->requests,
					  WA_MAX_REQUESTS * sizeof(WaRequest), sizeof(head));
	}
	for (int i = 0; i < (int) (Max(bytes, 0) / (ssize_t) sizeof(WaRequest));
		 i++)
		if (is_sound(&file->requests[i]))
			file->requests[file->count++] = file->requests[i];
}

bool
wa_request_file_open(Oid database, const char *name, bool make,
					 WaRequestFile *file)
{
	char path[MAXPGPATH];

	wa_request_path(database, name, path);
	file->fd = OpenTransientFile(path, make ? O_RDWR | O_CREAT : O_RDWR);
	if (file->fd < 0)
		return false;
	if (!lock(file->fd))
	{
		ereport(DEBUG1, (errmsg("file \"%s\" stays locked", path)));
		CloseTransientFile(file->fd);
		return false;
	}
	file->requests = palloc(WA_MAX_REQUESTS * sizeof(WaRequest));
	read_all(file);
	return true;
}

bool
wa_request_file_write(WaRequestFile *file)
{
	const size_t bytes = (size_t) file->count * sizeof(WaRequest);
	const FileHead head = {MAGIC, 0, file->mark};

	errno = 0;
	if (pwrite(file->fd, &head, sizeof(head), 0) == (ssize_t) sizeof(head) &&
		pwrite(file->fd, file->requests, bytes, sizeof(head)) ==
			(ssize_t) bytes &&
		ftruncate(file->fd, (off_t) (sizeof(head) + bytes)) == 0)
		return true;
	if (errno == 0)
		errno = ENOSPC;
	return false;
}

void
wa_request_file_close(WaRequestFile *file)
{
	pfree(file->requests);
	CloseTransientFile(file->fd);
}

int
wa_request_find(const WaRequestFile *file, Oid relation, AttrNumber attribute)
{
	for (int i = 0; i < file->count; i++)
		if (file->requests[i].relation == relation &&
			file->requests[i].attribute == attribute)
			return i;
	return -1;
}

bool
wa_request_add(WaRequestFile *file, Oid relation, AttrNumber attribute,
			   uint8 flags)
{
	if (file->count == WA_MAX_REQUESTS)
		return false;
	file->requests[file->count++] = (WaRequest){
		.relation = relation, .attribute = attribute, .flags = flags};
	return true;
}

void
wa_request_remove(WaRequestFile *file,
				  bool (*remove)(const WaRequest *request, const void *arg),
				  const void *arg)
{
	int kept = 0;

	for (int i = 0; i < file->count; i++)
		if (!remove(&file->requests[i], arg))
			file->requests[kept++] = file->requests[i];
	file->count = kept;
}
