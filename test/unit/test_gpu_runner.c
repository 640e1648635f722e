/*
 * test_gpu_runner.c
 *		Random queries over resident columns, by GPUs (the emulator's) and by the
 *		CPU: the groups have to be the same.
 *
 * This takes the place of the mirror: the columns of "devices" lie in host memory.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/small_sum.h"
#include "daemon/gpu/gpus.h"
#include "daemon/run/kept_tables.h"
#include "daemon/run/query_runner.h"
#include "query/message/partial_groups.h"
#include "query/run/run_roll_up.h"
#include "test/unit/check.h"
#include "test/unit/test_gpu_data.h"
#include "test/unit/test_gpu_made.h"

#define QUERIES 240 /* unless the first argument is another number */

/*
 * Sums of decimals are compared in units of 10^-SUM_SCALE, modulo 2^128, and of their
 * squares in units of the square of that, modulo 2^192.
 */
#define SUM_SCALE 28

/* What sums are compared by beside, as they may have more than 128 bits. */
#define PRIME ((UINT64_C(1) << 61) - 1)

/* The smallest or the largest value; of a DECIMAL without zeros at its end. */
typedef struct Extreme
{
	__int128 value;
	uint8_t scale;
	uint8_t display;
} Extreme;

/* What a group has of a column, in a form of its own. */
typedef struct Found
{
	uint64_t rows;
	__int128 sum;
	uint64_t residue; /* of the sum of a DECIMAL, modulo PRIME */
	uint64_t squares[3];
	uint64_t squares_residue; /* likewise */
	WaExactPart exact;
	bool other;
	Extreme min;
	Extreme max;
	uint8_t display;
} Found;

typedef struct Group
{
	WaQueryValue *keys;
	Found *columns;
	bool matched;
} Group;

typedef struct Groups
{
	WaArena arena;
	uint32_t count;
	Group *groups;
	uint64_t kept_rows;
	const WaQuery *query; /* whose groups these are */
	bool is_rolled;       /* that is what the query's are rolled up to */
	bool failed;          /* a sum has no room */
	bool useless;         /* no answer: there is no use in one */
} Groups;

static TestRelation *relation;
static WaGpus gpus;
static WaMirrorNote *notes[NDEVICES];
static WaWatch watch;
static uint64_t extents_taken;
static uint64_t blocks_left_out;
static uint64_t answers_compared;
static uint64_t failed_alone; /* by one side */
static uint64_t choices_made; /* of the first groups, by GPUs alone */
static uint64_t extents_rolled_up;
static uint64_t choices_of_rolled; /* the first groups of what was rolled up */
/* Ranks of one query. */
#define MAX_RANKS 5

static uint64_t queries_with_ranks;
static uint64_t extents_of_quotients;
static uint64_t extents_of_quotient_looks; /* with MAX, */
static uint64_t extents_of_quotient_keys;
static uint64_t extents_of_looks;   /* COLUMN_DECIMAL64 with MIN, */
static uint64_t extents_of_squares; /* and COLUMN_LARGE with SQUARES */
static uint64_t extents_of_wide;  /* taken by queries that add up COLUMN_WIDE */
static uint64_t extents_of_large; /* and COLUMN_LARGE */
static uint64_t queries_given_up;
static WaMemory memory;
static WaKeptTables kept_tables;
static uint64_t extents_of_days; /* taken by queries with keys of tables */
static uint64_t extents_of_many; /* with many aggregated columns */
static uint64_t extents_of_bits; /* with operations over bits */
static uint64_t extents_of_keys; /* with many keys */
static uint64_t extents_of_wide_keys;
static uint64_t extents_of_float_keys; /* of combinations */

bool
wa_mirror_use(WaMirror *mirror, const WaRunRequest *request, unsigned device,
			  WaMirrorUse *use)
{
	uint32_t *extents;
	uint64_t *first_rows;
	WaMirrorExtent *placed;

	(void) mirror;
	*use = (WaMirrorUse){.device = device, .ncolumns = request->ncolumns};
	if (device >= NDEVICES)
		return false;
	extents = calloc(request->nextents + 1, sizeof(*extents));
	first_rows = calloc(request->nextents + 1, sizeof(*first_rows));
	placed = calloc(request->nextents + 1, sizeof(*placed));
	use->rows = relation->rows[device];
	use->placed = placed;
	use->extents = extents;
	use->first_rows = first_rows;
	for (uint32_t i = 0; i < request->nextents; i++)
	{
		const WaRunExtent *extent = request->extents[i];

		if (extent->device != device)
			continue;
		placed[i] = (WaMirrorExtent){.nrows = extent->nrows,
									 .nranges = extent->nranges};
		for (uint32_t j = 0; j < extent->nranges; j++)
			placed[i].rows += extent->ranges[j].end - extent->ranges[j].begin;
		extents[use->nextents] = i;
		first_rows[use->nextents++] = relation->first_rows[i];
	}
	for (int i = 0; i < NCOLUMNS; i++)
	{
		const WaColumn *column = relation->extents[0].columns[i];
		const TestFlat *flat = &relation->flats[device][i];

		use->columns[i] = (WaMirrorColumn){
			.form = column->form,
			.scale = column->scale,
			.d_values = flat->values,
			.d_validity = column->validity != NULL ? flat->validity : NULL,
			.d_display = column->display != NULL ? flat->display : NULL,
		};
	}
	if (use->nextents > 0)
		return true;
	wa_mirror_unuse(mirror, use);
	return false;
}

