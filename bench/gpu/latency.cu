//
// latency.cu
//		The table of small requests: what a worker of the daemon waits for.
//
#include <algorithm>
#include <chrono>
#include <string.h>

#include "bench/gpu/columns.cuh"
#include "bench/gpu/data.cuh"
#include "cuda/warpagg_cuda.h"

static const size_t kRequestRows[] = {1, 1024, 32768, 262144};

static const WaOpSet kRequestSets[] = {
	WA_OP_BIT(WA_OP_SUM),
	WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX)};

static const int kRequests = 1000;
static const int kWarmRequests = 50;

// The lane and the memory of the requests.
struct Requests
{
	WaCudaLane *lane;
	int64_t *values;         // pinned, of as many rows as the largest has
	WaKernelResult *results; // pinned
};

// Ends the program if a call of the surface failed.
static void
must_do(WaStatus status, const char *error)
{
	if (status != WA_OK)
		stop("%s", error);
}

// Opens a lane and makes values.
static Requests
open_requests(void)
{
	const size_t nrows = kRequestRows[3];
	const size_t bytes = nrows * sizeof(int64_t);
	Requests requests;
	char error[256] = "";
	void *memory;

	must_do(wa_cuda_lane_open(0, bytes, &requests.lane, error, sizeof(error)),
			error);
	must(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable));
	requests.values = static_cast<int64_t *>(memory);
	for (size_t i = 0; i < nrows; i++)
		requests.values[i] = (int64_t) hash_of(i);
	must(cudaHostAlloc(&memory, sizeof(WaKernelResult), cudaHostAllocPortable));
	requests.results = static_cast<WaKernelResult *>(memory);
	return requests;
}

// Runs one request and returns how long it took in microseconds; ends the
// program unless it finds what is expected.
static double
run_request(const Requests &requests, WaOpSet ops, const WaBatch &batch,
			const WaPartial &expected)
{
	const auto start = std::chrono::steady_clock::now();
	WaPartial found;
	char error[256] = "";

	wa_partial_init(&found, NULL);
	must_do(wa_cuda_reduce(requests.lane, ops, &batch, &found, error,
						   sizeof(error)),
			error);
	const std::chrono::duration<double, std::micro> us =
		std::chrono::steady_clock::now() - start;
	if (found.rows != expected.rows ||
		memcmp(&found.sum, &expected.sum, sizeof(found.sum)) != 0 ||
		((ops & WA_OP_BIT(WA_OP_MIN)) != 0 && found.min.i != expected.min.i) ||
		((ops & WA_OP_BIT(WA_OP_MAX)) != 0 && found.max.i != expected.max.i))
		stop("a request over %zu rows found a wrong result", batch.nrows);
	return us.count();
}

// Measures requests of one kind and prints their line.
static void
bench_requests(KernelBench &bench, const Requests &requests, WaOpSet ops,
			   size_t nrows)
{
	const size_t bytes = nrows * sizeof(int64_t);
	const WaBatch batch = {WA_INT8, requests.values, NULL, nrows};
	const Launch launch = [&](size_t buffer)
	{
		const WaBatch d_batch = {
			WA_INT8, bench.arena.at(buffer, (size_t) 4 << 20), NULL, nrows};

		launch_columns(bench, {{d_batch, ops, requests.results}});
	};
	std::vector<double> us;
	WaPartial expected;
	float launch_us;

	wa_partial_init(&expected, NULL);
	wa_partial_fold(&expected, ops, &batch);
	for (int i = 0; i < kWarmRequests + kRequests; i++)
	{
		const double once = run_request(requests, ops, batch, expected);

		if (i >= kWarmRequests)
			us.push_back(once);
	}
	std::sort(us.begin(), us.end());
	launch_us = bench.timer.measure_one(launch, 512);
	bench.output.print("| %s | %zu | %s | %.1f | %.1f | %.1f | %.1f |\n",
					   ops_text(ops).c_str(), nrows, size_text(bytes).c_str(),
					   us[kRequests / 2], us[0], us[kRequests * 99 / 100],
					   launch_us);
}

void
bench_latency(KernelBench &bench)
{
	const Requests requests = open_requests();

	fill_storage(WA_I64, bench.arena.at(0, 0), bench.arena.bytes(), 0);
	bench.output.print(
		"\n## Small requests\n\n"
		"One request after the other, %d of each kind: wa_cuda_reduce by the "
		"host's clock, which is the copy of the int8 values from pinned "
		"memory, "
		"the launch, the wait and the finish. \"launch us\" is the launch "
		"alone "
		"by CUDA's events, over values in device memory.\n\n"
		"| operations | rows | input | median us | least us | 99th percentile "
		"us | launch us |\n|---|---|---|---|---|---|---|\n",
		kRequests);
	for (WaOpSet ops : kRequestSets)
		for (size_t nrows : kRequestRows)
			bench_requests(bench, requests, ops, nrows);
	wa_cuda_lane_close(requests.lane);
}
