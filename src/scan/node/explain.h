/*
 * explain.h
 *		A node in EXPLAIN.
 */
#ifndef WA_SCAN_EXPLAIN_H
#define WA_SCAN_EXPLAIN_H

#include "nodes/extensible.h"

struct ExplainState;

/* Prints the node's part of EXPLAIN, for CustomExecMethods. */
extern void wa_scan_explain(CustomScanState *node, List *ancestors,
							struct ExplainState *es);

#endif /* WA_SCAN_EXPLAIN_H */
