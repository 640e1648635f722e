/*
 * parcel.c
 *		The memory in which a backend tells warpaggd of resident columns.
 *
 * A parcel is a memory file, allocated when it is made, so that running out of
 * memory shows here and not as SIGBUS, and sealed, so that warpaggd may trust its
 * size.  Once warpaggd has its descriptor it is known here by its mapping alone.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/fd.h"

#include "client/client.h"
#include "client/parcel.h"
#include "client/trouble.h"

#define CANNOT_MAKE "Memory to share with it could not be allocated"

#define MIN_PARCEL_BYTES ((uint64) 1024 * 1024)

/* A parcel of more is given back when it is not needed any more. */
#define KEPT_PARCEL_BYTES ((uint64) 4 * 1024 * 1024)

typedef struct Parcel
{
	char *memory; /* NULL: there is none */
	uint64 bytes;
	uint64 generation; /* of the connection that it was shared on; 0: of none */
} Parcel;

static Parcel parcel = {0};

/* Forgets the parcel. */
static void
unmap(void)
{
	if (parcel.memory != NULL)
		(void) munmap(parcel.memory, parcel.bytes);
	memset(&parcel, 0, sizeof(parcel));
}

/* Allocates the memory of a file; false, with errno, if that fails. */
static bool
allocate(int fd, uint64 bytes)
{
	int error;

	do
	{
		error = posix_fallocate(fd, 0, (off_t) bytes);
	} while (error == EINTR && !InterruptPending);
	errno = error;
	return error == 0;
}

/* Closes a descriptor of a parcel, or gives back what it would have counted. */
static void
close_file(int fd)
{
	if (fd >= 0)
		close(fd);
	ReleaseExternalFD();
}

/* Fills in a new parcel; returns its descriptor, or -1 if that fails. */
static int
make(uint64 bytes)
{
	void *memory = MAP_FAILED;
	int fd;

	if (!AcquireExternalFD())
	{
		(void) wa_trouble_note_errno(WA_EXCHANGE_DONE, CANNOT_MAKE);
		return -1;
	}
	fd = memfd_create("warpagg parcel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && allocate(fd, bytes) &&
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
	{
		(void) wa_trouble_note_errno(WA_EXCHANGE_DONE, CANNOT_MAKE);
		close_file(fd);
		/* An interrupt may have kept it from being allocated, and be an error. */
		wa_connection_limit_wait(0);
		CHECK_FOR_INTERRUPTS();
		return -1;
	}
	parcel.memory = memory;
	parcel.bytes = bytes;
	parcel.generation = 0;
	return fd;
}

/* Hands a new parcel over, whose descriptor it closes. */
static bool
share(int fd)
{
	WaMessage message = {0};
	WaMessage reply;
	bool sent;

	message.share.bytes = parcel.bytes;
	sent = wa_connection_send_file(&message, WA_MSG_SHARE,
								   sizeof(message.share), fd);
	close_file(fd);
	if (sent && wa_connection_receive(&reply) == WA_EXCHANGE_DONE)
	{
		parcel.generation = wa_connection_state()->generation;
		if (reply.header.type == WA_MSG_DONE)
			return true;
		(void) wa_trouble_note_reply(WA_EXCHANGE_LOST, &reply);
	}
	wa_connection_close();
	return false;
}

char *
wa_parcel_reserve(uint64 bytes)
{
	int fd;

	if (parcel.bytes >= bytes &&
		parcel.generation == wa_connection_state()->generation)
		return parcel.memory;
	wa_client_guard();
	unmap();
	bytes = pg_nextpower2_64(Max(bytes, MIN_PARCEL_BYTES));
	fd = make(bytes);
	if (fd < 0)
	{
		wa_connection_close();
		return NULL;
	}
	if (share(fd))
		return parcel.memory;
	unmap();
	return NULL;
}

char *
wa_parcel_memory(void)
{
	Assert(parcel.memory != NULL);
	return parcel.memory;
}

void
wa_parcel_drop(void)
{
	if (parcel.bytes <= KEPT_PARCEL_BYTES)
		return;
	unmap();
	wa_connection_close();
}
