//
// runtime.cpp
//		The part of CUDA's runtime that cuda/ uses, on host memory.
//
// A device is nothing but a number: all share the host's memory.  Device
// memory comes from malloc byte by byte, so that the address sanitizer sees a
// kernel that reads beyond it.
//
#include "emulator.h"

#include <mutex>
#include <set>
#include <stdio.h>
#include <stdlib.h>

static const size_t kMemoryBytes = (size_t) 1 << 30;
static const int kMultiprocessors = 4;

// What the runtime aligns memory to.
static const size_t kAlignment = 256;

struct WaEmuEvent
{
	bool looked_at;
};

struct WaEmuStream
{
	int device;
};

// Faults and registrations, guarded by state_lock.
static std::mutex state_lock;
static unsigned calls_to_failure;
static cudaError_t coming_failure;
static cudaError_t sticky_error;
static std::set<void *> registered;

static thread_local cudaError_t last_error;
static thread_local int current_device;

cudaError_t
wa_emu_keep_error(cudaError_t error)
{
	if (error != cudaSuccess)
		last_error = error;
	return error;
}

cudaError_t
wa_emu_count_call()
{
	std::lock_guard<std::mutex> guard(state_lock);

	if (sticky_error != cudaSuccess)
		return wa_emu_keep_error(sticky_error);
	if (calls_to_failure == 0 || --calls_to_failure > 0)
		return cudaSuccess;
	if (coming_failure == cudaErrorIllegalAddress)
		sticky_error = coming_failure;
	return wa_emu_keep_error(coming_failure);
}

// Returns the error that has broken the device, if any.
static cudaError_t
check_device()
{
	std::lock_guard<std::mutex> guard(state_lock);

	return wa_emu_keep_error(sticky_error);
}

void
wa_emu_fail_call(unsigned calls, cudaError_t error)
{
	std::lock_guard<std::mutex> guard(state_lock);

	calls_to_failure = calls;
	coming_failure = error;
}

void
wa_emu_heal()
{
	std::lock_guard<std::mutex> guard(state_lock);

	calls_to_failure = 0;
	sticky_error = cudaSuccess;
	last_error = cudaSuccess;
}

static int
device_count()
{
	const char *number = getenv("WARPAGG_EMU_DEVICES");

	return number == NULL ? 1 : atoi(number);
}

cudaError_t
cudaGetDeviceCount(int *count)
{
	*count = device_count();
	return wa_emu_keep_error(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t
cudaSetDevice(int device)
{
	if (device < 0 || device >= device_count())
		return wa_emu_keep_error(cudaErrorInvalidDevice);
	current_device = device;
	return check_device();
}

cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
	if (device < 0 || device >= device_count())
		return wa_emu_keep_error(cudaErrorInvalidDevice);
	memset(properties, 0, sizeof(*properties));
	snprintf(properties->name, sizeof(properties->name), "Emulated GPU %d",
			 device);
	properties->totalGlobalMem = kMemoryBytes;
	properties->major = 9;
	properties->minor = 0;
	properties->multiProcessorCount = kMultiprocessors;
	return check_device();
}

cudaError_t
cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
	if (device < 0 || device >= device_count())
		return wa_emu_keep_error(cudaErrorInvalidDevice);
	switch (attribute)
	{
		case cudaDevAttrMultiProcessorCount:
			*value = kMultiprocessors;
			break;
		case cudaDevAttrMaxSharedMemoryPerBlockOptin:
			*value = kWaEmuSharedBytes;
			break;
		default:
			return wa_emu_keep_error(cudaErrorInvalidValue);
	}
	return check_device();
}

cudaError_t
cudaDriverGetVersion(int *version)
{
	*version = 13000;
	return check_device();
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	*free_bytes = kMemoryBytes;
	*total_bytes = kMemoryBytes;
	return check_device();
}

cudaError_t
cudaDeviceSynchronize()
{
	return check_device();
}

