/*
 * mirror_internal.h
 *		What the parts of the mirror share; see mirror.h.
 *
 * A device, which is a GPU, has a thread; it alone calls CUDA, makes and frees
 * flat columns, and gives columns copies.  The mirror's lock guards spaces,
 * records and runs, and counts and taken of flat columns, and the count of changes
 * of what uses find: the thread changes them
 * with the lock for writing, and so does whoever gives up the last reference to a
 * column or a layout.  Uses take it for reading.  Nothing is copied, and CUDA is
 * not called, with this lock or the store's.  Locks are taken in this order: the
 * store's, the mirror's, a device's.
 */
#ifndef WA_DAEMON_MIRROR_INTERNAL_H
#define WA_DAEMON_MIRROR_INTERNAL_H

#include <pthread.h>

#include "core/must_check.h"
#include "daemon/mirror/mirror.h"
#include "daemon/mirror/mirror_rows.h"
#include "daemon/store/store_evict.h"

#define WA_MIRROR_CHUNKS (WA_MIRROR_MAX_ROWS / WA_MIRROR_CHUNK_ROWS)

/* Places where runs can begin. */
#define WA_MIRROR_PLACES (WA_MIRROR_MAX_ROWS / WA_MIRROR_RUN_ROWS)

/* Loaded extents that wait for a device's thread at most. */
#define WA_MIRROR_QUEUE 4096

/*
 * An array over a row space.  Only the thread looks at mapped; d_base is set once,
 * when the values that all rows have are complete.
 */
typedef struct WaFlatArray
{
	char *d_base;    /* NULL: there is none */
	uint32_t bits;   /* of a row */
	uint8_t *mapped; /* of each piece: not 0 if it has memory */
} WaFlatArray;

/*
 * A flat column.  References are its record's, those of columns whose copies are
 * there, of uses, and the thread's; it is freed by the thread when none is left.
 * A flat column that is not its record's any more takes no columns.
 */
typedef struct WaMirrorFlat
{
	struct WaMirrorDevice *device; /* constant, like form and scale */
	WaForm form;
	uint8_t scale;
	struct WaMirrorRecord *record; /* NULL: it is no record's */
	uint32_t references;           /* atomic */
	uint32_t columns;              /* that have, or get, copies here */
	bool untidy;                   /* atomic: there are pieces to unmap */
	struct WaMirrorFlat *next;     /* of the thread's */
	WaFlatArray values;
	WaFlatArray validity;
	WaFlatArray display;
	uint32_t counts[WA_MIRROR_CHUNKS];     /* of columns that have rows there */
	uint64_t taken[WA_MIRROR_PLACES / 64]; /* a bit for each place of a run */
} WaMirrorFlat;

/*
 * A column of the relations of a space: by its number in the family, with no relation, or,
 * if it has none, of one relation.  Constant but for the flat column.
 */
typedef struct WaMirrorRecord
{
	struct WaMirrorSpace *space;
	WaRelation relation;
	WaColumnName name;
	WaMirrorFlat *flat; /* or NULL */
	struct WaMirrorRecord *next;
} WaMirrorRecord;

/*
 * The rows of all relations of a family, or of a relation by itself; the other name is 0.
 * It goes with its last run.
 */
typedef struct WaMirrorSpace
{
	struct WaMirrorDevice *device; /* constant, like the names */
	WaFamily family;
	WaRelation relation;
	WaRowSpace rows;
	uint32_t runs;
	WaMirrorRecord *records;
	struct WaMirrorSpace *next;
} WaMirrorSpace;

/* The rows of an extent, for as long as its layout or a copy refers to them. */
typedef struct WaMirrorRun
{
	WaMirrorSpace *space;
	uint64_t first;
	uint32_t rows; /* a multiple of WA_MIRROR_RUN_ROWS */
	uint32_t references;
} WaMirrorRun;

/* An extent that may have columns without copies. */
typedef struct WaMirrorKey
{
	WaRelation relation;
	uint32_t number;
} WaMirrorKey;

/* Columns to be copied that are not in the store yet: mirror_ahead.c. */
typedef struct WaMirrorAhead WaMirrorAhead;

