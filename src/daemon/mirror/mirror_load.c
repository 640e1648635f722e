/*
 * mirror_load.c
 *		Copying extents to a GPU, and flat columns into wider forms.
 */
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/watch.h"
#include "daemon/column/column_convert.h"
#include "daemon/mirror/mirror_internal.h"

/* Counts a column in; with a record, the flat column becomes that's. */
static bool
take(WaMirrorFlat *flat, WaMirrorRecord *record, const WaMirrorRun *run)
{
	WaMirror *mirror = flat->device->mirror;
	bool taken;

	(void) pthread_rwlock_wrlock(&mirror->lock);
	if (record != NULL && flat->record == NULL)
		wa_flat_install(flat, record);
	taken = wa_flat_take(flat, run);
	(void) pthread_rwlock_unlock(&mirror->lock);
	return taken;
}

/* The opposite. */
static void
give(WaMirrorFlat *flat, const WaMirrorRun *run)
{
	WaMirror *mirror = flat->device->mirror;

	(void) pthread_rwlock_wrlock(&mirror->lock);
	wa_flat_give(flat, run);
	(void) pthread_rwlock_unlock(&mirror->lock);
}

/* Adds the arrays that a column needs beside those that there are. */
static WaStatus
add_arrays(WaMirrorFlat *flat, const WaColumn *column)
{
	WaStatus status = WA_OK;

	if (column->validity != NULL && flat->validity.d_base == NULL)
		status = wa_flat_add_array(flat, &flat->validity, 1, 0xff);
	if (status == WA_OK && flat->display.d_base == NULL &&
		wa_column_needs_display(column, flat->scale))
		status = wa_flat_add_array(flat, &flat->display, 8, flat->scale);
	return status;
}

/*
 * Counts a column in and copies it.  If an older copy has its rows still, which a
 * query uses, there is no room for it.
 */
static WaStatus
add_column(WaMirrorFlat *flat, WaMirrorRecord *record, const WaMirrorRun *run,
		   const WaColumn *column)
{
	WaStatus status;

	if (!take(flat, record, run))
		return WA_OUT_OF_MEMORY;
	status = add_arrays(flat, column);
	if (status == WA_OK)
		status = wa_flat_map(flat, run);
	if (status == WA_OK)
		status = wa_flat_copy(flat, run, column);
	if (status != WA_OK)
		give(flat, run);
	return status;
}

/* Tells whether all columns of a list fit into a form. */
static bool
all_fit(const WaColumnList *list, WaForm form, uint8_t scale)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!wa_column_fits(list->columns[i], form, scale))
			return false;
	return true;
}

/* Lets the columns of a list have their copies in another flat column. */
static void
move_columns(const WaColumnList *list, WaMirrorFlat *from, WaMirrorFlat *to,
			 WaMirrorRecord *record)
{
	WaMirror *mirror = to->device->mirror;

	(void) pthread_rwlock_wrlock(&mirror->lock);
	wa_flat_install(to, record);
	for (uint32_t i = 0; i < list->count; i++)
	{
		WaMirrorCopy *copy = &list->columns[i]->copy;

		wa_flat_give(from, copy->run);
		copy->flat = to;
		__atomic_store_n(&copy->bytes, wa_flat_bytes(to, copy->run),
						 __ATOMIC_RELAXED);
	}
	(void) pthread_rwlock_unlock(&mirror->lock);
}

/* Copies the columns of a list to a flat column, and moves them there. */
static WaStatus
fill_flat(const WaColumnList *list, WaMirrorFlat *from, WaMirrorFlat *to,
		  WaMirrorRecord *record)
{
	WaStatus status = WA_OK;
	uint32_t added = 0;

	while (added < list->count && status == WA_OK)
	{
		const WaColumn *column = list->columns[added];

		status = add_column(to, NULL, column->copy.run, column);
		added += status == WA_OK;
	}
	if (status == WA_OK)
		status = wa_flat_wait(to->device);
	if (status == WA_OK)
		move_columns(list, from, to, record);
	else
		while (added-- > 0)
			give(to, list->columns[added]->copy.run);
	return status;
}

/*
 * Makes a flat column in a wider form of the one that a record has, to which the
 * caller has a reference; it gets one to the new one.  Columns that are not in the
 * store any more stay where they are.  What is listed must not lose its copies meanwhile.
 */
static WaStatus
widen(WaMirrorRecord *record, WaMirrorFlat *old, WaForm form, uint8_t scale,
	  WaMirrorFlat **flat)
{
	WaMirrorDevice *device = old->device;
	WaColumnList list = {0};
	WaStatus status = WA_OUT_OF_MEMORY;

	*flat = NULL;
	device->widening = record->space;
	if (wa_mirror_collect(device, record->space, old, &list))
	{
		if (form == WA_FORM_DECIMAL32 && !all_fit(&list, form, scale))
			form = WA_FORM_DECIMAL64;
		status = all_fit(&list, form, scale)
					 ? wa_flat_make(device, form, scale, flat)
					 : WA_UNSUPPORTED;
	}
	if (status == WA_OK)
	{
		status = fill_flat(&list, old, *flat, record);
		if (status != WA_OK)
			wa_flat_release(*flat);
	}
	device->widening = NULL;
	wa_column_list_release(&list);
	return status;
}

