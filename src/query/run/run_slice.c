/*
 * run_slice.c
 *		Hashing rows, and taking those of a slice; see run_slice.h.
 */
#include <string.h>

#include "query/groups/group_hash.h"
#include "query/run/run_internal.h"
#include "query/run/run_slice.h"

/* Bits of a hash that tables of groups do not look at first. */
#define HASH_SHIFT 8

/* Rows that are looked at together. */
#define STEP 8

/* Tells whether all registers are inputs, which can be read without running instructions. */
static bool
are_inputs(const WaQueryRun *run, const WaHashedRegisters *registers)
{
	bool are = true;

	for (uint32_t i = 0; i < registers->count; i++)
		are = are && registers->numbers[i] < run->query->ninputs;
	return are;
}

/* Adds the values of a register to the hashes of rows. */
static void
add_values(const WaVector *vector, size_t nrows, uint64_t *hashes)
{
	const int64_t *values = wa_vector_ints(vector);

	if (!vector->has_nulls)
		for (size_t i = 0; i < nrows; i++)
			hashes[i] = wa_hash_word(hashes[i], (uint64_t) values[i]);
	else
		for (size_t i = 0; i < nrows; i++)
			hashes[i] = wa_hash_word(
				hashes[i], vector->valid[i] != 0 ? (uint64_t) values[i] : 0);
}

/* Stores the hashes of the rows that are left. */
static void
store_hashes(const WaQueryRun *run, const uint64_t *words, size_t nleft,
			 uint16_t *hashes)
{
	for (size_t i = 0; i < nleft; i++)
	{
		const size_t row = run->selected == NULL ? i : run->selected[i];

		hashes[row] = (uint16_t) ((wa_hash_finish(words[i]) >> HASH_SHIFT) %
								  WA_NO_ROW_HASH);
	}
}

bool
wa_query_run_hash(WaQueryRun *run, const WaHashedRegisters *registers,
				  const WaColumnRows *rows, size_t nrows, uint16_t *hashes)
{
	const bool of_inputs = are_inputs(run, registers);
	uint64_t words[WA_VECTOR_ROWS] = {0};
	size_t left = nrows;

	for (size_t i = 0; i < nrows; i++)
		hashes[i] = WA_NO_ROW_HASH;
	wa_run_inputs_begin(run, rows);
	if (wa_query_batch_filter(run->batch, &left) != WA_BATCH_COMPUTED)
		return false;
	if (left == 0)
		return true;
	if (of_inputs)
		wa_run_inputs_read(run, registers->numbers, registers->count, left);
	else if (wa_query_batch_finish(run->batch, left) != WA_BATCH_COMPUTED)
		return false;
	for (uint32_t i = 0; i < registers->count; i++)
		add_values(&run->registers[registers->numbers[i]], left, words);
	store_hashes(run, words, left, hashes);
	return true;
}

/* Stores which of STEP rows are in the slice, a byte each. */
static inline uint64_t
mark_step(const WaRowSlice *slice, const uint16_t *hashes)
{
	const uint16_t width = (uint16_t) (slice->last - slice->first);
	uint8_t marks[STEP];
	uint64_t word;

	for (size_t i = 0; i < STEP; i++)
		marks[i] = (uint16_t) (hashes[i] - slice->first) <= width;
	memcpy(&word, marks, sizeof(word));
	return word;
}

/*
 * Selects rows of the slice from *row on, as many as are in a batch, and the last ones; returns
 * how many, and stores where to go on.
 */
static size_t
select_rows(WaQueryRun *run, const WaRowSlice *slice, const uint16_t *hashes,
			size_t nrows, size_t *row)
{
	size_t nselected = 0;
	size_t i = *row;

	for (; i + STEP <= nrows && nselected + STEP <= WA_VECTOR_ROWS; i += STEP)
		for (uint64_t marks = mark_step(slice, hashes + i); marks != 0;
			 marks &= marks - 1)
			run->left[nselected++] =
				(uint16_t) (i + (size_t) __builtin_ctzll(marks) / 8);
	for (; i < nrows && i + STEP > nrows && nselected < WA_VECTOR_ROWS; i++)
		if (hashes[i] >= slice->first && hashes[i] <= slice->last)
			run->left[nselected++] = (uint16_t) i;
	*row = i;
	return nselected;
}

WaRunOutcome
wa_query_run_take_slice(WaQueryRun *run, const WaRowSlice *slice,
						const WaColumnRows *rows, const uint16_t *hashes,
						size_t nrows)
{
	WaRunOutcome outcome = WA_RUN_TAKEN;
	size_t row = 0;

	while (row < nrows && outcome == WA_RUN_TAKEN)
	{
		const size_t nselected = select_rows(run, slice, hashes, nrows, &row);

		if (nselected == 0)
			continue;
		wa_run_inputs_begin(run, rows);
		run->selected = run->left;
		outcome =
			wa_query_batch_finish(run->batch, nselected) == WA_BATCH_COMPUTED
				? wa_query_run_take_left(run, nselected)
				: WA_RUN_TRAPPED;
	}
	return outcome;
}
