/*
 * outage.c
 *		What a backend does when it has to do without the device process.
 */
#include "postgres.h"

#include "access/parallel.h"

#include "client/counters.h"
#include "client/outage.h"
#include "settings.h"

/* After a failure a session leaves the device alone for so long. */
#define REST_MS 30000

/* The device process is silent if it has not answered pings for so long. */
#define SILENT_MS 3000

/* The outage of this session, if there is one. */
typedef struct Outage
{
	bool warned;
	int64 rest_until_ms; /* 0: not resting */
} Outage;

static Outage outage = {0};

bool
wa_client_fall_back(WaFallback why)
{
	/* While there is no connection nobody else may come to know of it. */
	(void) wa_counters_find();
	wa_counter_add(&wa_counters()->fallbacks[why], 1);
	return false;
}

WaFallback
wa_client_reason(const WaTrouble *trouble)
{
	if (trouble->exchange == WA_EXCHANGE_TIMEOUT)
		return WA_FALLBACK_TIMEOUT;
	if (trouble->status == WA_OUT_OF_MEMORY ||
		trouble->status == WA_OUT_OF_FILES || trouble->status == WA_NOT_KEPT)
		return WA_FALLBACK_NO_MEMORY;
	return trouble->exchange == WA_EXCHANGE_LOST ? WA_FALLBACK_LOST
												 : WA_FALLBACK_DEVICE_ERROR;
}

int
wa_client_errcode(WaStatus status)
{
	if (status == WA_OUT_OF_MEMORY)
		return ERRCODE_OUT_OF_MEMORY;
	if (status == WA_OUT_OF_FILES)
		return ERRCODE_INSUFFICIENT_RESOURCES;
	return ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
}

void
wa_client_rest(void)
{
	outage.rest_until_ms = wa_condition_now_ms() + REST_MS;
}

bool
wa_client_is_silent(void)
{
	const WaCondition *condition;
	int64 looked_ms;
	int64 heard_ms;

	if (!wa_counters_find())
		return false;
	condition = &wa_counters()->condition;
	looked_ms = wa_counter_get(&condition->looked_ms);
	heard_ms = wa_counter_get(&condition->heard_ms);
	return wa_condition_now_ms() - looked_ms <= WA_UNWATCHED_MS &&
		   heard_ms != 0 && looked_ms - heard_ms > SILENT_MS;
}

bool
wa_client_is_resting(void)
{
	if (outage.rest_until_ms != 0 &&
		wa_condition_now_ms() < outage.rest_until_ms)
		return true;
	outage.rest_until_ms = 0;
	return wa_client_is_silent();
}

void
wa_client_recover(void)
{
	outage.warned = false;
}

bool
wa_client_fail(void)
{
	/* To count it may cause trouble of its own. */
	const WaTrouble trouble = *wa_trouble();
	bool must_have = wa_device == WA_WANT_GPU;

	if (!must_have)
	{
		wa_client_rest();
		(void) wa_client_fall_back(wa_client_reason(&trouble));
		if (outage.warned || IsParallelWorker())
			return false;
		outage.warned = true;
	}
	ereport(must_have ? ERROR : WARNING,
			(errcode(wa_client_errcode(trouble.status)),
			 errmsg("device process of warpagg failed"),
			 errdetail("%s.", trouble.text),
			 must_have
				 ? errhint("Set warpagg.device to \"auto\" to have queries go "
						   "on on the CPU.")
				 : errhint("The query goes on on the CPU with the same "
						   "result; the device is left alone for %d s.",
						   REST_MS / 1000)));
	return false;
}
