/*
 * run_rows.c
 *		The rows that are left of a query whose rows become tables; see run_rows.h.
 */
#include <string.h>

#include "core/decimal.h"
#include "core/vectorised.h"
#include "query/run/run_rows.h"

/* Chunks have twice the rows of the one before, until they have so many bytes. */
#define CHUNK_BYTES ((size_t) 8 << 20)

/* Returns the row of a batch that is the i-th of those that are taken. */
static inline size_t
row_of(const uint16_t *selection, size_t i)
{
	return selection == NULL ? i : selection[i];
}

/* Copies values, all or selected ones, perhaps to a narrower type. */
#define DEFINE_PUT(name, from, to)                                          \
	WA_VECTORISED static void name(const from *restrict values,             \
								   const uint16_t *selection, size_t nrows, \
								   to *restrict out)                        \
	{                                                                       \
		if (selection == NULL)                                              \
			for (size_t i = 0; i < nrows; i++)                              \
				out[i] = (to) values[i];                                    \
		else                                                                \
			for (size_t i = 0; i < nrows; i++)                              \
				out[i] = (to) values[selection[i]];                         \
	}

DEFINE_PUT(put_words, int64_t, int64_t)
DEFINE_PUT(put_numbers, int64_t, int32_t)
DEFINE_PUT(put_bytes, uint8_t, uint8_t)

/* Tells whether all words have room in narrow entries of a table. */
WA_VECTORISED static bool
are_narrow(const int64_t *words, size_t nrows)
{
	uint64_t beyond = 0;

	/* Either sum has a high bit if a word is too small, or too large. */
	for (size_t i = 0; i < nrows; i++)
		beyond |= ((uint64_t) words[i] + INT32_MAX) |
				  ((uint64_t) words[i] + INT32_MAX + 1);
	return beyond >> 32 == 0;
}

/* Has the smallest and the largest key be those of these keys, too. */
WA_VECTORISED static void
note_keys(const int64_t *keys, size_t nrows, int64_t *smallest,
		  int64_t *largest)
{
	int64_t low = *smallest;
	int64_t high = *largest;

	for (size_t i = 0; i < nrows; i++)
	{
		low = keys[i] < low ? keys[i] : low;
		high = keys[i] > high ? keys[i] : high;
	}
	*smallest = low;
	*largest = high;
}

const int64_t *
wa_row_chunk_keys(const WaRowChunk *chunk, size_t row, size_t nrows,
				  int64_t *buffer)
{
	if (chunk->narrow_keys == NULL)
		return chunk->keys + row;
	for (size_t i = 0; i < nrows; i++)
		buffer[i] = chunk->narrow_keys[row + i];
	return buffer;
}

WaRunRows *
wa_run_rows_make(WaArena *arena, const WaNumberedQuery *numbered)
{
	const WaQuery *query = &numbered->query;
	WaRunRows *rows = wa_arena_alloc_zero(arena, sizeof(*rows));

	if (rows == NULL)
		return NULL;
	rows->arena = arena;
	rows->ncolumns = query->nkeys - 1;
	rows->columns =
		wa_arena_alloc(arena, query->nkeys * sizeof(*rows->columns));
	if (rows->columns == NULL)
		return NULL;
	rows->row_bytes = sizeof(int64_t);
	for (uint32_t i = 0; i < rows->ncolumns; i++)
	{
		const WaVectorKind kind = numbered->asked->keys[i + 1].kind;

		rows->columns[i] = (WaRowValues){
			.kind = kind,
			.is_narrow = true,
			.display = -1,
			.others.end = numbered->key_texts[i + 1] == NULL
							  ? 0
							  : numbered->key_texts[i + 1]->ncodes};
		rows->row_bytes += wa_row_value_bytes(kind);
	}
	rows->smallest = INT64_MAX;
	rows->largest = INT64_MIN;
	return rows;
}

/* Returns how many rows the next chunk is to have room for, a multiple of 8. */
static uint32_t
next_room(const WaRunRows *rows)
{
	const size_t most = CHUNK_BYTES / rows->row_bytes;
	size_t room = rows->last == NULL ? 0 : (size_t) rows->last->room * 2;

	room = (room > most ? most : room) / WA_VECTOR_ROWS * WA_VECTOR_ROWS;
	return (uint32_t) (room < WA_VECTOR_ROWS ? WA_VECTOR_ROWS : room);
}

/* Returns the bytes of a chunk without the rows. */
static size_t
head_bytes(const WaRunRows *rows)
{
	return sizeof(WaRowChunk) + rows->ncolumns * sizeof(WaRowColumn);
}

/* Has a chunk be the last one. */
static void
append_chunk(WaRunRows *rows, WaRowChunk *chunk)
{
	if (rows->last == NULL)
		rows->first = chunk;
	else
		rows->last->next = chunk;
	rows->last = chunk;
	rows->nchunks++;
}

