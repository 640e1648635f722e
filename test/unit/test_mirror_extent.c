/*
 * test_mirror_extent.c
 *		Extents in chosen forms: see test_mirror_extent.h.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/decimal.h"
#include "daemon/mirror/mirror_internal.h"
#include "daemon/store/cover_take.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"
#include "test/unit/test_mirror_extent.h"

/* Texts of a column. */
/* Values of 128 bits are others, moved by so many bits. */
#define WIDE_SHIFT 50

#define TEXTS 8

/* Tells whether a thread has something to do, or is at it. */
static bool
is_busy(WaMirrorDevice *device)
{
	bool busy;

	(void) pthread_mutex_lock(&device->lock);
	busy = device->has_thread &&
		   (device->working || device->ahead != NULL || device->count > 0 ||
			device->sweeping || device->untidy);
	(void) pthread_mutex_unlock(&device->lock);
	return busy;
}

void
wa_test_mirror_settle(WaMirror *mirror)
{
	for (unsigned i = 0; i < mirror->ndevices; i++)
		while (is_busy(mirror->devices[i]))
			(void) usleep(100);
}

uint64_t
wa_test_mirror_bytes(WaMirror *mirror, unsigned device)
{
	const WaMirrorDevice *found = wa_mirror_device(mirror, device);

	return found == NULL ? 0 : __atomic_load_n(&found->bytes, __ATOMIC_RELAXED);
}

WaColumnName
wa_test_name(int16_t attribute, WaForm form)
{
	WaColumnName name;

	memset(&name, 0, sizeof(name));
	name.type = 20;
	name.typmod = -1;
	name.attribute = attribute;
	name.kind = (uint16_t) wa_form_kind(form);
	return name;
}

/* Writes a value; of a text its number. */
static void
write_value(uint8_t *to, const WaTestColumn *column, uint64_t bits)
{
	const uint64_t mask = ((uint64_t) 1 << column->bits) - 1;
	int64_t value = (int64_t) (bits & mask);
	WaInt128 as_wide;
	const double as_double = (double) value;
	const float as_float = (float) value;

	if (column->form != WA_FORM_UINT32 && column->form != WA_FORM_BOOL &&
		(bits >> 63) != 0)
		value = -value;
	if (column->form == WA_FORM_TEXT)
		value = (int64_t) (bits % TEXTS);
	if (column->form == WA_FORM_FLOAT8)
		memcpy(to, &as_double, sizeof(as_double));
	else if (column->form == WA_FORM_FLOAT4)
		memcpy(to, &as_float, sizeof(as_float));
	else if (column->form == WA_FORM_DECIMAL128)
	{
		as_wide =
			wa_int128_make((__int128) value * ((__int128) 1 << WIDE_SHIFT));
		memcpy(to, &as_wide, sizeof(as_wide));
	}
	else
		memcpy(to, &value, wa_form_width(column->form));
}

/* Writes a column to its places in the parcel. */
static void
write_column(uint8_t *parcel, uint32_t nrows, const WaTestColumn *column,
			 WaExtentColumn *where, uint64_t *end, uint64_t *state)
{
	const size_t width = wa_form_width(column->form);

	where->name = wa_test_name(column->attribute, column->form);
	where->form = column->form;
	where->scale = column->scale;
	where->values = wa_test_take(end, nrows * width);
	if (column->has_nulls || column->all_null)
		where->validity = wa_test_take(end, nrows);
	if (column->has_display)
		where->display = wa_test_take(end, nrows);
	for (uint32_t i = 0; i < nrows; i++)
	{
		const uint64_t bits = next_random(state);
		const bool is_null = column->all_null || (bits >> 40) % 5 == 0;

		write_value(parcel + where->values + i * width, column, bits);
		if (where->validity != 0)
			parcel[where->validity + i] = !is_null;
		if (where->display != 0)
			parcel[where->display + i] =
				(uint8_t) ((bits >> 32) % (column->scale + 1));
	}
	if (column->form != WA_FORM_TEXT)
		return;
	wa_test_write_texts(parcel, where, TEXTS, end);
}

WaStatus
wa_test_load_columns(WaStore *store, uint8_t *parcel, uint64_t relation,
					 uint32_t number, uint64_t seed, uint32_t nrows,
					 const WaTestColumn *columns, uint32_t ncolumns)
{
	WaExtentHead *head = calloc(1, sizeof(*head));
	uint64_t end = 64;
	uint64_t state = seed * 7919 + 1;
	char error[WA_MAX_ERROR_BYTES];
	WaStatus status;

	head->relation = wa_test_relation(relation);
	head->number = number;
	head->position = 1;
	head->settled = 1;
	head->nblocks = 2;
	head->nrows = nrows;
	head->ncolumns = ncolumns;
	head->block_lsn[0] = seed;
	head->block_lsn[1] = seed;
	head->row_end[0] = nrows / 3;
	head->row_end[1] = nrows;
	for (uint32_t i = 0; i < ncolumns; i++)
		write_column(parcel, nrows, &columns[i], &head->columns[i], &end,
					 &state);
	wa_test_join(head);
	status = end <= WA_TEST_PARCEL_BYTES &&
					 wa_extent_is_sound(head, WA_TEST_PARCEL_BYTES)
				 ? wa_store_load(store, head, parcel, error, sizeof(error))
				 : WA_UNSUPPORTED;
	free(head);
	return status;
}

