/*
 * staging.c
 *		Memory files that warpaggd hands over, mapped into a backend.
 *
 * A file that could shrink would kill the backend with SIGBUS, so only files
 * sealed against it are mapped.  The owner words of the slots are shared by
 * all backends and warpaggd, and are changed by compare-and-swap alone.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "client/staging.h"
#include "client/trouble.h"

/*
 * Tells whether the file has at least so many bytes and will keep them; seals_beside:
 * what else it has to be sealed against.
 */
static bool
is_sealed(int fd, uint64_t bytes, int seals_beside)
{
	const int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | seals_beside;
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & wanted) == wanted &&
		   fstat(fd, &status) == 0 && (uint64_t) status.st_size >= bytes;
}

/* Maps so many bytes of a file; returns NULL, having noted why, if it cannot. */
static void *
map(int fd, uint64_t bytes, int protection, int seals_beside)
{
	void *memory;

	if (!is_sealed(fd, bytes, seals_beside))
	{
		(void) wa_trouble_note(
			WA_EXCHANGE_LOST, WA_BAD_REQUEST,
			"A file of it is not as large as it says, or may shrink");
		return NULL;
	}
	memory = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);
	if (memory != MAP_FAILED)
		return memory;
	(void) wa_trouble_note_errno(WA_EXCHANGE_LOST,
								 "Memory that it shares could not be mapped");
	return NULL;
}

/* Tells whether the numbers describe slots that lie within the file. */
static bool
geometry_is_sound(const WaAttachedMessage *attached)
{
	return attached->slots > 0 && attached->slots <= WA_MAX_SLOTS &&
		   attached->slot_bytes > 0 && attached->slot_bytes % 4096 == 0 &&
		   attached->slot_bytes <= (uint64_t) 1 << 32 &&
		   attached->slots_offset >= sizeof(WaStagingHeader) &&
		   attached->slots_offset % 4096 == 0 &&
		   attached->slots_offset <= (uint64_t) 1 << 32 &&
		   attached->file_bytes >=
			   attached->slots_offset + attached->slots * attached->slot_bytes;
}

bool
wa_staging_map(WaStaging *staging, const WaAttachedMessage *attached, int fd)
{
	void *memory;

	if (!geometry_is_sound(attached))
		return wa_trouble_note(WA_EXCHANGE_LOST, WA_BAD_REQUEST,
							   "Its staging memory cannot be used");
	memory = map(fd, attached->file_bytes, PROT_READ | PROT_WRITE, 0);
	if (memory == NULL)
		return false;
	staging->header = (WaStagingHeader *) memory;
	staging->slots = (uint8_t *) memory + attached->slots_offset;
	staging->slot_bytes = attached->slot_bytes;
	staging->file_bytes = attached->file_bytes;
	staging->nslots = attached->slots;
	return true;
}

void
wa_staging_unmap(WaStaging *staging)
{
	if (staging->header != NULL)
		(void) munmap(staging->header, staging->file_bytes);
	memset(staging, 0, sizeof(*staging));
}

const void *
wa_staging_map_file(int fd, uint64_t bytes)
{
	return bytes > 0 ? map(fd, bytes, PROT_READ, F_SEAL_FUTURE_WRITE) : NULL;
}

WaCounters *
wa_staging_map_counters(int fd)
{
	WaCounters *counters =
		map(fd, sizeof(WaCounters), PROT_READ | PROT_WRITE, 0);

	if (counters == NULL || (counters->magic == WA_COUNTERS_MAGIC &&
							 counters->size_bytes == sizeof(WaCounters)))
		return counters;
	(void) munmap(counters, sizeof(WaCounters));
	(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_UNSUPPORTED,
						   "Its counters are of another version");
	return NULL;
}

/*
 * Maps the pages of a slot that this process has not used before at once: 270
 * page faults would take longer than copying a batch.
 */
static void
populate(WaStaging *staging, uint32_t slot)
{
	if (staging->populated == slot + 1)
		return;
	staging->populated = slot + 1;
#ifdef MADV_POPULATE_WRITE
	(void) madvise(staging->slots + slot * staging->slot_bytes,
				   staging->slot_bytes, MADV_POPULATE_WRITE);
#endif
}

bool
wa_staging_take(WaStaging *staging, uint32_t connection, uint32_t *slot)
{
	for (uint32_t i = 0; i < staging->nslots; i++)
	{
		/* Start at different slots, so that backends seldom meet. */
		uint32_t tried = (connection + i) % staging->nslots;
		uint32_t nobody = 0;

		if (__atomic_compare_exchange_n(&staging->header->owner[tried], &nobody,
										connection, false, __ATOMIC_ACQUIRE,
										__ATOMIC_RELAXED))
		{
			*slot = tried;
			populate(staging, tried);
			return true;
		}
	}
	return false;
}

void
wa_staging_free(WaStaging *staging, uint32_t connection, uint32_t slot)
{
	uint32_t owner = connection;

	(void) __atomic_compare_exchange_n(&staging->header->owner[slot], &owner, 0,
									   false, __ATOMIC_RELEASE,
									   __ATOMIC_RELAXED);
}