void
wa_mirror_unuse(WaMirror *mirror, WaMirrorUse *use)
{
	(void) mirror;
	if (notes[use->device] != NULL)
		notes[use->device]->free(notes[use->device]);
	notes[use->device] = NULL;
	free((void *) use->extents);
	free((void *) use->first_rows);
	free((void *) use->placed);
}

const WaMirrorNote *
wa_mirror_note(const WaMirrorUse *use)
{
	return notes[use->device];
}

const WaMirrorNote *
wa_mirror_set_note(const WaMirrorUse *use, WaMirrorNote *note)
{
	notes[use->device] = note;
	return note;
}

/* Returns the product with 10^digits modulo 2^128. */
static __int128
raise(__int128 number, int digits)
{
	unsigned __int128 product = (unsigned __int128) number;

	while (digits-- > 0)
		product *= 10;
	return (__int128) product;
}

/* Adds a number with a sign, times 10^digits, modulo PRIME. */
static void
note_residue(const uint64_t *words, int nwords, int digits, uint64_t *total)
{
	unsigned __int128 residue = (int64_t) words[nwords - 1] < 0 ? PRIME - 1 : 0;

	for (int i = nwords - 1; i >= 0; i--)
		residue = ((residue << 64) + words[i]) % PRIME;
	for (; digits > 0; digits--)
		residue = residue * 10 % PRIME;
	*total = (uint64_t) ((*total + residue) % PRIME);
}

/* The same of a sum of 128 bits. */
static void
note_narrow_residue(__int128 sum, int scale, Found *found)
{
	const uint64_t sign = sum < 0 ? UINT64_MAX : 0;
	const uint64_t words[WA_WIDE_SUM_WORDS] = {
		(uint64_t) sum, (uint64_t) (sum >> 64), sign, sign};

	note_residue(words, WA_WIDE_SUM_WORDS, SUM_SCALE - scale, &found->residue);
}

/* Adds squares in units of 10^-(2 scale): the lowest of their words, and modulo PRIME. */
static void
note_squares(const uint64_t *words, int nwords, int scale, Found *found)
{
	uint64_t raised[3];
	unsigned __int128 carry = 0;

	note_residue(words, nwords, 2 * (SUM_SCALE - scale),
				 &found->squares_residue);
	memcpy(raised, words, sizeof(raised));
	for (int digits = 2 * (SUM_SCALE - scale); digits > 0; digits--)
	{
		carry = 0;
		for (int i = 0; i < 3; i++)
		{
			carry += (unsigned __int128) raised[i] * 10;
			raised[i] = (uint64_t) carry;
			carry >>= 64;
		}
	}
	carry = 0;
	for (int i = 0; i < 3; i++)
	{
		carry += (unsigned __int128) found->squares[i] + raised[i];
		found->squares[i] = (uint64_t) carry;
		carry >>= 64;
	}
}

/*
 * Notes an extreme of a column, unless the one that there is comes before it, or shows as
 * many digits of the same; sign: 1 for the smallest, -1 for the largest.
 */
static void
note_extreme(__int128 value, int scale, uint8_t display, bool is_first,
			 int sign, Extreme *extreme)
{
	int order = -1;

	while (scale > 0 && value % 10 == 0)
	{
		value /= 10;
		scale--;
	}
	if (!is_first)
		order = sign * wa_wide_decimal_compare(value, scale, extreme->value,
											   extreme->scale);
	if (order < 0 || (order == 0 && display > extreme->display))
		*extreme = (Extreme){value, (uint8_t) scale, display};
}

/* Adds what a record has of values of 128 bits. */
static void
note_wide(const WaQueryColumn *column, const WaRecord *record, Found *found)
{
	const WaWideRest *rest = record->wide;
	const bool is_only = !wa_record_has_narrow(record);
	const __int128 sum =
		wa_int128_get((WaInt128){rest->sum[0], (int64_t) rest->sum[1]});

	if (wa_ops_have(column->ops, WA_OP_SUM))
		note_residue(rest->sum, WA_WIDE_SUM_WORDS, SUM_SCALE - rest->scale,
					 &found->residue);
	if (wa_ops_have(column->ops, WA_OP_SUM))
		found->sum = (__int128) ((unsigned __int128) found->sum +
								 (unsigned __int128) raise(
									 sum, SUM_SCALE - rest->scale));
	if (wa_ops_have(column->ops, WA_OP_SQUARES))
		note_squares(rest->squares, WA_WIDE_SQUARES_WORDS, rest->scale, found);
	if (wa_ops_have(column->ops, WA_OP_MIN))
		note_extreme(wa_int128_get(rest->min.value), rest->min.scale,
					 rest->min.display, is_only, 1, &found->min);
	if (wa_ops_have(column->ops, WA_OP_MAX))
		note_extreme(wa_int128_get(rest->max.value), rest->max.scale,
					 rest->max.display, is_only, -1, &found->max);
	if (rest->display > found->display)
		found->display = rest->display;
}

/* Returns a value of a record, but one NaN, of which SQL knows no others, for all of them. */
static int64_t
value_of(const WaQueryColumn *column, uint64_t word)
{
	return column->kind == WA_VECTOR_FLOAT && isnan(wa_bits_double(word))
			   ? (int64_t) wa_double_bits(NAN)
			   : (int64_t) word;
}

