//
// cuda_runtime.h
//		The emulator's stand-in for CUDA's header of the same name.
//
// With this folder first on the include path the sources of cuda/ compile with
// the host's own compiler, and run on its memory.  It offers what they use, no
// more.  Differences to CUDA that sources have to respect:
//
// - Shared memory is dynamic only: extern __shared__ ... wa_shared_bytes[].
// - Kernels are launched by cudaLaunchKernel, and blocks are one-dimensional.
// - Streams run at once: every call returns when its work is done.
//
// How threads run is told in emulator.cpp; what tests may ask of the emulator
// beyond CUDA, in emulator.h.
//
#ifndef WA_EMU_CUDA_RUNTIME_H
#define WA_EMU_CUDA_RUNTIME_H

#include <algorithm>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tuple>
#include <utility>

#define WA_EMU 1

#define CUDART_VERSION 13000

#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__     static const
#define __forceinline__  inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__

using std::max;
using std::min;

// Vector types and indices

struct __align__(8) uint2
{
	unsigned x, y;
};

struct __align__(16) longlong2
{
	long long x;
	long long y;
};

struct __align__(16) uint4
{
	unsigned x, y, z, w;
};

struct uint3
{
	unsigned x, y, z;
};

struct dim3
{
	unsigned x, y, z;

	dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
		: x(x_), y(y_), z(z_)
	{
	}
};

// What the running thread is; set by the scheduler at every switch.
struct WaEmuPlace
{
	uint3 thread;
	uint3 block;
	dim3 block_dim;
	dim3 grid_dim;
};

extern WaEmuPlace wa_emu_place;
extern unsigned char wa_shared_bytes[];

// Shared memory of a block at most.
const int kWaEmuSharedBytes = 48 * 1024;

#define threadIdx wa_emu_place.thread
#define blockIdx  wa_emu_place.block
#define blockDim  wa_emu_place.block_dim
#define gridDim   wa_emu_place.grid_dim

// Meetings of threads

enum WaEmuMeeting
{
	WA_EMU_SHFL,
	WA_EMU_SHFL_UP,
	WA_EMU_SHFL_DOWN,
	WA_EMU_SHFL_XOR,
	WA_EMU_BALLOT,
	WA_EMU_SYNCWARP
};

// Waits until every lane of the mask has come with the same meeting and mask.
// Returns the value of the lane that a shuffle selects, or a ballot's bits.
uint64_t wa_emu_meet(WaEmuMeeting meeting, unsigned mask, uint64_t value,
					 int selector);

void wa_emu_syncthreads();

inline void
__syncthreads()
{
	wa_emu_syncthreads();
}

inline void
__syncwarp(unsigned mask = 0xffffffffu)
{
	wa_emu_meet(WA_EMU_SYNCWARP, mask, 0, 0);
}

inline unsigned
__ballot_sync(unsigned mask, int predicate)
{
	return (unsigned) wa_emu_meet(WA_EMU_BALLOT, mask, predicate != 0, 0);
}

// Which lanes run together is not defined; here each runs alone.
inline unsigned
__activemask()
{
	return 1u << threadIdx.x % 32;
}

inline int
__any_sync(unsigned mask, int predicate)
{
	return __ballot_sync(mask, predicate) != 0;
}

inline int
__all_sync(unsigned mask, int predicate)
{
	return __ballot_sync(mask, predicate) == mask;
}

// Moves a value of 4 or 8 bytes.
template <typename Value>
inline Value
wa_emu_shuffle(WaEmuMeeting meeting, unsigned mask, Value value, int selector)
{
	static_assert(sizeof(Value) == 4 || sizeof(Value) == 8,
				  "shuffles move 4 or 8 bytes");
	uint64_t bits = 0;

	memcpy(&bits, &value, sizeof(Value));
	bits = wa_emu_meet(meeting, mask, bits, selector);
	memcpy(&value, &bits, sizeof(Value));
	return value;
}

