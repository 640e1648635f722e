/*
 * table_values.h
 *		Making tables (core/lookup_table.h) of values of SQL, and which expressions there may
 *		be tables of.
 */
#ifndef WA_SCAN_TABLE_VALUES_H
#define WA_SCAN_TABLE_VALUES_H

#include "nodes/primnodes.h"

#include "core/lookup_table.h"
#include "core/must_check.h"
#include "query/groups/group_dictionary.h"
#include "scan/base/attempt.h"

/* Returns how many bytes a table may take, about: as many as a hash table, and 32 MB at least. */
extern Size wa_table_most_bytes(void);

/*
 * Evaluates what a table is of, for what is at hand, or for NULL.  Returns false if the
 * value is not known; it may raise an error instead.
 */
typedef bool (*WaTableFunction)(void *context, bool of_null, Datum *value,
								bool *is_null);

/* The values of a table that is being filled; all lies in the memory context. */
typedef struct WaTableValues
{
	MemoryContext context;
	WaTableFunction function;
	void *of_function;    /* its context */
	WaAttempts *attempts; /* set by who calls; NULL: no value raises an error */
	Oid type;             /* of the values, and */
	WaVectorKind kind;
	uint64 nentries; /* that there is room for */
	int64 *values;
	uint8 *known;
	bool has_scale; /* of DECIMAL: that of the first value that was set */
	uint8 scale;
	bool null_has_value;
	int64 null_value;
	uint64 nunknown; /* entries that were set so */
	WaArena arena;   /* TEXT: of the texts, all of which are different */
	WaKeyDictionary *texts;
	uint32 ntexts;
} WaTableValues;

/* Begins a table of no entries of a function in a memory context. */
extern void wa_table_values_begin(WaTableValues *values, MemoryContext context,
								  Oid type, WaVectorKind kind,
								  WaTableFunction function, void *of_function);

/* Makes room for entries, which are not known yet. */
extern void wa_table_values_grow(WaTableValues *values, uint64 nentries);

/*
 * Sets the entries from `first` on, `count` of them, to a value that is not NULL, to
 * NULL, or to unknown.  What fits no vector, or has another scale than the others,
 * is not known.
 */
extern void wa_table_values_set(WaTableValues *values, uint64 first,
								uint64 count, WaEntryState state, Datum value);

/* Evaluates the function, and tells what is known of the result. */
extern WaEntryState wa_table_values_find(WaTableValues *values, Datum *value);

/* Sets what the function of NULL is; returns false if that is not known. */
extern WA_MUST_CHECK bool wa_table_values_find_null(WaTableValues *values);

/*
 * Tells whether there is no sense in going on: too little is known, but for some entries,
 * or the table takes too much memory.
 */
extern bool wa_table_values_are_hopeless(const WaTableValues *values,
										 uint64 free_unknown);

/* Stores what was set in a table of as many entries. */
extern void wa_table_values_finish(const WaTableValues *values,
								   WaLookupTable *lookup);

/*
 * Tells whether an expression over Vars and constants may be evaluated for a table:
 * it has no parameters, and runs no code but the system's own.
 */
extern bool wa_table_is_allowed(Node *expression);

#endif /* WA_SCAN_TABLE_VALUES_H */
