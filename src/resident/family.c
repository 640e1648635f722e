/*
 * family.c
 *		Which family a relation is of; see family.h.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "resident/family.h"

/* Returns how many tables one is a partition of, or inherits from; *parent: the last. */
static int
find_parents(Relation inherits, Oid relid, Oid *parent)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	int count = 0;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL,
							  1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		*parent = ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent;
		count++;
	}
	systable_endscan(scan);
	return count;
}

/* Returns the root of a relation's family, or InvalidOid. */
static Oid
find_root(Relation relation)
{
	Relation inherits = table_open(InheritsRelationId, AccessShareLock);
	const Oid relid = RelationGetRelid(relation);
	Oid root = relid;
	Oid parent;
	int count;

	while ((count = find_parents(inherits, root, &parent)) == 1)
		root = parent;
	table_close(inherits, AccessShareLock);
	if (count > 1 || (root == relid && !relation->rd_rel->relhassubclass))
		return InvalidOid;
	return root;
}

/* Returns the number of the root's column of a name, 0 if it has none. */
static int16
find_attribute(Oid root, const char *name)
{
	HeapTuple tuple = SearchSysCacheAttName(root, name);
	int16 attribute;

	if (!HeapTupleIsValid(tuple))
		return 0;
	attribute = ((Form_pg_attribute) GETSTRUCT(tuple))->attnum;
	ReleaseSysCache(tuple);
	return Max(attribute, 0);
}

void
wa_family_plan(Relation relation, WaFamilyPlan *plan)
{
	const TupleDesc desc = RelationGetDescr(relation);
	const Oid root = find_root(relation);

	memset(plan, 0, sizeof(*plan));
	if (!OidIsValid(root))
		return;
	plan->family.database = MyDatabaseId;
	plan->family.root = root;
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			plan->attributes[i] =
				find_attribute(root, NameStr(TupleDescAttr(desc, i)->attname));
}
