/*
 * fuzz_query_mutate.c
 *		Changing queries as queries; see fuzz_query_mutate.h.
 *
 * A change is made to a copy of some part of the query, which takes the place of
 * that part if the query is sound then: which changes are, the check knows best.
 */
#include <string.h>

#include "query/message/query_wire.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_query_mutate.h"

#define MEMORY ((size_t) 16 * 1024 * 1024)

/* Queries do not get larger. */
#define MAX_REGISTERS    48
#define MAX_INSTRUCTIONS 48
#define MAX_PARTS        12
#define MAX_RANKS        4

/* How often a change is tried, and how many are made at most. */
#define TRIES   60
#define CHANGES 4

static const int64_t kept_values[] = {7, -1, INT64_MAX, 0, 12};
static const uint8_t kept_known[] = {1, 1, 2, 1, 1};

const WaLookupTable fuzz_kept_table = {.base = -2,
									   .width = 3,
									   .nentries = 5,
									   .values = kept_values,
									   .known = kept_known,
									   .is_total = true,
									   .digest = {{1, 0}}};

/* Of tables that are made of rows. */
static const WaTableDigest made_digests[MAX_PARTS] = {
	{{2, 0}}, {{3, 0}}, {{0, 4}}, {{5, 5}}, {{6, 0}},  {{7, 0}},
	{{8, 0}}, {{9, 0}}, {{0, 1}}, {{2, 2}}, {{0, 12}}, {{13, 0}}};

/* The find of the finder. */
static const WaLookupTable *
find_kept(void *context, const WaTableDigest *digest)
{
	(void) context;
	return wa_digest_is_same(digest, &fuzz_kept_table.digest) ? &fuzz_kept_table
															  : NULL;
}

const WaTableFinder fuzz_table_finder = {.find = find_kept};

/* A query that is being changed. */
typedef struct Mutation
{
	WaArena *arena;
	WaQuery query;
	uint64_t state;
} Mutation;

uint64_t
fuzz_query_version(void)
{
	static const WaQuery nothing;
	static uint64_t version = 0;
	WaWriter writer;
	WaArena arena;

	if (version != 0)
		return version;
	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &nothing);
	FUZZ_EXPECT(writer.nwords > 0);
	version = writer.words[0];
	wa_arena_reset(&arena);
	return version;
}

/* Returns a number below the bound. */
static inline uint32_t
pick(Mutation *mutation, uint64_t bound)
{
	return (uint32_t) fuzz_below(&mutation->state, bound);
}

/* Returns a copy of an array, with room for one element more, which is zero. */
static void *
copy_of(Mutation *mutation, const void *array, size_t count, size_t bytes)
{
	void *copy = wa_arena_alloc_zero(mutation->arena, (count + 1) * bytes);

	if (copy != NULL && count > 0)
		memcpy(copy, array, count * bytes);
	return copy;
}

#define COPY(array, count) \
	copy_of(mutation, (array), (count), sizeof((array)[0]))

/* Returns a register, rather one of the last. */
static uint16_t
pick_register(Mutation *mutation)
{
	const uint32_t count = mutation->query.program.nregisters;

	if (count == 0)
		return 0;
	return (uint16_t) (pick(mutation, 2) == 0 && count > 8
						   ? count - 1 - pick(mutation, 8)
						   : pick(mutation, count));
}

/* Adds a register that nothing fills yet. */
static void
add_register(Mutation *mutation)
{
	WaProgram *program = &mutation->query.program;
	WaVectorKind *kinds = COPY(program->kinds, program->nregisters);

	if (kinds == NULL || program->nregisters >= MAX_REGISTERS)
		return;
	kinds[program->nregisters] =
		(WaVectorKind) pick(mutation, WA_VECTOR_TEXT + 1);
	program->kinds = kinds;
	program->nregisters++;
}

