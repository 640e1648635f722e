/*
 * reduce.c
 *		The one front door to reductions; see reduce.h.
 */
#include "postgres.h"

#include "client/client.h"
#include "exec/reduce.h"

void
wa_exec_begin(void)
{
	wa_client_begin();
}

bool
wa_exec_wants(size_t nrows)
{
	return wa_client_wants(nrows);
}

void
wa_exec_submit(WaPartial *partial, WaOpSet ops, const WaBatch *batch)
{
	if (wa_client_wants(batch->nrows) && wa_client_submit(partial, ops, batch))
		return;
	/* After what is under way: min and max heed the order. */
	wa_client_finish();
	wa_partial_fold(partial, ops, batch);
}

void
wa_exec_finish(void)
{
	wa_client_finish();
}

void
wa_exec_forget(const WaPartial *partial)
{
	wa_client_forget(partial);
}
