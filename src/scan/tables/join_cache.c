/*
 * join_cache.c
 *		Tables of joins that a session keeps; see join_cache.h.
 *
 * All of them together take no more memory than a query's hash tables may; those that were
 * used last stay.  Rows that they were made of (join_kept_rows.h) have what is left.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "scan/tables/join_cache.h"
#include "scan/tables/join_digests.h"
#include "scan/tables/join_kept_rows.h"

/* So many are looked through for each join, at most. */
#define MOST_KEPT 64

/* The tables of a unit of joins. */
typedef struct Kept
{
	dlist_node node;       /* in the list, that which was used last first */
	MemoryContext context; /* of this and all that it has */
	char *description;
	int nstamps;
	uint64 *stamps;
	bool is_stamped; /* none of them is 0 */
	uint64 made;     /* the number of what rows had; 0: nobody knows */
	Size bytes;
	int nuses;           /* by tables of nodes that have not ended */
	WaKeyRows *rows;     /* of the joins; of those that are folded, nothing */
	WaJoinUse *uses;     /* likewise */
	WaJoinValue *values; /* in the order of the description */
	WaLookupTable *tables;
} Kept;

static dlist_head kept_list = DLIST_STATIC_INIT(kept_list);
static int nkept = 0;
static Size kept_bytes = 0;

/* Forgets what is kept, and what it takes. */
static void
drop(Kept *kept)
{
	dlist_delete(&kept->node);
	nkept--;
	kept_bytes -= kept->bytes;
	MemoryContextDelete(kept->context);
}

/* Forgets what was used longest ago until so many bytes more may be taken. */
static void
make_room(Size bytes)
{
	const Size most = get_hash_memory_limit();
	dlist_node *node =
		dlist_is_empty(&kept_list) ? NULL : dlist_tail_node(&kept_list);

	while (node != NULL && (nkept >= MOST_KEPT || kept_bytes + bytes > most))
	{
		Kept *kept = dlist_container(Kept, node, node);

		node = dlist_has_prev(&kept_list, node)
				   ? dlist_prev_node(&kept_list, node)
				   : NULL;
		if (kept->nuses == 0)
			drop(kept);
	}
}

Size
wa_join_cache_left(void)
{
	const Size most = get_hash_memory_limit();

	return kept_bytes < most ? most - kept_bytes : 0;
}

/* Tells whether contents are those of what is kept. */
static bool
is_of(const Kept *kept, const WaJoinContents *contents)
{
	return kept->is_stamped && contents->is_stamped &&
		   wa_join_contents_are(contents, kept->description, kept->nstamps,
								kept->stamps);
}

/* Ends a use: the memory of tables goes. */
static void
end_use(void *kept)
{
	((Kept *) kept)->nuses--;
}

