/*
 * mirror_copy.h
 *		What a column (column.h) knows of its copy on a GPU.
 */
#ifndef WA_DAEMON_MIRROR_COPY_H
#define WA_DAEMON_MIRROR_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct WaColumn;

/*
 * The mirror's lock guards flat and run; only the thread of the GPU that the
 * column's extent is for sets them, so it reads them without, and so does whoever
 * has the last reference to the column.  bytes is changed and read atomically.
 */
typedef struct WaMirrorCopy
{
	struct WaMirrorFlat *flat; /* NULL: there is no copy */
	struct WaMirrorRun *run;   /* where in the row space */
	/* The mirror's: gives up the copy of a column to which nobody else refers. */
	void (*forget)(struct WaColumn *column);
	uint64_t bytes; /* of the copy */
	bool unfit;     /* the thread's: no flat column can take it */
} WaMirrorCopy;

#endif /* WA_DAEMON_MIRROR_COPY_H */
