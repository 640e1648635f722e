/*
 * views.c
 *		The function behind the view warpagg_resident.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "client/parcel.h"
#include "client/resident.h"
#include "compat.h"
#include "resident/map.h"
#include "resident/relation.h"

PG_FUNCTION_INFO_V1(warpagg_resident);

#define RESIDENT_COLUMNS 11

/* Extents that are asked for at once. */
#define CHUNK_EXTENTS WA_EXTENTS_PER_MAP

#define US_PER_S INT64CONST(1000000)

/* Counts the cached blocks of an extent that a query could use now. */
static uint64
fresh_of_extent(uint32 place, const WaExtentState *state, const WaMapPage *map)
{
	uint64_t fresh[WA_EXTENT_WORDS];

	if ((state->columns & 1) == 0 || state->map_lsn == 0 ||
		state->map_lsn != map->lsn)
		return 0;
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		fresh[i] = state->cached[i] & map->visible[place][i];
	return wa_map_count(fresh);
}

/*
 * Counts the blocks of a column of an open relation that a query could use now.
 * Returns false if the device process fails.
 */
static bool
count_fresh(Relation relation, const WaResidentColumn *column, uint64 *fresh)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(relation);
	WaMapPage *map = palloc(sizeof(*map));
	WaFailure failure;
	bool answered = true;

	*fresh = 0;
	for (uint32 i = 0; i < wa_map_pages(nblocks) && answered; i++)
	{
		const WaExtentState *states;

		CHECK_FOR_INTERRUPTS();
		wa_map_read(relation, nblocks, i, 1, map);
		answered =
			wa_client_reserve(CHUNK_EXTENTS * sizeof(WaExtentState),
							  &failure) != NULL &&
			wa_client_extents(&column->relation, 1, &column->name,
							  i * CHUNK_EXTENTS, CHUNK_EXTENTS, 0, &failure);
		if (!answered)
			break;
		states = (const WaExtentState *) wa_parcel_memory();
		for (uint32 j = 0; j < CHUNK_EXTENTS; j++)
			*fresh += fresh_of_extent(j, &states[j], map);
	}
	pfree(map);
	return answered;
}

/*
 * Puts together what only this database knows of a column: its relation, its
 * name, and how much of it is fresh.  A relation that somebody is changing is not
 * waited for.
 */
static void
put_relation(const WaResidentColumn *column, Datum *values, bool *nulls)
{
	Oid relid = relation_of_storage_compat(column->relation.tablespace,
										   column->relation.file);
	Relation relation;
	WaRelation storage;
	WaColumnName present;
	uint64 fresh;

	if (!OidIsValid(relid) ||
		!ConditionalLockRelationOid(relid, AccessShareLock))
		return;
	relation = try_relation_open(relid, NoLock);
	if (relation == NULL)
	{
		UnlockRelationOid(relid, AccessShareLock);
		return;
	}
	storage = wa_resident_storage(relation);
	if (memcmp(&storage, &column->relation, sizeof(storage)) == 0 &&
		column->name.attribute <= RelationGetNumberOfAttributes(relation) &&
		wa_resident_column(relation, column->name.attribute, &present) &&
		memcmp(&present, &column->name, sizeof(present)) == 0)
	{
		values[1] = ObjectIdGetDatum(relid);
		values[2] = CStringGetTextDatum(
			get_attname(relid, column->name.attribute, false));
		nulls[1] = nulls[2] = false;
		if (column->blocks > 0 && count_fresh(relation, column, &fresh))
		{
			/* There may be more than there were when the list was made. */
			fresh = Min(fresh, column->blocks);
			values[9] = Float8GetDatum((double) fresh / column->blocks);
			nulls[9] = false;
		}
	}
	relation_close(relation, AccessShareLock);
}

/* Puts one row together. */
static void
put_column(ReturnSetInfo *result, const WaResidentColumn *column)
{
	Datum values[RESIDENT_COLUMNS] = {0};
	bool nulls[RESIDENT_COLUMNS] = {0};
	const char *database = get_database_name(column->relation.database);

	nulls[0] = database == NULL;
	if (database != NULL)
		values[0] = CStringGetTextDatum(database);
	nulls[1] = nulls[2] = nulls[9] = true;
	if (column->relation.database == MyDatabaseId)
		put_relation(column, values, nulls);
	values[3] = Int64GetDatum((int64) column->extents);
	values[4] = Int64GetDatum((int64) column->blocks);
	values[5] = Int64GetDatum((int64) column->rows);
	values[6] = Int64GetDatum((int64) column->bytes);
	values[7] = Int64GetDatum((int64) column->queries);
	nulls[8] = column->blocks_asked == 0;
	if (column->blocks_asked > 0)
		values[8] = Float8GetDatum((double) column->blocks_used /
								   (double) column->blocks_asked);
	nulls[10] = column->last_use_us == 0;
	values[10] = TimestampTzGetDatum(column->last_use_us -
									 (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
										 SECS_PER_DAY * US_PER_S);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * warpagg_resident() returns a row for each column that is resident: database;
 * relation and name, where these are of this database; extents, blocks, rows and
 * bytes; queries that used it; the share of the blocks they asked for that they
 * got, and of those that are resident that could be used now; time of the last
 * use.
 */
Datum
warpagg_resident(PG_FUNCTION_ARGS)
{
	WaMessage devices;
	WaFailure failure;
	WaResidentColumn *list;
	int64 count;

	InitMaterializedSRF(fcinfo, 0);
	if (!wa_client_devices(&devices))
		return (Datum) 0;
	count = wa_client_list(0, &failure);
	if (count <= 0)
		return (Datum) 0;
	list = palloc(count * sizeof(*list));
	memcpy(list, wa_parcel_memory(), count * sizeof(*list));
	for (int64 i = 0; i < count; i++)
		put_column((ReturnSetInfo *) fcinfo->resultinfo, &list[i]);
	return (Datum) 0;
}
