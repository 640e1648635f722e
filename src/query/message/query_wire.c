/*
 * query_wire.c
 *		Queries as messages; see query_wire.h.
 *
 * A message begins with a version and the counts of everything; then come the
 * things that these count, as they lie in memory if they have neither pointers nor
 * gaps.  What has some takes a word at least, so that no count leads to more memory than
 * the message deserves.
 */
#include <string.h>

#include "query/message/query_wire.h"
#include "query/message/table_wire.h"
#include "query/message/value_wire.h"

/* To be changed with the format, that of instructions included. */
#define VERSION UINT64_C(0x576151727900000f)

/* What a message begins with. */
typedef struct Head
{
	uint64_t version;
	uint16_t nregisters;
	uint16_t ninputs;
	uint32_t ninstructions;
	uint32_t nlists;
	uint32_t ntables;
	uint32_t nconstants;
	uint32_t nfilters;
	uint32_t nkeys;
	uint32_t ncolumns;
	uint32_t begin;
	uint32_t end;
	uint32_t max_groups;
	uint16_t only_wanted;
	uint8_t makes; /* tables: digests follow the keys */
	uint8_t is_unique;
	uint64_t nrest;
	uint32_t rolls; /* groups up: a column follows the others, and: */
	uint32_t nranks;
	uint64_t descends;
	WaTopN top_n;
} Head;

/* Writes a table, or what it is kept by. */
static void
write_table(WaWriter *writer, const WaLookupTable *table)
{
	const bool is_kept = wa_digest_is_set(&table->digest);

	wa_writer_word(writer, is_kept);
	if (is_kept)
		wa_writer_words(writer, table->digest.words, 2);
	else
		wa_table_write(writer, table);
}

static void
write_instruction(WaWriter *writer, const WaInstruction *instruction)
{
	wa_writer_word(writer, (uint64_t) instruction->code |
							   (uint64_t) instruction->out << 16 |
							   (uint64_t) instruction->a << 32 |
							   (uint64_t) instruction->b << 48);
	wa_writer_word(writer, (uint64_t) instruction->c |
							   (uint64_t) instruction->extra << 32);
}

/* Appends things that lie in a message as they do in memory. */
#define WRITE_ARRAY(writer, things, count) \
	wa_writer_bytes((writer), (things), (count) * sizeof(*(things)))

