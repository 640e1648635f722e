/*
 * sweep.c
 *		Having warpaggd forget what no relation has any more.
 *
 * What is resident is asked for first and the catalog looked at then: whatever
 * has been loaded belonged to a relation that was committed before.  A relation
 * of an open transaction may count as gone, which costs it what was resident.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/syscache.h"

#include "client/parcel.h"
#include "client/resident.h"
#include "compat.h"
#include "resident/sweep.h"

/* Tells whether there is nobody to whom a storage belongs. */
static bool
is_orphan(const WaRelation *storage)
{
	if (storage->database != MyDatabaseId)
		return !SearchSysCacheExists1(DATABASEOID,
									  ObjectIdGetDatum(storage->database));
	return !OidIsValid(
		relation_of_storage_compat(storage->tablespace, storage->file));
}

void
wa_resident_sweep(void)
{
	WaFailure failure;
	WaRelation last = {0};
	int64 count = wa_client_list(0, &failure);
	WaResidentColumn *list;

	if (count < 0)
		wa_client_raise(&failure);
	list = palloc(Max(count, 1) * sizeof(*list));
	memcpy(list, wa_parcel_memory(), count * sizeof(*list));
	for (int64 i = 0; i < count; i++)
	{
		/* The columns of a relation follow one another. */
		if (memcmp(&list[i].relation, &last, sizeof(last)) == 0)
			continue;
		last = list[i].relation;
		if (is_orphan(&last) && !wa_client_unload(&last, 0, &failure))
			wa_client_raise(&failure);
	}
	pfree(list);
}
