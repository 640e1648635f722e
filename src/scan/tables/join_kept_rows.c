/*
 * join_kept_rows.c
 *		Rows of joins that a session keeps; see join_kept_rows.h.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "utils/memutils.h"

#include "scan/tables/join_kept_rows.h"

/* So many are looked through for each unit of joins, at most. */
#define MOST_KEPT 64

/* One block in so many may have changed, or be unknown, if rows are to be kept. */
#define LEAST_SHARE 8

/* Rows, and what they are of. */
typedef struct Kept
{
	dlist_node node;       /* in the list, that which was used last first */
	MemoryContext context; /* of this and all that it has, but for the rows */
	char *description;
	int nstamps;
	uint64 *stamps;
	WaJoinBlocks blocks;
	Size bytes; /* that all of it takes */
	WaUnitRows *rows;
} Kept;

static dlist_head kept_list = DLIST_STATIC_INIT(kept_list);
static int nkept = 0;
static Size kept_bytes = 0;

/* Takes rows out of the list; what is known of them goes with its context. */
static void
leave_list(Kept *kept)
{
	dlist_delete(&kept->node);
	nkept--;
	kept_bytes -= kept->bytes;
}

/* Forgets rows. */
static void
drop(Kept *kept)
{
	leave_list(kept);
	MemoryContextDelete(kept->rows->context);
	MemoryContextDelete(kept->context);
}

void
wa_join_kept_rows_shrink(Size most)
{
	while (kept_bytes > most)
		drop(dlist_tail_element(Kept, node, &kept_list));
}

/* Returns what is kept of contents as a description has them; or NULL. */
static Kept *
find(const WaJoinContents *contents)
{
	dlist_iter iter;

	dlist_foreach(iter, &kept_list)
	{
		Kept *kept = dlist_container(Kept, node, iter.cur);

		if (strcmp(kept->description, contents->description) == 0)
			return kept;
	}
	return NULL;
}

/* Tells whether it is known of all relations but that of the unit what they have. */
static bool
others_are_known(const WaJoinContents *contents)
{
	for (int i = 0; i < contents->nstamps; i++)
		if (i != contents->blocks->place && contents->stamps[i] == 0)
			return false;
	return true;
}

bool
wa_join_rows_may_last(const WaJoinContents *contents)
{
	const WaJoinBlocks *blocks = contents->blocks;
	uint32 unknown = 0;

	if (blocks == NULL || !others_are_known(contents))
		return false;
	for (uint32 i = 0; i < blocks->nblocks; i++)
		unknown += blocks->identities[i] == 0;
	return blocks->nblocks >= LEAST_SHARE &&
		   unknown <= blocks->nblocks / LEAST_SHARE;
}

/* Tells whether the relation is the one that it was, and no other one has changed. */
static bool
is_of_same(const Kept *kept, const WaJoinContents *contents)
{
	if (kept->nstamps != contents->nstamps ||
		kept->blocks.place != contents->blocks->place ||
		memcmp(&kept->blocks.storage, &contents->blocks->storage,
			   sizeof(WaRelation)) != 0)
		return false;
	for (int i = 0; i < kept->nstamps; i++)
		if (i != kept->blocks.place && kept->stamps[i] != contents->stamps[i])
			return false;
	return true;
}

/*
 * Finds the blocks that are not known to be what they were, also those that have come; of
 * those that are gone it is known.
 */
static void
find_changed(const WaJoinBlocks *was, const WaJoinBlocks *is,
			 WaChangedBlocks *changed)
{
	*changed = (WaChangedBlocks){.nblocks = is->nblocks};
	changed->are_changed =
		palloc_extended((Size) is->nblocks * sizeof(bool) + 1, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < is->nblocks; i++)
	{
		changed->are_changed[i] = i >= was->nblocks || is->identities[i] == 0 ||
								  is->identities[i] != was->identities[i];
		changed->count += changed->are_changed[i];
	}
}

/* Returns what is kept of contents, and which blocks have changed, if it may be of use. */
static Kept *
find_useful(const WaJoinContents *contents, WaChangedBlocks *changed)
{
	Kept *kept = find(contents);

	if (kept == NULL || !wa_join_rows_may_last(contents) ||
		!is_of_same(kept, contents))
		return NULL;
	find_changed(&kept->blocks, contents->blocks, changed);
	if (changed->count <= changed->nblocks / LEAST_SHARE)
		return kept;
	pfree(changed->are_changed);
	return NULL;
}

bool
wa_join_kept_rows_has(const WaJoinContents *contents)
{
	WaChangedBlocks changed;

	if (find_useful(contents, &changed) == NULL)
		return false;
	pfree(changed.are_changed);
	return true;
}

WaUnitRows *
wa_join_kept_rows_take(const WaJoinContents *contents, WaChangedBlocks *changed)
{
	Kept *kept = find_useful(contents, changed);
	WaUnitRows *rows;

	if (kept == NULL)
		return NULL;
	rows = kept->rows;
	leave_list(kept);
	MemoryContextSetParent(rows->context, CurrentMemoryContext);
	MemoryContextDelete(kept->context);
	return rows;
}

/* Makes, in a memory context, what is known of rows. */
static Kept *
make(MemoryContext context, WaUnitRows *rows, const WaJoinContents *contents)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Kept *kept = palloc0(sizeof(Kept));
	const Size stamps_bytes = sizeof(uint64) * contents->nstamps;
	const Size bytes = sizeof(uint64) * (Size) contents->blocks->nblocks;

	kept->context = context;
	kept->rows = rows;
	kept->description = pstrdup(contents->description);
	kept->nstamps = contents->nstamps;
	kept->stamps = palloc(stamps_bytes + 1);
	memcpy(kept->stamps, contents->stamps, stamps_bytes);
	kept->blocks = *contents->blocks;
	kept->blocks.identities = palloc_extended(bytes + 1, MCXT_ALLOC_HUGE);
	memcpy(kept->blocks.identities, contents->blocks->identities, bytes);
	kept->bytes = MemoryContextMemAllocated(context, true) +
				  MemoryContextMemAllocated(rows->context, true);
	MemoryContextSwitchTo(old);
	return kept;
}

void
wa_join_kept_rows_keep(WaUnitRows *rows, const WaJoinContents *contents,
					   Size most)
{
	Kept *kept = find(contents);
	MemoryContext context;

	if (kept != NULL)
		drop(kept);
	context = AllocSetContextCreate(CurrentMemoryContext, "warpagg kept rows",
									ALLOCSET_SMALL_SIZES);
	kept = make(context, rows, contents);
	if (kept->bytes > most)
	{
		MemoryContextDelete(rows->context);
		MemoryContextDelete(context);
		return;
	}
	wa_join_kept_rows_shrink(most - kept->bytes);
	if (nkept == MOST_KEPT)
		drop(dlist_tail_element(Kept, node, &kept_list));
	MemoryContextSetParent(context, TopMemoryContext);
	MemoryContextSetParent(rows->context, TopMemoryContext);
	dlist_push_head(&kept_list, &kept->node);
	nkept++;
	kept_bytes += kept->bytes;
}