/* Adds a chunk without rows; false: there is not enough memory. */
static bool
add_chunk(WaRunRows *rows)
{
	const uint32_t room = next_room(rows);
	const size_t head = head_bytes(rows);
	char *memory = wa_arena_alloc(rows->arena, head + room * rows->row_bytes);
	WaRowChunk *chunk = (WaRowChunk *) (void *) memory;

	if (chunk == NULL)
		return false;
	memory += head;
	*chunk = (WaRowChunk){.room = room, .keys = (int64_t *) (void *) memory};
	memory += room * sizeof(int64_t);
	for (uint32_t i = 0; i < rows->ncolumns; i++)
	{
		chunk->columns[i] = (WaRowColumn){.values = memory};
		memory += room * wa_row_value_bytes(rows->columns[i].kind);
	}
	append_chunk(rows, chunk);
	return true;
}

/* Stores a number of a scale in units of its last digit that is shown; false: no room. */
static bool
put_shown(__int128 number, int scale, int display, int64_t *out)
{
	const int digits = scale - display;
	__int128 shown;

	if (digits < 0 || digits >= WA_WIDE_POWERS ||
		display > WA_DECIMAL_MAX_SCALE)
		return false;
	shown = digits == 0 ? number : number / wa_wide_power_of_ten(digits);
	*out = (int64_t) shown;
	return *out == shown &&
		   (digits == 0 || shown * wa_wide_power_of_ten(digits) == number);
}

/* Stores a DECIMAL of a vector in that way. */
static bool
put_decimal(const WaVector *vector, size_t row, int display, int64_t *out)
{
	return put_shown(vector->wide ? wa_int128_get(wa_vector_wides(vector)[row])
								  : wa_vector_ints(vector)[row],
					 vector->scale, display, out);
}

/* Stores DECIMALs; false: not all show the same number of digits, or have room. */
static bool
put_decimals(WaRowValues *column, const WaVector *vector,
			 const uint16_t *selection, size_t nrows, int64_t *out)
{
	if (!vector->wide && !vector->mixed && vector->scale == column->display)
	{
		put_words(wa_vector_ints(vector), selection, nrows, out);
		return true;
	}
	for (size_t i = 0; i < nrows; i++)
	{
		const size_t row = row_of(selection, i);
		const int display =
			vector->mixed ? vector->display[row] : vector->scale;

		out[i] = 0;
		if (!wa_vector_is_valid(vector, row))
			continue;
		if (column->display < 0)
			column->display = display;
		if (display != column->display ||
			!put_decimal(vector, row, display, &out[i]))
			return false;
	}
	return true;
}

/* Stores words, of any kind that has them. */
static void
put_column_words(WaRunRows *rows, WaRowValues *column, const WaVector *vector,
				 const uint16_t *selection, size_t nrows, int64_t *out)
{
	if (column->kind != WA_VECTOR_DECIMAL)
		put_words(wa_vector_ints(vector), selection, nrows, out);
	else if (!put_decimals(column, vector, selection, nrows, out))
	{
		rows->is_odd = true;
		return;
	}
	if (column->is_narrow)
		column->is_narrow = are_narrow(out, nrows);
}

/* Has the last chunk say which of its rows are not NULL; false: no memory. */
static bool
have_valid(const WaRunRows *rows, WaRowColumn *column)
{
	const WaRowChunk *chunk = rows->last;

	if (column->valid != NULL)
		return true;
	column->valid = wa_arena_alloc(rows->arena, chunk->room);
	if (column->valid == NULL)
		return false;
	memset(column->valid, 1, chunk->nrows);
	return true;
}

/* Stores which rows are not NULL, behind those that the chunk has; false: no memory. */
static bool
put_valid(WaRunRows *rows, WaRowColumn *column, const WaVector *vector,
		  const uint16_t *selection, size_t nrows)
{
	const WaRowChunk *chunk = rows->last;

	if (vector->has_nulls && !have_valid(rows, column))
		return false;
	if (vector->has_nulls)
		put_bytes(vector->valid, selection, nrows,
				  column->valid + chunk->nrows);
	else if (column->valid != NULL)
		memset(column->valid + chunk->nrows, 1, nrows);
	return true;
}

/* Stores the values of a column behind those that the chunk has; false: no memory. */
static bool
put_column(WaRunRows *rows, uint32_t number, const WaVector *vector,
		   const uint16_t *selection, size_t nrows)
{
	WaRowValues *values = &rows->columns[number];
	WaRowColumn *column = &rows->last->columns[number];
	const uint32_t first = rows->last->nrows;

	switch (values->kind)
	{
		case WA_VECTOR_TEXT:
			put_numbers(wa_vector_ints(vector), selection, nrows,
						(int32_t *) column->values + first);
			break;
		case WA_VECTOR_BOOL:
			put_bytes(wa_vector_bools(vector), selection, nrows,
					  (uint8_t *) column->values + first);
			break;
		default:
			put_column_words(rows, values, vector, selection, nrows,
							 (int64_t *) column->values + first);
			break;
	}
	return put_valid(rows, column, vector, selection, nrows);
}

