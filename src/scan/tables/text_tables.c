/*
 * text_tables.c
 *		Tables of functions of texts; see text_tables.h.
 *
 * Tables are kept for the queries to come (table_cache.h), until texts are added.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "client/resident.h"
#include "compat.h"
#include "scan/base/attempt.h"
#include "scan/expr/errors.h"
#include "scan/expr/evaluate.h"
#include "scan/tables/table_cache.h"
#include "scan/tables/table_values.h"
#include "scan/tables/text_tables.h"

/* Texts are fetched in pieces of so many bytes. */
#define PIECE_BYTES ((Size) 1024 * 1024 - sizeof(WaTextsHead))

/* So many texts may be unknown beside those that may be of a table. */
#define FREE_UNKNOWN 100

/* A function that is being evaluated for texts. */
typedef struct Filling
{
	const WaColumnFunction *function;
	const WaKeyRows *rows; /* in place of a function; else NULL */
	const WaTextColumn *column;
	WaTableValues values;
	WaEvaluation *evaluation;
	bool may_raise;
	char *piece;         /* texts that have been fetched */
	StringInfoData text; /* the one at hand, as SQL has it */
	bool is_silent;      /* warpaggd has not answered */
} Filling;

/* Evaluates the function for the text at hand: a WaTableFunction. */
static bool
evaluate(void *context, bool of_null, Datum *value, bool *is_null)
{
	const Filling *filling = (const Filling *) context;
	const NullableDatum text = {PointerGetDatum(filling->text.data), of_null};

	*value = wa_evaluation_of(filling->evaluation, NULL, text, is_null);
	return true;
}

/* Finds the row with the text at hand as its key: a WaTableFunction. */
static bool
find_row(void *context, bool of_null, Datum *value, bool *is_null)
{
	const Filling *filling = (const Filling *) context;
	const WaRowKey key = {
		.text = {VARDATA(filling->text.data),
				 of_null ? 0 : VARSIZE(filling->text.data) - VARHDRSZ}};
	const WaRowKey trimmed = {.text = wa_text_trim(key.text)};
	const int64 row =
		of_null ? WA_NO_ROW
				: wa_key_rows_find(filling->rows,
								   filling->rows->is_padded ? &trimmed : &key);

	*is_null = row == WA_NO_ROW;
	*value = Int64GetDatum(row);
	return true;
}

/* Sets the entry of a code, which has a text of so many bytes. */
static void
set_text(Filling *filling, uint32 code, const char *data, uint32 length)
{
	StringInfo text = &filling->text;
	WaEntryState state;
	Datum value;

	resetStringInfo(text);
	enlargeStringInfo(text, VARHDRSZ + (int) length);
	SET_VARSIZE(text->data, VARHDRSZ + length);
	memcpy(VARDATA(text->data), data, length);
	state = wa_table_values_find(&filling->values, &value);
	wa_table_values_set(&filling->values, code, 1, state, value);
}

/*
 * Sets the entries of codes from `first` on that a piece has texts of.  Returns false if
 * it is not what it should be.
 */
static bool
set_piece(Filling *filling, uint32 first, const WaTextsHead *head)
{
	const char *next = filling->piece;
	const char *end = next + (head->bytes - sizeof(*head));

	for (uint32 i = 0; i < head->count; i++)
	{
		uint32 length;

		if ((Size) (end - next) < sizeof(length))
			return false;
		memcpy(&length, next, sizeof(length));
		next += sizeof(length);
		CHECK_FOR_INTERRUPTS();
		if (length == WA_NO_TEXT)
		{
			wa_table_values_set(&filling->values, first + i, 1,
								WA_ENTRY_UNKNOWN, (Datum) 0);
			continue;
		}
		if (length > WA_MAX_TEXT_BYTES || (Size) (end - next) < length)
			return false;
		set_text(filling, first + i, next, length);
		next += length;
	}
	return true;
}

