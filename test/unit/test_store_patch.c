/*
 * test_store_patch.c
 *		Patches of extents in the store: what is there then, what of it is fresh, and
 *		what is on GPUs that are none.
 *
 * What rows a block has follows from its number and its LSN, so that what is found can
 * be checked by itself.
 *
 *	test_store_patch [SEED]
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"
#include "test/unit/test_mirror_device.h"
#include "test/unit/test_mirror_extent.h"

#define PLENTY       ((uint64_t) 1 << 40)
#define PIECES       4096
#define MAX_ROWS     60
#define BLOCKS       300
#define EXTENTS      8
#define TEXTS        8
#define ATTRIBUTES   5
#define ALL          ((1U << ATTRIBUTES) - 1)
#define PARCEL_BYTES ((size_t) 2 << 20)

/* Attribute i + 1 is of forms[i]. */
static const WaForm forms[ATTRIBUTES] = {WA_FORM_INT32, WA_FORM_INT64,
										 WA_FORM_BOOL, WA_FORM_TEXT,
										 WA_FORM_DECIMAL32};

/* From this LSN on decimals are wider. */
#define WIDER_LSN 180

static uint64_t random_state = 5;
static uint8_t *parcel;
static WaStore store;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Returns bits that belong to a row of a block, which may be that of no column. */
static uint64_t
bits_of(uint32_t block, uint64_t lsn, uint32_t attribute, uint32_t row)
{
	uint64_t state = (lsn * 1009 + block) * UINT64_C(0x9E3779B97F4A7C15) +
					 attribute * UINT64_C(104729) + row * UINT64_C(7919) + 1;

	(void) next_random(&state);
	return next_random(&state) >> 8;
}

/* Returns how many rows a block has. */
static uint32_t
rows_of(uint32_t block, uint64_t lsn)
{
	const uint64_t bits = bits_of(block, lsn, 0, 0);

	return bits % 5 == 0 ? 0 : (uint32_t) (bits >> 8) % (MAX_ROWS + 1);
}

/* Tells whether a row is NULL: every second LSN brings such ones. */
static bool
is_null(uint64_t lsn, uint64_t bits)
{
	return lsn % 2 == 1 && bits % 7 == 0;
}

/* Returns the value of a row; of a text its number. */
static int64_t
value_of(WaForm form, uint64_t bits)
{
	if (form == WA_FORM_BOOL)
		return bits >> 8 & 1;
	if (form == WA_FORM_TEXT)
		return (int64_t) (bits >> 8) % TEXTS;
	return (int64_t) (bits >> 8 & 0xffff) - 0x8000;
}

/* Returns the form of a column of which some block has such an LSN. */
static WaForm
form_of(uint32_t attribute, uint64_t lsn)
{
	return forms[attribute] == WA_FORM_DECIMAL32 && lsn >= WIDER_LSN
			   ? WA_FORM_DECIMAL64
			   : forms[attribute];
}

/* Takes aligned bytes of a parcel; returns their offset. */
static uint64_t
take(uint64_t *end, uint64_t bytes)
{
	const uint64_t offset = *end;

	*end = (offset + bytes + 63) / 64 * 64;
	return offset;
}

/* Writes the texts of a column: of nothing, "x", "xx" and so on. */
static void
write_texts(uint8_t *to, WaExtentColumn *column, uint64_t *end)
{
	uint32_t ends[TEXTS];

	for (uint32_t i = 0; i < TEXTS; i++)
		ends[i] = (i > 0 ? ends[i - 1] : 0) + i;
	column->ntexts = TEXTS;
	column->text_ends = take(end, sizeof(ends));
	memcpy(to + column->text_ends, ends, sizeof(ends));
	column->text_bytes = ends[TEXTS - 1];
	column->text = take(end, column->text_bytes);
	memset(to + column->text, 'x', column->text_bytes);
}

/* Writes a column of the blocks that a head has. */
static void
write_column(uint8_t *to, const WaExtentHead *head, WaExtentColumn *column,
			 uint32_t attribute, uint64_t newest_lsn, uint64_t *end)
{
	const WaForm form = form_of(attribute, newest_lsn);
	const size_t width = wa_form_width(form);
	uint32_t row = 0;

	column->name = wa_test_name((int16_t) (attribute + 1), form);
	column->form = form;
	column->values = take(end, head->nrows * width);
	column->validity = take(end, head->nrows);
	for (uint32_t i = 0; i < head->nblocks; i++)
	{
		const uint32_t first = row;

		for (; row < head->row_end[i]; row++)
		{
			const uint64_t bits =
				bits_of(i, head->block_lsn[i], attribute + 1, row - first);
			const int64_t value = value_of(form, bits);

			memcpy(to + column->values + row * width, &value, width);
			to[column->validity + row] = !is_null(head->block_lsn[i], bits);
		}
	}
	if (form == WA_FORM_TEXT)
		write_texts(to, column, end);
}

