/*
 * load.h
 *		Loading columns of a relation, by one process or several.
 *
 * Processes take extents from a shared counter.  Each has its own connection to
 * warpaggd.  Of an extent that warpaggd has already, blocks that have changed are read
 * again, or all if these are many; the others are confirmed by their LSNs, if WAL has not
 * told that they are fresh.
 */
#ifndef WA_RESIDENT_LOAD_H
#define WA_RESIDENT_LOAD_H

#include "port/atomics.h"
#include "utils/relcache.h"

#include "core/must_check.h"
#include "core/resident.h"
#include "resident/family.h"
#include "resident/relation.h"

/* Extents that a process takes at once, at most. */
#define WA_LOAD_MAX_CHUNK 16

/* Columns of a table that may be resident. */
#define WA_LOAD_MAX_COLUMNS WA_MAX_RELATION_COLUMNS

/*
 * What is to be loaded, and what has been so far, in memory that all processes
 * share.  Only the atomics change while there are several.
 */
typedef struct WaLoadTask
{
	WaRelation storage;
	WaFamilyPlan family;
	uint32 nblocks;
	uint32 nextents;
	uint32 chunk; /* extents that a process takes at once */
	bool pins;    /* the relation was pinned before it came to another family */
	bool is_refresh; /* only what has changed is loaded */
	bool takes_new;  /* and of that extents of which nothing is resident */
	int nwanted;
	int nall;
	WaColumnName wanted[WA_MAX_RESIDENT_COLUMNS]; /* ascending */
	/* those and, if there is room, what is resident besides; ascending */
	WaColumnName all[WA_MAX_RESIDENT_COLUMNS];
	uint64 wanted_bits; /* a bit for each of `all` that is wanted */
	uint64
		asked_bits; /* likewise: a user has asked for it, rather than a query */
	int nrest;      /* what is resident, but had no room in `all`; ascending */
	WaColumnName rest[WA_LOAD_MAX_COLUMNS];

	int64 reported_us; /* for the use of the leader's WaLoadReport */

	pg_atomic_uint32 next_extent;
	pg_atomic_uint32 is_full;    /* there was no memory for an extent */
	pg_atomic_uint64 left_out;   /* a bit for each of `all` that some extent of
								  * those that were read cannot have */
	pg_atomic_uint64 seen;       /* blocks, of extents that are done with */
	pg_atomic_uint64 missed;     /* not resident when done, */
	pg_atomic_uint64 flux;       /* of them for rows that were in flux */
	pg_atomic_uint64 odd;        /* read, of which some column lacks the rows */
	pg_atomic_uint64 read_rows;  /* of extents that have been read anew */
	pg_atomic_uint64 read_bytes; /* handed over for them */
} WaLoadTask;

/*
 * Fills in a task.  asked: a user has asked for it.  wanted: nwanted columns, ascending,
 * at most WA_MAX_RESIDENT_COLUMNS: more than that take several tasks, one after the
 * other.  Asks warpaggd what else there is of the relation, and has it forget what the
 * relation has no more.  Where what is resident is not of the relation's family, or its
 * columns have other numbers there by now, it has all of it forgotten, and all is wanted
 * again, but what a task has no room for.  Raises an error if WAL cannot be followed.
 */
extern void wa_load_prepare(WaLoadTask *task, Relation relation, bool asked,
							int nwanted, const WaColumnName *wanted);

/*
 * Fills in a task that brings up to date what is resident of a relation: wa_load_run
 * loads, by itself, what has changed since it was loaded, and the blocks by which the
 * relation has grown; with takes_new extents, too, of which nothing is resident, with
 * all columns that are.  Returns false if nothing is resident.
 */
extern WA_MUST_CHECK bool
wa_load_prepare_refresh(WaLoadTask *task, Relation relation, bool takes_new);

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
