/*
 * accumulate.c
 *		What the groups of a query keep of one aggregated column; see
 *		accumulate.h.
 *
 * What all kinds of accumulator share: which rows are taken, where the records
 * lie, and how they become transition states.  A group's record is moved to its
 * state before anything is put there by another way, so that the order of rows,
 * which min and max heed, is kept.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/memutils.h"

#include "scan/accumulate_kind.h"

#define FIRST_CAPACITY 64

/* Records that lie within so many bytes need not be fetched ahead. */
#define NEAR_BYTES ((Size) 1024 * 1024)

/* Rows whose records are fetched together. */
#define FETCHED_ROWS 128

/* Returns how values of vectors of a kind are accumulated, NULL for by states. */
static const WaAccumulatorKind *
choose_kind(const WaAggPlan *plan, WaVectorKind kind)
{
	if (plan->key.ops == 0)
		return NULL;
	switch (kind)
	{
		case WA_VECTOR_INT:
			return &wa_accumulate_int;
		case WA_VECTOR_FLOAT:
			return &wa_accumulate_float;
		case WA_VECTOR_DECIMAL:
			return &wa_accumulate_decimal;
		default:
			return NULL;
	}
}

WaAccumulator *
wa_accumulator_make(MemoryContext parent, const WaAggPlan *plan,
					WaVectorKind kind)
{
	MemoryContext context = AllocSetContextCreate(parent, "warpagg accumulator",
												  ALLOCSET_DEFAULT_SIZES);
	WaAccumulator *accumulator =
		MemoryContextAllocZero(context, sizeof(WaAccumulator));

	accumulator->context = context;
	accumulator->scratch = AllocSetContextCreate(
		context, "warpagg accumulator scratch", ALLOCSET_DEFAULT_SIZES);
	accumulator->plan = plan;
	accumulator->ops = plan->key.ops;
	accumulator->vector_kind = kind;
	accumulator->kind = choose_kind(plan, kind);
	accumulator->words = accumulator->kind != NULL
							 ? accumulator->kind->record_words(accumulator->ops)
							 : 1;
	accumulator->empty =
		MemoryContextAllocZero(context, accumulator->words * sizeof(uint64));
	if (accumulator->kind != NULL)
		accumulator->kind->clear(accumulator->empty, accumulator->ops);
	accumulator->kept = MemoryContextAlloc(context, WA_VECTOR_ROWS);
	accumulator->display = MemoryContextAlloc(context, WA_VECTOR_ROWS);
	accumulator->values =
		MemoryContextAlloc(context, WA_VECTOR_ROWS * sizeof(int64));
	accumulator->groups =
		MemoryContextAlloc(context, WA_VECTOR_ROWS * sizeof(uint32));
	return accumulator;
}

/* Makes a group's record one of no rows. */
static inline void
clear_record(WaAccumulator *accumulator, uint32 group)
{
	memcpy(wa_accumulator_record(accumulator, group), accumulator->empty,
		   accumulator->words * sizeof(uint64));
}

