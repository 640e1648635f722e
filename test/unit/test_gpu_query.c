/*
 * test_gpu_query.c
 *		Random queries; see test_gpu_data.h.
 */
#include <string.h>

#include "test/unit/test_gpu_data.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define OPS(a, b, c, d)                                           \
	((a) << WA_OP_SUM | (b) << WA_OP_SQUARES | (c) << WA_OP_MIN | \
	 (d) << WA_OP_MAX)

/* Steps of tables; days are those of COLUMN_INT16, which traps behind them. */
#define STEPS       14
#define STEP_WIDTH  3000
#define FIRST_STEP  (-13000)
#define DAY_SECONDS INT64_C(86400)

/* Registers behind the columns. */
enum
{
	LIMIT = NCOLUMNS, /* constants */
	STEP,
	REAL,
	WORD,
	PRICE,
	MOMENT,
	BIT,
	IS_BELOW, /* clauses, and what they are made of */
	IS_WORD,
	IS_THERE,
	IS_REAL,
	IS_CHEAP,
	TIME,
	IS_BEFORE,
	IS_ABOVE,
	IS_OTHER,
	BOTH,
	NEXT, /* arguments and keys */
	PRODUCT,
	HALF,
	CHOICE,
	DAY,
	TURN,
	SHARE,
	DIVISOR,
	QUOTIENT,
	REST,
	WHOLE,
	AREA,
	NAME,
	TRIMMED,
	IS_ODD, /* a filter */
	NREGISTERS
};

static const WaVectorKind computed_kinds[] = {
	WA_VECTOR_INT,     WA_VECTOR_INT,     WA_VECTOR_FLOAT,   WA_VECTOR_TEXT,
	WA_VECTOR_DECIMAL, WA_VECTOR_INT,     WA_VECTOR_DECIMAL, WA_VECTOR_BOOL,
	WA_VECTOR_BOOL,    WA_VECTOR_BOOL,    WA_VECTOR_BOOL,    WA_VECTOR_BOOL,
	WA_VECTOR_INT,     WA_VECTOR_BOOL,    WA_VECTOR_BOOL,    WA_VECTOR_BOOL,
	WA_VECTOR_BOOL,    WA_VECTOR_INT,     WA_VECTOR_DECIMAL, WA_VECTOR_FLOAT,
	WA_VECTOR_INT,     WA_VECTOR_INT,     WA_VECTOR_INT,     WA_VECTOR_DECIMAL,
	WA_VECTOR_DECIMAL, WA_VECTOR_DECIMAL, WA_VECTOR_DECIMAL, WA_VECTOR_DECIMAL,
	WA_VECTOR_DECIMAL, WA_VECTOR_TEXT,    WA_VECTOR_TEXT,    WA_VECTOR_BOOL,
};

/* A clause: its instructions, and the register that has to be true. */
typedef struct Clause
{
	uint32_t begin;
	uint32_t end;
	uint16_t number;
} Clause;

static const Clause clauses[] = {
	{0, 1, IS_BELOW}, {1, 2, IS_WORD},   {2, 3, IS_THERE}, {3, 4, IS_REAL},
	{4, 5, IS_CHEAP}, {5, 7, IS_BEFORE}, {7, 10, BOTH},    {0, 0, COLUMN_BOOL},
};

#define FIRST_COMPUTED 10
#define NINSTRUCTIONS  25

/* Returns any comparison. */
static uint32_t
random_comparison(void)
{
	return (uint32_t) random_below(WA_GREATER_OR_EQUAL + 1);
}

/* Makes a comparison, either way round. */
static WaInstruction
compare(WaOpcode code, uint16_t out, uint16_t a, uint16_t b)
{
	const bool turned = random_below(2) == 0;

	return (WaInstruction){.code = (uint16_t) code,
						   .out = out,
						   .a = turned ? b : a,
						   .b = turned ? a : b,
						   .extra = random_comparison()};
}

