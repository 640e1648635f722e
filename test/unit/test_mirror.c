/*
 * test_mirror.c
 *		The mirror of resident columns: row spaces, and copies on GPUs that are
 *		none, while extents come, change and go.
 *
 *	test_mirror [SEED]
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/mirror/mirror_internal.h"
#include "daemon/mirror/mirror_rows.h"
#include "daemon/store/cover_list.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"
#include "test/unit/test_mirror_device.h"
#include "test/unit/test_mirror_extent.h"

#define PLENTY  ((uint64_t) 1 << 40)
#define PIECES  4096
#define EXTENTS 12
#define ROWS    2500

static uint64_t random_state = 5;
static uint8_t *parcel;
static WaStore store;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Makes an empty store with a mirror on so many devices. */
static void
begin(unsigned devices, unsigned pieces)
{
	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	store.mirror = wa_mirror_make(&store);
	for (unsigned i = 0; i < devices; i++)
	{
		wa_test_device_limit(i, pieces);
		wa_mirror_add_device(store.mirror, i, PLENTY);
	}
}

/* Empties the store; tells whether that leaves nothing on the devices. */
static bool
end(void)
{
	wa_test_device_fail(0);
	wa_store_set_limit(&store, 0);
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_memory_used(&store.memory) == 0);
	for (unsigned i = 0; i < WA_TEST_DEVICES; i++)
	{
		EXPECT(wa_test_mirror_bytes(store.mirror, i) == 0);
		EXPECT(wa_test_device_pieces(i) == 0);
	}
	EXPECT(!wa_test_device_abused());
	return true;
}

/* Loads an extent of a single column. */
static bool
load(uint64_t relation, uint32_t number, uint64_t seed, WaTestColumn column)
{
	return wa_test_load_columns(&store, parcel, relation, number, seed, ROWS,
								&column, 1) == WA_OK;
}

/*
 * Checks what of a relation's column is on a device, in the form that is expected.
 * Returns how many extents are, -1 if something is not right.
 */
static int
count_right(uint64_t relation, WaTestColumn column, unsigned device)
{
	const WaColumnName name = wa_test_name(column.attribute, column.form);
	static WaTestRun run;
	WaMirrorUse use;
	int count = 0;

	if (!wa_test_run_begin(&run, &store, relation, &name, 1))
		return -1;
	if (wa_mirror_use(store.mirror, &run.request, device, &use))
	{
		count = wa_test_use_is_right(&use, &run.request) &&
						use.columns[0].form == column.form &&
						use.columns[0].scale == column.scale
					? (int) use.nextents
					: -1;
		wa_mirror_unuse(store.mirror, &use);
	}
	wa_test_run_end(&run);
	return count;
}

/* Runs are where there is room first, and no two have the same rows. */
static bool
test_rows(void)
{
	enum
	{
		UNITS = 200,
		RUNS = 64
	};
	static bool taken[UNITS];
	uint64_t first[RUNS];
	uint64_t rows[RUNS] = {0};
	WaRowSpace space;

	EXPECT(wa_row_space_init(&space, UNITS));
	for (int i = 0; i < 20000; i++)
	{
		const uint64_t r = pick(RUNS);
		uint64_t wanted = 1 + pick(9);
		uint64_t at = 0;
		uint64_t free_rows = 0;

		if (rows[r] > 0)
		{
			wa_row_space_give(&space, first[r], rows[r]);
			memset(&taken[first[r]], 0, rows[r]);
			rows[r] = 0;
			continue;
		}
		while (at < UNITS && free_rows < wanted)
			free_rows = taken[at++] ? 0 : free_rows + 1;
		EXPECT(wa_row_space_take(&space, wanted, &first[r]) ==
			   (free_rows == wanted));
		if (free_rows < wanted)
			continue;
		EXPECT(first[r] == at - wanted);
		memset(&taken[first[r]], 1, wanted);
		rows[r] = wanted;
	}
	wa_row_space_end(&space);
	return true;
}

