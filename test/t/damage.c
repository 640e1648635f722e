/*
 * damage.c
 *		A library that damages what a program sends over the socket of warpaggd, and
 *		the data in shared memory that go with it: for LD_PRELOAD, of warpaggd or of a
 *		server.
 *
 * WA_DAMAGE tells how: "bits" flips bits after the checksums have been computed, as an
 * accident would; "sealed" changes numbers and computes the checksums anew, as a
 * process would that has gone astray.  WA_DAMAGE_PERCENT: of the messages; WA_DAMAGE_SEED:
 * of the random numbers, with the number of the process.  Nothing is done while the file "damage_off" is in the
 * program's directory, nor to messages of the supervisor, of HELLO and of SHARE.
 *
 * What lies in shared memory is found by way of the requests: mmap and recvmsg are
 * watched.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/protocol.h"

#define MAX_FDS   1200
#define MAX_PARTS 2

/* What is known of a connection; those of a server have one only. */
typedef struct Peer
{
	WaMessage request; /* the last that came */
	bool announced;    /* the blocks of its answer */
	uint8_t *parcel;
	size_t bytes;
} Peer;

/* Bytes in shared memory. */
typedef struct Part
{
	uint8_t *bytes;
	size_t length;
} Part;

static Peer peers[MAX_FDS];
static uint8_t *own_parcel; /* of a backend */
static size_t own_bytes;
static uint8_t *groups_file;
static int sharing = -1; /* the connection whose parcel is mapped next */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns a random number below a limit. */
static uint64_t
pick(uint64_t limit)
{
	static uint64_t state = 0;
	static pid_t pid = 0;

	if (pid != getpid())
	{
		const char *seed = getenv("WA_DAMAGE_SEED");

		pid = getpid();
		state = ((seed == NULL ? 1 : strtoull(seed, NULL, 10)) * 7919 +
				 (uint64_t) pid) *
				UINT64_C(0x9E3779B97F4A7C15);
		state ^= state >> 29;
	}
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(0x2545F4914F6CDD1D) % limit;
}

/* Tells whether checksums are computed anew. */
static bool
seals(void)
{
	const char *how = getenv("WA_DAMAGE");

	return how != NULL && strcmp(how, "sealed") == 0;
}

/* Tells whether something is to be damaged now. */
static bool
wants_damage(void)
{
	const char *percent = getenv("WA_DAMAGE_PERCENT");

	return percent != NULL && getenv("WA_DAMAGE") != NULL &&
		   access("damage_off", F_OK) != 0 &&
		   pick(100) < strtoull(percent, NULL, 10);
}

/* Changes a few bytes. */
static void
damage(uint8_t *bytes, size_t length)
{
	static const uint64_t numbers[] = {0,
									   1,
									   7,
									   255,
									   4096,
									   INT32_MAX,
									   UINT32_MAX,
									   UINT64_C(1) << 48,
									   UINT64_C(1) << 61,
									   UINT64_C(1) << 63,
									   INT64_MAX,
									   UINT64_MAX};

	for (uint64_t n = 1 + pick(3); n > 0 && length > 0; n--)
	{
		const uint64_t number = numbers[pick(sizeof(numbers) / 8)];
		const size_t width = pick(2) == 0 ? 4 : 8;
		const size_t place = pick((length + width - 1) / width) * width;

		if (!seals() || pick(3) == 0 || length - place < width)
			bytes[pick(length)] ^= (uint8_t) (1 << pick(8));
		else
			memcpy(bytes + place, &number, width);
	}
}

/* Returns a part of a parcel, or an empty one if it does not lie there. */
static Part
part_of(const Peer *peer, uint64_t offset, uint64_t length)
{
	if (peer->parcel == NULL || offset > peer->bytes ||
		length > peer->bytes - offset)
		return (Part){NULL, 0};
	return (Part){peer->parcel + offset, length};
}

/* Finds the sources of a RUN in a parcel. */
static Part
find_sources(const Peer *peer, const WaRunMessage *run)
{
	return part_of(peer, run->sources,
				   wa_run_sources_bytes(run->nsources, run->ncolumns));
}

/* Returns how many blocks the sources of a RUN have. */
static uint64_t
count_blocks(const Peer *peer, const WaRunMessage *run)
{
	const Part sources = find_sources(peer, run);

	return sources.length == 0
			   ? 0
			   : wa_run_blocks((const void *) sources.bytes, run->nsources);
}

/* Finds the words of the blocks of a RUN's sources at an offset. */
static Part
find_words(const Peer *peer, const WaRunMessage *run, uint64_t offset)
{
	const Part sources = find_sources(peer, run);

	if (sources.length == 0)
		return sources;
	return part_of(
		peer, offset,
		wa_run_words_bytes((const void *) sources.bytes, run->nsources));
}

/* Finds what goes with an answer to a RUN. */
static void
find_answer(const Peer *peer, const WaAnswerMessage *answer,
			Part parts[MAX_PARTS])
{
	const WaRunMessage *run = &peer->request.run;

	if (answer->groups_bytes == 0)
		return;
	if (answer->blocks != count_blocks(peer, run) &&
		(!peer->announced || answer->left_blocks > 0))
		parts[0] = find_words(peer, run, run->used);
	if (answer->in_parcel != 0)
		parts[1] = part_of(peer, run->groups, answer->groups_bytes);
}