/*
 * Loads blocks of an extent, those that have an LSN, with the attributes of a set; or
 * patches it.
 */
static WaStatus
load(uint8_t *to, uint32_t number, const uint64_t *block_lsn, uint32_t nblocks,
	 uint64_t position, uint32_t attributes, bool is_patch)
{
	WaExtentHead *head = calloc(1, sizeof(*head));
	uint64_t newest_lsn = 0;
	uint64_t end = 64;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status;

	head->relation = wa_test_relation(0);
	head->number = number;
	head->position = position;
	head->settled = 1;
	head->nblocks = nblocks;
	head->is_patch = is_patch;
	for (uint32_t i = 0; i < nblocks; i++)
	{
		head->block_lsn[i] = block_lsn[i];
		newest_lsn = block_lsn[i] > newest_lsn ? block_lsn[i] : newest_lsn;
		if (block_lsn[i] != 0)
			head->nrows += rows_of(i, block_lsn[i]);
		head->row_end[i] = head->nrows;
	}
	for (uint32_t i = 0; i < ATTRIBUTES; i++)
		if ((attributes >> i & 1) != 0)
			write_column(to, head, &head->columns[head->ncolumns++], i,
						 newest_lsn, &end);
	if (end > PARCEL_BYTES || !wa_extent_is_sound(head, PARCEL_BYTES))
		abort();
	status = wa_store_load(&store, head, to, error, sizeof(error));
	if (status != WA_OK && error[0] == '\0')
		abort();
	free(head);
	return status;
}

/* Tells whether a row of a column is right. */
static bool
row_is_right(const WaColumn *column, uint32_t row, uint64_t lsn, uint64_t bits)
{
	const bool null = column->validity != NULL && column->validity[row] == 0;
	const int64_t expected = null ? 0 : value_of(column->form, bits);
	const void *values = column->values;
	int64_t value;

	EXPECT(null == is_null(lsn, bits));
	if (column->form == WA_FORM_BOOL)
		value = wa_bits_get(values, row);
	else if (wa_form_width(column->form) == 4 && column->form != WA_FORM_TEXT)
		value = ((const int32_t *) values)[row];
	else if (column->form == WA_FORM_TEXT)
		value = wa_dictionary_text(column->dictionary,
								   ((const int32_t *) values)[row])
					.length;
	else
		value = ((const int64_t *) values)[row];
	EXPECT(value == expected);
	return true;
}

/* Tells whether the usable blocks of an extent are right in a column. */
static bool
column_is_right(const WaUsedExtent *used, const WaColumn *column)
{
	uint32_t first = 0;

	EXPECT(column->nrows == used->layout->nrows);
	for (uint32_t i = 0; i < used->layout->nblocks; i++)
	{
		const uint64_t lsn = used->layout->block_lsn[i];

		EXPECT(used->layout->row_end[i] - first ==
			   (lsn == 0 ? 0 : rows_of(i, lsn)));
		for (uint32_t row = first;
			 row < used->layout->row_end[i] && wa_bits_get(used->usable, i);
			 row++)
			EXPECT(
				row_is_right(column, row, lsn,
							 bits_of(i, lsn, (uint32_t) column->name.attribute,
									 row - first)));
		first = used->layout->row_end[i];
	}
	return true;
}

/* Writes the names of a set of attributes; returns how many they are. */
static uint32_t
names_of(uint32_t attributes, WaColumnName *names)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < ATTRIBUTES; i++)
		if ((attributes >> i & 1) != 0)
			names[count++] = wa_test_name((int16_t) (i + 1), forms[i]);
	return count;
}

static bool has_overlay; /* some blocks have been found in one, ... */
static bool
	has_twice; /* ... and some both there and in the extent, the last time */

