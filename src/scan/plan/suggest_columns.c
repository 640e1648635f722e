/*
 * suggest_columns.c
 *		Having columns of a table loaded; see suggest_columns.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "resident/autoload.h"
#include "resident/columns.h"
#include "resident/relation.h"
#include "scan/plan/suggest_columns.h"
#include "settings.h"

/*
 * Smaller relations are not loaded for a query's sake.  Of 2 MB queries in one process,
 * on two processors, took 0.10 to 0.59 ms where columns were resident and 0.12 to 0.70
 * from the heap: sum(v) half, count(*), a GROUP BY with WHERE and one by month 0.65 to
 * 0.85 of the time.  Of 1 MB count(*) took 0.09 ms and not 0.07, and the others 0.7 to
 * 0.95 of the time, which does not pay for loading them (2026-11-22).
 */
#define MIN_AUTOLOAD_BLOCKS 256

bool
wa_suggest_is_wanted(double nblocks)
{
	return wa_autoload && nblocks >= MIN_AUTOLOAD_BLOCKS;
}

bool
wa_suggest_may_load(Oid table, Oid user, const AttrNumber *attnums, int count)
{
	if (!OidIsValid(user))
		user = GetUserId();
	if (pg_class_aclcheck(table, user, ACL_SELECT) == ACLCHECK_OK)
		return true;
	for (int i = 0; i < count; i++)
		if (pg_attribute_aclcheck(table, attnums[i], user, ACL_SELECT) !=
			ACLCHECK_OK)
			return false;
	return true;
}

void
wa_suggest_columns(Relation relation, Oid user, const AttrNumber *attnums,
				   int count)
{
	WaColumnName name;

	if (wa_resident_refusal(relation) != NULL ||
		!wa_suggest_may_load(RelationGetRelid(relation), user, attnums, count))
		return;
	for (int i = 0; i < count; i++)
		if (!wa_resident_column(relation, attnums[i], &name))
			return;
	wa_autoload_suggest(RelationGetRelid(relation), count, attnums, false);
}
