/*
 * resident.c
 *		Parcels, loads and questions about resident columns; see resident.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "daemon/base/socket.h"
#include "daemon/server/blocks.h"
#include "daemon/server/residency.h"
#include "daemon/server/resident.h"
#include "daemon/server/stamps.h"
#include "daemon/store/store_evict.h"
#include "query/message/table_wire.h"

#define OUT_OF_BOUNDS "its request is out of bounds"

/* All but what is said of the reply is constant while a thread works. */
struct WaResidentTask
{
	WaPoolJob job; /* first: a task is one of these */
	void (*work)(WaResidentTask *task);
	WaStore *store;
	WaCounters *counters;
	const WaParcel *parcel;
	WaKeptTables *tables;
	union
	{
		WaExtentHead head; /* LOAD */
		WaExtentsMessage extents;
		WaTextsMessage texts;
		WaUnloadMessage unload;
		WaKeepMessage keep;
		WaFetchMessage fetch;
	} what;
	bool is_list;    /* the reply is LISTED, of so many */
	uint32_t listed; /* states that were written */
	uint32_t bulk;   /* of the request, then of the reply */
	WaStatus status;
	char error[WA_MAX_ERROR_BYTES];
};

/* Gives a parcel up. */
static void
drop_parcel(WaParcel *parcel, WaService *service)
{
	wa_memory_give(&service->store.memory, WA_MEMORY_PARCELS, parcel->bytes);
	wa_parcel_unmap(parcel);
}

/* Takes a usable one, of so many bytes; false if it has no room. */
static bool
take_parcel(WaParcel *parcel, WaService *service, int fd, uint64_t bytes)
{
	WaMemory *memory = &service->store.memory;

	if (!wa_memory_take(memory, WA_MEMORY_PARCELS, bytes))
		return false;
	if (wa_parcel_map(parcel, fd, bytes))
		return true;
	wa_memory_give(memory, WA_MEMORY_PARCELS, bytes);
	return false;
}

bool
wa_resident_share(WaConnection *connection, WaService *service,
				  const WaShareMessage *share, int fd)
{
	const uint32_t request = share->header.request;
	WaParcel *parcel = &connection->parcel;

	if (!wa_parcel_is_usable(fd, share->bytes))
		return wa_connection_break(connection, "its parcel is not usable");
	drop_parcel(parcel, service);
	if (share->bytes > WA_MAX_PARCEL_BYTES ||
		!take_parcel(parcel, service, fd, share->bytes))
		return wa_connection_fail(connection, request, WA_OUT_OF_MEMORY,
								  "could not map the parcel");
	return wa_connection_say(connection, WA_MSG_DONE, request, 0);
}

/* The pool's prepare, which does all of a task. */
static uint64_t
do_task(WaPoolJob *job)
{
	WaResidentTask *task = (WaResidentTask *) job;

	task->work(task);
	return 0;
}

/* Makes a task of the connection, to be filled in; or returns NULL. */
static WaResidentTask *
make_task(WaConnection *connection, WaService *service,
		  void (*work)(WaResidentTask *task))
{
	WaResidentTask *task = calloc(1, sizeof(*task));

	if (task == NULL)
		return NULL;
	task->job.prepare = do_task;
	task->work = work;
	task->store = &service->store;
	task->counters = service->counters.counters;
	task->parcel = &connection->parcel;
	task->tables = &service->tables;
	return task;
}

/* Has a thread do the task, which becomes the connection's. */
static bool
submit_task(WaConnection *connection, WaService *service, WaResidentTask *task,
			uint32_t request)
{
	connection->task = task;
	wa_connection_submit(connection, WA_WORK_TASK, request, &service->tasks,
						 &task->job);
	return true;
}

/* Answers that there is no memory for what a message asks for. */
static bool
lack_memory(const WaConnection *connection, const WaHeader *header)
{
	return wa_connection_fail(connection, header->request, WA_OUT_OF_MEMORY,
							  "not enough memory");
}

/* Has a thread do what a sound message asks for. */
static bool
begin_task(WaConnection *connection, WaService *service,
		   const WaMessage *message, void (*work)(WaResidentTask *task))
{
	WaResidentTask *task = make_task(connection, service, work);

	if (task == NULL)
		return lack_memory(connection, &message->header);
	memcpy(&task->what, message, message->header.length);
	return submit_task(connection, service, task, message->header.request);
}