/* Makes the instructions of all clauses. */
static void
make_comparisons(WaInstruction *instructions)
{
	static const uint16_t decimals[] = {COLUMN_PRICE, COLUMN_DECIMAL32,
										COLUMN_DECIMAL64, COLUMN_PRICE,
										COLUMN_WIDE};
	static const uint16_t texts_and_decimals[] = {COLUMN_TEXT, COLUMN_DECIMAL64,
												  COLUMN_LARGE, COLUMN_LARGE};

	instructions[0] = (WaInstruction){.code = WA_CODE_COMPARE_INT,
									  .out = IS_BELOW,
									  .a = COLUMN_INT32,
									  .b = LIMIT,
									  .extra = WA_LESS};
	instructions[1] = compare(WA_CODE_COMPARE_TEXT, IS_WORD, COLUMN_TEXT, WORD);
	instructions[2] = (WaInstruction){.code = WA_CODE_IS_NOT_NULL,
									  .out = IS_THERE,
									  .a = texts_and_decimals[random_below(4)]};
	instructions[3] = (WaInstruction){.code = WA_CODE_COMPARE_FLOAT,
									  .out = IS_REAL,
									  .a = COLUMN_FLOAT8,
									  .b = REAL,
									  .extra = WA_GREATER_OR_EQUAL};
	instructions[4] = compare(WA_CODE_COMPARE_DECIMAL, IS_CHEAP,
							  decimals[random_below(LENGTH(decimals))], PRICE);
	instructions[5] = (WaInstruction){
		.code = WA_CODE_DATE_TO_TIMESTAMP, .out = TIME, .a = COLUMN_INT16};
	instructions[6] = compare(WA_CODE_COMPARE_INT, IS_BEFORE, TIME, MOMENT);
	instructions[7] =
		compare(WA_CODE_COMPARE_INT, IS_ABOVE, COLUMN_INT64, STEP);
	instructions[8] = compare(WA_CODE_COMPARE_INT, IS_OTHER,
							  random_below(2) ? COLUMN_UINT32 : COLUMN_INT32,
							  random_below(2) ? LIMIT : STEP);
	instructions[9] =
		(WaInstruction){.code = random_below(4) != 0 ? WA_CODE_AND : WA_CODE_OR,
						.out = BOTH,
						.a = IS_ABOVE,
						.b = IS_OTHER};
}

/* Draws the clauses of WHERE, none to three. */
static void
draw_clauses(WaQuery *query, WaQueryFilter *filters)
{
	query->nfilters = (uint32_t) random_below(4);
	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		const Clause *clause = &clauses[random_below(LENGTH(clauses))];

		filters[i] = (WaQueryFilter){.begin = clause->begin,
									 .end = clause->end,
									 .number = clause->number};
	}
	query->filters = filters;
}

/* Makes what has up to 38 digits; the divisor is never 0. */
static void
make_quotients(WaInstruction *instructions)
{
	instructions[0] = (WaInstruction){.code = WA_CODE_DECIMAL_ADD,
									  .out = DIVISOR,
									  .a = COLUMN_DECIMAL32,
									  .b = BIT};
	instructions[1] =
		(WaInstruction){.code = WA_CODE_DECIMAL_DIVIDE,
						.out = QUOTIENT,
						.a = random_below(2) ? COLUMN_PRICE : COLUMN_DECIMAL64,
						.b = DIVISOR};
	instructions[2] = (WaInstruction){.code = WA_CODE_DECIMAL_REMAINDER,
									  .out = REST,
									  .a = COLUMN_WIDE,
									  .b = DIVISOR};
	instructions[3] =
		(WaInstruction){.code = WA_CODE_DECIMAL_DIVIDE_WHOLE,
						.out = WHOLE,
						.a = random_below(2) ? COLUMN_PRICE : COLUMN_WIDE,
						.b = DIVISOR};
	instructions[4] = (WaInstruction){.code = WA_CODE_DECIMAL_MULTIPLY,
									  .out = AREA,
									  .a = COLUMN_WIDE,
									  .b = COLUMN_PRICE};
}

/* Makes what keys, arguments and filters are computed by. */
static void
make_computed(WaQuery *query, WaInstruction *instructions)
{
	/* Beyond an int2 at times: then rows trap. */
	instructions[10] = (WaInstruction){.code = WA_CODE_INT_ADD,
									   .out = NEXT,
									   .a = COLUMN_INT16,
									   .b = STEP,
									   .extra = 2};
	instructions[11] = (WaInstruction){.code = WA_CODE_DECIMAL_MULTIPLY,
									   .out = PRODUCT,
									   .a = COLUMN_PRICE,
									   .b = COLUMN_DECIMAL32};
	instructions[12] = (WaInstruction){
		.code = WA_CODE_FLOAT_ABS, .out = HALF, .a = COLUMN_FLOAT4};
	instructions[13] = (WaInstruction){.code = WA_CODE_SELECT,
									   .out = CHOICE,
									   .a = COLUMN_BOOL,
									   .b = COLUMN_INT32,
									   .c = STEP,
									   .extra = WA_VECTOR_INT};
	instructions[14] =
		(WaInstruction){.code = WA_CODE_NOT, .out = IS_ODD, .a = COLUMN_BOOL};
	instructions[15] = (WaInstruction){
		.code = WA_CODE_LOOK_UP, .out = DAY, .a = COLUMN_INT32, .extra = 0};
	instructions[16] = (WaInstruction){
		.code = WA_CODE_LOOK_UP, .out = TURN, .a = COLUMN_INT32, .extra = 1};
	instructions[17] = (WaInstruction){
		.code = WA_CODE_LOOK_UP, .out = SHARE, .a = COLUMN_INT32, .extra = 2};
	make_quotients(instructions + 18);
	instructions[23] = (WaInstruction){.code = WA_CODE_SELECT,
									   .out = NAME,
									   .a = IS_ODD,
									   .b = COLUMN_TEXT,
									   .c = WORD,
									   .extra = WA_VECTOR_TEXT};
	instructions[24] =
		(WaInstruction){.code = WA_CODE_TRIM, .out = TRIMMED, .a = NAME};
	query->begin = FIRST_COMPUTED;
	query->end = NINSTRUCTIONS;
}

