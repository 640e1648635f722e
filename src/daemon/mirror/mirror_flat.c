/*
 * mirror_flat.c
 *		Flat columns on a GPU: their memory, and copying to them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/column/column_convert.h"
#include "daemon/mirror/mirror_internal.h"

/* What a piece of an array is. */
enum
{
	UNMAPPED = 0,
	MAPPED,
	UNUSED /* about to be unmapped */
};

/* The arrays of a flat column. */
#define FLAT_ARRAYS(flat)                                    \
	{                                                        \
		&(flat)->values, &(flat)->validity, &(flat)->display \
	}
#define FLAT_ARRAY_COUNT 3

/*
 * One part in so many of what is mapped is evicted at once, but no more than so
 * many bytes: looking for it takes a while.
 */
#define EVICTED_PART  64
#define EVICTED_BYTES ((uint64_t) 32 << 20)

_Static_assert((WA_MAX_EXTENT_ROWS + WA_MIRROR_RUN_ROWS) * WA_MIRROR_MAX_BITS /
					   8 <=
				   WA_CUDA_STAGING_BYTES,
			   "an array of an extent is copied at once");

/* Returns the status, but ends the process if the device is lost. */
static WaStatus
survive(const WaMirrorDevice *device, WaStatus status, const char *error)
{
	if (status != WA_DEVICE_LOST)
		return status;
	wa_log_write(WA_LOG_WARNING, "ending because GPU %u is lost: %s",
				 device->ordinal, error);
	_exit(WA_EXIT_DEVICE_LOST);
}

/* Calls a function of cuda/memory.h. */
#define CALL(device, function, ...)                                        \
	survive((device),                                                      \
			function((device)->memory, __VA_ARGS__, error, sizeof(error)), \
			error)

/* Returns the bytes of so many rows, a multiple of WA_MIRROR_RUN_ROWS. */
static size_t
bytes_of(const WaFlatArray *array, uint64_t rows)
{
	return rows * array->bits / 8;
}

/* Returns how many pieces the array has. */
static size_t
pieces_of(const WaFlatArray *array)
{
	return bytes_of(array, WA_MIRROR_MAX_ROWS) / WA_CUDA_PIECE_BYTES;
}

/* Reserves addresses for an array of so many bits a row. */
static WaStatus
reserve(WaMirrorDevice *device, WaFlatArray *array, uint32_t bits)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	void *d_range = NULL;
	WaStatus status;

	array->bits = bits;
	array->mapped = calloc(pieces_of(array), 1);
	if (array->mapped == NULL)
		return WA_OUT_OF_MEMORY;
	status = CALL(device, wa_cuda_memory_reserve,
				  bytes_of(array, WA_MIRROR_MAX_ROWS), &d_range);
	if (status != WA_OK)
	{
		free(array->mapped);
		return status;
	}
	array->d_base = d_range;
	return WA_OK;
}

WaStatus
wa_flat_make(WaMirrorDevice *device, WaForm form, uint8_t scale,
			 WaMirrorFlat **flat)
{
	WaMirrorFlat *made = calloc(1, sizeof(*made));
	WaStatus status;

	if (made == NULL)
		return WA_OUT_OF_MEMORY;
	status = reserve(device, &made->values, (uint32_t) wa_form_bits(form));
	if (status != WA_OK)
	{
		free(made);
		return status;
	}
	made->device = device;
	made->form = form;
	made->scale = scale;
	made->references = 1;
	made->next = device->flats;
	device->flats = made;
	*flat = made;
	return WA_OK;
}

/* Unmaps a piece of an array. */
static void
unmap(WaMirrorDevice *device, WaFlatArray *array, size_t piece)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	if (CALL(device, wa_cuda_memory_unmap,
			 array->d_base + piece * WA_CUDA_PIECE_BYTES) != WA_OK)
		wa_log_write(WA_LOG_WARNING, "GPU %u: %s", device->ordinal, error);
	array->mapped[piece] = UNMAPPED;
	(void) __atomic_fetch_sub(&device->bytes, WA_CUDA_PIECE_BYTES,
							  __ATOMIC_RELAXED);
}

/* Tells whether a piece of an array has rows; the caller has the lock. */
static bool
has_rows(const WaMirrorFlat *flat, const WaFlatArray *array, size_t piece)
{
	const size_t chunks =
		WA_CUDA_PIECE_BYTES * 8 / array->bits / WA_MIRROR_CHUNK_ROWS;

	for (size_t i = 0; i < chunks; i++)
		if (flat->counts[piece * chunks + i] > 0)
			return true;
	return false;
}

/*
 * Unmaps the pieces of an array that have no rows.  Nobody but this thread adds
 * rows, so a piece without is one still when the lock is free.  Those of a flat column
 * whose rows have moved to a wider one stay, as uses from before may read them, until
 * it is freed.
 */
