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

/* Raises an error if a relation cannot be resident. */
static void
check_relation(Relation relation)
{
	const char *refusal = wa_resident_refusal(relation);

	if (refusal == NULL)
		return;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("columns of \"%s\" cannot be resident",
						   RelationGetRelationName(relation)),
					errdetail("The reason is that %s.", refusal)));
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
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(relation),
											  task->all[i].attribute - 1);

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

/* Opens the relation, and finds the columns, that the arguments of a function name. */
static Relation
open_to_load(FunctionCallInfo fcinfo, int *ncolumns, WaColumnName **columns)
{
	Relation relation = open_relation(PG_GETARG_OID(0));
	const ArrayType *names = PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1);

	check_relation(relation);
	*columns = palloc((RelationGetNumberOfAttributes(relation) + 1) *
					  sizeof(**columns));
	*ncolumns = wa_columns_to_load(relation, names, *columns);
	return relation;
}

/*
 * warpagg_load(relation, columns) makes columns of a table resident, by default
 * all that can be.  What is resident already and has not changed stays.  Returns
 * the number of rows that had to be read.  Needs the privilege to select from the
 * columns.
 */
Datum
warpagg_load(PG_FUNCTION_ARGS)
{
	Relation relation;
	WaColumnName *columns;
	int ncolumns;
	int64 rows;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	relation = open_to_load(fcinfo, &ncolumns, &columns);
	rows = load(relation, ncolumns, columns);
	relation_close(relation, AccessShareLock);
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
	Relation relation;
	WaColumnName *columns;
	WaQueueResult result;
	int ncolumns;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	relation = open_to_load(fcinfo, &ncolumns, &columns);
	result = wa_autoload_request(RelationGetRelid(relation), ncolumns,
								 attributes_of(ncolumns, columns));
	if (result != WA_QUEUE_ADDED)
		report_queue(result);
	relation_close(relation, AccessShareLock);
	PG_RETURN_VOID();
}

/* Has warpaggd forget a column of a relation, or all if attribute is 0. */
static void
unload(Relation relation, AttrNumber attribute)
{
	WaRelation storage = wa_resident_storage(relation);

	/* Of relations of no database nothing is resident. */
	if (wa_relation_is_sound(&storage))
		wa_resident_forget(&storage, attribute);
}

/*
 * warpagg_unload(relation, columns) has columns of a table forgotten, by default
 * all, which also unpins it.  Needs to be called by the table's owner.
 */
Datum
warpagg_unload(PG_FUNCTION_ARGS)
{
	Oid relid = PG_GETARG_OID(0);
	ArrayType *names = PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1);
	Relation relation;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	relation = open_own_relation(relid);
	if (!RELKIND_HAS_STORAGE(relation->rd_rel->relkind))
		check_relation(relation);
	wa_client_require();
	if (names == NULL)
	{
		wa_pins_forget(relid, 0, NULL);
		unload(relation, 0);
	}
	else
	{
		AttrNumber *attributes;
		int count = wa_columns_find(relation, names, &attributes);

		if (count > 0)
			wa_pins_forget(relid, count, attributes);
		for (int i = 0; i < count; i++)
			unload(relation, attributes[i]);
	}
	relation_close(relation, AccessShareLock);
	PG_RETURN_VOID();
}

/*
 * warpagg_pin(relation) has what is resident of a table stay, and what will be: it is
 * not evicted for others, and loaded again when the device process has started anew.
 * Needs to be called by the table's owner.
 */
Datum
warpagg_pin(PG_FUNCTION_ARGS)
{
	Relation relation = open_own_relation(PG_GETARG_OID(0));

	check_relation(relation);
	wa_client_require();
	wa_pins_add(relation);
	relation_close(relation, AccessShareLock);
	PG_RETURN_VOID();
}

/* warpagg_unpin(relation) undoes warpagg_pin(relation). */
Datum
warpagg_unpin(PG_FUNCTION_ARGS)
{
	Relation relation = open_own_relation(PG_GETARG_OID(0));

	if (!RELKIND_HAS_STORAGE(relation->rd_rel->relkind))
		check_relation(relation);
	wa_client_require();
	wa_pins_remove(relation);
	relation_close(relation, AccessShareLock);
	PG_RETURN_VOID();
}
