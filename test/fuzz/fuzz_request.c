/*
 * fuzz_request.c
 *		What several backends, and the supervisor, may send and do: the server takes
 *		it as it comes, sends nothing but sound messages, and in the end nothing of
 *		it is left.
 *
 * An input is a script, whose steps are those of What.  The server is warpaggd's
 * own, but for its threads, which work when a step says so.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "core/checksum.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_extent_writer.h"
#include "test/fuzz/fuzz_process.h"
#include "test/fuzz/fuzz_query_mutate.h"
#include "test/fuzz/fuzz_threads.h"

#include "daemon/run/named_sources.h"
#include "daemon/run/run.h"

/* To be driven event by event. */
#include "daemon/server/server.c"

#define MAX_CLIENTS 3

#define PAGE_BYTES       ((uint64_t) 4096)
#define MAX_PARCEL_PAGES 128

/* What the store may use, unless the supervisor says less. */
#define MEMORY ((uint64_t) 64 * 1024 * 1024)

/* Sources of a RUN, unless its message stays as it is. */
#define MAX_SOURCES 5

/* More than an input opens, where none is left open. */
#define MAX_DESCRIPTORS 128

/*
 * What a step does.  The lowest bits of b are the client, which is connected if it
 * is not; the others are b in what follows, from bit 8 on.
 */
typedef enum What
{
	WHAT_MESSAGE, /* a: the type; words: all but the header; flags in b */
	WHAT_EXTENT, /* b: place in the parcel, in units of 64; fuzz_extent_write */
	WHAT_WRITE,  /* b: place in the parcel, in words; words: what is written, a:
				   * a query, if odd with its version, or a table */
	WHAT_SHARE,  /* b: pages; a: without a seal; the first word: bytes */
	WHAT_WORK,   /* a: what of */
	WHAT_CLOSE,  /* a: what the client does not say when it comes back */
	WHAT_SLOT,   /* words: the owner, 0: the client; then what the slot has */
	WHAT_TICK,
	WHAT_CONTROL, /* as WHAT_MESSAGE, from the supervisor */
	NWHAT
} What;

/*
 * Flags of a message: a descriptor comes along; bytes as they are; no work; a RUN is as it
 * is, else that of the last query written (tidy_run); a bit is flipped on the way.
 */
#define FLAG_DESCRIPTOR 4U
#define FLAG_RAW        8U
#define FLAG_NO_WORK    16U
#define FLAG_LENGTH     32U
#define FLAG_DAMAGED    64U
#define FLAG_NO_BULK    128U /* the checksum of what goes with it is 0 */

typedef struct Client
{
	int fd; /* -1: it is not connected */
	uint32_t number;
	uint8_t *parcel;
	uint64_t parcel_bytes;
	uint64_t query_bytes; /* of the last query written to the parcel */
	uint8_t unsaid;       /* bits: HELLO, ATTACH */
} Client;

static WaService service;
static WaServer server;
static WaDevice device;
static WaCountersFile counters;
static WaStaging staging;
static Client clients[MAX_CLIENTS];
static int supervisor_fd;
static char socket_path[64]; /* nobody connects to it */

/* Leaves no socket behind. */
static void
remove_socket(void)
{
	(void) unlink(socket_path);
}

/* Opens what all inputs have in common. */
static void
open_process(void)
{
	char error[WA_MAX_ERROR_BYTES];

	(void) snprintf(socket_path, sizeof(socket_path), "/tmp/warpagg_fuzz.%d",
					(int) getpid());
	(void) atexit(remove_socket);
	FUZZ_EXPECT(wa_counters_open(&counters, -1));
	wa_staging_init(&staging, WA_STAGING_SLOT_BYTES);
	FUZZ_EXPECT(wa_staging_make(&staging, error, sizeof(error)) == WA_OK);
}

/* Makes the only device. */
static void
add_device(void)
{
	memset(&device, 0, sizeof(device));
	device.driver = &wa_device_cpu;
	device.info.kind = WA_DEVICE_CPU;
	FUZZ_EXPECT(wa_pool_start(&device.pool, &service.finished, "cpu", 1, 0));
	service.scheduler.devices[0] = &device;
	service.scheduler.ndevices = 1;
}

