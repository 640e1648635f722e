/*
 * device_cuda.c
 *		GPUs, by way of the surface in cuda/warpagg_cuda.h.  Compiled only
 *		where there is a CUDA compiler, with WA_WITH_CUDA defined.
 */
#include "daemon/reduce/device.h"

const WaDeviceDriver wa_device_cuda = {
	.kind = WA_DEVICE_GPU,
	.open = wa_cuda_open,
	.lane_open = wa_cuda_lane_open,
	.lane_close = wa_cuda_lane_close,
	.reduce = wa_cuda_reduce,
};
