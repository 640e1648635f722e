//
// test_surface.cpp
//		The surface that the daemon calls: devices, pinning, lanes, failures.
//
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <thread>

#include "cuda/kernels.h"
#include "cuda/warpagg_cuda.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

static const size_t kTextBytes = 300;
static const size_t kLaneBytes = 1 << 20;

// Notes the first failure of a group.
#define EXPECT(condition)                                             \
	do                                                                \
	{                                                                 \
		if (!(condition) && failure[0] == '\0')                       \
			snprintf(failure, kTextBytes, "line %d: not so: %s (%s)", \
					 __LINE__, #condition, error);                    \
	} while (0)

// Returns all the operations that there are over the type.
static WaOpSet
ops_of_type(WaType type)
{
	WaOpSet ops = 0;

	for (int op = 0; op < WA_OP_COUNT; op++)
		if (wa_aggregate_exists((WaOp) op, type))
			ops |= WA_OP_BIT(op);
	return ops;
}

// Reduces a batch on the lane and by folding, all operations at once, and
// compares.  Writes the difference to failure.
static void
compare(WaCudaLane *lane, const WaBatch &batch, char *failure)
{
	const WaOpSet ops = ops_of_type(batch.type);
	WaExactPart found_exact, expected_exact;
	WaPartial found, expected;
	char error[kTextBytes] = "";

	wa_partial_init(&found, &found_exact);
	wa_partial_init(&expected, &expected_exact);
	wa_partial_fold(&expected, ops, &batch);
	EXPECT(wa_cuda_reduce(lane, ops, &batch, &found, error, sizeof(error)) ==
		   WA_OK);
	EXPECT(found.exact == &found_exact);
	EXPECT(partials_equal(&found, &expected, batch.type, ops, error,
						  sizeof(error)));
}

// Compares on random batches of every type.
static void
compare_all_types(WaCudaLane *lane, uint64_t seed, char *failure)
{
	static const size_t lengths[] = {0, 1, 100, 5000};
	Random random(seed);

	for (int type = 0; type < WA_TYPE_COUNT; type++)
		for (size_t nrows : lengths)
		{
			const WaStorage storage = wa_type_storage((WaType) type);
			std::vector<uint64_t> values(2 * nrows + 1);
			unsigned values_kind =
				(unsigned) random.below(values_kinds(storage));

			values_fill(storage, values_kind, values.data(), nrows, random);
			compare(lane, {(WaType) type, values.data(), NULL, nrows}, failure);
		}
}

static void
test_devices()
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	WaDeviceInfo info;
	int count = wa_cuda_device_count(error, sizeof(error));

	EXPECT(count >= 1);
	for (int i = 0; i < count; i++)
	{
		EXPECT(wa_cuda_open(i, &info, error, sizeof(error)) == WA_OK);
		EXPECT(info.kind == WA_DEVICE_GPU && info.ordinal == (uint32_t) i);
		EXPECT(info.compute_major > 0 && info.multiprocessors > 0);
		EXPECT(info.memory_bytes >= info.free_bytes && info.free_bytes > 0);
		EXPECT(info.driver_version >= 12000 && info.name[0] != '\0');
	}
	EXPECT(wa_cuda_open(count, &info, error, sizeof(error)) == WA_UNSUPPORTED);
	EXPECT(strncmp(error, "could not open the GPU: ", 24) == 0);
	report_group(failure, "devices are found and opened");
}

static void
test_pin()
{
	const size_t bytes = 1 << 20;
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
						MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	EXPECT(memory != MAP_FAILED);
	EXPECT(wa_cuda_pin(memory, bytes, error, sizeof(error)) == WA_OK);
	EXPECT(wa_cuda_pin(memory, bytes, error, sizeof(error)) == WA_UNSUPPORTED);
	EXPECT(cudaGetLastError() == cudaSuccess);
	EXPECT(cudaHostUnregister(memory) == cudaSuccess);
	munmap(memory, bytes);
	report_group(failure, "memory is pinned");
}

static void
test_lane()
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	WaCudaLane *lane;

	EXPECT(wa_cuda_lane_open(0, kLaneBytes, &lane, error, sizeof(error)) ==
		   WA_OK);
	if (lane != NULL)
		compare_all_types(lane, 7, failure);
	wa_cuda_lane_close(lane);
	wa_cuda_lane_close(NULL);
	report_group(failure, "a lane reduces every type by all its operations");
}

