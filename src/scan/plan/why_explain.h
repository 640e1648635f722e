/*
 * why_explain.h
 *		EXPLAIN says why levels of a query have no node of the scan tier.
 *
 * "WarpAgg" is a line for each level with aggregates that has none, "not used: " and the
 * reason, or "not used for " and the level if there are several; in the formats for
 * programs a list of these.  Where the plan has such levels it is always there, unless
 * warpagg.explain_refusals is set otherwise; of a SELECT without aggregates EXPLAIN
 * (VERBOSE) alone has it.
 *
 * From PostgreSQL 18 on that includes EXPLAIN EXECUTE, and from 19 on what auto_explain
 * logs, as there is a hook for it.  Before, only EXPLAIN of a query by itself can be
 * reached.
 */
#ifndef WA_SCAN_WHY_EXPLAIN_H
#define WA_SCAN_WHY_EXPLAIN_H

#include "nodes/plannodes.h"

/* Installs the hooks; called once, by wa_why_init. */
extern void wa_why_explain_init(void);

/* Takes notice of a plan that has been made of a query. */
extern void wa_why_planned(const Query *query, const PlannedStmt *plan);

#endif /* WA_SCAN_WHY_EXPLAIN_H */
