/*
 * row_sort.c
 *		The order of rows whose keys lie far apart; see row_sort.h.
 *
 * Each thread's rows are sorted by the digits of their keys, from the last one on (D. E.
 * Knuth, The Art of Computer Programming, vol. 3, section 5.2.5, algorithm R).  Parts are
 * divided by keys of a sample, and merged by a heap.
 */
#include <stdlib.h>
#include <string.h>

#include "query/run/row_sort.h"

/* Bits of a digit. */
#define DIGIT_BITS 11
#define DIGITS     (1 << DIGIT_BITS)

/* Samples for each part: parts are seldom much larger than others then. */
#define PART_SAMPLES 16

bool
wa_row_sort_make(WaRowSort *sort, WaArena *arena, const WaRunRows *const *rows,
				 uint32_t nruns, uint32_t nparts)
{
	uint64_t nrows = 0;

	*sort = (WaRowSort){.nruns = nruns, .nparts = nparts};
	sort->ends = wa_arena_alloc(arena, nruns * sizeof(*sort->ends));
	sort->begins = wa_arena_alloc(arena, (nparts + (size_t) 1) * nruns *
											 sizeof(*sort->begins));
	sort->rests =
		wa_arena_alloc(arena, (size_t) nparts * nruns * sizeof(*sort->rests));
	sort->nsamples = (uint64_t) nparts * PART_SAMPLES + nruns;
	sort->samples =
		wa_arena_alloc(arena, sort->nsamples * sizeof(*sort->samples));
	if (arena->failed)
		return false;
	for (uint32_t i = 0; i < nruns; i++)
	{
		nrows += rows[i]->nrows;
		sort->ends[i] = nrows;
	}
	sort->sorted = wa_arena_alloc(arena, (nrows + 1) * sizeof(WaRowPlace));
	sort->merged = wa_arena_alloc(arena, (nrows + 1) * sizeof(WaRowPlace));
	return !arena->failed;
}

/* Returns where the rows of a run begin. */
static inline uint64_t
begin_of(const WaRowSort *sort, uint32_t run)
{
	return run == 0 ? 0 : sort->ends[run - 1];
}

/* Stores the keys of a run and their places; tells whether they ascend already. */
static bool
list_places(const WaRunRows *rows, uint32_t chunk_number, WaRowPlace *places)
{
	int64_t before = rows->smallest;
	bool ascends = true;

	for (const WaRowChunk *chunk = rows->first; chunk != NULL;
		 chunk = chunk->next, chunk_number++)
		for (uint32_t i = 0; i < chunk->nrows; i++)
		{
			const int64_t key = wa_row_chunk_key(chunk, i);

			ascends &= before <= key;
			before = key;
			*places++ = (WaRowPlace){key, chunk_number, i};
		}
	return ascends;
}

/* Returns a digit of a key. */
static inline uint32_t
digit_of(const WaRowPlace *place, uint64_t smallest, int shift)
{
	return (uint32_t) (((uint64_t) place->key - smallest) >> shift) &
		   (DIGITS - 1);
}

/* Sorts by a digit; equal ones stay in their order. */
static void
sort_by_digit(const WaRowPlace *from, uint64_t count, uint64_t smallest,
			  int shift, WaRowPlace *to)
{
	uint64_t ends[DIGITS] = {0};
	uint64_t begin = 0;

	for (uint64_t i = 0; i < count; i++)
		ends[digit_of(&from[i], smallest, shift)]++;
	for (uint32_t digit = 0; digit < DIGITS; digit++)
	{
		const uint64_t with_digit = ends[digit];

		ends[digit] = begin;
		begin += with_digit;
	}
	for (uint64_t i = 0; i < count; i++)
		to[ends[digit_of(&from[i], smallest, shift)]++] = from[i];
}

