/*
 * test_text_numbers.c
 *		Numbers in place of texts (query/texts/text_numbers.h): random programs are run
 *		over texts, and over numbers, and the results are compared.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/column/dictionary.h"
#include "query/texts/text_numbers.h"
#include "test/unit/check.h"

#define MEMORY        ((size_t) 1 << 26)
#define NROWS         150
#define NTEXTS        9
#define NINSTRUCTIONS 12
#define NRESULTS      2
#define PROGRAMS      1500

/* Registers; behind these a TEXT and a BOOL for each instruction. */
enum
{
	FIRST, /* inputs */
	SECOND,
	INTS,
	IS_SO,
	WORD, /* constants */
	OTHER,
	NOTHING,
	COMPUTED,
	ROW = COMPUTED + 2 * NINSTRUCTIONS, /* looked up at the integers */
	NREGISTERS
};

#define NINPUTS WORD

static const WaText texts[NTEXTS] = {{"", 0},     {"a", 1},     {"a ", 2},
									 {"a  ", 3},  {" ", 1},     {"ab", 2},
									 {"\xff", 1}, {"a\x01", 2}, {"a \xff", 3}};

/* What a program is run with. */
typedef struct Setting
{
	WaDictionary *dictionaries[NINPUTS];
	WaTextCodes codes[NINPUTS];
	WaVectorKind kinds[NREGISTERS];
	WaQueryConstant constants[3];
	WaLookupTable tables[2]; /* of texts, and of integers */
	int64_t values[NTEXTS];
	uint8_t known[NTEXTS];
	WaInstruction program[1 + NINSTRUCTIONS];
	WaVector inputs[NINPUTS]; /* with codes in the place of texts */
	WaArena arena;
} Setting;

/* Returns a text at random. */
static WaText
draw_text(void)
{
	return texts[random() % NTEXTS];
}

/* Adds a text to a dictionary; returns its code, -1 if there is no memory. */
static int32_t
add_text(WaDictionary *dictionary, WaText text)
{
	WaDictionaryQuestion question = {.data = text.data, .length = text.length};

	question.hash = wa_dictionary_hash(dictionary, text.data, text.length);
	return wa_dictionary_add_all(dictionary, NULL, &question, 1) ? question.code
																 : -1;
}

/* Places a register in memory of the arena. */
static void
place(WaVector *vector, WaVectorKind kind, WaArena *arena)
{
	wa_vector_place(vector, kind,
					wa_arena_alloc_aligned(arena, wa_vector_bytes(kind)));
}

/* Fills the inputs: codes of texts, integers, and booleans, some NULL. */
static void
make_inputs(Setting *setting)
{
	for (int i = 0; i < NINPUTS; i++)
	{
		WaVector *input = &setting->inputs[i];

		place(input, i == IS_SO ? WA_VECTOR_BOOL : WA_VECTOR_INT,
			  &setting->arena);
		input->has_nulls = true;
		for (int row = 0; row < NROWS; row++)
		{
			input->valid[row] = random() % 5 != 0;
			if (input->valid[row] == 0)
				continue;
			if (i == IS_SO)
				wa_vector_bools(input)[row] = random() % 2 == 0;
			else
				wa_vector_ints(input)[row] =
					i == INTS ? random() % NTEXTS
							  : add_text(setting->dictionaries[i], draw_text());
		}
	}
}

/* Makes the constants, and the tables, which do not have all integers. */
static void
make_constants(Setting *setting)
{
	for (int i = 0; i < 3; i++)
		setting->constants[i] = (WaQueryConstant){
			.number = (uint16_t) (WORD + i), .value = {.text = draw_text()}};
	setting->constants[2].value.is_null = true;
	for (int i = 0; i < NTEXTS; i++)
	{
		setting->known[i] = random() % 4 == 0 ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
		setting->values[i] =
			setting->known[i] == WA_ENTRY_NULL ? 0 : random() % NTEXTS;
	}
	setting->tables[0] = (WaLookupTable){.width = 1,
										 .nentries = NTEXTS - 2,
										 .values = setting->values,
										 .known = setting->known,
										 .results = WA_LOOKUP_TEXTS,
										 .is_total = true,
										 .null_has_value = random() % 2 == 0,
										 .ntexts = NTEXTS,
										 .texts = texts};
	setting->tables[1] = (WaLookupTable){.base = 1,
										 .width = 1,
										 .nentries = NTEXTS - 2,
										 .values = setting->values,
										 .known = setting->known,
										 .is_total = true};
}

/* Returns a register of a kind that there is before an instruction. */
static uint16_t
draw_register(const Setting *setting, WaVectorKind kind, int instruction)
{
	for (;;)
	{
		const uint16_t number =
			(uint16_t) (random() % (COMPUTED + 2 * instruction));

		if (setting->kinds[number] == kind &&
			(number < COMPUTED ||
			 setting->program[1 + (number - COMPUTED) / 2].out == number))
			return number;
	}
}

