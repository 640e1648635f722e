/*
 * device_cuda.c
 *		GPUs, by way of the surface in cuda/warpagg_cuda.h.  Compiled only
 *		where there is a CUDA compiler, with WA_WITH_CUDA defined.
 */
#include "cuda/warpagg_cuda.h"
#include "daemon/reduce/device.h"

/* Lanes of a GPU: while one is copying another one's kernels run. */
#define GPU_LANES 4

static unsigned
cuda_lanes(const WaDeviceInfo *info)
{
	(void) info;
	return GPU_LANES;
}

static WaStatus
cuda_lane_open(int ordinal, size_t max_bytes, void **lane, char *error,
			   size_t error_bytes)
{
	WaCudaLane *made = NULL;
	WaStatus status =
		wa_cuda_lane_open(ordinal, max_bytes, &made, error, error_bytes);

	*lane = made;
	return status;
}

static void
cuda_lane_close(void *lane)
{
	wa_cuda_lane_close(lane);
}

static WaStatus
cuda_reduce(void *lane, WaOpSet ops, const WaBatch *batch, WaPartial *partial,
			char *error, size_t error_bytes)
{
	return wa_cuda_reduce(lane, ops, batch, partial, error, error_bytes);
}

const WaDeviceDriver wa_device_cuda = {
	.kind = WA_DEVICE_GPU,
	.count = wa_cuda_device_count,
	.open = wa_cuda_open,
	.lanes = cuda_lanes,
	.lane_open = cuda_lane_open,
	.lane_close = cuda_lane_close,
	.reduce = cuda_reduce,
	.pin = wa_cuda_pin,
};