/* Columns of all forms, together and alone, on the devices of their extents. */
static bool
test_forms(void)
{
	const WaTestColumn columns[] = {
		{1, WA_FORM_INT16, 0, 14, true, false, false},
		{2, WA_FORM_INT32, 0, 30, false, false, false},
		{3, WA_FORM_INT64, 0, 60, true, false, false},
		{4, WA_FORM_UINT32, 0, 32, false, false, false},
		{5, WA_FORM_FLOAT4, 0, 40, true, false, false},
		{6, WA_FORM_FLOAT8, 0, 50, false, false, false},
		{7, WA_FORM_DECIMAL32, 3, 20, true, false, true},
		{8, WA_FORM_DECIMAL64, 2, 50, false, false, false},
		{9, WA_FORM_BOOL, 0, 1, true, false, false},
		{10, WA_FORM_TEXT, 0, 1, true, false, false},
	};
	WaColumnName names[10];
	static WaTestRun run;
	WaMirrorUse use;
	unsigned found = 0;

	begin(3, PIECES);
	wa_mirror_start(store.mirror);
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(wa_test_load_columns(&store, parcel, 0, i, 10 + i,
									(uint32_t) pick(9000), columns,
									10) == WA_OK);
	wa_test_mirror_settle(store.mirror);
	for (int i = 0; i < 10; i++)
		names[i] = wa_test_name(columns[i].attribute, columns[i].form);
	EXPECT(wa_test_run_begin(&run, &store, 0, names, 10));
	for (unsigned device = 0; device < 3; device++)
	{
		EXPECT(wa_mirror_use(store.mirror, &run.request, device, &use));
		EXPECT(use.device == device && use.ncolumns == 10);
		for (uint32_t i = 0; i < use.nextents; i++)
			EXPECT(run.request.extents[use.extents[i]]->number % 3 == device);
		EXPECT(wa_test_use_is_right(&use, &run.request));
		EXPECT((use.columns[0].d_validity != NULL) &&
			   (use.columns[1].d_validity == NULL));
		found += use.nextents;
		wa_mirror_unuse(store.mirror, &use);
	}
	EXPECT(found == run.request.nextents);
	EXPECT(!wa_mirror_use(store.mirror, &run.request, 3, &use));
	run.request.ncolumns = 0;
	EXPECT(!wa_mirror_use(store.mirror, &run.request, 0, &use));
	wa_test_run_end(&run);
	return end();
}

