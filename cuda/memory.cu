//
// memory.cu
//		A GPU's memory by CUDA's virtual memory management; see memory.h.
//
// The functions for that are the driver's, which nothing here is linked with:
// the runtime is asked for them.
//
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdlib.h>

#include "failure.h"
#include "memory.h"

// Buffers that are written to in turns.
constexpr int kBuffers = 2;

// The driver's functions, of its version 10.2, which had them first.
constexpr unsigned kDriverVersion = 10020;

struct DriverCalls
{
	decltype(&cuMemGetAllocationGranularity) granularity;
	decltype(&cuMemAddressReserve) reserve;
	decltype(&cuMemAddressFree) unreserve;
	decltype(&cuMemCreate) create;
	decltype(&cuMemMap) map;
	decltype(&cuMemSetAccess) set_access;
	decltype(&cuMemUnmap) unmap;
	decltype(&cuMemRelease) release;
};

struct WaCudaMemory
{
	int ordinal;
	DriverCalls driver;
	cudaStream_t stream;
	void *staging[kBuffers];      // pinned
	cudaEvent_t copied[kBuffers]; // recorded behind the last copy from it
	int buffer;                   // that was returned last
};

// Returns the status of a call of the driver, whose errors have the numbers of
// the runtime's.
static WaStatus
check_driver(CUresult result, const char *action, ErrorText error)
{
	return check(static_cast<cudaError_t>(result), action, error);
}

// Asks the runtime for a function of the driver.
static cudaError_t
ask_for_call(const char *name, void **call, cudaDriverEntryPointQueryResult *is)
{
#if CUDART_VERSION >= 12050
	return cudaGetDriverEntryPointByVersion(name, call, kDriverVersion,
											cudaEnableDefault, is);
#else
	return cudaGetDriverEntryPoint(name, call, cudaEnableDefault, is);
#endif
}

// Finds one of the driver's functions.
template <typename Call>
static WaStatus
find_call(const char *name, Call *call, ErrorText error)
{
	cudaDriverEntryPointQueryResult is = cudaDriverEntryPointSymbolNotFound;
	void *found = NULL;
	WaStatus status =
		check(ask_for_call(name, &found, &is), "look at the driver", error);

	if (status == WA_OK && (is != cudaDriverEntryPointSuccess || found == NULL))
		status =
			fail(WA_UNSUPPORTED, error, "the driver does not know %s", name);
	*call = reinterpret_cast<Call>(found);
	return status;
}

// Finds all of the driver's functions.
static WaStatus
find_calls(DriverCalls *calls, ErrorText error)
{
	WaStatus status =
		find_call("cuMemGetAllocationGranularity", &calls->granularity, error);

	if (status == WA_OK)
		status = find_call("cuMemAddressReserve", &calls->reserve, error);
	if (status == WA_OK)
		status = find_call("cuMemAddressFree", &calls->unreserve, error);
	if (status == WA_OK)
		status = find_call("cuMemCreate", &calls->create, error);
	if (status == WA_OK)
		status = find_call("cuMemMap", &calls->map, error);
	if (status == WA_OK)
		status = find_call("cuMemSetAccess", &calls->set_access, error);
	if (status == WA_OK)
		status = find_call("cuMemUnmap", &calls->unmap, error);
	if (status == WA_OK)
		status = find_call("cuMemRelease", &calls->release, error);
	return status;
}

// Returns what kind of memory pieces are of.
static CUmemAllocationProp
piece_kind(const WaCudaMemory *memory)
{
	CUmemAllocationProp kind = {};

	kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	kind.location.id = memory->ordinal;
	return kind;
}

