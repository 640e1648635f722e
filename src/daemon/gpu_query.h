/*
 * gpu_query.h
 *		From a query over vectors to one over columns in the memory of GPUs.
 *
 * Texts are codes there, so a comparison of a column of texts with a constant
 * becomes one of codes, or a list of codes.  Keys that are looked up in tables become
 * ranks (gpu_ranks.h).
 */
#ifndef WA_DAEMON_GPU_QUERY_H
#define WA_DAEMON_GPU_QUERY_H

#include "cuda/query.h"
#include "daemon/runner.h"
#include "query/query.h"

/*
 * Translates all of a query but its columns and rows, with memory of the arena.
 * Returns NULL if it is nothing for GPUs, or there is not enough memory.
 */
WaCudaQuery *wa_gpu_query_translate(WaArena *arena, const WaQuery *query,
									const WaRunRequest *request);

/*
 * Returns the table whose texts' numbers GPUs have in the place of a register of
 * the query; NULL: it has none.
 */
const WaSteps *wa_gpu_query_texts(const WaQuery *query, uint16_t number);

#endif /* WA_DAEMON_GPU_QUERY_H */
