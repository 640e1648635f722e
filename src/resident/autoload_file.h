/*
 * autoload_file.h
 *		What is in the files of loading in the background.
 */
#ifndef WA_RESIDENT_AUTOLOAD_FILE_H
#define WA_RESIDENT_AUTOLOAD_FILE_H

#include "access/attnum.h"

/* A column that is to be loaded. */
typedef struct WaAutoloadRecord
{
	Oid relation;
	AttrNumber attribute;
	uint16 unused;
} WaAutoloadRecord;

/*
 * Stores the path of a file of a database.  name: "wanted", the records; "taken",
 * those that a worker has begun with; "worker", whose lock it holds.
 */
static inline void
wa_autoload_path(Oid database, const char *name, char path[MAXPGPATH])
{
	snprintf(path, MAXPGPATH, "pg_stat_tmp/warpagg.%s.%u", name, database);
}

#endif /* WA_RESIDENT_AUTOLOAD_FILE_H */