/* Returns an array of pointers for the groups, all NULL. */
static void **
make_pointers(const WaAccumulator *accumulator)
{
	return MemoryContextAllocExtended(
		accumulator->context, (Size) accumulator->capacity * sizeof(void *),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Returns the array, which may be NULL, for as many groups as there are now. */
static void *
grow_pointers(const WaAccumulator *accumulator, void **pointers)
{
	if (pointers == NULL)
		return NULL;
	pointers =
		repalloc_huge(pointers, (Size) accumulator->capacity * sizeof(void *));
	memset(pointers + accumulator->ngroups, 0,
		   (accumulator->capacity - accumulator->ngroups) * sizeof(void *));
	return pointers;
}

/* Makes room for as many groups, at least. */
static void
reserve(WaAccumulator *accumulator, uint32 ngroups)
{
	uint64 capacity = Max(accumulator->capacity, FIRST_CAPACITY);
	Size bytes;

	while (capacity < ngroups)
		capacity *= 2;
	accumulator->capacity = (uint32) Min(capacity, PG_UINT32_MAX);
	bytes = (Size) accumulator->capacity * accumulator->words * sizeof(uint64);
	if (accumulator->records == NULL)
		accumulator->records =
			MemoryContextAllocHuge(accumulator->context, bytes);
	else
		accumulator->records = repalloc_huge(accumulator->records, bytes);
	accumulator->states =
		grow_pointers(accumulator, (void **) accumulator->states);
	accumulator->rests = grow_pointers(accumulator, accumulator->rests);
}

void
wa_accumulator_grow(WaAccumulator *accumulator, uint32 ngroups)
{
	if (ngroups <= accumulator->ngroups)
		return;
	if (ngroups > accumulator->capacity)
		reserve(accumulator, ngroups);
	for (uint32 group = accumulator->ngroups; group < ngroups; group++)
		clear_record(accumulator, group);
	accumulator->ngroups = ngroups;
}

/* Returns the state of a group, NULL if it has none. */
static WaAggState *
state_of(const WaAccumulator *accumulator, uint32 group)
{
	return accumulator->states != NULL ? accumulator->states[group] : NULL;
}

void **
wa_accumulator_rest(WaAccumulator *accumulator, uint32 group)
{
	if (accumulator->rests == NULL)
		accumulator->rests = make_pointers(accumulator);
	return &accumulator->rests[group];
}

/* Puts the rows of a group's record into a state without rows. */
static void
put_record(const WaAccumulator *accumulator, uint32 group, WaAggState *state)
{
	const uint64 *record = wa_accumulator_record(accumulator, group);

	if (accumulator->kind != NULL)
		accumulator->kind->put(accumulator, group, state);
	state->rows = (int64) record[0];
}

/* Returns a new state in the scratch memory. */
static WaAggState *
scratch_state(const WaAccumulator *accumulator)
{
	MemoryContextReset(accumulator->scratch);
	return wa_state_make(accumulator->scratch, accumulator->plan);
}

/* Makes a group's record and rest those of no rows. */
static void
forget_record(WaAccumulator *accumulator, uint32 group)
{
	clear_record(accumulator, group);
	if (accumulator->rests != NULL && accumulator->rests[group] != NULL)
	{
		pfree(accumulator->rests[group]);
		accumulator->rests[group] = NULL;
	}
}

WaAggState *
wa_accumulator_flush(WaAccumulator *accumulator, uint32 group)
{
	bool has_rows = *wa_accumulator_record(accumulator, group) != 0;
	WaAggState *state = state_of(accumulator, group);
	WaAggState *later;

	if (state == NULL)
	{
		if (accumulator->states == NULL)
			accumulator->states = (WaAggState **) make_pointers(accumulator);
		state = wa_state_make(accumulator->context, accumulator->plan);
		accumulator->states[group] = state;
		if (has_rows)
			put_record(accumulator, group, state);
	}
	else if (has_rows)
	{
		later = scratch_state(accumulator);
		put_record(accumulator, group, later);
		wa_state_merge(state, later);
	}
	if (has_rows)
		forget_record(accumulator, group);
	return state;
}

/*
 * Returns for each row 1 if it is taken, else 0; NULL if all are.  May be in
 * memory of the accumulator.
 */
static const uint8 *
mark_kept(const WaAccumulator *accumulator, const uint8 *keep,
		  const WaVector *vector, size_t nrows)
{
	const uint8 *valid = vector->valid;
	uint8 *kept = accumulator->kept;

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

/* Keeps the marked rows only, in memory of the accumulator. */
static void
compact(const WaAccumulator *accumulator, WaTakenRows *rows, const uint8 *kept)
{
	const int64 *values = rows->values;
	int64 *kept_values = accumulator->values;
	size_t count = 0;
	size_t nkept = 0;

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
			accumulator->groups[count] = rows->groups[i];
			count += kept[i];
		}
		rows->groups = accumulator->groups;
	}
	count = 0;
	if (rows->step != 0)
	{
		for (size_t i = 0; i < rows->nrows; i++)
		{
			accumulator->display[count] = rows->display[i];
			count += kept[i];
		}
		rows->display = accumulator->display;
	}
	rows->nrows = nkept;
}

/* Takes rows a few at a time, so that their records can be fetched ahead. */
static void
take_far(WaAccumulator *accumulator, const WaTakenRows *rows)
{
	Size stride = accumulator->words * sizeof(uint64);

	for (size_t first = 0; first < rows->nrows; first += FETCHED_ROWS)
	{
		WaTakenRows some = *rows;

		some.nrows = Min(rows->nrows - first, FETCHED_ROWS);
		some.groups += first;
		some.values = (const int64 *) rows->values + first;
		some.display += first * rows->step;
		for (size_t i = 0; i < some.nrows; i++)
		{
			const char *record =
				(const char *) accumulator->records + some.groups[i] * stride;

			__builtin_prefetch(record, 1);
			__builtin_prefetch(record + stride - 1, 1);
		}
		accumulator->kind->take(accumulator, &some);
	}
}

/* Takes the values of a vector by its kind. */
static void
take_values(WaAccumulator *accumulator, const uint32 *groups, const uint8 *keep,
			const WaVector *vector, size_t nrows)
{
	WaTakenRows rows = {.groups = groups,
						.values = vector->values,
						.display =
							vector->mixed ? vector->display : &vector->scale,
						.step = vector->mixed,
						.scale = vector->scale,
						.nrows = nrows};
	const uint8 *kept = mark_kept(accumulator, keep, vector, nrows);

	if (kept != NULL)
		compact(accumulator, &rows, kept);
	if (rows.nrows == 0)
		return;
	if (groups != NULL &&
		accumulator->ngroups * accumulator->words * sizeof(uint64) > NEAR_BYTES)
		take_far(accumulator, &rows);
	else
		accumulator->kind->take(accumulator, &rows);
}

/* Counts the rows of a vector. */
static void
count_values(WaAccumulator *accumulator, const uint32 *groups,
			 const uint8 *keep, const WaVector *vector, size_t nrows)
{
	const uint8 *kept = mark_kept(accumulator, keep, vector, nrows);
	uint64 *records = accumulator->records;

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

/* Returns a row's value as one of SQL, in the current memory context. */
static Datum
datum_of(const WaAccumulator *accumulator, const WaVector *vector, size_t row)
{
	if (accumulator->vector_kind == WA_VECTOR_TEXT)
	{
		const WaText *text = &wa_vector_texts(vector)[row];
		struct varlena *value = palloc(VARHDRSZ + text->length);

		SET_VARSIZE(value, VARHDRSZ + text->length);
		memcpy(VARDATA(value), text->data, text->length);
		return PointerGetDatum(value);
	}
	if (accumulator->vector_kind == WA_VECTOR_BOOL)
		return BoolGetDatum(wa_vector_bools(vector)[row] != 0);
	elog(ERROR, "unexpected kind %d of a vector", accumulator->vector_kind);
}

/* Takes the values of a vector into transition states. */
static void
take_into_states(WaAccumulator *accumulator, const uint32 *groups,
				 const uint8 *keep, const WaVector *vector, size_t nrows)
{
	MemoryContext old = MemoryContextSwitchTo(accumulator->scratch);

	for (size_t i = 0; i < nrows; i++)
	{
		WaAggState *state;

		if ((keep != NULL && keep[i] == 0) || !wa_vector_is_valid(vector, i))
			continue;
		state =
			wa_accumulator_flush(accumulator, groups == NULL ? 0 : groups[i]);
		wa_state_take(state, datum_of(accumulator, vector, i));
		MemoryContextReset(accumulator->scratch);
	}
	MemoryContextSwitchTo(old);
}

void
wa_accumulator_take(WaAccumulator *accumulator, const uint32 *groups,
					const uint8 *keep, const WaVector *values, size_t nrows)
{
	if (accumulator->ops == 0)
		count_values(accumulator, groups, keep, values, nrows);
	else if (accumulator->kind != NULL)
		take_values(accumulator, groups, keep, values, nrows);
	else
		take_into_states(accumulator, groups, keep, values, nrows);
}

void
wa_accumulator_take_datum(WaAccumulator *accumulator, uint32 group, Datum value)
{
	MemoryContext old;
	int64 stored;
	WaTakenRows row = {.groups = &group, .values = &stored, .nrows = 1};

	if (accumulator->ops == 0)
	{
		accumulator->records[group]++;
		return;
	}
	MemoryContextReset(accumulator->scratch);
	old = MemoryContextSwitchTo(accumulator->scratch);
	row.display = &row.scale;
	if (accumulator->kind != NULL &&
		accumulator->kind->store(accumulator, value, &stored, &row.scale))
		accumulator->kind->take(accumulator, &row);
	else
		wa_state_take(wa_accumulator_flush(accumulator, group), value);
	MemoryContextSwitchTo(old);
}

void
wa_accumulator_merge(WaAccumulator *accumulator, uint32 group,
					 const WaAggState *state)
{
	if (state->rows == 0)
		return;
	if (accumulator->ops == 0 ||
		(accumulator->kind != NULL &&
		 accumulator->kind->merge(accumulator, group, state)))
		*wa_accumulator_record(accumulator, group) += (uint64) state->rows;
	else
		wa_state_merge(wa_accumulator_flush(accumulator, group), state);
}

WaAggState *
wa_accumulator_state(WaAccumulator *accumulator, uint32 group)
{
	WaAggState *state = state_of(accumulator, group);

	if (state != NULL)
	{
		wa_accumulator_flush(accumulator, group);
		wa_state_collect(state);
		return state->rows == 0 ? NULL : state;
	}
	if (*wa_accumulator_record(accumulator, group) == 0)
		return NULL;
	state = scratch_state(accumulator);
	put_record(accumulator, group, state);
	return state;
}

Size
wa_accumulator_bytes(const WaAccumulator *accumulator)
{
	return MemoryContextMemAllocated(accumulator->context, true);
}
