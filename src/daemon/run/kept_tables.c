/*
 * kept_tables.c
 *		Look-up tables that are kept; see kept_tables.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/checksum.h"
#include "daemon/run/kept_tables.h"
#include "query/message/table_wire.h"

/* They take this part of the memory of queries at most. */
#define KEPT_PART 2

/* From so many bytes on memory is of huge pages. */
#define HUGE_BYTES ((uint64_t) 2 << 20)
#define MANY_BYTES (2 * HUGE_BYTES)

#define NO_ROOM "there is no room for a table"

/* The memory's drop_kept. */
static bool
drop_kept(void *tables)
{
	return wa_kept_tables_drop_oldest(tables);
}

void
wa_kept_tables_init(WaKeptTables *tables, WaMemory *memory)
{
	(void) pthread_mutex_init(&tables->lock, NULL);
	tables->memory = memory;
	tables->newest = NULL;
	tables->made_bytes = 0;
	memory->kept = tables;
	memory->drop_kept = drop_kept;
}

/* Writes a text to error and returns the status. */
static WaStatus
fail(char *error, WaStatus status, const char *text)
{
	(void) snprintf(error, WA_MAX_ERROR_BYTES, "%s", text);
	return status;
}

void
wa_kept_table_release(WaKeptTable *table)
{
	if (__atomic_sub_fetch(&table->references, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	wa_memory_give(table->memory, WA_MEMORY_QUERIES, table->bytes);
	free(table->text_bytes);
	free(table->texts);
	free(table->message);
	free(table);
}

/* Returns where the list has a table of a digest, or its end; with the lock. */
static WaKeptTable **
find(WaKeptTables *tables, const WaTableDigest *digest)
{
	WaKeptTable **link = &tables->newest;

	while (*link != NULL && !wa_digest_is_same(&(*link)->table.digest, digest))
		link = &(*link)->older;
	return link;
}

/* Takes a table out of the list, from where it is there; with the lock. */
static WaKeptTable *
unlink_table(WaKeptTable **link)
{
	WaKeptTable *table = *link;

	if (table != NULL)
		*link = table->older;
	return table;
}

/* Puts a table to the beginning of the list; with the lock. */
static void
link_newest(WaKeptTables *tables, WaKeptTable *table)
{
	table->older = tables->newest;
	tables->newest = table;
}

WaKeptTable *
wa_kept_tables_take(WaKeptTables *tables, const WaTableDigest *digest)
{
	WaKeptTable *table;

	(void) pthread_mutex_lock(&tables->lock);
	table = unlink_table(find(tables, digest));
	if (table != NULL)
	{
		link_newest(tables, table);
		(void) __atomic_add_fetch(&table->references, 1, __ATOMIC_RELAXED);
	}
	(void) pthread_mutex_unlock(&tables->lock);
	return table;
}

bool
wa_kept_tables_have(WaKeptTables *tables, const WaTableDigest *digests,
					uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
	{
		WaKeptTable *table = wa_kept_tables_take(tables, &digests[i]);

		if (table == NULL)
			return false;
		wa_kept_table_release(table);
	}
	return true;
}

bool
wa_kept_tables_drop_oldest(WaKeptTables *tables)
{
	WaKeptTable **oldest = NULL;
	WaKeptTable *table = NULL;

	(void) pthread_mutex_lock(&tables->lock);
	/* Others get references with the lock only. */
	for (WaKeptTable **link = &tables->newest; *link != NULL;
		 link = &(*link)->older)
		if (__atomic_load_n(&(*link)->references, __ATOMIC_ACQUIRE) == 1)
			oldest = link;
	if (oldest != NULL)
		table = unlink_table(oldest);
	(void) pthread_mutex_unlock(&tables->lock);
	if (table == NULL)
		return false;
	wa_kept_table_release(table);
	return true;
}

/* Returns the bytes of all tables in the list, and of those that are being made. */
static uint64_t
count_bytes(WaKeptTables *tables)
{
	uint64_t bytes = __atomic_load_n(&tables->made_bytes, __ATOMIC_RELAXED);

	(void) pthread_mutex_lock(&tables->lock);
	for (const WaKeptTable *table = tables->newest; table != NULL;
		 table = table->older)
		bytes += table->bytes;
	(void) pthread_mutex_unlock(&tables->lock);
	return bytes;
}

/* Counts bytes of another table, for which others go; false: there is no room. */
static bool
take_room(WaKeptTables *tables, uint64_t bytes)
{
	WaLedger *ledger = &tables->memory->ledger;
	const uint64_t most =
		__atomic_load_n(&ledger->limit[WA_MEMORY_QUERIES], __ATOMIC_RELAXED) /
		KEPT_PART;

	if (bytes > most)
		return false;
	while (count_bytes(tables) > most - bytes ||
		   wa_ledger_take(ledger, WA_MEMORY_QUERIES, bytes) != WA_TAKEN)
		if (!wa_kept_tables_drop_oldest(tables))
			return false;
	return true;
}

/* Returns memory: of much, huge pages, which take less time to have and to read. */
static void *
get_memory(uint64_t bytes)
{
	void *memory;

	if (bytes < MANY_BYTES)
		return malloc(bytes);
	memory = aligned_alloc(HUGE_BYTES,
						   (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);
	if (memory != NULL)
		(void) madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

/* Makes a table without a message, for whose bytes others go; NULL: there is no room. */
static WaKeptTable *
make_table(WaKeptTables *tables, const WaTableDigest *digest, uint64_t bytes)
{
	WaKeptTable *table;

	if (!take_room(tables, bytes))
		return NULL;
	table = calloc(1, sizeof(*table));
	if (table == NULL)
	{
		wa_memory_give(tables->memory, WA_MEMORY_QUERIES, bytes);
		return NULL;
	}
	table->references = 1;
	table->bytes = bytes;
	table->memory = tables->memory;
	table->table.digest = *digest;
	table->message = get_memory(bytes);
	if (table->message != NULL)
		return table;
	wa_kept_table_release(table);
	return NULL;
}

/* Has a table be what a copy of a message says; counts the array of its texts as well. */
static WaStatus
read_message(WaKeptTables *tables, WaKeptTable *table, uint32_t bulk,
			 char *error)
{
	const WaTableDigest digest = table->table.digest;
	const uint64_t bytes = table->bytes;
	uint64_t texts_bytes;

	if (wa_checksum(0, table->message, bytes) != bulk)
		return fail(error, WA_BAD_REQUEST, "the table was damaged on its way");
	if (!wa_table_message_read(table->message, bytes, &table->table,
							   &table->texts))
		return fail(error, WA_BAD_REQUEST, "the table is not sound");
	table->table.digest = digest;
	texts_bytes = table->table.ntexts * sizeof(WaText);
	if (!take_room(tables, texts_bytes))
		return fail(error, WA_NOT_KEPT, NO_ROOM);
	table->bytes += texts_bytes;
	return WA_OK;
}

/* Puts a table to the list; returns another one that was there in its place; with the lock. */
static WaKeptTable *
replace(WaKeptTables *tables, WaKeptTable *table)
{
	WaKeptTable *before = unlink_table(find(tables, &table->table.digest));

	link_newest(tables, table);
	return before;
}

/* Puts a table to the list, in the place of another one. */
static void
put(WaKeptTables *tables, WaKeptTable *table)
{
	WaKeptTable *before;

	(void) pthread_mutex_lock(&tables->lock);
	before = replace(tables, table);
	(void) pthread_mutex_unlock(&tables->lock);
	if (before != NULL)
		wa_kept_table_release(before);
}

WaStatus
wa_kept_tables_put(WaKeptTables *tables, const WaTableDigest *digest,
				   const void *message, uint64_t bytes, uint32_t bulk,
				   char *error)
{
	WaKeptTable *table;
	WaStatus status;

	if (!wa_digest_is_set(digest) || bytes == 0)
		return fail(error, WA_BAD_REQUEST, "the table has no digest");
	table = make_table(tables, digest, bytes);
	if (table == NULL)
		return fail(error, WA_NOT_KEPT, NO_ROOM);
	memcpy(table->message, message, bytes);
	status = read_message(tables, table, bulk, error);
	if (status == WA_OK)
		put(tables, table);
	else
		wa_kept_table_release(table);
	return status;
}

WaKeptTable *
wa_kept_tables_begin(WaKeptTables *tables, const WaTableDigest *digest,
					 uint64_t bytes)
{
	WaKeptTable *table = make_table(tables, digest, bytes);

	if (table != NULL)
		(void) __atomic_fetch_add(&tables->made_bytes, bytes, __ATOMIC_RELAXED);
	return table;
}

bool
wa_kept_tables_begin_texts(WaKeptTables *tables, WaKeptTable *table,
						   uint32_t ntexts, uint64_t bytes)
{
	const uint64_t more = ntexts * sizeof(WaText) + bytes;

	if (!take_room(tables, more))
		return false;
	table->bytes += more;
	(void) __atomic_fetch_add(&tables->made_bytes, more, __ATOMIC_RELAXED);
	table->texts = malloc(ntexts * sizeof(WaText) + 1);
	table->text_bytes = malloc(bytes + 1);
	return table->texts != NULL && table->text_bytes != NULL;
}

void
wa_kept_tables_put_made(WaKeptTables *tables, WaKeptTable *const *made,
						uint32_t count)
{
	WaKeptTable *before = NULL;

	(void) pthread_mutex_lock(&tables->lock);
	for (uint32_t i = 0; i < count; i++)
	{
		WaKeptTable *replaced = replace(tables, made[i]);

		(void) __atomic_fetch_sub(&tables->made_bytes, made[i]->bytes,
								  __ATOMIC_RELAXED);
		if (replaced == NULL)
			continue;
		replaced->older = before;
		before = replaced;
	}
	(void) pthread_mutex_unlock(&tables->lock);
	while (before != NULL)
	{
		WaKeptTable *next = before->older;

		wa_kept_table_release(before);
		before = next;
	}
}

void
wa_kept_tables_drop_made(WaKeptTables *tables, WaKeptTable *const *made,
						 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (made[i] == NULL)
			continue;
		(void) __atomic_fetch_sub(&tables->made_bytes, made[i]->bytes,
								  __ATOMIC_RELAXED);
		wa_kept_table_release(made[i]);
	}
}
