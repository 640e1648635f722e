/*
 * mirror_space.c
 *		The mirror's bookkeeping: row spaces, records, runs and copies; see
 *		mirror_internal.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/mirror/mirror_internal.h"

/*
 * Returns the device's space of a family or, if it has no root, of a relation, made if
 * need be, or NULL.
 */
static WaMirrorSpace *
find_space(WaMirrorDevice *device, const WaFamily *family,
		   const WaRelation *relation)
{
	static const WaRelation none = {0, 0, 0};
	WaMirrorSpace *space = device->spaces;

	if (family->root != 0)
		relation = &none;
	while (space != NULL &&
		   (memcmp(&space->family, family, sizeof(*family)) != 0 ||
			memcmp(&space->relation, relation, sizeof(*relation)) != 0))
		space = space->next;
	if (space != NULL)
		return space;
	space = calloc(1, sizeof(*space));
	if (space == NULL || !wa_row_space_init(&space->rows, WA_MIRROR_MAX_ROWS))
	{
		free(space);
		return NULL;
	}
	space->device = device;
	space->family = *family;
	space->relation = *relation;
	space->next = device->spaces;
	device->spaces = space;
	return space;
}

/* Frees a space that has no runs, so that its records have no columns. */
static void
clean_space(WaMirrorSpace *space)
{
	WaMirrorSpace **link = &space->device->spaces;
	WaMirrorRecord *record;

	if (space->runs > 0)
		return;
	while (*link != space)
		link = &(*link)->next;
	*link = space->next;
	while ((record = space->records) != NULL)
	{
		space->records = record->next;
		free(record);
	}
	wa_row_space_end(&space->rows);
	free(space);
}

/* Gives up a reference to a run. */
static void
release_run(WaMirrorRun *run)
{
	WaMirrorSpace *space = run->space;

	if (--run->references > 0)
		return;
	wa_row_space_give(&space->rows, run->first, run->rows);
	free(run);
	space->runs--;
	clean_space(space);
}

/* Takes a run of so many rows from a space. */
static WaMirrorRun *
make_run(WaMirrorSpace *space, uint32_t rows)
{
	WaMirrorRun *run = calloc(1, sizeof(*run));

	if (run == NULL || !wa_row_space_take(&space->rows, rows, &run->first))
	{
		free(run);
		return NULL;
	}
	run->space = space;
	run->rows = rows;
	run->references = 1;
	space->runs++;
	return run;
}

void
wa_mirror_drop_layout(WaLayout *layout)
{
	if (layout->run != NULL)
		release_run(layout->run);
	layout->run = NULL;
}

/* See WaLayout. */
static void
forget_layout(WaLayout *layout)
{
	WaMirror *mirror = layout->run->space->device->mirror;

	(void) pthread_rwlock_wrlock(&mirror->lock);
	wa_mirror_drop_layout(layout);
	(void) pthread_rwlock_unlock(&mirror->lock);
}

bool
wa_mirror_take_run(WaMirrorDevice *device, const WaRelation *relation,
				   WaLayout *layout, uint32_t least_rows)
{
	const uint32_t rows = (layout->nrows + WA_MIRROR_RUN_ROWS - 1) /
						  WA_MIRROR_RUN_ROWS * WA_MIRROR_RUN_ROWS;
	WaMirrorSpace *space;

	if (layout->run != NULL || rows == 0)
		return rows > 0;
	space = find_space(device, &layout->family, relation);
	if (space == NULL)
		return false;
	layout->forget = forget_layout;
	layout->run = make_run(space, rows < least_rows ? least_rows : rows);
	clean_space(space);
	return layout->run != NULL;
}

