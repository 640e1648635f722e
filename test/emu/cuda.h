//
// cuda.h
//		The emulator's stand-in for the header of CUDA's driver: reserved ranges of
//		addresses and their memory, which virtual_memory.cpp emulates.
//
#ifndef WA_EMU_CUDA_H
#define WA_EMU_CUDA_H

#include <stddef.h>

// Numbers are CUDA's.
enum CUresult
{
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2
};

enum CUmemAllocationType
{
	CU_MEM_ALLOCATION_TYPE_PINNED = 1
};

enum CUmemLocationType
{
	CU_MEM_LOCATION_TYPE_DEVICE = 1
};

enum CUmemAllocationGranularity_flags
{
	CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0
};

enum CUmemAccess_flags
{
	CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
};

struct CUmemLocation
{
	CUmemLocationType type;
	int id;
};

struct CUmemAllocationProp
{
	CUmemAllocationType type;
	CUmemLocation location;
};

struct CUmemAccessDesc
{
	CUmemLocation location;
	CUmemAccess_flags flags;
};

typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;

CUresult cuMemGetAllocationGranularity(size_t *bytes,
									   const CUmemAllocationProp *kind,
									   CUmemAllocationGranularity_flags flags);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes,
							 size_t alignment, CUdeviceptr wish,
							 unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
					 const CUmemAllocationProp *kind, unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
				  CUmemGenericAllocationHandle handle,
				  unsigned long long flags);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes,
						const CUmemAccessDesc *access, size_t count);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);

#endif // WA_EMU_CUDA_H
