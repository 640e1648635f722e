/*
 * client.c
 *		Whether there is a device process, and whether a batch should go there.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

#include "client/client.h"
#include "client/connection.h"
#include "client/counters.h"
#include "client/outage.h"
#include "client/supervisor.h"
#include "client/trouble.h"
#include "settings.h"

/* Pause between two looks for a device process that is not there yet. */
#define RETRY_MS 20

/* How long a session with warpagg.device = gpu waits for the GPU. */
#define START_LIMIT_S 60

/* What this session knows of the device process beyond its connection. */
typedef struct ClientState
{
	bool begun;            /* wa_client_begin has looked for the process */
	TimestampTz last_look; /* for a process that was not there */
} ClientState;

static ClientState client = {0};

/* Tells whether the process is connected to and done with its start. */
static bool
is_ready(void)
{
	const WaConnectionState *state = wa_connection_state();

	return state->open && state->state == WA_DAEMON_READY;
}

/*
 * Sees to it that there will be a device process after one that could not be
 * greeted.  Returns false.
 */
static bool
miss(WaExchange hello)
{
	const WaStatus status = wa_trouble()->status;

	if (hello == WA_EXCHANGE_TIMEOUT || status == WA_OUT_OF_MEMORY ||
		status == WA_OUT_OF_FILES)
		return wa_client_fail();
	if (status == WA_UNSUPPORTED)
		wa_client_rest(); /* which has been said in the log */
	else if (!IsParallelWorker())
		wa_supervisor_launch();
	return false;
}

/*
 * Looks for the device process, at most every RETRY_MS, and has it started if
 * there is none.  One that is there but does not answer, or cannot serve us, has
 * failed.
 */
static bool
look(void)
{
	TimestampTz now;
	WaExchange hello;

	if (wa_client_is_engaged())
		return false;
	if (is_ready())
		return true;
	now = GetCurrentTimestamp();
	if (!TimestampDifferenceExceeds(client.last_look, now, RETRY_MS))
		return false;
	client.last_look = now;
	wa_client_finish();
	hello = wa_connection_hello();
	return hello == WA_EXCHANGE_DONE ? is_ready() : miss(hello);
}

/* Raises the error for a device process that did not get ready. */
static void
report_not_ready(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("device process of warpagg did not get ready"),
			 errdetail("It was waited for for %d s.  %s.", START_LIMIT_S,
					   wa_connection_state()->open ? "It is still starting"
												   : wa_trouble()->text),
			 errhint("See the server log for its messages, and whether a "
					 "background worker slot is free "
					 "(max_worker_processes).")));
}

/* Raises the error for a machine without a GPU. */
static void
report_no_gpu(void)
{
	const char *why = wa_connection_state()->gpu_error;

	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("no GPU is available"),
					why[0] != '\0' ? errdetail("%s.", why) : 0,
					errhint("Set warpagg.device to \"auto\" or \"cpu\".")));
}

/* Waits until the device process is ready, or raises an error. */
static void
require_ready(void)
{
	TimestampTz begin = GetCurrentTimestamp();

	while (!look())
	{
		if (TimestampDifferenceExceeds(begin, GetCurrentTimestamp(),
									   START_LIMIT_S * 1000))
			report_not_ready();
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 RETRY_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Waits, under warpagg.device = gpu, until a GPU can be used. */
static void
require_gpu(void)
{
	require_ready();
	if (wa_connection_state()->gpus > 0)
		return;
	/* One may have been opened since the last hello. */
	wa_client_finish();
	if (wa_connection_hello() != WA_EXCHANGE_DONE ||
		wa_connection_state()->gpus == 0)
		report_no_gpu();
}

void
wa_client_require(void)
{
	wa_connection_refresh();
	if (wa_client_is_engaged())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("device process of warpagg cannot be asked now"),
				 errdetail("It computes another query of this session.")));
	if (wa_device == WA_WANT_GPU)
		require_gpu();
	else
		require_ready();
	wa_client_finish();
}

/* A parallel worker leaves the waiting and the errors to its leader. */
void
wa_client_begin(void)
{
	wa_connection_refresh();
	if (wa_client_is_engaged())
		return;
	if (wa_device == WA_WANT_GPU && !IsParallelWorker())
		require_gpu();
	else if (!client.begun && !wa_client_is_resting() && !is_ready() &&
			 !wa_connection_greet() && !IsParallelWorker())
		wa_supervisor_launch();
	client.begun = true;
}

/*
 * A batch that is already in the backend's cache is folded there faster than
 * another process could, so the CPU device gets one only if the setting says
 * that all are to go to the device.
 */
bool
wa_client_wants(size_t nrows)
{
	if (nrows < (size_t) wa_min_device_rows || wa_client_is_engaged())
		return false;
	if (wa_device == WA_WANT_GPU)
	{
		require_gpu();
		return true;
	}
	if (wa_client_is_resting())
		return wa_client_fall_back(WA_FALLBACK_RESTING);
	if (!look())
		return wa_client_fall_back(WA_FALLBACK_STARTING);
	return wa_min_device_rows == 0 ||
		   (wa_device == WA_WANT_ANY && wa_connection_state()->gpus > 0);
}

bool
wa_client_is_ready(void)
{
	wa_connection_refresh();
	return !wa_client_is_resting() && look();
}

/*
 * Looks for the device process at once, for whoever wants to see it; but not for
 * one that is known not to answer.
 */
static bool
look_now(void)
{
	if (wa_client_is_silent() || wa_client_is_engaged())
		return false;
	client.last_look = 0;
	wa_client_finish();
	(void) look();
	return wa_connection_state()->open;
}

bool
wa_client_devices(WaMessage *reply)
{
	WaMessage message = {0};

	message.simple.version = WA_PROTOCOL_VERSION;
	return look_now() &&
		   wa_connection_exchange(&message, WA_MSG_STATUS,
								  sizeof(message.simple),
								  reply) == WA_EXCHANGE_DONE &&
		   reply->header.type == WA_MSG_DEVICES;
}

const WaCounters *
wa_client_counters(void)
{
	if ((!look_now() || !wa_connection_attach()) && !wa_counters_renew())
		return NULL;
	return wa_counters();
}

/* Tells what the supervisor is doing, by when it was last at work. */
static WaSupervision
describe_supervision(const WaConditionFields *fields)
{
	const WaCondition *condition = &wa_counters()->condition;

	if (wa_condition_now_ms() - wa_counter_get(&condition->looked_ms) >
		WA_UNWATCHED_MS)
		return WA_SUPERVISION_NONE;
	if (fields->pid == 0)
		return WA_SUPERVISION_DOWN;
	return wa_client_is_silent() ? WA_SUPERVISION_SILENT : WA_SUPERVISION_UP;
}

WaSupervision
wa_client_condition(WaConditionFields *fields)
{
	wa_trouble_clear();
	if (wa_counters_renew() &&
		wa_condition_read(&wa_counters()->condition, fields))
		return describe_supervision(fields);
	memset(fields, 0, sizeof(*fields));
	if (wa_trouble()->status == WA_UNSUPPORTED)
		return WA_SUPERVISION_FOREIGN;
	wa_supervisor_launch();
	return WA_SUPERVISION_NONE;
}