/* Tells whether a used extent is right, and notes the LSNs of extent 0's blocks. */
static bool
used_is_right(const WaUsedExtent *used, uint32_t ncolumns,
			  uint64_t lsns[WA_EXTENT_BLOCKS])
{
	bool is_right = true;

	for (uint32_t i = 0; i < ncolumns; i++)
		is_right = column_is_right(used, used->columns[i]) && is_right;
	has_overlay = has_overlay || used->number == WA_OVERLAY;
	for (uint32_t i = 0; i < used->layout->nblocks; i++)
	{
		if (wa_extent_number(used->number) != 0 ||
			!wa_bits_get(used->usable, i))
			continue;
		has_twice = has_twice || lsns[i] != 0;
		lsns[i] = used->layout->block_lsn[i];
	}
	return is_right;
}

/*
 * Finds which blocks of extent 0 can be used with a set of attributes, and with which
 * LSNs, 0: not; false if something is not right.
 */
static bool
find_usable(uint32_t attributes, uint64_t lsns[WA_EXTENT_BLOCKS])
{
	const WaRelation relation = wa_test_relation(0);
	WaUse use = wa_test_use(UINT32_MAX);
	WaColumnName names[ATTRIBUTES];
	const uint32_t ncolumns = names_of(attributes, names);
	WaUsedExtent several[2];
	uint32_t next = 0;
	uint32_t found;
	bool is_right = true;

	has_twice = false;
	memset(lsns, 0, WA_EXTENT_BLOCKS * sizeof(*lsns));
	if (!wa_store_use_begin(&store, &relation, names, ncolumns, &use))
		return true;
	while ((found = wa_test_use_next(&store, &use, &next, several)) > 0)
		for (uint32_t i = 0; i < found; i++)
		{
			is_right = used_is_right(&several[i], ncolumns, lsns) && is_right;
			wa_store_unuse(&several[i], ncolumns);
		}
	wa_store_use_end(&store, &use);
	return is_right && !has_twice;
}

/* Tells whether all blocks can be used that have LSNs, and no others. */
static bool
has_blocks(uint32_t attributes, const uint64_t *block_lsn)
{
	uint64_t lsns[WA_EXTENT_BLOCKS];

	EXPECT(find_usable(attributes, lsns));
	EXPECT(memcmp(lsns, block_lsn, BLOCKS * sizeof(*lsns)) == 0);
	return true;
}

/* Empties the store; tells whether nothing is left. */
static bool
end(void)
{
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

/* Has the store know of a change of a block of extent 0. */
static void
follow(uint64_t to, uint32_t block, uint64_t lsn)
{
	WaFollowMessage *message = calloc(1, sizeof(*message));

	message->from = store.known.position;
	message->to = to;
	message->nchanges = 1;
	message->changes[0].relation = wa_test_relation(0);
	message->changes[0].block = block;
	message->changes[0].lsn = lsn;
	(void) wa_store_follow(&store, message);
	free(message);
}

/* Any blocks are patched, again and again, with all columns or not. */
static bool
test_blocks(void)
{
	uint64_t block_lsn[BLOCKS];
	uint64_t of_all[BLOCKS]; /* where attribute 1 is there, too */
	uint32_t nblocks = 100;

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	memset(block_lsn, 0, sizeof(block_lsn));
	for (uint32_t i = 0; i < nblocks; i++)
		block_lsn[i] = pick(10) == 0 ? 0 : 1 + pick(100);
	memcpy(of_all, block_lsn, sizeof(of_all));
	EXPECT(load(parcel, 0, block_lsn, nblocks, 1, ALL - 8, false) == WA_OK);
	EXPECT(has_blocks(ALL - 8, block_lsn));
	for (uint64_t lsn = 101; lsn < 200; lsn++)
	{
		const uint32_t attributes = pick(5) == 0 ? ALL - 1 : ALL;
		const uint64_t one_in = 1 + pick(100);
		uint64_t patch[BLOCKS] = {0};

		nblocks = 1 + (uint32_t) pick(BLOCKS);
		for (uint32_t i = 0; i < nblocks; i++)
		{
			if (pick(one_in) != 0)
				continue;
			patch[i] = pick(10) == 0 ? 1 : lsn;
			if (patch[i] < block_lsn[i])
				continue;
			block_lsn[i] = patch[i];
			of_all[i] =
				attributes == ALL || rows_of(i, patch[i]) == 0 ? patch[i] : 0;
		}
		EXPECT(load(parcel, 0, patch, nblocks, 1, attributes, true) == WA_OK);
		EXPECT(has_blocks(2 + 4 + 16, block_lsn));
		EXPECT(has_blocks(ALL - 8, of_all));
	}
	EXPECT(has_overlay);
	return end();
}

/* What is patched is as fresh as if it had been loaded, and the rest stays so. */
static bool
test_fresh(void)
{
	uint64_t block_lsn[BLOCKS] = {10, 20, 30, 40};
	uint64_t expected[BLOCKS] = {10, 20, 30, 40};
	uint64_t patch[BLOCKS] = {0};

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 100);
	EXPECT(load(parcel, 0, block_lsn, 4, 100, 1, false) == WA_OK);
	follow(200, 1, 150);
	follow(220, 2, 210);
	expected[1] = expected[2] = 0;
	EXPECT(has_blocks(1, expected));
	/* Read before the second change: it is as well known as the first. */
	patch[1] = 150;
	patch[2] = 30;
	EXPECT(load(parcel, 0, patch, 4, 205, 1, true) == WA_OK);
	expected[1] = 150;
	EXPECT(has_blocks(1, expected));
	/* One that is older than what there is changes nothing, fresh or not. */
	memset(patch, 0, sizeof(patch));
	patch[0] = 5;
	patch[1] = 20;
	EXPECT(load(parcel, 0, patch, 4, 100, 1, true) == WA_OK);
	EXPECT(has_blocks(1, expected));
	/* Behind a gap nothing is fresh but what is loaded. */
	memset(patch, 0, sizeof(patch));
	patch[2] = 210;
	wa_test_know(&store, 300);
	store.known.since = 300;
	EXPECT(load(parcel, 0, patch, 4, 290, 1, true) == WA_OK);
	EXPECT(has_blocks(1, expected));
	patch[2] = 211;
	EXPECT(load(parcel, 0, patch, 4, 300, 1, true) == WA_OK);
	expected[2] = 211;
	EXPECT(has_blocks(1, expected));
	return end();
}

