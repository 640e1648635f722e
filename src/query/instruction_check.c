/*
 * instruction_check.c
 *		Which instructions are sound; see query.h.
 */
#include "core/program.h"
#include "query/query.h"

/* What an argument or a result may be. */
typedef enum Place
{
	NONE,
	INT,
	FLOAT,
	DECIMAL,
	BOOL,
	TEXT,
	CODED, /* INT or TEXT */
	ANY,
	CHOSEN /* of the kind extra */
} Place;

/* What extra may be. */
typedef enum Extra
{
	ANYTHING,
	INT_BYTES,
	FLOAT_BYTES,
	COMPARISON,
	ROUNDING,
	LIST,  /* whoever knows how many there are looks at its number */
	TABLE, /* likewise */
	KIND,
	NEVER /* the instruction itself is not sound */
} Extra;

typedef struct Shape
{
	uint8_t a;
	uint8_t b;
	uint8_t c;
	uint8_t out;
	uint8_t extra;
} Shape;

static const Shape shapes[WA_OPCODE_COUNT] = {
	[WA_CODE_INT_ADD] = {INT, INT, NONE, INT, INT_BYTES},
	[WA_CODE_INT_SUBTRACT] = {INT, INT, NONE, INT, INT_BYTES},
	[WA_CODE_INT_MULTIPLY] = {INT, INT, NONE, INT, INT_BYTES},
	[WA_CODE_INT_DIVIDE] = {INT, INT, NONE, INT, INT_BYTES},
	[WA_CODE_INT_REMAINDER] = {INT, INT, NONE, INT, INT_BYTES},
	[WA_CODE_INT_NEGATE] = {INT, NONE, NONE, INT, INT_BYTES},
	[WA_CODE_INT_ABS] = {INT, NONE, NONE, INT, INT_BYTES},
	[WA_CODE_INT_NARROW] = {INT, NONE, NONE, INT, INT_BYTES},
	[WA_CODE_FLOAT_ADD] = {FLOAT, FLOAT, NONE, FLOAT, FLOAT_BYTES},
	[WA_CODE_FLOAT_SUBTRACT] = {FLOAT, FLOAT, NONE, FLOAT, FLOAT_BYTES},
	[WA_CODE_FLOAT_MULTIPLY] = {FLOAT, FLOAT, NONE, FLOAT, FLOAT_BYTES},
	[WA_CODE_FLOAT_DIVIDE] = {FLOAT, FLOAT, NONE, FLOAT, FLOAT_BYTES},
	[WA_CODE_FLOAT_NEGATE] = {FLOAT, NONE, NONE, FLOAT, ANYTHING},
	[WA_CODE_FLOAT_ABS] = {FLOAT, NONE, NONE, FLOAT, ANYTHING},
	[WA_CODE_FLOAT_FLOOR] = {FLOAT, NONE, NONE, FLOAT, ANYTHING},
	[WA_CODE_FLOAT_CEIL] = {FLOAT, NONE, NONE, FLOAT, ANYTHING},
	[WA_CODE_FLOAT_NARROW] = {FLOAT, NONE, NONE, FLOAT, ANYTHING},
	[WA_CODE_DECIMAL_ADD] = {DECIMAL, DECIMAL, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_SUBTRACT] = {DECIMAL, DECIMAL, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_MULTIPLY] = {DECIMAL, DECIMAL, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_DIVIDE] = {DECIMAL, DECIMAL, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_REMAINDER] = {DECIMAL, DECIMAL, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_DIVIDE_WHOLE] = {DECIMAL, DECIMAL, NONE, DECIMAL,
									  ANYTHING},
	[WA_CODE_DECIMAL_NEGATE] = {DECIMAL, NONE, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_ABS] = {DECIMAL, NONE, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_FLOOR] = {DECIMAL, NONE, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_CEIL] = {DECIMAL, NONE, NONE, DECIMAL, ANYTHING},
	[WA_CODE_DECIMAL_ROUND] = {DECIMAL, NONE, NONE, DECIMAL, ROUNDING},
	[WA_CODE_DECIMAL_FLOOR_DIVIDE] = {DECIMAL, DECIMAL, NONE, DECIMAL,
									  ANYTHING},
	[WA_CODE_INT_TO_FLOAT] = {INT, NONE, NONE, FLOAT, FLOAT_BYTES},
	[WA_CODE_INT_TO_DECIMAL] = {INT, NONE, NONE, DECIMAL, ANYTHING},
	[WA_CODE_FLOAT_TO_INT] = {FLOAT, NONE, NONE, INT, INT_BYTES},
	[WA_CODE_DECIMAL_TO_INT] = {DECIMAL, NONE, NONE, INT, INT_BYTES},
	[WA_CODE_DECIMAL_TO_FLOAT] = {DECIMAL, NONE, NONE, FLOAT, FLOAT_BYTES},
	[WA_CODE_DATE_TO_TIMESTAMP] = {INT, NONE, NONE, INT, ANYTHING},
	[WA_CODE_TIMESTAMP_TO_DATE] = {INT, NONE, NONE, INT, ANYTHING},
	[WA_CODE_TIMESTAMP_TO_DECIMAL] = {INT, NONE, NONE, DECIMAL, ANYTHING},
	[WA_CODE_TIMESTAMP_TO_FLOAT] = {INT, NONE, NONE, FLOAT, ANYTHING},
	[WA_CODE_DECIMAL_SCALE] = {DECIMAL, NONE, NONE, INT, ANYTHING},
	[WA_CODE_COMPARE_INT] = {INT, INT, NONE, BOOL, COMPARISON},
	[WA_CODE_COMPARE_FLOAT] = {FLOAT, FLOAT, NONE, BOOL, COMPARISON},
	[WA_CODE_COMPARE_DECIMAL] = {DECIMAL, DECIMAL, NONE, BOOL, COMPARISON},
	[WA_CODE_COMPARE_BOOL] = {BOOL, BOOL, NONE, BOOL, COMPARISON},
	[WA_CODE_COMPARE_TEXT] = {TEXT, TEXT, NONE, BOOL, COMPARISON},
	[WA_CODE_TRIM] = {TEXT, NONE, NONE, TEXT, ANYTHING},
	[WA_CODE_IN_INT] = {INT, NONE, NONE, BOOL, LIST},
	[WA_CODE_AND] = {BOOL, BOOL, NONE, BOOL, ANYTHING},
	[WA_CODE_OR] = {BOOL, BOOL, NONE, BOOL, ANYTHING},
	[WA_CODE_NOT] = {BOOL, NONE, NONE, BOOL, ANYTHING},
	[WA_CODE_IS_NULL] = {ANY, NONE, NONE, BOOL, ANYTHING},
	[WA_CODE_IS_NOT_NULL] = {ANY, NONE, NONE, BOOL, ANYTHING},
	[WA_CODE_IS_TRUE] = {BOOL, NONE, NONE, BOOL, ANYTHING},
	[WA_CODE_SELECT] = {BOOL, CHOSEN, CHOSEN, CHOSEN, KIND},
	[WA_CODE_STEPS] = {CODED, NONE, NONE, ANY, TABLE},
	[WA_CODE_CALL] = {ANY, NONE, NONE, ANY, NEVER},
};

