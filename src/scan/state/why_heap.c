/*
 * why_heap.c
 *		Why a node has read the heap; see why_heap.h.
 *
 * Whether columns are resident is asked when EXPLAIN prints the node.
 */
#include "postgres.h"

#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "client/residency.h"
#include "compat.h"
#include "resident/relation.h"
#include "scan/state/why_heap.h"

void
wa_why_heap_note(WaScanSources *sources, const char *reason)
{
	strlcpy(sources->heap_reason, reason, sizeof(sources->heap_reason));
}

/*
 * Names columns of the table, first those that the node uses; returns how many.  Stores
 * how many of these are used.
 */
static uint32
name_columns(const WaScanQuery *query, const WaScanSource *source,
			 WaColumnName *names, uint32 *nused)
{
	const int ncolumns = query->compiler->ncolumns;
	const int nattributes = RelationGetDescr(source->relation)->natts;
	Bitmapset *used = NULL;
	uint32 n = 0;

	for (int i = 0; i < ncolumns && n < WA_MAX_QUERY_COLUMNS; i++)
	{
		const AttrNumber attnum =
			wa_source_attnum(source, query->compiler->attnums[i]);

		if (attnum > 0)
			used = bms_add_member(used, attnum);
		if (wa_resident_column(source->relation, attnum, &names[n]))
			n++;
	}
	*nused = n;
	for (int i = 1; i <= nattributes && n < WA_MAX_QUERY_COLUMNS; i++)
		if (!bms_is_member(i, used) &&
			wa_resident_column(source->relation, (AttrNumber) i, &names[n]))
			n++;
	return n;
}

/* Asks what there is of columns of a table, which are named; false if there is no answer. */
static bool
ask(const WaScanSource *source, const WaColumnName *names, uint32 nnames,
	WaResidentMessage *answer)
{
	const WaRunSource named_source = {
		.relation = wa_resident_storage(source->relation)};
	WaColumnName columns[WA_MAX_QUERY_COLUMNS];
	int16_t attributes[WA_MAX_QUERY_COLUMNS];

	for (uint32 i = 0; i < nnames; i++)
	{
		columns[i] = names[i];
		columns[i].attribute = 0;
		attributes[i] = names[i].attribute;
	}
	return wa_residency_look(&(WaNamedSources){.nsources = 1,
											   .ncolumns = nnames,
											   .columns = columns,
											   .sources = &named_source,
											   .attributes = attributes},
							 answer);
}

/*
 * Finds out whether anything of the table is resident.  Stores the number of a column
 * that the node uses and of which nothing is, or 0.
 */
static bool
find_resident(const WaScanQuery *query, const WaScanSource *source,
			  AttrNumber *missing)
{
	WaColumnName names[WA_MAX_QUERY_COLUMNS];
	WaResidentMessage answer;
	uint32 nused;
	const uint32 nnames = name_columns(query, source, names, &nused);
	bool found = false;

	*missing = 0;
	if (nnames == 0 || !ask(source, names, nnames, &answer))
		return false;
	for (uint32 i = 0; i < nnames; i++)
		if (answer.columns[i].blocks + answer.columns[i].odd_blocks > 0)
			found = true;
		else if (i < nused)
			*missing = (AttrNumber) names[i].attribute;
	return found;
}

/* Tells whether the device process has failed, and need not be asked. */
static bool
has_failed(const char *reason)
{
	return strcmp(reason, WA_WHY_RESTING) == 0 ||
		   strncmp(reason, WA_WHY_FAILED, strlen(WA_WHY_FAILED)) == 0;
}

/* Prints why nothing was used, where there would have been something. */
static void
show_reason(const WaScanQuery *query, const WaScanSources *sources,
			const char *reason, struct ExplainState *es)
{
	const WaScanSource *source = NULL;
	AttrNumber missing = 0;

	for (int i = 0; i < sources->count && source == NULL; i++)
		if (has_failed(reason) ||
			find_resident(query, sources->list[i], &missing))
			source = sources->list[i];
	if (source == NULL)
		return;
	if (missing != 0 && strcmp(reason, WA_WHY_NOT_FRESH) == 0)
		reason =
			psprintf("column %s is not resident",
					 quote_identifier(get_attname(
						 RelationGetRelid(source->relation), missing, false)));
	ExplainPropertyText("Resident Columns", psprintf("not used: %s", reason),
						es);
}

void
wa_why_heap_show(const WaScanQuery *query, const WaScanSources *sources,
				 const WaInstrument *instrument, struct ExplainState *es)
{
	if (instrument->read.blocks == 0)
		return;
	if (sources->heap_reason[0] != '\0')
		show_reason(query, sources, sources->heap_reason, es);
	else if (instrument->resident_blocks == 0)
		show_reason(query, sources, WA_WHY_IN_WORKER, es);
	else if (instrument->read.rows > 0)
		ExplainPropertyText("Resident Columns",
							"used in part: the other blocks have changed since "
							"they were loaded, or are not resident",
							es);
}
