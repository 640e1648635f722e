/*
 * records.c
 *		What the groups of a query keep of one aggregated column; see records.h.
 *
 * What all kinds of records share: which rows are taken, where the records lie.
 */
#include <string.h>

#include "query/records/records_internal.h"

#define FIRST_CAPACITY 16

/* Records that lie within so many bytes need not be fetched ahead. */
#define NEAR_BYTES ((size_t) 1024 * 1024)

/* Rows whose records are fetched together. */
#define FETCHED_ROWS 128

/* How far ahead of being merged records are fetched. */
#define FETCHED_MERGES 16

/* Returns how values of vectors of a kind are kept, NULL: they are counted. */
static const WaRecordKind *
choose_kind(WaVectorKind kind, WaOpSet ops)
{
	if (ops == 0)
		return NULL;
	switch (kind)
	{
		case WA_VECTOR_INT:
			return &wa_records_int;
		case WA_VECTOR_FLOAT:
			return &wa_records_float;
		case WA_VECTOR_DECIMAL:
			return &wa_records_decimal;
		default:
			return NULL;
	}
}

bool
wa_records_exist(WaVectorKind kind, WaOpSet ops)
{
	switch (ops)
	{
#define X(set) case set:
		WA_OP_SET_LIST(X)
#undef X
		return choose_kind(kind, ops) != NULL;
#define X(set) case set:
		WA_BIT_SET_LIST(X)
#undef X
		return kind == WA_VECTOR_INT;
		default:
			return ops == 0;
	}
}

int
wa_record_words(WaVectorKind kind, WaOpSet ops)
{
	return choose_kind(kind, ops) != NULL ? wa_record_layout(kind, ops).words
										  : 1;
}

WaRecordTable *
wa_records_make(WaArena *arena, WaVectorKind kind, WaOpSet ops,
				const WaRecordOwner *owner)
{
	WaRecordTable *table = wa_arena_alloc_zero(arena, sizeof(WaRecordTable));

	if (table == NULL)
		return NULL;
	table->arena = arena;
	table->owner = owner;
	table->ops = ops;
	table->kind = choose_kind(kind, ops);
	table->words = wa_record_words(kind, ops);
	table->empty =
		wa_arena_alloc_zero(arena, (size_t) table->words * sizeof(uint64_t));
	table->kept = wa_arena_alloc_vector(arena, WA_VECTOR_ROWS);
	table->display = wa_arena_alloc_vector(arena, WA_VECTOR_ROWS);
	table->values =
		wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(int64_t));
	table->groups =
		wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(uint32_t));
	if (arena->failed)
		return NULL;
	if (table->kind != NULL)
		table->kind->clear(table->empty, ops);
	return table;
}

/* Makes a group's record one of no rows. */
static inline void
clear_record(WaRecordTable *table, uint32_t group)
{
	memcpy(wa_record_of(table, group), table->empty,
		   (size_t) table->words * sizeof(uint64_t));
}

/* Makes the array of rests, if there is one, as large as there is room for. */
static bool
grow_rests(WaRecordTable *table, uint32_t capacity)
{
	if (table->rests == NULL)
		return true;
	if (!wa_arena_resize(table->arena, &table->rests,
						 (size_t) capacity * sizeof(void *)))
		return false;
	memset(table->rests + table->ngroups, 0,
		   (size_t) (capacity - table->ngroups) * sizeof(void *));
	return true;
}

/* Makes room for as many groups, at least; returns false if it cannot. */
static bool
reserve(WaRecordTable *table, uint32_t ngroups)
{
	uint64_t capacity =
		table->capacity > FIRST_CAPACITY ? table->capacity : FIRST_CAPACITY;

	while (capacity < ngroups)
		capacity *= 2;
	if (capacity > UINT32_MAX)
		capacity = UINT32_MAX;
	if (!wa_arena_resize(table->arena, &table->records,
						 (size_t) capacity * (size_t) table->words *
							 sizeof(uint64_t)) ||
		!grow_rests(table, (uint32_t) capacity))
		return false;
	table->capacity = (uint32_t) capacity;
	return true;
}