/* Returns a register of a kind, if there is one, rather one of the last. */
static uint16_t
pick_of_kind(Mutation *mutation, WaVectorKind kind)
{
	const WaProgram *program = &mutation->query.program;
	uint16_t number = pick_register(mutation);

	for (size_t i = 0; i < program->nregisters; i++)
	{
		if (program->kinds[number] == kind)
			return number;
		number =
			(uint16_t) (number == 0 ? program->nregisters - 1 : number - 1);
	}
	return number;
}

/* Makes an instruction that chooses between two registers of a kind. */
static WaInstruction
make_choice(Mutation *mutation)
{
	const WaVectorKind kind = (WaVectorKind) pick(mutation, WA_VECTOR_TEXT + 1);

	return (WaInstruction){.code = WA_CODE_SELECT,
						   .out = pick_of_kind(mutation, kind),
						   .a = pick_of_kind(mutation, WA_VECTOR_BOOL),
						   .b = pick_of_kind(mutation, kind),
						   .c = pick_of_kind(mutation, kind),
						   .extra = kind};
}

/* Makes any instruction, rather one of registers that go together. */
static WaInstruction
make_instruction(Mutation *mutation)
{
	static const uint32_t extras[] = {0, 1, 2, 3, 4, 5, 8, 18, 0xff03, 0x0604};
	const WaVectorKind kind = (WaVectorKind) pick(mutation, WA_VECTOR_TEXT + 1);
	WaInstruction made = {
		.code = (uint16_t) pick(mutation, WA_OPCODE_COUNT),
		.out = pick_register(mutation),
		.a = pick_of_kind(mutation, kind),
		.b = pick_of_kind(mutation, kind),
		.c = pick_register(mutation),
		.extra = extras[pick(mutation, sizeof(extras) / sizeof(extras[0]))]};

	if (made.code == WA_CODE_SELECT)
		return make_choice(mutation);
	if (pick(mutation, 2) == 0)
		made.out = pick_of_kind(mutation, kind);
	else if (pick(mutation, 2) == 0)
		made.out = pick_of_kind(mutation, WA_VECTOR_BOOL);
	return made;
}

/* Adds an instruction at the end, for keys and columns. */
static void
add_instruction(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	const size_t count = query->program.ninstructions;
	WaInstruction *instructions = COPY(query->program.instructions, count);

	if (instructions == NULL || count >= MAX_INSTRUCTIONS ||
		query->end != count)
		return;
	instructions[count] = make_instruction(mutation);
	query->program.instructions = instructions;
	query->program.ninstructions++;
	query->end++;
}

/* Changes an instruction, or a part of it. */
static void
change_instruction(Mutation *mutation)
{
	WaProgram *program = &mutation->query.program;
	WaInstruction *instructions =
		COPY(program->instructions, program->ninstructions);
	const WaInstruction other = make_instruction(mutation);
	WaInstruction *one;

	if (instructions == NULL || program->ninstructions == 0)
		return;
	one = &instructions[pick(mutation, program->ninstructions)];
	switch (pick(mutation, 5))
	{
		case 0:
			*one = other;
			break;
		case 1:
			one->code = other.code;
			break;
		case 2:
			one->a = other.a;
			break;
		case 3:
			one->b = other.b;
			break;
		default:
			one->extra = other.extra;
			break;
	}
	program->instructions = instructions;
}

