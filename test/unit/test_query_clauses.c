/*
 * test_query_clauses.c
 *		Clauses of WHERE that are evaluated where the rows of a column lie, and clauses in
 *		another order than the query's: as the program has them.
 */
#include <stdlib.h>
#include <string.h>

#include "query/run/query_batch.h"
#include "query/run/run_conditions.h"
#include "test/unit/check.h"
#include "test/unit/make_run.h"

#define MEMORY  ((size_t) 16 << 20)
#define ENTRIES 700
#define KEYS    300
#define ROUNDS  6000

/* The registers of a query with one input and a constant. */
enum
{
	INPUT,
	CONSTANT,
	FOUND,
	FULFILS,
	NREGISTERS
};

static uint64_t seed = 31;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&seed) % bound;
}

/* The tables of the queries: narrow ones of integers and of BOOLs, and one with slots. */
static int32_t integers[ENTRIES];
static int32_t bools[ENTRIES];
static WaLookupSlot *slots;
static WaLookupTable tables[3];

static void
make_tables(void)
{
	const uint64_t count = wa_lookup_slots_count(KEYS);

	for (int i = 0; i < ENTRIES; i++)
	{
		integers[i] = pick(3) == 0 ? WA_NARROW_NULL : (int32_t) pick(9) - 4;
		bools[i] = pick(4) == 0 ? WA_NARROW_NULL : (int32_t) pick(2);
	}
	slots = calloc(count, sizeof(*slots));
	wa_lookup_slots_clear(slots, count);
	for (int i = 0; i < KEYS; i++)
		(void) wa_lookup_slots_add(slots, count,
								   (int64_t) pick(ENTRIES) - ENTRIES / 2, i);
	for (int i = 0; i < 3; i++)
		tables[i] = (WaLookupTable){.base = -ENTRIES / 2,
									.width = 1,
									.nentries = ENTRIES,
									.is_total = true,
									.narrow = i == 1 ? bools : integers,
									.results = i == 1 ? WA_LOOKUP_BOOLS
													  : WA_LOOKUP_WORDS};
	tables[2].narrow = NULL;
	tables[2].slots = slots;
	tables[2].nentries = count;
	tables[2].base = 0;
}

/* A query of one clause, and what it is made of. */
typedef struct Clause
{
	WaVectorKind kinds[NREGISTERS];
	WaInstruction instructions[2];
	WaQueryFilter filter;
	WaQueryConstant constant;
	WaQuery query;
} Clause;

/* Makes a clause at random: a comparison with a constant, or a look-up. */
static void
make_clause(Clause *clause)
{
	const uint32_t table = (uint32_t) pick(3);
	const bool compares = pick(2) == 0;
	const bool is_bool = !compares && table == 1;
	const bool is_turned = pick(2) == 0;
	static const int64_t constants[] = {
		INT16_MIN, INT16_MAX, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 0};

	*clause = (Clause){.kinds = {WA_VECTOR_INT, WA_VECTOR_INT,
								 is_bool ? WA_VECTOR_BOOL : WA_VECTOR_INT,
								 WA_VECTOR_BOOL}};
	clause->constant = (WaQueryConstant){
		CONSTANT,
		{.integer = pick(3) == 0 ? (int64_t) ((uint64_t) constants[pick(7)] +
											  pick(3) - 1)
								 : (int64_t) pick(ENTRIES) - ENTRIES / 2}};
	if (compares)
		clause->instructions[0] =
			(WaInstruction){WA_CODE_COMPARE_INT,
							FULFILS,
							is_turned ? CONSTANT : INPUT,
							is_turned ? INPUT : CONSTANT,
							0,
							(uint32_t) pick(WA_GREATER_OR_EQUAL + 1)};
	else
		clause->instructions[0] =
			(WaInstruction){WA_CODE_LOOK_UP, FOUND, INPUT, 0, 0, table};
	clause->instructions[1] =
		(WaInstruction){WA_CODE_IS_NOT_NULL, FULFILS, FOUND, 0, 0, 0};
	clause->filter = (WaQueryFilter){0, compares || is_bool ? 1 : 2,
									 is_bool ? FOUND : FULFILS, 0};
	clause->query = (WaQuery){.program = {.nregisters = NREGISTERS,
										  .kinds = clause->kinds,
										  .instructions = clause->instructions,
										  .ninstructions = clause->filter.end,
										  .tables = tables},
							  .ntables = 3,
							  .ninputs = 1,
							  .nconstants = 1,
							  .constants = &clause->constant,
							  .nfilters = 1,
							  .filters = &clause->filter};
}