bool
wa_test_run_begin(WaTestRun *run, WaStore *store, uint64_t relation,
				  const WaColumnName *names, uint32_t ncolumns)
{
	const WaRelation name = wa_test_relation(relation);

	memset(run, 0, sizeof(*run));
	run->store = store;
	memcpy(run->names, names, ncolumns * sizeof(*names));
	run->use = wa_test_use(UINT32_MAX);
	if (!wa_store_use_begin(store, &name, run->names, ncolumns, &run->use))
		return false;
	run->cover = wa_cover_take(store, &run->use, run->names);
	if (run->cover == NULL)
		abort();
	run->request = (WaRunRequest){
		.ncolumns = ncolumns,
		.columns = run->names,
		.nextents = run->cover->count,
		.extents = run->cover->list,
		.mirror = store->mirror,
		.placements = &run->cover->placements,
	};
	return true;
}

void
wa_test_run_end(WaTestRun *run)
{
	wa_cover_release(run->cover);
	wa_store_use_end(run->store, &run->use);
}

/* Returns a value of an array as a number; decimals in units of their scale. */
static __int128
number_at(WaForm form, const void *values, uint64_t row)
{
	double number;

	switch (form)
	{
		case WA_FORM_INT16:
			return ((const int16_t *) values)[row];
		case WA_FORM_UINT32:
			return ((const uint32_t *) values)[row];
		case WA_FORM_INT64:
		case WA_FORM_DECIMAL64:
			return ((const int64_t *) values)[row];
		case WA_FORM_DECIMAL128:
			return wa_int128_get(((const WaInt128 *) values)[row]);
		case WA_FORM_FLOAT4:
			number = ((const float *) values)[row];
			memcpy(&row, &number, sizeof(row));
			return row;
		case WA_FORM_FLOAT8:
			return ((const uint64_t *) values)[row];
		case WA_FORM_BOOL:
			return wa_bits_get(values, row);
		default:
			return ((const int32_t *) values)[row];
	}
}

/* Tells whether a row of a flat column is that of a column on the host. */
static bool
row_is_right(const WaMirrorColumn *flat, uint64_t position,
			 const WaColumn *column, uint32_t row)
{
	const bool is_null = column->validity != NULL && column->validity[row] == 0;
	__int128 expected = number_at(column->form, column->values, row);

	EXPECT(flat->d_validity == NULL
			   ? !is_null
			   : wa_bits_get(flat->d_validity, position) != is_null);
	if (wa_form_kind(column->form) == WA_VECTOR_DECIMAL && !is_null)
	{
		const uint8_t shown =
			column->display == NULL ? column->scale : column->display[row];

		EXPECT(flat->scale >= column->scale);
		expected *= wa_powers_of_ten[flat->scale - column->scale];
		EXPECT(shown == (flat->d_display == NULL ? flat->scale
												 : flat->d_display[position]));
	}
	EXPECT(number_at(flat->form, flat->d_values, position) == expected);
	return true;
}

/* Tells whether an extent's rows are right in all columns. */
static bool
extent_is_right(const WaMirrorUse *use, uint64_t first,
				const WaRunExtent *extent)
{
	EXPECT(first % WA_MIRROR_RUN_ROWS == 0);
	EXPECT(first + extent->nrows <= use->rows);
	for (uint32_t c = 0; c < use->ncolumns; c++)
		for (uint32_t row = 0; row < extent->nrows; row++)
			EXPECT(row_is_right(&use->columns[c], first + row,
								extent->columns[c], row));
	return true;
}

bool
wa_test_use_alone(WaMirror *mirror, const WaRunRequest *request,
				  unsigned device, WaMirrorUse *use)
{
	WaRunRequest alone = *request;
	WaPlacements placements = *request->placements;
	bool is_used;

	placements.cache = wa_placement_cache_make();
	alone.placements = &placements;
	is_used = wa_mirror_use(mirror, &alone, device, use);
	wa_placement_cache_release(placements.cache);
	return is_used;
}

bool
wa_test_use_is_new(WaMirror *mirror, const WaMirrorUse *use,
				   const WaRunRequest *request)
{
	WaMirrorUse other;

	EXPECT(wa_test_use_alone(mirror, request, use->device, &other));
	EXPECT(other.nextents == use->nextents && other.rows == use->rows);
	for (uint32_t i = 0; i < use->nextents; i++)
	{
		const WaMirrorExtent *placed = &use->placed[use->extents[i]];
		const WaMirrorExtent *expected = &other.placed[use->extents[i]];

		EXPECT(other.extents[i] == use->extents[i]);
		EXPECT(other.first_rows[i] == use->first_rows[i]);
		EXPECT(placed->nrows == expected->nrows);
		EXPECT(placed->nranges == expected->nranges);
		EXPECT(placed->rows == expected->rows);
	}
	for (uint32_t i = 0; i < use->ncolumns; i++)
		EXPECT(other.columns[i].d_values == use->columns[i].d_values);
	wa_mirror_unuse(mirror, &other);
	return true;
}

bool
wa_test_use_is_right(const WaMirrorUse *use, const WaRunRequest *request)
{
	for (uint32_t i = 0; i < use->nextents; i++)
	{
		EXPECT(use->extents[i] < request->nextents);
		EXPECT(i == 0 || use->first_rows[i] > use->first_rows[i - 1]);
		EXPECT(extent_is_right(use, use->first_rows[i],
							   request->extents[use->extents[i]]));
	}
	return true;
}
