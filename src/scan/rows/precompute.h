/*
 * precompute.h
 *		Computes before the scan the lazy constants (scan/expr/lazy.h).
 *
 * The device process is to know it all.  Nothing may come of it that PostgreSQL
 * would not do, should no row need it.
 */
#ifndef WA_SCAN_PRECOMPUTE_H
#define WA_SCAN_PRECOMPUTE_H

#include "scan/state/scan_state.h"

/*
 * Computes what it can of a node, at the beginning of a scan that has rows, of which some may
 * be looked at: raises the error of one of the first, if it has one.
 */
extern void wa_precompute_all(WaScanState *state);

/*
 * Likewise, without looking at rows: computes what leaves no error behind, in a
 * subtransaction, of which nothing is left if it fails.
 */
extern void wa_precompute(WaInterpreter *interpreter, ExprContext *econtext);

#endif /* WA_SCAN_PRECOMPUTE_H */
