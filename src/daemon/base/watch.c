/*
 * watch.c
 *		How long threads have been waiting for a GPU; see watch.h.
 */
#include "daemon/base/watch.h"
#include "daemon/base/clock.h"

int
wa_watch_enter(WaWatch *watch, int64_t now_ns)
{
	for (int place = 0; watch != NULL && place < WA_WATCH_PLACES; place++)
	{
		int64_t nobody = 0;

		if (__atomic_compare_exchange_n(&watch->since_ns[place], &nobody,
										now_ns, false, __ATOMIC_RELAXED,
										__ATOMIC_RELAXED))
			return place;
	}
	return WA_WATCH_PLACES;
}

void
wa_watch_leave(WaWatch *watch, int place)
{
	if (place < WA_WATCH_PLACES)
		__atomic_store_n(&watch->since_ns[place], 0, __ATOMIC_RELAXED);
}

bool
wa_watch_exceeds(const WaWatch *watch, int64_t now_ns, int64_t ms)
{
	for (int place = 0; place < WA_WATCH_PLACES; place++)
	{
		const int64_t since_ns =
			__atomic_load_n(&watch->since_ns[place], __ATOMIC_RELAXED);

		if (since_ns != 0 && now_ns - since_ns > ms * WA_NS_PER_MS)
			return true;
	}
	return false;
}