/* Integers of more and more bits, and NULLs that come late. */
static bool
test_wider(void)
{
	WaTestColumn column = {1, WA_FORM_INT16, 0, 15, false, false, false};

	begin(1, PIECES);
	wa_mirror_start(store.mirror);
	for (uint32_t i = 0; i < 5; i++)
		EXPECT(load(0, i, i + 1, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 5);
	column.form = WA_FORM_INT32;
	column.bits = 31;
	EXPECT(load(0, 5, 6, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 6);
	column.form = WA_FORM_INT16;
	column.bits = 15;
	column.has_nulls = true;
	EXPECT(load(0, 6, 7, column));
	column.form = WA_FORM_UINT32;
	column.bits = 32;
	EXPECT(load(0, 7, 8, column));
	wa_test_mirror_settle(store.mirror);
	column.form = WA_FORM_INT64;
	EXPECT(count_right(0, column, 0) == 8);
	EXPECT(wa_test_mirror_bytes(store.mirror, 0) == 2 * WA_CUDA_PIECE_BYTES);
	/* whole again once all but the narrow ones have gone */
	wa_store_unload(&store, &(WaRelation){1663, 5, 1000}, 0);
	column.form = WA_FORM_INT16;
	column.bits = 15;
	EXPECT(load(0, 0, 1, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 1);
	return end();
}

/* What is used stays as it is while a wider form takes its place. */
static bool
test_wider_in_use(void)
{
	WaTestColumn column = {1, WA_FORM_INT16, 0, 15, true, false, false};
	const WaColumnName name = wa_test_name(1, WA_FORM_INT16);
	static WaTestRun run;
	WaMirrorUse use;
	WaMirrorUse later;

	begin(1, PIECES);
	wa_mirror_start(store.mirror);
	for (uint32_t i = 0; i < 5; i++)
		EXPECT(load(0, i, i + 1, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_run_begin(&run, &store, 0, &name, 1));
	EXPECT(wa_mirror_use(store.mirror, &run.request, 0, &use));
	EXPECT(use.nextents == 5);
	column.form = WA_FORM_INT64;
	column.bits = 60;
	EXPECT(load(0, 2, 7, column));
	EXPECT(load(0, 5, 6, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 6);
	EXPECT(wa_test_use_is_right(&use, &run.request));
	EXPECT(wa_test_mirror_bytes(store.mirror, 0) == 4 * WA_CUDA_PIECE_BYTES);
	/* What has been replaced before is not in the wider form. */
	EXPECT(wa_mirror_use(store.mirror, &run.request, 0, &later));
	EXPECT(later.nextents == 4 && wa_test_use_is_right(&later, &run.request));
	wa_mirror_unuse(store.mirror, &later);
	wa_mirror_unuse(store.mirror, &use);
	wa_test_run_end(&run);
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_mirror_bytes(store.mirror, 0) == 2 * WA_CUDA_PIECE_BYTES);
	return end();
}

/* Decimals whose scales, forms and digits shown differ. */
static bool
test_decimals(void)
{
	WaTestColumn column = {1, WA_FORM_DECIMAL32, 0, 10, false, true, false};

	begin(1, PIECES);
	wa_mirror_start(store.mirror);
	EXPECT(load(0, 0, 1, column)); /* nothing but NULL */
	column.all_null = false;
	column.scale = 2;
	EXPECT(load(0, 1, 2, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 2);
	column.scale = 1;
	EXPECT(load(0, 2, 3, column));
	wa_test_mirror_settle(store.mirror);
	column.scale = 2;
	EXPECT(count_right(0, column, 0) == 3);
	column.scale = 4;
	column.has_display = true;
	EXPECT(load(0, 3, 4, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 4);
	column.scale = 1;
	column.bits = 25; /* too large for 32 bits with three digits more */
	EXPECT(load(0, 4, 5, column));
	wa_test_mirror_settle(store.mirror);
	column.form = WA_FORM_DECIMAL64;
	column.scale = 4;
	EXPECT(count_right(0, column, 0) == 5);
	/* what fits nowhere is left out, whichever comes first */
	column.bits = 60;
	column.scale = 1;
	EXPECT(load(0, 5, 6, column));
	column.bits = 40;
	column.scale = 18;
	EXPECT(load(0, 6, 7, column));
	wa_test_mirror_settle(store.mirror);
	column.scale = 4;
	EXPECT(count_right(0, column, 0) == 5);
	return end();
}

/* Decimals of 128 bits, beside others. */
static bool
test_wide_decimals(void)
{
	WaTestColumn column = {1, WA_FORM_DECIMAL64, 2, 40, true, false, false};

	begin(1, PIECES);
	wa_mirror_start(store.mirror);
	EXPECT(load(0, 0, 1, column));
	column.form = WA_FORM_DECIMAL128;
	column.scale = 5;
	EXPECT(load(0, 1, 2, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 2);
	column.form = WA_FORM_DECIMAL32;
	column.bits = 20;
	column.scale = 3;
	EXPECT(load(0, 2, 3, column));
	wa_test_mirror_settle(store.mirror);
	column.form = WA_FORM_DECIMAL128;
	column.scale = 5;
	EXPECT(count_right(0, column, 0) == 3);
	/* of more than 38 digits in the others' scale */
	column.bits = 62;
	column.scale = 0;
	EXPECT(load(0, 3, 4, column));
	wa_test_mirror_settle(store.mirror);
	column.scale = 5;
	EXPECT(count_right(0, column, 0) == 3);
	return end();
}

/* Memory of decimals of 128 bits stays while it has rows, of which there may be many. */
static bool
test_wide_memory(void)
{
	const WaTestColumn values = {1,    WA_FORM_DECIMAL128, 5, 40, true, false,
								 false};
	const WaTestColumn nulls = {1,    WA_FORM_DECIMAL128, 5, 40, true, true,
								false};

	begin(1, PIECES);
	wa_mirror_start(store.mirror);
	for (uint32_t i = 0; i < 3; i++)
		EXPECT(load(0, i, i + 1, values));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, values, 0) == 3);
	EXPECT(load(0, 1, 9, values)); /* the rows of the one before go */
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, values, 0) == 3);
	EXPECT(wa_test_load_columns(&store, parcel, 0, 3, 5, WA_MAX_EXTENT_ROWS,
								&values, 1) == WA_OK);
	EXPECT(wa_test_load_columns(&store, parcel, 0, 4, 6, WA_MAX_EXTENT_ROWS,
								&nulls, 1) == WA_OK);
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, values, 0) == 5);
	return end();
}

/* Extents that are replaced or unloaded while they are used. */
static bool
test_replacement(void)
{
	const WaTestColumn column = {1, WA_FORM_INT32, 0, 30, true, false, false};
	const WaColumnName name = wa_test_name(1, WA_FORM_INT32);
	const WaRelation relation = wa_test_relation(0);
	static WaTestRun run;
	WaMirrorUse use;

	begin(1, PIECES);
	wa_mirror_start(store.mirror);
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(0, i, i + 1, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_run_begin(&run, &store, 0, &name, 1));
	EXPECT(wa_mirror_use(store.mirror, &run.request, 0, &use));
	EXPECT(use.nextents == EXTENTS);
	EXPECT(load(0, 3, 77, column)); /* other blocks */
	EXPECT(load(0, 4, 5, column));  /* the same ones again */
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_use_is_right(&use, &run.request));
	EXPECT(count_right(0, column, 0) == EXTENTS - 1);
	wa_store_unload(&store, &relation, 0);
	wa_test_mirror_settle(store.mirror);
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(0, i, i + 100, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_use_is_right(&use, &run.request));
	wa_mirror_unuse(store.mirror, &use);
	wa_test_run_end(&run);
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == EXTENTS);
	/* its rows were taken, and are free now */
	EXPECT(wa_test_run_begin(&run, &store, 0, &name, 1));
	EXPECT(load(0, 7, 107, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == EXTENTS - 1);
	wa_test_run_end(&run);
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == EXTENTS);
	return end();
}

