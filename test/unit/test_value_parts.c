/*
 * test_value_parts.c
 *		What is rolled up of lists of values (src/query/run/value_parts.h), against a reference
 *		(test_value_trial.h).
 */
#include "query/run/value_parts.h"
#include "test/unit/test_value_trial.h"

#define NO_LIMIT SIZE_MAX

/* What lists are brought together in. */
typedef struct Work
{
	size_t limit; /* of each arena */
	WaArena arena;
	WaArena list_arenas[MAX_LISTS];
	WaValueRun runs[MAX_LISTS];
	WaRecordTable *tables[MAX_RANKS];
	WaValueParts *parts;
} Work;

/* Has a list take some rows, at most WA_VECTOR_ROWS, as a vector. */
static bool
take_vector(WaValueList *list, const Row *const *rows, size_t nrows)
{
	static int64_t words[WA_VECTOR_ROWS];
	static uint8_t bools[WA_VECTOR_ROWS];
	static uint8_t valid[WA_VECTOR_ROWS];
	static uint32_t groups[WA_VECTOR_ROWS];
	const bool is_bool = list->kind == WA_VECTOR_BOOL;
	WaVector vector = {.values = is_bool ? (void *) bools : words,
					   .valid = valid};

	for (size_t i = 0; i < nrows; i++)
	{
		groups[i] = rows[i]->own;
		valid[i] = !rows[i]->is_null;
		vector.has_nulls |= rows[i]->is_null;
		words[i] = rows[i]->is_null ? 0 : rows[i]->value;
		bools[i] = (uint8_t) (is_bool && words[i] != 0);
	}
	return wa_value_list_take(list, trial.shape.ngroups > 1 ? groups : NULL,
							  &vector, nrows);
}

/* Has a list take its rows; returns false if there is not enough memory. */
static bool
fill_list(WaValueList *list, uint32_t number)
{
	static const Row *rows[WA_VECTOR_ROWS];
	size_t nrows = 0;

	for (size_t i = 0; i < trial.shape.nrows; i++)
	{
		const Row *row = &trial.rows[i];

		if (row->list != number)
			continue;
		if (trial.shape.weights == ONE_ROW)
			rows[nrows++] = row;
		else if (!row->is_null &&
				 !wa_value_list_add(list, row->own, row->value, row->rows))
			return false;
		if (nrows == LENGTH(rows))
		{
			if (!take_vector(list, rows, nrows))
				return false;
			nrows = 0;
		}
	}
	return take_vector(list, rows, nrows);
}

/* Makes the tables that take what is found. */
static bool
make_tables(Work *work)
{
	const WaQueryColumn *column = &trial.rolled.column;

	for (uint32_t i = 0; i < wa_query_rolled_columns(&trial.rolled); i++)
	{
		work->tables[i] =
			wa_records_make(&work->arena, column->kind, column->ops, NULL);
		if (work->tables[i] == NULL ||
			!wa_records_grow(work->tables[i], trial.shape.ngroups))
			return false;
	}
	return true;
}

static void
make_arena(void *context, WaArena *arena)
{
	wa_arena_init(arena, ((const Work *) context)->limit);
}

/* Sorts all parts, beginning anywhere. */
static bool
sort_parts(WaValueParts *parts)
{
	const uint32_t first = (uint32_t) random_below(parts->nparts);

	for (uint32_t i = 0; i < parts->nparts; i++)
		if (!wa_value_parts_sort(parts, (first + i) % parts->nparts))
			return false;
	return true;
}

/* Rolls the trial up; returns false if there is not enough memory. */
static bool
roll_up(Work *work)
{
	const Shape *shape = &trial.shape;

	for (uint32_t i = 0; i < trial.nlists; i++)
	{
		WaValueList *list =
			wa_value_list_make(&work->list_arenas[i], shape->kind);

		work->runs[i] = (WaValueRun){.list = list, .numbers = trial.numbers[i]};
		if (list == NULL || !fill_list(list, i))
			return false;
	}
	work->parts = wa_value_parts_begin(&work->arena, &trial.rolled, shape->kind,
									   work->runs, trial.nlists, shape->ngroups,
									   make_arena, work);
	if (work->parts == NULL)
		return false;
	for (uint32_t i = trial.nlists; i-- > 0;)
		if (!wa_value_parts_divide(work->parts, i))
			return false;
	return sort_parts(work->parts) && make_tables(work) &&
		   wa_value_parts_finish(work->parts, work->tables);
}

/* Begins to roll up with arenas of so many bytes each. */
static void
begin_work(Work *work, size_t limit)
{
	*work = (Work){.limit = limit};
	wa_arena_init(&work->arena, limit);
	for (uint32_t i = 0; i < MAX_LISTS; i++)
		wa_arena_init(&work->list_arenas[i], limit);
}

