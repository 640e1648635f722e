/*
 * mirror_copy.h
 *		What a column and a layout (column.h) know of their copies on a GPU.
 */
#ifndef WA_DAEMON_MIRROR_COPY_H
#define WA_DAEMON_MIRROR_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct WaColumn;
struct WaLayout;

/*
 * The mirror's lock guards flat and run; only the thread of the GPU that the
 * column's extent is for sets them, so it reads them without, and so does whoever
 * has the last reference to the column.  bytes is changed and read atomically.
 */
typedef struct WaMirrorCopy
{
	struct WaMirrorFlat *flat; /* NULL: there is no copy */
	struct WaMirrorRun *run;   /* where in the row space */
	uint64_t bytes;            /* of the copy */
	bool unfit;                /* the thread's: no flat column can take it */
} WaMirrorCopy;

/* Gives up the copy of a column to which nobody else refers. */
void wa_mirror_forget_column(struct WaColumn *column);

/* Gives up the run of rows of a layout to which nobody else refers. */
void wa_mirror_forget_layout(struct WaLayout *layout);

#endif /* WA_DAEMON_MIRROR_COPY_H */
