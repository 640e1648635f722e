//
// test_keys.cpp
//		Numbers of groups on the device against a map on the CPU.
//
// Usage: test_keys [--short] [SEED...]
//
// Prints a line a group of cases, and how many passed; exits 1 if one failed.
// Under the emulator a seed also sets the order in which threads run.
//
#include "check.h"

#include <algorithm>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/keys.h"
#include "cuda/programs.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

static const size_t kTextBytes = 200;

static const size_t kSizes[] = {0,    1,    63,   64,   255,  256,
								1023, 1024, 1025, 4097, 20000};
static const uint32_t kDistinct[] = {1, 2, 100, 3000, 100000};

// A key column as device memory has it, and its words.
struct Key
{
	WaColumnForm form;
	std::vector<uint8_t> stored;
	std::vector<uint64_t> validity; // empty: no row is NULL
	std::vector<uint64_t> words;    // 0 where NULL
};

struct Case
{
	size_t nrows;
	std::vector<Key> keys;
	std::vector<uint64_t> selection; // empty: all rows
};

// The words of a group, and which are NULL.
typedef std::vector<uint64_t> Words;

// What the device found.
struct Found
{
	WaKeysStatus status;
	std::vector<uint32_t> groups;
	std::vector<uint32_t> first_rows;
};

// Ends the test if a call of CUDA fails.
static void
must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	printf("not ok - CUDA: %s\n", cudaGetErrorString(error));
	exit(1);
}

static size_t
form_bytes(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I8:
			return 1;
		case WA_COLUMN_I16:
			return 2;
		case WA_COLUMN_I64:
		case WA_COLUMN_F64:
			return 8;
		case WA_COLUMN_I128:
			return 16;
		default:
			return 4;
	}
}

