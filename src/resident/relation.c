/*
 * relation.c
 *		Which relations and columns can be resident; see relation.h.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/heap.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "client/client.h"
#include "client/resident.h"
#include "compat.h"
#include "heap/gather.h"
#include "resident/relation.h"
#include "settings.h"

StaticAssertDecl(WA_PLACE_ATTRIBUTE == SelfItemPointerAttributeNumber,
				 "the column of places is ctid");

bool
wa_resident_has_rule(WaFreshnessRule rule)
{
	return wa_debug_skip_rule != (int) rule;
}

/* Returns why no transaction can have columns of a relation resident. */
static const char *
permanent_refusal(Relation relation)
{
	char kind = relation->rd_rel->relkind;

	if (kind == RELKIND_PARTITIONED_TABLE)
		return "it is partitioned, and none of its partitions can be";
	if (kind != RELKIND_RELATION && kind != RELKIND_MATVIEW)
		return "it is not a table";
	if (IsCatalogRelation(relation))
		return "it is a system catalog";
	if (relation->rd_rel->relam != HEAP_TABLE_AM_OID)
		return "it is not a heap";
	if (relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		return "it is temporary";
	if (relation->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT &&
		wa_resident_has_rule(WA_RULE_LOGGED))
		return "it is unlogged";
	return NULL;
}

const char *
wa_resident_refusal(Relation relation)
{
	const char *refusal = permanent_refusal(relation);

	Assert(!IsParallelWorker());
	if (refusal != NULL)
		return refusal;
	if (relation_is_new_compat(relation) &&
		wa_resident_has_rule(WA_RULE_OTHER_TRANSACTION))
		return "it was created, rewritten or truncated in this transaction";
	if (old_snapshots_end_compat())
		return "old_snapshot_threshold is set";
	if (IsolationIsSerializable() && wa_resident_has_rule(WA_RULE_ISOLATION))
		return "the transaction is serializable";
	return NULL;
}

WaRelation
wa_resident_storage(Relation relation)
{
	WaRelation storage;

	relation_storage_compat(relation, &storage.tablespace, &storage.database,
							&storage.file);
	return storage;
}

/* Begins to look for relations with a storage; *keys has room for two. */
static SysScanDesc
begin_search(Relation catalog, const WaRelation *storage, ScanKeyData *keys)
{
	/* The database's own tablespace is stored as 0. */
	const Oid tablespace = storage->tablespace == MyDatabaseTableSpace
							   ? InvalidOid
							   : storage->tablespace;

	ScanKeyInit(&keys[0], Anum_pg_class_reltablespace, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(tablespace));
	ScanKeyInit(&keys[1], Anum_pg_class_relfilenode, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(storage->file));
	return systable_beginscan(catalog, ClassTblspcRelfilenodeIndexId, true,
							  NULL, 2, keys);
}

/*
 * The server's own function for this raises an error if there are several relations,
 * as there are for a file of 0, or where a temporary one shares a file's number.
 */
Oid
wa_resident_find(const WaRelation *storage)
{
	ScanKeyData keys[2];
	Oid found = InvalidOid;
	Relation catalog;
	SysScanDesc scan;
	HeapTuple tuple;

	if (!wa_relation_is_sound(storage) || storage->database != MyDatabaseId)
		return InvalidOid;
	catalog = table_open(RelationRelationId, AccessShareLock);
	scan = begin_search(catalog, storage, keys);
	while (!OidIsValid(found) &&
		   HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const Form_pg_class class = (Form_pg_class) GETSTRUCT(tuple);

		if (class->relpersistence != RELPERSISTENCE_TEMP)
			found = class->oid;
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

bool
wa_resident_column_is_new(Relation relation, AttrNumber attribute)
{
	HeapTuple tuple;
	bool is_new;

	/* A transaction without a number has changed nothing. */
	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	tuple =
		SearchSysCache2(ATTNUM, ObjectIdGetDatum(RelationGetRelid(relation)),
						Int16GetDatum(attribute));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u",
			 attribute, RelationGetRelid(relation));
	is_new = TransactionIdIsCurrentTransactionId(
		HeapTupleHeaderGetXmin(tuple->t_data));
	ReleaseSysCache(tuple);
	return is_new;
}

const FormData_pg_attribute *
wa_resident_attribute(Relation relation, AttrNumber attribute)
{
	return attribute == WA_PLACE_ATTRIBUTE
			   ? SystemAttributeDefinition(attribute)
			   : TupleDescAttr(RelationGetDescr(relation), attribute - 1);
}

/* Fills in the name of ctid, whose values do not change unless their blocks do. */
static void
name_places(WaColumnName *name)
{
	memset(name, 0, sizeof(*name));
	name->type = TIDOID;
	name->typmod = -1;
	name->attribute = WA_PLACE_ATTRIBUTE;
	name->kind = WA_VECTOR_INT;
}

bool
wa_resident_column(Relation relation, AttrNumber attribute, WaColumnName *name)
{
	Form_pg_attribute att;
	WaVectorKind kind;

	if (attribute == WA_PLACE_ATTRIBUTE)
	{
		name_places(name);
		return true;
	}
	att = TupleDescAttr(RelationGetDescr(relation), attribute - 1);
	if (att->attisdropped || attribute_is_virtual_compat(att) ||
		!wa_gather_kind(att->atttypid, &kind) ||
		wa_resident_column_is_new(relation, attribute))
		return false;
	memset(name, 0, sizeof(*name));
	name->type = att->atttypid;
	name->typmod = att->atttypmod;
	name->attribute = attribute;
	name->kind = (uint16) kind;
	return true;
}

bool
wa_resident_has_column(Relation relation, const WaColumnName *name)
{
	WaColumnName present;

	return wa_attribute_is_sound(name->attribute) &&
		   name->attribute <= RelationGetNumberOfAttributes(relation) &&
		   wa_resident_column(relation, name->attribute, &present) &&
		   memcmp(&present, name, sizeof(present)) == 0;
}

bool
wa_resident_has_storage(Relation relation, const WaRelation *storage)
{
	WaRelation present = wa_resident_storage(relation);

	return memcmp(&present, storage, sizeof(present)) == 0;
}

int64
wa_resident_list(Oid database, WaResidentColumn **list)
{
	int64 count = wa_client_list(database, list);

	if (count < 0)
		wa_client_raise();
	return count;
}

void
wa_resident_forget(const WaRelation *storage, AttrNumber attribute)
{
	if (!wa_client_unload(storage, attribute))
		wa_client_raise();
}
