/*
 * cover_renew.c
 *		Making parts of covers anew ahead of queries; see cover_renew.h.
 */
#include "daemon/cover_renew.h"
#include "daemon/clock.h"
#include "daemon/cover_kept.h"

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

/* Renews parts of a set, some at a time, as queries wait for the lock. */
static void
renew_set(WaStore *store, const Set *set)
{
	uint32_t next = 0;
	bool is_done = false;

	while (!is_done)
	{
		WaGarbage garbage = {0};
		WaStoredRelation *relation;

		let_queries_go_first(store);
		(void) pthread_mutex_lock(&store->lock);
		relation = wa_map_find_relation(store, &set->relation);
		is_done = relation == NULL ||
				  !wa_kept_renew(store, relation, set->place, &next, &garbage);
		(void) pthread_mutex_unlock(&store->lock);
		wa_garbage_release(&garbage);
	}
}

void
wa_cover_renew(WaStore *store)
{
	Set sets[MAX_SETS];
	const uint32_t count = list_sets(store, sets);

	for (uint32_t i = 0; i < count; i++)
		renew_set(store, &sets[i]);
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
		wa_cover_renew(renewer->store);
	}
	return NULL;
}

bool
wa_cover_renewer_start(WaCoverRenewer *renewer, WaStore *store)
{
	pthread_t thread;

	renewer->store = store;
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
