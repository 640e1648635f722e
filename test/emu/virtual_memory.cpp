//
// virtual_memory.cpp
//		The part of CUDA's driver that cuda/memory.cu uses, by mmap.
//
// A reserved range is a mapping without access.  Memory that is created is only
// counted; it becomes host memory when access to its mapping is set, and goes
// when it is unmapped, so that a kernel that reads where no memory is faults.
//
#include "cuda.h"
#include "emulator.h"

#include <map>
#include <mutex>
#include <stdint.h>
#include <string>
#include <sys/mman.h>

static const size_t kGranularity = (size_t) 2 << 20;

// What a device has for ranges, of which there is one count for all of them.
static const size_t kRangeBytes = (size_t) 1 << 30;

// The state, guarded by its lock.
static std::mutex memory_lock;
static size_t created_bytes;
static unsigned long long last_handle;
static std::map<CUmemGenericAllocationHandle, size_t> created;
static std::map<CUdeviceptr, size_t> reserved;
static std::map<CUdeviceptr, size_t> mappings;

size_t
wa_emu_mapped_bytes()
{
	std::lock_guard<std::mutex> guard(memory_lock);
	size_t bytes = 0;

	for (const auto &mapping : mappings)
		bytes += mapping.second;
	return bytes;
}

// Tells whether addresses lie in a reserved range.
static bool
is_reserved(CUdeviceptr address, size_t bytes)
{
	auto next = reserved.upper_bound(address);

	if (next == reserved.begin())
		return false;
	--next;
	return bytes <= next->second &&
		   address - next->first <= next->second - bytes;
}

// Tells whether any of the addresses are mapped.
static bool
is_mapped(CUdeviceptr address, size_t bytes)
{
	auto next = mappings.lower_bound(address + bytes);

	if (next == mappings.begin())
		return false;
	--next;
	return next->first + next->second > address;
}

// Tells whether there is a mapping of just these addresses.
static bool
is_mapping(CUdeviceptr address, size_t bytes)
{
	auto found = mappings.find(address);

	return found != mappings.end() && found->second == bytes;
}

CUresult
cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *,
							  CUmemAllocationGranularity_flags)
{
	*bytes = kGranularity;
	return CUDA_SUCCESS;
}

CUresult
cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
					CUdeviceptr, unsigned long long)
{
	std::lock_guard<std::mutex> guard(memory_lock);
	void *place;
	uintptr_t aligned;

	if (bytes == 0 || bytes % kGranularity != 0)
		return CUDA_ERROR_INVALID_VALUE;
	alignment = max(alignment, kGranularity);
	place = mmap(NULL, bytes + alignment, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (place == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	aligned = ((uintptr_t) place + alignment - 1) / alignment * alignment;
	(void) munmap(place, aligned - (uintptr_t) place);
	(void) munmap((void *) (aligned + bytes),
				  alignment - (aligned - (uintptr_t) place));
	*address = aligned;
	reserved[aligned] = bytes;
	return CUDA_SUCCESS;
}

CUresult
cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
	std::lock_guard<std::mutex> guard(memory_lock);
	auto found = reserved.find(address);

	if (found == reserved.end() || found->second != bytes ||
		is_mapped(address, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	(void) munmap((void *) address, bytes);
	reserved.erase(found);
	return CUDA_SUCCESS;
}

CUresult
cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
			const CUmemAllocationProp *, unsigned long long)
{
	const cudaError_t error = wa_emu_count_call();
	std::lock_guard<std::mutex> guard(memory_lock);

	if (error != cudaSuccess)
		return (CUresult) error;
	if (bytes == 0 || bytes % kGranularity != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (bytes > kRangeBytes - created_bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	created_bytes += bytes;
	*handle = ++last_handle;
	created[*handle] = bytes;
	return CUDA_SUCCESS;
}

// What is created stays counted while it is mapped.
CUresult
cuMemRelease(CUmemGenericAllocationHandle handle)
{
	std::lock_guard<std::mutex> guard(memory_lock);
	auto found = created.find(handle);

	if (found == created.end())
		return CUDA_ERROR_INVALID_VALUE;
	created_bytes -= found->second;
	created.erase(found);
	return CUDA_SUCCESS;
}

CUresult
cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
		 CUmemGenericAllocationHandle handle, unsigned long long)
{
	std::lock_guard<std::mutex> guard(memory_lock);
	auto found = created.find(handle);

	if (found == created.end() || found->second != bytes || offset != 0 ||
		address % kGranularity != 0 || !is_reserved(address, bytes) ||
		is_mapped(address, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	mappings[address] = bytes;
	created_bytes += bytes;
	return CUDA_SUCCESS;
}

CUresult
cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *,
			   size_t count)
{
	std::lock_guard<std::mutex> guard(memory_lock);

	if (!is_mapping(address, bytes) || count != 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (mprotect((void *) address, bytes, PROT_READ | PROT_WRITE) != 0)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memset((void *) address, WA_EMU_POISON, bytes);
	return CUDA_SUCCESS;
}

CUresult
cuMemUnmap(CUdeviceptr address, size_t bytes)
{
	std::lock_guard<std::mutex> guard(memory_lock);

	if (!is_mapping(address, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	mappings.erase(address);
	created_bytes -= bytes;
	(void) mmap((void *) address, bytes, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	return CUDA_SUCCESS;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **call, unsigned,
								 unsigned long long,
								 cudaDriverEntryPointQueryResult *is)
{
	static const std::map<std::string, void *> calls = {
		{"cuMemGetAllocationGranularity",
		 (void *) cuMemGetAllocationGranularity},
		{"cuMemAddressReserve", (void *) cuMemAddressReserve},
		{"cuMemAddressFree", (void *) cuMemAddressFree},
		{"cuMemCreate", (void *) cuMemCreate},
		{"cuMemMap", (void *) cuMemMap},
		{"cuMemSetAccess", (void *) cuMemSetAccess},
		{"cuMemUnmap", (void *) cuMemUnmap},
		{"cuMemRelease", (void *) cuMemRelease},
	};
	auto found = calls.find(name);

	*call = found == calls.end() ? NULL : found->second;
	*is = found == calls.end() ? cudaDriverEntryPointSymbolNotFound
							   : cudaDriverEntryPointSuccess;
	return cudaSuccess;
}