void
wa_query_write(WaWriter *writer, const WaQuery *query)
{
	const WaProgram *program = &query->program;
	const WaQueryRolled *rolled = query->rolled;
	const Head head = {.version = VERSION,
					   .nregisters = program->nregisters,
					   .ninputs = query->ninputs,
					   .ninstructions = (uint32_t) program->ninstructions,
					   .nlists = query->nlists,
					   .ntables = query->ntables,
					   .nconstants = query->nconstants,
					   .nfilters = query->nfilters,
					   .nkeys = query->nkeys,
					   .ncolumns = query->ncolumns,
					   .begin = query->begin,
					   .end = query->end,
					   .max_groups = query->max_groups,
					   .only_wanted = query->only_wanted,
					   .makes = query->made != NULL,
					   .is_unique = query->is_unique,
					   .nrest = query->nrest,
					   .rolls = query->rolled != NULL,
					   .nranks = rolled == NULL ? 0 : rolled->nranks,
					   .descends = rolled == NULL ? 0 : rolled->descends,
					   .top_n = query->top_n};

	WRITE_ARRAY(writer, &head, 1);
	WRITE_ARRAY(writer, program->kinds, program->nregisters);
	for (size_t i = 0; i < program->ninstructions; i++)
		write_instruction(writer, &program->instructions[i]);
	for (uint32_t i = 0; i < query->nlists; i++)
	{
		wa_writer_word(writer, program->lists[i].nvalues);
		WRITE_ARRAY(writer, program->lists[i].values,
					program->lists[i].nvalues);
	}
	for (uint32_t i = 0; i < query->ntables; i++)
		write_table(writer, &program->tables[i]);
	for (uint32_t i = 0; i < query->nconstants; i++)
	{
		const WaQueryConstant *constant = &query->constants[i];

		wa_writer_word(writer, constant->number);
		wa_value_write(writer, program->kinds[constant->number],
					   &constant->value);
	}
	WRITE_ARRAY(writer, query->filters, query->nfilters);
	WRITE_ARRAY(writer, query->keys, query->nkeys);
	WRITE_ARRAY(writer, query->key_numbers, query->nkeys);
	if (query->made != NULL)
		WRITE_ARRAY(writer, query->made, query->nkeys);
	WRITE_ARRAY(writer, query->columns, query->ncolumns);
	if (rolled != NULL)
	{
		WRITE_ARRAY(writer, &rolled->column, 1);
		WRITE_ARRAY(writer, rolled->ranks, rolled->nranks);
	}
	WRITE_ARRAY(writer, query->rest, query->nrest);
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

/* Reads things that lie in a message as they do in memory, into the arena. */
static void *
read_array(WaReader *reader, WaArena *arena, size_t count, size_t bytes)
{
	WaText found;
	void *array;

	if (count > reader->nwords * sizeof(uint64_t) / bytes)
		reader->failed = true;
	found = wa_reader_bytes(reader, count * bytes);
	array = wa_arena_alloc(arena, found.length + 1);
	if (array == NULL)
		reader->failed = true;
	else
		memcpy(array, found.data, found.length);
	return array;
}

/* Tells whether what was read into a flag is one. */
static inline bool
is_flag(const bool *flag)
{
	uint8_t byte;

	memcpy(&byte, flag, sizeof(byte));
	return byte <= 1;
}

/* Reads the kinds of the registers. */
static void
read_kinds(WaReader *reader, WaArena *arena, WaProgram *program)
{
	program->kinds =
		read_array(reader, arena, program->nregisters, sizeof(WaVectorKind));
	for (size_t i = 0; i < program->nregisters && !reader->failed; i++)
		if ((uint32_t) program->kinds[i] > WA_VECTOR_TEXT)
			reader->failed = true;
}

/* Reads the lists of a program. */
static void
read_lists(WaReader *reader, WaArena *arena, WaQuery *query)
{
	WaIntList *lists =
		make_array(reader, arena, query->nlists, sizeof(WaIntList));

	for (uint32_t i = 0; i < query->nlists && !reader->failed; i++)
	{
		lists[i].nvalues = wa_reader_word(reader);
		lists[i].values =
			read_array(reader, arena, lists[i].nvalues, sizeof(int64_t));
	}
	query->program.lists = lists;
}

/* Reads the texts of a table. */
static void
read_texts(WaReader *reader, WaArena *arena, WaLookupTable *table)
{
	WaText *texts = make_array(reader, arena, table->ntexts, sizeof(WaText));

	for (uint32_t i = 0; i < table->ntexts && !reader->failed; i++)
	{
		texts[i].length = wa_reader_word(reader);
		texts[i].data = read_array(reader, arena, texts[i].length, 1);
	}
	table->texts = texts;
}

/* Reads the digest of a table that is kept, and finds it. */
static void
read_kept(WaReader *reader, const WaTableFinder *finder, WaLookupTable *table)
{
	const uint64_t *words = wa_reader_words(reader, 2);
	const WaLookupTable *found = NULL;
	WaTableDigest digest;

	if (words == NULL)
		return;
	memcpy(&digest, words, sizeof(digest));
	if (finder != NULL && wa_digest_is_set(&digest))
		found = finder->find(finder->context, &digest);
	if (found == NULL)
		reader->failed = true;
	else
		*table = *found;
}

/* Reads the entries of a table, of a form. */
static void
read_entries(WaReader *reader, WaArena *arena, WaTableForm form,
			 WaLookupTable *table)
{
	const uint64_t nentries = table->nentries;

	switch (form)
	{
		case WA_TABLE_SLOTS:
			table->slots =
				read_array(reader, arena, nentries, sizeof(WaLookupSlot));
			break;
		case WA_TABLE_NARROW:
			table->narrow =
				read_array(reader, arena, nentries, sizeof(int32_t));
			break;
		default:
			table->values =
				read_array(reader, arena, nentries, sizeof(int64_t));
			table->known = read_array(reader, arena, nentries, 1);
			break;
	}
}

/* Reads a table of a program. */
static void
read_table(WaReader *reader, WaArena *arena, const WaTableFinder *finder,
		   WaLookupTable *table)
{
	const uint64_t is_kept = wa_reader_word(reader);

	if (is_kept > 1)
		reader->failed = true;
	else if (is_kept == 1)
	{
		read_kept(reader, finder, table);
		return;
	}
	read_entries(reader, arena, wa_table_read_head(reader, table), table);
	read_texts(reader, arena, table);
}

/* Reads the tables of a program. */
static void
read_tables(WaReader *reader, WaArena *arena, const WaTableFinder *finder,
			WaQuery *query)
{
	WaLookupTable *tables =
		make_array(reader, arena, query->ntables, sizeof(WaLookupTable));

	for (uint32_t i = 0; i < query->ntables && !reader->failed; i++)
		read_table(reader, arena, finder, &tables[i]);
	query->program.tables = tables;
}

/* Copies a text, if there is one, to the arena. */
static void
keep_text(WaReader *reader, WaArena *arena, WaText *text)
{
	char *copy;

	if (reader->failed || text->data == NULL)
		return;
	copy = wa_arena_alloc(arena, text->length + 1);
	if (copy == NULL)
		reader->failed = true;
	else
		text->data = memcpy(copy, text->data, text->length);
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
		keep_text(reader, arena, &constants[i].value.text);
	}
	query->constants = constants;
}

