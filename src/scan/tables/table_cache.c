/*
 * table_cache.c
 *		Tables that a session keeps; see table_cache.h.
 *
 * One is found by what it is of and by the settings that it depends on.  What may
 * change otherwise stays for a query only.  What cannot be a table is kept, too: as one
 * of no entries.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "lib/ilist.h"
#include "nodes/nodeFuncs.h"
#include "pgtime.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "scan/expr/errors.h"
#include "scan/tables/table_cache.h"
#include "scan/tables/table_values.h"

/*
 * All tables take about as much memory as so many of the largest at most: one that is made may
 * exceed this.
 */
#define MOST_LARGEST 3

typedef struct Table
{
	dlist_node node;
	MemoryContext context; /* all of it lies there */
	WaTableKey key;
	char *settings;
	bool lasts;
	uint64 query; /* the last one that used it */
	WaLookupTable lookup;
} Table;

/*
 * Functions that are not immutable, as they depend on settings that
 * wa_tables_settings has, but on nothing else.
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

static dlist_head tables = DLIST_STATIC_INIT(tables); /* that used last first */
static Size all_bytes = 0;
static uint64 present_query = 0;

void
wa_tables_begin(void)
{
	present_query++;
}

uint64
wa_tables_query(void)
{
	return present_query;
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

/* Tells whether a table of an expression is the same for later queries by settings. */
static bool
is_lasting(Node *expression)
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
wa_tables_settings(void)
{
	return psprintf("%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s",
					pg_get_timezone_name(session_timezone),
					setting("timezone_abbreviations"), setting("DateStyle"),
					setting("IntervalStyle"), setting("lc_time"),
					setting("lc_numeric"), setting("lc_monetary"),
					setting("extra_float_digits"), setting("bytea_output"));
}

/* Forgets a table. */
static void
drop(Table *table)
{
	dlist_delete(&table->node);
	all_bytes -= MemoryContextMemAllocated(table->context, true);
	MemoryContextDelete(table->context);
}

/*
 * Makes room for one more table.  Returns false if it cannot, as the query uses all
 * that are there.
 */
static bool
make_room(void)
{
	while (all_bytes > MOST_LARGEST * wa_table_most_bytes())
	{
		Table *last = dlist_tail_element(Table, node, &tables);

		if (last->query == present_query)
			return false;
		drop(last);
	}
	return true;
}

/* Tells whether a table is of what another is wanted of. */
static bool
is_of(const Table *table, const WaTableKey *key, const char *settings)
{
	return table->key.smallest == key->smallest &&
		   table->key.largest == key->largest &&
		   table->key.dictionary == key->dictionary &&
		   table->key.ranked == key->ranked &&
		   table->key.collation == key->collation &&
		   strcmp(table->settings, settings) == 0 &&
		   equal(table->key.expression, key->expression);
}

/* Tells whether a table that is of it will do: it has all texts, or as many entries. */
static bool
will_do(const Table *table, const WaTableKey *key)
{
	return (table->query == present_query ||
			(table->lasts && table->key.texts >= key->texts)) &&
		   (table->lookup.nentries > 0 ||
			table->key.max_entries >= key->max_entries);
}

/* Looks for a table; what has to be made anew goes. */
static Table *
look_up(const WaTableKey *key, const char *settings)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &tables)
	{
		Table *table = dlist_container(Table, node, iter.cur);

		if (!is_of(table, key, settings))
			continue;
		if (will_do(table, key))
			return table;
		if (table->query != present_query)
			drop(table);
	}
	return NULL;
}

/* Makes a table; it is added to the others when nothing can go wrong any more. */
static Table *
make(const WaTableKey *key, const char *settings, WaTableFeeder feed,
	 void *of_feeder)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg making a table", ALLOCSET_DEFAULT_SIZES);
	MemoryContext context =
		AllocSetContextCreate(scratch, "warpagg table", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Table *table = palloc0(sizeof(Table));
	WaTableDraft draft = {.context = context, .key = &table->key};

	table->context = context;
	table->key = *key;
	table->key.expression = copyObject(key->expression);
	table->settings = pstrdup(settings);
	MemoryContextSwitchTo(scratch);
	feed(&draft, of_feeder);
	table->lookup = draft.lookup;
	table->lasts = !draft.is_for_now && is_lasting(table->key.expression);
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, TopMemoryContext);
	dlist_push_head(&tables, &table->node);
	all_bytes += MemoryContextMemAllocated(context, true);
	MemoryContextDelete(scratch);
	return table;
}

const WaLookupTable *
wa_table_find(const WaTableKey *key, WaTableFeeder feed, void *context)
{
	char *settings = wa_tables_settings();
	Table *table = look_up(key, settings);

	if (table == NULL)
	{
		/* What it raises cannot be kept in parallel mode. */
		if ((IsInParallelMode() && wa_may_raise(key->expression)) ||
			!make_room())
			return NULL;
		table = make(key, settings, feed, context);
	}
	dlist_move_head(&tables, &table->node);
	table->query = present_query;
	return table->lookup.nentries > 0 ? &table->lookup : NULL;
}