/*
 * Makes the tables: of two that ascend and of one that does not.  In turn, one has NULLs
 * and another one is total.
 */
static void
make_tables(WaQuery *query, WaArena *arena)
{
	static unsigned nqueries = 0;
	WaLookupTable *tables = wa_arena_alloc(arena, 3 * sizeof(*tables));

	nqueries++;
	for (int i = 0; i < 3; i++)
	{
		const unsigned turn = (nqueries + (unsigned) i) % 4;
		int64_t *values = wa_arena_alloc(arena, STEPS * sizeof(*values));
		uint8_t *known = wa_arena_alloc(arena, STEPS);

		for (int step = 0; step < STEPS; step++)
		{
			values[step] = i == 1 ? step % 3 : step / 2 * 10 - 30;
			known[step] =
				turn == 0 && step % 5 == 3 ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
		}
		tables[i] = (WaLookupTable){.base = FIRST_STEP,
									.width = STEP_WIDTH,
									.nentries = STEPS,
									.values = values,
									.known = known,
									.scale = i == 2 ? 2 : 0,
									.is_total = turn == 1};
	}
	query->ntables = 3;
	query->program.tables = tables;
}

/* Makes what one of the tables has at a step unknown. */
static void
make_unknown(WaQuery *query, int table)
{
	((uint8_t *) query->program.tables[table].known)[random_below(STEPS)] = 0;
}

/* Has a table be one of narrow entries, if it can, and another one that GPUs keep. */
static void
change_form(WaLookupTable *table, WaArena *arena)
{
	static uint64_t nkept = 0;
	int32_t *narrow = wa_arena_alloc(arena, table->nentries * sizeof(*narrow));

	if (random_below(2) == 0)
		table->digest = (WaTableDigest){{++nkept, 7}};
	if (random_below(3) != 0 || !wa_lookup_table_can_be_narrow(table))
		return;
	for (uint64_t i = 0; i < table->nentries; i++)
	{
		int64_t value;

		narrow[i] = wa_lookup_table_entry(table, i, &value) == WA_ENTRY_NULL
						? WA_NARROW_NULL
						: (int32_t) value;
	}
	table->narrow = narrow;
	table->values = NULL;
	table->known = NULL;
}

/*
 * Tells whether the values of a register are used: what is computed for nothing
 * traps on the CPU alone.
 */
static bool
is_used(const WaQuery *query, uint16_t number)
{
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->key_numbers[i] == number)
			return true;
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (query->columns[i].argument == number && query->columns[i].ops != 0)
			return true;
	return false;
}