/* Has what is kept stay for as long as the current memory context. */
static void
begin_use(Kept *kept)
{
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	callback->func = end_use;
	callback->arg = kept;
	kept->nuses++;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

/* Returns what is kept of contents, which is used last then; or NULL. */
static Kept *
find(const WaJoinContents *contents)
{
	dlist_iter iter;

	dlist_foreach(iter, &kept_list)
	{
		Kept *kept = dlist_container(Kept, node, iter.cur);

		if (!is_of(kept, contents))
			continue;
		dlist_move_head(&kept_list, &kept->node);
		return kept;
	}
	return NULL;
}

/* Has tables be those that are kept of contents. */
static void
use_kept(WaJoinTables *tables, const WaJoinContents *contents, Kept *kept)
{
	begin_use(kept);
	for (int i = 0; i < contents->nvalues; i++)
	{
		const int number = contents->values[i];
		const int owner = tables->values[number].owner;

		tables->values[number] = kept->values[i];
		tables->values[number].owner = owner;
		tables->tables[number] = kept->tables[i];
	}
	for (int i = 0; i < contents->njoins; i++)
	{
		const int number = contents->joins[i];

		tables->rows[number] = kept->rows[i];
		tables->uses[number] = kept->uses[i];
		tables->uses[number].is_reused = true;
		tables->uses[number].is_made = false;
		tables->uses[number].nblocks = 0;
	}
}

bool
wa_join_cache_take(WaJoinTables *tables, const WaJoinContents *contents)
{
	Kept *kept = find(contents);

	if (kept == NULL)
		return false;
	use_kept(tables, contents, kept);
	return true;
}

/* Returns what is kept of tables that were made of the same rows; or NULL. */
static Kept *
find_made(const WaJoinContents *contents)
{
	dlist_iter iter;

	dlist_foreach(iter, &kept_list)
	{
		Kept *kept = dlist_container(Kept, node, iter.cur);

		if (kept->made == contents->made && contents->made != 0)
			return kept;
	}
	return NULL;
}

/* Has what is kept be of the stamps that contents have now, if they have all. */
static void
stamp(Kept *kept, const WaJoinContents *contents)
{
	const WaTableDigest *digests;

	if (!contents->is_stamped)
		return;
	digests = wa_join_digests(contents);
	memcpy(kept->stamps, contents->stamps, sizeof(uint64) * kept->nstamps);
	kept->is_stamped = true;
	for (int i = 0; i < contents->njoins; i++)
		kept->rows[i].digest = digests[i];
	for (int i = 0; i < contents->nvalues; i++)
		kept->tables[i].digest = digests[contents->njoins + i];
}

bool
wa_join_cache_take_made(WaJoinTables *tables, const WaJoinContents *contents)
{
	Kept *kept = find_made(contents);

	if (kept == NULL)
		return false;
	dlist_move_head(&kept_list, &kept->node);
	stamp(kept, contents);
	use_kept(tables, contents, kept);
	return true;
}

/* Gives tables their digests. */
static void
set_digests(WaJoinTables *tables, const WaJoinContents *contents)
{
	const WaTableDigest *digests = wa_join_digests(contents);

	for (int i = 0; i < contents->njoins; i++)
		tables->rows[contents->joins[i]].digest = digests[i];
	for (int i = 0; i < contents->nvalues; i++)
		tables->tables[contents->values[i]].digest =
			digests[contents->njoins + i];
}

/* Tells whether a key of the joins is a text, whose rows only a session finds. */
static bool
has_text_keys(const WaJoinTables *tables, const WaJoinContents *contents)
{
	for (int i = 0; i < contents->njoins; i++)
	{
		const int number = contents->joins[i];

		if (tables->keys[number] != NULL &&
			wa_row_keys_are_texts(tables->key_types[number]))
			return true;
	}
	return false;
}

/* Makes a table that knows nothing, but may have a digest. */
static void
make_unknown(WaLookupTable *table)
{
	wa_lookup_table_empty(table);
	table->is_total = false;
}

bool
wa_join_table_is_lent(const WaLookupTable *table)
{
	return wa_digest_is_set(&table->digest) && !table->is_total &&
		   table->nentries == 1 && table->known != NULL &&
		   table->known[0] == WA_ENTRY_UNKNOWN;
}

bool
wa_join_cache_lend(WaJoinTables *tables, const WaJoinContents *contents,
				   WaTableDigest *digests, uint32 most, uint32 *count)
{
	if (has_text_keys(tables, contents) ||
		*count + contents->njoins + contents->nvalues > most)
		return false;
	for (int i = 0; i < contents->njoins; i++)
	{
		const int number = contents->joins[i];

		tables->rows[number] = (WaKeyRows){0};
		make_unknown(&tables->rows[number].table);
		tables->uses[number] = (WaJoinUse){.rows = -1, .is_reused = true};
	}
	for (int i = 0; i < contents->nvalues; i++)
		make_unknown(&tables->tables[contents->values[i]]);
	set_digests(tables, contents);
	for (int i = 0; i < contents->njoins; i++)
		if (tables->keys[contents->joins[i]] != NULL)
			digests[(*count)++] = tables->rows[contents->joins[i]].digest;
	for (int i = 0; i < contents->nvalues; i++)
		digests[(*count)++] = tables->tables[contents->values[i]].digest;
	return true;
}

/* Copies to what is kept what tables have, into its memory. */
static void
copy_tables(Kept *kept, const WaJoinTables *tables,
			const WaJoinContents *contents)
{
	const int nvalues = contents->nvalues;

	kept->values = palloc(sizeof(WaJoinValue) * (nvalues + 1));
	kept->tables = palloc(sizeof(WaLookupTable) * (nvalues + 1));
	for (int i = 0; i < nvalues; i++)
	{
		kept->values[i] = tables->values[contents->values[i]];
		kept->tables[i] = tables->tables[contents->values[i]];
	}
	kept->rows = palloc(sizeof(WaKeyRows) * contents->njoins);
	kept->uses = palloc(sizeof(WaJoinUse) * contents->njoins);
	for (int i = 0; i < contents->njoins; i++)
	{
		kept->rows[i] = tables->rows[contents->joins[i]];
		kept->uses[i] = tables->uses[contents->joins[i]];
	}
}

/* Makes, in a memory context, what is kept of tables. */
static Kept *
make(MemoryContext context, const WaJoinTables *tables,
	 const WaJoinContents *contents)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Kept *kept = palloc0(sizeof(Kept));
	const Size bytes = sizeof(uint64) * contents->nstamps;

	kept->context = context;
	kept->description = pstrdup(contents->description);
	kept->nstamps = contents->nstamps;
	kept->is_stamped = contents->is_stamped;
	kept->made = contents->made;
	kept->stamps = palloc(bytes + 1);
	memcpy(kept->stamps, contents->stamps, bytes);
	copy_tables(kept, tables, contents);
	MemoryContextSwitchTo(old);
	return kept;
}