/* What a thread works at: its lock guards what follows it. */
typedef struct WaMirrorDevice
{
	WaMirror *mirror; /* constant, like ordinal and limit */
	unsigned ordinal;
	uint64_t limit; /* bytes */
	WaMirrorSpace *spaces;
	uint64_t changes; /* of copies that there are */

	/* The thread's own */
	WaCudaMemory *memory;
	WaMirrorFlat *flats;
	const WaRelation *loading;     /* nothing of it is evicted, ... */
	const WaMirrorSpace *widening; /* ... nor of what has rows here; or NULL */
	WaKeep evicts;                 /* what is kept for such a reason may be */
	bool may_evict;
	uint64_t bytes; /* that are mapped; changed and read atomically */

	pthread_mutex_t lock;
	pthread_cond_t wakeup;
	pthread_cond_t done;  /* of CLOCK_MONOTONIC: some of `ahead` is */
	WaMirrorAhead *ahead; /* goes before the others; the first is the oldest */
	bool has_thread;      /* constant once it was started */
	bool working;  /* for tests, which wait until nothing is left to be done */
	bool untidy;   /* a flat column has pieces to unmap, or is to be freed */
	bool sweeping; /* all extents are to be looked at */
	bool incomplete; /* extents were left out, and might find room now */
	uint32_t first;  /* of the ring */
	uint32_t count;
	WaMirrorKey queue[WA_MIRROR_QUEUE];
} WaMirrorDevice;

struct WaMirror
{
	WaStore *store; /* constant */
	pthread_rwlock_t lock;
	uint64_t retired; /* flat columns, so far, that were their records' */
	unsigned ndevices;
	WaMirrorDevice *devices[WA_MAX_DEVICES];
	bool started; /* atomic; devices are constant from then on */
};

/*
 * Where some extents are on a device.  Constant but for the references and the
 * note, which are atomic.  How long it is right wa_placement_is_right_for tells.
 */
typedef struct WaPlacement
{
	WaKeptPlacement kept; /* first */
	uint64_t id;          /* of the extents, all of them */
	uint64_t changes;
	uint64_t retired;
	uint64_t rows;
	bool has_nowhere; /* some extents have no place on any device */
	uint32_t nplaced; /* extents of the request */
	WaMirrorExtent *placed;
	uint32_t nextents; /* may be 0 */
	uint32_t *extents;
	uint64_t *first_rows;
	uint32_t *places; /* of these in what was before, or WA_MIRROR_NONE */
	uint32_t ncolumns;
	WaMirrorFlat *flats[WA_MAX_QUERY_COLUMNS]; /* no references */
	WaMirrorNote *note;
} WaPlacement;

/* An extent's columns without copies; the references are the taker's. */
typedef struct WaMirrorPick
{
	WaMirrorKey key;
	WaLayout *layout;
	uint32_t rows; /* that its run should have at least */
	uint32_t ncolumns;
	WaColumn *columns[WA_MAX_RESIDENT_COLUMNS];
} WaMirrorPick;

/* Columns with references to them, which are the list's. */
typedef struct WaColumnList
{
	uint32_t count;
	uint32_t room;
	WaColumn **columns;
} WaColumnList;

/* mirror_place.c: the caller has the lock for reading, but for the release. */

/*
 * Finds the extents of a run on a device, by what was found before, if there is such;
 * returns NULL if there is no memory.
 */
WaPlacement *wa_placement_make(const WaMirrorDevice *device,
							   const WaRunRequest *request,
							   const WaPlacement *before);

/*
 * Tells whether a placement, or NULL, is what a request would find: it is of the same
 * extents, and nothing has changed, or nothing that matters: what it says of an extent
 * that has a place is right for longer (find_known).
 */
bool wa_placement_is_right_for(const WaPlacement *placement,
							   const WaRunRequest *request,
							   const WaMirrorDevice *device);

/* Gives up a reference. */
void wa_placement_release(WaPlacement *placement);

/*
 * mirror_flat.c: in the device's thread.  Functions that return a WaStatus end
 * the process, having logged why, rather than return WA_DEVICE_LOST.
 */

/* Makes a flat column without rows, with one reference. */
WA_MUST_CHECK WaStatus wa_flat_make(WaMirrorDevice *device, WaForm form,
									uint8_t scale, WaMirrorFlat **flat);

/*
 * Adds a validity or display array, of so many bits a row, all of whose bytes are
 * `fill` for the rows that the flat column has.
 */
WaStatus wa_flat_add_array(WaMirrorFlat *flat, WaFlatArray *array,
						   uint32_t bits, int fill);

