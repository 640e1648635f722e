/*
 * sweep.c
 *		Having warpaggd forget what no relation has any more, and removing files.
 *
 * What is resident is asked for first and the catalog looked at then: whatever
 * has been loaded belonged to a relation that was committed before.  A relation
 * of an open transaction may count as gone, which costs it what was resident.
 */
#include "postgres.h"

#include <unistd.h>

#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/syscache.h"

#include "client/resident.h"
#include "resident/relation.h"
#include "resident/request_file.h"
#include "resident/sweep.h"

/* Tells whether a database is not there any more. */
static bool
is_dropped(Oid database)
{
	return !SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(database));
}

/* Tells whether there is nobody to whom a storage belongs. */
static bool
is_orphan(const WaRelation *storage)
{
	if (storage->database != MyDatabaseId)
		return is_dropped(storage->database);
	return !OidIsValid(wa_resident_find(storage));
}

/* Removes the files of dropped databases. */
static void
sweep_files(void)
{
	DIR *directory = AllocateDir(WA_REQUEST_FOLDER);
	struct dirent *entry;

	while (directory != NULL &&
		   (entry = ReadDirExtended(directory, WA_REQUEST_FOLDER, LOG)) != NULL)
	{
		Oid database = wa_request_database(entry->d_name, NULL);
		char path[MAXPGPATH];

		if (!OidIsValid(database) || !is_dropped(database))
			continue;
		snprintf(path, MAXPGPATH, "%s/%s", WA_REQUEST_FOLDER, entry->d_name);
		(void) unlink(path);
	}
	if (directory != NULL)
		FreeDir(directory);
}

void
wa_resident_sweep(void *unused)
{
	WaRelation last = {0};
	WaResidentColumn *list;
	int64 count = wa_resident_list(0, &list);

	sweep_files();
	for (int64 i = 0; i < count; i++)
	{
		/* The columns of a relation follow one another. */
		if (memcmp(&list[i].relation, &last, sizeof(last)) == 0)
			continue;
		last = list[i].relation;
		if (is_orphan(&last))
			wa_resident_forget(&last, 0);
	}
	pfree(list);
}