/*
 * Finds the record of a column of the relation that is being loaded, in the space of a
 * run, and its flat column with a reference, or NULL.
 */
static WaMirrorRecord *
find_record(WaMirrorDevice *device, const WaMirrorRun *run,
			const WaColumn *column, WaMirrorFlat **flat)
{
	WaMirrorRecord *record;

	(void) pthread_rwlock_wrlock(&device->mirror->lock);
	record = wa_mirror_find_record(run->space, device->loading, column);
	*flat = record == NULL ? NULL : record->flat;
	if (*flat != NULL)
		(void) __atomic_fetch_add(&(*flat)->references, 1, __ATOMIC_RELAXED);
	(void) pthread_rwlock_unlock(&device->mirror->lock);
	return record;
}

/*
 * Makes a flat column that can take a column, with a reference, in the place of the one
 * in *flat that its record has, or NULL, unless that can.
 */
static WaStatus
find_flat(WaMirrorDevice *device, WaMirrorRecord *record,
		  const WaColumn *column, WaMirrorFlat **flat)
{
	WaMirrorFlat *old = *flat;
	WaStatus status;
	WaForm form;
	uint8_t scale;

	if (old == NULL)
		return wa_flat_make(device, column->form, column->scale, flat);
	if (!wa_column_join(old->form, old->scale, column, &form, &scale))
		status = WA_UNSUPPORTED;
	else if (form == old->form && scale == old->scale)
		return WA_OK;
	else
		status = widen(record, old, form, scale, flat);
	wa_flat_release(old);
	return status;
}

/* Copies a column; *flat is where to, if all is well. */
static WaStatus
load_column(WaMirrorDevice *device, const WaMirrorRun *run,
			const WaColumn *column, WaMirrorFlat **flat)
{
	WaMirrorRecord *record = find_record(device, run, column, flat);
	WaStatus status;

	if (record == NULL)
		return WA_OUT_OF_MEMORY;
	status = find_flat(device, record, column, flat);
	if (status != WA_OK)
		return status;
	status = add_column(*flat, record, run, column);
	wa_flat_release(*flat);
	return status;
}

/* Publishes the columns that were copied, or gives them up. */
static void
end_load(WaMirrorDevice *device, const WaMirrorPick *pick,
		 WaMirrorFlat *const *flats, WaStatus status)
{
	WaMirrorRun *run = pick->layout->run;

	(void) pthread_rwlock_wrlock(&device->mirror->lock);
	for (uint32_t i = 0; i < pick->ncolumns; i++)
	{
		if (flats[i] != NULL && status == WA_OK)
		{
			wa_mirror_drop_column(pick->columns[i]);
			wa_mirror_publish(flats[i], run, pick->columns[i]);
		}
		else if (flats[i] != NULL)
			wa_flat_give(flats[i], run);
	}
	if (run->references == 1)
		wa_mirror_drop_layout(pick->layout);
	(void) pthread_rwlock_unlock(&device->mirror->lock);
}

/* Copies the columns that were picked, as wa_mirror_load_pick does. */
static bool
load_columns(WaMirrorDevice *device, const WaMirrorPick *pick)
{
	WaMirrorFlat *flats[WA_MAX_RESIDENT_COLUMNS] = {NULL};
	WaStatus status = WA_OK;
	bool complete = true;

	for (uint32_t i = 0; i < pick->ncolumns; i++)
	{
		status =
			load_column(device, pick->layout->run, pick->columns[i], &flats[i]);
		if (status == WA_OK)
			continue;
		flats[i] = NULL;
		pick->columns[i]->copy.unfit = status == WA_UNSUPPORTED;
		complete = complete && status == WA_UNSUPPORTED;
	}
	status = wa_flat_wait(device);
	end_load(device, pick, flats, status);
	return complete && status == WA_OK;
}

bool
wa_mirror_load_pick(WaMirrorDevice *device, const WaMirrorPick *pick)
{
	WaWatch *watch = device->mirror->store->watch;
	bool complete = pick->layout->nrows == 0;
	bool has_run;
	int place;

	(void) pthread_rwlock_wrlock(&device->mirror->lock);
	has_run = wa_mirror_take_run(device, &pick->key.relation, pick->layout,
								 pick->rows);
	(void) pthread_rwlock_unlock(&device->mirror->lock);
	if (!has_run)
		return complete;
	device->loading = &pick->key.relation;
	place = wa_watch_enter(watch, wa_clock_ns());
	complete = load_columns(device, pick);
	wa_watch_leave(watch, place);
	device->loading = NULL;
	return complete;
}

bool
wa_mirror_load(WaMirrorDevice *device, const WaMirrorKey *key)
{
	bool complete = true;
	bool more = true;
	WaMirrorPick pick;

	while (more && wa_mirror_pick(device, key, &pick))
	{
		complete = wa_mirror_load_pick(device, &pick);
		more = complete && pick.ncolumns == WA_MAX_RESIDENT_COLUMNS;
		wa_mirror_unpick(device, &pick);
	}
	return complete;
}