/* Tells whether there is something of an extent. */
static bool
is_there(uint32_t number)
{
	const WaRelation relation = wa_test_relation(0);
	WaExtentState state;

	wa_test_extent_state(&store, &relation, number, NULL, 0, &state);
	return state.exists != 0;
}

/*
 * Without an extent, which has gone since it was seen, a patch does nothing; it needs room,
 * and what was there stays without it.
 */
static bool
test_refused(void)
{
	uint64_t block_lsn[BLOCKS];
	uint64_t patch[BLOCKS] = {7};

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	EXPECT(load(parcel, 0, patch, 1, 1, ALL, true) == WA_OK);
	EXPECT(!is_there(0) && wa_memory_used(&store.memory) == 0);
	for (uint32_t i = 0; i < BLOCKS; i++)
		block_lsn[i] = 1 + i % 3;
	EXPECT(load(parcel, 0, block_lsn, BLOCKS, 1, ALL, false) == WA_OK);
	EXPECT(load(parcel, 1, patch, 1, 1, ALL, true) == WA_OK);
	EXPECT(is_there(0) && !is_there(1));
	wa_store_set_limit(&store, wa_memory_used(&store.memory) + 64);
	EXPECT(load(parcel, 0, patch, 1, 1, ALL, true) == WA_OUT_OF_MEMORY);
	EXPECT(has_blocks(ALL, block_lsn));
	wa_store_set_limit(&store, PLENTY);
	EXPECT(load(parcel, 0, patch, 1, 1, ALL, true) == WA_OK);
	block_lsn[0] = 7;
	EXPECT(has_blocks(ALL, block_lsn));
	return end();
}

/* Others make room for a patch as they do for what its columns were loaded for. */
static bool
test_room(void)
{
	uint64_t block_lsn[BLOCKS];
	uint64_t patch[BLOCKS] = {7};

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	for (uint32_t i = 0; i < BLOCKS; i++)
		block_lsn[i] = 1 + i % 3;
	EXPECT(load(parcel, 0, block_lsn, BLOCKS, 1, 1, false) == WA_OK);
	EXPECT(wa_test_load(&store, parcel, 1, 0, 1, 400, 40, 1) == WA_OK);
	EXPECT(wa_test_load(&store, parcel, 2, 0, 1, 400, 40, 1) == WA_OK);
	wa_store_set_limit(&store, wa_memory_used(&store.memory));
	memset(parcel, 0, PARCEL_BYTES);
	EXPECT(load(parcel, 0, patch, 1, 1, 1, true) == WA_OK);
	block_lsn[0] = 7;
	EXPECT(has_blocks(1, block_lsn));
	return end();
}

/* Makes an empty store with a mirror on a device. */
static void
begin_mirror(void)
{
	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	store.copies_ns = 60 * WA_NS_PER_S;
	store.mirror = wa_mirror_make(&store);
	wa_test_device_limit(0, PIECES);
	wa_mirror_add_device(store.mirror, 0, PLENTY);
	wa_mirror_start(store.mirror);
}