// Returns the word of a float of so many bytes.
static uint64_t
float_word(uint64_t bits, bool is_narrow)
{
	double number;
	float narrow;

	memcpy(&narrow, &bits, sizeof(narrow));
	memcpy(&number, &bits, sizeof(number));
	if (is_narrow)
		number = narrow;
	if (number != number)
		return UINT64_C(0x7ff8000000000000);
	if (number == 0)
		return 0;
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

// Returns the word of stored bits.
static uint64_t
word_of(WaColumnForm form, uint64_t bits)
{
	switch (form)
	{
		case WA_COLUMN_I8:
			return (uint64_t) (int64_t) (int8_t) bits;
		case WA_COLUMN_I16:
			return (uint64_t) (int64_t) (int16_t) bits;
		case WA_COLUMN_I32:
			return (uint64_t) (int64_t) (int32_t) bits;
		case WA_COLUMN_U32:
			return (uint64_t) (uint32_t) bits;
		case WA_COLUMN_F32:
			return float_word(bits, true);
		case WA_COLUMN_F64:
			return float_word(bits, false);
		case WA_COLUMN_BITS:
			return bits & 1;
		default:
			return bits;
	}
}

// Returns the bits of one of so many values, far from each other or near.
static uint64_t
draw_bits(WaColumnForm form, uint32_t ndistinct, bool is_near, Random &random)
{
	static const double specials[] = {0.0, -0.0, 1.5, -2.25};
	const uint64_t which = random.below(ndistinct);
	double number = specials[which % 4];
	float narrow;
	uint64_t bits = which;

	if (form == WA_COLUMN_F32 || form == WA_COLUMN_F64)
	{
		if (which % 7 == 0)
			number =
				random.below(2) == 0 ? __builtin_nan("") : -__builtin_nan("");
		else if (which > 7)
			number = (double) which / 8;
		narrow = (float) number;
		if (form == WA_COLUMN_F32)
			memcpy(&bits, &narrow, sizeof(narrow));
		else
			memcpy(&bits, &number, sizeof(number));
		return bits;
	}
	return is_near ? which : which * 0x9e3779b97f4a7c15u;
}

// Makes a key.
static Key
make_key(size_t nrows, uint32_t ndistinct, bool is_near, Random &random)
{
	const bool has_nulls = random.below(3) == 0;
	Key key;

	key.form = random.below(8) == 0
				   ? WA_COLUMN_I128
				   : (WaColumnForm) random.below(WA_COLUMN_COUNT);
	key.stored.resize(key.form == WA_COLUMN_BITS
						  ? wa_validity_bytes(nrows)
						  : nrows * form_bytes(key.form));
	if (has_nulls)
		key.validity = validity_fill(VALIDITY_RANDOM, nrows, random);
	for (size_t row = 0; row < nrows; row++)
	{
		const uint64_t bits = draw_bits(key.form, ndistinct, is_near, random);
		const bool is_valid =
			!has_nulls || wa_row_is_valid(key.validity.data(), row);

		if (key.form != WA_COLUMN_BITS)
			memcpy(key.stored.data() + row * form_bytes(key.form), &bits,
				   std::min(form_bytes(key.form), sizeof(bits)));
		else if ((bits & 1) != 0)
			key.stored[row / 8] |= (uint8_t) (1 << row % 8);
		key.words.push_back(is_valid ? word_of(key.form, bits) : 0);
	}
	return key;
}

static Case
make_case(size_t nrows, unsigned nkeys, uint32_t ndistinct, bool is_near,
		  Random &random)
{
	Case one;

	one.nrows = nrows;
	for (unsigned i = 0; i < nkeys; i++)
		one.keys.push_back(
			make_key(nrows, i == 0 ? ndistinct : 3, is_near, random));
	if (random.below(2) == 0)
		one.selection = validity_fill(VALIDITY_RANDOM, nrows, random);
	return one;
}

// Returns the words of a row; the last tells which are NULL.
static Words
words_of(const Case &one, size_t row)
{
	Words words;
	uint64_t nulls = 0;

	for (size_t key = 0; key < one.keys.size(); key++)
	{
		words.push_back(one.keys[key].words[row]);
		if (!one.keys[key].validity.empty() &&
			!wa_row_is_valid(one.keys[key].validity.data(), row))
			nulls |= (uint64_t) 1 << key;
	}
	words.push_back(nulls);
	return words;
}

static bool
is_selected(const Case &one, size_t row)
{
	return one.selection.empty() || wa_row_is_valid(one.selection.data(), row);
}

// Finds the first row of each group.
static std::map<Words, size_t>
find_first_rows(const Case &one)
{
	std::map<Words, size_t> first_rows;

	for (size_t row = 0; row < one.nrows; row++)
		if (is_selected(one, row))
			first_rows.insert({words_of(one, row), row});
	return first_rows;
}

// Copies to device memory, which ends in `parts`.
template <typename Element>
static Element *
to_device(const std::vector<Element> &copy, std::vector<void *> &parts)
{
	void *d_part;

	must(cudaMalloc(&d_part, copy.size() * sizeof(Element) + 1));
	parts.push_back(d_part);
	if (!copy.empty())
		must(cudaMemcpy(d_part, copy.data(), copy.size() * sizeof(Element),
						cudaMemcpyHostToDevice));
	return static_cast<Element *>(d_part);
}

// Returns device memory as the host's.
template <typename Element>
static std::vector<Element>
fetch(const Element *d_from, size_t count)
{
	std::vector<Element> to(count);

	if (count > 0)
		must(cudaMemcpy(to.data(), d_from, count * sizeof(Element),
						cudaMemcpyDeviceToHost));
	return to;
}

// Numbers the rows of keys in device memory.
static Found
run_planned(const WaKeys &keys, const WaKeysPlan &plan, int multiprocessors,
			std::vector<void *> &parts)
{
	const std::vector<uint64_t> garbage(plan.workspace_bytes / 8 + 1,
										0x5a5a5a5a);
	const std::vector<uint32_t> more_garbage(
		std::max(keys.nrows, (size_t) plan.ngroups), 0x5a5a5a5a);
	const WaKeysMemory memory = {
		to_device(garbage, parts), to_device(more_garbage, parts),
		to_device(more_garbage, parts),
		to_device(std::vector<WaKeysStatus>(1), parts)};
	Found found;

	must(wa_keys_start(&keys, &plan, &memory, multiprocessors, NULL));
	must(cudaDeviceSynchronize());
	found.status = fetch(memory.d_status, 1)[0];
	found.groups = fetch(memory.d_groups, keys.nrows);
	found.first_rows = fetch(memory.d_first_rows, plan.ngroups);
	return found;
}

// Brings a case to the device and calls run(keys, parts).
template <typename Run>
static void
with_keys(const Case &one, Run run)
{
	std::vector<void *> parts;
	std::vector<WaKeyColumn> columns;
	WaKeys keys;

	for (const Key &key : one.keys)
		columns.push_back(
			{key.form, to_device(key.stored, parts),
			 key.validity.empty() ? NULL : to_device(key.validity, parts)});
	keys = {columns.data(), (unsigned) columns.size(),
			one.selection.empty() ? NULL : to_device(one.selection, parts),
			one.nrows, NULL};
	run(keys, parts);
	for (void *part : parts)
		must(cudaFree(part));
}

// Writes what is wrong with numbers to failure, if anything is.
static void
compare(const Case &one, const WaKeysPlan &plan, const Found &found,
		char *failure)
{
	const std::map<Words, size_t> first_rows = find_first_rows(one);
	std::map<Words, uint32_t> numbers;
	size_t ngroups = 0;

	if (found.status.failed != 0)
		snprintf(failure, kTextBytes, "it failed");
	for (uint32_t first : found.first_rows)
		ngroups += first != WA_KEYS_NO_GROUP;
	if (ngroups != first_rows.size() ||
		(plan.method == WA_KEYS_HASH && found.status.ngroups != ngroups))
		snprintf(failure, kTextBytes, "%zu groups instead of %zu", ngroups,
				 first_rows.size());
	for (size_t row = 0; row < one.nrows && failure[0] == '\0'; row++)
	{
		const uint32_t group = found.groups[row];
		const Words words = words_of(one, row);

		if (is_selected(one, row) != (group != WA_KEYS_NO_GROUP))
			snprintf(failure, kTextBytes, "selection of row %zu", row);
		else if (group == WA_KEYS_NO_GROUP)
			continue;
		else if (group >= plan.ngroups ||
				 numbers.insert({words, group}).first->second != group)
			snprintf(failure, kTextBytes, "group of row %zu", row);
		else if (found.first_rows[group] != first_rows.at(words))
			snprintf(failure, kTextBytes, "first row of group %u: %u", group,
					 found.first_rows[group]);
	}
}

// Tries numbering by hashing, with room for the groups, or without.
static void
try_hash(const Case &one, int multiprocessors, char *failure)
{
	const size_t ngroups = find_first_rows(one).size();

	with_keys(one,
			  [&](const WaKeys &keys, std::vector<void *> &parts)
			  {
				  WaKeysPlan plan;
				  Found found;

				  must(wa_keys_plan_hash(
					  &keys, (uint32_t) std::max(ngroups, (size_t) 1), &plan));
				  found = run_planned(keys, plan, multiprocessors, parts);
				  compare(one, plan, found, failure);
				  if (ngroups < 2)
					  return;
				  must(wa_keys_plan_hash(&keys, (uint32_t) ngroups - 1, &plan));
				  found = run_planned(keys, plan, multiprocessors, parts);
				  if (found.status.failed == 0)
					  snprintf(failure, kTextBytes, "too many groups fit");
			  });
}

// Returns the range of a key's words; too small a one if there are two words.
static WaKeyRange
range_of(const Case &one, const Key &key, bool is_small)
{
	WaKeyRange range = {INT64_MAX, INT64_MIN};

	for (size_t row = 0; row < one.nrows; row++)
	{
		if (!is_selected(one, row) ||
			(!key.validity.empty() &&
			 !wa_row_is_valid(key.validity.data(), row)))
			continue;
		range.smallest = std::min(range.smallest, (int64_t) key.words[row]);
		range.largest = std::max(range.largest, (int64_t) key.words[row]);
	}
	// Beyond the bits of the smaller range.
	if (is_small && range.smallest < range.largest)
		range.smallest = range.largest;
	return range;
}

// Tries direct numbering, if the ranges allow it; *ndirect counts that.
static void
try_direct(const Case &one, int multiprocessors, unsigned *ndirect,
		   char *failure)
{
	with_keys(
		one,
		[&](const WaKeys &keys, std::vector<void *> &parts)
		{
			std::vector<WaKeyRange> ranges;
			WaKeysPlan plan;
			Found found;

			for (const Key &key : one.keys)
				ranges.push_back(range_of(one, key, false));
			if (wa_keys_plan_direct(&keys, ranges.data(), 1 << 20, &plan) !=
				cudaSuccess)
				return;
			*ndirect += 1;
			found = run_planned(keys, plan, multiprocessors, parts);
			compare(one, plan, found, failure);
			ranges[0] = range_of(one, one.keys[0], true);
			if (ranges[0].smallest ==
				range_of(one, one.keys[0], false).smallest)
				return;
			must(wa_keys_plan_direct(&keys, ranges.data(), 1 << 20, &plan));
			found = run_planned(keys, plan, multiprocessors, parts);
			if (found.status.failed == 0)
				snprintf(failure, kTextBytes, "a word beyond its range");
		});
}

// A table, and where it is not known.
struct Steps
{
	WaLookupTable table;
	std::vector<int64_t> values; // ascending
	std::vector<uint8_t> known;
};

// Makes a table for words from 0 on; *end: behind the last of them.
static Steps
make_steps(uint32_t ndistinct, int64_t *end, Random &random)
{
	const uint32_t nwords =
		1 + (uint32_t) random.below(std::min(ndistinct, 4095u));
	const bool has_gaps = random.below(2) == 0;
	Steps steps = {};

	steps.table.base = (int64_t) random.below(3) - 1;
	steps.table.width = 1 + random.below(9);
	for (uint32_t word = 0; word < nwords; word++)
		for (uint64_t i = random.below(3) + 1; i > 0; i--)
		{
			steps.values.push_back(word);
			steps.known.push_back(!has_gaps || random.below(20) != 0);
		}
	steps.table.nentries = steps.values.size();
	*end = nwords;
	return steps;
}

// Makes a key of a few values in a table, or near it.
static Key
make_looked_up(size_t nrows, const Steps &steps, bool is_narrow, Random &random)
{
	const uint64_t span = steps.table.nentries * steps.table.width;
	Key key = {};

	key.form = is_narrow ? WA_COLUMN_I32 : WA_COLUMN_I64;
	key.stored.resize(nrows * form_bytes(key.form));
	if (random.below(2) == 0)
		key.validity = validity_fill(VALIDITY_RANDOM, nrows, random);
	for (size_t row = 0; row < nrows; row++)
	{
		int64_t x = steps.table.base + (int64_t) random.below(span);

		if (random.below(2000) == 0)
			x = random.below(2) == 0 ? x + (int64_t) span : INT64_MIN + 2;
		memcpy(key.stored.data() + row * form_bytes(key.form), &x,
			   form_bytes(key.form));
		key.words.push_back(is_narrow ? (uint64_t) (int32_t) x : (uint64_t) x);
	}
	return key;
}

// Returns the number that a row is to have.
static uint32_t
looked_up(const Case &one, const Steps &steps, size_t row)
{
	const Key &key = one.keys[0];
	const __int128 offset =
		(__int128) (int64_t) key.words[row] - steps.table.base;
	const __int128 step = offset / (__int128) steps.table.width;

	if (!is_selected(one, row))
		return WA_KEYS_NO_GROUP;
	if (!key.validity.empty() && !wa_row_is_valid(key.validity.data(), row))
		return 0;
	if (offset < 0 || step >= (__int128) steps.values.size() ||
		steps.known[(size_t) step] == 0)
		return WA_KEYS_NO_GROUP - 1; // none, and the tile traps
	return (uint32_t) steps.values[(size_t) step] + 1;
}

// Writes what is wrong with numbers that were looked up to failure, if anything is.
static void
compare_looked_up(const Case &one, const Steps &steps, const Found &found,
				  std::vector<uint64_t> traps, char *failure)
{
	std::vector<uint32_t> first_rows(found.first_rows.size(), WA_KEYS_NO_GROUP);
	std::vector<uint64_t> expected(traps.size());

	for (size_t row = 0; row < one.nrows && failure[0] == '\0'; row++)
	{
		const size_t tile = row / WA_PROGRAM_TILE_ROWS;
		uint32_t number = looked_up(one, steps, row);

		if (number == WA_KEYS_NO_GROUP - 1)
		{
			expected[tile / 64] |= (uint64_t) 1 << tile % 64;
			number = WA_KEYS_NO_GROUP;
		}
		if (found.groups[row] != number)
			snprintf(failure, kTextBytes, "number %u of row %zu, not %u",
					 found.groups[row], row, number);
		if (number != WA_KEYS_NO_GROUP)
			first_rows[number] = std::min(first_rows[number], (uint32_t) row);
	}
	if (found.status.failed != 0)
		snprintf(failure, kTextBytes, "looking up failed");
	if (failure[0] == '\0' && traps != expected)
		snprintf(failure, kTextBytes, "the tiles that trap");
	if (failure[0] == '\0' && found.first_rows != first_rows)
		snprintf(failure, kTextBytes, "first rows of what is looked up");
}

// Tries numbering by what stands for a key.
static void
try_steps(size_t nrows, uint32_t ndistinct, int multiprocessors, Random &random,
		  char *failure)
{
	WaKeyRange range = {0, 0};
	const Steps steps = make_steps(ndistinct, &range.largest, random);
	Case one = {nrows, {}, {}};

	one.keys.push_back(
		make_looked_up(nrows, steps, random.below(2) == 0, random));
	if (random.below(2) == 0)
		one.selection = validity_fill(VALIDITY_RANDOM, nrows, random);
	range.largest--;
	with_keys(
		one,
		[&](const WaKeys &keys, std::vector<void *> &parts)
		{
			const std::vector<uint64_t> traps(wa_program_trap_bytes(nrows) / 8,
											  0x5a5a5a5a);
			WaKeyLookup table = {wa_lookup_of(&steps.table),
								 to_device(traps, parts)};
			WaKeys with_lookup = keys;
			WaKeysPlan plan;
			Found found;

			table.table.values = to_device(steps.values, parts);
			table.table.known = to_device(steps.known, parts);
			with_lookup.lookup = &table;
			must(wa_keys_plan_direct(&with_lookup, &range, 4096, &plan));
			found = run_planned(with_lookup, plan, multiprocessors, parts);
			compare_looked_up(one, steps, found,
							  fetch(table.d_traps, traps.size()), failure);
		});
}

// Tries keys of so many rows.
static void
test_rows(size_t nrows, uint64_t seed, bool in_short)
{
	char failure[kTextBytes] = "";
	Random random(seed * 1000 + nrows);
	unsigned ndirect = 0;

	for (uint32_t ndistinct : kDistinct)
		for (int i = 0; i < 4 && failure[0] == '\0'; i++)
			try_steps(nrows, ndistinct, 1 + (int) random.below(3), random,
					  failure);
	for (uint32_t ndistinct : kDistinct)
		for (unsigned nkeys = 1; nkeys <= WA_KEYS_MAX && failure[0] == '\0';
			 nkeys += in_short ? 3 : 1)
		{
			const int multiprocessors = 1 + (int) random.below(3);

			if (nrows > 5000 && nkeys > 2 && nkeys % 4 != 0)
				continue;
			try_hash(make_case(nrows, nkeys, ndistinct, false, random),
					 multiprocessors, failure);
			try_direct(make_case(nrows, nkeys, ndistinct, true, random),
					   multiprocessors, &ndirect, failure);
		}
	if (failure[0] == '\0' && ndirect == 0)
		snprintf(failure, sizeof(failure), "nothing was numbered directly");
	report_group(failure, "keys of %zu rows, seed %llu", nrows,
				 (unsigned long long) seed);
}

// What breaks the contract or cannot be numbered directly.
static void
test_contract()
{
	const WaKeyColumn columns[2] = {{WA_COLUMN_I64, NULL, NULL},
									{WA_COLUMN_I64, NULL, NULL}};
	const WaKeyRange narrow[2] = {{-5, 9}, {0, 1}};
	const WaKeyRange wide[2] = {{INT64_MIN, INT64_MAX}, {0, 1}};
	const WaKeyRange nothing[2] = {{INT64_MAX, INT64_MIN}, {3, 3}};
	WaKeys keys = {columns, 2, NULL, 0, NULL};
	const WaKeyLookup steps = {};
	const WaKeyRange words = {0, 4094};
	const WaKeyRange more_words = {0, 4095};
	char failure[kTextBytes] = "";
	WaKeysPlan plan;
	auto expect = [&](bool held, const char *what)
	{
		if (!held && failure[0] == '\0')
			snprintf(failure, sizeof(failure), "%s", what);
	};

	expect(wa_keys_plan_direct(&keys, narrow, 64, &plan) == cudaSuccess &&
			   plan.ngroups == 64,
		   "ranges that fit");
	expect(wa_keys_plan_direct(&keys, narrow, 63, &plan) ==
			   cudaErrorNotSupported,
		   "ranges that do not fit");
	expect(wa_keys_plan_direct(&keys, wide, 1 << 24, &plan) ==
			   cudaErrorNotSupported,
		   "a range of all words");
	expect(wa_keys_plan_direct(&keys, nothing, 2, &plan) == cudaSuccess,
		   "a range of no words");
	expect(wa_keys_plan_hash(&keys, 0, &plan) == cudaErrorInvalidValue,
		   "no groups");
	keys.lookup = &steps;
	expect(wa_keys_plan_direct(&keys, narrow, 1 << 24, &plan) ==
			   cudaErrorInvalidValue,
		   "steps of two keys");
	keys.ncolumns = 1;
	expect(wa_keys_plan_hash(&keys, 10, &plan) == cudaErrorInvalidValue,
		   "steps by hashing");
	expect(wa_keys_plan_direct(&keys, &words, 1 << 24, &plan) == cudaSuccess &&
			   plan.ngroups == 4096,
		   "as many words of steps as there may be");
	expect(wa_keys_plan_direct(&keys, &more_words, 1 << 24, &plan) ==
			   cudaErrorNotSupported,
		   "too many words of steps");
	keys.lookup = NULL;
	keys.ncolumns = WA_KEYS_MAX + 1;
	expect(wa_keys_plan_hash(&keys, 10, &plan) == cudaErrorInvalidValue,
		   "too many keys");
	report_group(failure, "keys that cannot be planned");
}

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2};
	const bool in_short = argc > 1 && strcmp(argv[1], "--short") == 0;
	const int first_seed = in_short ? 2 : 1;

	if (argc > first_seed)
		seeds.clear();
	for (int i = first_seed; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
	test_contract();
	for (uint64_t seed : seeds)
	{
#ifdef WA_EMU
		wa_emu_set_seed(seed);
#endif
		for (size_t nrows : kSizes)
			test_rows(nrows, seed, in_short);
	}
	return report_total();
}