/* Reads the keys, and, if there are some, the digests of the tables that are made of them. */
static void
read_keys(WaReader *reader, WaArena *arena, bool makes, WaQuery *query)
{
	query->keys = read_array(reader, arena, query->nkeys, sizeof(WaQueryKey));
	query->key_numbers =
		read_array(reader, arena, query->nkeys, sizeof(uint16_t));
	for (uint32_t i = 0; i < query->nkeys && !reader->failed; i++)
		if (!is_flag(&query->keys[i].blank_padded) ||
			!is_flag(&query->keys[i].keeps_zeros))
			reader->failed = true;
	if (makes)
		query->made =
			read_array(reader, arena, query->nkeys, sizeof(WaTableDigest));
}

static void
read_instruction(WaReader *reader, WaInstruction *instruction)
{
	const uint64_t first = wa_reader_word(reader);
	const uint64_t second = wa_reader_word(reader);

	*instruction = (WaInstruction){.code = (uint16_t) first,
								   .out = (uint16_t) (first >> 16),
								   .a = (uint16_t) (first >> 32),
								   .b = (uint16_t) (first >> 48),
								   .c = (uint16_t) second,
								   .extra = (uint32_t) (second >> 32)};
}

/* Reads the instructions, the lists and the tables. */
static void
read_program(WaReader *reader, WaArena *arena, const WaTableFinder *finder,
			 WaQuery *query)
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
	read_tables(reader, arena, finder, query);
}

/* Tells whether the order of groups that was read is one. */
static bool
top_n_is_one(const WaTopN *top_n)
{
	if (top_n->norders > WA_MAX_ORDERS || !is_flag(&top_n->keeps_ties) ||
		!is_flag(&top_n->of_rows) || top_n->nparts > WA_MAX_ORDERS)
		return false;
	for (uint32_t i = 0; i < top_n->norders; i++)
		if (!is_flag(&top_n->orders[i].descending) ||
			!is_flag(&top_n->orders[i].nulls_first))
			return false;
	return true;
}

/* Reads what is of a fixed size. */
static Head
read_head(WaReader *reader, WaQuery *query)
{
	const WaText found = wa_reader_bytes(reader, sizeof(Head));
	Head head = {0};

	if (reader->failed)
		return head;
	memcpy(&head, found.data, sizeof(head));
	if (head.version != VERSION || head.only_wanted > 1 || head.makes > 1 ||
		head.is_unique > 1 || head.rolls > 1 || head.descends > 1 ||
		!top_n_is_one(&head.top_n))
		reader->failed = true;
	query->program.nregisters = head.nregisters;
	query->program.ninstructions = head.ninstructions;
	query->ninputs = head.ninputs;
	query->nlists = head.nlists;
	query->ntables = head.ntables;
	query->nconstants = head.nconstants;
	query->nfilters = head.nfilters;
	query->nkeys = head.nkeys;
	query->ncolumns = head.ncolumns;
	query->begin = head.begin;
	query->end = head.end;
	query->max_groups = head.max_groups;
	query->only_wanted = head.only_wanted != 0;
	query->is_unique = head.is_unique != 0;
	query->nrest = head.nrest;
	query->top_n = head.top_n;
	return head;
}

const WaQuery *
wa_query_read(WaArena *arena, const void *message, size_t bytes)
{
	return wa_query_read_with(arena, message, bytes, NULL);
}

/* Reads how groups are rolled up; returns NULL if there is not enough memory. */
static const WaQueryRolled *
read_rolled(WaReader *reader, WaArena *arena, const Head *head)
{
	const WaQueryColumn *column =
		read_array(reader, arena, 1, sizeof(WaQueryColumn));
	const WaQueryRank *ranks =
		read_array(reader, arena, head->nranks, sizeof(WaQueryRank));
	WaQueryRolled *rolled = wa_arena_alloc(arena, sizeof(*rolled));

	if (rolled == NULL)
		reader->failed = true;
	if (reader->failed)
		return NULL;
	*rolled = (WaQueryRolled){.column = *column,
							  .nranks = head->nranks,
							  .descends = (uint32_t) head->descends,
							  .ranks = ranks};
	return rolled;
}

const WaQuery *
wa_query_read_with(WaArena *arena, const void *message, size_t bytes,
				   const WaTableFinder *finder)
{
	WaQuery *query = wa_arena_alloc_zero(arena, sizeof(WaQuery));
	uint8_t *scratch;
	WaReader reader;
	Head head;

	if (query == NULL)
		return NULL;
	wa_reader_init(&reader, message, bytes);
	head = read_head(&reader, query);
	read_program(&reader, arena, finder, query);
	read_constants(&reader, arena, query);
	query->filters =
		read_array(&reader, arena, query->nfilters, sizeof(WaQueryFilter));
	read_keys(&reader, arena, head.makes != 0, query);
	query->columns =
		read_array(&reader, arena, query->ncolumns, sizeof(WaQueryColumn));
	if (head.rolls == 1)
		query->rolled = read_rolled(&reader, arena, &head);
	query->rest = read_array(&reader, arena, query->nrest, sizeof(uint64_t));
	if (reader.failed || reader.nwords != 0)
		return NULL;
	scratch = wa_arena_alloc(arena, query->program.nregisters + (size_t) 1);
	return scratch != NULL && wa_query_is_sound(query, scratch) ? query : NULL;
}
