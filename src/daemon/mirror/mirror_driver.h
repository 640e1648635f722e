/*
 * mirror_driver.h
 *		What the mirror needs of GPUs, as a table of functions: cuda/memory.h says
 *		what each does.
 */
#ifndef WA_DAEMON_MIRROR_DRIVER_H
#define WA_DAEMON_MIRROR_DRIVER_H

#include "cuda/memory.h"

typedef struct WaMirrorDriver
{
	WaStatus (*open)(int ordinal, WaCudaMemory **memory, char *error,
					 size_t error_bytes);
	void (*close)(WaCudaMemory *memory);
	WaStatus (*reserve)(WaCudaMemory *memory, size_t bytes, void **d_range,
						char *error, size_t error_bytes);
	WaStatus (*unreserve)(WaCudaMemory *memory, void *d_range, size_t bytes,
						  char *error, size_t error_bytes);
	WaStatus (*map)(WaCudaMemory *memory, void *d_piece, char *error,
					size_t error_bytes);
	WaStatus (*unmap)(WaCudaMemory *memory, void *d_piece, char *error,
					  size_t error_bytes);
	WaStatus (*staging)(WaCudaMemory *memory, void **staging, char *error,
						size_t error_bytes);
	WaStatus (*copy)(WaCudaMemory *memory, void *d_to, size_t bytes,
					 char *error, size_t error_bytes);
	WaStatus (*fill)(WaCudaMemory *memory, void *d_to, int byte, size_t bytes,
					 char *error, size_t error_bytes);
	WaStatus (*wait)(WaCudaMemory *memory, char *error, size_t error_bytes);
} WaMirrorDriver;

#ifdef WA_WITH_CUDA
/* That of CUDA. */
extern const WaMirrorDriver wa_mirror_cuda;
#endif

#endif /* WA_DAEMON_MIRROR_DRIVER_H */
