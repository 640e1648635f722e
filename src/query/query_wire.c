/*
 * query_wire.c
 *		Queries as messages; see query_wire.h.
 *
 * A message begins with a version and the counts of everything; then come the
 * things that these count, in the order of WaQuery.  Every one takes a word at
 * least, so that no count leads to more memory than the message deserves.
 */
#include <string.h>

#include "query/query_wire.h"
#include "query/value_wire.h"

/* To be changed with the format, that of instructions included. */
#define VERSION UINT64_C(0x5761517279000007)

/* No register, in the place of one. */
#define NO_NUMBER 0xffff

/* Puts two numbers into a word. */
static inline uint64_t
pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t) high << 32;
}

static void
write_instruction(WaWriter *writer, const WaInstruction *instruction)
{
	wa_writer_word(writer, (uint64_t) instruction->code |
							   (uint64_t) instruction->out << 16 |
							   (uint64_t) instruction->a << 32 |
							   (uint64_t) instruction->b << 48);
	wa_writer_word(writer, pair(instruction->c, instruction->extra));
}

static void
read_instruction(WaReader *reader, WaInstruction *instruction)
{
	uint64_t first = wa_reader_word(reader);
	uint64_t second = wa_reader_word(reader);

	instruction->code = (uint16_t) first;
	instruction->out = (uint16_t) (first >> 16);
	instruction->a = (uint16_t) (first >> 32);
	instruction->b = (uint16_t) (first >> 48);
	instruction->c = (uint16_t) second;
	instruction->extra = (uint32_t) (second >> 32);
}

static void
write_column(WaWriter *writer, const WaQueryColumn *column)
{
	wa_writer_word(writer, (uint64_t) (uint16_t) column->argument |
							   (uint64_t) (uint16_t) column->filter << 16 |
							   (uint64_t) column->kind << 32 |
							   (uint64_t) column->ops << 40);
}

/* Returns a register in a place where there may be none: -1. */
static inline int
optional_number(uint64_t word)
{
	return (uint16_t) word == NO_NUMBER ? -1 : (int) (uint16_t) word;
}

static void
read_column(WaReader *reader, WaQueryColumn *column)
{
	uint64_t word = wa_reader_word(reader);

	column->argument = optional_number(word);
	column->filter = optional_number(word >> 16);
	column->kind = (WaVectorKind) (word >> 32 & 0xff);
	column->ops = (WaOpSet) (word >> 40);
}

/* Writes which groups are wanted, and how many at most. */
static void
write_top_n(WaWriter *writer, const WaQuery *query)
{
	const WaTopN *top_n = &query->top_n;

	wa_writer_word(writer, query->max_groups);
	wa_writer_word(writer, top_n->limit);
	wa_writer_word(writer, top_n->norders | (uint64_t) top_n->keeps_ties << 32 |
							   (uint64_t) query->only_wanted << 40);
	for (uint32_t i = 0; i < top_n->norders; i++)
		wa_writer_word(writer,
					   (uint64_t) top_n->orders[i].of |
						   (uint64_t) top_n->orders[i].number << 16 |
						   (uint64_t) top_n->orders[i].descending << 32 |
						   (uint64_t) top_n->orders[i].nulls_first << 40);
}

/* Returns a flag, which has a byte of a word. */
static inline bool
read_flag(WaReader *reader, uint64_t word, int shift)
{
	if ((word >> shift & 0xff) > 1)
		reader->failed = true;
	return (word >> shift & 1) != 0;
}

static void
read_order(WaReader *reader, WaOrderBy *order)
{
	const uint64_t word = wa_reader_word(reader);

	order->of = (WaOrderOf) (word & 0xffff);
	order->number = (uint16_t) (word >> 16);
	order->descending = read_flag(reader, word, 32);
	order->nulls_first = read_flag(reader, word, 40);
	if (word >> 48 != 0)
		reader->failed = true;
}

/* Reads which groups are wanted, and how many at most. */
static void
read_top_n(WaReader *reader, WaQuery *query)
{
	WaTopN *top_n = &query->top_n;
	uint64_t word;

	word = wa_reader_word(reader);
	query->max_groups = (uint32_t) word;
	if (word > UINT32_MAX)
		reader->failed = true;
	top_n->limit = wa_reader_word(reader);
	word = wa_reader_word(reader);
	top_n->norders = (uint32_t) word;
	top_n->keeps_ties = read_flag(reader, word, 32);
	query->only_wanted = read_flag(reader, word, 40);
	if (word >> 48 != 0 || top_n->norders > WA_MAX_ORDERS)
		reader->failed = true;
	for (uint32_t i = 0; i < top_n->norders && !reader->failed; i++)
		read_order(reader, &top_n->orders[i]);
}

