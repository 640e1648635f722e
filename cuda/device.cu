//
// device.cu
//		The CUDA side's surface: devices, pinned memory and lanes.
//
// The daemon links the CUDA runtime statically, so everything here also runs
// where there is no driver: wa_cuda_device_count then returns 0.
//
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "kernels.h"
#include "warpagg_cuda.h"

// How often a lane looks for the end of its work before it sleeps: about as
// long as a full staging slot takes to be copied and reduced.
constexpr int kLooks = 64;

// A lane's memory; only the thread that uses the lane touches it.
struct WaCudaLane
{
	int ordinal;
	int multiprocessors;
	size_t max_bytes;        // of values
	cudaStream_t stream;     // all work of the lane, in order
	cudaEvent_t done;        // recorded behind a request's last kernel
	unsigned char *d_buffer; // max_bytes
	void *d_scratch;         // of the kernels
	WaKernelResult *result;  // pinned, written by the kernel
};

int
wa_cuda_device_count(char *error, size_t error_bytes)
{
	int count = 0;
	WaStatus status =
		check(cudaGetDeviceCount(&count), "find a GPU", {error, error_bytes});

	if (status != WA_OK)
		return 0;
	if (count == 0)
		fail(WA_UNSUPPORTED, {error, error_bytes}, "there is no GPU");
	return count;
}

// Reduces a few rows and looks at the result.
static WaStatus
prove_device(int ordinal, ErrorText error)
{
	const int32_t values[] = {40, -7, 9};
	const WaBatch batch = {WA_INT4, values, NULL, 3};
	const WaOpSet ops = WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES) |
						WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX);
	WaCudaLane *lane;
	WaPartial partial;
	WaStatus status;

	status = wa_cuda_lane_open(ordinal, 4096, &lane, error.text, error.bytes);
	if (status != WA_OK)
		return status;
	wa_partial_init(&partial, NULL);
	status =
		wa_cuda_reduce(lane, ops, &batch, &partial, error.text, error.bytes);
	wa_cuda_lane_close(lane);
	if (status == WA_OK &&
		(partial.rows != 3 || partial.sum.lo != 42 || partial.sum.hi != 0 ||
		 partial.squares.word[0] != 1730 || partial.min.i != -7 ||
		 partial.max.i != 40))
		return fail(WA_DEVICE_LOST, error, "GPU %d computes wrong results",
					ordinal);
	return status;
}

WaStatus
wa_cuda_open(int ordinal, WaDeviceInfo *info, char *error, size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	cudaDeviceProp properties;
	size_t free_bytes = 0;
	size_t memory_bytes = 0;
	int driver_version = 0;
	WaStatus status;

	status = check(cudaSetDevice(ordinal), "open the GPU", text);
	if (status == WA_OK)
		status = check(cudaGetDeviceProperties(&properties, ordinal),
					   "look at the GPU", text);
	if (status == WA_OK)
		status = check(cudaDriverGetVersion(&driver_version),
					   "look at the GPU's driver", text);
	if (status == WA_OK)
		status = check(cudaMemGetInfo(&free_bytes, &memory_bytes),
					   "look at the GPU's memory", text);
	if (status == WA_OK)
		status = prove_device(ordinal, text);
	if (status != WA_OK)
		return status;

	memset(info, 0, sizeof(*info));
	info->kind = WA_DEVICE_GPU;
	info->ordinal = (uint32_t) ordinal;
	info->compute_major = (uint32_t) properties.major;
	info->compute_minor = (uint32_t) properties.minor;
	info->memory_bytes = memory_bytes;
	info->free_bytes = free_bytes;
	info->multiprocessors = (uint32_t) properties.multiProcessorCount;
	info->driver_version = (uint32_t) driver_version;
	snprintf(info->name, sizeof(info->name), "%.*s",
			 (int) sizeof(info->name) - 1, properties.name);
	return WA_OK;
}

WaStatus
wa_cuda_pin(void *memory, size_t bytes, char *error, size_t error_bytes)
{
	return check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable),
				 "pin memory for the GPU", {error, error_bytes});
}

// Gets all that the lane needs from its device, which is the current one.
static WaStatus
equip_lane(WaCudaLane *lane, ErrorText error)
{
	const size_t scratch_bytes = wa_kernel_scratch_bytes();
	WaStatus status;

	status = check(cudaDeviceGetAttribute(&lane->multiprocessors,
										  cudaDevAttrMultiProcessorCount,
										  lane->ordinal),
				   "look at the GPU", error);
	if (status == WA_OK)
		status = check(
			cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking),
			"create a stream", error);
	if (status == WA_OK)
		status = check(
			cudaEventCreateWithFlags(&lane->done, cudaEventDisableTiming |
													  cudaEventBlockingSync),
			"create an event", error);
	if (status == WA_OK)
		status = check(cudaMalloc(&lane->d_buffer, lane->max_bytes),
					   "allocate GPU memory", error);
	if (status == WA_OK)
		status = check(cudaMalloc(&lane->d_scratch, scratch_bytes),
					   "allocate GPU memory", error);
	if (status == WA_OK)
		status = check(cudaHostAlloc(&lane->result, sizeof(WaKernelResult),
									 cudaHostAllocPortable),
					   "allocate pinned memory", error);
	if (status == WA_OK)
		status = check(
			cudaMemsetAsync(lane->d_scratch, 0, scratch_bytes, lane->stream),
			"clear GPU memory", error);
	if (status == WA_OK)
		status = check(cudaStreamSynchronize(lane->stream), "clear GPU memory",
					   error);
	return status;
}