/* Returns how many bytes of columns an extent brings. */
static int64_t
extent_bytes(const WaExtentHead *head)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < head->ncolumns; i++)
	{
		const WaExtentColumn *column = &head->columns[i];

		bytes += head->nrows * (wa_form_width((WaForm) column->form) +
								(column->validity != 0 ? 1U : 0U) +
								(column->display != 0 ? 1U : 0U)) +
				 column->text_bytes + column->ntexts * sizeof(uint32_t);
	}
	return (int64_t) bytes;
}

/* LOAD, in a thread. */
static void
do_load(WaResidentTask *task)
{
	const uint32_t bulk = task->bulk;

	task->bulk = 0;
	if (wa_extent_checksum(&task->what.head, task->parcel->memory) != bulk)
	{
		task->status = WA_BAD_REQUEST;
		(void) snprintf(task->error, sizeof(task->error), "%s",
						"the extent was damaged on its way");
		return;
	}
	task->status =
		wa_store_load(task->store, &task->what.head, task->parcel->memory,
					  task->error, sizeof(task->error));
	if (task->status != WA_OK)
		return;
	wa_counter_add(&task->counters->loaded_bytes,
				   extent_bytes(&task->what.head));
	wa_counter_add(&task->counters->loads, 1);
}

/* LOAD: copies and checks the head, and has a thread do the rest. */
static bool
handle_load(WaConnection *connection, WaService *service,
			const WaLoadMessage *load)
{
	const WaParcel *parcel = &connection->parcel;
	WaResidentTask *task;

	if (!wa_parcel_holds(parcel, load->extent, sizeof(WaExtentHead)))
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	task = make_task(connection, service, do_load);
	if (task == NULL)
		return lack_memory(connection, &load->header);
	memcpy(&task->what.head, parcel->memory + load->extent,
		   sizeof(task->what.head));
	task->bulk = load->header.bulk;
	if (!wa_extent_is_sound(&task->what.head, parcel->bytes))
	{
		free(task);
		return wa_connection_break(connection, "its extent is not sound");
	}
	return submit_task(connection, service, task, load->header.request);
}

/* EXTENTS, in a thread: writes the states. */
static void
do_extents(WaResidentTask *task)
{
	const WaExtentsMessage *extents = &task->what.extents;

	task->is_list = true;
	task->listed = wa_store_extents(
		task->store, extents, wa_parcel_place(task->parcel, extents->states),
		&task->bulk);
}

/* TEXTS, in a thread: writes them. */
static void
do_texts(WaResidentTask *task)
{
	const WaTextsMessage *texts = &task->what.texts;
	uint8_t *place = task->parcel->memory + texts->place;

	task->bulk =
		wa_checksum(0, place, wa_store_texts(task->store, texts, place));
}

/* UNLOAD, in a thread, as it may free much memory. */
static void
do_unload(WaResidentTask *task)
{
	wa_store_unload(task->store, &task->what.unload.relation,
					task->what.unload.attribute);
}

/* KEEP, in a thread: copies and checks the table. */
static void
do_keep(WaResidentTask *task)
{
	const WaKeepMessage *keep = &task->what.keep;

	task->status = wa_kept_tables_put(
		task->tables, &keep->digest, wa_parcel_place(task->parcel, keep->table),
		keep->bytes, keep->header.bulk, task->error);
}

/* FETCH, in a thread: writes a table that is kept, if there is room for it. */
static void
do_fetch(WaResidentTask *task)
{
	const WaFetchMessage *fetch = &task->what.fetch;
	uint8_t *place = wa_parcel_place(task->parcel, fetch->table);
	WaKeptTable *kept = wa_kept_tables_take(task->tables, &fetch->digest);
	uint64_t bytes;

	if (kept == NULL)
	{
		task->status = WA_NOT_KEPT;
		(void) snprintf(task->error, sizeof(task->error), "%s",
						"a table is not kept");
		return;
	}
	bytes = wa_table_message_bytes(&kept->table);
	task->is_list = true;
	task->listed = (uint32_t) (bytes / sizeof(uint64_t));
	if (bytes <= fetch->room)
	{
		WaWriter writer = {.words = (uint64_t *) (void *) place,
						   .capacity = bytes / sizeof(uint64_t)};

		/* The writer needs no memory. */
		wa_table_message_write(&writer, &kept->table);
		task->bulk = wa_checksum(0, place, bytes);
	}
	wa_kept_table_release(kept);
}