static bool
end_mirror(void)
{
	bool is_right;

	wa_store_set_limit(&store, 0);
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_device_pieces(0) == 0);
	EXPECT(!wa_test_device_abused());
	is_right = end();
	return is_right;
}

/* Tells whether a cover has some block both of an extent and of its overlay. */
static bool
cover_has_twice(const WaCover *cover)
{
	for (uint64_t i = 1; i < cover->count; i++)
	{
		const WaCoverExtent *extent = wa_cover_extent_of(cover->list[i - 1]);
		const WaCoverExtent *overlay = wa_cover_extent_of(cover->list[i]);

		if (overlay->extent.number != (extent->extent.number | WA_OVERLAY))
			continue;
		for (uint32_t j = 0; j < WA_EXTENT_WORDS; j++)
			if ((extent->usable[j] & overlay->usable[j]) != 0)
				return true;
	}
	return false;
}

/*
 * Returns how many extents and overlays that have rows are not on the device, or -1 if
 * one is there that is not right, or a block twice.
 */
static int
count_missing(WaTestRun *run, uint32_t attributes)
{
	WaColumnName names[ATTRIBUTES];
	const uint32_t ncolumns = names_of(attributes, names);
	WaMirrorUse use;
	int count;

	if (!wa_test_run_begin(run, &store, 0, names, ncolumns))
		return -1;
	count = 0;
	for (uint64_t i = 0; i < run->request.nextents; i++)
		count += run->request.extents[i]->nrows > 0;
	if (cover_has_twice(run->cover))
		count = -1;
	if (count >= 0 && wa_mirror_use(store.mirror, &run->request, 0, &use))
	{
		count = wa_test_use_is_right(&use, &run->request)
					? count - (int) use.nextents
					: -1;
		wa_mirror_unuse(store.mirror, &use);
	}
	wa_test_run_end(run);
	return count;
}

/* Loads all extents, and waits for their copies. */
static bool
load_extents(uint64_t lsns[EXTENTS][BLOCKS])
{
	for (uint32_t e = 0; e < EXTENTS; e++)
	{
		for (uint32_t i = 0; i < BLOCKS; i++)
			lsns[e][i] = 2 + 2 * pick(3);
		EXPECT(load(parcel, e, lsns[e], BLOCKS, 1, ALL, false) == WA_OK);
	}
	wa_test_mirror_settle(store.mirror);
	return true;
}

/* Patches a few blocks of an extent. */
static WaStatus
patch_some(uint8_t *to, uint32_t number, uint64_t lsn, uint64_t *state)
{
	uint64_t patch[BLOCKS] = {0};

	for (uint64_t i = 1 + next_random(state) % 20; i > 0; i--)
		patch[next_random(state) % BLOCKS] = lsn;
	return load(to, number, patch, BLOCKS, 1, ALL, true);
}

/* Copies follow a patch at once, also where they were. */
static bool
test_copies(void)
{
	static uint64_t lsns[EXTENTS][BLOCKS];
	static WaTestRun run;
	uint64_t bytes;

	begin_mirror();
	EXPECT(load_extents(lsns));
	EXPECT(count_missing(&run, ALL) == 0);
	bytes = wa_test_mirror_bytes(store.mirror, 0);
	for (uint64_t lsn = 101; lsn < 200; lsn++)
	{
		EXPECT(patch_some(parcel, (uint32_t) pick(EXTENTS), lsn,
						  &random_state) == WA_OK);
		EXPECT(count_missing(&run, ALL) == 0);
	}
	/* First patches bring validity; then there is one extent's room beside. */
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_mirror_bytes(store.mirror, 0) <= 2 * bytes);
	return end_mirror();
}

/* What has no copies, or no room for them, is patched as well. */
static bool
test_no_copies(void)
{
	static uint64_t lsns[EXTENTS][BLOCKS];
	static WaTestRun run;
	const int64_t begin_ns = wa_clock_ns();

	begin_mirror();
	EXPECT(load_extents(lsns));
	wa_test_device_limit(0, wa_test_device_pieces(0));
	for (uint64_t lsn = 101; lsn < 150; lsn++)
	{
		EXPECT(patch_some(parcel, (uint32_t) pick(EXTENTS), lsn,
						  &random_state) == WA_OK);
		EXPECT(count_missing(&run, ALL) >= 0);
	}
	wa_test_device_limit(0, 0);
	wa_test_device_fail(1);
	for (uint64_t lsn = 150; lsn < 200; lsn++)
		EXPECT(patch_some(parcel, (uint32_t) pick(EXTENTS), lsn,
						  &random_state) == WA_OK);
	wa_test_device_fail(0);
	/* Nobody has waited for what could not be. */
	EXPECT(wa_clock_ns() - begin_ns < store.copies_ns);
	return end_mirror();
}

