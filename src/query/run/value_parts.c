/*
 * value_parts.c
 *		What is rolled up of several lists of values; see value_parts.h.
 *
 * Parts are divided by keys of a sample, in a search tree without branches (P. Sanders and
 * S. Winkel, Super Scalar Sample Sort, 2004).
 */
#include <math.h>
#include <string.h>

#include "query/run/value_parts.h"

/* Entries that a part should have, so that it is sorted in a cache. */
#define PART_ENTRIES 8192

/* At most; a power of two. */
#define MAX_PARTS 1024

/* Samples for each part: parts are seldom much larger than others then. */
#define PART_SAMPLES 16

/* Returns how many parts so many entries are divided into: a power of two. */
static uint32_t
choose_parts(uint64_t count)
{
	uint32_t nparts = 1;

	while (nparts < MAX_PARTS && (uint64_t) nparts * PART_ENTRIES < count)
		nparts *= 2;
	return nparts;
}

/* Returns an entry of a run with its group's number among all. */
static inline WaValueEntry
numbered(const WaValueRun *run, size_t number)
{
	WaValueEntry entry = run->list->entries[number];

	if (run->numbers != NULL)
		entry.group = run->numbers[entry.group];
	return entry;
}

/* Takes samples of all runs, in proportion to their entries; returns how many. */
static size_t
take_samples(const WaValueParts *parts, uint64_t count, WaValueEntry *samples)
{
	const uint64_t wanted = (uint64_t) parts->nparts * PART_SAMPLES;
	const uint64_t step = count / wanted + 1;
	uint64_t skip = step / 2;
	size_t nsamples = 0;

	for (uint32_t i = 0; i < parts->nruns; i++)
	{
		const WaValueRun *run = &parts->runs[i];

		for (; skip < run->list->count; skip += step)
			samples[nsamples++] = numbered(run, (size_t) skip);
		skip -= run->list->count;
	}
	return nsamples;
}

/* Returns where a part begins that a sample is in: equal values are in one. */
static WaValueKey
border_of(const WaValueParts *parts, const WaValueEntry *sample)
{
	WaValueEntry first = *sample;

	/* -0 and 0 are equal. */
	if (wa_value_words_match(parts->kind, first.word - 1, first.word))
		first.word--;
	return wa_value_key(&first);
}

/*
 * Stores the borders of sorted samples in the tree: below node i are nodes 2 i, with what comes
 * before it, and 2 i + 1.
 */
static void
make_tree(WaValueParts *parts, uint32_t node, uint32_t begin, uint32_t end,
		  const WaValueEntry *samples, size_t nsamples)
{
	const uint32_t middle = begin + (end - begin) / 2;

	if (begin >= end)
		return;
	parts->borders[node] =
		border_of(parts, &samples[(middle + 1) * nsamples / parts->nparts]);
	make_tree(parts, 2 * node, begin, middle, samples, nsamples);
	make_tree(parts, 2 * node + 1, middle + 1, end, samples, nsamples);
}

/* Finds the borders of parts; returns false if there is not enough memory. */
static bool
find_borders(WaValueParts *parts, uint64_t count)
{
	const size_t most =
		(size_t) parts->nparts * PART_SAMPLES + parts->nruns + (size_t) 1;
	WaValueEntry *samples =
		wa_arena_alloc(parts->arena, 2 * most * sizeof(*samples));
	size_t nsamples;

	parts->borders =
		wa_arena_alloc_zero(parts->arena, parts->nparts * sizeof(WaValueKey));
	if (parts->arena->failed)
		return false;
	nsamples = take_samples(parts, count, samples);
	wa_value_sort(samples, nsamples, samples + most);
	if (nsamples > 0)
		make_tree(parts, 1, 0, parts->nparts - 1, samples, nsamples);
	wa_arena_free(parts->arena, samples);
	return true;
}

WaValueParts *
wa_value_parts_begin(WaArena *arena, const WaQueryRolled *rolled,
					 WaVectorKind kind, WaValueRun *runs, uint32_t nruns,
					 uint32_t ngroups,
					 void (*make_arena)(void *context, WaArena *arena),
					 void *context)
{
	WaValueParts *parts = wa_arena_alloc_zero(arena, sizeof(*parts));
	const size_t nfound = (size_t) ngroups * rolled->nranks;
	uint64_t count = 0;

	if (parts == NULL)
		return NULL;
	for (uint32_t i = 0; i < nruns; i++)
		count += runs[i].list->count;
	*parts = (WaValueParts){.arena = arena,
							.rolled = rolled,
							.kind = kind,
							.ngroups = ngroups,
							.nruns = nruns,
							.runs = runs,
							.nparts = choose_parts(count)};
	parts->parts =
		wa_arena_alloc_zero(arena, parts->nparts * sizeof(WaValuePart));
	parts->distinct =
		wa_arena_alloc_zero(arena, (ngroups + (size_t) 1) * sizeof(uint64_t));
	parts->found = wa_arena_alloc(arena, (nfound + 1) * sizeof(uint64_t));
	parts->is_found = wa_arena_alloc_zero(arena, nfound + 1);
	if (arena->failed || !find_borders(parts, count))
		return NULL;
	for (uint32_t i = 0; i < parts->nparts; i++)
		make_arena(context, &parts->parts[i].arena);
	return parts;
}

