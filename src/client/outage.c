/*
 * outage.c
 *		What a backend does when it has to do without the device process.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "utils/timestamp.h"

#include "client/outage.h"
#include "settings.h"

/* After a failure a session leaves the device alone for so long. */
#define REST_MS 30000

/* The outage of this session, if there is one. */
typedef struct Outage
{
	bool warned;
	TimestampTz rest_until; /* 0: not resting */
} Outage;

static Outage outage = {0};

bool
wa_client_fall_back(WaFallback why)
{
	/* While there is no connection nobody else may come to know of it. */
	(void) wa_connection_find_counters();
	wa_counter_add(&wa_connection_counters()->fallbacks[why], 1);
	return false;
}

bool
wa_client_is_resting(void)
{
	if (outage.rest_until == 0)
		return false;
	if (GetCurrentTimestamp() < outage.rest_until)
		return true;
	outage.rest_until = 0;
	return false;
}

void
wa_client_recover(void)
{
	outage.warned = false;
}

bool
wa_client_fail(WaFallback why, const char *detail)
{
	bool must_have = wa_device == WA_WANT_GPU;

	if (!must_have)
	{
		outage.rest_until =
			TimestampTzPlusMilliseconds(GetCurrentTimestamp(), REST_MS);
		(void) wa_client_fall_back(why);
		if (outage.warned || IsParallelWorker())
			return false;
		outage.warned = true;
	}
	ereport(must_have ? ERROR : WARNING,
			(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			 errmsg("device process of warpagg failed"),
			 errdetail("%s.", detail),
			 must_have
				 ? errhint("Set warpagg.device to \"auto\" to have queries go "
						   "on on the CPU.")
				 : errhint("The query goes on on the CPU with the same "
						   "result; the device is left alone for %d s.",
						   REST_MS / 1000)));
	return false;
}

bool
wa_client_fail_exchange(WaExchange exchange)
{
	if (exchange == WA_EXCHANGE_TIMEOUT)
		return wa_client_fail(WA_FALLBACK_TIMEOUT, "It did not answer in time");
	return wa_client_fail(WA_FALLBACK_LOST, "The connection to it was lost");
}
