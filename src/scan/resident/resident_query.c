/*
 * resident_query.c
 *		What a node computes as a query for the device process; see
 *		resident_query.h.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "heap/gather.h"
#include "query/message/query_wire.h"
#include "scan/plan/resident_worth.h"
#include "scan/program/query_column.h"
#include "scan/resident/resident_query.h"

/* Tells whether a column is aggregated by ranks of texts. */
static bool
has_ranks(const WaScanQuery *query, int number)
{
	return wa_column_has_ranks(query->compiler,
							   &query->compiled.columns[number],
							   query->columns[number].plan.key.argument_type);
}

/* Returns a reference to a column of the table, by its register. */
static Var *
column_var(const WaAsking *asking, int number)
{
	const AttrNumber attnum = asking->query->compiler->attnums[number];
	const Form_pg_attribute attribute =
		TupleDescAttr(asking->sources->descriptor, attnum - 1);

	return makeVar((int) asking->query->varno, attnum,
				   getBaseType(attribute->atttypid), attribute->atttypmod,
				   attribute->attcollation, 0);
}

/*
 * Has ranks by a collation be looked up of the texts in a register.  Returns the register that has
 * these, and the table that has the texts, or -1 if they cannot be had.
 */
static int
push_ranks(WaAsking *asking, int number, Oid collation, WaQuery *pushed,
		   const WaLookupTable **table)
{
	const WaScanQuery *query = asking->query;
	const Var *var =
		number < query->compiler->ncolumns ? column_var(asking, number) : NULL;
	const int ranks = wa_interpreter_describe_ranks(
		query->interpreter, &asking->named, asking->resident.columns, number,
		var, collation, pushed, table);

	pushed->end = (uint32) pushed->program.ninstructions;
	return ranks;
}

/* Puts ranks in the place of texts; returns false if they cannot be had. */
static bool
push_columns(WaAsking *asking, WaQuery *pushed)
{
	const int ncolumns = asking->query->ncolumns;
	const Size bytes = sizeof(WaQueryColumn) * (ncolumns + 1);
	WaQueryColumn *columns = palloc(bytes);

	memcpy(columns, pushed->columns, sizeof(WaQueryColumn) * ncolumns);
	pushed->columns = columns;
	asking->ranks.first = 0;
	asking->ranks.ncolumns = ncolumns;
	asking->ranks.count = 0;
	asking->ranks.of = palloc0(sizeof(*asking->ranks.of) * (ncolumns + 1));
	for (int i = 0; i < ncolumns; i++)
	{
		if (!has_ranks(asking->query, i))
			continue;
		columns[i].kind = WA_VECTOR_INT;
		columns[i].argument =
			push_ranks(asking, columns[i].argument,
					   asking->query->columns[i].plan.collation, pushed,
					   &asking->ranks.of[i]);
		asking->ranks.count++;
		if (columns[i].argument < 0)
			return false;
	}
	return true;
}

/* Returns whether a query has texts as keys. */
static bool
has_texts(const WaScanQuery *query)
{
	for (int i = 0; i < query->nkeys; i++)
		if (query->compiled.keys[i].kind == WA_VECTOR_TEXT)
			return true;
	return false;
}

/*
 * Likewise of keys, which are all texts that rows are ordered by; returns false if they cannot be
 * had.
 */
static bool
push_keys(WaAsking *asking, WaQuery *pushed)
{
	const WaScanQuery *query = asking->query;
	const int nkeys = query->nkeys;
	WaQueryKey *keys;
	uint16 *numbers;

	asking->ranks.of_keys = NULL;
	if (!asking->top_n.of_rows || !has_texts(query))
		return true;
	keys = palloc(sizeof(WaQueryKey) * nkeys);
	numbers = palloc(sizeof(uint16) * nkeys);
	memcpy(keys, pushed->keys, sizeof(WaQueryKey) * nkeys);
	memcpy(numbers, pushed->key_numbers, sizeof(uint16) * nkeys);
	pushed->keys = keys;
	pushed->key_numbers = numbers;
	asking->ranks.of_keys = palloc0(sizeof(WaLookupTable *) * nkeys);
	for (int i = 0; i < nkeys; i++)
	{
		int ranks;

		if (keys[i].kind != WA_VECTOR_TEXT)
			continue;
		ranks = push_ranks(asking, numbers[i],
						   exprCollation((Node *) list_nth(query->keys, i)),
						   pushed, &asking->ranks.of_keys[i]);
		if (ranks < 0)
			return false;
		keys[i].kind = WA_VECTOR_INT;
		numbers[i] = (uint16) ranks;
	}
	return true;
}

/*
 * Tells whether all groups can be sent in less time than it takes to read the relation, where
 * workers would send as many.
 */
static bool
takes_groups(const WaAsking *asking)
{
	return wa_resident_takes_groups(wa_sources_nblocks(asking->sources),
									asking->query->planned_groups, 0);
}

const char *
wa_resident_push_refusal(const WaAsking *asking)
{
	const bool takes = asking->is_made || takes_groups(asking);

	if (wa_scan_query_is_pushable(asking->query) &&
		(asking->top_n.limit > 0 || asking->rolled != NULL || takes))
		return NULL;
	return takes ? "the device process cannot compute all of the query"
				 : "the groups are too many to be sent";
}

bool
wa_resident_has_tables(const WaScanQuery *query)
{
	if (query->compiler->calls != NIL ||
		(wa_compiler_has_places(query->compiler) && has_texts(query)))
		return true;
	for (int i = 0; i < query->ncolumns; i++)
		if (has_ranks(query, i))
			return true;
	return false;
}

/* Has rows be counted that fulfil so many clauses of WHERE, and nothing else. */
static void
count_only(int nfilters, WaQuery *pushed)
{
	static const WaQueryColumn count = {
		.argument = -1, .filter = -1, .kind = WA_VECTOR_BOOL};

	pushed->ncolumns = 1;
	pushed->columns = &count;
	pushed->nkeys = 0;
	pushed->nfilters = (uint32) nfilters;
	pushed->end = pushed->begin;
}

bool
wa_resident_write_query(WaAsking *asking, int stage, WaArena *arena,
						WaWriter *writer)
{
	WaQuery pushed = asking->query->compiled;

	if (!wa_interpreter_describe(asking->query->interpreter, &asking->named,
								 asking->resident.columns, &pushed))
		return false;
	if (stage >= 0)
		count_only(stage, &pushed);
	else
	{
		pushed.top_n = asking->top_n;
		pushed.rolled = asking->rolled;
		pushed.max_groups = asking->most_groups;
		pushed.made = asking->made;
		pushed.is_unique = asking->is_unique;
		if (asking->rest != NULL)
		{
			pushed.rest = asking->rest->words;
			pushed.nrest = asking->rest->nwords;
		}
		pushed.only_wanted = asking->is_made || !takes_groups(asking);
		if (!push_columns(asking, &pushed) || !push_keys(asking, &pushed))
			return false;
	}
	asking->ntables = pushed.ntables;
	asking->tables = pushed.program.tables;
	wa_writer_init(writer, arena);
	wa_query_write(writer, &pushed);
	return true;
}
