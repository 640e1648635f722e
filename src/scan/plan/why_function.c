/*
 * why_function.c
 *		The function warpagg_explain: which levels of a query have the node of the scan
 *		tier, and why others have not.
 *
 * EXPLAIN says nothing where the library is not loaded; to call the function loads it.
 * A query with parameters is planned for any values, as a generic plan is.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "scan/plan/why_note.h"

#define COLUMNS 3

PG_FUNCTION_INFO_V1(warpagg_explain);

/* Returns a text, or NULL for an empty one. */
static Datum
text_or_null(const char *string, bool *is_null)
{
	*is_null = string[0] == '\0';
	return *is_null ? (Datum) 0 : CStringGetTextDatum(string);
}

/* Returns a row on a level. */
static void
put_level(ReturnSetInfo *result, const char *level, const char *reason)
{
	bool nulls[COLUMNS] = {0};
	Datum values[COLUMNS] = {text_or_null(level, &nulls[0]),
							 BoolGetDatum(reason[0] == '\0'),
							 text_or_null(reason, &nulls[2])};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Returns the rows on a plan. */
static void
put_plan(ReturnSetInfo *result, const PlannedStmt *plan)
{
	List *whys;
	ListCell *cell;

	if (!wa_why_read(plan, &whys))
		put_level(result, "", "another extension has planned it");
	else if (whys == NIL)
		put_level(result, "", "it has no aggregate");
	foreach (cell, whys)
	{
		const WaWhy *why = (const WaWhy *) lfirst(cell);

		put_level(result, why->level,
				  why->costs[0] == '\0'
					  ? why->reason
					  : psprintf("%s (%s)", why->reason, why->costs));
	}
}

/* Plans a query and returns the rows on it. */
static void
put_query(ReturnSetInfo *result, Query *query, const char *text)
{
	PlannedStmt *plan;

	if (query->commandType == CMD_UTILITY)
	{
		put_level(result, "", "it is not a query");
		return;
	}
	plan = plan_query_compat(query, text, CURSOR_OPT_PARALLEL_OK, NULL);
	check_permissions_compat(plan);
	put_plan(result, plan);
}

/* Tells whether all new sessions that are like this one load the library. */
static bool
is_preloaded(void)
{
	return strstr(shared_preload_libraries_string, "warpagg") != NULL ||
		   strstr(session_preload_libraries_string, "warpagg") != NULL ||
		   strstr(local_preload_libraries_string, "warpagg") != NULL;
}

/* Has errors show where in the query they are, which is not that of the session. */
static void
point_into_query(void *source)
{
	const int position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery((const char *) source);
}

/* Returns the rows on the queries of a text. */
static void
put_text(ReturnSetInfo *result, const char *source)
{
	ErrorContextCallback callback = {.previous = error_context_stack,
									 .callback = point_into_query,
									 .arg = (void *) source};
	ListCell *statement;
	ListCell *query;

	error_context_stack = &callback;
	foreach (statement, pg_parse_query(source))
	{
		Oid *types = NULL;
		int ntypes = 0;
		List *queries = pg_analyze_and_rewrite_varparams(
			lfirst_node(RawStmt, statement), source, &types, &ntypes, NULL);

		foreach (query, queries)
			put_query(result, lfirst_node(Query, query), source);
	}
	error_context_stack = callback.previous;
}

/*
 * warpagg_explain(query text) returns a row for each level of the query that has
 * aggregates: its name, NULL if it is the only one; whether the node computes it; and why
 * not.  The query is not run.  Where sessions do not load the library by themselves
 * another row says so.
 */
Datum
warpagg_explain(PG_FUNCTION_ARGS)
{
	const char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	put_text(result, source);
	if (!is_preloaded())
		put_level(result, "other sessions",
				  "the library is in none of shared_preload_libraries, "
				  "session_preload_libraries and local_preload_libraries: a "
				  "session has to load it, or to use a function of the "
				  "extension, first");
	return (Datum) 0;
}
