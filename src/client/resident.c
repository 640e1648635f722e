/*
 * resident.c
 *		What a backend tells and asks warpaggd of resident columns.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "client/client.h"
#include "client/exchange.h"
#include "client/outage.h"
#include "client/parcel.h"
#include "client/residency.h"
#include "client/resident.h"
#include "client/trouble.h"
#include "core/checksum.h"
#include "core/replies.h"

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
wa_client_raise(void)
{
	const WaTrouble *trouble = wa_trouble();

	ereport(ERROR, (errcode(wa_client_errcode(trouble->status)),
					errmsg("device process of warpagg failed"),
					errdetail("%s.", trouble->text)));
}

char *
wa_client_reserve(uint64 bytes)
{
	return wa_client_may_send() ? wa_parcel_reserve(bytes) : NULL;
}

bool
wa_client_load(uint64 extent)
{
	WaMessage message = {0};

	if (!wa_client_may_send())
		return false;
	message.load.extent = extent;
	message.header.bulk =
		wa_extent_checksum((const WaExtentHead *) (wa_parcel_memory() + extent),
						   wa_parcel_memory());
	return wa_connection_send(&message, WA_MSG_LOAD, sizeof(message.load));
}

bool
wa_client_loaded(void)
{
	WaMessage reply;

	return wa_client_receive(&reply) &&
		   wa_client_check_reply(&reply, WA_MSG_DONE);
}

/* Writes sources to a place in the parcel. */
static void
write_sources(const WaNamedSources *named, uint64 offset)
{
	char *place = wa_parcel_memory() + offset;
	const Size bytes = named->nsources * sizeof(*named->sources);

	memcpy(place, named->sources, bytes);
	memcpy(place + bytes, named->attributes,
		   wa_run_sources_bytes(named->nsources, named->ncolumns) - bytes);
}

/* Lays out the parcel for a question about some sources, which it completes. */
static bool
prepare_residency(const WaNamedSources *named, WaMessage *message)
{
	WaResidencyMessage *residency = &message->residency;
	const uint64 bytes = wa_run_sources_bytes(named->nsources, named->ncolumns);

	residency->nsources = named->nsources;
	residency->ncolumns = named->ncolumns;
	residency->sources = 0;
	residency->blocks = TYPEALIGN64(64, bytes);
	memcpy(residency->columns, named->columns,
		   named->ncolumns * sizeof(*named->columns));
	if (wa_client_reserve(residency->blocks +
						  named->nsources * sizeof(uint64)) == NULL)
		return false;
	write_sources(named, residency->sources);
	message->header.bulk =
		wa_checksum(0, wa_parcel_memory() + residency->sources, bytes);
	return true;
}

bool
wa_client_residency(const WaNamedSources *named, WaResidentMessage *answer,
					uint64 *blocks)
{
	WaMessage message = {0};
	WaMessage reply;
	uint32_t bulk = 0;

	ereport(DEBUG2,
			(errmsg_internal("warpagg asks what is resident of %u relations",
							 named->nsources)));
	if (!prepare_residency(named, &message) ||
		!wa_client_ask(&message, WA_MSG_RESIDENCY,
					   offsetof(WaResidencyMessage, columns) +
						   named->ncolumns * sizeof(*named->columns),
					   WA_MSG_RESIDENT, &reply))
		return false;
	wa_client_copy_out(message.residency.blocks, blocks,
					   named->nsources * sizeof(*blocks), &bulk);
	if (bulk != reply.header.bulk)
		return wa_client_reject(true);
	if (reply.resident.ncolumns != named->ncolumns ||
		!wa_residency_is_sound(&reply.resident, named->nsources) ||
		!wa_complete_blocks_are_sound(&reply.resident, blocks, named->nsources))
		return wa_client_reject(false);
	*answer = reply.resident;
	return true;
}

/*
 * Copies the states that were asked for out of the parcel; returns false if they cannot be
 * these.
 */
