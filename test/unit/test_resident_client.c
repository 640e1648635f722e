/*
 * test_resident_client.c
 *		Sharing parcels and loading extents; see test_resident_client.h.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/checksum.h"
#include "test/unit/test_resident_client.h"

#define MAX_FDS 4

int
wa_test_make_parcel(uint64_t bytes, int seals)
{
	int fd = memfd_create("parcel", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && ftruncate(fd, (off_t) bytes) == 0 &&
		(seals == 0 || fcntl(fd, F_ADD_SEALS, seals) == 0))
		return fd;
	return -1;
}

bool
wa_test_send_with(int fd, const void *bytes, size_t length, const int *fds,
				  int nfds)
{
	union
	{
		struct cmsghdr align;
		char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
	} control;
	WaMessage copy;
	struct iovec part = {(void *) wa_test_seal(&copy, bytes, length), length};
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};

	memset(&control, 0, sizeof(control));
	if (nfds > 0)
	{
		struct cmsghdr *rights;

		packet.msg_control = control.bytes;
		packet.msg_controllen = CMSG_SPACE((size_t) nfds * sizeof(int));
		rights = CMSG_FIRSTHDR(&packet);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN((size_t) nfds * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, (size_t) nfds * sizeof(int));
	}
	return sendmsg(fd, &packet, MSG_NOSIGNAL) == (ssize_t) length;
}

bool
wa_test_share(int fd, int parcel_fd, uint64_t bytes)
{
	WaShareMessage share;

	wa_message_begin(&share.header, WA_MSG_SHARE, sizeof(share), 31);
	share.bytes = bytes;
	return wa_test_send_with(fd, &share, sizeof(share), &parcel_fd, 1);
}

bool
wa_test_own(WaTestOwner *owner)
{
	WaMessage reply;
	void *memory;

	EXPECT(wa_test_connect(&owner->client));
	EXPECT(wa_test_hello(&owner->client));
	owner->parcel_fd = wa_test_make_parcel(WA_TEST_PARCEL_BYTES, F_SEAL_SHRINK);
	EXPECT(owner->parcel_fd >= 0);
	memory = mmap(NULL, WA_TEST_PARCEL_BYTES, PROT_READ | PROT_WRITE,
				  MAP_SHARED, owner->parcel_fd, 0);
	EXPECT(memory != MAP_FAILED);
	owner->parcel = memory;
	EXPECT(wa_test_share(owner->client.fd, owner->parcel_fd,
						 WA_TEST_PARCEL_BYTES));
	EXPECT(wa_test_receive_reply(owner->client.fd, &reply) == WA_MSG_DONE);
	EXPECT(reply.header.request == 31);
	return true;
}

void
wa_test_disown(WaTestOwner *owner)
{
	(void) munmap(owner->parcel, WA_TEST_PARCEL_BYTES);
	(void) close(owner->parcel_fd);
	wa_test_close(&owner->client);
}

uint32_t
wa_test_extent_checksum(const uint8_t *parcel, uint64_t offset, uint64_t bytes)
{
	WaExtentHead head;

	if (offset > bytes || bytes - offset < sizeof(head))
		return 0;
	memcpy(&head, parcel + offset, sizeof(head));
	return wa_extent_is_sound(&head, bytes) ? wa_extent_checksum(&head, parcel)
											: 0;
}

bool
wa_test_send_load(WaTestOwner *owner, uint64_t offset)
{
	WaLoadMessage load;

	wa_message_begin(&load.header, WA_MSG_LOAD, sizeof(load), 32);
	load.extent = offset;
	load.header.bulk =
		wa_test_extent_checksum(owner->parcel, offset, WA_TEST_PARCEL_BYTES);
	return wa_test_send(owner->client.fd, &load, sizeof(load));
}

int
wa_test_load_extent(WaTestOwner *owner, uint64_t relation, uint32_t number,
					uint64_t position, uint64_t seed, uint64_t attributes)
{
	WaMessage reply;

	wa_test_write_extent(owner->parcel, wa_test_relation(relation), number,
						 position, seed, 40, attributes);
	if (!wa_test_send_load(owner, 0))
		return -1;
	switch (wa_test_receive_reply(owner->client.fd, &reply))
	{
		case WA_MSG_DONE:
			return WA_OK;
		case WA_MSG_FAILED:
			return (int) reply.failed.status;
		default:
			return -1;
	}
}

/* Gives a RUN the checksum of what it names, if that lies in the parcel. */
static void
seal_run(const WaTestOwner *owner, WaRunMessage *run)
{
	const uint64_t bytes = wa_run_sources_bytes(run->nsources, run->ncolumns);

	if (run->query <= WA_TEST_PARCEL_BYTES &&
		run->query_bytes <= WA_TEST_PARCEL_BYTES - run->query &&
		run->sources <= WA_TEST_PARCEL_BYTES &&
		bytes <= WA_TEST_PARCEL_BYTES - run->sources)
		run->header.bulk = wa_run_checksum(run, owner->parcel + run->query,
										   owner->parcel + run->sources, NULL);
}

/* Fills in the checksum of the sources of a question, if they lie right. */
static void
seal_question(const WaTestOwner *owner, WaResidencyMessage *residency)
{
	const uint64_t bytes =
		wa_run_sources_bytes(residency->nsources, residency->ncolumns);

	if (residency->sources <= WA_TEST_PARCEL_BYTES &&
		bytes <= WA_TEST_PARCEL_BYTES - residency->sources)
		residency->header.bulk =
			wa_checksum(0, owner->parcel + residency->sources, bytes);
}