cudaError_t
cudaGetLastError()
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

const char *
cudaGetErrorString(cudaError_t error)
{
	switch (error)
	{
		case cudaSuccess:
			return "no error";
		case cudaErrorInvalidValue:
			return "invalid argument";
		case cudaErrorMemoryAllocation:
			return "out of memory";
		case cudaErrorNoDevice:
			return "no CUDA-capable device is detected";
		case cudaErrorInvalidDevice:
			return "invalid device ordinal";
		case cudaErrorIllegalAddress:
			return "an illegal memory access was encountered";
		case cudaErrorHostMemoryAlreadyRegistered:
			return "part or all of the requested memory range is already "
				   "mapped";
		case cudaErrorHostMemoryNotRegistered:
			return "pointer does not correspond to a registered memory region";
		default:
			return "unknown error";
	}
}

// Returns poisoned memory.
static cudaError_t
allocate(void **memory, size_t bytes)
{
	cudaError_t error = wa_emu_count_call();

	*memory = NULL;
	if (error != cudaSuccess)
		return error;
	if (bytes > kMemoryBytes)
		return wa_emu_keep_error(cudaErrorMemoryAllocation);
	if (posix_memalign(memory, kAlignment, bytes) != 0)
		return wa_emu_keep_error(cudaErrorMemoryAllocation);
	memset(*memory, WA_EMU_POISON, bytes);
	return cudaSuccess;
}

cudaError_t
wa_emu_malloc(void **memory, size_t bytes)
{
	return allocate(memory, bytes);
}

cudaError_t
wa_emu_host_alloc(void **memory, size_t bytes)
{
	return allocate(memory, bytes);
}

cudaError_t
cudaFree(void *memory)
{
	free(memory);
	return check_device();
}

cudaError_t
cudaFreeHost(void *memory)
{
	free(memory);
	return check_device();
}

cudaError_t
cudaHostRegister(void *memory, size_t bytes, unsigned)
{
	cudaError_t error = wa_emu_count_call();

	if (error != cudaSuccess)
		return error;
	if (bytes == 0)
		return wa_emu_keep_error(cudaErrorInvalidValue);
	std::lock_guard<std::mutex> guard(state_lock);

	return wa_emu_keep_error(registered.insert(memory).second
								 ? cudaSuccess
								 : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t
cudaHostUnregister(void *memory)
{
	std::lock_guard<std::mutex> guard(state_lock);

	return wa_emu_keep_error(registered.erase(memory) == 1
								 ? cudaSuccess
								 : cudaErrorHostMemoryNotRegistered);
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
	cudaError_t error = wa_emu_count_call();

	*stream = NULL;
	if (error == cudaSuccess)
		*stream = new WaEmuStream{current_device};
	return error;
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
	delete stream;
	return check_device();
}

cudaError_t
cudaStreamSynchronize(cudaStream_t)
{
	return check_device();
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
	cudaError_t error = wa_emu_count_call();

	*event = NULL;
	if (error == cudaSuccess)
		*event = new WaEmuEvent{false};
	return error;
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
	delete event;
	return check_device();
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
	event->looked_at = false;
	return check_device();
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
	cudaError_t error = check_device();

	if (error == cudaSuccess && !event->looked_at)
		error = cudaErrorNotReady;
	event->looked_at = true;
	return error;
}

cudaError_t
cudaEventSynchronize(cudaEvent_t)
{
	return check_device();
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
	cudaError_t error = wa_emu_count_call();

	if (error == cudaSuccess && bytes > 0)
		memcpy(to, from, bytes);
	return error;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
				cudaStream_t)
{
	return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t
cudaMemset(void *memory, int byte, size_t bytes)
{
	cudaError_t error = wa_emu_count_call();

	if (error == cudaSuccess)
		memset(memory, byte, bytes);
	return error;
}

cudaError_t
cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t)
{
	return cudaMemset(memory, byte, bytes);
}
