/*
 * resident.c
 *		What a backend tells and asks warpaggd of resident columns.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "client/client.h"
#include "client/outage.h"
#include "client/parcel.h"
#include "client/residency.h"
#include "client/resident.h"
#include "client/trouble.h"

/* Columns that there is room for when their list is first asked for. */
#define FIRST_LIST_ROOM 256

/* Groups that did not fit the parcel; memory NULL: there are none. */
typedef struct GroupsFile
{
	const void *memory;
	uint64 bytes;
} GroupsFile;

static GroupsFile groups_file = {0};

void
wa_client_raise(const WaFailure *failure)
{
	ereport(ERROR, (errcode(wa_client_errcode(failure->status)),
					errmsg("device process of warpagg failed"),
					errdetail("%s.", failure->text)));
}

/* Notes a failure; returns false. */
static bool
fail(WaFailure *failure, WaExchange exchange, WaStatus status, const char *text)
{
	failure->exchange = exchange;
	failure->status = status;
	strlcpy(failure->text, text, sizeof(failure->text));
	return false;
}

/* Notes that an exchange of messages was not completed. */
static bool
fail_exchange(WaFailure *failure, WaExchange exchange)
{
	if (exchange == WA_EXCHANGE_TIMEOUT)
		return fail(failure, exchange, WA_OK, "It did not answer in time");
	return fail(failure, exchange, wa_trouble_status(), wa_trouble_text());
}

/* Looks at a reply; returns false if it is not of the type. */
static bool
check_reply(WaMessage *reply, WaMessageType type, WaFailure *failure)
{
	if (reply->header.type == type)
		return true;
	if (reply->header.type == WA_MSG_FAILED)
	{
		reply->failed.text[WA_MAX_ERROR_BYTES - 1] = '\0';
		return fail(failure, WA_EXCHANGE_DONE, (WaStatus) reply->failed.status,
					reply->failed.text);
	}
	wa_connection_close();
	return fail(failure, WA_EXCHANGE_LOST, WA_OK,
				"Its reply could not be understood");
}

/* Tells whether a message can be sent. */
static bool
may_send(WaFailure *failure)
{
	wa_client_guard();
	wa_client_finish();
	if (wa_connection_state()->open)
		return true;
	return fail_exchange(failure, WA_EXCHANGE_LOST);
}

/* Sends a request and receives a reply of the type. */
static bool
ask(WaMessage *message, WaMessageType type, size_t length,
	WaMessageType reply_type, WaMessage *reply, WaFailure *failure)
{
	WaExchange exchange;

	if (!may_send(failure))
		return false;
	exchange = wa_connection_exchange(message, type, length, reply);
	if (exchange != WA_EXCHANGE_DONE)
		return fail_exchange(failure, exchange);
	return check_reply(reply, reply_type, failure);
}

char *
wa_client_reserve(uint64 bytes, WaFailure *failure)
{
	WaExchange exchange;
	char *memory;

	if (!may_send(failure))
		return NULL;
	memory = wa_parcel_reserve(bytes, &exchange);
	if (memory != NULL)
		return memory;
	(void) fail_exchange(failure, exchange);
	return NULL;
}

bool
wa_client_load(uint64 extent, WaFailure *failure)
{
	WaMessage message = {0};

	if (!may_send(failure))
		return false;
	message.load.extent = extent;
	if (wa_connection_send(&message, WA_MSG_LOAD, sizeof(message.load)))
		return true;
	wa_connection_close();
	return fail_exchange(failure, WA_EXCHANGE_LOST);
}

bool
wa_client_loaded(WaFailure *failure)
{
	WaMessage reply;
	WaExchange exchange = wa_connection_receive(&reply);

	if (exchange == WA_EXCHANGE_DONE)
		return check_reply(&reply, WA_MSG_DONE, failure);
	wa_connection_close();
	return fail_exchange(failure, exchange);
}

bool
wa_client_residency(const WaRelation *relation, int ncolumns,
					const WaColumnName *columns, WaResidentMessage *answer,
					WaFailure *failure)
{
	const size_t names = (size_t) ncolumns * sizeof(*columns);
	WaMessage message = {0};
	WaMessage reply;

	message.residency.relation = *relation;
	message.residency.ncolumns = (uint32_t) ncolumns;
	memcpy(message.residency.columns, columns, names);
	if (!ask(&message, WA_MSG_RESIDENCY,
			 offsetof(WaResidencyMessage, columns) + names, WA_MSG_RESIDENT,
			 &reply, failure))
		return false;
	if (reply.resident.ncolumns != (uint32_t) ncolumns)
	{
		wa_connection_close();
		return fail_exchange(failure, WA_EXCHANGE_LOST);
	}
	*answer = reply.resident;
	return true;
}