template <typename Value>
inline Value
__shfl_sync(unsigned mask, Value value, int lane)
{
	return wa_emu_shuffle(WA_EMU_SHFL, mask, value, lane);
}

template <typename Value>
inline Value
__shfl_up_sync(unsigned mask, Value value, unsigned distance)
{
	return wa_emu_shuffle(WA_EMU_SHFL_UP, mask, value, (int) distance);
}

template <typename Value>
inline Value
__shfl_down_sync(unsigned mask, Value value, unsigned distance)
{
	return wa_emu_shuffle(WA_EMU_SHFL_DOWN, mask, value, (int) distance);
}

template <typename Value>
inline Value
__shfl_xor_sync(unsigned mask, Value value, int lanes)
{
	return wa_emu_shuffle(WA_EMU_SHFL_XOR, mask, value, lanes);
}

// Memory.  Threads switch only where they meet, so plain reads and writes are
// atomic already.

inline void
__threadfence()
{
}

template <typename Value>
inline Value
__ldg(const Value *address)
{
	return *address;
}

template <typename Value>
inline Value
__ldcg(const Value *address)
{
	return *address;
}

template <typename Value>
inline Value
__ldcs(const Value *address)
{
	return *address;
}

template <typename Number>
inline Number
atomicAdd(Number *address, Number number)
{
	Number old = *address;

	*address = old + number;
	return old;
}

template <typename Number>
inline Number
atomicMax(Number *address, Number number)
{
	Number old = *address;

	*address = max(old, number);
	return old;
}

template <typename Number>
inline Number
atomicMin(Number *address, Number number)
{
	Number old = *address;

	*address = min(old, number);
	return old;
}

template <typename Number>
inline Number
atomicCAS(Number *address, Number expected, Number number)
{
	Number old = *address;

	if (old == expected)
		*address = number;
	return old;
}

inline unsigned
atomicOr(unsigned *address, unsigned bits)
{
	unsigned old = *address;

	*address = old | bits;
	return old;
}

inline unsigned
atomicXor(unsigned *address, unsigned bits)
{
	unsigned old = *address;

	*address = old ^ bits;
	return old;
}

template <typename Number>
inline Number
atomicExch(Number *address, Number number)
{
	return std::exchange(*address, number);
}

// As CUDA's, this converts the number, which a template does not.
inline unsigned long long
atomicExch(unsigned long long *address, unsigned long long number)
{
	return std::exchange(*address, number);
}

inline unsigned
atomicInc(unsigned *address, unsigned limit)
{
	unsigned old = *address;

	*address = old >= limit ? 0 : old + 1;
	return old;
}

// Bits

inline int
__popc(unsigned bits)
{
	return __builtin_popcount(bits);
}

inline int
__popcll(unsigned long long bits)
{
	return __builtin_popcountll(bits);
}

inline int
__clzll(long long bits)
{
	return bits == 0 ? 64 : __builtin_clzll((unsigned long long) bits);
}

inline int
__ffs(unsigned bits)
{
	return __builtin_ffs((int) bits);
}

inline int
__ffsll(long long bits)
{
	return __builtin_ffsll(bits);
}

// Returns the high word of high:low shifted left.
inline unsigned
__funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
	uint64_t both = (uint64_t) high << 32 | low;

	return (unsigned) (both << shift % 32 >> 32);
}

// Returns the low word of high:low shifted right.
inline unsigned
__funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
	uint64_t both = (uint64_t) high << 32 | low;

	return (unsigned) (both >> shift % 32);
}