/* Returns the part of an entry. */
static inline uint32_t
part_of(const WaValueParts *parts, const WaValueEntry *entry)
{
	const WaValueKey key = wa_value_key(entry);
	uint32_t node = 1;

	while (node < parts->nparts)
		node = 2 * node + (parts->borders[node] <= key);
	return node - parts->nparts;
}

bool
wa_value_parts_divide(WaValueParts *parts, uint32_t run_number)
{
	WaValueRun *run = &parts->runs[run_number];
	const size_t count = run->list->count;
	WaArena *arena = run->list->arena;
	uint16_t *part = wa_arena_alloc(arena, (count + 1) * sizeof(*part));
	size_t begin = 0;

	run->ends = wa_arena_alloc_zero(arena, parts->nparts * sizeof(size_t));
	run->divided = wa_arena_alloc(arena, (count + 1) * sizeof(WaValueEntry));
	if (arena->failed)
		return false;
	for (size_t i = 0; i < count; i++)
	{
		const WaValueEntry entry = numbered(run, i);

		part[i] = (uint16_t) part_of(parts, &entry);
		run->ends[part[i]]++;
	}
	for (uint32_t i = 0; i < parts->nparts; i++)
	{
		const size_t in_part = run->ends[i];

		run->ends[i] = begin;
		begin += in_part;
	}
	for (size_t i = 0; i < count; i++)
		run->divided[run->ends[part[i]]++] = numbered(run, i);
	wa_arena_free(arena, part);
	wa_value_list_forget(run->list);
	return true;
}

/* Gathers the entries of a part; returns false if there is not enough memory. */
static bool
gather(const WaValueParts *parts, uint32_t number, WaValuePart *part,
	   WaValueEntry **others)
{
	size_t count = 0;

	for (uint32_t i = 0; i < parts->nruns; i++)
		count += parts->runs[i].ends[number] -
				 (number == 0 ? 0 : parts->runs[i].ends[number - 1]);
	part->entries =
		wa_arena_alloc(&part->arena, (count + 1) * sizeof(WaValueEntry));
	*others = wa_arena_alloc(&part->arena, (count + 1) * sizeof(WaValueEntry));
	if (part->arena.failed)
		return false;
	for (uint32_t i = 0; i < parts->nruns; i++)
	{
		const WaValueRun *run = &parts->runs[i];
		const size_t begin = number == 0 ? 0 : run->ends[number - 1];
		const size_t some = run->ends[number] - begin;

		memcpy(part->entries + part->count, run->divided + begin,
			   some * sizeof(WaValueEntry));
		part->count += some;
	}
	return true;
}

/* Has the entries of -0 before number `end`, which is of 0 of the same group, be of 0, too. */
static void
have_zeros(WaValueEntry *entries, size_t end, const WaValueEntry *zero)
{
	while (end > 0 && entries[end - 1].group == zero->group &&
		   entries[end - 1].word == zero->word - 1)
		entries[--end].word = zero->word;
}

/*
 * Leaves one entry of each value of a group, with all its rows, or several that look alike: as the
 * last one does, so that it is 0 of 0 and -0.
 */
static void
unite(const WaValueParts *parts, WaValuePart *part)
{
	WaValueEntry *entries = part->entries;
	size_t count = 0;

	for (size_t i = 0; i < part->count; i++)
	{
		WaValueEntry *last = &entries[count - (count > 0)];
		const bool is_same =
			count > 0 && last->group == entries[i].group &&
			wa_value_words_match(parts->kind, last->word, entries[i].word);

		if (is_same && last->word != entries[i].word)
			have_zeros(entries, count, &entries[i]);
		/* More rows are two entries, where they are counted. */
		if (is_same && (parts->rolled->nranks == 0 ||
						(uint64_t) last->rows + entries[i].rows <= UINT32_MAX))
			last->rows += entries[i].rows;
		else
			entries[count++] = entries[i];
	}
	part->count = count;
}