int
wa_test_ask(WaTestOwner *owner, const void *request, WaMessage *reply)
{
	const WaHeader *header = request;
	WaMessage message;

	memcpy(&message, request, header->length);
	if (header->type == WA_MSG_RUN)
		seal_run(owner, &message.run);
	if (header->type == WA_MSG_RESIDENCY)
		seal_question(owner, &message.residency);
	if (!wa_test_send(owner->client.fd, &message, header->length))
		return -1;
	return wa_test_receive_reply(owner->client.fd, reply);
}

/* Makes a FOLLOW that says that WAL has changed some blocks of relation 0. */
static void
make_follow(WaFollowMessage *follow, uint64_t from, uint64_t to,
			const uint32_t *blocks, uint32_t nblocks)
{
	memset(follow, 0, sizeof(*follow));
	follow->from = from;
	follow->to = to;
	follow->nchanges = nblocks;
	for (uint32_t i = 0; i < nblocks; i++)
		follow->changes[i] = (WaChange){.relation = wa_test_relation(0),
										.block = blocks[i],
										.kind = WA_CHANGE_BLOCK,
										.lsn = to};
	wa_message_begin(&follow->header, WA_MSG_FOLLOW,
					 (uint32_t) (offsetof(WaFollowMessage, changes) +
								 nblocks * sizeof(WaChange)),
					 38);
}

bool
wa_test_tell_follow(const WaTestOwner *owner, uint64_t from, uint64_t to,
					const uint32_t *blocks, uint32_t nblocks)
{
	WaFollowMessage follow;

	make_follow(&follow, from, to, blocks, nblocks);
	follow.no_reply = 1;
	return wa_test_send(owner->client.fd, &follow, follow.header.length);
}

uint64_t
wa_test_follow(WaTestOwner *owner, uint64_t from, uint64_t to,
			   const uint32_t *blocks, uint32_t nblocks)
{
	WaFollowMessage follow;
	WaMessage reply;

	make_follow(&follow, from, to, blocks, nblocks);
	return wa_test_ask(owner, &follow, &reply) == WA_MSG_FOLLOWED &&
				   reply.header.request == 38
			   ? reply.followed.position
			   : 0;
}

WaRunMessage
wa_test_run(const WaTestOwner *owner, uint64_t attributes, uint64_t position,
			const void *query, uint64_t query_bytes, uint32_t request)
{
	WaRunMessage run;

	memcpy(owner->parcel + WA_TEST_QUERY_AT, query, query_bytes);
	memset(&run, 0, sizeof(run));
	run.sources = WA_TEST_SOURCES_AT;
	wa_test_write_only_source(owner->parcel, &run, 0, WA_TEST_BLOCKS,
							  attributes);
	run.position = position;
	run.snapshot = wa_test_snapshot;
	run.query = WA_TEST_QUERY_AT;
	run.query_bytes = query_bytes;
	run.used = WA_TEST_USED_AT;
	run.cover = WA_TEST_COVER_AT;
	run.groups = WA_TEST_GROUPS_AT;
	run.groups_room = 4096;
	wa_message_begin(&run.header, WA_MSG_RUN,
					 (uint32_t) (offsetof(WaRunMessage, columns) +
								 run.ncolumns * sizeof(WaColumnName)),
					 request);
	seal_run(owner, &run);
	return run;
}

WaResidencyMessage
wa_test_question(const WaTestOwner *owner, const uint64_t *relations,
				 uint32_t nsources, uint64_t attributes)
{
	WaResidencyMessage residency;
	WaRunMessage run; /* over the same sources */

	memset(&residency, 0, sizeof(residency));
	run.sources = WA_TEST_SOURCES_AT;
	wa_test_write_only_source(owner->parcel, &run, relations[0], 0, attributes);
	run.nsources = nsources;
	for (uint32_t i = 0; i < nsources; i++)
	{
		WaColumnName names[WA_TEST_ATTRIBUTES];
		int16_t numbers[WA_TEST_ATTRIBUTES];

		(void) wa_test_names(attributes, names);
		for (uint32_t j = 0; j < run.ncolumns; j++)
			numbers[j] = names[j].attribute;
		wa_test_write_source(owner->parcel, &run, i, relations[i], 0, numbers);
	}
	residency.nsources = nsources;
	residency.ncolumns = run.ncolumns;
	residency.sources = run.sources;
	residency.blocks = WA_TEST_BLOCKS_AT;
	memcpy(residency.columns, run.columns, run.ncolumns * sizeof(*run.columns));
	wa_message_begin(&residency.header, WA_MSG_RESIDENCY,
					 (uint32_t) (offsetof(WaResidencyMessage, columns) +
								 run.ncolumns * sizeof(*run.columns)),
					 33);
	return residency;
}

bool
wa_test_residency(WaTestOwner *owner, uint64_t relation, uint64_t attributes,
				  WaResidentMessage *resident)
{
	const WaResidencyMessage residency =
		wa_test_question(owner, &relation, 1, attributes);
	WaMessage reply;

	EXPECT(wa_test_ask(owner, &residency, &reply) == WA_MSG_RESIDENT);
	EXPECT(reply.header.request == 33);
	EXPECT(reply.resident.ncolumns == residency.ncolumns);
	*resident = reply.resident;
	return true;
}