/* Sets a constant's value. */
static void
set_constant(Mutation *mutation, WaQueryConstant *constant)
{
	static const int64_t numbers[] = {
		0, 1, -1, 2, 7, 100, 86400, INT32_MAX, INT64_MAX, INT64_MIN};
	static const double floats[] = {0.0, -0.0, 1.5, -1e308, 5e-324, 1e10};
	static const char text[] = "abc  ";
	WaQueryValue *value = &constant->value;

	memset(value, 0, sizeof(*value));
	value->is_null = pick(mutation, 8) == 0;
	switch (mutation->query.program.kinds[constant->number])
	{
		case WA_VECTOR_FLOAT:
			value->number = floats[pick(mutation, 6)];
			break;
		case WA_VECTOR_BOOL:
			value->integer = pick(mutation, 2);
			break;
		case WA_VECTOR_TEXT:
			value->text = (WaText){text, pick(mutation, 6)};
			break;
		case WA_VECTOR_DECIMAL:
			value->scale = (uint8_t) pick(mutation, 19);
			value->shown = value->scale;
			/* fall through */
		default:
			value->integer =
				pick(mutation, 4) == 0
					? (int64_t) fuzz_random(&mutation->state)
					: numbers[pick(mutation,
								   sizeof(numbers) / sizeof(numbers[0]))];
			break;
	}
}

/* Changes a constant, or adds one in a register of its own. */
static void
change_constant(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	WaQueryConstant *constants = COPY(query->constants, query->nconstants);
	const uint32_t number = pick(mutation, query->nconstants + UINT64_C(1));

	if (constants == NULL)
		return;
	if (number == query->nconstants)
	{
		add_register(mutation);
		constants[number].number = (uint16_t) (query->program.nregisters - 1);
		query->nconstants++;
	}
	if (constants[number].number < query->program.nregisters)
		set_constant(mutation, &constants[number]);
	query->constants = constants;
}

/* Changes what a key is, adds one or takes the last away. */
static void
change_key(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	WaQueryKey *keys = COPY(query->keys, query->nkeys);
	uint16_t *numbers = COPY(query->key_numbers, query->nkeys);
	uint32_t key = pick(mutation, query->nkeys + UINT64_C(1));

	if (keys == NULL || numbers == NULL || query->program.nregisters == 0)
		return;
	if (key == query->nkeys && pick(mutation, 3) == 0 && key > 0)
	{
		query->nkeys--;
		return;
	}
	if (key == query->nkeys && query->nkeys < MAX_PARTS)
	{
		query->nkeys++;
		query->made = query->made == NULL ? NULL : made_digests;
	}
	numbers[key] = pick_register(mutation);
	keys[key].kind = query->program.kinds[numbers[key]];
	keys[key].blank_padded =
		keys[key].kind == WA_VECTOR_TEXT && pick(mutation, 2) == 0;
	keys[key].keeps_zeros =
		keys[key].kind == WA_VECTOR_FLOAT && pick(mutation, 4) == 0;
	query->keys = keys;
	query->key_numbers = numbers;
}

/* Changes what a column is, adds one or takes the last away. */
static void
change_column(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	WaQueryColumn *columns = COPY(query->columns, query->ncolumns);
	const uint32_t number = pick(mutation, query->ncolumns + UINT64_C(1));

	if (columns == NULL)
		return;
	if (number == query->ncolumns && pick(mutation, 4) == 0 && number > 0)
	{
		query->ncolumns--;
		return;
	}
	if (number == query->ncolumns && query->ncolumns < MAX_PARTS)
		query->ncolumns++;
	columns[number] = (WaQueryColumn){.argument = -1, .filter = -1};
	if (pick(mutation, 8) != 0 && query->program.nregisters > 0)
	{
		columns[number].argument = pick_register(mutation);
		columns[number].kind = query->program.kinds[columns[number].argument];
		columns[number].ops = pick(mutation, WA_OP_BIT(WA_OP_COUNT));
	}
	if (pick(mutation, 4) == 0)
		columns[number].filter = pick_register(mutation);
	query->columns = columns;
}

/* Has the first of single rows be wanted, by keys alone. */
static void
want_rows(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	WaTopN *top_n = &query->top_n;

	query->ncolumns = 0;
	top_n->of_rows = true;
	top_n->keeps_ties = false;
	for (uint32_t i = 0; i < top_n->norders; i++)
	{
		top_n->orders[i].of = WA_ORDER_KEY;
		top_n->orders[i].number =
			(uint16_t) pick(mutation, query->nkeys + UINT64_C(1));
	}
}