void
wa_row_sort_run(const WaRowSort *sort, uint32_t run, const WaRunRows *rows,
				uint32_t first_chunk)
{
	const uint64_t begin = begin_of(sort, run);
	const uint64_t distance =
		(uint64_t) rows->largest - (uint64_t) rows->smallest;
	WaRowPlace *places = sort->sorted + begin;
	WaRowPlace *others = sort->merged + begin;

	if (list_places(rows, first_chunk, places))
		return;
	for (int shift = 0; shift < 64 && distance >> shift != 0;
		 shift += DIGIT_BITS)
	{
		WaRowPlace *from = places;

		sort_by_digit(from, rows->nrows, (uint64_t) rows->smallest, shift,
					  others);
		places = others;
		others = from;
	}
	if (places != sort->sorted + begin)
		memcpy(sort->sorted + begin, places, rows->nrows * sizeof(*places));
}

static int
compare_keys(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *) a;
	const int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* Takes a sample of all keys, in ascending order; returns how many they are. */
static uint64_t
take_samples(const WaRowSort *sort)
{
	const uint64_t nrows = sort->ends[sort->nruns - 1];
	const uint64_t step = nrows / ((uint64_t) sort->nparts * PART_SAMPLES) + 1;
	uint64_t count = 0;

	for (uint64_t i = step / 2; i < nrows && count < sort->nsamples; i += step)
		sort->samples[count++] = sort->sorted[i].key;
	qsort(sort->samples, count, sizeof(*sort->samples), compare_keys);
	return count;
}

/* Returns the first place of a run whose key is not less than another. */
static uint64_t
find_begin(const WaRowSort *sort, uint32_t run, int64_t key)
{
	uint64_t low = begin_of(sort, run);
	uint64_t high = sort->ends[run];

	while (low < high)
	{
		const uint64_t middle = low + (high - low) / 2;

		if (sort->sorted[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void
wa_row_sort_divide(const WaRowSort *sort)
{
	const uint64_t nsamples = take_samples(sort);

	for (uint32_t part = 0; part <= sort->nparts; part++)
	{
		const uint64_t sample = nsamples * part / sort->nparts;
		uint64_t *begins = sort->begins + (size_t) part * sort->nruns;

		for (uint32_t run = 0; run < sort->nruns; run++)
			begins[run] = part == 0 ? begin_of(sort, run)
						  : sample >= nsamples
							  ? sort->ends[run]
							  : find_begin(sort, run, sort->samples[sample]);
	}
}

/* Has the rest at a place of a heap, which may be too large, sink to where it belongs. */
static void
sink(WaRowRest *heap, uint32_t count, uint32_t place)
{
	const WaRowRest rest = heap[place];

	for (;;)
	{
		uint32_t child = 2 * place + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
			heap[child + 1].next->key < heap[child].next->key)
			child++;
		if (rest.next->key <= heap[child].next->key)
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = rest;
}

/* Merges what is left of runs, by a heap. */
static void
merge(WaRowRest *heap, uint32_t count, WaRowPlace *out)
{
	for (uint32_t i = count / 2; i > 0; i--)
		sink(heap, count, i - 1);
	while (count > 1)
	{
		*out++ = *heap[0].next++;
		if (heap[0].next == heap[0].end)
			heap[0] = heap[--count];
		sink(heap, count, 0);
	}
	if (count == 1)
		memcpy(out, heap[0].next,
			   (size_t) (heap[0].end - heap[0].next) * sizeof(*out));
}

const WaRowPlace *
wa_row_sort_merge(const WaRowSort *sort, uint32_t part, uint64_t *count,
				  uint64_t *first)
{
	const uint64_t *begins = sort->begins + (size_t) part * sort->nruns;
	const uint64_t *ends = begins + sort->nruns;
	WaRowRest *heap = sort->rests + (size_t) part * sort->nruns;
	uint32_t nrests = 0;

	*count = 0;
	*first = 0;
	for (uint32_t run = 0; run < sort->nruns; run++)
	{
		*first += begins[run] - begin_of(sort, run);
		*count += ends[run] - begins[run];
		if (begins[run] < ends[run])
			heap[nrests++] = (WaRowRest){sort->sorted + begins[run],
										 sort->sorted + ends[run]};
	}
	merge(heap, nrests, sort->merged + *first);
	return sort->merged + *first;
}