bool
wa_records_grow(WaRecordTable *table, uint32_t ngroups)
{
	if (ngroups <= table->ngroups)
		return true;
	if (ngroups > table->capacity && !reserve(table, ngroups))
		return false;
	for (uint32_t group = table->ngroups; group < ngroups; group++)
		clear_record(table, group);
	table->ngroups = ngroups;
	return true;
}

bool
wa_records_expect(WaRecordTable *table, uint32_t ngroups)
{
	return ngroups <= table->capacity || reserve(table, ngroups);
}

void **
wa_record_rest(WaRecordTable *table, uint32_t group)
{
	if (table->rests == NULL)
		table->rests = wa_arena_alloc_zero(
			table->arena, (size_t) table->capacity * sizeof(void *));
	return table->rests != NULL ? &table->rests[group] : NULL;
}

void
wa_records_clear(WaRecordTable *table, uint32_t group)
{
	clear_record(table, group);
	if (table->rests != NULL)
	{
		wa_arena_free(table->arena, table->rests[group]);
		table->rests[group] = NULL;
	}
}

void
wa_record_flush(WaRecordTable *table, uint32_t group)
{
	if (table->owner != NULL)
		table->owner->flush(table->owner->context, group);
	else
		table->overflowed = true;
}

void
wa_record_refuse(WaRecordTable *table, uint32_t group, int64_t value,
				 uint8_t scale, uint8_t display)
{
	if (table->owner != NULL)
		table->owner->take(table->owner->context, group, value, scale, display);
	else
		table->overflowed = true;
}

/*
 * Returns for each row 1 if it is taken, else 0; NULL if all are.  May be in
 * memory of the table.
 */
static const uint8_t *
mark_kept(const WaRecordTable *table, const uint8_t *keep,
		  const WaVector *vector, size_t nrows)
{
	const uint8_t *valid = vector->valid;
	uint8_t *kept = table->kept;

	if (keep == NULL)
		return vector->has_nulls ? valid : NULL;
	if (vector->has_nulls)
		for (size_t i = 0; i < nrows; i++)
			kept[i] = (keep[i] != 0) & valid[i];
	else
		for (size_t i = 0; i < nrows; i++)
			kept[i] = keep[i] != 0;
	return kept;
}

/* Keeps the marked rows only, in memory of the table; of many vectors that is all, or none. */
static void
compact(const WaRecordTable *table, WaTakenRows *rows, const uint8_t *kept)
{
	const int64_t *values = rows->values;
	int64_t *kept_values = table->values;
	size_t count = 0;
	size_t nkept = 0;

	if (memchr(kept, 0, rows->nrows) == NULL)
		return;
	if (memchr(kept, 1, rows->nrows) == NULL)
	{
		rows->nrows = 0;
		return;
	}
	for (size_t i = 0; i < rows->nrows; i++)
	{
		kept_values[nkept] = values[i];
		nkept += kept[i];
	}
	rows->values = kept_values;
	if (rows->groups != NULL)
	{
		for (size_t i = 0; i < rows->nrows; i++)
		{
			table->groups[count] = rows->groups[i];
			count += kept[i];
		}
		rows->groups = table->groups;
	}
	count = 0;
	if (rows->step != 0)
	{
		for (size_t i = 0; i < rows->nrows; i++)
		{
			table->display[count] = rows->display[i];
			count += kept[i];
		}
		rows->display = table->display;
	}
	rows->nrows = nkept;
}

/* Takes rows a few at a time, so that their records can be fetched ahead. */
static void
take_far(WaRecordTable *table, const WaTakenRows *rows)
{
	size_t stride = (size_t) table->words * sizeof(uint64_t);

	for (size_t first = 0; first < rows->nrows; first += FETCHED_ROWS)
	{
		WaTakenRows some = *rows;

		some.nrows = rows->nrows - first < FETCHED_ROWS ? rows->nrows - first
														: FETCHED_ROWS;
		some.groups += first;
		some.values = (const int64_t *) rows->values + first;
		some.display += first * rows->step;
		for (size_t i = 0; i < some.nrows; i++)
		{
			const char *record =
				(const char *) table->records + some.groups[i] * stride;

			__builtin_prefetch(record, 1);
			__builtin_prefetch(record + stride - 1, 1);
		}
		table->kind->take(table, &some);
	}
}

