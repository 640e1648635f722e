/*
 * load.h
 *		Loading columns of a relation, by one process or several.
 *
 * Processes take extents from a shared counter.  Each has its own connection to
 * warpaggd.  An extent that warpaggd has already is only looked at, or confirmed
 * by the LSNs of its blocks; if blocks have changed it is read anew.
 */
#ifndef WA_RESIDENT_LOAD_H
#define WA_RESIDENT_LOAD_H

#include "access/htup_details.h"
#include "port/atomics.h"
#include "utils/relcache.h"

#include "core/resident.h"

/* Extents that a process takes at once, at most. */
#define WA_LOAD_MAX_CHUNK 16

/* Columns that a table may have. */
#define WA_LOAD_MAX_COLUMNS MaxHeapAttributeNumber

/*
 * What is to be loaded, and what has been so far, in memory that all processes
 * share.  Only the atomics change while there are several.
 */
typedef struct WaLoadTask
{
	WaRelation storage;
	uint32 nblocks;
	uint32 nextents;
	uint32 chunk; /* extents that a process takes at once */
	bool asked;   /* a user has asked for what is wanted, rather than a query */
	int nwanted;
	int nall;
	WaColumnName wanted[WA_MAX_RESIDENT_COLUMNS]; /* ascending */
	/* those and, if there is room, what is resident besides; ascending */
	WaColumnName all[WA_MAX_RESIDENT_COLUMNS];
	uint64 wanted_bits; /* a bit for each of `all` that is wanted */
	int nrest; /* what is resident, but had no room in `all`; ascending */
	WaColumnName rest[WA_LOAD_MAX_COLUMNS];

	int64 reported_us; /* for the use of the leader's WaLoadReport */

	pg_atomic_uint32 next_extent;
	pg_atomic_uint32 is_full;    /* there was no memory for an extent */
	pg_atomic_uint64 left_out;   /* a bit for each of `all` that some extent of
								  * those that were read cannot have */
	pg_atomic_uint64 seen;       /* blocks, of extents that are done with */
	pg_atomic_uint64 visible;    /* of them all-visible */
	pg_atomic_uint64 unlogged;   /* of the others, so in a map without LSN */
	pg_atomic_uint64 missed;     /* visible, not resident when done */
	pg_atomic_uint64 odd;        /* read, of which some column lacks the rows */
	pg_atomic_uint64 read_rows;  /* of extents that have been read anew */
	pg_atomic_uint64 read_bytes; /* handed over for them */
} WaLoadTask;

/*
 * Fills in a task.  asked: a user has asked for it.  wanted: nwanted columns, ascending, at most
 * WA_MAX_RESIDENT_COLUMNS: more than that take several tasks, one after the other.
 * Asks warpaggd what else
 * there is of the relation, and has it forget what the relation has no more.
 */
extern void wa_load_prepare(WaLoadTask *task, Relation relation, bool asked,
							int nwanted, const WaColumnName *wanted);

/*
 * What is called after each extent, if it is not NULL; it may return false to
 * have the process stop soon.
 */
typedef bool (*WaLoadReport)(WaLoadTask *task, Relation relation);

/*
 * Takes extents and loads them until there are no more, or no memory for them.
 * Raises an error if the device process fails.
 */
extern void wa_load_run(WaLoadTask *task, Relation relation,
						WaLoadReport report);

/* Tells whether all extents have been taken, or there was no memory for one. */
extern bool wa_load_is_done(WaLoadTask *task);

/*
 * Does what wa_load_run does, together with parallel workers if the relation is
 * large and warpagg.load_workers allows any.
 */
extern void wa_load_share(WaLoadTask *task, Relation relation,
						  WaLoadReport report);

#endif /* WA_RESIDENT_LOAD_H */
