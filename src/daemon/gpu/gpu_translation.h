/*
 * gpu_translation.h
 *		What the parts of the translation of queries for GPUs share.
 */
#ifndef WA_DAEMON_GPU_TRANSLATION_H
#define WA_DAEMON_GPU_TRANSLATION_H

#include "cuda/query.h"
#include "query/texts/text_numbers.h"

/* Instructions, registers or tables that a look-up adds at most. */
#define WA_GPU_MOST_ADDED 5

/* A query that is being translated.  There is room for what is added. */
typedef struct WaGpuTranslation
{
	WaArena *arena;
	const WaNumberedQuery *numbered;
	const WaQuery *query; /* without texts */
	uint32_t ninstructions;
	WaInstruction *instructions;
	uint16_t nregisters;
	WaVectorKind *kinds;
	uint32_t ntables;
	WaLookupTable *tables;
	uint32_t nconstants;
	WaProgramConstant *constants;
	uint16_t *keys;
	WaCudaKeyValues *key_values;
} WaGpuTranslation;

/* Adds an instruction. */
static inline void
wa_gpu_add_instruction(WaGpuTranslation *to, WaInstruction instruction)
{
	to->instructions[to->ninstructions++] = instruction;
}

/* Adds a register; returns its number. */
uint16_t wa_gpu_add_register(WaGpuTranslation *to, WaVectorKind kind);

/* Adds a register with a value, or NULL, as a table has it. */
uint16_t wa_gpu_add_value(WaGpuTranslation *to, WaVectorKind kind,
						  uint8_t scale, int64_t value, bool is_null);

/*
 * Adds a look-up of an argument in a table, of values alone; returns the register of
 * its result.
 */
uint16_t wa_gpu_add_look_up(WaGpuTranslation *to, uint16_t argument,
							const WaLookupTable *table, WaVectorKind kind);

/* Tells whether GPUs look a table up as it is. */
bool wa_gpu_table_is_plain(const WaLookupTable *table);

/*
 * Translates a look-up: booleans are integers first, and what is not NULL though the
 * argument is, is chosen afterwards.
 */
void wa_gpu_translate_look_up(WaGpuTranslation *to, const WaInstruction *from);

#endif /* WA_DAEMON_GPU_TRANSLATION_H */