/* Sees to it that there is memory behind the rows of a run in all arrays. */
WaStatus wa_flat_map(WaMirrorFlat *flat, const WaMirrorRun *run);

/* Copies a column, which fits, to the rows of its run; queues it, that is. */
WaStatus wa_flat_copy(WaMirrorFlat *flat, const WaMirrorRun *run,
					  const WaColumn *column);

/* Returns the bytes that a run of rows takes. */
uint64_t wa_flat_bytes(const WaMirrorFlat *flat, const WaMirrorRun *run);

/* Waits for all that is queued. */
WaStatus wa_flat_wait(WaMirrorDevice *device);

/* Unmaps what has no rows, and frees what has no references. */
void wa_flat_tidy(WaMirrorDevice *device);

/* mirror_space.c: the caller has the lock for writing, unless it says else. */

/* Gives up a reference; needs no lock. */
void wa_flat_release(WaMirrorFlat *flat);

/* Makes it the record's, in the place of another, whose reference goes. */
void wa_flat_install(WaMirrorFlat *flat, WaMirrorRecord *record);

/* Counts a column, which has a reference then; false: its rows are taken. */
bool wa_flat_take(WaMirrorFlat *flat, const WaMirrorRun *run);

/* The opposite. */
void wa_flat_give(WaMirrorFlat *flat, const WaMirrorRun *run);

/* Says that a column, which was counted, has its copy. */
void wa_mirror_publish(WaMirrorFlat *flat, WaMirrorRun *run, WaColumn *column);

/* Gives up the copy of a column, if there is one. */
void wa_mirror_drop_column(WaColumn *column);

/* Gives up a layout's run, if there is one. */
void wa_mirror_drop_layout(WaLayout *layout);

/*
 * Sees to it that the layout has a run, of so many rows at least; false if there is
 * none.
 */
bool wa_mirror_take_run(WaMirrorDevice *device, const WaRelation *relation,
						WaLayout *layout, uint32_t least_rows);

/* Returns a column's record, made if need be, or NULL if there is no memory. */
WaMirrorRecord *wa_mirror_find_record(WaMirrorSpace *space,
									  const WaRelation *relation,
									  const WaColumn *column);

/* mirror_load.c: in the device's thread, without a lock. */

/* Copies what an extent has to the device; false if something was left out. */
bool wa_mirror_load(WaMirrorDevice *device, const WaMirrorKey *key);

/* Copies what was picked; false if something was left out. */
bool wa_mirror_load_pick(WaMirrorDevice *device, const WaMirrorPick *pick);

/* mirror_ahead.c */

/* See WaCopier. */
void wa_mirror_ahead(WaMirror *mirror, const WaNews *news, int64_t wait_ns);

/* Copies what somebody waits for: in the device's thread, without a lock. */
void wa_mirror_serve(WaMirrorDevice *device);

/* mirror_store.c: these take the store's lock. */

/* Takes references to columns without copies; false if there are none. */
bool wa_mirror_pick(WaMirrorDevice *device, const WaMirrorKey *key,
					WaMirrorPick *pick);

/* Gives the references up; evicts what they have kept in the store. */
void wa_mirror_unpick(WaMirrorDevice *device, WaMirrorPick *pick);

/* Takes references to all columns with copies in a flat column of a space. */
bool wa_mirror_collect(WaMirrorDevice *device, const WaMirrorSpace *space,
					   const WaMirrorFlat *flat, WaColumnList *list);

/* Gives the references, and the list, up. */
void wa_column_list_release(WaColumnList *list);

/*
 * Gives up copies of the extents that were used longest ago, are not in use and make
 * room (store_evict.h), until they had so many bytes.  Returns whether there was one.
 */
bool wa_mirror_evict(WaMirrorDevice *device, uint64_t bytes);

/*
 * Looks at all extents, and loads what has no copies, while there is room; false if
 * something was left out.
 */
bool wa_mirror_sweep(WaMirrorDevice *device);

/* mirror_thread.c */

/* Returns the device with an ordinal once there are threads, or NULL. */
WaMirrorDevice *wa_mirror_device(WaMirror *mirror, unsigned ordinal);

/*
 * Has the thread tidy up, and, if there is room now that there was not, look for
 * what was left out; needs no lock.
 */
void wa_mirror_wake(WaMirrorDevice *device, bool has_room);

#endif /* WA_DAEMON_MIRROR_INTERNAL_H */
