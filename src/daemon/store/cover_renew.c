/*
 * cover_renew.c
 *		Making covers anew ahead of queries; see cover_renew.h.
 */
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/store/cover_kept.h"
#include "daemon/store/cover_renew.h"
#include "daemon/store/cover_take.h"
#include "daemon/store/store_find.h"
#include "daemon/store/store_use.h"

/* For columns that queries have used within this time, */
#define RENEWED_NS (10 * WA_NS_PER_S)

/* and so many sets of them at once. */
#define MAX_SETS 64

/* Queries that want the lock go first: it looks whether there are any so often, */
#define NAP_NS (50 * 1000)

/* and so many times at most. */
#define MAX_NAPS 40

/* A set of columns of a relation. */
typedef struct Set
{
	WaRelation relation;
	int place;
} Set;

/* Lists the sets that queries have used lately; returns how many. */
static uint32_t
list_sets(WaStore *store, Set sets[MAX_SETS])
{
	const int64_t lately_ns = wa_clock_ns() - RENEWED_NS;
	uint32_t count = 0;

	(void) pthread_mutex_lock(&store->lock);
	for (int i = 0; i < WA_STORE_BUCKETS; i++)
		for (const WaStoredRelation *relation = store->buckets[i];
			 relation != NULL; relation = relation->next)
			for (int place = 0; place < WA_STORE_COVERS && count < MAX_SETS;
				 place++)
				if (relation->kept[place].names != NULL &&
					relation->kept[place].used_ns > lately_ns)
					sets[count++] = (Set){relation->name, place};
	(void) pthread_mutex_unlock(&store->lock);
	return count;
}

/*
 * Waits while queries take covers.  A lock that is free goes to who asks first, and that
 * is the thread that has just given it up.
 */
static void
let_queries_go_first(WaStore *store)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	for (int i = 0;
		 i < MAX_NAPS && __atomic_load_n(&store->takers, __ATOMIC_RELAXED) > 0;
		 i++)
		(void) nanosleep(&nap, NULL);
}

/*
 * Describes a use of a set, as that of a query for which all transactions have ended:
 * whether they have is for those to see who use the cover.  Returns false if the set is no
 * more, or has nothing to be done: there is no user, and nothing has changed.
 */
static bool
describe_use(WaStore *store, const Set *set, bool has_user, WaUse *use,
			 WaColumnName names[WA_MAX_QUERY_COLUMNS])
{
	static const WaSnapshot all_ended = {.xmin = UINT64_MAX,
										 .xmax = UINT64_MAX};
	const WaStoredRelation *relation;
	const WaKeptCover *kept;

	*use = (WaUse){.snapshot = &all_ended, .is_ahead = true};
	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, &set->relation);
	kept = relation == NULL ? NULL : &relation->kept[set->place];
	if (kept != NULL && kept->names != NULL &&
		(has_user || !wa_kept_is_current(relation, set->place)))
	{
		use->nblocks = kept->nblocks;
		use->pins.ncolumns = kept->ncolumns;
		memcpy(names, kept->names, kept->ncolumns * sizeof(*names));
	}
	(void) pthread_mutex_unlock(&store->lock);
	return use->pins.ncolumns > 0;
}

/* Makes the cover of a set anew, if something has changed, and has it used. */
static void
renew_set(WaStore *store, const Set *set, WaCoverUser user)
{
	WaColumnName names[WA_MAX_QUERY_COLUMNS];
	WaCover *cover;
	WaUse use;

	let_queries_go_first(store);
	if (!describe_use(store, set, user != NULL, &use, names) ||
		!wa_store_use_begin(store, &set->relation, names, use.pins.ncolumns,
							&use))
		return;
	cover = wa_cover_take(store, &use, names);
	if (cover != NULL && cover->count > 0 && user != NULL)
		user(store, cover, use.pins.ncolumns);
	wa_cover_release(cover);
	wa_store_use_end(store, &use);
}

void
wa_cover_renew(WaStore *store, WaCoverUser user)
{
	Set sets[MAX_SETS];
	const uint32_t count = list_sets(store, sets);

	for (uint32_t i = 0; i < count; i++)
		renew_set(store, &sets[i], user);
}

/* Waits until something has changed. */
static void
wait_for_changes(WaCoverRenewer *renewer)
{
	(void) pthread_mutex_lock(&renewer->lock);
	while (!renewer->is_wanted)
		(void) pthread_cond_wait(&renewer->wanted, &renewer->lock);
	renewer->is_wanted = false;
	(void) pthread_mutex_unlock(&renewer->lock);
}

/* The main function of the thread. */
static void *
renewer_main(void *argument)
{
	WaCoverRenewer *renewer = argument;

	(void) pthread_setname_np(pthread_self(), "covers");
	for (;;)
	{
		wait_for_changes(renewer);
		wa_cover_renew(renewer->store, renewer->user);
	}
	return NULL;
}

bool
wa_cover_renewer_start(WaCoverRenewer *renewer, WaStore *store,
					   WaCoverUser user)
{
	pthread_t thread;

	renewer->store = store;
	renewer->user = user;
	renewer->is_wanted = false;
	(void) pthread_mutex_init(&renewer->lock, NULL);
	(void) pthread_cond_init(&renewer->wanted, NULL);
	if (pthread_create(&thread, NULL, renewer_main, renewer) != 0)
		return false;
	(void) pthread_detach(thread);
	return true;
}

void
wa_cover_renewer_wake(WaCoverRenewer *renewer)
{
	(void) pthread_mutex_lock(&renewer->lock);
	renewer->is_wanted = true;
	(void) pthread_cond_signal(&renewer->wanted);
	(void) pthread_mutex_unlock(&renewer->lock);
}
