/*
 * warpagg_cuda.h
 *		The surface of the CUDA side: what warpaggd may call, beside query.h.
 *
 * Plain C, so that the daemon's sources compile without CUDA.  No function
 * raises, exits or prints: each returns a WaStatus and, on failure, writes a
 * text without a final period to error (error_bytes long, zero-terminated).
 * After WA_DEVICE_LOST the process has to end: a fault poisons its context.
 */
#ifndef WARPAGG_CUDA_H
#define WARPAGG_CUDA_H

#include "core/partial.h"
#include "core/protocol.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * A lane is what one worker thread needs to reduce batches on one GPU: a
 * stream, a buffer in device memory and pinned memory for results.  A lane
 * serves one thread at a time; lanes of a GPU run side by side.
 */
typedef struct WaCudaLane WaCudaLane;

/*
 * Returns the number of usable GPUs: 0 where there is no driver or no device,
 * with the reason in error.  Creates no context.
 */
int wa_cuda_device_count(char *error, size_t error_bytes);

/*
 * Creates the context of the GPU with this ordinal, runs a kernel to prove
 * that it works, and fills in *info.
 */
WaStatus wa_cuda_open(int ordinal, WaDeviceInfo *info, char *error,
					  size_t error_bytes);

/*
 * Pins memory for good, so that GPUs copy from it at full speed.  The address and
 * the length are multiples of the page size.
 */
WaStatus wa_cuda_pin(void *memory, size_t bytes, char *error,
					 size_t error_bytes);

/* Makes a lane whose batches have at most max_bytes of values. */
WaStatus wa_cuda_lane_open(int ordinal, size_t max_bytes, WaCudaLane **lane,
						   char *error, size_t error_bytes);
void wa_cuda_lane_close(WaCudaLane *lane);

/*
 * Reduces a batch in host memory (pinned, for speed), all valid, into *partial, which
 * wa_partial_init has made: copies it to the GPU, runs one kernel for all
 * operations, waits.  The result is bit for bit that of wa_partial_fold into
 * an empty partial.
 */
WaStatus wa_cuda_reduce(WaCudaLane *lane, WaOpSet ops, const WaBatch *batch,
						WaPartial *partial, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif /* WARPAGG_CUDA_H */