static void
write_table(WaWriter *writer, const WaSteps *table)
{
	wa_writer_word(writer, (uint64_t) table->base);
	wa_writer_word(writer, table->width);
	wa_writer_word(writer, table->nsteps);
	wa_writer_word(writer, (uint64_t) table->scale |
							   (uint64_t) table->results << 8 |
							   (uint64_t) table->null_has_value << 16);
	wa_writer_word(writer, (uint64_t) table->null_value);
	wa_writer_word(writer, table->dictionary);
	wa_writer_word(writer, table->ntexts);
	wa_writer_words(writer, table->values, table->nsteps);
	wa_writer_bytes(writer, table->known, table->nsteps);
	for (uint32_t i = 0; i < table->ntexts; i++)
	{
		wa_writer_word(writer, table->texts[i].length);
		wa_writer_bytes(writer, table->texts[i].data, table->texts[i].length);
	}
}

/* Appends what a query has, but for its program. */
static void
write_parts(WaWriter *writer, const WaQuery *query)
{
	for (uint32_t i = 0; i < query->nconstants; i++)
	{
		const WaQueryConstant *constant = &query->constants[i];

		wa_writer_word(writer, constant->number);
		wa_value_write(writer, query->program.kinds[constant->number],
					   &constant->value);
	}
	for (uint32_t i = 0; i < query->nfilters; i++)
	{
		wa_writer_word(writer,
					   pair(query->filters[i].begin, query->filters[i].end));
		wa_writer_word(writer, query->filters[i].number);
	}
	for (uint32_t i = 0; i < query->nkeys; i++)
		wa_writer_word(writer,
					   (uint64_t) query->key_numbers[i] |
						   (uint64_t) query->keys[i].kind << 16 |
						   (uint64_t) query->keys[i].blank_padded << 24 |
						   (uint64_t) query->keys[i].keeps_zeros << 25);
	for (uint32_t i = 0; i < query->ncolumns; i++)
		write_column(writer, &query->columns[i]);
	write_top_n(writer, query);
}

void
wa_query_write(WaWriter *writer, const WaQuery *query)
{
	const WaProgram *program = &query->program;

	wa_writer_word(writer, VERSION);
	wa_writer_word(writer, pair(program->nregisters, query->ninputs));
	wa_writer_word(writer,
				   pair((uint32_t) program->ninstructions, query->nlists));
	wa_writer_word(writer, pair(query->nconstants, query->nfilters));
	wa_writer_word(writer, pair(query->nkeys, query->ncolumns));
	wa_writer_word(writer, pair(query->begin, query->end));
	wa_writer_word(writer, query->ntables);
	for (size_t i = 0; i < program->nregisters; i++)
		wa_writer_word(writer, (uint64_t) program->kinds[i]);
	for (size_t i = 0; i < program->ninstructions; i++)
		write_instruction(writer, &program->instructions[i]);
	for (uint32_t i = 0; i < query->nlists; i++)
	{
		wa_writer_word(writer, program->lists[i].nvalues);
		wa_writer_words(writer, program->lists[i].values,
						program->lists[i].nvalues);
	}
	for (uint32_t i = 0; i < query->ntables; i++)
		write_table(writer, &program->tables[i]);
	write_parts(writer, query);
}

/*
 * Returns memory for things that take at least a word of the message each; NULL
 * if there is not enough, of the one or of the other.
 */
static void *
make_array(WaReader *reader, WaArena *arena, size_t count, size_t bytes)
{
	void *array;

	if (reader->failed || count > reader->nwords)
	{
		reader->failed = true;
		return NULL;
	}
	array = wa_arena_alloc_zero(arena, (count + 1) * bytes);
	if (array == NULL)
		reader->failed = true;
	return array;
}

/* Reads the kinds of the registers. */
static void
read_kinds(WaReader *reader, WaArena *arena, WaProgram *program)
{
	WaVectorKind *kinds =
		make_array(reader, arena, program->nregisters, sizeof(WaVectorKind));

	for (size_t i = 0; i < program->nregisters && !reader->failed; i++)
	{
		uint64_t kind = wa_reader_word(reader);

		if (kind > WA_VECTOR_TEXT)
			reader->failed = true;
		else
			kinds[i] = (WaVectorKind) kind;
	}
	program->kinds = kinds;
}

