/*
 * table_values.c
 *		Making tables of values of SQL; see table_values.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "pgtime.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "scan/base/context_arena.h"
#include "scan/base/datum.h"
#include "scan/expr/compile_internal.h"
#include "scan/tables/table_values.h"

/*
 * Functions that are not immutable, as they depend on settings that
 * wa_table_settings has, but on nothing else.
 */
static const Oid settled_functions[] = {
	F_TO_CHAR_TIMESTAMP_TEXT,
	F_TO_CHAR_TIMESTAMPTZ_TEXT,
	F_DATE_OUT,
	F_TIMESTAMP_OUT,
	F_TIMESTAMPTZ_OUT,
	F_TIMESTAMPTZ_TIMESTAMP,
	F_TIMESTAMP_TIMESTAMPTZ,
	F_TIMESTAMPTZ_DATE,
	F_DATE_TIMESTAMPTZ,
	F_TIMESTAMPTZ_PL_INTERVAL,
	F_TIMESTAMPTZ_MI_INTERVAL,
	F_DATE_TRUNC_TEXT_TIMESTAMPTZ,
	F_EXTRACT_TEXT_TIMESTAMPTZ,
	F_DATE_PART_TEXT_TIMESTAMPTZ,
};

void
wa_table_values_begin(WaTableValues *values, MemoryContext context, Oid type,
					  WaVectorKind kind)
{
	memset(values, 0, sizeof(*values));
	values->context = context;
	values->type = type;
	values->kind = kind;
	wa_context_arena_init(&values->arena, context);
	if (kind == WA_VECTOR_TEXT)
		values->texts = wa_key_dictionary_make(&values->arena);
}

void
wa_table_values_grow(WaTableValues *values, uint64 nsteps)
{
	const uint64 more = nsteps - values->nsteps;

	if (nsteps <= values->nsteps)
		return;
	wa_context_arena_resize(&values->arena, &values->values,
							nsteps * sizeof(int64));
	wa_context_arena_resize(&values->arena, &values->known, nsteps);
	memset(values->values + values->nsteps, 0, more * sizeof(int64));
	memset(values->known + values->nsteps, WA_STEP_UNKNOWN, more);
	values->nsteps = nsteps;
}

/* Returns the number of a text, which is kept if it comes for the first time. */
static int64
number_of(WaTableValues *values, const WaText *text)
{
	const WaKeyString key = {text->data, (uint32) text->length,
							 (uint32) text->length};
	const uint32 code = wa_key_dictionary_code(values->texts, &key);

	values->ntexts = Max(values->ntexts, code + 1);
	return code;
}

/* Makes a word of a value; returns false if it has none in the table. */
static bool
make_word(WaTableValues *values, Datum value, int64 *word)
{
	union
	{
		int64 i;
		uint8 b;
		WaText text;
	} place = {0};
	WaVector vector = {.values = &place};

	if (!wa_datum_to_vector(values->type, values->kind, value, &vector))
		return false;
	if (!values->has_scale)
		values->scale = vector.scale;
	values->has_scale = true;
	*word = values->kind == WA_VECTOR_TEXT   ? number_of(values, &place.text)
			: values->kind == WA_VECTOR_BOOL ? place.b
											 : place.i;
	return vector.scale == values->scale;
}

void
wa_table_values_set(WaTableValues *values, uint64 first, uint64 count,
					WaStepState state, Datum value)
{
	int64 word = 0;

	if (state == WA_STEP_VALUE && !make_word(values, value, &word))
		state = WA_STEP_UNKNOWN;
	if (state == WA_STEP_UNKNOWN)
		values->nunknown += count;
	for (uint64 i = first; i < first + count; i++)
	{
		values->values[i] = state == WA_STEP_VALUE ? word : 0;
		values->known[i] = (uint8) state;
	}
}

void
wa_table_values_set_null(WaTableValues *values, WaStepState state, Datum value)
{
	values->null_has_value =
		state == WA_STEP_VALUE && make_word(values, value, &values->null_value);
	if (!values->null_has_value)
		values->null_value = 0;
	values->is_null_unknown = !values->null_has_value && state != WA_STEP_NULL;
}

void
wa_table_values_finish(const WaTableValues *values, WaSteps *steps)
{
	WaText *texts;

	steps->nsteps = values->nsteps;
	steps->values = values->values;
	steps->known = values->known;
	steps->scale = values->scale;
	steps->null_has_value = values->null_has_value;
	steps->null_value = values->null_value;
	steps->results = values->kind == WA_VECTOR_TEXT   ? WA_STEPS_TEXTS
					 : values->kind == WA_VECTOR_BOOL ? WA_STEPS_BOOLS
													  : WA_STEPS_WORDS;
	steps->ntexts = values->ntexts;
	if (values->kind != WA_VECTOR_TEXT)
		return;
	texts = MemoryContextAllocHuge(
		values->context, sizeof(WaText) * (values->ntexts + (Size) 1));
	for (uint32 i = 0; i < values->ntexts; i++)
		texts[i] = wa_key_dictionary_shown(values->texts, i);
	steps->texts = texts;
}

bool
wa_table_is_allowed(Node *expression)
{
	return !wa_has_parameter(expression) && !wa_runs_foreign_code(expression);
}

bool
wa_table_can_be_filled(Node *expression)
{
	return !IsInParallelMode() || !wa_may_raise(expression);
}

/* Tells whether what a function returns may change with time. */
static bool
is_unsettled(Oid function, void *context)
{
	for (int i = 0; i < lengthof(settled_functions); i++)
		if (settled_functions[i] == function)
			return false;
	return func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

/* Finds what may change with time. */
static bool
find_unsettled(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SQLValueFunction) || IsA(node, XmlExpr) ||
		check_functions_in_node(node, is_unsettled, context))
		return true;
	return expression_tree_walker(node, find_unsettled, context);
}

bool
wa_table_lasts(Node *expression)
{
	return wa_is_total(expression) || !find_unsettled(expression, NULL);
}

/* Returns a setting; "" if there is no such thing. */
static const char *
setting(const char *name)
{
	const char *value = GetConfigOption(name, true, false);

	return value == NULL ? "" : value;
}

char *
wa_table_settings(void)
{
	return psprintf("%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s",
					pg_get_timezone_name(session_timezone),
					setting("timezone_abbreviations"), setting("DateStyle"),
					setting("IntervalStyle"), setting("lc_time"),
					setting("lc_numeric"), setting("lc_monetary"),
					setting("extra_float_digits"), setting("bytea_output"));
}