/* Changes which groups are wanted. */
static void
change_top_n(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	WaTopN *top_n = &query->top_n;

	memset(top_n, 0, sizeof(*top_n));
	query->only_wanted = false;
	query->max_groups = pick(mutation, 4) == 0 ? pick(mutation, 100) : 0;
	if (pick(mutation, 4) == 0)
		return;
	top_n->limit = 1 + pick(mutation, 20);
	top_n->keeps_ties = pick(mutation, 2) == 0;
	top_n->norders = 1 + pick(mutation, 3);
	for (uint32_t i = 0; i < top_n->norders; i++)
		top_n->orders[i] = (WaOrderBy){
			.of = (WaOrderOf) pick(mutation, WA_ORDER_MAX + 1),
			.number = (uint16_t) pick(mutation, query->ncolumns + UINT64_C(1)),
			.descending = pick(mutation, 2) == 0,
			.nulls_first = pick(mutation, 2) == 0};
	if (pick(mutation, 3) == 0)
		want_rows(mutation);
}

/* Has what lies at some places in the order of values be rolled up. */
static void
want_ranks(Mutation *mutation, WaQueryRolled *rolled)
{
	WaQueryRank *ranks =
		wa_arena_alloc(mutation->arena, MAX_RANKS * sizeof(*ranks));

	if (ranks == NULL)
		return;
	rolled->column.kind =
		pick(mutation, 2) == 0 ? WA_VECTOR_INT : WA_VECTOR_FLOAT;
	rolled->column.ops = WA_OP_BIT(WA_OP_MIN);
	rolled->nranks = (uint32_t) (1 + pick(mutation, MAX_RANKS));
	rolled->descends = (uint32_t) pick(mutation, 2);
	rolled->ranks = ranks;
	for (uint32_t i = 0; i < rolled->nranks; i++)
		ranks[i] = (WaQueryRank){.kind = pick(mutation, WA_QUERY_RANK_KINDS),
								 .fraction = (double) pick(mutation, 5) / 4};
}

/* Has groups be rolled up by a key, or no more. */
static void
change_rolled(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	WaQueryRolled *rolled = wa_arena_alloc(mutation->arena, sizeof(*rolled));

	if (rolled == NULL)
		return;
	*rolled = (WaQueryRolled){
		.column = {.argument = (int) pick(mutation, query->nkeys + 1),
				   .filter = -1,
				   .kind = WA_VECTOR_BOOL}};
	if (pick(mutation, 3) == 0)
		want_ranks(mutation, rolled);
	else if (pick(mutation, 2) == 0)
	{
		rolled->column.kind = WA_VECTOR_INT;
		rolled->column.ops = pick(mutation, 16);
	}
	query->rolled = query->rolled == NULL ? rolled : NULL;
	query->only_wanted = query->rolled != NULL && pick(mutation, 4) == 0;
	memset(&query->top_n, 0, sizeof(query->top_n));
}

/* Has tables be made of the rows, or groups again. */
static void
change_made(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	const bool makes = query->made == NULL;

	query->made = makes ? made_digests : NULL;
	query->rolled = NULL;
	query->only_wanted = makes;
	query->is_unique = makes && (query->nkeys > 1 || pick(mutation, 2) == 0);
	query->max_groups = 0;
	query->ncolumns = makes ? 0 : query->ncolumns;
	memset(&query->top_n, 0, sizeof(query->top_n));
}

/* Adds a clause of WHERE whose condition is there without instructions. */
static void
add_filter(Mutation *mutation)
{
	WaQuery *query = &mutation->query;
	WaQueryFilter *filters = COPY(query->filters, query->nfilters);

	if (filters == NULL || query->nfilters >= MAX_PARTS)
		return;
	if (query->nfilters > 0 && pick(mutation, 3) == 0)
	{
		query->nfilters--;
		return;
	}
	filters[query->nfilters].begin = query->begin;
	filters[query->nfilters].end =
		pick(mutation, 2) == 0 ? query->begin : query->end;
	filters[query->nfilters].number = pick_register(mutation);
	query->filters = filters;
	query->nfilters++;
}