/* Makes the aggregated columns. */
static void
make_parts(WaQuery *query, WaQueryKey *keys, uint16_t *key_numbers,
		   WaQueryColumn *columns)
{
	static const uint16_t key_choices[] = {COLUMN_INT16,
										   COLUMN_INT32,
										   COLUMN_UINT32,
										   COLUMN_BOOL,
										   COLUMN_TEXT,
										   COLUMN_PRICE,
										   COLUMN_FLOAT4,
										   CHOICE,
										   NEXT,
										   COLUMN_DECIMAL64,
										   DAY,
										   TURN,
										   SHARE,
										   REST,
										   WHOLE,
										   QUOTIENT,
										   AREA,
										   COLUMN_WIDE,
										   COLUMN_DECIMAL32,
										   COLUMN_FLOAT8,
										   COLUMN_LARGE,
										   COLUMN_INT16,
										   COLUMN_INT32,
										   HALF,
										   NAME,
										   TRIMMED};
	static const WaOpSet sets[] = {OPS(1, 0, 0, 0), OPS(1, 1, 0, 0),
								   OPS(0, 0, 1, 1), OPS(1, 1, 1, 1),
								   OPS(0, 0, 1, 0), OPS(1, 0, 0, 1)};
	static const WaOpSet bit_sets[] = {WA_BIT_OPS, WA_OP_BIT(WA_OP_BIT_AND),
									   WA_OP_BIT(WA_OP_BIT_OR),
									   WA_OP_BIT(WA_OP_BIT_XOR)};

	query->nkeys = (uint32_t) random_below(random_below(8) == 0 ? MAX_KEYS : 4);
	for (uint32_t i = 0; i < query->nkeys; i++)
	{
		key_numbers[i] = key_choices[random_below(LENGTH(key_choices))];
		keys[i] = (WaQueryKey){.kind = query->program.kinds[key_numbers[i]]};
		keys[i].blank_padded =
			keys[i].kind == WA_VECTOR_TEXT && random_below(2) == 0;
		keys[i].keeps_zeros =
			keys[i].kind == WA_VECTOR_FLOAT && random_below(4) == 0;
	}
	query->ncolumns =
		1 + (uint32_t) random_below(random_below(8) == 0 ? MAX_COLUMNS : 11);
	for (uint32_t i = 0; i < query->ncolumns; i++)
	{
		static const int arguments[] = {
			0,   1,     2,    4,     5,    6,       7,        8,
			9,   10,    11,   12,    NEXT, PRODUCT, HALF,     CHOICE,
			DAY, SHARE, REST, WHOLE, AREA, -1,      QUOTIENT, NAME};
		int argument = arguments[random_below(LENGTH(arguments))];

		/* Of many columns one would be such that GPUs take none. */
		while (query->ncolumns > 11 &&
			   (argument == COLUMN_DECIMAL64 || argument == COLUMN_WIDE ||
				argument == COLUMN_LARGE || argument == QUOTIENT ||
				argument == AREA))
			argument = arguments[random_below(LENGTH(arguments))];

		columns[i] =
			(WaQueryColumn){.argument = argument,
							.filter = random_below(4) == 0 ? IS_ODD : -1,
							.kind = WA_VECTOR_BOOL};
		if (argument < 0)
			continue;
		columns[i].kind = query->program.kinds[argument];
		if (columns[i].kind != WA_VECTOR_TEXT &&
			columns[i].kind != WA_VECTOR_BOOL && random_below(6) != 0)
			columns[i].ops = sets[random_below(LENGTH(sets))];
		if (columns[i].ops != 0 && columns[i].kind == WA_VECTOR_INT &&
			random_below(3) == 0)
			columns[i].ops = bit_sets[random_below(LENGTH(bit_sets))];
	}
	query->keys = keys;
	query->key_numbers = key_numbers;
	query->columns = columns;
}

const WaQuery *
test_gpu_query(WaArena *arena)
{
	WaQuery *query = wa_arena_alloc_zero(arena, sizeof(*query));
	WaVectorKind *kinds =
		wa_arena_alloc_zero(arena, NREGISTERS * sizeof(*kinds));
	WaInstruction *instructions =
		wa_arena_alloc_zero(arena, NINSTRUCTIONS * sizeof(*instructions));
	WaQueryConstant *constants =
		wa_arena_alloc_zero(arena, 7 * sizeof(*constants));
	const char *word = test_text();
	uint8_t scratch[NREGISTERS];

	for (int i = 0; i < NCOLUMNS; i++)
		kinds[i] = wa_form_kind(test_forms[i]);
	memcpy(kinds + NCOLUMNS, computed_kinds, sizeof(computed_kinds));
	constants[0] = (WaQueryConstant){
		LIMIT, {.integer = (int64_t) random_below(30) * 1000 - 10000}};
	constants[1] = (WaQueryConstant){STEP, {.integer = 100}};
	constants[2] = (WaQueryConstant){REAL, {.number = -1.5}};
	constants[3] = (WaQueryConstant){
		WORD, {.text = {random_below(8) ? word : "not there", strlen(word)}}};
	constants[3].value.is_null = random_below(10) == 0;
	constants[4] =
		(WaQueryConstant){PRICE,
						  {.integer = (int64_t) random_below(4000) - 1300,
						   .scale = (uint8_t) random_below(6)}};
	constants[4].value.shown = constants[4].value.scale;
	constants[4].value.is_null = random_below(20) == 0;
	constants[5] = (WaQueryConstant){
		MOMENT,
		{.integer = ((int64_t) random_below(40) - 13) * DAY_SECONDS * 1000000 +
					(int64_t) random_below(3) - 1}};
	constants[6] =
		(WaQueryConstant){BIT, {.integer = 7, .scale = 4, .shown = 4}};
	query->program = (WaProgram){.nregisters = NREGISTERS,
								 .kinds = kinds,
								 .instructions = instructions,
								 .ninstructions = NINSTRUCTIONS};
	query->ninputs = NCOLUMNS;
	query->nconstants = 7;
	query->constants = constants;
	make_comparisons(instructions);
	draw_clauses(query, wa_arena_alloc_zero(arena, 4 * sizeof(WaQueryFilter)));
	make_computed(query, instructions);
	make_tables(query, arena);
	make_parts(query, wa_arena_alloc_zero(arena, MAX_KEYS * sizeof(WaQueryKey)),
			   wa_arena_alloc_zero(arena, MAX_KEYS * sizeof(uint16_t)),
			   wa_arena_alloc_zero(arena, MAX_COLUMNS * sizeof(WaQueryColumn)));
	if (!is_used(query, NEXT))
		instructions[10].extra = 8;
	for (int i = 0; i < 3; i++)
	{
		if (is_used(query, (uint16_t) (DAY + i)) && random_below(4) == 0)
			make_unknown(query, i);
		change_form((WaLookupTable *) &query->program.tables[i], arena);
	}
	return wa_query_is_sound(query, scratch) ? query : NULL;
}

