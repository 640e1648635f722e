/*
 * columns.c
 *		Which columns of a relation somebody who loads means; see columns.h.
 *
 * Loading shows no data.  It takes the privilege to select from the columns, as
 * it costs what reading them does.  Policies of rows play no part: resident are
 * whole columns, and it is for queries to filter them.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "resident/columns.h"
#include "resident/relation.h"

static int
compare_attributes(const void *a, const void *b)
{
	return *(const AttrNumber *) a - *(const AttrNumber *) b;
}

/* Returns the number of a column; raises an error if there is none. */
static AttrNumber
find_attribute(Relation relation, const char *name)
{
	AttrNumber attribute = get_attnum(RelationGetRelid(relation), name);

	if (attribute == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", name,
						RelationGetRelationName(relation))));
	if (!wa_attribute_is_sound(attribute))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("system column \"%s\" cannot be resident", name)));
	return attribute;
}

int
wa_columns_find(Relation relation, const ArrayType *names,
				AttrNumber **attributes)
{
	Datum *datums;
	bool *nulls;
	int count;

	deconstruct_array((ArrayType *) names, TEXTOID, -1, false, TYPALIGN_INT,
					  &datums, &nulls, &count);
	*attributes = palloc(Max(count, 1) * sizeof(**attributes));
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("name of a column must not be null")));
		(*attributes)[i] =
			find_attribute(relation, TextDatumGetCString(datums[i]));
	}
	qsort(*attributes, count, sizeof(**attributes), compare_attributes);
	return (int) qunique(*attributes, count, sizeof(**attributes),
						 compare_attributes);
}

/* Tells whether the current user may select from a column. */
static bool
may_select(Relation relation, AttrNumber attribute)
{
	Oid relid = RelationGetRelid(relation);

	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		   pg_attribute_aclcheck(relid, attribute, GetUserId(), ACL_SELECT) ==
			   ACLCHECK_OK;
}

/* Raises an error if a column that was named cannot be loaded. */
static void
check_column(Relation relation, AttrNumber attribute, WaColumnName *name)
{
	const FormData_pg_attribute *att =
		wa_resident_attribute(relation, attribute);

	if (!may_select(relation, attribute))
		aclcheck_error_col(ACLCHECK_NO_PRIV, OBJECT_COLUMN,
						   RelationGetRelationName(relation),
						   NameStr(att->attname));
	if (wa_resident_column(relation, attribute, name))
		return;
	if (attribute_is_virtual_compat(att))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" cannot be resident",
							   NameStr(att->attname)),
						errdetail("It is a virtual generated column.")));
	if (wa_resident_column_is_new(relation, attribute))
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" cannot be resident", NameStr(att->attname)),
			 errdetail("It was added or changed in this transaction.")));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("column \"%s\" cannot be resident", NameStr(att->attname)),
			 errdetail("Its type is %s.", format_type_be(att->atttypid)),
			 errhint("Integers, floats, numeric, money, oid, boolean, date, "
					 "time, timestamps, text and character types can be.")));
}

/* Finds the columns that are named. */
static int
find_named(Relation relation, const ArrayType *names, WaColumnName *columns)
{
	AttrNumber *attributes;
	int count = wa_columns_find(relation, names, &attributes);

	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("no column to load was named")));
	for (int i = 0; i < count; i++)
		check_column(relation, attributes[i], &columns[i]);
	pfree(attributes);
	return count;
}

/* Finds all columns that can be and may be loaded; ctid has to be named. */
static int
find_all(Relation relation, WaColumnName *columns)
{
	int natts = RelationGetNumberOfAttributes(relation);
	int count = 0;
	int refused = 0;

	for (AttrNumber i = 1; i <= natts; i++)
	{
		WaColumnName name;

		if (!wa_resident_column(relation, i, &name))
			continue;
		if (!may_select(relation, i))
			refused++;
		else
			columns[count++] = name;
	}
	if (count == 0 && refused > 0)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE,
					   RelationGetRelationName(relation));
	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("table \"%s\" has no column that can be "
							   "resident",
							   RelationGetRelationName(relation))));
	return count;
}

int
wa_columns_to_load(Relation relation, const ArrayType *names,
				   WaColumnName *columns)
{
	if (names == NULL)
		return find_all(relation, columns);
	return find_named(relation, names, columns);
}

/*
 * Returns how wide a column's values are likely to be, to be compared with others:
 * numerics are 8 bytes at most, but some cannot be resident; texts take a dictionary.
 */
static int
likely_width(Relation relation, AttrNumber attribute)
{
	Form_pg_attribute att =
		TupleDescAttr(RelationGetDescr(relation), attribute - 1);

	if (att->attlen > 0)
		return att->attlen;
	return att->atttypid == NUMERICOID ? 16 : 32;
}

bool
wa_columns_narrowest(Relation relation, AttrNumber *attribute)
{
	int natts = RelationGetNumberOfAttributes(relation);
	int least = 0;

	for (AttrNumber i = 1; i <= natts; i++)
	{
		WaColumnName name;
		int width;

		if (!wa_resident_column(relation, i, &name) || !may_select(relation, i))
			continue;
		width = likely_width(relation, i);
		if (least > 0 && width >= least)
			continue;
		least = width;
		*attribute = i;
	}
	return least > 0;
}
