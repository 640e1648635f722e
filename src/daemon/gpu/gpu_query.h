/*
 * gpu_query.h
 *		From a query over vectors to one over columns in the memory of GPUs.
 *
 * Look-ups are those that GPUs have, and keys that are looked up become ranks.
 */
#ifndef WA_DAEMON_GPU_QUERY_H
#define WA_DAEMON_GPU_QUERY_H

#include "cuda/query.h"
#include "query/texts/text_numbers.h"

/*
 * Translates a query, with memory of the arena: all of it but columns and rows.  Returns
 * NULL if it is nothing for GPUs, or there is not enough memory.
 */
WaCudaQuery *wa_gpu_query_translate(WaArena *arena,
									const WaNumberedQuery *numbered);

#endif /* WA_DAEMON_GPU_QUERY_H */