/* Makes a process that has just started. */
static void
start(void)
{
	const int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int control[2];

	fuzz_restart_numbers();
	memset(&service, 0, sizeof(service));
	memset(staging.header->owner, 0, sizeof(staging.header->owner));
	service.counters = counters;
	service.staging = staging;
	service.memory_limit = MEMORY;
	wa_finished_init(&service.finished, event_fd);
	wa_scheduler_init(&service.scheduler, counters.counters, &service.finished);
	add_device();
	wa_opening_init(&service.opening, &service.scheduler, &service.staging);
	wa_store_init(&service.store, MEMORY, 1);
	wa_ledger_init(&service.store.memory.ledger, counters.counters->memory, 0,
				   MEMORY);
	wa_kept_tables_init(&service.tables, &service.store.memory);
	service.store.tables = &service.tables;
	FUZZ_EXPECT(wa_pool_start(&service.tasks, &service.finished, "task", 0, 0));
	FUZZ_EXPECT(wa_pool_start(&service.pool, &service.finished, "query", 0, 0));
	FUZZ_EXPECT(socketpair(AF_UNIX,
						   SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
						   control) == 0);
	supervisor_fd = control[0];
	FUZZ_EXPECT(
		wa_server_init(&server, &service, socket_path, event_fd, control[1]));
	for (int i = 0; i < MAX_CLIENTS; i++)
		clients[i] = (Client){.fd = -1};
}

/* Has the server handle all that has happened. */
static void
serve(void)
{
	struct epoll_event events[EVENTS_PER_ROUND];
	int nevents;

	while ((nevents =
				epoll_wait(server.epoll_fd, events, EVENTS_PER_ROUND, 0)) > 0)
		for (int i = 0; i < nevents; i++)
			FUZZ_EXPECT(handle_event(&server, events[i].data.u64));
}

/* Closes the descriptors that came with a message. */
static void
close_descriptors(struct msghdr *packet)
{
	for (struct cmsghdr *part = CMSG_FIRSTHDR(packet); part != NULL;
		 part = CMSG_NXTHDR(packet, part))
	{
		size_t nfds = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		for (size_t i = 0; i < nfds; i++)
		{
			int fd;

			memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
			(void) close(fd);
		}
	}
}

/* Takes a reply, which has to be sound; false: there is none.  0: it has ended. */
static bool
take_reply(int fd, ssize_t *length)
{
	union
	{
		struct cmsghdr align;
		char bytes[CMSG_SPACE(WA_SOCKET_MAX_FDS * sizeof(int))];
	} control;
	uint8_t bytes[WA_MAX_MESSAGE_BYTES];
	struct iovec part = {bytes, sizeof(bytes)};
	struct msghdr packet = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = control.bytes,
							.msg_controllen = sizeof(control.bytes)};

	*length = recvmsg(fd, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (*length < 0 && errno == EAGAIN)
		return false;
	if (*length <= 0)
	{
		*length = 0;
		return true;
	}
	close_descriptors(&packet);
	FUZZ_EXPECT(wa_message_is_sound(bytes, (size_t) *length) &&
				wa_message_is_intact(bytes, (size_t) *length));
	return true;
}

/* Ends a client. */
static void
close_client(Client *client, uint8_t unsaid)
{
	if (client->parcel != NULL)
		(void) munmap(client->parcel, client->parcel_bytes);
	if (client->fd >= 0)
		(void) close(client->fd);
	*client = (Client){.fd = -1, .unsaid = unsaid};
}

/* Has all clients, and the supervisor, take their replies. */
static void
take_replies(void)
{
	ssize_t length;

	for (int i = 0; i < MAX_CLIENTS; i++)
		while (clients[i].fd >= 0 && take_reply(clients[i].fd, &length))
			if (length == 0)
				close_client(&clients[i], 0);
	while (take_reply(supervisor_fd, &length))
		FUZZ_EXPECT(length > 0);
}

/* Has the threads do all there is. */
static void
work(void)
{
	while (fuzz_step_pool(&service.pool) || fuzz_step_pool(&service.tasks) ||
		   fuzz_step_jobs(&service.scheduler))
		;
}

/* Has everybody do what there is. */
static void
settle(void)
{
	serve();
	work();
	serve();
	take_replies();
}

/* Sends a message without contents. */
static void
say(const Client *client, WaMessageType type)
{
	WaMessage message;

	fuzz_message_make(&message, type, NULL, 0);
	message.simple.version = WA_PROTOCOL_VERSION;
	FUZZ_EXPECT(wa_socket_send(client->fd, &message.header, NULL, 0));
}