/* A piece that has been fetched, whose codes are from `first` on. */
typedef struct Piece
{
	Filling *filling;
	uint32 first;
	const WaTextsHead *head;
	bool is_sound; /* what came of it: it is what it should be, and of use */
} Piece;

/* Sets the entries of a piece: a callback. */
static void
take_piece(WaAttempts *attempts, void *context)
{
	Piece *piece = (Piece *) context;

	piece->filling->values.attempts = attempts;
	/* The function of NULL has to be known, too. */
	piece->is_sound = (piece->first > 0 ||
					   wa_table_values_find_null(&piece->filling->values)) &&
					  set_piece(piece->filling, piece->first, piece->head);
}

/*
 * Fetches texts of codes from `first` on and sets their entries; *first: the next
 * one.  Stores what the head says.  Returns false if that fails.
 */
static bool
fetch(Filling *filling, uint32 *first, WaTextsHead *head)
{
	const WaTextColumn *column = filling->column;
	Piece taken;

	filling->is_silent =
		!wa_client_texts(column->relation, column->name, *first, head,
						 filling->piece, PIECE_BYTES);
	if (filling->is_silent)
		return false;
	if (head->dictionary == 0 || head->count == 0 ||
		head->ncodes > WA_MAX_ENTRIES || head->count > head->ncodes - *first)
		return false;
	wa_table_values_grow(&filling->values, *first + head->count);
	taken = (Piece){filling, *first, head, false};
	wa_attempts_run(filling->may_raise, take_piece, &taken);
	if (!taken.is_sound)
		return false;
	*first += head->count;
	return !wa_table_values_are_hopeless(&filling->values, FREE_UNKNOWN);
}

/*
 * Evaluates the function for all texts of the column.  Stores in the key of which
 * dictionary these are, and how many had been added.  Returns false if there can be
 * no table.
 */
static bool
fill(Filling *filling, WaTableKey *key)
{
	WaTextsHead head;
	uint32 first = 0;

	do
	{
		const bool is_first = first == 0;

		if (!fetch(filling, &first, &head))
			return false;
		if (is_first)
		{
			key->dictionary = head.dictionary;
			key->texts = head.texts;
		}
		else if (key->dictionary != head.dictionary)
			return false;
	} while (first < head.ncodes);
	return true;
}

/* Begins to fill a table. */
static void
begin(Filling *filling, MemoryContext context)
{
	Node *expression = (Node *) filling->function->expression;
	const WaCallExpression call = wa_column_function_call(filling->function);
	/* Whose values nobody asks for. */
	static const WaVector none = {0};

	filling->evaluation = wa_evaluation_make(&call, &none, NULL);
	filling->may_raise = wa_may_raise(expression);
	filling->piece = palloc(PIECE_BYTES);
	initStringInfo(&filling->text);
	wa_table_values_begin(&filling->values, context,
						  getBaseType(exprType(expression)), call.result,
						  evaluate, filling);
}

/* How texts are compared, to be sorted. */
typedef struct Ranking
{
	Datum *values; /* of the texts, by their numbers */
	SortSupportData sort;
	bool has_ties; /* texts that differ are equal */
} Ranking;

/* Compares the texts of two numbers: a callback. */
static int
compare(const void *a, const void *b, void *context)
{
	Ranking *ranking = (Ranking *) context;
	const uint32 left = *(const uint32 *) a;
	const uint32 right = *(const uint32 *) b;
	int order =
		ApplySortComparator(ranking->values[left], false,
							ranking->values[right], false, &ranking->sort);

	ranking->has_ties |= order == 0 && left != right;
	return order;
}

/*
 * Sorts the numbers of a table's texts by the order of their type.  Returns NULL if
 * there are texts that are equal by it, though not the same.
 */
