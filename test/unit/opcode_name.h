/*
 * opcode_name.h
 *		What the instructions of programs are called.
 */
#ifndef WA_TEST_UNIT_OPCODE_NAME_H
#define WA_TEST_UNIT_OPCODE_NAME_H

#include "core/program.h"

/* Returns an opcode's name, e.g. "INT_ADD". */
static inline const char *
wa_opcode_name(WaOpcode code)
{
	static const char *const names[WA_OPCODE_COUNT] = {
#define X(name) #name,
		WA_OPCODE_LIST(X)
#undef X
	};

	return names[code];
}

#endif /* WA_TEST_UNIT_OPCODE_NAME_H */
