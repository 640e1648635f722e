/*
 * table_values.c
 *		Making tables of values of SQL; see table_values.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "scan/base/context_arena.h"
#include "scan/base/datum.h"
#include "scan/expr/errors.h"
#include "scan/tables/table_values.h"

/* Of so many entries one may be unknown. */
#define ENTRIES_PER_UNKNOWN 50

/* A table may take so many bytes whatever the memory of hash tables. */
#define LEAST_MOST_BYTES ((Size) 32 * 1024 * 1024)

void
wa_table_values_begin(WaTableValues *values, MemoryContext context, Oid type,
					  WaVectorKind kind, WaTableFunction function,
					  void *of_function)
{
	memset(values, 0, sizeof(*values));
	values->context = context;
	values->function = function;
	values->of_function = of_function;
	values->type = type;
	values->kind = kind;
	wa_context_arena_init(&values->arena, context);
	if (kind == WA_VECTOR_TEXT)
		values->texts = wa_key_dictionary_make(&values->arena);
}

void
wa_table_values_grow(WaTableValues *values, uint64 nentries)
{
	const uint64 more = nentries - values->nentries;

	if (nentries <= values->nentries)
		return;
	wa_context_arena_resize(&values->arena, &values->values,
							nentries * sizeof(int64));
	wa_context_arena_resize(&values->arena, &values->known, nentries);
	memset(values->values + values->nentries, 0, more * sizeof(int64));
	memset(values->known + values->nentries, WA_ENTRY_UNKNOWN, more);
	values->nentries = nentries;
}

/* Returns the number of a text, which is kept if it comes for the first time. */
static int64
number_of(WaTableValues *values, const WaText *text)
{
	const WaKeyString key = {text->data, (uint32) text->length,
							 (uint32) text->length};
	const uint32 code = wa_key_dictionary_code(values->texts, &key);

	values->ntexts = Max(values->ntexts, code + 1);
	return code;
}

/* Makes a word of a value; returns false if it has none in the table. */
static bool
make_word(WaTableValues *values, Datum value, int64 *word)
{
	union
	{
		int64 i;
		uint8 b;
		WaText text;
	} place = {0};
	WaVector vector = {.values = &place};

	if (!wa_datum_to_vector(values->type, values->kind, value, &vector))
		return false;
	if (!values->has_scale)
		values->scale = vector.scale;
	values->has_scale = true;
	*word = values->kind == WA_VECTOR_TEXT   ? number_of(values, &place.text)
			: values->kind == WA_VECTOR_BOOL ? place.b
											 : place.i;
	return vector.scale == values->scale;
}

void
wa_table_values_set(WaTableValues *values, uint64 first, uint64 count,
					WaEntryState state, Datum value)
{
	int64 word = 0;

	if (state == WA_ENTRY_VALUE && !make_word(values, value, &word))
		state = WA_ENTRY_UNKNOWN;
	if (state == WA_ENTRY_UNKNOWN)
		values->nunknown += count;
	for (uint64 i = first; i < first + count; i++)
	{
		values->values[i] = state == WA_ENTRY_VALUE ? word : 0;
		values->known[i] = (uint8) state;
	}
}

/* An evaluation. */
typedef struct Asked
{
	const WaTableValues *values;
	bool of_null;
	bool is_known; /* what came of it */
	bool is_null;
	Datum value;
} Asked;

/* Makes it: a callback. */
static void
evaluate(void *context)
{
	Asked *asked = (Asked *) context;

	asked->is_known =
		asked->values->function(asked->values->of_function, asked->of_null,
								&asked->value, &asked->is_null);
}

/* Makes it, and tells what is known of the result. */
static WaEntryState
find(Asked *asked)
{
	if (!wa_attempts_try(asked->values->attempts, evaluate, asked) ||
		!asked->is_known)
		return WA_ENTRY_UNKNOWN;
	return asked->is_null ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
}

WaEntryState
wa_table_values_find(WaTableValues *values, Datum *value)
{
	Asked asked = {.values = values};
	const WaEntryState state = find(&asked);

	*value = asked.value;
	return state;
}

bool
wa_table_values_find_null(WaTableValues *values)
{
	Asked asked = {.values = values, .of_null = true};
	const WaEntryState state = find(&asked);

	values->null_has_value =
		state == WA_ENTRY_VALUE &&
		make_word(values, asked.value, &values->null_value);
	if (!values->null_has_value)
		values->null_value = 0;
	return values->null_has_value || state == WA_ENTRY_NULL;
}

Size
wa_table_most_bytes(void)
{
	return Max(LEAST_MOST_BYTES, get_hash_memory_limit());
}

bool
wa_table_values_are_hopeless(const WaTableValues *values, uint64 free_unknown)
{
	return values->nunknown >
			   free_unknown + values->nentries / ENTRIES_PER_UNKNOWN ||
		   MemoryContextMemAllocated(values->context, true) >
			   wa_table_most_bytes();
}

void
wa_table_values_finish(const WaTableValues *values, WaLookupTable *lookup)
{
	WaText *texts;

	lookup->nentries = values->nentries;
	lookup->values = values->values;
	lookup->known = values->known;
	lookup->scale = values->scale;
	lookup->null_has_value = values->null_has_value;
	lookup->null_value = values->null_value;
	lookup->results = values->kind == WA_VECTOR_TEXT   ? WA_LOOKUP_TEXTS
					  : values->kind == WA_VECTOR_BOOL ? WA_LOOKUP_BOOLS
													   : WA_LOOKUP_WORDS;
	lookup->ntexts = values->ntexts;
	if (values->kind != WA_VECTOR_TEXT)
		return;
	texts = MemoryContextAllocHuge(
		values->context, sizeof(WaText) * (values->ntexts + (Size) 1));
	for (uint32 i = 0; i < values->ntexts; i++)
		texts[i] = wa_key_dictionary_shown(values->texts, i);
	lookup->texts = texts;
}

bool
wa_table_is_allowed(Node *expression)
{
	return !wa_has_parameter(expression) && !wa_runs_foreign_code(expression);
}