static bool
copy_states(const WaExtentsMessage *extents, const WaMessage *reply,
			WaExtentState *states)
{
	const uint32 count = reply->listed.columns;
	uint32 next = extents->first;
	uint32_t bulk = 0;

	if (count > extents->room ||
		(extents->all != 0 &&
		 count != Min(extents->room, wa_extents_of(extents->nblocks) - next)))
		return wa_client_reject(false);
	wa_client_copy_out(0, states, count * sizeof(*states), &bulk);
	if (bulk != reply->header.bulk)
		return wa_client_reject(true);
	for (uint32 i = 0; i < count; i++)
	{
		const uint32 number = states[i].number;

		if (number < next || (extents->all != 0 && number > next) ||
			!wa_extent_state_is_sound(&states[i], number,
									  (int) extents->ncolumns))
			return wa_client_reject(false);
		next = number + 1;
	}
	return true;
}

bool
wa_client_extents(const WaRelation *relation, int ncolumns,
				  const WaColumnName *columns, uint32 first, uint32 nblocks,
				  bool all, uint32 room, WaExtentState *states, uint32 *count)
{
	const size_t names = (size_t) ncolumns * sizeof(*columns);
	WaMessage message = {0};
	WaMessage reply;

	if (wa_client_reserve(room * sizeof(*states)) == NULL)
		return false;
	message.extents.relation = *relation;
	message.extents.first = first;
	message.extents.nblocks = nblocks;
	message.extents.all = all ? 1 : 0;
	message.extents.room = room;
	message.extents.ncolumns = (uint32_t) ncolumns;
	memcpy(message.extents.columns, columns, names);
	if (!wa_client_ask(&message, WA_MSG_EXTENTS,
					   offsetof(WaExtentsMessage, columns) + names,
					   WA_MSG_LISTED, &reply))
		return false;
	*count = reply.listed.columns;
	return copy_states(&message.extents, &reply, states);
}

bool
wa_client_texts(const WaRelation *relation, const WaColumnName *column,
				uint32 first, WaTextsHead *head, char *texts, uint64 room)
{
	WaMessage message = {0};
	WaMessage reply;
	uint32_t bulk = 0;

	if (wa_client_reserve(sizeof(*head) + room) == NULL)
		return false;

	message.texts.relation = *relation;
	message.texts.column = *column;
	message.texts.first = first;
	message.texts.room = sizeof(*head) + room;
	if (!wa_client_ask(&message, WA_MSG_TEXTS, sizeof(message.texts),
					   WA_MSG_DONE, &reply))
		return false;
	wa_client_copy_out(0, head, sizeof(*head), &bulk);
	if (!wa_texts_head_is_sound(&message.texts, head))
		return wa_client_reject(false);
	wa_client_copy_out(sizeof(*head), texts, head->bytes - sizeof(*head),
					   &bulk);
	return bulk == reply.header.bulk || wa_client_reject(true);
}

bool
wa_client_confirm(const WaConfirmMessage *confirm)
{
	WaMessage message = {0};
	WaMessage reply;

	message.confirm = *confirm;
	return wa_client_ask(&message, WA_MSG_CONFIRM, sizeof(message.confirm),
						 WA_MSG_DONE, &reply);
}

bool
wa_client_unload(const WaRelation *relation, int attribute)
{
	WaMessage message = {0};
	WaMessage reply;

	message.unload.relation = *relation;
	message.unload.attribute = attribute;
	return wa_client_ask(&message, WA_MSG_UNLOAD, sizeof(message.unload),
						 WA_MSG_DONE, &reply);
}

bool
wa_client_pin(const WaRelation *relation, bool pinned)
{
	WaMessage message = {0};
	WaMessage reply;

	message.pin.relation = *relation;
	message.pin.pinned = pinned ? 1 : 0;
	return wa_client_ask(&message, WA_MSG_PIN, sizeof(message.pin), WA_MSG_DONE,
						 &reply);
}

/*
 * Copies the list of columns that warpaggd has written; returns NULL if it is not what
 * was written, or cannot be right.
 */
