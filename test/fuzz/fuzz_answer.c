/*
 * fuzz_answer.c
 *		What a backend reads of warpaggd's, as far as PostgreSQL has no part in it:
 *		partials, groups, and whether a reply is one.  Whatever is accepted can be
 *		merged and, once merged, be sent on.
 *
 * An input is a word that says which of these it is, and what is sent.
 */
#include <string.h>

#include "core/small_sum.h"
#include "query/message/partial_groups.h"
#include "test/fuzz/fuzz.h"

/* What a merge may take. */
#define MEMORY ((size_t) 64 * 1024 * 1024)

/* Keys and columns of groups at most. */
#define MAX_KEYS    6
#define MAX_COLUMNS 8

/* A sound record has less, so results of more are not asked for. */
#define MAX_ROWS (INT64_C(1) << 52)

/* What an input is, by the lowest bits of its first word. */
typedef enum What
{
	WHAT_PARTIAL,
	WHAT_GROUPS,
	WHAT_OTHER_GROUPS, /* likewise, so that there are more of them */
	WHAT_REPLY,
	NWHAT
} What;

/* Reads a partial out of bytes that end where they end. */
static bool
read_partial(const uint8_t *bytes, size_t length, WaType type, WaOpSet ops,
			 WaPartial *partial, WaExactPart *exact)
{
	uint8_t *copy = malloc(length + 1);
	bool read;

	FUZZ_EXPECT(copy != NULL);
	memcpy(copy + 1, bytes, length); /* at no boundary, where it may be */
	wa_partial_init(partial, wa_partial_needs_exact(type, ops) ? exact : NULL);
	read = wa_partial_decode(partial, type, ops, copy + 1, length);
	free(copy);
	return read;
}

/* Rounds exact sums over floats to results, as final functions do. */
static void
round_sums(const WaExactPart *exact, int64_t rows, WaOpSet ops)
{
	bool overflow;

	if (rows <= 0 || rows > MAX_ROWS || !wa_ops_have(ops, WA_OP_SUM))
		return;
	(void) wa_exact_to_double(&exact->sum, rows, &overflow);
	(void) wa_exact_to_float(&exact->sum, rows, &overflow);
	(void) wa_exact_average(&exact->sum, rows);
	if (!wa_ops_have(ops, WA_OP_SQUARES))
		return;
	(void) wa_exact_variance(&exact->sum, &exact->squares, rows, rows > 1,
							 &overflow);
	(void) wa_exact_stddev(&exact->sum, &exact->squares, rows, rows > 1,
						   &overflow);
}

/* Comes to the results of a record over floats. */
static void
finish_floats(const WaRecord *record, WaOpSet ops)
{
	const WaRecordLayout layout = wa_record_layout(WA_VECTOR_FLOAT, ops);
	WaFloatHeader header;
	WaInt128 sum;
	WaInt256 squares;
	WaExactPart exact;
	double result;
	float rounded;

	if (!wa_ops_have(ops, WA_OP_SUM))
		return;
	memcpy(&header, record->words + layout.header, sizeof(header));
	if (header.exponent == WA_NO_EXPONENT)
		header.exponent = 0;
	memcpy(&sum, record->words + layout.sum, sizeof(sum));
	(void) wa_small_sum_to_double(sum, header.exponent, &result);
	(void) wa_small_sum_to_float(sum, header.exponent, &rounded);
	wa_exact_init(&exact.sum);
	wa_squares_init(&exact.squares);
	wa_small_sum_expand(sum, header.exponent, &exact.sum);
	if (wa_ops_have(ops, WA_OP_SQUARES))
	{
		memcpy(&squares, record->words + layout.squares, sizeof(squares));
		wa_small_squares_expand(&squares, header.squares_exponent,
								&exact.squares);
	}
	if (record->rest != NULL)
	{
		wa_exact_merge(&exact.sum, &record->rest->sum);
		if (wa_ops_have(ops, WA_OP_SQUARES))
			wa_squares_merge(&exact.squares, &record->rest->squares);
	}
	round_sums(&exact, (int64_t) record->words[0], ops);
}

/* Reads a partial, merges it with one of no rows, and writes it. */
static void
try_partial(uint64_t word, const uint64_t *words, size_t nwords)
{
	const WaType type = (WaType) ((word >> 8 & 0xff) % WA_TYPE_COUNT);
	const WaOpSet ops = (WaOpSet) (word >> 16 & 0x7f);
	const size_t left_out = word >> 24 & 7;
	size_t length = nwords * sizeof(uint64_t);
	WaPartial partial;
	WaPartial merged;
	WaExactPart exact;
	WaExactPart merged_exact;
	uint8_t buffer[WA_PARTIAL_MAX_BYTES];

	if (ops == 0 || !wa_reductions_exist(ops, wa_type_storage(type)))
		return;
	length -= length < left_out ? length : left_out;
	if (!read_partial((const uint8_t *) words, length, type, ops, &partial,
					  &exact))
		return;
	wa_partial_init(&merged, partial.exact == NULL ? NULL : &merged_exact);
	wa_partial_merge(&merged, &partial, type, ops);
	if (merged.exact != NULL)
		round_sums(merged.exact, merged.rows, ops);
	length = wa_partial_encode(&merged, type, ops, buffer);
	FUZZ_EXPECT(length <= sizeof(buffer));
	FUZZ_EXPECT(read_partial(buffer, length, type, ops, &partial, &exact));
}