static uint32 *
sort_texts(const WaLookupTable *lookup, Oid type, Oid collation)
{
	Ranking ranking = {
		.values = palloc_extended(sizeof(Datum) * (lookup->ntexts + (Size) 1),
								  MCXT_ALLOC_HUGE)};
	uint32 *numbers = palloc_extended(
		sizeof(uint32) * (lookup->ntexts + (Size) 1), MCXT_ALLOC_HUGE);

	ranking.sort.ssup_cxt = CurrentMemoryContext;
	ranking.sort.ssup_collation = collation;
	PrepareSortSupportFromOrderingOp(
		lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr, &ranking.sort);
	for (uint32 i = 0; i < lookup->ntexts; i++)
	{
		numbers[i] = i;
		ranking.values[i] = PointerGetDatum(cstring_to_text_with_len(
			lookup->texts[i].data, (int) lookup->texts[i].length));
	}
	qsort_arg(numbers, lookup->ntexts, sizeof(uint32), compare, &ranking);
	return ranking.has_ties ? NULL : numbers;
}

/* Has the texts of a table ascend; returns false if that cannot be. */
static bool
rank(WaTableValues *values, WaLookupTable *lookup, Oid collation)
{
	const uint32 *numbers = sort_texts(lookup, values->type, collation);
	const Size most = lookup->ntexts + (Size) 1;
	int64 *ranks = palloc_extended(sizeof(int64) * most, MCXT_ALLOC_HUGE);
	WaText *texts =
		MemoryContextAllocHuge(values->context, sizeof(WaText) * most);

	if (numbers == NULL)
		return false;
	for (uint32 i = 0; i < lookup->ntexts; i++)
	{
		texts[i] = lookup->texts[numbers[i]];
		ranks[numbers[i]] = i;
	}
	for (uint64 i = 0; i < lookup->nentries; i++)
		if (lookup->known[i] == WA_ENTRY_VALUE)
			values->values[i] = ranks[values->values[i]];
	if (lookup->null_has_value)
		lookup->null_value = ranks[lookup->null_value];
	lookup->texts = texts;
	return true;
}

/* Makes a table: a WaTableFeeder. */
static void
feed(WaTableDraft *draft, void *context)
{
	Filling *filling = (Filling *) context;
	WaTableKey *key = draft->key;

	begin(filling, draft->context);
	if (!fill(filling, key))
	{
		/* It may answer the next time. */
		draft->is_for_now = filling->is_silent;
		return;
	}
	draft->lookup = (WaLookupTable){.width = 1, .dictionary = key->dictionary};
	wa_table_values_finish(&filling->values, &draft->lookup);
	if (key->ranked && !rank(&filling->values, &draft->lookup, key->collation))
		draft->lookup.nentries = 0;
}

const WaLookupTable *
wa_text_table_of_rows(const WaKeyRows *rows, const WaTextColumn *column)
{
	Filling filling = {.rows = rows, .column = column};
	WaTableKey key = {0};
	WaLookupTable *table = palloc(sizeof(WaLookupTable));

	if (column->residency->dictionary == 0 ||
		column->residency->texts >= WA_MAX_ENTRIES)
		return NULL;
	filling.piece = palloc(PIECE_BYTES);
	initStringInfo(&filling.text);
	wa_table_values_begin(&filling.values, CurrentMemoryContext, INT8OID,
						  WA_VECTOR_INT, find_row, &filling);
	if (!fill(&filling, &key))
		return NULL;
	*table = (WaLookupTable){.width = 1, .dictionary = key.dictionary};
	wa_table_values_finish(&filling.values, table);
	return table;
}

const WaLookupTable *
wa_text_table_find(const WaColumnFunction *function, const WaTextColumn *column,
				   bool ranked, Oid collation)
{
	Filling filling = {.function = function, .column = column};
	const WaTableKey key = {
		.expression = (Node *) function->expression,
		.dictionary = column->residency->dictionary,
		.texts = column->residency->texts,
		.ranked = ranked,
		.collation = ranked ? collation : InvalidOid,
	};

	if (key.dictionary == 0 || key.texts >= WA_MAX_ENTRIES)
		return NULL;
	return wa_table_find(&key, feed, &filling);
}