/* Brings a record into the form of its own. */
static void
note_record(const WaQueryColumn *column, const WaRecord *record, Found *found)
{
	const WaRecordLayout layout = wa_record_layout(column->kind, column->ops);
	const uint64_t *words = record->words;
	WaFloatHeader floats;
	WaDecimalHeader decimals;
	WaInt128 sum;

	found->rows = words[0];
	if (column->ops == 0)
		return;
	memcpy(&floats, words + layout.header, sizeof(floats));
	memcpy(&decimals, words + layout.header, sizeof(decimals));
	if (column->kind != WA_VECTOR_DECIMAL)
		memset(&decimals, 0, sizeof(decimals));
	if (wa_ops_have(column->ops, WA_OP_MIN))
		note_extreme(value_of(column, words[layout.min]), decimals.min_scale,
					 decimals.min_display, true, 1, &found->min);
	if (wa_ops_have(column->ops, WA_OP_MAX))
		note_extreme(value_of(column, words[layout.max]), decimals.max_scale,
					 decimals.max_display, true, -1, &found->max);
	if (!wa_ops_have(column->ops, WA_OP_SUM))
		return;
	memcpy(&sum, words + layout.sum, sizeof(sum));
	found->sum = wa_int128_get(sum);
	if (column->kind == WA_VECTOR_DECIMAL)
	{
		found->display = decimals.display;
		note_narrow_residue(found->sum, record->scale, found);
		found->sum = raise(found->sum, SUM_SCALE - record->scale);
	}
	if (column->kind != WA_VECTOR_FLOAT)
	{
		if (wa_ops_have(column->ops, WA_OP_SQUARES))
			note_squares(words + layout.squares, 3,
						 column->kind == WA_VECTOR_DECIMAL ? record->scale
														   : SUM_SCALE,
						 found);
		return;
	}
	found->sum = 0;
	found->other = floats.other;
	if (record->rest != NULL)
		found->exact = *record->rest;
	found->exact.sum.negative_zeros = 0;
	if (floats.exponent != WA_NO_EXPONENT)
		wa_small_sum_expand(sum, floats.exponent, &found->exact.sum);
	if (wa_ops_have(column->ops, WA_OP_SQUARES))
	{
		WaInt256 squares;

		memcpy(&squares, words + layout.squares, sizeof(squares));
		wa_small_squares_expand(&squares, floats.squares_exponent,
								&found->exact.squares);
	}
}

/* Likewise what it has of values of 128 bits. */
static void
note_cell(const WaQueryColumn *column, const WaRecord *record, Found *found)
{
	note_record(column, record, found);
	if (record->wide != NULL)
		note_wide(column, record, found);
}

/* Returns the query whose groups a run returns: what those of the query are rolled up to, or it. */
static const WaQuery *
returned_query(WaArena *arena, const WaQuery *query, bool is_rolled)
{
	const WaTextCodes *texts[MAX_KEYS] = {NULL};
	const WaNumberedQuery numbered = {
		.asked = query, .query = *query, .key_texts = texts};
	const WaNumberedQuery *rolled =
		is_rolled ? wa_query_roll_up_query(arena, &numbered) : NULL;

	return rolled != NULL ? rolled->asked : query;
}

/* Reads the message of a finished run. */
static bool
read_groups(const WaQuery *query, const void *message, size_t bytes,
			Groups *groups)
{
	WaPartialColumn columns[MAX_COLUMNS + 1];
	WaPartialShape shape = {.nkeys = (int) query->nkeys,
							.ncolumns = (int) query->ncolumns,
							.keys = query->keys,
							.columns = columns};
	WaPartialReader reader;

	for (uint32_t i = 0; i < query->ncolumns; i++)
		columns[i] =
			(WaPartialColumn){query->columns[i].kind, query->columns[i].ops, 0};
	EXPECT(wa_partial_reader_init(&reader, &groups->arena, &shape));
	EXPECT(wa_partial_open(&reader, message, bytes));
	groups->groups = wa_arena_alloc_zero(
		&groups->arena, (reader.ngroups + 1) * sizeof(*groups->groups));
	while (wa_partial_next(&reader))
	{
		Group *group = &groups->groups[groups->count++];

		group->keys = wa_arena_alloc(&groups->arena,
									 (query->nkeys + 1) * sizeof(*group->keys));
		group->columns = wa_arena_alloc_zero(
			&groups->arena, query->ncolumns * sizeof(*group->columns));
		memcpy(group->keys, reader.keys, query->nkeys * sizeof(*group->keys));
		for (uint32_t i = 0; i < query->ncolumns; i++)
			if (reader.cells[i].record.words != NULL)
				note_cell(&query->columns[i], &reader.cells[i].record,
						  &group->columns[i]);
	}
	EXPECT(!reader.reader.failed);
	return true;
}

/* Finishes a run with one state, and reads its groups. */
static bool
finish(const WaQuery *query, void *run, void *state, Groups *groups)
{
	char error[WA_MAX_ERROR_BYTES];
	WaRunResult result = {0};
	uint8_t *message;

	EXPECT(wa_query_runner.finish(run, state, &result, error) == WA_OK);
	groups->useless = result.groups_bytes == 0;
	if (groups->useless)
		return true;
	message = wa_arena_alloc(&groups->arena, result.groups_bytes + 64);
	message += 64 - (uintptr_t) message % 64;
	wa_query_runner.write_groups(run, state, message);
	groups->kept_rows = result.kept_rows;
	groups->is_rolled = result.is_rolled;
	groups->query = returned_query(&groups->arena, query, result.is_rolled);
	return read_groups(groups->query, message, result.groups_bytes, groups);
}