/* Draws the keys of a query whose rows become tables. */
static void
draw_made_keys(WaQuery *query, WaQueryKey *keys, uint16_t *key_numbers)
{
	static const uint16_t first[] = {COLUMN_INT64, COLUMN_INT64, COLUMN_INT64,
									 COLUMN_INT32, CHOICE,       DAY};
	static const uint16_t others[] = {COLUMN_INT16,
									  COLUMN_INT32,
									  COLUMN_INT64,
									  COLUMN_UINT32,
									  COLUMN_FLOAT4,
									  COLUMN_FLOAT8,
									  COLUMN_DECIMAL32,
									  COLUMN_BOOL,
									  COLUMN_TEXT,
									  COLUMN_PRICE,
									  PRODUCT,
									  HALF,
									  CHOICE,
									  TURN,
									  SHARE,
									  NAME,
									  IS_ODD,
									  COLUMN_TEXT,
									  COLUMN_PRICE,
									  TRIMMED};
	static const uint16_t rare[] = {COLUMN_DECIMAL64, COLUMN_WIDE, QUOTIENT,
									NEXT};

	query->nkeys = 1 + (uint32_t) random_below(MAX_MADE);
	for (uint32_t i = 0; i < query->nkeys; i++)
	{
		if (i == 0)
			key_numbers[i] = first[random_below(LENGTH(first))];
		else if (random_below(30) == 0)
			key_numbers[i] = rare[random_below(LENGTH(rare))];
		else
			key_numbers[i] = others[random_below(LENGTH(others))];
		keys[i] = (WaQueryKey){.kind = query->program.kinds[key_numbers[i]]};
	}
	query->keys = keys;
	query->key_numbers = key_numbers;
}

const WaQuery *
test_gpu_made_query(WaArena *arena, const WaTableDigest *digests)
{
	WaQuery *query = (WaQuery *) test_gpu_query(arena);
	WaInstruction *instructions = (WaInstruction *) query->program.instructions;
	uint8_t scratch[NREGISTERS];

	draw_made_keys(query,
				   wa_arena_alloc_zero(arena, MAX_MADE * sizeof(WaQueryKey)),
				   wa_arena_alloc_zero(arena, MAX_MADE * sizeof(uint16_t)));
	query->ncolumns = 0;
	query->made = digests;
	query->is_unique = query->nkeys > 1 || random_below(2) == 0;
	query->only_wanted = true;
	instructions[10].extra = is_used(query, NEXT) ? 2 : 8;
	return wa_query_is_sound(query, scratch) ? query : NULL;
}

bool
test_has_table_key(const WaQuery *query)
{
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->key_numbers[i] != DAY && query->key_numbers[i] != SHARE)
			return false;
	return query->nkeys > 0;
}

int
test_gpu_quotient(void)
{
	return QUOTIENT;
}

bool
test_gpu_is_computed_wide(int number)
{
	return number == QUOTIENT || number == REST || number == WHOLE ||
		   number == AREA;
}
