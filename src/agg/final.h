/*
 * final.h
 *		The final functions, by which an aggregate's operation is known.
 */
#ifndef WA_AGG_FINAL_H
#define WA_AGG_FINAL_H

#include "fmgr.h"

#include "core/types.h"

/*
 * Returns the operation whose final function this is, as a set of one, or the
 * empty set if it is none of ours.
 */
extern WaOpSet wa_final_operation(PGFunction function);

#endif /* WA_AGG_FINAL_H */