/* Draws an instruction. */
static void
draw_instruction(Setting *setting, int i)
{
	static const WaOpcode codes[] = {WA_CODE_SELECT,  WA_CODE_SELECT,
									 WA_CODE_TRIM,    WA_CODE_COMPARE_TEXT,
									 WA_CODE_LOOK_UP, WA_CODE_IS_NULL};
	WaInstruction *to = &setting->program[1 + i];

	*to = (WaInstruction){.code = (uint16_t) codes[random() % 6],
						  .out = (uint16_t) (COMPUTED + 2 * i),
						  .a = draw_register(setting, WA_VECTOR_TEXT, i),
						  .b = draw_register(setting, WA_VECTOR_TEXT, i)};
	switch (to->code)
	{
		case WA_CODE_SELECT:
			to->c = to->a;
			to->a = draw_register(setting, WA_VECTOR_BOOL, i);
			to->extra = WA_VECTOR_TEXT;
			break;
		case WA_CODE_LOOK_UP:
			to->a = random() % 2 == 0 ? INTS : ROW;
			break;
		case WA_CODE_COMPARE_TEXT:
			to->extra = (uint32_t) (random() % 6);
			to->out++;
			break;
		case WA_CODE_IS_NULL:
			to->out++;
			break;
		default:
			break;
	}
}

/* Notes the texts of the inputs, which sometimes cannot be searched. */
static void
note_texts(Setting *setting)
{
	for (int i = 0; i < INTS; i++)
	{
		setting->codes[i] = wa_dictionary_codes(setting->dictionaries[i]);
		if (random() % 4 == 0)
			setting->codes[i].find = NULL;
	}
}

/* Makes all that a program needs; false: no memory. */
static bool
make_setting(Setting *setting, WaMemory *memory)
{
	wa_arena_init(&setting->arena, MEMORY);
	for (int i = 0; i < NREGISTERS; i++)
		setting->kinds[i] = i < COMPUTED || i % 2 == COMPUTED % 2
								? WA_VECTOR_TEXT
								: WA_VECTOR_BOOL;
	setting->kinds[INTS] = WA_VECTOR_INT;
	setting->kinds[ROW] = WA_VECTOR_INT;
	setting->program[0] = (WaInstruction){
		.code = WA_CODE_LOOK_UP, .out = ROW, .a = INTS, .extra = 1};
	setting->kinds[IS_SO] = WA_VECTOR_BOOL;
	for (int i = 0; i < INTS; i++)
	{
		setting->dictionaries[i] = wa_dictionary_make(memory, NULL);
		if (setting->dictionaries[i] == NULL)
			return false;
	}
	make_inputs(setting);
	note_texts(setting);
	make_constants(setting);
	for (int i = 0; i < NINSTRUCTIONS; i++)
		draw_instruction(setting, i);
	return true;
}

static void
free_setting(Setting *setting)
{
	for (int i = 0; i < INTS; i++)
		wa_dictionary_release(setting->dictionaries[i]);
	wa_arena_reset(&setting->arena);
}

/* Runs the program over texts. */
static bool
run_texts(Setting *setting, const WaProgram *program, WaVector *registers)
{
	for (int i = 0; i < NREGISTERS; i++)
		place(&registers[i], setting->kinds[i], &setting->arena);
	registers[INTS] = setting->inputs[INTS];
	registers[IS_SO] = setting->inputs[IS_SO];
	for (int i = 0; i < INTS; i++)
	{
		registers[i].has_nulls = true;
		memcpy(registers[i].valid, setting->inputs[i].valid, NROWS);
		for (int row = 0; row < NROWS; row++)
			wa_vector_texts(&registers[i])[row] = wa_dictionary_text(
				setting->dictionaries[i],
				(int32_t) wa_vector_ints(&setting->inputs[i])[row]);
	}
	for (int i = 0; i < 3; i++)
	{
		const WaQueryConstant *constant = &setting->constants[i];
		WaVector *vector = &registers[constant->number];

		vector->has_nulls = constant->value.is_null;
		memset(vector->valid, !constant->value.is_null, NROWS);
		for (int row = 0; row < NROWS; row++)
			wa_vector_texts(vector)[row] = constant->value.text;
	}
	return wa_program_run(program, 0, program->ninstructions, registers, NROWS);
}

/* Runs the program of a query over numbers. */
static bool
run_numbers(Setting *setting, const WaQuery *query, WaVector *registers)
{
	for (uint16_t i = 0; i < query->program.nregisters; i++)
	{
		EXPECT(query->program.kinds[i] != WA_VECTOR_TEXT);
		place(&registers[i], query->program.kinds[i], &setting->arena);
	}
	memcpy(registers, setting->inputs, sizeof(setting->inputs));
	for (uint32_t i = 0; i < query->nconstants; i++)
	{
		const WaQueryConstant *constant = &query->constants[i];
		WaVector *vector = &registers[constant->number];

		vector->has_nulls = constant->value.is_null;
		memset(vector->valid, !constant->value.is_null, NROWS);
		for (int row = 0; row < NROWS; row++)
			wa_vector_ints(vector)[row] = constant->value.integer;
	}
	return wa_program_run(&query->program, query->begin, query->end, registers,
						  NROWS);
}

