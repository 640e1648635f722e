/*
 * run_left_out.h
 *		The blocks that a RUN leaves out of its extents, as the runner cannot take some row.
 */
#ifndef WA_DAEMON_RUN_LEFT_OUT_H
#define WA_DAEMON_RUN_LEFT_OUT_H

#include <pthread.h>

#include "core/must_check.h"
#include "daemon/store/run_extents.h"

/*
 * lock guards blocks, rows, and whether there are bits, while extents are processed by several
 * threads; the bits of an extent are its thread's.
 */
typedef struct WaRunLeftOut
{
	pthread_mutex_t lock;
	uint64_t (
		*bits)[WA_EXTENT_WORDS]; /* of the extents; NULL: nothing is left out */
	uint64_t blocks;
	uint64_t rows;
} WaRunLeftOut;

/* Begins with nothing. */
void wa_run_left_out_init(WaRunLeftOut *left_out);

/*
 * Notes usable blocks of extent number `place` of so many as left out.  Returns false if there is
 * no memory.
 */
WA_MUST_CHECK bool wa_run_left_out_add(WaRunLeftOut *left_out,
									   const WaRunExtent *extent,
									   uint64_t place, uint64_t nextents,
									   const uint64_t *bits);

/* Frees the bits. */
void wa_run_left_out_end(WaRunLeftOut *left_out);

#endif /* WA_DAEMON_RUN_LEFT_OUT_H */