/* Connects a client, which says hello and asks for the staging file. */
static void
open_client(Client *client)
{
	WaConnection *connection;
	int fds[2];

	FUZZ_EXPECT(socketpair(AF_UNIX,
						   SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
						   fds) == 0);
	client->fd = fds[0];
	connection = add_connection(&server, fds[1], getpid());
	FUZZ_EXPECT(connection != NULL);
	client->number = connection->number;
	if ((client->unsaid & 1) == 0)
		say(client, WA_MSG_HELLO);
	if ((client->unsaid & 3) == 0)
		say(client, WA_MSG_ATTACH);
	settle();
	FUZZ_EXPECT(client->fd >= 0);
}

/* Returns the checksum of an extent in a parcel, if it is sound. */
static uint32_t
checksum_extent(const WaParcel *parcel, uint64_t place)
{
	WaExtentHead *head = malloc(sizeof(*head));
	uint32_t checksum = 0;

	FUZZ_EXPECT(head != NULL);
	if (wa_parcel_holds(parcel, place, sizeof(*head)))
	{
		memcpy(head, parcel->memory + place, sizeof(*head));
		if (wa_extent_is_sound(head, parcel->bytes))
			checksum = wa_extent_checksum(head, parcel->memory);
	}
	free(head);
	return checksum;
}

/* Returns the checksum of the batch of a reduction, if that is sound. */
static uint32_t
checksum_batch(const WaReduceMessage *reduce)
{
	WaBatch batch = {.type = (WaType) reduce->type, .nrows = reduce->nrows};

	if (!wa_reduce_is_sound(reduce, staging.slots, WA_STAGING_SLOT_BYTES))
		return 0;
	batch.values = wa_staging_slot(&staging, 0);
	return wa_batch_checksum(&batch);
}

/* Tells whether the blocks whose rows come with a query, if there are some, are there. */
static bool
has_rest_blocks(const WaRunMessage *run, const WaParcel *parcel)
{
	const uint8_t *sources = wa_parcel_place(parcel, run->sources);

	return run->has_rest == 0 ||
		   wa_parcel_holds(
			   parcel, run->cover,
			   wa_run_words_bytes((const WaRunSource *) (const void *) sources,
								  1));
}

/* Fills in the checksum of what goes with a message. */
static void
fill_bulk(const Client *client, WaMessage *message)
{
	const WaParcel parcel = {client->parcel, client->parcel_bytes};
	const WaRunMessage *run = &message->run;
	const WaResidencyMessage *residency = &message->residency;
	const WaStampsMessage *stamps = &message->stamps;
	uint32_t *bulk = &message->header.bulk;

	if (message->header.type == WA_MSG_LOAD)
		*bulk = checksum_extent(&parcel, message->load.extent);
	else if (message->header.type == WA_MSG_REDUCE)
		*bulk = checksum_batch(&message->reduce);
	else if (message->header.type == WA_MSG_RUN &&
			 wa_run_is_sound(run, &parcel) && has_rest_blocks(run, &parcel))
		*bulk = wa_run_checksum(run, wa_parcel_place(&parcel, run->query),
								wa_parcel_place(&parcel, run->sources),
								wa_parcel_place(&parcel, run->cover));
	else if (message->header.type == WA_MSG_RESIDENCY &&
			 wa_named_sources_lie_right(&parcel, residency->sources,
										residency->nsources, residency->columns,
										residency->ncolumns))
		*bulk = wa_checksum(
			0, wa_parcel_place(&parcel, residency->sources),
			wa_run_sources_bytes(residency->nsources, residency->ncolumns));
	else if (message->header.type == WA_MSG_STAMPS &&
			 wa_named_sources_lie_right(&parcel, stamps->sources,
										stamps->nsources, NULL, 0))
		*bulk = wa_checksum(0, wa_parcel_place(&parcel, stamps->sources),
							wa_run_sources_bytes(stamps->nsources, 0));
	else if (message->header.type == WA_MSG_KEPT &&
			 message->kept.count <= WA_MAX_KEPT_DIGESTS &&
			 wa_parcel_holds(&parcel, message->kept.digests,
							 message->kept.count * sizeof(WaTableDigest)))
		*bulk = wa_checksum(0, wa_parcel_place(&parcel, message->kept.digests),
							message->kept.count * sizeof(WaTableDigest));
	else if (message->header.type == WA_MSG_KEEP &&
			 wa_parcel_holds(&parcel, message->keep.table, message->keep.bytes))
		*bulk = wa_checksum(0, wa_parcel_place(&parcel, message->keep.table),
							message->keep.bytes);
}

