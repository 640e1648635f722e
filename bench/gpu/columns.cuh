//
// columns.cuh
//		What the tables of the kernel benchmark share: the machine, launches over
//		buffers of the arena, and the comparison with the CPU.
//
#ifndef WA_BENCH_GPU_COLUMNS_CUH
#define WA_BENCH_GPU_COLUMNS_CUH

#include "bench/gpu/read_limit.cuh"
#include "cuda/kernels.h"

// Bytes of values that have to agree with the CPU's results at most.
constexpr size_t kMaxCheckedBytes = (size_t) 64 << 20;

struct KernelBench
{
	Output output;
	Timer timer;
	Arena arena;
	int multiprocessors; // of device 0
	ReadLimit limit;
	uint64_t *d_validity; // random bits for as many rows as the arena can have
	void *d_scratch;
	WaKernelResult *d_results; // WA_KERNEL_MAX_COLUMNS of them

	KernelBench(const char *path, size_t arena_bytes);
};

// The tables, each with the text above it; they are told of in kernels.cu.
void bench_limits(KernelBench &bench);
void bench_single(KernelBench &bench);
void bench_fused(KernelBench &bench);
void bench_floats(KernelBench &bench);
void bench_latency(KernelBench &bench);

// Returns a type of the storage.
WaType type_of_storage(WaStorage storage);

// Returns a buffer of the arena as a batch.  With nulls, half of the rows are
// not valid; each buffer has a bitmap of its own.
WaBatch batch_of(const KernelBench &bench, WaType type, size_t bytes,
				 size_t buffer, bool nulls);

// Returns the columns of one launch over a batch: one, or as many equal parts
// as WA_KERNEL_MAX_ROWS makes necessary.
std::vector<WaKernelColumn> columns_of(const KernelBench &bench, WaOpSet ops,
									   const WaBatch &d_batch);

// Queues one launch.
void launch_columns(const KernelBench &bench,
					const std::vector<WaKernelColumn> &columns);

// Returns the launch of the operations over any buffer.
Launch launch_over_buffers(const KernelBench &bench, WaOpSet ops, WaType type,
						   size_t bytes, bool nulls);

// Ends the program unless a launch of each set of operations over a batch finds
// what the CPU finds, bit for bit.
void check_batch(const KernelBench &bench, const WaBatch &d_batch,
				 const std::vector<WaOpSet> &sets);

// Returns the names of the operations with a plus between them; "count" if
// there are none.
std::string ops_text(WaOpSet ops);

#endif // WA_BENCH_GPU_COLUMNS_CUH