/* Where a rank lies among the rows of a group, which are numbered from 0. */
typedef struct Place
{
	uint64_t low;
	uint64_t high; /* the same, or the next one, and: */
	double share;  /* of the way from one to the other */
} Place;

/* Returns the place of a rank among so many rows, as PostgreSQL finds it. */
static Place
place_of(const WaQueryRank *rank, uint64_t rows)
{
	double exact;

	if (rank->kind == WA_QUERY_RANK_DISC)
	{
		const uint64_t nth = (uint64_t) ceil(rank->fraction * (double) rows);
		const uint64_t place = nth == 0 ? 0 : nth - 1;

		return (Place){.low = place, .high = place};
	}
	exact = rank->fraction * (double) (rows - 1);
	return (Place){.low = (uint64_t) floor(exact),
				   .high = (uint64_t) ceil(exact),
				   .share = exact - floor(exact)};
}

/* Returns what lies between two floats. */
static uint64_t
word_between(uint64_t low_word, uint64_t high_word, double share)
{
	const int64_t bits[2] = {wa_value_of_word(WA_VECTOR_FLOAT, low_word),
							 wa_value_of_word(WA_VECTOR_FLOAT, high_word)};
	double values[2];
	double result;
	int64_t result_bits;

	memcpy(values, bits, sizeof(values));
	result = values[0] + share * (values[1] - values[0]);
	memcpy(&result_bits, &result, sizeof(result_bits));
	return wa_value_word(WA_VECTOR_FLOAT, result_bits);
}

/* What some parts have of a group, part after part. */
typedef struct Spans
{
	const WaValuePart *const *parts;
	const WaValueSpan *const *spans;
	uint32_t count;
	uint64_t rows;
	bool descends;
} Spans;

/* Returns the word of a row, by its number from the smallest on. */
static uint64_t
word_at(const Spans *spans, uint64_t row)
{
	for (uint32_t i = 0; i < spans->count; i++)
	{
		const WaValueSpan *span = spans->spans[i];
		const WaValueEntry *entry = spans->parts[i]->entries + span->begin;

		if (row >= span->rows)
		{
			row -= span->rows;
			continue;
		}
		for (; row >= entry->rows; entry++)
			row -= entry->rows;
		return entry->word;
	}
	return 0;
}

/* Returns the word of a row, by its number in the order of the values. */
static uint64_t
word_in_order(const Spans *spans, uint64_t row)
{
	return word_at(spans, spans->descends ? spans->rows - 1 - row : row);
}

/* Returns the word that most rows have, the first one of several. */
static uint64_t
find_mode(const Spans *spans)
{
	uint64_t mode = 0;
	uint64_t most = 0;

	for (uint32_t i = 0; i < spans->count; i++)
	{
		const WaValueEntry *entries = spans->parts[i]->entries;

		for (size_t j = spans->spans[i]->begin; j < spans->spans[i]->end; j++)
		{
			uint64_t rows = entries[j].rows;

			while (j + 1 < spans->spans[i]->end &&
				   entries[j + 1].word == entries[j].word)
				rows += entries[++j].rows;
			if (rows > most || (rows == most && spans->descends))
			{
				most = rows;
				mode = entries[j].word;
			}
		}
	}
	return mode;
}

/* Finds the ranks of a group, of which the spans have all rows. */
static void
find_ranks(WaValueParts *parts, uint32_t group, const Spans *spans)
{
	const WaQueryRolled *rolled = parts->rolled;

	for (uint32_t i = 0; i < rolled->nranks; i++)
	{
		const WaQueryRank *rank = &rolled->ranks[i];
		const size_t number = (size_t) group * rolled->nranks + i;
		uint64_t word;
		Place place;

		if (rank->kind == WA_QUERY_RANK_MODE)
			word = find_mode(spans);
		else
		{
			place = place_of(rank, spans->rows);
			word = word_in_order(spans, place.low);
			if (place.high > place.low)
				word = word_between(word, word_in_order(spans, place.high),
									place.share);
		}
		parts->found[number] = word;
		parts->is_found[number] = 1;
	}
}

/* Takes what a part has of a group: all of it, or else a span. */
static void
take_group(WaValueParts *parts, WaValuePart *part, const WaValueSpan *span)
{
	const WaValuePart *const own_part = part;
	const Spans spans = {.parts = &own_part,
						 .spans = &span,
						 .count = 1,
						 .rows = span->rows,
						 .descends = parts->rolled->descends};

	if (parts->rolled->nranks == 0)
		(void) __atomic_add_fetch(&parts->distinct[span->group],
								  span->end - span->begin, __ATOMIC_RELAXED);
	else if (span->begin == 0 || span->end == part->count)
		part->spans[part->nspans++] = *span;
	else
		find_ranks(parts, span->group, &spans);
}