/* Finds what goes with the reply to a LIST, or an EXTENTS. */
static Part
find_list(const Peer *peer, uint32_t count)
{
	const WaMessage *request = &peer->request;

	if (request->header.type == WA_MSG_EXTENTS &&
		count <= request->extents.room)
		return part_of(peer, request->extents.states,
					   count * sizeof(WaExtentState));
	if (request->header.type == WA_MSG_LIST && count <= request->list.room)
		return part_of(peer, request->list.list,
					   count * sizeof(WaResidentColumn));
	return (Part){NULL, 0};
}

/* Finds what goes with a message to a peer. */
static void
find_parts(const Peer *peer, const WaMessage *message, Part parts[MAX_PARTS])
{
	const WaMessage *request = &peer->request;
	WaTextsHead head;

	memset(parts, 0, MAX_PARTS * sizeof(*parts));
	switch (message->header.type)
	{
		case WA_MSG_ANSWER:
			find_answer(peer, &message->answer, parts);
			break;
		case WA_MSG_COVER:
			parts[0] = find_words(peer, &request->run, request->run.cover);
			break;
		case WA_MSG_LISTED:
			parts[0] = find_list(peer, message->listed.columns);
			break;
		case WA_MSG_DONE:
			if (request->header.type == WA_MSG_TEXTS &&
				part_of(peer, request->texts.place, sizeof(head)).length > 0)
			{
				memcpy(&head, peer->parcel + request->texts.place,
					   sizeof(head));
				parts[0] = part_of(peer, request->texts.place, head.bytes);
			}
			if (request->header.type == WA_MSG_STAMPS)
				parts[0] = part_of(peer, request->stamps.stamps,
								   request->stamps.nsources *
									   (uint64_t) sizeof(uint64_t));
			if (request->header.type == WA_MSG_BLOCKS)
				parts[0] = part_of(peer, request->blocks.blocks,
								   request->blocks.nblocks *
									   (uint64_t) sizeof(uint64_t));
			break;
		case WA_MSG_RUN:
			parts[0] =
				part_of(peer, message->run.query, message->run.query_bytes);
			parts[1] = find_sources(peer, &message->run);
			break;
		case WA_MSG_RESIDENCY:
			parts[0] =
				part_of(peer, message->residency.sources,
						wa_run_sources_bytes(message->residency.nsources,
											 message->residency.ncolumns));
			break;
		case WA_MSG_KEEP:
			parts[0] = part_of(peer, message->keep.table, message->keep.bytes);
			break;
		case WA_MSG_STAMPS:
			parts[0] =
				part_of(peer, message->stamps.sources,
						wa_run_sources_bytes(message->stamps.nsources, 0));
			break;
		case WA_MSG_RESIDENT:
			parts[0] = part_of(peer, request->residency.blocks,
							   request->residency.nsources *
								   (uint64_t) sizeof(uint64_t));
			break;
		case WA_MSG_LOAD:
			/* The head, or more. */
			parts[0] =
				part_of(peer, message->load.extent,
						pick(2) == 0 ? sizeof(WaExtentHead)
									 : peer->bytes - message->load.extent);
			break;
		default:
			break;
	}
}

/* Computes the checksums of a damaged message anew. */
static void
seal(const Peer *peer, WaMessage *message, size_t length,
	 const Part parts[MAX_PARTS])
{
	const WaExtentHead *head;

	if (message->header.type == WA_MSG_LOAD)
	{
		head = (const void *) (peer->parcel + message->load.extent);
		if (message->load.extent <= peer->bytes - sizeof(*head) &&
			wa_extent_is_sound(head, peer->bytes))
			message->header.bulk = wa_extent_checksum(head, peer->parcel);
	}
	else if (parts[0].length + parts[1].length > 0)
		message->header.bulk =
			wa_checksum(wa_checksum(0, parts[0].bytes, parts[0].length),
						parts[1].bytes, parts[1].length);
	if (message->header.length == length)
		wa_message_seal(&message->header);
}

/* Damages a copy of a message, or what goes with it. */
static void
damage_message(const Peer *peer, WaMessage *message, size_t length)
{
	Part parts[MAX_PARTS];
	Part *part = &parts[pick(MAX_PARTS)];

	find_parts(peer, message, parts);
	if (part->length == 0)
		part = &parts[0];
	if (part->length > 0 && pick(3) != 0)
		damage(part->bytes, part->length);
	else if (!seals())
		damage((uint8_t *) message, length);
	else if (length > sizeof(WaHeader))
		damage((uint8_t *) message + sizeof(WaHeader),
			   length - sizeof(WaHeader));
	if (seals())
		seal(peer, message, length, parts);
}

/*
 * Tells whether bytes are a message that may be damaged.  If a FOLLOW is wrong and sealed
 * nothing may be fresh any more, which would be right.
 */
