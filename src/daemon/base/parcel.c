/*
 * parcel.c
 *		Mapping parcels; see parcel.h.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "daemon/base/parcel.h"

/* The file's length, and offsets in it, are multiples of these. */
#define PAGE_BYTES       4096
#define OFFSET_ALIGNMENT 64

bool
wa_parcel_is_usable(int fd, uint64_t bytes)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct statfs filesystem;
	struct stat status;

	/*
	 * A file that shrinks, or one of huge pages that may run out, would kill us
	 * with SIGBUS.  Seals that come later do no harm to what is mapped.
	 */
	return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
		   fstatfs(fd, &filesystem) == 0 && filesystem.f_type == TMPFS_MAGIC &&
		   fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && bytes > 0 &&
		   bytes % PAGE_BYTES == 0 && status.st_size >= 0 &&
		   bytes <= (uint64_t) status.st_size;
}

bool
wa_parcel_map(WaParcel *parcel, int fd, uint64_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return false;
	parcel->memory = memory;
	parcel->bytes = bytes;
	return true;
}

void
wa_parcel_unmap(WaParcel *parcel)
{
	if (parcel->memory != NULL)
		(void) munmap(parcel->memory, parcel->bytes);
	parcel->memory = NULL;
	parcel->bytes = 0;
}

bool
wa_parcel_holds(const WaParcel *parcel, uint64_t offset, uint64_t bytes)
{
	return offset % OFFSET_ALIGNMENT == 0 && offset <= parcel->bytes &&
		   bytes <= parcel->bytes - offset;
}