/* Has a RESIDENCY be over a few sources, by columns that may be. */
static void
tidy_residency(WaResidencyMessage *residency)
{
	residency->nsources = 1 + residency->nsources % MAX_SOURCES;
	for (uint32_t i = 0; i < residency->ncolumns; i++)
		residency->columns[i].attribute = 0;
}

/* Has a KEEP be of the last table, or query, written, by one of a few digests. */
static void
tidy_keep(WaKeepMessage *keep, const Client *client)
{
	keep->bytes = client->query_bytes;
	keep->digest = (WaTableDigest){{1 + keep->digest.words[0] % 3, 0}};
}

/* Has a FETCH be of a table that a KEEP may have named. */
static void
tidy_fetch(WaFetchMessage *fetch)
{
	fetch->digest = (WaTableDigest){{1 + fetch->digest.words[0] % 3, 0}};
}

/* Has a STAMPS be over a few sources. */
static void
tidy_stamps(WaStampsMessage *stamps)
{
	stamps->nsources = 1 + stamps->nsources % MAX_SOURCES;
	stamps->unused = 0;
}

/* Has a BLOCKS be about some blocks of an extent or two, for which there is room. */
static void
tidy_blocks(WaBlocksMessage *blocks)
{
	blocks->nblocks = 1 + blocks->nblocks % 700;
}

/* Has a RUN be of the last query written, over a few sources, by columns that may be. */
static void
tidy_run(WaRunMessage *run, const Client *client)
{
	run->query_bytes = client->query_bytes;
	run->nsources = 1 + run->nsources % MAX_SOURCES;
	for (uint32_t i = 0; i < run->ncolumns; i++)
		run->columns[i].attribute = 0;
}

