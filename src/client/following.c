/*
 * following.c
 *		How the supervisor has warpaggd know what WAL has changed; see following.h.
 */
#include "postgres.h"

#include "client/channel.h"
#include "client/following.h"

#define SHORTEST_PAUSE_MS 3
#define LONGEST_PAUSE_MS  250

/* An answer that has not come by then is not waited for. */
#define ANSWER_LIMIT_MS 2000

/* After so many bytes of WAL there is more at once, or soon; so it is after changes. */
#define MANY_BYTES   (UINT64CONST(8) << 20)
#define SOME_BYTES   (UINT64CONST(64) << 10)
#define MANY_CHANGES (WA_MAX_CHANGES - 64)

static WaFollowNext read_next = NULL;

void
wa_following_init(WaFollowNext next)
{
	read_next = next;
}

/* Returns how long to pause after so much of WAL. */
static int
choose_pause(int before_ms, uint64 bytes, uint32 nchanges)
{
	if (bytes >= MANY_BYTES || nchanges >= MANY_CHANGES)
		return 0;
	if (bytes >= SOME_BYTES)
		return SHORTEST_PAUSE_MS;
	return Min(Max(before_ms, SHORTEST_PAUSE_MS) * 2, LONGEST_PAUSE_MS);
}

int
wa_following_turn(WaFollowing *following, const WaDaemonProcess *process,
				  uint64 followed, int64 now_ms)
{
	WaFollowMessage follow;

	if (now_ms < following->due_ms)
		return (int) (following->due_ms - now_ms);
	following->under_way = false;
	if (followed == 0 || !read_next(followed, &follow))
		following->pause_ms = choose_pause(following->pause_ms, 0, 0);
	else
	{
		following->pause_ms = choose_pause(
			following->pause_ms, follow.to - follow.from, follow.nchanges);
		following->under_way = true;
		wa_channel_follow(process, &follow, ++following->request);
	}
	following->due_ms =
		now_ms + (following->under_way ? ANSWER_LIMIT_MS : following->pause_ms);
	return (int) (following->due_ms - now_ms);
}

void
wa_following_hear(WaFollowing *following, const WaFollowedMessage *message,
				  int64 now_ms)
{
	if (!following->under_way || message->header.request != following->request)
		return;
	following->under_way = false;
	following->due_ms = now_ms + following->pause_ms;
}
