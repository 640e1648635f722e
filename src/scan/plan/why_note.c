/*
 * why_note.c
 *		Where a plan says why levels of its query have no node of the scan tier; see
 *		why_note.h.
 *
 * A note is a list of the levels as text: of each its name, the reason and the costs.
 */
#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/readfuncs.h"
#include "nodes/value.h"

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

/* Returns a text as a node. */
static Node *
make_part(const char *text)
{
	return (Node *) makeString(pstrdup(text));
}

void
wa_why_write(PlannedStmt *plan, const List *whys)
{
	char **place = find_place(plan);
	List *note = NIL;
	ListCell *cell;

	if (place == NULL)
		return;
	foreach (cell, whys)
	{
		const WaWhy *why = (const WaWhy *) lfirst(cell);

		note = lappend(note,
					   list_make3(make_part(why->level), make_part(why->reason),
								  make_part(why->costs)));
	}
	*place = nodeToString(note);
}

bool
wa_why_read(const PlannedStmt *plan, List **whys)
{
	char **place = find_place(plan);
	ListCell *cell;

	*whys = NIL;
	if (place == NULL || *place == NULL)
		return false;
	foreach (cell, (List *) stringToNode(*place))
	{
		const List *parts = (const List *) lfirst(cell);
		WaWhy *why = palloc(sizeof(WaWhy));

		*why = (WaWhy){strVal(linitial(parts)), strVal(lsecond(parts)),
					   strVal(lthird(parts))};
		*whys = lappend(*whys, why);
	}
	return true;
}
