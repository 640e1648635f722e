/*
 * functions.c
 *		The SQL functions that load resident columns, pin and forget them.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/catalog.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "client/resident.h"
#include "compat.h"
#include "resident/autoload.h"
#include "resident/children.h"
#include "resident/columns.h"
#include "resident/load.h"
#include "resident/pins.h"
#include "resident/queue.h"
#include "resident/relation.h"
#include "resident/request_file.h"
#include "resident/sweep.h"
#include "settings.h"

PG_FUNCTION_INFO_V1(warpagg_load);
PG_FUNCTION_INFO_V1(warpagg_load_later);
PG_FUNCTION_INFO_V1(warpagg_unload);
PG_FUNCTION_INFO_V1(warpagg_pin);
PG_FUNCTION_INFO_V1(warpagg_unpin);

/* Pause between two notices of how far loading is. */
#define REPORT_INTERVAL_MS 5000

/* Values that no vector holds, to be named in messages. */
static const char odd_values[] =
	"numerics that are NaN, infinite, or have more than 38 digits, and values "
	"that are compressed or stored out of line";

/*
 * Opens the relation that a function was called for.  It may have been dropped since its
 * name was looked up, or the number may be of none.
 */
static Relation
open_relation(Oid relid)
{
	Relation relation = try_relation_open(relid, AccessShareLock);

	if (relation == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", relid)));
	return relation;
}

/* Opens it for somebody who owns it; raises an error for others. */
static Relation
open_own_relation(Oid relid)
{
	Relation relation = open_relation(relid);

	if (!owns_relation_compat(relid))
		aclcheck_error(ACLCHECK_NOT_OWNER,
					   get_relkind_objtype(relation->rd_rel->relkind),
					   RelationGetRelationName(relation));
	return relation;
}

/*
 * Likewise to undo what was done with it, which may have become impossible since; not with
 * what never can be resident.
 */
static Relation
open_to_change(Oid relid)
{
	Relation relation = open_own_relation(relid);

	if (!RELKIND_HAS_STORAGE(relation->rd_rel->relkind) &&
		!relation->rd_rel->relhassubclass)
		(void) wa_children_find_loadable(relation);
	return relation;
}

/* Says every few seconds how far loading is. */
static bool
report_progress(WaLoadTask *task, Relation relation)
{
	TimestampTz now = GetCurrentTimestamp();

	if (!TimestampDifferenceExceeds(task->reported_us, now, REPORT_INTERVAL_MS))
		return true;
	task->reported_us = now;
	ereport(NOTICE,
			(errmsg("loading \"%s\": %llu of %u blocks",
					RelationGetRelationName(relation),
					(unsigned long long) pg_atomic_read_u64(&task->seen),
					task->nblocks)));
	return true;
}

/* Returns the names of columns, of which `columns` has the bits. */
static char *
list_columns(const WaLoadTask *task, Relation relation, uint64 columns)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < task->nall; i++)
	{
		const FormData_pg_attribute *att =
			wa_resident_attribute(relation, task->all[i].attribute);

		if ((columns >> i & 1) != 0)
			appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? ", " : "",
							 NameStr(att->attname));
	}
	return list.data;
}

/* Says which columns have been left out or lack blocks, and why. */
static void
report_columns(WaLoadTask *task, Relation relation)
{
	uint64 left_out = pg_atomic_read_u64(&task->left_out);
	unsigned long long odd = pg_atomic_read_u64(&task->odd);

	if (odd > 0)
		ereport(NOTICE,
				(errmsg("%llu blocks of \"%s\" have values that cannot be "
						"resident",
						odd, RelationGetRelationName(relation)),
				 errdetail("Queries over the columns that have them read these "
						   "blocks: %s.",
						   odd_values)));

	if (left_out != 0)
		ereport(NOTICE,
				(errmsg("columns of \"%s\" were left out of some blocks: %s",
						RelationGetRelationName(relation),
						list_columns(task, relation, left_out)),
				 errdetail("Many of their values cannot be resident: %s.",
						   odd_values)));
}

