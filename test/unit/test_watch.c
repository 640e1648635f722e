/*
 * test_watch.c
 *		Tests of how long threads have been at a GPU.
 */
#include "daemon/base/clock.h"
#include "daemon/base/watch.h"
#include "test/unit/check.h"

/* Who is back does not count, and who came later has not been away so long. */
static bool
test_one_after_the_other(void)
{
	WaWatch watch = {0};
	const int first = wa_watch_enter(&watch, 1 * WA_NS_PER_S);
	const int second = wa_watch_enter(&watch, 3 * WA_NS_PER_S);

	EXPECT(!wa_watch_exceeds(&watch, 3 * WA_NS_PER_S, 2000));
	EXPECT(wa_watch_exceeds(&watch, 3 * WA_NS_PER_S + 1, 2000));
	wa_watch_leave(&watch, first);
	EXPECT(!wa_watch_exceeds(&watch, 5 * WA_NS_PER_S, 2000));
	EXPECT(wa_watch_exceeds(&watch, 6 * WA_NS_PER_S, 2000));
	wa_watch_leave(&watch, second);
	EXPECT(!wa_watch_exceeds(&watch, 60 * WA_NS_PER_S, 0));
	return true;
}

/* More threads than places are no harm; a place is taken again. */
static bool
test_full(void)
{
	WaWatch watch = {0};
	int place = 0;

	for (int i = 0; i < WA_WATCH_PLACES; i++)
		place = wa_watch_enter(&watch, 2 * WA_NS_PER_S);
	wa_watch_leave(&watch, wa_watch_enter(&watch, 1));
	EXPECT(!wa_watch_exceeds(&watch, 3 * WA_NS_PER_S, 1000));
	wa_watch_leave(&watch, place);
	EXPECT(wa_watch_enter(&watch, 1) == place);
	EXPECT(wa_watch_exceeds(&watch, 3 * WA_NS_PER_S, 1000));
	return true;
}

int
main(void)
{
	check(test_one_after_the_other(), "one after the other");
	check(test_full(), "more than there are places");
	return finish_checks();
}