bool
wa_value_parts_sort(WaValueParts *parts, uint32_t number)
{
	WaValuePart *part = &parts->parts[number];
	WaValueEntry *others;
	WaValueSpan span = {0};

	if (!gather(parts, number, part, &others))
		return false;
	wa_value_sort(part->entries, part->count, others);
	wa_arena_free(&part->arena, others);
	unite(parts, part);
	for (size_t i = 0; i < part->count; i++)
	{
		span.group = part->entries[i].group;
		span.rows += part->entries[i].rows;
		span.end = i + 1;
		if (span.end < part->count &&
			part->entries[span.end].group == span.group)
			continue;
		take_group(parts, part, &span);
		span = (WaValueSpan){.begin = span.end};
	}
	return true;
}

/*
 * Finds the ranks of groups that several parts may have; spans and owners: memory for two of each
 * part.
 */
static void
find_ranks_of_several(WaValueParts *parts, const WaValueSpan **spans,
					  const WaValuePart **owners)
{
	uint32_t count = 0;
	uint32_t begin = 0;

	for (uint32_t i = 0; i < parts->nparts; i++)
		for (uint32_t j = 0; j < parts->parts[i].nspans; j++)
		{
			owners[count] = &parts->parts[i];
			spans[count++] = &parts->parts[i].spans[j];
		}
	while (begin < count)
	{
		Spans some = {.parts = owners + begin,
					  .spans = spans + begin,
					  .descends = parts->rolled->descends};
		const uint32_t group = spans[begin]->group;

		for (; begin < count && spans[begin]->group == group; begin++)
		{
			some.rows += spans[begin]->rows;
			some.count++;
		}
		find_ranks(parts, group, &some);
	}
}

/* Has a table count the values of each group. */
static void
count_values(const WaValueParts *parts, WaRecordTable *table)
{
	for (uint32_t group = 0; group < parts->ngroups; group++)
	{
		const WaRecord record = {.words = &parts->distinct[group]};

		if (parts->distinct[group] > 0)
			(void) !wa_records_merge(table, group, &record);
	}
}

/* Has a table take the values of each group. */
static void
take_values(const WaValueParts *parts, WaRecordTable *table)
{
	uint32_t groups[WA_VECTOR_ROWS];
	int64_t words[WA_VECTOR_ROWS];
	const WaVector values = {.values = words};

	for (uint32_t i = 0; i < parts->nparts; i++)
	{
		const WaValuePart *part = &parts->parts[i];

		for (size_t j = 0; j < part->count; j += WA_VECTOR_ROWS)
		{
			const size_t some = part->count - j < WA_VECTOR_ROWS
									? part->count - j
									: WA_VECTOR_ROWS;

			for (size_t k = 0; k < some; k++)
			{
				groups[k] = part->entries[j + k].group;
				words[k] =
					wa_value_of_word(parts->kind, part->entries[j + k].word);
			}
			wa_records_take(table, groups, NULL, &values, some);
		}
	}
}

/* Has the tables of ranks take what was found. */
static void
take_ranks(const WaValueParts *parts, WaRecordTable *const *tables)
{
	const uint32_t nranks = parts->rolled->nranks;

	for (uint32_t group = 0; group < parts->ngroups; group++)
		for (uint32_t i = 0; i < nranks; i++)
		{
			const size_t number = (size_t) group * nranks + i;

			if (parts->is_found[number] != 0)
				wa_records_take_value(
					tables[i], group,
					wa_value_of_word(parts->kind, parts->found[number]), 0);
		}
}

bool
wa_value_parts_finish(WaValueParts *parts, WaRecordTable *const *tables)
{
	const size_t most = (size_t) parts->nparts * 2;
	const WaValueSpan **spans;
	const WaValuePart **owners;

	if (parts->rolled->nranks == 0)
	{
		if (parts->rolled->column.ops == 0)
			count_values(parts, tables[0]);
		else
			take_values(parts, tables[0]);
		return true;
	}
	spans = wa_arena_alloc(parts->arena, most * sizeof(*spans));
	owners = wa_arena_alloc(parts->arena, most * sizeof(*owners));
	if (parts->arena->failed)
		return false;
	find_ranks_of_several(parts, spans, owners);
	take_ranks(parts, tables);
	return true;
}

void
wa_value_parts_end(WaValueParts *parts)
{
	for (uint32_t i = 0; i < parts->nparts; i++)
		wa_arena_reset(&parts->parts[i].arena);
}
