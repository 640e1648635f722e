/*
 * gpu_query.h
 *		From a query over vectors to one over columns in the memory of GPUs.
 *
 * Texts are codes there, so a comparison of a column of texts with a constant
 * becomes one of codes, or a list of codes.  Where texts of several columns, tables
 * and constants come together, they become numbers that these share (gpu_texts.c).
 * Keys that are looked up in tables become ranks.
 */
#ifndef WA_DAEMON_GPU_QUERY_H
#define WA_DAEMON_GPU_QUERY_H

#include "cuda/query.h"
#include "daemon/store/run_extents.h"
#include "query/message/query.h"

/* A query for GPUs. */
typedef struct WaGpuQuery
{
	WaCudaQuery cuda; /* all of it but columns and rows */

	/*
	 * Of each key that is a text: the texts by the numbers that GPUs have in their
	 * place; NULL: the numbers are codes of the column's dictionary.
	 */
	const WaText **key_texts;
} WaGpuQuery;

/*
 * Translates a query, with memory of the arena.  Returns NULL if it is nothing for
 * GPUs, or there is not enough memory.
 */
WaGpuQuery *wa_gpu_query_translate(WaArena *arena, const WaQuery *query,
								   const WaRunRequest *request);

#endif /* WA_DAEMON_GPU_QUERY_H */