/* Some rows of a column. */
typedef struct Column
{
	int64_t values[WA_VECTOR_ROWS]; /* of the width of the form */
	uint8_t validity[WA_VECTOR_ROWS];
	WaColumnRows rows;
} Column;

/* Makes rows at random: values about the entries of tables, and the ends of their form. */
static void
make_column(Column *column)
{
	static const WaForm forms[] = {WA_FORM_INT16, WA_FORM_INT32, WA_FORM_INT64,
								   WA_FORM_TEXT, WA_FORM_UINT32};
	const WaForm form = forms[pick(5)];
	const bool has_nulls = pick(2) == 0;

	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
	{
		int64_t value = pick(20) == 0
							? (int64_t) next_random(&seed)
							: (int64_t) pick(ENTRIES + 60) - ENTRIES / 2 - 30;

		column->validity[i] = !has_nulls || pick(5) != 0;
		if (column->validity[i] == 0)
			value = 0;
		memcpy((char *) column->values + i * wa_form_width(form), &value,
			   wa_form_width(form));
	}
	column->rows =
		(WaColumnRows){.form = form,
					   .values = column->values,
					   .validity = has_nulls ? column->validity : NULL};
}

/* Stores which rows the program finds to fulfil a clause; false: it traps. */
static bool
run_program(const Clause *clause, const Column *column,
			const uint16_t *selection, size_t nrows, uint8_t *out)
{
	static uint8_t memory[NREGISTERS][1 << 16] __attribute__((aligned(64)));
	const uint16_t number = clause->filter.number;
	WaVector registers[NREGISTERS];
	WaVector input;

	for (int i = 0; i < NREGISTERS; i++)
		wa_vector_place(&registers[i], clause->kinds[i], memory[i]);
	input = registers[INPUT];
	wa_column_rows_vector(&column->rows, selection, nrows, &input,
						  &registers[INPUT]);
	for (size_t i = 0; i < nrows; i++)
		wa_vector_ints(&registers[CONSTANT])[i] =
			clause->constant.value.integer;
	if (!wa_program_run(&clause->query.program, 0, clause->filter.end,
						registers, nrows))
		return false;
	for (size_t i = 0; i < nrows; i++)
		out[i] = wa_vector_is_valid(&registers[number], i) &&
				 wa_vector_bools(&registers[number])[i];
	return true;
}

/* Clauses of any kind, over rows of any form, all or selected ones. */
static bool
test_conditions(void)
{
	static Column column;
	uint8_t expected[WA_VECTOR_ROWS];
	uint8_t found[WA_VECTOR_ROWS];
	uint16_t selection[WA_VECTOR_ROWS];
	unsigned applied = 0;

	for (int round = 0; round < ROUNDS; round++)
	{
		const WaRunCondition *condition;
		const bool selects = pick(2) == 0;
		size_t nrows = 1 + pick(WA_VECTOR_ROWS);
		Clause clause;
		WaArena arena;

		wa_arena_init(&arena, MEMORY);
		make_clause(&clause);
		make_column(&column);
		if (selects)
		{
			size_t count = 0;

			for (size_t i = 0; i < nrows; i++)
				if (pick(3) == 0)
					selection[count++] = (uint16_t) i;
			nrows = count;
		}
		condition = wa_run_conditions_make(&arena, &clause.query);
		EXPECT(condition != NULL && condition->input == INPUT);
		EXPECT(run_program(&clause, &column, selects ? selection : NULL, nrows,
						   expected));
		if (wa_run_condition_apply(condition, &column.rows,
								   selects ? selection : NULL, nrows, found))
		{
			EXPECT(memcmp(found, expected, nrows) == 0);
			applied++;
		}
		else
			EXPECT(column.rows.form == WA_FORM_UINT32);
		wa_arena_reset(&arena);
	}
	EXPECT(applied > ROUNDS / 2);
	return true;
}