// Sees to it that memory can be had by the piece.
static WaStatus
check_granularity(const WaCudaMemory *memory, ErrorText error)
{
	const CUmemAllocationProp kind = piece_kind(memory);
	size_t bytes = 0;
	WaStatus status =
		check_driver(memory->driver.granularity(
						 &bytes, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
					 "look at the GPU's memory", error);

	if (status == WA_OK && (bytes == 0 || WA_CUDA_PIECE_BYTES % bytes != 0))
		status = fail(WA_UNSUPPORTED, error,
					  "the GPU has memory by pieces of %zu bytes only", bytes);
	return status;
}

// Gets all that the memory needs beside the driver's functions.
static WaStatus
equip(WaCudaMemory *memory, ErrorText error)
{
	WaStatus status =
		check(cudaStreamCreateWithFlags(&memory->stream, cudaStreamNonBlocking),
			  "create a stream", error);

	for (int i = 0; i < kBuffers && status == WA_OK; i++)
	{
		status = check(cudaEventCreateWithFlags(&memory->copied[i],
												cudaEventDisableTiming |
													cudaEventBlockingSync),
					   "create an event", error);
		if (status == WA_OK)
			status =
				check(cudaHostAlloc(&memory->staging[i], WA_CUDA_STAGING_BYTES,
									cudaHostAllocPortable),
					  "allocate pinned memory", error);
	}
	return status;
}

WaStatus
wa_cuda_memory_open(int ordinal, WaCudaMemory **memory, char *error,
					size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	WaStatus status;

	*memory = NULL;
	status = check(cudaSetDevice(ordinal), "open the GPU", text);
	if (status != WA_OK)
		return status;
	*memory = static_cast<WaCudaMemory *>(calloc(1, sizeof(WaCudaMemory)));
	if (*memory == NULL)
		return fail(WA_OUT_OF_MEMORY, text, "could not allocate memory");
	(*memory)->ordinal = ordinal;
	status = find_calls(&(*memory)->driver, text);
	if (status == WA_OK)
		status = check_granularity(*memory, text);
	if (status == WA_OK)
		status = equip(*memory, text);
	if (status != WA_OK)
	{
		wa_cuda_memory_close(*memory);
		*memory = NULL;
	}
	return status;
}

void
wa_cuda_memory_close(WaCudaMemory *memory)
{
	if (memory == NULL)
		return;
	// The results change nothing: see wa_cuda_lane_close.
	(void) cudaSetDevice(memory->ordinal);
	for (int i = 0; i < kBuffers; i++)
	{
		if (memory->staging[i] != NULL)
			(void) cudaFreeHost(memory->staging[i]);
		if (memory->copied[i] != NULL)
			(void) cudaEventDestroy(memory->copied[i]);
	}
	if (memory->stream != NULL)
		(void) cudaStreamDestroy(memory->stream);
	(void) cudaGetLastError();
	free(memory);
}

// Makes the memory's GPU the thread's.
static WaStatus
use_device(const WaCudaMemory *memory, ErrorText error)
{
	return check(cudaSetDevice(memory->ordinal), "use the GPU", error);
}

WaStatus
wa_cuda_memory_reserve(WaCudaMemory *memory, size_t bytes, void **d_range,
					   char *error, size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	CUdeviceptr address = 0;
	WaStatus status = use_device(memory, text);

	if (status == WA_OK)
		status = check_driver(
			memory->driver.reserve(&address, bytes, WA_CUDA_PIECE_BYTES, 0, 0),
			"reserve GPU addresses", text);
	*d_range = reinterpret_cast<void *>(address);
	return status;
}

WaStatus
wa_cuda_memory_unreserve(WaCudaMemory *memory, void *d_range, size_t bytes,
						 char *error, size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(d_range);
	WaStatus status = use_device(memory, text);

	if (status == WA_OK)
		status = check_driver(memory->driver.unreserve(address, bytes),
							  "give up GPU addresses", text);
	return status;
}

// Puts memory behind the addresses of a piece and makes it accessible.
static WaStatus
map_piece(const WaCudaMemory *memory, CUdeviceptr address,
		  CUmemGenericAllocationHandle piece, ErrorText error)
{
	CUmemAccessDesc access = {};
	WaStatus status;

	access.location = piece_kind(memory).location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	status = check_driver(
		memory->driver.map(address, WA_CUDA_PIECE_BYTES, 0, piece, 0),
		"map GPU memory", error);
	if (status != WA_OK)
		return status;
	status = check_driver(
		memory->driver.set_access(address, WA_CUDA_PIECE_BYTES, &access, 1),
		"map GPU memory", error);
	if (status != WA_OK)
		(void) memory->driver.unmap(address, WA_CUDA_PIECE_BYTES);
	return status;
}

WaStatus
wa_cuda_memory_map(WaCudaMemory *memory, void *d_piece, char *error,
				   size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	const CUmemAllocationProp kind = piece_kind(memory);
	CUmemGenericAllocationHandle piece = 0;
	WaStatus status = use_device(memory, text);

	if (status == WA_OK)
		status = check_driver(
			memory->driver.create(&piece, WA_CUDA_PIECE_BYTES, &kind, 0),
			"allocate GPU memory", text);
	if (status != WA_OK)
		return status;
	status =
		map_piece(memory, reinterpret_cast<CUdeviceptr>(d_piece), piece, text);
	// The mapping keeps the memory from now on.
	(void) memory->driver.release(piece);
	return status;
}

WaStatus
wa_cuda_memory_unmap(WaCudaMemory *memory, void *d_piece, char *error,
					 size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(d_piece);
	WaStatus status = use_device(memory, text);

	if (status == WA_OK)
		status =
			check_driver(memory->driver.unmap(address, WA_CUDA_PIECE_BYTES),
						 "unmap GPU memory", text);
	return status;
}

WaStatus
wa_cuda_memory_staging(WaCudaMemory *memory, void **staging, char *error,
					   size_t error_bytes)
{
	memory->buffer = (memory->buffer + 1) % kBuffers;
	*staging = memory->staging[memory->buffer];
	return check(cudaEventSynchronize(memory->copied[memory->buffer]),
				 "copy columns to the GPU", {error, error_bytes});
}

WaStatus
wa_cuda_memory_copy(WaCudaMemory *memory, void *d_to, size_t bytes, char *error,
					size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	WaStatus status = use_device(memory, text);

	if (status == WA_OK)
		status =
			check(cudaMemcpyAsync(d_to, memory->staging[memory->buffer], bytes,
								  cudaMemcpyHostToDevice, memory->stream),
				  "copy columns to the GPU", text);
	if (status == WA_OK)
		status = check(
			cudaEventRecord(memory->copied[memory->buffer], memory->stream),
			"copy columns to the GPU", text);
	return status;
}

WaStatus
wa_cuda_memory_fill(WaCudaMemory *memory, void *d_to, int byte, size_t bytes,
					char *error, size_t error_bytes)
{
	const ErrorText text = {error, error_bytes};
	WaStatus status = use_device(memory, text);

	if (status == WA_OK)
		status = check(cudaMemsetAsync(d_to, byte, bytes, memory->stream),
					   "fill GPU memory", text);
	return status;
}

WaStatus
wa_cuda_memory_wait(WaCudaMemory *memory, char *error, size_t error_bytes)
{
	return check(cudaStreamSynchronize(memory->stream),
				 "copy columns to the GPU", {error, error_bytes});
}