static void
end_work(Work *work)
{
	if (work->parts != NULL)
		wa_value_parts_end(work->parts);
	wa_arena_reset(&work->arena);
	for (uint32_t i = 0; i < MAX_LISTS; i++)
		wa_arena_reset(&work->list_arenas[i]);
}

/* Tells whether some arena has failed. */
static bool
has_failed(const Work *work)
{
	bool failed = work->arena.failed;

	for (uint32_t i = 0; i < MAX_LISTS; i++)
		failed = failed || work->list_arenas[i].failed;
	for (uint32_t i = 0; work->parts != NULL && i < work->parts->nparts; i++)
		failed = failed || work->parts->parts[i].arena.failed;
	return failed;
}

/* Tells whether a trial of a shape, in so many parts at least, is as expected. */
static bool
test_shape(const Shape *shape, uint32_t nparts)
{
	Work work;

	make_trial(shape);
	begin_work(&work, NO_LIMIT);
	EXPECT(roll_up(&work) && !has_failed(&work));
	EXPECT(work.parts->nparts >= nparts);
	EXPECT(are_expected(work.tables));
	end_work(&work);
	return true;
}

/* Draws a kind of values, and what is wanted of them. */
static Shape
draw_shape(void)
{
	static const WaVectorKind kinds[] = {WA_VECTOR_INT, WA_VECTOR_FLOAT,
										 WA_VECTOR_BOOL};
	Shape shape = {.kind = kinds[random_below(LENGTH(kinds))],
				   .has_ranks = random_below(2) == 0,
				   .weights = (Weights) random_below(NWEIGHTS),
				   .is_skewed = random_below(3) == 0};

	if (shape.kind == WA_VECTOR_INT && !shape.has_ranks && random_below(2) == 0)
		shape.ops = ALL_OPS;
	return shape;
}

/* Rows around the numbers that are sorted in another way, of few groups and many. */
static bool
test_sizes(void)
{
	static const size_t sizes[] = {0,    1,    2,    24,   25,   1023,
								   1025, 4097, 8192, 8193, 17000};
	static const uint32_t groups[] = {1, 2, 7, 300, 20000};
	static const uint64_t varieties[] = {1, 3, 40, 100000};

	for (int round = 0; round < 6; round++)
		for (size_t i = 0; i < LENGTH(sizes); i++)
			for (size_t j = 0; j < LENGTH(groups); j++)
			{
				Shape shape = draw_shape();

				shape.nrows = sizes[i];
				shape.ngroups = groups[j];
				shape.variety = varieties[random_below(LENGTH(varieties))];
				EXPECT(test_shape(&shape, 1));
			}
	return true;
}

/* So many entries that there are many parts. */
static bool
test_many_parts(bool has_ranks)
{
	static const uint32_t groups[] = {1, 5, 3000, 200000};
	static const uint64_t varieties[] = {20, UINT64_C(1) << 40};

	for (size_t i = 0; i < LENGTH(groups); i++)
		for (size_t j = 0; j < LENGTH(varieties); j++)
		{
			Shape shape = draw_shape();

			shape.kind = (i + j) % 2 == 0 ? WA_VECTOR_INT : WA_VECTOR_FLOAT;
			shape.has_ranks = has_ranks;
			shape.ops = shape.kind == WA_VECTOR_INT && !has_ranks ? ALL_OPS : 0;
			shape.nrows = 150000 + random_below(MAX_ROWS - 150000);
			shape.ngroups = groups[i];
			shape.variety = varieties[j];
			EXPECT(test_shape(&shape, 16));
		}
	return true;
}

/* Too little memory is noticed wherever it lacks. */
static bool
test_memory(bool has_ranks)
{
	const Shape shape = {.kind = WA_VECTOR_INT,
						 .ops = has_ranks ? 0 : ALL_OPS,
						 .has_ranks = has_ranks,
						 .nrows = 30000,
						 .ngroups = 500,
						 .variety = 1000,
						 .weights = has_ranks ? FEW_ROWS : ONE_ROW};
	unsigned nfailed = 0;
	bool done = false;
	Work work;

	make_trial(&shape);
	for (size_t limit = 0; !done; limit += 1 + random_below(limit / 16 + 256))
	{
		begin_work(&work, limit);
		done = roll_up(&work);
		EXPECT(has_failed(&work) == !done);
		EXPECT(!done || are_expected(work.tables));
		nfailed += !done;
		end_work(&work);
	}
	EXPECT(nfailed > 30);
	return true;
}

int
main(void)
{
	check(test_sizes(), "lists are brought together");
	check(test_many_parts(false), "values are taken once, in many parts");
	check(test_many_parts(true), "ranks are found, in many parts");
	check(test_memory(false) && test_memory(true),
		  "too little memory is noticed");
	end_trial();
	return finish_checks();
}