/* Sends a message of which a bit is not as it was sealed. */
static void
send_damaged(int fd, WaMessage *message)
{
	uint8_t *bytes = (uint8_t *) message;
	const size_t length = message->header.length;

	wa_message_seal(&message->header);
	bytes[length - 1] ^= 1;
	(void) send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Returns the type of a message: none would have the server end. */
static uint32_t
type_of(const FuzzStep *step)
{
	const uint32_t type = step->a % (WA_MSG_FETCH + 1U);

	return type == WA_MSG_RETIRE ? WA_MSG_PIN : type;
}

/* MESSAGE and CONTROL: sends one; it may be that nobody listens. */
static void
do_message(int fd, const FuzzStep *step, const Client *client)
{
	const size_t bytes = step->nwords * sizeof(uint64_t);
	WaMessage message;

	fuzz_message_make(&message, type_of(step), step->words, step->nwords);
	if (message.header.type == WA_MSG_RUN && (step->b & FLAG_LENGTH) == 0)
		tidy_run(&message.run, client);
	if (message.header.type == WA_MSG_RESIDENCY && (step->b & FLAG_LENGTH) == 0)
		tidy_residency(&message.residency);
	if (message.header.type == WA_MSG_STAMPS && (step->b & FLAG_LENGTH) == 0)
		tidy_stamps(&message.stamps);
	if (message.header.type == WA_MSG_BLOCKS && (step->b & FLAG_LENGTH) == 0)
		tidy_blocks(&message.blocks);
	if (message.header.type == WA_MSG_KEEP && (step->b & FLAG_LENGTH) == 0)
		tidy_keep(&message.keep, client);
	if (message.header.type == WA_MSG_FETCH && (step->b & FLAG_LENGTH) == 0)
		tidy_fetch(&message.fetch);
	if ((step->b & FLAG_NO_BULK) == 0)
		fill_bulk(client, &message);
	/* An empty one is like the end of a connection. */
	if ((step->b & FLAG_RAW) != 0 && bytes > 0)
		(void) send(fd, step->words, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
	else if ((step->b & FLAG_DAMAGED) != 0)
		send_damaged(fd, &message);
	else
		(void) wa_socket_send(fd, &message.header, &supervisor_fd,
							  (step->b & FLAG_DESCRIPTOR) != 0);
	serve();
	if ((step->b & FLAG_NO_WORK) == 0)
		settle();
}

/* SHARE: hands over a parcel. */
static void
do_share(Client *client, const FuzzStep *step)
{
	const uint64_t bytes = (1 + (step->b >> 8) % MAX_PARCEL_PAGES) * PAGE_BYTES;
	const int fd = memfd_create("parcel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	WaMessage message;
	void *memory;

	FUZZ_EXPECT(fd >= 0 && ftruncate(fd, (off_t) bytes) == 0);
	if ((step->a & 1) == 0)
		FUZZ_EXPECT(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	FUZZ_EXPECT(memory != MAP_FAILED);
	if (client->parcel != NULL)
		(void) munmap(client->parcel, client->parcel_bytes);
	client->parcel = memory;
	client->parcel_bytes = bytes;
	fuzz_message_make(&message, WA_MSG_SHARE, &bytes, 1);
	if (step->nwords > 0)
		message.share.bytes = step->words[0];
	(void) wa_socket_send(client->fd, &message.header, &fd, 1);
	(void) close(fd);
	settle();
}

/* WRITE: writes words to the parcel. */
static void
do_write(Client *client, const FuzzStep *step)
{
	const uint64_t room = client->parcel_bytes / sizeof(uint64_t);
	const uint64_t version = fuzz_query_version();
	uint64_t place;
	uint64_t nwords = step->nwords;

	if (room == 0 || nwords == 0)
		return;
	place = (step->b >> 8) % room;
	if (nwords > room - place)
		nwords = room - place;
	memcpy(client->parcel + place * sizeof(uint64_t), step->words,
		   nwords * sizeof(uint64_t));
	if (step->a == 0)
		return;
	if (step->a % 2 != 0)
		memcpy(client->parcel + place * sizeof(uint64_t), &version,
			   sizeof(version));
	client->query_bytes = nwords * sizeof(uint64_t);
}

/* SLOT: takes the slot, and writes to it. */
static void
do_slot(const Client *client, const FuzzStep *step)
{
	if (step->nwords == 0)
		return;
	staging.header->owner[0] =
		step->words[0] == 0 ? client->number : (uint32_t) step->words[0];
	for (size_t i = 1; i < step->nwords; i++)
	{
		const size_t place =
			((step->b >> 8) + i) % (WA_STAGING_SLOT_BYTES / sizeof(uint64_t));

		memcpy(wa_staging_slot(&staging, 0) + place * sizeof(uint64_t),
			   &step->words[i], sizeof(uint64_t));
	}
}

/* WORK */
static void
do_work(const FuzzStep *step)
{
	switch (step->a % 5)
	{
		case 0:
			(void) fuzz_step_pool(&service.pool);
			return;
		case 1:
			(void) fuzz_step_pool(&service.tasks);
			return;
		case 2:
			(void) fuzz_step_jobs(&service.scheduler);
			return;
		case 3:
			work();
			return;
		default:
			settle();
			return;
	}
}

/* Does a step. */
static void
do_step(const FuzzStep *step)
{
	Client *client = &clients[(step->b & 3) % MAX_CLIENTS];

	if (client->fd < 0)
		open_client(client);
	switch (step->what % NWHAT)
	{
		case WHAT_MESSAGE:
			do_message(client->fd, step, client);
			break;
		case WHAT_EXTENT:
			fuzz_extent_write(client->parcel, client->parcel_bytes,
							  (step->b >> 8) * (size_t) 64, step->words,
							  step->nwords);
			break;
		case WHAT_WRITE:
			do_write(client, step);
			break;
		case WHAT_SHARE:
			do_share(client, step);
			break;
		case WHAT_WORK:
			do_work(step);
			break;
		case WHAT_CLOSE:
			close_client(client, step->a);
			serve();
			break;
		case WHAT_SLOT:
			do_slot(client, step);
			break;
		case WHAT_TICK:
			tick(&server);
			break;
		default:
			do_message(supervisor_fd, step, client);
			break;
	}
}

/* Forgets all there is in the store, of which nothing may be left. */
static void
empty_store(WaStore *store)
{
	for (int i = 0; i < WA_STORE_BUCKETS; i++)
		while (store->buckets[i] != NULL)
		{
			const WaStoredRelation *before = store->buckets[i];
			const WaRelation name = before->name;

			wa_store_unload(store, &name, 0);
			FUZZ_EXPECT(store->buckets[i] != before);
		}
	FUZZ_EXPECT(wa_memory_used(&store->memory) == 0);
}

/* Has all clients go, and looks for what they have left. */
static void
stop(void)
{
	for (int i = 0; i < MAX_CLIENTS; i++)
		close_client(&clients[i], 0);
	settle();
	FUZZ_EXPECT(server.nconnections == 0);
	FUZZ_EXPECT(service.store.memory.ledger.used[WA_MEMORY_PARCELS] == 0);
	while (wa_kept_tables_drop_oldest(&service.tables))
		;
	FUZZ_EXPECT(service.store.memory.ledger.used[WA_MEMORY_QUERIES] == 0);
	FUZZ_EXPECT(device.pending == 0);
	tick(&server);
	FUZZ_EXPECT(staging.header->owner[0] == 0);
	empty_store(&service.store);
	(void) close(supervisor_fd);
	(void) close(server.control_fd);
	(void) close(server.epoll_fd);
	(void) close(server.listen_fd);
	(void) close(server.event_fd);
	(void) close(server.spare_fd);
}

/* Returns how many descriptors are open, of those that there may be. */
static int
count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			count++;
	return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool is_open = false;
	FuzzInput input;
	FuzzStep step;
	int ndescriptors;

	if (!is_open)
		open_process();
	is_open = true;
	ndescriptors = count_descriptors();
	start();
	fuzz_open(&input, data, size);
	while (fuzz_next_step(&input, &step))
		do_step(&step);
	fuzz_close(&input);
	stop();
	FUZZ_EXPECT(count_descriptors() == ndescriptors);
	return 0;
}

/* Finds a step that writes a query, any of them; returns false if there is none. */
static bool
find_query(const FuzzInput *input, uint64_t *state, size_t *place)
{
	FuzzInput reader = {.words = input->words, .nwords = input->nwords};
	uint64_t found = 0;
	FuzzStep step;

	while (fuzz_next_step(&reader, &step))
		if (step.what % NWHAT == WHAT_WRITE && step.a != 0 && step.nwords > 0 &&
			fuzz_below(state, ++found) == 0)
			*place = (size_t) (step.words - input->words) - 1;
	return found > 0;
}

/*
 * Changes the query of the step at a place of an input as a query; writes the input
 * to `words`, which has room for so many.  Returns how many, or 0.
 */
static size_t
rewrite_query(const FuzzInput *input, size_t place, uint64_t *words,
			  size_t room, uint64_t seed)
{
	const size_t left = input->nwords - place - 1;
	const size_t said = (uint16_t) (input->words[place] >> 16);
	const size_t nwords = said < left ? said : left;
	const size_t rest = left - nwords;
	size_t mutated;

	memcpy(words, input->words, (place + 1 + nwords) * sizeof(uint64_t));
	mutated = fuzz_mutate_query(words + place + 1, nwords,
								room - place - 1 - rest, seed);
	if (mutated == 0)
		return 0;
	words[place] &= ~UINT64_C(0xffff0000);
	words[place] |= (uint64_t) mutated << 16;
	memcpy(words + place + 1 + mutated, input->words + input->nwords - rest,
		   rest * sizeof(uint64_t));
	return place + 1 + mutated + rest;
}

/* Changes a query of an input as a query; returns the new size, or 0. */
static size_t
mutate_query(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	const size_t room = max_size / sizeof(uint64_t);
	uint64_t *words = malloc(room * sizeof(uint64_t) + 1);
	uint64_t state = seed;
	size_t mutated = 0;
	size_t place;
	FuzzInput input;

	FUZZ_EXPECT(words != NULL);
	fuzz_open(&input, data, size);
	if (find_query(&input, &state, &place))
		mutated =
			rewrite_query(&input, place, words, room, fuzz_random(&state));
	fuzz_close(&input);
	memcpy(data, words, mutated * sizeof(uint64_t));
	free(words);
	return mutated * sizeof(uint64_t);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
						unsigned seed)
{
	size_t mutated = 0;

	if (seed % 4 == 0)
		mutated = mutate_query(data, size, max_size, seed);
	return mutated > 0 ? mutated
					   : fuzz_mutate_words(data, size, max_size, seed);
}