/* Tells whether a block of an extent is left out. */
static bool
has_left_out(const uint64_t *left_out)
{
	for (int word = 0; word < WA_EXTENT_WORDS; word++)
		if (left_out[word] != 0)
			return true;
	return false;
}

static void
free_shares(WaDeviceShare *shares, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		free(shares[i].left_out);
	free(shares);
}

/*
 * Computes a query: with devices, whose shares it tells, or without, then but for
 * the blocks that devices have left out.
 */
static bool
compute(const WaQuery *query, WaRunRequest *request, bool with_devices,
		WaDeviceShare *shares, uint64_t (*left_out)[WA_EXTENT_WORDS],
		Groups *groups)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status = WA_OK;
	void *run;
	void *state = NULL;

	EXPECT(wa_query_runner.begin(request, &run, error) == WA_OK);
	if (with_devices)
		EXPECT(wa_query_runner.use_devices(run, &state, request, shares,
										   error) == WA_OK);
	if (state == NULL)
		EXPECT(wa_query_runner.make_state(run, &state, error) == WA_OK);
	for (uint64_t i = 0; i < request->nextents && status == WA_OK; i++)
		if (!with_devices || !shares[i].taken)
			status = wa_query_runner.process(run, state, request->extents[i],
											 left_out[i], error);
	groups->failed = status != WA_OK;
	EXPECT(status == WA_OK || status == WA_UNSUPPORTED);
	for (uint64_t i = 0; i < request->nextents; i++)
		if (has_left_out(left_out[i]) ||
			(with_devices && shares[i].left_out != NULL))
			request->is_complete = false;
	if (!groups->failed)
		EXPECT(finish(query, run, state, groups));
	wa_query_runner.free_state(run, state);
	wa_query_runner.end(run);
	return true;
}

/* Takes the blocks that are left out from the ranges of an extent. */
static WaRunExtent
without_left_out(const WaRunExtent *extent, const uint64_t *left_out,
				 bool is_taken, WaRowRange *ranges)
{
	WaRunExtent rest = *extent;

	rest.nranges = 0;
	rest.ranges = ranges;
	for (uint32_t i = 0; i < extent->nranges; i++)
		for (uint32_t block = 0; block < extent->nblocks; block++)
		{
			const uint32_t begin = block > 0 ? extent->row_end[block - 1] : 0;
			const uint32_t end = extent->row_end[block];

			if (begin < extent->ranges[i].begin ||
				end > extent->ranges[i].end || begin == end)
				continue;
			if (left_out != NULL &&
				(left_out[block / 64] >> (block % 64) & 1) != 0)
				blocks_left_out += is_taken;
			else
				ranges[rest.nranges++] = (WaRowRange){begin, end};
		}
	return rest;
}

static bool
same_key(WaVectorKind kind, const WaQueryValue *a, const WaQueryValue *b)
{
	if (a->is_null || b->is_null)
		return a->is_null && b->is_null;
	switch (kind)
	{
		case WA_VECTOR_TEXT:
			return a->shown == b->shown && a->text.length == b->text.length &&
				   memcmp(a->text.data, b->text.data, a->text.length) == 0;
		case WA_VECTOR_FLOAT:
			return (a->number == b->number &&
					signbit(a->number) == signbit(b->number)) ||
				   (a->number != a->number && b->number != b->number);
		case WA_VECTOR_DECIMAL:
			if (a->is_wide || b->is_wide)
				return a->is_wide && b->is_wide && a->shown == b->shown &&
					   a->text.length == b->text.length &&
					   memcmp(a->text.data, b->text.data, a->text.length) == 0;
			return a->shown == b->shown &&
				   (__int128) a->integer * wa_powers_of_ten[b->scale] ==
					   (__int128) b->integer * wa_powers_of_ten[a->scale];
		default:
			return a->integer == b->integer;
	}
}

/* Tells whether two values are the same, and look so. */
static bool
same_extreme(const Extreme *a, const Extreme *b)
{
	return a->value == b->value && a->scale == b->scale &&
		   a->display == b->display;
}

static bool
same_found(const Found *a, const Found *b)
{
	EXPECT(a->rows == b->rows);
	if (a->rows == 0)
		return true;
	EXPECT(a->sum == b->sum);
	EXPECT(a->residue == b->residue);
	EXPECT(memcmp(&a->squares, &b->squares, sizeof(a->squares)) == 0);
	EXPECT(memcmp(&a->exact.sum, &b->exact.sum, sizeof(a->exact.sum)) == 0);
	EXPECT(memcmp(&a->exact.squares, &b->exact.squares,
				  sizeof(a->exact.squares)) == 0);
	EXPECT(a->other == b->other);
	EXPECT(a->display == b->display);
	EXPECT(a->squares_residue == b->squares_residue);
	EXPECT(same_extreme(&a->min, &b->min));
	EXPECT(same_extreme(&a->max, &b->max));
	return true;
}

/* Returns the group with the keys of another one, which it is matched with. */
static Group *
find_group(const WaQuery *query, Groups *groups, const Group *other)
{
	for (uint32_t i = 0; i < groups->count; i++)
	{
		Group *group = &groups->groups[i];
		uint32_t key = 0;

		while (!group->matched && key < query->nkeys &&
			   same_key(query->keys[key].kind, &group->keys[key],
						&other->keys[key]))
			key++;
		if (!group->matched && key == query->nkeys)
			return group;
	}
	return NULL;
}

