/*
 * test_daemon_resident.c
 *		Resident columns in a running warpaggd: loading, asking, forgetting, and
 *		backends that do it wrongly or go away meanwhile.
 *
 *	test_daemon_resident PROGRAM [WORD]
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/replies.h"
#include "test/unit/check.h"
#include "test/unit/test_resident_client.h"

#define ALL_ATTRIBUTES (((uint64_t) 1 << WA_TEST_ATTRIBUTES) - 1)

/* Returns the head of the extent that was written last. */
static const WaExtentHead *
last_head(const WaTestOwner *owner)
{
	return (const WaExtentHead *) (const void *) owner->parcel;
}

/* Returns how many blocks of the extent that was written last have an LSN. */
static uint64_t
last_blocks(const WaTestOwner *owner)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < last_head(owner)->nblocks; i++)
		blocks += last_head(owner)->block_lsn[i] != 0;
	return blocks;
}

static bool
test_loading(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentMessage resident;
	int64_t smallest = INT64_MAX;
	int64_t value;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(wa_test_residency(&owner, 0, ALL_ATTRIBUTES, &resident));
	EXPECT(resident.complete_blocks == 0 && resident.columns[0].bytes == 0);
	EXPECT(resident.columns[0].smallest > resident.columns[0].largest);
	EXPECT(wa_test_load_extent(&owner, 0, 3, 9, 1003, ALL_ATTRIBUTES) == WA_OK);
	EXPECT(wa_test_residency(&owner, 0, ALL_ATTRIBUTES, &resident));
	EXPECT(resident.complete_blocks == last_blocks(&owner));
	for (uint32_t row = 0; row < last_head(&owner)->nrows; row++)
		if (wa_test_integer(wa_test_relation(0), 1003, 2, row, &value) &&
			value < smallest)
			smallest = value;
	EXPECT(resident.columns[1].smallest == smallest);
	for (uint32_t i = 0; i < resident.ncolumns; i++)
		EXPECT(resident.columns[i].blocks == last_blocks(&owner) &&
			   resident.columns[i].rows == last_head(&owner)->nrows &&
			   resident.columns[i].bytes > last_head(&owner)->nrows);
	EXPECT(wa_test_residency(&owner, 1, 1, &resident));
	EXPECT(resident.complete_blocks == 0);
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* Asks for states of extents as a message says; returns how many, or -1. */
static int
ask_for_states(WaTestOwner *owner, WaExtentsMessage *extents,
			   WaExtentState *states)
{
	WaMessage reply;
	size_t bytes;

	extents->ncolumns = wa_test_names(5, extents->columns);
	extents->states = WA_TEST_ANSWERS;
	wa_message_begin(&extents->header, WA_MSG_EXTENTS,
					 (uint32_t) (offsetof(WaExtentsMessage, columns) +
								 extents->ncolumns * sizeof(WaColumnName)),
					 39);
	if (wa_test_ask(owner, extents, &reply) != WA_MSG_LISTED ||
		reply.header.request != 39 || reply.listed.columns > extents->room)
		return -1;
	bytes = reply.listed.columns * sizeof(*states);
	memcpy(states, owner->parcel + WA_TEST_ANSWERS, bytes);
	return reply.header.bulk == wa_checksum(0, states, bytes)
			   ? (int) reply.listed.columns
			   : -1;
}

/* Asks for the states of extents `first` and the one after. */
static bool
ask_extents(WaTestOwner *owner, uint64_t relation, uint32_t first,
			WaExtentState states[2])
{
	WaExtentsMessage extents = {.relation = wa_test_relation(relation),
								.first = first,
								.nblocks = UINT32_MAX,
								.room = 2,
								.all = 1};

	EXPECT(ask_for_states(owner, &extents, states) == 2);
	EXPECT(wa_extent_state_is_sound(&states[0], first, extents.ncolumns) &&
		   wa_extent_state_is_sound(&states[1], first + 1, extents.ncolumns));
	return true;
}

/* An extent any byte of which was changed on its way is not taken. */
static bool
test_damage(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentMessage resident;
	WaLoadMessage load;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	for (int i = 0; i < 3; i++)
	{
		const WaExtentHead *head = last_head(&owner);
		uint64_t place;

		wa_test_write_extent(owner.parcel, wa_test_relation(0), 3, 9, 1003, 40,
							 5);
		place = i == 0   ? head->columns[1].values + 3
				: i == 1 ? offsetof(WaExtentHead, last_xid)
						 : head->columns[0].values;
		wa_message_begin(&load.header, WA_MSG_LOAD, sizeof(load), 32);
		load.extent = 0;
		load.header.bulk =
			wa_test_extent_checksum(owner.parcel, 0, WA_TEST_PARCEL_BYTES);
		owner.parcel[place] ^= 4;
		EXPECT(wa_test_ask(&owner, &load, &reply) == WA_MSG_FAILED);
		EXPECT(reply.failed.status == WA_BAD_REQUEST);
		EXPECT(wa_test_residency(&owner, 0, 5, &resident));
		EXPECT(resident.complete_blocks == 0);
	}
	EXPECT(wa_test_load_extent(&owner, 0, 3, 9, 1003, 5) == WA_OK);
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* Sends CONFIRM of all blocks of extent 3 of relation 0; tells whether it is done. */
static bool
confirm(WaTestOwner *owner, uint64_t edition, uint64_t position)
{
	WaConfirmMessage confirm;
	WaMessage reply;

	memset(&confirm, 0, sizeof(confirm));
	wa_message_begin(&confirm.header, WA_MSG_CONFIRM, sizeof(confirm), 35);
	confirm.relation = wa_test_relation(0);
	confirm.extent = 3;
	confirm.edition = edition;
	confirm.position = position;
	memset(confirm.same, 0xff, sizeof(confirm.same));
	return wa_test_ask(owner, &confirm, &reply) == WA_MSG_DONE;
}

/* An LSN behind all of blocks. */
#define CHANGED_LSN ((uint64_t) 1 << 40)

static bool
test_confirming(WaTestDaemon *daemon)
{
	const uint32_t block = 3 * WA_EXTENT_BLOCKS;
	WaTestOwner owner;
	WaExtentState states[2];

	EXPECT(wa_test_own(&owner));
	EXPECT(wa_counter_get((int64_t *) &daemon->counters->followed) == 0);
	EXPECT(wa_test_load_extent(&owner, 0, 3, 9, 1003, 4 + 8) == WA_OK);
	EXPECT(wa_counter_get((int64_t *) &daemon->counters->followed) == 0);
	EXPECT(ask_extents(&owner, 0, 2, states));
	EXPECT(states[0].exists == 0 && states[0].columns == 0);
	EXPECT(states[1].exists == 1 && states[1].columns == 2);
	EXPECT(memcmp(states[1].block_lsn, last_head(&owner)->block_lsn,
				  sizeof(states[1].block_lsn)) == 0);
	EXPECT((states[1].cached[0] & 1) == 1);
	/* Nothing is known of WAL yet. */
	EXPECT((states[1].fresh[0] & 1) == 0);
	EXPECT(confirm(&owner, states[1].edition, 9));
	EXPECT(ask_extents(&owner, 0, 3, states) && (states[0].fresh[0] & 1) == 0);
	EXPECT(wa_test_follow(&owner, 9, 11, NULL, 0) == 11);
	EXPECT(wa_test_follow(&owner, 8, 10, NULL, 0) == 11);
	EXPECT(wa_counter_get((int64_t *) &daemon->counters->followed) == 11);
	EXPECT(confirm(&owner, states[0].edition + 1, 9));
	EXPECT(confirm(&owner, states[0].edition, 8));
	EXPECT(ask_extents(&owner, 0, 3, states) && (states[0].fresh[0] & 1) == 0);
	EXPECT(confirm(&owner, states[0].edition, 9));
	EXPECT(ask_extents(&owner, 0, 3, states) &&
		   memcmp(states[0].fresh, states[0].cached, sizeof(states[0].fresh)) ==
			   0);
	/* What is told without waiting for a reply is known to what is asked next. */
	EXPECT(wa_test_tell_follow(&owner, 10, CHANGED_LSN, &block, 1));
	EXPECT(ask_extents(&owner, 0, 3, states) && (states[0].fresh[0] & 1) == 0);
	EXPECT(wa_test_follow(&owner, CHANGED_LSN, CHANGED_LSN, NULL, 0) ==
		   CHANGED_LSN);
	EXPECT(confirm(&owner, states[0].edition, CHANGED_LSN - 1));
	EXPECT(ask_extents(&owner, 0, 3, states) && (states[0].fresh[0] & 1) == 0);
	wa_test_disown(&owner);
	return true;
}

/* Asks for extents of relation 0 that lack something; returns how many, or -1. */
static int
ask_changed(WaTestOwner *owner, uint32_t first, uint32_t nblocks, uint32_t room,
			WaExtentState *states)
{
	WaExtentsMessage extents = {.relation = wa_test_relation(0),
								.first = first,
								.nblocks = nblocks,
								.room = room};

	return ask_for_states(owner, &extents, states);
}

/* Extents that lack blocks, or have some that are not fresh. */
static bool
test_changed(WaTestDaemon *daemon)
{
	const uint32_t block = 3 * WA_EXTENT_BLOCKS;
	WaTestOwner owner;
	WaExtentState states[8];
	uint32_t nblocks;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(ask_changed(&owner, 0, 0, 8, states) == 0);
	EXPECT(ask_changed(&owner, 0, 1030, 8, states) == 3);
	EXPECT(ask_changed(&owner, 1, 1030, 8, states) == 2);
	EXPECT(ask_changed(&owner, 1, 1030, 1, states) == 1);
	EXPECT(states[0].number == 1 && states[0].exists == 0);
	EXPECT(wa_test_follow(&owner, 9, 9, NULL, 0) == 9);
	EXPECT(wa_test_load_extent(&owner, 0, 3, 9, 1003, 4 + 8) == WA_OK);
	nblocks = block;
	while (last_head(&owner)->block_lsn[nblocks - block] != 0)
		nblocks++;
	EXPECT(ask_changed(&owner, 0, nblocks, 8, states) == 3);
	EXPECT(states[2].number == 2);
	EXPECT(ask_changed(&owner, 0, nblocks + 1, 8, states) == 4);
	EXPECT(states[3].number == 3 && states[3].exists == 1);
	EXPECT(states[3].columns == 2);
	EXPECT(wa_extent_state_is_sound(&states[3], 3, 2));
	EXPECT(wa_test_follow(&owner, 9, CHANGED_LSN, &block, 1) == CHANGED_LSN);
	EXPECT(ask_changed(&owner, 3, nblocks, 8, states) == 1);
	EXPECT(states[0].number == 3);
	EXPECT((states[0].cached[0] & ~states[0].fresh[0]) == 1);
	wa_test_disown(&owner);
	return true;
}

/* Asks for the list of columns; returns how many there are. */
static int64_t
ask_list(WaTestOwner *owner, uint32_t database, uint32_t room,
		 WaResidentColumn *list)
{
	WaListMessage ask;
	WaMessage reply;

	memset(&ask, 0, sizeof(ask));
	wa_message_begin(&ask.header, WA_MSG_LIST, sizeof(ask), 36);
	ask.database = database;
	ask.room = room;
	ask.list = WA_TEST_ANSWERS;
	if (wa_test_ask(owner, &ask, &reply) != WA_MSG_LISTED)
		return -1;
	memcpy(list, owner->parcel + WA_TEST_ANSWERS, room * sizeof(*list));
	if (reply.listed.columns < room)
		room = reply.listed.columns;
	if (reply.header.bulk != wa_checksum(0, list, room * sizeof(*list)))
		return -1;
	for (uint32_t i = 0; i < room; i++)
		if (!wa_resident_column_is_sound(&list[i]))
			return -1;
	return reply.listed.columns;
}

static bool
test_listing(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentColumn list[20];
	WaUnloadMessage unload;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(ask_list(&owner, 0, 20, list) == 0);
	EXPECT(wa_test_load_extent(&owner, 0, 3, 9, 1003, 1) == WA_OK);
	EXPECT(wa_test_load_extent(&owner, 0, 4, 9, 1003, 1 + 0x200) == WA_OK);
	EXPECT(wa_test_load_extent(&owner, 1, 0, 9, 1003, 7) == WA_OK);
	EXPECT(ask_list(&owner, 0, 20, list) == 5);
	EXPECT(ask_list(&owner, 0, 2, list) == 5);
	EXPECT(ask_list(&owner, 6, 20, list) == 3);
	EXPECT(ask_list(&owner, 7, 20, list) == 0);
	EXPECT(ask_list(&owner, 5, 20, list) == 2);
	EXPECT(list[0].name.attribute == 1 && list[0].extents == 2);
	EXPECT(list[1].name.attribute == 10 && list[1].extents == 1);
	EXPECT(list[0].queries == 0 && list[0].last_use_us == 0);
	memset(&unload, 0, sizeof(unload));
	wa_message_begin(&unload.header, WA_MSG_UNLOAD, sizeof(unload), 37);
	unload.relation = wa_test_relation(0);
	unload.attribute = 10;
	EXPECT(wa_test_ask(&owner, &unload, &reply) == WA_MSG_DONE);
	EXPECT(ask_list(&owner, 5, 20, list) == 1);
	unload.attribute = 0;
	EXPECT(wa_test_ask(&owner, &unload, &reply) == WA_MSG_DONE);
	EXPECT(ask_list(&owner, 5, 20, list) == 0);
	EXPECT(ask_list(&owner, 0, 20, list) == 3);
	wa_test_disown(&owner);
	return true;
}

/* Loads an extent of relation 0, whose only column, an INT, has a number. */
static bool
load_number(WaTestOwner *owner, int16_t attribute)
{
	WaExtentHead *head = (WaExtentHead *) (void *) owner->parcel;
	WaMessage reply;

	wa_test_write_extent(owner->parcel, wa_test_relation(0), 3, 9, 1003, 40, 1);
	head->columns[0].name.attribute = attribute;
	return wa_test_send_load(owner, 0) &&
		   wa_test_receive_reply(owner->client.fd, &reply) == WA_MSG_DONE;
}

/* The column ctid is loaded, listed and unloaded by its number, the only one below 0. */
static bool
test_places(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentColumn list[20];
	WaUnloadMessage unload;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(wa_test_load_extent(&owner, 0, 3, 9, 1003, 1) == WA_OK);
	EXPECT(load_number(&owner, WA_PLACE_ATTRIBUTE));
	EXPECT(ask_list(&owner, 5, 20, list) == 2);
	EXPECT(list[0].name.attribute + list[1].name.attribute == 0);
	EXPECT(list[0].rows == list[1].rows && list[0].blocks == list[1].blocks);
	memset(&unload, 0, sizeof(unload));
	wa_message_begin(&unload.header, WA_MSG_UNLOAD, sizeof(unload), 37);
	unload.relation = wa_test_relation(0);
	unload.attribute = WA_PLACE_ATTRIBUTE;
	EXPECT(wa_test_ask(&owner, &unload, &reply) == WA_MSG_DONE);
	EXPECT(ask_list(&owner, 5, 20, list) == 1 && list[0].name.attribute == 1);
	EXPECT(!load_number(&owner, -2));
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* Tells what pinning a relation, or not, is answered by. */
static int
ask_to_pin(WaTestOwner *owner, uint64_t relation, uint32_t pinned)
{
	WaPinMessage pin;
	WaMessage reply;

	memset(&pin, 0, sizeof(pin));
	wa_message_begin(&pin.header, WA_MSG_PIN, sizeof(pin), 37);
	pin.relation = wa_test_relation(relation);
	pin.pinned = pinned;
	return wa_test_ask(owner, &pin, &reply);
}

static bool
test_pins(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentColumn list[2];

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(ask_to_pin(&owner, 0, 1) == WA_MSG_FAILED);
	EXPECT(ask_to_pin(&owner, 0, 0) == WA_MSG_DONE);
	EXPECT(wa_test_load_extent(&owner, 0, 3, 9, 1003, 1) == WA_OK);
	EXPECT(ask_to_pin(&owner, 0, 1) == WA_MSG_DONE);
	EXPECT(ask_list(&owner, 5, 2, list) == 1);
	EXPECT(list[0].is_pinned == 1 && list[0].is_asked == 0);
	EXPECT(ask_to_pin(&owner, 0, 0) == WA_MSG_DONE);
	EXPECT(ask_list(&owner, 5, 2, list) == 1);
	EXPECT(list[0].is_pinned == 0);
	EXPECT(ask_to_pin(&owner, 0, 2) != WA_MSG_DONE);
	wa_test_disown(&owner);
	return true;
}

/* Sends SETTINGS with a limit. */
static bool
set_limit(const WaTestDaemon *daemon, uint64_t limit)
{
	WaSettingsMessage settings;

	memset(&settings, 0, sizeof(settings));
	wa_message_begin(&settings.header, WA_MSG_SETTINGS, sizeof(settings), 1);
	settings.version = WA_PROTOCOL_VERSION;
	settings.device = WA_WANT_CPU;
	settings.memory_limit = limit;
	settings.autoload_permille = 1000;
	EXPECT(wa_test_send(daemon->control_fd, &settings, sizeof(settings)));
	return wa_test_ping(daemon, WA_TEST_PATIENCE_MS);
}

static bool
test_limit(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentColumn list[20];
	uint32_t loaded = 0;

	EXPECT(wa_test_own(&owner));
	while (wa_test_load_extent(&owner, 0, loaded, 9, 1003, 4) == WA_OK)
		loaded++;
	EXPECT(loaded > 4 && loaded < 99);
	EXPECT(wa_test_load_extent(&owner, 0, 99, 9, 1003, 4) == WA_OUT_OF_MEMORY);
	EXPECT(wa_test_load_extent(&owner, 1, 0, 9, 1003, 4) == WA_OK);
	EXPECT(ask_list(&owner, 0, 20, list) == 2);
	EXPECT(list[0].bytes + list[1].bytes < 1 << 20);
	EXPECT(set_limit(daemon, 40000));
	EXPECT(ask_list(&owner, 0, 20, list) <= 1);
	EXPECT(set_limit(daemon, 1));
	EXPECT(ask_list(&owner, 0, 20, list) == 0);
	EXPECT(wa_test_load_extent(&owner, 0, 99, 9, 1003, 4) == WA_OUT_OF_MEMORY);
	EXPECT(set_limit(daemon, 0)); /* what the command line said */
	EXPECT(wa_test_load_extent(&owner, 0, 99, 9, 1003, 4) == WA_OK);
	wa_test_disown(&owner);
	return true;
}

/* Tells what becomes of SHARE with such descriptors: the reply's type. */
static int
share_of(const int *fds, int nfds, uint64_t bytes)
{
	WaTestClient client;
	WaShareMessage share;
	WaMessage reply;
	int type;

	wa_message_begin(&share.header, WA_MSG_SHARE, sizeof(share), 31);
	share.bytes = bytes;
	if (!wa_test_connect(&client) || !wa_test_hello(&client) ||
		!wa_test_send_with(client.fd, &share, sizeof(share), fds, nfds))
		return -1;
	type = wa_test_receive_reply(client.fd, &reply);
	wa_test_close(&client);
	return type;
}

static bool
test_bad_parcels(WaTestDaemon *daemon)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	const int good = wa_test_make_parcel(8192, all);
	const int several[4] = {good, good, good, good};
	int fd;

	(void) daemon;
	EXPECT(share_of(&good, 1, 8192) == WA_MSG_DONE);
	EXPECT(share_of(&good, 1, 4096) == WA_MSG_DONE);
	for (int i = 2; i <= 4; i++)
		EXPECT(share_of(several, i, 8192) == 0);
	EXPECT(share_of(NULL, 0, 8192) == 0);
	EXPECT(share_of(&good, 1, 0) == 0);
	EXPECT(share_of(&good, 1, 8191) == 0);
	EXPECT(share_of(&good, 1, 12288) == 0);
	EXPECT(share_of(&good, 1, UINT64_MAX - 4095) == 0);
	(void) close(good);
	fd = wa_test_make_parcel(8192, 0);
	EXPECT(share_of(&fd, 1, 8192) == 0);
	(void) close(fd);
	fd = wa_test_make_parcel(8192, F_SEAL_GROW | F_SEAL_SEAL);
	EXPECT(share_of(&fd, 1, 8192) == 0);
	(void) close(fd);
	fd = wa_test_make_parcel(8192, F_SEAL_SHRINK | F_SEAL_WRITE);
	EXPECT(share_of(&fd, 1, 8192) == WA_MSG_FAILED);
	(void) close(fd);
	fd = wa_test_make_parcel((uint64_t) 2 << 30, F_SEAL_SHRINK);
	EXPECT(share_of(&fd, 1, (uint64_t) 2 << 30) == WA_MSG_FAILED);
	EXPECT(share_of(&fd, 1, (uint64_t) 1 << 30) == WA_MSG_DONE);
	(void) close(fd);
	fd = open("/dev/zero", O_RDWR);
	EXPECT(share_of(&fd, 1, 4096) == 0);
	(void) close(fd);
	fd = open("log", O_RDWR);
	EXPECT(share_of(&fd, 1, 4096) == 0);
	(void) close(fd);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	EXPECT(share_of(&fd, 1, 4096) == 0);
	(void) close(fd);
	return wa_test_daemon_answers();
}

/* Sends a request on a new connection with a parcel; whether that ends it. */
static bool
request_is_rejected(const void *request)
{
	WaTestOwner owner;
	WaMessage reply;
	bool closed;

	EXPECT(wa_test_own(&owner));
	wa_test_write_extent(owner.parcel, wa_test_relation(0), 1, 1, 99, 9, 1);
	closed = wa_test_ask(&owner, request, &reply) == 0;
	wa_test_disown(&owner);
	return closed;
}

static bool
test_bad_offsets(WaTestDaemon *daemon)
{
	static const uint64_t bad[] = {
		1,          63,         WA_TEST_PARCEL_BYTES, WA_TEST_PARCEL_BYTES - 64,
		UINT64_MAX, 1ULL << 63, UINT64_MAX - 63};
	WaLoadMessage load;
	WaListMessage list;
	WaExtentsMessage extents;
	WaConfirmMessage confirm;
	WaFollowMessage follow;

	memset(&load, 0, sizeof(load));
	memset(&list, 0, sizeof(list));
	memset(&extents, 0, sizeof(extents));
	memset(&confirm, 0, sizeof(confirm));
	memset(&follow, 0, sizeof(follow));
	wa_message_begin(&load.header, WA_MSG_LOAD, sizeof(load), 1);
	wa_message_begin(&list.header, WA_MSG_LIST, sizeof(list), 1);
	wa_message_begin(&extents.header, WA_MSG_EXTENTS,
					 offsetof(WaExtentsMessage, columns), 1);
	wa_message_begin(&confirm.header, WA_MSG_CONFIRM, sizeof(confirm), 1);
	confirm.relation = extents.relation = wa_test_relation(0);
	EXPECT(request_is_rejected(&confirm)); /* at position 0 */
	EXPECT(request_is_rejected(&extents)); /* without room */
	extents.room = 1;
	extents.all = 2;
	EXPECT(request_is_rejected(&extents));
	extents.all = 0;
	wa_message_begin(&follow.header, WA_MSG_FOLLOW,
					 offsetof(WaFollowMessage, changes), 1);
	EXPECT(request_is_rejected(&follow)); /* from position 0 */
	follow.from = follow.to = 1;
	follow.no_reply = 2;
	EXPECT(request_is_rejected(&follow));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		load.extent = list.list = extents.states = bad[i];
		list.room = 1;
		EXPECT(request_is_rejected(&load));
		EXPECT(request_is_rejected(&list));
		EXPECT(request_is_rejected(&extents));
	}
	load.extent = 65536; /* where there are only zeros */
	EXPECT(request_is_rejected(&load));
	list.list = extents.states = 0;
	list.room = extents.room = UINT32_MAX;
	EXPECT(request_is_rejected(&list));
	EXPECT(request_is_rejected(&extents));
	EXPECT(wa_test_is_rejected(&load, sizeof(load), true));
	EXPECT(wa_test_ping(daemon, WA_TEST_PATIENCE_MS));
	return wa_test_daemon_answers();
}

/* Values that cannot be are refused, and the connection goes on. */
static bool
test_bad_values(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentMessage resident;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	wa_test_write_extent(owner.parcel, wa_test_relation(0), 1, 1, 99, 9, 0x100);
	memset(owner.parcel + last_head(&owner)->columns[0].values, 7, 10);
	EXPECT(wa_test_send_load(&owner, 0));
	EXPECT(wa_test_receive_reply(owner.client.fd, &reply) == WA_MSG_FAILED);
	EXPECT(reply.failed.status == WA_BAD_REQUEST);
	EXPECT(wa_test_residency(&owner, 0, 0x100, &resident));
	EXPECT(resident.columns[0].blocks == 0);
	EXPECT(wa_test_load_extent(&owner, 0, 1, 1, 99, 0x100) == WA_OK);
	wa_test_disown(&owner);
	return true;
}

/* Descriptors come with SHARE only. */
static bool
test_stray_descriptors(WaTestDaemon *daemon)
{
	const int fd = wa_test_make_parcel(8192, F_SEAL_SHRINK);
	WaTestClient client;
	WaSimpleMessage simple;

	memset(&simple, 0, sizeof(simple));
	wa_message_begin(&simple.header, WA_MSG_STATUS, sizeof(simple), 1);
	for (int i = 0; i < 3; i++)
	{
		EXPECT(wa_test_connect(&client) && wa_test_hello(&client));
		EXPECT(wa_test_send_with(client.fd, &simple, sizeof(simple), &fd, 1));
		EXPECT(wa_test_is_closed(client.fd));
		wa_test_close(&client);
	}
	/* before HELLO, and to the supervisor's socket */
	EXPECT(wa_test_connect(&client));
	EXPECT(wa_test_share(client.fd, fd, 8192));
	EXPECT(wa_test_is_closed(client.fd));
	wa_test_close(&client);
	EXPECT(wa_test_share(daemon->control_fd, fd, 8192));
	EXPECT(wa_test_ping(daemon, WA_TEST_PATIENCE_MS));
	(void) close(fd);
	return wa_test_daemon_answers();
}

/* Returns how many descriptors the daemon has open. */
static int
count_descriptors(const WaTestDaemon *daemon)
{
	char path[64];
	DIR *directory;
	int count = 0;

	(void) snprintf(path, sizeof(path), "/proc/%d/fd", (int) daemon->pid);
	directory = opendir(path);
	while (directory != NULL && readdir(directory) != NULL)
		count++;
	if (directory != NULL)
		(void) closedir(directory);
	return count;
}

/* Returns how many parcels the daemon has mapped. */
static int
count_parcels(const WaTestDaemon *daemon)
{
	char line[512];
	FILE *file;
	int count = 0;

	(void) snprintf(line, sizeof(line), "/proc/%d/maps", (int) daemon->pid);
	file = fopen(line, "r");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		count += strstr(line, "memfd:parcel") != NULL;
	if (file != NULL)
		(void) fclose(file);
	return count;
}

/* Waits until no parcel is mapped. */
static bool
parcels_go(const WaTestDaemon *daemon)
{
	const long until_ms = wa_test_clock_ms() + WA_TEST_PATIENCE_MS;

	while (count_parcels(daemon) > 0)
	{
		EXPECT(wa_test_clock_ms() < until_ms);
		wa_test_sleep(5);
	}
	return true;
}

/* Backends that go while what they asked for is done leave nothing behind. */
static bool
test_leaving(WaTestDaemon *daemon)
{
	static const uint64_t attributes[] = {4, ALL_ATTRIBUTES, 0x200};
	WaTestOwner owners[8];
	int descriptors;

	EXPECT(wa_test_daemon_answers());
	descriptors = count_descriptors(daemon);
	for (int round = 0; round < 20; round++)
	{
		for (int i = 0; i < 8; i++)
		{
			EXPECT(wa_test_own(&owners[i]));
			wa_test_write_extent(owners[i].parcel, wa_test_relation(0),
								 (uint32_t) (i + 8 * round), 1, 411, 200,
								 attributes[round % 3]);
		}
		EXPECT(count_parcels(daemon) >= 8);
		for (int i = 0; i < 8; i++)
			EXPECT(wa_test_send_load(&owners[i], 0));
		if (round % 2 == 0)
			wa_test_sleep(round / 2);
		for (int i = 0; i < 8; i++)
			wa_test_disown(&owners[i]);
	}
	EXPECT(parcels_go(daemon));
	EXPECT(wa_test_daemon_answers());
	EXPECT(count_descriptors(daemon) <= descriptors + 1);
	return true;
}

/* A new parcel takes the place of the one before. */
static bool
test_sharing_again(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaMessage reply;

	EXPECT(wa_test_own(&owner));
	for (int i = 0; i < 100; i++)
	{
		EXPECT(wa_test_share(owner.client.fd, owner.parcel_fd,
							 WA_TEST_PARCEL_BYTES - 4096));
		EXPECT(wa_test_receive_reply(owner.client.fd, &reply) == WA_MSG_DONE);
	}
	EXPECT(count_parcels(daemon) == 1);
	EXPECT(wa_test_load_extent(&owner, 0, 1, 1, 99, 1) == WA_OK);
	wa_test_disown(&owner);
	return parcels_go(daemon);
}

/* Loads many extents; what it returns says whether all went well. */
static void *
load_many(void *arg)
{
	const uint64_t relation = (uintptr_t) arg % 2;
	WaTestOwner owner;
	WaResidentMessage resident;

	if (!wa_test_own(&owner))
		return NULL;
	for (uint32_t i = 0; i < 60; i++)
		if (wa_test_load_extent(&owner, relation, i % 20, 1, 300 + i % 3,
								ALL_ATTRIBUTES) != WA_OK ||
			!wa_test_residency(&owner, relation, 3, &resident))
			return NULL;
	wa_test_disown(&owner);
	return arg;
}

static bool
test_many_loaders(WaTestDaemon *daemon)
{
	pthread_t threads[4];
	void *result;

	(void) daemon;
	for (uintptr_t i = 0; i < 4; i++)
		EXPECT(pthread_create(&threads[i], NULL, load_many, (void *) (i + 1)) ==
			   0);
	for (int i = 0; i < 4; i++)
		EXPECT(pthread_join(threads[i], &result) == 0 && result != NULL);
	return wa_test_daemon_answers();
}

/* Until then columns come and go. */
static bool is_listing;

/* Loads columns and has them forgotten, over and over; returns as load_many does. */
static void *
come_and_go(void *arg)
{
	WaTestOwner owner;
	WaUnloadMessage unload;
	WaMessage reply;

	memset(&unload, 0, sizeof(unload));
	wa_message_begin(&unload.header, WA_MSG_UNLOAD, sizeof(unload), 37);
	unload.relation = wa_test_relation((uintptr_t) arg);
	if (!wa_test_own(&owner))
		return NULL;
	while (__atomic_load_n(&is_listing, __ATOMIC_RELAXED))
		if (wa_test_load_extent(&owner, (uintptr_t) arg, 0, 1, 300,
								ALL_ATTRIBUTES) != WA_OK ||
			wa_test_ask(&owner, &unload, &reply) != WA_MSG_DONE)
			return NULL;
	wa_test_disown(&owner);
	return arg;
}

/* A list is what there was at one time. */
static bool
test_listing_beside(WaTestDaemon *daemon)
{
	static WaResidentColumn list[4 * WA_TEST_ATTRIBUTES];
	const uint32_t room = sizeof(list) / sizeof(list[0]);
	WaTestOwner owner;
	pthread_t threads[3];
	void *result;
	bool is_right = true;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	__atomic_store_n(&is_listing, true, __ATOMIC_RELAXED);
	for (uintptr_t i = 0; i < 3; i++)
		EXPECT(pthread_create(&threads[i], NULL, come_and_go,
							  (void *) (i + 1)) == 0);
	for (int i = 0; i < 3000 && is_right; i++)
	{
		const int count = ask_list(&owner, 0, room, list);

		is_right = count >= 0 && count % WA_TEST_ATTRIBUTES == 0;
	}
	__atomic_store_n(&is_listing, false, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		EXPECT(pthread_join(threads[i], &result) == 0 && result != NULL);
	EXPECT(is_right);
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

static const WaTestCase tests[] = {
	{.name = "loading", .run = test_loading},
	{.name = "damaged extents", .run = test_damage},
	{.name = "confirming", .run = test_confirming},
	{.name = "what has changed", .run = test_changed},
	{.name = "listing and unloading", .run = test_listing},
	{.name = "places of rows", .run = test_places},
	{.name = "pins", .run = test_pins},
	{.name = "the limit of memory",
	 .run = test_limit,
	 .arguments = {"--memory-limit=1000000"}},
	{.name = "parcels that are none", .run = test_bad_parcels},
	{.name = "offsets out of bounds", .run = test_bad_offsets},
	{.name = "values that cannot be", .run = test_bad_values},
	{.name = "stray descriptors", .run = test_stray_descriptors},
	{.name = "leaving while loading", .run = test_leaving},
	{.name = "sharing again", .run = test_sharing_again},
	{.name = "many loaders", .run = test_many_loaders},
	{.name = "listing while columns come and go", .run = test_listing_beside},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