WaStatus
wa_cuda_lane_open(int ordinal, size_t max_bytes, WaCudaLane **lane, char *error,
				  size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	WaStatus status;

	*lane = NULL;
	status = check(cudaSetDevice(ordinal), "open the GPU", text);
	if (status != WA_OK)
		return status;
	*lane = static_cast<WaCudaLane *>(calloc(1, sizeof(WaCudaLane)));
	if (*lane == NULL)
		return fail(WA_OUT_OF_MEMORY, text, "could not allocate memory");
	(*lane)->ordinal = ordinal;
	(*lane)->max_bytes = max_bytes;
	status = equip_lane(*lane, text);
	if (status != WA_OK)
	{
		wa_cuda_lane_close(*lane);
		*lane = NULL;
	}
	return status;
}

void
wa_cuda_lane_close(WaCudaLane *lane)
{
	if (lane == NULL)
		return;
	// The results of these calls change nothing: a device that cannot even
	// free is lost, which the next call of any other lane reports.
	(void) cudaSetDevice(lane->ordinal);
	if (lane->result != NULL)
		(void) cudaFreeHost(lane->result);
	(void) cudaFree(lane->d_scratch);
	(void) cudaFree(lane->d_buffer);
	if (lane->done != NULL)
		(void) cudaEventDestroy(lane->done);
	if (lane->stream != NULL)
		(void) cudaStreamDestroy(lane->stream);
	(void) cudaGetLastError();
	free(lane);
}

// Tells whether the lane can take the batch at all.
static WaStatus
check_batch(const WaCudaLane *lane, WaOpSet ops, const WaBatch *batch,
			ErrorText error)
{
	size_t bytes;

	if (!wa_reductions_exist(ops, wa_type_storage(batch->type)))
		return fail(WA_UNSUPPORTED, error,
					"the GPU has no such operation over type %s",
					wa_type_name(batch->type));
	if (batch->nrows >= WA_KERNEL_MAX_ROWS)
		return fail(WA_BAD_REQUEST, error, "the batch has too many rows");
	bytes = batch->nrows * wa_type_width(batch->type);
	if (bytes > lane->max_bytes)
		return fail(WA_BAD_REQUEST, error,
					"the batch has %zu bytes, but the lane takes %zu", bytes,
					lane->max_bytes);
	return WA_OK;
}

// Copies the batch to the lane's buffer and sets *d_batch to it there.
static WaStatus
copy_batch(WaCudaLane *lane, const WaBatch *batch, WaBatch *d_batch,
		   ErrorText error)
{
	*d_batch = *batch;
	d_batch->values = lane->d_buffer;
	return check(cudaMemcpyAsync(lane->d_buffer, batch->values,
								 batch->nrows * wa_type_width(batch->type),
								 cudaMemcpyHostToDevice, lane->stream),
				 "copy values to the GPU", error);
}

// Queues the copies and the kernel of a request.
static WaStatus
submit(WaCudaLane *lane, WaOpSet ops, const WaBatch *batch, ErrorText error)
{
	WaKernelColumn column = {*batch, ops, lane->result};
	WaStatus status = copy_batch(lane, batch, &column.d_batch, error);

	if (status != WA_OK)
		return status;
	return check(wa_kernel_launch(&column, 1, lane->d_scratch,
								  lane->multiprocessors, lane->stream),
				 "launch a kernel", error);
}

// Waits for what is queued on the lane.  A small batch is done before a
// sleeping thread could be woken, so the event is looked at for a moment
// first; after that the processor is left to PostgreSQL.
static WaStatus
wait_until_done(WaCudaLane *lane, ErrorText error)
{
	cudaError_t state = cudaEventRecord(lane->done, lane->stream);

	if (state == cudaSuccess)
		state = cudaErrorNotReady;
	for (int i = 0; i < kLooks && state == cudaErrorNotReady; i++)
		state = cudaEventQuery(lane->done);
	if (state == cudaErrorNotReady)
		state = cudaEventSynchronize(lane->done);
	return check(state, "reduce on the GPU", error);
}

WaStatus
wa_cuda_reduce(WaCudaLane *lane, WaOpSet ops, const WaBatch *batch,
			   WaPartial *partial, char *error, size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	WaStatus status = check_batch(lane, ops, batch, text);

	if (status != WA_OK || batch->nrows == 0)
		return status;
	status = check(cudaSetDevice(lane->ordinal), "use the GPU", text);
	if (status != WA_OK)
		return status;
	status = submit(lane, ops, batch, text);
	if (status != WA_OK)
	{
		// What was queued still reads the caller's memory.
		(void) cudaStreamSynchronize(lane->stream);
		(void) cudaGetLastError();
		return status;
	}
	status = wait_until_done(lane, text);
	if (status != WA_OK)
		return status;
	wa_kernel_finish(ops, batch->type, lane->result, partial);
	return WA_OK;
}