static bool is_patching;
static bool has_failed;
static uint64_t last_lsn;

/* Patches extents that others patch, too. */
static void *
patching_thread(void *arg)
{
	uint64_t state = 71 + (uint64_t) (uintptr_t) arg;
	uint8_t *memory = aligned_alloc(64, PARCEL_BYTES);

	for (uint64_t lsn = last_lsn - 75; lsn <= last_lsn; lsn++)
		if (patch_some(memory, (uint32_t) (next_random(&state) % EXTENTS), lsn,
					   &state) != WA_OK)
			has_failed = true;
	free(memory);
	return NULL;
}

/*
 * Uses what there is.  All has to be on the device all the time, but for what has been
 * copied when the others become wider, and is found only then.
 */
static void *
using_thread(void *arg)
{
	WaTestRun *run = malloc(sizeof(*run));

	(void) arg;
	while (__atomic_load_n(&is_patching, __ATOMIC_RELAXED))
	{
		const int count = count_missing(run, ALL);

		if (count < 0 || (count > 0 && last_lsn < WIDER_LSN))
			__atomic_store_n(&has_failed, true, __ATOMIC_RELAXED);
	}
	free(run);
	return NULL;
}

/* Extents are patched by several while they are used. */
static bool
run_threads(uint64_t newest_lsn)
{
	static uint64_t lsns[EXTENTS][BLOCKS];
	static WaTestRun run;
	uint64_t found[WA_EXTENT_BLOCKS];
	pthread_t threads[4];

	begin_mirror();
	EXPECT(load_extents(lsns));
	last_lsn = newest_lsn;
	is_patching = true;
	for (uintptr_t i = 0; i < 4; i++)
		EXPECT(pthread_create(&threads[i], NULL,
							  i < 2 ? patching_thread : using_thread,
							  (void *) i) == 0);
	for (int i = 0; i < 2; i++)
		EXPECT(pthread_join(threads[i], NULL) == 0);
	__atomic_store_n(&is_patching, false, __ATOMIC_RELAXED);
	for (int i = 2; i < 4; i++)
		EXPECT(pthread_join(threads[i], NULL) == 0);
	EXPECT(!has_failed);
	EXPECT(find_usable(ALL, found));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_missing(&run, ALL) == 0);
	return end_mirror();
}

static bool
test_threads(void)
{
	return run_threads(WIDER_LSN - 1);
}

static bool
test_wider(void)
{
	bool is_right = true;

	for (int i = 0; i < 5 && is_right; i++)
		is_right = run_threads(WIDER_LSN + 25);
	return is_right;
}

/* What is patched is forgotten meanwhile, and loaded anew, which is nobody's failure. */
static bool
test_gone(void)
{
	static uint64_t lsns[EXTENTS][BLOCKS];
	const WaRelation relation = wa_test_relation(0);
	pthread_t threads[2];

	begin_mirror();
	has_failed = false;
	last_lsn = WIDER_LSN - 1;
	for (uintptr_t i = 0; i < 2; i++)
		EXPECT(pthread_create(&threads[i], NULL, patching_thread, (void *) i) ==
			   0);
	for (int i = 0; i < 30; i++)
	{
		EXPECT(load_extents(lsns));
		wa_store_unload(&store, &relation, 0);
	}
	for (int i = 0; i < 2; i++)
		EXPECT(pthread_join(threads[i], NULL) == 0);
	EXPECT(!has_failed);
	EXPECT(!is_there(0) && load_extents(lsns) && has_blocks(ALL, lsns[0]));
	return end_mirror();
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"blocks are exchanged", test_blocks},
	{"what is patched is fresh", test_fresh},
	{"a patch needs room, and without an extent does nothing", test_refused},
	{"others make room", test_room},
	{"copies are there at once", test_copies},
	{"there need not be copies", test_no_copies},
	{"threads", test_threads},
	{"threads, and wider decimals", test_wider},
	{"what is patched goes meanwhile", test_gone},
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 10);
	parcel = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	free(parcel);
	return finish_checks();
}
