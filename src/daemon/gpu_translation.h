/*
 * gpu_translation.h
 *		What the parts of the translation of queries for GPUs share.
 */
#ifndef WA_DAEMON_GPU_TRANSLATION_H
#define WA_DAEMON_GPU_TRANSLATION_H

#include "daemon/gpu_query.h"

/* Instructions, registers or tables that a look-up adds at most. */
#define WA_GPU_MOST_ADDED 9

/* A query that is being translated.  There is room for what is added. */
typedef struct WaGpuTranslation
{
	WaArena *arena;
	const WaQuery *query;
	const WaRunRequest *request;
	uint32_t ninstructions;
	WaInstruction *instructions;
	uint16_t nregisters;
	WaVectorKind *kinds;
	uint32_t nlists;
	WaIntList *lists;
	uint32_t ntables;
	WaSteps *tables;
	uint32_t nconstants;
	WaCudaConstant *constants;
	uint16_t *keys;
	WaCudaKeyValues *key_values;
} WaGpuTranslation;

/* Adds an instruction. */
static inline void
wa_gpu_add_instruction(WaGpuTranslation *to, WaInstruction instruction)
{
	to->instructions[to->ninstructions++] = instruction;
}

/* Tells whether GPUs look a table up as it is. */
bool wa_gpu_table_is_plain(const WaSteps *table);

/*
 * Translates a look-up: booleans and numbers of texts are integers first, and what
 * is NULL, or is not though the argument is, is chosen afterwards.  Returns false if
 * there is not enough memory.
 */
bool wa_gpu_translate_look_up(WaGpuTranslation *to, const WaInstruction *from);

#endif /* WA_DAEMON_GPU_TRANSLATION_H */
