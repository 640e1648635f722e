//
// group_run.cu
//		Runs of grouped reductions; see group_run.cuh.
//
#include "bench/gpu/group_run.cuh"

#include <string.h>

// A set of the arena: values, at their widest, then groups, then a bitmap.
static const size_t kGroupsOffset = GroupBench::kRows * sizeof(int64_t);
static const size_t kValidityOffset =
	kGroupsOffset + GroupBench::kRows * sizeof(uint32_t);
static const size_t kSetBytes = kValidityOffset + GroupBench::kRows / 8;

// Looks at device 0.
static WaGroupDevice
look_at_device(void)
{
	WaGroupDevice device;

	must(wa_group_device(0, &device));
	return device;
}

// Allocates what the kernels tell the host in.
static WaGroupStatus *
pinned_status(void)
{
	void *memory;

	must(cudaHostAlloc(&memory, sizeof(WaGroupStatus), cudaHostAllocDefault));
	return static_cast<WaGroupStatus *>(memory);
}

GroupBench::GroupBench(const char *path)
	: output(path), arena(kSets * kSetBytes), device(look_at_device()),
	  limit(timer, arena, device.multiprocessors), status(pinned_status())
{
}

std::string
case_values_text(const GroupCase &one)
{
	return std::string(wa_op_name(one.op)) + " " + wa_type_name(one.type);
}

size_t
case_bytes(const GroupCase &one)
{
	const size_t row_bytes = wa_type_width(one.type) + sizeof(uint32_t);

	return GroupBench::kRows * row_bytes +
		   (one.nulls ? wa_validity_bytes(GroupBench::kRows) : 0);
}

GroupRun::GroupRun(const GroupBench &bench, const GroupCase &one, size_t nrows)
	: bench_(bench), case_(one), nrows_(nrows)
{
	cudaError_t error;

	column_ = {
		one.op,
		{one.type, values_at(0), one.nulls ? validity_at(0) : NULL, nrows},
		groups_at(0),
		one.ngroups};
	memset(&plan_, 0, sizeof(plan_));
	memset(&memory_, 0, sizeof(memory_));
	error = wa_group_plan(&column_, &bench.device, &plan_);
	exists_ = error != cudaErrorInvalidValue;
	if (!exists_)
		return;
	must(error);
	// One byte more: a plan may want none.
	must(cudaMalloc(&memory_.d_workspace, plan_.workspace_bytes + 1));
	must(cudaMalloc(&memory_.d_table, plan_.table_bytes));
	memory_.status = bench.status;
	fill();
}

GroupRun::~GroupRun()
{
	must(cudaFree(memory_.d_table));
	must(cudaFree(memory_.d_workspace));
}

void *
GroupRun::values_at(size_t set) const
{
	return bench_.arena.at(set, kSetBytes);
}

uint32_t *
GroupRun::groups_at(size_t set) const
{
	return reinterpret_cast<uint32_t *>(bench_.arena.at(set, kSetBytes) +
										kGroupsOffset);
}

uint64_t *
GroupRun::validity_at(size_t set) const
{
	return reinterpret_cast<uint64_t *>(bench_.arena.at(set, kSetBytes) +
										kValidityOffset);
}

// Makes the data of both sets.
void
GroupRun::fill() const
{
	for (size_t set = 0; set < GroupBench::kSets; set++)
	{
		const uint64_t seed = (uint64_t) set << 40;

		if (case_.type == WA_FLOAT4)
			fill_floats(case_.floats, static_cast<float *>(values_at(set)),
						nrows_, seed);
		else if (case_.type == WA_FLOAT8)
			fill_floats(case_.floats, static_cast<double *>(values_at(set)),
						nrows_, seed);
		else
			fill_storage(wa_type_storage(case_.type), values_at(set),
						 nrows_ * wa_type_width(case_.type), seed);
		// Groups and bitmaps depend on other bits than values.
		fill_with(groups_at(set), nrows_,
				  MakeGroup{case_.groups, case_.ngroups, nrows_,
							seed + ((uint64_t) 1 << 50)});
		fill_storage(WA_U64, validity_at(set), wa_validity_bytes(nrows_),
					 seed + ((uint64_t) 1 << 51));
	}
}

void
GroupRun::start(size_t set)
{
	column_.d_batch.values = values_at(set);
	column_.d_groups = groups_at(set);
	if (case_.nulls)
		column_.d_batch.validity = validity_at(set);
	layers_ = 1;
	must(wa_group_start(&column_, &plan_, &memory_, &layer_, NULL));
}

