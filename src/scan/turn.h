/*
 * turn.h
 *		Whether what is computed once raises its error in its turn.
 *
 * The device process tells whether some row needs it, but not which row is the first.
 * PostgreSQL raises the first error that it meets, row by row; so what waits may be
 * computed for the device process only if no row has an error before that.
 */
#ifndef WA_SCAN_TURN_H
#define WA_SCAN_TURN_H

#include "scan/node.h"

/*
 * Tells whether what waits for a row to come to a stage may be computed at once,
 * where some row does.  is_sound: no row has an error in a stage before it.
 */
extern bool wa_turn_has_come(const WaScanState *state, int stage,
							 bool is_sound);

#endif /* WA_SCAN_TURN_H */
