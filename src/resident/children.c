/*
 * children.c
 *		The tables that a relation stands for; see children.h.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "resident/children.h"
#include "resident/relation.h"

List *
wa_children_find(Relation relation)
{
	List *found = NIL;
	ListCell *cell;

	if (!relation->rd_rel->relhassubclass)
		return list_make1_oid(RelationGetRelid(relation));
	foreach (cell, find_all_inheritors(RelationGetRelid(relation),
									   AccessShareLock, NULL))
		if (RELKIND_HAS_STORAGE(get_rel_relkind(lfirst_oid(cell))))
			found = lappend_oid(found, lfirst_oid(cell));
	return found;
}

/* Raises an error as a relation cannot be resident. */
static void
refuse(Relation relation)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("columns of \"%s\" cannot be resident",
						   RelationGetRelationName(relation)),
					errdetail("The reason is that %s.",
							  wa_resident_refusal(relation))));
}

List *
wa_children_find_loadable(Relation relation)
{
	List *found = NIL;
	ListCell *cell;

	foreach (cell, wa_children_find(relation))
	{
		Relation table = relation_open(lfirst_oid(cell), NoLock);
		const char *refusal = wa_resident_refusal(table);

		if (refusal == NULL)
			found = lappend_oid(found, lfirst_oid(cell));
		else if (relation->rd_rel->relhassubclass)
			ereport(NOTICE, (errmsg("columns of \"%s\" cannot be resident",
									RelationGetRelationName(table)),
							 errdetail("The reason is that %s.", refusal)));
		relation_close(table, NoLock);
	}
	if (found == NIL)
		refuse(relation);
	return found;
}

AttrNumber
wa_children_attribute(Relation relation, AttrNumber attribute, Relation table)
{
	const FormData_pg_attribute *column =
		wa_resident_attribute(relation, attribute);

	return RelationGetRelid(relation) == RelationGetRelid(table)
			   ? attribute
			   : get_attnum(RelationGetRelid(table), NameStr(column->attname));
}

/* Orders columns by their numbers. */
static int
compare_columns(const void *a, const void *b)
{
	return ((const WaColumnName *) a)->attribute -
		   ((const WaColumnName *) b)->attribute;
}

int
wa_children_columns(Relation relation, int ncolumns,
					const WaColumnName *columns, Relation table,
					WaColumnName *found)
{
	int count = 0;

	for (int i = 0; i < ncolumns; i++)
		if (wa_resident_column(
				table,
				wa_children_attribute(relation, columns[i].attribute, table),
				&found[count]))
			count++;
	qsort(found, count, sizeof(*found), compare_columns);
	return count;
}