/* Says which blocks have been left out, and why. */
static void
report_blocks(WaLoadTask *task, Relation relation)
{
	const char *name = RelationGetRelationName(relation);
	const unsigned long long missed = pg_atomic_read_u64(&task->missed);
	const unsigned long long flux = pg_atomic_read_u64(&task->flux);

	if (pg_atomic_read_u32(&task->is_full) != 0)
		ereport(
			WARNING,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("memory for resident columns is full"),
			 errdetail("%llu of the %u blocks of \"%s\" are resident.",
					   (unsigned long long) pg_atomic_read_u64(&task->seen) -
						   missed,
					   task->nblocks, name),
			 errhint("Raise warpagg.memory_limit, load fewer columns, or "
					 "have others forgotten by warpagg_unload.  What was "
					 "used or loaded in the last %d s "
					 "(warpagg.keep_used), or is pinned, does not make "
					 "room.",
					 wa_keep_used_s)));
	if (flux > 0)
		ereport(NOTICE,
				(errmsg("%llu blocks of \"%s\" have rows of transactions that "
						"have not ended and were left out",
						flux, name),
				 errhint("A later load takes them, once these have ended.")));
}

/* Returns the attribute numbers of columns. */
static AttrNumber *
attributes_of(int ncolumns, const WaColumnName *columns)
{
	AttrNumber *attributes = palloc(Max(ncolumns, 1) * sizeof(*attributes));

	for (int i = 0; i < ncolumns; i++)
		attributes[i] = columns[i].attribute;
	return attributes;
}

/*
 * Loads columns of an open relation, as many at a time as a task takes; returns the
 * rows that were read.  Which blocks there are is the same for all columns, and said
 * at the end.
 */
static int64
load(Relation relation, int ncolumns, const WaColumnName *columns)
{
	WaLoadTask task;
	uint64 rows = 0;
	int first = 0;

	wa_client_require();
	wa_resident_sweep(NULL);
	do
	{
		const int some = Min(ncolumns - first, WA_MAX_RESIDENT_COLUMNS);

		wa_load_prepare(&task, relation, true, some, &columns[first]);
		task.reported_us = GetCurrentTimestamp();
		wa_load_share(&task, relation, report_progress);
		report_columns(&task, relation);
		rows = Max(rows, pg_atomic_read_u64(&task.read_rows));
		first += some;
	} while (first < ncolumns && pg_atomic_read_u32(&task.is_full) == 0);
	report_blocks(&task, relation);
	wa_pins_note_load(relation, ncolumns, attributes_of(ncolumns, columns),
					  pg_atomic_read_u32(&task.is_full) == 0);
	return (int64) rows;
}

/* What the arguments of a function name. */
typedef struct Wanted
{
	Relation relation;
	List *tables; /* OIDs: itself, or its partitions and children */
	int ncolumns;
	WaColumnName *columns; /* of the relation */
} Wanted;

/* Opens the relation, and finds tables and columns, that the arguments of a function name. */
static void
open_to_load(FunctionCallInfo fcinfo, Wanted *wanted)
{
	Relation relation = open_relation(PG_GETARG_OID(0));
	const ArrayType *names = PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1);

	wanted->relation = relation;
	wanted->tables = wa_children_find_loadable(relation);
	wanted->columns = palloc((RelationGetNumberOfAttributes(relation) + 1) *
							 sizeof(WaColumnName));
	wanted->ncolumns = wa_columns_to_load(relation, names, wanted->columns);
}

/* Finds the columns that are wanted of an open table. */
static WaColumnName *
columns_of(const Wanted *wanted, Relation table, int *ncolumns)
{
	WaColumnName *columns =
		palloc((wanted->ncolumns + 1) * sizeof(WaColumnName));

	*ncolumns = wa_children_columns(wanted->relation, wanted->ncolumns,
									wanted->columns, table, columns);
	return columns;
}

/*
 * warpagg_load(relation, columns) makes columns of a table, or of its partitions and
 * children, resident, by default all that can be.  What is resident already and has not
 * changed stays.  Returns the number of rows that had to be read.  Needs the privilege to
 * select from the columns.
 */
Datum
warpagg_load(PG_FUNCTION_ARGS)
{
	Wanted wanted;
	ListCell *cell;
	int64 rows = 0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	open_to_load(fcinfo, &wanted);
	foreach (cell, wanted.tables)
	{
		Relation table = relation_open(lfirst_oid(cell), NoLock);
		int ncolumns;
		const WaColumnName *columns = columns_of(&wanted, table, &ncolumns);

		if (ncolumns > 0)
			rows += load(table, ncolumns, columns);
		relation_close(table, NoLock);
	}
	relation_close(wanted.relation, AccessShareLock);
	PG_RETURN_INT64(rows);
}

