/*
 * gpu_translation.h
 *		What the parts of the translation of queries for GPUs share.
 */
#ifndef WA_DAEMON_GPU_TRANSLATION_H
#define WA_DAEMON_GPU_TRANSLATION_H

#include "core/must_check.h"
#include "cuda/query.h"
#include "daemon/store/run_extents.h"
#include "query/message/query.h"

/* Instructions, registers or tables that a look-up adds at most. */
#define WA_GPU_MOST_ADDED 9

/* Likewise an instruction on texts, which may be a look-up, too, and a key. */
#define WA_GPU_MOST_ADDED_TEXTS 4

/*
 * Texts of several columns, tables and constants by numbers that they share.
 *
 * Where such texts come together, in CASE, COALESCE or a comparison of two columns,
 * GPUs have their ranks among all of them, in the order of their bytes: what is chosen
 * is a rank, and comparisons are those of ranks.  Codes of dictionaries, and numbers of
 * a table's texts, become ranks by a look-up in a table.
 * Tables of ranks have no values until they are made.
 */
typedef struct WaGpuTexts
{
	uint32_t count;
	WaText *texts;           /* ascending, all different */
	WaLookupTable *of_input; /* by register: from codes to ranks */
	WaLookupTable *of_table; /* by table: from its texts' numbers to ranks */
	bool trims; /* texts without their trailing blanks are there, too */
	WaLookupTable trimmed; /* from ranks to ranks */
} WaGpuTexts;

/* A query that is being translated.  There is room for what is added. */
typedef struct WaGpuTranslation
{
	WaArena *arena;
	const WaQuery *query;
	const WaRunRequest *request;
	const bool *is_read; /* of the query's registers: by what is wanted of it */
	uint32_t ninstructions;
	WaInstruction *instructions;
	uint16_t nregisters;
	WaVectorKind *kinds;
	uint32_t nlists;
	WaIntList *lists;
	uint32_t ntables;
	WaLookupTable *tables;
	uint32_t nconstants;
	WaProgramConstant *constants;
	uint16_t *keys;
	WaCudaKeyValues *key_values;
	const WaText **key_texts;
	WaGpuTexts texts;
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
 * Translates a look-up: booleans and numbers of texts are integers first, and what
 * is NULL, or is not though the argument is, is chosen afterwards.  Returns false if
 * there is not enough memory.
 */
bool wa_gpu_translate_look_up(WaGpuTranslation *to, const WaInstruction *from);

/* Returns the constant that a register of the query is, or NULL. */
const WaQueryConstant *wa_gpu_find_constant(const WaQuery *query,
											uint16_t number);

/*
 * Returns the table that all instructions which compute a TEXT register of the query
 * look it up in, so that it has numbers of the table's texts; NULL: there is none.
 */
const WaLookupTable *wa_gpu_find_texts(const WaQuery *query, uint16_t number);

/* Texts that have numbers: those of a column's dictionary, or of a table. */
typedef struct WaGpuTextSource
{
	uint16_t number;                /* of the column's register */
	const WaDictionary *dictionary; /* or NULL */
	const WaLookupTable *table;     /* or NULL */
	uint32_t count;
} WaGpuTextSource;

/*
 * Finds the texts whose numbers a TEXT register of the query has.  Returns false if it
 * has no such numbers.
 */
WA_MUST_CHECK bool wa_gpu_find_source(const WaGpuTranslation *to,
									  uint16_t number, WaGpuTextSource *source);

/* Returns the text that has a number. */
WaText wa_gpu_source_text(const WaGpuTextSource *source, uint32_t number);

/*
 * Tells whether an instruction compares a text that has numbers of its own, of a
 * dictionary or a table, with a constant.
 */
bool wa_gpu_compares_constant(const WaGpuTranslation *to,
							  const WaInstruction *from);

/*
 * Translates it: the number is compared with the constant's, or looked for among
 * those that fulfil the comparison.  Returns false if there is not enough memory.
 */
bool wa_gpu_translate_constant(WaGpuTranslation *to, const WaInstruction *from);

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

#endif /* WA_DAEMON_GPU_TRANSLATION_H */