inline unsigned
__float_as_uint(float number)
{
	unsigned bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

inline float
__uint_as_float(unsigned bits)
{
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

inline int
__double2loint(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return (int) (unsigned) bits;
}

inline double
__hiloint2double(int high, int low)
{
	const uint64_t bits = (uint64_t) (unsigned) high << 32 | (unsigned) low;
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

inline int
__double2hiint(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return (int) (unsigned) (bits >> 32);
}

// The runtime; numbers of errors are CUDA's

enum cudaError_t
{
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInsufficientDriver = 35,
	cudaErrorDevicesUnavailable = 46,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorNoKernelImageForDevice = 209,
	cudaErrorNotReady = 600,
	cudaErrorIllegalAddress = 700,
	cudaErrorHostMemoryAlreadyRegistered = 712,
	cudaErrorHostMemoryNotRegistered = 713,
	cudaErrorNotSupported = 801
};

enum cudaMemcpyKind
{
	cudaMemcpyHostToHost = 0,
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost = 2,
	cudaMemcpyDeviceToDevice = 3,
	cudaMemcpyDefault = 4
};

enum cudaDeviceAttr
{
	cudaDevAttrMultiProcessorCount = 16,
	cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

enum cudaFuncAttribute
{
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8
};

enum
{
	cudaStreamNonBlocking = 1,
	cudaEventBlockingSync = 1,
	cudaEventDisableTiming = 2,
	cudaEnableDefault = 0,
	cudaHostAllocPortable = 1,
	cudaHostRegisterPortable = 1
};

enum cudaDriverEntryPointQueryResult
{
	cudaDriverEntryPointSuccess = 0,
	cudaDriverEntryPointSymbolNotFound = 1
};

struct cudaDeviceProp
{
	char name[256];
	size_t totalGlobalMem;
	int major;
	int minor;
	int multiProcessorCount;
};

typedef struct WaEmuStream *cudaStream_t;
typedef struct WaEmuEvent *cudaEvent_t;

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
								   int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t error);

// Finds a function of the driver (cuda.h), of those that the emulator has.
cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **call,
								 unsigned version, unsigned long long flags,
								 cudaDriverEntryPointQueryResult *is);

cudaError_t wa_emu_malloc(void **memory, size_t bytes);
cudaError_t wa_emu_host_alloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);

template <typename Memory>
inline cudaError_t
cudaMalloc(Memory **memory, size_t bytes)
{
	return wa_emu_malloc((void **) memory, bytes);
}

template <typename Memory>
inline cudaError_t
cudaHostAlloc(Memory **memory, size_t bytes, unsigned)
{
	return wa_emu_host_alloc((void **) memory, bytes);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
// What is queued is done at once; an event is not ready at the first look all
// the same.
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
					   cudaMemcpyKind kind);
cudaError_t cudaMemset(void *memory, int byte, size_t bytes);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
							cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes,
							cudaStream_t stream);

// Launches

// All shared memory that there is can be had without asking.
template <typename... Parameters>
inline cudaError_t
cudaFuncSetAttribute(void (*)(Parameters...), cudaFuncAttribute, int)
{
	return cudaSuccess;
}

typedef void (*WaEmuBody)(const void *closure);

// Runs body(closure) in every thread of every block.
cudaError_t wa_emu_launch(WaEmuBody body, const void *closure, dim3 grid,
						  dim3 block, size_t shared_bytes);

template <typename... Parameters> struct WaEmuCall
{
	void (*kernel)(Parameters...);
	void **arguments;

	template <size_t... kIndex>
	void
	run(std::index_sequence<kIndex...>) const
	{
		kernel(*static_cast<Parameters *>(arguments[kIndex])...);
	}

	static void
	body(const void *closure)
	{
		static_cast<const WaEmuCall *>(closure)->run(
			std::index_sequence_for<Parameters...>());
	}
};

template <typename... Parameters>
inline cudaError_t
cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
				 void **arguments, size_t shared_bytes, cudaStream_t)
{
	const WaEmuCall<Parameters...> call = {kernel, arguments};

	return wa_emu_launch(WaEmuCall<Parameters...>::body, &call, grid, block,
						 shared_bytes);
}

#endif // WA_EMU_CUDA_RUNTIME_H
