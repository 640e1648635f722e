//
// columns.cu
//		What the tables of the kernel benchmark share; see columns.cuh.
//
#include "bench/gpu/columns.cuh"

#include "bench/gpu/data.cuh"

// Returns the number of multiprocessors of device 0.
static int
count_multiprocessors(void)
{
	int count;

	must(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
	return count;
}

// The most rows that so many bytes can have, in bytes of their bitmaps.
static size_t
all_validity_bytes(size_t bytes)
{
	return wa_validity_bytes(bytes / sizeof(int16_t));
}

KernelBench::KernelBench(const char *path, size_t arena_bytes)
	: output(path), arena(arena_bytes),
	  multiprocessors(count_multiprocessors()),
	  limit(timer, arena, multiprocessors),
	  d_validity(static_cast<uint64_t *>(
		  device_memory(all_validity_bytes(arena_bytes)))),
	  d_scratch(device_memory(wa_kernel_scratch_bytes())),
	  d_results(static_cast<WaKernelResult *>(
		  device_memory(WA_KERNEL_MAX_COLUMNS * sizeof(WaKernelResult))))
{
	must(cudaMemset(d_scratch, 0, wa_kernel_scratch_bytes()));
	fill_storage(WA_U64, d_validity, all_validity_bytes(arena_bytes),
				 (uint64_t) 1 << 50);
}

WaType
type_of_storage(WaStorage storage)
{
	int type = 0;

	while (wa_type_storage((WaType) type) != storage)
		type++;
	return (WaType) type;
}

WaBatch
batch_of(const KernelBench &bench, WaType type, size_t bytes, size_t buffer,
		 bool nulls)
{
	const size_t nrows = bytes / wa_type_width(type);
	const uint64_t *d_validity =
		bench.d_validity +
		buffer * (wa_validity_bytes(nrows) / sizeof(uint64_t));

	return {type, bench.arena.at(buffer, bytes), nulls ? d_validity : NULL,
			nrows};
}

std::vector<WaKernelColumn>
columns_of(const KernelBench &bench, WaOpSet ops, const WaBatch &d_batch)
{
	std::vector<WaKernelColumn> columns;
	size_t parts = 1;

	while (d_batch.nrows / parts >= WA_KERNEL_MAX_ROWS)
		parts *= 2;
	for (size_t part = 0; part < parts; part++)
	{
		const size_t nrows = d_batch.nrows / parts;
		WaBatch d_part = d_batch;

		d_part.nrows = nrows;
		d_part.values = static_cast<const unsigned char *>(d_batch.values) +
						part * nrows * wa_type_width(d_batch.type);
		if (d_batch.validity != NULL)
			d_part.validity = d_batch.validity + part * nrows / 64;
		columns.push_back({d_part, ops, bench.d_results + part});
	}
	return columns;
}

void
launch_columns(const KernelBench &bench,
			   const std::vector<WaKernelColumn> &columns)
{
	must(wa_kernel_launch(columns.data(), (unsigned) columns.size(),
						  bench.d_scratch, bench.multiprocessors, NULL));
}

Launch
launch_over_buffers(const KernelBench &bench, WaOpSet ops, WaType type,
					size_t bytes, bool nulls)
{
	return [&bench, ops, type, bytes, nulls](size_t buffer)
	{
		launch_columns(bench,
					   columns_of(bench, ops,
								  batch_of(bench, type, bytes, buffer, nulls)));
	};
}

std::string
ops_text(WaOpSet ops)
{
	std::string text;

	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((ops & WA_OP_BIT(op)) != 0)
			text += (text.empty() ? "" : " + ") +
					std::string(wa_op_name((WaOp) op));
	return text.empty() ? "count" : text;
}

// Returns the bytes of a partial that the operations need.
static std::vector<uint8_t>
encode(const WaPartial &partial, WaType type, WaOpSet ops)
{
	std::vector<uint8_t> bytes(WA_PARTIAL_MAX_BYTES);

	bytes.resize(wa_partial_encode(&partial, type, ops, bytes.data()));
	return bytes;
}

// Ends the program unless a launch over the batch, which lies in host memory
// too, finds what is expected.
static void
check_ops(const KernelBench &bench, WaOpSet ops, const WaBatch &d_batch,
		  const WaBatch &batch, const WaPartial &expected)
{
	WaKernelResult result;
	WaExactPart exact;
	WaPartial found;

	must(cudaMemset(bench.d_results, 0xff, sizeof(result)));
	launch_columns(bench, {{d_batch, ops, bench.d_results}});
	must(cudaMemcpy(&result, bench.d_results, sizeof(result),
					cudaMemcpyDeviceToHost));
	wa_partial_init(&found, &exact);
	wa_kernel_finish(ops, batch.type, &result, &found);
	if (encode(found, batch.type, ops) != encode(expected, batch.type, ops))
		stop("%s over %zu rows of %s%s is wrong", ops_text(ops).c_str(),
			 batch.nrows, wa_type_name(batch.type),
			 batch.validity == NULL ? "" : " with nulls");
}

// Folds the valid rows of a batch in host memory, whose values are overwritten.
static void
fold_valid(const WaBatch &batch, WaOpSet ops, WaPartial *partial)
{
	const size_t width = wa_type_width(batch.type);
	unsigned char *values =
		static_cast<unsigned char *>(const_cast<void *>(batch.values));
	WaBatch valid = {batch.type, values, NULL, 0};

	for (size_t row = 0; row < batch.nrows; row++)
		if (wa_row_is_valid(batch.validity, row))
			memmove(values + valid.nrows++ * width, values + row * width,
					width);
	wa_partial_fold(partial, ops, &valid);
}

void
check_batch(const KernelBench &bench, const WaBatch &d_batch,
			const std::vector<WaOpSet> &sets)
{
	std::vector<unsigned char> values;
	std::vector<uint64_t> validity;
	WaBatch batch = d_batch;
	WaExactPart exact;
	WaPartial expected;
	WaOpSet all = 0;

	for (WaOpSet ops : sets)
		all |= ops;
	values.resize(batch.nrows * wa_type_width(batch.type));
	if (all != 0)
		must(cudaMemcpy(values.data(), d_batch.values, values.size(),
						cudaMemcpyDeviceToHost));
	if (batch.validity != NULL)
	{
		validity.resize(wa_validity_bytes(batch.nrows) / sizeof(uint64_t));
		must(cudaMemcpy(validity.data(), d_batch.validity,
						validity.size() * sizeof(uint64_t),
						cudaMemcpyDeviceToHost));
		batch.validity = validity.data();
	}
	batch.values = values.data();
	wa_partial_init(&expected, &exact);
	fold_valid(batch, all, &expected);
	for (WaOpSet ops : sets)
		check_ops(bench, ops, d_batch, batch, expected);
}
