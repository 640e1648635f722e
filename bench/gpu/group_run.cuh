//
// group_run.cuh
//		Runs of grouped reductions over data made for a case, for the benchmark
//		in groups.cu.
//
#ifndef WA_BENCH_GPU_GROUP_RUN_CUH
#define WA_BENCH_GPU_GROUP_RUN_CUH

#include "bench/gpu/data.cuh"
#include "bench/gpu/read_limit.cuh"
#include "cuda/groups.h"

// What is reduced.
struct GroupCase
{
	WaOp op;
	WaType type;
	FloatKind floats; // where values are floats; integers have any bits
	GroupKind groups;
	uint32_t ngroups;
	bool nulls; // half of the rows are not valid
};

// The machine and two sets of values, groups and bitmap.
struct GroupBench
{
	static constexpr size_t kRows = (size_t) 1 << 27;
	static constexpr size_t kSets = 2;

	Output output;
	Timer timer;
	Arena arena;
	WaGroupDevice device; // device 0
	ReadLimit limit;
	WaGroupStatus *status; // pinned

	explicit GroupBench(const char *path);
};

// Returns the name of a case's reduction and values, as "sum float8".
std::string case_values_text(const GroupCase &one);

// Returns the bytes that a run over kRows rows has to read: values, groups and
// bitmap.
size_t case_bytes(const GroupCase &one);

// A case with its data, made for the first nrows rows of both sets, and its
// memory, freed with it.
class GroupRun
{
  public:
	GroupRun(const GroupBench &bench, const GroupCase &one, size_t nrows);
	~GroupRun();
	GroupRun(const GroupRun &) = delete;
	GroupRun &operator=(const GroupRun &) = delete;

	// Tells whether there is such a reduction; no run may start otherwise.
	bool
	exists() const
	{
		return exists_;
	}

	const WaGroupPlan &
	plan() const
	{
		return plan_;
	}

	// Returns the layers that the last run has had so far.
	unsigned
	layers() const
	{
		return layers_;
	}

	// Queues layer 0 over a set.
	void start(size_t set);

	// Call when the GPU is done: queues the next layer, or returns false.
	bool more();

	// Runs all layers over a set, with waits between them.
	void run(size_t set);

	// Ends the program unless a run over set 0 finds what the CPU finds in
	// every group, bit for bit.
	void check();

  private:
	void fill() const;
	void *values_at(size_t set) const;
	uint32_t *groups_at(size_t set) const;
	uint64_t *validity_at(size_t set) const;

	const GroupBench &bench_;
	const GroupCase case_;
	size_t nrows_;
	bool exists_;
	WaGroupColumn column_; // of the run under way
	WaGroupPlan plan_;
	WaGroupMemory memory_;
	WaGroupLayer layer_;
	unsigned layers_ = 0;
};

#endif // WA_BENCH_GPU_GROUP_RUN_CUH