static WaResidentColumn *
copy_list(uint32 count, uint32_t bulk)
{
	const Size bytes = count * sizeof(WaResidentColumn);
	WaResidentColumn *list = palloc(Max(bytes, 1));
	uint32_t copied = 0;
	bool is_sound = true;

	wa_client_copy_out(0, list, bytes, &copied);
	for (uint32 i = 0; i < count; i++)
		is_sound = is_sound && wa_resident_column_is_sound(&list[i]);
	if (copied == bulk && is_sound)
		return list;
	(void) wa_client_reject(copied != bulk);
	pfree(list);
	return NULL;
}

int64
wa_client_list(uint32 database, WaResidentColumn **list)
{
	uint32 room = FIRST_LIST_ROOM;

	for (;;)
	{
		WaMessage message = {0};
		WaMessage reply;

		if (wa_client_reserve(room * sizeof(WaResidentColumn)) == NULL)
			return -1;
		message.list.database = database;
		message.list.room = room;
		if (!wa_client_ask(&message, WA_MSG_LIST, sizeof(message.list),
						   WA_MSG_LISTED, &reply))
			return -1;
		if (reply.listed.columns > WA_MAX_LISTED)
		{
			(void) wa_client_reject(false);
			return -1;
		}
		if (reply.listed.columns <= room)
		{
			*list = copy_list(reply.listed.columns, reply.header.bulk);
			return *list == NULL ? -1 : (int64) reply.listed.columns;
		}
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

/* A query that is under way. */
typedef struct Asked
{
	const WaRunMessage *run;
	const WaNamedSources *over;
	uint64 nblocks; /* of all sources */
} Asked;

/*
 * Copies the words of so many blocks, and adds them to a checksum; returns NULL if they
 * cannot be these.
 */
static uint64_t *
copy_blocks(const Asked *asked, uint64 offset, uint64 blocks, uint32_t *bulk)
{
	const WaRunSource *sources = asked->over->sources;
	const uint32 nsources = asked->run->nsources;
	const Size bytes = wa_run_words_bytes(sources, nsources);
	uint64_t *words = palloc_extended(Max(bytes, 1), MCXT_ALLOC_HUGE);

	wa_client_copy_out(offset, words, bytes, bulk);
	return wa_used_is_sound(words, sources, nsources, blocks) ? words : NULL;
}

/*
 * Returns the groups of an answer, which nobody can change any more, or NULL if they
 * are not there.
 */
static const void *
take_groups(const WaRunMessage *run, const WaAnswerMessage *answer,
			uint32_t *bulk)
{
	const uint64 bytes = answer->groups_bytes;
	void *copy;

	if (answer->in_parcel != 0)
	{
		copy = palloc(Max(bytes, 1));
		wa_client_copy_out(run->groups, copy, bytes, bulk);
		return copy;
	}
	groups_file.memory = wa_connection_map_file(bytes);
	groups_file.bytes = bytes;
	if (groups_file.memory != NULL)
		*bulk = wa_checksum(*bulk, groups_file.memory, bytes);
	return groups_file.memory;
}

/* Sends a query. */
static bool
send_run(const WaRunMessage *run, const WaNamedSources *over)
{
	const char *parcel = wa_parcel_memory();
	WaMessage message = {0};

	if (!wa_client_may_send())
		return false;
	write_sources(over, run->sources);
	message.run = *run;
	message.header.bulk = wa_run_checksum(
		run, parcel + run->query, parcel + run->sources, parcel + run->cover);
	return wa_connection_send(&message, WA_MSG_RUN,
							  offsetof(WaRunMessage, columns) +
								  run->ncolumns * sizeof(WaColumnName));
}

/* What a query has been told so far. */
typedef struct Told
{
	uint64_t *cover; /* that was announced, or NULL */
	uint64 blocks;   /* of it */
	uint64_t *used;  /* by the answer; NULL: all blocks, or none */
} Told;

/* Takes an announcement; returns false if it cannot be right. */
static bool
take_cover(const Asked *asked, const WaMessage *reply, Told *told)
{
	uint32_t bulk = 0;

	told->blocks = reply->cover.blocks;
	told->cover = copy_blocks(asked, asked->run->cover, told->blocks, &bulk);
	if (bulk != reply->header.bulk)
		return wa_client_reject(true);
	return told->cover != NULL || wa_client_reject(false);
}

/* Receives the answer, and before it what is announced, which `announced` is told. */
static bool
receive_answer(const Asked *asked, const WaAnnounced *announced,
			   WaMessage *reply, Told *told)
{
	if (!wa_client_receive(reply))
		return false;
	if (reply->header.type == WA_MSG_COVER && asked->run->announces != 0)
	{
		if (!take_cover(asked, reply, told))
			return false;
		announced->tell(announced->context, told->cover, told->blocks);
		if (!wa_client_receive(reply))
			return false;
	}
	return wa_client_check_reply(reply, WA_MSG_ANSWER);
}

/* Finds which blocks an answer covers; returns false if it cannot be these. */
static bool
take_used(const Asked *asked, const WaAnswerMessage *answer, Told *told,
		  uint32_t *bulk)
{
	if (answer->groups_bytes == 0 || answer->blocks == asked->nblocks)
		return true;
	if (told->cover != NULL && answer->left_blocks == 0)
	{
		told->used = told->cover;
		return answer->blocks == told->blocks;
	}
	told->used = copy_blocks(asked, asked->run->used, answer->blocks, bulk);
	return told->used != NULL;
}

/*
 * Remembers how many blocks could be used of each source.  Of several of them nothing, if
 * blocks were left out and it is not known of which.
 */
static void
note_sources(const Asked *asked, const WaAnswerMessage *answer,
			 const Told *told, int64 loads)
{
	const WaRunSource *sources = asked->over->sources;
	const uint32 nsources = asked->run->nsources;
	const uint64_t *words = told->cover == NULL ? told->used : told->cover;
	uint64 *blocks;

	if (nsources > 1 && answer->left_blocks > 0 && told->cover == NULL)
		return;
	blocks = palloc(nsources * sizeof(*blocks));
	for (uint32 i = 0; i < nsources; i++)
	{
		blocks[i] = answer->blocks == 0 ? 0 : sources[i].nblocks;
		if (words == NULL)
			continue;
		(void) wa_used_count(words, sources[i].nblocks, &blocks[i]);
		words += wa_extents_bytes(sources[i].nblocks) / sizeof(*words);
	}
	if (nsources == 1)
		blocks[0] = answer->blocks + answer->left_blocks;
	wa_residency_note(asked->over, loads, blocks);
	pfree(blocks);
}

const void *
wa_client_run(const WaRunMessage *run, const WaNamedSources *over,
			  const WaAnnounced *announced, WaAnswerMessage *answer,
			  uint64_t **used)
{
	const Asked asked = {run, over,
						 wa_run_blocks(over->sources, run->nsources)};
	WaMessage reply;
	const int64 loads = wa_residency_loads();
	Told told = {0};
	const void *groups = NULL;
	uint32_t bulk = 0;

	wa_client_release_groups();
	if (!send_run(run, over) ||
		!receive_answer(&asked, announced, &reply, &told))
		return NULL;
	*answer = reply.answer;
	if (wa_answer_is_sound(run, asked.nblocks, answer) &&
		take_used(&asked, answer, &told, &bulk))
		groups = take_groups(run, answer, &bulk);
	if (groups == NULL || bulk != reply.header.bulk)
	{
		(void) wa_client_reject(groups != NULL);
		wa_client_release_groups();
		memset(answer, 0, sizeof(*answer));
		return NULL;
	}
	*used = told.used;
	if (answer->blocks > 0 || (answer->groups_bytes == 0 && answer->rows == 0))
		note_sources(&asked, answer, &told, loads);
	return groups;
}
