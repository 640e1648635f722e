/*
 * spill_pace.h
 *		How much memory groups may take before they are closed, and how many rows
 *		may be taken before one looks at that again.
 *
 * The yardstick is PostgreSQL's hash aggregation: groups take three quarters of
 * work_mem * hash_mem_multiplier or more, and the buffers of files the rest, but for
 * those of four files, which may always be had.
 */
#ifndef WA_SCAN_SPILL_PACE_H
#define WA_SCAN_SPILL_PACE_H

#include "scan/state/scan_store.h"

/* A partition is divided into 4 to 256. */
#define WA_SPILL_MIN_BITS 2
#define WA_SPILL_MAX_BITS 8

/* Returns by how many bits groups are divided at most. */
extern int wa_spill_most_bits(void);

/* Returns the bytes that the groups take. */
extern Size wa_spill_groups_bytes(const WaScanStore *store);

/* To be called when empty groups have been made. */
extern void wa_spill_pace_begin(WaScanStore *store);

/*
 * Returns how many rows may be taken whose groups, which are not closed, may all be
 * new, so that these do not outgrow the memory by much.
 */
extern int wa_spill_pace_open(WaScanStore *store);

/* Notes what the groups take, closed or not, after rows were taken. */
extern void wa_spill_pace_note(WaScanStore *store, Size bytes);

/* Likewise, when they have been closed. */
extern void wa_spill_pace_restart(WaScanStore *store, Size bytes);

/* Tells whether so many groups, which are not closed, are to be. */
extern bool wa_spill_pace_is_full(const WaScanStore *store, uint32 ngroups,
								  Size bytes);

/* Tells whether groups have outgrown the memory since they were closed. */
extern bool wa_spill_pace_has_outgrown(Size closed_bytes, Size bytes);

#endif /* WA_SCAN_SPILL_PACE_H */
