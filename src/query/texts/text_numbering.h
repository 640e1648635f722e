/*
 * text_numbering.h
 *		What the parts of the numbering of texts share; see text_numbers.h.
 */
#ifndef WA_QUERY_TEXT_NUMBERING_H
#define WA_QUERY_TEXT_NUMBERING_H

#include "query/base/column_rows.h"
#include "query/message/query.h"

/* Instructions, registers, lists, tables or constants that one on texts becomes at most. */
#define WA_MOST_ADDED_NUMBERS 5

/* Texts that are gone through for a query, at most. */
#define WA_MAX_NUMBERED_TEXTS ((uint32_t) 1 << 22)

/*
 * Texts of several columns, tables and constants by numbers that they share.
 *
 * Where such texts come together, in CASE, COALESCE or a comparison of two columns, one
 * of the columns may give its codes, which the others' texts have then, too; those that
 * it does not have follow.  If they are compared by their order, all are numbered in
 * the order of their bytes.  Codes of other dictionaries, and numbers of a table's
 * texts, become shared numbers by a look-up.
 */
typedef struct WaSharedTexts
{
	const WaTextCodes *base; /* whose codes are numbers; NULL: there is none */
	uint32_t count;          /* of the others, ... */
	uint32_t room;
	WaText *texts;                /* ... ascending, all different */
	const WaTextCodes **sources;  /* that come together, each once */
	const WaLookupTable **tables; /* from the numbers of each to shared ones, */
	uint32_t nsources;            /* which are made when they are wanted */
	bool trims; /* texts without their trailing blanks are there, too */
	const WaLookupTable *trimmed; /* from numbers to those, likewise */
	WaTextCodes codes;            /* all of them */
} WaSharedTexts;

/* A query whose texts are being numbered.  There is room for what is added. */
typedef struct WaTextNumbering
{
	WaArena *arena;
	const WaQuery *query;
	const WaTextCodes *inputs;
	const bool *is_read; /* of the query's registers: by what is wanted of it */
	const WaTextCodes *table_texts; /* of each look-up table */
	const WaTextCodes *
		*texts_of; /* of registers that are texts of one source */
	uint32_t ninstructions;
	WaInstruction *instructions;
	uint16_t nregisters;
	WaVectorKind *kinds;
	uint32_t nlists;
	WaIntList *lists;
	uint32_t ntables;
	WaLookupTable *tables;
	uint32_t nconstants;
	WaQueryConstant *constants;
	WaSharedTexts shared;
} WaTextNumbering;

/* Adds an instruction. */
static inline void
wa_numbering_add(WaTextNumbering *to, WaInstruction instruction)
{
	to->instructions[to->ninstructions++] = instruction;
}

/* Adds a constant that is a number, or NULL; returns its register. */
extern uint16_t wa_numbering_add_number(WaTextNumbering *to, int64_t number,
										bool is_null);

/* Has a register be what a table has for an argument. */
extern void wa_numbering_add_look_up(WaTextNumbering *to, uint16_t out,
									 uint16_t argument,
									 const WaLookupTable *table);

/* Adds a register for a number. */
extern uint16_t wa_numbering_add_register(WaTextNumbering *to);

/* Returns the constant that a register of the query is, or NULL. */
extern const WaQueryConstant *wa_numbering_constant(const WaQuery *query,
													uint16_t number);

/*
 * Tells whether an instruction compares a text that has numbers of its own, of a
 * dictionary or a table, with a constant.
 */
extern bool wa_numbering_compares_constant(const WaTextNumbering *to,
										   const WaInstruction *from);

/*
 * Adds it: the number is compared with the constant's, or looked for among those that
 * fulfil the comparison.  Returns false if there is not enough memory, or if there are
 * too many texts.
 */
extern WA_MUST_CHECK bool
wa_numbering_add_comparison(WaTextNumbering *to, const WaInstruction *from);

/*
 * Finds the texts that come together in the query.  Returns false if they are too
 * many, or there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_shared_texts_find(WaTextNumbering *to);

/* Tells whether a register of the query has shared numbers in place of its texts. */
extern bool wa_shared_texts_has(const WaTextNumbering *to, uint16_t number);

/*
 * Returns a register with the shared numbers of a TEXT register that comes together
 * with others, or is a constant; -1: there is not enough memory.
 */
extern int wa_shared_texts_number(WaTextNumbering *to, uint16_t number);

/*
 * Adds an instruction whose result or arguments are texts that have shared numbers.
 * Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_shared_texts_add(WaTextNumbering *to,
											  const WaInstruction *from);

#endif /* WA_QUERY_TEXT_NUMBERING_H */