/* KEPT */
static bool
handle_kept(WaConnection *connection, WaService *service,
			const WaKeptMessage *kept)
{
	const uint32_t request = kept->header.request;
	const uint64_t bytes = kept->count * sizeof(WaTableDigest);
	WaTableDigest *digests;
	bool are_kept;
	bool is_damaged;

	if (kept->count == 0 || kept->count > WA_MAX_KEPT_DIGESTS ||
		!wa_parcel_holds(&connection->parcel, kept->digests, bytes))
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	digests = malloc(bytes + 1);
	if (digests == NULL)
		return wa_connection_fail(connection, request, WA_OUT_OF_MEMORY,
								  "not enough memory");
	memcpy(digests, wa_parcel_place(&connection->parcel, kept->digests), bytes);
	is_damaged = wa_checksum(0, digests, bytes) != kept->header.bulk;
	are_kept = !is_damaged &&
			   wa_kept_tables_have(&service->tables, digests, kept->count);
	free(digests);
	if (is_damaged)
		return wa_connection_fail(connection, request, WA_BAD_REQUEST,
								  "the request was damaged on its way");
	return are_kept ? wa_connection_say(connection, WA_MSG_DONE, request, 0)
					: wa_connection_fail(connection, request, WA_NOT_KEPT,
										 "a table is not kept");
}

/* Has a thread write so many bytes, or some of them, to a place in the parcel. */
static bool
begin_writing(WaConnection *connection, WaService *service,
			  const WaMessage *message, uint64_t place, uint64_t bytes,
			  uint64_t least_bytes, void (*work)(WaResidentTask *task))
{
	if (bytes < least_bytes ||
		!wa_parcel_holds(&connection->parcel, place, bytes))
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	return begin_task(connection, service, message, work);
}

/* EXTENTS: has a thread write the states. */
static bool
handle_extents(WaConnection *connection, WaService *service,
			   const WaMessage *message)
{
	const WaExtentsMessage *extents = &message->extents;

	if (extents->all > 1)
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	return begin_writing(connection, service, message, extents->states,
						 extents->room * (uint64_t) sizeof(WaExtentState),
						 sizeof(WaExtentState), do_extents);
}

/* PIN */
static bool
handle_pin(WaConnection *connection, WaService *service,
		   const WaPinMessage *pin)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status;

	if (pin->pinned > 1)
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	status = wa_store_pin(&service->store, &pin->relation, pin->pinned == 1,
						  error, sizeof(error));
	if (status != WA_OK)
		return wa_connection_fail(connection, pin->header.request, status,
								  error);
	return wa_connection_say(connection, WA_MSG_DONE, pin->header.request, 0);
}

/* CONFIRM */
static bool
handle_confirm(WaConnection *connection, WaService *service,
			   const WaConfirmMessage *confirm)
{
	if (confirm->position == 0)
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	wa_store_confirm(&service->store, confirm);
	wa_counter_add(&service->counters.counters->loads, 1);
	return wa_connection_say(connection, WA_MSG_DONE, confirm->header.request,
							 0);
}

/* FOLLOW */
static bool
handle_follow(WaConnection *connection, WaService *service,
			  const WaFollowMessage *follow)
{
	WaFollowedMessage followed;

	if (!wa_follow_is_sound(follow))
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	wa_service_follow(service, follow, &followed);
	return follow->no_reply != 0 ||
		   wa_socket_send(connection->fd, &followed.header, NULL, 0);
}

/* Sends how much there is of a list, or has been written of it. */
static bool
send_listed(const WaConnection *connection, uint32_t request, uint32_t count,
			uint32_t bulk)
{
	WaListedMessage listed;

	memset(&listed, 0, sizeof(listed));
	wa_message_begin(&listed.header, WA_MSG_LISTED, sizeof(listed), request);
	listed.header.bulk = bulk;
	listed.columns = count;
	return wa_socket_send(connection->fd, &listed.header, NULL, 0);
}

