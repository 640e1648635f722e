/*
 * gpu_texts.h
 *		Texts of several columns, tables and constants by numbers that they share.
 *
 * Where such texts come together, in CASE, COALESCE or a comparison of two columns,
 * GPUs have their ranks among all of them, in the order of their bytes: what is chosen
 * is a rank, and comparisons are those of ranks.  Codes of dictionaries, and numbers of
 * a table's texts, become ranks by a look-up in a table.
 */
#ifndef WA_DAEMON_GPU_TEXTS_H
#define WA_DAEMON_GPU_TEXTS_H

#include "core/must_check.h"
#include "daemon/gpu/gpu_translation.h"

/*
 * Finds the texts that come together in the query.  Returns false if they are too
 * many, or there is not enough memory.
 */
WA_MUST_CHECK bool wa_gpu_texts_find(WaGpuTranslation *to);

/* Tells whether a TEXT register of the query has ranks in its place. */
bool wa_gpu_texts_has(const WaGpuTranslation *to, uint16_t number);

/*
 * Returns a register with the ranks of a TEXT register that comes together with
 * others; -1: there is not enough memory.
 */
int wa_gpu_texts_rank(WaGpuTranslation *to, uint16_t number);

/*
 * Translates an instruction whose result or arguments are texts by their ranks.
 * Returns false if GPUs have none for it, or if there is not enough memory.
 */
WA_MUST_CHECK bool wa_gpu_texts_translate(WaGpuTranslation *to,
										  const WaInstruction *from);

#endif /* WA_DAEMON_GPU_TEXTS_H */
