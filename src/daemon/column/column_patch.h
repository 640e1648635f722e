/*
 * column_patch.h
 *		The layout and the columns of an extent, some blocks of which have been read
 *		again.
 *
 * A patch brings blocks that take the place of the extent's, or that it did not have.
 * What is made is of all blocks, in their order: runs of rows are copied from where
 * they are.  Blocks that were older when the patch was read than those that the extent
 * has are not taken.
 */
#ifndef WA_DAEMON_COLUMN_PATCH_H
#define WA_DAEMON_COLUMN_PATCH_H

#include "daemon/column/column.h"

/* Rows of blocks that follow each other and come from the same side. */
typedef struct WaPatchRun
{
	uint32_t from; /* the first row there */
	uint32_t to;   /* and here */
	uint32_t nrows;
	bool is_brought; /* by the patch */
} WaPatchRun;

/* What comes from where. */
typedef struct WaPatch
{
	const WaLayout *old;
	const WaLayout *brought;         /* the patch's */
	uint64_t taken[WA_EXTENT_WORDS]; /* a bit for each block of the patch's */
	uint32_t nblocks;
	uint32_t nrows;
	uint32_t nruns;
	WaPatchRun runs[WA_EXTENT_BLOCKS];
	uint32_t row_end[WA_EXTENT_BLOCKS];
} WaPatch;

/* Tells whether a block is there in what is brought, and not older than the old one. */
bool wa_patch_takes(const WaLayout *old, const WaLayout *brought,
					uint32_t block);

/*
 * Finds what comes from where; both layouts have to stay.  Returns false if there would
 * be more rows than an extent may have.
 */
WA_MUST_CHECK bool wa_patch_plan(const WaLayout *old, const WaLayout *brought,
								 WaPatch *patch);

/*
 * Makes the layout of the extent then, with one reference, or returns NULL.  What it says
 * of transactions has yet to be set.
 */
WaLayout *wa_layout_patch(WaMemory *memory, const void *user,
						  const WaPatch *patch);

/* Sets it; the caller has the store's lock, as it is that of the layouts then. */
void wa_layout_patch_xids(WaLayout *layout, const WaPatch *patch);

/*
 * Makes a column of the extent then, with one reference, or returns NULL if there is no
 * memory.  old: the one that there was; brought: the patch's, or NULL if it has none.
 * If it has none, or there is no form for the values of both, the blocks that it should
 * bring are odd.
 */
WaColumn *wa_column_patch(WaMemory *memory, const void *user,
						  const WaPatch *patch, const WaColumn *old,
						  const WaColumn *brought);

#endif /* WA_DAEMON_COLUMN_PATCH_H */