/* Tells whether a register of the kind may stand in the place. */
static bool
may_stand(Place place, WaVectorKind kind, uint32_t extra)
{
	switch (place)
	{
		case INT:
			return kind == WA_VECTOR_INT;
		case FLOAT:
			return kind == WA_VECTOR_FLOAT;
		case DECIMAL:
			return kind == WA_VECTOR_DECIMAL;
		case BOOL:
			return kind == WA_VECTOR_BOOL;
		case TEXT:
			return kind == WA_VECTOR_TEXT;
		case CODED:
			return kind == WA_VECTOR_INT || kind == WA_VECTOR_TEXT;
		case CHOSEN:
			return (uint32_t) kind == extra;
		default:
			return true;
	}
}

static bool
extra_is_sound(Extra what, uint32_t extra)
{
	switch (what)
	{
		case INT_BYTES:
			return extra == 2 || extra == 4 || extra == 8;
		case FLOAT_BYTES:
			return extra == 4 || extra == 8;
		case COMPARISON:
			return extra <= WA_GREATER_OR_EQUAL;
		case ROUNDING:
			return extra % 256 <= WA_DECIMAL_MAX_SCALE && extra / 256 <= 255;
		case KIND:
			return extra <= WA_VECTOR_TEXT;
		case NEVER:
			return false;
		default:
			return true;
	}
}

int
wa_instruction_arguments(const WaInstruction *instruction,
						 uint16_t arguments[3])
{
	const Shape *shape = &shapes[instruction->code];
	int narguments = 1;

	arguments[0] = instruction->a;
	if (shape->b != NONE)
		arguments[narguments++] = instruction->b;
	if (shape->c != NONE)
		arguments[narguments++] = instruction->c;
	return narguments;
}

bool
wa_instruction_is_sound(const WaInstruction *instruction,
						const WaVectorKind *kinds)
{
	const Shape *shape = &shapes[instruction->code];
	const uint32_t extra = instruction->extra;
	const uint8_t places[3] = {shape->a, shape->b, shape->c};
	uint16_t arguments[3];
	int narguments = wa_instruction_arguments(instruction, arguments);

	if (shape->out == NONE)
		return false; /* the table has no line for it */

	for (int i = 0; i < narguments; i++)
		if (arguments[i] == instruction->out ||
			!may_stand((Place) places[i], kinds[arguments[i]], extra))
			return false;
	return may_stand((Place) shape->out, kinds[instruction->out], extra) &&
		   extra_is_sound((Extra) shape->extra, extra);
}

/* Tells whether an instruction traps for some values. */
static bool
may_trap(const WaInstruction *instruction)
{
	switch (instruction->code)
	{
		case WA_CODE_FLOAT_NEGATE:
		case WA_CODE_FLOAT_ABS:
		case WA_CODE_COMPARE_INT:
		case WA_CODE_COMPARE_FLOAT:
		case WA_CODE_COMPARE_DECIMAL:
		case WA_CODE_COMPARE_BOOL:
		case WA_CODE_COMPARE_TEXT:
		case WA_CODE_IN_INT:
		case WA_CODE_AND:
		case WA_CODE_OR:
		case WA_CODE_NOT:
		case WA_CODE_IS_NULL:
		case WA_CODE_IS_NOT_NULL:
		case WA_CODE_IS_TRUE:
			return false;
		default:
			return true;
	}
}

bool
wa_query_may_trap(const WaQuery *query)
{
	for (size_t i = 0; i < query->program.ninstructions; i++)
		if (may_trap(&query->program.instructions[i]))
			return true;
	return false;
}