/* What is no such clause: NULL as a constant, and a table that may not know. */
static bool
test_others(void)
{
	WaLookupTable unknown[3];

	for (int round = 0; round < 600; round++)
	{
		Clause clause;
		WaArena arena;

		wa_arena_init(&arena, MEMORY);
		make_clause(&clause);
		memcpy(unknown, tables, sizeof(unknown));
		for (int i = 0; i < 3; i++)
			switch (pick(3))
			{
				case 0:
					unknown[i].is_total = false;
					break;
				case 1:
					unknown[i].null_has_value = true;
					break;
				default:
					unknown[i].width = 2;
			}
		clause.query.program.tables = unknown;
		clause.constant.value.is_null = true;
		EXPECT(wa_run_conditions_make(&arena, &clause.query)->input == -1);
		wa_arena_reset(&arena);
	}
	return true;
}

/* The order in which a batch has come to clauses, for a reader. */
typedef struct Order
{
	uint32_t parts[4];
	uint32_t count;
	WaVector *registers;
	const uint8_t *shares; /* of 100 rows, those that each clause leaves */
} Order;

/* Has a share of the rows fulfil a clause: of a WaBatchReader. */
static WaBatchOutcome
run_part(void *context, uint32_t part, uint32_t begin, uint32_t end,
		 size_t nrows)
{
	Order *order = context;

	(void) begin;
	(void) end;
	order->parts[order->count++] = part;
	if (part < 3)
		for (size_t i = 0; i < nrows; i++)
			wa_vector_bools(&order->registers[part])[i] =
				i % 100 < order->shares[part];
	return WA_BATCH_COMPUTED;
}

static void
select_rows(void *context, uint32_t part, const uint16_t *selection,
			size_t nselected)
{
	(void) context;
	(void) part;
	(void) selection;
	(void) nselected;
}

/* Has so many batches go through three clauses; tells in which order the last one has. */
static bool
has_order(bool may_reorder, int nbatches, const uint32_t *expected)
{
	static uint8_t memory[3][1 << 14] __attribute__((aligned(64)));
	static const uint8_t shares[] = {90, 60, 20};
	/* The third takes many instructions. */
	static const WaQueryFilter filters[] = {
		{0, 1, 0, 0}, {1, 2, 1, 0}, {2, 12, 2, 0}};
	const WaQuery query = {.nfilters = 3, .filters = filters};
	WaVector registers[3];
	Order order = {.registers = registers, .shares = shares};
	WaQueryBatch *batch;
	WaArena arena;

	for (int i = 0; i < 3; i++)
		wa_vector_place(&registers[i], WA_VECTOR_BOOL, memory[i]);
	wa_arena_init(&arena, MEMORY);
	batch = wa_query_batch_make(&arena, &query, registers);
	EXPECT(batch != NULL);
	batch->reader = (WaBatchReader){run_part, select_rows, &order};
	batch->may_reorder = may_reorder;
	for (int i = 0; i < nbatches; i++)
	{
		size_t nrows = 1000;

		order.count = 0;
		EXPECT(wa_query_batch_compute(batch, &nrows) == WA_BATCH_COMPUTED);
		EXPECT(batch->part == 3 && nrows < 200);
	}
	EXPECT(order.count == 4 && order.parts[3] == 3);
	EXPECT(memcmp(order.parts, expected, 3 * sizeof(*expected)) == 0);
	wa_arena_reset(&arena);
	return true;
}

/* Clauses come in an order of their own once that is known to be better. */
static bool
test_order(void)
{
	static const uint32_t own[] = {0, 1, 2};
	static const uint32_t better[] = {1, 2, 0};

	EXPECT(has_order(false, 100, own));
	EXPECT(has_order(true, 4, own));
	EXPECT(has_order(true, 100, better));
	return true;
}

int
main(void)
{
	make_tables();
	check(test_conditions(), "clauses of one column");
	check(test_others(), "clauses that are more than that");
	check(test_order(), "the order of clauses");
	free(slots);
	return finish_checks();
}