/*
 * Tells whether GPUs have found what the CPU has.  Where the first groups alone are
 * wanted they may hand over others too, and a sum of another group may be too large for
 * the CPU alone; or that of a finer group, of which a GPU has made none.  Otherwise a sum is
 * too large for one of them alone if it is by the rows it has added up first.
 */
static bool
same_groups(const WaQuery *query, Groups *gpu, const Groups *cpu)
{
	if (cpu->failed && !gpu->failed &&
		(query->top_n.limit > 0 || query->rolled != NULL))
		return true;
	if (cpu->failed != gpu->failed)
	{
		failed_alone++;
		return true;
	}
	EXPECT(gpu->is_rolled == cpu->is_rolled);
	EXPECT(gpu->kept_rows == cpu->kept_rows);
	EXPECT(gpu->count == cpu->count ||
		   (query->top_n.limit > 0 && gpu->count > cpu->count));
	if (query->top_n.limit > 0 && gpu->count == cpu->count &&
		cpu->count >= query->top_n.limit)
	{
		choices_made += query->rolled == NULL;
		choices_of_rolled += gpu->is_rolled;
	}
	if (gpu->is_rolled)
		query = gpu->query;
	for (uint32_t i = 0; i < cpu->count; i++)
	{
		Group *group = find_group(query, gpu, &cpu->groups[i]);

		EXPECT(group != NULL);
		group->matched = true;
		for (uint32_t c = 0; c < query->ncolumns; c++)
			EXPECT(same_found(&group->columns[c], &cpu->groups[i].columns[c]));
	}
	return true;
}

/* Tells whether a query has an operation over what lies in a register. */
static bool
has_op(const WaQuery *query, int number, WaOp op)
{
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (query->columns[i].argument == number &&
			wa_ops_have(query->columns[i].ops, op))
			return true;
	return false;
}

/* Tells whether a query adds up what lies in a register. */
static bool
adds(const WaQuery *query, int number)
{
	return has_op(query, number, WA_OP_SUM);
}

/* Tells whether a key is one of the registers. */
static bool
has_key(const WaQuery *query, uint16_t first, uint16_t second)
{
	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->key_numbers[i] == first || query->key_numbers[i] == second)
			return true;
	return false;
}

/* Counts an extent that a device has taken. */
static void
note_taken(const WaQuery *query)
{
	extents_taken++;
	extents_of_wide += adds(query, COLUMN_WIDE);
	extents_of_large += adds(query, COLUMN_LARGE);
	extents_of_quotients += adds(query, test_gpu_quotient());
	extents_of_looks += has_op(query, COLUMN_DECIMAL64, WA_OP_MIN);
	extents_of_quotient_looks += has_op(query, test_gpu_quotient(), WA_OP_MAX);
	extents_of_quotient_keys += has_key(query, (uint16_t) test_gpu_quotient(),
										(uint16_t) test_gpu_quotient());
	extents_of_squares += has_op(query, COLUMN_LARGE, WA_OP_SQUARES);
	extents_of_days += test_has_table_key(query);
	extents_of_many += query->ncolumns > 64;
	extents_of_bits += has_op(query, COLUMN_INT32, WA_OP_BIT_XOR);
	extents_of_keys += query->nkeys > 8;
	extents_of_wide_keys += has_key(query, COLUMN_WIDE, COLUMN_LARGE);
}

/* Computes a query in both ways, and compares what both have an answer to. */
static bool
compare(const WaQuery *query, WaRunRequest *request)
{
	const uint64_t count = request->nextents;
	WaDeviceShare *shares = calloc(count + 1, sizeof(*shares));
	uint64_t(*left_out)[WA_EXTENT_WORDS] = calloc(count + 1, sizeof(*left_out));
	WaRunExtent *extents = calloc(count + 1, sizeof(*extents));
	const WaRunExtent **list = calloc(count + 1, sizeof(*list));
	WaRowRange *ranges = calloc(count + 1, WA_EXTENT_BLOCKS * sizeof(*ranges));
	WaRunRequest without;
	Groups gpu = {0};
	Groups cpu = {0};
	bool same;

	wa_arena_init(&gpu.arena, (size_t) 1 << 32);
	wa_arena_init(&cpu.arena, (size_t) 1 << 32);
	EXPECT(compute(query, request, true, shares, left_out, &gpu));
	for (uint64_t i = 0; i < count; i++)
	{
		extents[i] =
			without_left_out(request->extents[i],
							 shares[i].taken ? shares[i].left_out : left_out[i],
							 shares[i].taken, &ranges[i * WA_EXTENT_BLOCKS]);
		list[i] = &extents[i];
		if (shares[i].taken)
			note_taken(query);
	}
	without = *request;
	without.extents = list;
	memset(left_out, 0, count * sizeof(*left_out));
	if (!gpu.useless)
		EXPECT(compute(query, &without, false, NULL, left_out, &cpu));
	/* What has been taken once must not trap now. */
	for (uint64_t i = 0; i < count; i++)
		for (int word = 0; word < WA_EXTENT_WORDS; word++)
			EXPECT(left_out[i][word] == 0);
	same = gpu.useless || cpu.useless || same_groups(query, &gpu, &cpu);
	for (uint64_t i = 0; i < count && gpu.is_rolled; i++)
		extents_rolled_up += shares[i].taken;
	answers_compared += !gpu.useless && !cpu.useless;
	wa_arena_reset(&gpu.arena);
	wa_arena_reset(&cpu.arena);
	free(ranges);
	free(list);
	free(extents);
	free(left_out);
	free_shares(shares, count);
	return same;
}