/* Takes rows of group 0; false if there is no room. */
static bool
take_together(WaRecordTable *table, const WaTakenRows *rows)
{
	if (!table->kind->take_together(table, rows))
		return false;
	table->records[0] += rows->nrows;
	return true;
}

/* Takes the values of a vector by its kind. */
static void
take_values(WaRecordTable *table, const uint32_t *groups, const uint8_t *keep,
			const WaVector *vector, size_t nrows)
{
	WaTakenRows rows = {
		.groups = groups,
		.type = table->kind == &wa_records_float ? WA_FLOAT8 : WA_INT8,
		.values = vector->values,
		.display = vector->mixed ? vector->display : &vector->scale,
		.step = vector->mixed,
		.scale = vector->scale,
		.nrows = nrows};
	const uint8_t *kept = mark_kept(table, keep, vector, nrows);

	if (vector->wide)
	{
		wa_records_take_wide(table, groups, kept, vector, nrows);
		return;
	}
	if (kept != NULL)
		compact(table, &rows, kept);
	if (rows.nrows == 0 || (groups == NULL && take_together(table, &rows)))
		return;
	if (groups != NULL &&
		table->ngroups * (size_t) table->words * sizeof(uint64_t) > NEAR_BYTES)
		take_far(table, &rows);
	else
		table->kind->take(table, &rows);
}

/* Counts the rows of a vector. */
static void
count_values(WaRecordTable *table, const uint32_t *groups, const uint8_t *keep,
			 const WaVector *vector, size_t nrows)
{
	const uint8_t *kept = mark_kept(table, keep, vector, nrows);
	uint64_t *records = table->records;

	if (groups == NULL && kept == NULL)
		records[0] += nrows;
	else if (groups == NULL)
		for (size_t i = 0; i < nrows; i++)
			records[0] += kept[i];
	else if (kept == NULL)
		for (size_t i = 0; i < nrows; i++)
			records[groups[i]]++;
	else
		for (size_t i = 0; i < nrows; i++)
			records[groups[i]] += kept[i];
}

void
wa_records_take(WaRecordTable *table, const uint32_t *groups,
				const uint8_t *keep, const WaVector *values, size_t nrows)
{
	if (table->kind == NULL)
		count_values(table, groups, keep, values, nrows);
	else
		take_values(table, groups, keep, values, nrows);
}

void
wa_records_count(WaRecordTable *table, size_t nrows)
{
	table->records[0] += nrows;
}

/* Tells how values of a form can be reduced as they lie; false: they cannot. */
static bool
find_type(WaForm form, WaOpSet ops, WaType *type)
{
	switch (form)
	{
		case WA_FORM_INT16:
			*type = WA_INT2;
			return true;
		case WA_FORM_INT32:
		case WA_FORM_DECIMAL32:
			*type = WA_INT4;
			return true;
		case WA_FORM_INT64:
		case WA_FORM_DECIMAL64:
			*type = WA_INT8;
			return true;
		case WA_FORM_UINT32:
			*type = WA_OID;
			return wa_reductions_exist(ops, WA_U32);
		case WA_FORM_FLOAT8:
			*type = WA_FLOAT8;
			return true;
		default:
			return false;
	}
}

/* Takes rows as they lie, if that can be done. */
static bool
take_column(WaRecordTable *table, const WaColumnRows *rows, size_t nrows)
{
	WaTakenRows taken = {.values = rows->values,
						 .display = &rows->scale,
						 .scale = rows->scale,
						 .nrows = nrows};

	return rows->validity == NULL && rows->display == NULL &&
		   find_type(rows->form, table->ops, &taken.type) &&
		   take_together(table, &taken);
}

/* Returns how many rows of a column are not NULL. */
static size_t
count_valid(const WaColumnRows *rows, size_t nrows)
{
	size_t nvalid = 0;

	if (rows->validity == NULL)
		return nrows;
	for (size_t i = 0; i < nrows; i++)
		nvalid += rows->validity[i];
	return nvalid;
}