static void
unmap_unused(WaMirrorFlat *flat, WaFlatArray *array)
{
	WaMirror *mirror = flat->device->mirror;

	if (array->d_base == NULL)
		return;
	(void) pthread_rwlock_rdlock(&mirror->lock);
	for (size_t i = 0; i < pieces_of(array); i++)
		if (flat->record != NULL && array->mapped[i] == MAPPED &&
			!has_rows(flat, array, i))
			array->mapped[i] = UNUSED;
	(void) pthread_rwlock_unlock(&mirror->lock);
	for (size_t i = 0; i < pieces_of(array); i++)
		if (array->mapped[i] == UNUSED)
			unmap(flat->device, array, i);
}

/*
 * Gives the memory and the addresses of an array up.  What is queued may go there,
 * if its copying has failed in part.
 */
static void
free_array(WaMirrorDevice *device, WaFlatArray *array)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	if (array->d_base == NULL)
		return;
	(void) wa_flat_wait(device);
	for (size_t i = 0; i < pieces_of(array); i++)
		if (array->mapped[i] != UNMAPPED)
			unmap(device, array, i);
	if (CALL(device, wa_cuda_memory_unreserve, array->d_base,
			 bytes_of(array, WA_MIRROR_MAX_ROWS)) != WA_OK)
		wa_log_write(WA_LOG_WARNING, "GPU %u: %s", device->ordinal, error);
	free(array->mapped);
	array->d_base = NULL;
}

void
wa_flat_tidy(WaMirrorDevice *device)
{
	WaMirrorFlat **link = &device->flats;

	/* What is queued may go to rows that have been given up since. */
	(void) wa_flat_wait(device);
	while (*link != NULL)
	{
		WaMirrorFlat *flat = *link;
		WaFlatArray *arrays[] = FLAT_ARRAYS(flat);
		const bool unused =
			__atomic_load_n(&flat->references, __ATOMIC_ACQUIRE) == 0;
		const bool untidy =
			__atomic_exchange_n(&flat->untidy, false, __ATOMIC_ACQ_REL);

		for (int i = 0; i < FLAT_ARRAY_COUNT; i++)
		{
			if (unused)
				free_array(device, arrays[i]);
			else if (untidy)
				unmap_unused(flat, arrays[i]);
		}
		if (unused)
		{
			*link = flat->next;
			free(flat);
		}
		else
			link = &flat->next;
	}
}

/* Returns how many bytes may be mapped. */
static uint64_t
limit_of(const WaMirrorDevice *device)
{
	const uint64_t limit = wa_memory_limit(&device->mirror->store->memory);

	return limit < device->limit ? limit : device->limit;
}

/* Tries to unmap something; returns whether that was so. */
static bool
make_room(WaMirrorDevice *device)
{
	const uint64_t before = device->bytes;
	uint64_t part = before / EVICTED_PART;

	if (part > EVICTED_BYTES)
		part = EVICTED_BYTES;
	wa_flat_tidy(device);
	while (device->bytes >= before && device->may_evict &&
		   wa_mirror_evict(device, part))
		wa_flat_tidy(device);
	return device->bytes < before;
}

/* Maps a piece of an array, for which room is made if need be. */
static WaStatus
map(WaMirrorDevice *device, WaFlatArray *array, size_t piece)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	char *d_piece = array->d_base + piece * WA_CUDA_PIECE_BYTES;
	WaStatus status;

	do
	{
		while (device->bytes + WA_CUDA_PIECE_BYTES > limit_of(device))
			if (!make_room(device))
				return WA_OUT_OF_MEMORY;
		status = CALL(device, wa_cuda_memory_map, d_piece);
	} while (status == WA_OUT_OF_MEMORY && make_room(device));
	if (status != WA_OK)
		return status;
	array->mapped[piece] = MAPPED;
	(void) __atomic_fetch_add(&device->bytes, WA_CUDA_PIECE_BYTES,
							  __ATOMIC_RELAXED);
	return WA_OK;
}

/* Maps what is not mapped yet of the pieces that a run's rows lie in. */
static WaStatus
map_rows(WaMirrorDevice *device, WaFlatArray *array, const WaMirrorRun *run)
{
	const size_t first = bytes_of(array, run->first) / WA_CUDA_PIECE_BYTES;
	const size_t last =
		(bytes_of(array, run->first + run->rows) - 1) / WA_CUDA_PIECE_BYTES;
	WaStatus status = WA_OK;

	if (array->d_base == NULL)
		return WA_OK;
	for (size_t i = first; i <= last && status == WA_OK; i++)
		if (array->mapped[i] == UNMAPPED)
			status = map(device, array, i);
	return status;
}

WaStatus
wa_flat_map(WaMirrorFlat *flat, const WaMirrorRun *run)
{
	WaFlatArray *arrays[] = FLAT_ARRAYS(flat);
	WaStatus status = WA_OK;

	for (int i = 0; i < FLAT_ARRAY_COUNT && status == WA_OK; i++)
		status = map_rows(flat->device, arrays[i], run);
	return status;
}