/*
 * There is no room for all of a wider form; what has been copied of it goes when
 * the next column wants room, but not before the copies are through.
 */
static bool
test_no_room(void)
{
	const WaTestColumn narrow = {1, WA_FORM_INT16, 0, 14, false, false, false};
	const WaTestColumn nulls = {1, WA_FORM_INT16, 0, 14, true, false, false};
	const WaTestColumn wide[] = {
		{1, WA_FORM_INT32, 0, 30, false, false, false},
		{2, WA_FORM_INT64, 0, 60, false, false, false}};

	begin(1, 3);
	wa_mirror_start(store.mirror);
	EXPECT(load(0, 0, 1, narrow));
	EXPECT(load(0, 1, 2, nulls));
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_device_pieces(0) == 2); /* values and bitmap */
	EXPECT(wa_test_load_columns(&store, parcel, 0, 2, 3, ROWS, wide, 2) ==
		   WA_OK);
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, narrow, 0) == 2);
	EXPECT(count_right(0, wide[1], 0) == 1);
	return end();
}

/* What is used longest ago goes, but not what is in use; columns come late. */
static bool
test_eviction(void)
{
	const WaTestColumn column = {1, WA_FORM_INT64, 0, 60, false, false, false};
	const WaTestColumn other = {2, WA_FORM_INT64, 0, 60, false, false, false};
	const WaColumnName name = wa_test_name(1, WA_FORM_INT64);
	static WaTestRun run;
	WaMirrorUse use;

	begin(1, 2);
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(0, i, i + 1, column));
	EXPECT(load(1, 0, 1, column));
	wa_mirror_start(store.mirror); /* what there is comes, too */
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == EXTENTS);
	EXPECT(count_right(1, column, 0) == 1);
	EXPECT(wa_test_run_begin(&run, &store, 0, &name, 1));
	EXPECT(wa_mirror_use(store.mirror, &run.request, 0, &use));
	EXPECT(load(2, 0, 1, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(1, column, 0) == 0);
	EXPECT(count_right(2, column, 0) == 1);
	EXPECT(load(2, 0, 1, other)); /* nothing of its own relation goes */
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(2, other, 0) == 0);
	EXPECT(wa_test_use_is_right(&use, &run.request));
	wa_mirror_unuse(store.mirror, &use);
	wa_test_run_end(&run);
	EXPECT(load(1, 0, 2, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(1, column, 0) == 1);
	EXPECT(count_right(0, column, 0) == 0 && count_right(2, column, 0) == 1);
	/* what was left out for lack of memory comes when there is some */
	wa_store_unload(&store, &(WaRelation){1663, 6, 1001}, 0);
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(2, column, 0) == 1 && count_right(2, other, 0) == 1);
	return end();
}