static bool
is_ours(int fd, const void *bytes, size_t length)
{
	const WaHeader *header = bytes;

	return fd != WA_CONTROL_FD && length >= sizeof(*header) &&
		   length <= sizeof(WaMessage) && header->magic == WA_PROTOCOL_MAGIC &&
		   header->type != WA_MSG_HELLO && header->type != WA_MSG_WELCOME &&
		   header->type != WA_MSG_PING && header->type != WA_MSG_SETTINGS &&
		   header->type != WA_MSG_SHARE &&
		   (header->type != WA_MSG_FOLLOW || !seals());
}

/* Returns the bytes to be sent, which may be in *copy. */
static const void *
prepare(int fd, const void *bytes, size_t length, WaMessage *copy)
{
	const Peer own = {.parcel = own_parcel, .bytes = own_bytes};

	if (fd < 0 || fd >= MAX_FDS || !is_ours(fd, bytes, length))
		return bytes;
	(void) pthread_mutex_lock(&lock);
	peers[fd].announced |= ((const WaHeader *) bytes)->type == WA_MSG_COVER;
	if (wants_damage())
	{
		memcpy(copy, bytes, length);
		damage_message(own_parcel != NULL ? &own : &peers[fd], copy, length);
		bytes = copy;
	}
	(void) pthread_mutex_unlock(&lock);
	return bytes;
}

#pragma GCC visibility push(default)

ssize_t
send(int fd, const void *bytes, size_t length, int flags)
{
	static ssize_t (*real)(int, const void *, size_t, int);
	WaMessage copy;

	if (real == NULL)
		real = (ssize_t(*)(int, const void *, size_t, int)) dlsym(RTLD_NEXT,
																  "send");
	return real(fd, prepare(fd, bytes, length, &copy), length, flags);
}

ssize_t
sendmsg(int fd, const struct msghdr *message, int flags)
{
	static ssize_t (*real)(int, const struct msghdr *, int);
	struct msghdr header = *message;
	struct iovec part = message->msg_iov[0];
	WaMessage copy;

	if (real == NULL)
		real = (ssize_t(*)(int, const struct msghdr *, int)) dlsym(RTLD_NEXT,
																   "sendmsg");
	if (message->msg_iovlen == 1)
	{
		part.iov_base =
			(void *) prepare(fd, part.iov_base, part.iov_len, &copy);
		header.msg_iov = &part;
	}
	return real(fd, &header, flags);
}

ssize_t
recvmsg(int fd, struct msghdr *message, int flags)
{
	static ssize_t (*real)(int, struct msghdr *, int);
	ssize_t length;

	if (real == NULL)
		real =
			(ssize_t(*)(int, struct msghdr *, int)) dlsym(RTLD_NEXT, "recvmsg");
	length = real(fd, message, flags);
	if (length < (ssize_t) sizeof(WaHeader) || fd >= MAX_FDS ||
		message->msg_iovlen != 1 || (size_t) length > sizeof(WaMessage))
		return length;
	(void) pthread_mutex_lock(&lock);
	memcpy(&peers[fd].request, message->msg_iov[0].iov_base, (size_t) length);
	peers[fd].announced = false;
	if (peers[fd].request.header.type == WA_MSG_SHARE)
		sharing = fd;
	(void) pthread_mutex_unlock(&lock);
	return length;
}

/* Tells whether a descriptor is that of a memory file of a name. */
static bool
is_file(int fd, const char *name)
{
	char link[64];
	char target[128] = "";

	(void) snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return readlink(link, target, sizeof(target) - 1) > 0 &&
		   strstr(target, name) != NULL;
}

void *
mmap(void *address, size_t length, int protection, int flags, int fd,
	 off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);
	void *memory;

	if (real == NULL)
		real = (void *(*) (void *, size_t, int, int, int, off_t)) dlsym(
			RTLD_NEXT, "mmap");
	memory = real(address, length, protection, flags, fd, offset);
	if (memory == MAP_FAILED || fd < 0 || (flags & MAP_SHARED) == 0 ||
		(protection & PROT_WRITE) == 0)
		return memory;
	if (is_file(fd, "warpagg groups"))
		groups_file = memory;
	else if (is_file(fd, "warpagg parcel") && sharing >= 0)
	{
		peers[sharing].parcel = memory;
		peers[sharing].bytes = length;
		sharing = -1;
	}
	else if (is_file(fd, "warpagg parcel"))
	{
		own_parcel = memory;
		own_bytes = length;
	}
	return memory;
}

int
munmap(void *address, size_t length)
{
	static int (*real)(void *, size_t);

	if (real == NULL)
		real = (int (*)(void *, size_t)) dlsym(RTLD_NEXT, "munmap");
	/* Groups that have been written, whose checksum is known. */
	if (address == groups_file && address != NULL && wants_damage())
		damage(address, length);
	if (address == groups_file)
		groups_file = NULL;
	if (address == own_parcel)
		own_parcel = NULL;
	for (int i = 0; i < MAX_FDS; i++)
		if (peers[i].parcel == address)
			peers[i].parcel = NULL;
	return real(address, length);
}

#pragma GCC visibility pop
