/*
 * query_tables.c
 *		The look-up tables of a query; see query_tables.h.
 */
#include "daemon/run/query_tables.h"
#include "daemon/column/dictionary.h"

/* A reference to a table. */
struct WaTableUse
{
	struct WaTableUse *next;
	WaKeptTable *table;
};

void
wa_table_uses_begin(WaTableUses *uses, WaKeptTables *tables, WaArena *arena)
{
	*uses = (WaTableUses){.tables = tables, .arena = arena};
}

const WaLookupTable *
wa_table_uses_find(void *context, const WaTableDigest *digest)
{
	WaTableUses *uses = context;
	struct WaTableUse *use = wa_arena_alloc(uses->arena, sizeof(*use));

	if (use == NULL)
		return NULL;
	use->table =
		uses->tables == NULL ? NULL : wa_kept_tables_take(uses->tables, digest);
	if (use->table == NULL)
	{
		uses->lacks_one = true;
		return NULL;
	}
	use->next = uses->first;
	uses->first = use;
	return &use->table->table;
}

void
wa_table_uses_end(WaTableUses *uses)
{
	for (const struct WaTableUse *use = uses->first; use != NULL;
		 use = use->next)
		wa_kept_table_release(use->table);
	uses->first = NULL;
}

bool
wa_tables_are_current(const WaQuery *query, const WaRunRequest *request)
{
	for (size_t i = 0; i < query->program.ninstructions; i++)
	{
		const WaInstruction *instruction = &query->program.instructions[i];
		const WaDictionary *dictionary;

		if (instruction->code != WA_CODE_LOOK_UP ||
			query->program.kinds[instruction->a] != WA_VECTOR_TEXT)
			continue;
		dictionary = request->dictionaries[instruction->a];
		if (dictionary != NULL &&
			dictionary->number !=
				query->program.tables[instruction->extra].dictionary)
			return false;
	}
	return true;
}