/* Leaves out rows whose key is NULL; returns those that are left, NULL: all are. */
static const uint16_t *
select_keyed(WaRunRows *rows, const WaVector *keys, size_t *nrows)
{
	size_t count = 0;

	if (!keys->has_nulls)
		return NULL;
	for (size_t i = 0; i < *nrows; i++)
	{
		rows->selection[count] = (uint16_t) i;
		count += keys->valid[i];
	}
	*nrows = count;
	return rows->selection;
}

bool
wa_run_rows_take(WaRunRows *rows, WaVector *const *keys, size_t nrows)
{
	const uint16_t *selection = select_keyed(rows, keys[0], &nrows);
	int64_t *out;

	if (nrows == 0 || rows->is_odd)
		return true;
	if ((rows->last == NULL || rows->last->room - rows->last->nrows < nrows) &&
		!add_chunk(rows))
		return false;
	out = rows->last->keys + rows->last->nrows;
	put_words(wa_vector_ints(keys[0]), selection, nrows, out);
	note_keys(out, nrows, &rows->smallest, &rows->largest);
	for (uint32_t i = 0; i < rows->ncolumns; i++)
		if (!put_column(rows, i, keys[i + 1], selection, nrows))
			return false;
	rows->last->nrows += (uint32_t) nrows;
	rows->nrows += nrows;
	return true;
}

/* Stores a DECIMAL in that way; false: it has no room, or shows another number of digits. */
static bool
put_decimal_value(WaRowValues *column, const WaQueryValue *value, int64_t *out)
{
	const int display = (int) value->shown;
	__int128 number = value->integer;

	if (column->display < 0)
		column->display = display;
	if (value->is_wide || display != column->display ||
		display > WA_DECIMAL_MAX_SCALE)
		return false;
	/* A value ends with its last digit that is not 0. */
	if (value->scale < display)
		number *= wa_wide_power_of_ten(display - value->scale);
	return put_shown(number, value->scale < display ? display : value->scale,
					 display, out);
}

/* Returns the word that a value has in rows, a number in place of a text. */
static int64_t
word_of(WaRunRows *rows, WaRowValues *column, const WaQueryValue *value)
{
	int64_t word = 0;

	if (value->is_null)
		return 0;
	if (column->kind != WA_VECTOR_DECIMAL)
		return value->integer;
	if (!put_decimal_value(column, value, &word))
		rows->is_odd = true;
	return word;
}

/* Stores a value behind those that the last chunk has; false: no memory. */
static bool
add_value(WaRunRows *rows, uint32_t number, const WaQueryValue *value)
{
	WaRowValues *values = &rows->columns[number];
	WaRowColumn *column = &rows->last->columns[number];
	const uint32_t row = rows->last->nrows;
	const int64_t word = word_of(rows, values, value);

	switch (values->kind)
	{
		case WA_VECTOR_TEXT:
			((int32_t *) column->values)[row] = (int32_t) word;
			break;
		case WA_VECTOR_BOOL:
			((uint8_t *) column->values)[row] = (uint8_t) word;
			break;
		default:
			((int64_t *) column->values)[row] = word;
			values->is_narrow = values->is_narrow && are_narrow(&word, 1);
			break;
	}
	if (value->is_null && !have_valid(rows, column))
		return false;
	if (column->valid != NULL)
		column->valid[row] = !value->is_null;
	return true;
}

bool
wa_run_rows_add_one(WaRunRows *rows, const WaQueryValue *keys)
{
	const int64_t key = keys[0].integer;

	if (rows->is_odd)
		return true;
	if ((rows->last == NULL || rows->last->room == rows->last->nrows) &&
		!add_chunk(rows))
		return false;
	rows->last->keys[rows->last->nrows] = key;
	note_keys(&key, 1, &rows->smallest, &rows->largest);
	for (uint32_t i = 0; i < rows->ncolumns; i++)
		if (!add_value(rows, i, &keys[i + 1]))
			return false;
	rows->last->nrows++;
	rows->nrows++;
	return true;
}

/* Notes what is known of more values of a column; false: no table can hold all of them. */
static bool
note_known(WaRowValues *values, const WaRowValues *known)
{
	values->is_narrow &= known->is_narrow;
	if (values->display < 0)
		values->display = known->display;
	return known->display < 0 || known->display == values->display;
}

bool
wa_run_rows_add(WaRunRows *rows, const WaGivenRows *given)
{
	WaRowChunk *chunk = wa_arena_alloc(rows->arena, head_bytes(rows));

	if (chunk == NULL)
		return false;
	*chunk = (WaRowChunk){.nrows = given->nrows,
						  .room = given->nrows,
						  .keys = given->keys,
						  .narrow_keys = given->narrow_keys};
	for (uint32_t i = 0; i < rows->ncolumns; i++)
	{
		chunk->columns[i] = given->columns[i];
		rows->is_odd |= !note_known(&rows->columns[i], &given->known[i]);
	}
	append_chunk(rows, chunk);
	if (given->smallest < rows->smallest)
		rows->smallest = given->smallest;
	if (given->largest > rows->largest)
		rows->largest = given->largest;
	rows->nrows += given->nrows;
	return true;
}
