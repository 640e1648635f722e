/*
 * mirror.h
 *		Copies of resident columns in the memory of GPUs.
 *
 * The store (store.h) keeps columns of extents in host memory.  The mirror copies
 * them to GPUs in the background, after their LOAD, so that a few launches can
 * scan a whole relation, or all relations of a family (core/resident.h): each GPU has a
 * space of rows for each of these, in which an extent has a run of rows, and each column
 * is one flat array over that space.  What is not there is served from host memory:
 * nothing fails because a copy is missing.
 */
#ifndef WA_DAEMON_MIRROR_H
#define WA_DAEMON_MIRROR_H

#include "cuda/memory.h"
#include "daemon/store/placement_cache.h"
#include "daemon/store/run_extents.h"
#include "daemon/store/store.h"

/* Runs of rows begin at multiples of this, and are multiples of it. */
#define WA_MIRROR_RUN_ROWS 1024

/*
 * Rows of a relation, or of all of a family, on one GPU at most: extents that find no room
 * any more have no copies.
 */
#define WA_MIRROR_MAX_ROWS ((uint64_t) 1 << 30)

/* Bits of a row at most. */
#define WA_MIRROR_MAX_BITS ((uint64_t) 128)

/* Rows that every piece of memory, of whatever array, is a multiple of. */
#define WA_MIRROR_CHUNK_ROWS (WA_CUDA_PIECE_BYTES * 8 / WA_MIRROR_MAX_BITS)

/* A flat column on a device: element r is row r of the relation's row space. */
typedef struct WaMirrorColumn
{
	WaForm form;                /* BOOL is a bitmap, TEXT int32_t codes */
	uint8_t scale;              /* DECIMAL */
	const void *d_values;       /* aligned to 256 bytes */
	const uint64_t *d_validity; /* bitmap, set: not NULL; NULL: no NULLs */
	const uint8_t *d_display;   /* DECIMAL; NULL: all show `scale` digits */
} WaMirrorColumn;

/* What somebody has made of a use, and frees by a function of its own. */
typedef struct WaMirrorNote
{
	void (*free)(struct WaMirrorNote *note);
} WaMirrorNote;

/* What is known of an extent of a request without a look at it. */
typedef struct WaMirrorExtent
{
	uint64_t id;    /* as that of a WaExtentId */
	uint64_t order; /* likewise */
	uint32_t nrows;
	uint32_t nranges;
	uint32_t rows;  /* of all ranges */
	uint32_t place; /* the mirror's own */
} WaMirrorExtent;

#define WA_MIRROR_NONE UINT32_MAX

/*
 * What was found for a request before, and the note of that.  All of it is constant, but
 * for the note if nobody else has, or gets, it.
 */
typedef struct WaMirrorBefore
{
	uint32_t nextents; /* 0: nothing was, or it has no note */
	/* Where of each extent listed in the use it was, at the same position, or NONE. */
	const uint32_t *places;
	WaMirrorNote *note;
	bool is_ours; /* nobody else has the note: it may be emptied */
} WaMirrorBefore;

/*
 * What a run can use of one device.  There is memory behind the rows of the
 * extents listed, from first_rows[i] to the next multiple of WA_MIRROR_RUN_ROWS
 * behind the extent's last row, of each array, and behind all positions of a chunk
 * (position / WA_MIRROR_CHUNK_ROWS) that has one of these.  ALL OTHER POSITIONS MAY
 * HAVE NO MEMORY: a kernel that reads them can fault.  Values of NULLs are 0, those of
 * positions that are no row of an extent listed are anything.
 */
typedef struct WaMirrorUse
{
	unsigned device; /* ordinal of the GPU */
	uint64_t rows;   /* all positions are below; a multiple */
	uint32_t nextents;
	const uint32_t *extents;    /* indexes into request->extents, ordered by */
	const uint64_t *first_rows; /* their positions, which ascend */
	const WaMirrorExtent *placed; /* of all extents of the request */
	WaMirrorColumn columns[WA_MAX_QUERY_COLUMNS]; /* as in the request */
	uint32_t ncolumns;
	WaMirrorBefore before;
	struct WaPlacement *placement; /* the mirror's own */
	struct WaPlacement *other;     /* likewise, or NULL: of what was before */
} WaMirrorUse;

/* Returns the note of a use, or NULL; it is constant, and there as long. */
const WaMirrorNote *wa_mirror_note(const WaMirrorUse *use);

/*
 * Hands over a note for other uses of the same extents, which comes too late if
 * there is one; returns the one that is there then.
 */
const WaMirrorNote *wa_mirror_set_note(const WaMirrorUse *use,
									   WaMirrorNote *note);

/*
 * Finds which of a run's extents are on a GPU with all columns of the request.
 * Returns false if there are none, or no column is asked for (then the ranges of
 * the extents say all), or there is no memory; mirror may be NULL.  Else the use
 * has to be ended before the run's references to the extents are given up.
 */
bool wa_mirror_use(WaMirror *mirror, const WaRunRequest *request,
				   unsigned device, WaMirrorUse *use);

/* Ends a use; nothing may be reading on the device any more. */
void wa_mirror_unuse(WaMirror *mirror, WaMirrorUse *use);

/*
 * Makes the mirror of a store, which has no devices yet, and tells the store what to call
 * (WaCopier); or returns NULL.
 */
WaMirror *wa_mirror_make(WaStore *store);

/* Adds a GPU, which has so much memory free, before the start. */
void wa_mirror_add_device(WaMirror *mirror, unsigned ordinal,
						  uint64_t free_bytes);

/*
 * Spreads the store's extents over the GPUs, if there are any, and starts to copy
 * what is there already.
 */
void wa_mirror_start(WaMirror *mirror);

#endif /* WA_DAEMON_MIRROR_H */