struct Target;

/* A column's owner of what has no room in records, as a backend's states are. */
typedef struct Owner
{
	struct Target *target;
	int column;
	WaRecordOwner functions;
} Owner;

/* What groups are merged into. */
typedef struct Target
{
	WaArena arena;
	WaPartialShape shape;
	WaQueryKey keys[MAX_KEYS];
	WaPartialColumn columns[MAX_COLUMNS];
	WaQueryGroups *groups;
	WaRecordTable *tables[MAX_COLUMNS];
	Owner owners[MAX_COLUMNS];
} Target;

/* Takes a record over. */
static void
flush(void *context, uint32_t group)
{
	const Owner *owner = context;
	WaRecordTable *table = owner->target->tables[owner->column];
	WaRecord record;

	wa_records_get(table, group, &record);
	if (owner->target->columns[owner->column].kind == WA_VECTOR_FLOAT)
		finish_floats(&record, owner->target->columns[owner->column].ops);
	wa_records_clear(table, group);
}

/* Takes a row of a DECIMAL. */
static void
take(void *context, uint32_t group, int64_t value, uint8_t scale,
	 uint8_t display)
{
	(void) context;
	(void) group;
	(void) value;
	(void) scale;
	(void) display;
}

/* Makes the shape of groups out of two words. */
static void
make_shape(Target *target, uint64_t keys, uint64_t columns)
{
	WaPartialShape *shape = &target->shape;

	shape->nkeys = (int) ((keys & 0xff) % (MAX_KEYS + 1));
	shape->ncolumns = (int) ((columns & 0x7f) % (MAX_COLUMNS + 1));
	shape->keys = target->keys;
	shape->columns = target->columns;
	for (int i = 0; i < shape->nkeys; i++)
	{
		WaQueryKey *key = &target->keys[i];

		keys >>= 8;
		key->kind = (WaVectorKind) ((keys & 0x7f) % (WA_VECTOR_TEXT + 1));
		key->blank_padded = key->kind == WA_VECTOR_TEXT && (keys & 0x80) != 0;
		key->keeps_zeros = key->kind == WA_VECTOR_FLOAT && (keys & 0x80) != 0;
	}
	for (int i = 0; i < shape->ncolumns; i++)
	{
		WaPartialColumn *column = &target->columns[i];

		columns = columns >> 7 | columns << 57;
		column->kind = (WaVectorKind) ((columns & 7) % (WA_VECTOR_TEXT + 1));
		column->ops = (WaOpSet) (columns >> 3 & 0xf);
		/* What has no records stands for operations over bits. */
		if (!wa_records_exist(column->kind, column->ops))
			column->ops = column->ops << 3 & WA_BIT_OPS;
		if (!wa_records_exist(column->kind, column->ops))
			column->ops = 0;
		column->scale = 0;
	}
}

/*
 * Makes the tables that groups of the shape are merged into; the highest bit of
 * `columns` says whether these have owners.
 */
static bool
make_target(Target *target, uint64_t keys, uint64_t columns)
{
	const bool has_owners = columns >> 63 != 0;

	memset(target, 0, sizeof(*target));
	wa_arena_init(&target->arena, MEMORY);
	make_shape(target, keys, columns);
	target->groups =
		wa_query_groups_make(&target->arena, target->shape.nkeys, target->keys);
	for (int i = 0; i < target->shape.ncolumns; i++)
	{
		Owner *owner = &target->owners[i];

		*owner = (Owner){target, i, {owner, flush, take}};
		target->tables[i] = wa_records_make(
			&target->arena, target->columns[i].kind, target->columns[i].ops,
			has_owners ? &owner->functions : NULL);
	}
	return !target->arena.failed;
}

/*
 * Puts what a message of the shape begins with before the words; the counts have
 * the number of groups and, of each column, what follows its scale from.
 */
static uint64_t *
complete_message(Target *target, uint64_t counts, const uint64_t *words,
				 size_t *nwords)
{
	WaWriter writer;
	uint64_t *copy;
	size_t front;

	wa_writer_init(&writer, &target->arena);
	wa_partial_begin(&writer, &target->shape);
	FUZZ_EXPECT(!target->arena.failed);
	front = writer.nwords;
	copy = malloc((front + *nwords) * sizeof(uint64_t));
	FUZZ_EXPECT(copy != NULL);
	memcpy(copy, writer.words, front * sizeof(uint64_t));
	copy[1] |= (uint32_t) counts;
	for (int i = 0; i < target->shape.ncolumns; i++)
	{
		const uint64_t digit = counts >> (32 + 4 * i) & 0xf;

		copy[front - (size_t) target->shape.ncolumns + (size_t) i] |=
			(digit < 12 ? digit * 4 : digit) << 32;
	}
	if (*nwords > 0)
		memcpy(copy + front, words, *nwords * sizeof(uint64_t));
	*nwords += front;
	return copy;
}

