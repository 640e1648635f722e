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
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "client/resident.h"
#include "resident/blocks.h"
#include "resident/relation.h"
#include "rows.h"
#include "wal/wal.h"

PG_FUNCTION_INFO_V1(warpagg_resident);
PG_FUNCTION_INFO_V1(warpagg_resident_0_2);

#define RESIDENT_COLUMNS 14

/* Extents that are asked for at once. */
#define CHUNK_EXTENTS 64

#define US_PER_S INT64CONST(1000000)

/* What only this database knows of some resident columns of one relation. */
typedef struct Known
{
	Oid relation; /* invalid: it is of another database, or nobody knows */
	const char
		*names[WA_MAX_RESIDENT_COLUMNS]; /* NULL: it is not that any more */
	bool has_fresh;
	uint64 fresh[WA_MAX_RESIDENT_COLUMNS]; /* blocks that could be used now */
} Known;

/* Adds the blocks of an extent that a query could use now. */
static void
add_fresh(const WaExtentState *state, int ncolumns, uint64 *fresh)
{
	for (int i = 0; i < ncolumns; i++)
		if ((state->columns >> i & 1) != 0)
			fresh[i] += wa_blocks_count(state->fresh);
}

/*
 * Counts the blocks of columns of an open relation that a query could use now, which are
 * none if WAL cannot be followed.  Returns false if the device process fails.
 */
static bool
count_fresh(Relation relation, const WaResidentColumn *columns, int ncolumns,
			uint64 *fresh)
{
	const uint32 nblocks = RelationGetNumberOfBlocks(relation);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	WaExtentState *states = palloc(CHUNK_EXTENTS * sizeof(*states));
	uint64 position;
	bool answered = true;

	for (int i = 0; i < ncolumns; i++)
		names[i] = columns[i].name;
	if (wa_wal_follow(GetActiveSnapshot(), &position))
		for (uint32 i = 0; i < wa_extents_of(nblocks) && answered;
			 i += CHUNK_EXTENTS)
		{
			uint32 count = 0;

			CHECK_FOR_INTERRUPTS();
			answered =
				wa_client_extents(&columns->relation, ncolumns, names, i,
								  nblocks, true, CHUNK_EXTENTS, states, &count);
			for (uint32 j = 0; answered && j < count; j++)
				add_fresh(&states[j], ncolumns, fresh);
		}
	pfree(states);
	return answered;
}

/* Finds the names of columns of an open relation that are still the same. */
static void
name_columns(Relation relation, const WaResidentColumn *columns, int ncolumns,
			 Known *known)
{
	for (int i = 0; i < ncolumns; i++)
		if (wa_resident_has_column(relation, &columns[i].name))
			known->names[i] =
				get_attname(known->relation, columns[i].name.attribute, false);
}

/*
 * Finds out what only this database knows of columns of one relation.  One that
 * somebody is changing is not waited for.
 */
static void
find_known(const WaResidentColumn *columns, int ncolumns, Known *known)
{
	Oid relid = wa_resident_find(&columns->relation);
	Relation relation;

	if (!OidIsValid(relid) ||
		!ConditionalLockRelationOid(relid, AccessShareLock))
		return;
	relation = try_relation_open(relid, NoLock);
	if (relation == NULL)
	{
		UnlockRelationOid(relid, AccessShareLock);
		return;
	}
	if (wa_resident_has_storage(relation, &columns->relation))
	{
		known->relation = relid;
		name_columns(relation, columns, ncolumns, known);
		known->has_fresh =
			count_fresh(relation, columns, ncolumns, known->fresh);
	}
	relation_close(relation, AccessShareLock);
}

/* Puts one row together. */
static void
put_column(ReturnSetInfo *result, const WaResidentColumn *column,
		   const Known *known, int number)
{
	Datum values[RESIDENT_COLUMNS] = {0};
	bool nulls[RESIDENT_COLUMNS] = {0};
	const char *database = get_database_name(column->relation.database);
	const bool is_known = known->names[number] != NULL;

	nulls[0] = database == NULL;
	if (database != NULL)
		values[0] = CStringGetTextDatum(database);
	nulls[1] = nulls[2] = !is_known;
	if (is_known)
	{
		values[1] = ObjectIdGetDatum(known->relation);
		values[2] = CStringGetTextDatum(known->names[number]);
	}
	nulls[10] = !is_known || !known->has_fresh || column->blocks == 0;
	/* There may be more blocks than there were when the list was made. */
	if (!nulls[10])
		values[10] =
			Float8GetDatum((double) Min(known->fresh[number], column->blocks) /
						   (double) column->blocks);
	values[3] = Int64GetDatum((int64) column->extents);
	values[4] = Int64GetDatum((int64) column->blocks);
	values[5] = Int64GetDatum((int64) column->rows);
	values[6] = Int64GetDatum((int64) column->bytes);
	values[7] = Int64GetDatum((int64) column->device_bytes);
	values[8] = Int64GetDatum((int64) column->queries);
	nulls[9] = column->blocks_asked == 0;
	if (column->blocks_asked > 0)
		values[9] = Float8GetDatum((double) column->blocks_used /
								   (double) column->blocks_asked);
	nulls[11] = column->last_use_us == 0;
	values[11] = TimestampTzGetDatum(column->last_use_us -
									 (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
										 SECS_PER_DAY * US_PER_S);
	values[12] = BoolGetDatum(column->is_asked != 0);
	values[13] = BoolGetDatum(column->is_pinned != 0);
	wa_rows_put(result, values, nulls, RESIDENT_COLUMNS);
}

/* Returns how many columns from the first on are of one relation, up to a limit. */
static int
same_relation(const WaResidentColumn *list, int64 count)
{
	int ncolumns = 1;

	while (ncolumns < Min(count, WA_MAX_RESIDENT_COLUMNS) &&
		   memcmp(&list[ncolumns].relation, &list->relation,
				  sizeof(list->relation)) == 0)
		ncolumns++;
	return ncolumns;
}

/*
 * warpagg_resident() returns a row for each column that is resident: database;
 * relation and name, where these are of this database; extents, blocks, rows and
 * bytes, and bytes of copies on GPUs; queries that used it; the share of the blocks they
 * asked for that they got, and of those that are resident that could be used now; time
 * of the last use; whether a user has asked for it to be loaded; whether it is pinned.
 */
Datum
warpagg_resident(PG_FUNCTION_ARGS)
{
	WaMessage devices;
	WaResidentColumn *list;
	int64 count;

	InitMaterializedSRF(fcinfo, 0);
	if (!wa_client_devices(&devices))
		return (Datum) 0;
	count = wa_client_list(0, &list);
	while (count > 0)
	{
		const int ncolumns = same_relation(list, count);
		Known known = {InvalidOid};

		if (list->relation.database == MyDatabaseId)
			find_known(list, ncolumns, &known);
		for (int i = 0; i < ncolumns; i++)
			put_column((ReturnSetInfo *) fcinfo->resultinfo, &list[i], &known,
					   i);
		list += ncolumns;
		count -= ncolumns;
	}
	return (Datum) 0;
}

/* What the extension from 0.2.0 on calls. */
Datum
warpagg_resident_0_2(PG_FUNCTION_ARGS)
{
	return warpagg_resident(fcinfo);
}
