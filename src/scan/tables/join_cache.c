/*
 * join_cache.c
 *		Tables of joins that a session keeps; see join_cache.h.
 *
 * All of them together take no more memory than a query's hash tables may; those that were
 * used last stay.
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/sha2.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "scan/tables/join_cache.h"

/* So many are looked through for each query, at most. */
#define MOST_KEPT 32

typedef struct Kept
{
	dlist_node node;       /* in the list, that which was used last first */
	MemoryContext context; /* of this and all that it has */
	char *description;
	int nstamps;
	uint64 *stamps;
	Size bytes;
	int nuses; /* by tables of nodes that have not ended */
	WaKeyRows *rows;
	WaJoinValue *values;
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

/* Tells whether contents are those of what is kept. */
static bool
is_of(const Kept *kept, const WaJoinContents *contents)
{
	return kept->nstamps == contents->nstamps &&
		   memcmp(kept->stamps, contents->stamps,
				  sizeof(uint64) * kept->nstamps) == 0 &&
		   strcmp(kept->description, contents->description) == 0;
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

bool
wa_join_cache_take(WaJoinTables *tables, const WaJoinContents *contents)
{
	dlist_iter iter;

	dlist_foreach(iter, &kept_list)
	{
		Kept *kept = dlist_container(Kept, node, iter.cur);

		if (!is_of(kept, contents))
			continue;
		begin_use(kept);
		dlist_move_head(&kept_list, &kept->node);
		memcpy(tables->rows, kept->rows, sizeof(WaKeyRows) * tables->njoins);
		memcpy(tables->values, kept->values,
			   sizeof(WaJoinValue) * tables->nvalues);
		memcpy(tables->tables, kept->tables,
			   sizeof(WaLookupTable) * tables->nvalues);
		return true;
	}
	return false;
}

/*
 * Returns the digest of a part of contents: SHA-256, as a user may write any description,
 * but not one of somebody else's table.
 */
static WaTableDigest
digest_of(const WaJoinContents *contents, const char *part, int number)
{
	uint8 bytes[PG_SHA256_DIGEST_LENGTH];
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);
	const char *name = psprintf("%u %s %d", MyDatabaseId, part, number);
	WaTableDigest digest;

	if (hash == NULL || pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, (const uint8 *) name, strlen(name)) < 0 ||
		pg_cryptohash_update(hash, (const uint8 *) contents->stamps,
							 sizeof(uint64) * contents->nstamps) < 0 ||
		pg_cryptohash_update(hash, (const uint8 *) contents->description,
							 strlen(contents->description)) < 0 ||
		pg_cryptohash_final(hash, bytes, sizeof(bytes)) < 0)
		elog(ERROR, "could not compute a digest");
	pg_cryptohash_free(hash);
	memcpy(&digest, bytes, sizeof(digest));
	return digest;
}

void
wa_join_cache_name(WaJoinTables *tables, const WaJoinContents *contents)
{
	for (int i = 0; i < tables->njoins; i++)
		tables->rows[i].digest = digest_of(contents, "rows", i);
	for (int i = 0; i < tables->nvalues; i++)
		tables->tables[i].digest = digest_of(contents, "value", i);
}

/* Returns a copy of an array in a memory context. */
static void *
copy_of(MemoryContext context, const void *array, Size bytes)
{
	void *copy = MemoryContextAlloc(context, bytes + 1);

	memcpy(copy, array, bytes);
	return copy;
}

void
wa_join_cache_keep(WaJoinTables *tables, const WaJoinContents *contents)
{
	const MemoryContext context = tables->context;
	const Size bytes = MemoryContextMemAllocated(context, true);
	Kept *kept;

	make_room(bytes);
	if (nkept >= MOST_KEPT || kept_bytes + bytes > get_hash_memory_limit())
		return;
	kept = MemoryContextAllocZero(context, sizeof(Kept));
	kept->context = context;
	kept->description = MemoryContextStrdup(context, contents->description);
	kept->nstamps = contents->nstamps;
	kept->stamps =
		copy_of(context, contents->stamps, sizeof(uint64) * contents->nstamps);
	kept->bytes = bytes;
	kept->rows =
		copy_of(context, tables->rows, sizeof(WaKeyRows) * tables->njoins);
	kept->values =
		copy_of(context, tables->values, sizeof(WaJoinValue) * tables->nvalues);
	kept->tables = copy_of(context, tables->tables,
						   sizeof(WaLookupTable) * tables->nvalues);
	begin_use(kept);
	MemoryContextSetParent(context, TopMemoryContext);
	dlist_push_head(&kept_list, &kept->node);
	nkept++;
	kept_bytes += bytes;
	/* What the tables are filled with next lies elsewhere. */
	tables->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg joins", ALLOCSET_DEFAULT_SIZES);
}
