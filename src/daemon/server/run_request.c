/*
 * run_request.c
 *		Handing RUNs to the pool, and answering them; see run_request.h.
 */
#include "daemon/server/run_request.h"
#include "daemon/base/socket.h"
#include "daemon/run/run.h"

/* Sends an answer. */
static bool
send_answer(const WaConnection *connection, const WaRunEnd *outcome)
{
	WaAnswerMessage answer = outcome->answer;

	wa_message_begin(&answer.header, WA_MSG_ANSWER, sizeof(answer),
					 connection->request);
	answer.header.bulk = outcome->bulk;
	return wa_socket_send(connection->fd, &answer.header, &outcome->groups_fd,
						  outcome->groups_fd >= 0);
}

/* Counts a query that has been answered. */
static void
count_query(WaCounters *counters, const WaAnswerMessage *answer)
{
	if (answer->blocks == 0)
		return;
	wa_counter_add(&counters->queries, 1);
	wa_counter_add(&counters->query_rows, (int64_t) answer->rows);
	wa_counter_add(&counters->query_ns, (int64_t) answer->device_ns);
}

/* Sends which blocks a run will cover. */
static bool
send_cover(void *owner, uint64_t blocks, uint32_t bulk)
{
	const WaConnection *connection = owner;
	WaCoverMessage cover = {.blocks = blocks};

	wa_message_begin(&cover.header, WA_MSG_COVER, sizeof(cover),
					 connection->request);
	cover.header.bulk = bulk;
	return wa_socket_send(connection->fd, &cover.header, NULL, 0);
}

/* Sends what became of a run: by its thread, so that nobody has to be woken first. */
static void
send_outcome(void *owner, const WaRunEnd *outcome)
{
	WaConnection *connection = owner;

	if (outcome->status == WA_OK)
	{
		count_query(connection->counters, &outcome->answer);
		connection->sent = send_answer(connection, outcome);
	}
	else
		connection->sent = wa_connection_fail(connection, connection->request,
											  outcome->status, outcome->error);
}

static const WaRunReplies replies = {.announce = send_cover,
									 .answer = send_outcome};

bool
wa_run_request_handle(WaConnection *connection, WaService *service,
					  const WaRunMessage *message)
{
	const uint32_t request = message->header.request;

	if (!wa_run_is_sound(message, &connection->parcel))
		return wa_connection_break(connection, "its request is out of bounds");
	connection->run = wa_run_make(&service->store, &connection->parcel, message,
								  service->pool.nthreads, &replies, connection);
	if (connection->run == NULL)
		return wa_connection_fail(connection, request, WA_OUT_OF_MEMORY,
								  "not enough memory for a query");
	connection->counters = service->counters.counters;
	connection->sent = false;
	wa_connection_submit(connection, WA_WORK_RUN, request, &service->pool,
						 wa_run_job(connection->run));
	return true;
}

bool
wa_run_request_end(WaConnection *connection)
{
	wa_run_free(connection->run);
	connection->run = NULL;
	return connection->sent;
}