static void
test_limits()
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	std::vector<int64_t> values(2000);
	WaBatch batch = {WA_INT8, values.data(), NULL, 1000};
	const WaOpSet sum = WA_OP_BIT(WA_OP_SUM);
	WaPartial partial;
	WaCudaLane *lane;

	wa_partial_init(&partial, NULL);
	EXPECT(wa_cuda_lane_open(0, 8000, &lane, error, sizeof(error)) == WA_OK);
	EXPECT(wa_cuda_reduce(lane, sum, &batch, &partial, error, sizeof(error)) ==
		   WA_OK);
	batch.nrows = 1001;
	EXPECT(wa_cuda_reduce(lane, sum, &batch, &partial, error, sizeof(error)) ==
		   WA_BAD_REQUEST);
	batch.nrows = WA_KERNEL_MAX_ROWS;
	EXPECT(wa_cuda_reduce(lane, sum, &batch, &partial, error, sizeof(error)) ==
		   WA_BAD_REQUEST);
	batch = {WA_OID, values.data(), NULL, 10};
	EXPECT(wa_cuda_reduce(lane, sum, &batch, &partial, error, sizeof(error)) ==
		   WA_UNSUPPORTED);
	EXPECT(strcmp(error, "the GPU has no such operation over type oid") == 0);
	EXPECT(wa_cuda_reduce(lane, 0, &batch, &partial, error, sizeof(error)) ==
		   WA_UNSUPPORTED);
	EXPECT(wa_cuda_reduce(lane, sum, &batch, &partial, NULL, 0) ==
		   WA_UNSUPPORTED);
	wa_cuda_lane_close(lane);
	report_group(failure, "a lane refuses what it cannot take");
}

// A lane of its own for a thread.
static void
use_lane(int ordinal, uint64_t seed, char *failure)
{
	char error[kTextBytes] = "";
	WaCudaLane *lane;

	EXPECT(wa_cuda_lane_open(ordinal, kLaneBytes, &lane, error,
							 sizeof(error)) == WA_OK);
	if (lane != NULL)
		compare_all_types(lane, seed, failure);
	wa_cuda_lane_close(lane);
}

static void
test_threads()
{
	char failures[4][kTextBytes] = {"", "", "", ""};
	char error[kTextBytes] = "";
	const int count = wa_cuda_device_count(error, sizeof(error));
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back(use_lane, i % count, (uint64_t) i, failures[i]);
	for (std::thread &thread : threads)
		thread.join();
	for (int i = 1; i < 4; i++)
		if (failures[0][0] == '\0')
			memcpy(failures[0], failures[i], kTextBytes);
	report_group(failures[0], "four threads use four lanes at once");
}

#ifdef WA_EMU

static void
test_device_counts()
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	WaDeviceInfo info;

	setenv("WARPAGG_EMU_DEVICES", "0", 1);
	EXPECT(wa_cuda_device_count(error, sizeof(error)) == 0);
	EXPECT(strcmp(error, "could not find a GPU: no CUDA-capable device is "
						 "detected") == 0);
	EXPECT(cudaGetLastError() == cudaSuccess);
	setenv("WARPAGG_EMU_DEVICES", "2", 1);
	EXPECT(wa_cuda_device_count(error, sizeof(error)) == 2);
	EXPECT(wa_cuda_open(1, &info, error, sizeof(error)) == WA_OK);
	EXPECT(strcmp(info.name, "Emulated GPU 1") == 0);
	report_group(failure, "no device and two devices");
	test_threads();
	unsetenv("WARPAGG_EMU_DEVICES");
}

// Every call of lane_open and reduce fails once, in turn.
static void
test_failures(cudaError_t cause, WaStatus expected, const char *name)
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	const int32_t values[] = {1, 2, 3};
	const uint64_t bitmap[] = {7};
	const WaBatch batch = {WA_INT4, values, bitmap, 3};
	const WaOpSet ops = ops_of_type(WA_INT4);
	WaStatus status = expected;
	unsigned calls;

	for (calls = 1; calls < 100 && status == expected; calls++)
	{
		WaCudaLane *lane = NULL;
		WaPartial partial;

		wa_partial_init(&partial, NULL);
		wa_emu_fail_call(calls, cause);
		status = wa_cuda_lane_open(0, 100, &lane, error, sizeof(error));
		EXPECT((status == WA_OK) == (lane != NULL));
		if (status == WA_OK)
			status = wa_cuda_reduce(lane, ops, &batch, &partial, error,
									sizeof(error));
		EXPECT(status == expected || status == WA_OK);
		EXPECT(status == WA_OK || strncmp(error, "could not ", 10) == 0);
		if (status == WA_OUT_OF_MEMORY && lane != NULL)
			compare(lane, batch, failure);
		wa_cuda_lane_close(lane);
		wa_emu_heal();
	}
	EXPECT(status == WA_OK && calls > 8);
	report_group(failure, "%s at each call is reported", name);
}

#endif

bool
test_surface()
{
	char error[kTextBytes];

	test_devices();
	if (wa_cuda_device_count(error, sizeof(error)) == 0)
		return false;
	test_pin();
	test_lane();
	test_limits();
	test_threads();
#ifdef WA_EMU
	test_device_counts();
	test_failures(cudaErrorMemoryAllocation, WA_OUT_OF_MEMORY,
				  "lack of memory");
	test_failures(cudaErrorIllegalAddress, WA_DEVICE_LOST, "a fault");
#endif
	return true;
}