/*
 * Writes the list of columns to `room` places in the parcel, by way of memory of
 * our own; returns how many there are, or -1 if there is no such memory.  Stores the
 * checksum of what has been written.  The store is asked once: others load meanwhile, so
 * that what is counted and what is listed would not be the same.
 */
static int64_t
write_list(WaStore *store, uint32_t database, uint8_t *place, uint32_t room,
		   uint32_t *bulk)
{
	WaResidentColumn *list = NULL;
	uint32_t count;

	*bulk = 0;
	if (room > 0 && (list = malloc(room * sizeof(*list))) == NULL)
		return -1;
	count = wa_store_list(store, database, list, room);
	if (count < room)
		room = count;
	if (room > 0)
	{
		memcpy(place, list, room * sizeof(*list));
		*bulk = wa_checksum(0, list, room * sizeof(*list));
	}
	free(list);
	return count;
}

/* LIST: describes the columns that there are. */
static bool
handle_list(WaConnection *connection, WaService *service,
			const WaListMessage *list)
{
	const WaParcel *parcel = &connection->parcel;
	uint32_t bulk;
	int64_t count;

	if (!wa_parcel_holds(parcel, list->list,
						 (uint64_t) list->room * sizeof(WaResidentColumn)))
		return wa_connection_break(connection, OUT_OF_BOUNDS);
	count = write_list(&service->store, list->database,
					   wa_parcel_place(parcel, list->list), list->room, &bulk);
	if (count < 0)
		return lack_memory(connection, &list->header);
	return send_listed(connection, list->header.request, (uint32_t) count,
					   bulk);
}

bool
wa_resident_handle(WaConnection *connection, WaService *service,
				   const WaMessage *message)
{
	switch (message->header.type)
	{
		case WA_MSG_LOAD:
			return handle_load(connection, service, &message->load);
		case WA_MSG_RESIDENCY:
			return wa_residency_handle(connection, service,
									   &message->residency);
		case WA_MSG_STAMPS:
			return wa_stamps_handle(connection, service, &message->stamps);
		case WA_MSG_BLOCKS:
			return wa_blocks_handle(connection, service, &message->blocks);
		case WA_MSG_EXTENTS:
			return handle_extents(connection, service, message);
		case WA_MSG_TEXTS:
			return begin_writing(connection, service, message,
								 message->texts.place, message->texts.room,
								 sizeof(WaTextsHead), do_texts);
		case WA_MSG_KEEP:
			return wa_parcel_holds(&connection->parcel, message->keep.table,
								   message->keep.bytes)
					   ? begin_task(connection, service, message, do_keep)
					   : wa_connection_break(connection, OUT_OF_BOUNDS);
		case WA_MSG_FETCH:
			return begin_writing(connection, service, message,
								 message->fetch.table, message->fetch.room, 0,
								 do_fetch);
		case WA_MSG_KEPT:
			return handle_kept(connection, service, &message->kept);
		case WA_MSG_CONFIRM:
			return handle_confirm(connection, service, &message->confirm);
		case WA_MSG_FOLLOW:
			return handle_follow(connection, service, &message->follow);
		case WA_MSG_UNLOAD:
			return begin_task(connection, service, message, do_unload);
		case WA_MSG_PIN:
			return handle_pin(connection, service, &message->pin);
		case WA_MSG_LIST:
			return handle_list(connection, service, &message->list);
		default:
			return wa_connection_break(connection, "its message is not for us");
	}
}

bool
wa_resident_reply(WaConnection *connection)
{
	WaResidentTask *task = connection->task;
	bool sent;

	connection->task = NULL;
	if (task->status == WA_OK && task->is_list)
		sent = send_listed(connection, connection->request, task->listed,
						   task->bulk);
	else if (task->status == WA_OK)
		sent = wa_connection_say(connection, WA_MSG_DONE, connection->request,
								 task->bulk);
	else
		sent = wa_connection_fail(connection, connection->request, task->status,
								  task->error);
	free(task);
	return sent;
}

void
wa_resident_release(WaConnection *connection, WaService *service)
{
	free(connection->task);
	connection->task = NULL;
	drop_parcel(&connection->parcel, service);
}
