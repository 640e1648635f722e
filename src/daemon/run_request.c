/*
 * run_request.c
 *		Handing RUNs to the pool, and answering them; see run_request.h.
 */
#include "daemon/run_request.h"
#include "daemon/run.h"
#include "daemon/socket.h"

bool
wa_run_request_handle(WaConnection *connection, WaService *service,
					  const WaRunMessage *message)
{
	const uint32_t request = message->header.request;

	if (!wa_run_is_sound(message, &connection->parcel))
		return wa_connection_break(connection, "its request is out of bounds");
	if (service->runner == NULL)
		return wa_connection_fail(connection, request, WA_UNSUPPORTED,
								  "resident columns cannot be queried");
	connection->run =
		wa_run_make(service->runner, &service->store, &connection->parcel,
					message, service->pool.nthreads, connection);
	if (connection->run == NULL)
		return wa_connection_fail(connection, request, WA_OUT_OF_MEMORY,
								  "not enough memory for a query");
	connection->work = WA_WORK_RUN;
	connection->request = request;
	wa_pool_submit(&service->pool, wa_run_job(connection->run));
	return true;
}

/* Sends the answer of a run. */
static bool
send_answer(const WaConnection *connection, const WaRunEnd *outcome)
{
	WaAnswerMessage answer = outcome->answer;

	wa_message_begin(&answer.header, WA_MSG_ANSWER, sizeof(answer),
					 connection->request);
	return wa_socket_send(connection->fd, &answer.header, &outcome->groups_fd,
						  outcome->groups_fd >= 0);
}

bool
wa_run_request_reply(WaConnection *connection)
{
	const WaRunEnd *outcome = wa_run_outcome(connection->run);
	bool sent;

	if (outcome->status == WA_OK)
		sent = send_answer(connection, outcome);
	else
		sent = wa_connection_fail(connection, connection->request,
								  outcome->status, outcome->error);
	wa_run_request_release(connection);
	return sent;
}

bool
wa_run_request_cancel(WaConnection *connection, WaService *service)
{
	return wa_pool_cancel(&service->pool, wa_run_job(connection->run));
}

void
wa_run_request_release(WaConnection *connection)
{
	wa_run_free(connection->run);
	connection->run = NULL;
}