/* Merges the group that was read; returns false if there is no room for it. */
static bool
merge_group(Target *target, const WaPartialReader *reader)
{
	uint32_t group = 0;

	if (target->shape.nkeys > 0 &&
		!wa_query_groups_find_values(target->groups, reader->keys, &group))
		return false;
	for (int i = 0; i < target->shape.ncolumns; i++)
	{
		if (!wa_records_grow(target->tables[i], group + 1))
			return false;
		if (reader->cells[i].record.words != NULL &&
			(!wa_records_merge(target->tables[i], group,
							   &reader->cells[i].record) ||
			 wa_records_overflowed(target->tables[i])))
			return false;
	}
	return true;
}

/* Reads groups and merges them; false if they are none, or have no room. */
static bool
merge_message(Target *target, const uint64_t *message, size_t nwords)
{
	WaPartialReader reader;

	if (!wa_partial_reader_init(&reader, &target->arena, &target->shape) ||
		!wa_partial_open(&reader, message, nwords * sizeof(uint64_t)))
		return false;
	while (wa_partial_next(&reader))
		if (!merge_group(target, &reader))
			return false;
	return !reader.reader.failed && !target->arena.failed;
}

/* Writes the groups that there are. */
static void
write_groups(Target *target, WaWriter *writer)
{
	const uint32_t ngroups =
		target->shape.nkeys == 0 ? 1 : wa_query_groups_count(target->groups);

	for (int i = 0; i < target->shape.ncolumns; i++)
		target->columns[i].scale = wa_records_scale(target->tables[i]);
	wa_writer_init(writer, &target->arena);
	wa_partial_begin(writer, &target->shape);
	for (uint32_t group = 0; group < ngroups; group++)
	{
		for (int i = 0; i < target->shape.nkeys; i++)
		{
			WaQueryValue value;

			wa_query_groups_key(target->groups, group, i, &value);
			wa_partial_put_key(writer, &target->keys[i], &value);
		}
		for (int i = 0; i < target->shape.ncolumns; i++)
		{
			WaRecord record;

			if (!wa_records_grow(target->tables[i], group + 1))
				return;
			wa_records_get(target->tables[i], group, &record);
			if (target->columns[i].kind == WA_VECTOR_FLOAT &&
				record.words[0] > 0)
				finish_floats(&record, target->columns[i].ops);
			wa_partial_put_record(writer, &target->columns[i], &record);
		}
	}
	wa_partial_end(writer, ngroups);
}

/* Reads groups, merges them twice, and reads what has come out of that. */
static void
try_groups(uint64_t keys, uint64_t columns, const uint64_t *words,
		   size_t nwords)
{
	static Target target;
	static Target again;
	uint64_t *message;
	WaWriter writer;

	if (!make_target(&target, keys, columns))
		return;
	message = complete_message(&target, words[0], words + 1, &nwords);
	if (merge_message(&target, message, nwords) &&
		merge_message(&target, message, nwords))
	{
		write_groups(&target, &writer);
		if (!target.arena.failed && make_target(&again, keys, columns))
		{
			(void) merge_message(&again, writer.words, writer.nwords);
			wa_arena_reset(&again.arena);
		}
	}
	free(message);
	wa_arena_reset(&target.arena);
}

/* Looks at a message as at a reply. */
static void
try_reply(uint64_t word, const uint64_t *words, size_t nwords)
{
	WaMessage message;
	uint8_t *copy;
	size_t length;

	fuzz_message_make(&message, (uint32_t) (word >> 8 & 0x1f), words, nwords);
	length = message.header.length;
	if ((word >> 16 & 1) != 0)
		length = word >> 32 & 0xffff;
	if (length > sizeof(message))
		length = sizeof(message);
	copy = malloc(length + 1);
	FUZZ_EXPECT(copy != NULL);
	memcpy(copy, &message, length);
	if (wa_message_is_sound(copy, length))
		(void) wa_message_is_intact(copy, length);
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput input;
	const uint64_t *words;
	uint64_t word;
	size_t nwords;

	fuzz_open(&input, data, size);
	word = fuzz_word(&input);
	nwords = fuzz_rest(&input, &words);
	switch ((What) (word % NWHAT))
	{
		case WHAT_PARTIAL:
			try_partial(word, words, nwords);
			break;
		case WHAT_REPLY:
			try_reply(word, words, nwords);
			break;
		default:
			if (nwords >= 2)
				try_groups(word >> 8, words[0], words + 1, nwords - 2);
			break;
	}
	fuzz_close(&input);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
						unsigned seed)
{
	return fuzz_mutate_words(data, size, max_size, seed);
}