WaMirrorRecord *
wa_mirror_find_record(WaMirrorSpace *space, const WaRelation *relation,
					  const WaColumn *column)
{
	static const WaRelation none = {0, 0, 0};
	WaMirrorRecord *record = space->records;
	WaColumnName name = column->name;

	if (column->family_attribute != 0)
	{
		name.attribute = column->family_attribute;
		relation = &none;
	}
	while (record != NULL &&
		   (memcmp(&record->name, &name, sizeof(name)) != 0 ||
			memcmp(&record->relation, relation, sizeof(*relation)) != 0))
		record = record->next;
	if (record != NULL)
		return record;
	record = calloc(1, sizeof(*record));
	if (record == NULL)
		return NULL;
	record->space = space;
	record->relation = *relation;
	record->name = name;
	record->next = space->records;
	space->records = record;
	return record;
}

void
wa_flat_release(WaMirrorFlat *flat)
{
	WaMirrorDevice *device = flat->device;

	if (__atomic_fetch_sub(&flat->references, 1, __ATOMIC_ACQ_REL) == 1)
		wa_mirror_wake(device, false);
}

/* Says that the flat column is its record's no more. */
static void
retire(WaMirrorFlat *flat)
{
	flat->device->changes++;
	flat->device->mirror->retired++;
	flat->record->flat = NULL;
	flat->record = NULL;
	wa_flat_release(flat);
}

void
wa_flat_install(WaMirrorFlat *flat, WaMirrorRecord *record)
{
	if (record->flat != NULL)
		retire(record->flat);
	(void) __atomic_fetch_add(&flat->references, 1, __ATOMIC_RELAXED);
	flat->record = record;
	record->flat = flat;
	flat->device->changes++;
}

/* Adds to the counts of the chunks that a run's rows lie in. */
static void
add_to_counts(WaMirrorFlat *flat, const WaMirrorRun *run, int number)
{
	const uint64_t last = (run->first + run->rows - 1) / WA_MIRROR_CHUNK_ROWS;

	for (uint64_t i = run->first / WA_MIRROR_CHUNK_ROWS; i <= last; i++)
		flat->counts[i] += (uint32_t) number;
}

bool
wa_flat_take(WaMirrorFlat *flat, const WaMirrorRun *run)
{
	const uint64_t place = run->first / WA_MIRROR_RUN_ROWS;
	const uint64_t bit = (uint64_t) 1 << place % 64;

	if ((flat->taken[place / 64] & bit) != 0)
		return false;
	flat->taken[place / 64] |= bit;
	add_to_counts(flat, run, 1);
	flat->columns++;
	(void) __atomic_fetch_add(&flat->references, 1, __ATOMIC_RELAXED);
	return true;
}

void
wa_flat_give(WaMirrorFlat *flat, const WaMirrorRun *run)
{
	const uint64_t place = run->first / WA_MIRROR_RUN_ROWS;

	flat->taken[place / 64] &= ~((uint64_t) 1 << place % 64);
	add_to_counts(flat, run, -1);
	if (--flat->columns == 0 && flat->record != NULL)
		retire(flat);
	__atomic_store_n(&flat->untidy, true, __ATOMIC_RELEASE);
	wa_mirror_wake(flat->device, false);
	wa_flat_release(flat);
}

void
wa_mirror_drop_column(WaColumn *column)
{
	WaMirrorCopy *copy = &column->copy;

	if (copy->flat == NULL)
		return;
	copy->flat->device->changes++;
	wa_flat_give(copy->flat, copy->run);
	release_run(copy->run);
	copy->flat = NULL;
	copy->run = NULL;
	__atomic_store_n(&copy->bytes, 0, __ATOMIC_RELAXED);
}

/* See WaMirrorCopy. */
static void
forget_column(WaColumn *column)
{
	WaMirrorDevice *device = column->copy.flat->device;

	(void) pthread_rwlock_wrlock(&device->mirror->lock);
	wa_mirror_drop_column(column);
	(void) pthread_rwlock_unlock(&device->mirror->lock);
	wa_mirror_wake(device, true);
}

void
wa_mirror_publish(WaMirrorFlat *flat, WaMirrorRun *run, WaColumn *column)
{
	run->references++;
	flat->device->changes++;
	column->copy.flat = flat;
	column->copy.forget = forget_column;
	column->copy.run = run;
	__atomic_store_n(&column->copy.bytes, wa_flat_bytes(flat, run),
					 __ATOMIC_RELAXED);
}
