/*
 * final.h
 *		The final functions, by which an aggregate's operations are known.
 */
#ifndef WA_AGG_FINAL_H
#define WA_AGG_FINAL_H

#include "fmgr.h"

#include "core/types.h"

/*
 * Returns the operations that the aggregate with this final function needs;
 * the empty set if it only counts rows, or is none of ours.
 */
extern WaOpSet wa_final_operations(PGFunction function);

#endif /* WA_AGG_FINAL_H */