/* Returns a number below end. */
typedef uint64_t Below(uint64_t end);

/* The numbers of what is rolled up: all else is drawn as if it were not. */
static uint64_t
rolled_below(uint64_t end)
{
	static uint64_t state = 27;

	return (next_random(&state) >> 16) % end;
}

/* Draws an order of groups; returns false if that is none. */
static bool
draw_order(const WaQuery *query, Below *below, WaOrderBy *order)
{
	const uint32_t nmore = query->rolled != NULL;
	const WaQueryColumn *column;
	uint32_t number;
	uint16_t key;

	*order = (WaOrderBy){.of = (WaOrderOf) below(5),
						 .descending = below(2) == 0,
						 .nulls_first = below(2) == 0};
	if (order->of == WA_ORDER_KEY)
	{
		if (query->nkeys == nmore)
			return false;
		number = (uint32_t) below(query->nkeys - nmore);
		order->number = (uint16_t) number;
		number +=
			nmore > 0 && number >= (uint32_t) query->rolled->column.argument;
		key = query->key_numbers[number];
		return query->keys[number].kind != WA_VECTOR_TEXT &&
			   key != COLUMN_WIDE && key != COLUMN_LARGE;
	}
	if (query->ncolumns + nmore == 0)
		return false;
	order->number = (uint16_t) below(query->ncolumns + nmore);
	column = order->number < query->ncolumns ? &query->columns[order->number]
											 : &query->rolled->column;
	/* The CPU tells which groups are wanted by values of 64 bits alone. */
	if (order->number < query->ncolumns &&
		(column->argument == COLUMN_WIDE || column->argument == COLUMN_LARGE ||
		 test_gpu_is_computed_wide(column->argument)))
		return false;
	switch (order->of)
	{
		case WA_ORDER_SUM:
			return wa_ops_have(column->ops, WA_OP_SUM) &&
				   column->kind != WA_VECTOR_FLOAT;
		case WA_ORDER_MIN:
			return wa_ops_have(column->ops, WA_OP_MIN);
		case WA_ORDER_MAX:
			return wa_ops_have(column->ops, WA_OP_MAX);
		default:
			return true;
	}
}

/*
 * Draws which groups are wanted: with those that are equal to the last, as both
 * ways would choose others of these.
 */
static void
draw_top_n(WaQuery *query, Below *below)
{
	WaTopN *top_n = &query->top_n;

	for (uint32_t i = 0; i < query->nkeys; i++)
		if (query->keys[i].keeps_zeros)
			return;
	for (int i = 0; i < 3 && query->nkeys > 0; i++)
		top_n->norders +=
			draw_order(query, below, &top_n->orders[top_n->norders]);
	if (top_n->norders == 0)
		return;
	/* What groups are rolled up to is less. */
	top_n->limit = 1 + below(query->rolled != NULL ? 4 : 20);
	top_n->keeps_ties = true;
}

/* Tells whether a query counts the rows of its groups. */
static bool
counts_rows(const WaQuery *query)
{
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (query->columns[i].argument < 0 && query->columns[i].filter < 0)
			return true;
	return false;
}

/* Draws what is found in the order of values that are rolled up; returns false if there is none. */
static bool
draw_ranks(const WaQuery *query, WaQueryRolled *rolled, WaQueryRank *ranks)
{
	const WaVectorKind kind = query->keys[rolled->column.argument].kind;

	if (!counts_rows(query) ||
		(kind != WA_VECTOR_INT && kind != WA_VECTOR_BOOL &&
		 kind != WA_VECTOR_FLOAT))
		return false;
	rolled->column.kind =
		kind == WA_VECTOR_FLOAT ? WA_VECTOR_FLOAT : WA_VECTOR_INT;
	rolled->column.ops = WA_OP_BIT(WA_OP_MIN);
	rolled->nranks = 1 + (uint32_t) rolled_below(MAX_RANKS);
	rolled->descends = (uint32_t) rolled_below(2);
	for (uint32_t i = 0; i < rolled->nranks; i++)
	{
		ranks[i] = (WaQueryRank){.kind = rolled_below(WA_QUERY_RANK_KINDS),
								 .fraction = (double) rolled_below(5) / 4};
		if (ranks[i].kind == WA_QUERY_RANK_CONT && kind != WA_VECTOR_FLOAT)
			ranks[i].kind = WA_QUERY_RANK_DISC;
	}
	queries_with_ranks++;
	return true;
}

/* Draws by which of their keys groups are rolled up, if they are, and the first of what these become. */
static void
draw_rolled(WaQuery *query, WaQueryRolled *rolled, WaQueryRank *ranks)
{
	WaQueryColumn *column = &rolled->column;

	/* One GPU by itself finds what is wanted of values. */
	if (query->nkeys == 0 || (rolled_below(3) > 0 && !test_on_one_device))
		return;
	*rolled =
		(WaQueryRolled){.column = {.argument = (int) rolled_below(query->nkeys),
								   .filter = -1,
								   .kind = WA_VECTOR_BOOL},
						.ranks = ranks};
	query->rolled = rolled;
	memset(&query->top_n, 0, sizeof(query->top_n));
	if (rolled_below(3) == 0 && draw_ranks(query, rolled, ranks))
		return;
	if (query->keys[column->argument].kind == WA_VECTOR_INT &&
		rolled_below(3) > 0)
	{
		column->kind = WA_VECTOR_INT;
		column->ops = WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_MAX);
	}
	if (rolled_below(2) == 0)
		draw_top_n(query, rolled_below);
}

