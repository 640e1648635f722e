/*
 * why_note.c
 *		Where a plan says why levels of its query have no node of the scan tier; see
 *		why_note.h.
 *
 * A note has a line for each level: its name, the reason and the costs, with tabs in
 * between.
 */
#include "postgres.h"

#include "nodes/parsenodes.h"

#include "scan/plan/why_note.h"

/* Returns where a plan has its note, or NULL if it has no range table. */
static char **
find_place(const PlannedStmt *plan)
{
	RangeTblEntry *entry;

	if (plan->rtable == NIL)
		return NULL;
	entry = linitial_node(RangeTblEntry, plan->rtable);
	return entry->rtekind == RTE_NAMEDTUPLESTORE ? &entry->ctename
												 : &entry->enrname;
}

void
wa_why_write(PlannedStmt *plan, char *note)
{
	char **place = find_place(plan);

	if (place != NULL)
		*place = note;
}

/* Takes the next part of a note, up to a character, which it overwrites. */
static const char *
take_part(char **note, char end)
{
	char *part = *note;
	char *last = strchr(part, end);

	*last = '\0';
	*note = last + 1;
	return part;
}

bool
wa_why_read(const PlannedStmt *plan, List **whys)
{
	char **place = find_place(plan);
	char *note;

	*whys = NIL;
	if (place == NULL || *place == NULL)
		return false;
	note = pstrdup(*place);
	while (*note != '\0')
	{
		WaWhy *why = palloc(sizeof(WaWhy));

		why->level = take_part(&note, '\t');
		why->reason = take_part(&note, '\t');
		why->costs = take_part(&note, '\n');
		*whys = lappend(*whys, why);
	}
	return true;
}
