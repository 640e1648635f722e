/*
 * reduce.h
 *		The one front door to reductions, for the aggregate and scan tiers.
 */
#ifndef WA_EXEC_REDUCE_H
#define WA_EXEC_REDUCE_H

#include "core/partial.h"

/*
 * Prepares this session for reductions: has the device process started if
 * there is none.  Raises an error if warpagg.device = gpu and there is no GPU.
 */
extern void wa_exec_begin(void);

/*
 * Tells whether a batch of nrows would go to a device now, which may look for
 * one.  Raises an error as wa_exec_begin does.
 */
extern bool wa_exec_wants(size_t nrows);

/*
 * Reduces the batch into *partial, whose rows all came before those of the
 * batch: on a device if the batch is worth it, else here.  The result is the
 * same.  It may be left under way: *partial is complete only after
 * wa_exec_finish, and whoever frees it before calls wa_exec_forget.  The
 * batch's memory can be used again at once.  Raises an error only if
 * warpagg.device = gpu and the GPU fails.
 */
extern void wa_exec_submit(WaPartial *partial, WaOpSet ops,
						   const WaBatch *batch);

/*
 * Completes what this backend has under way.  Due before a partial is looked
 * at, and before control returns to the client: a session must not hold a
 * staging slot while it is idle.
 */
extern void wa_exec_finish(void);
extern void wa_exec_forget(const WaPartial *partial);

#endif /* WA_EXEC_REDUCE_H */
