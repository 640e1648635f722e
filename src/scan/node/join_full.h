/*
 * join_full.h
 *		Which join takes too much memory.
 */
#ifndef WA_SCAN_JOIN_FULL_H
#define WA_SCAN_JOIN_FULL_H

#include "scan/state/scan_state.h"

/* Returns which rows took how much, if that was more than they may; NULL: none did. */
extern char *wa_join_full(const WaScanState *state);

#endif /* WA_SCAN_JOIN_FULL_H */