/* Compares a key; blanks at its end are told apart, if it is a bpchar. */
static bool
compare_key(const WaNumberedQuery *numbered, uint32_t key,
			const WaVector *expected, const WaVector *numbers)
{
	const WaVector *found = &numbers[numbered->query.key_numbers[key]];
	const bool is_padded = numbered->asked->keys[key].blank_padded;

	EXPECT(numbered->query.keys[key].kind == WA_VECTOR_INT);
	for (size_t row = 0; row < NROWS; row++)
	{
		const bool valid = wa_vector_is_valid(expected, row);
		WaQueryValue value = {.integer = wa_vector_ints(found)[row]};
		WaText text;

		EXPECT(wa_vector_is_valid(found, row) == valid);
		if (!valid)
			continue;
		text = wa_vector_texts(expected)[row];
		wa_query_text_of_number(numbered, key, &value);
		EXPECT(value.text.length + value.shown == text.length);
		EXPECT(value.text.length ==
			   (is_padded ? wa_text_trim(text).length : text.length));
		EXPECT(memcmp(value.text.data, text.data, value.text.length) == 0);
	}
	return true;
}

/* Compares an argument, of which it matters where it is NULL, and a filter. */
static bool
compare_column(const WaQueryColumn *column, const WaQueryColumn *aggregate,
			   const WaVector *expected, const WaVector *numbers)
{
	for (size_t row = 0; row < NROWS; row++)
	{
		const WaVector *filter = &expected[column->filter];
		const WaVector *found = &numbers[aggregate->filter];

		EXPECT(wa_vector_is_valid(&expected[column->argument], row) ==
			   wa_vector_is_valid(&numbers[aggregate->argument], row));
		EXPECT(wa_vector_is_valid(filter, row) ==
			   wa_vector_is_valid(found, row));
		EXPECT(!wa_vector_is_valid(filter, row) ||
			   wa_vector_bools(filter)[row] == wa_vector_bools(found)[row]);
	}
	return true;
}

/* Translates a program, and compares what comes of both. */
static bool
test_program(Setting *setting)
{
	uint16_t keys[NRESULTS];
	WaQueryKey kinds[NRESULTS];
	const WaQueryColumn column = {
		.argument = draw_register(setting, WA_VECTOR_TEXT, NINSTRUCTIONS),
		.filter = draw_register(setting, WA_VECTOR_BOOL, NINSTRUCTIONS),
		.kind = WA_VECTOR_TEXT};
	const WaQuery query = {.program = {.nregisters = NREGISTERS,
									   .kinds = setting->kinds,
									   .instructions = setting->program,
									   .ninstructions = 1 + NINSTRUCTIONS,
									   .tables = setting->tables},
						   .ntables = 2,
						   .ninputs = NINPUTS,
						   .nconstants = 3,
						   .constants = setting->constants,
						   .end = 1 + NINSTRUCTIONS,
						   .nkeys = NRESULTS,
						   .keys = kinds,
						   .key_numbers = keys,
						   .ncolumns = 1,
						   .columns = &column};
	const WaNumberedQuery *numbered;
	WaVector expected[NREGISTERS];
	WaVector *numbers;

	for (int i = 0; i < NRESULTS; i++)
	{
		keys[i] = draw_register(setting, WA_VECTOR_TEXT, NINSTRUCTIONS);
		kinds[i] = (WaQueryKey){.kind = WA_VECTOR_TEXT,
								.blank_padded = random() % 2 == 0};
	}
	numbered = wa_query_number_texts(&setting->arena, &query, setting->codes);
	EXPECT(numbered != NULL);
	numbers = wa_arena_alloc_zero(
		&setting->arena, numbered->query.program.nregisters * sizeof(*numbers));
	EXPECT(run_texts(setting, &query.program, expected));
	EXPECT(run_numbers(setting, &numbered->query, numbers));
	for (uint32_t i = 0; i < NRESULTS; i++)
		EXPECT(compare_key(numbered, i, &expected[keys[i]], numbers));
	return compare_column(&column, numbered->query.columns, expected, numbers);
}

/* Tests programs at random. */
static bool
test_programs(void)
{
	WaMemory memory = {0};

	wa_ledger_set_limit(&memory.ledger, MEMORY);
	for (int i = 0; i < PROGRAMS; i++)
	{
		Setting setting = {0};
		const bool passed =
			make_setting(&setting, &memory) && test_program(&setting);

		free_setting(&setting);
		EXPECT(passed);
	}
	return true;
}

int
main(void)
{
	srandom(12);
	check(test_programs(), "random programs");
	return finish_checks();
}