/* Counts the groups of a query that has a use for so many; -1: no answer. */
static bool
count_groups(const WaQuery *made, const WaRunRequest *of, bool with_devices,
			 uint32_t max_groups, int64_t *count)
{
	WaDeviceShare *shares = calloc(of->nextents + 1, sizeof(*shares));
	uint64_t(*left_out)[WA_EXTENT_WORDS] =
		calloc(of->nextents + 1, sizeof(*left_out));
	WaRunRequest request = *of;
	WaQuery query = *made;
	Groups groups = {0};
	WaArena arena;
	void *message;

	wa_arena_init(&arena, (size_t) 64 << 20);
	wa_arena_init(&groups.arena, (size_t) 1 << 32);
	query.max_groups = max_groups;
	message = test_gpu_set_query(&request, &query, &arena);
	EXPECT(compute(&query, &request, with_devices, shares, left_out, &groups));
	*count = groups.useless || groups.failed ? -1 : (int64_t) groups.count;
	for (uint64_t i = 0; i < of->nextents; i++)
		extents_of_float_keys += shares[i].taken && *count > 0 &&
								 has_key(made, COLUMN_FLOAT4, COLUMN_FLOAT8);
	free(message);
	free(left_out);
	free_shares(shares, of->nextents);
	wa_arena_reset(&groups.arena);
	wa_arena_reset(&arena);
	return true;
}

/* A query has no answer if it has more groups than there is a use for. */
static bool
gives_up(const WaQuery *query, const WaRunRequest *request, bool with_devices)
{
	int64_t all;
	int64_t found;

	if (query->nkeys == 0 || query->top_n.limit > 0 || query->rolled != NULL)
		return true;
	/* Devices have another share of those with a limit. */
	EXPECT(count_groups(query, request, with_devices, UINT32_MAX, &all));
	if (all < 2)
		return true;
	EXPECT(count_groups(query, request, with_devices, (uint32_t) all, &found));
	EXPECT(found == all);
	EXPECT(
		count_groups(query, request, with_devices, (uint32_t) all - 1, &found));
	EXPECT(found == -1);
	queries_given_up++;
	return true;
}

/*
 * Where there is no memory for groups no GPU takes a query that comes to some, unless it rolls
 * them up itself (to a few, which a state has room for), and all that was taken is given back.
 */
static bool
keeps_to_budget(const WaQuery *query, const WaRunRequest *of)
{
	WaBudget budget = {.limit = 0};
	WaRunRequest request = *of;
	WaDeviceShare *shares = calloc(of->nextents + 1, sizeof(*shares));
	char error[WA_MAX_ERROR_BYTES] = "";
	void *run;
	void *state;

	request.budget = &budget;
	EXPECT(wa_query_runner.begin(&request, &run, error) == WA_OK);
	EXPECT(wa_query_runner.use_devices(run, &state, &request, shares, error) ==
		   WA_OK);
	for (uint64_t i = 0; i < request.nextents; i++)
		EXPECT(query->nkeys == 0 || query->rolled != NULL || !shares[i].taken ||
			   wa_query_run_groups(wa_query_runner_groups(state)) == 0);
	if (state != NULL)
		wa_query_runner.free_state(run, state);
	wa_query_runner.end(run);
	free_shares(shares, request.nextents);
	EXPECT(wa_budget_used(&budget) == 0);
	return true;
}

/* Tells whether nobody is at a GPU. */
static bool
nobody_is_watched(void)
{
	for (int place = 0; place < WA_WATCH_PLACES; place++)
		if (watch.since_ns[place] != 0)
			return false;
	return true;
}

/* Returns how many rows of the relation are to be used. */
static uint64_t
count_rows(void)
{
	uint64_t rows = 0;

	for (uint64_t i = 0; i < relation->nextents; i++)
		for (uint32_t j = 0; j < relation->extents[i].nranges; j++)
			rows += relation->extents[i].ranges[j].end -
					relation->extents[i].ranges[j].begin;
	return rows;
}

/* Makes a query and computes it. */
static bool
run_query(void)
{
	WaBudget budget = {.limit = (uint64_t) 1 << 40};
	WaRunRequest request = {.ncolumns = NCOLUMNS,
							.columns = relation->names,
							.dictionaries = relation->dictionaries,
							.bounds = relation->bounds,
							.nextents = relation->nextents,
							.extents = relation->list,
							.rows = count_rows(),
							.is_complete = random_below(4) > 0,
							.threads = 1,
							.budget = &budget,
							.tables = &kept_tables,
							.mirror = (struct WaMirror *) relation,
							.gpus = &gpus};
	const WaQuery *made;
	WaQuery query;
	WaQueryRolled rolled;
	WaQueryRank ranks[MAX_RANKS];
	WaArena arena;
	void *message;
	bool same;

	wa_arena_init(&arena, (size_t) 64 << 20);
	made = test_gpu_query(&arena);
	EXPECT(made != NULL);
	query = *made;
	if (random_below(2) == 0)
		draw_top_n(&query, random_below);
	draw_rolled(&query, &rolled, ranks);
	EXPECT(test_gpu_keep_tables(&kept_tables, &query, &arena));
	message = test_gpu_set_query(&request, &query, &arena);
	EXPECT(gives_up(&query, &request, random_below(2) == 0));
	if (random_below(4) == 0)
		EXPECT(keeps_to_budget(&query, &request));
	same = compare(&query, &request);
	EXPECT(wa_budget_used(&budget) == 0 && nobody_is_watched());
	free(message);
	wa_arena_reset(&arena);
	return same;
}

