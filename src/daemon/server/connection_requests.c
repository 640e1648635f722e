/*
 * connection_requests.c
 *		Doing what a backend's messages ask for; see connection_requests.h.
 */
#include <string.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/socket.h"
#include "daemon/run/run.h"
#include "daemon/server/connection_requests.h"
#include "daemon/server/resident.h"
#include "daemon/server/run_request.h"

/* HELLO: tells our version and state, also to those of other versions. */
static bool
handle_hello(WaConnection *connection, WaService *service,
			 const WaSimpleMessage *hello)
{
	WaWelcomeMessage welcome;

	memset(&welcome, 0, sizeof(welcome));
	wa_message_begin(&welcome.header, WA_MSG_WELCOME, sizeof(welcome),
					 hello->header.request);
	welcome.version = WA_PROTOCOL_VERSION;
	welcome.state =
		(uint32_t) wa_opening_state(&service->opening, welcome.gpu_error);
	welcome.gpus = wa_scheduler_gpus(&service->scheduler);
	welcome.connection = connection->number;
	if (hello->version == WA_PROTOCOL_VERSION && !connection->greeted)
	{
		connection->greeted = true;
		wa_counter_add(&service->counters.counters->connections, 1);
	}
	if (!wa_socket_send(connection->fd, &welcome.header, NULL, 0))
		return false;
	return hello->version == WA_PROTOCOL_VERSION ||
		   wa_connection_break(connection, "it speaks another version");
}

/* ATTACH: hands out the staging file and the counters. */
static bool
handle_attach(WaConnection *connection, WaService *service,
			  const WaSimpleMessage *attach)
{
	WaStaging *staging = &service->staging;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status = wa_staging_make(staging, error, sizeof(error));
	WaAttachedMessage attached;
	int fds[2];

	if (status != WA_OK)
		return wa_connection_fail(connection, attach->header.request, status,
								  error);
	memset(&attached, 0, sizeof(attached));
	wa_message_begin(&attached.header, WA_MSG_ATTACHED, sizeof(attached),
					 attach->header.request);
	attached.slots = staging->slots;
	attached.slot_bytes = WA_STAGING_SLOT_BYTES;
	attached.slots_offset = staging->slots_offset;
	attached.file_bytes = staging->file_bytes;
	attached.counters_bytes = service->counters.file_bytes;
	fds[0] = staging->fd;
	fds[1] = service->counters.fd;
	connection->attached = true;
	return wa_socket_send(connection->fd, &attached.header, fds, 2);
}

/* STATUS: describes the devices. */
static bool
handle_status(WaConnection *connection, WaService *service,
			  const WaSimpleMessage *status)
{
	WaDevicesMessage devices;
	char gpu_error[WA_MAX_ERROR_BYTES];
	size_t length;

	memset(&devices, 0, sizeof(devices));
	devices.state = (uint32_t) wa_opening_state(&service->opening, gpu_error);
	devices.devices =
		wa_scheduler_describe(&service->scheduler, devices.device);
	length = offsetof(WaDevicesMessage, device) +
			 devices.devices * sizeof(WaDeviceInfo);
	wa_message_begin(&devices.header, WA_MSG_DEVICES, (uint32_t) length,
					 status->header.request);
	return wa_socket_send(connection->fd, &devices.header, NULL, 0);
}

/* Makes the connection's job of a request that is sound. */
static void
prepare_job(WaConnection *connection, const WaStaging *staging,
			const WaReduceMessage *reduce)
{
	WaJob *job = &connection->job;

	job->job.finished.owner = connection;
	job->batch = (WaBatch){.type = (WaType) reduce->type,
						   .values = wa_staging_slot(staging, reduce->slot),
						   .nrows = reduce->nrows};
	job->ops = reduce->ops;
	job->delay_ms = reduce->delay_ms;
	job->checksum = reduce->header.bulk;
	connection->request = reduce->header.request;
}

/* REDUCE: queues the reduction. */
static bool
handle_reduce(WaConnection *connection, WaService *service,
			  const WaReduceMessage *reduce)
{
	const WaStaging *staging = &service->staging;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status;

	if (!connection->attached)
		return wa_connection_break(connection,
								   "it reduces without being attached");
	if (!wa_reduce_is_sound(reduce, staging->slots, WA_STAGING_SLOT_BYTES))
		return wa_connection_break(connection, "its request is out of bounds");
	if (!wa_staging_is_owner(staging, reduce->slot, connection->number))
		return wa_connection_break(connection, "it does not own the slot");
	if (!wa_reductions_exist(reduce->ops,
							 wa_type_storage((WaType) reduce->type)))
		return wa_connection_fail(connection, reduce->header.request,
								  WA_UNSUPPORTED, "there is no such reduction");
	prepare_job(connection, staging, reduce);
	status = wa_scheduler_submit(&service->scheduler, &connection->job,
								 (WaWantedDevice) reduce->device, error,
								 sizeof(error));
	if (status != WA_OK)
		return wa_connection_fail(connection, connection->request, status,
								  error);
	connection->work = WA_WORK_REDUCE;
	return true;
}