/* Copies of what was used lately, or is pinned, make no room for others. */
static bool
test_keeping(void)
{
	const WaTestColumn column = {1, WA_FORM_INT64, 0, 60, false, false, false};
	const WaRelation pinned = {1663, 6, 1001};
	char error[WA_MAX_ERROR_BYTES];

	begin(1, 2);
	wa_store_set_keeping(&store, 1000, INT64_MAX);
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(0, i, i + 1, column));
	EXPECT(load(1, 0, 1, column));
	wa_mirror_start(store.mirror);
	wa_test_mirror_settle(store.mirror);
	EXPECT(load(2, 0, 1, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == EXTENTS);
	EXPECT(count_right(1, column, 0) == 1);
	EXPECT(count_right(2, column, 0) == 0);
	wa_store_set_keeping(&store, 1000, 0);
	EXPECT(wa_store_pin(&store, &pinned, true, error, sizeof(error)) == WA_OK);
	EXPECT(load(2, 0, 2, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(0, column, 0) == 0);
	EXPECT(count_right(1, column, 0) == 1);
	EXPECT(count_right(2, column, 0) == 1);
	return end();
}

/* Copies take a part of what is free, or what the store may have. */
static bool
test_limits(void)
{
	const WaTestColumn column = {1, WA_FORM_INT64, 0, 60, false, false, false};

	begin(0, PIECES);
	wa_mirror_add_device(store.mirror, 0, 3 * WA_CUDA_PIECE_BYTES);
	wa_mirror_start(store.mirror);
	wa_test_mirror_settle(store.mirror);
	for (uint64_t i = 0; i < 3; i++)
	{
		EXPECT(load(i, 0, i + 1, column));
		wa_test_mirror_settle(store.mirror);
	}
	/* Of small extents more than one is evicted at once. */
	EXPECT(wa_test_mirror_bytes(store.mirror, 0) <= 2 * WA_CUDA_PIECE_BYTES);
	EXPECT(count_right(0, column, 0) == 0 && count_right(2, column, 0) == 1);
	wa_store_set_limit(&store, WA_CUDA_PIECE_BYTES + 1);
	EXPECT(load(0, 0, 4, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(wa_test_mirror_bytes(store.mirror, 0) == WA_CUDA_PIECE_BYTES);
	EXPECT(count_right(0, column, 0) == 1);
	return end();
}

/* A lack of memory anywhere only leaves something out. */
static bool
test_failures(void)
{
	const WaForm forms[] = {WA_FORM_INT16, WA_FORM_INT32, WA_FORM_INT64};
	int found = 0;

	begin(1, 6);
	wa_mirror_start(store.mirror);
	for (int i = 0; i < 600; i++)
	{
		const uint64_t relation = pick(3);
		const WaForm form = forms[pick(3)];
		WaTestColumn column = {
			(int16_t) (1 + pick(3)), form, 0, 14, pick(2) == 0, false, false};

		wa_test_device_fail((unsigned) pick(30));
		EXPECT(load(relation, (uint32_t) pick(EXTENTS), i + 1, column));
		if (i % 8 != 0)
			continue;
		wa_test_mirror_settle(store.mirror);
		for (unsigned f = 0; f < 3; f++)
		{
			column.form = forms[f];
			found += count_right(relation, column, 0) > 0;
		}
	}
	EXPECT(found > 10);
	return end();
}

/* The process ends when a device is lost; here one of its own. */
static bool
test_loss(void)
{
	const WaTestColumn column = {1, WA_FORM_INT16, 0, 14, false, false, false};
	const pid_t child = fork();
	int status;

	if (child == 0)
	{
		wa_test_device_lose();
		begin(1, PIECES);
		wa_mirror_start(store.mirror);
		(void) load(0, 0, 1, column);
		wa_test_mirror_settle(store.mirror);
		_exit(0);
	}
	EXPECT(waitpid(child, &status, 0) == child);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == WA_EXIT_DEVICE_LOST);
	return true;
}

static bool shared_failed;

/* Loads extents of several relations; changes the devices' memory. */
static void *
loading_thread(void *arg)
{
	const WaForm forms[] = {WA_FORM_INT16, WA_FORM_INT32};
	const WaForm decimals[] = {WA_FORM_DECIMAL32, WA_FORM_DECIMAL64,
							   WA_FORM_DECIMAL128};
	uint64_t state = 17 + (uint64_t) (uintptr_t) arg;
	uint8_t *memory = aligned_alloc(64, WA_TEST_PARCEL_BYTES);

	for (int i = 0; i < 400; i++)
	{
		const uint64_t bits = next_random(&state) >> 8;
		const WaTestColumn columns[] = {
			{1, forms[bits % 2], 0, 14, bits % 3 == 0, false, false},
			{2, decimals[(bits >> 12) % 3], (uint32_t) (bits >> 8) % 3, 12,
			 false, false, bits % 5 == 0},
		};
		const WaRelation name = wa_test_relation(bits >> 16 & 1);

		if (wa_test_load_columns(&store, memory, bits >> 16 & 1,
								 (uint32_t) (bits >> 20) % EXTENTS,
								 1 + (bits >> 30) % 3, ROWS, columns,
								 2) != WA_OK)
			shared_failed = true;
		if (bits >> 40 & 1)
			wa_test_device_limit(bits >> 41 & 1, (bits >> 42) % 12);
		if ((bits >> 50) % 32 == 0)
			wa_store_unload(&store, &name, (bits >> 20) % 3);
	}
	free(memory);
	return NULL;
}

/* Uses what there is, and looks whether it is right from begin to end. */
static void *
using_thread(void *arg)
{
	const WaColumnName names[] = {wa_test_name(1, WA_FORM_INT16),
								  wa_test_name(2, WA_FORM_DECIMAL32)};
	WaTestRun *run = malloc(sizeof(*run));
	uint64_t state = 71 + (uint64_t) (uintptr_t) arg;

	for (int i = 0; i < 300; i++)
	{
		const uint64_t bits = next_random(&state) >> 8;
		WaMirrorUse use;

		if (!wa_test_run_begin(run, &store, bits & 1, names,
							   1 + (bits >> 1 & 1)))
			continue;
		if (wa_mirror_use(store.mirror, &run->request, bits >> 2 & 1, &use))
		{
			if (!wa_test_use_is_right(&use, &run->request) ||
				!wa_test_use_is_right(&use, &run->request))
				shared_failed = true;
			wa_mirror_unuse(store.mirror, &use);
		}
		wa_test_run_end(run);
	}
	free(run);
	return NULL;
}

static bool
test_threads(void)
{
	static void *(*const mains[])(void *) = {loading_thread, loading_thread,
											 using_thread, using_thread};
	pthread_t threads[4];

	begin(2, 8);
	wa_mirror_start(store.mirror);
	for (uintptr_t i = 0; i < 4; i++)
		EXPECT(pthread_create(&threads[i], NULL, mains[i], (void *) i) == 0);
	for (int i = 0; i < 4; i++)
		EXPECT(pthread_join(threads[i], NULL) == 0);
	EXPECT(!shared_failed);
	return end();
}

static void
free_note(WaMirrorNote *note)
{
	free(note);
}

/* Leaves a note, so that the use is known to the next one. */
static void
leave_note(const WaMirrorUse *use)
{
	WaMirrorNote *note = malloc(sizeof(*note));

	note->free = free_note;
	(void) wa_mirror_set_note(use, note);
}

/* Tells whether extents were where a use says that they were before. */
static bool
before_is_right(const WaMirrorUse *use, uint64_t *found)
{
	const WaPlacement *other = use->other;

	EXPECT((other != NULL) == (use->before.nextents > 0));
	for (uint32_t i = 0; other != NULL && i < use->nextents; i++)
	{
		const uint32_t place = use->before.places[i];

		if (place == WA_MIRROR_NONE)
			continue;
		EXPECT(place < use->before.nextents);
		EXPECT(other->first_rows[place] == use->first_rows[i]);
		EXPECT(other->placed[other->extents[place]].id ==
			   use->placed[use->extents[i]].id);
		(*found)++;
	}
	return true;
}

/* A run, and what it uses of a device. */
typedef struct Holder
{
	bool has_run;
	bool has_use;
	WaTestRun run;
	WaMirrorUse use;
} Holder;

/* Begins to use what there is of columns; *found counts extents that were known before. */
static bool
hold(Holder *holder, uint32_t ncolumns, unsigned device, uint64_t *found)
{
	const WaColumnName names[] = {wa_test_name(1, WA_FORM_INT16),
								  wa_test_name(2, WA_FORM_DECIMAL32)};
	WaMirrorUse use;

	holder->has_run = holder->has_use =
		wa_test_run_begin(&holder->run, &store, 0, names, ncolumns);
	if (!holder->has_run)
		return true;
	holder->has_use =
		wa_mirror_use(store.mirror, &holder->run.request, device, &holder->use);
	if (!holder->has_use)
	{
		EXPECT(!wa_test_use_alone(store.mirror, &holder->run.request, device,
								  &use));
		return true;
	}
	EXPECT(
		wa_test_use_is_new(store.mirror, &holder->use, &holder->run.request));
	EXPECT(wa_test_use_is_right(&holder->use, &holder->run.request));
	EXPECT(before_is_right(&holder->use, found));
	leave_note(&holder->use);
	return true;
}

/* Ends the use, if there is one, which has to be right still. */
static bool
let_go(Holder *holder)
{
	if (holder->has_use)
	{
		EXPECT(wa_test_use_is_right(&holder->use, &holder->run.request));
		wa_mirror_unuse(store.mirror, &holder->use);
	}
	if (holder->has_run)
		wa_test_run_end(&holder->run);
	holder->has_run = holder->has_use = false;
	return true;
}

/* Changes an extent, of which columns become wider, or go, or find no memory. */
static void
change_extent(void)
{
	static const WaForm forms[] = {WA_FORM_INT16, WA_FORM_INT32, WA_FORM_INT64};
	static const WaForm decimals[] = {WA_FORM_DECIMAL32, WA_FORM_DECIMAL64};
	const WaRelation name = wa_test_relation(0);
	const uint64_t bits = next_random(&random_state) >> 8;
	const WaTestColumn columns[] = {
		{1, forms[bits % 16 / 7], 0, 14, bits % 3 == 0, false, false},
		{2, decimals[(bits >> 12) % 2], (uint32_t) (bits >> 8) % 2, 12, false,
		 false, false},
	};

	(void) wa_test_load_columns(
		&store, parcel, 0, (uint32_t) (bits >> 20) % (2 * EXTENTS),
		1 + (bits >> 30) % 3, ROWS, columns, 1 + (bits >> 33 & 1));
	if ((bits >> 36) % 16 == 0)
		wa_test_device_limit(bits >> 41 & 1, (bits >> 42) % 12);
	if ((bits >> 46) % 32 == 0)
		wa_store_unload(&store, &name, (bits >> 52) % 3);
}

/* What is found by what was known before is what would be found without that. */
static bool
test_next(void)
{
	static Holder holders[3];
	uint64_t found = 0;

	begin(2, 8);
	wa_mirror_start(store.mirror);
	for (int i = 0; i < 1500; i++)
	{
		const uint64_t bits = next_random(&random_state) >> 8;
		Holder *holder = &holders[bits % 3];

		if (bits >> 8 & 1)
			change_extent();
		wa_test_mirror_settle(store.mirror);
		EXPECT(let_go(holder));
		wa_test_mirror_settle(store.mirror);
		EXPECT(hold(holder, 1 + (bits >> 10 & 1), bits >> 12 & 1, &found));
	}
	for (int i = 0; i < 3; i++)
		EXPECT(let_go(&holders[i]));
	EXPECT(found > 500);
	return end();
}

/* Loads an extent of a relation, and waits until it is on the device. */
static bool
load_placed(uint64_t relation, uint32_t number)
{
	const WaTestColumn column = {1, WA_FORM_INT16, 0, 14, false, false, false};

	EXPECT(wa_test_load_columns(&store, parcel, relation, number, 1, ROWS,
								&column, 1) == WA_OK);
	wa_test_mirror_settle(store.mirror);
	return true;
}

/* What is found of extents that all have places lasts, whatever comes to the device. */
static bool
test_lasting(void)
{
	const WaColumnName name = wa_test_name(1, WA_FORM_INT16);
	WaMirrorUse first;
	WaMirrorUse use;
	WaTestRun run;

	begin(1, 8);
	wa_mirror_start(store.mirror);
	EXPECT(load_placed(0, 0) && load_placed(0, 1));
	EXPECT(wa_test_run_begin(&run, &store, 0, &name, 1));
	EXPECT(wa_mirror_use(store.mirror, &run.request, 0, &first));
	EXPECT(first.nextents == 2);
	EXPECT(load_placed(1, 0));
	EXPECT(wa_mirror_use(store.mirror, &run.request, 0, &use));
	EXPECT(use.placement == first.placement && use.other == NULL);
	EXPECT(wa_test_use_is_new(store.mirror, &use, &run.request));
	wa_mirror_unuse(store.mirror, &use);
	wa_mirror_unuse(store.mirror, &first);
	wa_test_run_end(&run);
	return end();
}

/* Takes the list of two runs' extents, and describes a request for it. */
static WaCoverList *
take_list(const WaTestRun *runs, uint32_t name, WaRunRequest *request)
{
	WaCover *const covers[] = {runs[0].cover, NULL, runs[1].cover};
	WaCoverList *list = wa_cover_list_take(&store, name, covers, 3);

	*request = runs[0].request;
	request->nextents = list->count;
	request->extents = list->list;
	request->placements = &list->placements;
	return list;
}

/* Tells whether a list has the extents of two covers, in this order. */
static bool
list_is_right(const WaCoverList *list, const WaTestRun *runs)
{
	const uint64_t first = runs[0].cover->count;

	EXPECT(list->count == first + runs[1].cover->count);
	for (uint64_t i = 0; i < list->count; i++)
	{
		const WaCover *cover = runs[i >= first].cover;
		const uint64_t place = i < first ? i : i - first;

		EXPECT(list->list[i] == cover->list[place]);
		EXPECT(list->ids[i].id == cover->ids[place].id);
		EXPECT(i == 0 || list->ids[i].order > list->ids[i - 1].order);
	}
	return true;
}

/*
 * Tells whether a use of a list has all extents of one relation, so many, and of the other
 * ones it is known that they have no place: so that this lasts.
 */
static bool
use_is_of_one(const WaMirrorUse *use, const WaRunRequest *request,
			  uint32_t first, uint32_t count)
{
	EXPECT(wa_test_use_is_right(use, request));
	EXPECT(use->nextents == count);
	for (uint32_t i = 0; i < count; i++)
		EXPECT(use->extents[i] >= first && use->extents[i] < first + count);
	EXPECT(!use->placement->has_nowhere);
	return true;
}

/* Begins runs over two relations that have extents on a GPU. */
static bool
begin_runs(WaTestRun *runs)
{
	const WaColumnName name = wa_test_name(1, WA_FORM_INT16);

	begin(1, 8);
	wa_mirror_start(store.mirror);
	EXPECT(load_placed(0, 3) && load_placed(0, 5) && load_placed(1, 0) &&
		   load_placed(1, 1));
	for (uint64_t i = 0; i < 2; i++)
		EXPECT(wa_test_run_begin(&runs[i], &store, i, &name, 1));
	return true;
}

/* Of a list of extents of several relations those of one are found on a GPU. */
static bool
test_lists(void)
{
	const WaColumnName name = wa_test_name(1, WA_FORM_INT16);
	WaCoverList *lists[2];
	WaTestRun runs[2];
	WaRunRequest request;
	WaMirrorUse first;
	WaMirrorUse use;

	EXPECT(begin_runs(runs));
	lists[0] = take_list(runs, 4, &request);
	EXPECT(list_is_right(lists[0], runs));
	EXPECT(wa_mirror_use(store.mirror, &request, 0, &first));
	EXPECT(use_is_of_one(&first, &request, 0, 2));
	/* Nothing is made anew for the same covers, whatever comes to the GPU. */
	EXPECT(load_placed(2, 0));
	lists[1] = take_list(runs, 4, &request);
	EXPECT(lists[1] == lists[0]);
	EXPECT(wa_mirror_use(store.mirror, &request, 0, &use));
	EXPECT(use.placement == first.placement);
	wa_mirror_unuse(store.mirror, &use);
	wa_cover_list_release(lists[1]);
	/* More of the second one; what was known of the first is found in the next list. */
	wa_test_run_end(&runs[1]);
	EXPECT(load_placed(1, 2));
	EXPECT(wa_test_run_begin(&runs[1], &store, 1, &name, 1));
	lists[1] = take_list(runs, 4, &request);
	EXPECT(lists[1] != lists[0] &&
		   lists[1]->placements.cache == lists[0]->placements.cache);
	EXPECT(list_is_right(lists[1], runs));
	leave_note(&first);
	EXPECT(wa_mirror_use(store.mirror, &request, 0, &use));
	EXPECT(use_is_of_one(&use, &request, 0, 2));
	EXPECT(use.before.nextents == 2 && use.before.places[0] == 0 &&
		   use.before.places[1] == 1);
	wa_mirror_unuse(store.mirror, &use);
	wa_mirror_unuse(store.mirror, &first);
	for (int i = 0; i < 2; i++)
	{
		wa_cover_list_release(lists[i]);
		wa_test_run_end(&runs[i]);
	}
	EXPECT(end());
	EXPECT(store.lists[0] == NULL);
	return true;
}

/* Lists of other covers, of names of their own, or, mistaken for others, of the same. */
static bool
test_mistaken_lists(void)
{
	WaTestRun runs[2];

	EXPECT(begin_runs(runs));
	for (uint32_t i = 0; i < 40; i++)
	{
		const WaTestRun both[] = {runs[i % 2], runs[(i + 1) % 2]};
		WaRunRequest request;
		WaCoverList *list = take_list(both, 7 + i / 2 % 11, &request);
		WaMirrorUse use;

		EXPECT(list_is_right(list, both));
		EXPECT(wa_mirror_use(store.mirror, &request, 0, &use));
		EXPECT(use_is_of_one(&use, &request, i % 2 == 0 ? 0 : 2, 2));
		wa_mirror_unuse(store.mirror, &use);
		wa_cover_list_release(list);
	}
	for (int i = 0; i < 2; i++)
		wa_test_run_end(&runs[i]);
	return end();
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	/* first, as it forks, and the others leave threads behind */
	{"a lost device", test_loss},
	{"row spaces", test_rows},
	{"all forms on several devices", test_forms},
	{"wider integers and late NULLs", test_wider},
	{"wider integers while the others are used", test_wider_in_use},
	{"decimals of several scales", test_decimals},
	{"decimals of 128 bits", test_wide_decimals},
	{"memory of 128 bits a row", test_wide_memory},
	{"replaced and unloaded while in use", test_replacement},
	{"no room for a wider form", test_no_room},
	{"eviction, late starts, and room again", test_eviction},
	{"what is kept", test_keeping},
	{"limits", test_limits},
	{"lack of memory", test_failures},
	{"threads", test_threads},
	{"found by what was known before", test_next},
	{"what is found lasts", test_lasting},
	{"lists of several relations' extents", test_lists},
	{"lists that are mistaken for others", test_mistaken_lists},
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 10);
	parcel = aligned_alloc(64, WA_TEST_PARCEL_BYTES);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	free(parcel);
	return finish_checks();
}
