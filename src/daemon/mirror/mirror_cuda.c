/*
 * mirror_cuda.c
 *		The mirror's way to GPUs: see mirror_driver.h.  Compiled only where there
 *		is a CUDA compiler, with WA_WITH_CUDA defined.
 */
#include "daemon/mirror/mirror_driver.h"

const WaMirrorDriver wa_mirror_cuda = {
	.open = wa_cuda_memory_open,
	.close = wa_cuda_memory_close,
	.reserve = wa_cuda_memory_reserve,
	.unreserve = wa_cuda_memory_unreserve,
	.map = wa_cuda_memory_map,
	.unmap = wa_cuda_memory_unmap,
	.staging = wa_cuda_memory_staging,
	.copy = wa_cuda_memory_copy,
	.fill = wa_cuda_memory_fill,
	.wait = wa_cuda_memory_wait,
};