/* Reads the lists of a program. */
static void
read_lists(WaReader *reader, WaArena *arena, WaQuery *query)
{
	WaIntList *lists =
		make_array(reader, arena, query->nlists, sizeof(WaIntList));

	for (uint32_t i = 0; i < query->nlists && !reader->failed; i++)
	{
		size_t nvalues = wa_reader_word(reader);
		int64_t *values = make_array(reader, arena, nvalues, sizeof(int64_t));
		const uint64_t *words = wa_reader_words(reader, nvalues);

		if (words == NULL)
			return;
		memcpy(values, words, nvalues * sizeof(int64_t));
		lists[i] = (WaIntList){values, nvalues};
	}
	query->program.lists = lists;
}

/* Copies a text to the arena. */
static void
keep_text(WaReader *reader, WaArena *arena, WaText *text)
{
	char *copy = wa_arena_alloc(arena, text->length + 1);

	if (copy == NULL)
	{
		reader->failed = true;
		return;
	}
	memcpy(copy, text->data, text->length);
	text->data = copy;
}

/* Reads the texts of a table. */
static void
read_texts(WaReader *reader, WaArena *arena, WaSteps *table)
{
	WaText *texts = make_array(reader, arena, table->ntexts, sizeof(WaText));

	for (uint32_t i = 0; i < table->ntexts && !reader->failed; i++)
	{
		const uint64_t length = wa_reader_word(reader);

		texts[i] = wa_reader_bytes(reader, length);
		keep_text(reader, arena, &texts[i]);
	}
	table->texts = texts;
}

/* Reads what a table has beside its steps. */
static void
read_table_head(WaReader *reader, WaSteps *table)
{
	uint64_t word;

	table->base = (int64_t) wa_reader_word(reader);
	table->width = wa_reader_word(reader);
	table->nsteps = wa_reader_word(reader);
	word = wa_reader_word(reader);
	table->scale = (uint8_t) word;
	table->results = (uint8_t) (word >> 8);
	table->null_has_value = read_flag(reader, word, 16);
	if (word >> 24 != 0)
		reader->failed = true;
	table->null_value = (int64_t) wa_reader_word(reader);
	table->dictionary = wa_reader_word(reader);
	word = wa_reader_word(reader);
	if (word > UINT32_MAX)
		reader->failed = true;
	table->ntexts = (uint32_t) word;
}

/* Reads a table of a program. */
static void
read_table(WaReader *reader, WaArena *arena, WaSteps *table)
{
	int64_t *values;
	uint8_t *known;
	const uint64_t *words;
	WaText bytes;

	read_table_head(reader, table);
	values = make_array(reader, arena, table->nsteps, sizeof(int64_t));
	known = make_array(reader, arena, table->nsteps, sizeof(uint8_t));
	words = wa_reader_words(reader, table->nsteps);
	bytes = wa_reader_bytes(reader, table->nsteps);
	if (reader->failed)
		return;
	memcpy(values, words, table->nsteps * sizeof(int64_t));
	memcpy(known, bytes.data, table->nsteps);
	table->values = values;
	table->known = known;
	read_texts(reader, arena, table);
}

/* Reads the tables of a program. */
static void
read_tables(WaReader *reader, WaArena *arena, WaQuery *query)
{
	WaSteps *tables =
		make_array(reader, arena, query->ntables, sizeof(WaSteps));

	for (uint32_t i = 0; i < query->ntables && !reader->failed; i++)
		read_table(reader, arena, &tables[i]);
	query->program.tables = tables;
}

/* Reads the constants of a query whose kinds have been read. */
static void
read_constants(WaReader *reader, WaArena *arena, WaQuery *query)
{
	WaQueryConstant *constants =
		make_array(reader, arena, query->nconstants, sizeof(WaQueryConstant));

	for (uint32_t i = 0; i < query->nconstants && !reader->failed; i++)
	{
		uint64_t number = wa_reader_word(reader);

		if (number >= query->program.nregisters)
		{
			reader->failed = true;
			return;
		}
		constants[i].number = (uint16_t) number;
		wa_value_read(reader, query->program.kinds[number],
					  &constants[i].value);
		if (!reader->failed && constants[i].value.text.data != NULL)
			keep_text(reader, arena, &constants[i].value.text);
	}
	query->constants = constants;
}