static bool
queries_are_right(int nqueries)
{
	for (int i = 0; i < nqueries; i++)
	{
		bool same;

		if (i % 20 == 0)
		{
			if (relation != NULL)
				test_relation_free(relation);
			test_on_one_device = i % 40 != 0;
			relation = test_relation_make(1 + random_below(8), 0);
		}
		same = run_query();
		if (!same)
			(void) fprintf(stderr, "query %d\n", i);
		EXPECT(same);
	}
	test_relation_free(relation);
	test_on_one_device = false;
	return true;
}

/* Tables of rows that GPUs have left are those of all rows. */
static bool
made_tables_are_right(int nqueries, TestGpuMade *count)
{
	static const uint64_t steps[] = {1, 4, UINT64_C(1) << 33};

	for (int i = 0; i < nqueries; i++)
	{
		bool same;

		if (i % 10 == 0)
		{
			const uint64_t step = steps[i / 10 % 3];

			if (i > 0)
				test_relation_free(relation);
			relation = test_relation_make(1 + random_below(8), step);
		}
		same = test_gpu_made(
			&(WaRunRequest){.ncolumns = NCOLUMNS,
							.columns = relation->names,
							.dictionaries = relation->dictionaries,
							.bounds = relation->bounds,
							.nextents = relation->nextents,
							.extents = relation->list,
							.is_complete = true,
							.tables = &kept_tables,
							.mirror = (struct WaMirror *) relation,
							.gpus = &gpus},
			&kept_tables, count);
		if (!same)
			(void) fprintf(stderr, "query %d of tables\n", i);
		EXPECT(same && nobody_is_watched());
	}
	test_relation_free(relation);
	return true;
}

/* Checks tables that are made of rows. */
static void
check_made_tables(int nqueries)
{
	TestGpuMade count = {0};

	check(made_tables_are_right(nqueries, &count),
		  "tables of rows that GPUs have left are those of all rows");
	check(count.extents > (unsigned) nqueries / 2, "GPUs have taken extents");
	check(count.refused > 0, "and left them where there was no memory");
	check(count.tables > (unsigned) nqueries, "most queries make tables");
	check(count.none > 0, "but not all");
	check(count.slots > 0, "there are keys that lie far apart");
	check(count.texts > 0, "and texts");
	check(count.wide > 0, "and values that take a word");
	check(count.shared > 0, "and several states have shared rows");
}

int
main(int argc, char **argv)
{
	static WaMemoryUse shown[WA_MEMORY_KINDS];
	const int nqueries = argc > 1 ? atoi(argv[1]) : QUERIES;

	if (argc > 2)
		test_seed(strtoull(argv[2], NULL, 10));
	wa_gpus_init(&gpus, &watch);
	wa_ledger_init(&memory.ledger, shown, 0, (uint64_t) 1 << 30);
	wa_kept_tables_init(&kept_tables, &memory);
	check(queries_are_right(nqueries),
		  "queries are the same on GPUs and the CPU");
	check(extents_taken > (unsigned) nqueries / 2,
		  "devices have taken extents");
	check(blocks_left_out > 0, "and left out blocks with traps");
	check(answers_compared > (unsigned) nqueries / 2,
		  "most queries have answers");
	/* Of the queries that come without a seed there is none. */
	check(failed_alone <= (argc > 2 ? (unsigned) nqueries / 50 : 0),
		  "and seldom a sum that is too large for one side alone");
	check(queries_given_up > (unsigned) nqueries / 8,
		  "and none if there are too many groups");
	check(choices_made > 0, "and chosen the first groups");
	check(extents_rolled_up > 0, "and what they have found is rolled up");
	check(choices_of_rolled > 0, "and the first of that chosen");
	check(queries_with_ranks > 0, "and values in their order looked at");
	check(extents_of_wide > 0, "and added values of 128 bits up");
	check(extents_of_quotients > 0, "and quotients");
	check(extents_of_quotient_looks > 0, "and found the largest of these");
	check(extents_of_quotient_keys > 0, "and grouped by them");
	check(extents_of_looks > 0, "and the smallest of what looks different");
	check(extents_of_squares > 0, "and squares of 128 bits");
	check(extents_of_large > 0, "and such whose sums have more");
	check(extents_of_days > 0, "and looked keys up in tables");
	check(extents_of_many > 0, "and had many aggregated columns");
	check(extents_of_bits > 0, "and operations over bits");
	check(extents_of_keys > 0, "and many keys");
	check(extents_of_wide_keys > 0, "and keys of 128 bits");
	check(extents_of_float_keys > 0, "and combinations of floats");
	check_made_tables(nqueries / 2);
	while (wa_kept_tables_drop_oldest(&kept_tables))
		continue;
	return finish_checks();
}