bool
GroupRun::more()
{
	bool more;

	must(wa_group_next(&column_, &plan_, &memory_, &layer_, &more, NULL));
	layers_ += more;
	return more;
}

void
GroupRun::run(size_t set)
{
	start(set);
	do
		must(cudaDeviceSynchronize());
	while (more());
}

// Partials of groups, with the memory of their floats.
struct Partials
{
	WaType type;
	WaOpSet ops;
	std::vector<WaExactPart> exact;
	std::vector<WaPartial> partials;

	Partials(const GroupCase &one)
		: type(one.type), ops(WA_OP_BIT(one.op)), partials(one.ngroups)
	{
		const bool floats = wa_partial_needs_exact(type, ops);

		exact.resize(floats ? one.ngroups : 0);
		for (size_t i = 0; i < one.ngroups; i++)
			wa_partial_init(&partials[i], floats ? &exact[i] : NULL);
	}

	// Tells whether a group is bit for bit the other's.
	bool
	same(const Partials &other, uint32_t group) const
	{
		return encode(group) == other.encode(group);
	}

	std::vector<uint8_t>
	encode(uint32_t group) const
	{
		std::vector<uint8_t> bytes(WA_PARTIAL_MAX_BYTES);

		bytes.resize(
			wa_partial_encode(&partials[group], type, ops, bytes.data()));
		return bytes;
	}
};

// The rows of a set in host memory.
struct HostRows
{
	std::vector<unsigned char> values;
	std::vector<uint32_t> groups;
	std::vector<uint64_t> validity; // empty: all rows are valid
};

// Copies a column to the host.
static HostRows
copy_rows(const WaGroupColumn &column)
{
	const WaBatch &d_batch = column.d_batch;
	HostRows rows;

	rows.values.resize(d_batch.nrows * wa_type_width(d_batch.type));
	rows.groups.resize(d_batch.nrows);
	must(cudaMemcpy(rows.values.data(), d_batch.values, rows.values.size(),
					cudaMemcpyDeviceToHost));
	must(cudaMemcpy(rows.groups.data(), column.d_groups,
					rows.groups.size() * sizeof(uint32_t),
					cudaMemcpyDeviceToHost));
	if (d_batch.validity == NULL)
		return rows;
	rows.validity.resize(wa_validity_bytes(d_batch.nrows) / sizeof(uint64_t));
	must(cudaMemcpy(rows.validity.data(), d_batch.validity,
					rows.validity.size() * sizeof(uint64_t),
					cudaMemcpyDeviceToHost));
	return rows;
}

// Folds the valid rows of each group in their order.
static void
fold_rows(const HostRows &rows, Partials *partials)
{
	const size_t width = wa_type_width(partials->type);
	const uint64_t *validity =
		rows.validity.empty() ? NULL : rows.validity.data();
	std::vector<std::vector<unsigned char>> values(partials->partials.size());

	for (size_t row = 0; row < rows.groups.size(); row++)
	{
		const unsigned char *value = &rows.values[row * width];
		std::vector<unsigned char> &group = values[rows.groups[row]];

		if (wa_row_is_valid(validity, row))
			group.insert(group.end(), value, value + width);
	}
	for (size_t i = 0; i < values.size(); i++)
	{
		const WaBatch batch = {partials->type, values[i].data(), NULL,
							   values[i].size() / width};

		wa_partial_fold(&partials->partials[i], partials->ops, &batch);
	}
}

void
GroupRun::check()
{
	std::vector<unsigned char> table(plan_.table_bytes);
	Partials found(case_);
	Partials expected(case_);

	must(cudaMemset(memory_.d_workspace, 0xff, plan_.workspace_bytes));
	must(cudaMemset(memory_.d_table, 0xff, plan_.table_bytes));
	start(0);
	do
	{
		must(cudaMemcpy(table.data(), memory_.d_table, table.size(),
						cudaMemcpyDeviceToHost));
		for (uint32_t i = 0; i < case_.ngroups; i++)
			wa_group_fold(&column_, &plan_, &layer_, table.data(), i,
						  &found.partials[i]);
	} while (more());
	fold_rows(copy_rows(column_), &expected);
	for (uint32_t i = 0; i < case_.ngroups; i++)
		if (!found.same(expected, i))
			stop("%s (%s) of group %u of %u (%s)%s is wrong",
				 case_values_text(case_).c_str(), float_kind_text(case_.floats),
				 i, case_.ngroups, group_kind_text(case_.groups),
				 case_.nulls ? ", with nulls," : "");
}