static void
read_filters(WaReader *reader, WaArena *arena, WaQuery *query)
{
	WaQueryFilter *filters =
		make_array(reader, arena, query->nfilters, sizeof(WaQueryFilter));

	for (uint32_t i = 0; i < query->nfilters && !reader->failed; i++)
	{
		uint64_t range = wa_reader_word(reader);

		filters[i].begin = (uint32_t) range;
		filters[i].end = (uint32_t) (range >> 32);
		filters[i].number = (uint16_t) wa_reader_word(reader);
	}
	query->filters = filters;
}

static void
read_keys(WaReader *reader, WaArena *arena, WaQuery *query)
{
	WaQueryKey *keys =
		make_array(reader, arena, query->nkeys, sizeof(WaQueryKey));
	uint16_t *numbers =
		make_array(reader, arena, query->nkeys, sizeof(uint16_t));

	for (uint32_t i = 0; i < query->nkeys && !reader->failed; i++)
	{
		uint64_t word = wa_reader_word(reader);

		numbers[i] = (uint16_t) word;
		keys[i].kind = (WaVectorKind) (word >> 16 & 0xff);
		keys[i].blank_padded = (word >> 24 & 1) != 0;
		keys[i].keeps_zeros = (word >> 25 & 1) != 0;
	}
	query->keys = keys;
	query->key_numbers = numbers;
}

/* Reads the instructions, the lists and the tables. */
static void
read_program(WaReader *reader, WaArena *arena, WaQuery *query)
{
	WaProgram *program = &query->program;
	WaInstruction *instructions;

	read_kinds(reader, arena, program);
	instructions = make_array(reader, arena, program->ninstructions,
							  sizeof(WaInstruction));
	for (size_t i = 0; i < program->ninstructions && !reader->failed; i++)
		read_instruction(reader, &instructions[i]);
	program->instructions = instructions;
	read_lists(reader, arena, query);
	read_tables(reader, arena, query);
}

/* Reads the counts. */
static void
read_counts(WaReader *reader, WaQuery *query)
{
	uint64_t registers = wa_reader_word(reader);
	uint64_t program = wa_reader_word(reader);
	uint64_t parts = wa_reader_word(reader);
	uint64_t results = wa_reader_word(reader);
	uint64_t range = wa_reader_word(reader);
	uint64_t tables = wa_reader_word(reader);

	if ((uint32_t) registers > UINT16_MAX || registers >> 32 > UINT16_MAX ||
		tables > UINT32_MAX)
		reader->failed = true;
	query->ntables = (uint32_t) tables;
	query->program.nregisters = (uint16_t) registers;
	query->ninputs = (uint16_t) (registers >> 32);
	query->program.ninstructions = (uint32_t) program;
	query->nlists = (uint32_t) (program >> 32);
	query->nconstants = (uint32_t) parts;
	query->nfilters = (uint32_t) (parts >> 32);
	query->nkeys = (uint32_t) results;
	query->ncolumns = (uint32_t) (results >> 32);
	query->begin = (uint32_t) range;
	query->end = (uint32_t) (range >> 32);
}

const WaQuery *
wa_query_read(WaArena *arena, const void *message, size_t bytes)
{
	WaQuery *query = wa_arena_alloc_zero(arena, sizeof(WaQuery));
	WaQueryColumn *columns;
	uint8_t *scratch;
	WaReader reader;

	if (query == NULL)
		return NULL;
	wa_reader_init(&reader, message, bytes);
	if (wa_reader_word(&reader) != VERSION)
		reader.failed = true;
	read_counts(&reader, query);
	read_program(&reader, arena, query);
	read_constants(&reader, arena, query);
	read_filters(&reader, arena, query);
	read_keys(&reader, arena, query);
	columns =
		make_array(&reader, arena, query->ncolumns, sizeof(WaQueryColumn));
	for (uint32_t i = 0; i < query->ncolumns && !reader.failed; i++)
		read_column(&reader, &columns[i]);
	query->columns = columns;
	read_top_n(&reader, query);
	if (reader.failed || reader.nwords != 0)
		return NULL;
	scratch = wa_arena_alloc(arena, query->program.nregisters + (size_t) 1);
	return scratch != NULL && wa_query_is_sound(query, scratch) ? query : NULL;
}