/* Gives a table that has no digest a new one if it is too large to be sent with a query. */
static void
name_large(const WaLookupTable *table, WaTableDigest *digest)
{
	if (table->nentries > WA_MAX_ENTRIES && !wa_digest_is_set(digest) &&
		!pg_strong_random(digest, sizeof(*digest)))
		memset(digest, 0, sizeof(*digest));
}

/* Gives large tables digests that nobody else has. */
static void
name_tables(WaJoinTables *tables, const WaJoinContents *contents)
{
	for (int i = 0; i < contents->njoins; i++)
	{
		WaKeyRows *rows = &tables->rows[contents->joins[i]];

		name_large(&rows->table, &rows->digest);
	}
	for (int i = 0; i < contents->nvalues; i++)
	{
		WaLookupTable *table = &tables->tables[contents->values[i]];

		name_large(table, &table->digest);
	}
}

/* Forgets tables of a description: what its relations had does not come again. */
static void
drop_others(const char *description)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &kept_list)
	{
		Kept *kept = dlist_container(Kept, node, iter.cur);

		if (kept->nuses == 0 && strcmp(kept->description, description) == 0)
			drop(kept);
	}
}

void
wa_join_cache_keep(WaJoinTables *tables, const WaJoinContents *contents)
{
	MemoryContext *context = &tables->contexts[contents->unit];
	const Size bytes = tables->uses[contents->unit].bytes;
	Kept *kept;

	if (contents->is_stamped)
		set_digests(tables, contents);
	else
		name_tables(tables, contents);
	/* The same relation may be joined in two roles; nobody finds what is not known. */
	if (find(contents) != NULL || find_made(contents) != NULL ||
		(!contents->is_stamped && contents->made == 0))
		return;
	drop_others(contents->description);
	make_room(bytes);
	if (nkept >= MOST_KEPT || kept_bytes + bytes > get_hash_memory_limit())
		return;
	kept = make(*context, tables, contents);
	kept->bytes = bytes;
	begin_use(kept);
	MemoryContextSetParent(*context, TopMemoryContext);
	dlist_push_head(&kept_list, &kept->node);
	nkept++;
	kept_bytes += bytes;
	wa_join_kept_rows_shrink(wa_join_cache_left());
	/* What the tables are filled with next lies elsewhere. */
	*context = NULL;
}
