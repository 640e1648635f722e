//
// program_long.cu
//		Programs that are long: what they are is read from device memory, where
//		slots are, too, if shared memory has no room for them.
//
// One kernel takes all of them, wide or not: it has the instructions of both.
//
#include "program/clear.cuh"
#include "program/wide.cuh"

// As of the kernel of programs that are wide: 128 registers a thread.
constexpr unsigned kLongBlocks = 8;

// Slots in device memory are for so many blocks at most, and, unless these are few, of
// so many bytes.
constexpr unsigned kMostSlotBlocks = 256;
constexpr unsigned kFewSlotBlocks = 16;
constexpr size_t kMostSlotBytes = (size_t) 32 << 20;

// Parts of the workspace are aligned to this.
constexpr size_t kPartBytes = 16;

// Runs a program that is long.  As wa_program_kernel (programs.cu), but for dynamic
// shared memory, of which there may be none.
__global__ void
__launch_bounds__(kProgramThreads, kLongBlocks)
	wa_program_long_kernel(const __grid_constant__ WaProgramLongCode code,
						   const __grid_constant__ WaProgramRun run)
{
	wa_program_block<WaWideUnits>(code, run);
}

// Returns so many bytes with what is needed to align what comes behind them.
static size_t
aligned(size_t bytes)
{
	return (bytes + kPartBytes - 1) / kPartBytes * kPartBytes;
}

// Returns the bytes of what a vector holds, likewise.
template <typename Element>
static size_t
bytes_of(const std::vector<Element> &elements)
{
	return aligned(elements.size() * sizeof(Element));
}

// Returns the bytes of all parts of the code.
static size_t
code_bytes(const WaProgramPlan *plan)
{
	return bytes_of(plan->first) + bytes_of(plan->ops) +
		   bytes_of(plan->columns) + bytes_of(plan->constants) +
		   bytes_of(plan->targets);
}

// Returns for how many blocks there are slots in device memory.
static unsigned
slot_blocks(const WaProgramPlan *plan)
{
	const size_t blocks = kMostSlotBytes / plan->slot_bytes;

	return (unsigned) std::clamp(blocks, (size_t) kFewSlotBlocks,
								 (size_t) kMostSlotBlocks);
}

size_t
wa_program_long_bytes(const WaProgramPlan *plan)
{
	const size_t bytes = aligned(plan->list_bytes) + code_bytes(plan);

	if (plan->slot_bytes == 0)
		return bytes;
	return bytes + slot_blocks(plan) * plan->slot_bytes;
}

// Appends a part to an image of device memory; returns where it will be.
template <typename Element>
static const Element *
add_part(const std::vector<Element> &elements, unsigned char *d_image,
		 std::vector<unsigned char> *image)
{
	const size_t begin = image->size();
	const unsigned char *bytes =
		reinterpret_cast<const unsigned char *>(elements.data());

	image->insert(image->end(), bytes,
				  bytes + elements.size() * sizeof(Element));
	image->resize(begin + bytes_of(elements));
	return reinterpret_cast<const Element *>(d_image + begin);
}

// Has the code copied to the workspace, behind the lists.
static cudaError_t
copy_code(const WaProgramPlan *plan, unsigned char *d_workspace,
		  WaProgramLongCode *code, cudaStream_t stream)
{
	unsigned char *d_image = d_workspace + aligned(plan->list_bytes);
	std::vector<unsigned char> image;

	image.reserve(code_bytes(plan));
	code->counts = plan->counts;
	code->first = add_part(plan->first, d_image, &image);
	code->ops = add_part(plan->ops, d_image, &image);
	code->columns = add_part(plan->columns, d_image, &image);
	code->constants = add_part(plan->constants, d_image, &image);
	code->targets = add_part(plan->targets, d_image, &image);
	code->lists = reinterpret_cast<const int64_t *>(d_workspace);
	code->slots = plan->slot_bytes > 0 ? d_image + image.size() : NULL;
	code->slot_bytes = plan->slot_bytes;
	return cudaMemcpyAsync(d_image, image.data(), image.size(),
						   cudaMemcpyHostToDevice, stream);
}

cudaError_t
wa_program_start_long(const WaProgramPlan *plan, void *d_workspace,
					  WaProgramRun *run, int multiprocessors,
					  cudaStream_t stream)
{
	WaProgramLongCode code;
	cudaError_t error = copy_code(
		plan, static_cast<unsigned char *>(d_workspace), &code, stream);

	if (error == cudaSuccess)
		error = wa_program_launch(
			wa_program_long_kernel, kLongBlocks,
			plan->slot_bytes > 0 ? slot_blocks(plan) : UINT_MAX, &code, run,
			plan->shared_bytes, multiprocessors, stream);
	if (error == cudaSuccess)
		error = wa_program_launch_clear(&code, run, multiprocessors, stream);
	return error;
}
