/*
 * roll_up.h
 *		Rolls the groups of a query up to those that it returns (scan/state/rolled_query.h).
 */
#ifndef WA_SCAN_ROLL_UP_H
#define WA_SCAN_ROLL_UP_H

#include "nodes/execnodes.h"

#include "scan/state/rolled_query.h"
#include "scan/state/scan_store.h"

/* The groups of a node that are rolled up. */
typedef struct WaRolledGroups
{
	const WaRolledValues *values; /* that their last key has; NULL: none has */
	struct WaRankedValues
		*ranked; /* these in their order; NULL: they have none */
	int set; /* the grouping set whose groups they are; -1: of all, if there are any */
} WaRolledGroups;

typedef struct WaRollUp
{
	WaScanStore store; /* the groups that are returned */
	int64 ngroups;     /* that were rolled up in the present scan */
	List *ranked;      /* WaRankedValues, of all nodes */
	int place; /* of the values, among the keys of the others; -1: they have none */
	int column; /* that these go to; -1: they do not */
	int set;    /* that the others are of; -1: of all, if there are any */
	WaQueryValue *read;   /* keys of one of the others */
	WaQueryValue *values; /* those that one of ours has */
	uint32 *numbers;      /* of groups of ours, for some of the others */
} WaRollUp;

/* Makes what rolls up the groups of a store, whose query has been prepared. */
extern WaRollUp *wa_roll_up_make(const WaScanStore *finer);

/* Makes what is known of groups of a node, which are in a store, that go to a roll-up. */
extern WaRolledGroups *wa_roll_up_groups(WaRollUp *roll_up,
										 const WaScanStore *finer,
										 const WaRolledValues *values, int set,
										 PlanState *node);

/*
 * Returns how the device process may roll groups up, whose values are key number `key` of them;
 * NULL: it cannot.
 */
extern const WaQueryRolled *wa_roll_up_pushed(const WaRollUp *roll_up,
											  const WaRolledGroups *rolls,
											  int key);

/* Begins with empty groups. */
extern void wa_roll_up_begin(WaRollUp *roll_up);

/*
 * Takes all groups of a store, which has none of them another time: those that are the same but
 * for values, or by the keys of a grouping set, are merged.  Groups beyond the memory are
 * spilled.
 */
extern void wa_roll_up_take(WaRollUp *roll_up, const WaScanStore *finer,
							const WaRolledGroups *rolls);

/* To be called when all groups of a node have been taken: takes what was found in their order. */
extern void wa_roll_up_take_ranked(WaRollUp *roll_up,
								   const WaRolledGroups *rolls);

/* To be called when all nodes' have been taken. */
extern void wa_roll_up_finish(WaRollUp *roll_up);

/* Has the next partition of what was spilled be the groups; there is one. */
extern void wa_roll_up_read_partition(WaRollUp *roll_up);

/* Forgets all groups. */
extern void wa_roll_up_end(WaRollUp *roll_up);

#endif /* WA_SCAN_ROLL_UP_H */
