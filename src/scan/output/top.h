/*
 * top.h
 *		Chooses the groups that may be among the first few of ORDER BY.
 *
 * PostgreSQL sorts and limits them; this saves it all the others.  Groups are
 * compared as PostgreSQL's sort compares them, by as many of the expressions of
 * ORDER BY as the plan has.
 */
#ifndef WA_SCAN_TOP_H
#define WA_SCAN_TOP_H

#include "core/must_check.h"
#include "scan/state/plan.h"
#include "scan/state/scan_store.h"

typedef struct WaTop WaTop;

/* Makes what choosing needs, in the current context, for a node and its groups. */
extern WaTop *wa_top_make(ScanState *ss, const WaScanStore *store,
						  const WaPlanTop *plan);

/*
 * Chooses among the groups that are there now.  Computes HAVING of those that
 * are among the best so far, or of all, if it could have an error or one of those
 * expressions could where it is not fulfilled; raises errors of both.  Returns how many
 * were chosen; they keep their order.
 */
extern uint32 wa_top_choose(WaTop *top);

/*
 * Stores how many of the first groups are wanted now, at least 1; returns false
 * if all are.
 */
extern WA_MUST_CHECK bool wa_top_limit(const WaTop *top, uint64 *limit);

/* Returns the number of the i-th that was chosen. */
extern uint32 wa_top_group(const WaTop *top, uint32 i);

#endif /* WA_SCAN_TOP_H */