bool
wa_client_extents(const WaRelation *relation, int ncolumns,
				  const WaColumnName *columns, uint32 first, uint32 count,
				  uint64 states, WaFailure *failure)
{
	const size_t names = (size_t) ncolumns * sizeof(*columns);
	WaMessage message = {0};
	WaMessage reply;

	message.extents.relation = *relation;
	message.extents.first = first;
	message.extents.count = count;
	message.extents.ncolumns = (uint32_t) ncolumns;
	message.extents.states = states;
	memcpy(message.extents.columns, columns, names);
	return ask(&message, WA_MSG_EXTENTS,
			   offsetof(WaExtentsMessage, columns) + names, WA_MSG_DONE, &reply,
			   failure);
}

bool
wa_client_texts(const WaRelation *relation, const WaColumnName *column,
				uint32 first, uint64 place, uint64 room, WaFailure *failure)
{
	WaMessage message = {0};
	WaMessage reply;

	message.texts.relation = *relation;
	message.texts.column = *column;
	message.texts.first = first;
	message.texts.place = place;
	message.texts.room = room;
	return ask(&message, WA_MSG_TEXTS, sizeof(message.texts), WA_MSG_DONE,
			   &reply, failure);
}

bool
wa_client_confirm(const WaConfirmMessage *confirm, WaFailure *failure)
{
	WaMessage message = {0};
	WaMessage reply;

	message.confirm = *confirm;
	return ask(&message, WA_MSG_CONFIRM, sizeof(message.confirm), WA_MSG_DONE,
			   &reply, failure);
}

bool
wa_client_unload(const WaRelation *relation, int attribute, WaFailure *failure)
{
	WaMessage message = {0};
	WaMessage reply;

	message.unload.relation = *relation;
	message.unload.attribute = attribute;
	return ask(&message, WA_MSG_UNLOAD, sizeof(message.unload), WA_MSG_DONE,
			   &reply, failure);
}

bool
wa_client_pin(const WaRelation *relation, bool pinned, WaFailure *failure)
{
	WaMessage message = {0};
	WaMessage reply;

	message.pin.relation = *relation;
	message.pin.pinned = pinned ? 1 : 0;
	return ask(&message, WA_MSG_PIN, sizeof(message.pin), WA_MSG_DONE, &reply,
			   failure);
}

int64
wa_client_list(uint32 database, WaFailure *failure)
{
	uint32 room = FIRST_LIST_ROOM;

	for (;;)
	{
		WaMessage message = {0};
		WaMessage reply;

		if (wa_client_reserve(room * sizeof(WaResidentColumn), failure) == NULL)
			return -1;
		message.list.database = database;
		message.list.room = room;
		if (!ask(&message, WA_MSG_LIST, sizeof(message.list), WA_MSG_LISTED,
				 &reply, failure))
			return -1;
		if (reply.listed.columns <= room)
			return reply.listed.columns;
		room = reply.listed.columns;
	}
}

void
wa_client_release_groups(void)
{
	if (groups_file.memory != NULL)
		(void) munmap(unconstify(void *, groups_file.memory),
					  groups_file.bytes);
	groups_file.memory = NULL;
}

/* Returns the groups of an answer, or NULL if they are not there. */
static const void *
find_groups(const WaRunMessage *run, const WaAnswerMessage *answer)
{
	if (answer->in_parcel != 0)
		return answer->groups_bytes <= run->groups_room
				   ? wa_parcel_memory() + run->groups
				   : NULL;
	groups_file.memory = wa_connection_map_file(answer->groups_bytes);
	groups_file.bytes = answer->groups_bytes;
	return groups_file.memory;
}

const void *
wa_client_run(const WaRunMessage *run, WaAnswerMessage *answer,
			  WaFailure *failure)
{
	WaMessage message = {0};
	WaMessage reply;
	const int64 loads = wa_residency_loads();
	const void *groups;

	wa_client_release_groups();
	message.run = *run;
	if (!ask(&message, WA_MSG_RUN,
			 offsetof(WaRunMessage, columns) +
				 run->ncolumns * sizeof(WaColumnName),
			 WA_MSG_ANSWER, &reply, failure))
		return NULL;
	*answer = reply.answer;
	if (answer->blocks > 0 || (answer->groups_bytes == 0 && answer->rows == 0))
		wa_residency_note(&run->relation, run->ncolumns, run->columns, loads,
						  answer->blocks + answer->left_blocks);
	groups = find_groups(run, answer);
	if (groups == NULL)
	{
		wa_connection_close();
		(void) fail_exchange(failure, WA_EXCHANGE_LOST);
	}
	return groups;
}