/* Does what a message asks for; fd: what came along, -1: nothing. */
static bool
handle_message(WaConnection *connection, WaService *service,
			   const WaMessage *message, int fd)
{
	uint32_t type = message->header.type;

	if ((fd >= 0) != (type == WA_MSG_SHARE))
		return wa_connection_break(connection, "it mixed up descriptors");
	if (type == WA_MSG_HELLO)
		return handle_hello(connection, service, &message->simple);
	if (!connection->greeted)
		return wa_connection_break(connection, "it did not say hello");
	if (connection->work != WA_WORK_NONE)
		return wa_connection_break(connection, "it did not wait for the reply");
	switch (type)
	{
		case WA_MSG_ATTACH:
			return handle_attach(connection, service, &message->simple);
		case WA_MSG_STATUS:
			return handle_status(connection, service, &message->simple);
		case WA_MSG_REDUCE:
			return handle_reduce(connection, service, &message->reduce);
		case WA_MSG_SHARE:
			return wa_resident_share(connection, service, &message->share, fd);
		case WA_MSG_RUN:
			return wa_run_request_handle(connection, service, &message->run);
		default:
			return wa_resident_handle(connection, service, message);
	}
}

bool
wa_connection_receive(WaConnection *connection, WaService *service)
{
	WaMessage message;
	bool handled;
	int fd;

	switch (wa_socket_receive(connection->fd, &message, &fd))
	{
		case WA_RECEIVED_MESSAGE:
			handled = handle_message(connection, service, &message, fd);
			if (fd >= 0)
				(void) close(fd);
			return handled;
		case WA_RECEIVED_NOTHING:
			return true;
		case WA_RECEIVED_UNSOUND:
			return wa_connection_break(connection, "it sent something unknown");
		case WA_RECEIVED_DAMAGED:
			return wa_connection_break(connection,
									   "what it sent was damaged on its way");
		case WA_RECEIVED_STRIPPED:
			return wa_connection_fail(connection, message.header.request,
									  WA_OUT_OF_FILES,
									  "its device process has too many files "
									  "open to take one more");
		case WA_RECEIVED_END:
			break;
	}
	return false;
}

/* Sends what became of a reduction. */
static bool
reply_to_reduce(const WaConnection *connection, WaService *service)
{
	const WaJob *job = &connection->job;
	WaResultMessage result;

	if (job->status != WA_OK)
	{
		wa_log_write(WA_LOG_WARNING, "could not reduce %zu rows of %s: %s",
					 job->batch.nrows, wa_type_name(job->batch.type),
					 job->error);
		return wa_connection_fail(connection, connection->request, job->status,
								  job->error);
	}
	wa_counter_add(&service->counters.counters->requests, 1);
	wa_message_begin(
		&result.header, WA_MSG_RESULT,
		(uint32_t) (offsetof(WaResultMessage, partial) + job->partial_bytes),
		connection->request);
	memcpy(result.partial, job->partial, job->partial_bytes);
	return wa_socket_send(connection->fd, &result.header, NULL, 0);
}

bool
wa_connection_reply(WaConnection *connection, WaService *service)
{
	const WaWork work = connection->work;

	connection->work = WA_WORK_NONE;
	if (work == WA_WORK_TASK)
		return wa_resident_reply(connection);
	if (work == WA_WORK_RUN)
		return wa_run_request_end(connection);
	return reply_to_reduce(connection, service);
}

bool
wa_connection_cancel(WaConnection *connection)
{
	if (connection->work == WA_WORK_REDUCE)
		return wa_scheduler_cancel(&connection->job);
	return connection->work == WA_WORK_NONE ||
		   wa_pool_cancel(connection->pool, connection->pooled);
}

void
wa_connection_release(WaConnection *connection, WaService *service)
{
	if (connection->attached)
		wa_staging_free(&service->staging, connection->number);
	wa_run_free(connection->run);
	wa_resident_release(connection, service);
}

const char *
wa_connection_lost_device(const WaConnection *connection)
{
	const WaRunEnd *outcome;

	if (connection->work == WA_WORK_REDUCE)
		return connection->job.status == WA_DEVICE_LOST ? connection->job.error
														: NULL;
	if (connection->work != WA_WORK_RUN)
		return NULL;
	outcome = wa_run_outcome(connection->run);
	return outcome->status == WA_DEVICE_LOST ? outcome->error : NULL;
}

bool
wa_connection_is_answered(const WaConnection *connection)
{
	return connection->work == WA_WORK_RUN &&
		   wa_run_is_answered(connection->run);
}

bool
wa_connection_heartbeat(WaConnection *connection)
{
	if (connection->work == WA_WORK_NONE ||
		wa_connection_is_answered(connection) ||
		(connection->work == WA_WORK_REDUCE &&
		 !wa_scheduler_job_advances(&connection->job)))
		return true;
	return wa_connection_say(connection, WA_MSG_HEARTBEAT, connection->request,
							 0);
}