/* Changes a value, or the place, of a table. */
static void
change_table(Mutation *mutation)
{
	WaProgram *program = &mutation->query.program;
	WaLookupTable *tables = COPY(program->tables, mutation->query.ntables);
	WaLookupTable *table;
	int64_t *values;

	if (tables == NULL || mutation->query.ntables == 0)
		return;
	table = &tables[pick(mutation, mutation->query.ntables)];
	if (table->values == NULL || table->nentries == 0)
		return;
	values = COPY(table->values, table->nentries);
	if (values == NULL)
		return;
	switch (pick(mutation, 7))
	{
		case 0:
			values[pick(mutation, table->nentries)] = pick(mutation, 5);
			break;
		case 1:
			table->base = (int64_t) pick(mutation, 100) - 50;
			break;
		case 2:
			table->width = 1 + pick(mutation, 50);
			break;
		case 3:
			table->scale = (uint8_t) pick(mutation, 19);
			break;
		case 4:
			table->is_total = !table->is_total;
			break;
		case 5:
			*table = fuzz_kept_table;
			program->tables = tables;
			return;
		default:
			table->results = (uint8_t) pick(mutation, 3);
			table->dictionary = pick(mutation, 2);
			break;
	}
	table->values = values;
	table->digest = (WaTableDigest){{0, 0}};
	program->tables = tables;
}

/* Makes one change, which may be none. */
static void
change(Mutation *mutation)
{
	static void (*const changes[])(Mutation *) = {
		add_register,  add_instruction, add_instruction, change_instruction,
		change_column, change_constant, change_key,      change_top_n,
		change_made,   change_rolled,   add_filter,      change_table};

	changes[pick(mutation, sizeof(changes) / sizeof(changes[0]))](mutation);
}

/* Changes the query, and keeps what is sound. */
static void
change_query(Mutation *mutation)
{
	uint32_t wanted = 1 + pick(mutation, CHANGES);

	for (int i = 0; i < TRIES && wanted > 0; i++)
	{
		const WaQuery before = mutation->query;
		uint8_t *scratch;

		change(mutation);
		scratch = wa_arena_alloc(
			mutation->arena, mutation->query.program.nregisters + UINT64_C(1));
		if (scratch == NULL)
			break;
		if (wa_query_is_sound(&mutation->query, scratch))
			wanted--;
		else
			mutation->query = before;
	}
}

/* Changes the query of a message, and writes it. */
static bool
rewrite(WaArena *arena, const uint64_t *words, size_t nwords, uint64_t seed,
		WaWriter *writer)
{
	uint64_t *message = fuzz_copy(words, nwords);
	Mutation mutation = {.arena = arena, .state = seed};
	const WaQuery *query;

	message[0] = fuzz_query_version();
	query = wa_query_read_with(arena, message, nwords * sizeof(uint64_t),
							   &fuzz_table_finder);
	free(message);
	if (query == NULL)
		return false;
	mutation.query = *query;
	change_query(&mutation);
	wa_writer_init(writer, arena);
	if (!arena->failed)
		wa_query_write(writer, &mutation.query);
	return !arena->failed;
}

size_t
fuzz_mutate_query(uint64_t *words, size_t nwords, size_t most, uint64_t seed)
{
	size_t mutated = 0;
	WaWriter writer;
	WaArena arena;

	if (nwords == 0)
		return 0;
	wa_arena_init(&arena, MEMORY);
	if (rewrite(&arena, words, nwords, seed, &writer) && writer.nwords <= most)
	{
		mutated = writer.nwords;
		memcpy(words, writer.words, mutated * sizeof(uint64_t));
	}
	wa_arena_reset(&arena);
	return mutated;
}
