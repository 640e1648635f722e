/*
 * table_values.h
 *		Making tables (core/steps.h) of values of SQL; which expressions there may
 *		be tables of, and how long these last.
 */
#ifndef WA_SCAN_TABLE_VALUES_H
#define WA_SCAN_TABLE_VALUES_H

#include "nodes/primnodes.h"

#include "core/steps.h"
#include "query/group_dictionary.h"

/* The values of a table that is being filled; all lies in the memory context. */
typedef struct WaTableValues
{
	MemoryContext context;
	Oid type; /* of the values, and */
	WaVectorKind kind;
	uint64 nsteps; /* that there is room for */
	int64 *values;
	uint8 *known;
	bool has_scale; /* of DECIMAL: that of the first value that was set */
	uint8 scale;
	bool null_has_value;
	int64 null_value;
	uint64 nunknown; /* steps that were set so */
	WaArena arena;   /* TEXT: of the texts, all of which are different */
	WaKeyDictionary *texts;
	uint32 ntexts;
	bool is_null_unknown;
} WaTableValues;

/* Begins a table of no steps in a memory context. */
extern void wa_table_values_begin(WaTableValues *values, MemoryContext context,
								  Oid type, WaVectorKind kind);

/* Makes room for steps, which are not known yet. */
extern void wa_table_values_grow(WaTableValues *values, uint64 nsteps);

/*
 * Sets the steps from `first` on, `count` of them, to a value that is not NULL, to
 * NULL, or to unknown.  What fits no vector, or has another scale than the others,
 * is not known.
 */
extern void wa_table_values_set(WaTableValues *values, uint64 first,
								uint64 count, WaStepState state, Datum value);

/* Likewise sets what the function of NULL is. */
extern void wa_table_values_set_null(WaTableValues *values, WaStepState state,
									 Datum value);

/* Stores what was set in a table of as many steps. */
extern void wa_table_values_finish(const WaTableValues *values, WaSteps *steps);

/*
 * Tells whether an expression over Vars and constants may be evaluated for a table:
 * it has no parameters, and runs no code but the system's own.
 */
extern bool wa_table_is_allowed(Node *expression);

/*
 * Tells whether a table of an expression is the same for later queries, if
 * wa_table_settings is.
 */
extern bool wa_table_lasts(Node *expression);

/* Tells whether what such an expression raises can be kept, as it cannot in parallel mode. */
extern bool wa_table_can_be_filled(Node *expression);

/* Returns the settings that tables depend on, as one string. */
extern char *wa_table_settings(void);

#endif /* WA_SCAN_TABLE_VALUES_H */