/* Raises the error for a load that has found no place in the queue. */
static void
report_queue(WaQueueResult result)
{
	if (result == WA_QUEUE_FULL)
		ereport(ERROR, (errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
						errmsg("too many loads are waiting"),
						errdetail("There can be %d columns.", WA_MAX_REQUESTS),
						errhint("Try again later, or use warpagg_load.")));
	ereport(ERROR, (errcode(ERRCODE_IO_ERROR),
					errmsg("could not change the list of loads that wait"),
					errhint("Try again, or use warpagg_load.")));
}

/*
 * warpagg_load_later(relation, columns) has the same columns loaded by a
 * background worker, without waiting.
 */
Datum
warpagg_load_later(PG_FUNCTION_ARGS)
{
	Wanted wanted;
	ListCell *cell;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	open_to_load(fcinfo, &wanted);
	foreach (cell, wanted.tables)
	{
		Relation table = relation_open(lfirst_oid(cell), NoLock);
		int ncolumns;
		const WaColumnName *columns = columns_of(&wanted, table, &ncolumns);
		const WaQueueResult result =
			wa_autoload_request(RelationGetRelid(table), ncolumns,
								attributes_of(ncolumns, columns));

		if (result != WA_QUEUE_ADDED)
			report_queue(result);
		relation_close(table, NoLock);
	}
	relation_close(wanted.relation, AccessShareLock);
	PG_RETURN_VOID();
}

/* Has warpaggd forget a column of a table, or all if attribute is 0. */
static void
unload(Relation table, AttrNumber attribute)
{
	WaRelation storage = wa_resident_storage(table);

	/* Of relations of no database nothing is resident. */
	if (wa_relation_is_sound(&storage))
		wa_resident_forget(&storage, attribute);
}

/* Has columns of a relation forgotten in one of its tables, and not loaded again. */
static void
unload_columns(Relation relation, int count, const AttrNumber *attributes,
			   Relation table)
{
	AttrNumber *own = palloc(Max(count, 1) * sizeof(*own));

	for (int i = 0; i < count; i++)
		own[i] = wa_children_attribute(relation, attributes[i], table);
	if (count > 0)
		wa_pins_forget(RelationGetRelid(table), count, own);
	for (int i = 0; i < count; i++)
		unload(table, own[i]);
}

/* Has all columns of a table forgotten. */
static void
unload_all(Relation table)
{
	wa_pins_forget(RelationGetRelid(table), 0, NULL);
	unload(table, 0);
}

/*
 * warpagg_unload(relation, columns) has columns of a table, or of its partitions and
 * children, forgotten, by default all, which also unpins it.  Needs to be called by the
 * relation's owner.
 */
Datum
warpagg_unload(PG_FUNCTION_ARGS)
{
	ArrayType *names = PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1);
	AttrNumber *attributes = NULL;
	Relation relation;
	ListCell *cell;
	int count = 0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	relation = open_to_change(PG_GETARG_OID(0));
	wa_client_require();
	if (names != NULL)
		count = wa_columns_find(relation, names, &attributes);
	foreach (cell, wa_children_find(relation))
	{
		Relation table = relation_open(lfirst_oid(cell), NoLock);

		if (names == NULL)
			unload_all(table);
		else
			unload_columns(relation, count, attributes, table);
		relation_close(table, NoLock);
	}
	relation_close(relation, AccessShareLock);
	PG_RETURN_VOID();
}

/*
 * warpagg_pin(relation) has what is resident of a table, or of its present partitions
 * and children, stay, and what will be: it is not evicted for others, and loaded again when
 * the device process has started anew.  Needs to be called by the relation's owner.
 */
Datum
warpagg_pin(PG_FUNCTION_ARGS)
{
	Relation relation = open_own_relation(PG_GETARG_OID(0));
	List *tables = wa_children_find_loadable(relation);
	ListCell *cell;

	wa_client_require();
	foreach (cell, tables)
	{
		Relation table = relation_open(lfirst_oid(cell), NoLock);

		wa_pins_add(table);
		relation_close(table, NoLock);
	}
	relation_close(relation, AccessShareLock);
	PG_RETURN_VOID();
}

/* warpagg_unpin(relation) undoes warpagg_pin(relation). */
Datum
warpagg_unpin(PG_FUNCTION_ARGS)
{
	Relation relation = open_to_change(PG_GETARG_OID(0));
	ListCell *cell;

	wa_client_require();
	foreach (cell, wa_children_find(relation))
	{
		Relation table = relation_open(lfirst_oid(cell), NoLock);

		wa_pins_remove(table);
		relation_close(table, NoLock);
	}
	relation_close(relation, AccessShareLock);
	PG_RETURN_VOID();
}
