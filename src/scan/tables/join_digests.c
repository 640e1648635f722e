/*
 * join_digests.c
 *		Digests of tables of joins; see join_digests.h.
 *
 * To compute them takes some microseconds each, and a question to the device process many
 * more; a query that comes again has neither.
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/sha2.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "scan/tables/join_digests.h"

/* So many contents are remembered: those that were used last. */
#define MOST_KNOWN 64

/* What is known of contents. */
typedef struct Known
{
	dlist_node node;       /* in the list, that which was used last first */
	MemoryContext context; /* of this and all that it has */
	char *description;
	int nstamps;
	uint64 *stamps;
	int ndigests;
	WaTableDigest *digests;
	bool are_kept; /* the device process has had the tables of all of them */
} Known;

static dlist_head known_list = DLIST_STATIC_INIT(known_list);
static int nknown = 0;

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

/* Computes digests into what is known of contents. */
static void
compute(Known *known, const WaJoinContents *contents)
{
	for (int i = 0; i < contents->njoins; i++)
		known->digests[i] = digest_of(contents, "rows", i);
	for (int i = 0; i < contents->nvalues; i++)
		known->digests[contents->njoins + i] = digest_of(contents, "value", i);
}

/* Tells whether something is known of contents.  Equal descriptions have as many tables. */
static bool
is_of(const Known *known, const WaJoinContents *contents)
{
	return known->ndigests == contents->njoins + contents->nvalues &&
		   wa_join_contents_are(contents, known->description, known->nstamps,
								known->stamps);
}

/* Returns what is known of contents, which is used last then; or NULL. */
static Known *
find(const WaJoinContents *contents)
{
	dlist_iter iter;

	dlist_foreach(iter, &known_list)
	{
		Known *known = dlist_container(Known, node, iter.cur);

		if (!is_of(known, contents))
			continue;
		dlist_move_head(&known_list, &known->node);
		return known;
	}
	return NULL;
}

/* Forgets what was used longest ago if there is no room for more. */
static void
make_room(void)
{
	Known *oldest;

	if (nknown < MOST_KNOWN)
		return;
	oldest = dlist_tail_element(Known, node, &known_list);
	dlist_delete(&oldest->node);
	nknown--;
	MemoryContextDelete(oldest->context);
}

/* Makes, in a memory context, what is known of contents. */
static Known *
make(MemoryContext context, const WaJoinContents *contents)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Known *known = palloc0(sizeof(Known));
	const Size bytes = sizeof(uint64) * contents->nstamps;

	known->context = context;
	known->description = pstrdup(contents->description);
	known->nstamps = contents->nstamps;
	known->stamps = palloc(bytes + 1);
	memcpy(known->stamps, contents->stamps, bytes);
	known->ndigests = contents->njoins + contents->nvalues;
	known->digests = palloc(sizeof(WaTableDigest) * (known->ndigests + 1));
	compute(known, contents);
	MemoryContextSwitchTo(old);
	return known;
}

/* Returns what is known of contents, of which more is then if nothing was. */
static Known *
have(const WaJoinContents *contents)
{
	Known *known = find(contents);
	MemoryContext context;

	if (known != NULL)
		return known;
	context = AllocSetContextCreate(CurrentMemoryContext, "warpagg digests",
									ALLOCSET_SMALL_SIZES);
	known = make(context, contents);
	make_room();
	MemoryContextSetParent(context, TopMemoryContext);
	dlist_push_head(&known_list, &known->node);
	nknown++;
	return known;
}

const WaTableDigest *
wa_join_digests(const WaJoinContents *contents)
{
	return have(contents)->digests;
}

bool
wa_join_digests_are_kept(const WaJoinContents *contents)
{
	const Known *known = find(contents);

	return known != NULL && known->are_kept;
}

void
wa_join_digests_keep(const WaJoinContents *contents)
{
	have(contents)->are_kept = true;
}

void
wa_join_digests_lack(void)
{
	dlist_iter iter;

	dlist_foreach(iter, &known_list) dlist_container(Known, node, iter.cur)
		->are_kept = false;
}