/* Maps and fills all pieces of an array in which the flat column has rows. */
static WaStatus
fill_array(WaMirrorFlat *flat, WaFlatArray *array, int fill)
{
	WaMirrorDevice *device = flat->device;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status = WA_OK;

	for (size_t i = 0; i < pieces_of(array) && status == WA_OK; i++)
	{
		bool needed;

		(void) pthread_rwlock_rdlock(&device->mirror->lock);
		needed = has_rows(flat, array, i);
		(void) pthread_rwlock_unlock(&device->mirror->lock);
		if (!needed)
			continue;
		status = map(device, array, i);
		if (status == WA_OK)
			status = CALL(device, wa_cuda_memory_fill,
						  array->d_base + i * WA_CUDA_PIECE_BYTES, fill,
						  WA_CUDA_PIECE_BYTES);
	}
	return status == WA_OK ? wa_flat_wait(device) : status;
}

WaStatus
wa_flat_add_array(WaMirrorFlat *flat, WaFlatArray *array, uint32_t bits,
				  int fill)
{
	WaMirrorDevice *device = flat->device;
	WaFlatArray made = {0};
	WaStatus status = reserve(device, &made, bits);

	if (status != WA_OK)
		return status;
	status = fill_array(flat, &made, fill);
	if (status != WA_OK)
	{
		free_array(device, &made);
		return status;
	}
	(void) pthread_rwlock_wrlock(&device->mirror->lock);
	*array = made;
	(void) pthread_rwlock_unlock(&device->mirror->lock);
	/* To make room for it others may have given up rows that it has memory for. */
	__atomic_store_n(&flat->untidy, true, __ATOMIC_RELEASE);
	return WA_OK;
}

/* Copies staging memory to the rows of a run. */
static WaStatus
copy_staging(WaMirrorDevice *device, const WaFlatArray *array,
			 const WaMirrorRun *run)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	return CALL(device, wa_cuda_memory_copy,
				array->d_base + bytes_of(array, run->first),
				bytes_of(array, run->rows));
}

/* Sets the rows of a run to a byte. */
static WaStatus
fill_rows(WaMirrorDevice *device, const WaFlatArray *array,
		  const WaMirrorRun *run, int fill)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	return CALL(device, wa_cuda_memory_fill,
				array->d_base + bytes_of(array, run->first), fill,
				bytes_of(array, run->rows));
}

/* Returns staging memory, in which the rows of a run behind so many are 0. */
static WaStatus
get_staging(WaMirrorDevice *device, const WaFlatArray *array,
			const WaMirrorRun *run, uint32_t nrows, void **staging)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	const size_t bytes = bytes_of(array, run->rows);
	const size_t before =
		bytes_of(array, nrows / WA_MIRROR_RUN_ROWS * WA_MIRROR_RUN_ROWS);
	WaStatus status = CALL(device, wa_cuda_memory_staging, staging);

	if (status == WA_OK)
		memset((char *) *staging + before, 0, bytes - before);
	return status;
}

/* Copies which rows are not NULL. */
static WaStatus
copy_validity(WaMirrorFlat *flat, const WaMirrorRun *run,
			  const WaColumn *column)
{
	const WaFlatArray *array = &flat->validity;
	void *staging;
	WaStatus status;

	if (array->d_base == NULL)
		return WA_OK;
	if (column->validity == NULL)
		return fill_rows(flat->device, array, run, 0xff);
	status = get_staging(flat->device, array, run, column->nrows, &staging);
	if (status != WA_OK)
		return status;
	wa_bits_pack(column->validity, column->nrows, staging);
	return copy_staging(flat->device, array, run);
}

/* Copies how many digits the rows show. */
static WaStatus
copy_display(WaMirrorFlat *flat, const WaMirrorRun *run, const WaColumn *column)
{
	const WaFlatArray *array = &flat->display;
	void *staging;
	WaStatus status;

	if (array->d_base == NULL)
		return WA_OK;
	if (column->display == NULL)
		return fill_rows(flat->device, array, run, column->scale);
	status = get_staging(flat->device, array, run, column->nrows, &staging);
	if (status != WA_OK)
		return status;
	memcpy(staging, column->display, column->nrows);
	return copy_staging(flat->device, array, run);
}

WaStatus
wa_flat_copy(WaMirrorFlat *flat, const WaMirrorRun *run, const WaColumn *column)
{
	void *staging;
	WaStatus status =
		get_staging(flat->device, &flat->values, run, column->nrows, &staging);

	if (status != WA_OK)
		return status;
	wa_column_write_values(column, flat->form, flat->scale, staging);
	status = copy_staging(flat->device, &flat->values, run);
	if (status == WA_OK)
		status = copy_validity(flat, run, column);
	if (status == WA_OK)
		status = copy_display(flat, run, column);
	return status;
}

uint64_t
wa_flat_bytes(const WaMirrorFlat *flat, const WaMirrorRun *run)
{
	const WaFlatArray *arrays[] = FLAT_ARRAYS(flat);
	uint64_t bytes = 0;

	for (int i = 0; i < FLAT_ARRAY_COUNT; i++)
		if (arrays[i]->d_base != NULL)
			bytes += bytes_of(arrays[i], run->rows);
	return bytes;
}

WaStatus
wa_flat_wait(WaMirrorDevice *device)
{
	char error[WA_MAX_ERROR_BYTES] = "";

	return survive(device,
				   wa_cuda_memory_wait(device->memory, error, sizeof(error)),
				   error);
}
