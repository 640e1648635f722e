/*
 * roll_up.h
 *		Rolls the groups of a query up to those that it returns (scan/state/rolled_query.h).
 */
#ifndef WA_SCAN_ROLL_UP_H
#define WA_SCAN_ROLL_UP_H

#include "scan/state/scan_store.h"

typedef struct WaRollUp
{
	WaScanStore store; /* the groups that are returned */
	int64 ngroups;     /* that were rolled up in the present scan */
	int place;         /* of the values, among the keys of the others */
	int column;        /* that they go to; -1: the others have none */
	int set; /* that the others are of; -1: of all, if there are any */
	WaQueryValue *read;   /* keys of one of the others */
	WaQueryValue *values; /* those that one of ours has */
	uint32 *numbers;      /* of groups of ours, for some of the others */
} WaRollUp;

/* Makes what rolls up the groups of a store, whose query has been prepared. */
extern WaRollUp *wa_roll_up_make(const WaScanStore *finer);

/*
 * Returns how the device process may roll groups up, whose values go to column number
 * `column`, and are key number `key` of them; NULL: it cannot.
 */
extern const WaQueryColumn *wa_roll_up_pushed(const WaRollUp *roll_up, int key,
											  int column);

/* Begins with empty groups. */
extern void wa_roll_up_begin(WaRollUp *roll_up);

/*
 * Takes all groups of a store, which has none of them another time: those that are the same but
 * for values that are taken once, which go to column number `column` (-1: there are none), or by the
 * keys of a grouping set, are merged.  set: the only one, whose groups they are, or -1.  Groups beyond the memory are spilled.
 */
extern void wa_roll_up_take(WaRollUp *roll_up, const WaScanStore *finer,
							int column, int set);

/* To be called when all have been taken. */
extern void wa_roll_up_finish(WaRollUp *roll_up);

/* Has the next partition of what was spilled be the groups; there is one. */
extern void wa_roll_up_read_partition(WaRollUp *roll_up);

/* Forgets all groups. */
extern void wa_roll_up_end(WaRollUp *roll_up);

#endif /* WA_SCAN_ROLL_UP_H */
