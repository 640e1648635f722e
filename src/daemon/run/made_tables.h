/*
 * made_tables.h
 *		Tables that are made of the rows of a run, and kept (query/message/query.h, made).
 *
 * Their life is that of query/run/row_tables.h.  There is no use in them, and so no answer,
 * where rows do not become tables, or where there is no room for these.
 */
#ifndef WA_DAEMON_MADE_TABLES_H
#define WA_DAEMON_MADE_TABLES_H

#include "daemon/run/kept_tables.h"
#include "daemon/run/runner.h"
#include "query/run/run.h"

typedef struct WaMadeTables WaMadeTables;

/*
 * Begins tables of the rows of a request's runs, to the first of which those are added that
 * the query brings; they stay as they are then.  Stores the tables, and in how many parts
 * they are filled, 0 if there is no use in them.  Returns WA_OUT_OF_MEMORY, with nothing
 * stored, and a text in error, if there is not enough.
 */
WA_MUST_CHECK WaStatus wa_made_tables_begin(const WaRunRequest *request,
											const WaNumberedQuery *numbered,
											WaQueryRun *const *runs,
											unsigned nruns, WaMadeTables **made,
											uint32_t *nparts, char *error);

/* Sorts the rows of one of the runs, and then fills a part, at the same time as others. */
void wa_made_tables_sort(WaMadeTables *made, const WaQueryRun *run);
void wa_made_tables_fill(WaMadeTables *made, uint32_t part);

/*
 * Has all tables be kept, if there is a use in them, and writes the answer: of how many
 * rows they are.  made may be NULL.  Returns WA_OK; or WA_OUT_OF_MEMORY, and a text in
 * error.
 */
WA_MUST_CHECK WaStatus wa_made_tables_keep(WaMadeTables *made,
										   WaWriter *message,
										   WaRunResult *result, char *error);

/* Ends them; NULL is nothing. */
void wa_made_tables_end(WaMadeTables *made);

#endif /* WA_DAEMON_MADE_TABLES_H */