void
wa_records_take_column(WaRecordTable *table, const WaColumnRows *rows,
					   size_t nrows, const WaVector *memory)
{
	if (table->kind == NULL)
	{
		wa_records_count(table, count_valid(rows, nrows));
		return;
	}
	if (take_column(table, rows, nrows))
		return;
	for (size_t first = 0; first < nrows; first += WA_VECTOR_ROWS)
	{
		const WaColumnRows some = wa_column_rows_after(rows, first);
		const size_t nsome =
			nrows - first < WA_VECTOR_ROWS ? nrows - first : WA_VECTOR_ROWS;
		WaVector vector;

		wa_column_rows_vector(&some, NULL, nsome, memory, &vector);
		wa_records_take(table, NULL, NULL, &vector, nsome);
	}
}

void
wa_records_take_value(WaRecordTable *table, uint32_t group, int64_t value,
					  uint8_t scale)
{
	WaTakenRows row = {.groups = &group,
					   .values = &value,
					   .display = &scale,
					   .scale = scale,
					   .nrows = 1};

	if (table->kind == NULL)
		wa_record_of(table, group)[0]++;
	else
		table->kind->take(table, &row);
}

bool
wa_records_merge(WaRecordTable *table, uint32_t group, const WaRecord *record)
{
	if (table->kind != NULL && !table->kind->merge(table, group, record))
		return false;
	*wa_record_of(table, group) += record->words[0];
	return true;
}

/* Adds the numbers of rows of records that have nothing else. */
static void
merge_counts(const WaRecordTable *table, const uint32_t *groups,
			 const WaRecordTable *others, const uint32_t *theirs,
			 size_t ntheirs)
{
	for (size_t i = 0; i < ntheirs; i++)
	{
		if (i + FETCHED_MERGES < ntheirs)
			__builtin_prefetch(&others->records[theirs[i + FETCHED_MERGES]]);
		table->records[groups[i]] += others->records[theirs[i]];
	}
}

bool
wa_records_merge_theirs(WaRecordTable *table, const uint32_t *groups,
						WaRecordTable *others, const uint32_t *theirs,
						size_t ntheirs)
{
	if (table->kind == NULL)
	{
		merge_counts(table, groups, others, theirs, ntheirs);
		return true;
	}
	for (size_t i = 0; i < ntheirs; i++)
	{
		WaRecord record;

		if (i + FETCHED_MERGES < ntheirs)
		{
			__builtin_prefetch(wa_record_of(table, groups[i + FETCHED_MERGES]),
							   1);
			__builtin_prefetch(
				wa_record_of(others, theirs[i + FETCHED_MERGES]));
		}
		wa_records_get(others, theirs[i], &record);
		if (record.words[0] != 0 &&
			!wa_records_merge(table, groups[i], &record))
			return false;
	}
	return true;
}

void
wa_records_set_scale(WaRecordTable *table, int scale)
{
	table->scale = scale;
}

void
wa_records_get(WaRecordTable *table, uint32_t group, WaRecord *record)
{
	record->words = wa_record_of(table, group);
	record->rest = NULL;
	record->wide = NULL;
	record->scale = table->scale;
	if (table->rests != NULL && table->rests[group] != NULL)
		table->kind->show_rest(table, group, record);
}

int
wa_records_scale(const WaRecordTable *table)
{
	return table->scale;
}

bool
wa_records_overflowed(const WaRecordTable *table)
{
	return table->overflowed;
}

bool
wa_record_is_sound(WaVectorKind kind, WaOpSet ops, const WaRecord *record)
{
	const WaRecordKind *chosen = choose_kind(kind, ops);

	/* So that no sum of numbers of rows is negative. */
	if (record->words[0] == 0 || record->words[0] >= UINT64_C(1) << 48 ||
		!wa_records_exist(kind, ops))
		return false;
	return chosen == NULL || chosen->is_sound == NULL ||
		   chosen->is_sound(ops, record);
}
